"""A record on disk opened again, so that people can go on reviewing it, also where its program was killed.

The record is judged again line by line; what comes out must be what stands in it, byte for byte. What a
program that was killed could not write any more (the last verdicts, the end) is added with the first review,
not before.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from api.errors import CommandError, os_error_line
from api.record_file import RecordTail
from api.records import lines_of
from referee.formats import FORMATS
from referee.logs import Log, RecordError, read_log
from referee.record import End, Entry, Note, RecordedMatch
from referee.reviews import Appeal, Resolution, Revert
from referee.verdicts import Verdict

BROKEN_OFF = "the program ended before the match; closed when it was opened again"
"""The cause that stands in the end of such a record."""


class UnfitError(Exception):
    """This can be shown but not reviewed; the message says why."""


@dataclass(frozen=True, slots=True)
class Reopened:
    """A match that goes on where its record ends."""

    log: Log
    match: RecordedMatch
    record: "MendedTail"


class MendedTail:
    """The end of a record; with the first line that is added, it gets what it lacks."""

    def __init__(self, path: Path, *, size: int, whole: int, missing: str) -> None:
        self._tail = RecordTail(path, size)
        self._whole = whole
        """Bytes of whole lines; what stands behind them is part of a line."""
        self._missing = missing

    @property
    def path(self) -> Path:
        """Where the record is."""
        return self._tail.path

    def append(self, line: str) -> None:
        """Put ``line`` on disk behind all that belongs before it; ``CommandError`` where that cannot be."""
        if self._whole < self._tail.size:
            self._tail.cut_to(self._whole)
        self._tail.append(self._missing + line)
        self._missing, self._whole = "", self._tail.size

    def held(self) -> AbstractContextManager[None]:
        """Keep other programs from adding to it meanwhile; ``HeldError`` where one keeps it."""
        return self._tail.held()

    def check(self) -> None:
        """``CommandError`` where nothing could be added now."""
        self._tail.check()

    def sync(self) -> None:
        """Nothing is left to do: what was appended is on disk."""

    def content(self) -> bytes:
        """All lines so far, and those that will be added."""
        return self._tail.content()[: self._whole] + self._missing.encode()


def reopened(path: Path, content: bytes) -> Reopened:
    """The match of the record at ``path``, which holds ``content``.

    ``UnfitError`` where it can be shown only, ``RecordError`` where it is no record.
    """
    lines = lines_of(content)
    log = read_log(lines)
    if not log.is_chained:
        raise UnfitError("it has no hashes: nothing can be added to it")
    if not FORMATS[log.version].reviews:
        raise UnfitError(f"a record of form {log.version} has no place for reviews")
    whole = lines if log.cut_line is None else lines[:-1]
    match, made = _judged_again(log)
    if not log.is_ended:
        made += match.finish(BROKEN_OFF).lines
    written = [line.decode() for line in whole]
    if made[: len(written)] != written:
        raise UnfitError("the verdicts in it are not those of its observations")
    record = MendedTail(
        path,
        size=len(content),
        whole=sum(len(line) for line in whole),
        missing="".join(made[len(written) :]),
    )
    return Reopened(log, match, record)


def taken_back(content: bytes) -> RecordedMatch:
    """The match as far as ``content`` goes, all that was written of it; ``UnfitError`` where it does not."""
    lines = lines_of(content)
    match, made = _judged_again(read_log(lines))
    if made != [line.decode() for line in lines]:
        raise UnfitError("the verdicts in it are not those of its observations")
    return match


def _judged_again(log: Log) -> tuple[RecordedMatch, list[str]]:
    """The match of ``log`` up to its last entry, and the lines that it makes."""
    match = RecordedMatch(log.header)
    made = [match.header_line]
    try:
        for place, entry in enumerate(log.entries, 1):
            made += _lines_of(match, entry, is_made=len(made) > place)
    except ValueError as error:
        raise UnfitError(f"it cannot be judged again: {error}") from None
    return match, made


def _lines_of(match: RecordedMatch, entry: Entry, *, is_made: bool) -> tuple[str, ...]:
    """The lines that follow when the match comes to ``entry``; none where its line was made before."""
    match entry.payload:
        case Verdict():
            return () if is_made else match.advance(entry.t_us).lines
        case Appeal() | Resolution() | Revert():
            return match.review(entry.payload).lines
        case Note():
            return (match.chain.note(entry.payload.text, at_us=entry.t_us, origin=entry.origin),)
        case End():
            before = match.advance(entry.t_us)
            return (*before.lines, *match.finish(entry.payload.cause).lines)
        case _:
            return match.observe(entry.payload, at_us=entry.t_us).lines


def read_content(path: Path) -> bytes:
    """What stands in the file; ``CommandError`` where it cannot be read. A pipe has no end to add to."""
    try:
        if path.is_fifo():
            raise CommandError(f"{path}: a pipe (want a file)")
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read the record: {os_error_line(error)}") from None


__all__ = [
    "BROKEN_OFF",
    "MendedTail",
    "RecordError",
    "Reopened",
    "UnfitError",
    "read_content",
    "reopened",
    "taken_back",
]
