"""Judging the stamps of a source: which to take, where frames are missing, how far to trust the clock."""

from collections import deque
from dataclasses import dataclass, field
from statistics import median_low
from typing import Protocol, runtime_checkable

from referee.clock import ClockGrade

OUTAGE_SLACK_US = 2_000_000
"""Stamps that went on through an outage to within this are of a clock that ran on: opening takes time."""

GAP_PERIODS = 1.5
"""An interval of more than this many periods has lost a frame: halfway between one period and two."""

PERIOD_WINDOW = 121
"""How many intervals the running median looks back over: two seconds at 60 fps."""

RESTART_US = 1_000_000
"""A step back by more than this is a source that began anew, not two frames out of order."""


@dataclass(frozen=True, slots=True)
class StampFaults:
    """What was wrong with the stamps of a source so far."""

    refused: int
    """Frames left out: their stamps repeat or run backwards."""
    restarts: int
    """Times that the source's clock began anew."""


@runtime_checkable
class StampedSource(Protocol):
    """A source that tells what is wrong with its stamps while it is played."""

    @property
    def stamp_faults(self) -> StampFaults:
        """So far."""
        ...


@dataclass(slots=True)
class StampKeeper:
    """Takes stamps in the order in which they come, and gives times that only grow.

    A stamp that repeats or steps back a little is refused. After a step back of more than ``RESTART_US`` the
    source has begun anew: its times are moved on behind the last, and the clock counts as synthesised.

    >>> keeper = StampKeeper()
    >>> [keeper.accept(t) for t in (0, 20_000, 20_000, 40_000)]
    [0, 20000, None, 40000]
    >>> keeper.refused, keeper.period_us, keeper.grade.value
    (1, 20000, 'B')
    """

    synthesised: bool = False
    refused: int = 0
    gaps: int = 0
    restarts: int = 0
    outages: int = 0
    last_us: int | None = None
    """Time of the last frame taken. None: none yet."""
    moved_us: int = 0
    """What is added to stamps to make times."""
    _outage_us: int | None = None
    """The source was away for so long, and the next stamp is the first since. None: it was not."""
    _intervals_us: deque[int] = field(default_factory=lambda: deque(maxlen=PERIOD_WINDOW))

    def accept(self, stamp_us: int) -> int | None:
        """The time of this frame; None if the frame is to be left out."""
        time_us = stamp_us + self.moved_us
        if self.last_us is None:
            self.last_us = time_us
            return time_us
        if self._outage_us is not None:
            return self._accept_after_outage(stamp_us, self.last_us, self._outage_us)
        step_us = time_us - self.last_us
        if step_us < -RESTART_US:
            step_us = self.period_us or 1
            self.moved_us = self.last_us + step_us - stamp_us
            self.restarts += 1
        if step_us <= 0:
            self.refused += 1
            return None
        if self.period_us is not None and step_us > GAP_PERIODS * self.period_us:
            self.gaps += 1
        self._intervals_us.append(step_us)
        self.last_us += step_us
        return self.last_us

    def resume(self, outage_us: int) -> None:
        """The source is back after ``outage_us`` by another clock, counted from its last frame."""
        if self.last_us is not None:
            self._outage_us = outage_us
            self.outages += 1

    def _accept_after_outage(self, stamp_us: int, last_us: int, outage_us: int) -> int:
        """The first time since an outage: by the source's clock if that ran on, else by the outage."""
        step_us = stamp_us + self.moved_us - last_us
        if step_us <= 0 or abs(step_us - outage_us) > OUTAGE_SLACK_US:
            step_us = max(outage_us, 1)
            self.moved_us = last_us + step_us - stamp_us
        self._outage_us = None
        self.last_us = last_us + step_us
        return self.last_us

    @property
    def faults(self) -> StampFaults:
        """What was wrong so far."""
        return StampFaults(self.refused, self.restarts)

    @property
    def period_us(self) -> int | None:
        """The usual time from frame to frame, measured. None: fewer than two frames so far."""
        return median_low(self._intervals_us) if self._intervals_us else None

    @property
    def grade(self) -> ClockGrade:
        """How far these times can be trusted, as far as has been seen."""
        if self.synthesised or self.restarts:
            return ClockGrade.C
        return ClockGrade.B if self.gaps or self.refused or self.outages else ClockGrade.A

    @property
    def notices(self) -> tuple[str, ...]:
        """What was odd about the stamps, one sentence each."""
        found = (
            (self.gaps, "gaps in the frame times: frames may have been dropped there"),
            (self.refused, "frames left out: their time stamps repeat or run backwards"),
            (self.outages, "outages of the source, which came back: nothing is known of the time between"),
            (self.restarts, "restarts of the source's clock: times are made up from there on"),
        )
        return tuple(f"{count} {text}" for count, text in found if count)
