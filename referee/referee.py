"""The referee: observations in, verdicts out, the score at any time."""

from dataclasses import replace
from typing import assert_never

from referee.interpret import Interpreter, PileNews
from referee.judging import judge_count, judge_pile
from referee.observations import (
    CardLanded,
    CardLifted,
    CardsCounted,
    HandTouched,
    Observation,
    PileSeen,
    ViewLost,
    fault_in,
    known_us,
)
from referee.score import Scorecard, Tally
from referee.setup import MatchSetup
from referee.table import Table, TableState
from referee.verdicts import Verdict


class ObservationError(ValueError):
    """An observation that cannot be meant, or that is of another match."""


def refuse_faults(setup: MatchSetup, observation: Observation) -> None:
    """Raise ``ObservationError`` if ``observation`` cannot be meant in a match of ``setup``."""
    seat = getattr(observation, "seat", None)
    piles = [observation.pile, getattr(observation, "source", None)]
    faults = [fault_in(observation), *(setup.fault_in_names(pile, seat) for pile in piles)]
    fault = next((text for text in faults if text is not None), None)
    if fault is not None:
        raise ObservationError(fault)


class Referee:
    """A fold over observations: the same observations give the same verdicts, live or replayed.

    A verdict on a pile is given once, when its collection window closes: at the first observation, or call of
    ``advance``, with a later time. Observations that became known at the same time may come in any order.
    """

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self._interpreter = Interpreter(setup.timing, setup.place_of)
        self._table = Table()
        self._tally = Tally(setup)
        self._now_us: int | None = None
        self._given = 0

    def observe(self, observation: Observation, *, at_us: int | None = None) -> tuple[Verdict, ...]:
        """Take in one observation; what is returned are the verdicts that fell due before it.

        ``at_us`` is the time of the frame with which it came; by default the earliest that it can have been.
        Raises ``ObservationError`` for one that cannot be meant.
        """
        refuse_faults(self.setup, observation)
        known = known_us(observation)
        now_us = self._come_to(known if at_us is None else max(at_us, known))
        return self._due(now_us) + self._take(observation, now_us)

    def advance(self, now_us: int) -> tuple[Verdict, ...]:
        """Say that the source has come to ``now_us``; returns the verdicts that have fallen due."""
        return self._due(self._come_to(now_us))

    def finish(self) -> tuple[Verdict, ...]:
        """Say that nothing more comes; returns the verdicts that were still open."""
        return self._judged(self._interpreter.rest())

    @property
    def now_us(self) -> int | None:
        """The latest time known. None: nothing came in yet."""
        return self._now_us

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""
        return self._tally.scorecard(self._table)

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""
        return self._table.state()

    def _come_to(self, now_us: int) -> int:
        """The latest time known, with ``now_us``: it never runs back."""
        self._now_us = now_us if self._now_us is None else max(self._now_us, now_us)
        return self._now_us

    def _due(self, now_us: int) -> tuple[Verdict, ...]:
        return self._judged(self._interpreter.news_before(now_us))

    def _take(self, observation: Observation, told_us: int) -> tuple[Verdict, ...]:
        match observation:
            case PileSeen() | CardLanded() | CardLifted():
                self._interpreter.take(observation, told_us=told_us)
                return ()
            case CardsCounted():
                return self._numbered(judge_count(self.setup, self._table, observation))
            case HandTouched() | ViewLost():
                return ()
            case _:  # pragma: no cover - mypy proves that no kind is left
                assert_never(observation)

    def _judged(self, news: tuple[PileNews, ...]) -> tuple[Verdict, ...]:
        given: tuple[Verdict, ...] = ()
        for item in news:
            given += self._numbered(judge_pile(self.setup, self._table, item))
        return given

    def _numbered(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        numbered = tuple(replace(v, verdict_id=f"v{self._given + i}") for i, v in enumerate(verdicts, 1))
        self._given += len(numbered)
        for verdict in numbered:
            self._tally.take(verdict)
        return numbered
