"""How far the picture of the table has moved since the table was at rest: what a knocked camera does."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

BLOCK_PX = 12
"""Side of the parts that are looked for, in pictures at quarter scale: 48 mm at 1 px for each mm."""
AREAS = (6, 4)
"""The table is divided into so many areas across and down, and the part of each that shows most is looked
for: so they lie all over the table, and no hand covers most of them."""
TEXTURE_LEVELS = 9.0
"""A part with a smaller standard deviation shows nothing that could be found again."""
REACH_PX = 16
"""So far, at quarter scale, a part is looked for: 64 mm. A camera knocked further must be set up anew."""
FINE_REACH_PX = 3
"""At half scale it is looked for this much around there, for its place to the fraction of a millimetre."""
MATCH = 0.8
"""Normalised correlation at which a part is found."""
AGREE_PX = 2.5
"""Parts that moved alike agree to within this: 2.5 mm."""
PARTS_AT_LEAST = 5
"""Fewer that agree tell nothing: they may be cards that were moved."""
SHARE_AT_LEAST = 0.6
"""Of the parts that are found, so many must have moved alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """now_from_rest: float64 (3, 3), a similarity between pixels of the watched picture.

    distance_px: how far the parts that were found moved, on the mean.
    """

    now_from_rest: NDArray[np.float64]
    distance_px: float
    parts: int
    """How many agree."""


def find_shift(rest: NDArray[np.uint8], now: NDArray[np.uint8]) -> Shift | None:
    """How the picture at rest (uint8 (h, w)) lies in the one of now. None: cannot be told.

    Hands, cards that were moved and another light do not matter as long as most of the table is seen.
    """
    scales = tuple((_scaled(rest, parts), _scaled(now, parts)) for parts in (4, 2))
    found = [
        (corner, place)
        for corner in _blocks(scales[0][0])
        if (place := _place_of(scales, corner)) is not None
    ]
    if len(found) < PARTS_AT_LEAST:
        return None
    middle_px = 2 * BLOCK_PX  # A part that is turned a little is found by its middle.
    rest_px = 4 * np.array([corner for corner, _ in found], np.float64) + middle_px
    now_px = 2 * np.array([place for _, place in found], np.float64) + middle_px
    cv2.setRNGSeed(0)  # RANSAC draws from it: the same pictures give the same shift.
    matrix, inliers = cv2.estimateAffinePartial2D(
        rest_px, now_px, method=cv2.RANSAC, ransacReprojThreshold=AGREE_PX, maxIters=500
    )
    if matrix is None:
        return None
    agree = inliers.ravel() > 0
    if agree.sum() < max(PARTS_AT_LEAST, SHARE_AT_LEAST * len(found)):
        return None
    distance_px = float(np.hypot(*(now_px - rest_px)[agree].T).mean())
    now_from_rest = np.vstack([matrix, [0, 0, 1]]).astype(np.float64)
    return Shift(now_from_rest, distance_px, int(agree.sum()))


def _scaled(picture: NDArray[np.uint8], parts: int) -> NDArray[np.uint8]:
    size = (picture.shape[1] // parts, picture.shape[0] // parts)
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _blocks(picture: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Left and top of the part with the most texture in each area of the table."""
    height, width = picture.shape
    rows, columns = height // BLOCK_PX, width // BLOCK_PX
    cut = picture[: rows * BLOCK_PX, : columns * BLOCK_PX].astype(np.float32)
    deviation = cut.reshape(rows, BLOCK_PX, columns, BLOCK_PX).std(axis=(1, 3))
    best: list[tuple[int, int]] = []
    for row_part in np.array_split(np.arange(rows), AREAS[1]):
        for column_part in np.array_split(np.arange(columns), AREAS[0]):
            area = deviation[np.ix_(row_part, column_part)]
            if area.size and area.max() >= TEXTURE_LEVELS:
                row, column = np.unravel_index(area.argmax(), area.shape)
                best.append((int(column_part[column]) * BLOCK_PX, int(row_part[row]) * BLOCK_PX))
    return best


def _place_of(
    scales: tuple[tuple[NDArray[np.uint8], NDArray[np.uint8]], ...], corner: tuple[int, int]
) -> tuple[float, float] | None:
    """Where a part of the picture at rest lies now: left and top at half scale. None: it is not found."""
    coarse = _match(*scales[0], corner, corner, BLOCK_PX, REACH_PX)
    if coarse is None:
        return None
    guess = (round(2 * coarse[0]), round(2 * coarse[1]))
    return _match(*scales[1], (2 * corner[0], 2 * corner[1]), guess, 2 * BLOCK_PX, FINE_REACH_PX)


def _match(
    rest: NDArray[np.uint8],
    now: NDArray[np.uint8],
    corner: tuple[int, int],
    guess: tuple[int, int],
    side_px: int,
    reach_px: int,
) -> tuple[float, float] | None:
    """The best place of a part within reach of a guess. None: none is good enough."""
    part = rest[corner[1] : corner[1] + side_px, corner[0] : corner[0] + side_px]
    left, top = max(0, guess[0] - reach_px), max(0, guess[1] - reach_px)
    window = now[top : guess[1] + side_px + reach_px, left : guess[0] + side_px + reach_px]
    if window.shape[0] < side_px or window.shape[1] < side_px or part.shape != (side_px, side_px):
        return None
    match = cv2.matchTemplate(window, part, cv2.TM_CCOEFF_NORMED).astype(np.float32, copy=False)
    _, best, _, (x, y) = cv2.minMaxLoc(match)
    if best < MATCH:
        return None
    return (
        float(left + x + _peak(match[y, max(0, x - 1) : x + 2], x)),
        float(top + y + _peak(match[max(0, y - 1) : y + 2, x], y)),
    )


def _peak(values: NDArray[np.float32], at: int) -> float:
    """Where between three values a parabola through them is highest, from the middle one; 0 at a border."""
    if len(values) < 3 or at == 0:
        return 0.0
    before, middle, after = (float(v) for v in values)
    bend = before - 2 * middle + after
    return 0.0 if bend >= 0 else 0.5 * (before - after) / bend
