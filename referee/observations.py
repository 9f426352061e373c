"""Observations: what the cameras (or a person at a button) establish. No rules in here."""

from dataclasses import dataclass

from referee.cards import Card
from referee.clock import Interval
from referee.piles import PileId, Seat


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a person can look: a source and the frame times in it."""

    source_id: str
    frames_us: tuple[int, ...]
    """Times of the frames that decided, as the source stamped them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileSeen:
    """A pile at rest, with no hand over it."""

    pile: PileId
    top: Card | None
    """None: empty, face down or not legible, see the two fields below."""
    is_empty: bool
    face_up: bool
    seen: Interval
    """First and last frame in which the pile lay like this so far."""
    confidence: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLanded:
    """A card came to rest on a pile. ``touch`` is when it first touched (found by looking back)."""

    pile: PileId
    card: Card | None
    """None: landed, but not legible."""
    touch: Interval
    settled_us: int
    """When the pile was seen at rest with it, hand gone."""
    seat: Seat | None
    """Whose hand brought it. None: the cameras cannot tell."""
    seat_confidence: float
    source: PileId | None
    """The pile whose top vanished. None: not known."""
    confidence: float
    """Of the face."""
    resolution_us: int
    """Half a frame period."""
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLifted:
    """The top card of a pile went away."""

    pile: PileId
    card: Card | None
    lifted: Interval
    seat: Seat | None
    confidence: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class HandTouched:
    """A seat's hand was over a pile and put nothing down and took nothing."""

    seat: Seat | None
    pile: PileId
    touch: Interval
    resolution_us: int
    confidence: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewLost:
    """A pile (or, with None, the whole table) could not be seen. Absence of news is not news."""

    pile: PileId | None
    lost: Interval
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsCounted:
    """A person (or a count on camera) says how many cards a pile holds, e.g. the Nerts pile at the end."""

    pile: PileId
    count: int
    told_by: str
    at_us: int


Observation = PileSeen | CardLanded | CardLifted | HandTouched | ViewLost | CardsCounted
