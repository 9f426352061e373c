"""An address that names nothing here: the page says so once, and shows the way to what there is."""

from collections.abc import Callable

import pytest
from made_matches import player, standings, verdict
from playwright.sync_api import Page, expect

from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving

pytestmark = pytest.mark.browser


@pytest.fixture
def hub(hub: Hub) -> Hub:
    later = MatchFeed(match_id="saturday", table="garden", game="spit", standings=standings())
    hub.add(later)
    return hub


@pytest.fixture
def refusals(page: Page) -> list[str]:
    """What the page asked for and was refused."""
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    return refused


@pytest.mark.parametrize(
    ("path", "said", "offered"),
    [
        pytest.param(
            "review/nosuch",
            "there is no match nosuch here",
            ["/review/saturday", "/review/friday"],
            id="no such match",
        ),
        pytest.param(
            "review/kitchen", "there is no match kitchen here", ["/review/friday"], id="a table, not a match"
        ),
        pytest.param(
            "live/nosuch",
            "waiting for a match at this table",
            ["/live/garden", "/live/kitchen"],
            id="no such table",
        ),
        pytest.param(
            "live/friday", "waiting for a match at this table", ["/live/kitchen"], id="a match, not a table"
        ),
    ],
)
def test_what_there_is_is_offered_and_nothing_is_asked_for_that_is_not(
    page: Page, address: str, refusals: list[str], path: str, said: str, offered: list[str]
):
    page.goto(f"{address}/{path}")

    expect(page.locator("#stale")).to_have_text(said)
    expect(page.locator("#offers a")).to_have_count(len(offered))

    assert [link.get_attribute("href") for link in page.locator("#offers a").all()] == offered
    expect(page.locator("#main")).to_be_hidden()
    page.wait_for_timeout(3_000)
    assert refusals == []


def test_it_asks_less_and_less_often(page: Page, address: str):
    asked: list[str] = []
    page.on(
        "request", lambda request: asked.append(request.url) if "/api/v1/matches" in request.url else None
    )
    page.clock.install()
    page.goto(f"{address}/review/nosuch")
    expect(page.locator("#offers a")).to_have_count(2)

    for _ in range(60):
        page.clock.run_for(1_000)
        page.wait_for_timeout(20)

    assert len(asked) <= 18


def test_a_match_that_comes_later_is_shown(page: Page, address: str, hub: Hub):
    page.goto(f"{address}/review/sunday")
    expect(page.locator("#offers a")).to_have_count(2)

    sunday = MatchFeed(
        match_id="sunday", table="hall", game="nerts", standings=standings(player("south", "Ana", 1))
    )
    sunday.rule((verdict(1, ruling="ILLEGAL"),), standings(player("south", "Ana", 1)))
    hub.add(sunday)

    expect(page.locator("#case-title")).to_contain_text("v1")
    expect(page.locator("#offers")).to_be_hidden()
    expect(page.locator("#stale")).to_be_hidden()


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_no_such_page(pages: Callable[..., Page], address: str, lang: str):
    page = pages(width=390, height=844)
    answer = page.goto(f"{address}/nosuch?lang={lang}")

    expect(page.locator("#offers a")).to_have_count(2)

    assert answer is not None
    assert answer.status == 404
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_server_without_matches_nothing_is_offered(page: Page):
    with serving(Hub()) as address:
        page.goto(f"{address}/review/nosuch")

        expect(page.locator("#offers")).to_have_text("No match is shown yet.")
