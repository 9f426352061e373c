"""Answers of people, folded: cards let stand on a layout, and looks at a pile whose last card is refused."""

from dataclasses import replace

import pytest
from reviewed_matches import RACE, ReviewedMatch

from referee.piles import Seat
from referee.proceedings import Standing
from referee.reviews import Fact, ReviewError
from referee.verdicts import Ruling

BEN = Seat.NORTH


def test_a_card_let_stand_on_a_layout_counts_there_and_the_referee_builds_on_what_it_saw():
    match = ReviewedMatch("""
        south/W1: 9H
        land Ana 7S waste south/W1 983.3..1000
        land Ana 6H waste south/W1 2983.3..3000
    """)
    assert [v.ruling for v in match.verdicts] == [Ruling.ILLEGAL, Ruling.LEGAL]

    match.enter(match.ruled("v1", Ruling.LEGAL, 0, reason="an 8S lay between"))

    assert match.standings == {"v1": "overturned by r1", "v2": "standing", "v3": "standing"}
    assert match.rulings["v3"].verdict.kept == (0,)


@pytest.mark.parametrize(
    ("top", "bens"),
    [
        pytest.param("5H", Ruling.LEGAL, id="the refused card, which tells nothing"),
        pytest.param("9S", Ruling.UNDECIDED, id="another card"),
    ],
)
def test_a_look_that_shows_another_card_than_the_refused_one_is_heeded(top, bens):
    refused = """
        F1: ... 4H
        land Ana 5H waste F1 983.3..1000
        look F1 {top} 1500
        land Ben 5H waste F1 3033.3..3050
    """
    match = ReviewedMatch(refused.format(top=top))

    match.enter(match.ruled("v1", Ruling.ILLEGAL, reason="both hands"))

    standing = [r.verdict for r in match.rulings.values() if r.standing is Standing.STANDING]
    assert [v.ruling for v in standing if v.seat is BEN] == [bens]


def test_facts_leave_it_to_the_referee_which_cards_stay():
    match = ReviewedMatch(RACE)
    facts = (Fact(entry=3, observation=None),)

    with pytest.raises(ReviewError, match="kept: only with a ruling"):
        match.enter(replace(match.seen("v1", *facts), kept=(0,)))

    assert match.enter(match.seen("v1", *facts)) != ()


def test_a_look_from_before_the_refused_card_does_not_uncover_the_pile():
    match = ReviewedMatch("""
        F1: ... 4H
        land Ana 5H waste F1 983.3..1000
        look F1 4H 500..600
        look F1 5H 1500
        land Ben 5H waste F1 3033.3..3050
    """)

    match.enter(match.ruled("v1", Ruling.ILLEGAL, reason="both hands"))

    standing = [r.verdict for r in match.rulings.values() if r.standing is Standing.STANDING]
    assert [v.ruling for v in standing if v.seat is BEN] == [Ruling.LEGAL]
    assert all(v.ruling is not Ruling.FLAG for v in standing), "nobody asks why the 5H lies there"
