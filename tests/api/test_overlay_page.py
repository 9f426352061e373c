"""The overlay in a real browser: its surfaces, its options, its freshness, and rulings that fell."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from desk_match import DeskMatch
from made_matches import player, standings, verdict
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, expect

from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import ReasonOut
from api.server import serving

pytestmark = pytest.mark.browser

SURFACES = ["bar", "cards", "verdict", "ticker", "timer"]


def foul(number: int, **changes: object):
    reason = ReasonOut(key="foundation_sequence.suit", args={"card": "2D", "base": "AH"})
    return verdict(number, **{"ruling": "ILLEGAL", "reasons": (reason,), **changes})


@pytest.mark.parametrize("surface", SURFACES)
def test_a_surface_has_an_address_of_its_own(page: Page, address: str, feed: MatchFeed, surface: str):
    feed.reach(0)
    feed.rule((foul(1),), standings(player("south", "Ana", 7), player("north", "Ben", 4)))

    page.goto(f"{address}/overlay/kitchen/{surface}")

    expect(page.locator(f"#{surface}")).to_be_visible()
    for other in set(SURFACES) - {surface}:
        expect(page.locator(f"#{other}")).to_be_hidden()


def test_surfaces_can_be_chosen_together(page: Page, address: str, feed: MatchFeed):
    feed.rule((foul(1),), standings(player("south", "Ana", 7), player("north", "Ben", 4)))

    page.goto(f"{address}/overlay/kitchen?show=cards,ticker")

    expect(page.locator(".player-card .total")).to_have_text(["7", "4"])
    expect(page.locator("#ticker li")).to_have_count(1)
    expect(page.locator("#bar")).to_be_hidden()


def test_players_come_in_the_order_asked_for(page: Page, address: str, feed: MatchFeed):
    three = (player("south", "Ana", 1), player("west", "Cid", 2), player("north", "Ben", 3))
    feed.rule((), standings(*three))

    page.goto(f"{address}/overlay/kitchen?players=Ben,south")

    expect(page.locator("#players .name")).to_have_text(["Ben", "Ana"])
    shapes = [mark.get_attribute("data-shape") for mark in page.locator("#players .seat-mark").all()]
    assert shapes == ["2", "0"]


@pytest.mark.parametrize("debug", ["1", "0"])
def test_what_makes_no_sense_is_left_out_and_told_only_where_asked_for(
    page: Page, address: str, feed: MatchFeed, debug: str
):
    feed.rule((), standings(player("south", "Ana", 7)))
    wrong = "theme=pink&scale=9&foo=1&accent=zzz&show=bar,nothing&lang=xx"

    page.goto(f"{address}/overlay/kitchen?{wrong}&debug={debug}")

    expect(page.locator("#players .total")).to_have_text("7")
    if debug == "1":
        expect(page.locator("#faults li")).to_have_count(6)
    else:
        expect(page.locator("#faults")).to_be_hidden()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        pytest.param(
            "players=Cid,south", "no player Cid sits here (want one of: south, Ana", id="a stranger"
        ),
        pytest.param("players=Cid", "no player Cid sits here", id="strangers alone"),
        pytest.param("shwo=bar", "option shwo is not known", id="a slip"),
        pytest.param("theme=pink", "option theme is pink", id="no such theme"),
        pytest.param("scale=", "option scale is", id="nothing"),
        pytest.param("theme=dark&theme=light", "option theme stands twice", id="one of two"),
        pytest.param("__proto__=1", "option __proto__ is not known", id="a name of the language"),
    ],
)
def test_what_is_left_out_of_an_address_is_told_when_it_is_opened(
    page: Page, address: str, feed: MatchFeed, query: str, said: str
):
    feed.rule((), standings(player("south", "Ana", 7), player("north", "Ben", 4)))
    page.clock.install()

    page.goto(f"{address}/overlay/kitchen?{query}")

    expect(page.locator("#players .total").first).to_have_text("7")
    expect(page.locator("#fault-list")).to_contain_text(said)
    page.clock.run_for(20_000)
    expect(page.locator("#faults")).to_be_hidden()


def test_an_address_without_fault_is_told_nothing(page: Page, address: str, feed: MatchFeed):
    feed.rule((), standings(player("south", "Ana", 7), player("north", "Ben", 4)))

    page.goto(f"{address}/overlay/kitchen?players=Ben,south&theme=light&scale=1.5&delay_s=0&lang=en")

    expect(page.locator("#players .total")).to_have_count(2)
    expect(page.locator("#faults")).to_be_hidden()


@pytest.mark.parametrize("layout", ["bottom", "top", "left", "right"])
@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720), (390, 844), (844, 390)])
@pytest.mark.parametrize("lang", ["en", "ar"])
def test_surfaces_lie_side_by_side_and_inside_the_window(
    pages: Callable[..., Page],
    address: str,
    feed: MatchFeed,
    layout: str,
    width: int,
    height: int,
    lang: str,
):
    feed.reach(0)
    feed.rule((foul(1), foul(2)), standings(player("south", "Ana", 7), player("north", "Ben", 4)))
    page = pages(width=width, height=height, reduced_motion="reduce")

    page.goto(f"{address}/overlay/kitchen?show=bar,cards,verdict,ticker,timer&layout={layout}&lang={lang}")
    expect(page.locator("#players .total").first).to_have_text("7")
    expect(page.locator("#verdict")).to_be_visible()

    boxes = {name: page.locator(f"#{name}").bounding_box() for name in SURFACES}
    outside = [
        name
        for name, box in boxes.items()
        if box["x"] < 0
        or box["y"] < 0
        or box["x"] + box["width"] > width
        or box["y"] + box["height"] > height
    ]
    overlapping = [
        (a, b)
        for a, b in combinations(SURFACES, 2)
        if min(boxes[a]["x"] + boxes[a]["width"], boxes[b]["x"] + boxes[b]["width"])
        - max(boxes[a]["x"], boxes[b]["x"])
        > 1
        and min(boxes[a]["y"] + boxes[a]["height"], boxes[b]["y"] + boxes[b]["height"])
        - max(boxes[a]["y"], boxes[b]["y"])
        > 1
    ]
    assert (outside, overlapping) == ([], [])


@pytest.mark.parametrize("layout", ["bottom", "left"])
@pytest.mark.parametrize("width", [1920, 390])
def test_six_players_all_show_their_totals(
    pages: Callable[..., Page], address: str, feed: MatchFeed, layout: str, width: int
):
    seats = ("south", "north", "east", "west", "northeast", "southwest")
    feed.rule((), standings(*(player(seat, f"Bartholomew {seat}", -10) for seat in seats)))
    page = pages(width=width, height=1080)

    page.goto(f"{address}/overlay/kitchen?show=bar&layout={layout}")
    expect(page.locator("#players .total")).to_have_count(6)

    bar = page.locator("#bar").bounding_box()
    boxes = page.locator("#players .total").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect())"
    )
    assert all(bar["x"] <= box["x"] and box["x"] + box["width"] <= bar["x"] + bar["width"] for box in boxes)
    assert bar["x"] >= 0
    assert bar["x"] + bar["width"] <= width


def test_a_narrow_window_shows_letters_that_can_be_read(
    pages: Callable[..., Page], address: str, feed: MatchFeed
):
    feed.rule((foul(1),), standings(player("south", "Ana", 7), player("north", "Ben", 4)))
    page = pages(width=390, height=844)

    page.goto(f"{address}/overlay/kitchen")
    expect(page.locator("#reason")).to_be_visible()

    heights = [page.locator(name).first.bounding_box()["height"] for name in ("#players .name", "#ruling")]
    assert min(heights) > 14


@pytest.mark.parametrize(
    ("option", "script", "wanted"),
    [
        pytest.param("theme=light", "document.documentElement.dataset.theme", "light", id="theme"),
        pytest.param("layout=top", "document.getElementById('stage').dataset.layout", "top", id="layout"),
        pytest.param(
            "accent=ff0088",
            "getComputedStyle(document.getElementById('bar')).borderBottomColor",
            "rgb(255, 0, 136)",
            id="accent",
        ),
        pytest.param(
            "scale=0.5", "getComputedStyle(document.getElementById('middle')).zoom", "0.5", id="scale"
        ),
        pytest.param("lang=ar", "document.documentElement.dir", "rtl", id="language"),
    ],
)
def test_options_change_how_it_looks(
    page: Page, address: str, feed: MatchFeed, option: str, script: str, wanted: str
):
    feed.rule((), standings(player("south", "Ana", 7)))

    page.goto(f"{address}/overlay/kitchen?{option}")
    expect(page.locator("#players .total")).to_have_text("7")

    assert page.evaluate(script) == wanted


def test_the_delay_is_asked_of_the_server(page: Page, address: str, feed: MatchFeed):
    asked: list[str] = []
    page.on("websocket", lambda socket: asked.append(socket.url))
    feed.rule((), standings(player("south", "Ana", 7)))
    feed.settle()

    page.goto(f"{address}/overlay/kitchen?delay_s=20")
    expect(page.locator("#players .total")).to_have_text("7")

    assert asked[0].endswith("/socket?delay_s=20")


def test_names_of_every_script_keep_their_own_direction(page: Page, address: str, feed: MatchFeed):
    names = [
        "عبد الرحمن بن محمد الفارسي",
        "श्रीनिवास कुलकर्णी",
        "Bartholomew Featherstonehaugh-Cholmondeley " * 3,
    ]
    feed.rule(
        (),
        standings(
            *(player(seat, name, -3) for seat, name in zip(("south", "west", "north"), names, strict=True))
        ),
    )

    page.goto(f"{address}/overlay/kitchen?lang=ar")
    expect(page.locator("#players .name")).to_have_text(names)

    boxes = page.locator("#players li").evaluate_all("all => all.map((one) => one.getBoundingClientRect())")
    assert all(a["x"] > b["x"] for a, b in pairwise(boxes))
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 1920 for box in boxes)
    assert page.locator("#players bdi").count() == 3
    expect(page.locator("#players .total").first).to_have_text("\u200e-3")


def test_quiet_verdicts_and_plain_plays_do_not_cover_the_picture(page: Page, address: str, feed: MatchFeed):
    unseen = ReasonOut(key="pile_depth_not_visible", args={"player": "Ana"})
    feed.rule(
        (verdict(1), verdict(2, ruling="UNDECIDED", reasons=(unseen,))), standings(player("south", "Ana", 7))
    )

    page.goto(f"{address}/overlay/kitchen")
    expect(page.locator("#players .total")).to_have_text("7")

    expect(page.locator("#verdict")).to_be_hidden()


def test_reasons_come_in_the_language_of_the_page(page: Page, address: str, feed: MatchFeed):
    page.goto(f"{address}/overlay/kitchen?lang=af")
    expect(page.locator("#players .total")).to_have_text(["0", "0"])

    feed.rule((foul(1),), standings(player("south", "Ana", 7)))

    expect(page.locator("#ruling")).to_have_text("fout")
    expect(page.locator("#reason")).to_contain_text("mag nie op A♥")


def test_a_ruling_that_fell_is_struck_through_and_what_holds_stands_below(page: Page, tmp_path: Path):
    match = DeskMatch(tmp_path / "r.jsonl").play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    with closing(match.record), serving(hub) as address:
        page.goto(f"{address}/overlay/kitchen")
        expect(page.locator("#players .total")).to_have_text(["1", "1"])

        overturn(page, address, {"verdict_id": "v1", "ruling": "TIE", "kept": [0, 1]})

        expect(page.locator("#old-ruling")).to_have_text("first")
        expect(page.locator("#ruling")).to_have_text("tie")
        expect(page.locator("#reason")).to_contain_text("looked again")
        assert page.locator("#old s").count() == 1


def overturn(page: Page, address: str, answer: dict[str, object]) -> None:
    """Answer a verdict over the web, both steps."""
    body = {"decision": "overturned", "reason": "seen again", "reviewer": "Rita", **answer}
    path = f"{address}/api/v1/matches/friday/resolutions"
    tried = page.request.post(path, data=body)
    assert tried.status == 200, tried.text()
    entered = page.request.post(path, data={**body, "confirm": json.loads(tried.text())["confirm"]})
    assert entered.status == 201, entered.text()


@contextmanager
def served(record: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The server as a process of its own, up until the block ends or it is killed."""
    program = "from api.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", str(record), "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_up(page: Page, address: str) -> None:
    for _ in range(240):
        with suppress(PlaywrightError):
            if page.request.get(f"{address}/healthz").ok:
                return
        page.wait_for_timeout(500)
    pytest.fail("the server did not come up")


def test_it_outlives_a_server_that_is_killed(pages: Callable[..., Page], tmp_path: Path):
    page, port = pages(), free_port()
    record = tmp_path / "friday.jsonl"
    DeskMatch(record).play().finish()
    with served(record, port) as server:
        wait_until_up(page, f"http://127.0.0.1:{port}")
        page.goto(f"http://127.0.0.1:{port}/overlay/kitchen")
        expect(page.locator("#players .total")).to_have_text(["1", "1"])
        expect(page.locator("#stale")).to_be_hidden()

        os.kill(server.pid, signal.SIGKILL)
        expect(page.locator("#stale")).to_contain_text("connection lost")
        expect(page.locator("#players .total")).to_have_text(["1", "1"])

    with served(record, port):
        wait_until_up(page, f"http://127.0.0.1:{port}")
        expect(page.locator("#stale")).to_be_hidden()
        expect(page.locator("#players .total")).to_have_text(["1", "1"])


def test_the_newest_play_of_the_ticker_is_cut_only_where_there_is_no_room(
    page: Page, address: str, feed: MatchFeed
):
    long = verdict(
        2, ruling="ILLEGAL", reason="9D may not go on 4S: a foundation goes up by one rank at a time"
    )
    feed.rule((verdict(1), long), standings(player("south", "Ana", 7), player("north", "Ben", 4)))

    page.goto(f"{address}/overlay/kitchen?show=bar,ticker")
    expect(page.locator("#ticker li")).to_have_count(2)

    first = page.locator("#ticker li").first
    assert first.evaluate("item => item.scrollWidth <= item.clientWidth")
