"""The live feed of one match: numbered changes that any thread may add and any display may follow."""

import secrets
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import TypeVar

from api.latencies import Latencies
from api.schemas import (
    AliveOut,
    CallOut,
    MatchOut,
    MatchState,
    ReviewOut,
    ScoreOut,
    StandingsOut,
    VerdictOut,
)
from api.shown import Shown, Value

_Key = TypeVar("_Key")
_Item = TypeVar("_Item")

KEPT_CHANGES = 2_000
"""Changes kept for displays that come back; one that missed more starts from a snapshot.

A fast round has a few hundred verdicts, so this is several rounds."""

LONGEST_DELAY_S = 120.0
"""Changes and pictures younger than this are held for viewers who see the match later."""

MOST_HELD_CHANGES = 20_000
"""Of those, for a match that goes mad: 20 changes a second for more than the longest delay are 2,400."""

SECONDS_BETWEEN_PICTURES_HELD = 1.0
"""For viewers who see the match later; about 100 kB each."""
SECONDS_BETWEEN_TIMES_HELD = 0.2
PACE_OVER_S = 5.0

MOST_DIGITS = 18
"""Of a change's number; no match comes near it, and Python refuses to read thousands of digits."""


class PictureSize(StrEnum):
    """For what a picture of the table is drawn."""

    USUAL = "usual"
    SMALL = "small"
    """A telephone: large letters."""


@dataclass(frozen=True, slots=True)
class Change:
    """One numbered change. ``event`` is the SSE event name, ``data`` its JSON text."""

    number: int
    event: str
    data: str


@dataclass(frozen=True, slots=True)
class _Held:
    """A change with what it carries and when it was made, by the feed's own clock."""

    change: Change
    value: Value
    at_s: float


class MatchFeed:
    """Score, verdicts and newest picture of one match, safe to use from several threads.

    Its own properties say how things stand now; ``seen`` says how they stood a while ago.
    """

    def __init__(
        self,
        *,
        match_id: str,
        table: str,
        game: str,
        standings: StandingsOut,
        kinds_from_zero: tuple[str, ...] = (),
        run_id: str = "",
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.match_id = match_id
        self.table = table
        self.game = game
        self._kinds_from_zero = kinds_from_zero
        self.run_id = run_id or secrets.token_hex(4)
        """Tells this run's change numbers from those of an earlier server under the same address."""
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._standings = standings
        self._state = MatchState.WAITING
        self._t_us = 0
        self._started_us: int | None = None
        self._picture_jpegs: dict[PictureSize, bytes] = {}
        """The newest of each size."""
        self._pictures_asked = {PictureSize.USUAL}
        self._last_picture: Callable[[], bytes | None] | None = None
        """Makes the picture of a match that was over before it was shown. None: there is none to make."""
        self._now = Shown(self._score())
        self._before = self._now.copied()
        """As it was before the oldest change that is held."""
        self._held: deque[_Held] = deque()
        self._last_number = 0
        self._settled_number = 0
        """Up to this change nothing is held back from anybody."""
        self._snapshots: dict[int, tuple[int, Change]] = {}
        """The newest few, by number, with the time of the frame in them."""
        self._wakers: set[Callable[[], None]] = set()
        self._pictures: dict[PictureSize, deque[tuple[float, bytes]]] = {
            size: deque() for size in PictureSize
        }
        self._times: deque[tuple[float, int]] = deque()
        self._is_closed = False
        self.play_print = ""
        """Names what was seen and told, by its record. Empty: not known, or it still runs."""
        self.entries = 0
        """Of its record, when that was read."""
        self.is_sound = False
        """Whether the verdicts in its record are those that this program gives: it can be reviewed."""
        self.frames = 0
        """Frames seen so far."""
        self.latencies = Latencies()
        """From touch to verdict, by the source's clock."""
        self._reached_at_s: float | None = None
        """When the newest frame was seen. None: none was."""
        self._paces: deque[tuple[float, int]] = deque()
        """Frames seen by then, over the last seconds."""
        self._ahead_s = inf
        """Least distance so far between the clock and the source's: the chain was not behind then."""

    # -- how things stand -----------------------------------------------------------------------------------

    @property
    def is_closed(self) -> bool:
        """Whether the server is leaving, so that streams end."""
        return self._is_closed

    @property
    def is_over(self) -> bool:
        """Whether nothing more is seen."""
        return self._state in {MatchState.FINISHED, MatchState.BROKEN}

    @property
    def match(self) -> MatchOut:
        """The match as a list of matches shows it."""
        return self.seen(0).match

    @property
    def score(self) -> ScoreOut:
        """The score as it stands."""
        return self.seen(0).score

    @property
    def verdicts(self) -> tuple[VerdictOut, ...]:
        """All verdicts, oldest first, each as it stands."""
        return self.seen(0).verdicts

    @property
    def alive(self) -> AliveOut:
        """Where the chain is now."""
        with self._lock:
            return AliveOut(state=self._state, t_us=self._t_us)

    @property
    def picture_jpeg(self) -> bytes | None:
        """The newest annotated picture; None before the first. Asking for it asks for a newer one."""
        return self.picture_seen(0)

    def seen(self, delay_s: float) -> "Seen":
        """How things stood ``delay_s`` seconds ago."""
        with self._lock:
            number = self._number_at(delay_s)
            shown, t_us = self._shown_at(number), self._t_us_at(delay_s)
            return Seen(self, number, shown.score.model_copy(update={"t_us": t_us}), shown)

    def picture_seen(self, delay_s: float, size: PictureSize = PictureSize.USUAL) -> bytes | None:
        """The picture that was the newest ``delay_s`` seconds ago. Asking for it asks for a newer one.

        The usual one until there is one of the ``size`` asked for.
        """
        if not self._picture_jpegs and self._last_picture is not None:
            last = self._last_picture()
            if last is not None:
                self._picture_jpegs[PictureSize.USUAL] = last
        with self._lock:
            self._pictures_asked.add(size)
            found = (self._newest_picture(each, delay_s) for each in (size, PictureSize.USUAL))
            return next((jpeg for jpeg in found if jpeg is not None), None)

    def _newest_picture(self, size: PictureSize, delay_s: float) -> bytes | None:
        if delay_s <= 0 or self._is_settled:
            return self._picture_jpegs.get(size)
        until_s = self._clock_s() - delay_s
        return next((jpeg for at_s, jpeg in reversed(self._pictures[size]) if at_s <= until_s), None)

    def alive_seen(self, delay_s: float) -> AliveOut:
        """Where the chain was ``delay_s`` seconds ago."""
        with self._lock:
            score = self._shown_at(self._number_at(delay_s)).score
            return AliveOut(state=score.state, t_us=self._t_us_at(delay_s))

    # -- how the chain does ---------------------------------------------------------------------------------

    @property
    def frame_age_s(self) -> float | None:
        """How long ago the newest frame was seen. None: none was."""
        reached_at_s = self._reached_at_s
        return None if reached_at_s is None else self._clock_s() - reached_at_s

    @property
    def lag_s(self) -> float:
        """By how much the newest frame was seen later after its time than the promptest one."""
        with self._lock:
            if self._reached_at_s is None:
                return 0.0
            return self._reached_at_s - self._t_us / 1e6 - self._ahead_s

    @property
    def frames_per_s(self) -> float:
        """Over the last seconds."""
        with self._lock:
            if len(self._paces) < 2 or self._clock_s() - self._paces[-1][0] > PACE_OVER_S:
                return 0.0
            (first_s, first), (last_s, last) = self._paces[0], self._paces[-1]
            return (last - first) / (last_s - first_s)

    # -- what the chain and people do -----------------------------------------------------------------------

    def take_picture_request(self, size: PictureSize = PictureSize.USUAL) -> bool:
        """Whether somebody looked since the last call, so that a new picture is worth drawing."""
        with self._lock:
            asked = size in self._pictures_asked
            self._pictures_asked.discard(size)
            return asked

    def show_picture(self, jpeg: bytes, size: PictureSize = PictureSize.USUAL) -> None:
        """Replace the newest annotated picture of a size."""
        with self._lock:
            is_first = not self._has_picture
            self._picture_jpegs[size] = jpeg
            now_s = self._clock_s()
            held = self._pictures[size]
            if not held or now_s - held[-1][0] >= SECONDS_BETWEEN_PICTURES_HELD:
                held.append((now_s, jpeg))
            _drop_older(held, now_s - LONGEST_DELAY_S)
            if is_first:
                self._add("score", self._score())
        if is_first:
            self._wake()

    def offer_picture(self, make: Callable[[], bytes | None]) -> None:
        """The match is over and has a last picture, which ``make`` makes when somebody asks for it."""
        with self._lock:
            self._last_picture = make
            self._add("score", self._score())
        self.settle()

    def reach(self, t_us: int) -> None:
        """The chain has come to the frame of time ``t_us``. No change of its own: signs of life carry it."""
        with self._lock:
            self._t_us = t_us
            self._started_us = t_us if self._started_us is None else self._started_us
            self.frames += 1
            now_s = self._reached_at_s = self._clock_s()
            self._ahead_s = min(self._ahead_s, now_s - t_us / 1e6)
            if not self._times or now_s - self._times[-1][0] >= SECONDS_BETWEEN_TIMES_HELD:
                self._times.append((now_s, t_us))
                self._paces.append((now_s, self.frames))
                _drop_older(self._paces, now_s - PACE_OVER_S)
                _drop_older(self._times, now_s - LONGEST_DELAY_S)
            if self._state is not MatchState.WAITING:
                return
            self._state = MatchState.PLAYING
            self._add("score", self._score())
        self._wake()

    def run_over(self, started_us: int, t_us: int) -> None:
        """The match ran from ``started_us`` to ``t_us``, some time ago."""
        with self._lock:
            self._started_us = started_us
        self.reach(t_us)

    def rule(self, verdicts: tuple[VerdictOut, ...], standings: StandingsOut) -> None:
        """Add verdicts, and the score that follows from them."""
        self.tell(verdicts=verdicts, standings=standings)

    def tell(
        self,
        *,
        standings: StandingsOut,
        verdicts: Iterable[VerdictOut] = (),
        revisions: Iterable[VerdictOut] = (),
        reviews: Iterable[ReviewOut] = (),
        calls: Iterable[CallOut] = (),
    ) -> None:
        """Add all that one step of the match gave, and wake those who follow once.

        ``verdicts`` are new, ``revisions`` stand in the place of earlier ones; reviews and calls may be
        either.
        """
        with self._lock:
            for review in reviews:
                self._add("review", review)
            for call in calls:
                self._add("call", call)
            ruled = [*(("verdict", each) for each in verdicts), *(("revision", each) for each in revisions)]
            for event, verdict in ruled:
                self._add(event, verdict)
            if standings != self._standings or ruled:
                self._standings = standings
                self._add("score", self._score())
        self._wake()

    def end(self, state: MatchState) -> None:
        """The match is over, for the reason that ``state`` names."""
        with self._lock:
            self._state = state
            self._add("score", self._score())
        self._wake()

    def settle(self) -> None:
        """All so far is of long ago: it is held back from nobody."""
        with self._lock:
            self._settled_number = self._last_number

    def close(self) -> None:
        """End every stream: the server is leaving."""
        self._is_closed = True
        self._wake()

    # -- following ------------------------------------------------------------------------------------------

    def follow(self, waker: Callable[[], None]) -> Callable[[], None]:
        """Call ``waker`` after every change, from the thread that made it. Returns what ends that."""
        with self._lock:
            self._wakers.add(waker)
        return lambda: self._unfollow(waker)

    def snapshot(self, delay_s: float = 0) -> Change:
        """Everything up to ``delay_s`` ago as one message, numbered as the last change that is in it."""
        with self._lock:
            number, t_us = self._number_at(delay_s), self._t_us_at(delay_s)
            known = self._snapshots.get(number)
            if known is None or known[0] != t_us:
                text = self._shown_at(number).snapshot(t_us).model_dump_json()
                known = t_us, Change(number, "snapshot", text)
                self._snapshots[number] = known
                while len(self._snapshots) > 4:
                    del self._snapshots[next(iter(self._snapshots))]
            return known[1]

    def changes_after(self, number: int, delay_s: float = 0) -> tuple[Change, ...] | None:
        """The changes since ``number``, up to ``delay_s`` ago; None where they are not kept or never were."""
        with self._lock:
            oldest_kept = max(
                self._held[0].change.number if self._held else self._last_number + 1,
                self._last_number - KEPT_CHANGES + 1,
            )
            if not oldest_kept - 1 <= number <= self._last_number:
                return None
            until = self._number_at(delay_s)
            return tuple(item.change for item in self._since(number) if item.change.number <= until)

    def number_seen(self, delay_s: float) -> int:
        """The last change that may be seen ``delay_s`` later than it was made."""
        with self._lock:
            return self._number_at(delay_s)

    def next_due_s(self, number: int, delay_s: float) -> float | None:
        """In how many seconds the first change after ``number`` may be seen. None: there is none."""
        with self._lock:
            first = next(self._since(number), None)
            return None if first is None else max(first.at_s + delay_s - self._clock_s(), 0.0)

    def event_id(self, change: Change) -> str:
        """The id that a display gives back to go on after ``change``."""
        return f"{self.run_id}-{change.number}"

    def number_of(self, event_id: str | None) -> int | None:
        """The change that ``event_id`` names; None where it is of another run or is none."""
        return number_in(event_id, self.run_id)

    def all_of(self, items: Mapping[_Key, _Item]) -> tuple[_Item, ...]:
        """All of what this feed shows by names, while nothing is added."""
        with self._lock:
            return tuple(items.values())

    # -- inside; the lock is held ---------------------------------------------------------------------------

    def _unfollow(self, waker: Callable[[], None]) -> None:
        with self._lock:
            self._wakers.discard(waker)

    @property
    def _has_picture(self) -> bool:
        return bool(self._picture_jpegs) or self._last_picture is not None

    @property
    def _is_settled(self) -> bool:
        return self._settled_number == self._last_number > 0

    def _number_at(self, delay_s: float) -> int:
        """The last change that may be seen ``delay_s`` later than it was made."""
        if delay_s <= 0:
            return self._last_number
        until_s = self._clock_s() - min(delay_s, LONGEST_DELAY_S)
        place = bisect_right(self._held, until_s, key=lambda item: item.at_s)
        oldest = self._last_number - len(self._held)
        return max(oldest + place, self._settled_number)

    def _t_us_at(self, delay_s: float) -> int:
        if delay_s <= 0 or self._is_settled:
            return self._t_us
        until_s = self._clock_s() - delay_s
        return next((t_us for at_s, t_us in reversed(self._times) if at_s <= until_s), 0)

    def _shown_at(self, number: int) -> Shown:
        if number == self._last_number:
            return self._now
        shown = self._before.copied()
        for item in self._held:
            if item.change.number > number:
                break
            shown.take(item.value)
        return shown

    def _since(self, number: int) -> Iterator[_Held]:
        first = len(self._held) - (self._last_number - number)
        return (self._held[i] for i in range(max(first, 0), len(self._held)))

    def _score(self) -> ScoreOut:
        return ScoreOut(
            match_id=self.match_id,
            table=self.table,
            game=self.game,
            state=self._state,
            t_us=self._t_us,
            started_us=self._started_us,
            has_picture=self._has_picture,
            kinds_from_zero=self._kinds_from_zero,
            players=self._standings.players,
            open_items=self._standings.open_items,
        )

    def _add(self, event: str, value: Value) -> None:
        self._last_number += 1
        change = Change(self._last_number, event, value.model_dump_json())
        now_s = self._clock_s()
        self._held.append(_Held(change, value, now_s))
        self._now.take(value)
        while len(self._held) > KEPT_CHANGES and (
            self._held[0].at_s < now_s - LONGEST_DELAY_S or len(self._held) > MOST_HELD_CHANGES
        ):
            self._before.take(self._held.popleft().value)

    def _wake(self) -> None:
        with self._lock:
            wakers = tuple(self._wakers)
        for waker in wakers:
            waker()


@dataclass(frozen=True, slots=True)
class Seen:
    """How a match stood at one moment."""

    feed: MatchFeed
    number: int
    """The last change that is in it."""
    score: ScoreOut
    _shown: Shown

    @property
    def match(self) -> MatchOut:
        """The match as a list of matches shows it."""
        return MatchOut(
            match_id=self.feed.match_id,
            table=self.feed.table,
            game=self.feed.game,
            state=self.score.state,
            players=tuple(player.player for player in self.score.players),
        )

    @property
    def verdicts(self) -> tuple[VerdictOut, ...]:
        """All verdicts, oldest first."""
        return self.feed.all_of(self._shown.verdicts)

    @property
    def reviews(self) -> tuple[ReviewOut, ...]:
        """All that people entered about verdicts, oldest first."""
        return self.feed.all_of(self._shown.reviews)

    @property
    def calls(self) -> tuple[CallOut, ...]:
        """All calls, declarations and counts, oldest first."""
        return self.feed.all_of(self._shown.calls)

    @property
    def tag(self) -> str:
        """Names this state: it is another whenever something changed."""
        return f'"{self.feed.run_id}-{self.number}-{self.score.t_us}"'


def number_in(event_id: str | None, of_run_id: str) -> int | None:
    """The number of the change that ``event_id`` names; None where it is of another run or is none.

    >>> number_in("run1-12", "run1"), number_in("run2-12", "run1"), number_in(None, "run1")
    (12, None, None)
    """
    run_id, _, number = (event_id or "").rpartition("-")
    is_number = number.isdecimal() and number.isascii() and len(number) <= MOST_DIGITS
    return int(number) if run_id == of_run_id and is_number else None


def _drop_older(items: "deque[tuple[float, bytes]] | deque[tuple[float, int]]", than_s: float) -> None:
    """Leave one that is older than ``than_s``, for those who look back just so far."""
    while len(items) > 1 and items[1][0] < than_s:
        items.popleft()
