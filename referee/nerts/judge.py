"""Nerts as one judge: each observation to the chapter that rules on it."""

from collections.abc import Iterable

from referee.cards import Rank
from referee.events import CardMoved
from referee.interpret import Interpreter, News, Pending, PileNews
from referee.nerts import answers, calls, counting, deal, hands, jokers, positions, stock, stuck, work
from referee.nerts.foundations import judge_foundation
from referee.nerts.match import Match
from referee.nerts_rules import NertsRules
from referee.observations import CardsCounted, Observation, ViewLost, known_us
from referee.piles import PileKind
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.shared import SharedRules
from referee.sightings import HandCarried, LabelsRead, LandedBetween, PileHandled, PileLaid, PilesOverlapped
from referee.table import TableState, is_foundation
from referee.tellings import BacksCounted, Called, CallKind, Declared, PointsTold
from referee.verdicts import Verdict


class NertsJudge:
    """The rules of Nerts over one match; see ``referee.games.GameJudge``."""

    def __init__(self, setup: MatchSetup) -> None:
        assert isinstance(setup.rules, NertsRules)
        self._interpreter = Interpreter(setup.timing, setup.place_of)
        self._match = Match.begin(setup, setup.rules)
        self._shared = SharedRules(setup)

    def take(self, observation: Observation, told_us: int) -> None:
        """Take in an observation that was told at ``told_us``."""
        self._interpreter.take(observation, told_us=told_us)

    def due(self, now_us: int) -> tuple[Verdict, ...]:
        """The verdicts whose time ran out before ``now_us``."""
        return (*self._judged(now_us), *self._timed(now_us))

    def rest(self) -> tuple[Verdict, ...]:
        """Every verdict that is still open."""
        open_calls = calls.rule_on_calls
        return (
            *self._judged(None),
            *self._taken(open_calls(self._match, self._interpreter.lifts, ())),
        )

    def answer(self, verdict: Verdict) -> None:
        """Count what a person ruled in answer to a verdict."""
        answers.follow(self._match, verdict)

    def most_cards(self, counted: CardsCounted | BacksCounted) -> int:
        """How many cards can be where ``counted`` was."""
        return counting.most_cards(self._match, counted)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Touches that are seen and not ruled on yet."""
        return self._interpreter.pending

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""
        return self._match.tally.scorecard(self._match.table, self._match.earlier_points)

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""
        return self._match.table.state()

    def _judged(self, now_us: int | None) -> Iterable[Verdict]:
        """What is due before ``now_us``, in order of time; with None, all that is open."""
        while (at_us := self._interpreter.next_due_us(now_us)) is not None:
            yield from self._timed(at_us)
            item = self._interpreter.next_before(now_us)
            if item is not None:
                yield from self._taken(self._verdicts_on(item))
                stuck.watch_aces(self._match, _seen_us(item))

    def _timed(self, now_us: int) -> Iterable[Verdict]:
        """What falls due by time alone, before ``now_us``."""
        if self._match.round.open_calls:  # rare, and what is in the air is looked for in all windows
            yield from self._taken(self._calls_due(now_us))
        ace_us = stuck.ace_due_us(self._match)
        if ace_us is not None and ace_us < now_us:
            yield from self._taken(stuck.rule_on_aces(self._match, now_us - 1))

    def _calls_due(self, now_us: int) -> tuple[Verdict, ...]:
        match, lifts = self._match, self._interpreter.lifts
        flying = [landed for item in self._interpreter.pending for landed in item.landings]
        if calls.due_us(match, lifts, flying) >= now_us:
            return ()
        return calls.rule_on_calls(match, lifts, flying)

    def _taken(self, verdicts: tuple[Verdict, ...]) -> Iterable[Verdict]:
        """``verdicts``, once the tally and the round know of them."""
        for verdict in verdicts:
            self._match.tally.take(verdict)
            for play in verdict.stands:
                stuck.take_play(self._match, play)
                self._note_king(play)
            yield verdict
            yield from self._shared.follow(verdict)

    def _note_king(self, play: CardMoved) -> None:
        face = play.face
        if is_foundation(play.target) and face is not None and face.rank is Rank.KING:
            self._match.tally.credit_king(play)

    def _verdicts_on(self, item: News) -> tuple[Verdict, ...]:
        if isinstance(item, PileNews):
            return self._on_pile(item)
        return self._on_told(item.observation)

    def _on_pile(self, news: PileNews) -> tuple[Verdict, ...]:
        verdicts = self._early_moves(news)
        judged = judge_foundation if is_foundation(news.pile) else work.judge_layout
        verdicts += judged(self._match, news)
        if is_foundation(news.pile) and news.laid is not None:
            verdicts += positions.lay(self._match, news.laid)
        self._note_nerts(news, verdicts)
        return verdicts

    def _note_nerts(self, news: PileNews, verdicts: tuple[Verdict, ...]) -> None:
        """When a Nerts pile's card last landed, and whether it may stay."""
        refused = {play for verdict in verdicts for play in verdict.goes_back}
        for play in news.moves:
            source = play.source
            if source is not None and source.kind is PileKind.RESERVE and source.seat is not None:
                self._match.nerts_out[source.seat] = (play.touch.end_us, play not in refused)

    def _early_moves(self, news: PileNews) -> tuple[Verdict, ...]:
        if not self._match.round.awaits_start:
            return ()
        return tuple(deal.early_move(self._match, play) for play in news.moves)

    def _on_told(self, observation: Observation) -> tuple[Verdict, ...]:  # noqa: C901, PLR0911 - one line for each kind
        match = self._match
        shared = self._shared.take(observation)
        if shared:
            return shared
        if isinstance(observation, Called):
            return self._on_call(observation)
        if isinstance(observation, PileLaid):
            return positions.lay(match, observation)
        if isinstance(observation, PileHandled):
            return stock.judge_handling(match, observation)
        if isinstance(observation, LabelsRead):
            return positions.read_labels(match, observation)
        if isinstance(observation, LandedBetween):
            return (positions.between_piles(observation),)
        if isinstance(observation, HandCarried):
            return hands.judge_carrying(match, observation)
        if isinstance(observation, PilesOverlapped):
            return deal.judge_overlap(observation)
        if isinstance(observation, CardsCounted):
            return counting.judge_count(match, observation)
        if isinstance(observation, BacksCounted):
            return counting.judge_backs(match, observation)
        self._on_quiet(observation)
        return ()

    def _on_quiet(self, observation: Observation) -> None:
        """What is kept and not ruled on."""
        if isinstance(observation, PointsTold):
            counting.take_points(self._match, observation)
        if isinstance(observation, Declared):
            jokers.declare(self._match, observation)
        if isinstance(observation, ViewLost):
            self._match.lost_us[observation.pile] = observation.lost

    def _on_call(self, called: Called) -> tuple[Verdict, ...]:  # noqa: PLR0911 - one line for each call
        match = self._match
        kind = called.call
        if kind is CallKind.NERTS:
            return calls.take_call(match, called)
        if kind is CallKind.STUCK:
            return stuck.take_stuck(match, called)
        if kind is CallKind.TIMER:
            return stuck.take_timer(called)
        if kind is CallKind.ROUND_END:
            return calls.end_round(match, called)
        if kind is CallKind.COUNTED:
            return counting.judge_counted(match, called)
        counting.next_round(match)
        if kind is CallKind.START:
            return deal.judge_start(match, called)
        if kind is CallKind.DEALT:
            return deal.judge_deal(match, called)
        match.round.awaits_start = kind is CallKind.READY
        return ()


def _seen_us(item: News) -> int:
    """When what an item tells lay there."""
    if not isinstance(item, PileNews):
        return known_us(item.observation)
    touches = [play.touch.end_us for play in item.moves]
    return max(touches, default=item.decided_us)
