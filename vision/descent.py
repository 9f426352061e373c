"""How high over its place a card still is: its apparent size, against its size at rest.

A camera over the table sees a card that is nearer to it larger, by 0.06 to 0.12 % for each millimetre. The
card's picture at rest is laid over a frame by a similarity (shift, turn, size) that makes them alike, pixel
by pixel, hands left out: the method of Lucas and Kanade, with Tukey's weights. On simulated landings at
1 px/mm the size came out to 0.03 % (median) in the last frame before the touch and to 0.01 % at rest; shifts
of matched blocks gave 0.09 and 0.04 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quantile import quantile

BLURS_PX = (1.5, 0.8)
"""Both pictures are smoothed by so much, one after the other: moving cards are smeared by themselves."""
EVERY = (4, 1)
"""Of the card's pixels every so many-th is compared at each smoothing: the first only says where to begin."""
ONE_START_PX = 1.0
"""Two places to look for a card that lie no further apart are one: either leads to the same."""
STEPS = 14
"""Most improvements at each smoothing."""
ENOUGH_PX = 0.003
"""An improvement that moves the card's rim by less is the last."""
RIM_PX = 3
"""Rim of the card that is left out: what lies around it is another picture, and smears over it while the card
moves. One to two frames before a touch nine of ten simulated sizes are known to 0.5 %, with 2 px to 0.8."""
LEAST_PX = 500
"""Fewer pixels than this tell no size: a fifth of a card's index side."""
TUKEY = 4.685
"""Deviations that a pixel may be off by before it is left out: 95 % efficient where nothing is hidden."""
SURE, SURE_DEVIATIONS = 0.3, 0.385
"""So many pixels are of the card, not of a hand over it; they are off by no more standard deviations."""
HIDDEN_LEVELS = 30.0
"""A pixel that is off by more is under a hand: two fits are compared as if it were off by this."""
LEAST_LEVELS = 2.0
"""Standard deviation in grey levels that is never undercut: the camera's noise."""
STRAYED_PX = 4.0
"""A fit this far from where the card was looked for is of something else ..."""
LARGEST_EXCESS = 0.04
"""... and so is one of another size than a card has 6 cm over its place, under a camera at 1.5 m."""
LEAST_SHARE = 0.2
"""A fit that leaves out more than the rest of the pixels is of something else."""

ON_END_PERIODS = 1.7
"""Two frames are on end when they are no further apart: frame times of phones vary by as much."""

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Seen:
    """A card in one frame. excess: apparent size less 1, 0 at rest. right_px, down_px: from its place.

    error: standard error of ``excess``, as far as the fit tells.
    """

    t_us: int
    excess: float
    right_px: float
    down_px: float
    error: float

    @property
    def shift_px(self) -> float:
        """How far from its place."""
        return float(np.hypot(self.right_px, self.down_px))


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The card at rest at one smoothing: values (n,), and what each of six parameters changes (n, 6).

    x, y: (n,), from the card's middle. least_px: fewer of the pixels than this tell no size.
    """

    blur_px: float
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    values: NDArray[np.float32]
    changes: NDArray[np.float32]
    least_px: int


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """pose: size, turn, shift right and down, contrast and light. misfit: in grey levels, on average.

    size_error: standard error of the size. likeness: correlation of what is not hidden, -1 to 1.
    """

    pose: NDArray[np.float64]
    misfit: float
    size_error: float
    likeness: float


class RestingCard:
    """A card's picture at rest, to find again in earlier frames of the same place."""

    def __init__(self, grey: Grey, mask: Grey) -> None:
        """``grey``: the place at rest; ``mask``: 255 where the card is; both uint8 (h, w)."""
        side = 2 * RIM_PX + 1
        inner = cv2.erode(mask, np.ones((side, side), np.uint8), borderValue=0)
        rows, columns = np.nonzero(inner)
        self.is_large_enough = len(rows) >= LEAST_PX
        if not self.is_large_enough:
            return
        self._centre = np.array([columns.mean(), rows.mean()], np.float32)
        x, y = columns - self._centre[0], rows - self._centre[1]
        self._reach_px = float(np.hypot(x, y).max())
        self._levels = [
            self._level(grey, rows[::every], columns[::every], blur, LEAST_PX // every)
            for blur, every in zip(BLURS_PX, EVERY, strict=True)
        ]

    def _level(
        self,
        grey: Grey,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
        blur_px: float,
        least_px: int,
    ) -> _Level:
        smooth = _smoothed(grey, blur_px)
        x = (columns - self._centre[0]).astype(np.float32)
        y = (rows - self._centre[1]).astype(np.float32)
        gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3, scale=0.125)[rows, columns]
        gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)[rows, columns]
        values = smooth[rows, columns]
        contrast = values - values.mean()
        by_size, by_turn = gx * x + gy * y, gy * x - gx * y
        changes = np.stack([by_size, by_turn, gx, gy, contrast, np.ones_like(values)], axis=1)
        return _Level(blur_px, x, y, values, changes.astype(np.float32), least_px)

    def seen_in(
        self, t_us: int, frame: Grey, starts_px: Sequence[tuple[float, float]], least_likeness: float = -1.0
    ) -> Seen | None:
        """The card in ``frame``, uint8 (h, w), looked for around shifts (right, down) from its place.

        None: it is seen at none of them, or what is seen correlates less than ``least_likeness`` with it.
        Where it seems to be at more than one, as pips repeat, the better fit counts.
        """
        poses = [(np.array([0.0, 0.0, *start, 0.0, 0.0]), start) for start in _apart(starts_px)]
        best: _Fit | None = None
        for level in self._levels:
            smooth = _smoothed(frame, level.blur_px)
            fits = [(self._laid_over(smooth, level, pose), start) for pose, start in poses]
            good = [(fit, start) for fit, start in fits if fit is not None and not _strayed(fit.pose, start)]
            if not good:
                return None
            best, start = min(good, key=lambda each: each[0].misfit)
            poses = [(best.pose, start)]
        if best is None or best.likeness < least_likeness:
            return None
        size, turn, right, down = (float(v) for v in best.pose[:4])
        return Seen(t_us, float(np.hypot(1 + size, turn)) - 1, right, down, best.size_error)

    def _laid_over(
        self, frame: NDArray[np.float32], level: _Level, start: NDArray[np.float64]
    ) -> _Fit | None:
        """The card at rest, laid over the frame so that they are alike, as far as no hand is over it."""
        pose = start.copy()
        for _ in range(STEPS):
            off, is_inside = self._misfit(frame, level, pose)
            if is_inside.sum() < level.least_px:
                return None
            spread = max(quantile(np.abs(off[is_inside]), SURE) / SURE_DEVIATIONS, LEAST_LEVELS)
            ratio = off / (TUKEY * spread)
            weights = np.where(is_inside & (np.abs(ratio) < 1), (1 - ratio**2) ** 2, 0)
            if weights.mean() < LEAST_SHARE:
                return None
            weighted = level.changes * weights[:, None]
            normal = level.changes.T @ weighted + 1e-6 * np.eye(6, dtype=np.float32)
            step = np.linalg.solve(normal.astype(np.float64), (weighted.T @ off).astype(np.float64))
            pose += np.concatenate([-step[:4], step[4:]])
            if max(np.abs(step[:2]).max() * self._reach_px, np.abs(step[2:4]).max()) < ENOUGH_PX:
                break
        off, is_inside = self._misfit(frame, level, pose)
        misfit = float(np.minimum(np.abs(off[is_inside]), HIDDEN_LEVELS).mean())
        spread = float(np.sqrt(np.average(off**2, weights=weights)))
        error = spread * float(np.sqrt(np.linalg.inv(normal.astype(np.float64))[0, 0]))
        contrast = float(np.sqrt(np.cov(level.values, aweights=weights)))
        return _Fit(pose, misfit, error, 1 - spread**2 / max(spread**2, 2 * contrast**2))

    def _misfit(
        self, frame: NDArray[np.float32], level: _Level, pose: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """By how much the frame is off at each pixel of the card, (n,), and which of them are in it."""
        size, turn, right, down, contrast, light = (float(v) for v in pose)
        x = (self._centre[0] + right + (1 + size) * level.x - turn * level.y).astype(np.float32)
        y = (self._centre[1] + down + turn * level.x + (1 + size) * level.y).astype(np.float32)
        height, width = frame.shape
        is_inside = (x > 1) & (y > 1) & (x < width - 2) & (y < height - 2)
        found = cv2.remap(frame, x[None], y[None], cv2.INTER_CUBIC).ravel()  # As a column: 50 times slower
        expected = level.values + contrast * level.changes[:, 4] + light
        return np.asarray(found - expected, np.float32), is_inside


def _smoothed(grey: Grey, blur_px: float) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(grey.astype(np.float32), (0, 0), blur_px), np.float32)


def _apart(starts_px: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of places to look for a card each once; the later of two near ones, which is known more exactly."""
    return [
        one
        for i, one in enumerate(starts_px)
        if all(np.hypot(one[0] - o[0], one[1] - o[1]) > ONE_START_PX for o in starts_px[i + 1 :])
    ]


def _strayed(pose: NDArray[np.float64], start_px: tuple[float, float]) -> bool:
    is_far = np.hypot(pose[2] - start_px[0], pose[3] - start_px[1]) > STRAYED_PX
    return bool(is_far or abs(np.hypot(1 + pose[0], pose[1]) - 1) > LARGEST_EXCESS)
