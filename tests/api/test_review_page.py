"""Review and board in a browser: by keyboard alone, frame by frame, a reversal on every open page."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from desk_match import DeskMatch
from numbered_films import number_in, write_film
from playwright.sync_api import Page, expect
from scripted_match import ScriptedEyes, bare, landing, recorded_match

from api.evidence_keeper import EvidenceKeeper
from api.evidence_shelf import EvidenceShelf, Retention
from api.hub import Hub
from api.languages import language as spoken
from api.match_runner import MatchRunner, Outlets
from api.pace import FullSpeed
from api.record_file import RecordFile
from api.record_shelf import shown_match
from api.server import serving
from api.stopping import StopWish
from vision.calibration import calibrate_from_corners
from vision.evidence import EvidenceSettings
from vision.sources import open_source
from vision.table import FourCorners, Table, Zone

pytestmark = pytest.mark.browser

FRAME_US = 20_000
SETTINGS = EvidenceSettings(before_us=600_000, after_us=400_000, clip_us_at_most=3_000_000, keep_us=4_000_000)
VIEW = FourCorners((160, 48), ((0.0, 0.0), (160.0, 0.0), (160.0, 48.0), (0.0, 48.0)))
FOUL_US = 3_000_000


@pytest.fixture
def served(played: DeskMatch) -> Iterator[str]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with serving(hub) as address:
        yield address


def test_a_dispute_is_ruled_on_by_keyboard_alone(page: Page, served: str, played: DeskMatch):
    page.goto(f"{served}/review/friday")
    expect(page.locator(".item")).to_have_count(2)
    expect(page.locator("#case-title")).to_contain_text("v1")

    page.keyboard.press("j")
    expect(page.locator("#case-title")).to_contain_text("v3")
    page.keyboard.press("k")
    expect(page.locator("#answer")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("[name=ruling]:checked + svg + .ruling")).to_have_text("Ben was first")
    page.keyboard.press("ArrowRight")  # then a tie
    expect(page.locator("[name=kept]:checked")).to_have_count(2)  # In a tie each card stays.
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("both were there at once")
    page.keyboard.press("Tab")
    page.keyboard.type("Rita")
    page.keyboard.press("Enter")
    expect(page.locator("#answer .changes li")).not_to_have_count(0)
    assert played.feed.verdicts[0].standing == "standing"
    page.keyboard.press("Enter")

    expect(page.locator("#case-title")).to_contain_text("overturned")
    expect(page.locator("#case-reviews")).to_contain_text("Rita: both were there at once")
    assert [
        (verdict.standing, verdict.ruling) for verdict in played.feed.verdicts if verdict.verdict_id == "v1"
    ] == [("overturned", "FIRST")]
    assert any((verdict.ruling, verdict.basis) == ("TIE", "review") for verdict in played.feed.verdicts)


def test_an_answer_without_a_reason_is_not_sent(page: Page, served: str):
    page.goto(f"{served}/review/friday")
    expect(page.locator("#case-title")).to_contain_text("v1")
    expect(page.locator("#answer")).to_be_visible()  # Once it is known that this person may answer.
    page.keyboard.press("s")
    expect(page.locator("[name=reason]")).to_be_focused()

    page.evaluate("document.querySelector('#answer form').noValidate = true")
    page.keyboard.press("Enter")

    expect(page.locator("#answer .error")).to_contain_text("says who and why")


def test_touch_times_come_with_their_arithmetic(page: Page, served: str):
    page.goto(f"{served}/review/friday#v1")

    expect(page.locator("#arithmetic")).to_contain_text("= 33.3 ms")
    expect(page.locator("#arithmetic")).to_contain_text("surely later")
    expect(page.locator("#arithmetic")).to_contain_text("Here nothing is rounded.")
    expect(page.locator("#axis svg rect[fill='url(#hatch)']")).to_have_count(2)
    expect(page.locator("#rule-text")).to_contain_text("the first to touch the pile keeps the place")


def test_where_all_is_whole_nothing_is_said_of_rounding(page: Page):
    race = "F1: ... 4H\nland Ana 5H waste F1 983..1000\nland Ben 5H waste F1 1033..1050\n"
    match = DeskMatch(None, race).play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    with serving(hub) as address:
        page.goto(f"{address}/review/friday#v1")

        expect(page.locator("#arithmetic")).to_contain_text("= 33 ms")
        expect(page.locator("#arithmetic")).not_to_contain_text("rounded")


def test_a_case_can_be_taken_along(page: Page, served: str):
    page.goto(f"{served}/review/friday#v1")

    with page.expect_download() as download:
        page.get_by_role("button", name="Export this case").click()

    assert download.value.suggested_filename == "friday-v1.zip"
    assert Path(download.value.path()).read_bytes()[:2] == b"PK"


def test_a_reversal_shows_on_every_open_page(pages: Callable[..., Page], served: str, played: DeskMatch):
    overlay, live, review, board = (pages() for _ in range(4))
    overlay.goto(f"{served}/overlay/kitchen")
    live.goto(f"{served}/live/kitchen")
    review.goto(f"{served}/review/friday#v1")
    board.goto(f"{served}/board")
    expect(overlay.locator("#players .total")).to_have_text(["1", "1"])
    expect(board.locator(".players b")).to_have_text(["1", "1"])
    expect(live.locator('.verdict[data-id="v1"]')).to_be_visible()
    expect(review.locator("#case-title")).to_contain_text("first")

    answer = {
        "verdict_id": "v1",
        "decision": "overturned",
        "ruling": "FIRST",
        "kept": [1],
        "reason": "Ben",
        "reviewer": "Rita",
    }
    path = f"{served}/api/v1/matches/friday/resolutions"
    confirm = live.request.post(path, data=answer).json()["confirm"]
    assert live.request.post(path, data={**answer, "confirm": confirm}).status == 201

    expect(overlay.locator("#old")).to_be_visible()
    expect(overlay.locator("#players .total")).to_have_text(["0", "2"])
    expect(live.locator('.verdict[data-id="v1"]')).to_contain_text("overturned")
    expect(review.locator("#case-title")).to_contain_text("overturned")
    expect(board.locator(".players b")).to_have_text(["0", "2"])


# -- frame by frame ---------------------------------------------------------------------------------------


@pytest.fixture
def filmed(tmp_path: Path) -> Iterator[str]:
    """A match with a foul at 3 s, filmed with the number of each frame burnt in, and its clips."""
    film = write_film(tmp_path / "made.mp4", "libx264", {"bf": "3", "g": "20"}, range(0, 300 * 1800, 1800))
    polygon = np.array([[10, 5], [40, 5], [40, 40], [10, 40]], np.float32)
    zone = Zone(landing("9H", 0).pile, polygon)
    table = Table(
        name="kitchen", game="nerts", size_mm=(160.0, 48.0), view=VIEW, seats=(), zones=(zone,), rules={}
    )
    shelf = EvidenceShelf(tmp_path / "evidence")
    record_path = tmp_path / "friday.jsonl"
    calibration = calibrate_from_corners(VIEW, table.size_mm)
    eyes = ScriptedEyes({0: bare(0), FOUL_US: landing("9H", FOUL_US)})
    with open_source(str(film)) as source, RecordFile(record_path) as record:
        keeper = EvidenceKeeper(
            shelf.new_match("friday"),
            source,
            table,
            lambda: calibration,
            settings=SETTINGS,
            retention=Retention(free_bytes_at_least=0),
            tell=lambda _: None,
        )
        with keeper:
            MatchRunner(eyes, recorded_match(), Outlets(record=record, evidence=keeper)).run(
                source, FullSpeed(), StopWish()
            )
    hub = Hub()
    feed, desk, _ = shown_match(record_path, match_id="friday")[:3]
    hub.add(feed, desk)
    hub.evidence = shelf
    with serving(hub) as address:
        yield address


def shown_frame(page: Page) -> int:
    """The number burnt into the frame that the page shows."""
    data = page.evaluate(
        """() => {
          const image = document.querySelector("#stage img");
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
          canvas.getContext("2d").drawImage(image, 0, 0);
          return canvas.toDataURL("image/png").split(",")[1];
        }"""
    )
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR)
    return number_in(picture)


def first_shown_us(page: Page) -> int:
    """The time of the frame that a case opens with, once it is there."""
    expect(page.locator("#stage img[data-us]")).to_be_visible()
    return int(page.locator("#stage img").get_attribute("data-us") or 0)


def wait_for_frame(page: Page, us: int) -> None:
    expect(page.locator("#stage img")).to_have_attribute("data-us", str(us))
    expect(page.locator("#stage .loading")).to_have_count(0)


def test_the_frame_that_is_shown_is_the_one_asked_for_on_and_back(page: Page, filmed: str):
    page.goto(f"{filmed}/review/friday")
    page.locator("#drawn").click()
    start_us = first_shown_us(page)
    wait_for_frame(page, start_us)
    first = shown_frame(page)
    at_first_us = start_us

    seen = []
    for key, by in ((".", 1), (".", 1), (".", 1), (",", -1), (",", -1), (",", -1), (",", -1)):
        page.keyboard.press(key)
        start_us += by * FRAME_US
        wait_for_frame(page, start_us)
        seen.append(shown_frame(page))

    assert first == at_first_us // FRAME_US
    assert seen == [first + 1, first + 2, first + 3, first + 2, first + 1, first, first - 1]


def test_it_plays_slowly_zooms_and_stands_still(page: Page, filmed: str):
    page.goto(f"{filmed}/review/friday")
    start_us = first_shown_us(page)

    page.keyboard.press("+")
    page.keyboard.press("[")
    page.keyboard.press("Space")
    expect(page.locator("#stage img")).not_to_have_attribute("data-us", str(start_us))
    page.keyboard.press("Space")
    place = page.locator("#where").text_content()

    assert page.locator("#speed").input_value() == "0.1"
    assert "scale(1.5)" in (page.locator("#stage img").get_attribute("style") or "")
    page.wait_for_timeout(700)
    assert page.locator("#where").text_content() == place


def test_the_page_says_what_a_saved_case_lacks(page: Page, filmed: str, tmp_path: Path):
    page.goto(f"{filmed}/review/friday#v1")
    said = page.locator("#export-row [role=status]")
    with page.expect_download():
        page.get_by_role("button", name="Export this case").click()
    expect(said).to_have_text("")
    films = list((tmp_path / "evidence").glob("*/c*.mp4"))

    for film in films:
        film.write_bytes(film.read_bytes()[:-2000])
    with page.expect_download():
        page.get_by_role("button", name="Export this case").click()

    assert films
    expect(said).to_contain_text("Saved, but not all of its pictures are in it (c1)")
    expect(said).to_be_visible()


@pytest.mark.parametrize("language", ["en", "ar", "mr", "su", "af"])
def test_a_match_that_is_over_and_has_no_clips_says_so(page: Page, tmp_path: Path, language: str):
    """As the live page does; nothing is waited for."""
    path = DeskMatch(tmp_path / "friday.jsonl").play().finish().record.path
    hub = Hub()
    opened = shown_match(path, match_id="friday")
    hub.add(opened.feed, opened.desk)
    hub.evidence = EvidenceShelf(tmp_path / "evidence")
    hub.evidence.bind("friday", opened.clips)
    with serving(hub) as address:
        page.goto(f"{address}/review/friday?lang={language}#v3")

        expect(page.locator("#no-evidence")).to_have_text(spoken(language).words["live.no_picture_kept"])
        expect(page.locator("#no-evidence")).not_to_have_class("busy")


def test_a_play_whose_clip_is_gone_is_not_waited_for(page: Page, filmed: str, tmp_path: Path):
    for film in (tmp_path / "evidence").glob("*/c*"):
        film.unlink()

    page.goto(f"{filmed}/review/friday#v1")

    expect(page.locator("#no-evidence")).to_have_text("No picture is kept of this play.")
    expect(page.locator("#no-evidence")).not_to_have_class("busy")


def test_the_clip_of_a_match_that_runs_is_waited_for(
    page: Page, served: str, played: DeskMatch, tmp_path: Path
):
    """Unless nobody keeps any: then none is waited for either."""
    page.goto(f"{served}/review/friday#v1")
    expect(page.locator("#no-evidence")).to_have_text("No picture is kept with this match.")

    hub = Hub()
    hub.add(played.feed, played.desk)
    hub.evidence = EvidenceShelf(tmp_path / "evidence")
    with serving(hub) as address:
        page.goto(f"{address}/review/friday#v1")
        expect(page.locator("#no-evidence")).to_contain_text("still being kept")


def test_the_overlay_replays_slowly_what_was_overturned(pages: Callable[..., Page], filmed: str):
    page = pages()
    page.goto(f"{filmed}/overlay/kitchen?show=bar,replay")
    expect(page.locator("#players .total").first).to_be_visible()
    expect(page.locator("#replay")).to_be_hidden()
    given = page.request.get(f"{filmed}/api/v1/matches/friday/verdicts").json()[0]
    answer = {
        "verdict_id": given["verdict_id"],
        "decision": "overturned",
        "ruling": "LEGAL",
        "kept": [0],
        "reason": "it is the ace",
        "reviewer": "Rita",
    }
    path = f"{filmed}/api/v1/matches/friday/resolutions"
    confirm = page.request.post(path, data=answer).json()["confirm"]

    assert page.request.post(path, data={**answer, "confirm": confirm}).status == 201

    expect(page.locator("#replay")).to_be_visible()
    assert page.evaluate("document.getElementById('film').playbackRate") == 0.25


# -- all in one window ------------------------------------------------------------------------------------


def outside(page: Page, *wanted: str) -> list[str]:
    """Which of these is not whole within the window, or lies below something else."""
    return list(
        page.evaluate(
            """wanted => wanted.filter((selector) => {
              const made = document.querySelector(selector);
              const box = made?.getBoundingClientRect();
              if (!box || box.width === 0) return true;
              if (box.top < 0 || box.bottom > innerHeight) return true;
              if (box.left < 0 || box.right > innerWidth) return true;
              const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
              return !(made.contains(top) || top?.contains(made));
            })""",
            list(wanted),
        )
    )


@pytest.mark.parametrize("lang", ["en", "ar"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (1024, 768)])
def test_picture_touches_and_answer_are_seen_together(
    pages: Callable[..., Page], filmed: str, width: int, height: int, lang: str
):
    page = pages(width=width, height=height)
    page.goto(f"{filmed}/review/friday?lang={lang}")
    first_shown_us(page)
    expect(page.locator("#axis > svg")).to_be_visible()
    buttons = [f"#answer .big button:nth-child({place})" for place in (1, 2)]
    assert outside(page, "#stage img", "#play", "#where", "#axis > svg", "#case-said", *buttons) == []

    page.keyboard.press("o")
    expect(page.locator("[name=reviewer]")).to_be_visible()

    asked = ["[name=ruling]", "#answer fieldset", "[name=reason]", "[name=reviewer]", "#answer .primary"]
    if height > width / 1.7 and width < 1200:  # a tablet: the form may be scrolled, the pictures stay
        page.locator("#answer .primary").scroll_into_view_if_needed()
        asked = asked[2:]
    assert outside(page, "#stage img", "#axis > svg", *asked) == []
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (1024, 768)])
def test_what_follows_and_publishing_are_seen_together(
    pages: Callable[..., Page], filmed: str, width: int, height: int
):
    page = pages(width=width, height=height)
    page.goto(f"{filmed}/review/friday")
    first_shown_us(page)
    page.keyboard.press("o")
    page.locator("[name=reason]").fill("it lay on an ace " * 20)
    page.keyboard.press("Enter")
    expect(page.locator("#answer .score-change")).to_be_visible()
    assert outside(page, "#stage img", "#axis > svg", "#answer .primary") == []

    page.keyboard.press("Enter")

    expect(page.locator("#case-title .pill")).to_have_text("overturned")
    assert outside(page, "#stage img", "#axis > svg", "#case-title") == []


@pytest.mark.parametrize(("width", "height"), [(768, 1024), (390, 844)])
def test_the_answer_stays_at_hand_on_a_narrow_screen(
    pages: Callable[..., Page], filmed: str, width: int, height: int
):
    page = pages(width=width, height=height)
    page.goto(f"{filmed}/review/friday")
    first_shown_us(page)
    buttons = [f"#answer .big button:nth-child({place})" for place in (1, 2)]

    assert page.evaluate(
        """() => {
          const where = document.querySelector("#where");
          where.textContent = "Frame 12345 of 67890 · 12:34.567";
          const rightOf = (box) => box.getBoundingClientRect().right;
          return rightOf(where) <= rightOf(where.closest("#controls")) + 1;
        }"""
    )
    for part in (0.0, 0.3, 0.6, 1.0):
        page.evaluate("part => scrollTo(0, part * document.documentElement.scrollHeight)", part)
        assert outside(page, *buttons) == [], part
    page.locator("#answer button").nth(1).click()
    expect(page.locator("[name=reviewer]")).to_be_visible()

    assert outside(page, "[name=reason]", "[name=reviewer]", "#answer .primary") == []


def test_a_frame_that_cannot_be_had_says_so_and_is_asked_for_again(page: Page, filmed: str):
    page.goto(f"{filmed}/review/friday")
    first_us = first_shown_us(page)
    page.route("**/frames/*.jpg?*", lambda route: route.abort())
    for _ in range(6):  # those next to the first are here already
        page.keyboard.press(",")
    failed_us = first_us - 6 * FRAME_US
    said = f"at 0:{failed_us / 1e6:06.3f} · This picture cannot be had"
    expect(page.locator("#stage figure.failed")).to_have_text(said)

    page.unroute("**/frames/*.jpg?*")
    page.keyboard.press(".")
    page.keyboard.press(",")

    wait_for_frame(page, failed_us)
    expect(page.locator("#stage figure.failed")).to_have_count(0)


def test_a_telephone_asks_for_frames_with_large_letters(pages: Callable[..., Page], filmed: str):
    asked: list[str] = []
    page = pages(width=390, height=844)
    page.on("request", lambda request: asked.append(request.url) if "/frames/" in request.url else None)

    page.goto(f"{filmed}/review/friday")
    first_shown_us(page)

    assert all("small=true" in url for url in asked)
    usual = page.request.get(asked[0].replace("&small=true", ""))
    small = page.request.get(asked[0])
    assert (usual.status, small.status) == (200, 200)
    assert usual.body() != small.body()
    assert usual.headers["etag"] != small.headers["etag"]
