"""How fast a recording is played: as it happened, or as fast as it can be judged."""

import time
from collections.abc import Callable
from enum import StrEnum

from api.stopping import StopWish


class Pace(StrEnum):
    """The two ways to play a recording. What is seen and ruled is the same."""

    REAL = "real"
    """As it happened, by the frames' own times."""
    FAST = "fast"
    """As fast as it can be judged."""


class RealTime:
    """Holds frames back until their time has come, counted from the first frame."""

    def __init__(self, wish: StopWish, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._wish = wish
        self._clock_s = clock_s
        self._offset_s: float | None = None
        """Monotonic clock minus frame time. None: before the first frame."""

    def wait_for(self, t_us: int) -> None:
        """Return when the frame of time ``t_us`` is due; at once where it is late or an end was asked for."""
        now_s = self._clock_s()
        if self._offset_s is None:
            self._offset_s = now_s - t_us / 1e6
        ahead_s = t_us / 1e6 + self._offset_s - now_s
        if ahead_s > 0:
            self._wish.wait(ahead_s)


class FullSpeed:
    """Holds nothing back."""

    def wait_for(self, t_us: int) -> None:
        """Return at once."""


Pacer = RealTime | FullSpeed


def pacer_of(pace: Pace, wish: StopWish) -> Pacer:
    """What keeps this pace."""
    return RealTime(wish) if pace is Pace.REAL else FullSpeed()
