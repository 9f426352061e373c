"""Finished records on the web: their time, their last picture, copies of them, and where they are found."""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from asking_app import Asked
from desk_match import DeskMatch
from forged_records import RACED, forged, ruled
from numbered_films import number_in, write_film
from reviewed_matches import ReviewedMatch

from api import machine
from api.console import notes
from api.evidence_frames import last_picture
from api.evidence_shelf import EvidenceShelf
from api.feed import MatchFeed
from api.house import opened_house
from api.hub import Hub
from api.record_shelf import shown_match
from api.record_shows import RecordShows
from referee.logs import read_record
from referee.piles import Seat
from referee.verdicts import Ruling
from vision.evidence import write_clip
from vision.evidence.files import cut_from_file


@pytest.fixture
def friday(tmp_path: Path) -> Path:
    match = DeskMatch(tmp_path / "friday.jsonl").play().finish()
    return match.record.path


def hub_of(*paths: Path) -> Hub:
    hub = Hub()
    for path in paths:
        feed, desk, _, archive, _ = shown_match(path, match_id=path.stem)
        hub.add(feed, desk, archive)
    return hub


@pytest.fixture
def served(friday: Path) -> Iterator[Asked]:
    with Asked(hub_of(friday)) as asked:
        yield asked


# --- time


def test_a_finished_record_says_how_long_was_played(served: Asked, friday: Path):
    entries = read_record(friday.read_bytes().splitlines(keepends=True)).entries

    score = served.get("/api/v1/matches/friday/score").json()

    assert (score["started_us"], score["t_us"]) == (entries[0].t_us, entries[-1].t_us)
    assert score["t_us"] - score["started_us"] > 1_000_000


def test_so_does_one_that_is_only_shown():
    path = Path(__file__).parents[1] / "referee" / "record_format_1.jsonl"
    score = shown_match(path, match_id="old").feed.score

    assert score.started_us is not None
    assert score.started_us < score.t_us


# --- the picture


def test_the_state_says_whether_a_picture_can_be_had(feed: MatchFeed, hub: Hub):
    with Asked(hub) as asked:
        before = asked.get("/api/v1/matches/friday/score").json()["has_picture"]
        missing = asked.get("/api/v1/matches/friday/picture.jpg").status_code
        number = feed.snapshot().number
        feed.show_picture(b"jpeg")
        feed.show_picture(b"later")
        after = asked.get("/api/v1/matches/friday/score").json()["has_picture"]
        there = asked.get("/api/v1/matches/friday/picture.jpg").status_code

    assert (before, missing, after, there) == (False, 404, True, 200)
    told = [json.loads(change.data)["has_picture"] for change in feed.changes_after(number)]
    assert told == [True], "displays are told once"


def test_a_finished_match_shows_the_last_frame_of_its_clips(tmp_path: Path, friday: Path):
    film = write_film(tmp_path / "made.mp4", "libx264", {"g": "20"}, range(0, 100 * 1800, 1800))
    folder = EvidenceShelf(tmp_path / "evidence").new_match("friday")
    for clip_id, until_us in (("c1", 900_000), ("c2", 1_980_000)):
        write_clip(folder.path, *cut_from_file(film, clip_id, start_us=0, end_us=until_us))
    hub = hub_of(friday)
    hub.feeds[0].offer_picture(partial(last_picture, folder))

    with Asked(hub) as asked:
        score = asked.get("/api/v1/matches/friday/score").json()
        answer = asked.get("/api/v1/matches/friday/picture.jpg", params={"delay_s": 20})

    picture = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
    assert (score["has_picture"], answer.headers["content-type"]) == (True, "image/jpeg")
    assert number_in(picture) == 99


# --- copies


def test_a_copy_under_another_name_is_counted_once(friday: Path, tmp_path: Path):
    copy = Path(shutil.copy(friday, tmp_path / "saturday.jsonl"))

    with Asked(hub_of(friday, copy)) as asked:
        told = asked.get("/api/v1/standings").json()
        table = asked.get("/api/v1/standings.csv").text

    assert [(each["match_id"], each["copy_of"]) for each in told["matches"]] == [
        ("friday", None),
        ("saturday", "friday"),
    ]
    assert [(each["player"], each["matches"]) for each in told["players"]] == [("Ana", 1), ("Ben", 1)]
    assert "saturday" not in table


def record_of(match: ReviewedMatch, path: Path) -> Path:
    path.write_text("".join(match.finished()))
    return path


GAME = "F1: ... 4H\nland Ana 5H waste F1 983.3..1000\nland Ben 6H waste F1 3033.3..3050\n"


def test_a_copy_under_another_match_id_is_counted_once(tmp_path: Path):
    """Its header is another, and so are all its hashes; what was seen in it is not."""
    one = record_of(ReviewedMatch(GAME), tmp_path / "one.jsonl")
    renamed = ReviewedMatch(GAME, "\ngame nerts\nmatch other\nplayer south Ana\nplayer north Ben\n")
    other = record_of(renamed, tmp_path / "other.jsonl")
    assert one.read_text().splitlines()[0] != other.read_text().splitlines()[0]

    with Asked(hub_of(one, other)) as asked:
        told = asked.get("/api/v1/standings").json()

    assert [each["copy_of"] for each in told["matches"]] == [None, "one"]
    assert [each["matches"] for each in told["players"]] == [1, 1]


def test_of_copies_that_which_was_reviewed_counts(tmp_path: Path):
    plain = record_of(ReviewedMatch(GAME), tmp_path / "plain.jsonl")
    reviewed = ReviewedMatch(GAME)
    reviewed.finished()
    reviewed.enter(reviewed.appeal("v2", Seat.SOUTH))
    path = tmp_path / "reviewed.jsonl"
    path.write_text("".join(reviewed.lines))

    with Asked(hub_of(plain, path)) as asked:
        told = asked.get("/api/v1/standings").json()

    assert [each["copy_of"] for each in told["matches"]] == ["reviewed", None]


def test_other_matches_of_the_same_players_all_count(tmp_path: Path):
    one = record_of(ReviewedMatch(GAME), tmp_path / "one.jsonl")
    later = GAME.replace("983.3..1000", "983.3..1016.7")
    two = record_of(ReviewedMatch(later), tmp_path / "two.jsonl")

    with Asked(hub_of(one, two)) as asked:
        told = asked.get("/api/v1/standings").json()

    assert [each["copy_of"] for each in told["matches"]] == [None, None]
    assert [each["matches"] for each in told["players"]] == [2, 2]


# --- records of one match that differ


def served_by(*paths: Path) -> Hub:
    hub = Hub()
    with ExitStack() as stack:
        RecordShows(hub, notes(), stack).show_all(paths)
    return hub


@pytest.mark.parametrize("first", ["forged", "sound"])
def test_a_record_that_is_only_shown_takes_no_place_in_standings(tmp_path: Path, capsys, first: str):
    sound = ruled(tmp_path / "sound.jsonl", Ruling.FIRST, 1)
    fake = forged(sound, tmp_path / "aaa.jsonl")

    hub = served_by(*([fake, sound] if first == "forged" else [sound, fake]))

    with Asked(hub) as asked:
        told = asked.get("/api/v1/standings").json()
        table = asked.get("/api/v1/standings.csv").text
    assert {each["match_id"]: each["copy_of"] for each in told["matches"]} == {"sound": None, "aaa": "sound"}
    assert [each["contradicted_by"] for each in told["matches"]] == [[], []]
    assert ("aaa" in table, table.count("sound,")) == (False, 2)
    err = capsys.readouterr().err
    assert f"{fake} is shown only: the verdicts in it are not those of its observations" in err
    assert f"{fake} is a copy of the match 'sound': standings count it once" in err
    assert "is a copy of the match 'aaa'" not in err


def test_records_of_one_match_that_contradict_each_other_are_told(tmp_path: Path, capsys):
    one = ruled(tmp_path / "one.jsonl", Ruling.FIRST, 1)
    other = ruled(tmp_path / "other.jsonl", Ruling.LEGAL, 0, 1)
    plain = record_of(ReviewedMatch(RACED), tmp_path / "plain.jsonl")

    hub = served_by(plain, one, other)

    with Asked(hub) as asked:
        told = {each["match_id"]: each for each in asked.get("/api/v1/standings").json()["matches"]}
        table = asked.get("/api/v1/standings.csv").text
    assert {name: (each["copy_of"], each["contradicted_by"]) for name, each in told.items()} == {
        "plain": ("one", []),
        "one": (None, ["other"]),
        "other": ("one", ["one"]),
    }
    assert (told["one"]["is_provisional"], ",yes," in table) == (True, True)
    assert f"{other} and {one} are records of one match and contradict each other" in capsys.readouterr().err


def test_what_is_added_while_it_is_shown_counts_too(tmp_path: Path):
    """A copy that was the same when both were opened is the one behind, once the other was reviewed."""
    paths = [record_of(ReviewedMatch(RACED), tmp_path / f"{name}.jsonl") for name in ("one", "other")]
    hub = hub_of(*paths)

    with Asked(hub) as asked:
        answer = asked.post("/api/v1/matches/other/appeals", json={"verdict_id": "v1", "seat": "Ben"})
        told = asked.get("/api/v1/standings").json()["matches"]

    assert answer.status_code == 201, answer.text
    assert [each["copy_of"] for each in told] == ["other", None]
    assert [each["contradicted_by"] for each in told] == [[], []]


@pytest.mark.parametrize(
    ("counted", "against"),
    [
        pytest.param((3, 4), [["other"], ["one"]], id="other numbers"),
        pytest.param((3, 3), [[], []], id="the same number"),
        pytest.param((3, None), [[], []], id="in one of them only"),
    ],
)
def test_counts_that_are_told_after_the_end_are_compared_too(
    tmp_path: Path, counted: tuple[int | None, ...], against: list[list[str]]
):
    names = ("one", "other")
    paths = [record_of(ReviewedMatch(RACED), tmp_path / f"{name}.jsonl") for name in names]

    with Asked(hub_of(*paths)) as asked:
        for name, count in zip(names, counted, strict=True):
            if count is not None:
                told = {"kind": "count", "pile": "south/reserve", "count": count}
                where = f"/api/v1/matches/{name}/corrections"
                confirm = asked.post(where, json=told).json()["confirm"]
                assert asked.post(where, json={**told, "confirm": confirm}).status_code == 201
        matches = asked.get("/api/v1/standings").json()["matches"]

    assert [each["contradicted_by"] for each in matches] == against


# --- where it is found


def told_of(host: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The address that is printed, and what is told beside it."""
    with opened_house(notes()) as house, house.serving(Hub(), notes(), host=host, port=0) as address:
        pass
    return address, capsys.readouterr().err


def test_a_server_for_all_tells_addresses_that_others_can_open(capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(machine, "_address_towards", lambda family, target: "192.168.1.7")
    monkeypatch.setattr(machine, "_addresses_of_name", lambda: ("127.0.1.1", "192.168.1.7", "10.0.0.4"))

    address, told = told_of("0.0.0.0", capsys)  # noqa: S104 - that is what is tried

    port = address.rpartition(":")[2]
    assert address == f"http://192.168.1.7:{port}"
    assert f"from others    http://192.168.1.7:{port}/  http://10.0.0.4:{port}/" in told
    assert "0.0.0.0" not in told  # noqa: S104
    assert "everybody needs a token here" in told
    assert "touchjudge token new NAME --scope overlay" in told


def test_a_machine_on_no_network_says_so(capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(machine, "own_addresses", tuple)
    monkeypatch.setattr("api.house.own_addresses", tuple)

    address, told = told_of("0.0.0.0", capsys)  # noqa: S104

    assert address.startswith("http://127.0.0.1:")
    assert "this machine is on no network" in told


def test_this_machine_alone_needs_no_token(capsys):
    address, told = told_of("127.0.0.1", capsys)

    assert address.startswith("http://127.0.0.1:")
    assert told == ""
