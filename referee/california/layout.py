"""The rules of California Speed as functions of the open cards: what matches, and what may be covered."""

from collections.abc import Iterable, Mapping

from referee.cards import Card, Rank, Suit
from referee.piles import PileId

UNREAD = Card(Rank.JOKER, Suit.NONE)
"""Stands for a card that lies open and was not read; there are no jokers in this game."""


def matches(tops: Mapping[PileId, Card]) -> tuple[tuple[PileId, ...], ...]:
    """The groups of piles whose open cards are surely equal in rank; suits do not matter.

    >>> a, b, c = (PileId.parse(f"south/tableau[{i}]") for i in (1, 2, 3))
    >>> nine, king = Card.parse("9H"), Card.parse("KC")
    >>> [[pile.index for pile in group] for group in matches({a: nine, b: king, c: Card.parse("9C")})]
    [[1, 3]]
    """
    groups: dict[Rank, list[PileId]] = {}
    for pile in sorted(tops, key=str):
        if tops[pile] != UNREAD:
            groups.setdefault(tops[pile].rank, []).append(pile)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def has_unread(tops: Iterable[Card]) -> bool:
    """Whether an open card was not read, so that a match may be there that nobody knows of."""
    return UNREAD in tops
