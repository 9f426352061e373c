"""Makes the bundled sample match again: ``python -m datasets.simulator.sample [FOLDER]``."""

import sys
from pathlib import Path
from typing import Final

from datasets.simulator.clip import SimulatedClip, simulate_clip
from datasets.simulator.settings import SimulationSettings

SAMPLE_FOLDER: Final = Path(__file__).parents[1] / "sample"
SAMPLE_SEED: Final = 1544
SAMPLE_SETTINGS: Final = SimulationSettings(
    seconds=40.0,
    contested_share=0.25,
    contested_gaps_us=(6_000, 180_000),  # a tie at any frame rate up to 120, and an order at 30 and more
    crf=25,
    preset="slow",
)


def make_sample(folder: Path = SAMPLE_FOLDER) -> SimulatedClip:
    """Render ``match.mp4``, ``match.toml`` and ``match.truth.jsonl`` into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    return simulate_clip(
        folder / "match.mp4", seed=SAMPLE_SEED, settings=SAMPLE_SETTINGS, progress=_tell, overwrite=True
    )


def _tell(done: int, total: int) -> None:
    if done % 60 == 0 or done == total:
        sys.stderr.write(f"\r{done} of {total} frames")
        sys.stderr.flush()


if __name__ == "__main__":
    clip = make_sample(*(Path(text) for text in sys.argv[1:2]))
    sys.stderr.write(f"\n{clip.video}: {clip.video.stat().st_size / 1e6:.1f} MB\n")
