"""What the cards of a round of Spit come to: the audit of 52, and who has won (S3, S26, S32, S34)."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.clock import Interval
from referee.events import Happened
from referee.messages import Reason, say
from referee.observations import Observation
from referee.piles import Seat
from referee.spit.bench import Bench, Ended
from referee.spit.ending import Standing, completed, points_left, standings
from referee.spit.plays import names_of
from referee.spit.rounds import Rounds
from referee.spit_rules import ScoringRule
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

_Totals = Mapping[Seat, int | None]


def counts_of(owned: _Totals, bench: Bench) -> Reason | None:
    """What each seat owns, in words. None: not all is known."""
    if None in owned.values():
        return None
    text = ", ".join(f"{bench.player(seat)} {count}" for seat, count in owned.items())
    return say("cards_owned", counts=text, **{f"{seat}_owns": count for seat, count in owned.items()})


@dataclass(slots=True)
class Totals:
    """Counts, and says whether the game is won."""

    bench: Bench
    rounds: Rounds

    def audit(self, cause: Observation, at: Interval) -> Verdict:
        """Rule S26: all cards together are 52."""
        event, owned = Happened(causes=(cause,), at=at), self._owned()
        counts = counts_of(owned, self.bench)
        if counts is None:
            return ruled(event, Ruling.UNDECIDED, RuleId.S26, say("totals_unknown"))
        together, wanted = sum(count for count in owned.values() if count is not None), self.bench.rules.cards
        on_table = self._on_table() if together != wanted else 0
        if on_table is None:
            return ruled(event, Ruling.UNDECIDED, RuleId.S26, say("totals_unknown"))
        together += on_table
        if together != wanted:
            reason = say("sum_{sum}_of_{wanted}", counts=counts.fact("counts"), sum=together, wanted=wanted)
            return ruled(event, Ruling.FLAG, RuleId.S26, reason)
        return ruled(event, Ruling.LEGAL, RuleId.S26, counts, outcome=Outcome.COUNT)

    def _on_table(self) -> int | None:
        """Cards on the spit piles that nobody has taken yet. None: not known."""
        counts = [] if self.bench.taken else [pile.count for pile in self.bench.centre.piles.values()]
        return None if None in counts else sum(count for count in counts if count is not None)

    def _owned(self) -> _Totals:
        """What each seat owns between rounds: as counted, told, or what is left of 52."""
        found: dict[Seat, int | None] = {}
        for seat, layout in self.bench.table.layouts.items():
            laid = layout.cards if layout.piles else layout.spit
            found[seat] = laid if laid is not None else self.bench.table.owned[seat]
        return completed(found, self.bench.rules)

    def end_called(self, cause: Observation, at: Interval) -> Verdict:
        """The round is over, as all agree: who takes what, or what the totals come to."""
        event, bench = Happened(causes=(cause,), at=at), self.bench
        is_standard = bench.rules.scoring is ScoringRule.STANDARD
        if is_standard and bench.centre.has_begun and not bench.taken:
            return self.rounds.end_agreed(event)
        bench.ended = bench.ended or Ended(at, bench.out)
        totals = self._owned() if is_standard else self._points()
        return self._won_cards(event, totals) if is_standard else self._won_points(event, totals)

    def _points(self) -> _Totals:
        """Rule S34: the points before, and one for each card left; cards that nobody saw are told already."""
        found: dict[Seat, int | None] = {}
        for seat, layout in self.bench.table.layouts.items():
            is_unseen = not layout.piles and layout.spit is None
            left = 0 if is_unseen else points_left(layout, self.bench.rules)
            found[seat] = None if left is None else self.bench.table.points.get(seat, 0) + left
        return found

    def _won_cards(self, event: Happened, totals: _Totals) -> Verdict:
        """Rule S3: the game is won by having no cards left."""
        found, facts = standings(totals, self.bench.rules), _facts(totals)
        if found.winner is None:
            reason = say("still_has_cards", **facts)
            return ruled(event, Ruling.LEGAL, RuleId.S3, reason, outcome=Outcome.GAME_CONTINUES)
        reason = say("no_cards_left", player=self.bench.player(found.winner), **facts)
        seat = found.winner
        return ruled(event, Ruling.LEGAL, RuleId.S3, reason, seat=seat, outcome=Outcome.GAME_WIN)

    def _won_points(self, event: Happened, totals: _Totals) -> Verdict:
        """Rule S34: once somebody has come to the target, the lowest total wins."""
        found, facts = standings(totals, self.bench.rules), _facts(totals)
        if None in totals.values():
            return ruled(event, Ruling.UNDECIDED, RuleId.S34, say("totals_unknown", **facts))
        self._add_up(totals)
        if found.winner is not None:
            reason = say("lowest_wins", player=self.bench.player(found.winner), **facts)
            seat = found.winner
            return ruled(event, Ruling.LEGAL, RuleId.S34, reason, seat=seat, outcome=Outcome.GAME_WIN)
        if found.standing is Standing.PLAYOFF:
            least = min(total for total in totals.values() if total is not None)
            lowest = tuple(seat for seat, total in totals.items() if total == least)
            reason = say("lowest_tie", players=names_of(lowest, self.bench.setup), **facts)
            return ruled(event, Ruling.LEGAL, RuleId.S34, reason, seats=lowest, outcome=Outcome.PLAYOFF)
        reason = say("points_below_target", target=self.bench.rules.target, **facts)
        return ruled(event, Ruling.LEGAL, RuleId.S34, reason, outcome=Outcome.GAME_CONTINUES)

    def _add_up(self, totals: _Totals) -> None:
        """Rule S34: the points of this round join those before, and the cards are dealt anew."""
        table = self.bench.table
        table.points |= {seat: total for seat, total in totals.items() if total is not None}
        table.start_round(dict.fromkeys(table.seats))


def _facts(totals: _Totals) -> dict[str, object]:
    return {str(seat): "?" if total is None else total for seat, total in totals.items()}
