"""Replay: what a log holds, judged again: observations, and what people entered about the verdicts."""

from dataclasses import dataclass, replace

from referee.codec import canonical, encode, shown
from referee.formats import FORMATS
from referee.logs import Log, RecordError
from referee.proceedings import Proceedings, Ruled
from referee.record import End, Entry, Note, RecordedMatch
from referee.referee import ObservationError, Referee
from referee.reviews import Appeal, Resolution, Revert, Review, ReviewError
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.verdicts import Verdict

_TELLING = ("ruling", "rule", "kept", "returned", "seat", "card")
"""The fields of a verdict that tell a person most, the first before the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """Up to where a log is judged: to a time, or to an entry, both included."""

    t_us: int | None = None
    seq: int | None = None

    def includes(self, seq: int, t_us: int) -> bool:
        """Whether an entry of this number and time is judged."""
        return (self.t_us is None or t_us <= self.t_us) and (self.seq is None or seq <= self.seq)


@dataclass(frozen=True, slots=True)
class Replay:
    """What the referee says of a log."""

    verdicts: tuple[Verdict, ...]
    """All that were given, in order, also those that a person has answered since."""
    proceedings: Proceedings
    skipped: tuple[str, ...] = ()
    """Reviews that have nothing to speak of under other rules, each in a line."""

    @property
    def scorecard(self) -> Scorecard:
        """The score by what holds."""
        return self.proceedings.scorecard

    @property
    def rulings(self) -> tuple[Ruled, ...]:
        """Every verdict, and how it stands."""
        return self.proceedings.rulings

    @property
    def referee(self) -> Referee:
        """The referee at the end."""
        return self.proceedings.referee


def replay(log: Log, *, setup: MatchSetup | None = None, until: Until | None = None) -> Replay:
    """Judge ``log`` again; ``setup`` in place of its own asks "what if".

    ``RecordError`` where a review in it cannot have been entered.
    """
    return _Replayer(log, setup).run(until or Until())


def resumed(log: Log) -> RecordedMatch:
    """The match of a closed record, ready for reviews; ``RecordError`` where there can be none.

    Its next line goes behind the last one of the record.
    """
    last = len(log.entries) + 1
    if not log.is_chained or not log.is_ended or log.cut_line is not None:
        raise RecordError(last, "reviews go into a record that was closed; this was not, or is none")
    if not FORMATS[log.version].reviews:
        raise RecordError(1, f"format: a record of form {log.version} has no place for reviews")
    replayed = replay(log)
    difference = first_difference(log, replayed)
    if difference is not None:
        raise RecordError(last, f"the verdicts are not those of its observations: {difference}")
    match = RecordedMatch(log.header)
    match.proceedings = replayed.proceedings
    match.chain.continue_after(log.entries)
    return match


class _Replayer:
    """Feeds the entries of one log to new proceedings."""

    def __init__(self, log: Log, setup: MatchSetup | None) -> None:
        self._log = log
        self._is_what_if = setup is not None and setup != log.header.setup
        self._proceedings = Proceedings(log.header.setup if setup is None else setup)
        self._verdicts: list[Verdict] = []
        self._skipped: list[str] = []

    def run(self, until: Until) -> Replay:
        is_cut = self._feed_entries(until) if self._log.is_chained else self._feed_bare(until)
        if is_cut and until.t_us is not None:
            self._verdicts += self._proceedings.advance(until.t_us)
        if not is_cut and not self._proceedings.is_finished:
            self._verdicts += self._proceedings.finish()
        return Replay(tuple(self._verdicts), self._proceedings, tuple(self._skipped))

    def _feed_entries(self, until: Until) -> bool:
        """Take in the entries; whether some were left out."""
        for entry in self._log.entries:
            if not until.includes(entry.seq, entry.t_us):
                return True
            self._take(entry)
        return False

    def _feed_bare(self, until: Until) -> bool:
        """The same for observations alone, which have their places as numbers."""
        for seq, timed in enumerate(self._log.observations, 1):
            if not until.includes(seq, timed.known_us):
                return True
            self._verdicts += self._proceedings.observe(timed.observation, at_us=timed.at_us, entry=seq)
        return False

    def _take(self, entry: Entry) -> None:
        match entry.payload:
            case Note():
                pass
            case Verdict():  # some fall due by time alone: the source had come to the time of this entry
                if not self._proceedings.is_finished:
                    self._verdicts += self._proceedings.advance(entry.t_us)
            case End():
                self._verdicts += self._proceedings.advance(entry.t_us)
                self._verdicts += self._proceedings.finish()
            case Appeal() | Resolution() | Revert():
                self._review(entry, entry.payload)
            case _:
                told = entry.payload
                self._verdicts += self._proceedings.observe(told, at_us=entry.t_us, entry=entry.seq)

    def _review(self, entry: Entry, review: Review) -> None:
        if not self._proceedings.is_finished:
            self._verdicts += self._proceedings.advance(entry.t_us)
        try:
            meant = self._meant(review) if self._is_what_if else review
            self._verdicts += self._proceedings.review(meant, entry=entry.seq)
        except (ReviewError, ObservationError) as error:
            if not self._is_what_if:
                raise RecordError(entry.seq + 1, f"{entry.kind}: {error}") from None
            self._skipped.append(f"entry {entry.seq}, {entry.kind}: {error}")

    def _meant(self, review: Review) -> Review:
        """Under other rules the verdicts have other numbers: the review of the same act."""
        if isinstance(review, Revert):
            return review
        written = next(e for e in self._log.entries if _is_verdict(e, review.verdict_id))
        about = set(written.caused_by)
        for ruled in reversed(self._proceedings.rulings):
            if ruled.entries and about.issuperset(ruled.entries):
                return replace(review, verdict_id=ruled.verdict.verdict_id)
        raise ReviewError(f"nothing is ruled on what {review.verdict_id} was about", "nothing_ruled")


def _is_verdict(entry: Entry, verdict_id: str) -> bool:
    return isinstance(entry.payload, Verdict) and entry.payload.verdict_id == verdict_id


def first_difference(log: Log, replayed: Replay) -> str | None:
    """Where the verdicts in ``log`` and those of its replay part, in a few words; None if nowhere.

    A record that was stopped may lack the last verdicts. One in an older form was written by a referee that
    said less: only its rulings on the same plays are held against the replay.
    """
    if not FORMATS[log.version].is_exact:
        return _older_difference(log, replayed)
    written, said = log.verdicts, replayed.verdicts
    for one, other in zip(written, said, strict=False):
        if canonical(encode(one)) != canonical(encode(other)):
            return _field_difference(one, other)
    if len(written) > len(said) or (log.is_ended and len(written) < len(said)):
        return f"{len(written)} verdicts are written but {len(said)} replay"
    return None


def _field_difference(one: Verdict, other: Verdict) -> str:
    """The field that says most of how a verdict and its replay part, and how many others differ."""
    written, said = encode(one), encode(other)
    differ = [name for name in (*_TELLING, *sorted(written)) if written[name] != said[name]]
    names = tuple(dict.fromkeys(differ))
    more = f" ({', '.join(names[1:])} too)" if names[1:] else ""
    name = names[0]
    told = f"written as {shown(written[name])} but replays as {shown(said[name])}"
    return f"{one.verdict_id}: {name} is {told}{more}"


def _older_difference(log: Log, replayed: Replay) -> str | None:
    """The first verdict of an older form that does not come again, by event, ruling and rule."""
    said = {_in_short(verdict) for verdict in replayed.verdicts}
    for verdict in log.verdicts:
        if _in_short(verdict) not in said:
            rule = "-" if verdict.rule is None else verdict.rule
            return f"{verdict.verdict_id}, {verdict.ruling} {rule}, is not ruled so any more"
    return None


def _in_short(verdict: Verdict) -> tuple[object, ...]:
    plays = tuple((play.target, play.touch, play.card, play.seat) for play in verdict.event.plays)
    return (plays, verdict.pile, verdict.ruling, verdict.rule, verdict.kept, verdict.returned)
