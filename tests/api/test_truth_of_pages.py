"""What waits for a person, what was answered and what is loading: every open page says so at once."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from desk_match import DeskMatch
from made_matches import player, standings, verdict
from playwright.sync_api import Page, Route, expect

from api.evidence_shelf import EvidenceShelf
from api.feed import MatchFeed
from api.hub import Hub
from api.quiet import is_waiting
from api.schemas import MatchState, OpenItemOut, PlayOut, ReasonOut, StandingsOut, VerdictOut
from api.server import serving

pytestmark = pytest.mark.browser

CLOSE = """
F1: ... 4H
F2: ... 7C
land Ana 5H waste F1 900..1000
land Ben 5H waste F1 930..1040
land Ana 8C waste F2 5000..5100
land Ben 8C waste F2 5030..5140
"""


@pytest.fixture
def close(tmp_path: Path) -> Iterator[DeskMatch]:
    """Twice a card of Ana's and one of Ben's, too close to call."""
    match = DeskMatch(tmp_path / "friday.jsonl", CLOSE).play()
    assert [given.ruling for given in match.feed.verdicts] == ["TOO_CLOSE", "TOO_CLOSE"]
    yield match
    match.record.close()


@pytest.fixture
def served(close: DeskMatch, tmp_path: Path) -> Iterator[str]:
    """With a folder for its clips, in which there is none yet."""
    hub = Hub()
    hub.add(close.feed, close.desk)
    hub.evidence = EvidenceShelf(tmp_path / "evidence")
    hub.evidence.new_match("friday")
    with serving(hub) as address:
        yield address


def rule(page: Page, served: str, verdict_id: str, ruling: str, kept: list[int]) -> None:
    answer = {
        "verdict_id": verdict_id,
        "decision": "overturned",
        "ruling": ruling,
        "kept": kept,
        "reason": "I saw it",
        "reviewer": "Rita",
    }
    path = f"{served}/api/v1/matches/friday/resolutions"
    confirm = page.request.post(path, data=answer).json()["confirm"]
    assert page.request.post(path, data={**answer, "confirm": confirm}).status == 201


def shown_counts(page: Page) -> list[str]:
    """What the buttons over the list say."""
    return [re.sub(r"\s+", " ", text).strip() for text in page.locator("#filter button").all_inner_texts()]


def test_an_open_play_is_never_said_to_stand(page: Page, served: str):
    page.goto(f"{served}/review/friday")

    expect(page.locator("#case-title .pill")).to_have_text("waits for a person")


def test_the_heading_of_a_ruled_play_names_the_ruling(page: Page, served: str):
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#case-title .ruling")).to_have_text("too close")

    rule(page, served, "v1", "TIE", [0, 1])

    expect(page.locator("#case-title .ruling")).to_have_text("tie")
    expect(page.locator("#case-title .pill")).to_have_text("overturned")
    expect(page.locator("#case-said")).not_to_contain_text("too close")
    expect(page.locator("#case-was s")).to_contain_text("too close")


def test_a_verdict_that_a_person_let_stand_is_confirmed(page: Page, served: str):
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#answer")).to_be_visible()
    page.keyboard.press("s")
    page.locator("[name=reason]").fill("it cannot be told")
    page.keyboard.press("Enter")
    expect(page.locator("#answer .primary")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("#case-title .pill")).to_have_text("confirmed")
    expect(page.locator("#answer")).to_contain_text("Published")


def test_an_answered_play_leaves_the_open_ones_on_every_page(
    pages: Callable[..., Page], served: str, close: DeskMatch
):
    review, live, board, home = (pages() for _ in range(4))
    review.goto(f"{served}/review/friday#v1")
    live.goto(f"{served}/live/kitchen")
    board.goto(f"{served}/board")
    home.goto(f"{served}/")
    expect(review.locator(".item")).to_have_count(2)
    assert shown_counts(review) == ["Open 2", "Answered 0", "All 2"]
    expect(live.locator("#undecided")).to_contain_text("2 plays wait for a person")
    expect(board.locator(".sign.warn")).to_have_text("Cannot tell: 2")

    rule(review, served, "v1", "TIE", [0, 1])

    expect(review.locator(".item")).to_have_count(1)
    expect(review.locator("#count")).to_have_text("1")
    assert shown_counts(review) == ["Open 1", "Answered 1", "All 2"]
    expect(review.locator("#case-title")).to_contain_text("v1")  # What was ruled stays in view.
    expect(live.locator("#undecided")).not_to_contain_text("plays wait")
    expect(board.locator(".sign.warn")).to_have_text("Cannot tell: 1")
    expect(home.locator("nav a.warn")).to_have_text("1 play to look at")

    rule(review, served, "v2", "FIRST", [0])

    expect(review.locator("#empty")).to_be_visible()
    expect(live.locator("#undecided")).to_be_hidden()
    expect(board.locator(".sign.warn")).to_have_count(0)


def test_an_answer_that_was_taken_back_is_counted_no_more(page: Page, served: str):
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#case-title .pill")).to_have_text("waits for a person")
    rule(page, served, "v1", "TIE", [0, 1])
    expect(page.locator("#case-title .ruling")).to_have_text("tie")
    page.keyboard.press("u")
    page.locator("#fix").get_by_role("button", name="Enter it").click()

    expect(page.locator("#case-title .pill")).to_have_text("waits for a person")

    assert shown_counts(page) == ["Open 2", "Answered 0", "All 2"]


def test_the_next_play_that_waits_is_one_press_away(page: Page, served: str):
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#answer")).to_be_visible()
    rule(page, served, "v1", "TIE", [0, 1])

    page.get_by_role("button", name="Next play that waits").click()

    expect(page.locator("#case-title")).to_contain_text("v2")
    expect(page.locator("#case-title .ruling")).to_have_text("too close")


def test_that_a_person_could_not_tell_either_is_an_answer(page: Page, served: str, close: DeskMatch):
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator(".item")).to_have_count(2)
    rule(page, served, "v1", "UNDECIDED", [0, 1])
    rule(page, served, "v2", "TIE", [0, 1])

    expect(page.locator("#empty")).to_be_visible()

    assert [given for given in close.feed.verdicts if is_waiting(given)] == []
    page.goto(f"{served}/live/kitchen")
    expect(page.locator(".verdict").first).to_be_visible()
    expect(page.locator("#undecided")).to_be_hidden()


def test_plays_that_wait_from_before_the_snapshot_are_counted(page: Page, address: str, feed: MatchFeed):
    waits = verdict(1, ruling="UNDECIDED", reasons=(ReasonOut(key="face_unread.nerts", args={"pile": "x"}),))
    feed.rule((waits,), standings(player("south", "Ana", 1)))
    feed.rule(tuple(verdict(number) for number in range(2, 1500)), standings(player("south", "Ana", 1)))

    page.goto(f"{address}/live/kitchen")

    expect(page.locator("#undecided-link")).to_have_attribute("href", "/review/friday#v1")
    page.goto(f"{address}/review/friday")
    expect(page.locator(".item")).to_have_count(1)
    feed.rule((waits.model_copy(update={"standing": "confirmed"}),), standings(player("south", "Ana", 1)))
    expect(page.locator(".item")).to_have_count(0)


# -- pictures that are not there yet ----------------------------------------------------------------------


def test_pictures_that_load_say_so_and_then_that_they_cannot_be_had(page: Page, served: str):
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/clips?*", hold)
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#no-evidence")).to_have_text("Loading the pictures…")
    expect(page.locator("#no-evidence")).to_have_attribute("role", "status")

    held.pop().abort()

    expect(page.locator("#no-evidence")).to_contain_text("The pictures cannot be had: The server")
    page.locator("#no-evidence").get_by_role("button", name="Try again").click()
    expect(page.locator("#no-evidence")).to_have_text("Loading the pictures…")
    held.pop().fulfill(json=[])
    expect(page.locator("#no-evidence")).to_contain_text("appear here by themselves")


def test_a_match_that_is_over_says_that_no_picture_is_kept(page: Page, served: str, close: DeskMatch):
    close.finish()
    close.feed.end(MatchState.FINISHED)
    page.clock.install()
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#no-evidence")).to_have_text("No picture is kept of this play.")

    for _ in range(9):
        with page.expect_response("**/clips?*"):
            page.clock.run_for(3_100)

    expect(page.locator("#no-evidence")).to_have_text("No picture is kept of this play.")


def test_the_last_clip_of_a_match_that_has_just_ended_is_waited_for_a_while(
    page: Page, served: str, close: DeskMatch
):
    page.clock.install()
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#no-evidence")).to_contain_text("appear here by themselves")
    close.finish()
    close.feed.end(MatchState.FINISHED)
    expect(page.locator("#case-title")).to_be_visible()

    for _ in range(9):
        with page.expect_response("**/clips?*"):
            page.clock.run_for(3_100)

    expect(page.locator("#no-evidence")).to_have_text("No picture is kept of this play.")


# -- cards to be counted ----------------------------------------------------------------------------------


def uncounted() -> StandingsOut:
    reason = ReasonOut(key="nerts_uncounted", args={})
    item = OpenItemOut(
        rule="N40", seat="south", pile="south/reserve", reason="not counted", reasons=(reason,)
    )
    return StandingsOut(players=(player("south", "Ana", 1), player("north", "Ben", 0)), open_items=(item,))


def played(number: int) -> VerdictOut:
    when = verdict(number).when
    play = PlayOut(seat="south", player="Ana", card="2H", source=None, touch=when, stands=True)
    return verdict(number, plays=(play,))


def test_what_is_counted_at_the_end_of_a_round_is_not_asked_while_it_is_played(
    page: Page, address: str, feed: MatchFeed
):
    feed.reach(0)
    feed.rule((played(1),), uncounted())
    page.goto(f"{address}/live/kitchen")
    expect(page.locator("#verdicts .verdict")).to_have_count(1)
    expect(page.locator("#open li")).to_have_count(0)

    feed.rule((verdict(2, outcome="ROUND_END", ruling="LEGAL", rule="N37"),), uncounted())

    expect(page.locator("#open li")).to_have_count(1)
    feed.rule((played(3),), uncounted())  # the next round
    expect(page.locator("#open li")).to_have_count(0)
    feed.end(MatchState.FINISHED)
    expect(page.locator("#open li")).to_have_count(1)


def test_a_table_where_nobody_plays_any_more_is_counted(page: Page, address: str, feed: MatchFeed):
    feed.reach(0)
    feed.rule((played(1),), uncounted())
    page.goto(f"{address}/live/kitchen")
    expect(page.locator("#verdicts .verdict")).to_have_count(1)
    expect(page.locator("#open li")).to_have_count(0)

    feed.reach(20_000_000)

    expect(page.locator("#open li")).to_have_count(1)


# -- letters in pictures ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "asks"), [(390, "?small=true"), (1280, "")])
def test_a_telephone_asks_for_pictures_with_large_letters(
    pages: Callable[..., Page], address: str, feed: MatchFeed, width: int, asks: str
):
    asked: list[str] = []
    page = pages(width=width, height=844)
    page.on("request", lambda request: asked.append(request.url) if "picture.jpg" in request.url else None)
    feed.show_picture(b"")

    page.goto(f"{address}/live/kitchen")
    page.wait_for_event("request", lambda request: "picture.jpg" in request.url)

    assert asked[0].endswith(f"/picture.jpg{asks}")
