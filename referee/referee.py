"""The referee: observations in, verdicts out, the score at any time."""

from dataclasses import replace

from referee.clocks import ClockWatch
from referee.games import judge_for
from referee.interpret import Pending
from referee.observations import CardsCounted, Observation, fault_in, known_us
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.table import TableState
from referee.tellings import BacksCounted
from referee.verdicts import Verdict


class ObservationError(ValueError):
    """An observation that cannot be meant, or that is of another match."""


def refuse_faults(setup: MatchSetup, observation: Observation) -> None:
    """Raise ``ObservationError`` if ``observation`` cannot be meant in a match of ``setup``."""
    fault = fault_in(observation) or setup.fault_in_names(observation)
    if fault is not None:
        raise ObservationError(fault)


class Referee:
    """A fold over observations: the same observations give the same verdicts, live or replayed.

    A verdict is given once, when its collection window closes: at the first observation, or call of
    ``advance``, with a later time. Observations that became known at the same time may come in any order.
    """

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self._clocks = ClockWatch()
        self._judge = judge_for(setup)
        self._now_us: int | None = None
        self._given = 0

    def observe(self, observation: Observation, *, at_us: int | None = None) -> tuple[Verdict, ...]:
        """Take in one observation; what is returned are the verdicts that fell due before it.

        ``at_us`` is the time of the frame with which it came; by default the earliest that it can have been.
        Raises ``ObservationError`` for one that cannot be meant.
        """
        refuse_faults(self.setup, observation)
        return self.observe_checked(observation, at_us=at_us)

    def observe_checked(self, observation: Observation, *, at_us: int | None = None) -> tuple[Verdict, ...]:
        """The same, for an observation that can be meant: it was checked when it was told."""
        known = known_us(observation)
        now_us = self._come_to(known if at_us is None else max(at_us, known))
        given = self._numbered(self._judge.due(now_us))
        self._judge.take(self._clocks.corrected(observation), now_us)
        return given

    def advance(self, now_us: int) -> tuple[Verdict, ...]:
        """Say that the source has come to ``now_us``; returns the verdicts that have fallen due."""
        return self._numbered(self._judge.due(self._come_to(now_us)))

    def finish(self) -> tuple[Verdict, ...]:
        """Say that nothing more comes; returns the verdicts that were still open."""
        return self._numbered(self._judge.rest())

    def answer(self, verdict: Verdict) -> None:
        """Count what a person ruled in answer to the verdict just given on the same event."""
        self._judge.answer(verdict)

    @property
    def now_us(self) -> int | None:
        """The latest time known. None: nothing came in yet."""
        return self._now_us

    def most_cards(self, counted: CardsCounted | BacksCounted) -> int:
        """How many cards can be where ``counted`` was, whatever was seen: more were never there."""
        return self._judge.most_cards(counted)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Touches to be shown at once: seen, and ruled on when their window closes (E7)."""
        return self._judge.pending

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""
        return self._judge.scorecard

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""
        return self._judge.table

    def _come_to(self, now_us: int) -> int:
        """The latest time known, with ``now_us``: it never runs back."""
        self._now_us = now_us if self._now_us is None else max(self._now_us, now_us)
        return self._now_us

    def _numbered(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        numbered = tuple(replace(v, verdict_id=f"v{self._given + i}") for i, v in enumerate(verdicts, 1))
        self._given += len(numbered)
        return numbered
