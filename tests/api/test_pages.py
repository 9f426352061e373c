"""The pages in a real browser: what a streamer and a family see."""

import cv2
import numpy as np
import pytest
from made_matches import player, standings, verdict
from playwright.sync_api import Page, expect

from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import MatchState, OpenItemOut, StandingsOut
from api.server import serving

pytestmark = pytest.mark.browser


def test_the_overlay_is_transparent_but_for_the_score(page: Page, address: str, feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 7), player("north", "Ben", 4)))
    page.goto(f"{address}/overlay/kitchen")
    expect(page.locator("#players .total")).to_have_text(["7", "4"])

    shot = page.screenshot(omit_background=True)
    alpha = cv2.imdecode(np.frombuffer(shot, dtype=np.uint8), cv2.IMREAD_UNCHANGED)[:, :, 3]

    assert alpha[:600].max() == 0
    assert alpha[940:1030, 800:1100].max() > 200
    assert (alpha == 0).mean() > 0.85


def test_the_overlay_follows_the_score(page: Page, address: str, feed: MatchFeed):
    page.goto(f"{address}/overlay/kitchen")
    expect(page.locator("#players .name")).to_have_text(["Ana", "Ben"])

    feed.rule(
        (verdict(1, ruling="ILLEGAL", reason="2D may not go on AH"),),
        standings(player("south", "Ana", 12), player("north", "Ben", 4)),
    )

    expect(page.locator("#players .total")).to_have_text(["12", "4"])
    expect(page.locator("#ruling")).to_have_text("foul")
    expect(page.locator("#reason")).to_have_text("Ana: 2D may not go on AH")
    expect(page.locator("#players li.leads .name")).to_have_text("Ana")


def test_a_score_with_open_items_is_never_called_final(page: Page, address: str, feed: MatchFeed):
    item = OpenItemOut(rule="N40", seat="south", pile="south/reserve", reason="not counted")
    feed.rule((), StandingsOut(players=(player("south", "Ana", 1),), open_items=(item,)))
    feed.end(MatchState.FINISHED)
    page.goto(f"{address}/overlay/kitchen")
    expect(page.locator("#state")).to_have_text("provisional")

    feed.rule((), standings(player("south", "Ana", 1)))

    expect(page.locator("#state")).to_have_text("final")


def test_the_overlay_says_when_the_line_is_lost_and_comes_back(page: Page, hub: Hub, feed: MatchFeed):
    with serving(hub) as address:
        page.goto(f"{address}/overlay/kitchen")
        expect(page.locator("#players .total")).to_have_text(["0", "0"])
        expect(page.locator("#stale")).to_be_hidden()
    expect(page.locator("#stale")).to_contain_text("connection lost")

    later = Hub()
    later.add(MatchFeed(match_id="later", table="kitchen", game="nerts", standings=standings()))
    later.feeds[0].rule((), standings(player("south", "Ana", 3), player("north", "Ben", 9)))
    with serving(later, port=int(address.rpartition(":")[2])):
        expect(page.locator("#players .total")).to_have_text(["3", "9"])
        expect(page.locator("#stale")).to_be_hidden()


def test_the_live_page_shows_verdicts_with_reasons_and_times(page: Page, address: str, feed: MatchFeed):
    feed.reach(5_000_000)
    feed.rule((verdict(1), verdict(2, ruling="TIE", rule="N16", reason="a clear tie")), standings())
    page.goto(f"{address}/live/kitchen")

    expect(page.locator("#verdicts .reason")).to_have_text(["a clear tie", "2H may go on the heart below it"])
    expect(page.locator("#verdicts .ruling").first).to_have_text("tie")
    expect(page.locator("#verdicts .rule").first).to_have_text("N16")
    expect(page.locator("#verdicts time").first).to_have_text("0:02.033")
    expect(page.locator("#state")).to_have_text("playing")

    feed.rule((verdict(3, reason="one more"),), standings(player("south", "Ana", 3)))
    feed.end(MatchState.FINISHED)

    expect(page.locator("#verdicts .reason").first).to_have_text("one more")
    expect(page.locator("#state")).to_have_text("finished")
    expect(page.locator("#players .total")).to_have_text("3")


def test_the_live_page_says_what_is_still_open(page: Page, address: str, feed: MatchFeed):
    item = OpenItemOut(rule="N40", seat="south", pile="south/reserve", reason="not counted")
    feed.rule((), StandingsOut(players=(player("south", "Ana", 1),), open_items=(item,)))
    page.goto(f"{address}/live/kitchen")

    expect(page.locator("#open li")).to_have_text("open: not counted (N40, Ana\u2019s Nerts pile)")


def test_the_live_page_shows_the_picture(page: Page, address: str, feed: MatchFeed):
    picture = np.full((90, 160, 3), (20, 200, 40), dtype=np.uint8)
    feed.show_picture(cv2.imencode(".jpg", picture)[1].tobytes())
    page.goto(f"{address}/live/kitchen")

    expect(page.locator("#picture")).to_be_visible()

    assert page.evaluate("document.getElementById('picture').naturalWidth") == 160


def test_the_page_of_a_match_without_pictures_never_asks_for_one(page: Page, address: str, feed: MatchFeed):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "picture.jpg" in request.url else None)
    feed.end(MatchState.BROKEN)
    page.goto(f"{address}/live/kitchen")
    expect(page.locator("#no-picture")).to_have_text("No picture is kept with this match.")

    page.wait_for_timeout(3_000)

    assert asked == []


def test_the_last_picture_of_a_match_is_shown_when_it_ends(page: Page, address: str, feed: MatchFeed):
    feed.reach(0)
    page.goto(f"{address}/live/kitchen")
    expect(page.locator("#state")).to_have_text("playing")

    picture = np.full((90, 160, 3), (20, 200, 40), dtype=np.uint8)
    feed.show_picture(cv2.imencode(".jpg", picture)[1].tobytes())
    feed.end(MatchState.FINISHED)

    expect(page.locator("#picture")).to_be_visible()


@pytest.mark.parametrize("path", ["overlay/kitchen", "live/kitchen", ""])
def test_a_name_is_shown_and_never_run(page: Page, address: str, feed: MatchFeed, path: str):
    name = "<img src=x onerror=\"document.title='run'\">"
    feed.rule((verdict(1, player=name, reason=name),), standings(player("south", name, 1)))
    page.goto(f"{address}/{path}")

    expect(page.get_by_text(name).locator("visible=true").first).to_be_visible()

    assert page.locator("img[onerror]").count() == 0
    assert page.title() != "run"
