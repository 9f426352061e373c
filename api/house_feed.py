"""The feed of a whole server: that something changed in one of its matches, or in its tournament."""

import secrets
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from api.feed import LONGEST_DELAY_S, Change, MatchFeed, number_in
from api.schemas import AliveHouseOut, ChangedOut, MatchState

MOST_HELD = 20_000
"""Changes; a page that missed more is told that all may have changed."""


@dataclass(frozen=True, slots=True)
class _Held:
    number: int
    match_id: str
    """Empty: the tournament, or which matches there are."""
    at_s: float


class HouseFeed:
    """Numbers what changes in any match of a server, so that a page that shows them all looks again.

    It tells which matches changed, not how: pages ask for that, each for what it shows.
    """

    def __init__(self, *, run_id: str = "", clock_s: Callable[[], float] = time.monotonic) -> None:
        self.run_id = run_id or secrets.token_hex(4)
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._feeds: list[MatchFeed] = []
        self._held: deque[_Held] = deque(maxlen=MOST_HELD)
        self._last_number = 0
        self._wakers: set[Callable[[], None]] = set()
        self.is_closed = False
        """Whether the server is leaving, so that streams end."""

    def add(self, feed: MatchFeed) -> None:
        """Tell of what changes in this match too."""
        with self._lock:
            self._feeds.append(feed)
        feed.follow(lambda: self.note(feed.match_id))
        self.note(feed.match_id)

    def note(self, match_id: str = "") -> None:
        """Something changed in a match; without its id, in the tournament."""
        with self._lock:
            self._last_number += 1
            self._held.append(_Held(self._last_number, match_id, self._clock_s()))
            wakers = tuple(self._wakers)
        for waker in wakers:
            waker()

    def close(self) -> None:
        """End every stream: the server is leaving."""
        self.is_closed = True
        self.note()

    # -- following ------------------------------------------------------------------------------------------

    def follow(self, waker: Callable[[], None]) -> Callable[[], None]:
        """Call ``waker`` after every change, from the thread that made it. Returns what ends that."""
        with self._lock:
            self._wakers.add(waker)
        return lambda: self._unfollow(waker)

    def snapshot(self, delay_s: float = 0) -> Change:
        """That anything may have changed."""
        with self._lock:
            ids = tuple(feed.match_id for feed in self._feeds)
        return self._change(self.number_seen(delay_s), ids)

    def changes_after(self, number: int, delay_s: float = 0) -> tuple[Change, ...] | None:
        """What changed since ``number``, as one change; none where nothing did, None where it is not kept."""
        with self._lock:
            oldest = self._last_number - len(self._held)
            until = self._number_at(delay_s)
            if not oldest <= number <= self._last_number:
                return None
            ids = (self._held[i].match_id for i in range(number - oldest, until - oldest))
            changed = tuple(dict.fromkeys(filter(None, ids)))
        return () if until <= number else (self._change(until, changed),)

    def number_seen(self, delay_s: float) -> int:
        """The last change that may be seen ``delay_s`` later than it was made."""
        with self._lock:
            return self._number_at(delay_s)

    def next_due_s(self, number: int, delay_s: float) -> float | None:
        """In how many seconds the first change after ``number`` may be seen. None: there is none."""
        with self._lock:
            place = number - (self._last_number - len(self._held))
            if not 0 <= place < len(self._held):
                return None
            return max(self._held[place].at_s + delay_s - self._clock_s(), 0.0)

    def alive_seen(self, delay_s: float) -> AliveHouseOut:
        """How many matches are played, as it was ``delay_s`` seconds ago."""
        with self._lock:
            feeds = tuple(self._feeds)
        return AliveHouseOut(
            playing=sum(feed.alive_seen(delay_s).state is MatchState.PLAYING for feed in feeds)
        )

    def event_id(self, change: Change) -> str:
        """The id that a page gives back to go on after ``change``."""
        return f"{self.run_id}-{change.number}"

    def number_of(self, event_id: str | None) -> int | None:
        """The change that ``event_id`` names; None where it is of another run or is none."""
        return number_in(event_id, self.run_id)

    # -- inside ---------------------------------------------------------------------------------------------

    def _unfollow(self, waker: Callable[[], None]) -> None:
        with self._lock:
            self._wakers.discard(waker)

    def _number_at(self, delay_s: float) -> int:
        """With the lock held: the last change that is old enough."""
        if delay_s <= 0:
            return self._last_number
        until_s = self._clock_s() - min(delay_s, LONGEST_DELAY_S)
        place = bisect_right(self._held, until_s, key=lambda item: item.at_s)
        return self._last_number - len(self._held) + place

    @staticmethod
    def _change(number: int, match_ids: tuple[str, ...]) -> Change:
        return Change(number, "changed", ChangedOut(matches=match_ids).model_dump_json())
