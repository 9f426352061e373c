"""Matches typed in the notation, for tests: four players at 60 frames a second with a clock of grade A."""

from collections.abc import Iterable
from dataclasses import dataclass

from referee.clock import ClockGrade
from referee.notation import Said, TypedGame, Wait, read_steps
from referee.notation_words import Names
from referee.observations import Observation
from referee.piles import Seat
from referee.referee import Referee
from referee.score import Scorecard
from referee.setup import MatchSetup, SeatSetup
from referee.verdicts import Verdict

PLAYERS = {Seat.SOUTH: "Ana", Seat.NORTH: "Ben", Seat.EAST: "Cy", Seat.WEST: "Dot"}
FRAME_US = 16_667


def setup(**changes: object) -> MatchSetup:
    """The match of these tests, with ``changes``."""
    fields: dict[str, object] = {
        "match_id": "friday",
        "seats": tuple(SeatSetup(seat=seat, player=name) for seat, name in PLAYERS.items()),
        "frame_period_us": FRAME_US,
        "clock_grade": ClockGrade.A,
    }
    return MatchSetup(**(fields | changes))


def typed(text: str, match: MatchSetup | None = None) -> TypedGame:
    """The steps that ``text`` tells, in ``match``."""
    played = setup() if match is None else match
    return TypedGame(played, read_steps(enumerate(text.splitlines(), 1), Names(played)))


def steps(text: str) -> tuple[Observation, ...]:
    """The observations that ``text`` tells, one a line."""
    return typed(text).observations


def step(line: str) -> Observation:
    """The observation that one line tells."""
    (observation,) = steps(line)
    return observation


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the referee made of a match."""

    verdicts: tuple[Verdict, ...]
    scorecard: Scorecard
    referee: Referee

    @property
    def rulings(self) -> list[str]:
        """``LEGAL N25`` and so on, one for each verdict."""
        return [f"{verdict.ruling} {verdict.rule}" for verdict in self.verdicts]


def judged(told: str | Iterable[Observation], match: MatchSetup | None = None) -> Outcome:
    """Let a new referee judge ``told`` to the end."""
    played = setup() if match is None else match
    game_steps = typed(told, played).steps if isinstance(told, str) else [Said(each) for each in told]
    referee = Referee(played)
    verdicts: list[Verdict] = []
    for each in game_steps:
        if isinstance(each, Wait):
            verdicts.extend(referee.advance(each.until_us))
        else:
            verdicts.extend(referee.observe(each.observation, at_us=each.at_us))
    verdicts.extend(referee.finish())
    return Outcome(tuple(verdicts), referee.scorecard, referee)


def said(verdict: Verdict) -> str:
    """A verdict in a few words: ``FIRST N15 keeps south/5H returns north/5H``."""
    words = [str(verdict.ruling), str(verdict.rule)]
    for name, plays in (("keeps", verdict.stands), ("returns", verdict.goes_back)):
        if plays:
            words += [name, *(f"{play.seat}/{play.card}" for play in plays)]
    return " ".join(words)
