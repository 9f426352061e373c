"""Which rules judge which game: what the referee asks of a game, and where it finds it."""

from typing import Protocol, assert_never

from referee.california.judge import CaliforniaMatch
from referee.interpret import Pending
from referee.nerts.judge import NertsJudge
from referee.observations import CardsCounted, Observation
from referee.score import Scorecard
from referee.setup import Game, MatchSetup
from referee.speed.judge import SpeedMatch
from referee.spit.judge import SpitMatch
from referee.spit.timeline import SisterJudge
from referee.table import TableState
from referee.tellings import BacksCounted
from referee.verdicts import Verdict


class GameJudge(Protocol):
    """The rules of one game over one match. Keeps the match's state; no clock, no I/O.

    Verdicts come out in an order that depends on times and places at the table only, never on the order in
    which observations of the same moment were taken in.
    """

    def take(self, observation: Observation, told_us: int) -> None:
        """Take in an observation that was told at ``told_us``."""

    def due(self, now_us: int) -> tuple[Verdict, ...]:
        """The verdicts whose time ran out before ``now_us``."""

    def rest(self) -> tuple[Verdict, ...]:
        """Every verdict that is still open: nothing more comes."""

    def answer(self, verdict: Verdict) -> None:
        """Count what a person ruled in answer to the verdict just given on the same event.

        The pile is told as it then lies, by a ``PileLaid`` that follows.
        """

    def most_cards(self, counted: CardsCounted | BacksCounted) -> int:
        """How many cards can be where ``counted`` was, whatever was seen: more were never there."""

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Touches that are seen and not ruled on yet (E7)."""

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""


def judge_for(setup: MatchSetup) -> GameJudge:
    """The rules of the game that is played, at the start of a match."""
    match setup.game:
        case Game.NERTS:
            return NertsJudge(setup)
        case Game.SPIT:
            return SisterJudge(setup, SpitMatch(setup))
        case Game.SPEED:
            return SisterJudge(setup, SpeedMatch(setup))
        case Game.CALIFORNIA_SPEED:
            return SisterJudge(setup, CaliforniaMatch(setup))
        case _:  # pragma: no cover - mypy proves that no game is left
            assert_never(setup.game)
