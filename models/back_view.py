"""One back as it is seen: cut out of a picture at 1 mm a pixel, and where on its card it may lie."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.cut import order_quad

Colours = NDArray[np.float32]
"""float32 BGR (h, w, 3), 0..255."""

CARD_WH_MM = (63, 88)
"""And the size of a whole back in pixels, at 1 mm a pixel."""
WHOLE_TOLERANCE = 0.15
"""A view whose sides are this near to a card's shows a whole card."""
WHOLE_ASPECT = (1.15, 1.75)
"""Longer by shorter side of a whole card, bridge or poker, as a tilted camera may see it."""
NEARLY_WHOLE_MM = 3
"""A view is as wide, or as tall, as a card where no more is missing."""
OVERSAMPLED = 3
"""A view is cut this much finer and averaged down, so that fine patterns do not alias."""
LEAST_PART_MM = 15
"""A narrower part is taken for one of this width."""

VARIANTS = (
    (0.0, 0.0, 1.0, 0.0),
    (1.5, 1.0, 1.0, 0.0),
    (-1.5, -1.0, 1.0, 0.0),
    (0.0, 0.0, 1.03, 1.5),
    (0.0, 0.0, 0.97, -1.5),
)
"""Errors of a quad under which a known back is described: right and down in mm, grown, turned in degrees."""


@dataclass(frozen=True, slots=True, eq=False)
class BackView:
    """What is seen of one back: the ways in which it may be part of a whole one.

    Each is float32 BGR (h, w, 3) at 1 mm a pixel, upright or on its side or head: that is not known.
    """

    candidates: tuple[Colours, ...]


def cut_back(
    image_bgr: NDArray[np.uint8], quad_px: NDArray[np.float32], px_per_mm: float | None = None
) -> BackView:
    """The back in ``quad_px`` (4, 2), in pixels of ``image_bgr``, uint8 (h, w, 3).

    px_per_mm: scale at the card. Where it is not known a strip is taken to be as long, or as wide, as a card.
    """
    quad = order_quad(quad_px.astype(np.float32))
    across = float(np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
    down = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    sizes = _sizes_mm(max(across, 1.0), max(down, 1.0), px_per_mm)
    return BackView(tuple(cut_part(image_bgr, quad, size_mm) for size_mm in sizes))


def _sizes_mm(across_px: float, down_px: float, px_per_mm: float | None) -> list[tuple[float, float]]:
    """What a view of this size may measure on its card, across and down (the longer side), in mm."""
    wide, tall = CARD_WH_MM
    aspect = down_px / across_px
    if px_per_mm is not None:
        across, down = across_px / px_per_mm, down_px / px_per_mm
        if abs(across / wide - 1) < WHOLE_TOLERANCE and abs(down / tall - 1) < WHOLE_TOLERANCE:
            return [(wide, tall)]
        return [(across, down)]
    if WHOLE_ASPECT[0] <= aspect <= WHOLE_ASPECT[1]:
        return [(wide, tall)]
    if aspect < WHOLE_ASPECT[0]:
        return [(wide, wide * aspect)]
    return [(tall / aspect, tall), (wide / aspect, wide)]


def cut_part(
    image_bgr: NDArray[np.uint8], quad: NDArray[np.float32], size_mm: tuple[float, float]
) -> Colours:
    """The part of a back in ``quad`` (4, 2), clockwise, across and down so many mm, at 1 mm a pixel."""
    width, height = (
        int(np.clip(round(side), LEAST_PART_MM, most)) for side, most in zip(size_mm, CARD_WH_MM, strict=True)
    )
    w, h = width * OVERSAMPLED, height * OVERSAMPLED
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(quad, corners.astype(np.float32))
    fine = cv2.warpPerspective(image_bgr, matrix, (w, h), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def placed_at(part: Colours, left_mm: int, top_mm: int) -> NDArray[np.uint8]:
    """A part of a back at its place on the card: uint8 (88, 63, 4), the last channel 255 where it is."""
    width, height = CARD_WH_MM
    laid = np.zeros((height, width, 4), np.uint8)
    place = laid[top_mm : top_mm + part.shape[0], left_mm : left_mm + part.shape[1]]
    place[..., :3] = np.clip(np.rint(part), 0, 255)
    place[..., 3] = 255
    return laid


def variants(whole: Colours) -> NDArray[np.uint8]:
    """A whole back as it may be cut out, a little off: uint8 (``VARIANTS``, 88, 63, 4)."""
    height, width = whole.shape[:2]
    laid = []
    for right_mm, down_mm, grown, turned_deg in VARIANTS:
        matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), turned_deg, grown)
        matrix[:, 2] += np.array([right_mm, down_mm])
        moved = cv2.warpAffine(whole, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
        laid.append(placed_at(np.asarray(moved, np.float32), 0, 0))
    return np.stack(laid)


def placements(view: BackView) -> NDArray[np.uint8]:
    """The view at each place and in each turn in which it may be part of a card: uint8 (n, 88, 63, 4)."""
    placed = [
        placed_at(turned, left_mm, 0)
        for candidate in view.candidates
        for turned in _turns(candidate)
        for left_mm in _lefts(turned)
    ]
    return np.stack(placed)


def _turns(view: Colours) -> list[Colours]:
    """The view in every way of the four in which it fits in a card; a whole one stands on one short side."""
    wide, tall = CARD_WH_MM
    turns = [np.ascontiguousarray(np.rot90(view, k)) for k in range(4)]
    return [turned for turned in turns if turned.shape[0] <= tall and turned.shape[1] <= wide]


def _lefts(view: Colours) -> tuple[int, ...]:
    """Where the view may begin, from the left: at either edge. Its top is the card's, or it is turned."""
    room = CARD_WH_MM[0] - view.shape[1]
    return (0,) if room <= NEARLY_WHOLE_MM else (0, room)
