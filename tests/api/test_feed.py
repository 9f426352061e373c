"""The feed numbers every change, and gives exactly those that a display missed."""

import json

import pytest
from made_matches import player, standings, verdict

from api.feed import KEPT_CHANGES, MatchFeed, PictureSize
from api.hub import Hub
from api.schemas import MatchState


def test_changes_are_numbered_in_the_order_in_which_they_came(feed: MatchFeed):
    feed.reach(16_667)
    feed.rule((verdict(1),), standings(player("south", "Ana", 1), player("north", "Ben", 0)))

    changes = feed.changes_after(0)

    assert changes is not None
    assert [(change.number, change.event) for change in changes] == [
        (1, "score"),
        (2, "verdict"),
        (3, "score"),
    ]


def test_a_snapshot_is_the_sum_of_the_changes_before_it(feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1), player("north", "Ben", 0)))

    snapshot = feed.snapshot()

    shown = json.loads(snapshot.data)
    assert snapshot.number == 2
    assert [entry["verdict_id"] for entry in shown["verdicts"]] == ["v1"]
    assert [(entry["player"], entry["total"]) for entry in shown["score"]["players"]] == [
        ("Ana", 1),
        ("Ben", 0),
    ]
    assert feed.changes_after(snapshot.number) == ()


def test_changes_that_are_no_longer_kept_are_not_made_up(feed: MatchFeed):
    for number in range(KEPT_CHANGES):
        feed.rule((verdict(number),), standings(player("south", "Ana", number)))

    assert feed.changes_after(1) is None
    assert feed.changes_after(2 * KEPT_CHANGES - 1) is not None
    assert feed.changes_after(2 * KEPT_CHANGES + 1) is None


@pytest.mark.parametrize(
    ("event_id", "number"),
    [
        pytest.param("run1-7", 7, id="of this run"),
        pytest.param("run0-7", None, id="of an earlier server"),
        pytest.param("7", None, id="without a run"),
        pytest.param("run1-x", None, id="not a number"),
        pytest.param("run1-" + "9" * 5000, None, id="thousands of digits"),
        pytest.param("run1-²", None, id="a digit that is no decimal number"),
        pytest.param(None, None, id="a display that is new"),
    ],
)
def test_an_event_id_names_a_change_of_this_run_only(
    feed: MatchFeed, event_id: str | None, number: int | None
):
    assert feed.number_of(event_id) == number


def test_followers_are_woken_by_changes_and_not_by_frames(feed: MatchFeed):
    woken: list[str] = []
    unfollow = feed.follow(lambda: woken.append("x"))

    feed.reach(0)
    feed.reach(16_667)
    feed.end(MatchState.FINISHED)
    unfollow()
    feed.rule((verdict(1),), standings())

    assert len(woken) == 2
    assert feed.alive.t_us == 16_667


def test_a_new_picture_is_asked_for_by_looking(feed: MatchFeed):
    feed.take_picture_request()
    feed.show_picture(b"jpeg")

    asked_before = feed.take_picture_request()
    picture = feed.picture_jpeg

    assert (asked_before, picture, feed.take_picture_request()) == (False, b"jpeg", True)


def test_the_newest_match_stands_for_its_table(hub: Hub):
    later = MatchFeed(match_id="saturday", table="kitchen", game="nerts", standings=standings())
    hub.add(later)

    assert hub.newest_of_table("kitchen") is later
    assert hub.newest_of_table("garden") is None
    with pytest.raises(ValueError, match="shown already: 'saturday'"):
        hub.add(later)


def test_a_small_picture_is_drawn_only_for_those_who_ask_for_it(feed: MatchFeed):
    feed.show_picture(b"usual")
    asked_before = feed.take_picture_request(PictureSize.SMALL)

    seen_before = feed.picture_seen(0, PictureSize.SMALL)
    asked = feed.take_picture_request(PictureSize.SMALL)
    feed.show_picture(b"small", PictureSize.SMALL)

    assert (asked_before, seen_before, asked) == (False, b"usual", True)
    assert (feed.picture_seen(0, PictureSize.SMALL), feed.picture_seen(0)) == (b"small", b"usual")
