"""What happens in front of the camera: paths of hands and cards in table millimetres, and the truth of it."""

from dataclasses import dataclass
from typing import Final

from datasets.simulator.cards_on_table import CardsOnTable, Held
from datasets.simulator.layout import Layout
from datasets.simulator.motion import HandPath, eased
from referee.cards import Card
from referee.piles import PileId, Seat

CARD_THICKNESS_MM: Final = 0.3


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card lies: its centre in table millimetres, and its turn (0: read from the south)."""

    x_mm: float
    y_mm: float
    turn_deg: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A card and where it lies."""

    held: Held
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueAction:
    """What really happened, one line of the truth file. Times in microseconds of the clip's own clock.

    ``kind``: ``play`` (to a foundation or spit pile), ``move`` (within a layout), ``flip`` (the next card of
    a Nerts or stock pile), ``return`` (a loser's or a wrong card goes back), ``pass`` (a hand moves over
    piles, takes nothing and puts nothing down). In Nerts ``turn`` (stock to waste), ``recycle``. In Spit
    ``spit`` (a spit card to a spit pile), ``slap``, ``gather`` (a spit pile to the spit cards).
    """

    kind: str
    seat: Seat
    card: Card | None
    """The top card as it lies afterwards; for a run, the card that joins. None: a pass, or face down."""
    count: int
    source: PileId | None
    target: PileId | None
    lifted_us: int
    """When the card leaves the source. For a pass: when the hand comes."""
    contact_us: int
    """First instant at which the card's height over the pile is zero. For a pass: the middle."""
    rest_us: int
    """When it stops sliding."""
    hand_gone_us: int
    """First instant after ``rest_us`` at which no part of that hand hides the target's zone."""
    is_legal: bool
    rule: str | None
    """The rule that allows or forbids a play on a common pile."""
    contest: str | None
    """Plays of one race have the same name."""
    gap_us: int | None
    """In a race: how long after the first touch this one came; 0 for the first. Of a slap: the same."""
    pose: Pose | None
    """Where the card came to rest."""
    passed: tuple[PileId, ...] = ()
    """The piles that a passing hand hid."""
    seen_share: float | None = None
    """The least share of the top card that no hand hides while it comes down. None: no card came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """Cards on their way under a hand, lowest first."""

    seat: Seat
    cards: tuple[Placed, ...]
    """As they lay."""
    landed: tuple[Placed, ...]
    """As they will lie."""
    source: PileId
    target: PileId
    lifted_us: int
    contact_us: int
    rest_us: int
    is_flipped: bool
    grip_mm: tuple[float, float]
    """From the fingertip to the centre of the top card."""

    def progress(self, t_us: float) -> float:
        """0 at the lift, 1 at the touch; eased."""
        return eased((t_us - self.lifted_us) / max(self.contact_us - self.lifted_us, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Everything that happens in front of the camera."""

    layout: Layout
    start: dict[PileId, tuple[Placed, ...]]
    paths: dict[Seat, HandPath]
    shoulders_mm: dict[Seat, tuple[float, float]]
    carries: tuple[Carry, ...]
    actions: tuple[TrueAction, ...]
    duration_us: int
    final: CardsOnTable

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Whose hands are there."""
        return self.layout.seats

    @property
    def decks(self) -> tuple[Seat, ...]:
        """Whose decks lie on the table: all of them, or one that is played together."""
        owners = {placed.held.deck_of for cards in self.start.values() for placed in cards}
        return tuple(seat for seat in self.seats if seat in owners)
