"""Verdicts: a ruling on one event, with the rule, the reason and the evidence."""

from dataclasses import dataclass
from enum import StrEnum

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved, Event
from referee.observations import Evidence
from referee.piles import PileId, Seat


class Ruling(StrEnum):
    """What the referee says."""

    LEGAL = "LEGAL"
    ILLEGAL = "ILLEGAL"
    FIRST = "FIRST"
    """Contested: one seat was surely first (N15)."""
    TIE = "TIE"
    """Contested: a clear tie, all keep (N16)."""
    TOO_CLOSE = "TOO_CLOSE"
    """Contested: the pictures do not tell; all keep, and a person looks (E4)."""
    FLAG = "FLAG"
    """Told, not ruled on."""
    UNDECIDED = "UNDECIDED"
    """The cameras cannot tell."""


class RuleId(StrEnum):
    """The rules that this form judges by, as numbered in the rule book; ``docs/rules.md`` says each."""

    N12 = "N12"
    """Cards move only within one's own layout, or from it to the common area."""
    N15 = "N15"
    """Two play on one foundation: the first to touch keeps it."""
    N16 = "N16"
    """A clear tie: both keep."""
    N25 = "N25"
    """A foundation starts with an ace."""
    N26 = "N26"
    """A foundation takes the next rank up, in the same suit."""
    N27 = "N27"
    """A foundation is built to the king, then set aside."""
    N28 = "N28"
    """A foundation takes the Nerts card, an exposed work-pile card or the top waste card."""
    N39 = "N39"
    """One point for each own card on the foundations."""
    N40 = "N40"
    """Two points off for each card left in the own Nerts pile."""
    N45 = "N45"
    """A joker goes to a foundation as the card declared before it is moved."""
    E4 = "E4"
    """Touches that are not separated, seen too coarsely for a clear tie: a person looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One ruling. Never edited afterwards, only answered."""

    verdict_id: str
    """``v1``, ``v2`` ... as the referee gave them; empty until it is given."""
    event: Event
    ruling: Ruling
    rule: RuleId | None
    """None: nothing in the rule book is at stake."""
    reason: str
    """A sentence for players."""
    touch: Interval | None
    """Of the first to touch. None: the event is no play."""
    seat: Seat | None
    """Who made the play or was first. None: not known, or several alike."""
    card: Card | None
    pile: PileId
    kept: tuple[int, ...] = ()
    """Positions in ``event.plays`` of the cards that stay and count."""
    returned: tuple[int, ...] = ()
    """Positions in ``event.plays`` of the cards that go back and do not count."""

    @property
    def stands(self) -> tuple[CardMoved, ...]:
        """The plays whose card stays and counts."""
        return tuple(self.event.plays[i] for i in self.kept)

    @property
    def goes_back(self) -> tuple[CardMoved, ...]:
        """The plays whose card goes back to where it came from."""
        return tuple(self.event.plays[i] for i in self.returned)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Where a person can look."""
        return self.event.evidence
