"""Several matches of one table: each is found under its own address, with its own score."""

from collections.abc import Callable

import pytest
from asking_app import Asked
from made_matches import player, standings
from playwright.sync_api import Page, expect

from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import MatchState
from api.server import serving

SECOND = standings(player("south", "Cid", 3), player("north", "Dee", 12))


@pytest.fixture
def both(hub: Hub, feed: MatchFeed) -> Hub:
    """Ana and Ben have played at the kitchen table; after them Cid and Dee play there."""
    feed.rule((), standings(player("south", "Ana", 7), player("north", "Ben", 4)))
    feed.end(MatchState.FINISHED)
    later = MatchFeed(match_id="saturday", table="kitchen", game="nerts", standings=SECOND)
    hub.add(later)
    later.rule((), SECOND)
    return hub


def test_every_match_is_told_with_its_score_where_that_is_asked(both: Hub):
    with Asked(both) as asked:
        newest = asked.get("/api/v1/tables").json()
        each = asked.get("/api/v1/tables?every_match=true").json()

    assert [(shown["match"]["match_id"], shown["matches"]) for shown in newest] == [("saturday", 2)]
    assert [
        (shown["match"]["match_id"], shown["matches"], [line["total"] for line in shown["score"]["players"]])
        for shown in each
    ] == [("friday", 2, [7, 4]), ("saturday", 2, [3, 12])]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("first", "path", "totals"),
    [
        pytest.param("Ana", "/live/kitchen?match=friday", ["7", "4"], id="the one before"),
        pytest.param("Cid", "/live/kitchen", ["3", "12"], id="the newest"),
    ],
)
def test_each_card_of_the_home_page_has_its_score_and_opens_its_match(
    page: Page, both: Hub, first: str, path: str, totals: list[str]
):
    with serving(both) as address:
        page.goto(f"{address}/")
        card = page.locator("#matches > li", has_text=first)
        expect(card.locator(".players b")).to_have_text(totals)
        card.locator("nav a.primary").click()

        expect(page.locator("#players .total")).to_have_text(totals)
        expect(page.locator("#players .name").first).to_have_text(first)
        assert page.url == f"{address}{path}"


@pytest.mark.browser
@pytest.mark.parametrize("start", ["review/friday", "live/kitchen?match=nobody", "live/attic"])
def test_from_every_page_one_comes_to_the_match_that_is_named(
    pages: Callable[..., Page], both: Hub, start: str
):
    page = pages()
    with serving(both) as address:
        page.goto(f"{address}/{start}")
        page.locator("a[href='/live/kitchen?match=friday']").click()

        expect(page.locator("#players .total")).to_have_text(["7", "4"])
        expect(page.locator("#top [aria-current]")).to_have_attribute("href", "/live/kitchen?match=friday")
