"""The running tally: which cards stand on the foundations, and whose they are."""

from collections import Counter
from dataclasses import dataclass, field

from referee.events import CardMoved
from referee.nerts.checks import owner_of
from referee.piles import PileId, PileKind, Seat
from referee.score import Scorecard, ScoreItem, ScoreLine, Unknown
from referee.setup import MatchSetup
from referee.table import Table
from referee.verdicts import RuleId, Ruling, Verdict


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
