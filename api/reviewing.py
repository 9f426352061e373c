"""Reviews entered into a closed record on disk: the file is only ever added to."""

import os
from pathlib import Path

from api.errors import CommandError, os_error_line
from api.records import open_log
from referee.logs import RecordError
from referee.record import RecordedMatch
from referee.referee import ObservationError
from referee.replay import resumed
from referee.reviews import Appeal, Resolution, Review, ReviewError
from referee.verdicts import Verdict


class ReviewedRecord:
    """A closed record to which people add."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size = path.stat().st_size if path.is_file() else 0
        log = open_log(path)
        try:
            self.match: RecordedMatch = resumed(log)
        except RecordError as error:
            raise CommandError(f"{path}: {error}") from None
        self.at_us = log.entries[-1].t_us
        """The time that the source had come to: reviews have no clock of their own."""

    def next_id(self, kind: type[Review]) -> str:
        """The next free name for a review of this kind."""
        letter = {Appeal: "a", Resolution: "r"}.get(kind, "u")
        reviews = self.match.proceedings.reviews.values()
        return f"{letter}{1 + sum(type(review) is kind for review in reviews)}"

    def enter(self, review: Review) -> tuple[Verdict, ...]:
        """Add ``review`` and what follows from it; the new verdicts."""
        try:
            judged = self.match.review(review)
        except (ReviewError, ObservationError) as error:
            raise CommandError(f"{self.path}: {error}") from None
        self._append("".join(judged.lines).encode())
        return judged.verdicts

    def _append(self, content: bytes) -> None:
        """All of ``content`` behind what was read, or nothing."""
        try:
            with self.path.open("r+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END) != self._size:
                    raise CommandError(f"{self.path}: it was added to while it was read; try again")
                written = 0
                try:
                    while written < len(content):
                        written += file.write(memoryview(content)[written:]) or 0
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(self._size)
                    raise
        except OSError as error:
            raise CommandError(f"cannot add to the record: {os_error_line(error)}") from None
        self._size += len(content)
