"""The bundled sample is what the simulator films from its seed today: matches of two stay as they were."""

import av
import numpy as np
import pytest

from datasets.simulator.camera import Camera
from datasets.simulator.clip import table_toml, true_action, truth_line
from datasets.simulator.plan import plan_passage, random_layout
from datasets.simulator.sample import SAMPLE_FOLDER, SAMPLE_SEED, SAMPLE_SETTINGS
from datasets.simulator.stage import Stage


@pytest.fixture(scope="module")
def stage() -> Stage:
    scene, picture = (np.random.default_rng([SAMPLE_SEED, stream]) for stream in range(2))
    layout = random_layout(scene, SAMPLE_SETTINGS)
    passage = plan_passage(scene, layout, SAMPLE_SETTINGS)
    camera = Camera.over(picture, layout.size_mm, (SAMPLE_SETTINGS.width_px, SAMPLE_SETTINGS.height_px))
    return Stage(passage, camera, picture, markers=False)


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
