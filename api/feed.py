"""The live feed of one match: numbered changes that any thread may add and any display may follow."""

import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from api.schemas import AliveOut, MatchOut, MatchState, ScoreOut, SnapshotOut, StandingsOut, VerdictOut

KEPT_CHANGES = 2_000
"""Changes kept for displays that come back; one that missed more starts from a snapshot.

A fast round has a few hundred verdicts, so this is several rounds."""

MOST_DIGITS = 18
"""Of a change's number; no match comes near it, and Python refuses to read thousands of digits."""


@dataclass(frozen=True, slots=True)
class Change:
    """One numbered change. ``event`` is the SSE event name, ``data`` its JSON text."""

    number: int
    event: str
    data: str


class MatchFeed:
    """Score, verdicts and newest picture of one match, safe to use from several threads."""

    def __init__(
        self, *, match_id: str, table: str, game: str, standings: StandingsOut, run_id: str = ""
    ) -> None:
        self.match_id = match_id
        self.table = table
        self.game = game
        self.run_id = run_id or secrets.token_hex(4)
        """Tells this run's change numbers from those of an earlier server under the same address."""
        self._lock = threading.Lock()
        self._standings = standings
        self._state = MatchState.WAITING
        self._t_us = 0
        self._verdicts: list[VerdictOut] = []
        self._changes: deque[Change] = deque(maxlen=KEPT_CHANGES)
        self._last_number = 0
        self._wakers: set[Callable[[], None]] = set()
        self._picture_jpeg: bytes | None = None
        self._picture_asked = True
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether the server is leaving, so that streams end."""
        return self._is_closed

    @property
    def match(self) -> MatchOut:
        """The match as a list of matches shows it."""
        with self._lock:
            players = tuple(player.player for player in self._standings.players)
            return MatchOut(
                match_id=self.match_id, table=self.table, game=self.game, state=self._state, players=players
            )

    @property
    def score(self) -> ScoreOut:
        """The score as it stands."""
        with self._lock:
            return self._score()

    @property
    def verdicts(self) -> tuple[VerdictOut, ...]:
        """All verdicts, oldest first."""
        with self._lock:
            return tuple(self._verdicts)

    @property
    def alive(self) -> AliveOut:
        """Where the chain is now."""
        with self._lock:
            return AliveOut(state=self._state, t_us=self._t_us)

    @property
    def picture_jpeg(self) -> bytes | None:
        """The newest annotated picture; None before the first. Asking for it asks for a newer one."""
        with self._lock:
            self._picture_asked = True
            return self._picture_jpeg

    def take_picture_request(self) -> bool:
        """Whether somebody looked since the last call, so that a new picture is worth drawing."""
        with self._lock:
            asked, self._picture_asked = self._picture_asked, False
            return asked

    def show_picture(self, jpeg: bytes) -> None:
        """Replace the newest annotated picture."""
        with self._lock:
            self._picture_jpeg = jpeg

    def reach(self, t_us: int) -> None:
        """The chain has come to the frame of time ``t_us``. No change of its own: signs of life carry it."""
        with self._lock:
            self._t_us = t_us
            if self._state is not MatchState.WAITING:
                return
            self._state = MatchState.PLAYING
            self._add("score", self._score().model_dump_json())
        self._wake()

    def rule(self, verdicts: tuple[VerdictOut, ...], standings: StandingsOut) -> None:
        """Add verdicts, and the score that follows from them."""
        with self._lock:
            for verdict in verdicts:
                self._verdicts.append(verdict)
                self._add("verdict", verdict.model_dump_json())
            if standings != self._standings or verdicts:
                self._standings = standings
                self._add("score", self._score().model_dump_json())
        self._wake()

    def end(self, state: MatchState) -> None:
        """The match is over, for the reason that ``state`` names."""
        with self._lock:
            self._state = state
            self._add("score", self._score().model_dump_json())
        self._wake()

    def close(self) -> None:
        """End every stream: the server is leaving."""
        self._is_closed = True
        self._wake()

    def follow(self, waker: Callable[[], None]) -> Callable[[], None]:
        """Call ``waker`` after every change, from the thread that made it. Returns what ends that."""
        with self._lock:
            self._wakers.add(waker)
        return lambda: self._unfollow(waker)

    def _unfollow(self, waker: Callable[[], None]) -> None:
        with self._lock:
            self._wakers.discard(waker)

    def snapshot(self) -> Change:
        """Everything so far as one message, numbered as the last change that is in it."""
        with self._lock:
            shot = SnapshotOut(score=self._score(), verdicts=tuple(self._verdicts))
            return Change(self._last_number, "snapshot", shot.model_dump_json())

    def changes_after(self, number: int) -> tuple[Change, ...] | None:
        """The changes since ``number``; None where they are no longer kept or never were."""
        with self._lock:
            oldest_kept = self._changes[0].number if self._changes else self._last_number + 1
            if not oldest_kept - 1 <= number <= self._last_number:
                return None
            return tuple(change for change in self._changes if change.number > number)

    def event_id(self, change: Change) -> str:
        """The id that a display gives back to go on after ``change``."""
        return f"{self.run_id}-{change.number}"

    def number_of(self, event_id: str | None) -> int | None:
        """The change that ``event_id`` names; None where it is of another run or is none."""
        run_id, _, number = (event_id or "").rpartition("-")
        is_number = number.isdecimal() and number.isascii() and len(number) <= MOST_DIGITS
        return int(number) if run_id == self.run_id and is_number else None

    def _score(self) -> ScoreOut:
        return ScoreOut(
            match_id=self.match_id,
            table=self.table,
            game=self.game,
            state=self._state,
            t_us=self._t_us,
            players=self._standings.players,
            open_items=self._standings.open_items,
        )

    def _add(self, event: str, data: str) -> None:
        self._last_number += 1
        self._changes.append(Change(self._last_number, event, data))

    def _wake(self) -> None:
        with self._lock:
            wakers = tuple(self._wakers)
        for waker in wakers:
            waker()


class Hub:
    """The matches that one server shows, by id; the newest match of a table stands for that table."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._feeds: dict[str, MatchFeed] = {}

    @property
    def feeds(self) -> tuple[MatchFeed, ...]:
        """All matches, oldest first."""
        with self._lock:
            return tuple(self._feeds.values())

    def add(self, feed: MatchFeed) -> None:
        """Show a match; ``ValueError`` where its id is taken."""
        with self._lock:
            if feed.match_id in self._feeds:
                raise ValueError(f"a match with this id is shown already: {feed.match_id!r}")
            self._feeds[feed.match_id] = feed

    def find(self, match_id: str) -> MatchFeed | None:
        """The match of this id."""
        with self._lock:
            return self._feeds.get(match_id)

    def newest_of_table(self, table: str) -> MatchFeed | None:
        """The newest match on this table."""
        return next((feed for feed in reversed(self.feeds) if feed.table == table), None)

    def close(self) -> None:
        """End every stream."""
        for feed in self.feeds:
            feed.close()
