"""What lies in a pile of a layout, as far as it is known: its topmost cards, and how many lie below."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from referee.cards import Card, Rank
from referee.piles import PileKind
from referee.sightings import LaidCard, PileLaid


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a card counts as in a work pile: its rank and colour (N18)."""

    rank: Rank
    is_red: bool

    @classmethod
    def of(cls, card: Card) -> "Meaning":
        """Of a card that is no joker."""
        return cls(card.rank, card.suit.is_red)

    @property
    def below(self) -> "Meaning | None":
        """What this may go on: one rank higher, the other colour. None: a king goes on nothing."""
        return None if self.rank is Rank.KING else Meaning(Rank(self.rank + 1), not self.is_red)

    @property
    def above(self) -> "Meaning | None":
        """What may go on this: one rank lower, the other colour. None: nothing goes on an ace."""
        return None if self.rank is Rank.ACE else Meaning(Rank(self.rank - 1), not self.is_red)

    def allows(self, card: Card) -> bool:
        """Whether ``card`` is of this rank and colour."""
        return card.rank is self.rank and card.suit.is_red is self.is_red

    def __str__(self) -> str:
        return f"{'red' if self.is_red else 'black'} {self.rank.symbol}"


@dataclass(frozen=True, slots=True)
class Lying:
    """One face-up card in a pile."""

    card: Card | None
    """None: not legible."""
    fixed: Meaning | None = None
    """What a joker is fixed as (N47). None: no joker, or a free one."""

    @property
    def meaning(self) -> Meaning | None:
        """Rank and colour. None: not legible, or a joker that is free."""
        if self.card is None or self.card.is_joker:
            return self.fixed
        return Meaning.of(self.card)

    @property
    def is_free_joker(self) -> bool:
        """Whether it may still be any card."""
        return self.card is not None and self.card.is_joker and self.fixed is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heap:
    """The cards of a pile, the lowest first."""

    below: int | None = None
    """How many cards lie below ``cards``, face down or not read. None: not known."""
    cards: tuple[Lying, ...] = ()
    """The topmost cards, face up."""

    @classmethod
    def of(cls, laid: PileLaid) -> "Heap":
        """The cards as they were seen or told."""
        heap = cls(below=laid.down if laid.below_known else None)
        for card in laid.cards:
            is_work = laid.pile.kind is PileKind.TABLEAU
            heap = heap.covered_by(_lying(card)) if is_work else heap.with_top((_lying(card),))
        return heap

    @property
    def count(self) -> int | None:
        """How many cards there are. None: not known."""
        return None if self.below is None else self.below + len(self.cards)

    @property
    def is_empty(self) -> bool:
        """Whether surely no card is left."""
        return self.count == 0

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the pile."""
        return self.below is not None or len(self.cards) > 0

    @property
    def top(self) -> Lying | None:
        """The card on top, if one lies face up there."""
        return self.cards[-1] if self.cards else None

    @property
    def base(self) -> Lying | None:
        """The lowest card. None: not known which it is."""
        return self.cards[0] if self.cards and self.below == 0 else None

    def position_of(self, card: Card | None) -> int | None:
        """Where ``card`` lies among ``cards``, the topmost if twice. None: it does not."""
        found = [i for i, lying in enumerate(self.cards) if card is not None and lying.card == card]
        return found[-1] if found else None

    def with_top(self, cards: Iterable[Lying]) -> "Heap":
        """With ``cards`` put on top."""
        return replace(self, cards=(*self.cards, *cards))

    def covered_by(self, card: Lying) -> "Heap":
        """With ``card`` put on top in a work pile: jokers that it covers become fixed (N47)."""
        cards, meaning = list(self.cards), card.meaning
        for i in reversed(range(len(cards))):
            if not cards[i].is_free_joker:
                break
            lower = cards[i - 1].meaning if i > 0 else None
            meaning = lower.above if lower is not None else None if meaning is None else meaning.below
            if meaning is None:
                break
            cards[i] = replace(cards[i], fixed=meaning)
        return replace(self, cards=(*cards, card))

    def released(self) -> "Heap":
        """With a joker that lies uncovered free again."""
        if self.top is None or self.top.card is None or not self.top.card.is_joker:
            return self
        return replace(self, cards=(*self.cards[:-1], Lying(self.top.card)))

    def with_base(self, card: Lying) -> "Heap":
        """With ``card`` slid under all."""
        if self.below != 0:
            return replace(self, below=None if self.below is None else self.below + 1)
        return replace(self, cards=(card, *self.cards))

    def without(self, card: Card | None) -> "Heap":
        """Without ``card``, wherever it lies; without the top card if it is not known where."""
        at = self.position_of(card)
        if at is not None:
            return replace(self, cards=(*self.cards[:at], *self.cards[at + 1 :]))
        if self.cards:
            return replace(self, cards=self.cards[:-1])
        return replace(self, below=None if self.below is None else max(self.below - 1, 0))


def _lying(laid: LaidCard) -> Lying:
    meant = None if laid.stands_for is None else Meaning.of(laid.stands_for)
    return Lying(laid.card, meant if laid.card is not None and laid.card.is_joker else None)
