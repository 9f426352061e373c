"""Replay: the observations of a log judged again."""

from dataclasses import dataclass

from referee.codec import canonical, encode
from referee.logs import Log
from referee.referee import Referee
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Replay:
    """What the referee says of a log."""

    verdicts: tuple[Verdict, ...]
    scorecard: Scorecard


def replay(log: Log, *, setup: MatchSetup | None = None) -> Replay:
    """Judge the observations of ``log`` again; ``setup`` in place of the log's own asks "what if"."""
    referee = Referee(log.header.setup if setup is None else setup)
    verdicts: list[Verdict] = []
    for timed in log.observations:
        verdicts.extend(referee.observe(timed.observation, at_us=timed.at_us))
    verdicts.extend(referee.finish())
    return Replay(tuple(verdicts), referee.scorecard)


def first_difference(log: Log, replayed: Replay) -> str | None:
    """Where the verdicts in ``log`` and those of its replay part, in a few words; None if nowhere.

    A record that was stopped may lack the last verdicts.
    """
    written = [canonical(encode(verdict)) for verdict in log.verdicts]
    said = [canonical(encode(verdict)) for verdict in replayed.verdicts]
    for i, (one, other) in enumerate(zip(written, said, strict=False)):
        if one != other:
            return f"{log.verdicts[i].verdict_id} is written as {one} but replays as {other}"
    if len(written) > len(said) or (log.is_ended and len(written) < len(said)):
        return f"{len(written)} verdicts are written but {len(said)} replay"
    return None
