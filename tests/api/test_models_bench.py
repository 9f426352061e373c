"""``touchjudge bench --models``: a drawn table, looked at whole and pile by pile."""

import json

import numpy as np
import pytest

import api.models_bench
from api import cli
from api.models_bench import CARDS, table_picture, zone_picture
from models.classes import CLASS_ID
from models.detections import Detections
from models.detector_settings import DetectorSettings
from models.training.whole_frame import NotInstalledError


class SeesByArea:
    """Finds one card for each 100,000 pixels."""

    def __init__(self, settings: DetectorSettings) -> None:
        self.settings = settings

    def detect(self, image_bgr: np.ndarray) -> Detections:
        n = max(1, image_bgr.shape[0] * image_bgr.shape[1] // 100_000)
        return Detections(
            corners_px=np.zeros((n, 4, 2), np.float32),
            class_id=np.full(n, CLASS_ID["AS"], np.int16),
            confidence=np.ones(n, np.float32),
        )


@pytest.fixture
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise NotInstalledError("ultralytics is not installed (want pip install '.[train]')")

    monkeypatch.setattr(api.models_bench, "OnnxDetector", SeesByArea)
    monkeypatch.setattr(api.models_bench, "whole_frame_runner", missing)


def test_the_table_is_1080p_and_always_the_same() -> None:
    table = table_picture()

    assert table.shape == (1080, 1920, 3)
    assert np.array_equal(table, table_picture())
    white = (table.min(axis=2) > 200).mean() * table.shape[0] * table.shape[1]
    assert 0.6 < white / (CARDS * 63 * 88 * 1.8**2) < 1
    assert zone_picture(table).shape == (212, 172, 3)


def test_whole_and_one_pile_are_timed_with_one_and_two_threads(
    no_models: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["bench", "--models", "--rounds", "2", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    rows = [(row["what"], row["threads"], row["found"]) for row in told["timings"]]
    assert rows == [
        ("whole table", 1, 20),
        ("one pile", 1, 1),
        ("whole table", 2, 20),
        ("one pile", 2, 1),
    ]
    assert told["rounds"] == 2
    assert all(row["ms"] >= 0 for row in told["timings"])


def test_what_could_not_be_run_is_told(no_models: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["bench", "--models", "--rounds", "1"]) == 0

    assert "ultralytics is not installed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["--rounds", "3"], "--rounds goes with --models", id="rounds alone"),
        pytest.param(["--models", "--referee"], "no --referee", id="two at once"),
    ],
)
def test_misuse_is_one_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["bench", *arguments]) == 2

    assert told in capsys.readouterr().err
