"""The bundled sample is what the simulator films from its seed today: matches of two stay as they were."""

import av
import numpy as np
import pytest

from datasets.simulator.clip import stage_of, table_toml, true_action, truth_line
from datasets.simulator.sample import SAMPLE_FOLDER, SAMPLE_SEED, SAMPLE_SETTINGS
from datasets.simulator.stage import Stage


@pytest.fixture(scope="module")
def stage() -> Stage:
    return stage_of(SAMPLE_SEED, SAMPLE_SETTINGS)


def test_its_table_is_the_same(stage: Stage) -> None:
    text = table_toml(stage.passage.layout, stage.camera, name="match", markers=False)

    assert text == (SAMPLE_FOLDER / "match.toml").read_text()


def test_its_truth_is_the_same(stage: Stage) -> None:
    lines = [truth_line(true_action(stage, action)) for action in stage.passage.actions]

    assert lines == (SAMPLE_FOLDER / "match.truth.jsonl").read_text().splitlines()


def test_its_first_picture_is_the_same_but_for_noise_and_coding(stage: Stage) -> None:
    with av.open(str(SAMPLE_FOLDER / "match.mp4")) as container:
        filmed = next(container.decode(video=0)).to_ndarray(format="bgr24")

    assert np.abs(filmed.astype(int) - stage.frame(0)).mean() < 4
