"""The board as an organiser uses it: rounds, seatings, who leads; a tournament is loaded and ended."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forged_records import ruled
from made_matches import player, standings
from playwright.sync_api import Page, expect
from tournaments import PLAN

from api.feed import MatchFeed
from api.hub import Hub
from api.record_shelf import shown_match
from api.schemas import MatchState
from api.server import serving
from api.store.shelf import Store, forgetful_store
from referee.verdicts import Ruling

pytestmark = pytest.mark.browser


@pytest.fixture
def store() -> Iterator[Store]:
    store = forgetful_store()
    yield store
    store.close()


@pytest.fixture
def feed() -> MatchFeed:
    feed = MatchFeed(
        match_id="friday",
        table="kitchen",
        game="nerts",
        standings=standings(player("south", "Ana", 104), player("north", "Ben", -3)),
    )
    feed.reach(1_000_000)
    feed.end(MatchState.FINISHED)
    return feed


@pytest.fixture
def served(hub: Hub, store: Store) -> Iterator[str]:
    with serving(hub, store=store) as address:
        yield address


@pytest.fixture
def planned(store: Store, served: str) -> str:
    store.plans.enter(PLAN, "Rita")
    return served


def test_the_round_that_is_played_is_shown_with_seatings_and_results(page: Page, planned: str):
    page.goto(f"{planned}/board")

    expect(page.locator("#tournament-title")).to_have_text("Winter Nerts")
    expect(page.locator("#rounds button")).to_have_text(["Round 1: First", "Round 2"])
    expect(page.locator("#rounds [aria-pressed=true]")).to_have_text("Round 2")
    expect(page.locator("#target")).to_have_text("to 150 points")
    expect(page.locator("#seatings .pill")).to_have_text("not begun")
    expect(page.locator("#seatings .names")).to_have_text(
        ["عمر & Ana", "Ben & Wolfeschlegelsteinhausenbergerdorff"]
    )

    page.get_by_role("button", name="Round 1: First").click()

    expect(page.locator("#seatings .pill")).to_have_text("finished")
    expect(page.locator("#seatings .sides li")).to_have_text(["AnaNerts pile of 15won104", "Ben-3"])
    expect(page.locator("#seatings h3 a")).to_have_attribute("href", "/live/kitchen")
    expect(page.get_by_role("button", name="Round 1: First")).to_be_focused()


def test_a_chosen_button_under_the_mouse_can_be_read(page: Page, planned: str):
    page.goto(f"{planned}/board")
    chosen = page.get_by_role("button", name="Round 1: First")

    chosen.click()

    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(chosen).to_have_css("color", "rgb(6, 19, 12)")
    expect(chosen).to_have_css("background-color", "rgb(116, 226, 168)")


def test_who_leads_is_told(page: Page, planned: str):
    page.goto(f"{planned}/board")

    expect(page.locator("#players tbody tr").first).to_have_text("1Ana11104")
    expect(page.locator("#players tbody tr")).to_have_count(4)


@pytest.mark.parametrize(
    ("button", "name", "first", "last"),
    [
        pytest.param(
            "Participants as CSV", "touchjudge-participants.csv", ["seed", "name"], "4", id="people"
        ),
        pytest.param("Standings as CSV", "touchjudge-standings.csv", ["rank", "seed"], "4", id="standings"),
        pytest.param("Results as CSV", "touchjudge-results.csv", ["round", "round_name"], "2", id="results"),
    ],
)
def test_tables_are_downloaded(
    page: Page, planned: str, tmp_path: Path, button: str, name: str, first: list[str], last: str
):
    page.goto(f"{planned}/board")
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()

    download.value.save_as(tmp_path / name)

    rows = list(csv.reader((tmp_path / name).read_text(encoding="utf-8").splitlines()))
    assert download.value.suggested_filename == name
    assert (rows[0][:2], rows[-1][0]) == (first, last)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("table.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 40, id="a picture"),
        pytest.param("long.toml", b"# a long line\n" * 100_000, id="too long"),
    ],
)
def test_a_file_that_is_no_tournament_is_told_as_that(page: Page, served: str, name: str, content: bytes):
    page.goto(f"{served}/board")
    page.locator("#plan").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})

    expect(page.locator("#plan-said")).to_have_text(
        f"{name} is no tournament: that is a text file (TOML) of at most 200000 characters."
    )


def test_a_tournament_is_loaded_and_ended(page: Page, served: str, store: Store):
    page.goto(f"{served}/board")
    expect(page.locator("#players tbody tr")).to_have_count(2)
    expect(page.locator("#tournament")).to_be_hidden()

    wrong = PLAN.replace('north = "Ben"', 'north = "Bne"', 1).encode()
    page.locator("#plan").set_input_files({"name": "t.toml", "mimeType": "text/plain", "buffer": wrong})
    expect(page.locator("#plan-said")).to_contain_text("rounds[0].tables[0].seats.north: no player 'Bne'")
    right = {"name": "t.toml", "mimeType": "text/plain", "buffer": PLAN.encode()}
    page.locator("#plan").set_input_files(right)

    expect(page.locator("#plan-said")).to_have_text("The tournament is shown on every board.")
    expect(page.locator("#tournament-title")).to_have_text("Winter Nerts")
    end = page.get_by_role("button", name="End the tournament")
    end.click()
    assert store.plans.newest is not None
    assert store.plans.newest.text != "", "one press alone ends nothing"
    page.get_by_role("button", name="Press again to end it").click()
    expect(page.locator("#tournament")).to_be_hidden()
    expect(page.locator("#players tbody tr")).to_have_count(2)


@pytest.mark.parametrize("lang", ["en", "ar"])
@pytest.mark.parametrize("width", [1920, 1280, 390])
def test_nothing_sticks_out(pages: Callable[..., Page], planned: str, width: int, lang: str):
    page = pages(width=width, height=844)
    page.goto(f"{planned}/board?lang={lang}")
    expect(page.locator("#seatings .names").first).to_be_visible()
    expect(page.locator("#organise")).to_be_visible()

    wide = page.evaluate("document.documentElement.scrollWidth")
    out = page.evaluate(
        "[...document.querySelectorAll('#seatings *, #rounds *, #organise *, #exports *')].filter((each) => {"
        "const { left, right } = each.getBoundingClientRect();"
        "return right > innerWidth + 1 || left < -1; }).length"
    )

    assert (wide, out) == (width, 0)


def test_the_fewest_cards_lead_in_spit(page: Page, hub: Hub, served: str):
    hub.add(
        MatchFeed(
            match_id="spit",
            table="attic",
            game="spit",
            standings=standings(player("south", "Cid", 30), player("north", "Dee", 22)),
        )
    )

    for path, row in (("board", ".players .leads"), ("", ".players .leads"), ("live/attic", ".player.leads")):
        page.goto(f"{served}/{path}")
        expect(page.locator(row).filter(has_text="Dee")).to_be_visible()
        expect(page.locator(row).filter(has_text="Cid")).to_have_count(0)


def test_a_double_click_ends_no_tournament(page: Page, planned: str, store: Store):
    page.goto(f"{planned}/board")

    page.get_by_role("button", name="End the tournament").dblclick()

    expect(page.locator("#end")).to_have_text("Press again to end it: matches and results stay")
    assert store.plans.newest is not None
    assert store.plans.newest.text == PLAN


def test_records_of_one_match_that_contradict_each_other_are_told(page: Page, tmp_path: Path):
    paths = [
        ruled(tmp_path / "one.jsonl", Ruling.FIRST, 1),
        ruled(tmp_path / "other.jsonl", Ruling.LEGAL, 0, 1),
    ]
    hub = Hub()
    for path in paths[:1]:
        opened = shown_match(path, match_id=path.stem)
        hub.add(opened.feed, opened.desk)
    with serving(hub) as address:
        page.goto(f"{address}/board")
        expect(page.locator("#players tbody tr")).to_have_count(2)
        expect(page.locator("#contradicted")).to_be_hidden()

        opened = shown_match(paths[1], match_id="other")
        hub.add(opened.feed, opened.desk)

        expect(page.locator("#contradicted")).to_contain_text("other and one are records of one match")
        expect(page.locator("#players tbody tr")).to_have_count(2)
