"""Reviews entered into a closed record on disk: the file is only ever added to."""

from pathlib import Path

from api.errors import CommandError
from api.evidence_notes import noted_clips
from api.kinship import akin_to, spoken_of
from api.quiet import is_waiting
from api.record_file import RecordTail
from api.records import open_log
from api.views import ruled_view
from referee.logs import RecordError
from referee.proceedings import Proceedings
from referee.record import RecordedMatch
from referee.referee import ObservationError
from referee.replay import resumed
from referee.reviews import Appeal, Resolution, Review, ReviewError
from referee.verdicts import Ruling, Verdict


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
        self.clips = noted_clips(log.entries)
        """The clips that the record names."""
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

    @property
    def waiting(self) -> frozenset[str]:
        """The verdicts that wait for a person, with those about the same plays."""
        proceedings = self.match.proceedings
        spoken = [spoken_of(ruled) for ruled in proceedings.rulings]
        open_ = [ruled for ruled in proceedings.rulings if is_waiting(ruled_view(ruled, proceedings.setup))]
        ids = (akin_to(ruled.verdict.verdict_id, spoken) for ruled in open_)
        return frozenset(each for group in ids for each in group)


def says_what_holds(verdict: Verdict, ruling: Ruling, kept: tuple[int, ...]) -> bool:
    """Whether a ruling in the place of ``verdict`` is the one that holds: then the answer is that it stands.

    Another player who was first is another ruling; whichever cards stay, a tie is a tie.
    """
    return ruling is verdict.ruling and (ruling is not Ruling.FIRST or kept == verdict.kept)


def next_id(proceedings: Proceedings, kind: type[Review]) -> str:
    """The next free name for a review of this kind."""
    letter = {Appeal: "a", Resolution: "r"}.get(kind, "u")
    return f"{letter}{1 + sum(type(review) is kind for review in proceedings.reviews.values())}"
