"""Events: what happened on the table, read from observations. No judgement in here."""

from dataclasses import dataclass

from referee.cards import Card
from referee.clock import Interval
from referee.evidence import Evidence
from referee.observations import Observation
from referee.piles import PileId, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMoved:
    """One card left a pile under a hand and came to rest on another."""

    seat: Seat | None
    """Whose hand brought it. None: not seen."""
    seat_confidence: float
    card: Card | None
    """None: not legible."""
    source: PileId | None
    """None: where it came from was not seen."""
    lifted_card: Card | None
    """What was seen to leave the source. None: the lift was not seen, or its card not legible."""
    lifted: Interval | None
    """When it left the source. None: the lift was not seen."""
    target: PileId
    touch: Interval
    settled_us: int
    confidence: float
    """Of the face."""
    resolution_us: int
    """Half a frame period."""
    evidence: tuple[Evidence, ...]
    stands_for: Card | None = None
    """Which card a joker was declared to be. None: no joker, or not declared."""
    owner: Seat | None = None
    """Whose deck it is of, where that was told or read off a back. None: source and hand must say."""

    @property
    def face(self) -> Card | None:
        """The card that it counts as."""
        return self.card if self.stands_for is None else self.stands_for

    @property
    def plays(self) -> tuple["CardMoved", ...]:
        """Itself, as the only play of this event."""
        return (self,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestedPlay:
    """Two or more cards came for the same place on one pile."""

    pile: PileId
    plays: tuple[CardMoved, ...]
    """In order of touch."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """That of all its plays."""
        return tuple(evidence for play in self.plays for evidence in play.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class PileRemoved:
    """A pile that held cards lies empty."""

    pile: PileId
    last_top: Card | None
    """The card that lay on top before. None: not certain."""
    seen: Interval
    evidence: tuple[Evidence, ...]

    @property
    def plays(self) -> tuple[CardMoved, ...]:
        """None: no card was played."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsTold:
    """Someone said how many cards a pile holds."""

    pile: PileId
    count: int
    told_by: str
    at_us: int

    @property
    def plays(self) -> tuple[CardMoved, ...]:
        """None: no card was played."""
        return ()

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """None: it was told, not seen."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Something that is as it was seen or told: a deal, a call, a stock turned, cards moved together."""

    causes: tuple[Observation, ...]
    """What established it."""
    at: Interval
    plays: tuple[CardMoved, ...] = ()
    """Cards that were played with it."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """That of all its causes; what was told has none."""
        found = (getattr(cause, "evidence", None) for cause in self.causes)
        return tuple(evidence for evidence in found if evidence is not None)


Event = CardMoved | ContestedPlay | PileRemoved | CardsTold | Happened
