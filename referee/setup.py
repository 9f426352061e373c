"""What is agreed before the first card: who plays, by which rules, filmed with which clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Self

from referee.clock import ClockGrade, TimingRules
from referee.observations import Observation
from referee.piles import PileId, Seat

LARGEST_RULE_NUMBER = 1_000_000
"""Of cards or points: far beyond any match, and small enough for every sum of them to be told."""


class Game(StrEnum):
    """The games that can be judged."""

    NERTS = "nerts"


class TieRule(StrEnum):
    """What becomes of the cards of a clear tie."""

    BOTH_KEEP = "both_keep"


class FoundationsRule(StrEnum):
    """How many foundations of one suit may be open."""

    PER_ACE = "per_ace"
    ONE_PER_SUIT = "one_per_suit"


@dataclass(frozen=True, slots=True, kw_only=True)
class NertsRules:
    """House rules that this form honours; the defaults are the rule book's.

    >>> NertsRules.from_mapping({"nerts_penalty": 1}).nerts_penalty
    1
    """

    points_foundation: int = 1
    """For each own card on the foundations (N39)."""
    nerts_penalty: int = 2
    """Off for each card left in the Nerts pile (N40)."""
    nerts_pile_size: int = 13
    """Cards dealt to a Nerts pile (N6); no more can be left."""
    tie: TieRule = TieRule.BOTH_KEEP
    """A clear tie (N16)."""
    foundations: FoundationsRule = FoundationsRule.PER_ACE
    """Whether each ace may open a foundation of its own (N25)."""

    def __post_init__(self) -> None:
        if not 1 <= self.nerts_pile_size <= 46:
            raise ValueError(f"rule nerts_pile_size: want 1 to 46 cards, got {self.nerts_pile_size}")
        for name in ("points_foundation", "nerts_penalty"):
            if not 0 <= getattr(self, name) <= 100:
                raise ValueError(f"rule {name}: want 0 to 100 points, got {getattr(self, name)}")

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """The rules that ``mapping`` (a table file's ``[rules]``) sets; ``ValueError`` names a wrong key."""
        known = {item.name: item.default for item in fields(cls)}
        chosen = {key: _checked(key, value, known) for key, value in mapping.items()}
        return cls(**chosen)  # type: ignore[arg-type]  # each value was checked against its default's type


def _checked(key: str, value: object, known: Mapping[str, object]) -> object:
    """``value`` as the type of the default of ``key``."""
    if key not in known:
        raise ValueError(f"unknown rule {key!r} (want one of: {', '.join(sorted(known))})")
    default = known[key]
    if isinstance(default, StrEnum):
        choices = [choice.value for choice in type(default)]
        if value not in choices:
            raise ValueError(f"rule {key}: want one of {', '.join(choices)}, got {value!r}")
        return type(default)(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"rule {key}: want a whole number, got {value!r}")  # noqa: TRY004 - a wrong setting
    if abs(value) > LARGEST_RULE_NUMBER:
        raise ValueError(f"rule {key}: want a whole number within {LARGEST_RULE_NUMBER}")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSetup:
    """Who sits where."""

    seat: Seat
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """Everything the referee is told before the first observation."""

    match_id: str
    seats: tuple[SeatSetup, ...]
    frame_period_us: int
    """Nominal time between two frames of the camera."""
    clock_grade: ClockGrade
    game: Game = Game.NERTS
    rules: NertsRules = field(default_factory=NertsRules)
    timing: TimingRules = field(default_factory=TimingRules)
    piles: tuple[PileId, ...] = ()
    """The table's piles. Empty: any pile of a seat that plays, and any shared one."""
    seat_confidence_min: float = 0.8
    """Below this, nobody is told off for, or credited with, a card by the hand that brought it: where arms
    cross, the hand that lies over a pile is the wrong one about as often as not."""

    def __post_init__(self) -> None:
        named = [item.seat for item in self.seats]
        if len(set(named)) < len(named):
            raise ValueError(f"a seat is named twice: {', '.join(named)}")
        if self.frame_period_us <= 0:
            raise ValueError(f"frame_period_us: want more than 0, got {self.frame_period_us}")

    def player_at(self, seat: Seat) -> str:
        """The name of who sits at ``seat``; the seat's own name where nobody does."""
        return next((item.player for item in self.seats if item.seat is seat), seat.value)

    def place_of(self, seat: Seat | None) -> int:
        """The seat's position in the list of seats, for orders that do not depend on its name."""
        places = [item.seat for item in self.seats]
        return places.index(seat) if seat in places else len(places)

    def fault_in_names(self, pile: PileId | None, seat: Seat | None) -> str | None:
        """What of ``pile`` and ``seat`` is not part of this match, in a few words; None if all is."""
        seated = {item.seat for item in self.seats}
        for named in (seat, None if pile is None else pile.seat):
            if named is not None and named not in seated:
                return f"nobody sits at {named} (seats: {', '.join(item.seat for item in self.seats)})"
        if pile is not None and self.piles and pile not in self.piles:
            return f"the table has no pile {pile}"
        return None


FRAME_PERIOD_US = 16_667
"""Taken for observations that say nothing of their own: 60 frames a second."""


def setup_from(observations: Sequence[Observation]) -> MatchSetup:
    """A set-up made up from what ``observations`` name, for a file without a header.

    The seats are those that are named, in the order of ``Seat``; the clock is believed (grade A), and the
    frame period is that of the finest touch.
    """
    piles = [pile for o in observations for pile in (o.pile, getattr(o, "source", None)) if pile is not None]
    named = {pile.seat for pile in piles} | {getattr(o, "seat", None) for o in observations}
    periods_us = [2 * us for o in observations if (us := getattr(o, "resolution_us", 0)) > 0]
    return MatchSetup(
        match_id="match",
        seats=tuple(SeatSetup(seat=seat, player=seat.value) for seat in Seat if seat in named),
        frame_period_us=min(periods_us, default=FRAME_PERIOD_US),
        clock_grade=ClockGrade.A,
    )
