"""The record of a match: JSON lines in a SHA-256 chain, as it is written.

The first line is the header; each further line is an entry whose ``hash`` is taken over the rest of the line
and whose ``prev_hash`` is the hash of the line before. A changed, missing or moved line is therefore found,
and so is any other way of writing the same line, since only the canonical one is accepted. Lines are handed
out as text with their line end; files must be written and read without translating it (``open(path, "rb")``).
"""

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

from referee.acts import ActIndex
from referee.codec import Json, canonical, encode, kind_of
from referee.observations import Observation, is_told, known_us
from referee.proceedings import Consequence, Proceedings
from referee.referee import Referee, refuse_faults
from referee.reviews import Appeal, Resolution, Revert, Review, id_of
from referee.setup import MatchSetup
from referee.verdicts import Verdict

FORMAT = 2
"""Version of the record's form, as it is written; ``referee.formats`` says what each version holds."""

REVIEW_KINDS: dict[type[Review], str] = {Appeal: "appeal", Resolution: "resolution", Revert: "revert"}
"""The name under which each kind of review is written."""


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
    table_sha256: str = ""
    """Of the table file: zones and calibration. Empty: there was none."""
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


Payload = Observation | Verdict | Review | Note | End


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
    _acts: ActIndex = field(default_factory=ActIndex)
    _seq_of: dict[str, int] = field(default_factory=dict)
    """Of verdicts and reviews, by their ids."""

    def __post_init__(self) -> None:
        body: dict[str, Json] = {"format": FORMAT, "kind": "header", **encode(self.header)}
        self._prev_hash = hash_of(body)
        self.header_line = _line(body, self._prev_hash)

    @property
    def seq(self) -> int:
        """The number of the newest entry; 0 before the first."""
        return self._seq

    def continue_after(self, entries: tuple[Entry, ...]) -> None:
        """Go on after the ``entries`` of a record that has this header."""
        for entry in entries:
            self._remember(entry.seq, entry.payload)
        if entries:
            self._seq, self._t_us, self._prev_hash = entries[-1].seq, entries[-1].t_us, entries[-1].hash

    def observation(self, observation: Observation, *, at_us: int | None = None) -> str:
        """The line of ``observation``, told at ``at_us``; by default at the earliest that it can be."""
        known = known_us(observation)
        t_us = known if at_us is None else max(at_us, known)
        origin = Origin.PERSON if is_told(observation) else Origin.VISION
        line = self._entry(kind_of(observation), encode(observation), origin, t_us)
        self._remember(self._seq, observation)
        return line

    def verdict(
        self, verdict: Verdict, *, at_us: int | None = None, caused_by: tuple[int, ...] | None = None
    ) -> str:
        """The line of ``verdict``, with the entries that it follows from; by default those it speaks of."""
        causes = self._acts.entries_of(verdict.event) if caused_by is None else caused_by
        line = self._entry("verdict", encode(verdict), Origin.REFEREE, at_us, causes)
        self._remember(self._seq, verdict)
        return line

    def review(self, review: Review, *, at_us: int | None = None) -> str:
        """The line of an appeal, a resolution or a revert."""
        t_us = review.at_us if at_us is None else max(at_us, review.at_us)
        causes = self._causes_of(review)
        line = self._entry(REVIEW_KINDS[type(review)], encode(review), Origin.PERSON, t_us, causes)
        self._remember(self._seq, review)
        return line

    def note(self, text: str, *, at_us: int | None = None, origin: Origin = Origin.PROGRAM) -> str:
        """The line of a note."""
        return self._entry("note", encode(Note(text)), origin, at_us)

    def end(self, cause: str, *, at_us: int | None = None) -> str:
        """The last line, written when the source had come to ``at_us``."""
        return self._entry("end", encode(End(cause)), Origin.PROGRAM, at_us)

    def _remember(self, seq: int, payload: Payload) -> None:
        match payload:
            case Note() | End():
                pass
            case Verdict():
                self._seq_of[payload.verdict_id] = seq
            case Appeal() | Resolution() | Revert():
                self._seq_of[id_of(payload)] = seq
            case _:
                self._acts.add(seq, payload)

    def _causes_of(self, review: Review) -> tuple[int, ...]:
        if isinstance(review, Revert):
            return (review.entry,)
        names = (review.verdict_id, review.appeal_id if isinstance(review, Resolution) else None)
        return tuple(sorted(self._seq_of[name] for name in names if name in self._seq_of))

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
    """A match whose observations, verdicts and reviews all become lines of a record; a replay is exact."""

    def __init__(self, header: RecordHeader) -> None:
        self.proceedings = Proceedings(header.setup)
        self.chain = RecordChain(header)

    @property
    def referee(self) -> Referee:
        """The referee by whom all that holds is judged: its score, its table, its pending touches."""
        return self.proceedings.referee

    @property
    def header_line(self) -> str:
        """The record's first line."""
        return self.chain.header_line

    def observe(self, observation: Observation, *, at_us: int | None = None) -> Judged:
        """Judge one observation; ``at_us`` is the time of the frame with which it came.

        After the end only counts can be told; ``ObservationError`` says so of others.
        """
        refuse_faults(self.proceedings.setup, observation)
        if self.proceedings.is_finished:
            return self._count_late(observation)
        known = known_us(observation)
        before = self.advance(known if at_us is None else max(at_us, known))
        now_us = self.referee.now_us
        line = self.chain.observation(observation, at_us=now_us)
        verdicts = self.proceedings.observe(observation, at_us=now_us, entry=self.chain.seq)
        lines = tuple(self._line_of(verdict) for verdict in verdicts)
        return Judged((*before.lines, line, *lines), before.verdicts + verdicts)

    def advance(self, now_us: int) -> Judged:
        """Say that the source has come to ``now_us``: verdicts that wait for a window may fall due."""
        verdicts = self.proceedings.advance(now_us)
        return Judged(tuple(self._line_of(verdict) for verdict in verdicts), verdicts)

    def finish(self, cause: str) -> Judged:
        """Close the match and the record; ``cause`` says why in a few words. Reviews may still follow."""
        verdicts = self.proceedings.finish()
        lines = tuple(self._line_of(verdict) for verdict in verdicts)
        return Judged((*lines, self.chain.end(cause, at_us=self.referee.now_us)), verdicts)

    def _count_late(self, observation: Observation) -> Judged:
        """Enter a count that is told after the end, and what the referee rules otherwise by it."""
        verdicts = self.proceedings.observe(observation, entry=self._next_entry)
        line = self.chain.observation(observation, at_us=self.referee.now_us)
        entry = self.chain.seq
        lines = tuple(self._line_of(verdict, after=entry) for verdict in verdicts)
        return Judged((line, *lines), verdicts)

    def what_if_counted(self, observation: Observation) -> Consequence:
        """What a count after the end would change, were it entered now."""
        return self.proceedings.what_if_counted(observation)

    def review(self, review: Review) -> Judged:
        """Enter an appeal, a resolution or a revert; ``ReviewError`` says why it cannot be.

        What the referee rules otherwise by it comes as new verdicts.
        """
        before = Judged((), ()) if self.proceedings.is_finished else self.advance(review.at_us)
        verdicts = self.proceedings.review(review, entry=self._next_entry)
        line = self.chain.review(review, at_us=self.referee.now_us)
        entry = self.chain.seq
        lines = tuple(self._line_of(verdict, after=entry) for verdict in verdicts)
        return Judged((*before.lines, line, *lines), before.verdicts + verdicts)

    def what_if(self, review: Review) -> Consequence:
        """What ``review`` would change, were it entered now."""
        return self.proceedings.what_if(review, entry=self._next_entry)

    @property
    def _next_entry(self) -> int:
        return self.chain.seq + 1

    def _line_of(self, verdict: Verdict, after: int | None = None) -> str:
        """The line of ``verdict``, which follows from the review ``after`` beside what it is about."""
        about = self.proceedings.entries_of(verdict)
        causes = about if after is None else tuple(sorted({*about, after}))
        return self.chain.verdict(verdict, at_us=self.referee.now_us, caused_by=causes)


def hash_of(body: dict[str, Json]) -> str:
    """The SHA-256 of a line without its hash, in hex."""
    return hashlib.sha256(canonical(body).encode("ascii")).hexdigest()


def _line(body: dict[str, Json], digest: str) -> str:
    return canonical({**body, "hash": digest}) + "\n"
