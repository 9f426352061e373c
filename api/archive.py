"""What is kept of a match: its record and what follows from it, whether people still write into it or not."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from api.errors import CommandError, os_error_line
from referee.proceedings import Proceedings
from referee.record import RecordHeader

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Kept:
    """A match as its record has it."""

    header: RecordHeader
    proceedings: Proceedings

    @property
    def told(self) -> tuple[object, ...]:
        """All but what was seen: how it was set up, whatever it is called, then what people added.

        Of two records of what was seen once, this tells whether one goes on where the other ends.
        """
        return (replace(self.header.setup, match_id=""), *self.proceedings.added)


class Archive(Protocol):
    """Where the record of a match is read, and what follows from it."""

    @property
    def is_on_disk(self) -> bool:
        """Whether a record is kept."""
        ...

    @property
    def why_only_shown(self) -> str:
        """Why nothing can be entered. Empty: it can."""
        ...

    @property
    def why_no_case(self) -> str:
        """Why nothing of it can be taken away to be checked. Empty: it can."""
        ...

    def record_bytes(self) -> bytes:
        """The record so far: whole lines."""
        ...

    def read(self, read: Callable[[Kept], _Value]) -> _Value:
        """What ``read`` finds in the match, while nothing is written into it."""
        ...


class ShownRecord:
    """A record on disk into which nobody writes, with what this program makes of it."""

    is_on_disk = True

    def __init__(self, path: Path, size: int, kept: Kept, *, why: str, is_chained: bool) -> None:
        self._path = path
        self._size = size
        self._kept = kept
        self.why_only_shown = why
        self.why_no_case = "" if is_chained else "this record has no hashes: nobody could check what is taken"

    def record_bytes(self) -> bytes:
        """The whole lines that were read; ``CommandError`` where they cannot be read again."""
        try:
            with self._path.open("rb") as file:
                return file.read(self._size)
        except OSError as error:
            raise CommandError(f"cannot read the record: {os_error_line(error)}") from None

    def read(self, read: Callable[[Kept], _Value]) -> _Value:
        """What ``read`` finds in the match."""
        return read(self._kept)
