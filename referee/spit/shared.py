"""Cards that come to shared piles and go back from them, in Spit and its sisters (S10, S12, S17 to S19)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol, assert_never

from referee.cards import Card
from referee.events import CardMoved, Happened
from referee.interpret import PileNews
from referee.messages import Reason, say
from referee.observations import CardLanded, CardLifted, CardsCounted, Observation, PileSeen
from referee.piles import PileId, Seat
from referee.setup import MatchSetup
from referee.sightings import CardsCarried, Handling, LabelsRead, PileHandled, PileLaid
from referee.spit import plays
from referee.spit.centre import Centre, count_of
from referee.spit.checks import Fault, name_of
from referee.spit.race import Decision, Result
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

LIFT_WAIT_US = 1_000_000
"""A card lifted from a shared pile is looked for elsewhere for so long, then it was taken back."""

Lapse = tuple[int, Callable[[], tuple[Verdict, ...]]]
"""When something that waits is due, and what is said then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayRuleIds:
    """Under which ids a game rules on its shared piles."""

    race: RuleId
    """Several came for one place."""
    touch: RuleId
    """A card is played when it touches."""
    back: RuleId
    """A played card stays."""
    unread: RuleId
    """What fits cannot be told because a card was not read."""
    carry: RuleId
    """One card at a time."""


class PlayGame(Protocol):
    """What a game says of its own cards."""

    ids: PlayRuleIds
    needs_face: bool
    """Whether it takes a card's face to know that it may be played."""

    def is_shared(self, pile: PileId) -> bool:
        """Whether ``pile`` is one onto which all play."""

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""

    def top_of(self, laid: PileLaid) -> Card | None:
        """What lies on top of a shared pile. None: nothing is known of it."""

    def source_of(self, move: CardMoved) -> PileId | None:
        """Where the card of ``move`` came from. None: not known."""

    def fault_of(self, play: CardMoved) -> Fault | None:
        """Why ``play`` may go on no shared pile at all."""

    def tops_after(self, play: CardMoved, tops: tuple[Card, ...]) -> tuple[Card, ...]:
        """What ``play`` leaves on top of one of ``tops``; empty: it does not fit."""

    def why_fits(self, play: CardMoved, top: Card) -> tuple[RuleId, tuple[Reason, ...]]:
        """By which rule ``play`` fits ``top``, and what there is to say of it."""

    def misfit(self, play: CardMoved, top: Card) -> Fault:
        """Why ``play`` does not fit ``top``."""

    def leave(self, play: CardMoved) -> None:
        """The card of ``play`` has left its own pile for good."""

    def restore(self, play: CardMoved) -> None:
        """The card of ``play``, told to have left for good, goes back after all."""

    def come_back(self, owed: CardMoved, target: PileId, at_us: int) -> None:
        """The card of ``owed``, which had not left for good, lies on the own pile ``target``."""

    def played(self, play: CardMoved) -> tuple[Verdict, ...]:
        """What there is to say besides, once the card of ``play`` stands."""

    def is_last(self, play: CardMoved) -> bool:
        """Whether the card of ``play`` was the last of its seat."""

    def turned(self, play: CardMoved) -> tuple[Verdict, ...] | None:
        """The verdicts on a card that was turned from a supply, not played. None: it was played."""

    def before_play(self) -> tuple[Verdict, ...]:
        """What is to be said before a card is played, if it was left open."""

    def carried(self, carried: CardsCarried) -> Reason:
        """What there is to say of several cards in one carry."""


class SharedPlays:
    """Follows and judges the shared piles of one match."""

    def __init__(self, setup: MatchSetup, game: PlayGame) -> None:
        self._setup = setup
        self._game = game
        self.centre = Centre(setup, self._is_barred, game.tops_after, needs_face=game.needs_face)
        self.landing_soon: Callable[[], tuple[CardLanded, ...]] = tuple
        """Cards that have landed, on any pile, and whose windows are open."""
        self.lifts: Callable[[], tuple[CardLifted, ...]] = tuple
        """Cards that left any pile and were not seen to land."""
        self._brushes: set[CardMoved] = set()
        """Plays of cards that were still in the hand when they touched."""
        self._brushed: dict[tuple[PileId, Card | None, Seat | None], CardMoved] = {}
        """Those that stand, and have not come to rest yet (S17)."""
        self._lifted: list[CardLifted] = []
        """Cards that left a shared pile and came to no other yet."""
        self._removed: set[tuple[PileId, Card | None]] = set()
        """Cards that were taken back although they were played, and should lie there."""
        self._returning: list[CardMoved] = []
        """Cards that were taken back from a race before it was ruled on."""

    # -- what comes in --------------------------------------------------------------------------------------

    def expect(self, observation: Observation) -> None:
        """Take note of a card that has left a shared pile, before it comes to another."""
        if isinstance(observation, CardLifted) and self._game.is_shared(observation.pile):
            self._lifted.append(observation)

    @property
    def in_air(self) -> tuple[CardLanded | CardMoved, ...]:
        """Cards that have touched a shared pile and are not ruled on yet."""
        landing = [each for each in self.landing_soon() if self._game.is_shared(each.pile)]
        return (*landing, *self.centre.waiting)

    def pile_news(self, news: PileNews) -> tuple[Verdict, ...]:
        """Judge all that came to one shared pile."""
        given: tuple[Verdict, ...] = () if news.before is None else self.look(news.before)
        came: list[CardMoved] = []
        for move in news.moves:
            play = self._released(replace(move, source=self._source_of(move)))
            verdicts = self._not_played(play)
            if verdicts is None:
                came.append(play)
            else:
                given += verdicts
        if came:
            given += self._game.before_play()
            given += self._come(news.pile, came, news.laid, news.decided_us)
        for carried in news.carried:
            given += self._carry(carried)
        return given + (() if news.after is None else self.look(news.after))

    def _not_played(self, play: CardMoved) -> tuple[Verdict, ...] | None:
        """The verdicts on a card that is no new play on its pile: turned, at rest at last, or put back there.

        None: it is a new play.
        """
        turned = self._game.turned(play)
        if turned is not None:
            return turned
        if self._brushed.pop((play.target, play.card, play.seat), None) is not None:
            return ()
        if (play.target, play.card) in self._removed:
            self._removed.discard((play.target, play.card))
            return ()
        return (
            self._took_back(play) if play.source is not None and self._game.is_shared(play.source) else None
        )

    def _brush(self, handled: PileHandled, at_us: int) -> tuple[Verdict, ...]:
        """Rule S17: a card in the hand has touched a shared pile."""
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
        play = replace(move, source=self._game.source_of(move))
        self._brushes.add(play)
        return self._come(handled.pile, [play], None, at_us)

    def look(self, seen: PileSeen) -> tuple[Verdict, ...]:
        """Take in what lies on top of a shared pile."""
        shared = self.centre.pile(seen.pile)
        latest_us = shared.steps[-1].play.touch.end_us if shared.steps else seen.seen.end_us
        if self.centre.is_waiting(seen.pile) or seen.top is None or seen.seen.end_us < latest_us:
            return ()
        return self._show(seen.pile, seen.top, Happened(causes=(seen,), at=seen.seen))

    def told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...] | None:
        """Judge what was seen or told of a shared pile at one time. None: it is another matter."""
        match observation:
            case PileLaid() if self._game.is_shared(observation.pile):
                return self.lay(observation, at_us)
            case LabelsRead() if self._game.is_shared(observation.pile):
                return self._read(observation)
            case PileHandled(handling=Handling.BRUSHED) if self._game.is_shared(observation.pile):
                return self._brush(observation, at_us)
            case CardsCounted() if self._game.is_shared(observation.pile):
                self._count(observation.pile, observation.count)
                return ()
            case _:
                return None

    def lay(self, laid: PileLaid, at_us: int) -> tuple[Verdict, ...]:
        """Take in a whole shared pile: as it lies, or how the cards of a race lie at rest."""
        if self.centre.is_waiting(laid.pile):
            return self._decided(self.centre.lie(laid), at_us)
        self.centre.lie(laid)
        count, top = count_of(laid), self._game.top_of(laid)
        if count is not None:
            self._count(laid.pile, count)
        return () if top is None else self._show(laid.pile, top, Happened(causes=(laid,), at=laid.at))

    def _read(self, labels: LabelsRead) -> tuple[Verdict, ...]:
        """Rule E10: readings that do not hold still count as the one that stood most of the time."""
        frames = sum(run.frames for run in labels.runs)
        event = Happened(causes=(labels,), at=labels.read)
        longest = max(labels.runs, key=lambda run: run.frames)
        if longest.card is None or 2 * longest.frames <= frames:
            reason = say("readings_unstable", pile=labels.pile)
            return (ruled(event, Ruling.UNDECIDED, RuleId.E10, reason, pile=labels.pile),)
        return self._show(labels.pile, longest.card, event)

    def _count(self, pile: PileId, count: int) -> None:
        """Take in a count of a shared pile."""
        self.centre.piles[pile] = replace(self.centre.pile(pile), count=count)

    def _show(self, pile: PileId, card: Card, event: Happened) -> tuple[Verdict, ...]:
        """``card`` is seen on top of a shared pile: it is known, or something was not seen."""
        shared = self.centre.pile(pile)
        is_owed = any(card == owed.card for owed in shared.to_return)
        if card in shared.tops or is_owed or any(removed == pile for removed, _ in self._removed):
            return ()
        self.centre.piles[pile] = replace(shared, tops=(card,), steps=())
        if shared.top is None or shared.top.is_joker or self._game.is_over:
            return ()
        reason = say("top_changed", pile=pile, card=card, top=shared.top)
        return (ruled(event, Ruling.UNDECIDED, self._game.ids.unread, reason, pile=pile),)

    # -- cards that come ------------------------------------------------------------------------------------

    def _come(
        self, pile: PileId, came: Iterable[CardMoved], laid: PileLaid | None, at_us: int
    ) -> tuple[Verdict, ...]:
        return self._decided(self.centre.come(pile, came, laid, at_us), at_us)

    def _source_of(self, move: CardMoved) -> PileId | None:
        """Where a card came from: as seen, else where it was last played, or as the game knows."""
        brushed = [key[0] for key in self._brushed if key[1:] == (move.card, move.seat)]
        others = [pile for pile in brushed if pile != move.target]
        if others and (move.source is None or not self._game.is_shared(move.source)):
            return others[0]
        return self._game.source_of(move)

    def _released(self, play: CardMoved) -> CardMoved:
        """A card that was to go back from a shared pile and comes to another is played from its own pile."""
        owed = self._owed(play)
        if owed is None or play.source is None:
            return play
        self._release(play.source, owed, play)
        return replace(play, source=owed.source)

    def _release(self, pile: PileId, owed: CardMoved, play: CardMoved) -> None:
        self.centre.piles[pile] = self.centre.pile(pile).without(owed)
        self._forget_lift(play)

    def _owed(self, play: CardMoved) -> CardMoved | None:
        """The play whose card goes back with ``play``. None: it was not to go back."""
        if play.source is None or not self._game.is_shared(play.source):
            return None
        waiting = self.centre.pile(play.source).to_return
        found = [owed for owed in waiting if owed.card == play.card or play.card is None]
        return found[-1] if found else None

    def _is_barred(self, play: CardMoved) -> bool:
        return self._game.fault_of(play) is not None

    def _decided(self, decisions: tuple[Decision, ...], at_us: int) -> tuple[Verdict, ...]:
        given: tuple[Verdict, ...] = ()
        for decision in decisions:
            given += (self._rule(decision, at_us),)
            if decision.result is Result.STANDS and not decision.is_known:
                given += self._game.played(decision.plays[0])
        returning, self._returning = self._returning, []
        for play in returning:
            given += self.went_back(play)
        return given

    def _rule(self, decision: Decision, at_us: int) -> Verdict:
        play = decision.plays[0]
        match decision.result:
            case Result.STANDS:
                return self._stands(decision, at_us)
            case Result.LET:
                if decision.is_overturned:
                    self._restore(play)
                return plays.let(decision, self._game.ids.race, self._setup, at_us)
            case Result.DOUBTFUL:
                self._game.leave(play)
                return plays.doubtful(decision, self._game.ids.unread, at_us)
            case Result.REFUSED:
                return self._refused(decision, at_us)
            case _:  # pragma: no cover - mypy proves that no result is left
                assert_never(decision.result)

    def _stands(self, decision: Decision, at_us: int) -> Verdict:
        winner, *losers = decision.plays
        rule, why = self._game.why_fits(winner, decision.tops[0])
        if not decision.is_known:
            self._game.leave(winner)
        if decision.is_overturned:
            self._restore(losers[0])
        if winner in self._brushes:
            self._brushed[winner.target, winner.card, winner.seat] = winner
            rule, why = self._game.ids.touch, (*why, say("played_at_touch", card=name_of(winner.card)))
        self.release(winner.seat, winner.card)
        ids = self._game.ids
        verdict = plays.stands(decision, ids.race if losers else rule, why, self._setup, at_us)
        last = next((play.seat for play in losers if self._game.is_last(play)), None)
        if last is None:
            return verdict
        returns = say("card_returns", player=self._setup.player_at(last))
        return plays.with_reason(verdict, returns, Outcome.GAME_CONTINUES)

    def _refused(self, decision: Decision, at_us: int) -> Verdict:
        play = decision.plays[0]
        if play in self._brushes:
            self._brushes.discard(play)
            self.centre.piles[play.target] = self.centre.pile(play.target).without(play)
            return plays.brushed(play, self._game.ids.touch, at_us)
        fault = self._game.fault_of(play) or self._game.misfit(play, decision.tops[0])
        return plays.refused(play, fault, at_us)

    def _restore(self, play: CardMoved) -> None:
        self._brushed.pop((play.target, play.card, play.seat), None)
        self._game.restore(play)

    def _carry(self, carried: CardsCarried) -> tuple[Verdict, ...]:
        """Rule S10: several cards in one carry are told; they stay where each fits on the one before."""
        came = plays.carried_plays(carried)
        shared = self.centre.pile(carried.pile)
        for play in came:
            tops = self._game.tops_after(play, shared.tops)
            if not tops:
                break
            shared = shared.filled(play, tops)
        is_kept = shared.steps[-1:] != () and shared.steps[-1].play == came[-1]
        self.centre.piles[carried.pile] = shared if is_kept else self.centre.pile(carried.pile).holding(came)
        for play in came if is_kept else ():
            self._game.leave(play)
        reason, rule = self._game.carried(carried), self._game.ids.carry
        return (plays.carried_together(carried, came, reason, rule, is_kept=is_kept),)

    # -- cards that go back ---------------------------------------------------------------------------------

    def left_from(self, move: CardMoved) -> PileId | None:
        """The shared pile from which a card came to a pile of its own. None: it came from none."""
        if move.source is not None:
            return move.source if self._game.is_shared(move.source) else None
        if move.card is None:
            return None
        for pile in sorted(self.centre.piles, key=str):
            owed = [play.card for play in self.centre.pile(pile).to_return if play.seat is move.seat]
            if move.card in owed or (pile, move.card, move.seat) in self._brushed:
                return pile
        return None

    def went_back(self, play: CardMoved) -> tuple[Verdict, ...]:
        """Rule S19: a card came from a shared pile to a pile of its own; a race there is ruled on first."""
        if play.source is not None and self.centre.is_waiting(play.source):
            self._returning.append(play)
            return ()
        owed = self._owed(play)
        if owed is None or play.source is None:
            return self._took_back(play)
        self._release(play.source, owed, play)
        self._game.come_back(owed, play.target, play.touch.end_us)
        return (plays.taken_back(play, self._game.ids.back, is_right=True),)

    def release(self, seat: Seat | None, card: Card | None) -> None:
        """``card`` of ``seat`` was seen elsewhere: it lies on no shared pile to go back any more."""
        for pile, shared in self.centre.piles.items():
            for owed in shared.to_return:
                if card is not None and owed.card == card and owed.seat is seat:
                    self.centre.piles[pile] = self.centre.pile(pile).without(owed)

    def forgive(self, play: CardMoved) -> Verdict:
        """A card that lay on a shared pile by a mistake of all goes back."""
        self._forget_lift(play)
        return plays.taken_back(play, self._game.ids.back, is_right=True)

    def _took_back(self, play: CardMoved) -> tuple[Verdict, ...]:
        """Rule S19: a card that was played was taken away; it stays where it was."""
        assert play.source is not None
        self._forget_lift(play)
        self._brushed.pop((play.source, play.card, play.seat), None)
        key = (play.source, play.card)
        if key in self._removed:
            return ()
        self._removed.add(key)
        return (plays.taken_back(play, self._game.ids.back, is_right=False),)

    def _forget_lift(self, play: CardMoved) -> None:
        self._lifted = [
            lift
            for lift in self._lifted
            if lift.pile != play.source or (None not in {lift.card, play.card} and lift.card != play.card)
        ]

    # -- what a person ruled ------------------------------------------------------------------------------

    def answer(self, verdict: Verdict) -> None:
        """Follow what a person ruled: which cards stand, and which go back.

        What lies on top is not known until the pile is seen, or told as it then lies.
        """
        for play in verdict.event.plays:
            if self._game.is_shared(play.target):
                self._answer(play, stands=play in verdict.stands, goes_back=play in verdict.goes_back)

    def _answer(self, play: CardMoved, *, stands: bool, goes_back: bool) -> None:
        shared = self.centre.pile(play.target)
        stood = any(step.play == play for step in shared.steps)
        change = 0
        if stands and not stood:
            self._game.leave(play)
            shared, change = shared.without(play), 1
        if goes_back and stood:
            self._game.restore(play)
            shared, change = shared.holding([play]), -1
        count = None if shared.count is None else shared.count + change
        self.centre.piles[play.target] = replace(shared, tops=(), steps=(), count=count)

    # -- what is due ----------------------------------------------------------------------------------------

    @property
    def lapses(self) -> tuple[Lapse, ...]:
        """What waits, and until when."""
        found: list[Lapse] = []
        if (race_us := self.centre.next_lapse_us) is not None:
            found.append((race_us, lambda: self._decided(self.centre.lapse(race_us), race_us)))
        if self._lifted:
            first = min(self._lifted, key=_lift_order)
            found.append((first.lifted.end_us + LIFT_WAIT_US, lambda: self._lift_lapsed(first)))
        return tuple(found)

    def _lift_lapsed(self, lifted: CardLifted) -> tuple[Verdict, ...]:
        """A card that left a shared pile has come to no other: it was taken back, or is still in the hand."""
        self._lifted.remove(lifted)
        shared, card = self.centre.pile(lifted.pile), lifted.card
        if self._game.is_over or card is None:
            return ()
        is_right = any(owed.card == card for owed in shared.to_return)
        if not is_right and card not in {*shared.tops, *(step.play.card for step in shared.steps)}:
            return ()
        if not is_right:
            self._removed.add((lifted.pile, card))
        return (plays.lifted_back(lifted, self._game.ids.back, is_right=is_right),)

    def forget_round(self) -> None:
        """The piles were taken: a new round begins on the bare table."""
        self.centre.piles.clear()
        self._removed, self._brushes, self._brushed = set(), set(), {}
        self._lifted, self._returning = [], []


def _lift_order(lift: CardLifted) -> tuple[int, int, str, str]:
    return (lift.lifted.end_us, lift.lifted.start_us, str(lift.pile), str(lift.card))
