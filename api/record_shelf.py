"""A finished record as a match that can be shown, and reviewed where it is whole enough."""

from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from api.archive import Archive, Kept, ShownRecord
from api.desk import MatchDesk
from api.evidence_notes import NotedClip, noted_clips
from api.feed import MatchFeed
from api.play_print import play_print
from api.records import lines_of
from api.reopening import BROKEN_OFF, Reopened, UnfitError, read_content, reopened
from api.review_views import Told
from api.schemas import MatchState, StandingsOut
from api.views import ruled_view, standings_view
from referee.logs import Log, read_log
from referee.observations import CardsCounted
from referee.record import End
from referee.replay import replay
from referee.setup import MatchSetup
from referee.tellings import BacksCounted, Called, Declared

_TOLD = (Called, Declared, CardsCounted, BacksCounted)


class OpenedMatch(NamedTuple):
    """The match of a record."""

    feed: MatchFeed
    desk: MatchDesk | None
    """None: it is only shown."""
    note: str
    """What to tell a person of it. Empty: nothing."""
    archive: Archive
    """Where its record is read: the desk, if there is one."""
    clips: tuple[NotedClip, ...]
    """The clips that the record names."""


def shown_match(path: Path, *, match_id: str, holding: ExitStack | None = None) -> OpenedMatch:
    """The match of the record at ``path``; ``ValueError`` where it is no record.

    ``CommandError`` where it cannot be read.

    ``holding``: until it ends, no other program may add to the record; ``HeldError`` where one may already.
    """
    content = read_content(path)
    try:
        kept = reopened(path, content)
    except UnfitError as error:
        log = read_log(lines_of(content))
        feed, archive = _only_shown(log, path, match_id, str(error), len(content))
        return OpenedMatch(feed, None, f"{path} is shown only: {error}", archive, noted_clips(log.entries))
    if holding is not None:
        holding.enter_context(kept.record.held())
    feed, desk = _reviewable(kept, path, match_id)
    return OpenedMatch(feed, desk, _cut_note(kept.log, path), desk, noted_clips(kept.log.entries))


def _reviewable(kept: Reopened, path: Path, match_id: str) -> tuple[MatchFeed, MatchDesk]:
    proceedings = kept.match.proceedings
    standings = standings_view(proceedings.scorecard, proceedings.setup)
    feed = _feed(kept.log, path, match_id, standings)
    feed.is_sound = True
    desk = MatchDesk(kept.match, feed=feed)
    desk.go_on(kept.record, _told(kept.log))
    _end(feed, kept.log)
    return feed, desk


def _only_shown(log: Log, path: Path, match_id: str, why: str, size: int) -> tuple[MatchFeed, ShownRecord]:
    replayed = replay(log)
    setup: MatchSetup = log.header.setup
    standings = standings_view(replayed.scorecard, setup)
    feed = _feed(log, path, match_id, standings)
    feed.rule(tuple(ruled_view(ruled, setup) for ruled in replayed.rulings), standings)
    _end(feed, log)
    kept = Kept(log.header, replayed.proceedings)
    return feed, ShownRecord(path, size, kept, why=why, is_chained=log.is_chained)


def _feed(log: Log, path: Path, match_id: str, standings: StandingsOut) -> MatchFeed:
    feed = MatchFeed(
        match_id=match_id,
        table=log.header.table or path.stem,
        game=log.header.setup.game.value,
        standings=standings,
        kinds_from_zero=tuple(kind.value for kind in log.header.setup.kinds_from_zero),
    )
    times_us = [entry.t_us for entry in log.entries] or [timed.known_us for timed in log.observations]
    if times_us:
        feed.run_over(min(times_us), max(times_us))
    feed.play_print, feed.entries = play_print(log), len(log.entries)
    return feed


def _end(feed: MatchFeed, log: Log) -> None:
    """A match that its program did not end stays broken off, also where a review closed its record."""
    ends = [entry.payload for entry in log.entries if isinstance(entry.payload, End)]
    is_finished = any(end.cause != BROKEN_OFF for end in ends)
    feed.end(MatchState.FINISHED if is_finished else MatchState.BROKEN)
    feed.settle()


def _told(log: Log) -> list[tuple[int, int, Told]]:
    return [(e.seq, e.t_us, e.payload) for e in log.entries if isinstance(e.payload, _TOLD)]


def _cut_note(log: Log, path: Path) -> str:
    return "" if log.cut_line is None else f"line {log.cut_line} of {path} is cut short and was left out"
