"""How a fold went: what it gave, and how it stood on the way, so that a correction folds only what follows.

What a person puts right changes nothing of what was ruled before the entry that it is about. A mark is the
whole of a fold after so many observations; a fold with other corrections begins at the last mark before the
first entry that they differ in. It comes to the same as a fold from the start.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from referee.observations import Observation, known_us
from referee.shelf import Entered

MARK_EVERY = 4_096
"""Observations between two marks: some 1,000 plays, which are folded in a fifth of a second. A mark takes
30 ms and some 400 kB."""

_Given = TypeVar("_Given")
_State = TypeVar("_State")


@dataclass(frozen=True, slots=True)
class Corrections:
    """All by which a fold differs from what was told."""

    facts: Mapping[int, Observation | None] = field(default_factory=dict)
    """What holds instead of an entry. None: it did not happen."""
    taken_back: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()
    """Entries of plays that do not count because a person ruled so."""
    insisted: frozenset[int] = frozenset()
    """Entries of plays that stand because a person ruled so."""
    missed: tuple[Entered, ...] = ()
    """What the cameras missed, by time."""

    def first_difference(self, other: "Corrections") -> int | None:
        """The first entry of which both say something else. None: there is none."""
        either = self.facts.keys() | other.facts.keys()
        entries = {e for e in either if self._said(e) != other._said(e)}  # noqa: SLF001 - of its own kind
        entries |= self.taken_back ^ other.taken_back
        entries |= (self.lost ^ other.lost) | (self.insisted ^ other.insisted)
        return min(entries, default=None)

    def first_missed_otherwise_us(self, other: "Corrections") -> int | None:
        """When the first thing was missed of which only one of both knows. None: there is none."""
        differing = [each for each in self.missed if each not in other.missed]
        differing += [each for each in other.missed if each not in self.missed]
        return min((known_us(each.observation) for each in differing), default=None)

    def _said(self, entry: int) -> tuple[bool, Observation | None]:
        return entry in self.facts, self.facts.get(entry)


@dataclass(frozen=True, slots=True)
class Mark:
    """A fold as it stood."""

    told: int
    """How many observations were told by then, and the number and time of the newest."""
    entry: int
    newest_us: int
    given: int
    """How many verdicts were given by then."""
    state: bytes


@dataclass(slots=True)
class Trail(Generic[_Given, _State]):
    """How one fold went, as long as it goes on."""

    corrections: Corrections = field(default_factory=Corrections)
    given: list[_Given] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    told: int = 0
    is_open: bool = True
    """Whether more marks can be set: what goes on live is just what a fold from the start would do."""

    def branch(self, corrections: Corrections) -> tuple["Trail[_Given, _State]", Mark | None]:
        """The trail of a fold with other ``corrections``, and the mark where it begins. None: the start."""
        marks = [mark for mark in self.marks if self._holds(mark, corrections)]
        last = marks[-1] if marks else None
        given = [] if last is None else self.given[: last.given]
        return Trail(corrections, given, marks, 0 if last is None else last.told), last

    def step(self, entry: int, newest_us: int | None, state: _State) -> None:
        """One more observation was told; ``state`` is all that the fold needs to go on.

        ``newest_us``: None where nothing that was told so far holds.
        """
        self.told += 1
        if not self.is_open or newest_us is None or self.told % MARK_EVERY:
            return
        packed = pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
        self.marks.append(Mark(self.told, entry, newest_us, len(self.given), packed))

    def _holds(self, mark: Mark, corrections: Corrections) -> bool:
        """Whether a fold with ``corrections`` would stand at ``mark`` just as this one did."""
        entry = self.corrections.first_difference(corrections)
        missed_us = self.corrections.first_missed_otherwise_us(corrections)
        return (entry is None or mark.entry < entry) and (missed_us is None or mark.newest_us < missed_us)


def state_of(mark: Mark) -> object:
    """What a fold needs to go on from ``mark``; a copy of its own."""
    return pickle.loads(mark.state)  # noqa: S301 - packed by ``Trail.step``, and never out of this memory


def is_after(mark: Mark | None, missed: Sequence[Entered]) -> list[Entered]:
    """What was missed and is not told yet at ``mark``."""
    return [each for each in missed if mark is None or known_us(each.observation) > mark.newest_us]
