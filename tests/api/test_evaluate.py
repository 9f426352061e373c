"""``touchjudge evaluate``: a folder with one report, and going on after a stop."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from scripted_match import landing, recorded_match

from api import cli
from datasets import report_looks
from models import onnx_detector
from models.classes import CLASS_ID
from models.detections import Detections


class ReadsNines:
    """Reads every picture as one nine of hearts; tells how often it looked."""

    looks = 0

    def __init__(self, settings: object, _weights: Path) -> None:
        self.settings = settings

    def detect(self, image_bgr: np.ndarray) -> Detections:
        ReadsNines.looks += 1
        if image_bgr[0, 0, 0] == 255:
            raise KeyboardInterrupt
        return Detections(
            corners_px=np.array([[[5, 5], [40, 5], [40, 60], [5, 60]]], np.float32),
            class_id=np.array([CLASS_ID["9H"]], np.int16),
            confidence=np.array([0.8], np.float32),
        )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(onnx_detector, "OnnxDetector", ReadsNines)
    monkeypatch.setattr(report_looks, "OnnxDetector", ReadsNines)
    monkeypatch.setattr(ReadsNines, "looks", 0)
    rows = []
    for i, card in enumerate(("9H", "6H", "9H")):
        cv2.imwrite(f"{i}.png", np.full((80, 60, 3), 40 * i, np.uint8))
        box = {"box_px": [5, 5, 40, 60], "box_kind": "card"}
        about = {"source": "me/x", "view": "topdown", "deck": f"deck{i % 2}", "classes_complete": True}
        rows.append(about | {"image": f"{i}.png", "cards": [{"card": card} | box]})
    path = tmp_path / "index.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_one_report(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.run(["evaluate", str(index), "--out", "report"])

    content = json.loads(Path("report/report.json").read_text())
    assert status == 0
    assert content["total"]["recall"] == pytest.approx(2 / 3, abs=1e-3)
    assert content["confusions"] == [{"label": "6H", "name": "9H", "times": 1}]
    assert [row["image"] for row in content["worst"]] == [str(index.parent / "1.png")]
    assert "| 6H | 9H | 1 |" in Path("report/report.md").read_text()
    assert cv2.imread("report/worst.jpg") is not None
    assert "report.md" in capsys.readouterr().out


def test_json_has_a_row_for_each_source(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["evaluate", str(index), "--json"])

    rows = json.loads(capsys.readouterr().out)
    assert set(rows) == {"me topdown deck0", "me topdown deck1"}
    first = rows["me topdown deck0"]
    assert (first["images"], first["cards"], first["recall"], first["precision"]) == (2, 2, 1.0, 1.0)
    assert Path("runs/evaluate-index/report.json").is_file()


def test_it_goes_on_where_it_was_stopped(index: Path) -> None:
    cv2.imwrite("2.png", np.full((80, 60, 3), 255, np.uint8))
    assert cli.run(["evaluate", str(index), "--out", "report"]) == cli.INTERRUPTED_STATUS
    cv2.imwrite("2.png", np.full((80, 60, 3), 80, np.uint8))

    assert cli.run(["evaluate", str(index), "--out", "report"]) == 0
    assert ReadsNines.looks == 4


def one_play() -> list[str]:
    """The record of a match in which south plays the ace of hearts."""
    match = recorded_match()
    lines = [match.header_line, *match.observe(landing("AH", 400_000), at_us=400_000).lines]
    return [*lines, *match.finish("the source ended").lines]


def test_a_record_is_scored_against_the_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, truth = tmp_path / "m.jsonl", tmp_path / "m.truth.jsonl"
    record.write_text("".join(one_play()))
    play = {"kind": "play", "seat": "south", "card": "AH", "count": 1, "source": "south/reserve"}
    play |= {"target": "table/foundation[0]", "contact_us": 370_000, "legal": True}
    play |= {"contest": None, "gap_us": None}
    truth.write_text(f"{json.dumps(play)}\n")

    assert cli.run(["evaluate", "--match", str(record), "--truth", str(truth)]) == 0

    shown = capsys.readouterr().out
    assert "foundation plays" in shown
    assert "1 of 1 right" in shown


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        pytest.param([], 2, "want one of", id="nothing to measure on"),
        pytest.param(["none.jsonl"], 2, "no such file", id="no index"),
        pytest.param(["index.jsonl", "--synthetic", "3"], 2, "want one of", id="both"),
        pytest.param(["index.jsonl", "--weights", "nowhere"], 2, "no such folder", id="no weights"),
        pytest.param(["index.jsonl", "--out", "0.png"], 2, "want", id="a file for a folder"),
        pytest.param(["empty.jsonl"], 1, "no labelled photograph", id="an empty index"),
        pytest.param(["broken.jsonl"], 1, "line 1", id="a broken index"),
        pytest.param(["--match", "empty.jsonl"], 2, "want a --truth", id="a record without its truth"),
        pytest.param(["--truth", "empty.jsonl"], 2, "want one of", id="a truth without a record"),
        pytest.param(["--match", "none.jsonl", "--truth", "empty.jsonl"], 2, "none.jsonl", id="no record"),
        pytest.param(
            ["--match", "empty.jsonl", "--truth", "empty.jsonl"], 1, "empty.jsonl", id="no record in it"
        ),
        pytest.param(
            ["--match", "m.jsonl", "--truth", "broken.jsonl"], 1, "no truth file", id="no truth in it"
        ),
    ],
)
def test_what_cannot_be_measured(
    index: Path, arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (index.parent / "empty.jsonl").write_text("")
    (index.parent / "broken.jsonl").write_text('{"image": ')
    (index.parent / "m.jsonl").write_text("".join(one_play()))

    found = cli.run(["evaluate", *arguments])

    error = capsys.readouterr().err.splitlines()
    assert found == status
    assert said in error[-1]
