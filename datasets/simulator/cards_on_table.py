"""Physical cards as they lie on a table, pile by pile."""

from collections import Counter
from dataclasses import dataclass, field

from referee.cards import Card
from referee.piles import PileId, Seat


@dataclass(frozen=True, slots=True)
class Held:
    """A physical card as it lies."""

    card: Card
    deck_of: Seat
    face_up: bool

    def turned(self, *, face_up: bool) -> "Held":
        """The same card, that side up."""
        return Held(self.card, self.deck_of, face_up)


@dataclass(frozen=True, slots=True)
class Move:
    """Cards from the top of one pile to another."""

    source: PileId
    target: PileId
    count: int = 1


@dataclass(slots=True)
class CardsOnTable:
    """All cards of a game, bottom card first."""

    piles: dict[PileId, list[Held]] = field(default_factory=dict)

    def top(self, pile: PileId) -> Card | None:
        """The face on top; None: empty, or face down."""
        held = self.piles[pile][-1:]
        return held[0].card if held and held[0].face_up else None

    def is_face_down(self, pile: PileId) -> bool:
        """Whether there is a top card, and its back shows."""
        return bool(self.piles[pile]) and not self.piles[pile][-1].face_up

    def count_cards(self) -> Counter[tuple[Card, Seat]]:
        """How often each physical card lies on the table; once, unless something is wrong."""
        return Counter((held.card, held.deck_of) for pile in self.piles.values() for held in pile)

    def take(self, pile: PileId, count: int = 1) -> list[Held]:
        """Remove the top ``count`` cards, lowest first."""
        cards = self.piles[pile]
        taken = cards[len(cards) - count :]
        del cards[len(cards) - count :]
        return taken

    def put(self, pile: PileId, cards: list[Held]) -> None:
        """Lay cards on top, lowest first."""
        self.piles[pile] += cards

    def apply(self, move: Move) -> None:
        """Make a move at once."""
        self.put(move.target, self.take(move.source, move.count))

    def turn_top(self, pile: PileId) -> None:
        """Turn the top card up, if there is one face down."""
        if self.is_face_down(pile):
            self.piles[pile][-1] = self.piles[pile][-1].turned(face_up=True)


def turned_over(cards: list[Held]) -> list[Held]:
    """A packet, flipped: the order and the faces are reversed."""
    return [held.turned(face_up=not held.face_up) for held in reversed(cards)]
