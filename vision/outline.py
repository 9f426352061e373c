"""Whether something as large as a card lies in a zone, by how it stands out from the table around it.

The locator knows backs by their looks, and some it has never seen the like of. Where a pile of backs is known
to lie, its outline tells as much.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.rectify import ZoneView
from vision.table import CARD_MM

RIM_MM = 3.0
"""So much of a zone's rim shows the table: zones are made larger than the piles in them."""
DEVIATIONS = 4.0
"""A pixel that is off the rim's median by so many deviations, in lightness or colour, is no table ..."""
LEAST_LEVELS = 10.0
"""... and by so many levels of 256 at least, for even cloths."""
CLOSED_MM = 4.0
"""Gaps of a back's pattern that look like the table are closed, and specks smaller than this left out."""
AREA_SHARES = (0.8, 1.8)
"""A card or a pile that was pushed askew covers so much of 63 x 88 mm ..."""
LEAST_FILL = 0.86
"""... and so much of the smallest rectangle around it: a hand or a shadow does not ..."""
SIDE_SHARES = (0.85, 1.45)
"""... whose sides are those of a card, in shares of theirs."""


def card_outline(view: ZoneView) -> NDArray[np.float32] | None:
    """The rectangle of what stands out from the table, float32 (4, 2) in table millimetres, clockwise.

    None: nothing does, or what does is not as large and straight as a card or a pile of them.
    """
    mm_per_px = float(view.table_mm_from_view_px[0, 0])
    apart = _off_the_table(view.image_bgr, max(2, round(RIM_MM / mm_per_px)))
    side = 2 * round(CLOSED_MM / 2 / mm_per_px) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    whole = cv2.morphologyEx(cv2.morphologyEx(apart, cv2.MORPH_CLOSE, kernel), cv2.MORPH_OPEN, kernel)
    contours, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=cv2.contourArea, default=None)
    if largest is None:
        return None
    rectangle = cv2.minAreaRect(largest)
    sides_mm = np.sort(np.array(rectangle[1])) * mm_per_px
    area_mm2 = cv2.contourArea(largest) * mm_per_px**2
    if not _is_card_like(area_mm2, sides_mm):
        return None
    corners_px = cv2.boxPoints(rectangle).astype(np.float64)
    corners_mm = cv2.perspectiveTransform(corners_px[None], view.table_mm_from_view_px)[0]
    return np.asarray(corners_mm, np.float32)


def _off_the_table(image_bgr: NDArray[np.uint8], rim_px: int) -> NDArray[np.uint8]:
    """uint8 (h, w), 255 where a picture is unlike its rim."""
    lab = cv2.cvtColor(cv2.GaussianBlur(image_bgr, (0, 0), 1.0), cv2.COLOR_BGR2LAB).astype(np.float32)
    is_rim = np.ones(lab.shape[:2], bool)
    is_rim[rim_px:-rim_px, rim_px:-rim_px] = False
    table = np.median(lab[is_rim], axis=0)
    spread = 1.4826 * np.median(np.abs(lab[is_rim] - table), axis=0)
    off = np.abs(lab - table) > np.maximum(DEVIATIONS * spread, LEAST_LEVELS)
    return np.where(off.any(axis=2), 255, 0).astype(np.uint8)


def _is_card_like(area_mm2: float, sides_mm: NDArray[np.float64]) -> bool:
    card_mm2 = CARD_MM[0] * CARD_MM[1]
    shares = sides_mm / np.array(CARD_MM)
    return bool(
        AREA_SHARES[0] <= area_mm2 / card_mm2 <= AREA_SHARES[1]
        and area_mm2 >= LEAST_FILL * sides_mm.prod()
        and (shares >= SIDE_SHARES[0]).all()
        and (shares <= SIDE_SHARES[1]).all()
    )
