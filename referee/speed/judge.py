"""Speed over one match: what comes in is followed, judged and scored."""

from collections.abc import Iterable
from dataclasses import replace

from referee.clock import Interval
from referee.events import CardMoved, Happened
from referee.interpret import PileNews
from referee.messages import say
from referee.observations import CardsCounted, Observation, PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.score import Scorecard, ScoreItem, ScoreLine, Unknown
from referee.setup import MatchSetup
from referee.sightings import CardsCarried, HandCarried, Handling, PileHandled, PileLaid
from referee.speed.feeding import Fed, reason_of_deal
from referee.speed.game import SPEED, SpeedGame
from referee.speed.table import is_draw, is_hand, is_side
from referee.spit.hands import Hands
from referee.spit.shared import Lapse, SharedPlays
from referee.spit.sisters import count_verdict, dealt_twice, start_verdict
from referee.table import PileState, TableState, View
from referee.tellings import Called, CallKind, Declared, PointsTold
from referee.verdicts import Outcome, Ruling, Verdict, ruled


class SpeedMatch:
    """The rules of Speed over one match; see ``referee.spit.timeline.SisterGame``."""

    def __init__(self, setup: MatchSetup) -> None:
        self._setup = setup
        self._game = SpeedGame(setup)
        self._table = self._game.table
        self._hands = Hands(setup, SPEED, self._table.rules.hands)
        self._said_stuck: set[Seat] = set()
        self._dealt: set[Seat] = set()

    @property
    def shared(self) -> SharedPlays:
        """The centre piles."""
        return self._game.shared

    @property
    def lapses(self) -> Iterable[Lapse]:
        """Cards turned to the centre that wait for the other's."""
        if (fed_us := self._game.feeding.next_lapse_us) is not None:
            yield (fed_us, self._game.feeding.lapse)

    def ended(self) -> tuple[Verdict, ...]:
        """Whether somebody has no cards left."""
        return self._game.ended()

    def last_words(self) -> tuple[Verdict, ...]:
        """Cards turned to the centre that the other has not joined."""
        return self._game.feeding.rest()

    @property
    def scorecard(self) -> Scorecard:
        """Rounds won, which win the game, and the cards that each still has."""
        lines: list[ScoreLine] = []
        unknowns: list[Unknown] = []
        for seat in self._table.seats:
            lines.append(ScoreLine(seat, ScoreItem.ROUNDS_WON, self._table.wins.get(seat, 0), 1))
            hand, draw = self._table.hand(seat), self._table.draw(seat)
            if hand is None or draw is None:
                pile = PileId(PileKind.HAND, seat)
                unknowns.append(Unknown(SPEED, seat, pile, (say("cards_uncounted"),)))
            else:
                lines.append(ScoreLine(seat, ScoreItem.CARDS_LEFT, hand + draw, 0))
        return Scorecard(tuple(lines), tuple(unknowns))

    @property
    def table(self) -> TableState:
        """The piles as they are known."""
        states = [PileState(pile=pile, counted=count) for pile, count in self._table.counts.items()]
        for pile, shared in self._game.shared.centre.piles.items():
            view = View(shared.top, is_empty=shared.count == 0, face_up=shared.tops != (), since_us=0)
            states.append(PileState(pile=pile, views=(view,), counted=shared.count))
        return TableState(foundations=(), piles=tuple(sorted(states, key=lambda state: str(state.pile))))

    # -- what is seen ---------------------------------------------------------------------------------------

    def has_pile(self, pile: PileId) -> bool:
        """Centre piles, side piles, hands and draw piles."""
        return self._game.is_shared(pile) or self._table.takes_part(pile)

    def pile_news(self, news: PileNews) -> tuple[Verdict, ...]:
        """Judge what came to one pile."""
        if self._game.is_shared(news.pile):
            self._said_stuck = set()
            return self._game.shared.pile_news(news)
        self._look(news.before)
        given: tuple[Verdict, ...] = ()
        for move in news.moves:
            given += self._to_own(move)
        for carried in news.carried:
            given += self._drew(carried.pile, carried.source, len(carried.cards), carried)
        self._look(news.after)
        return given

    def _look(self, seen: PileSeen | None) -> None:
        if seen is not None:
            self._table.look(seen)

    def _to_own(self, move: CardMoved) -> tuple[Verdict, ...]:
        """A card came to a hand: drawn, or back from a race."""
        left = self._game.shared.left_from(move)
        if left is not None:
            return self._game.shared.went_back(replace(move, source=left))
        return self._drew(move.target, move.source, 1, move)

    def _drew(
        self, pile: PileId, source: PileId | None, count: int, cause: CardMoved | CardsCarried
    ) -> tuple[Verdict, ...]:
        """Cards came to a pile of a seat; a hand holds no more than it is filled up to."""
        self._table.add(pile, count)
        if source is not None and self._table.takes_part(source):
            self._table.add(source, -count)
        seat, most = pile.seat, self._table.rules.hand
        held = None if seat is None else self._table.hand(seat)
        if seat is None or held is None or held <= most or not is_hand(pile):
            return ()
        reason = say("hand_too_full", player=self._setup.player_at(seat), count=held, most=most)
        plays = (cause,) if isinstance(cause, CardMoved) else ()
        causes = (cause,) if isinstance(cause, CardsCarried) else ()
        event = Happened(causes=causes, at=cause.touch, plays=plays)
        return (ruled(event, Ruling.FLAG, SPEED, reason, seat=seat, pile=pile),)

    def told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...]:
        """Judge what was seen or told at one time."""
        of_pile = self.shared.told(observation, at_us)
        if of_pile is not None:
            return of_pile
        match observation:
            case PileLaid() if self._table.takes_part(observation.pile):
                self._table.lay(observation)
            case PileHandled():
                return self._handled(observation)
            case HandCarried():
                return self._hands.take(observation)
            case CardsCounted() if self._table.takes_part(observation.pile):
                self._table.count(observation)
            case Declared() if observation.seat is not None:
                self._game.declared[observation.seat] = observation.card
            case PointsTold():
                self._table.wins[observation.seat] = observation.points
            case Called():
                return self._called(observation)
            case _:
                pass
        return ()

    def _handled(self, handled: PileHandled) -> tuple[Verdict, ...]:
        pile = handled.pile
        match handled.handling:
            case Handling.TURNED | Handling.FACED_UP if is_side(pile) or is_draw(pile):
                card = handled.cards[-1] if handled.cards else None
                seat = handled.seat if handled.seat is not None else pile.seat
                fed = Fed(seat, pile, handled.target, card, handled.touch, causes=(handled,))
                return self._game.feeding.take(fed)
            case Handling.PEEKED if is_side(pile) or is_draw(pile):
                seat = handled.seat if handled.seat is not None else pile.seat
                player = "a hand" if seat is None else self._setup.player_at(seat)
                event = Happened(causes=(handled,), at=handled.touch)
                reason = say("looked_at_pile", player=player, pile=pile)
                return (ruled(event, Ruling.FLAG, SPEED, reason, seat=seat, pile=pile),)
            case _:
                return ()

    # -- what is called -------------------------------------------------------------------------------------

    def _called(self, called: Called) -> tuple[Verdict, ...]:
        at = called.at if called.at is not None else Interval(called.told_us, called.told_us)
        event = Happened(causes=(called,), at=at)
        match called.call:
            case CallKind.DEALT:
                return self._deal(called, at)
            case CallKind.STUCK | CallKind.SPIT:
                return self._stuck(called, at)
            case CallKind.START:
                return (start_verdict(event, SPEED, self._setup),)
            case CallKind.TIMER | CallKind.ROUND_END:
                return (self._stands(event),)
            case _:
                return (self._counted(event),) if called.call is CallKind.COUNTED else ()

    def _stuck(self, called: Called, at: Interval) -> tuple[Verdict, ...]:
        """Nobody can play, once all have said so."""
        everyone = set(self._table.seats)
        self._said_stuck |= everyone if called.seat is None else {called.seat}
        if self._said_stuck < everyone:
            return ()
        self._said_stuck = set()
        return (self._game.feeding.blocked(called, at),)

    def _deal(self, called: Called, at: Interval) -> tuple[Verdict, ...]:
        """A seat, or with None each, says that its cards are dealt."""
        event = Happened(causes=(called,), at=at)
        if self._game.is_over:
            self._game.forget_round()
            self._dealt = set()
        seats = self._table.seats if called.seat is None else (called.seat,)
        if self._dealt & set(seats):
            return (dealt_twice(event, SPEED, called.seat),)
        self._dealt |= set(seats)
        found = [(seat, reason_of_deal(self._table, seat)) for seat in seats]
        return tuple(
            ruled(event, ruling, SPEED, reason, seat=seat, outcome=outcome)
            for seat, (ruling, outcome, reason) in found
        )

    def _stands(self, event: Happened) -> Verdict:
        """How the game stands, asked in a round or after it."""
        needed, wins = self._table.rules.wins_needed, self._table.wins
        winners = [seat for seat in self._table.seats if wins.get(seat, 0) >= needed]
        if len(winners) == 1:
            player = self._setup.player_at(winners[0])
            reason = say("game_won", player=player, count=wins[winners[0]])
            return ruled(event, Ruling.LEGAL, SPEED, reason, seat=winners[0], outcome=Outcome.GAME_WIN)
        reason = say("wins_short", wanted=needed) if self._game.is_over else say("round_goes_on")
        return ruled(event, Ruling.LEGAL, SPEED, reason, outcome=Outcome.GAME_CONTINUES)

    def _counted(self, event: Happened) -> Verdict:
        """All cards together are the pack."""
        counts = [*self._table.counts.values()]
        counts += [shared.count for shared in self._game.shared.centre.piles.values()]
        left = {
            self._setup.player_at(seat): (self._table.hand(seat) or 0) + (self._table.draw(seat) or 0)
            for seat in self._table.seats
        }
        return count_verdict(event, SPEED, counts, self._table.rules.cards, left)
