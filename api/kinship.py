"""Which verdicts speak of the same play: where one has no clip of its own, another's shows that play."""

from collections.abc import Iterable
from dataclasses import dataclass

from api.schemas import VerdictOut
from referee.clock import Interval
from referee.proceedings import Ruled


@dataclass(frozen=True, slots=True)
class Spoken:
    """A verdict by what it speaks of."""

    verdict_id: str
    entries: tuple[int, ...]
    replaced_by: tuple[str, ...]
    touches: tuple[Interval, ...]


def spoken_of(ruled: Ruled) -> Spoken:
    """The same of the referee's own value."""
    touches = tuple(play.touch for play in ruled.verdict.event.plays)
    return Spoken(ruled.verdict.verdict_id, ruled.entries, ruled.now, touches)


def spoken_in(verdict: VerdictOut) -> Spoken:
    """The same of what displays are told."""
    touches = tuple(Interval(play.touch.start_us, play.touch.end_us) for play in verdict.plays)
    return Spoken(verdict.verdict_id, verdict.entries, verdict.replaced_by, touches)


def akin_to(verdict_id: str, given: Iterable[Spoken]) -> tuple[str, ...]:
    """``verdict_id``, then the verdicts about the same plays, those that it answers first.

    A ruling, a correction and a reversal speak of the entries that the verdict before them spoke of; what was
    only told by a person has no entries, but the touch times of what it answers.
    """
    verdicts = list(given)
    own = next((each for each in verdicts if each.verdict_id == verdict_id), None)
    if own is None:
        return (verdict_id,)
    chain = [own, *_answered_by(own, verdicts)]
    named = {each.verdict_id for each in chain}
    same = [each for each in verdicts if each.verdict_id not in named and _is_of_same(own, each)]
    return tuple(each.verdict_id for each in (*chain, *reversed(same)))


def _answered_by(own: Spoken, verdicts: list[Spoken]) -> list[Spoken]:
    """The verdicts in place of which ``own`` holds, newest first, and those in place of which they held."""
    found: dict[str, Spoken] = {}
    waiting = [own]
    while waiting:
        now = waiting.pop(0)
        before = [each for each in reversed(verdicts) if now.verdict_id in each.replaced_by]
        new = [each for each in before if each is not own and each.verdict_id not in found]
        found.update({each.verdict_id: each for each in new})
        waiting += new
    return list(found.values())


def _is_of_same(own: Spoken, other: Spoken) -> bool:
    return not set(own.entries).isdisjoint(other.entries) or (
        own.touches != () and not set(own.touches).isdisjoint(other.touches)
    )
