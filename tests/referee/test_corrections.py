"""Which entries a correction puts right, where the lift, its card or the source was not seen."""

import pytest
from typed_match import setup, steps

from referee.cards import Card
from referee.corrections import facts_about
from referee.piles import Seat
from referee.reviews import ReviewError
from referee.shelf import Entered

BEN = Seat.NORTH


def facts(text, entry, **correction):
    """What holds instead, by entry; ``text`` tells entry 1, 2 ..."""
    told = [Entered(number, each, None) for number, each in enumerate(steps(text), 1)]
    found = facts_about(told, entry, setup(), **correction)
    return {fact.entry: fact.observation for fact in found}


@pytest.mark.parametrize("entry", [1, 3, 0])
def test_only_a_card_that_landed_can_have_been_another(entry):
    text = "look F1 4H 500\nland Ana 5H waste F1 983.3..1000\n"

    with pytest.raises(ReviewError, match=f"entry {entry} is no card that landed"):
        facts(text, entry, card=Card.parse("6H"))


def test_the_lift_of_a_card_that_was_not_read_stays_unread():
    text = "lift Ana ?? south/waste 900..916.7\nland Ana ?? waste F1 983.3..1000\nlook F1 ?? 1500\n"

    found = facts(text, 2, card=Card.parse("5H"))

    assert {entry: each.card for entry, each in found.items()} == {1: None, 2: Card.parse("5H")}


def test_the_lift_gets_the_hand_of_the_landing():
    text = "lift Ana ?? south/waste 900..916.7\nland Ana ?? waste F1 983.3..1000\n"

    found = facts(text, 2, seat=BEN)

    assert {entry: (each.seat, each.card) for entry, each in found.items()} == {
        1: (BEN, None),
        2: (BEN, None),
    }


def test_where_the_source_was_not_seen_only_the_pile_that_it_came_to_is_put_right():
    text = """
        look south/waste 5H 100
        land Ana 5H - F1 983.3..1000
        look F1 5H 1500
    """

    found = facts(text, 2, card=Card.parse("6H"))

    assert list(found) == [2, 3], "the look at a waste that nobody is known to have played from is left"
    assert (found[2].card, found[3].top) == (Card.parse("6H"), Card.parse("6H"))
