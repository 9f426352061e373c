"""The rules of Spit as functions of what is known: which card fits, and what lies before a seat.

What is not known stays ``None`` and never breaks a rule. That nobody has to play and no tempo is asked (S8),
and that a card may stay unturned (S14), is kept by never asking.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from referee.cards import Card, Rank
from referee.piles import Seat
from referee.spit_rules import FifteenRule, SpitRules


def are_neighbours(one: Rank, other: Rank, *, wrap: bool) -> bool:
    """Rules S12 and S13: whether two ranks lie side by side, with ``wrap`` on the ring ``A 2 .. K A``.

    >>> are_neighbours(Rank.KING, Rank.ACE, wrap=True), are_neighbours(Rank.KING, Rank.TWO, wrap=True)
    (True, False)
    """
    if Rank.JOKER in {one, other}:
        return False
    gap = abs(one - other)
    return gap == 1 or (wrap and gap == Rank.KING - Rank.ACE)


def fits(card: Card, top: Card, *, wrap: bool, doubles: bool) -> bool:
    """Rules S12 and S13: whether ``card`` may go on ``top``; suit and colour do not matter."""
    if card.rank is top.rank:
        return doubles and not card.is_joker
    return are_neighbours(card.rank, top.rank, wrap=wrap)


@dataclass(frozen=True, slots=True)
class StockPile:
    """One pile of a seat's layout, as far as it is known."""

    count: int | None = None
    """Cards in it. None: not counted."""
    top: Card | None = None
    """Its face-up top card. None: face down, not legible, or none."""
    face_up: bool | None = None
    """Whether its top lies face up. None: not seen, or no card."""

    @property
    def is_empty(self) -> bool:
        """Whether it surely holds no card."""
        return self.count == 0

    def less_one(self) -> "StockPile":
        """After its top card left: what lies under it is face down, if anything does."""
        count = None if self.count is None else max(self.count - 1, 0)
        return StockPile(count, None, None if count in {0, None} else False)

    def with_card(self, card: Card | None) -> "StockPile":
        """With ``card`` laid on it face up."""
        return StockPile(None if self.count is None else self.count + 1, card, face_up=True)


EMPTY = StockPile(count=0)


@dataclass(frozen=True, slots=True)
class Layout:
    """The stock piles of one seat and its spit cards."""

    piles: Mapping[int, StockPile] = field(default_factory=dict)
    """Each pile that was ever seen, by its place; a place where nothing was ever seen holds no pile."""
    spit: int | None = None
    """Spit cards held. None: not known."""

    @property
    def stock(self) -> int | None:
        """Cards in the stock piles together. None: not all are known."""
        counts = [pile.count for pile in self.piles.values()]
        return None if None in counts or not counts else sum(count for count in counts if count is not None)

    @property
    def is_out(self) -> bool:
        """Rules S11 and S22: whether the stock is surely gone; spit cards do not matter."""
        return self.stock == 0

    @property
    def cards(self) -> int | None:
        """Stock and spit cards together. None: not known."""
        return None if self.stock is None or self.spit is None else self.stock + self.spit

    def pile(self, index: int) -> StockPile:
        """The pile at ``index``; not known if it was never seen."""
        return self.piles.get(index, StockPile())

    def with_pile(self, index: int, pile: StockPile) -> "Layout":
        """With ``pile`` at ``index``."""
        return replace(self, piles=dict(sorted({**self.piles, index: pile}.items())))


class Way(StrEnum):
    """How a seat can still do something without a spit."""

    PLAY = "play"
    TURN = "turn"
    FILL = "fill"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class Playable:
    """Something that keeps the position from being blocked."""

    seat: Seat
    way: Way
    card: Card | None
    """The card that can be played. None: a card would be bared that nobody has seen."""

    def __str__(self) -> str:
        return f"{self.seat}:{self.card if self.card is not None else self.way}"


def playables(
    layouts: Mapping[Seat, Layout], tops: Sequence[Card | None], rules: SpitRules
) -> tuple[Playable, ...]:
    """Rule S21: all that could surely be done, seat by seat; cards that fit come first.

    A top that was not read is no reason to say that something was playable.
    """
    known = [top for top in tops if top is not None]
    found = [_playable_by(seat, layout, known, rules) for seat, layout in layouts.items()]
    every = [each for of_seat in found for each in of_seat]
    return tuple(sorted(every, key=lambda playable: playable.card is None))


def _playable_by(seat: Seat, layout: Layout, tops: Sequence[Card], rules: SpitRules) -> list[Playable]:
    ups = [pile.top for pile in layout.piles.values() if pile.top is not None]
    found = [
        Playable(seat, Way.PLAY, card)
        for card in ups
        if any(fits(card, top, wrap=rules.wrap, doubles=rules.doubles) for top in tops)
    ]
    if any(pile.face_up is False and not pile.is_empty for pile in layout.piles.values()):
        found.append(Playable(seat, Way.TURN, None))
    if rules.fill_unblocks and _can_fill(layout):
        found.append(Playable(seat, Way.FILL, None))
    if rules.match_in_layout and len({card.rank for card in ups}) < len(ups):
        found.append(Playable(seat, Way.MATCH, None))
    return found


def _can_fill(layout: Layout) -> bool:
    """Rules S15 and S16: a slot is empty, and a face-up card elsewhere has cards under it."""
    deep = [pile for pile in layout.piles.values() if pile.top is not None and pile.count is not None]
    return any(pile.is_empty for pile in layout.piles.values()) and any(
        (pile.count or 0) > 1 for pile in deep
    )


def cannot_spit(owned: int | None, rules: SpitRules) -> bool:
    """Rule S30: whether a seat with ``owned`` cards has none left to spit once its stock is dealt."""
    if owned is None:
        return False
    least = rules.stock_size if rules.exactly_15 is FifteenRule.TWO_PILES else rules.stock_size + 1
    return owned < least


def spit_piles(owned: Iterable[int | None], rules: SpitRules) -> int:
    """Rule S30: how many spit piles a round has: one for each player, or one if somebody cannot spit.

    >>> spit_piles([14, 38], SpitRules()), spit_piles([26, 26], SpitRules())
    (1, 2)
    """
    return 1 if any(cannot_spit(each, rules) for each in owned) else rules.players
