"""Pictures whose pixels are not square: by how much the cards in them are squeezed.

Uploads and data sets are often brought to a square by squeezing, and a camera that looks on from the side
shows a table lower than it is. A card is known to be a rectangle of 88 by 63 mm: the stretch of the picture
that makes most of what was located right-angled, and cards that lie open as long as a card, undoes it.
"""

import numpy as np
from numpy.typing import NDArray

STRETCHES: NDArray[np.float64] = np.exp(np.linspace(np.log(0.45), np.log(2.2), 65))
"""Of the width against the height, that are tried."""
CARD_ASPECT = 88 / 63
ASPECT_SPREAD = 0.06
"""Of the logarithm of a whole card's aspect, as aligned; the narrower bridge cards are 0.097 away."""
SKEW_SPREAD_DEG = 4.0
"""Of the angle between a card's sides, as aligned."""
PART_WEIGHT = 0.25
"""What a right angle alone counts, as of a card that is half covered, against a card of the right aspect."""
LEAST_CARDS = 3
"""Fewer are read however they are squeezed: a second look told no more of them, and two names too many of 64
framed jumbo cards."""
LEAST_GAIN = 0.2
"""A stretch must fit by so much better than none, in cards. With 0.5 two looks at synthetic scenes gave 0.774
/ 0.907 where they give 0.775 / 0.914 (``models.two_looks``)."""
LEAST_STRETCH = 0.13
"""A smaller one, as a logarithm, disturbs no reading: 14 %."""


def stretch_for(quads_px: NDArray[np.float32]) -> float | None:
    """By how much to stretch the width of a picture so that its cards are of a card's shape.

    ``quads_px``: float32 (n, 4, 2), corners of visible parts of cards. None: they fit as they are, or nothing
    fits better, or there are fewer than ``LEAST_CARDS``. Strips of covered cards that all lie straight may
    pass for squeezed whole ones: what is seen in the picture as it is must still count.

    >>> upright = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
    >>> row = np.stack([upright + (x, 0) for x in (0, 70, 140)]).astype(np.float32)
    >>> stretch_for(row) is None
    True
    >>> round(stretch_for(row * np.float32([0.6, 1])), 1)
    1.7
    """
    if len(quads_px) < LEAST_CARDS:
        return None
    fits = _fits(quads_px)
    best = int(fits.argmax())
    as_it_is = fits[int(np.abs(np.log(STRETCHES)).argmin())]
    is_better = fits[best] - as_it_is >= LEAST_GAIN and abs(np.log(STRETCHES[best])) >= LEAST_STRETCH
    return float(STRETCHES[best]) if is_better else None


def _fits(quads_px: NDArray[np.float32]) -> NDArray[np.float64]:
    """How well the cards fit at each stretch, float64 (stretches,), in cards."""
    quads = quads_px.astype(np.float64)
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 2] - quads[:, 1] + quads[:, 3] - quads[:, 0]) / 2
    width = np.stack([STRETCHES, np.ones_like(STRETCHES)], axis=1)[:, None]
    across, down = across * width, down * width
    first = np.maximum(np.linalg.norm(across, axis=2), 1e-6)
    second = np.maximum(np.linalg.norm(down, axis=2), 1e-6)
    skew_deg = np.degrees(np.arcsin(np.clip((across * down).sum(axis=2) / (first * second), -1, 1)))
    aspect = np.abs(np.log(first / second))
    is_whole = np.exp(-0.5 * ((aspect - np.log(CARD_ASPECT)) / ASPECT_SPREAD) ** 2)
    return np.asarray(
        (np.exp(-0.5 * (skew_deg / SKEW_SPREAD_DEG) ** 2) * (is_whole + PART_WEIGHT)).sum(axis=1), np.float64
    )
