"""The spit: cards turned together onto the shared piles, and the calls before it (S7, S21, S28, S30)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from referee.cards import Card
from referee.clock import Interval, least_ms, most_ms
from referee.events import CardMoved, Happened
from referee.messages import Reason, say
from referee.observations import Observation
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import PileHandled
from referee.spit.bench import Bench
from referee.spit.layout import Playable, Way, playables
from referee.spit.plays import names_of
from referee.spit.race import SharedPile
from referee.spit_rules import NoSpitRule, SpitToRule
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled


@dataclass(frozen=True, slots=True)
class Flip:
    """One spit card that was turned onto a spit pile."""

    seat: Seat
    pile: PileId | None
    """None: where it came to was not seen."""
    card: Card | None
    touch: Interval
    causes: tuple[Observation, ...] = ()
    plays: tuple[CardMoved, ...] = ()
    """The card as it was seen to come, where it was not seen to be turned."""
    before: SharedPile = field(default_factory=SharedPile)
    """The pile before it came there."""
    count: int = 1
    """How many cards were turned with it."""


@dataclass(slots=True)
class _Round:
    """Spit cards that are turned for one spit, and how things stood before the first."""

    until_us: int | None
    """When it is looked at without the others. None: it has been, and waits for the others."""
    playable: tuple[Playable, ...]
    not_ready: tuple[Seat, ...]
    spent: Seat | None
    """Who turned a card although it surely had no spit card left. None: nobody."""
    has_begun: bool
    expected: tuple[Seat, ...]
    """Who may have a spit card to turn."""
    flips: list[Flip] = field(default_factory=list)


def flips_of(handled: PileHandled) -> Flip:
    """The spit card that was turned from a seat's hand."""
    seat = handled.pile.seat
    card = handled.cards[-1] if handled.cards else None
    assert seat is not None
    count = 1 if handled.count is None else handled.count
    return Flip(seat, handled.target, card, handled.touch, causes=(handled,), count=count)


@dataclass(slots=True)
class Spits:
    """Judges spits, and the calls that come before them."""

    bench: Bench
    is_called: bool = False
    """Whether the next card from a hand is a spit: all said so, or nothing lies on the table yet."""
    may_return: dict[tuple[PileId, Card | None], SharedPile] = field(default_factory=dict)
    """Spit cards that were turned too early and may go back, with the pile as it was before."""
    _open: _Round | None = None

    def awaits(self, play: CardMoved) -> bool:
        """Whether ``play`` may be the card of one who has not joined a spit yet.

        A card that was not seen to come from a hand is one only as long as it would come in time.
        """
        spit = self._open
        if spit is None or play.seat in {flip.seat for flip in spit.flips}:
            return False
        gap_us = play.touch.start_us - spit.flips[0].touch.end_us
        return play.source is not None or gap_us <= self.bench.rules.spit_sync_ms * 1000

    # -- cards turned ---------------------------------------------------------------------------------------

    def take(self, flip: Flip) -> tuple[Verdict, ...]:
        """Take in one turned spit card; the verdict comes when all that can turn have."""
        if self._open is None:
            self._open = self._opened(flip)
        spit = self._open
        if spit.spent is None and self.bench.table.cannot_spit(flip.seat):
            spit.spent = flip.seat
        before = SharedPile() if flip.pile is None else self.bench.centre.pile(flip.pile)
        spit.flips.append(replace(flip, before=before))
        self._lay(flip)
        flipped = {each.seat for each in spit.flips}
        return self._closed() if flipped >= set(spit.expected) else ()

    @property
    def next_lapse_us(self) -> int | None:
        """When the open spit is looked at without the others."""
        return None if self._open is None else self._open.until_us

    def lapse(self) -> tuple[Verdict, ...]:
        """Look at the open spit without the others: what is wrong with it already is told."""
        spit = self._open
        assert spit is not None
        spit.until_us = None
        return self._closed() if spit.playable or spit.not_ready else ()

    def rest(self) -> tuple[Verdict, ...]:
        """Nobody else turns: the source has ended, or play goes on."""
        return () if self._open is None else self._closed()

    def _opened(self, flip: Flip) -> _Round:
        has_begun = self.bench.centre.has_begun
        if not has_begun:
            self.bench.table.fix_owned()
        wait_us = self.bench.rules.spit_sync_ms * 1000 + self.bench.setup.timing.collection_us
        return _Round(
            until_us=flip.touch.end_us + wait_us,
            playable=self.playable() if has_begun else (),
            not_ready=() if has_begun else self._not_ready(),
            spent=None,
            has_begun=has_begun,
            expected=tuple(
                seat
                for seat in self.bench.table.seats
                if seat is flip.seat or not self.bench.table.cannot_spit(seat)
            ),
        )

    def playable(self) -> tuple[Playable, ...]:
        """What could surely still be done (S21)."""
        return playables(self.bench.table.layouts, self.bench.centre.tops, self.bench.rules)

    def _not_ready(self) -> tuple[Seat, ...]:
        """Rules S7 and S28: who had not dealt, or not said to be ready, while another had."""
        known = self.bench.table.ready or self.bench.table.dealt
        return tuple(seat for seat in self.bench.table.seats if known and seat not in known)

    def _lay(self, flip: Flip) -> None:
        self.bench.table.spend(flip.seat)
        if flip.pile is None:
            return
        shared = self.bench.centre.pile(flip.pile)
        tops = () if flip.card is None else (flip.card,)
        count = 1 if shared == SharedPile() else None if shared.count is None else shared.count + 1
        self.bench.centre.piles[flip.pile] = SharedPile(tops=tops, count=count, to_return=shared.to_return)

    def _closed(self) -> tuple[Verdict, ...]:
        """Rule on the open spit, as far as it came."""
        spit, self._open, self.is_called = self._open, None, False
        assert spit is not None
        flipped = {flip.seat for flip in spit.flips}
        missing = tuple(seat for seat in spit.expected if seat not in flipped)
        if not spit.has_begun:
            self.bench.table.piles = len(spit.expected)
        verdict = self._ruled(spit, missing)
        for flip in spit.flips:
            if flip.pile is not None:
                self.bench.table.own_pile.setdefault(flip.seat, flip.pile)
                if verdict.outcome is not Outcome.SPIT_OK:
                    self.may_return[flip.pile, flip.card] = flip.before
        return (verdict,)

    def _ruled(self, spit: _Round, missing: tuple[Seat, ...]) -> Verdict:
        first = spit.flips[0]
        if spit.not_ready:
            other = names_of(spit.not_ready, self.bench.setup)
            reason = say("not_ready", player=self._name(first), other=other)
            return self._flag(spit, RuleId.S28, reason)
        if spit.spent is not None:
            reason = say("no_spit_card", player=self.bench.player(spit.spent))
            return self._flag(spit, RuleId.S30, reason)
        if spit.playable:
            return self._premature(_happened(spit.flips), spit.playable)
        if missing:
            return self._alone(spit, missing)
        return self._together(spit)

    def _premature(self, event: Happened, playable: Sequence[Playable]) -> Verdict:
        """Rule S21: somebody could still do something; nobody has to, unless the house rules say so."""
        found = playable[0]
        reasons = [_premature_reason(found, self.bench.setup)]
        must = self.bench.rules.must_play
        if must:
            reasons.append(say("cards_go_back"))
        return ruled(
            event,
            Ruling.ILLEGAL if must else Ruling.FLAG,
            RuleId.S21,
            *reasons,
            seat=found.seat,
            outcome=Outcome.SPIT_PREMATURE,
        )

    def _alone(self, spit: _Round, missing: tuple[Seat, ...]) -> Verdict:
        """Somebody turned a card, and somebody who may have had one did not."""
        player, other = self._name(spit.flips[0]), names_of(missing, self.bench.setup)
        if spit.has_begun and any(self.bench.table.layouts[seat].spit is None for seat in missing):
            reason = say("spit_partner_unknown", player=player, other=other)
            return ruled(_happened(spit.flips), Ruling.UNDECIDED, RuleId.S7, reason, seat=spit.flips[0].seat)
        reason = say("spit_not_simultaneous.missing", player=player, other=other)
        return self._flag(spit, RuleId.S7, reason)

    def _together(self, spit: _Round) -> Verdict:
        several = next((flip for flip in spit.flips if flip.count > 1), None)
        if several is not None:
            reason = say("one_card_at_a_time", player=self._name(several), count=several.count)
            return self._flag(spit, RuleId.S7, reason)
        late = self._late(spit.flips)
        if late is not None:
            return self._flag(spit, RuleId.S7, late)
        wrong = self._wrong_pile(spit)
        if wrong is not None:
            return self._flag(spit, RuleId.S21, wrong)
        piles = self.bench.spit_piles
        rule = RuleId.S30 if len(spit.flips) == 1 else RuleId.S21 if spit.has_begun else RuleId.S7
        key = "spit_alone" if len(spit.flips) == 1 else "spit_together"
        reason = say(key, player=self._name(spit.flips[0]), piles=piles)
        seat = spit.flips[0].seat if len(spit.flips) == 1 else None
        return ruled(_happened(spit.flips), Ruling.LEGAL, rule, reason, seat=seat, outcome=Outcome.SPIT_OK)

    def _late(self, flips: Sequence[Flip]) -> Reason | None:
        """Rule S7: which card was turned surely too long after the first."""
        ordered = sorted(flips, key=lambda flip: (flip.touch.end_us, flip.touch.start_us))
        first, last = ordered[0], ordered[-1]
        if last.touch.start_us - first.touch.end_us <= self.bench.rules.spit_sync_ms * 1000:
            return None
        margin = gap_text(first.touch, last.touch)
        player, other = self._name(last), self._name(first)
        return say("spit_not_simultaneous", player=player, other=other, margin=margin)

    def _wrong_pile(self, spit: _Round) -> Reason | None:
        """Rule S21: each turns onto the pile that it started, unless the house rules leave it open."""
        if self.bench.rules.spit_to is SpitToRule.ANY:
            return None
        piles = [flip.pile for flip in spit.flips if flip.pile is not None]
        if len(piles) > 1 and len(set(piles)) == 1:
            return say("both_on_one_pile", pile=piles[0])
        for flip in spit.flips:
            own = self.bench.table.own_pile.get(flip.seat)
            is_alone = len(spit.flips) == 1 and self.bench.spit_piles > 1
            if own is not None and flip.pile not in {own, None} and not is_alone:
                return say("not_own_pile", player=self._name(flip), pile=flip.pile)
        return None

    def _flag(self, spit: _Round, rule: RuleId, reason: Reason) -> Verdict:
        piles = {flip.pile for flip in spit.flips}
        pile = piles.pop() if len(piles) == 1 else None
        return ruled(_happened(spit.flips), Ruling.FLAG, rule, reason, pile=pile)

    def _name(self, flip: Flip) -> str:
        return self.bench.player(flip.seat)

    def takes_back(self, play: CardMoved) -> bool:
        """Rule S21: whether ``play`` takes a spit card back to the hand that was turned too early."""
        if play.source is None or play.target.kind is not PileKind.HAND:
            return False
        before = self.may_return.pop((play.source, play.card), None)
        if before is not None:
            self.bench.centre.piles[play.source] = before
            self.bench.table.put_on(play.target, play.card, play.touch.end_us)
        return before is not None

    # -- calls ----------------------------------------------------------------------------------------------

    def called(self, cause: Observation, at: Interval, *, by_all: bool) -> tuple[Verdict, ...]:
        """Rule S21: "spit" was called, or with ``by_all`` all have; nobody may still be able to play."""
        event = Happened(causes=(cause,), at=at)
        if not self.bench.centre.has_begun:
            self.is_called = self.is_called or by_all
            return ()
        playable = self.playable()
        if playable:
            return (self._premature(event, playable),)
        return (self.blocked(cause, at, is_spit=True),) if by_all else ()

    def blocked(self, cause: Observation, at: Interval, *, is_spit: bool = False) -> Verdict:
        """Rule S22: nobody can play, as was called: spit again, or the round ends."""
        event = Happened(causes=(cause,), at=at)
        playable = self.playable()
        if playable:
            reason = _premature_reason(playable[0], self.bench.setup)
            return _goes_on(event, reason, seat=playable[0].seat)
        spit = [layout.spit for layout in self.bench.table.layouts.values()]
        if any(spit):
            return self._again(event, is_spit=is_spit)
        if None in spit:
            self.is_called = True
            return ruled(event, Ruling.UNDECIDED, RuleId.S22, say("spit_cards_unknown"))
        return self._no_spit(event)

    def _again(self, event: Happened, *, is_spit: bool) -> Verdict:
        """Rule S21: somebody has a spit card left, so they spit again."""
        self.is_called = True
        if is_spit:
            reason = say("spit_called", then="SPIT")
            return ruled(event, Ruling.LEGAL, RuleId.S21, reason, outcome=Outcome.SPIT_OK)
        return _goes_on(event, say("spit_again", then="SPIT"))

    def _no_spit(self, event: Happened) -> Verdict:
        """Rule S22: nobody has a spit card left."""
        piles = self.bench.spit_piles
        if piles == 1 and self.bench.rules.no_spit is NoSpitRule.ASK:
            return ruled(event, Ruling.UNDECIDED, RuleId.S22, say("block_one_pile"))
        reason = say("block_no_spit", then="SLAP" if piles > 1 else "COUNT")
        return ruled(event, Ruling.LEGAL, RuleId.S22, reason, outcome=Outcome.ROUND_END)


def _goes_on(event: Happened, reason: Reason, seat: Seat | None = None) -> Verdict:
    return ruled(event, Ruling.LEGAL, RuleId.S22, reason, seat=seat, outcome=Outcome.GAME_CONTINUES)


def _happened(flips: Sequence[Flip]) -> Happened:
    at = Interval(min(f.touch.start_us for f in flips), max(f.touch.end_us for f in flips))
    causes = tuple(cause for flip in flips for cause in flip.causes)
    return Happened(causes=causes, at=at, plays=tuple(play for flip in flips for play in flip.plays))


def _premature_reason(found: Playable, setup: MatchSetup) -> Reason:
    shown = found.card if found.way is Way.PLAY else found
    player = setup.player_at(found.seat)
    return say(f"spit_premature.{found.way}", player=player, playable=shown, way=found.way)


def gap_text(first: Interval, last: Interval) -> str:
    """How long after ``first`` ``last`` came, no finer than seen."""
    least = least_ms(max(last.start_us - first.end_us, 0))
    most = most_ms(last.end_us - first.start_us)
    return f"{least} ms" if least == most else f"{least}-{most} ms"
