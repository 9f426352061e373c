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


TOLD_BEHIND_S = 2.0
"""A match this far behind real time is told of: well past a hiccup of the machine, and a person notices."""


class RealTime:
    """Holds frames back until their time has come, counted from the first frame.

    ``tell`` gets one line, once, when the frames have fallen ``TOLD_BEHIND_S`` behind.
    """

    def __init__(
        self,
        wish: StopWish,
        clock_s: Callable[[], float] = time.monotonic,
        *,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._wish = wish
        self._clock_s = clock_s
        self._tell = tell
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
        elif ahead_s < -TOLD_BEHIND_S and self._tell is not None:
            self._tell(f"this computer plays it slower than real time: {-ahead_s:.0f} s behind so far")
            self._tell = None


class FullSpeed:
    """Holds nothing back."""

    def wait_for(self, t_us: int) -> None:
        """Return at once."""


Pacer = RealTime | FullSpeed


def pacer_of(pace: Pace, wish: StopWish, tell: Callable[[str], None] | None = None) -> Pacer:
    """What keeps this pace, and tells where it cannot."""
    return RealTime(wish, tell=tell) if pace is Pace.REAL else FullSpeed()
