"""No page in any state asks for what is not there, or writes an error where only a browser sees it."""

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest
from desk_match import DeskMatch
from playwright.sync_api import Browser, Page, expect

from api.hub import Hub
from api.schemas import MatchState
from api.server import serving
from api.store.shelf import forgetful_store

pytestmark = pytest.mark.browser

PICTURE = cv2.imencode(".jpg", np.full((90, 160, 3), 90, np.uint8))[1].tobytes()
PAGES = {
    "home": ("", "#matches li"),
    "live": ("live/kitchen", ".player"),
    "review": ("review/friday", "#case-title"),
    "board": ("board", ".table"),
    "tokens": ("tokens", "#make"),
    "overlay": ("overlay/kitchen?show=bar,cards,verdict,ticker,timer,replay&verdicts=all", "#players li"),
}


def playing(match: DeskMatch) -> None:
    match.play()


def playing_with_picture(match: DeskMatch) -> None:
    match.play().feed.show_picture(PICTURE)


def finished(match: DeskMatch) -> None:
    match.play().finish().feed.end(MatchState.FINISHED)


def finished_with_picture(match: DeskMatch) -> None:
    match.play().finish().feed.show_picture(PICTURE)
    match.feed.end(MatchState.FINISHED)


def broken(match: DeskMatch) -> None:
    match.play().finish().feed.end(MatchState.BROKEN)


def begun(match: DeskMatch) -> None:
    match.begin()


STATES = {
    each.__name__: each
    for each in (begun, playing, playing_with_picture, finished, finished_with_picture, broken)
}


@pytest.fixture
def loud(browser: Browser) -> Iterator[Callable[[str], Page]]:
    """Opens pages; every error, warning, and answer that refuses is a fault."""
    faults: list[str] = []
    opened: list[Page] = []

    def open_page(url: str) -> Page:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None
        )
        page.on(
            "response", lambda got: faults.append(f"{got.status} {got.url}") if got.status >= 400 else None
        )
        opened.append(page)
        page.goto(url)
        return page

    expect.set_options(timeout=45_000)
    yield open_page
    for page in opened:
        page.close()
    assert faults == []


CASES = [
    *((name, state, True) for name in PAGES for state in STATES),
    *((name, state, False) for name in ("live", "review", "overlay") for state in ("playing", "finished")),
]


@pytest.mark.parametrize(
    ("name", "state", "is_open"),
    [
        pytest.param(name, state, is_open, id=f"{name} {state}{'' if is_open else ' only shown'}")
        for name, state, is_open in CASES
    ],
)
def test_a_page_is_quiet(loud: Callable[[str], Page], name: str, state: str, *, is_open: bool):
    match = DeskMatch(None)
    STATES[state](match)
    hub = Hub()
    hub.add(match.feed, match.desk if is_open else None)
    store = forgetful_store()
    path, ready = PAGES[name]
    with serving(hub, store=store) as address:
        page = loud(f"{address}/{path}")
        if not (name == "review" and state == "begun"):
            expect(page.locator(ready).first).to_be_visible()
        page.wait_for_timeout(700)  # A page that asks for what is not there does so by then.
        page.close()
    store.close()


@pytest.mark.parametrize("path", ["live/garden", "overlay/garden", "board", ""])
def test_a_page_that_waits_is_quiet(loud: Callable[[str], Page], path: str):
    with serving(Hub(), store=forgetful_store()) as address:
        page = loud(f"{address}/{path}")
        page.wait_for_timeout(700)  # A page that asks for what is not there does so by then.
        page.close()
