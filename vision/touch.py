"""Looking back for when one look of a pile gave way to another.

Looks are compared cell by cell. A cell *tells* when the two looks differ in it; a frame in which enough
telling cells show the later look has the card in its place, whatever the hand covers of the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.settings import WatchSettings


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A part of the watched picture at one time. grey: uint8 (h, w)."""

    t_us: int
    grey: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Crossing:
    """The frames between which one look gave way to another."""

    last_before_us: int | None
    """The last frame that surely shows the earlier look. None: none of the frames kept does."""
    first_after_us: int | None
    """The first frame that surely shows the later look. None: cannot be told."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Statistics of a picture's cells, float32 (k,) each, or (k, n) for the pixels."""

    deviations: NDArray[np.float32]
    mean: NDArray[np.float32]
    norm: NDArray[np.float32]


def _cells_of(grey: NDArray[np.uint8], side_px: int) -> _Cells:
    rows, columns = grey.shape[0] // side_px, grey.shape[1] // side_px
    cut = grey[: rows * side_px, : columns * side_px].astype(np.float32)
    cells = cut.reshape(rows, side_px, columns, side_px).swapaxes(1, 2).reshape(rows * columns, -1)
    mean = cells.mean(axis=1, dtype=np.float32)
    deviations = cells - mean[:, None]
    return _Cells(deviations, mean, np.sqrt((deviations**2).sum(axis=1)))


def _alike(one: _Cells, other: _Cells, settings: WatchSettings) -> NDArray[np.bool_]:
    """Bool (k,): in which cells two pictures show the same thing, up to a shadow."""
    norms = one.norm * other.norm
    correlation = (one.deviations * other.deviations).sum(axis=1) / np.maximum(norms, 1e-3)
    contrast = one.norm / np.maximum(other.norm, 1e-3)
    shade = np.abs(one.mean - other.mean)
    return np.asarray(
        (correlation >= settings.cell_match)
        & (contrast > 0.5)
        & (contrast < 2.0)
        & (shade <= settings.cell_shade_levels)
    )


def _textured(cells: _Cells, settings: WatchSettings) -> NDArray[np.bool_]:
    floor = settings.cell_texture_levels * settings.cell_px
    return np.asarray(cells.norm >= floor)


def _inside(mask: NDArray[np.uint8], settings: WatchSettings) -> NDArray[np.bool_]:
    return np.asarray(_cells_of(mask, settings.cell_px).mean > 127)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Shares (n,) of the telling cells that show the earlier and the later look, for each of n frames."""

    times_us: tuple[int, ...]
    earlier: NDArray[np.float64]
    later: NDArray[np.float64]
    telling_earlier: int
    telling_later: int


def compare(
    frames: Sequence[Patch],
    earlier: NDArray[np.uint8] | None,
    later: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    settings: WatchSettings,
) -> Comparison:
    """How far each frame shows the earlier and the later look, inside ``mask``; all uint8 (h, w).

    Without an earlier look all textured cells of the later one tell.
    """
    side_px = settings.cell_px
    inside = _inside(mask, settings)
    after = _cells_of(later, side_px)
    tells_later = inside & _textured(after, settings)
    before = None
    tells_earlier = np.zeros_like(tells_later)
    if earlier is not None:
        before = _cells_of(earlier, side_px)
        differs = ~_alike(before, after, settings)
        tells_later &= differs
        tells_earlier = inside & _textured(before, settings) & differs
    shares = np.zeros((2, len(frames)))
    for i, frame in enumerate(frames):
        cells = _cells_of(frame.grey, side_px)
        shares[1, i] = _share(_alike(cells, after, settings), tells_later)
        if before is not None:
            shares[0, i] = _share(_alike(cells, before, settings), tells_earlier)
    return Comparison(
        tuple(frame.t_us for frame in frames),
        shares[0],
        shares[1],
        int(tells_earlier.sum()),
        int(tells_later.sum()),
    )


def _share(alike: NDArray[np.bool_], telling: NDArray[np.bool_]) -> float:
    count = int(telling.sum())
    return float((alike & telling).sum() / count) if count else 0.0


def find_arrival(comparison: Comparison, settings: WatchSettings) -> Crossing:
    """When a card came: the first frame with it in its place, and the last before that surely without."""
    if comparison.telling_later < settings.cells_at_least:
        return Crossing(None, None)
    is_with = comparison.later >= settings.with_share
    is_without = comparison.later <= settings.without_share
    if comparison.telling_earlier >= settings.cells_at_least:
        is_without |= (comparison.earlier >= settings.with_share) & ~is_with
        still_the_earlier = np.flatnonzero((comparison.earlier >= settings.with_share) & ~is_with)
        if len(still_the_earlier):
            is_with[: still_the_earlier[-1] + 1] = False
    with_frames = np.flatnonzero(is_with)
    if not len(with_frames):
        return Crossing(None, None)
    first = int(with_frames[0])
    without_frames = np.flatnonzero(is_without[:first])
    last_us = comparison.times_us[int(without_frames[-1])] if len(without_frames) else None
    return Crossing(last_us, comparison.times_us[first])


def find_departure(comparison: Comparison, settings: WatchSettings) -> Crossing:
    """When a card went: the last frame with it in its place, and the first after that surely without."""
    if comparison.telling_earlier < settings.cells_at_least:
        return Crossing(None, None)
    there = np.flatnonzero(comparison.earlier >= settings.with_share)
    last = int(there[-1]) if len(there) else -1
    is_gone = (comparison.earlier <= settings.without_share) & (comparison.later >= settings.with_share)
    if comparison.telling_later < settings.cells_at_least:
        is_gone = comparison.earlier <= settings.without_share
    gone = np.flatnonzero(is_gone[last + 1 :])
    last_us = comparison.times_us[last] if last >= 0 else None
    return Crossing(last_us, comparison.times_us[last + 1 + int(gone[0])] if len(gone) else None)


def agreement(
    one: NDArray[np.uint8], other: NDArray[np.uint8], mask: NDArray[np.uint8], settings: WatchSettings
) -> float | None:
    """Share of the textured cells inside ``mask`` that look alike. None: too few to tell."""
    first, second = _cells_of(one, settings.cell_px), _cells_of(other, settings.cell_px)
    telling = _inside(mask, settings) & (_textured(first, settings) | _textured(second, settings))
    if int(telling.sum()) < settings.cells_at_least:
        return None
    return _share(_alike(first, second, settings), telling)
