"""The score: lines that can be read out and add up, and what is not known yet."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from referee.events import CardMoved
from referee.nerts import owner_of
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.table import Table
from referee.verdicts import RuleId, Ruling, Verdict


class ScoreItem(StrEnum):
    """What is counted."""

    FOUNDATION_CARDS = "foundation cards"
    NERTS_CARDS_LEFT = "Nerts cards left"

    @property
    def rule(self) -> RuleId:
        """The rule that scores it."""
        return RuleId.N39 if self is ScoreItem.FOUNDATION_CARDS else RuleId.N40


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
    reason: str


@dataclass(frozen=True, slots=True)
class Scorecard:
    """All lines; a total is their sum. Provisional as long as something is unknown."""

    lines: tuple[ScoreLine, ...]
    unknowns: tuple[Unknown, ...]

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


@dataclass(slots=True)
class Tally:
    """Which cards stand on the foundations, as the verdicts so far say."""

    setup: MatchSetup
    _own: Counter[Seat] = field(default_factory=Counter)
    _standing: dict[CardMoved, Seat | None] = field(default_factory=dict)
    _ownerless: dict[CardMoved, None] = field(default_factory=dict)
    """In the order in which they came."""
    _open: dict[CardMoved, str] = field(default_factory=dict)

    def take(self, verdict: Verdict) -> None:
        """Count what stands, discount what goes back, remember what is open."""
        for play in verdict.goes_back:
            self._remove(play)
        for play in verdict.stands:
            self._add(play)
        if verdict.ruling is Ruling.UNDECIDED:
            self._open.update(dict.fromkeys(verdict.event.plays, verdict.reason))

    def scorecard(self, table: Table) -> Scorecard:
        """The score now."""
        lines: list[ScoreLine] = []
        unknowns = [_unowned(play) for play in self._ownerless]
        unknowns += [
            Unknown(RuleId.N39, owner_of(play, self.setup), play.target, reason)
            for play, reason in self._open.items()
        ]
        for item in self.setup.seats:
            lines.append(self._foundation_line(item.seat))
            left = table.pile(PileId(PileKind.RESERVE, item.seat)).counted
            if left is None:
                unknowns.append(_uncounted(item.seat))
                continue
            points_each = -self.setup.rules.nerts_penalty
            lines.append(ScoreLine(item.seat, ScoreItem.NERTS_CARDS_LEFT, left, points_each))
        return Scorecard(tuple(lines), tuple(unknowns))

    def _foundation_line(self, seat: Seat) -> ScoreLine:
        points_each = self.setup.rules.points_foundation
        return ScoreLine(seat, ScoreItem.FOUNDATION_CARDS, self._own[seat], points_each)

    def _add(self, play: CardMoved) -> None:
        if play in self._standing:
            return
        owner = owner_of(play, self.setup)
        self._standing[play] = owner
        if owner is None:
            self._ownerless[play] = None
        else:
            self._own[owner] += 1

    def _remove(self, play: CardMoved) -> None:
        self._ownerless.pop(play, None)
        owner = self._standing.pop(play, None)
        if owner is not None:
            self._own[owner] -= 1


def _unowned(play: CardMoved) -> Unknown:
    return Unknown(RuleId.N39, None, play.target, f"whose {play.card} it is was not seen")


def _uncounted(seat: Seat) -> Unknown:
    pile = PileId(PileKind.RESERVE, seat)
    return Unknown(RuleId.N40, seat, pile, "the cards left in this Nerts pile were not counted")
