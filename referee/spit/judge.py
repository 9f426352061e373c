"""Spit over one match: what comes in is followed, judged and scored."""

from collections.abc import Iterable
from dataclasses import replace

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved
from referee.interpret import PileNews
from referee.observations import CardsCounted, HandTouched, Observation, PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.sightings import (
    HandCarried,
    Handling,
    HandsRested,
    PileHandled,
    PileLaid,
)
from referee.spit.dealing import Dealing
from referee.spit.game import SpitGame
from referee.spit.hands import Hands
from referee.spit.own import OwnPiles
from referee.spit.scoring import scorecard_of, table_state_of
from referee.spit.shared import Lapse, SharedPlays
from referee.spit.slaps import Slaps
from referee.spit.spits import flips_of
from referee.spit.totals import Totals
from referee.table import TableState
from referee.tellings import Called, CallKind, PointsTold
from referee.verdicts import Outcome, RuleId, Verdict


class SpitMatch:
    """The rules of Spit over one match; see ``referee.spit.timeline.SisterGame``."""

    def __init__(self, setup: MatchSetup) -> None:
        self._game = SpitGame(setup)
        self._own = OwnPiles(setup, self._game.table)
        self._dealing = Dealing(self._game.bench, self._game.forget_round)
        self._slaps = Slaps(self._game.bench, self._game.rounds.take_piles)
        self._totals = Totals(self._game.bench, self._game.rounds)
        self._hands = Hands(setup, RuleId.S9, self._game.table.rules.hands)
        self._said: dict[CallKind, set[Seat]] = {}
        """Who has called what since the last card came to a spit pile."""

    @property
    def shared(self) -> SharedPlays:
        """The spit piles."""
        return self._game.shared

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""
        return scorecard_of(self._game.table)

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""
        return table_state_of(self._game.table, self._game.bench.centre)

    @property
    def lapses(self) -> Iterable[Lapse]:
        """Spits and slaps that wait for the other's."""
        if (spit_us := self._game.spits.next_lapse_us) is not None:
            yield (spit_us, self._game.spits.lapse)
        if (slap_us := self._slaps.next_lapse_us) is not None:
            yield (slap_us, self._slaps.lapse)

    def ended(self) -> tuple[Verdict, ...]:
        """Whether somebody has run out of stock."""
        return self._game.ended()

    def last_words(self) -> tuple[Verdict, ...]:
        """A spit that not all have joined."""
        return self._game.spits.rest()

    # -- what is seen ---------------------------------------------------------------------------------------

    def has_pile(self, pile: PileId) -> bool:
        """Spit piles, stock piles and spit cards."""
        return self._game.is_shared(pile) or self._game.table.is_own_pile(pile)

    def pile_news(self, news: PileNews) -> tuple[Verdict, ...]:
        """Judge what came to one pile."""
        if self._game.is_shared(news.pile):
            self._said.clear()
            given = self._game.shared.pile_news(news)
            if news.after is not None and news.after.is_empty:
                self._game.clear(news.pile)
            return given
        self._look(news.before)
        verdicts: tuple[Verdict, ...] = ()
        for move in news.moves:
            verdicts += self._on_own(move, news.decided_us)
        for carried in news.carried:
            verdicts += (self._own.carry(carried),)
        self._look(news.after)
        return verdicts

    def _look(self, seen: PileSeen | None) -> None:
        if seen is not None:
            self._game.table.look(seen)
            self._game.shared.release(seen.pile.seat, seen.top)

    def _on_own(self, move: CardMoved, at_us: int) -> tuple[Verdict, ...]:
        """A card came to a pile of a layout: from another there, or back from a spit pile."""
        left = self._game.shared.left_from(move)
        if left is None:
            play = replace(move, source=self._game.table.source_of(move))
            return (self._own.take(play, at_us),)
        play = replace(move, source=left)
        if self._game.spits.takes_back(play):
            return (self._game.shared.forgive(play),)
        return self._game.shared.went_back(play)

    def told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...]:
        """Judge what was seen or told at one time."""
        of_pile = self.shared.told(observation, at_us)
        if of_pile is not None:
            return of_pile
        match observation:
            case PileLaid() if self._game.table.is_own_pile(observation.pile):
                self._game.table.lay(observation)
            case PileHandled():
                return self._handled(observation, at_us)
            case HandCarried():
                return self._hands.take(observation)
            case HandsRested():
                self._slaps.rest_hands(observation)
            case HandTouched() if self._game.is_shared(observation.pile):
                self._slaps.touch(observation, at_us)
            case CardsCounted() if self._game.table.is_own_pile(observation.pile):
                self._game.table.count(observation)
            case PointsTold():
                self._game.table.tell(observation.seat, observation.points)
            case Called():
                return self._called(observation)
            case _:
                pass
        return ()

    def _handled(self, handled: PileHandled, at_us: int) -> tuple[Verdict, ...]:
        if self._game.is_shared(handled.pile):
            return self._on_shared(handled, at_us)
        if not self._game.table.is_own_pile(handled.pile):
            return ()
        is_turned = handled.handling in {Handling.TURNED, Handling.FACED_UP}
        if handled.pile.kind is PileKind.HAND:
            if is_turned:
                return self._game.spits.take(flips_of(handled))
            return (self._own.look_through(handled),) if handled.handling is Handling.PEEKED else ()
        if is_turned or handled.handling is Handling.PEEKED:
            return (self._own.turn(handled, self._in_air()),)
        return ()

    def _on_shared(self, handled: PileHandled, at_us: int) -> tuple[Verdict, ...]:
        match handled.handling:
            case Handling.SLAPPED:
                return self._slaps.slap(handled, at_us)
            case Handling.GATHERED:
                given = self._slaps.gather(handled)
                self._game.clear(handled.pile)
                return given
            case _:
                return ()

    def _in_air(self) -> list[tuple[PileId | None, Card | None]]:
        """Where cards came from, and which, that have left their piles and are not ruled on yet."""
        found: list[tuple[PileId | None, Card | None]]
        found = [(lift.pile, lift.card) for lift in self.shared.lifts()]
        found += [(each.source, each.card) for each in self.shared.in_air]
        return found

    # -- what is called -------------------------------------------------------------------------------------

    def _called(self, called: Called) -> tuple[Verdict, ...]:
        at = called.at if called.at is not None else Interval(called.told_us, called.told_us)
        match called.call:
            case CallKind.READY:
                self._game.table.ready |= self._all_or(called.seat)
                return ()
            case CallKind.SPIT:
                by_all = self._all_said(CallKind.SPIT, called.seat)
                return self._ended_by(self._game.spits.called(called, at, by_all=by_all), at)
            case CallKind.STUCK:
                by_all = self._all_said(CallKind.STUCK, called.seat)
                return self._ended_by((self._game.spits.blocked(called, at),) if by_all else (), at)
            case CallKind.DEALT:
                return self._dealing.dealt(called, at, called.seat)
            case _:
                verdict = self._asked(called, at)
                return () if verdict is None else (verdict,)

    def _asked(self, called: Called, at: Interval) -> Verdict | None:
        """What is answered to a call for the whole table. None: the call is not one of Spit."""
        match called.call:
            case CallKind.START:
                return self._dealing.start(called, at)
            case CallKind.TIMER:
                return self._game.rounds.goes_on(called, at)
            case CallKind.ROUND_END:
                return self._totals.end_called(called, at)
            case CallKind.COUNTED:
                return self._totals.audit(called, at)
            case _:
                return None

    def _all_said(self, call: CallKind, seat: Seat | None) -> bool:
        """Rules S21 and S22: whether all have called ``call`` by now, ``seat`` the last."""
        said = self._said.setdefault(call, set())
        said |= self._all_or(seat)
        if said < set(self._game.table.seats):
            return False
        self._said.clear()
        return True

    def _ended_by(self, verdicts: tuple[Verdict, ...], at: Interval) -> tuple[Verdict, ...]:
        if any(verdict.outcome is Outcome.ROUND_END for verdict in verdicts):
            self._game.rounds.end_by_block(at)
        return verdicts

    def _all_or(self, seat: Seat | None) -> set[Seat]:
        """``seat`` alone, or with None every seat."""
        return set(self._game.table.seats if seat is None else (seat,))
