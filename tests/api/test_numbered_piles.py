"""People count piles from 1, however a table file numbers them; addresses and records keep their numbers."""

from pathlib import Path

import pytest
from desk_match import DeskMatch
from playwright.sync_api import Page, expect

from api.captions import pile_words
from api.hub import Hub
from api.languages import language
from api.schemas import MatchState, ScoreOut
from api.server import serving

FROM_ZERO = """
piles F0 F1 Ana/W0 Ana/W1 Ana/waste Ben/waste
F0: ... 4H
F1: ... 7C
land Ana 5H waste F0 900..1000
land Ben 9C waste F1 5000..5100
"""


def score(game: str, *kinds: str) -> ScoreOut:
    return ScoreOut(
        match_id="m",
        table="t",
        game=game,
        state=MatchState.PLAYING,
        t_us=0,
        kinds_from_zero=kinds,
        players=(),
        open_items=(),
    )


@pytest.mark.parametrize(
    ("pile", "shown", "said"),
    [
        pytest.param("table/foundation[0]", score("nerts", "foundation"), "foundation 1", id="from zero"),
        pytest.param("table/foundation[3]", score("nerts"), "foundation 3", id="from one"),
        pytest.param("south/tableau[0]", score("nerts", "tableau"), "Ana’s work pile 1", id="a player's"),  # noqa: RUF001
        pytest.param("south/tableau[1]", score("spit", "hand"), "Ana’s stock pile 1", id="in Spit"),  # noqa: RUF001
        pytest.param("south/waste", score("nerts", "waste"), "Ana’s waste", id="one of a kind"),  # noqa: RUF001
        pytest.param("nonsense", score("nerts"), "nonsense", id="no pile's name"),
    ],
)
def test_piles_are_called_by_their_number_from_one(pile: str, shown: ScoreOut, said: str):
    assert pile_words(pile, {"south": "Ana"}, shown, language("en")) == said


@pytest.mark.browser
def test_pages_count_piles_from_one(page: Page, tmp_path: Path):
    match = DeskMatch(tmp_path / "friday.jsonl", FROM_ZERO).play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    with serving(hub) as served:
        page.goto(f"{served}/live/kitchen")
        expect(page.locator(".verdict").filter(has_text="5♥")).to_contain_text("foundation 1")
        expect(page.locator(".verdict").filter(has_text="9♣")).to_contain_text("foundation 2")

        page.goto(f"{served}/review/friday#v2")
        expect(page.locator("#facts")).to_contain_text("foundation 2")
        told = page.request.get(f"{served}/api/v1/matches/friday/verdicts").json()

    assert [each["pile"] for each in told] == ["table/foundation[0]", "table/foundation[1]"]
    match.record.close()
