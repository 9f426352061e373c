"""Cuts one located card out of a picture, the way aligner and reader were taught to see it."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

VIEW_SIZE_WH = (96, 128)
"""Reader input, width and height in pixels: a whole card at 1.4 px per mm."""
MARGIN_PX = 3
"""Between the box and the edge of the view."""
OUTSIDE_GRAY = 114
"""What lies outside the box is painted over: it belongs to other cards."""
PATCH_SIZE_WH = (32, 48)
"""Corner of a view that the reader looks at closely, in pixels: 22 x 34 mm of a whole card, its index."""
INDEX_SIZE_WH = (40, 64)
"""Index reader input, width and height in pixels."""
INDEX_TALL_PX = 54.0
"""Height of a corner index in it: 2.1 px per mm."""
INDEX_MARGIN_PX = 4
"""Index views for training are larger by so much on each side: they are turned and shifted there."""
WIDE_SIZE_WH = (64, 96)
"""Aligner input, width and height in pixels."""
WIDE_REACH = 1.4
"""The aligner's view shows so many times the box's sides: its card's corners may lie outside the box."""


def order_quad(quad_px: NDArray[np.float32]) -> NDArray[np.float32]:
    """The box's corners clockwise, (4, 2), so that the first side is the shorter one."""
    a, b = quad_px[1] - quad_px[0], quad_px[2] - quad_px[1]
    cross = float(a[0] * b[1] - a[1] * b[0])
    quad = quad_px if cross >= 0 else quad_px[::-1]
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return quad if sides[0] + sides[2] <= sides[1] + sides[3] else np.roll(quad, -1, axis=0)


def cut_view(image_bgr: NDArray[np.uint8], quad_px: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The box upright, longer side vertical, to scale and centred: uint8 (128, 96, 3).

    quad_px: float32 (4, 2), clockwise, in pixels of ``image_bgr``. Which of its two short sides is the upper
    one is not known, so the reader is taught both.
    """
    quad = order_quad(quad_px)
    wide = float(np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
    tall = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    width, height = VIEW_SIZE_WH
    scale = min((width - 2 * MARGIN_PX) / max(wide, 1.0), (height - 2 * MARGIN_PX) / max(tall, 1.0))
    half = np.array([wide, tall], np.float32) * scale / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * half + np.array(VIEW_SIZE_WH) / 2
    if scale < 0.5:
        image_bgr, quad = _shrunk(image_bgr, quad, scale)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners.astype(np.float32))
    view = cv2.warpPerspective(image_bgr, matrix, VIEW_SIZE_WH, borderValue=(OUTSIDE_GRAY,) * 3)
    left, top = np.maximum(np.floor(corners[0] - MARGIN_PX), 0).astype(int)
    right, bottom = np.ceil(corners[2] + MARGIN_PX).astype(int)
    masked = np.full_like(view, OUTSIDE_GRAY)
    masked[top:bottom, left:right] = view[top:bottom, left:right]
    return np.asarray(masked, np.uint8)


def cut_index(
    image_bgr: NDArray[np.uint8], quad_px: NDArray[np.float32], *, margin_px: int = 0
) -> NDArray[np.uint8]:
    """A corner index in its surroundings, upright where ``quad_px`` begins at its own upper left corner.

    quad_px: float32 (4, 2), clockwise, in pixels of ``image_bgr``. Gives uint8 (64, 40, 3), larger by
    ``margin_px`` on each side.
    """
    width, height = INDEX_SIZE_WH[0] + 2 * margin_px, INDEX_SIZE_WH[1] + 2 * margin_px
    centre = quad_px.mean(axis=0)
    down = (quad_px[3] - quad_px[0] + quad_px[2] - quad_px[1]) / 2
    if np.linalg.norm(down) < 1:
        raise ValueError(f"quad_px: want an upper left corner and one below it, got {quad_px.tolist()}")
    if INDEX_TALL_PX / np.linalg.norm(down) < 0.5:
        reach = np.abs(down).max() * (2.0 + margin_px / INDEX_TALL_PX)
        points = np.stack([centre - reach, centre + reach, centre, centre + down]).astype(np.float32)
        scale = INDEX_TALL_PX / float(np.linalg.norm(down))
        image_bgr, moved = _shrunk(image_bgr, points, scale)
        centre, down = moved[2], moved[3] - moved[2]
    turn = INDEX_TALL_PX / float(down @ down) * np.array([[down[1], -down[0]], [down[0], down[1]]])
    shift = np.array([width, height]) / 2 - turn @ centre
    view = cv2.warpAffine(
        image_bgr, np.column_stack([turn, shift]), (width, height), borderValue=(OUTSIDE_GRAY,) * 3
    )
    return np.asarray(view, np.uint8)


def framed(view: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Left, top, right, bottom (exclusive) of what is not painted over in a view, uint8 (h, w, 3)."""
    shown = (view != OUTSIDE_GRAY).any(axis=2)
    columns, rows = np.flatnonzero(shown.any(axis=0)), np.flatnonzero(shown.any(axis=1))
    if not len(columns):
        return 0, 0, view.shape[1], view.shape[0]
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def patch_corners(views: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Where the two patches of each view, uint8 (n, h, w, 3), begin: int64 (n, 2, 2), x and y.

    The first holds the upper left corner of what is framed, the second the lower right one.
    """
    width, height = PATCH_SIZE_WH
    begins = np.zeros((len(views), 2, 2), np.int64)
    for i, view in enumerate(views):
        left, top, right, bottom = framed(view)
        begins[i] = (left, top), (right - width, bottom - height)
    most = np.array([views.shape[2] - width, views.shape[1] - height])
    return np.clip(begins, 0, most)


def cut_patches(views: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The corners of each view, uint8 (n, 2, 48, 32, 3); the lower right one is turned by half."""
    width, height = PATCH_SIZE_WH
    patches = np.empty((len(views), 2, height, width, 3), np.uint8)
    for view, begins, patch in zip(views, patch_corners(views), patches, strict=True):
        for k, (x, y) in enumerate(begins):
            patch[k] = view[y : y + height, x : x + width]
        patch[1] = patch[1, ::-1, ::-1].copy()
    return patches


@dataclass(frozen=True, slots=True, eq=False)
class WideView:
    """A box with its surroundings.

    view: uint8 (96, 64, 3), the box upright in the middle, longer side vertical. view_from_image: float64
    (2, 3), affine, pixels to pixels. box_px: float32 (4, 2), the box's corners in the view, clockwise from
    the top left.
    """

    view: NDArray[np.uint8]
    view_from_image: NDArray[np.float64]
    box_px: NDArray[np.float32]


def cut_wide(image_bgr: NDArray[np.uint8], box_px: NDArray[np.float32]) -> WideView:
    """The rectangle ``box_px``, float32 (4, 2), in its surroundings, to scale."""
    quad = order_quad(box_px)
    wide, tall = (max(float(np.linalg.norm(quad[i] - quad[0])), 1.0) for i in (1, 3))
    width, height = WIDE_SIZE_WH
    scale = min(width / wide, height / tall) / WIDE_REACH
    half = np.array([wide, tall], np.float32) * scale / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * half + np.array(WIDE_SIZE_WH) / 2
    box = corners.astype(np.float32)
    matrix = cv2.getAffineTransform(quad[:3].astype(np.float32), box[:3])
    part, part_quad = image_bgr, quad
    if scale < 0.5:
        centre = quad.mean(axis=0)
        around = centre + (quad - centre) * 2 * WIDE_REACH
        part, moved = _shrunk(image_bgr, np.concatenate([around, quad]).astype(np.float32), scale)
        part_quad = moved[4:]
    from_part = cv2.getAffineTransform(part_quad[:3].astype(np.float32), box[:3])
    view = cv2.warpAffine(part, from_part, WIDE_SIZE_WH, borderValue=(OUTSIDE_GRAY,) * 3)
    return WideView(np.asarray(view, np.uint8), np.asarray(matrix, np.float64), box)


def nearest_turn(quad_px: NDArray[np.float32], box_px: NDArray[np.float32]) -> NDArray[np.float32]:
    """``quad_px``, (4, 2) clockwise, begun with the corner that lies where the box begins."""
    turns = [np.roll(quad_px, k, axis=0) for k in range(4)]
    return min(turns, key=lambda turned: float(np.linalg.norm(turned - box_px, axis=1).sum()))


def _shrunk(
    image_bgr: NDArray[np.uint8], quad: NDArray[np.float32], scale: float
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The part of the picture around the box, averaged down to the view's scale so that it does not alias."""
    low = np.clip(np.floor(quad.min(axis=0)) - 4, 0, None).astype(int)
    high = np.ceil(quad.max(axis=0)).astype(int) + 4
    part = image_bgr[low[1] : high[1], low[0] : high[0]]
    if part.size == 0:
        return image_bgr, quad
    factor = scale * 1.25
    small = cv2.resize(part, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    ratio = np.array([small.shape[1] / part.shape[1], small.shape[0] / part.shape[0]], np.float32)
    return np.asarray(small, np.uint8), ((quad - low) * ratio).astype(np.float32)
