"""Signs that turn the direction of text reach no page: no record with them is read, no input keeps them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking_app import Asked
from desk_match import DeskMatch
from reviewed_matches import ReviewedMatch

from api import cli
from api.errors import MisuseError
from api.hub import Hub
from api.match_session import _refuse_turns
from api.record_shelf import shown_match
from referee.logs import RecordError, verify
from referee.record import hash_of
from referee.texts import TURNING
from vision.table_file import TableFileError, parse_table

MATCH = "/api/v1/matches/friday"
GAME = "F1: ... 4H\nland Ana 5H waste F1 983.3..1000\n"


def chained(bodies: list[dict]) -> str:
    """The same entries as a record whose hashes hold."""
    lines, before = [], None
    for body in bodies:
        body.pop("hash")
        if before is not None:
            body["prev_hash"] = before
        before = hash_of(body)
        lines.append(json.dumps({**body, "hash": before}, sort_keys=True, separators=(",", ":")))
    return "\n".join(lines) + "\n"


def record_with(sign: str, where: str) -> str:
    """A whole record that carries ``sign`` in one of its texts."""
    match = ReviewedMatch(GAME)
    match.finished()
    match.enter(match.appeal("v1"))
    bodies = [json.loads(line) for line in match.lines]
    seats = bodies[0]["setup"]["seats"]
    match where:
        case "player":
            seats[0]["player"] = f"Ana{sign}"
        case "match id":
            bodies[0]["setup"]["match_id"] = f"fri{sign}day"
        case "table":
            bodies[0]["table"] = f"{sign}kitchen"
        case "grounds":
            bodies[-1]["payload"]["grounds"] = f"look {sign} again"
        case "reason":
            verdict = next(body for body in bodies if body.get("kind") == "verdict")
            verdict["payload"]["reason"] += sign
    return chained(bodies)


@pytest.mark.parametrize("where", ["player", "match id", "table", "grounds", "reason"])
@pytest.mark.parametrize("sign", ["\u202e", "\u2067", "\u200e", "\u200f", "\u061c"], ids=ascii)
def test_a_record_that_carries_them_is_not_read(tmp_path: Path, sign: str, where: str):
    path = tmp_path / "r.jsonl"
    path.write_text(record_with(sign, where))

    with pytest.raises(RecordError, match="without signs that turn its direction"):
        shown_match(path, match_id="r")

    found = verify(path.read_bytes().splitlines(keepends=True))
    assert "without signs that turn its direction" in str(found.fault)


def test_the_same_record_without_them_is_read(tmp_path: Path):
    path = tmp_path / "r.jsonl"
    path.write_text(record_with("", "player"))

    assert shown_match(path, match_id="r").desk is not None


@pytest.mark.parametrize("command", ["verify", "judge", "serve"])
def test_every_command_says_so_in_one_line(tmp_path: Path, capsys, command: str):
    path = tmp_path / "r.jsonl"
    path.write_text(record_with("\u202e", "player"))

    status = cli.run([command, str(path)])

    err = capsys.readouterr().err
    assert (status, err.count("\n")) == (1, 1)
    assert "signs that turn its direction" in err
    assert TURNING.isdisjoint(err)


@pytest.fixture
def asked(played: DeskMatch) -> Iterator[Asked]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with Asked(hub) as asked:
        yield asked


def test_what_people_enter_is_kept_without_them(asked: Asked, tmp_path: Path):
    called = {"call": "nerts", "seat": "Ana\u200f", "by": "Ri\u202eta"}
    appeal = {"verdict_id": "v1", "seat": "Ben", "grounds": "\u2067عمر بن\u2069"}

    answers = [
        asked.post(f"{MATCH}/calls", json=called),
        asked.post(f"{MATCH}/appeals", json=appeal),
    ]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert asked.get(f"{MATCH}/calls").json()[0]["by"] == "Rita"
    assert asked.get(f"{MATCH}/appeals").json()[0]["text"] == "عمر بن"
    assert verify((tmp_path / "friday.jsonl").read_bytes().splitlines(keepends=True)).is_ok


def test_names_that_are_right_to_left_by_their_letters_are_read(tmp_path: Path):
    """Joiners are part of how Marathi and Persian are written."""
    header = '\ngame nerts\nplayer south "عمر"\nplayer north "क्\u200dष"\n'
    bodies = [json.loads(line) for line in ReviewedMatch(GAME).finished()]
    bodies[0]["setup"]["seats"][0]["player"] = header.split('"')[1]
    bodies[0]["setup"]["seats"][1]["player"] = header.split('"')[3]
    path = tmp_path / "r.jsonl"
    path.write_text(chained(bodies))

    assert shown_match(path, match_id="r").feed.match.players == ("عمر", "क्\u200dष")


def test_a_table_file_refuses_them_too():
    text = (Path(__file__).parents[2] / "datasets" / "sample" / "match.toml").read_text()

    for sign in sorted(TURNING):
        with pytest.raises(TableFileError):
            parse_table(text.replace('player = "Ana"', f'player = "Ana{sign}"'))


def test_a_file_whose_name_carries_them_is_not_watched():
    with pytest.raises(MisuseError, match="signs that turn the direction"):
        _refuse_turns(("fri\u202eday.mp4",))
