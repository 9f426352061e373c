"""What a person ruled in answer to a verdict, as the table then stands."""

from dataclasses import replace

from referee.events import CardMoved
from referee.nerts.match import Match
from referee.table import Foundation, Step, is_foundation
from referee.verdicts import Verdict


def follow(match: Match, verdict: Verdict) -> None:
    """Count the cards that a person let stand; the next card goes on the last of them."""
    match.tally.take(verdict)
    for play in verdict.stands:
        if is_foundation(play.target):
            foundation = match.table.foundation(play.target)
            match.table.foundations[play.target] = _standing(foundation, play)


def _standing(foundation: Foundation, play: CardMoved) -> Foundation:
    """``foundation`` with ``play`` on it: as a place of its own, or beside the equal card on top."""
    foundation = foundation.without(play)
    last = foundation.steps[-1] if foundation.steps else None
    if last is None or play.face not in foundation.bases:
        return foundation.filled(Step(foundation.top, (play,)))
    if play in last.plays:
        return foundation
    both = replace(last, plays=(*last.plays, play), is_open=False)
    return replace(foundation, steps=(*foundation.steps[:-1], both))
