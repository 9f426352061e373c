"""The quantile of a few thousand numbers, without what makes NumPy's own slow for so few."""

from math import floor

import numpy as np
from numpy.typing import NDArray


def quantile(values: NDArray[np.float32], share: float) -> float:
    """The value below which a share, 0..1, of ``values`` lies: float32 (n,), n > 0. As NumPy's.

    >>> quantile(np.array([4, 1, 3, 2], np.float32), 0.5)
    2.5
    """
    place = share * (len(values) - 1)
    below = floor(place)
    above = min(below + 1, len(values) - 1)
    lower, upper = np.partition(values, (below, above))[[below, above]]
    return float(lower + (upper - lower) * np.float64(place - below))
