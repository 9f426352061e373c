"""Looking back for when one look of a pile gave way to another.

Looks are compared cell by cell. A cell *tells* when the two looks differ in it; a frame in which enough
telling cells show the later look has the card in its place, whatever the hand covers of the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quantile import quantile
from vision.settings import WatchSettings

LOOKED_FOR = 12
"""Frames before a card lies in which it is looked for beside its place."""

UNSEEN_FRAMES = 12
"""A card that is turned up where it lies is not hidden again for longer: fingers let go of it within less."""

BLOCK_PX = 16
"""Side of the parts of a card that are looked for ..."""

BLOCKS = 8
"""... so many of them, those with the most in them ..."""

BLOCKS_AGREE = 3
"""... of which so many must be found at one shift ..."""

AGREE_PX = 3.0
"""... to within this: a card that comes down is turned and larger by a little."""

BLOCK_MATCH = 0.75
"""Normalised correlation at which a part is found, moving and lit otherwise."""

AWAY_PX = (1.5, 28)
"""A card is beside its place from so far on; it is looked for no further away than this."""

Block = tuple[int, int]
"""Row and column at which a part of a card begins, ``BLOCK_PX`` wide and tall."""


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
    is_measured: bool = False
    """The times hold by how high the card was seen to be: exposure and unseen heights are in them."""


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


def _alike(
    one: _Cells, other: _Cells, settings: WatchSettings, correlation: NDArray[np.float32] | None = None
) -> NDArray[np.bool_]:
    """In which cells two pictures show the same thing, up to a shadow: bool (k,).

    correlation: of the cells, where it is known already.
    """
    correlation = _correlation(one, other) if correlation is None else correlation
    contrast = one.norm / np.maximum(other.norm, 1e-3)
    shade = np.abs(one.mean - other.mean)
    return np.asarray(
        (correlation >= settings.cell_match)
        & (contrast > 0.5)
        & (contrast < 2.0)
        & (shade <= settings.cell_shade_levels)
    )


def _as_bare(one: _Cells, other: _Cells, settings: WatchSettings) -> NDArray[np.bool_]:
    """In which cells a picture shows as little as another one, as bright: bool (k,)."""
    is_as_bright = np.abs(one.mean - other.mean) <= settings.bare_levels
    return np.asarray(is_as_bright & ~_textured(one, settings))


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
    bare: NDArray[np.float64]
    """Of the telling cells that are bare in the earlier look, the share that is as bare, and as bright."""
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
    is_bare = np.zeros_like(tells_later) if before is None else tells_later & ~_textured(before, settings)
    shares = np.zeros((3, len(frames)))
    errors = np.ones(len(frames))
    does_any_tell = bool(tells_later.any())
    for i, frame in enumerate(frames):
        cells = _cells_of(frame.grey, side_px)
        correlation = _correlation(cells, after)
        shares[1, i] = _share(_alike(cells, after, settings, correlation), tells_later)
        if does_any_tell:
            fits = correlation[tells_later]
            errors[i] = 1 - quantile(fits, 1 - settings.with_share)
        if before is not None:
            shares[0, i] = _share(_alike(cells, before, settings), tells_earlier)
            shares[2, i] = _share(_as_bare(cells, before, settings), is_bare)
    return Comparison(
        tuple(frame.t_us for frame in frames),
        shares[0],
        shares[1],
        errors,
        shares[2],
        int(tells_earlier.sum()),
        int(tells_later.sum()),
    )


def _share(alike: NDArray[np.bool_], telling: NDArray[np.bool_]) -> float:
    count = int(telling.sum())
    return float((alike & telling).sum() / count) if count else 0.0


def find_arrival(
    comparison: Comparison,
    settings: WatchSettings,
    sees_beside: Callable[[int], bool] | None = None,
    *,
    is_turned_up: bool = False,
) -> Crossing:
    """When a card came: the first frame in which it lies, and the last before that surely without.

    A card that is still above its place, or slides, shows up as a misfit that shrinks; it lies when the
    misfit has stopped shrinking. A frame is surely without it where it shows the earlier look, or the card
    beside its place; one that shows neither, as a hand covers both, tells nothing. ``sees_beside`` looks for
    the card further away in the frame of that index. A card that is turned up where it lies stays to be seen
    (``is_turned_up``): what resembled it for a moment, long before, was the one that left.
    """
    if comparison.telling_later < settings.cells_at_least:
        return Crossing(None, None)
    error = comparison.later_error
    is_near = error <= settings.near_error
    shows_earlier = (comparison.bare >= settings.bare_share) & ~is_near
    if comparison.telling_earlier >= settings.cells_at_least:
        shows_earlier |= (comparison.earlier >= settings.with_share) & ~is_near
    is_near[: _last_true(shows_earlier) + 1] = False
    if is_turned_up:
        is_near[: _end_of_glimpses(is_near)] = False
    is_near[: _end_of_resemblance(is_near, error <= settings.displaced_error)] = False
    if not is_near.any():
        return Crossing(None, None)
    near = int(is_near.argmax())
    first = near + _first_at_rest(error[near:], comparison.times_us[near:], settings)
    is_near_by = (error >= settings.displaced_error) & (error <= settings.beside_error)
    last = _last_true(is_near_by[:first] | shows_earlier[:first])
    if sees_beside is not None:
        unclear = [
            i for i in range(max(last + 1, first - LOOKED_FOR), first) if error[i] > settings.beside_error
        ]
        last = next((i for i in reversed(unclear) if sees_beside(i)), last)
    last_us = comparison.times_us[last] if last >= 0 else None
    return Crossing(last_us, comparison.times_us[first])


def _end_of_glimpses(is_near: NDArray[np.bool_]) -> int:
    """Index of the first frame that shows a card after it was not seen for long; 0: it always was."""
    near = np.flatnonzero(is_near)
    breaks = np.flatnonzero(np.diff(near) > UNSEEN_FRAMES)
    return int(near[breaks[-1] + 1]) if len(breaks) else 0


def _end_of_resemblance(is_near: NDArray[np.bool_], is_in_place: NDArray[np.bool_]) -> int:
    """Index from which on a card was seen without a break until it surely lay in its place.

    Before a break something like it may have been seen that never lay just there: an equal card beneath it,
    whose pips fall on its pips. 0: it never surely lay there.
    """
    if not is_in_place.any():
        return 0
    before = np.flatnonzero(~is_near[: int((is_near & is_in_place).argmax())])
    return int(before[-1]) + 1 if len(before) else 0


def is_beside(frame: NDArray[np.uint8], later: NDArray[np.uint8], blocks: Sequence[Block]) -> bool:
    """Whether a frame shows the card of which the later look has these parts, but beside its place."""
    shifts = _block_shifts(frame, later, blocks)
    away = [shift for shift in shifts if np.hypot(*shift) >= AWAY_PX[0]]
    return any(len(_agreeing(one, away)) >= BLOCKS_AGREE for one in away)


def shift_seen(
    frame: NDArray[np.uint8], later: NDArray[np.uint8], blocks: Sequence[Block]
) -> tuple[float, float] | None:
    """How far from its place, in pixels right and down, a frame shows the card of which these are parts.

    None: too few of its parts are found at one shift.
    """
    shifts = _block_shifts(frame, later, blocks)
    groups = [_agreeing(one, shifts) for one in shifts]
    largest = max(groups, key=len, default=[])
    if len(largest) < BLOCKS_AGREE:
        return None
    right, down = np.median(np.array(largest), axis=0)
    return float(right), float(down)


def _block_shifts(
    frame: NDArray[np.uint8], later: NDArray[np.uint8], blocks: Sequence[Block]
) -> list[tuple[float, float]]:
    shifts = (_shift_of(frame, later, block) for block in blocks)
    return [shift for shift in shifts if shift is not None]


def _agreeing(one: tuple[float, float], shifts: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [other for other in shifts if np.hypot(one[0] - other[0], one[1] - other[1]) <= AGREE_PX]


def telling_blocks(later: NDArray[np.uint8], mask: NDArray[np.uint8]) -> list[Block]:
    """Row and column of the parts of a look with the most texture, wholly inside ``mask``."""
    found = [
        (float(later[row : row + BLOCK_PX, column : column + BLOCK_PX].std()), row, column)
        for row in range(0, later.shape[0] - BLOCK_PX + 1, BLOCK_PX)
        for column in range(0, later.shape[1] - BLOCK_PX + 1, BLOCK_PX)
        if mask[row : row + BLOCK_PX, column : column + BLOCK_PX].all()
    ]
    return [(row, column) for _, row, column in sorted(found, reverse=True)[:BLOCKS]]


def _shift_of(frame: NDArray[np.uint8], later: NDArray[np.uint8], block: Block) -> tuple[float, float] | None:
    """How far from its place one part is found, in pixels right and down. None: it is not."""
    row, column = block
    reach = AWAY_PX[1]
    top, left = max(0, row - reach), max(0, column - reach)
    window = frame[top : row + BLOCK_PX + reach, left : column + BLOCK_PX + reach]
    match = cv2.matchTemplate(
        window, later[row : row + BLOCK_PX, column : column + BLOCK_PX], cv2.TM_CCOEFF_NORMED
    )
    _, best, _, (x, y) = cv2.minMaxLoc(match)
    return (float(left + x - column), float(top + y - row)) if best >= BLOCK_MATCH else None


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


def last_that_lay(stays_us: Sequence[int], settings: WatchSettings) -> int | None:
    """Of what was seen to keep its place for so long, one after the other, the last that lay there.

    Before it the card may still have been held there. But what kept its place for as long as a hand cannot is
    in no hand, and what comes after it may be the next card, held over it. None: nothing lay there.
    """
    for least_us in (settings.visit_us, settings.covered_visit_us):
        lay = [i for i, stay_us in enumerate(stays_us) if stay_us >= least_us]
        if lay:
            return lay[-1]
    return None


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
    return int(_persistent(one, other, known, mask, settings).sum())


def persistent_mask(
    one: NDArray[np.uint8],
    other: NDArray[np.uint8],
    known: Sequence[NDArray[np.uint8]],
    mask: NDArray[np.uint8],
    settings: WatchSettings,
) -> NDArray[np.uint8]:
    """The same cells as a mask of the picture, 255 there."""
    side_px = settings.cell_px
    rows, columns = mask.shape[0] // side_px, mask.shape[1] // side_px
    cells = _persistent(one, other, known, mask, settings).reshape(rows, columns)
    covered = np.zeros_like(mask)
    covered[: rows * side_px, : columns * side_px] = np.kron(
        cells, np.full((side_px, side_px), 255, np.uint8)
    )
    return covered


def _persistent(
    one: NDArray[np.uint8],
    other: NDArray[np.uint8],
    known: Sequence[NDArray[np.uint8]],
    mask: NDArray[np.uint8],
    settings: WatchSettings,
) -> NDArray[np.bool_]:
    side_px = settings.cell_px
    first, second = _cells_of(one, side_px), _cells_of(other, side_px)
    shared = _inside(mask, settings) & _textured(second, settings) & _alike(first, second, settings)
    for picture in known:
        shared &= ~_alike(second, _cells_of(picture, side_px), settings)
    return np.asarray(shared)
