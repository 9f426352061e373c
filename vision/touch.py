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


def _correlation(one: _Cells, other: _Cells) -> NDArray[np.float32]:
    norms = np.maximum(one.norm * other.norm, 1e-3)
    return np.asarray((one.deviations * other.deviations).sum(axis=1) / norms, dtype=np.float32)


def _alike(one: _Cells, other: _Cells, settings: WatchSettings) -> NDArray[np.bool_]:
    """In which cells two pictures show the same thing, up to a shadow: bool (k,)."""
    correlation = _correlation(one, other)
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
    later_error: NDArray[np.float64]
    """1 - correlation with the later look, that of the best ``with_share`` of its telling cells or better."""
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
        differs = _correlation(before, after) < settings.cell_differs
        tells_later &= differs
        tells_earlier = inside & _textured(before, settings) & differs
    shares = np.zeros((2, len(frames)))
    errors = np.ones(len(frames))
    for i, frame in enumerate(frames):
        cells = _cells_of(frame.grey, side_px)
        shares[1, i] = _share(_alike(cells, after, settings), tells_later)
        if tells_later.any():
            fits = _correlation(cells, after)[tells_later]
            errors[i] = 1 - float(np.quantile(fits, 1 - settings.with_share))
        if before is not None:
            shares[0, i] = _share(_alike(cells, before, settings), tells_earlier)
    return Comparison(
        tuple(frame.t_us for frame in frames),
        shares[0],
        shares[1],
        errors,
        int(tells_earlier.sum()),
        int(tells_later.sum()),
    )


def _share(alike: NDArray[np.bool_], telling: NDArray[np.bool_]) -> float:
    count = int(telling.sum())
    return float((alike & telling).sum() / count) if count else 0.0


def find_arrival(comparison: Comparison, settings: WatchSettings) -> Crossing:
    """When a card came: the first frame in which it lies, and the last before that surely without.

    A card that is still above its place, or slides, shows up as a misfit that shrinks; it lies when the
    misfit has stopped shrinking.
    """
    if comparison.telling_later < settings.cells_at_least:
        return Crossing(None, None)
    error = comparison.later_error
    is_near = error <= settings.near_error
    shows_earlier = np.zeros_like(is_near)
    if comparison.telling_earlier >= settings.cells_at_least:
        shows_earlier = (comparison.earlier >= settings.with_share) & ~is_near
        is_near[: _last_true(shows_earlier) + 1] = False
    if not is_near.any():
        return Crossing(None, None)
    near = int(is_near.argmax())
    first = near + _first_at_rest(error[near:], comparison.times_us[near:], settings)
    last = _last_true((error[:first] >= settings.displaced_error) | shows_earlier[:first])
    last_us = comparison.times_us[last] if last >= 0 else None
    return Crossing(last_us, comparison.times_us[first])


def _first_at_rest(error: NDArray[np.float64], times_us: tuple[int, ...], settings: WatchSettings) -> int:
    """The first frame whose misfit is about the least that it comes to within ``rest_us``."""
    soon = np.array(times_us) <= times_us[0] + settings.rest_us
    least = float(error[soon].min())
    return int((error[soon] <= settings.rest_factor * least + settings.rest_error).argmax())


def time_in_place_us(comparison: Comparison, settings: WatchSettings) -> int:
    """For how long without a break the later look was in its place to the half millimetre, at most."""
    longest_us = 0
    start_us: int | None = None
    for t_us, error in zip(comparison.times_us, comparison.later_error, strict=True):
        if error >= settings.displaced_error:
            start_us = None
            continue
        start_us = t_us if start_us is None else start_us
        longest_us = max(longest_us, t_us - start_us)
    return longest_us


def _last_true(flags: NDArray[np.bool_]) -> int:
    """Index of the last that is set; -1 if none is."""
    found = np.flatnonzero(flags)
    return int(found[-1]) if len(found) else -1


def find_showing(comparison: Comparison, settings: WatchSettings) -> Crossing:
    """When something began to show of which little can be seen: it shows in every frame from then on."""
    if comparison.telling_later < settings.cells_at_least:
        return Crossing(None, None)
    hidden = _last_true(comparison.later <= settings.without_share)
    shows = np.flatnonzero(comparison.later[hidden + 1 :] >= settings.showing_share)
    if not len(shows):
        return Crossing(None, None)
    last_us = comparison.times_us[hidden] if hidden >= 0 else None
    return Crossing(last_us, comparison.times_us[hidden + 1 + int(shows[0])])


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


def persistent_cells(
    one: NDArray[np.uint8],
    other: NDArray[np.uint8],
    known: Sequence[NDArray[np.uint8]],
    mask: NDArray[np.uint8],
    settings: WatchSettings,
) -> int:
    """How many textured cells two pictures share that none of the known ones shows."""
    side_px = settings.cell_px
    first, second = _cells_of(one, side_px), _cells_of(other, side_px)
    shared = _inside(mask, settings) & _textured(second, settings) & _alike(first, second, settings)
    for picture in known:
        shared &= ~_alike(second, _cells_of(picture, side_px), settings)
    return int(shared.sum())
