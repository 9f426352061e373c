"""The answer form offers what can be answered: of a race who was first, of a play whether it was legal."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk_match import DeskMatch
from playwright.sync_api import Page, expect

from api.hub import Hub
from api.server import serving

pytestmark = pytest.mark.browser

PLAYS = """
F1: ... 4H
F2: ... 7C
land Ana 5H waste F1 983.3..1000
land Ben 5H waste F1 1033.3..1050
land Ana 8C waste F2 5000..5100
land Ben 8C waste F2 5030..5140
land Ben KD waste F1 9000..9010
"""


@pytest.fixture
def match(tmp_path: Path) -> Iterator[DeskMatch]:
    """Ana was first; then it was too close; then Ben's king was a foul."""
    match = DeskMatch(tmp_path / "friday.jsonl", PLAYS).play()
    assert [given.ruling for given in match.feed.verdicts] == ["FIRST", "TOO_CLOSE", "ILLEGAL"]
    yield match
    match.record.close()


@pytest.fixture
def served(match: DeskMatch) -> Iterator[str]:
    hub = Hub()
    hub.add(match.feed, match.desk)
    with serving(hub) as address:
        yield address


def overturn(page: Page, served: str, verdict_id: str) -> None:
    page.goto(f"{served}/review/friday#{verdict_id}")
    expect(page.locator("#case-title")).to_contain_text(verdict_id)
    expect(page.locator("#answer")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("[name=ruling]").first).to_be_visible()


def publish(page: Page, reason: str) -> None:
    page.locator("[name=reason]").fill(reason)
    page.locator("[name=reason]").press("Enter")
    expect(page.locator("#answer .fates, #answer .changes").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#case-title .pill")).to_have_text("overturned")


RACE = ["Ana was first", "Ben was first", "tie", "too close", "cannot tell", "foul"]


@pytest.mark.parametrize(
    ("verdict_id", "offered", "chosen"),
    [
        pytest.param("v1", RACE[1:], ["Ben was first"], id="a race that Ana won"),
        pytest.param("v2", [each for each in RACE if each != "too close"], [], id="a race that nobody won"),
        pytest.param("v3", ["legal", "cannot tell"], ["legal"], id="a single play"),
    ],
)
def test_only_what_can_be_answered_is_offered(
    page: Page, served: str, verdict_id: str, offered: list[str], chosen: list[str]
):
    overturn(page, served, verdict_id)

    expect(page.locator("label:has([name=ruling])")).to_have_text(offered)
    expect(page.locator("label:has([name=ruling]:checked)")).to_have_text(chosen)
    expect(page.locator("[name=kept]")).to_have_count(0)


def test_who_was_first_is_one_press(page: Page, served: str, match: DeskMatch):
    overturn(page, served, "v2")

    page.get_by_label("Ben was first").check()
    publish(page, "his hand is there a frame before")

    newest = match.feed.verdicts[-1]
    assert (newest.ruling, newest.seat, [play.stands for play in newest.plays]) == (
        "FIRST",
        "north",
        [False, True],
    )


def test_whose_card_stays_is_asked_where_the_answer_leaves_it_open(page: Page, served: str):
    overturn(page, served, "v1")

    page.get_by_label("tie").check()
    expect(page.locator("[name=kept]:checked")).to_have_count(2)
    page.get_by_label("foul").check()
    expect(page.locator("[name=kept]")).to_have_count(0)


@pytest.mark.parametrize("label", RACE[1:])
def test_whatever_is_offered_of_a_race_can_be_seen_through(page: Page, served: str, label: str):
    overturn(page, served, "v1")
    page.get_by_label(label).check()
    page.locator("[name=reason]").fill("seen again")
    page.locator("[name=reason]").press("Enter")

    expect(page.locator("#answer .primary")).to_contain_text("Publish")


@pytest.mark.parametrize("label", ["legal", "cannot tell"])
def test_whatever_is_offered_of_a_play_can_be_seen_through(page: Page, served: str, label: str):
    overturn(page, served, "v3")
    page.get_by_label(label).check()
    page.locator("[name=reason]").fill("seen again")
    page.locator("[name=reason]").press("Enter")

    expect(page.locator("#answer .primary")).to_contain_text("Publish")


def test_something_must_be_chosen(page: Page, served: str, match: DeskMatch):
    overturn(page, served, "v2")
    page.locator("[name=reason]").fill("seen again")
    page.locator("[name=reason]").press("Enter")

    expect(page.locator("#answer .error")).to_have_text("Say what holds instead.")
    expect(page.locator("[name=ruling]").first).to_be_focused()
    assert match.feed.seen(0).reviews == ()


def test_an_answered_play_has_no_box_that_says_only_that_and_the_list_is_called_by_its_filter(
    page: Page, served: str
):
    for verdict_id in ("v1", "v2", "v3"):
        page.goto(f"{served}/review/friday#{verdict_id}")
        expect(page.locator("#case-title")).to_contain_text(verdict_id)
        page.locator("#answer .choices button").first.click()
        page.locator("[name=reason]").fill("Seen from the side.")
        page.locator("[name=reason]").press("Enter")
        page.locator("#answer .actions .primary").click()
        expect(page.locator("#answer [role=status]")).to_be_visible()

    page.reload()
    page.locator("#filter [data-filter=answered]").click()

    expect(page.locator("#list-title")).to_have_text("Answered 3")
    expect(page.locator("#case-title .pill")).to_have_text("confirmed")
    expect(page.locator("#answer")).to_be_hidden()


def test_the_ticks_of_touch_times_have_the_unit_of_the_page(page: Page, served: str):
    page.goto(f"{served}/review/friday?lang=ar#v1")
    expect(page.locator("#axis text.soft").first).to_be_visible()

    ticks = page.locator("#axis text.soft").all_text_contents()

    assert len(ticks) > 2
    assert [each for each in ticks if "ms" in each or "مللي" not in each] == []
