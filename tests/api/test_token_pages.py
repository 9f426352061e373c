"""Tokens in a browser: a page that is turned away asks for one; they are made and ended by page."""

import re
from collections.abc import Callable, Iterator

import pytest
from made_matches import player, standings
from playwright.sync_api import Page, expect

from api.access import Scope
from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving
from api.store.shelf import Store, forgetful_store

pytestmark = pytest.mark.browser


@pytest.fixture
def store() -> Iterator[Store]:
    store = forgetful_store()
    yield store
    store.close()


@pytest.fixture
def beyond(hub: Hub, feed: MatchFeed, store: Store) -> Iterator[str]:
    """A server that answers more than this machine."""
    feed.rule((), standings(player("south", "Ana", 7), player("north", "Ben", 4)))
    with serving(hub, host="0.0.0.0", store=store) as address:  # noqa: S104 - that is what is tried
        yield address.replace("0.0.0.0", "127.0.0.1")  # noqa: S104


def test_a_page_that_is_turned_away_asks_for_a_token(page: Page, beyond: str, store: Store):
    text, _ = store.tokens.make("table", (Scope.OPERATOR,), delay_s=0.0)
    page.goto(f"{beyond}/live/kitchen")
    field = page.locator("dialog.signin input")
    expect(field).to_be_visible()
    expect(page.locator(".player")).to_have_count(0)

    field.fill("tj_guess")
    page.keyboard.press("Enter")
    expect(page.locator("dialog.signin .error")).to_contain_text("This token is not known here")
    field.fill(text)
    page.keyboard.press("Enter")

    expect(page.locator(".player .total")).to_have_text(["7", "4"])
    page.goto(f"{beyond}/board")
    expect(page.locator(".players b")).to_have_text(["7", "4"])


def test_who_came_with_a_token_that_is_not_known_comes_in_with_another(page: Page, beyond: str, store: Store):
    text, _ = store.tokens.make("table", (Scope.OPERATOR,), delay_s=0.0)
    page.goto(f"{beyond}/live/kitchen?token=tj_mistyped")
    expect(page.locator("dialog.signin .error")).to_contain_text("This token is not known here")

    page.locator("dialog.signin input").fill(text)
    page.keyboard.press("Enter")

    expect(page.locator(".player .total")).to_have_text(["7", "4"])
    assert "token" not in page.url


def test_an_overlay_comes_in_by_its_address(page: Page, beyond: str, store: Store):
    text, _ = store.tokens.make("obs", (Scope.OVERLAY,), delay_s=0.0)

    page.goto(f"{beyond}/overlay/kitchen?token={text}")

    expect(page.locator("#players .total")).to_have_text(["7", "4"])


def test_an_overlay_without_a_token_says_so(page: Page, beyond: str):
    page.goto(f"{beyond}/overlay/kitchen")

    expect(page.locator("#stale")).to_contain_text("a token is wanted")
    expect(page.locator("#bar")).to_be_hidden()


def test_an_overlay_with_a_token_that_is_not_known_says_so_and_shows_no_empty_bar(page: Page, beyond: str):
    page.goto(f"{beyond}/overlay/kitchen?token=tj_mistyped")

    expect(page.locator("#stale")).to_contain_text("This token is not known here")
    expect(page.locator("#bar")).to_be_hidden()


def test_tokens_are_made_shown_once_and_ended(pages: Callable[..., Page], beyond: str, store: Store):
    admin, _ = store.tokens.make("boss", (Scope.ADMIN,), delay_s=0.0)
    page = pages()
    page.goto(f"{beyond}/tokens?token={admin}")
    expect(page.locator("#tokens tr")).to_have_count(1)

    page.locator("[name=name]").fill("Rita's tablet")
    page.locator("[name=scope]").select_option("reviewer")
    page.locator("#make button").click()
    expect(page.locator("#text")).to_have_value(re.compile("^tj_"))
    expect(page.locator("#tokens tr")).to_have_count(2)
    made = page.locator("#text").input_value()
    assert store.tokens.bearer(made) is not None

    page.locator("#tokens tr", has_text="Rita's tablet").get_by_role("button").click()

    expect(page.locator("#tokens tr.ended")).to_have_count(1)
    assert store.tokens.bearer(made) is None


@pytest.mark.parametrize("path", ["", "board", "live/kitchen", "review/friday", "tokens"])
def test_a_page_without_a_token_says_that_one_is_wanted_and_asks_no_faster(
    page: Page, beyond: str, path: str
):
    asked: list[str] = []
    written: list[str] = []
    page.on("response", lambda answer: asked.append(answer.url) if "/api/" in answer.url else None)
    page.on("console", lambda said: written.append(said.text))
    page.goto(f"{beyond}/{path}")

    expect(page.locator("#away, #stale, #error").first).to_have_text("A token is wanted here.")

    asked.clear()
    page.wait_for_timeout(4_000)
    assert (asked, written) == ([], [])


def test_a_form_that_is_sent_twice_at_once_makes_one_token(
    pages: Callable[..., Page], beyond: str, store: Store
):
    admin, _ = store.tokens.make("boss", (Scope.ADMIN,), delay_s=0.0)
    page = pages()
    page.goto(f"{beyond}/tokens?token={admin}")
    page.locator("[name=name]").fill("Rita")

    page.locator("#make button").dblclick()
    expect(page.locator("#text")).to_have_value(re.compile("^tj_"))

    expect(page.locator("#tokens tr")).to_have_count(2)
    assert len(store.tokens.all()) == 2
