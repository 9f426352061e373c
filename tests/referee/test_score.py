"""Rules N39 and N40: lines that add up, and what is still unknown."""

import pytest
from typed_match import judged, setup

from referee.nerts_rules import NertsRules
from referee.piles import Seat
from referee.score import ScoreItem
from referee.verdicts import RuleId


def test_lines_add_up():
    outcome = judged("""
        land south AH waste F0 983-1000
        land south 2H waste F0 1983-2000
        count south/reserve 3 @9000
    """)

    lines = [line for line in outcome.scorecard.lines if line.seat is Seat.SOUTH]
    assert [(line.item, line.count, line.points_each, line.points) for line in lines] == [
        (ScoreItem.FOUNDATION_CARDS, 2, 1, 2),
        (ScoreItem.NERTS_CARDS_LEFT, 3, -2, -6),
    ]
    assert outcome.scorecard.total(Seat.SOUTH) == -4
    assert dict(outcome.scorecard.totals)[Seat.SOUTH] == -4
    assert [line.item.rule for line in lines] == [RuleId.N39, RuleId.N40]


def test_house_points():
    match = setup(rules=NertsRules(points_foundation=2, nerts_penalty=1))

    outcome = judged("land south AH waste F0 983-1000\ncount south/reserve 3 @9000", match)

    assert outcome.scorecard.total(Seat.SOUTH) == 2 - 3


def test_n40_a_pile_that_was_not_counted_is_said():
    outcome = judged("count south/reserve 0 @9000")

    assert [(unknown.rule, unknown.seat) for unknown in outcome.scorecard.unknowns] == [
        (RuleId.N40, Seat.NORTH),
        (RuleId.N40, Seat.EAST),
        (RuleId.N40, Seat.WEST),
    ]
    assert outcome.scorecard.is_provisional


def test_nothing_unknown_is_not_provisional():
    counts = "\n".join(f"count {seat}/reserve 1 @9000" for seat in ("south", "north", "east", "west"))

    assert not judged(counts).scorecard.is_provisional


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        pytest.param("look south/reserve empty @500", 0, id="seen empty"),
        pytest.param(
            "look south/reserve empty @500\nlook south/reserve 5H @900", None, id="and then not empty"
        ),
        pytest.param("look south/reserve 5H @500", None, id="a top card says nothing of the depth"),
        pytest.param("count south/reserve 5 @500", 5, id="counted"),
        pytest.param("count south/reserve 5 @500\ncount south/reserve 4 @900", 4, id="counted again"),
        pytest.param(
            "count south/reserve 4 @900\ncount south/reserve 5 @500", 4, id="an older count told late"
        ),
        pytest.param("count south/reserve 4 @900\ncount south/reserve 5 @900", 5, id="two counts at once"),
        pytest.param(
            "count south/reserve 5 @500\nland south AH nerts F0 983-1000", 4, id="one was played since"
        ),
        pytest.param(
            "land south AH nerts F0 983-1000\ncount south/reserve 5 @5000", 5, id="counted after it"
        ),
        pytest.param(
            "land south AH nerts F0 983-1000 settled=3000\ncount south/reserve 5 @3010",
            5,
            id="counted at once",
        ),
        pytest.param("count south/reserve 5 @500\nland south AH W0 nerts 983-1000", 6, id="one was put back"),
        pytest.param("count south/reserve 0 @500\nland south AH nerts F0 983-1000", 0, id="never below none"),
        pytest.param("count south/reserve 13 @500", 13, id="all of them"),
        pytest.param("count south/reserve 14 @500", None, id="more than were dealt is not believed"),
        pytest.param("count south/waste 14 @500", None, id="another pile does not score"),
    ],
)
def test_n40_how_many_cards_are_left(lines, left):
    outcome = judged(lines)

    counts = [
        line.count
        for line in outcome.scorecard.lines
        if line.seat is Seat.SOUTH and line.item is ScoreItem.NERTS_CARDS_LEFT
    ]
    assert counts == ([] if left is None else [left])


def test_n40_an_impossible_count_is_told():
    (verdict,) = judged("count south/reserve 14 @500").verdicts

    assert (f"{verdict.ruling} {verdict.rule}", verdict.seat) == ("FLAG N40", Seat.SOUTH)
    assert verdict.reason == (
        "14 cards were counted in south/reserve, but at most 13 can be left: count again"
    )
    assert (verdict.event.plays, verdict.evidence) == ((), ())


@pytest.mark.parametrize(
    ("landing", "owner"),
    [
        pytest.param("land south AH waste F0 983-1000", Seat.SOUTH, id="hand and layout agree"),
        pytest.param("land south AH - F0 983-1000", Seat.SOUTH, id="by the hand alone"),
        pytest.param("land - AH south/waste F0 983-1000", Seat.SOUTH, id="by the layout alone"),
        pytest.param("land - AH - F0 983-1000", None, id="nothing was seen"),
    ],
)
def test_n39_whose_card_it_is(landing, owner):
    scorecard = judged(landing).scorecard

    assert [seat for seat, points in scorecard.totals if points == 1] == ([] if owner is None else [owner])
    unknown = [each for each in scorecard.unknowns if each.rule is RuleId.N39]
    assert [each.reason for each in unknown] == (["whose AH it is was not seen"] if owner is None else [])


def test_illegal_cards_do_not_score():
    assert judged("land south 2H waste F0 983-1000").scorecard.total(Seat.SOUTH) == 0


def test_cards_that_nobody_owns_can_lose_a_race_too():
    outcome = judged("""
        land - AH - F0 983-1000 settled=1050
        land north AH waste F0 783-800 settled=1600
    """)

    assert [seat for seat, points in outcome.scorecard.totals if points] == [Seat.NORTH]
    assert [each for each in outcome.scorecard.unknowns if each.rule is RuleId.N39] == []
