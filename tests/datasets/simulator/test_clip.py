"""What the simulator writes, and what it leaves alone."""

from pathlib import Path

import pytest

from datasets.simulator import SimulationSettings, simulate_clip

TINY = SimulationSettings(width_px=160, height_px=90, fps=5.0, seconds=1.0)


@pytest.mark.parametrize("name", ["match.mp4", "match.toml", "match.truth.jsonl"])
def test_a_file_that_is_there_is_not_written_over(tmp_path: Path, name: str) -> None:
    there = tmp_path / name
    there.write_text("mine")

    with pytest.raises(FileExistsError, match="not written over") as error:
        simulate_clip(tmp_path / "match.mp4", seed=1, settings=TINY)

    assert error.value.filename == str(there)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


def test_a_file_is_written_over_on_demand(tmp_path: Path) -> None:
    (tmp_path / "match.toml").write_text("old")

    made = simulate_clip(tmp_path / "match.mp4", seed=1, settings=TINY, overwrite=True)

    assert made.table_file.read_text().startswith("format = 1")
