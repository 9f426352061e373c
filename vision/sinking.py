"""When a card came down: it sank evenly and then lay, as far as its heights in some frames tell.

Cards come down at some speed and stop on what lies below. Of every moment of touch, and of every speed, it is
asked how well the heights that were seen go with it; the touch lies where nearly all of that is.

The numbers below were chosen together on 238 simulated landings at 12.4 Mbit/s (seven clips; the last two
on 339 of ten clips), of which they hold 0.965 and tell 0.90 to two frame periods; the thresholds before them
0.953 and 0.85.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from vision.descent import STRAYED_PX, Seen

LEAST_SIGHTS = 4
"""Fewer sights of a card tell no touch."""
REST_SIGHTS = 3
"""The last so many show it at rest."""
FURTHEST_PX = 16.0
"""A card that is further beside its place is smeared, and its size hardly known."""
LARGEST_EXCESS = 0.02
"""A card that looks larger by more than this is far from its touch: hands do not sink evenly for so long."""
LARGEST_ERROR = 0.0008
"""A size that is less well known tells nothing, and may be that of the next card on top."""
SMALLER = 0.002
"""A card that looks smaller than at rest by this, and than its size is unsure by, is being turned over."""
STEP_PERIODS = 0.04
"""The touch is looked for at moments so far apart."""
SPEEDS = np.exp(np.linspace(np.log(0.05), np.log(0.85), 30))
"""At which cards are taken to sink: excess a second. Under a camera at 1.2 m that is 60 to 1,000 mm/s."""
USUAL_SPEED, SPEED_SPREAD = 0.21, 0.5
"""Middle of those speeds, and the spread of their logarithm."""
STILL_ERROR = 0.0003
"""Standard deviation of the size of a card at rest."""
FIT_ERRORS = 2.0
"""Sizes are off by so many standard errors of the fit: a hand over the card and the codec are not noise."""
HEIGHT_SHARE = 0.05
"""And by this share of the height: what sinks is smeared ..."""
LAG_SHARE = 0.06
"""... and by this share of the height one period before, of which codecs leave some behind."""
HEAVY_TAIL = 8.0
"""Degrees of freedom of Student's distribution: now and then a size is far off."""
TOLD = 0.9
"""The touch is in the interval with this probability, ..."""
SLACK_PERIODS = 0.4
"""... which is longer by this at each end: half an exposure, and what no descent is even enough for."""


@dataclass(frozen=True, slots=True)
class Descent:
    """Between which times a card came down onto its place, in microseconds.

    above_us: until when it was surely higher than at rest. down_us: by when it surely lay.
    """

    above_us: int
    down_us: int


def find_descent(seen: Sequence[Seen], period_us: int) -> Descent | None:
    """When a card came down, from how it is seen in some frames, in order, to after it lay.

    None: it is seen in too few frames, or cannot be told to have been higher before.
    """
    near = _turned_up([s for s in _on_one_way(seen) if _tells(s)])
    if len(near) < LEAST_SIGHTS:
        return None
    first_us, last_us = near[0].t_us, near[-1].t_us
    times = np.array([(s.t_us - first_us) / period_us for s in near])
    touches = np.arange(0.0, times[-1], STEP_PERIODS)
    lower, upper = _shortest(_chances(near, times, touches, period_us))
    if lower == 0 or upper >= len(touches) - 1:
        return None
    above_us = first_us + round((touches[lower] - SLACK_PERIODS) * period_us)
    down_us = first_us + round((touches[upper] + SLACK_PERIODS) * period_us)
    return Descent(above_us, min(down_us, last_us))


def _shortest(chances: NDArray[np.float64]) -> tuple[int, int]:
    """First and last of the fewest successive moments that hold ``TOLD`` of all chances."""
    sums = np.concatenate([[0.0], np.cumsum(chances)])
    ends = np.searchsorted(sums, sums[:-1] + TOLD)
    lengths = np.where(ends < len(sums), ends - np.arange(len(chances)), len(sums))
    first = int(lengths.argmin())
    return first, min(int(ends[first]), len(chances)) - 1


def _chances(
    seen: Sequence[Seen], times: NDArray[np.float64], touches: NDArray[np.float64], period_us: int
) -> NDArray[np.float64]:
    """How probable each moment of touch is, float64 (m,); times and touches in periods."""
    excess = np.array([s.excess for s in seen]) - _at_rest(seen)
    error = np.array([s.error for s in seen])
    speeds = (SPEEDS * period_us / 1e6)[:, None, None]
    ahead = touches[None, :, None] - times
    height, before = speeds * np.maximum(ahead, 0.0), speeds * np.maximum(ahead + 1.0, 0.0)
    variance = (
        STILL_ERROR**2 + (FIT_ERRORS * error) ** 2 + (HEIGHT_SHARE * height) ** 2 + (LAG_SHARE * before) ** 2
    )
    off = (excess - height) ** 2 / variance
    likely = -((HEAVY_TAIL + 1) / 2 * np.log1p(off / HEAVY_TAIL) + np.log(variance) / 2).sum(axis=2)
    likely -= (((np.log(SPEEDS / USUAL_SPEED)) / SPEED_SPREAD) ** 2 / 2)[:, None]
    chances = np.exp(likely - likely.max()).sum(axis=0)
    return np.asarray(chances / chances.sum(), np.float64)


def _tells(sight: Seen) -> bool:
    is_near = sight.shift_px <= FURTHEST_PX and abs(sight.excess) <= LARGEST_EXCESS
    return is_near and sight.error <= LARGEST_ERROR


def _at_rest(seen: Sequence[Seen]) -> float:
    return median(s.excess for s in seen[-REST_SIGHTS:])


def _turned_up(seen: Sequence[Seen]) -> Sequence[Seen]:
    """The sights since the card last looked smaller than at rest: one that is being turned over looks so."""
    if not seen:
        return seen
    rest = _at_rest(seen)
    smaller = [s.excess - rest < -SMALLER - FIT_ERRORS * s.error for s in seen]
    return seen[len(smaller) - smaller[::-1].index(True) :] if any(smaller) else seen


def _on_one_way(seen: Sequence[Seen]) -> Sequence[Seen]:
    """The last sights, as far back as they may be of one card that comes to its place and stays there.

    Further back than one that is nearer to the place again, something else was taken for it.
    """
    furthest_px = 0.0
    for i in range(len(seen) - 1, -1, -1):
        if seen[i].shift_px < furthest_px - STRAYED_PX:
            return seen[i + 1 :]
        furthest_px = max(furthest_px, seen[i].shift_px)
    return seen
