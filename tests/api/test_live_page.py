"""The live page in a browser: calls, putting right in two steps, what needs a person, languages."""

from collections.abc import Callable, Iterator

import pytest
from desk_match import DeskMatch
from made_matches import player, standings, verdict
from playwright.sync_api import Page, expect

from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import ReasonOut
from api.server import serving

pytestmark = pytest.mark.browser


@pytest.fixture
def live(played: DeskMatch) -> Iterator[str]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with serving(hub) as address:
        yield address


def test_a_button_calls(page: Page, live: str, played: DeskMatch):
    page.goto(f"{live}/live/kitchen")

    page.get_by_role("button", name="Nerts! Ben").click()

    expect(page.locator("#call-said")).to_contain_text("Nerts! Ben")
    assert [(call.call, call.player) for call in played.feed.seen(0).calls] == [("nerts", "Ben")]


def test_a_key_calls(page: Page, live: str, played: DeskMatch):
    page.goto(f"{live}/live/kitchen")
    expect(page.locator(".call-set .main").first).to_be_visible()

    page.keyboard.press("1")
    expect(page.locator("#call-said")).to_contain_text("Nerts! Ana")
    page.keyboard.press("Shift+Digit2")
    expect(page.locator("#call-said")).to_contain_text("Stuck Ben")

    assert [(call.call, call.player) for call in played.feed.seen(0).calls] == [
        ("nerts", "Ana"),
        ("stuck", "Ben"),
    ]


def test_cards_that_were_counted_by_hand_are_entered_where_they_are_missed(
    page: Page, live: str, played: DeskMatch
):
    page.goto(f"{live}/live/kitchen")
    expect(page.locator("#open li")).to_have_count(2)

    page.get_by_label("Cards left: Ana").fill("3")
    page.keyboard.press("Enter")
    expect(page.locator("#call-said")).to_contain_text("3 cards in Ana")
    played.desk.advance(25_000_000)

    expect(page.locator("#open li")).to_have_count(1)
    expect(page.locator(".player .total").first).to_have_text("-5")


def test_it_was_another_card_in_two_clicks_and_the_first_enters_nothing(
    page: Page, live: str, played: DeskMatch
):
    page.goto(f"{live}/live/kitchen")
    page.locator('.verdict[data-id="v3"]').get_by_role("button", name="Put it right").click()
    page.get_by_role("button", name="♥", exact=True).click()

    page.get_by_role("button", name="7♥").click()
    expect(page.locator("#fix .changes li")).to_have_count(1)
    before = [(item.verdict_id, item.standing) for item in played.feed.verdicts]
    page.get_by_role("button", name="Enter it").click()

    expect(page.locator('.verdict[data-id="v3"]')).to_contain_text("overturned")
    expect(page.locator("#verdicts .verdict").first).to_contain_text("7♥")
    expect(page.locator(".player .total")).to_have_text(["2", "1"])
    assert ("v3", "standing") in before


def test_it_was_another_player_and_undoing_are_one_click_away(page: Page, live: str, played: DeskMatch):
    page.goto(f"{live}/live/kitchen")
    row = page.locator('.verdict[data-id="v2"]')
    row.hover()
    row.get_by_role("button", name="It was Ana").click()
    expect(page.locator("#fix .score-change .changed")).to_have_text(["2", "0"])
    page.get_by_role("button", name="Enter it").click()
    expect(page.locator(".player .total")).to_have_text(["2", "0"])

    newest = page.locator("#verdicts .verdict:not(.fell)").first
    newest.hover()
    newest.get_by_role("button", name="Undo").click()

    expect(page.locator("#fix")).to_contain_text("This would change")


def test_what_cannot_be_told_is_told_loudly_and_noise_is_folded(page: Page, address: str, feed: MatchFeed):
    unread = ReasonOut(key="face_unread.nerts", args={"pile": "table/foundation[2]"})
    unseen = ReasonOut(key="pile_depth_not_visible", args={"player": "Ana"})
    feed.rule(
        (
            verdict(1, ruling="UNDECIDED", reasons=(unseen,)),
            verdict(2, ruling="UNDECIDED", reasons=(unread,)),
        ),
        standings(player("south", "Ana", 1)),
    )

    page.goto(f"{address}/live/kitchen")

    expect(page.locator("#undecided")).to_contain_text("foundation 2")
    expect(page.locator("#undecided-link")).to_have_attribute("href", "/review/friday#v2")
    expect(page.locator("#verdicts .verdict")).to_have_count(1)
    expect(page.locator("#quiet-count")).to_have_text("(1)")
    page.locator("#quiet summary").click()
    expect(page.locator("#quiet-list li")).to_contain_text("cannot be seen from above")


def test_a_lost_view_is_told_while_it_matters(page: Page, address: str, feed: MatchFeed):
    lost = ReasonOut(key="view_lost", args={"start": "1", "end": "3"})
    feed.reach(0)
    feed.rule((verdict(3, ruling="UNDECIDED", reasons=(lost,)),), standings(player("south", "Ana", 1)))
    page.goto(f"{address}/live/kitchen")
    expect(page.locator("#lost")).to_be_visible()

    feed.reach(60_000_000)

    expect(page.locator("#lost")).to_be_hidden()


def test_the_page_can_be_had_in_every_language_and_direction(page: Page, address: str, feed: MatchFeed):
    page.goto(f"{address}/live/kitchen")
    expect(page.locator(".player .name")).to_have_text(["Ana", "Ben"])

    page.get_by_label("Language").select_option("ar")

    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator("#score-title")).to_have_text("النتيجة")
    picture, score = page.locator("#picture-side").bounding_box(), page.locator("#score-side").bounding_box()
    assert picture["x"] > score["x"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_browser_is_answered_in_its_own_language(pages: Callable[..., Page], address: str):
    page = pages(locale="mr-IN")

    page.goto(f"{address}/live/kitchen")

    expect(page.locator("html")).to_have_attribute("lang", "mr")
    expect(page.locator("#verdict-title")).to_contain_text("निर्णय")


@pytest.mark.parametrize("path", ["", "live/kitchen", "review/friday", "board", "tokens"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_of_a_narrow_window(
    pages: Callable[..., Page], address: str, feed: MatchFeed, path: str, width: int
):
    long_name = "Bartholomew Featherstonehaugh-Cholmondeley-" * 3
    foul = verdict(1, ruling="ILLEGAL", player=long_name, reason=f"{long_name} put 9S on 2H")
    feed.rule((foul,), standings(player("south", long_name, 7), player("north", "Ben", 4)))
    page = pages(width=width, height=844)

    page.goto(f"{address}/{path}")
    if path != "tokens":
        expect(page.get_by_text("Bartholomew").locator("visible=true").first).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_match_that_is_only_shown_has_no_buttons_that_do_nothing(page: Page, address: str, feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1), player("north", "Ben", 0)))

    page.goto(f"{address}/live/kitchen")
    expect(page.locator(".verdict")).to_have_count(1)

    expect(page.locator("#call-side")).to_be_hidden()
    expect(page.locator(".verdict .chips")).to_have_count(0)


def test_a_double_click_is_one_call(page: Page, live: str, played: DeskMatch):
    posted: list[str] = []
    page.on("request", lambda asked: posted.append(asked.url) if asked.method == "POST" else None)
    page.goto(f"{live}/live/kitchen")

    page.get_by_role("button", name="Nerts! Ben").dblclick()
    expect(page.locator("#told li")).to_have_count(1)

    assert len(posted) == 1
    assert len(played.feed.seen(0).calls) == 1


def test_a_key_that_is_hit_twice_is_one_call_and_later_another(page: Page, live: str, played: DeskMatch):
    page.goto(f"{live}/live/kitchen")
    button = page.get_by_role("button", name="Nerts! Ana")
    expect(button).to_be_visible()

    page.keyboard.press("1")
    page.keyboard.press("1")
    expect(page.locator("#told li")).to_have_count(1)
    assert len(played.feed.seen(0).calls) == 1
    expect(button).not_to_have_attribute("aria-disabled", "true")
    page.keyboard.press("1")

    expect(page.locator("#told li")).to_have_count(2)


def test_a_call_is_taken_back_once_it_is_seen_what_that_changes(page: Page, live: str, played: DeskMatch):
    page.goto(f"{live}/live/kitchen")
    page.get_by_role("button", name="Nerts! Ben").click()

    page.locator("#told").get_by_role("button", name="Take this back").click()
    expect(page.locator("#fix .consequence")).to_be_visible()
    assert [call.is_taken_back for call in played.feed.seen(0).calls] == [False]
    page.get_by_role("button", name="Enter it").click()

    expect(page.locator("#told s")).to_have_text("Ben: Nerts!")
    expect(page.locator("#told button")).to_have_count(0)
    assert [call.is_taken_back for call in played.feed.seen(0).calls] == [True]


def test_a_touch_is_never_told_as_known_better_than_it_is(page: Page, address: str, feed: MatchFeed):
    touch = {"start_us": 1_999_900, "end_us": 2_054_067}
    play = {
        "seat": "south", "player": "Ana", "card": "2H", "source": None, "touch": touch, "stands": True,
    }  # fmt: skip
    feed.rule((verdict(1, when=touch, plays=(play,)),), standings(player("south", "Ana", 1)))

    page.goto(f"{address}/live/kitchen")

    expect(page.locator("#verdicts .detail")).to_contain_text("touch known to within 55 ms")
    expect(page.locator("#verdicts time")).to_have_attribute("title", "between 0:01.999 and 0:02.055")
    expect(page.locator("#verdicts time")).to_have_text("0:02.054")


def test_where_there_are_no_jokers_none_is_declared(page: Page, live: str):
    page.goto(f"{live}/live/kitchen")

    page.locator("#more-calls summary").click()
    expect(page.locator("#more-buttons .row").first).to_be_visible()

    expect(page.locator("#joker")).to_have_count(0)


@pytest.fixture
def jokers(with_jokers: None) -> Iterator[tuple[str, DeskMatch]]:
    match = DeskMatch(None).play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    with serving(hub) as address:
        yield address, match


def test_a_joker_is_declared_as_a_sentence_that_was_seen(page: Page, jokers: tuple[str, DeskMatch]):
    address, match = jokers
    page.goto(f"{address}/live/kitchen")
    page.locator("#more-calls summary").click()
    joker = page.locator("#joker")
    joker.get_by_role("button", name="Declare").click()
    assert match.feed.seen(0).calls == (), "nothing is chosen beforehand"

    joker.get_by_label("Who?").select_option("north")
    joker.get_by_label("Rank").select_option("6")
    joker.get_by_label("Suit").select_option("S")
    joker.get_by_role("button", name="Declare").click()
    expect(joker).to_contain_text("Ben says: the joker is 6♠")
    assert match.feed.seen(0).calls == ()
    joker.get_by_role("button", name="Back").click()
    joker.get_by_role("button", name="Declare").click()
    joker.get_by_role("button", name="Enter it").dblclick()

    expect(page.locator("#told li")).to_contain_text("Ben: joker is 6♠")
    assert [(call.player, call.card) for call in match.feed.seen(0).calls] == [("Ben", "6S")]
    expect(joker.get_by_label("Who?")).to_have_value("")


def test_what_was_heard_sticks_out_nowhere(pages: Callable[..., Page], jokers: tuple[str, DeskMatch]):
    address, match = jokers
    match.desk.declare("Ana", "6S", "Rita")
    page = pages(width=390, height=844, has_touch=True)
    page.goto(f"{address}/live/kitchen?lang=ar")
    page.locator("#more-calls summary").click()
    expect(page.locator("#told button")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
