"""The score: lines that can be read out and add up, and what is not known yet."""

from dataclasses import dataclass
from enum import StrEnum

from referee.messages import Reason
from referee.piles import PileId, Seat
from referee.verdicts import RuleId, text_of


class ScoreItem(StrEnum):
    """What is counted."""

    FOUNDATION_CARDS = "foundation cards"
    NERTS_CARDS_LEFT = "Nerts cards left"
    CALLS = "calls"
    KINGS = "foundations completed"
    FALSE_CALLS = "calls that did not hold"
    EARLIER_ROUNDS = "earlier rounds"
    CARDS_OWNED = "cards owned"
    STOCK_CARDS_LEFT = "stock cards left"
    SPIT_CARDS_LEFT = "spit cards left"
    POINTS_BEFORE = "points before"
    ROUNDS_WON = "rounds won"
    CARDS_LEFT = "cards left"
    CARDS_IN_HAND = "cards in hand"

    @property
    def rule(self) -> RuleId:
        """The rule that scores it."""
        return _RULES_OF_ITEMS[self]


_RULES_OF_ITEMS = {
    ScoreItem.FOUNDATION_CARDS: RuleId.N39,
    ScoreItem.NERTS_CARDS_LEFT: RuleId.N40,
    ScoreItem.CALLS: RuleId.N42,
    ScoreItem.KINGS: RuleId.N27,
    ScoreItem.FALSE_CALLS: RuleId.N36,
    ScoreItem.EARLIER_ROUNDS: RuleId.N43,
    ScoreItem.CARDS_OWNED: RuleId.S3,
    ScoreItem.STOCK_CARDS_LEFT: RuleId.S11,
    ScoreItem.SPIT_CARDS_LEFT: RuleId.S26,
    ScoreItem.POINTS_BEFORE: RuleId.S34,
    ScoreItem.ROUNDS_WON: RuleId.C_SPEED,
    ScoreItem.CARDS_LEFT: RuleId.C_SPEED,
    ScoreItem.CARDS_IN_HAND: RuleId.C_CAL,
}


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One countable item of one seat."""

    seat: Seat
    item: ScoreItem
    count: int
    points_each: int

    @property
    def points(self) -> int:
        """What the line adds to the seat's total."""
        return self.count * self.points_each


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that would count, if it were known."""

    rule: RuleId
    seat: Seat | None
    """None: it is not known whose it is."""
    pile: PileId
    reasons: tuple[Reason, ...]
    """Why it is not known, the main reason first."""

    @property
    def reason(self) -> str:
        """The same as a sentence for players."""
        return text_of(self.reasons)


@dataclass(frozen=True, slots=True)
class Audit:
    """Cards of one deck counted by their backs, beside what the verdicts come to (N41)."""

    deck: Seat
    pile: PileId | None
    """Among whose cards they were counted. None: those of all foundations."""
    counted: int
    tracked: int
    unowned: int
    """Cards there whose owner was not seen."""

    @property
    def difference(self) -> int:
        """What was counted less what was tracked."""
        return self.counted - self.tracked


@dataclass(frozen=True, slots=True)
class Scorecard:
    """All lines; a total is their sum. Provisional as long as something is unknown."""

    lines: tuple[ScoreLine, ...]
    unknowns: tuple[Unknown, ...]
    audits: tuple[Audit, ...] = ()
    """Counts that were held against the verdicts."""

    def total(self, seat: Seat) -> int:
        """The points of ``seat``."""
        return sum(line.points for line in self.lines if line.seat is seat)

    @property
    def totals(self) -> tuple[tuple[Seat, int], ...]:
        """Each seat with its points, in the order of the seats."""
        return tuple((seat, self.total(seat)) for seat in dict.fromkeys(line.seat for line in self.lines))

    @property
    def is_provisional(self) -> bool:
        """Whether something that counts is not known yet."""
        return len(self.unknowns) > 0
