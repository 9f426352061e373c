"""Observations that people or buttons tell: calls, declarations, counts, points of earlier rounds."""

from dataclasses import dataclass
from enum import StrEnum

from referee.cards import Card
from referee.clock import Interval
from referee.piles import PileId, Seat


class CallKind(StrEnum):
    """What is called."""

    READY = "ready"
    """The seat is ready to begin."""
    START = "start"
    """The round begins; without a seat, for all."""
    DEALT = "dealt"
    """The seat has dealt its cards."""
    NERTS = "nerts"
    STUCK = "stuck"
    """The seat cannot play; without a seat, nobody can."""
    SPIT = "spit"
    TIMER = "timer"
    """A timer says that nothing has happened for a while. It asks; it decides nothing."""
    ROUND_END = "round_end"
    """The round is over, as all agree."""
    COUNTED = "counted"
    """The round's cards are counted: audit and score hold."""


class CallClock(StrEnum):
    """By which clock a time is told."""

    CAPTURE = "capture"
    """The clock of the frames: a microphone or button wired to it."""
    OWN_DEVICE = "own_device"
    """A participant's own device, which can be wrong or forged: never evidence (E6)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """Someone called something: by button, or by voice with a microphone."""

    call: CallKind
    seat: Seat | None
    """None: nobody knows who, or it is for all."""
    at: Interval | None
    """The onset of the call. None: nobody knows when."""
    told_us: int
    """When it was told."""
    told_by: str = ""
    clock: CallClock = CallClock.CAPTURE


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A seat said which card its joker stands for."""

    seat: Seat | None
    card: Card
    at: Interval
    told_by: str = ""
    clock: CallClock = CallClock.CAPTURE


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayClaimed:
    """A seat says that it played a card; nobody saw it."""

    seat: Seat
    card: Card | None
    pile: PileId
    at: Interval
    told_by: str = ""
    clock: CallClock = CallClock.OWN_DEVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class BacksCounted:
    """How many cards with one back were counted, at the sort after a round."""

    deck: Seat
    """Whose back it is."""
    pile: PileId | None
    """Among the cards of which pile. None: of all foundations, set aside or not."""
    count: int
    told_by: str
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsTold:
    """What a seat has from the rounds before this one."""

    seat: Seat
    points: int
    calls: int = 0
    """In how many of them it called."""
    told_by: str = ""
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShown:
    """A display, or a person, told who was first; to be held against the verdict."""

    shown_on: str
    pile: PileId
    seat: Seat | None
    """Who was shown as first. None: a tie was shown."""
    margin: Interval | None
    """By how much, from least to most, in microseconds. None: not shown."""
    at_us: int
