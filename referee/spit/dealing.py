"""Judging the deal of Spit (S1, S4, S5, S20, S27, S29)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from referee.clock import Interval
from referee.events import Happened
from referee.messages import Reason, say
from referee.observations import Observation
from referee.piles import Seat
from referee.spit.bench import Bench
from referee.spit.deal import Deal, DealFault, fault_in_deal, first_shares
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

_FAULT_RULES = {
    DealFault.MORE_PILES: RuleId.S20,
    DealFault.SUM: RuleId.S4,
    DealFault.PILE_SIZES: RuleId.S5,
    DealFault.TOPS: RuleId.S5,
}


@dataclass(slots=True)
class Dealing:
    """Judges the start of a round, and each seat's deal."""

    bench: Bench
    forget_round: Callable[[], None]
    """The last round is over: what was called and taken in it is past."""
    _is_started: bool = False
    """Whether the start of this round was called."""

    def start(self, cause: Observation, at: Interval) -> Verdict:
        """Rule S1: the round begins, with as many players as the rules are for."""
        event, wanted, count = (
            Happened(causes=(cause,), at=at),
            self.bench.rules.players,
            len(self.bench.setup.seats),
        )
        if self._is_started and not self.bench.is_over:
            return self._dealt_twice(event, None)
        self._is_started = True
        if count != wanted:
            reason = say("players_not_agreed", count=count, wanted=wanted)
            return ruled(event, Ruling.ILLEGAL, RuleId.S1, reason, outcome=Outcome.DEAL_BAD)
        reason = say("players_agreed", count=count)
        return ruled(event, Ruling.LEGAL, RuleId.S1, reason, outcome=Outcome.DEAL_OK)

    def dealt(self, cause: Observation, at: Interval, seat: Seat | None) -> tuple[Verdict, ...]:
        """A seat, or with None every seat, says that its cards are dealt."""
        event = Happened(causes=(cause,), at=at)
        seats = self.bench.table.seats if seat is None else (seat,)
        if self.bench.is_over:
            self._new_round()
        again = [each for each in seats if each in self.bench.table.dealt]
        self.bench.table.dealt |= set(seats)
        if again:
            return (self._dealt_twice(event, seat),)
        seen = [each for each in seats if self.bench.table.layouts[each].piles or seat is not None]
        return tuple(self._deal(event, each) for each in seen)

    def _dealt_twice(self, event: Happened, seat: Seat | None) -> Verdict:
        reason = say("dealt_twice")
        return ruled(event, Ruling.ILLEGAL, RuleId.S4, reason, seat=seat, outcome=Outcome.DEAL_BAD)

    def _deal(self, event: Happened, seat: Seat) -> Verdict:
        layout, rules, player = self.bench.table.layouts[seat], self.bench.rules, self.bench.player(seat)
        counts = [pile.count for pile in layout.piles.values()]
        if layout.stock is None:
            reason = say("sizes_not_seen", player=player)
            return ruled(event, Ruling.UNDECIDED, RuleId.S5, reason, seat=seat)
        faces = [pile.face_up for pile in layout.piles.values() if not pile.is_empty]
        face_up = None if None in faces else sum(face is True for face in faces)
        deal = Deal(tuple(count for count in counts if count is not None), face_up, layout.spit)
        owned = self._owned_at_deal(seat)
        fault = fault_in_deal(deal, owned, rules)
        reason = _deal_reason(deal, fault, player, owned, rules.piles.sizes)
        is_short = owned is not None and owned < rules.stock_size
        is_ok = fault in {None, DealFault.NONCANONICAL}
        usual = RuleId.S29 if is_short else RuleId.S4 if self.bench.table.owned[seat] is None else RuleId.S27
        rule = usual if is_ok or fault is None or is_short else _FAULT_RULES[fault]
        ruling, outcome = (Ruling.LEGAL, Outcome.DEAL_OK) if is_ok else (Ruling.ILLEGAL, Outcome.DEAL_BAD)
        return ruled(event, ruling, rule, reason, seat=seat, outcome=outcome)

    def _owned_at_deal(self, seat: Seat) -> int | None:
        """What ``seat`` should have dealt; at the first deal its share of the pack."""
        told, shares = self.bench.table.owned[seat], first_shares(self.bench.rules)
        if told is not None:
            return told
        laid = self.bench.table.layouts[seat].cards
        return laid if laid in shares else min(shares) if len(shares) == 1 else None

    def _new_round(self) -> None:
        self._is_started = False
        self.forget_round()


def _deal_reason(
    deal: Deal, fault: DealFault | None, player: str, owned: int | None, sizes: Sequence[int]
) -> Reason:
    """What there is to say of a deal."""
    facts = {
        "player": player,
        "stock": sum(deal.sizes),
        "spit": "?" if deal.spit is None else deal.spit,
        "sizes": _listed(deal.dealt),
    }
    match fault:
        case None:
            return say("dealt_right", **facts)
        case DealFault.MORE_PILES:
            return say("more_than_five_piles", player=player, most=len(sizes))
        case DealFault.PILE_SIZES:
            return say("pile_sizes", wanted=_listed(sizes), **facts)
        case DealFault.TOPS:
            return say("tops_not_up", count=deal.face_up, wanted=len(deal.dealt), player=player)
        case DealFault.SUM | DealFault.NONCANONICAL:
            return say(fault.value, wanted=owned, **facts)
        case _:  # pragma: no cover - mypy proves that no fault is left
            assert_never(fault)


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(str(size) for size in sizes)
