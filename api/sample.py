"""The bundled sample match, which ``demo`` and ``bench`` play."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from api.errors import CommandError


@dataclass(frozen=True, slots=True)
class Sample:
    """A clip and its table file."""

    clip: Path
    table: Path


def bundled_sample() -> Sample:
    """The sample that was installed with the program; ``CommandError`` where it was left out."""
    folder = Path(str(files("datasets"))) / "sample"
    sample = Sample(folder / "match.mp4", folder / "match.toml")
    if not (sample.clip.is_file() and sample.table.is_file()):
        raise CommandError(f"the sample match is not installed (want {sample.clip} and {sample.table})")
    return sample
