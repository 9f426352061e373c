"""Cards that are counted after the match's end: tried, entered, judged again, undone; the record holds."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking_app import BEYOND, Asked
from desk_match import DeskMatch

from api.access import Scope
from api.hub import Hub
from api.record_shelf import shown_match
from referee.logs import read_log, verify
from referee.replay import first_difference, replay

MATCH = "/api/v1/matches/friday"
SOUTH = {"kind": "count", "pile": "south/reserve", "count": 3}


@pytest.fixture
def over(played: DeskMatch) -> DeskMatch:
    return played.finish()


@pytest.fixture
def asked(over: DeskMatch) -> Iterator[Asked]:
    hub = Hub()
    hub.add(over.feed, over.desk)
    with Asked(hub) as asked:
        yield asked


def kinds(path: Path) -> list[str]:
    """The kinds of entries on disk, where all of it holds and replays alike."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert verify(lines).is_ok
    log = read_log(lines)
    assert first_difference(log, replay(log)) is None
    return [entry.kind for entry in log.entries]


def totals(standings: dict) -> dict[str, int]:
    return {player["player"]: player["total"] for player in standings["players"]}


def open_piles(asked: Asked) -> set[str]:
    return {item["pile"] for item in asked.get(f"{MATCH}/score").json()["open_items"]}


def test_a_count_after_the_end_is_tried_and_then_entered(asked: Asked, tmp_path: Path):
    before = kinds(tmp_path / "friday.jsonl")
    score = totals(asked.get(f"{MATCH}/score").json())
    assert "south/reserve" in open_piles(asked)

    tried = asked.post(f"{MATCH}/corrections", json=SOUTH)

    assert (tried.status_code, tried.json()["state"]) == (200, "preview")
    assert totals(tried.json()["score_before"]) == score
    assert totals(tried.json()["score_after"]) == {**score, "Ana": score["Ana"] - 6}
    assert kinds(tmp_path / "friday.jsonl") == before, "a try enters nothing"

    entered = asked.post(f"{MATCH}/corrections", json={**SOUTH, "confirm": tried.json()["confirm"]})

    assert (entered.status_code, entered.json()["state"]) == (201, "entered")
    assert kinds(tmp_path / "friday.jsonl")[len(before)] == "cards_counted"
    assert totals(asked.get(f"{MATCH}/score").json()) == totals(tried.json()["score_after"])
    assert "south/reserve" not in open_piles(asked)


def test_it_is_told_as_during_the_match_too(asked: Asked, tmp_path: Path):
    answer = asked.post(f"{MATCH}/counts", json={"pile": "north/reserve", "count": 0, "by": "Rita"})

    assert answer.status_code == 201, answer.text
    assert kinds(tmp_path / "friday.jsonl")[answer.json()["entry"] - 1] == "cards_counted"
    assert asked.get(f"{MATCH}/counts").json()[-1]["by"] == "Rita"
    assert "north/reserve" not in open_piles(asked)


def test_backs_are_counted_after_the_end_too(asked: Asked, tmp_path: Path):
    backs = {"kind": "count", "deck": "Ana", "count": 21}
    confirm = asked.post(f"{MATCH}/corrections", json=backs).json()["confirm"]

    answer = asked.post(f"{MATCH}/corrections", json={**backs, "confirm": confirm})

    assert answer.status_code == 201, answer.text
    assert "backs_counted" in kinds(tmp_path / "friday.jsonl")


def test_it_holds_after_a_restart_and_can_be_undone(asked: Asked, tmp_path: Path):
    score = totals(asked.get(f"{MATCH}/score").json())
    entry = asked.post(f"{MATCH}/counts", json={"pile": "south/reserve", "count": 3}).json()["entry"]
    counted = totals(asked.get(f"{MATCH}/score").json())

    opened = shown_match(tmp_path / "friday.jsonl", match_id="friday")
    hub = Hub()
    hub.add(opened.feed, opened.desk)
    with Asked(hub) as again:
        assert totals(again.get(f"{MATCH}/score").json()) == counted != score
        undo = {"kind": "undo", "entry": entry, "reason": "miscounted"}
        confirm = again.post(f"{MATCH}/corrections", json=undo).json()["confirm"]
        undone = again.post(f"{MATCH}/corrections", json={**undo, "confirm": confirm})
        assert undone.status_code == 201, undone.text
        assert totals(again.get(f"{MATCH}/score").json()) == score
        assert again.get(f"{MATCH}/counts").json()[-1]["is_taken_back"] is True
    assert kinds(tmp_path / "friday.jsonl")[-1] == "revert"


def test_reviews_and_counts_after_the_end_hold_together(asked: Asked, tmp_path: Path):
    card = {"kind": "card", "verdict_id": "v3", "card": "7H"}
    asked.post(f"{MATCH}/counts", json={"pile": "south/reserve", "count": 3})
    confirm = asked.post(f"{MATCH}/corrections", json=card).json()["confirm"]
    asked.post(f"{MATCH}/corrections", json={**card, "confirm": confirm})
    asked.post(f"{MATCH}/counts", json={"pile": "north/reserve", "count": 1})

    assert kinds(tmp_path / "friday.jsonl")[-3:] == ["resolution", "verdict", "cards_counted"]
    score = totals(asked.get(f"{MATCH}/score").json())
    opened = shown_match(tmp_path / "friday.jsonl", match_id="friday")
    assert {player.player: player.total for player in opened.feed.score.players} == score


def test_what_is_seen_after_the_end_is_not_taken(asked: Asked, over: DeskMatch, tmp_path: Path):
    called = asked.post(f"{MATCH}/calls", json={"call": "nerts", "seat": "south"})
    declared = asked.post(f"{MATCH}/declarations", json={"seat": "Ben", "card": "6S"})

    assert [called.status_code, declared.status_code] == [409, 409]
    assert "the match is over" in called.json()["detail"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param({"pile": "east/reserve"}, 409, id="nobody sits there"),
        pytest.param({"pile": "attic"}, 422, id="no pile"),
        pytest.param({"pile": None}, 422, id="nothing counted"),
        pytest.param({"count": -1}, 422, id="fewer than none"),
        pytest.param({"count": 2.5}, 422, id="half a card"),
        pytest.param({"count": 14}, 422, id="a Nerts pile does not grow"),
        pytest.param({"pile": None, "deck": "Ana", "count": 53}, 422, id="more than a deck"),
        pytest.param({"confirm": "0123456789abcdef"}, 409, id="never tried"),
    ],
)
def test_a_count_that_cannot_be_meant_is_refused(asked: Asked, change: dict, status: int):
    assert asked.post(f"{MATCH}/corrections", json={**SOUTH, **change}).status_code == status


def test_while_it_runs_counts_are_entered_at_once(played: DeskMatch):
    hub = Hub()
    hub.add(played.feed, played.desk)
    with Asked(hub) as asked:
        answer = asked.post(f"{MATCH}/corrections", json=SOUTH)

    assert (answer.status_code, "the match still runs" in answer.json()["detail"]) == (409, True)


def test_the_state_says_that_counts_are_taken(asked: Asked):
    about = asked.get(MATCH).json()

    assert (about["is_over"], about["takes_counts"]) == (True, True)


def test_an_operator_may_count(over: DeskMatch):
    hub = Hub()
    hub.add(over.feed, over.desk)
    with Asked(hub, plan=BEYOND) as asked:
        tokens = {scope: asked.store.tokens.make(scope, (scope,))[0] for scope in Scope}
        seen = {scope: asked.post(f"{MATCH}/corrections", json=SOUTH, token=tokens[scope]) for scope in Scope}

    assert {scope: answer.status_code for scope, answer in seen.items()} == {
        Scope.OVERLAY: 403,
        Scope.OPERATOR: 200,
        Scope.REVIEWER: 200,
        Scope.ADMIN: 200,
    }


@pytest.mark.parametrize(
    ("what", "kind"),
    [pytest.param("counts", {}, id="told"), pytest.param("corrections", {"kind": "count"}, id="tried")],
)
def test_what_cannot_be_there_is_refused_and_nothing_is_entered(
    asked: Asked, tmp_path: Path, what: str, kind: dict[str, str]
):
    before = kinds(tmp_path / "friday.jsonl")

    answer = asked.post(f"{MATCH}/{what}", json={**kind, "pile": "south/reserve", "count": 52})

    assert (answer.status_code, answer.json()["code"]) == (422, "count_over")
    assert kinds(tmp_path / "friday.jsonl") == before


def test_what_only_contradicts_what_was_seen_is_entered_and_told(asked: Asked, tmp_path: Path):
    """Rule N41: the count of what lies there beats what was seen of it."""
    tried = asked.post(f"{MATCH}/corrections", json={"kind": "count", "deck": "Ana", "count": 52}).json()

    entered = asked.post(f"{MATCH}/counts", json={"deck": "Ana", "count": 52})

    assert [change["after"]["ruling"] for change in tried["changes"]] == ["FLAG"]
    assert entered.status_code == 201
    assert kinds(tmp_path / "friday.jsonl")[-2:] == ["backs_counted", "verdict"]
