"""The running tally: which cards stand on the foundations, whose they are, and what they score."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from referee.cards import Card
from referee.events import CardMoved
from referee.messages import Reason, say
from referee.nerts.checks import owner_of
from referee.nerts_rules import NertsRules
from referee.piles import PileId, PileKind, Seat
from referee.score import Audit, Scorecard, ScoreItem, ScoreLine, Unknown
from referee.setup import MatchSetup
from referee.table import Table, is_foundation
from referee.verdicts import RuleId, Ruling, Verdict


@dataclass(slots=True)
class Tally:
    """What the verdicts so far come to. The cards of a pile that was set aside are counted for good."""

    setup: MatchSetup
    rules: NertsRules
    is_watched: bool = False
    """Whether anything was seen of the foundations, so that a count can be held against it."""
    _own: Counter[Seat] = field(default_factory=Counter)
    _by_pile: Counter[tuple[Seat, PileId]] = field(default_factory=Counter)
    _standing: dict[PileId, dict[CardMoved, Seat | None]] = field(default_factory=dict)
    """What can still go back, pile by pile."""
    _by_face: Counter[tuple[Seat, Card]] = field(default_factory=Counter)
    _ownerless: dict[CardMoved, None] = field(default_factory=dict)
    """In the order in which they came."""
    _open: dict[CardMoved, tuple[Reason, ...]] = field(default_factory=dict)
    _kings: Counter[Seat] = field(default_factory=Counter)
    _calls: Counter[Seat] = field(default_factory=Counter)
    _false_calls: Counter[Seat] = field(default_factory=Counter)
    _backs: dict[tuple[Seat, PileId | None], int] = field(default_factory=dict)

    def take(self, verdict: Verdict) -> None:
        """Count what stands, discount what goes back, remember what is open."""
        for play in verdict.goes_back:
            self._remove(play)
        for play in verdict.stands:
            if is_foundation(play.target):
                self._add(play)
        if verdict.ruling is Ruling.UNDECIDED:
            for play in verdict.event.plays:
                if is_foundation(play.target):
                    self._open[play] = verdict.reasons

    def lay(self, plays: Iterable[CardMoved]) -> None:
        """Count cards that lay there from the start."""
        for play in plays:
            self._add(play)

    def freeze(self, pile: PileId) -> None:
        """``pile`` was set aside: its cards keep their owners, whatever happens to it (N27)."""
        self._standing.pop(pile, None)

    def credit_call(self, seat: Seat) -> None:
        """A call that held."""
        self._calls[seat] += 1

    def charge_call(self, seat: Seat) -> None:
        """A call that did not hold."""
        self._false_calls[seat] += 1

    def credit_king(self, play: CardMoved) -> None:
        """A foundation was completed."""
        owner = owner_of(play, self.setup)
        if owner is not None:
            self._kings[owner] += 1

    def called(self, seat: Seat) -> int:
        """How many calls of this round held."""
        return self._calls[seat]

    def count_backs(self, deck: Seat, pile: PileId | None, count: int) -> None:
        """The cards of ``deck`` were counted: that holds, whatever was seen before (N41)."""
        self._backs[deck, pile] = count

    def stands_already(self, play: CardMoved, deck: Seat) -> bool:
        """Whether the same card of this deck lies on a foundation already, by another play."""
        if play.card is None or play in self._standing.get(play.target, {}):
            return False
        return self._by_face[deck, play.card] > 0

    def tracked(self, deck: Seat, pile: PileId | None) -> tuple[int, int]:
        """How many cards of ``deck`` stand by the verdicts, and how many more have no known owner."""
        if pile is None:
            return self._own[deck], len(self._ownerless)
        return self._by_pile[deck, pile], sum(1 for play in self._ownerless if play.target == pile)

    def scorecard(self, table: Table, earlier: Mapping[Seat, int]) -> Scorecard:
        """The score now."""
        lines: list[ScoreLine] = []
        counted = all((deck, None) in self._backs for deck in self.setup.decks)
        unknowns = [] if counted else [_unowned(play) for play in self._ownerless]
        unknowns += [
            Unknown(RuleId.N39, owner_of(play, self.setup), play.target, reasons)
            for play, reasons in ({} if counted else self._open).items()
        ]
        for seat in self.setup.decks:
            lines += self._round_lines(seat)
            left = table.left_in(PileId(PileKind.RESERVE, seat))
            if left is None:
                unknowns.append(_uncounted(seat))
            else:
                lines.append(ScoreLine(seat, ScoreItem.NERTS_CARDS_LEFT, left, -self.rules.nerts_penalty))
            if earlier.get(seat):
                lines.append(ScoreLine(seat, ScoreItem.EARLIER_ROUNDS, earlier[seat], 1))
        return Scorecard(tuple(lines), tuple(unknowns), self._audits())

    def _audits(self) -> tuple[Audit, ...]:
        """Each count by backs beside the tally (N41)."""
        places = {deck: place for place, deck in enumerate(self.setup.decks)}
        counted = sorted(self._backs.items(), key=lambda item: (places[item[0][0]], str(item[0][1] or "")))
        return tuple(Audit(deck, pile, count, *self.tracked(deck, pile)) for (deck, pile), count in counted)

    def foundation_cards(self, deck: Seat) -> int:
        """How many cards of ``deck`` count: as they were counted by back, else as they were tracked."""
        whole = self._backs.get((deck, None))
        if whole is not None:
            return whole
        counted = {pile: count for (seat, pile), count in self._backs.items() if seat is deck}
        return self._own[deck] + sum(count - self.tracked(deck, pile)[0] for pile, count in counted.items())

    def _round_lines(self, seat: Seat) -> list[ScoreLine]:
        rules = self.rules
        cards = ScoreLine(
            seat, ScoreItem.FOUNDATION_CARDS, self.foundation_cards(seat), rules.points_foundation
        )
        extra = [
            ScoreLine(seat, ScoreItem.CALLS, self._calls[seat], rules.call_bonus),
            ScoreLine(seat, ScoreItem.KINGS, self._kings[seat], rules.king_bonus),
            ScoreLine(seat, ScoreItem.FALSE_CALLS, self._false_calls[seat], -rules.false_call_penalty),
        ]
        return [cards, *(line for line in extra if line.points)]

    def _add(self, play: CardMoved) -> None:
        there = self._standing.setdefault(play.target, {})
        if play in there:
            return
        self.is_watched = True
        owner = owner_of(play, self.setup)
        there[play] = owner
        if owner is None:
            self._ownerless[play] = None
            return
        self._own[owner] += 1
        self._by_pile[owner, play.target] += 1
        if play.card is not None and not play.card.is_joker:
            self._by_face[owner, play.card] += 1

    def _remove(self, play: CardMoved) -> None:
        self.is_watched = True
        self._ownerless.pop(play, None)
        owner = self._standing.get(play.target, {}).pop(play, None)
        if owner is None:
            return
        self._own[owner] -= 1
        self._by_pile[owner, play.target] -= 1
        if play.card is not None and not play.card.is_joker:
            self._by_face[owner, play.card] -= 1


def _unowned(play: CardMoved) -> Unknown:
    return Unknown(RuleId.N39, None, play.target, (say("owner_unknown", card=play.card),))


def _uncounted(seat: Seat) -> Unknown:
    pile = PileId(PileKind.RESERVE, seat)
    return Unknown(RuleId.N40, seat, pile, (say("nerts_uncounted"),))
