"""How pages print times: with the units of their language, ranges on one line, true minus signs."""

from collections.abc import Callable, Iterator

import pytest
from desk_match import DeskMatch
from made_matches import player, standings, verdict
from playwright.sync_api import Page, expect

from api.feed import MatchFeed
from api.hub import Hub
from api.languages import CODES
from api.schemas import ReasonOut
from api.server import serving

pytestmark = pytest.mark.browser

UNITS = {
    "en": "ms",
    "ar": "\u0645\u0644\u0644\u064a\u00a0\u062b\u0627\u0646\u064a\u0629",
    "mr": "मि.से.",
    "su": "md",
    "af": "ms",
}
LATER = ReasonOut(key="touched_later", args={"player": "Ben", "margin": "86-205 ms", "card": "5H"})


@pytest.mark.parametrize("lang", CODES)
@pytest.mark.parametrize("path", ["overlay/kitchen", "live/kitchen", "review/friday"])
def test_a_range_of_time_has_the_unit_of_the_language_and_stays_on_one_line(
    pages: Callable[..., Page], address: str, feed: MatchFeed, path: str, lang: str
):
    feed.rule((verdict(1, ruling="ILLEGAL", reasons=(LATER,)),), standings(player("south", "Ana", 1)))
    page = pages(width=390, height=844)
    page.goto(f"{address}/{path}?lang={lang}")

    said = page.locator("#reason, #verdicts .reason, #case-said").first
    expect(said).to_contain_text("86\u2060\u2013\u2060205")

    text = said.inner_text().replace("\u2066", "").replace("\u2069", "")
    assert f"86\u2060\u2013\u2060205\u00a0{UNITS[lang]}" in text
    assert ("ms" in text) == (UNITS[lang] == "ms")


@pytest.fixture
def close() -> Iterator[str]:
    """A race in which the later touch begins before the earlier one is sure."""
    match = DeskMatch(
        None, "F2: ... 7C\nland Ana 8C waste F2 5000..5100\nland Ben 8C waste F2 5030..5140\n"
    ).play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    with serving(hub) as address:
        yield address


@pytest.mark.parametrize("lang", CODES)
def test_a_negative_gap_has_the_minus_of_the_difference(page: Page, close: str, lang: str):
    page.goto(f"{close}/review/friday?lang={lang}#v1")

    expect(page.locator("#arithmetic .no")).to_contain_text("\u221270")

    assert "-70" not in page.locator("#arithmetic").inner_text()


def test_a_telephone_shows_no_keys_that_it_has_not(pages: Callable[..., Page]):
    match = DeskMatch(None).play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    with serving(hub) as address:
        small, wide = pages(width=390, height=844), pages(width=1280, height=800)
        for page in (small, wide):
            page.goto(f"{address}/live/kitchen")
            expect(page.locator(".call-set .main")).to_have_count(2)
            expect(page.locator("#call-side")).to_be_visible()

        expect(small.locator(".call-set kbd").first).to_be_hidden()
        expect(wide.locator(".call-set kbd").first).to_be_visible()
