"""Cards and piles as text, there and back."""

import pytest

from referee.cards import FACES, Card, Suit
from referee.piles import PileId, PileKind, Seat


@pytest.mark.parametrize("card", [*FACES, Card.parse("JK")], ids=str)
def test_a_card_is_its_text(card):
    assert Card.parse(str(card)) == card


@pytest.mark.parametrize("text", ["", "A", "1H", "aH", "AX", "10H", "AH ", "*C", "A\u2665"])
def test_other_text_is_no_card(text):
    with pytest.raises(ValueError, match="not a card: "):
        Card.parse(text)


def test_two_suits_are_red():
    assert [suit.name for suit in Suit if suit.is_red] == ["DIAMONDS", "HEARTS"]


@pytest.mark.parametrize("kind", PileKind)
@pytest.mark.parametrize("seat", [Seat.SOUTH, None])
@pytest.mark.parametrize("index", [0, 3])
def test_a_pile_is_its_text(kind, seat, index):
    pile = PileId(kind, seat, index)

    assert PileId.parse(str(pile)) == pile


@pytest.mark.parametrize(
    "text",
    [
        "",
        "south",
        "south/",
        "moon/waste",
        "south/heap",
        "south/tableau[x]",
        "south/tableau[1",
        "south/waste[-1]",
    ],
)
def test_other_text_is_no_pile(text):
    with pytest.raises(ValueError, match="not a pile: "):
        PileId.parse(text)
