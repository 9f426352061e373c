"""Rulings are seen before they are entered and can be taken back; refusals speak every language."""

import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from desk_match import DeskMatch
from made_matches import player, standings, verdict
from playwright.sync_api import Page, expect
from reviewed_matches import HEADER, RACE
from tournaments import DUEL

from api import cli
from api.desk import Answer
from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import MatchState
from api.server import serving
from api.store.shelf import forgetful_store
from referee.verdicts import Ruling

pytestmark = pytest.mark.browser


OVERTURNED = Answer("v1", Ruling.FIRST, (1,), "Ben was first", "Rita")


@pytest.fixture
def served(played: DeskMatch) -> Iterator[str]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    store = forgetful_store()
    with serving(hub, store=store) as address:
        yield address
    store.close()


def open_case(page: Page, served: str, name: str = "v1", lang: str = "en") -> None:
    page.goto(f"{served}/review/friday?lang={lang}#{name}")
    expect(page.locator("#case-title")).to_contain_text(name)
    expect(page.locator("#answer")).to_be_visible()


def overrule(page: Page) -> None:
    """See what follows if v1 were a tie that keeps both cards."""
    page.keyboard.press("o")
    page.locator("[name=ruling][value=TIE]").check()
    for box in page.locator("[name=kept]").all():
        box.check()
    page.locator("[name=reason]").fill("both at once")
    page.locator("[name=reason]").press("Enter")
    expect(page.locator("#answer .fates li").first).to_be_visible()


def lots(page: Page) -> list[str]:
    return [" ".join(row.inner_text().split()) for row in page.locator(".fates li").all()]


def test_an_answer_says_whose_card_stays_before_it_is_published(page: Page, served: str):
    open_case(page, served)

    overrule(page)

    assert lots(page)[:2] == [
        "Ana 5♥\ufe0e · foundation 1 stays",
        "Ben 5♥\ufe0e · foundation 1 now stays",
    ]
    expect(page.locator("#answer .fates .seat-mark").first).to_be_visible()


def test_facts_say_whose_card_stays_by_what_holds_now(page: Page, served: str):
    open_case(page, served)
    expect(page.locator("#fact-list .fate")).to_have_text(["stays", "goes back"])

    overrule(page)
    page.keyboard.press("Enter")

    expect(page.locator("#fact-list .fate")).to_have_text(["stays", "stays"])


def test_a_correction_says_whose_card_stays_before_it_is_entered(page: Page, served: str):
    page.goto(f"{served}/live/kitchen")
    page.locator('.verdict[data-id="v3"]').get_by_role("button", name="Put it right").click()
    page.get_by_role("button", name="♥", exact=True).click()

    page.get_by_role("button", name="7♥").click()

    expect(page.locator("#fix .fates .changed")).to_contain_text("now stays")


def test_a_correction_can_be_signed_and_given_a_reason(page: Page, served: str, played: DeskMatch):
    page.goto(f"{served}/live/kitchen")
    row = page.locator('.verdict[data-id="v2"]')
    row.hover()
    row.get_by_role("button", name="It was Ana").click()
    page.get_by_label("Who decides").fill("Rita")
    page.get_by_label("Why (may be empty)").fill("her sleeve is blue")
    page.get_by_role("button", name="Enter it").click()

    expect(page.locator(".player .total")).to_have_text(["2", "0"])
    review = played.feed.seen(0).reviews[-1]
    assert (review.by, review.text) == ("Rita", "her sleeve is blue")


def test_what_was_published_is_taken_back_and_that_is_seen_first(page: Page, served: str, played: DeskMatch):
    open_case(page, served)
    overrule(page)
    page.keyboard.press("Enter")
    expect(page.locator("#case-title")).to_contain_text("overturned")

    page.keyboard.press("u")
    expect(page.locator("#fix .fates")).to_contain_text("now goes back")
    assert played.feed.verdicts[0].standing == "overturned"
    page.locator("#fix").get_by_role("button", name="Enter it").click()

    expect(page.locator("#case-title .pill")).to_have_text("stands")
    expect(page.locator("#case-reviews")).to_contain_text("taken back")
    expect(page.get_by_role("button", name="It stands")).to_be_visible()
    assert played.feed.verdicts[0].standing == "standing"


def test_a_player_appeals_and_takes_it_back_by_keyboard(page: Page, served: str, played: DeskMatch):
    open_case(page, served)

    page.keyboard.press("a")
    page.locator("#fix").get_by_role("button", name="Ben").press("Enter")
    page.locator("#fix textarea").fill("I was first")
    page.locator("#fix").get_by_role("button", name="Appeal", exact=True).press("Enter")
    expect(page.locator("#case-title .pill")).to_have_text("under appeal")
    expect(page.locator("#case-reviews")).to_contain_text("Ben appealed: I was first")
    expect(page.locator("#fix")).to_be_hidden()
    page.keyboard.press("u")
    page.locator("#fix").get_by_role("button", name="Enter it").press("Enter")

    expect(page.locator("#case-title .pill")).to_have_text("stands")
    assert [review.is_taken_back for review in played.feed.seen(0).reviews if review.kind == "appeal"] == [
        True
    ]


def test_a_ruled_dispute_is_exported_and_verified_as_the_page_says(
    page: Page,
    served: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    page.goto(f"{served}/")
    page.locator("#matches nav a").nth(1).click()
    expect(page.locator("#answer")).to_be_visible()
    overrule(page)
    page.keyboard.press("Enter")
    expect(page.locator("#case-title")).to_contain_text("overturned")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export this case").click()
    download.value.save_as(tmp_path / download.value.suggested_filename)
    monkeypatch.chdir(tmp_path)

    program, *arguments = shlex.split(page.locator("#verify-row code").inner_text())
    status = cli.run(arguments)

    assert program == "touchjudge"
    assert status == 0, capsys.readouterr()


@pytest.mark.parametrize(
    ("what", "label"),
    [("pile south/reserve", "Cards left: Ana"), ("deck south", "Enter a count")],
    ids=["a pile that was missed", "by the backs"],
)
def test_cards_are_counted_after_the_end_and_what_follows_is_seen_first(
    page: Page, served: str, played: DeskMatch, what: str, label: str
):
    played.finish()
    played.feed.end(MatchState.FINISHED)
    page.goto(f"{served}/live/kitchen")
    expect(page.locator("#count-more")).to_be_visible()
    if what.startswith("deck"):
        page.locator("#count-more summary").click()
        page.get_by_label("What was counted").select_option(what)
    before = played.feed.score
    page.get_by_label(label).last.fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#fix .score-change")).to_be_visible()
    assert played.feed.score == before

    page.get_by_role("button", name="Enter it").click()

    expect(page.locator("#fix")).to_be_hidden()
    assert [(call.pile, call.count) for call in played.feed.seen(0).calls] == [
        (None if what.startswith("deck") else "south/reserve", 1)
    ]


def test_how_a_case_is_checked_stands_beside_it(page: Page, served: str):
    open_case(page, served)

    expect(page.locator("#verify-row code")).to_have_text("touchjudge verify friday-v1.zip")


def test_a_case_is_checked_by_the_program_as_it_was_started(
    page: Page, served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    program = tmp_path / ".venv" / "bin" / "touchjudge"
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [".venv/bin/touchjudge", "serve"])

    open_case(page, served)

    expect(page.locator("#verify-row code")).to_have_text(".venv/bin/touchjudge verify friday-v1.zip")


def test_a_match_that_is_only_shown_offers_neither_answer_nor_case(page: Page, address: str, feed: MatchFeed):
    feed.rule((verdict(1, ruling="ILLEGAL"),), standings(player("south", "Ana", 1)))
    page.goto(f"{address}/review/friday#v1")

    expect(page.locator("#only-shown")).to_contain_text("only shown here")
    expect(page.locator("#answer")).to_be_hidden()
    expect(page.locator("#export")).to_be_hidden()
    expect(page.locator("#appeal-row button")).to_have_count(0)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "under appeal already"),
        ("ar", "عليه اعتراض بالفعل"),
        ("mr", "यावर आधीच अपील आहे"),
        ("su", "geus dina banding"),
        ("af", "Hieroor is reeds"),
    ],
)
def test_refusals_are_said_in_the_language_of_the_page(
    page: Page, served: str, played: DeskMatch, lang: str, said: str
):
    page.goto(f"{served}/live/kitchen?lang={lang}")
    page.locator('.verdict[data-id="v1"] .chips button').first.click()
    page.locator("#fix").get_by_role("button", name="Ben").last.click()
    played.desk.appeal("v1", "Ana", "")

    page.locator("#fix .primary").click()

    expect(page.locator("#fix .error")).to_contain_text(said)


def test_a_server_that_is_away_is_told_in_the_language_of_the_page(
    page: Page, played: DeskMatch, tmp_path: Path
):
    hub = Hub()
    hub.add(played.feed, played.desk)
    with serving(hub) as address:
        page.goto(f"{address}/live/kitchen?lang=af")
        expect(page.locator(".call-set .main").first).to_be_visible()

    page.locator(".call-set .main").first.click()

    expect(page.locator("#call-said")).to_contain_text("Die bediener antwoord nie")


TURNING = "\u202eevil\u2066 \u200fAna\u2069\u2067"


@pytest.mark.parametrize(
    ("path", "ready"),
    [
        ("", "#matches .name"),
        ("live/kitchen", "#verdicts .reason"),
        ("review/friday#v1", "#case-said"),
        ("board", ".table bdi"),
        ("overlay/kitchen?show=bar,cards,verdict,ticker", "#players .name"),
    ],
)
def test_a_name_turns_no_sentence(page: Page, address: str, feed: MatchFeed, path: str, ready: str):
    foul = verdict(1, ruling="ILLEGAL", player=TURNING, reason=f"{TURNING} put 9S on 2H")
    feed.rule((foul,), standings(player("south", TURNING, 7), player("north", "Ben", 4)))

    page.goto(f"{address}/{path}")
    expect(page.locator(ready).first).to_be_visible()

    shown = page.evaluate("document.body.innerText + document.title")
    assert "evil Ana" in shown
    assert [hex(ord(letter)) for letter in shown if letter in TURNING and not letter.isascii()] == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    "name", ["Bartholomew-" * 16, "\u0639\u0628\u062f\u0627\u0644\u0631\u062d\u0645\u0646" * 20]
)
def test_a_name_without_end_sticks_out_of_no_dialog(
    pages: Callable[..., Page], monkeypatch: pytest.MonkeyPatch, width: int, name: str
):
    monkeypatch.setattr("desk_match.HEADER", HEADER.replace("north Ben", f"north {name}"))
    match = DeskMatch(None, RACE.replace("Ben", name)).play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    page = pages(width=width, height=844)

    def sticking_out() -> list[str]:
        """The boxes whose content is wider than they are."""
        return list(
            page.evaluate(
                """() => [document.documentElement, ...document.querySelectorAll("dialog[open], .panel")]
                  .filter((box) => box.scrollWidth > box.clientWidth + 1)
                  .map((box) => `${box.tagName} ${box.id}`)"""
            )
        )

    with serving(hub) as address:
        page.goto(f"{address}/live/kitchen")
        page.locator('.verdict[data-id="v1"] .chips button').first.click()
        expect(page.locator("#fix")).to_be_visible()
        assert sticking_out() == []
        page.locator("#fix .choices button:not(:disabled)").nth(3).click()
        expect(page.locator("#fix .score-change, #fix .error").first).to_be_visible()
        assert sticking_out() == []
        page.goto(f"{address}/review/friday#v1")
        expect(page.locator("#answer")).to_be_visible()
        overrule(page)
        assert sticking_out() == []
        page.goto(f"{address}/live/kitchen")
        page.locator("#count-more summary").click()
        assert sticking_out() == []


def test_formulas_and_parts_keep_their_order_from_right_to_left(page: Page, served: str):
    open_case(page, served, lang="ar")
    expect(page.locator("#arithmetic .yes")).to_be_visible()

    assert "\u2066" in page.locator("#arithmetic .yes").inner_text()
    page.goto(f"{served}/live/kitchen?lang=ar")
    detail = page.locator(".verdict .detail").first
    expect(detail).to_be_visible()
    parts = detail.inner_text().split(" · ")
    assert len(parts) == 4
    assert all(part[0] in "\u2066\u2067" and part[-1] == "\u2069" for part in parts)


def test_one_table_is_one_table(pages: Callable[..., Page], served: str):
    said = {}
    for lang in ("en", "ar", "mr", "su", "af"):
        page = pages()
        page.goto(f"{served}/board?lang={lang}")
        expect(page.locator("#summary")).not_to_be_empty()
        said[lang] = page.locator("#summary").inner_text().replace("\u2067", "").replace("\u2069", "")

    assert said == {
        "en": "1 table, 0 wait for a person",
        "ar": "طاولة واحدة، لا شيء في انتظار شخص",
        "mr": "1 टेबल, 0 माणसाची वाट पाहत आहेत",
        "su": "1 méja, 0 nungguan jalma",
        "af": "1 tafel, 0 wag vir \u2019n mens",
    }


@pytest.mark.parametrize("path", ["board", "tokens"])
def test_no_column_of_a_table_is_cut_on_a_telephone(
    pages: Callable[..., Page], served: str, played: DeskMatch, path: str
):
    played.finish()
    played.feed.end(MatchState.FINISHED)
    page = pages(width=390, height=844)
    token = {"name": "Bartholomew Featherstonehaugh-Cholmondeley", "scopes": ["operator"], "days": 90}
    assert page.request.post(f"{served}/api/v1/tokens", data=token).status == 201
    page.goto(f"{served}/{path}")
    expect(page.locator(".wide td").last).to_be_visible()

    boxes = page.locator(".wide td").evaluate_all(
        "cells => cells.map((cell) => cell.getBoundingClientRect())"
    )

    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert page.evaluate(
        "[...document.querySelectorAll('.wide')].every((box) => box.scrollWidth <= box.clientWidth)"
    )


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_no_text_of_the_time_axis_is_cut(pages: Callable[..., Page], served: str, width: int):
    page = pages(width=width, height=1080)
    open_case(page, served)
    expect(page.locator("#axis text").first).to_be_visible()

    # In one step: the axis is drawn anew whenever the page hears of something.
    whole, texts = page.evaluate(
        """() => {
          const boxOf = (each) => each.getBoundingClientRect();
          const svg = document.querySelector("#axis > svg");
          const texts = [...svg.querySelectorAll("text")];
          return [boxOf(svg), texts.map((text) => [text.textContent, boxOf(text)])];
        }"""
    )
    assert texts
    for text, box in texts:
        assert box["x"] >= whole["x"] - 1, text
        assert box["x"] + box["width"] <= whole["x"] + whole["width"] + 1, text


def test_a_reversal_is_on_every_open_page_within_a_second(
    pages: Callable[..., Page], served: str, played: DeskMatch
):
    overlay, live, review, board, home = (pages() for _ in range(5))
    overlay.goto(f"{served}/overlay/kitchen")
    live.goto(f"{served}/live/kitchen")
    review.goto(f"{served}/review/friday#v1")
    plan = live.request.post(f"{served}/api/v1/tournament", data={"toml": DUEL})
    assert plan.status == 201, plan.text()
    board.goto(f"{served}/board")
    home.goto(f"{served}/")
    watched = [
        (overlay, "#players .total"),
        (live, ".player .total"),
        (board, "#tables .players b"),
        (board, "#seatings .sides b"),
        (home, "#matches .players b"),
    ]
    expect(review.locator("#case-title .pill")).to_have_text("stands")
    entry = None

    def seconds_until_seen() -> float:
        nonlocal entry
        body: dict[str, object] = {"kind": "undo", "entry": entry, "reason": "again"}
        path = f"{served}/api/v1/matches/friday/corrections"
        totals, pill = ["1", "1"], "stands"
        if entry is None:
            path = path.replace("corrections", "resolutions")
            body = {
                "verdict_id": "v1",
                "decision": "overturned",
                "ruling": "FIRST",
                "kept": [1],
                "reason": "x",
            }
            totals, pill = ["0", "2"], "overturned"
        confirm = live.request.post(path, data=body).json()["confirm"]
        done = live.request.post(path, data={**body, "confirm": confirm}).json()
        begun = time.monotonic()
        for page, where in watched:
            expect(page.locator(where)).to_have_text(totals)
        expect(review.locator("#case-title .pill")).to_have_text(pill)
        entry = done["entry"] if entry is None else None
        return time.monotonic() - begun

    # The best of six: pages that wait longer by design never come below a second, a busy machine does once.
    assert min(seconds_until_seen() for _ in range(6)) < 1.0


COUNTS_SOCKETS = """
  window.made = window.opened = 0;
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      window.made += 1;
      this.addEventListener("open", () => { window.opened += 1; });
    }
  };
"""


@pytest.mark.parametrize(
    ("path", "where"),
    [
        pytest.param("overlay/kitchen", "#players .total", id="overlay"),
        pytest.param("live/kitchen", ".player .total", id="live"),
        pytest.param("board", "#tables .players b", id="cards of the board"),
        pytest.param("board", "#seatings .sides b", id="the board's tournament"),
        pytest.param("", "#matches .players b", id="home"),
        pytest.param("review/friday#v1", "#case-title .pill", id="review"),
    ],
)
def test_a_reversal_is_seen_by_a_page_that_never_looks_of_itself(
    page: Page, served: str, played: DeskMatch, path: str, where: str
):
    assert page.request.post(f"{served}/api/v1/tournament", data={"toml": DUEL}).status == 201
    played.finish()
    played.feed.end(MatchState.FINISHED)
    page.add_init_script(COUNTS_SOCKETS)
    page.clock.install()
    page.goto(f"{served}/{path}")
    expect(page.locator(where).first).to_have_text("stands" if path.startswith("review") else "1")
    page.wait_for_function("opened > 0 && opened === made")  # what happens before that it asks for by a timer
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)  # no timer of the page runs any more

    played.desk.wish(OVERTURNED, played.desk.wish(OVERTURNED, None).confirm)

    expect(page.locator(where).first).to_have_text("overturned" if path.startswith("review") else "0")


def test_a_double_click_publishes_once(page: Page, served: str, played: DeskMatch):
    open_case(page, served)
    overrule(page)

    page.get_by_role("button", name="Publish").dblclick()

    expect(page.locator("#case-title")).to_contain_text("overturned")
    assert [review.kind for review in played.feed.seen(0).reviews] == ["resolution"]


def test_a_double_click_appeals_once(page: Page, served: str, played: DeskMatch):
    open_case(page, served)
    page.keyboard.press("a")
    page.locator("#fix").get_by_role("button", name="Ben").click()

    page.locator("#fix").get_by_role("button", name="Appeal", exact=True).dblclick()

    expect(page.locator("#case-title .pill")).to_have_text("under appeal")
    expect(page.locator("#fix")).to_be_hidden()
    assert len(played.feed.seen(0).reviews) == 1
