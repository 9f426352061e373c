"""What Spit says of its cards: which fit, where they come from, when a round has ended."""

from referee.cards import Card, Rank
from referee.events import CardMoved, Happened
from referee.messages import Reason, say
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import (
    CardsCarried,
    PileLaid,
)
from referee.spit.bench import Bench
from referee.spit.centre import top_of, touch_order
from referee.spit.checks import (
    Fault,
    left_us,
    misfit,
    name_of,
    plays_covered_card,
    plays_spit_card,
    takes_from_other,
)
from referee.spit.layout import fits
from referee.spit.rounds import Rounds
from referee.spit.shared import PlayRuleIds, SharedPlays
from referee.spit.spits import Flip, Spits
from referee.spit.table import SpitTable
from referee.verdicts import RuleId, Verdict

_ENDS = {Rank.ACE, Rank.KING}


def _rank_of(play: CardMoved) -> Rank | None:
    return None if play.card is None else play.card.rank


class SpitGame:
    """What Spit says of its cards; see ``referee.spit.shared.PlayGame``."""

    ids = PlayRuleIds(race=RuleId.S18, touch=RuleId.S17, back=RuleId.S19, unread=RuleId.S12, carry=RuleId.S10)

    needs_face = True

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self.table = SpitTable(setup)
        self.shared = SharedPlays(setup, self)
        self.bench = Bench(setup, self.table, self.shared.centre)
        self.rounds = Rounds(self.bench)
        self.spits = Spits(self.bench)
        self._last_touch: dict[Seat, CardMoved] = {}
        """Each seat's last card that stands in this round."""
        self._cleared: set[PileId] = set()
        """Spit piles that were picked up."""

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.bench.is_over

    def is_shared(self, pile: PileId) -> bool:
        """Whether ``pile`` is a spit pile."""
        return pile.kind is PileKind.SPIT

    def top_of(self, laid: PileLaid) -> Card | None:
        """What lies on top: of a joker, what it stands for."""
        return top_of(laid)

    def source_of(self, move: CardMoved) -> PileId | None:
        """Where the card of ``move`` came from."""
        return self.table.source_of(move)

    def fault_of(self, play: CardMoved) -> Fault | None:
        """Rules S11, S12 and S22: why ``play`` may go on no spit pile at all."""
        end_us = self.rounds.end_us
        if end_us is not None and play.touch.start_us > end_us:
            return Fault(RuleId.S22, say("round_over", card=name_of(play.card)))
        return (
            takes_from_other(play, self.setup)
            or plays_spit_card(play, RuleId.S12)
            or plays_covered_card(play, RuleId.S12, play.source, self.table)
        )

    def tops_after(self, play: CardMoved, tops: tuple[Card, ...]) -> tuple[Card, ...]:
        """Rules S12 and S13: the card itself, if it fits."""
        is_fit = any(self._fits_on(play.card, top) for top in tops)
        return (play.card,) if play.card is not None and is_fit else ()

    def _fits_on(self, card: Card | None, top: Card) -> bool:
        rules = self.table.rules
        return card is not None and fits(card, top, wrap=rules.wrap, doubles=rules.doubles)

    def why_fits(self, play: CardMoved, top: Card) -> tuple[RuleId, tuple[Reason, ...]]:
        """Rule S13 next to an ace, on either side of it, S12 otherwise."""
        rule = RuleId.S13 if Rank.ACE in {top.rank, _rank_of(play)} else RuleId.S12
        return rule, (say("next_in_rank", card=name_of(play.card), top=top),)

    def misfit(self, play: CardMoved, top: Card) -> Fault:
        """Rules S12 and S13: why ``play`` does not fit ``top``: an ace, or a king under an ace."""
        assert play.card is not None
        is_around = top.rank is Rank.ACE or {play.card.rank, top.rank} == _ENDS
        rule = RuleId.S13 if is_around else RuleId.S12
        return Fault(rule, misfit(play.card, top, wrap=self.table.rules.wrap))

    def leave(self, play: CardMoved) -> None:
        """The card of ``play`` has left its stock pile for good."""
        if play.source is not None and self.table.is_own_pile(play.source):
            self.table.take_from(play.source, left_us(play))
        if play.seat is not None:
            self._last_touch[play.seat] = play

    def restore(self, play: CardMoved) -> None:
        """The card of ``play`` goes back after all."""
        if play.source is not None and self.table.is_own_pile(play.source):
            self.table.restore(play.source)

    def come_back(self, owed: CardMoved, target: PileId, at_us: int) -> None:
        """The card of ``owed`` lies on ``target``, where it came from or elsewhere."""
        if owed.source in {target, None}:
            self.table.put_back(target, owed.card, at_us)
            return
        if owed.source is not None and self.table.is_own_pile(owed.source):
            self.table.take_from(owed.source, left_us(owed))
        self.table.put_on(target, owed.card, at_us)

    def played(self, _play: CardMoved) -> tuple[Verdict, ...]:
        """Nothing: tempo and turns are nobody's business (S8)."""
        return ()

    def is_last(self, play: CardMoved) -> bool:
        """Rule S22: whether the card of ``play``, which goes back, is the last of its seat."""
        stock = self.table.layouts[play.seat].stock if play.seat in self.table.layouts else None
        return stock is not None and stock <= 1

    def turned(self, play: CardMoved) -> tuple[Verdict, ...] | None:
        """Rule S21: whether a card that came from a hand is a spit card that was turned."""
        is_due = self.spits.is_called or self.spits.awaits(play) or not self.bench.centre.has_begun
        from_hand = play.source is None or play.source.kind is PileKind.HAND
        if not from_hand or play.seat is None or self.is_over or not (is_due or self._is_paired(play)):
            return None
        return self.spits.take(Flip(play.seat, play.target, play.card, play.touch, plays=(play,)))

    def _is_paired(self, play: CardMoved) -> bool:
        """Rule S7: whether both put down together cards that no stock pile showed, and not both fit.

        Cards that were seen to come from both hands are no plays, fit or not.
        """
        sync_us = self.table.rules.spit_sync_ms * 1000
        for other in self.shared.landing_soon():
            is_pair = self.is_shared(other.pile) and other.pile != play.target
            is_pair = is_pair and other.seat not in {None, play.seat}
            is_pair = is_pair and (other.source is None or other.source.kind is PileKind.HAND)
            is_shown = other.seat in self.table.layouts and other.card in self.table.shown(other.seat)
            gap_us = abs(other.touch.end_us - play.touch.end_us)
            if is_pair and not is_shown and gap_us <= sync_us:
                both = ((play.card, play.target), (other.card, other.pile))
                are_spit_cards = play.source is not None and other.source is not None
                return are_spit_cards or not all(
                    any(self._fits_on(card, top) for top in self.shared.centre.pile(pile).tops)
                    for card, pile in both
                )
        return False

    def before_play(self) -> tuple[Verdict, ...]:
        """Rule S7: who plays does not wait for the other's spit card any more."""
        given = self.spits.rest()
        self.spits.is_called = False
        return given

    def carried(self, carried: CardsCarried) -> Reason:
        """Rule S10."""
        player = "a hand" if carried.seat is None else self.setup.player_at(carried.seat)
        return say("one_card_at_a_time", player=player, count=len(carried.cards))

    def ended(self) -> tuple[Verdict, ...]:
        """Rule S22: whether somebody has run out of stock; not before the last card stands."""
        out = tuple(seat for seat in self.bench.out if seat in self._last_touch)
        if self.bench.ended is not None or not out or not self.bench.centre.has_begun:
            return ()
        last = max((self._last_touch[seat] for seat in out), key=touch_order)
        if any(each.touch.start_us <= last.touch.end_us for each in self.shared.in_air):
            return ()
        if any(lift.pile.kind is PileKind.TABLEAU and lift.pile.seat in out for lift in self.shared.lifts()):
            return ()
        self._last_touch = {}
        return (self.rounds.end_by(out, Happened(causes=(), at=last.touch, plays=(last,))),)

    def clear(self, pile: PileId) -> None:
        """A spit pile is gone; once all are, after the end, the next thing is a new round."""
        if not self.is_over:
            return
        self._cleared.add(pile)
        if self._cleared >= set(self.bench.centre.piles):
            if not self.bench.taken:
                self.table.start_round(dict.fromkeys(self.table.seats))
            self.forget_round()

    def forget_round(self) -> None:
        """A new round is dealt: what was called and taken in the last one is past."""
        self.bench.ended, self.bench.taken = None, {}
        self._cleared = set()
        self._last_touch = {}
        self.table.forget_spits()
        self.shared.forget_round()
