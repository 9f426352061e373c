"""Observations: what the cameras (or a person at a button) establish. No rules in here."""

from dataclasses import dataclass
from typing import assert_never

from referee.cards import Card
from referee.clock import Interval
from referee.piles import PileId, Seat

CARDS_AT_A_TABLE = len(Seat) * 54
"""A deck with two jokers for every seat: no pile can hold more."""


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


def known_us(observation: Observation) -> int:
    """The earliest time at which ``observation`` can have been made, in microseconds."""
    match observation:
        case PileSeen():
            return observation.seen.end_us
        case CardLanded():
            return observation.settled_us
        case CardLifted():
            return observation.lifted.end_us
        case HandTouched():
            return observation.touch.end_us
        case ViewLost():
            return observation.lost.end_us
        case CardsCounted():
            return observation.at_us
        case _:  # pragma: no cover - mypy proves that no kind is left
            assert_never(observation)


def fault_in(observation: Observation) -> str | None:
    """What cannot be meant in ``observation``, in a few words; None if all of it can."""
    for name in ("confidence", "seat_confidence"):
        value = getattr(observation, name, 0.0)
        if not 0.0 <= value <= 1.0:
            return f"{name}: want 0 to 1, got {value}"
    if getattr(observation, "resolution_us", 0) < 0:
        return "resolution_us: want 0 or more"
    if isinstance(observation, CardLanded):
        return _fault_in_landing(observation)
    if isinstance(observation, PileSeen):
        return _fault_in_look(observation)
    if isinstance(observation, CardsCounted) and not 0 <= observation.count <= CARDS_AT_A_TABLE:
        return f"count: want 0 to {CARDS_AT_A_TABLE} cards, got {observation.count}"
    return None


def _fault_in_landing(landed: CardLanded) -> str | None:
    if landed.settled_us < landed.touch.end_us:
        return f"settled_us: {landed.settled_us} is before the touch, {landed.touch.end_us}"
    if landed.source == landed.pile:
        return f"source: the card cannot come from where it landed, {landed.pile}"
    return None


def _fault_in_look(seen: PileSeen) -> str | None:
    if seen.is_empty and (seen.top is not None or seen.face_up):
        return "is_empty: an empty pile has no top card and no face"
    if seen.top is not None and not seen.face_up:
        return "face_up: a card that can be named lies face up"
    return None
