"""Nerts as one judge: each observation to the chapter that rules on it."""

from referee.interpret import Interpreter, News, Pending, PileNews
from referee.nerts.foundations import judge_count, judge_pile
from referee.nerts.tally import Tally
from referee.observations import CardsCounted, Observation
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.table import Table, TableState
from referee.verdicts import Verdict


class NertsJudge:
    """The rules of Nerts over one match; see ``referee.games.GameJudge``."""

    def __init__(self, setup: MatchSetup) -> None:
        self._setup = setup
        self._interpreter = Interpreter(setup.timing, setup.place_of)
        self._table = Table()
        self._tally = Tally(setup)

    def take(self, observation: Observation, told_us: int) -> None:
        """Take in an observation that was told at ``told_us``."""
        self._interpreter.take(observation, told_us=told_us)

    def due(self, now_us: int) -> tuple[Verdict, ...]:
        """The verdicts whose time ran out before ``now_us``."""
        return self._judged(self._interpreter.news_before(now_us))

    def rest(self) -> tuple[Verdict, ...]:
        """Every verdict that is still open."""
        return self._judged(self._interpreter.rest())

    def answer(self, verdict: Verdict) -> None:
        """Count what a person ruled in answer to a verdict."""
        self._tally.take(verdict)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Touches that are seen and not ruled on yet."""
        return self._interpreter.pending

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""
        return self._tally.scorecard(self._table)

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""
        return self._table.state()

    def _judged(self, news: tuple[News, ...]) -> tuple[Verdict, ...]:
        given: list[Verdict] = []
        for item in news:
            for verdict in self._verdicts_on(item):
                self._tally.take(verdict)
                given.append(verdict)
        return tuple(given)

    def _verdicts_on(self, item: News) -> tuple[Verdict, ...]:
        if isinstance(item, PileNews):
            return judge_pile(self._setup, self._table, item)
        if isinstance(item.observation, CardsCounted):
            return judge_count(self._setup, self._table, item.observation)
        return ()
