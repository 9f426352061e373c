"""Cuts one located card out of a picture, the way the reader was taught to see it."""

import cv2
import numpy as np
from numpy.typing import NDArray

VIEW_SIZE_WH = (96, 128)
"""Reader input, width and height in pixels: a whole card at 1.4 px per mm."""
MARGIN_PX = 3
"""Between the box and the edge of the view."""
OUTSIDE_GRAY = 114
"""What lies outside the box is painted over: it belongs to other cards."""


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
