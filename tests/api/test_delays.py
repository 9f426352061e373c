"""Who sees a match late sees it as it was, and nothing sooner: score, verdicts, times, pictures, stream."""

import json
import time
from collections.abc import Iterator

import httpx
import pytest
from made_matches import player, standings, verdict

from api.feed import KEPT_CHANGES, LONGEST_DELAY_S, MatchFeed
from api.hub import Hub
from api.schemas import MatchState
from api.server import serving


class SetClock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def late_feed(clock: SetClock) -> MatchFeed:
    """One verdict a second from 101 on; frames and pictures with them."""
    feed = MatchFeed(
        match_id="friday",
        table="kitchen",
        game="nerts",
        standings=standings(player("south", "Ana", 0)),
        run_id="run1",
        clock_s=clock,
    )
    for number in range(1, 6):
        clock.now_s = 100.0 + number
        feed.reach(number * 1_000_000)
        feed.show_picture(f"picture {number}".encode())
        feed.rule((verdict(number),), standings(player("south", "Ana", number)))
    return feed


@pytest.mark.parametrize(
    ("delay_s", "verdicts", "total", "t_us", "picture"),
    [
        pytest.param(0, 5, 5, 5_000_000, b"picture 5", id="at once"),
        pytest.param(0.5, 4, 4, 4_000_000, b"picture 4", id="half a second late"),
        pytest.param(2, 3, 3, 3_000_000, b"picture 3", id="two seconds late, to the second"),
        pytest.param(4.5, 0, 0, 0, None, id="before anything was seen"),
        pytest.param(60, 0, 0, 0, None, id="before there was a match"),
    ],
)
def test_a_match_as_it_was(
    late_feed: MatchFeed, delay_s: float, verdicts: int, total: int, t_us: int, picture: bytes | None
):
    seen = late_feed.seen(delay_s)

    assert (len(seen.verdicts), seen.score.players[0].total, seen.score.t_us) == (verdicts, total, t_us)
    assert late_feed.picture_seen(delay_s) == picture
    assert late_feed.alive_seen(delay_s).t_us == t_us
    shot = json.loads(late_feed.snapshot(delay_s).data)
    assert (len(shot["verdicts"]), shot["score"]["t_us"]) == (verdicts, t_us)


def test_a_reversal_comes_late_too(late_feed: MatchFeed, clock: SetClock):
    clock.now_s = 110.0
    late_feed.tell(
        revisions=(verdict(2, standing="overturned"),), standings=standings(player("south", "Ana", 4))
    )
    clock.now_s = 111.0

    prompt, late = late_feed.seen(0), late_feed.seen(5)

    assert [each.standing for each in prompt.verdicts][1] == "overturned"
    assert [each.standing for each in late.verdicts][1] == "standing"
    assert (prompt.score.players[0].total, late.score.players[0].total) == (4, 5)


def test_changes_come_when_they_are_due(late_feed: MatchFeed, clock: SetClock):
    first = late_feed.snapshot(2)
    assert late_feed.changes_after(first.number, 2) == ()
    assert late_feed.next_due_s(first.number, 2) == pytest.approx(1.0)

    clock.now_s = 106.0
    due = late_feed.changes_after(first.number, 2)

    assert [change.event for change in due] == ["verdict", "score"]
    assert late_feed.next_due_s(due[-1].number, 2) == pytest.approx(1.0)


def test_what_is_old_is_held_back_from_nobody(late_feed: MatchFeed):
    late_feed.end(MatchState.FINISHED)
    late_feed.settle()

    assert len(late_feed.seen(60).verdicts) == 5
    assert late_feed.picture_seen(60) == b"picture 5"


def test_a_late_viewer_loses_nothing_of_a_mad_match(clock: SetClock):
    """More changes than are kept for those who come back, all within the longest delay."""
    feed = MatchFeed(match_id="m", table="t", game="nerts", standings=standings(), clock_s=clock)
    count = 2 * KEPT_CHANGES
    for number in range(count):
        clock.now_s += LONGEST_DELAY_S / 2 / count
        feed.rule((verdict(number),), standings(player("south", "Ana", number)))

    half = feed.seen(LONGEST_DELAY_S / 4)

    assert len(half.verdicts) == pytest.approx(count / 2, abs=2)
    assert [each.verdict_id for each in half.verdicts[:2]] == ["v0", "v1"]


def messages(answer: httpx.Response) -> Iterator[tuple[str, dict]]:
    event = ""
    for line in answer.iter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            yield event, json.loads(value)


def test_a_late_stream_tells_everything_and_nothing_too_soon(feed: MatchFeed, hub: Hub):
    delay_s = 1.5
    with (
        serving(hub) as address,
        httpx.stream(
            "GET", f"{address}/api/v1/matches/friday/stream?delay_s={delay_s}", timeout=30
        ) as answer,
    ):
        told = messages(answer)
        first = next(told)
        made_s = time.monotonic()
        feed.rule((verdict(1),), standings(player("south", "Ana", 1)))
        feed.rule((verdict(2),), standings(player("south", "Ana", 2)))
        names, came_s = [], 0.0
        while "v2" not in names:
            event, data = next(told)
            if event == "verdict":
                names.append(data["verdict_id"])
                came_s = time.monotonic()

    assert (first[0], first[1]["verdicts"]) == ("snapshot", [])
    assert names == ["v1", "v2"]
    assert came_s - made_s >= delay_s
