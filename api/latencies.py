"""How long verdicts took, counted in buckets."""

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import accumulate

BUCKETS_S = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
"""A verdict follows its touch within about half a second; the collection window alone takes 0.1 s."""


@dataclass(slots=True)
class Latencies:
    """A tally of times."""

    sum_s: float = 0.0
    _counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_S) + 1))

    def add(self, seconds: float) -> None:
        """Count one.

        >>> tally = Latencies(); tally.add(0.3); tally.add(99); tally.cumulative
        (0, 0, 1, 1, 1, 1, 1, 2)
        """
        self._counts[bisect_left(BUCKETS_S, seconds)] += 1
        self.sum_s += seconds

    @property
    def cumulative(self) -> tuple[int, ...]:
        """How many were at most each bucket's limit, then how many there are."""
        return tuple(accumulate(self._counts))
