"""The bundled sample match through the product's own path, with the shipped models."""

import json
from pathlib import Path

import pytest

from api.cli import run
from datasets.match_score import Counted, score_record

pytestmark = pytest.mark.weights

SAMPLE = Path(__file__).parents[2] / "datasets" / "sample"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "match.jsonl"
    table = SAMPLE / "match.toml"
    status = run(["watch", str(SAMPLE / "match.mp4"), "--table", str(table), "--record", str(path)])
    assert status == 0
    return path


def verdicts(record: Path) -> list[dict]:
    entries = (json.loads(line) for line in record.read_text().splitlines()[1:])
    return [entry["payload"] for entry in entries if entry["kind"] == "verdict"]


def test_the_plays_of_the_sample_are_found_and_none_is_invented(record):
    result = score_record(SAMPLE / "match.truth.jsonl", record)

    assert result.foundation.f1 >= 0.9
    assert result.foundation.invented == 0
    assert result.card.wrong == result.owner.wrong == 0


def test_the_races_of_the_sample_are_ruled_as_they_were(record):
    result = score_record(SAMPLE / "match.truth.jsonl", record)

    assert result.races == Counted(right=2)
    assert result.early_first == 0


def test_the_races_and_the_foul_of_the_sample_are_ruled_on(record):
    rulings = [(v["ruling"], v["rule"], v["card"]) for v in verdicts(record)]

    (together,) = [v for v in verdicts(record) if v["ruling"] in {"TIE", "TOO_CLOSE"}]
    assert (together["card"], len(together["kept"])) == ("5D", 2)
    assert [r for r in rulings if r[0] == "FIRST"] == [("FIRST", "N15", "5C")]
    assert [r for r in rulings if r[0] == "ILLEGAL"] == [("ILLEGAL", "N26", "7C")]


def test_the_record_of_the_sample_holds_and_is_judged_the_same_again(record, capsys):
    assert run(["verify", str(record)]) == 0
    capsys.readouterr()

    assert run(["judge", str(record), "--json"]) == 0

    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [v["verdict_id"] for v in verdicts(record)]
    assert [row["verdict_id"] for row in again if "verdict_id" in row] == told
