"""Landings that wait for the piles that their cards came from."""

from collections.abc import Container, Iterator
from dataclasses import dataclass

from referee.observations import CardLanded, CardLifted, Observation
from referee.piles import PileId, PileKind
from referee.sightings import Handling, PileHandled
from vision.carry import Lift
from vision.races import Beneath, Owners


@dataclass(slots=True, kw_only=True, eq=False)
class PendingLanding:
    """A landing that waits for its source, with what follows it on the same pile."""

    landed: CardLanded
    deadline_us: int
    since_us: int
    """When the pile was last at rest before it."""
    rested_us: int
    """Since when it lies at rest with it."""
    beneath: Beneath | None
    """A card that may have come at the same time and lies below. None: no sign of one."""
    owners: Owners | None
    """Whose the two cards are. None: no two seats reached for the pile, so that only a second lift tells of
    the lower card."""
    is_contested: bool
    """Whether hands of two seats reached for the pile."""
    is_disputed: bool
    """Whether another seat's fingers had come to rest there, and no card of its own was seen to come: it may
    lie below, and whose the upper one is makes nobody first."""
    after: tuple[Observation, ...] = ()
    """What is to be told after it."""
    needs_source: bool = False
    """It was seen in passing only: without a lift that goes with it, it is not told."""
    otherwise: Handling | None = None
    """What it was where no card came from elsewhere. None: nothing that could be told."""
    gone: Lift | None = None
    """The card that lay there before, if it is not there any more: it may have been taken away."""
    over: "PendingLanding | None" = None
    """The landing before it whose card lies below. None: there was none, or it has been taken away."""
    told: CardLanded | None = None
    """As it was told. None: not yet, or not as one card that landed."""

    @property
    def is_contested_foundation(self) -> bool:
        """Whether hands of two seats reached for a foundation, where equal cards race."""
        return self.is_contested and self.landed.pile.kind is PileKind.FOUNDATION

    def handled(self, handling: Handling) -> PileHandled:
        """What was done to the pile, where no card came to it."""
        landed, pile = self.landed, self.landed.pile
        is_owner = landed.seat is not None and landed.seat is pile.seat
        return PileHandled(
            handling=handling,
            pile=pile,
            target=None,
            cards=(landed.card,) if landed.card is not None else (),
            touch=landed.touch,
            seat=pile.seat,
            seat_confidence=landed.seat_confidence if is_owner else 1.0,
            resolution_us=landed.resolution_us,
            confidence=landed.confidence,
            evidence=landed.evidence,
        )


class PendingLandings:
    """The landings that wait, in the order in which they were seen."""

    def __init__(self) -> None:
        self._landings: list[PendingLanding] = []

    def __iter__(self) -> Iterator[PendingLanding]:
        return iter(self._landings)

    def add(self, pending: PendingLanding) -> None:
        """One more waits."""
        self._landings.append(pending)

    def drop(self, told: Container[PendingLanding]) -> None:
        """These wait no more."""
        self._landings = [pending for pending in self._landings if pending not in told]

    def in_turn(self, pile: PileId, observation: Observation | None) -> list[Observation]:
        """What can be told now of a pile: nothing while a landing there waits, which it then follows."""
        if observation is None:
            return []
        for pending in reversed(self._landings):
            if pending.landed.pile == pile:
                pending.after = (*pending.after, observation)
                return []
        return [observation]

    def may_hold(self, gone: CardLifted) -> bool:
        """Whether one that waits may be of a card that was lifted."""
        return any(
            is_equal_elsewhere(pending.landed, gone) and gone.lifted.start_us < pending.landed.touch.end_us
            for pending in self._landings
        )

    def others_of(self, landed: CardLanded) -> list[CardLanded]:
        """The other ones that wait of an equal card: on another pile, or later on the same."""
        return [
            each.landed
            for each in self._landings
            if each.landed.card == landed.card and each.landed is not landed
        ]

    def faced_up(self, lifts: list[Lift], landed: CardLanded) -> list[PendingLanding]:
        """What waits of the stock piles that a card may have come from: it was turned up there first."""
        sources = {lift.observation.pile for lift in lifts}
        return [
            pending
            for pending in self._landings
            if pending.otherwise is Handling.FACED_UP
            and pending.landed.pile in sources
            and pending.landed.card == landed.card
        ]


def is_equal_elsewhere(other: CardLanded, one: CardLanded | CardLifted) -> bool:
    """Whether an equal card came to another pile."""
    return other.card == one.card and other.pile != one.pile
