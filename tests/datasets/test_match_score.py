"""What the score of a record says, on plays made up for it."""

from dataclasses import replace

import pytest

from datasets.match_score import Counted, Found, TruePlay, match_plays, score, told_plays
from referee.cards import Card
from referee.clock import Interval
from referee.observations import CardLanded, Evidence
from referee.piles import PileId, Seat
from referee.sightings import CardsCarried, CarryPlace, Handling, PileHandled

PERIOD_US = 16_667
FOUNDATION = PileId.parse("table/foundation[0]")
WORK = PileId.parse("south/tableau[1]")
WASTE = PileId.parse("south/waste")
STOCK = PileId.parse("south/stock")
EVIDENCE = Evidence("clip", (0,))


def true(at_ms, card="5C", *, kind="play", seat=Seat.SOUTH, source=WASTE, target=FOUNDATION, **more):
    return TruePlay(
        kind=kind, seat=seat, card=None if card is None else Card.parse(card), count=more.pop("count", 1),
        source=source, target=target, contact_us=at_ms * 1000, is_legal=True,
        contest=more.get("contest"), gap_us=more.get("gap_us"), seen_share=more.get("seen_share"),
    )  # fmt: skip


def landed(from_ms, to_ms, card="5C", *, seat=Seat.SOUTH, pile=FOUNDATION, source=WASTE):
    return CardLanded(
        pile=pile,
        card=None if card is None else Card.parse(card),
        touch=Interval(from_ms * 1000, to_ms * 1000),
        settled_us=to_ms * 1000 + 300_000,
        seat=seat,
        seat_confidence=0.9,
        source=source,
        confidence=0.9,
        resolution_us=8_334,
        evidence=EVIDENCE,
    )


def scored(plays, *observations):
    return score(plays, observations, verdicts=(), period_us=PERIOD_US)


def test_a_play_told_as_it_was_is_right_in_everything():
    result = scored([true(1000)], landed(990, 1010))

    assert result.foundation == result.everything == Found(true=1, told=1, found=1)
    for figure in (result.card, result.owner, result.source, result.touch, result.narrow):
        assert figure == Counted(right=1)


@pytest.mark.parametrize(
    ("told", "figure", "counted"),
    [
        pytest.param(landed(990, 1010, "6C"), "card", Counted(wrong=1), id="another face"),
        pytest.param(landed(990, 1010, None), "card", Counted(open=1), id="a face that was not read"),
        pytest.param(landed(990, 1010, seat=Seat.NORTH), "owner", Counted(wrong=1), id="another owner"),
        pytest.param(landed(990, 1010, seat=None), "owner", Counted(open=1), id="an owner not known"),
        pytest.param(landed(1001, 1010), "touch", Counted(wrong=1), id="a touch after the contact"),
        pytest.param(landed(960, 1010), "narrow", Counted(open=1), id="a wide touch"),
    ],
)
def test_what_is_told_otherwise_counts_where_it_belongs(told, figure, counted):
    result = scored([true(1000)], told)

    assert getattr(result, figure) == counted
    assert result.foundation.found == 1


@pytest.mark.parametrize(
    ("seen_share", "counted"),
    [
        pytest.param(0.8, Counted(open=1), id="in clear view"),
        pytest.param(0.3, Counted(), id="under another hand"),
        pytest.param(None, Counted(open=1), id="not known"),
    ],
)
def test_only_touches_in_clear_view_should_be_narrow(seen_share, counted):
    result = scored([true(1000, seen_share=seen_share)], landed(960, 1010))

    assert result.narrow == counted
    assert result.touch == Counted(right=1)


def test_a_landing_far_from_every_contact_is_false():
    result = scored([true(1000)], landed(2000, 2010))

    assert result.foundation == Found(true=1, told=1, found=0)
    assert result.foundation.invented == 1


def test_of_two_that_came_together_each_is_held_against_its_own_seat():
    plays = [true(1000), true(1010, seat=Seat.NORTH)]

    matches, left = match_plays(plays, told_plays([landed(1000, 1020, seat=Seat.NORTH), landed(980, 1000)]))

    assert not left
    assert [m.told.seat for m in matches] == [Seat.SOUTH, Seat.NORTH]


def test_a_run_is_held_by_the_card_that_joins():
    run = CardsCarried(
        pile=WORK, cards=(Card.parse("TS"), Card.parse("9D")), place=CarryPlace.TOP, source=WORK,
        touch=Interval(990_000, 1_010_000), settled_us=1_300_000, seat=Seat.SOUTH, seat_confidence=0.9,
        confidence=0.9, resolution_us=8_334, evidence=EVIDENCE,
    )  # fmt: skip

    result = scored([true(1000, "TS", kind="move", source=WORK, target=WORK, count=2)], run)

    assert (result.everything.found, result.foundation.true) == (1, 0)
    assert result.card == Counted(right=1)


def test_a_turned_stock_is_no_landing():
    turn = PileHandled(
        handling=Handling.TURNED, pile=STOCK, target=WASTE, cards=(Card.parse("5C"),),
        touch=Interval(990_000, 1_010_000), seat=Seat.SOUTH, seat_confidence=1.0, resolution_us=8_334,
        confidence=0.9, evidence=EVIDENCE,
    )  # fmt: skip
    play = true(1000, kind="turn", source=STOCK, target=WASTE, count=3)

    assert scored([play], turn).everything.found == 1
    assert scored([play], landed(990, 1010, pile=WASTE)).everything.found == 0


SPIT_PILE = PileId.parse("table/spit[1]")
SPIT_CARDS = PileId.parse("south/hand")


def handled(handling, pile, target=None):
    return PileHandled(
        handling=handling, pile=pile, target=target, cards=(), touch=Interval(990_000, 1_010_000),
        seat=Seat.SOUTH, seat_confidence=1.0, resolution_us=8_334, confidence=0.9, evidence=EVIDENCE,
    )  # fmt: skip


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(landed(990, 1010, pile=SPIT_PILE, source=SPIT_CARDS), id="as a card that landed"),
        pytest.param(handled(Handling.TURNED, SPIT_CARDS, SPIT_PILE), id="as a card that was turned"),
    ],
)
def test_a_spit_card_counts_as_a_card_on_a_common_pile_however_it_is_told(told):
    play = true(1000, kind="spit", source=SPIT_CARDS, target=SPIT_PILE)

    assert scored([play], told).foundation == Found(true=1, told=1, found=1)


@pytest.mark.parametrize(
    ("kind", "handling"),
    [
        pytest.param("slap", Handling.SLAPPED, id="slap"),
        pytest.param("gather", Handling.GATHERED, id="gather"),
    ],
)
def test_a_hand_on_a_spit_pile_is_no_card_on_it(kind, handling):
    act = true(1000, None, kind=kind, source=SPIT_PILE, target=SPIT_PILE)

    result = scored([act], handled(handling, SPIT_PILE))

    assert (result.everything.found, result.foundation) == (1, Found())
    assert scored([act], landed(990, 1010, pile=SPIT_PILE)).everything.found == 0


def test_scores_of_clips_add_up():
    one = scored([true(1000)], landed(990, 1010))

    both = one + replace(one, us=7_200_000_000)

    assert both.foundation.f1 == 1.0
    assert both.owner == Counted(right=2)
    assert both.invented_an_hour == 0.0
    assert len(list(both.lines())) == 11
