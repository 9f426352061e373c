"""Reviews entered into a closed record on disk: the file is only ever added to."""

from pathlib import Path

from api.errors import CommandError
from api.record_file import RecordTail
from api.records import open_log
from referee.logs import RecordError
from referee.proceedings import Proceedings
from referee.record import RecordedMatch
from referee.referee import ObservationError
from referee.replay import resumed
from referee.reviews import Appeal, Resolution, Review, ReviewError
from referee.verdicts import Verdict


class ReviewedRecord:
    """A closed record to which people add."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tail = RecordTail(path, path.stat().st_size if path.is_file() else 0)
        log = open_log(path)
        try:
            self.match: RecordedMatch = resumed(log)
        except RecordError as error:
            raise CommandError(f"{path}: {error}") from None
        self.at_us = log.entries[-1].t_us
        """The time that the source had come to: reviews have no clock of their own."""

    def next_id(self, kind: type[Review]) -> str:
        """The next free name for a review of this kind."""
        return next_id(self.match.proceedings, kind)

    def enter(self, review: Review) -> tuple[Verdict, ...]:
        """Add ``review`` and what follows from it; the new verdicts."""
        try:
            judged = self.match.review(review)
        except (ReviewError, ObservationError) as error:
            raise CommandError(f"{self.path}: {error}") from None
        self._tail.append("".join(judged.lines))
        return judged.verdicts


def next_id(proceedings: Proceedings, kind: type[Review]) -> str:
    """The next free name for a review of this kind."""
    letter = {Appeal: "a", Resolution: "r"}.get(kind, "u")
    return f"{letter}{1 + sum(type(review) is kind for review in proceedings.reviews.values())}"
