# ruff: noqa: INP001 (a script, no package)
"""The pictures of docs/overlay.md, made anew from the overlay as it is: what OBS would lay over the table.

Wants Chromium and the development tools (`pip install --editable '.[dev]'`):

    .venv/bin/python benchmarks/overlay_pictures.py docs/pictures
"""

import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect, sync_playwright

from api.desk import MatchDesk
from api.feed import MatchFeed
from api.hub import Hub
from api.sample import bundled_sample
from api.server import serving
from api.views import standings_view
from referee.notation import Said, parse_game
from referee.record import RecordedMatch, RecordHeader
from vision.sources import open_source

BACKGROUND_US = 6_300_000
"""Of the sample: both hands are over the table."""
NOW_US = 181_000_000
SIZE_WH = (960, 540)

HEADER = "game nerts\n"
PLAYS = """
F1: ... 2H
F2: ... 6C
F3: ... 3S
land {one} 3H waste F1 900..920
land {two} 3H waste F1 990..1010
land {two} 4S waste F3 3000..3020
land {one} 7C waste F2 4000..4020
land {one} 9D waste F3 6000..6020
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One picture: who plays, how it is looked at, and which verdict a person overturns then."""

    name: str
    players: dict[str, str]
    """By their seats; the first two play."""
    query: str
    rules_verdict: str | None


WANTED = (
    Wanted("overlay-bar.png", {"south": "Ana", "north": "Ben"}, "show=bar,verdict,timer", "v1"),
    Wanted(
        "overlay-arabic.png",
        {
            "south": "Ana",
            "west": "Bartholomew Featherstonehaugh",
            "north": "\u0639\u0628\u062f \u0627\u0644\u0631\u062d\u0645\u0646",
            "east": "श्रीनिवास कुलकर्णी",
        },
        "show=bar,cards,ticker,timer&lang=ar",
        None,
    ),
)


def main(folder: Path) -> None:
    """Makes every picture."""
    behind = background()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for wanted in WANTED:
            picture = laid_over(behind, shot_of(browser, wanted))
            small = cv2.resize(picture, SIZE_WH, interpolation=cv2.INTER_AREA)
            cv2.imwrite(str(folder / wanted.name), small, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        browser.close()


def background() -> NDArray[np.uint8]:
    """The frame of the sample match that lies behind, 1920 x 1080."""
    with open_source(str(bundled_sample().clip)) as source:
        return next(frame.image_bgr for frame in source if frame.t_us >= BACKGROUND_US)


def shot_of(browser: Browser, wanted: Wanted) -> NDArray[np.uint8]:
    """The overlay alone: uint8 (1080, 1920, 4)."""
    hub = Hub()
    feed, desk = played(wanted.players)
    hub.add(feed, desk)
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    with serving(hub) as address:
        page.goto(f"{address}/overlay/kitchen?{wanted.query}")
        expect(page.locator("#players .total").first).to_be_visible()
        if wanted.rules_verdict is not None:
            overturn(page, address, wanted.rules_verdict)
            expect(page.locator("#old")).to_be_visible()
        expect(page.locator("#stale")).to_be_hidden()
        shot = page.screenshot(omit_background=True)
    page.close()
    return np.asarray(cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_UNCHANGED), dtype=np.uint8)


def played(players: dict[str, str]) -> tuple[MatchFeed, MatchDesk]:
    """A typed match of these players, played to its end."""
    one, two, *_ = players
    seats = "".join(f"player {seat} {seat}\n" for seat in players)
    game = parse_game(HEADER + seats + PLAYS.format(one=one, two=two))
    named = tuple(replace(seat, player=players[seat.player]) for seat in game.setup.seats)
    setup = replace(game.setup, seats=named)
    match = RecordedMatch(RecordHeader(setup=setup, table="kitchen", source="made.mp4"))
    standings = standings_view(match.referee.scorecard, setup)
    feed = MatchFeed(match_id="friday", table="kitchen", game="nerts", standings=standings)
    desk = MatchDesk(match, feed=feed)
    desk.begin(None)
    feed.reach(0)
    for step in game.steps:
        if isinstance(step, Said):
            desk.observe(step.observation, at_us=step.at_us)
    desk.advance(NOW_US)
    feed.reach(NOW_US)
    return feed, desk


def overturn(page: Page, address: str, verdict_id: str) -> None:
    """A person looked again: it was a tie."""
    answer = {"verdict_id": verdict_id, "decision": "overturned", "ruling": "TIE", "kept": [0, 1]}
    said = {**answer, "reason": "both hands were there", "reviewer": "Rita"}
    path = f"{address}/api/v1/matches/friday/resolutions"
    confirm = page.request.post(path, data=said).json()["confirm"]
    page.request.post(path, data={**said, "confirm": confirm})


def laid_over(behind: NDArray[np.uint8], shot: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture with the transparent one over it."""
    alpha = shot[:, :, 3:].astype(np.float32) / 255
    return np.asarray(behind * (1 - alpha) + shot[:, :, :3] * alpha, dtype=np.uint8)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
