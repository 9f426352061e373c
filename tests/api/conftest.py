"""Matches to show, made by hand: no camera, no weights."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from desk_match import DeskMatch
from made_matches import player, standings
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from reviewed_matches import HEADER

from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's server keeps what it must remember, also one that is a process of its own."""
    path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TOUCHJUDGE_HOME", str(path))
    return path


@pytest.fixture
def with_jokers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches that are made by hand are played with two jokers in a deck."""
    monkeypatch.setattr("desk_match.HEADER", f"{HEADER}rules jokers_per_deck=2\n")


@pytest.fixture
def played(tmp_path: Path) -> Iterator[DeskMatch]:
    """Ana was first with the 5 of hearts; Ben's 6 lies on it; Ana's 8 of clubs may not lie there."""
    match = DeskMatch(tmp_path / "friday.jsonl").play()
    yield match
    match.record.close()


@pytest.fixture
def feed() -> MatchFeed:
    return MatchFeed(
        match_id="friday",
        table="kitchen",
        game="nerts",
        standings=standings(player("south", "Ana", 0), player("north", "Ben", 0)),
        run_id="run1",
    )


@pytest.fixture
def hub(feed: MatchFeed) -> Hub:
    hub = Hub()
    hub.add(feed)
    return hub


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as Debian ships it. It goes with its module: while it runs no test can run an event loop."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def pages(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages; whatever one of them throws fails the test."""
    faults: list[str] = []
    opened: list[Page] = []

    def open_page(width: int = 1920, height: int = 1080, **options: object) -> Page:
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if _is_fault(said) else None)
        page.set_default_timeout(60_000)
        opened.append(page)
        return page

    expect.set_options(timeout=45_000)
    yield open_page
    for page in opened:
        page.close()
    assert faults == []


@pytest.fixture
def page(pages: Callable[..., Page]) -> Page:
    return pages()


@pytest.fixture
def address(hub: Hub) -> Iterator[str]:
    with serving(hub) as address:
        yield address


def _is_fault(said: ConsoleMessage) -> bool:
    """Whether a page has something to answer for: a server that is away or refuses is none of its doing."""
    of_the_line = ("Failed to load resource", "WebSocket connection to")
    return said.type in {"error", "warning"} and not any(told in said.text for told in of_the_line)
