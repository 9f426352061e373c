"""Every page held against axe-core's rules for WCAG 2 A and AA."""

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from desk_match import DeskMatch
from playwright.sync_api import Page, expect
from tournaments import PLAN

from api.hub import Hub
from api.server import serving
from api.store.shelf import forgetful_store

pytestmark = pytest.mark.browser

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    match = DeskMatch(tmp_path_factory.mktemp("match") / "friday.jsonl").play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    store = forgetful_store()
    store.plans.enter(PLAN, "Rita")
    with serving(hub, store=store) as address:
        yield address
    store.close()
    match.record.close()


def serious_faults(page: Page) -> list[str]:
    """What axe-core calls serious or critical: the rule, and where."""
    found = Axe().run(page, options=RULES).response
    assert len(found["passes"]) > 5, "axe-core looked at nothing"
    return [
        f"{fault['id']}: {node['html'][:160]}"
        for fault in found["violations"]
        if fault["impact"] in {"serious", "critical"}
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("lang", ["en", "ar"])
@pytest.mark.parametrize(
    ("path", "ready"),
    [
        pytest.param("", "#matches li", id="home"),
        pytest.param("live/kitchen", ".verdict", id="live"),
        pytest.param("review/friday", "#arithmetic .yes", id="review"),
        pytest.param("board", "#seatings li", id="board"),
        pytest.param("tokens", "#make", id="tokens"),
        pytest.param("overlay/kitchen?show=bar,cards,ticker,timer", "#players li", id="overlay"),
    ],
)
def test_a_page_has_no_serious_fault(
    pages: Callable[..., Page], served: str, path: str, ready: str, lang: str
):
    page = pages()
    page.goto(f"{served}/{path}{'&' if '?' in path else '?'}lang={lang}")
    expect(page.locator(ready).first).to_be_visible()

    assert serious_faults(page) == []


@pytest.mark.parametrize(
    "path", ["", "live/kitchen", "review/friday", "board", "overlay/kitchen?show=bar,cards"]
)
def test_a_page_on_a_telephone_has_no_serious_fault(pages: Callable[..., Page], served: str, path: str):
    page = pages(width=390, height=844)
    page.goto(f"{served}/{path}")
    expect(page.get_by_text("Ana").locator("visible=true").first).to_be_visible()

    assert serious_faults(page) == []


@pytest.mark.parametrize("theme", ["dark", "light", "contrast"])
def test_a_verdict_on_the_overlay_has_no_serious_fault(page: Page, served: str, theme: str):
    page.goto(f"{served}/overlay/kitchen?show=bar,verdict,ticker,timer&theme={theme}&players=Cid")
    expect(page.locator("#verdict")).to_be_visible()
    expect(page.locator("#faults")).to_be_visible()

    assert serious_faults(page) == []


def test_dialogs_have_no_serious_fault(page: Page, served: str):
    page.goto(f"{served}/live/kitchen")
    page.locator(".verdict").first.get_by_role("button", name="Put it right").click()
    assert serious_faults(page) == []

    page.locator("#fix .choices button:not(:disabled)").first.click()
    expect(page.locator("#fix .score-change")).to_be_visible()

    assert serious_faults(page) == []


def test_an_appeal_has_no_serious_fault(page: Page, served: str):
    page.goto(f"{served}/review/friday")
    expect(page.locator("#answer")).to_be_visible()
    page.keyboard.press("a")
    expect(page.locator("#fix textarea")).to_be_visible()

    assert serious_faults(page) == []


def test_a_decision_has_no_serious_fault(page: Page, served: str):
    page.goto(f"{served}/review/friday")
    expect(page.locator("#case-title")).to_be_visible()
    expect(page.locator("#answer")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("[name=ruling]").first).to_be_visible()

    assert serious_faults(page) == []
