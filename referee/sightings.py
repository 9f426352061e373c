"""Observations beyond looks, landings and lifts: what cameras establish of piles, hands and clocks.

Like all observations they hold no rules. Each is also its own event where nothing has to be read into it.
"""

from dataclasses import dataclass
from enum import StrEnum

from referee.cards import Card
from referee.clock import Interval
from referee.evidence import Evidence
from referee.piles import PileId, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidCard:
    """One face-up card in a pile at rest."""

    card: Card | None
    """None: not legible."""
    owner: Seat | None = None
    """Whose deck it is of. None: not known; a face does not say."""
    stands_for: Card | None = None
    """What a joker was played as. None: no joker, or not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileLaid:
    """A whole pile at rest, card by card: a deal, a position told by a person, or the order seen at rest."""

    pile: PileId
    down: int | None
    """Face-down cards at the bottom. None: how many is not known."""
    cards: tuple[LaidCard, ...]
    """Face-up cards, the lowest first."""
    below_known: bool = True
    """Whether nothing but ``down`` lies below ``cards``; False: only the topmost cards are known."""
    at: Interval
    told_by: str = ""
    """Empty: the cameras."""
    confidence: float = 1.0
    evidence: Evidence


class CarryPlace(StrEnum):
    """Where in a pile carried cards are put."""

    TOP = "top"
    UNDER = "under"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsCarried:
    """Several cards in one carry, or cards slid under a pile. One card put on top is a ``CardLanded``."""

    pile: PileId
    cards: tuple[Card | None, ...]
    """The lowest first. None: not legible."""
    place: CarryPlace
    source: PileId | None
    """None: not known."""
    left: tuple[Card | None, ...] = ()
    """Cards that lay on the carried ones and stayed behind, the lowest first."""
    lifted: Interval | None = None
    """None: the lift was not seen."""
    touch: Interval
    settled_us: int
    seat: Seat | None
    """None: the cameras cannot tell."""
    seat_confidence: float
    confidence: float
    """Of the faces."""
    resolution_us: int
    """Half a frame period."""
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class PileShare:
    """How much of a card lies over a pile, 0 to 1."""

    pile: PileId
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedBetween:
    """A card came to rest over more than one pile, or over none."""

    shares: tuple[PileShare, ...]
    """Empty: outside every zone."""
    card: Card | None
    touch: Interval
    settled_us: int
    seat: Seat | None
    seat_confidence: float
    source: PileId | None
    confidence: float
    resolution_us: int
    evidence: Evidence


class Handling(StrEnum):
    """What a hand does to a pile beside carrying cards to another."""

    TURNED = "turned"
    """Cards from the top turned face up onto ``target``."""
    TURNED_OVER = "turned_over"
    """The whole pile turned over to become ``target``."""
    BURNED = "burned"
    """The top card put to the bottom."""
    SHUFFLED = "shuffled"
    REORDERED = "reordered"
    """Its cards put in another order."""
    PEEKED = "peeked"
    """A face-down card raised, or the cards looked through."""
    FACED_UP = "faced_up"
    """The top card turned face up where it lies."""
    SLAPPED = "slapped"
    BRUSHED = "brushed"
    """A card in the hand touched the pile and was carried on, or is still held."""
    GATHERED = "gathered"
    """The whole pile picked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileHandled:
    """A hand did something to a pile."""

    handling: Handling
    pile: PileId
    target: PileId | None = None
    """Where the cards came to. None: they stayed, or it was not seen."""
    count: int | None = None
    """How many cards. None: not seen."""
    cards: tuple[Card, ...] = ()
    """Those whose faces were seen, in the order in which they came to lie: the last on top."""
    touch: Interval
    seat: Seat | None
    seat_confidence: float
    resolution_us: int
    confidence: float
    evidence: Evidence


class Hand(StrEnum):
    """Which hand of a person."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCarried:
    """One hand of a seat carried a card, from lift to rest."""

    seat: Seat | None
    hand: Hand
    card: Card | None
    """None: not legible."""
    pile: PileId | None
    """Where the card came to. None: not seen."""
    carried: Interval
    """From when to when, not an instant between."""
    confidence: float
    """That it was this hand of this seat throughout."""
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class HandsRested:
    """Several hands lie on one pile, one above the other."""

    pile: PileId
    seats: tuple[Seat, ...]
    """The lowest hand first."""
    at: Interval
    confidence: float
    evidence: Evidence


class OverlapOf(StrEnum):
    """What of two piles overlaps."""

    CARDS = "cards"
    ZONES = "zones"


@dataclass(frozen=True, slots=True, kw_only=True)
class PilesOverlapped:
    """Cards or zones of different piles lie over each other, so that the piles cannot be told apart."""

    piles: tuple[PileId, ...]
    overlap: OverlapOf
    at: Interval
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class LabelRun:
    """One reading of a pile's top that stood for some frames."""

    card: Card | None
    """None: no card was read."""
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsRead:
    """What was read on a pile from frame to frame, where the readings do not hold still."""

    pile: PileId
    runs: tuple[LabelRun, ...]
    """In order of time."""
    read: Interval
    """From the first frame to the last."""
    resolution_us: int
    evidence: Evidence


class ClockFault(StrEnum):
    """What is wrong with frame times."""

    STAMP_REPEATED = "stamp_repeated"
    """Two frames carry the same time."""
    RATE_ASSUMED = "rate_assumed"
    """Times were computed as frame number by frame rate."""
    LAG = "lag"
    """One source runs behind another by ``lag_us``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockDoubted:
    """The frame times of a source cannot be taken as they are."""

    fault: ClockFault
    source_id: str
    lag_us: int = 0
    """By how much the times may be off; 0: not known."""
    at_us: int
