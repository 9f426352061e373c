"""Time as the referee knows it: integer microseconds, and intervals instead of instants."""

from dataclasses import dataclass
from enum import StrEnum


class ClockGrade(StrEnum):
    """How far the frame times can be trusted. A tie is callable on A and B only."""

    A = "A"
    """The driver's or container's own times, without gaps."""
    B = "B"
    """The same, with gaps (dropped frames)."""
    C = "C"
    """Synthesised."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Closed ``[start_us, end_us]`` in microseconds: an instant known to lie between the two (E1).

    For a touch: the last frame surely without contact, and the first frame surely with it.
    """

    start_us: int
    end_us: int

    def __post_init__(self) -> None:
        if self.end_us < self.start_us:
            raise ValueError(f"an interval ends before it starts: {self.start_us} .. {self.end_us} us")

    @property
    def width_us(self) -> int:
        """How much is not known, in microseconds."""
        return self.end_us - self.start_us
