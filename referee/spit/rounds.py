"""The end of a round of Spit, by the stock that is gone or by a block (S11, S22, S26, S31 to S33)."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.clock import Interval
from referee.events import Happened
from referee.messages import say
from referee.observations import Observation
from referee.piles import PileId, Seat
from referee.spit.bench import Bench, Ended
from referee.spit.ending import collected
from referee.spit.plays import names_of
from referee.spit_rules import ScoringRule
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled


def then_of(bench: Bench) -> str:
    """What follows the end of a round: slaps where there are piles to choose from."""
    return "SLAP" if bench.spit_piles > 1 else "COUNT"


@dataclass(slots=True)
class Rounds:
    """Judges the ends of rounds, and says who takes which pile."""

    bench: Bench

    @property
    def end_us(self) -> int | None:
        """When the round surely had ended. None: it goes on, or nobody saw when."""
        return None if self.bench.ended is None else self.bench.ended.at.end_us

    def end_by_block(self, at: Interval) -> None:
        """The round has ended because nobody can go on."""
        self.bench.ended = Ended(at, ())

    def end_by(self, out: tuple[Seat, ...], event: Happened) -> Verdict:
        """Rule S22: ``out`` have no stock left, and their last cards stand."""
        bench = self.bench
        bench.ended = Ended(event.at, out)
        if bench.spit_piles == 1 and len(out) == 1:
            return self._end_of_one_pile(out[0], event)
        return self._out_of_stock(out, event)

    def _out_of_stock(self, out: tuple[Seat, ...], event: Happened) -> Verdict:
        reason = say("out_of_stock", player=names_of(out, self.bench.setup), then=then_of(self.bench))
        seat, seats = (out[0], ()) if len(out) == 1 else (None, out)
        return ruled(
            event, Ruling.LEGAL, RuleId.S22, reason, seat=seat, seats=seats, outcome=Outcome.ROUND_END
        )

    def _end_of_one_pile(self, out: Seat, event: Happened) -> Verdict:
        """Rules S31 to S33: the first out takes nothing, and has won if it has no spit cards either."""
        table = self.bench.table
        spit, player = table.layouts[out].spit, self.bench.player(out)
        has_none = spit == 0 or (spit is None and table.cannot_spit(out))
        others = tuple(seat for seat in table.seats if seat is not out)
        pile = min(self.bench.centre.piles, key=str)
        owned = self.take_piles(dict.fromkeys(others, pile))
        if has_none:
            reason = say("no_cards_left", player=player)
            return ruled(event, Ruling.LEGAL, RuleId.S32, reason, seat=out, outcome=Outcome.GAME_WIN)
        facts = {str(seat): "?" if count is None else count for seat, count in owned.items()}
        other = names_of(others, self.bench.setup)
        reason = say("takes_nothing", player=player, other=other, then="CONTINUES", **facts)
        rule = RuleId.S31 if spit is None else RuleId.S33
        return ruled(event, Ruling.LEGAL, rule, reason, seat=out, outcome=Outcome.ROUND_END)

    def take_piles(self, takes: Mapping[Seat, PileId]) -> Mapping[Seat, int | None]:
        """Rule S26: each seat takes a pile to its own cards; returns what each owns then."""
        bench = self.bench
        counts = {seat: bench.centre.pile(pile).count for seat, pile in takes.items()}
        owned = collected(counts, bench.table.layouts, bench.rules)
        bench.taken = dict(takes)
        if bench.rules.scoring is ScoringRule.STANDARD:
            bench.table.start_round(owned)
        return owned

    def end_agreed(self, event: Happened) -> Verdict:
        """Rule S22: the round is over, as all say."""
        out = self.bench.out
        if out:
            return self.end_by(out, event)
        self.bench.ended = Ended(event.at, ())
        reason = say("round_agreed", then=then_of(self.bench))
        return ruled(event, Ruling.LEGAL, RuleId.S22, reason, outcome=Outcome.ROUND_END)

    def goes_on(self, cause: Observation, at: Interval) -> Verdict:
        """Rules S11 and S22: asked whether the round goes on, the stock piles answer."""
        event, bench = Happened(causes=(cause,), at=at), self.bench
        if bench.is_over:
            out = bench.out or bench.table.seats
            return self._out_of_stock(out, event)
        owed = next((seat for seat in bench.table.out if seat not in bench.out), None)
        reason = say("goes_on") if owed is None else say("card_returns", player=bench.player(owed))
        return ruled(event, Ruling.LEGAL, RuleId.S11, reason, seat=owed, outcome=Outcome.GAME_CONTINUES)
