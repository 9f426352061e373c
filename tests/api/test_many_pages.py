"""Many pages of one server in one browser, which holds no more than six HTTP/1.1 connections to it."""

from collections.abc import Iterator

import pytest
from desk_match import DeskMatch
from made_matches import player, standings
from playwright.sync_api import Browser, BrowserContext, Page, expect

from api.access import Scope
from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving
from api.store.shelf import forgetful_store

pytestmark = pytest.mark.browser

KINDS = ("/", "/board", "/live/kitchen", "/overlay/kitchen", "/live/kitchen", "/overlay/kitchen")
STREAMS_AT_MOST = 6
"""Of a browser, at one server."""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en")
    context.set_default_timeout(30_000)
    yield context
    context.close()


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    return page


def test_the_eighth_page_loads_and_takes_an_answer_which_the_others_follow_within_a_second(
    context: BrowserContext, played: DeskMatch
):
    hub = Hub()
    hub.add(played.feed, played.desk)
    foul = played.feed.verdicts[-1].verdict_id
    with serving(hub) as address:
        others = [opened(context, f"{address}{path}") for path in (*KINDS, f"/review/friday#{foul}")]
        for page in others:
            expect(page.locator("body")).to_contain_text("Ana")
        last = opened(context, f"{address}/review/friday#{foul}")
        expect(last.locator("#answer")).to_be_visible()
        last.keyboard.press("o")
        last.locator("label:has([name=ruling])", has_text="legal").click()
        last.locator("[name=reason]").fill("Seen from the other side.")
        last.locator("[name=reason]").press("Enter")
        expect(last.locator("#answer .fates, #answer .changes").first).to_be_visible()
        last.keyboard.press("Enter")
        expect(last.locator("#case-title .pill")).to_have_text("overturned")

        expect(others[-1].locator("#case-title .pill")).to_have_text("overturned", timeout=1_000)
        expect(others[2].locator("#verdicts")).to_contain_text("overturned", timeout=1_000)


def test_pages_with_a_token_in_hand_share_no_connections_either(
    context: BrowserContext, hub: Hub, feed: MatchFeed
):
    store = forgetful_store()
    text, _ = store.tokens.make("stream", {Scope.OVERLAY}, delay_s=0)
    with serving(hub, host="0.0.0.0", store=store) as address:  # noqa: S104
        pages = [
            opened(context, f"{address}/overlay/kitchen?token={text}") for _ in range(STREAMS_AT_MOST + 2)
        ]
        for page in pages:
            expect(page.locator("#players .total")).to_have_text(["0", "0"])
        feed.rule((), standings(player("south", "Ana", 7), player("north", "Ben", 4)))

        for page in pages:
            expect(page.locator("#players .total")).to_have_text(["7", "4"], timeout=1_000)
    store.close()


def test_a_page_follows_over_a_stream_where_no_socket_opens(
    context: BrowserContext, address: str, feed: MatchFeed
):
    context.add_init_script("window.WebSocket = class { constructor() { throw new Error('none') } }")
    page = opened(context, f"{address}/overlay/kitchen")
    expect(page.locator("#players .total")).to_have_text(["0", "0"])

    feed.rule((), standings(player("south", "Ana", 7), player("north", "Ben", 4)))

    expect(page.locator("#players .total")).to_have_text(["7", "4"])
