"""Whether the camera shows the table: black, frozen or missing pictures, and a camera that was knocked."""

from collections import deque
from dataclasses import dataclass
from statistics import median_low

import numpy as np
from numpy.typing import NDArray

from referee.clock import Interval
from referee.observations import ViewLost
from vision.frames import MICROSECONDS
from vision.settings import WatchSettings
from vision.shift import Shift, find_shift

SAMPLED = 8
"""Every eighth pixel across and down tells whether a picture is black, or the same as the last."""
RATE_WINDOW = 121
"""Intervals of which the median is the frame period: two seconds at 60 fps."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a picture is worth."""

    is_lost: bool
    """It shows nothing of the table."""
    is_repeat: bool
    """It is the picture before once more, to the pixel: nothing is known of its own time."""
    regained: ViewLost | None
    """The table is seen again, after this. None: it was seen before too."""


class Outlook:
    """Follows the pictures of one table, and notices when they do not show it."""

    def __init__(self, settings: WatchSettings) -> None:
        self._settings = settings
        self._last: NDArray[np.uint8] | None = None
        self._last_us: int | None = None
        self._last_change_us: int | None = None
        self._lost_since_us: int | None = None
        self._cause = ""
        self._rate = _RateWatch(settings)
        self._warnings: list[str] = []

    def take_warnings(self) -> tuple[str, ...]:
        """What a person should know, since the last call."""
        warnings = (*self._warnings, *self._rate.take_warnings())
        self._warnings.clear()
        return warnings

    def see(self, watched: NDArray[np.uint8], t_us: int) -> Sight:
        """Take in the watched picture (uint8 (h, w)) of the next frame."""
        self._notice_gap(t_us)
        sample = watched[::SAMPLED, ::SAMPLED]
        is_black = float(sample.mean()) < self._settings.black_levels
        last = self._last
        is_same = last is not None and bool((sample == last[::SAMPLED, ::SAMPLED]).all())
        if is_black or not is_same or self._last_change_us is None:
            self._last_change_us = t_us
        frozen_us = t_us - self._last_change_us
        is_repeat = is_same and last is not None and np.array_equal(watched, last)
        self._rate.see(t_us)
        self._last, self._last_us = watched, t_us
        is_lost = is_black or frozen_us > self._settings.frozen_us
        if is_lost:
            cause = "the picture is black" if is_black else "the picture is frozen"
            self._lose(t_us - frozen_us, cause)
        return Sight(is_lost, is_repeat, self._regained(t_us) if not is_lost else None)

    def _notice_gap(self, t_us: int) -> None:
        """Where no picture came for long before ``t_us``, nothing is known of that time."""
        last_us, period_us, settings = self._last_us, self._rate.period_us, self._settings
        if last_us is None or period_us is None:
            return
        gone_us = t_us - last_us
        if gone_us <= max(settings.gap_us, settings.gap_periods * period_us):
            return
        self._rate.forget()
        self._last_change_us = t_us
        self._lose(last_us, f"no pictures came for {gone_us / MICROSECONDS:.1f} s")

    def _lose(self, since_us: int, cause: str) -> None:
        if self._lost_since_us is None:
            self._lost_since_us, self._cause = since_us, cause
            self._warnings.append(f"from {_seconds(since_us)} on {cause}: nothing is judged meanwhile")

    def _regained(self, t_us: int) -> ViewLost | None:
        since_us = self._lost_since_us
        if since_us is None:
            return None
        self._lost_since_us = None
        self._warnings.append(f"the table is seen again at {_seconds(t_us)}")
        return ViewLost(pile=None, lost=Interval(since_us, t_us), cause=self._cause)

    def finish(self) -> ViewLost | None:
        """The frames have ended: what was lost until then. None: the table was seen to the end."""
        since_us = self._lost_since_us
        if since_us is None or self._last_us is None:
            return None
        return ViewLost(pile=None, lost=Interval(since_us, max(since_us, self._last_us)), cause=self._cause)


class KnockWatch:
    """Notices that the camera, or the whole table, was moved, and where the table lies since."""

    def __init__(self, settings: WatchSettings, px_per_mm: float) -> None:
        self._settings = settings
        self._px_per_mm = px_per_mm
        self._since_us: int | None = None
        self._is_knocked = False
        self._steady: tuple[int, Shift] | None = None
        """Since when the table lies still in the picture, and where."""
        self._next_look_us = 0
        self._moved_mm = 0.0
        self._warnings: list[str] = []

    @property
    def is_off(self) -> bool:
        """Whether the last picture did not show the table where it should lie."""
        return self._since_us is not None

    def take_warnings(self) -> tuple[str, ...]:
        """What a person should know, since the last call."""
        warnings = tuple(self._warnings)
        self._warnings.clear()
        return warnings

    def look(
        self,
        rest: NDArray[np.uint8],
        now: NDArray[np.uint8],
        t_us: int,
        last_us: int,
        *,
        is_hidden: bool,
    ) -> bool:
        """Whether the table lies elsewhere in the picture of now than at rest (both uint8 (h, w)).

        Asked where much has changed at once; ``last_us`` is the time of the picture before. Where it is not
        found at all, ``is_hidden`` says whether that counts.
        """
        if self._since_us is None and t_us < self._next_look_us:
            return False
        shift = find_shift(rest, now)
        self._next_look_us = t_us + self._settings.knock_look_us
        if shift is None:
            if is_hidden:
                self._doubt(t_us, last_us)
            return is_hidden
        moved_mm = shift.distance_px / self._px_per_mm
        if moved_mm < self._settings.knock_mm and not self._is_knocked:
            self._since_us = None
            return False
        self._doubt(t_us, last_us)
        if not self._is_knocked:
            self._is_knocked = True
            said = f"the camera was moved by {moved_mm:.0f} mm at {_seconds(t_us)}"
            self._warnings.append(f"{said}: nothing is judged until it stands still")
        self._moved_mm = max(self._moved_mm, moved_mm)
        if self._steady is None or not self._is_alike(self._steady[1], shift):
            self._steady = (t_us, shift)
        return True

    def _doubt(self, t_us: int, last_us: int) -> None:
        """The table is not where it was; without knowing why for long, people are told."""
        self._since_us = last_us if self._since_us is None else self._since_us
        is_long = t_us - self._since_us > self._settings.knock_unknown_us
        if is_long and not self._is_knocked:
            self._is_knocked = True
            self._warnings.append(f"at {_seconds(t_us)} the table is not found in the picture any more")

    def _is_alike(self, one: Shift, other: Shift) -> bool:
        difference = np.abs(one.now_from_rest - other.now_from_rest)[:, 2].max()
        return bool(difference <= self._settings.knock_still_mm * self._px_per_mm)

    def settled(self, t_us: int) -> Shift | None:
        """Where the table lies, once it has been still for long enough. None: not yet."""
        if self._steady is None or t_us - self._steady[0] < self._settings.settle_us:
            return None
        return self._steady[1]

    def regained(self, t_us: int) -> ViewLost:
        """The table has been found again."""
        since_us = self._since_us
        assert since_us is not None, "what is found again was lost"
        cause = self._cause
        self._warnings.append(f"the table is found again at {_seconds(t_us)}: its piles are read anew")
        self._since_us, self._steady = None, None
        self._is_knocked, self._moved_mm, self._next_look_us = False, 0.0, t_us
        return ViewLost(pile=None, lost=Interval(since_us, t_us), cause=cause)

    def finish(self, t_us: int) -> ViewLost | None:
        """The frames have ended at ``t_us``: what was lost until then."""
        if self._since_us is None or not self._is_knocked:
            return None
        lost = Interval(self._since_us, max(self._since_us, t_us))
        return ViewLost(pile=None, lost=lost, cause=self._cause)

    @property
    def _cause(self) -> str:
        is_moved = self._moved_mm >= self._settings.knock_mm
        return f"the camera was moved by {self._moved_mm:.0f} mm" if is_moved else "the table was not found"


class _RateWatch:
    """Measures the frame rate, and tells when it falls: cameras take longer pictures in dim light."""

    def __init__(self, settings: WatchSettings) -> None:
        self._settings = settings
        self._steps_us: deque[int] = deque(maxlen=RATE_WINDOW)
        self._last_us: int | None = None
        self._first_period_us: int | None = None
        self._is_slow = False
        self._count = 0
        self._warnings: list[str] = []

    @property
    def period_us(self) -> int | None:
        """The usual time from frame to frame. None: too few frames so far."""
        return median_low(self._steps_us) if len(self._steps_us) >= 5 else None

    def take_warnings(self) -> tuple[str, ...]:
        warnings = tuple(self._warnings)
        self._warnings.clear()
        return warnings

    def forget(self) -> None:
        """What follows is not held against the last frame."""
        self._last_us = None

    def see(self, t_us: int) -> None:
        if self._last_us is not None:
            self._steps_us.append(t_us - self._last_us)
        self._last_us = t_us
        self._count += 1
        if self._count % RATE_WINDOW == 0:
            self._compare(t_us)

    def _compare(self, t_us: int) -> None:
        period_us = self.period_us
        if period_us is None:
            return
        if self._first_period_us is None:
            self._first_period_us = period_us
        is_slow = period_us > self._settings.slow_factor * self._first_period_us
        if is_slow is not self._is_slow:
            rate, first = (MICROSECONDS / us for us in (period_us, self._first_period_us))
            cause = " (too little light?): touches are told less exactly" if is_slow else " again"
            was = f", no longer {first:.0f}" if is_slow else ""
            at = _seconds(t_us)
            self._warnings.append(f"the camera gives {rate:.0f} pictures a second{was} since {at}{cause}")
        self._is_slow = is_slow


def moved_calibration(
    table_mm_from_image_px: NDArray[np.float64], table_mm_from_watched_px: NDArray[np.float64], shift: Shift
) -> NDArray[np.float64]:
    """The homography of a camera that was knocked: what lies there now is where it lay at rest.

    All float64 (3, 3); the watched picture is the table as the old homography shows it.
    """
    rest_from_now = np.linalg.inv(shift.now_from_rest)
    back = table_mm_from_watched_px @ rest_from_now @ np.linalg.inv(table_mm_from_watched_px)
    moved = back @ table_mm_from_image_px
    return np.asarray(moved / moved[2, 2], dtype=np.float64)


def _seconds(t_us: int) -> str:
    return f"{t_us / MICROSECONDS:.1f} s"
