"""The stream of a whole server: that something changed in any match, in time, late where one sees late."""

import json

import httpx
import pytest
from asking_app import Asked
from made_matches import player, standings, verdict
from tournaments import PLAN

from api.feed import MatchFeed
from api.house_feed import HouseFeed
from api.hub import Hub
from api.schemas import AliveHouseOut
from api.server import serving


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def house(feed: MatchFeed, clock: Clock) -> HouseFeed:
    house = HouseFeed(run_id="run", clock_s=clock)
    house.add(feed)
    return house


def matches_in(house: HouseFeed, number: int, delay_s: float = 0) -> list[list[str]]:
    changes = house.changes_after(number, delay_s)
    assert changes is not None
    return [json.loads(change.data)["matches"] for change in changes]


def test_what_changed_since_is_one_change_that_names_the_matches(house: HouseFeed, feed: MatchFeed):
    other = MatchFeed(match_id="garden", table="garden", game="nerts", standings=standings())
    house.add(other)
    seen = house.number_seen(0)

    feed.rule((verdict(1),), standings(player("south", "Ana", 1)))
    other.reach(0)
    feed.rule((verdict(2),), standings(player("south", "Ana", 2)))

    assert matches_in(house, seen) == [["friday", "garden"]]
    assert house.changes_after(house.number_seen(0)) == ()


def test_the_tournament_changes_without_a_match(house: HouseFeed):
    seen = house.number_seen(0)

    house.note()

    assert matches_in(house, seen) == [[]]


def test_who_sees_late_hears_late(house: HouseFeed, feed: MatchFeed, clock: Clock):
    clock.now_s += 60
    seen = house.number_seen(5)
    feed.reach(0)
    early = matches_in(house, seen, 5), house.next_due_s(seen, 5)

    clock.now_s += 5.0

    assert early == ([], 5.0)
    assert matches_in(house, seen, 5) == [["friday"]]


@pytest.mark.parametrize("number", [-1, 99])
def test_a_page_that_missed_too_much_or_is_of_another_run_begins_anew(house: HouseFeed, number: int):
    assert house.changes_after(number) is None
    assert json.loads(house.snapshot().data)["matches"] == ["friday"]
    assert house.number_of("other-1") is None


def test_a_sign_of_life_says_whether_anything_is_played(house: HouseFeed, feed: MatchFeed):
    before = house.alive_seen(0)

    feed.reach(0)

    assert (before, house.alive_seen(0)) == (AliveHouseOut(playing=0), AliveHouseOut(playing=1))


def test_it_is_told_over_the_web(hub: Hub, feed: MatchFeed):
    def events(answer: httpx.Response):
        return (line.removeprefix("event: ") for line in answer.iter_lines() if line.startswith("event: "))

    with serving(hub) as address, httpx.stream("GET", f"{address}/api/v1/stream", timeout=30) as answer:
        told = events(answer)
        first = next(told)
        feed.reach(0)
        second = next(told)
        while (third := next(told)) == "changed":
            pass

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (first, second, third) == ("changed", "changed", "alive")


def test_a_tournament_that_is_entered_or_ended_is_told(hub: Hub):
    with Asked(hub) as asked:
        seen = [hub.changes.number_seen(0)]
        for method, body in (("POST", {"json": {"toml": PLAN}}), ("DELETE", {})):
            assert asked.ask(method, "/api/v1/tournament", **body).status_code < 300
            seen.append(hub.changes.number_seen(0))

    assert seen[0] < seen[1] < seen[2]
