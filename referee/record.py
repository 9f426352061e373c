"""The record of a match: JSON lines in a SHA-256 chain, as it is written.

The first line is the header; each further line is an entry whose ``hash`` is taken over the rest of the line
and whose ``prev_hash`` is the hash of the line before. A changed, missing or moved line is therefore found,
and so is any other way of writing the same line, since only the canonical one is accepted. Lines are handed
out as text with their line end; files must be written and read without translating it (``open(path, "rb")``).
"""

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

from referee.codec import Json, canonical, encode, kind_of
from referee.events import CardMoved, CardsTold, Event, Happened, PileRemoved
from referee.observations import CardLanded, CardsCounted, Observation, PileSeen, is_told, known_us
from referee.referee import Referee, refuse_faults
from referee.setup import MatchSetup
from referee.verdicts import Verdict

FORMAT = 2
"""Version of the record's form, as it is written."""
FORMATS = (1, 2)
"""The versions that are read. Version 1 has fewer kinds of observation, and of a reason the sentence only."""


class Origin(StrEnum):
    """Who says what an entry says."""

    VISION = "vision"
    REFEREE = "referee"
    PERSON = "person"
    PROGRAM = "program"


@dataclass(frozen=True, slots=True)
class ModelHash:
    """Which model read the pictures."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHeader:
    """All that does not change while the match runs."""

    setup: MatchSetup
    table: str = ""
    """The table's id."""
    source: str = ""
    """The source's id: camera or file."""
    camera: str = ""
    """How the camera looks at the table, in words or numbers for a person."""
    models: tuple[ModelHash, ...] = ()
    program: str = ""
    """Name and version of the program that wrote the record."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a person who reads the record should know; it changes nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class End:
    """The record was closed on purpose; without it the last lines may be missing."""

    cause: str


Payload = Observation | Verdict | Note | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a record after the header."""

    seq: int
    """1, 2, ..."""
    kind: str
    payload: Payload
    origin: Origin
    caused_by: tuple[int, ...]
    """Entries that this one follows from."""
    t_us: int
    """The time that the source had come to."""
    prev_hash: str
    hash: str


@dataclass(slots=True)
class RecordChain:
    """Makes the lines of one record, each ready to be appended to the file. Does no I/O."""

    header: RecordHeader
    header_line: str = field(init=False)
    """The first line."""
    _prev_hash: str = field(init=False)
    _seq: int = 0
    _t_us: int | None = None
    _seq_of: dict[object, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        body: dict[str, Json] = {"format": FORMAT, "kind": "header", **encode(self.header)}
        self._prev_hash = hash_of(body)
        self.header_line = _line(body, self._prev_hash)

    def observation(self, observation: Observation, *, at_us: int | None = None) -> str:
        """The line of ``observation``, told at ``at_us``; by default at the earliest that it can be."""
        known = known_us(observation)
        t_us = known if at_us is None else max(at_us, known)
        origin = Origin.PERSON if is_told(observation) else Origin.VISION
        line = self._entry(kind_of(observation), encode(observation), origin, t_us)
        self._seq_of[_key_of_observation(observation)] = self._seq
        return line

    def verdict(self, verdict: Verdict, *, at_us: int | None = None) -> str:
        """The line of ``verdict``, which says which entries it follows from."""
        causes = tuple(sorted({seq for key in _keys_of_event(verdict.event) for seq in self._seqs(key)}))
        return self._entry("verdict", encode(verdict), Origin.REFEREE, at_us, causes)

    def note(self, text: str, *, at_us: int | None = None, origin: Origin = Origin.PROGRAM) -> str:
        """The line of a note."""
        return self._entry("note", encode(Note(text)), origin, at_us)

    def end(self, cause: str, *, at_us: int | None = None) -> str:
        """The last line, written when the source had come to ``at_us``."""
        return self._entry("end", encode(End(cause)), Origin.PROGRAM, at_us)

    def _seqs(self, key: object) -> tuple[int, ...]:
        seq = self._seq_of.get(key)
        return () if seq is None else (seq,)

    def _entry(
        self,
        kind: str,
        payload: dict[str, Json],
        origin: Origin,
        t_us: int | None,
        caused_by: tuple[int, ...] = (),
    ) -> str:
        """The next line. Times never run back: an earlier ``t_us``, or None, is that of the line before."""
        self._seq += 1
        known = [t for t in (self._t_us, t_us) if t is not None]
        self._t_us = max(known, default=0)
        body: dict[str, Json] = {
            "seq": self._seq,
            "kind": kind,
            "payload": payload,
            "origin": origin.value,
            "caused_by": list(caused_by),
            "t_us": self._t_us,
            "prev_hash": self._prev_hash,
        }
        self._prev_hash = hash_of(body)
        return _line(body, self._prev_hash)


@dataclass(frozen=True, slots=True)
class Judged:
    """What one step of a match gave: lines for the record, in order, and the verdicts among them."""

    lines: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


class RecordedMatch:
    """A referee whose observations and verdicts all become lines of a record, so that a replay is exact."""

    def __init__(self, header: RecordHeader) -> None:
        self.referee = Referee(header.setup)
        self.chain = RecordChain(header)

    @property
    def header_line(self) -> str:
        """The record's first line."""
        return self.chain.header_line

    def observe(self, observation: Observation, *, at_us: int | None = None) -> Judged:
        """Judge one observation; ``at_us`` is the time of the frame with which it came."""
        refuse_faults(self.referee.setup, observation)
        known = known_us(observation)
        before = self.advance(known if at_us is None else max(at_us, known))
        line = self.chain.observation(observation, at_us=self.referee.now_us)
        verdicts = self.referee.observe(observation, at_us=self.referee.now_us)
        lines = tuple(self._line_of(verdict) for verdict in verdicts)
        return Judged((*before.lines, line, *lines), before.verdicts + verdicts)

    def advance(self, now_us: int) -> Judged:
        """Say that the source has come to ``now_us``: verdicts that wait for a window may fall due."""
        verdicts = self.referee.advance(now_us)
        return Judged(tuple(self._line_of(verdict) for verdict in verdicts), verdicts)

    def finish(self, cause: str) -> Judged:
        """Close the match and the record; ``cause`` says why in a few words."""
        verdicts = self.referee.finish()
        lines = tuple(self._line_of(verdict) for verdict in verdicts)
        return Judged((*lines, self.chain.end(cause, at_us=self.referee.now_us)), verdicts)

    def _line_of(self, verdict: Verdict) -> str:
        return self.chain.verdict(verdict, at_us=self.referee.now_us)


def hash_of(body: dict[str, Json]) -> str:
    """The SHA-256 of a line without its hash, in hex."""
    return hashlib.sha256(canonical(body).encode("ascii")).hexdigest()


def _line(body: dict[str, Json], digest: str) -> str:
    return canonical({**body, "hash": digest}) + "\n"


def _key_of_observation(observation: Observation) -> object:
    """By which a verdict finds the observation again."""
    match observation:
        case CardLanded():
            return (observation.pile, observation.touch, observation.card, observation.seat)
        case PileSeen():
            return (observation.pile, observation.seen)
        case CardsCounted():
            return (observation.pile, observation.count, observation.at_us)
        case _:
            return observation


def _keys_of_event(event: Event) -> tuple[object, ...]:
    if isinstance(event, PileRemoved):
        return ((event.pile, event.seen),)
    if isinstance(event, CardsTold):
        return ((event.pile, event.count, event.at_us),)
    causes = event.causes if isinstance(event, Happened) else ()
    return (*(_key_of_observation(o) for o in causes), *(_key_of_play(play) for play in event.plays))


def _key_of_play(play: CardMoved) -> object:
    return (play.target, play.touch, play.card, play.seat)
