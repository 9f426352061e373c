"""California Speed over one match: what comes in is followed, judged and scored."""

from dataclasses import replace

from referee.california.game import CALIFORNIA, CaliforniaGame
from referee.california.layout import UNREAD
from referee.clock import Interval
from referee.events import Happened
from referee.interpret import PileNews
from referee.messages import say
from referee.observations import CardsCounted, Observation
from referee.piles import PileId, PileKind, Seat
from referee.score import Scorecard, ScoreItem, ScoreLine, Unknown
from referee.setup import MatchSetup
from referee.sightings import HandCarried, Handling, PileHandled, PileLaid
from referee.spit.centre import count_of
from referee.spit.hands import Hands
from referee.spit.shared import Lapse, SharedPlays
from referee.spit.sisters import count_verdict, dealt_twice, start_verdict
from referee.table import PileState, TableState, View
from referee.tellings import Called, CallKind
from referee.verdicts import Outcome, Ruling, Verdict, ruled


class CaliforniaMatch:
    """The rules of California Speed over one match; see ``referee.spit.timeline.SisterGame``."""

    lapses: tuple[Lapse, ...] = ()

    def __init__(self, setup: MatchSetup) -> None:
        self._setup = setup
        self._game = CaliforniaGame(setup)
        self._hands = Hands(setup, CALIFORNIA, self._game.rules.hands)
        self._dealt: set[Seat] = set()
        self._said_stuck: set[Seat] = set()

    @property
    def shared(self) -> SharedPlays:
        """The open rows."""
        return self._game.shared

    def ended(self) -> tuple[Verdict, ...]:
        """Whether somebody has no cards left in hand."""
        return self._game.ended()

    def last_words(self) -> tuple[Verdict, ...]:
        """Nothing waits."""
        return ()

    @property
    def scorecard(self) -> Scorecard:
        """The cards that each still has in hand; who has none has won."""
        lines: list[ScoreLine] = []
        unknowns: list[Unknown] = []
        for seat, held in self._game.packets.items():
            if held is None:
                pile = PileId(PileKind.HAND, seat)
                unknowns.append(Unknown(CALIFORNIA, seat, pile, (say("hand_uncounted"),)))
            else:
                lines.append(ScoreLine(seat, ScoreItem.CARDS_IN_HAND, held, 1))
        return Scorecard(tuple(lines), tuple(unknowns))

    @property
    def table(self) -> TableState:
        """The piles as they are known."""
        states = [
            PileState(pile=PileId(PileKind.HAND, seat), counted=held)
            for seat, held in self._game.packets.items()
        ]
        for pile, shared in self._game.shared.centre.piles.items():
            top = None if shared.top == UNREAD else shared.top
            view = View(top, is_empty=shared.count == 0, face_up=shared.tops != (), since_us=0)
            states.append(PileState(pile=pile, views=(view,), counted=shared.count))
        return TableState(foundations=(), piles=tuple(sorted(states, key=lambda state: str(state.pile))))

    # -- what is seen ---------------------------------------------------------------------------------------

    def has_pile(self, pile: PileId) -> bool:
        """Rows and hands."""
        return self._game.is_shared(pile) or (pile.kind is PileKind.HAND and pile.seat is not None)

    def pile_news(self, news: PileNews) -> tuple[Verdict, ...]:
        """Judge what came to one pile."""
        if self._game.is_shared(news.pile):
            self._said_stuck = set()
            covered = self._game.shared.pile_news(news)
            self._game.open_up()
            return covered
        given: tuple[Verdict, ...] = ()
        for move in news.moves:
            left = self._game.shared.left_from(move)
            if left is not None:
                given += self._game.shared.went_back(replace(move, source=left))
        return given

    def told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...]:
        """Judge what was seen or told at one time."""
        of_pile = self.shared.told(observation, at_us)
        if of_pile is not None:
            self._game.open_up()
            return of_pile
        match observation:
            case PileLaid() if observation.pile.kind is PileKind.HAND and observation.pile.seat is not None:
                self._game.packets[observation.pile.seat] = count_of(observation)
            case PileHandled():
                return self._handled(observation)
            case HandCarried():
                return self._hands.take(observation)
            case CardsCounted() if observation.pile.seat is not None:
                self._game.packets[observation.pile.seat] = observation.count
            case Called():
                return self._called(observation)
            case _:
                pass
        return ()

    def _handled(self, handled: PileHandled) -> tuple[Verdict, ...]:
        is_row = self._game.is_shared(handled.pile)
        match handled.handling:
            case Handling.GATHERED if is_row:
                return self._game.gather(handled)
            case Handling.PEEKED if handled.pile.kind is PileKind.HAND:
                seat = handled.pile.seat
                player = "" if seat is None else self._setup.player_at(seat)
                reason = say("looked_at_pile", player=player, pile=handled.pile)
                event = Happened(causes=(handled,), at=handled.touch)
                return (ruled(event, Ruling.FLAG, CALIFORNIA, reason, seat=seat, pile=handled.pile),)
            case _:
                return ()

    # -- what is called -------------------------------------------------------------------------------------

    def _called(self, called: Called) -> tuple[Verdict, ...]:
        at = called.at if called.at is not None else Interval(called.told_us, called.told_us)
        event = Happened(causes=(called,), at=at)
        match called.call:
            case CallKind.DEALT:
                return self._deal(called, event)
            case CallKind.STUCK:
                return self._stuck(called, event)
            case CallKind.START:
                return (start_verdict(event, CALIFORNIA, self._setup),)
            case CallKind.COUNTED:
                return (self._counted(event),)
            case _:
                return ()

    def _stuck(self, called: Called, event: Happened) -> tuple[Verdict, ...]:
        """No match lies open, once all have said so."""
        everyone = set(self._game.packets)
        self._said_stuck |= everyone if called.seat is None else {called.seat}
        if self._said_stuck < everyone:
            return ()
        self._said_stuck = set()
        return (self._game.no_match(event, None),)

    def _deal(self, called: Called, event: Happened) -> tuple[Verdict, ...]:
        """A seat, or with None each, has half the pack: in its hand, and open in its row."""
        seats = tuple(self._game.packets) if called.seat is None else (called.seat,)
        if self._dealt & set(seats):
            return (dealt_twice(event, CALIFORNIA, called.seat),)
        self._dealt |= set(seats)
        return tuple(self._dealt_by(seat, event) for seat in seats)

    def _dealt_by(self, seat: Seat, event: Happened) -> Verdict:
        row = [self._game.shared.centre.pile(pile) for pile in self._row(seat)]
        counts = [self._game.packets[seat], *(shared.count for shared in row)]
        player, half = self._setup.player_at(seat), self._game.rules.cards // 2
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            reason = say("sizes_not_seen", player=player)
            return ruled(event, Ruling.UNDECIDED, CALIFORNIA, reason, seat=seat)
        facts = {"player": player, "count": sum(known), "row": len(row), "wanted": half}
        if sum(known) != half or len(row) not in {0, self._game.rules.row}:
            reason = say("half_wrong", most=self._game.rules.row, **facts)
            return ruled(event, Ruling.ILLEGAL, CALIFORNIA, reason, seat=seat, outcome=Outcome.DEAL_BAD)
        reason = say("half_right", **facts)
        return ruled(event, Ruling.LEGAL, CALIFORNIA, reason, seat=seat, outcome=Outcome.DEAL_OK)

    def _row(self, seat: Seat) -> list[PileId]:
        return [pile for pile in self._game.shared.centre.piles if pile.seat is seat]

    def _counted(self, event: Happened) -> Verdict:
        """All cards together are 52."""
        counts = [*self._game.packets.values()]
        counts += [shared.count for shared in self._game.shared.centre.piles.values()]
        left = {self._setup.player_at(seat): held for seat, held in self._game.packets.items()}
        return count_verdict(event, CALIFORNIA, counts, self._game.rules.cards, left)
