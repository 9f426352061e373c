"""Observations: what the cameras (or a person at a button) establish. No rules in here."""

from dataclasses import dataclass
from typing import assert_never

from referee.cards import Card
from referee.clock import Interval
from referee.evidence import Evidence
from referee.piles import PileId, Seat
from referee.sightings import (
    CardsCarried,
    ClockDoubted,
    HandCarried,
    HandsRested,
    LabelsRead,
    LandedBetween,
    PileHandled,
    PileLaid,
    PilesOverlapped,
)
from referee.tellings import BacksCounted, Called, Declared, PlayClaimed, PointsTold, ResultShown

__all__ = [
    "CARDS_AT_A_TABLE",
    "CardLanded",
    "CardLifted",
    "CardsCounted",
    "Evidence",
    "HandTouched",
    "Observation",
    "PileSeen",
    "ViewLost",
    "fault_in",
    "known_us",
    "names_in",
]

CARDS_AT_A_TABLE = len(Seat) * 54
"""A deck with two jokers for every seat: no pile can hold more."""
LARGEST_POINTS = 1_000_000
"""Of earlier rounds: far beyond any match."""


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


Sighting = (
    PileSeen
    | CardLanded
    | CardLifted
    | HandTouched
    | ViewLost
    | PileLaid
    | CardsCarried
    | LandedBetween
    | PileHandled
    | HandCarried
    | HandsRested
    | PilesOverlapped
    | LabelsRead
    | ClockDoubted
)
"""What cameras establish."""
Telling = CardsCounted | BacksCounted | PointsTold | Called | Declared | PlayClaimed | ResultShown
"""What people or buttons tell."""
LATE = (CardsCounted, BacksCounted)
"""What can be told after the end of a match: cards still lie there, and people count them."""

Observation = Sighting | Telling


def known_us(observation: Observation) -> int:  # noqa: C901, PLR0911 - one line for each kind
    """The earliest time at which ``observation`` can have been made, in microseconds."""
    match observation:
        case PileSeen():
            return observation.seen.end_us
        case CardLanded() | CardsCarried() | LandedBetween():
            return observation.settled_us
        case CardLifted():
            return observation.lifted.end_us
        case HandTouched() | PileHandled():
            return observation.touch.end_us
        case ViewLost():
            return observation.lost.end_us
        case HandCarried():
            return observation.carried.end_us
        case LabelsRead():
            return observation.read.end_us
        case PileLaid() | HandsRested() | PilesOverlapped() | Declared() | PlayClaimed():
            return observation.at.end_us
        case Called():
            return observation.told_us
        case CardsCounted() | BacksCounted() | PointsTold() | ResultShown() | ClockDoubted():
            return observation.at_us
        case _:  # pragma: no cover - mypy proves that no kind is left
            assert_never(observation)


def is_told(observation: Observation) -> bool:
    """Whether a person or a button says it, not the cameras."""
    return isinstance(observation, Telling) or (
        isinstance(observation, PileLaid) and observation.told_by != ""
    )


def names_in(observation: Observation) -> tuple[tuple[PileId, ...], tuple[Seat, ...]]:
    """Every pile and every seat that ``observation`` names."""
    piles = [getattr(observation, name, None) for name in ("pile", "source", "target")]
    piles += getattr(observation, "piles", ())
    piles += [share.pile for share in getattr(observation, "shares", ())]
    seats = [getattr(observation, name, None) for name in ("seat", "deck")]
    seats += getattr(observation, "seats", ())
    seats += [laid.owner for laid in observation.cards] if isinstance(observation, PileLaid) else []
    return tuple(pile for pile in piles if pile is not None), tuple(
        seat for seat in seats if seat is not None
    )


def fault_in(observation: Observation) -> str | None:
    """What cannot be meant in ``observation``, in a few words; None if all of it can."""
    for name in ("confidence", "seat_confidence"):
        value = getattr(observation, name, 0.0)
        if not 0.0 <= value <= 1.0:
            return f"{name}: want 0 to 1, got {value}"
    for name in ("resolution_us", "lag_us"):
        if getattr(observation, name, 0) < 0:
            return f"{name}: want 0 or more"
    for name in ("count", "down", "calls"):
        number = getattr(observation, name, None)
        if number is not None and not 0 <= number <= CARDS_AT_A_TABLE:
            return f"{name}: want 0 to {CARDS_AT_A_TABLE} cards, got {number}"
    return _own_fault(observation)


def _own_fault(observation: Observation) -> str | None:  # noqa: PLR0911 - one line for each kind
    """The same, for what only one kind of observation has."""
    match observation:
        case CardLanded() | LandedBetween():
            return _fault_in_landing(observation)
        case CardsCarried():
            return _fault_in_landing(observation) or _fault_in_carry(observation)
        case PileSeen():
            return _fault_in_look(observation)
        case PointsTold() if abs(observation.points) > LARGEST_POINTS:
            return f"points: want a number within {LARGEST_POINTS}"
        case Called() if observation.at is not None and observation.at.end_us > observation.told_us:
            return f"told_us: {observation.told_us} is before the call, {observation.at.end_us}"
        case LabelsRead() if any(run.frames < 1 for run in observation.runs) or not observation.runs:
            return "runs: want one reading or more, each of a frame or more"
        case HandsRested() if len(set(observation.seats)) != len(observation.seats):
            return "seats: a seat is named twice"
        case _:
            return None


def _fault_in_landing(landed: CardLanded | CardsCarried | LandedBetween) -> str | None:
    if landed.settled_us < landed.touch.end_us:
        return f"settled_us: {landed.settled_us} is before the touch, {landed.touch.end_us}"
    if isinstance(landed, LandedBetween):
        return _fault_in_shares(landed)
    if landed.source == landed.pile:
        return f"source: the card cannot come from where it landed, {landed.pile}"
    return None


def _fault_in_shares(landed: LandedBetween) -> str | None:
    if any(not 0.0 <= item.share <= 1.0 for item in landed.shares):
        return "shares: want 0 to 1 of a card over each pile"
    piles = [item.pile for item in landed.shares]
    if len(set(piles)) < len(piles) or landed.source in piles:
        return "shares: a pile is named twice"
    return None


def _fault_in_carry(carried: CardsCarried) -> str | None:
    if not carried.cards:
        return "cards: want one or more"
    if len(carried.cards) + len(carried.left) > CARDS_AT_A_TABLE:
        return f"cards: want at most {CARDS_AT_A_TABLE}"
    return None


def _fault_in_look(seen: PileSeen) -> str | None:
    if seen.is_empty and (seen.top is not None or seen.face_up):
        return "is_empty: an empty pile has no top card and no face"
    if seen.top is not None and not seen.face_up:
        return "face_up: a card that can be named lies face up"
    return None
