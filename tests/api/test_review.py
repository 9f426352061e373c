"""``touchjudge review``: what people enter into a closed record, from the command line."""

import json
from pathlib import Path

import pytest
from reviewed_matches import RACE, ReviewedMatch

from api import cli
from api.commands.review import app
from api.errors import CommandError
from api.reviewing import ReviewedRecord
from referee.logs import read_record, verify
from referee.piles import Seat
from referee.replay import first_difference, replay
from referee.reviews import Appeal

GAME = RACE + "count Ana/nerts 4 6000\n"
BY = ("--by", "Rita", "--reason", "I saw it")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "r.jsonl"
    path.write_text("".join(ReviewedMatch(GAME).finished()))
    return path


def entered(capsys, *arguments: str) -> tuple[list[dict], str]:
    """What a review printed as JSON, and its notes."""
    status = cli.run(["review", *arguments, "--json"])
    out, err = capsys.readouterr()
    assert status == 0, err
    return [json.loads(line) for line in out.splitlines()], err


def changes(rows: list[dict]) -> list[tuple[str | None, str | None]]:
    """Each change in short: the rulings before and after."""
    return [
        tuple(
            row[side] and f"{row[side]['verdict_id']} {row[side]['ruling']}".strip()
            for side in ("before", "after")
        )
        for row in rows
        if row["kind"] == "change"
    ]


def totals(rows: list[dict]) -> list[int]:
    return [player["total"] for player in rows[-1]["players"]]


def kinds(record: Path) -> list[str]:
    lines = record.read_text().splitlines(keepends=True)
    log = read_record(lines)
    assert verify(lines).is_ok
    assert first_difference(log, replay(log)) is None
    return [entry.kind for entry in log.entries]


def refused(capsys, *arguments: str) -> tuple[int, str]:
    status = cli.run(["review", *arguments])
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    return status, err


def test_an_appeal_and_its_answer(capsys, record: Path):
    before = record.read_bytes()

    rows, notes = entered(capsys, "appeal", str(record), "v1", "--player", "Ben", "--grounds", "me first")
    assert (changes(rows), totals(rows)) == ([], [-7, 1])
    assert notes == "note: no verdict changes\na1 is entered; Ben has 2 left\n"

    rows, _ = entered(capsys, "answer", str(record), "v1", "--ruling", "FIRST", "--keeps", "Ben", *BY)
    assert (changes(rows), totals(rows)) == ([("v1 FIRST", "FIRST")], [-8, 2])

    assert record.read_bytes().startswith(before), "nothing that was there is changed"
    assert kinds(record)[-4:] == ["end", "appeal", "resolution", "verdict"]
    cli.run(["judge", str(record)])
    assert "(v1 overturned by r1, see v4)" in capsys.readouterr().out


def test_a_dry_run_enters_nothing(capsys, record: Path):
    before = record.read_bytes()

    rows, _ = entered(capsys, "answer", str(record), "v3", "--card", "7H", "--dry-run", *BY)
    assert (changes(rows), totals(rows)) == ([("v3 ILLEGAL", "LEGAL")], [-6, 1])
    rows, _ = entered(capsys, "undo", str(record), "2", "--dry-run", *BY)
    assert (changes(rows), totals(rows)) == ([("v1 FIRST", None), (None, "LEGAL")], [-8, 2])

    assert record.read_bytes() == before


def test_a_player_put_right_and_taken_back(capsys, record: Path):
    rows, _ = entered(capsys, "answer", str(record), "v2", "--player", "Ana", *BY)
    assert (changes(rows), totals(rows)) == ([("v2 LEGAL", "LEGAL")], [-6, 0])

    entry = kinds(record).index("resolution") + 1
    rows, _ = entered(capsys, "undo", str(record), str(entry), *BY)

    assert (changes(rows), totals(rows)) == ([("v4 LEGAL", "v2 LEGAL")], [-7, 1])
    assert kinds(record)[-3:] == ["resolution", "verdict", "revert"]


def test_a_verdict_that_stands(capsys, record: Path):
    entered(capsys, "appeal", str(record), "v3", "--player", "south")
    rows, notes = entered(capsys, "answer", str(record), "v3", "--stands", *BY)

    assert (changes(rows), notes) == ([], "note: no verdict changes\n")
    cli.run(["judge", str(record)])
    assert "(v3 confirmed by r1)" in capsys.readouterr().out


def test_the_ruling_that_holds_is_no_answer_instead(capsys, record: Path):
    before = record.read_bytes()

    status, err = refused(capsys, "answer", str(record), "v3", "--ruling", "ILLEGAL", *BY)

    assert (status, "v3 would be ruled just the same by this: want --stands" in err) == (1, True), err
    assert record.read_bytes() == before


def test_people_read_it_too(capsys, record: Path):
    cli.run(["review", "answer", str(record), "v3", "--card", "7H", "--dry-run", *BY])

    told = capsys.readouterr().out.splitlines()
    assert (
        told[0]
        == "was   0:04.050  v3   ILLEGAL   N26  Ana: 8C may not go on 6H: a foundation goes up in one suit"
    )
    assert told[1] == " now  0:04.050       LEGAL     N26  Ana: 7H goes on 6H"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        pytest.param(["answer", "v1", *BY], "want one of --stands, --ruling", id="no answer"),
        pytest.param(
            ["answer", "v1", "--stands", "--card", "5H", *BY], "want one of --stands", id="two answers"
        ),
        pytest.param(
            ["answer", "v1", "--stands", "--keeps", "Ana", *BY], "want one of --stands", id="keeps what"
        ),
        pytest.param(
            ["answer", "v1", "--ruling", "MAYBE", *BY], "--ruling wants one of LEGAL", id="no ruling"
        ),
        pytest.param(["answer", "v1", "--card", "1H", *BY], "not a card: '1H'", id="no card"),
        pytest.param(["answer", "v1", "--player", "Cy", *BY], "nobody is called 'Cy'", id="no player"),
        pytest.param(
            ["answer", "v2", "--ruling", "FIRST", "--keeps", "Ana", *BY],
            "Ana has no card in v2",
            id="not in it",
        ),
        pytest.param(
            ["answer", "v1", "--stands", "--reason", "x"], "Missing option '--by'", id="nobody answers"
        ),
        pytest.param(["appeal", "v1", "--player", "Cy"], "nobody is called 'Cy'", id="a stranger appeals"),
        pytest.param(["undo", "first", *BY], "Invalid value for 'ENTRY'", id="no number"),
    ],
)
def test_misuse(capsys, record: Path, arguments: list[str], wanted: str):
    before = record.read_bytes()
    command, name, *rest = arguments

    status, err = refused(capsys, command, str(record), name, *rest)

    assert (status, wanted in err) == (2, True), err
    assert record.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        pytest.param(["answer", "v9", "--stands", *BY], "there is no verdict v9", id="no verdict"),
        pytest.param(
            ["answer", "v1", "--card", "5H", "--play", "3", *BY], "v1 is about no play number 2", id="no play"
        ),
        pytest.param(
            ["answer", "v1", "--ruling", "FIRST", "--keeps", "Ana", *BY],
            "v1 would be ruled just the same",
            id="idle",
        ),
        pytest.param(
            ["answer", "v1", "--stands", "--by", " ", "--reason", "x"], "reviewer: a person", id="nobody"
        ),
        pytest.param(
            ["answer", "v1", "--stands", "--by", "\u2060", "--reason", "x"],
            "reviewer: a person",
            id="nobody who is seen",
        ),
        pytest.param(
            ["appeal", "v9", "--player", "Ana"], "there is no verdict 'v9' yet", id="an appeal against none"
        ),
        pytest.param(["undo", "4", *BY], "entry 4 is no observation, appeal", id="a verdict is not undone"),
    ],
)
def test_reviews_that_cannot_be(capsys, record: Path, arguments: list[str], wanted: str):
    before = record.read_bytes()
    command, name, *rest = arguments

    status, err = refused(capsys, command, str(record), name, *rest)

    assert (status, wanted in err) == (1, True), err
    assert record.read_bytes() == before


def test_only_a_closed_and_true_record_takes_reviews(capsys, tmp_path: Path, record: Path):
    lines = record.read_text().splitlines(keepends=True)
    opened, cut = tmp_path / "open.jsonl", tmp_path / "cut.jsonl"
    opened.write_text("".join(lines[:-1]))
    cut.write_text("".join(lines)[:-9])
    typed = tmp_path / "game.jsonl"
    typed.write_text('{"kind":"cards_counted","pile":"south/reserve","count":3,"told_by":"Ana","at_us":9}\n')
    old = Path(__file__).parents[1] / "referee" / "record_format_1.jsonl"

    for path in (opened, cut, typed):
        assert "reviews go into a record that was closed" in refused(capsys, "undo", str(path), "1", *BY)[1]
    assert "form 1 has no place for reviews" in refused(capsys, "undo", str(old), "1", *BY)[1]
    assert "No such file" in refused(capsys, "undo", str(tmp_path / "none"), "1", *BY)[1]


def test_a_record_that_grew_meanwhile_is_left_alone(record: Path):
    opened = ReviewedRecord(record)
    review = Appeal(
        appeal_id=opened.next_id(Appeal),
        verdict_id="v1",
        raised_by=Seat.NORTH,
        grounds="",
        at_us=opened.at_us,
    )
    record.write_bytes(record.read_bytes() + b"\n")

    with pytest.raises(CommandError, match="it was added to while it was read"):
        opened.enter(review)


def test_a_record_that_cannot_be_written_stays_whole(record: Path, monkeypatch: pytest.MonkeyPatch):
    opened = ReviewedRecord(record)
    before = record.read_bytes()
    monkeypatch.setattr(
        "api.record_file.os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left"))
    )

    review = Appeal(appeal_id="a1", verdict_id="v1", raised_by=Seat.NORTH, grounds="", at_us=opened.at_us)
    with pytest.raises(CommandError, match="cannot add to the record: the disk is full"):
        opened.enter(review)

    assert record.read_bytes() == before


def test_every_command_has_its_help():
    assert [command.name for command in app.registered_commands] == ["appeal", "answer", "undo"]
