"""Which pile a card that landed came from."""

from collections.abc import Iterable
from dataclasses import dataclass

from referee.cards import Card
from referee.clock import Interval
from referee.observations import CardLifted
from referee.piles import PileId, PileKind, Seat


@dataclass(frozen=True, slots=True)
class Lift:
    """A top card that vanished."""

    observation: CardLifted
    is_certain: bool
    """False: the top may also have been covered by another card; told only when the card lands elsewhere."""
    cards: tuple[Card | None, ...] = ()
    """All that left together, the lowest first, where it was more than one."""

    @property
    def owner(self) -> Seat | None:
        """Who took it. None: anyone may take from there, and no hand was recognised."""
        return owner_of(self.observation.pile) or self.observation.seat


def may_carry(lift: CardLifted, *, card: Card, seat: Seat | None, touch: Interval, carry_us: int) -> bool:
    """Whether the card that was lifted can be the one that landed: same face, same seat, time to carry it."""
    is_in_time = lift.lifted.start_us < touch.end_us and touch.start_us - lift.lifted.end_us <= carry_us
    seats = {s for s in (seat, lift.seat, owner_of(lift.pile)) if s is not None}
    return lift.card == card and is_in_time and len(seats) <= 1


def owner_of(pile: PileId) -> Seat | None:
    """The only seat that may take from a pile. None: anyone may."""
    return None if pile.kind is PileKind.FOUNDATION else pile.seat


def source_among(
    lifts: Iterable[Lift], target: PileId, *, card: Card, seat: Seat | None, touch: Interval, carry_us: int
) -> Lift | None:
    """The lift that brought the card: the latest that can be it. None: none can."""
    fitting = [
        lift
        for lift in lifts
        if lift.observation.pile != target
        and may_carry(lift.observation, card=card, seat=seat, touch=touch, carry_us=carry_us)
    ]
    return max(fitting, key=lambda lift: lift.observation.lifted.start_us, default=None)
