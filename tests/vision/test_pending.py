"""Landings that wait: what follows them waits with them, and what is known of equal cards meanwhile."""

from dataclasses import replace

import pytest

from referee.cards import Card
from referee.clock import Interval
from referee.evidence import Evidence
from referee.observations import CardLanded, CardLifted, PileSeen
from referee.piles import PileId, Seat
from referee.sightings import Handling
from vision.pending import PendingLanding, PendingLandings

FOUNDATION = PileId.parse("table/foundation[0]")
OTHER_FOUNDATION = PileId.parse("table/foundation[1]")
WASTE = PileId.parse("south/waste")
EVIDENCE = Evidence("clip", (0,))


def landed(pile, card):
    return CardLanded(
        pile=pile,
        card=Card.parse(card),
        touch=Interval(1_000, 2_000),
        settled_us=9_000,
        seat=Seat.SOUTH,
        seat_confidence=0.8,
        source=None,
        confidence=0.9,
        resolution_us=8_333,
        evidence=EVIDENCE,
    )


def pending(landing, **further):
    return PendingLanding(
        landed=landing,
        deadline_us=800_000,
        since_us=0,
        rested_us=9_000,
        beneath=None,
        owners=None,
        is_contested=False,
        is_disputed=False,
        **further,
    )


def waiting(*landings):
    all_of_them = PendingLandings()
    for each in landings:
        all_of_them.add(each)
    return all_of_them


def seen(pile):
    return PileSeen(
        pile=pile,
        top=None,
        is_empty=True,
        face_up=False,
        seen=Interval(9_000, 10_000),
        confidence=1.0,
        evidence=EVIDENCE,
    )


def lifted(pile, card, start_us=500):
    return CardLifted(
        pile=pile,
        card=Card.parse(card),
        lifted=Interval(start_us, start_us + 100),
        seat=Seat.SOUTH,
        confidence=0.9,
        evidence=EVIDENCE,
    )


def test_what_follows_waits_with_the_last_landing_of_its_pile():
    first, second = pending(landed(FOUNDATION, "AS")), pending(landed(FOUNDATION, "2S"))
    follows = seen(FOUNDATION)

    told = waiting(first, second).in_turn(FOUNDATION, follows)

    assert told == []
    assert (first.after, second.after) == ((), (follows,))


def test_what_nothing_waits_for_is_told_at_once():
    other = pending(landed(OTHER_FOUNDATION, "AS"))
    follows = seen(FOUNDATION)

    told = waiting(other).in_turn(FOUNDATION, follows)

    assert told == [follows]
    assert other.after == ()


def test_only_those_that_are_told_wait_no_more():
    first, second = pending(landed(FOUNDATION, "AS")), pending(landed(FOUNDATION, "AS"))
    landings = waiting(first, second)

    landings.drop({first})

    assert list(landings) == [second]


@pytest.mark.parametrize(
    ("gone", "is_held"),
    [
        pytest.param(lifted(WASTE, "2S"), True, id="its card came elsewhere after it was lifted"),
        pytest.param(lifted(WASTE, "3S"), False, id="another card came"),
        pytest.param(lifted(FOUNDATION, "2S"), False, id="it came to where it was lifted"),
        pytest.param(lifted(WASTE, "2S", start_us=2_000), False, id="it was lifted after that touch"),
    ],
)
def test_a_landing_that_waits_may_hold_a_card_that_was_lifted(gone, is_held):
    landings = waiting(pending(landed(FOUNDATION, "2S")))

    assert landings.may_hold(gone) is is_held


def test_a_face_is_handled_by_the_player_of_its_pile_and_believed_by_the_hand_where_that_agrees():
    turned_by_south = pending(landed(WASTE, "5D")).handled(Handling.FACED_UP)
    turned_by_north = pending(replace(landed(WASTE, "5D"), seat=Seat.NORTH)).handled(Handling.FACED_UP)

    assert (turned_by_south.seat, turned_by_south.seat_confidence) == (Seat.SOUTH, 0.8)
    assert (turned_by_north.seat, turned_by_north.seat_confidence) == (Seat.SOUTH, 1.0)
    assert turned_by_south.cards == (Card.parse("5D"),)


def test_an_equal_card_that_waits_on_the_same_pile_is_another_one():
    first, second = landed(FOUNDATION, "2S"), landed(FOUNDATION, "2S")
    unlike = landed(FOUNDATION, "3H")
    waits = waiting(pending(first), pending(second), pending(unlike))

    assert waits.others_of(first) == [second]
