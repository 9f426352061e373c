"""Cards as the referee names them: rank then suit, capitals (``TH``, ``9D``, ``JK``)."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Self


class Rank(IntEnum):
    """Ace low to king high (rule N5); ``JOKER`` stands outside the order."""

    JOKER = 0
    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13

    @property
    def symbol(self) -> str:
        """One character: ``A 2 .. 9 T J Q K``; a joker has ``*``."""
        return "*A23456789TJQK"[self]


class Suit(StrEnum):
    """The four French suits; a joker has none."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"
    NONE = ""

    @property
    def is_red(self) -> bool:
        """Whether hearts or diamonds."""
        return self in {Suit.DIAMONDS, Suit.HEARTS}


_RANK_OF_SYMBOL = {rank.symbol: rank for rank in Rank if rank is not Rank.JOKER}
_SUIT_OF_SYMBOL = {suit.value: suit for suit in Suit if suit is not Suit.NONE}


@dataclass(frozen=True, slots=True)
class Card:
    """One face. Equal faces of two decks are equal cards; see ``CardInstance`` for the physical card.

    >>> str(Card.parse("TH")), Card.parse("JK").is_joker
    ('TH', True)
    """

    rank: Rank
    suit: Suit

    @classmethod
    def parse(cls, text: str) -> Self:
        """The card that ``text`` names; ``ValueError`` if it names none."""
        if text == "JK":
            return cls(Rank.JOKER, Suit.NONE)
        if len(text) == 2 and text[0] in _RANK_OF_SYMBOL and text[1] in _SUIT_OF_SYMBOL:
            return cls(_RANK_OF_SYMBOL[text[0]], _SUIT_OF_SYMBOL[text[1]])
        raise ValueError(f"not a card: {text!r} (want e.g. 'AS', 'TH', 'JK')")

    @property
    def is_joker(self) -> bool:
        """Whether this is a joker, of either colour."""
        return self.rank is Rank.JOKER

    def __str__(self) -> str:
        return "JK" if self.is_joker else f"{self.rank.symbol}{self.suit}"


FACES: tuple[Card, ...] = tuple(
    Card(rank, suit) for suit in Suit if suit is not Suit.NONE for rank in Rank if rank is not Rank.JOKER
)
"""The 52 faces, clubs to spades, ace to king."""
