"""People count piles from 1, however a table file numbers them; addresses and records keep their numbers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk_match import DeskMatch
from playwright.sync_api import Page, expect

from api import cli
from api.case_export import write_verdict_case
from api.case_file import check_case, read_member
from api.case_sheet import SHEET
from api.hub import Hub
from api.languages import language
from api.obs import dispute_in
from api.pile_names import names_in, names_shown
from api.schemas import MatchState, PlayerScoreOut, ScoreOut
from api.server import serving
from referee.messages import Reason, say

FROM_ZERO = """
piles F0 F1 Ana/W0 Ana/W1 Ana/waste Ben/waste
F0: ... 4H
F1: ... 7C
land Ana 5H waste F0 900..1000
land Ben 9C waste F1 5000..5100
"""


UNREAD = "land Ana ?? waste F1 9000..9100\n"
NUMBERED_FROM_ZERO = re.compile(r"(foundation|tableau)\[|\bF\d|/W\d")


def score(game: str, *kinds: str) -> ScoreOut:
    return ScoreOut(
        match_id="m",
        table="t",
        game=game,
        state=MatchState.PLAYING,
        t_us=0,
        kinds_from_zero=kinds,
        players=(PlayerScoreOut(seat="south", player="Ana", total=0, lines=()),),
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
    assert names_shown(shown, language("en")).name(pile) == said


@pytest.fixture
def match(tmp_path: Path) -> Iterator[DeskMatch]:
    """Cards on the second foundation, to which the table file gives number 1; the last was not read."""
    match = DeskMatch(tmp_path / "friday.jsonl", FROM_ZERO + UNREAD).play()
    yield match
    match.record.close()


@pytest.fixture
def record(match: DeskMatch, tmp_path: Path) -> Path:
    """Its record, closed."""
    match.desk.finish("over")
    match.record.close()
    return tmp_path / "friday.jsonl"


def told(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What a command prints for a person."""
    assert cli.run(list(args)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [(), ("--why", "v2")], ids=["verdicts", "why"])
def test_the_terminal_counts_piles_as_pages_do(
    record: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
):
    printed = told(capsys, "judge", str(record), *command)

    assert "foundation 2" in printed
    assert not NUMBERED_FROM_ZERO.search(printed)


def test_programs_get_the_names_of_the_record(record: Path, capsys: pytest.CaptureFixture[str]):
    rows = [json.loads(line) for line in told(capsys, "judge", str(record), "--json").splitlines()]

    assert [row["pile"] for row in rows if row["kind"] == "verdict"] == [
        "table/foundation[0]",
        "table/foundation[1]",
        "table/foundation[1]",
    ]


def test_the_sheet_of_a_case_counts_piles_as_pages_do(record: Path, tmp_path: Path):
    case = tmp_path / "case.zip"

    assert write_verdict_case(case, record.read_bytes(), "v2", None)

    sheet = read_member(case, SHEET).decode()
    assert "<dt>Pile</dt><dd>foundation 2</dd>" in sheet
    assert "9C from Ben&#x27;s waste on foundation 2" in sheet
    assert not NUMBERED_FROM_ZERO.search(sheet)
    assert "guard 16.666 ms" in sheet
    assert check_case(case).files


def test_chapters_of_a_recording_count_piles_as_pages_do(match: DeskMatch):
    changes = match.feed.changes_after(0) or ()

    disputes = [each for each in (dispute_in(match.feed, change) for change in changes) if each is not None]

    assert [dispute.chapter for dispute in disputes] == [
        "v3: a card came to foundation 2, but its face could not be read"
    ]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        pytest.param(
            say("onto_stock", card="5H", pile="south/stock"),
            "5H may not go to Ana's stock",
            id="a player's",
        ),
        pytest.param(
            say("stock_not_counted", player="Ana", pile="south/stock"),
            "how many cards Ana's stock has was not seen: count them or deal on camera",
            id="a player who is named already",
        ),
        pytest.param(
            say("between_piles", card="5H", piles="table/foundation[0] and table/foundation[1]"),
            "5H lies over foundation 1 and foundation 2 alike: which it was played on cannot be told",
            id="several",
        ),
        pytest.param(
            say("peek.nerts", player="table/foundation[0]", pile="table/foundation[0]"),
            "table/foundation[0] looked at a face-down card of foundation 1",
            id="a player may be called like a pile",
        ),
    ],
)
def test_sentences_have_the_names_that_people_use(match: DeskMatch, reason: Reason, said: str):
    assert names_in(match.desk.setup).sentence(reason) == said


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
