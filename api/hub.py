"""The matches that one server shows."""

import threading

from api.archive import Archive
from api.desk import MatchDesk
from api.evidence_shelf import EvidenceShelf
from api.feed import MatchFeed
from api.house_feed import HouseFeed


class Hub:
    """The matches that one server shows, by id; the newest match of a table stands for that table."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._feeds: dict[str, MatchFeed] = {}
        self._desks: dict[str, MatchDesk] = {}
        self._archives: dict[str, Archive] = {}
        self.changes = HouseFeed()
        """That something changed, in whichever match."""
        self.evidence: EvidenceShelf | None = None
        """Where clips lie. None: none are shown."""

    @property
    def feeds(self) -> tuple[MatchFeed, ...]:
        """All matches, oldest first."""
        with self._lock:
            return tuple(self._feeds.values())

    def add(self, feed: MatchFeed, desk: MatchDesk | None = None, archive: Archive | None = None) -> None:
        """Show a match; ``ValueError`` where its id is taken. Without a desk nobody can write into it.

        ``archive``: its record, where that is not the desk's.
        """
        with self._lock:
            if feed.match_id in self._feeds:
                raise ValueError(f"a match with this id is shown already: {feed.match_id!r}")
            self._feeds[feed.match_id] = feed
            if desk is not None:
                self._desks[feed.match_id] = desk
            kept = archive or desk
            if kept is not None:
                self._archives[feed.match_id] = kept
        self.changes.add(feed)

    def find(self, match_id: str) -> MatchFeed | None:
        """The match of this id."""
        with self._lock:
            return self._feeds.get(match_id)

    def desk(self, match_id: str) -> MatchDesk | None:
        """Where people write into the match of this id."""
        with self._lock:
            return self._desks.get(match_id)

    def archive(self, match_id: str) -> Archive | None:
        """Where the record of the match of this id is read. None: nothing is kept of it."""
        with self._lock:
            return self._archives.get(match_id)

    def keeps_clips(self, feed: MatchFeed) -> bool:
        """Whether clips of a match are kept, or may still be: of one that is over, whether there are any."""
        if self.evidence is None:
            return False
        return not feed.is_over or self.evidence.match(feed.match_id) is not None

    def copied_from(self, feed: MatchFeed) -> MatchFeed | None:
        """The match that ``feed`` is a copy of. None: it is none, or the one that counts.

        Of several records of what was played once, one whose verdicts are those of its observations counts
        before one that is only shown, and of these that with the most in it: it was reviewed last.
        """
        same = self._records_of(feed)
        if len(same) < 2:
            return None
        told = {each.match_id: len(self._told_in(each)) for each in same}
        counts = max(same, key=lambda each: (each.is_sound, told[each.match_id], each.entries))
        return None if counts is feed else counts

    def contradicting(self, feed: MatchFeed) -> tuple[MatchFeed, ...]:
        """The other records of the match of ``feed`` in which something else was set up or added.

        Neither of two such records goes on where the other ends, so that a person must say which of them
        counts. One that is only shown contradicts none that is sound: it does not count.
        """
        same = [each for each in self._records_of(feed) if each.is_sound is feed.is_sound]
        if len(same) < 2:
            return ()
        own, found = self._told_in(feed), []
        for each in same:
            other = self._told_in(each)
            both = min(len(own), len(other))
            if own[:both] != other[:both]:
                found.append(each)
        return tuple(found)

    def _records_of(self, feed: MatchFeed) -> tuple[MatchFeed, ...]:
        """All records in which the same was seen."""
        if not feed.play_print:
            return (feed,)
        return tuple(each for each in self.feeds if each.play_print == feed.play_print)

    def _told_in(self, feed: MatchFeed) -> tuple[object, ...]:
        archive = self.archive(feed.match_id)
        return () if archive is None else archive.read(lambda kept: kept.told)

    def newest_of_table(self, table: str) -> MatchFeed | None:
        """The newest match on this table."""
        return next((feed for feed in reversed(self.feeds) if feed.table == table), None)

    def close(self) -> None:
        """End every stream."""
        for feed in self.feeds:
            feed.close()
        self.changes.close()
