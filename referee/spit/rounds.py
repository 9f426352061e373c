"""Rounds of Spit: the deal, who is out, who takes which pile, and what that makes (S1 to S5, S22 to S34)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from referee.clock import Interval, margin_text
from referee.events import Happened
from referee.messages import Reason, say
from referee.observations import Observation
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import HandsRested, PileHandled
from referee.spit.centre import Centre
from referee.spit.deal import Deal, DealFault, fault_in_deal, first_shares
from referee.spit.ending import (
    Assignment,
    Slap,
    SlapBasis,
    Standing,
    assign,
    collected,
    completed,
    first_slaps,
    points_left,
    standings,
)
from referee.spit.plays import names_of
from referee.spit.table import SpitTable
from referee.spit_rules import ScoringRule
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled

SLAP_WAIT_US = 1_000_000
"""How long a slap waits for the other hand, for how the hands lie, and for the last card to stand."""

_FAULT_RULES = {
    DealFault.MORE_PILES: RuleId.S20,
    DealFault.SUM: RuleId.S4,
    DealFault.PILE_SIZES: RuleId.S5,
    DealFault.TOPS: RuleId.S5,
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a round ended."""

    at: Interval
    out: tuple[Seat, ...]
    """Who had no stock cards left; empty: nobody could play, or all agreed."""


@dataclass(slots=True)
class Rounds:
    """Judges deals, the ends of rounds, slaps and totals."""

    setup: MatchSetup
    table: SpitTable
    centre: Centre
    ended: Ended | None = None
    """How the round ended. None: it goes on, or a new one has not begun."""
    _is_started: bool = False
    """Whether the start of this round was called."""
    _slaps: list[tuple[Slap, PileHandled]] = field(default_factory=list)
    _hands: dict[PileId, HandsRested] = field(default_factory=dict)
    _slap_until_us: int | None = None
    _taken: dict[Seat, PileId] = field(default_factory=dict)
    """Who takes which pile, once that is ruled."""

    # -- the deal -------------------------------------------------------------------------------------------

    def start(self, cause: Observation, at: Interval) -> tuple[Verdict, ...]:
        """Rule S1: the round begins, with as many players as the rules are for."""
        event, wanted, count = self._told(cause, at), self.table.rules.players, len(self.setup.seats)
        if self._is_started and not self.is_over:
            return (self._dealt_twice(event, None),)
        self._is_started = True
        if count != wanted:
            reason = say("players_not_agreed", count=count, wanted=wanted)
            return (ruled(event, Ruling.ILLEGAL, RuleId.S1, reason, outcome=Outcome.DEAL_BAD),)
        reason = say("players_agreed", count=count)
        return (ruled(event, Ruling.LEGAL, RuleId.S1, reason, outcome=Outcome.DEAL_OK),)

    def dealt(self, cause: Observation, at: Interval, seat: Seat | None) -> tuple[Verdict, ...]:
        """A seat, or with None every seat, says that its cards are dealt."""
        event = self._told(cause, at)
        seats = self.table.seats if seat is None else (seat,)
        if self.is_over:
            self._forget_round()
        again = [each for each in seats if each in self.table.dealt]
        self.table.dealt |= set(seats)
        if again:
            return (self._dealt_twice(event, seat),)
        seen = [each for each in seats if self.table.layouts[each].piles or seat is not None]
        return tuple(self._deal(event, each) for each in seen)

    def _dealt_twice(self, event: Happened, seat: Seat | None) -> Verdict:
        reason = say("dealt_twice")
        return ruled(event, Ruling.ILLEGAL, RuleId.S4, reason, seat=seat, outcome=Outcome.DEAL_BAD)

    def _deal(self, event: Happened, seat: Seat) -> Verdict:
        layout, rules, player = self.table.layouts[seat], self.table.rules, self.setup.player_at(seat)
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
        usual = RuleId.S29 if is_short else RuleId.S4 if self.table.owned[seat] is None else RuleId.S27
        rule = usual if is_ok or fault is None or is_short else _FAULT_RULES[fault]
        ruling, outcome = (Ruling.LEGAL, Outcome.DEAL_OK) if is_ok else (Ruling.ILLEGAL, Outcome.DEAL_BAD)
        return ruled(event, ruling, rule, reason, seat=seat, outcome=outcome)

    def _owned_at_deal(self, seat: Seat) -> int | None:
        """What ``seat`` should have dealt; at the first deal its share of the pack."""
        told, shares = self.table.owned[seat], first_shares(self.table.rules)
        if told is not None:
            return told
        laid = self.table.layouts[seat].cards
        return laid if laid in shares else min(shares) if len(shares) == 1 else None

    # -- the end of a round ---------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the round has ended; not before the last card stands."""
        is_out = any(not self.centre.is_owed(seat) for seat in self.table.out)
        return self.ended is not None or (self.centre.has_begun and is_out)

    @property
    def end_us(self) -> int | None:
        """When the round surely had ended. None: it goes on, or nobody saw when."""
        return None if self.ended is None else self.ended.at.end_us

    def end_by_block(self, at: Interval) -> None:
        """The round has ended because nobody can go on, or because all agreed."""
        self.ended = Ended(at, self.table.out)

    def end_by(self, out: tuple[Seat, ...], event: Happened) -> tuple[Verdict, ...]:
        """Rule S22: ``out`` have no stock left, and their last cards stand."""
        self.ended = Ended(event.at, out)
        if self.table.piles_now(len(self.centre.piles)) == 1 and len(out) == 1:
            return (self._end_of_one_pile(out[0], event),)
        players = names_of(out, self.setup)
        reason = say("out_of_stock", player=players, then="SLAP")
        seat = out[0] if len(out) == 1 else None
        return (
            ruled(
                event,
                Ruling.LEGAL,
                RuleId.S22,
                reason,
                seat=seat,
                seats=out if len(out) > 1 else (),
                outcome=Outcome.ROUND_END,
            ),
        )

    def _end_of_one_pile(self, out: Seat, event: Happened) -> Verdict:
        """Rules S31 to S33: the first out takes nothing, and has won if it has no spit cards either."""
        spit, player = self.table.layouts[out].spit, self.setup.player_at(out)
        has_none = spit == 0 or (spit is None and self.table.cannot_spit(out))
        others = tuple(seat for seat in self.table.seats if seat is not out)
        pile = next(iter(sorted(self.centre.piles, key=str)))
        owned = self._take(dict.fromkeys(others, pile))
        if has_none:
            reason = say("no_cards_left", player=player)
            return ruled(event, Ruling.LEGAL, RuleId.S32, reason, seat=out, outcome=Outcome.GAME_WIN)
        other = names_of(others, self.setup)
        facts = {str(seat): "?" if count is None else count for seat, count in owned.items()}
        reason = say("takes_nothing", player=player, other=other, then="CONTINUES", **facts)
        rule = RuleId.S31 if spit is None else RuleId.S33
        return ruled(event, Ruling.LEGAL, rule, reason, seat=out, outcome=Outcome.ROUND_END)

    def _take(self, takes: Mapping[Seat, PileId]) -> dict[Seat, int | None]:
        """Rule S26: each seat takes a pile to its own cards; what each owns then."""
        counts = {seat: self.centre.pile(pile).count for seat, pile in takes.items()}
        owned = collected(counts, self.table.layouts, self.table.rules)
        self._taken = dict(takes)
        if self.table.rules.scoring is ScoringRule.STANDARD:
            self.table.start_round(owned)
        return owned

    def _forget_round(self) -> None:
        """A new round is dealt: what was called and taken in the last one is over."""
        self.ended, self._taken, self._is_started = None, {}, False
        self.centre.piles.clear()
        self.table.forget_spits()

    # -- slaps ----------------------------------------------------------------------------------------------

    def slap(self, handled: PileHandled, at_us: int) -> tuple[Verdict, ...]:
        """A hand came down on a spit pile."""
        if handled.seat is None:
            reason = say("slap_hand_unseen", pile=handled.pile)
            event = Happened(causes=(handled,), at=handled.touch)
            return (ruled(event, Ruling.UNDECIDED, RuleId.S23, reason, pile=handled.pile),)
        self._slaps.append((Slap(handled.seat, handled.pile, handled.touch), handled))
        if self._slap_until_us is None:
            self._slap_until_us = at_us + SLAP_WAIT_US
        return ()

    def rest_hands(self, rested: HandsRested) -> None:
        """How the hands on a spit pile lie."""
        self._hands[rested.pile] = rested

    @property
    def next_lapse_us(self) -> int | None:
        """When the slaps so far are ruled on. None: there are none."""
        return self._slap_until_us

    def lapse(self) -> tuple[Verdict, ...]:
        """Rule on the slaps so far."""
        slaps, self._slaps, self._slap_until_us = self._slaps, [], None
        early = [each for each in slaps if self._is_early(each[0])]
        verdicts = tuple(self._early(slap, handled) for slap, handled in early)
        valid = [each for each in slaps if each not in early]
        if not valid or self._taken:
            return verdicts
        return (*verdicts, self._assigned([slap for slap, _ in valid], [cause for _, cause in valid]))

    def _is_early(self, slap: Slap) -> bool:
        if not self.is_over:
            return True
        end_us = None if self.ended is None else self.ended.at.start_us
        return end_us is not None and slap.touch.end_us < end_us

    def _early(self, slap: Slap, handled: PileHandled) -> Verdict:
        reason = say("early_slap", player=self.setup.player_at(slap.seat), pile=slap.pile)
        event = Happened(causes=(handled,), at=slap.touch)
        return ruled(
            event,
            Ruling.FLAG,
            RuleId.S23,
            reason,
            seat=slap.seat,
            pile=slap.pile,
            outcome=Outcome.NO_PLAY,
        )

    def _assigned(self, slaps: Sequence[Slap], causes: Sequence[PileHandled]) -> Verdict:
        binding = first_slaps(slaps)
        event = _slapped(binding, slaps, causes)
        pile = binding[0].pile
        hands = self._hands.get(pile)
        found = assign(
            slaps,
            hands=() if hands is None else hands.seats,
            seats=self.table.seats,
            piles=self._spit_piles(pile),
            out=self.table.out if self.ended is None else self.ended.out,
            rules=self.table.rules,
            guard_us=self._guard_us(causes),
        )
        self._hands = {}
        if found is None:
            players = names_of([slap.seat for slap in binding], self.setup)
            reason = say("slap_again", players=players, pile=pile)
            return ruled(event, Ruling.TIE, RuleId.S25, reason, pile=pile, outcome=Outcome.LET)
        return self._assignment(event, found, binding)

    def _assignment(self, event: Happened, found: Assignment, binding: Sequence[Slap]) -> Verdict:
        owned = self._take(dict(found.takes))
        takes = ", ".join(f"{self.setup.player_at(seat)} takes {pile}" for seat, pile in found.takes)
        facts = {str(seat): str(pile) for seat, pile in found.takes}
        reasons = [say("takes_piles", takes=takes, **facts)]
        by = next(slap for slap in binding if (slap.seat, slap.pile) in found.takes)
        if found.basis is SlapBasis.LOWER_HAND:
            winner = next(slap for slap in binding if (slap.seat, slap.pile) in found.takes)
            reasons.append(say("lower_hand", player=self.setup.player_at(winner.seat)))
        if found.basis is SlapBasis.TIME:
            margin = margin_text(binding[0].touch, binding[1].touch)
            reasons.append(say("first_slap", player=self.setup.player_at(by.seat), margin=margin))
        counts = self._counts(owned)
        if counts is not None and None not in owned.values():
            reasons.append(counts)
        rule = RuleId.S24 if found.basis is SlapBasis.CHOICE else RuleId.S25
        basis = Basis.LOWER_HAND if found.basis is SlapBasis.LOWER_HAND else None
        return ruled(event, Ruling.LEGAL, rule, *reasons, outcome=Outcome.ASSIGN, basis=basis)

    def _spit_piles(self, slapped: PileId) -> tuple[PileId, ...]:
        """The spit piles of this table: those that are known, and of two the other one."""
        known = {*self.centre.piles, slapped, *self.setup.piles}
        piles = {pile for pile in known if pile.kind is PileKind.SPIT}
        if len(piles) == 1 and self.table.piles_now(len(self.centre.piles)) > 1:
            piles.add(PileId(PileKind.SPIT, None, 2 if slapped.index == 1 else 1))
        return tuple(sorted(piles, key=str))

    def _guard_us(self, causes: Sequence[PileHandled]) -> int:
        frame_us = max((self.setup.frame_period_us, *(2 * cause.resolution_us for cause in causes)))
        return self.setup.timing.guard_for(frame_us)

    def gather(self, handled: PileHandled) -> tuple[Verdict, ...]:
        """Rule S24: a spit pile was picked up; each takes the one that it was given."""
        seat, pile = handled.seat, handled.pile
        if seat is None:
            return ()
        event, player = Happened(causes=(handled,), at=handled.touch), self.setup.player_at(seat)
        if not self.is_over and not self._taken:
            reason = say("gathered_early", player=player, pile=pile)
            return (ruled(event, Ruling.ILLEGAL, RuleId.S22, reason, seat=seat, pile=pile),)
        owner = next((each for each, taken in self._taken.items() if taken == pile), seat)
        if owner is seat:
            return ()
        reason = say("wrong_pile", player=player, pile=pile, other=self.setup.player_at(owner))
        return (ruled(event, Ruling.ILLEGAL, RuleId.S24, reason, seat=seat, pile=pile),)

    # -- totals ---------------------------------------------------------------------------------------------

    def audit(self, cause: Observation, at: Interval) -> tuple[Verdict, ...]:
        """Rule S26: all cards together are 52."""
        event, owned = self._told(cause, at), self.owned_now()
        known = [count for count in owned.values() if count is not None]
        counts = self._counts(owned)
        if counts is None:
            return (ruled(event, Ruling.UNDECIDED, RuleId.S26, say("totals_unknown")),)
        if sum(known) != self.table.rules.cards:
            facts = {"sum": sum(known), "wanted": self.table.rules.cards}
            reason = say("cards_missing", counts=counts.fact("counts"), **facts)
            return (ruled(event, Ruling.FLAG, RuleId.S26, reason),)
        return (ruled(event, Ruling.LEGAL, RuleId.S26, counts, outcome=Outcome.COUNT),)

    def owned_now(self) -> dict[Seat, int | None]:
        """What each seat owns between rounds: as counted, told, or what is left of 52."""
        found: dict[Seat, int | None] = {}
        for seat, layout in self.table.layouts.items():
            laid = layout.cards if layout.piles else layout.spit
            found[seat] = laid if laid is not None else self.table.owned[seat]
        return completed(found, self.table.rules)

    def _counts(self, owned: Mapping[Seat, int | None]) -> Reason | None:
        if None in owned.values():
            return None
        text = ", ".join(f"{self.setup.player_at(seat)} {count}" for seat, count in owned.items())
        return say("cards_owned", counts=text, **{f"{seat}_owns": count for seat, count in owned.items()})

    def totals(self) -> dict[Seat, int | None]:
        """Cards owned, or points with those of this round (S34)."""
        if self.table.rules.scoring is ScoringRule.STANDARD:
            return self.owned_now()
        found: dict[Seat, int | None] = {}
        for seat, layout in self.table.layouts.items():
            is_unseen = not layout.piles and layout.spit is None
            left = 0 if is_unseen else points_left(layout, self.table.rules)
            found[seat] = None if left is None else self.table.points.get(seat, 0) + left
        return found

    def end_called(self, cause: Observation, at: Interval) -> tuple[Verdict, ...]:
        """The round is over, as all agree: what the totals come to."""
        event = self._told(cause, at)
        is_standard = self.table.rules.scoring is ScoringRule.STANDARD
        if is_standard and self.centre.has_begun and not self._taken:
            return self._end_agreed(event)
        self.ended = self.ended or Ended(at, self.table.out)
        totals = self.totals()
        found = standings(totals, self.table.rules)
        if not is_standard:
            self._add_up(totals)
        facts = {str(seat): "?" if total is None else total for seat, total in totals.items()}
        if found.standing is Standing.WON and found.winner is not None:
            return (self._won(event, found.winner, facts),)
        if found.standing is Standing.PLAYOFF:
            least = min(total for total in totals.values() if total is not None)
            lowest = [seat for seat, total in totals.items() if total == least]
            reason = say("lowest_tie", players=names_of(lowest, self.setup), **facts)
            return (ruled(event, Ruling.LEGAL, RuleId.S34, reason, outcome=Outcome.PLAYOFF),)
        if not is_standard and None in totals.values():
            return (ruled(event, Ruling.UNDECIDED, RuleId.S34, say("totals_unknown", **facts)),)
        target = self.table.rules.target
        reason = (
            say("still_has_cards", **facts)
            if is_standard
            else say("points_below_target", target=target, **facts)
        )
        rule = RuleId.S3 if is_standard else RuleId.S34
        return (ruled(event, Ruling.LEGAL, rule, reason, outcome=Outcome.GAME_CONTINUES),)

    def _add_up(self, totals: Mapping[Seat, int | None]) -> None:
        """Rule S34: the points of this round join those before, and the cards are dealt anew."""
        self.table.points |= {seat: total for seat, total in totals.items() if total is not None}
        self.table.start_round(dict.fromkeys(self.table.seats))

    def _end_agreed(self, event: Happened) -> tuple[Verdict, ...]:
        out = self.table.out
        if out:
            return self.end_by(out, event)
        self.ended = Ended(event.at, ())
        reason = say("round_agreed", then="SLAP")
        return (ruled(event, Ruling.LEGAL, RuleId.S22, reason, outcome=Outcome.ROUND_END),)

    def _won(self, event: Happened, winner: Seat, facts: Mapping[str, object]) -> Verdict:
        player = self.setup.player_at(winner)
        if self.table.rules.scoring is ScoringRule.STANDARD:
            reason, rule = say("no_cards_left", player=player, **facts), RuleId.S3
        else:
            reason, rule = say("lowest_wins", player=player, **facts), RuleId.S34
        return ruled(event, Ruling.LEGAL, rule, reason, seat=winner, outcome=Outcome.GAME_WIN)

    def goes_on(self, cause: Observation, at: Interval) -> tuple[Verdict, ...]:
        """Rules S11 and S22: asked whether the round goes on, the stock piles answer."""
        event = self._told(cause, at)
        if self.is_over:
            reason = say("out_of_stock", player=names_of(self.table.out or self.table.seats, self.setup))
            return (ruled(event, Ruling.LEGAL, RuleId.S22, reason, outcome=Outcome.ROUND_END),)
        return (ruled(event, Ruling.LEGAL, RuleId.S11, say("goes_on"), outcome=Outcome.GAME_CONTINUES),)

    def _told(self, cause: Observation, at: Interval) -> Happened:
        return Happened(causes=(cause,), at=at)


def _slapped(binding: Sequence[Slap], slaps: Sequence[Slap], causes: Sequence[PileHandled]) -> Happened:
    by = dict(zip(slaps, causes, strict=True))
    at = Interval(binding[0].touch.start_us, max(slap.touch.end_us for slap in binding))
    return Happened(causes=tuple(by[slap] for slap in binding), at=at)


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


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(str(size) for size in sizes)
