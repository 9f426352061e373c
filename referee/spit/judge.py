"""Spit over one match: what comes in is followed, judged and scored."""

from collections.abc import Callable
from dataclasses import replace

from referee.cards import Card, Rank
from referee.clock import Interval
from referee.events import CardMoved, Happened
from referee.interpret import Interpreter, News, Pending, PileNews
from referee.messages import Reason, say
from referee.observations import CardLanded, CardLifted, CardsCounted, Observation, PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.sightings import (
    CardsCarried,
    HandCarried,
    Handling,
    HandsRested,
    PileHandled,
    PileLaid,
)
from referee.spit import plays
from referee.spit.centre import Centre, touch_order
from referee.spit.checks import (
    Fault,
    breaks_layout,
    left_us,
    misfit,
    name_of,
    plays_covered_card,
    plays_spit_card,
    takes_from_other,
)
from referee.spit.hands import Hands
from referee.spit.layout import fits
from referee.spit.race import Decision, Result
from referee.spit.rounds import Rounds
from referee.spit.scoring import scorecard_of, table_state_of
from referee.spit.spits import Flip, Spits, flips_of
from referee.spit.table import SpitTable, count_of, top_of
from referee.table import TableState
from referee.tellings import Called, CallKind, PointsTold
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

LIFT_WAIT_US = 1_000_000
"""A card lifted from a shared pile is looked for elsewhere for so long, then it was taken back."""

_Lapse = tuple[int, Callable[[], tuple[Verdict, ...]]]


class SpitJudge:
    """The rules of Spit over one match; see ``referee.games.GameJudge``."""

    def __init__(self, setup: MatchSetup) -> None:
        self._setup = setup
        self._interpreter = Interpreter(setup.timing, setup.place_of)
        self._table = SpitTable(setup)
        self._centre = Centre(setup, self._is_barred, self._tops_after)
        self._spits = Spits(setup, self._table, self._centre)
        self._rounds = Rounds(setup, self._table, self._centre)
        self._hands = Hands(setup, RuleId.S9, self._table.rules.hands)
        self._coming: list[CardLanded | CardsCarried] = []
        """Cards that have landed on shared piles and are not judged yet."""
        self._brushed: dict[tuple[PileId, Card | None, Seat | None], CardMoved] = {}
        """Cards that stand because they touched, and have not come to rest yet (S17)."""
        self._lifted: list[CardLifted] = []
        """Cards that left a shared pile."""
        self._brushes: set[CardMoved] = set()
        """Plays of cards that were still in the hand when they touched."""
        self._removed: set[tuple[PileId, Card | None]] = set()
        """Cards that were taken back although they were played, and should lie there."""
        self._filled_from: set[PileId] = set()
        """Stock piles from which a card has filled a place, and whose next was not turned yet."""
        self._said_stuck: set[Seat] = set()
        self._last_touch: dict[Seat, CardMoved] = {}
        """Each seat's last card that stands in this round."""

    def take(self, observation: Observation, told_us: int) -> None:
        """Take in an observation that was told at ``told_us``."""
        wait_us = self._setup.timing.collection_us
        if isinstance(observation, CardLanded | CardsCarried) and _is_shared(observation.pile):
            self._coming.append(observation)
        if isinstance(observation, CardLifted) and _is_shared(observation.pile):
            self._lifted.append(observation)
        is_late = isinstance(observation, PileHandled | HandsRested)
        self._interpreter.take(observation, told_us=told_us + wait_us if is_late else told_us)

    def due(self, now_us: int) -> tuple[Verdict, ...]:
        """The verdicts whose time ran out before ``now_us``."""
        given = self._judged(self._interpreter.news_before(now_us))
        return given + self._lapsed(now_us)

    def rest(self) -> tuple[Verdict, ...]:
        """Every verdict that is still open."""
        given = self._judged(self._interpreter.rest())
        while (lapse := self._next_lapse()) is not None:
            given += lapse[1]()
        return given + self._spits.rest()

    def answer(self, verdict: Verdict) -> None:
        """Take the cards that a person let stand from where they came; no play scores by itself."""
        for play in verdict.stands:
            if play.source is not None and self._table.is_own_pile(play.source):
                self._table.take_from(play.source, left_us(play))

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Touches that are seen and not ruled on yet."""
        return self._interpreter.pending

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""
        return scorecard_of(self._table)

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""
        return table_state_of(self._table, self._centre)

    # -- time -----------------------------------------------------------------------------------------------

    def _judged(self, news: tuple[News, ...]) -> tuple[Verdict, ...]:
        given: tuple[Verdict, ...] = ()
        for item in news:
            at_us = item.decided_us if isinstance(item, PileNews) else item.at_us
            given += self._lapsed(at_us)
            if isinstance(item, PileNews):
                given += self._pile_news(item)
            else:
                given += self._told(item.observation, at_us)
            given += self._ended()
        return given

    def _lapsed(self, now_us: int) -> tuple[Verdict, ...]:
        """What is due before ``now_us`` because something was waited for long enough."""
        given: tuple[Verdict, ...] = ()
        while (lapse := self._next_lapse()) is not None and lapse[0] < now_us:
            given += lapse[1]()
        return given

    def _next_lapse(self) -> _Lapse | None:
        lapses: list[_Lapse] = []
        if (at_us := self._centre.next_lapse_us) is not None:
            lapses.append((at_us, lambda: self._race_lapsed(at_us)))
        if (lifted := min(self._lifted, key=_lift_order, default=None)) is not None:
            lapses.append((lifted.lifted.end_us + LIFT_WAIT_US, lambda: self._lift_lapsed(lifted)))
        if (spit_us := self._spits.next_lapse_us) is not None:
            lapses.append((spit_us, self._spits.lapse))
        if (slap_us := self._rounds.next_lapse_us) is not None:
            lapses.append((slap_us, self._rounds.lapse))
        return min(lapses, key=lambda lapse: lapse[0], default=None)

    def _race_lapsed(self, at_us: int) -> tuple[Verdict, ...]:
        return self._decided(self._centre.lapse(at_us), at_us) + self._ended()

    # -- cards on shared piles ------------------------------------------------------------------------------

    def _pile_news(self, news: PileNews) -> tuple[Verdict, ...]:
        given: tuple[Verdict, ...] = ()
        if news.before is not None:
            given += self._look(news.before)
        if _is_shared(news.pile):
            given += self._on_shared(news)
        for play in () if _is_shared(news.pile) else news.moves:
            given += self._on_layout(play, news.decided_us)
        for carried in news.carried:
            given += self._carry(carried)
        if news.after is not None:
            given += self._look(news.after)
        return given

    def _on_shared(self, news: PileNews) -> tuple[Verdict, ...]:
        self._coming = [each for each in self._coming if each.pile != news.pile]
        given: tuple[Verdict, ...] = ()
        came: list[CardMoved] = []
        for move in news.moves:
            play = self._released(replace(move, source=self._source_of(move)))
            if self._is_spit(play):
                given += self._spits.take(_flip_of(play))
            elif self._brushed.pop((play.target, play.card, play.seat), None) is not None:
                continue
            elif play.source is not None and _is_shared(play.source):
                given += self._took_back(play)
            else:
                came.append(play)
        if came:
            given += self._spits.rest()
            decisions = self._centre.come(news.pile, came, news.laid, news.decided_us)
            given += self._decided(decisions, news.decided_us)
        return given

    def _source_of(self, move: CardMoved) -> PileId | None:
        """Where a card came from: as seen, else where it was last played or lay on top of the own layout."""
        brushed = [key[0] for key in self._brushed if key[1:] == (move.card, move.seat)]
        others = [pile for pile in brushed if pile != move.target]
        if others and (move.source is None or not _is_shared(move.source)):
            return others[0]
        return self._table.source_of(move)

    def _released(self, play: CardMoved) -> CardMoved:
        """A card that was to go back from a shared pile and comes to another is played from its own pile."""
        owed = self._owed(play)
        if owed is None or play.source is None:
            return play
        self._centre.piles[play.source] = self._centre.pile(play.source).without(owed)
        self._forget_lift(play)
        return replace(play, source=owed.source)

    def _owed(self, play: CardMoved) -> CardMoved | None:
        """The play whose card goes back with ``play``. None: it was not to go back."""
        if play.source is None or not _is_shared(play.source):
            return None
        waiting = self._centre.pile(play.source).to_return
        found = [owed for owed in waiting if owed.card == play.card or play.card is None]
        return found[-1] if found else None

    def _is_spit(self, play: CardMoved) -> bool:
        """Whether a card that came to a spit pile is a spit card that was turned, and no play."""
        is_due = self._spits.is_called or self._spits.is_open or not self._centre.has_begun
        from_hand = play.source is None or play.source.kind is PileKind.HAND
        return is_due and from_hand and play.seat is not None and not self._rounds.is_over

    def _bar(self, play: CardMoved) -> Fault | None:
        """Why ``play`` may go on no spit pile at all."""
        end_us = self._rounds.end_us
        if end_us is not None and play.touch.start_us > end_us:
            return Fault(RuleId.S22, say("round_over", card=name_of(play.card)))
        return (
            takes_from_other(play, self._setup)
            or plays_spit_card(play, RuleId.S12)
            or plays_covered_card(play, play.source, self._table)
        )

    def _is_barred(self, play: CardMoved) -> bool:
        return self._bar(play) is not None

    def _tops_after(self, play: CardMoved, tops: tuple[Card, ...]) -> tuple[Card, ...]:
        card, rules = play.card, self._table.rules
        if card is None or not any(fits(card, t, wrap=rules.wrap, doubles=rules.doubles) for t in tops):
            return ()
        return (card,)

    def _decided(self, decisions: tuple[Decision, ...], at_us: int) -> tuple[Verdict, ...]:
        return tuple(self._rule(decision, at_us) for decision in decisions)

    def _rule(self, decision: Decision, at_us: int) -> Verdict:
        play = decision.plays[0]
        match decision.result:
            case Result.STANDS:
                return self._stands(decision, at_us)
            case Result.LET:
                if decision.is_overturned:
                    self._restore(play)
                return plays.let(decision, self._setup, at_us)
            case Result.DOUBTFUL:
                self._leave(play)
                return plays.doubtful(decision, RuleId.S12, at_us)
            case Result.REFUSED:
                return self._refused(decision, at_us)

    def _stands(self, decision: Decision, at_us: int) -> Verdict:
        winner, *losers = decision.plays
        if not decision.is_known:
            self._leave(winner)
        if decision.is_overturned:
            self._restore(losers[0])
        reasons = [self._why_stands(winner, decision.tops[0])]
        if winner in self._brushes:
            self._brushed[winner.target, winner.card, winner.seat] = winner
            reasons.append(say("played_at_touch", card=name_of(winner.card)))
        last = next((play.seat for play in losers if self._has_one_left(play)), None)
        rule = RuleId.S17 if winner in self._brushes else self._rule_of(winner, decision.tops[0])
        verdict = plays.stands(decision, rule, reasons, self._setup, at_us)
        if last is None:
            return verdict
        return plays.with_reason(
            verdict, say("card_returns", player=self._setup.player_at(last)), Outcome.GAME_CONTINUES
        )

    def _why_stands(self, play: CardMoved, top: Card) -> Reason:
        return say("next_in_rank", card=name_of(play.card), top=top)

    def _rule_of(self, play: CardMoved, top: Card) -> RuleId:
        """S13 on an ace and for an ace on a king, S12 otherwise."""
        ranks = {top.rank, None if play.card is None else play.card.rank}
        return RuleId.S13 if top.rank is Rank.ACE or ranks == {Rank.ACE, Rank.KING} else RuleId.S12

    def _has_one_left(self, play: CardMoved) -> bool:
        """Whether the card of ``play``, which goes back, is the last of its seat."""
        stock = None if play.seat not in self._table.layouts else self._table.layouts[play.seat].stock
        return stock is not None and stock <= 1

    def _refused(self, decision: Decision, at_us: int) -> Verdict:
        play, top = decision.plays[0], decision.tops[0] if decision.tops else None
        if play in self._brushes:
            self._brushes.discard(play)
            self._centre.piles[play.target] = self._centre.pile(play.target).without(play)
            return plays.brushed(play, at_us)
        fault = self._bar(play)
        if fault is None:
            assert play.card is not None
            assert top is not None
            rule = RuleId.S13 if top.rank is Rank.ACE else RuleId.S12
            fault = Fault(rule, misfit(play.card, top, wrap=self._table.rules.wrap))
        return plays.refused(play, fault, at_us)

    def _leave(self, play: CardMoved) -> None:
        """The card of ``play`` has left its own pile for good."""
        if play.source is not None and self._table.is_own_pile(play.source):
            self._table.take_from(play.source, left_us(play))
        if play.seat is not None:
            self._last_touch[play.seat] = play

    def _restore(self, play: CardMoved) -> None:
        """The card of ``play``, told to stand before, goes back after all."""
        self._brushed.pop((play.target, play.card, play.seat), None)
        if play.source is not None and self._table.is_own_pile(play.source):
            self._table.restore(play.source)

    def _brush(self, handled: PileHandled, at_us: int) -> tuple[Verdict, ...]:
        """Rule S17: a card in the hand has touched a spit pile."""
        move = CardMoved(
            seat=handled.seat,
            seat_confidence=handled.seat_confidence,
            card=handled.cards[-1] if handled.cards else None,
            source=None,
            lifted_card=None,
            lifted=None,
            target=handled.pile,
            touch=handled.touch,
            settled_us=handled.touch.end_us,
            confidence=handled.confidence,
            resolution_us=handled.resolution_us,
            evidence=(handled.evidence,),
        )
        play = replace(move, source=self._table.source_of(move))
        self._brushes.add(play)
        return self._decided(self._centre.come(handled.pile, [play], None, at_us), at_us)

    def _carry(self, carried: CardsCarried) -> tuple[Verdict, ...]:
        """Rule S10: several cards in one carry."""
        came = plays.carried_plays(carried)
        player = plays.player_of(came[0], self._setup)
        reason = say("one_card_at_a_time", player=player, count=len(came))
        is_kept = self._carry_on(carried.pile, came)
        return (plays.carried_together(carried, came, reason, RuleId.S10, is_kept=is_kept),)

    def _carry_on(self, pile: PileId, came: tuple[CardMoved, ...]) -> bool:
        """Follow cards that came together; returns whether each fits on the one before."""
        if not _is_shared(pile):
            for play in came:
                self._leave(play)
                self._table.put_on(pile, play.card, play.touch.end_us)
            return True
        shared = self._centre.pile(pile)
        for play in came:
            tops = self._tops_after(play, shared.tops)
            if not tops:
                self._centre.piles[pile] = self._centre.pile(pile).holding(came)
                return False
            shared = shared.filled(play, tops)
        self._centre.piles[pile] = shared
        for play in came:
            self._leave(play)
        return True

    # -- cards on layouts -----------------------------------------------------------------------------------

    def _on_layout(self, move: CardMoved, at_us: int) -> tuple[Verdict, ...]:
        play = replace(move, source=self._shared_source_of(move) or self._table.source_of(move))
        if play.source is not None and _is_shared(play.source):
            return self._went_back(play)
        if play.target.kind is PileKind.HAND:
            reason = say("stock_to_hand", card=name_of(play.card))
            return (plays.refused(play, Fault(RuleId.S11, reason), at_us),)
        fault = breaks_layout(play, play.source, self._table)
        if fault is not None:
            return (plays.refused(play, fault, at_us),)
        top = self._table.stock(play.target).top
        self._leave_for_slot(play)
        key = "fills_slot" if top is None else "stacks_equal"
        reason = say(key, card=name_of(play.card), top=top)
        return (ruled(play, Ruling.LEGAL, RuleId.S15, reason, kept=(0,), decided_us=at_us),)

    def _leave_for_slot(self, play: CardMoved) -> None:
        if play.source is not None and self._table.is_own_pile(play.source):
            self._table.take_from(play.source, left_us(play))
            self._filled_from.add(play.source)
        self._table.put_on(play.target, play.card, play.touch.end_us)

    def _shared_source_of(self, move: CardMoved) -> PileId | None:
        """The shared pile from which a card comes back, though it was not seen to leave it."""
        if move.source is not None and _is_shared(move.source):
            return move.source
        for pile, shared in sorted(self._centre.piles.items(), key=lambda item: str(item[0])):
            owed = [play.card for play in shared.to_return if play.seat is move.seat]
            if move.card is not None and (move.card in owed or (pile, move.card, move.seat) in self._brushed):
                return pile
        return None

    def _went_back(self, play: CardMoved) -> tuple[Verdict, ...]:
        """Rule S19: a card came from a shared pile to the own layout."""
        owed = self._owed(play)
        if owed is None or play.source is None:
            return self._spit_back(play) or self._took_back(play)
        self._forget_lift(play)
        self._centre.piles[play.source] = self._centre.pile(play.source).without(owed)
        if owed.source in {play.target, None}:
            self._table.put_back(play.target, owed.card, play.touch.end_us)
        elif owed.source is not None and self._table.is_own_pile(owed.source):
            self._table.take_from(owed.source, left_us(owed))
            self._table.put_on(play.target, owed.card, play.touch.end_us)
        return (plays.taken_back(play, is_right=True),)

    def _spit_back(self, play: CardMoved) -> tuple[Verdict, ...]:
        """Rule S21: a spit card that was turned too early may go back to the hand."""
        assert play.source is not None
        before = self._spits.may_return.pop((play.source, play.card), None)
        if before is None or play.target.kind is not PileKind.HAND:
            return ()
        self._forget_lift(play)
        self._centre.piles[play.source] = before
        self._table.put_on(play.target, play.card, play.touch.end_us)
        return (plays.taken_back(play, is_right=True),)

    def _took_back(self, play: CardMoved) -> tuple[Verdict, ...]:
        """Rule S19: a card that was played was taken away; it stays where it was."""
        assert play.source is not None
        self._forget_lift(play)
        self._brushed.pop((play.source, play.card, play.seat), None)
        if (play.source, play.card) in self._removed:
            self._removed.discard((play.source, play.card))
            return ()
        self._removed.add((play.source, play.card))
        return (plays.taken_back(play, is_right=False),)

    def _forget_lift(self, play: CardMoved) -> None:
        self._lifted = [
            lift
            for lift in self._lifted
            if lift.pile != play.source or (None not in {lift.card, play.card} and lift.card != play.card)
        ]

    def _lift_lapsed(self, lifted: CardLifted) -> tuple[Verdict, ...]:
        """A card that left a shared pile has come to no other: it was taken back, or is still in the hand."""
        self._lifted.remove(lifted)
        shared, card = self._centre.pile(lifted.pile), lifted.card
        if self._rounds.is_over or card is None:
            return ()
        if any(owed.card == card for owed in shared.to_return):
            return (plays.lifted_back(lifted, is_right=True),)
        if card not in {*shared.tops, *(step.play.card for step in shared.steps)}:
            return ()
        self._removed.add((lifted.pile, card))
        return (plays.lifted_back(lifted, is_right=False),)

    def _turn(self, handled: PileHandled) -> tuple[Verdict, ...]:
        """Rules S14 and S16: the next card of a stock pile is turned, once the one on it has left."""
        pile, seat = handled.pile, handled.seat if handled.seat is not None else handled.pile.seat
        event = Happened(causes=(handled,), at=handled.touch)
        player = self._setup.player_at(seat) if seat is not None else ""
        if handled.seat is not None and pile.seat is not None and handled.seat is not pile.seat:
            other = self._setup.player_at(pile.seat)
            reason = say("other_players_layout", player=player, other=other, card="a card", pile=pile)
            return (ruled(event, Ruling.ILLEGAL, RuleId.S11, reason, seat=seat, pile=pile),)
        if handled.handling is Handling.PEEKED or self._lies_on(pile):
            reason = say("peek", player=player, pile=pile)
            return (ruled(event, Ruling.FLAG, RuleId.S14, reason, seat=seat, pile=pile),)
        rule = RuleId.S16 if pile in self._filled_from else RuleId.S14
        self._filled_from.discard(pile)
        card = handled.cards[-1] if handled.cards else None
        self._table.turn(pile, card, handled.touch.end_us)
        return (ruled(event, Ruling.LEGAL, rule, say("turned_next", pile=pile), seat=seat, pile=pile),)

    def _lies_on(self, pile: PileId) -> bool:
        """Whether a face-up card surely lies on top of ``pile`` still, none of it in the air."""
        top = self._table.stock(pile).top
        in_air: list[tuple[PileId | None, Card | None]]
        in_air = [(lift.pile, lift.card) for lift in self._interpreter.lifts]
        in_air += [(play.source, play.card) for play in self._centre.waiting]
        in_air += [(each.source, getattr(each, "card", None)) for each in self._coming]
        return top is not None and not any(source == pile or card == top for source, card in in_air)

    # -- looks and what is told -----------------------------------------------------------------------------

    def _look(self, seen: PileSeen) -> tuple[Verdict, ...]:
        if not _is_shared(seen.pile):
            if self._table.is_own_pile(seen.pile):
                self._table.look(seen)
            return ()
        shared = self._centre.pile(seen.pile)
        latest_us = shared.steps[-1].play.touch.end_us if shared.steps else seen.seen.end_us
        if self._centre.is_waiting(seen.pile) or seen.top is None or seen.seen.end_us < latest_us:
            return ()
        return self._show(seen.pile, seen.top, seen)

    def _show(self, pile: PileId, card: Card, cause: PileSeen | PileLaid) -> tuple[Verdict, ...]:
        """``card`` is seen on top of a shared pile: it is known, or something was not seen."""
        shared = self._centre.pile(pile)
        if card in shared.tops or any(card == owed.card for owed in shared.to_return):
            return ()
        if any(removed == pile for removed, _ in self._removed):
            return ()
        before, self._centre.piles[pile] = shared.top, replace(shared, tops=(card,), steps=())
        if before is None or self._rounds.is_over:
            return ()
        at = cause.seen if isinstance(cause, PileSeen) else cause.at
        reason = say("top_changed", pile=pile, card=card, top=before)
        return (ruled(Happened(causes=(cause,), at=at), Ruling.UNDECIDED, RuleId.S12, reason, pile=pile),)

    def _lay(self, laid: PileLaid, at_us: int) -> tuple[Verdict, ...]:
        """A whole pile was seen: a layout, a spit pile, or how the cards of a race lie at rest."""
        if self._table.is_own_pile(laid.pile):
            self._table.lay(laid)
            return ()
        if not _is_shared(laid.pile):
            return ()
        if self._centre.is_waiting(laid.pile):
            return self._decided(self._centre.lie(laid), at_us)
        self._centre.lie(laid)
        count, top = count_of(laid), top_of(laid)
        if count is not None:
            self._centre.piles[laid.pile] = replace(self._centre.pile(laid.pile), count=count)
        return () if top is None else self._show(laid.pile, top, laid)

    def _told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...]:
        match observation:
            case PileLaid():
                return self._lay(observation, at_us)
            case PileHandled():
                return self._handled(observation, at_us)
            case HandCarried():
                return self._hands.take(observation)
            case HandsRested():
                self._rounds.rest_hands(observation)
            case CardsCounted() if self._table.is_own_pile(observation.pile):
                self._table.count(observation)
            case CardsCounted() if _is_shared(observation.pile):
                shared = self._centre.pile(observation.pile)
                self._centre.piles[observation.pile] = replace(shared, count=observation.count)
            case PointsTold():
                self._table.tell(observation.seat, observation.points)
            case Called():
                return self._called(observation)
            case _:
                pass
        return ()

    def _handled(self, handled: PileHandled, at_us: int) -> tuple[Verdict, ...]:
        kind, is_own = handled.pile.kind, self._table.is_own_pile(handled.pile)
        match handled.handling:
            case Handling.TURNED | Handling.FACED_UP if is_own and kind is PileKind.HAND:
                flip = flips_of(handled)
                return () if flip is None else self._spits.take(flip)
            case Handling.TURNED | Handling.FACED_UP | Handling.PEEKED if kind is PileKind.TABLEAU:
                return self._turn(handled)
            case Handling.PEEKED if is_own:
                return (self._looked_at_spit_cards(handled),)
            case Handling.BRUSHED if _is_shared(handled.pile):
                return self._brush(handled, at_us)
            case Handling.SLAPPED if _is_shared(handled.pile):
                return self._rounds.slap(handled, at_us)
            case Handling.GATHERED if _is_shared(handled.pile):
                return self._rounds.gather(handled)
            case _:
                return ()

    def _looked_at_spit_cards(self, handled: PileHandled) -> Verdict:
        """Rule S6: nobody looks at the spit cards."""
        seat = handled.pile.seat if handled.seat is None else handled.seat
        assert seat is not None
        reason = say("spit_cards_seen", player=self._setup.player_at(seat))
        event = Happened(causes=(handled,), at=handled.touch)
        return ruled(event, Ruling.FLAG, RuleId.S6, reason, seat=seat, pile=handled.pile)

    def _called(self, called: Called) -> tuple[Verdict, ...]:
        at = called.at if called.at is not None else Interval(called.told_us, called.told_us)
        match called.call:
            case CallKind.START:
                return self._rounds.start(called, at)
            case CallKind.DEALT:
                return self._rounds.dealt(called, at, called.seat)
            case CallKind.READY:
                seats = self._table.seats if called.seat is None else (called.seat,)
                self._table.ready |= set(seats)
            case CallKind.SPIT:
                return self._spits.called(called, at)
            case CallKind.STUCK:
                return self._stuck(called, at)
            case CallKind.TIMER:
                return self._rounds.goes_on(called, at)
            case CallKind.ROUND_END:
                return self._rounds.end_called(called, at)
            case CallKind.COUNTED:
                return self._rounds.audit(called, at)
            case CallKind.NERTS:
                pass
        return ()

    def _stuck(self, called: Called, at: Interval) -> tuple[Verdict, ...]:
        """Rules S21 and S22: nobody can play, once all have said so."""
        self._said_stuck |= set(self._table.seats if called.seat is None else (called.seat,))
        if not self._said_stuck >= set(self._table.seats):
            return ()
        self._said_stuck = set()
        given = self._spits.blocked(called, at)
        if any(verdict.outcome is Outcome.ROUND_END for verdict in given):
            self._rounds.end_by_block(at)
        return given

    def _ended(self) -> tuple[Verdict, ...]:
        """Rule S22: whether somebody has run out of stock; not before the last card stands."""
        out = tuple(
            seat for seat in self._table.out if seat in self._last_touch and not self._centre.is_owed(seat)
        )
        if self._rounds.ended is not None or not out or not self._centre.has_begun:
            return ()
        last = max((self._last_touch[seat] for seat in out), key=touch_order)
        in_air = [each.touch for each in (*self._coming, *self._centre.waiting)]
        if any(touch.start_us <= last.touch.end_us for touch in in_air):
            return ()
        self._last_touch = {}
        return self._rounds.end_by(out, Happened(causes=(), at=last.touch, plays=(last,)))


def _is_shared(pile: PileId) -> bool:
    return pile.kind is PileKind.SPIT


def _lift_order(lift: CardLifted) -> tuple[int, int, str, str]:
    return (lift.lifted.end_us, lift.lifted.start_us, str(lift.pile), str(lift.card))


def _flip_of(play: CardMoved) -> Flip:
    """A card that came from a hand to a spit pile, as a spit card that was turned."""
    assert play.seat is not None
    return Flip(play.seat, play.target, play.card, play.touch, plays=(play,))
