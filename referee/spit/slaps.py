"""Slaps at the end of a round of Spit, and who takes which pile (S23 to S26)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from referee.clock import Interval, margin_text
from referee.events import Happened
from referee.messages import say
from referee.observations import HandTouched
from referee.piles import PileId, PileKind, Seat
from referee.sightings import HandsRested, PileHandled
from referee.spit.bench import Bench, Ended
from referee.spit.ending import Assignment, Slap, SlapBasis, assign, first_slaps
from referee.spit.plays import names_of
from referee.spit.totals import counts_of
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled

SLAP_WAIT_US = 1_000_000
"""How long a slap waits for the other hand, for how the hands lie, and for the last card to stand."""


_Hand = PileHandled | HandTouched
"""A slap, or a hand that came to rest on a spit pile: after the end of a round that is one too."""


@dataclass(slots=True)
class Slaps:
    """Collects slaps, and rules on them together."""

    bench: Bench
    take_piles: Callable[[Mapping[Seat, PileId]], Mapping[Seat, int | None]]
    """Each seat takes a pile to its own cards; returns what each owns then (S26)."""
    _slaps: list[tuple[Slap, _Hand]] = field(default_factory=list)
    _hands: dict[PileId, HandsRested] = field(default_factory=dict)
    _slap_until_us: int | None = None

    def slap(self, handled: PileHandled, at_us: int) -> tuple[Verdict, ...]:
        """A hand came down on a spit pile."""
        if handled.seat is None:
            reason = say("slap_hand_unseen", pile=handled.pile)
            event = Happened(causes=(handled,), at=handled.touch)
            return (ruled(event, Ruling.UNDECIDED, RuleId.S23, reason, pile=handled.pile),)
        self._collect(handled.seat, handled, at_us)
        return ()

    def touch(self, touched: HandTouched, at_us: int) -> None:
        """A hand came to rest on a spit pile: a slap, if the round had ended by then."""
        if touched.seat is not None and self.bench.is_over and not self.bench.taken:
            self._collect(touched.seat, touched, at_us)

    def _collect(self, seat: Seat, hand: _Hand, at_us: int) -> None:
        self._slaps.append((Slap(seat, hand.pile, hand.touch), hand))
        if self._slap_until_us is None:
            self._slap_until_us = at_us + SLAP_WAIT_US

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
        verdicts = tuple(self._early(slap, hand) for slap, hand in early if isinstance(hand, PileHandled))
        valid = [each for each in slaps if each not in early]
        if not valid or self.bench.taken:
            return verdicts
        return (*verdicts, self._assigned([slap for slap, _ in valid], [cause for _, cause in valid]))

    def _is_early(self, slap: Slap) -> bool:
        if not self.bench.is_over:
            return True
        end_us = None if self.bench.ended is None else self.bench.ended.at.start_us
        return end_us is not None and slap.touch.end_us < end_us

    def _early(self, slap: Slap, handled: PileHandled) -> Verdict:
        reason = say("early_slap", player=self.bench.player(slap.seat), pile=slap.pile)
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

    def _assigned(self, slaps: Sequence[Slap], causes: Sequence[_Hand]) -> Verdict:
        binding = first_slaps(slaps)
        event = _slapped(binding, slaps, causes)
        pile = binding[0].pile
        hands = self._hands.get(pile)
        found = assign(
            slaps,
            hands=() if hands is None else hands.seats,
            seats=self.bench.table.seats,
            piles=self._spit_piles(pile),
            out=self.bench.out if self.bench.ended is None else self.bench.ended.out,
            rules=self.bench.rules,
            guard_us=self._guard_us(causes),
        )
        self._hands = {}
        if found is None:
            players = names_of([slap.seat for slap in binding], self.bench.setup)
            reason = say("slap_again", players=players, pile=pile)
            return ruled(event, Ruling.TIE, RuleId.S25, reason, pile=pile, outcome=Outcome.LET)
        return self._assignment(event, found, binding)

    def _assignment(self, event: Happened, found: Assignment, binding: Sequence[Slap]) -> Verdict:
        self.bench.ended = self.bench.ended or Ended(event.at, self.bench.out)
        owned = self.take_piles(dict(found.takes))
        takes = ", ".join(f"{self.bench.player(seat)} takes {pile}" for seat, pile in found.takes)
        facts = {str(seat): str(pile) for seat, pile in found.takes}
        reasons = [say("takes_piles", takes=takes, **facts)]
        by = next(slap for slap in binding if (slap.seat, slap.pile) in found.takes)
        if found.basis is SlapBasis.LOWER_HAND:
            winner = next(slap for slap in binding if (slap.seat, slap.pile) in found.takes)
            reasons.append(say("lower_hand", player=self.bench.player(winner.seat)))
        if found.basis is SlapBasis.TIME:
            margin = margin_text(binding[0].touch, binding[1].touch)
            reasons.append(say("first_slap", player=self.bench.player(by.seat), margin=margin))
        counts = counts_of(owned, self.bench)
        if counts is not None and None not in owned.values():
            reasons.append(counts)
        rule = RuleId.S24 if found.basis is SlapBasis.CHOICE else RuleId.S25
        basis = Basis.LOWER_HAND if found.basis is SlapBasis.LOWER_HAND else None
        return ruled(event, Ruling.LEGAL, rule, *reasons, outcome=Outcome.ASSIGN, basis=basis)

    def _spit_piles(self, slapped: PileId) -> tuple[PileId, ...]:
        """The spit piles of this table: those that are known, and of two the other one."""
        known = {*self.bench.centre.piles, slapped, *self.bench.setup.piles}
        piles = {pile for pile in known if pile.kind is PileKind.SPIT}
        if len(piles) == 1 and self.bench.spit_piles > 1:
            piles.add(PileId(PileKind.SPIT, None, 2 if slapped.index == 1 else 1))
        return tuple(sorted(piles, key=str))

    def _guard_us(self, causes: Sequence[_Hand]) -> int:
        frame_us = max((self.bench.setup.frame_period_us, *(2 * cause.resolution_us for cause in causes)))
        return self.bench.setup.timing.guard_for(frame_us)

    def gather(self, handled: PileHandled) -> tuple[Verdict, ...]:
        """Rules S24 and S31: a spit pile was picked up; each takes the one that it was given."""
        seat, pile = handled.seat, handled.pile
        if seat is None:
            return ()
        event, player = Happened(causes=(handled,), at=handled.touch), self.bench.player(seat)
        if not self.bench.is_over and not self.bench.taken:
            reason = say("gathered_early", player=player, pile=pile)
            return (ruled(event, Ruling.ILLEGAL, RuleId.S22, reason, seat=seat, pile=pile),)
        owner = next((each for each, taken in self.bench.taken.items() if taken == pile), seat)
        if owner is seat:
            return ()
        reason = say("wrong_pile", player=player, pile=pile, other=self.bench.player(owner))
        rule = RuleId.S24 if len(self.bench.taken) > 1 else RuleId.S31
        return (ruled(event, Ruling.ILLEGAL, rule, reason, seat=seat, pile=pile),)


def _slapped(binding: Sequence[Slap], slaps: Sequence[Slap], causes: Sequence[_Hand]) -> Happened:
    by = dict(zip(slaps, causes, strict=True))
    at = Interval(binding[0].touch.start_us, max(slap.touch.end_us for slap in binding))
    return Happened(causes=tuple(by[slap] for slap in binding), at=at)
