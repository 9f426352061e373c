"""The review page's list, filters, keys and dialogs: what is shown goes together, and nothing sticks out."""

import re
from collections.abc import Callable, Iterator

import pytest
from desk_match import DeskMatch
from playwright.sync_api import Page, expect

from api.desk import Answer
from api.hub import Hub
from api.page_routes import PAGES
from api.server import serving
from referee.verdicts import Ruling

pytestmark = pytest.mark.browser


@pytest.fixture
def served(played: DeskMatch) -> Iterator[str]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with serving(hub) as address:
        yield address


@pytest.mark.parametrize("key", ["Escape", "?"])
def test_the_box_of_keys_is_closed_by_key(page: Page, served: str, key: str):
    page.goto(f"{served}/review/friday")
    expect(page.locator("#case-title")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()

    page.keyboard.press(key)

    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


def test_a_dialog_is_left_by_key_and_the_answer_behind_it_stays(page: Page, served: str):
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#answer")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("[name=ruling]").first).to_be_visible()
    page.locator("#appeal-row button").click()
    expect(page.locator("#fix")).to_be_visible()

    page.keyboard.press("Escape")

    expect(page.locator("#fix")).to_be_hidden()
    expect(page.locator("[name=ruling]").first).to_be_visible()


def test_every_key_that_does_something_is_listed():
    script = (PAGES / "assets" / "review.js").read_text(encoding="utf-8")
    listed = re.search(r"const KEYS = \[(.*?)\n\];", script, re.DOTALL)
    acts = re.search(r"const ACTS = \{(.*?)\n\};", script, re.DOTALL)
    assert listed is not None
    assert acts is not None

    keys = {key for text in re.findall(r'\["(.*?)\]', listed[1]) for key in re.findall(r'[^" ,]+', text)}
    done = set(re.findall(r'(?:^|[ ,])"?([a-z]|[,.?\[\]])"?: (?:\(|\w)', acts[1], re.MULTILINE))

    assert {"f", "l", "b", "u", "a"} <= done
    assert sorted(done - keys - {",", "[", "]"}) == []


def test_a_filter_shows_a_case_of_its_own(page: Page, served: str, played: DeskMatch):
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#case-title")).to_contain_text("v1")

    page.locator("[data-filter=answered]").click()

    expect(page.locator("#empty")).to_have_text("Nobody has answered a play yet.")
    expect(page.locator("#case")).to_be_hidden()
    expect(page.locator("#pick")).to_be_hidden()
    page.locator("[data-filter=all]").click()
    expect(page.locator("#case-title")).to_contain_text("v1")
    expect(page.locator(".item[aria-selected=true]")).to_have_count(1)


def answered(match: DeskMatch, verdict_id: str, ruling: Ruling, kept: tuple[int, ...]) -> None:
    wish = Answer(verdict_id, ruling, kept, "seen again", "Rita")
    match.desk.wish(wish, match.desk.wish(wish, None).confirm)


def test_after_the_last_open_play_no_empty_list_has_the_focus(page: Page, served: str, played: DeskMatch):
    played.desk.appeal("v3", "Ana", "it was the 7")
    page.goto(f"{served}/review/friday")
    expect(page.locator("#case-title")).to_contain_text("v3")
    expect(page.locator("#answer")).to_be_visible()
    page.keyboard.press("s")
    page.locator("[name=reason]").fill("it was the 8")
    page.keyboard.press("Enter")
    expect(page.locator("#answer .consequence")).to_be_visible()

    page.keyboard.press("Enter")

    expect(page.locator("#empty")).to_have_text("Nothing is disputed, undecided or under appeal.")
    expect(page.locator("#list")).to_be_hidden()
    expect(page.locator("#case")).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "ar", "mr", "su", "af"])
@pytest.mark.parametrize("width", [390, 1000, 1280, 1920])
def test_no_row_runs_past_the_list(
    pages: Callable[..., Page], served: str, played: DeskMatch, width: int, lang: str
):
    answered(played, "v1", Ruling.TIE, (0, 1))
    page = pages(width=width, height=800)
    page.goto(f"{served}/review/friday?lang={lang}#v1")
    expect(page.locator(".item").first).to_be_visible()

    out = page.evaluate(
        """() => [...document.querySelectorAll(".item")].flatMap((item) => {
          const box = item.getBoundingClientRect();
          return [...item.querySelectorAll("*")].filter((each) => {
            const own = each.getBoundingClientRect();
            return own.left < box.left - 1 || own.right > box.right + 1;
          }).map((each) => each.textContent);
        })"""
    )
    inside = page.evaluate(
        """() => {
          const boxOf = (id) => document.getElementById(id).getBoundingClientRect();
          const [panel, list] = ["list-side", "list"].map(boxOf);
          return list.left >= panel.left && list.right <= panel.right;
        }"""
    )

    assert out == []
    assert inside
    if width >= 1200:
        assert page.locator("#list").evaluate("list => list.scrollWidth <= list.clientWidth")
