"""Overlap of oriented boxes."""

import cv2
import numpy as np
from numpy.typing import NDArray

Quads = NDArray[np.float32]


def quad_areas(quads_px: Quads) -> NDArray[np.float32]:
    """Area of each quad, float32 (n,), from corners (n, 4, 2)."""
    x, y = quads_px[..., 0], quads_px[..., 1]
    cross = x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y
    return np.asarray(np.abs(cross.sum(axis=1)) / 2, np.float32)


def intersection_area(a_px: Quads, b_px: Quads) -> float:
    """Area that two convex quads, (4, 2) each, share."""
    if (a_px.min(axis=0) > b_px.max(axis=0)).any() or (b_px.min(axis=0) > a_px.max(axis=0)).any():
        return 0.0
    area, _ = cv2.intersectConvexConvex(a_px.astype(np.float32), b_px.astype(np.float32))
    return float(area)


def suppress_overlaps(
    quads_px: Quads, confidence: NDArray[np.float32], *, iou: float, contained: float
) -> NDArray[np.intp]:
    """Indices of the boxes that stay, most confident first (greedy non-maximum suppression).

    A box goes where it overlaps a stronger one by more than ``iou`` (intersection over union), or where more
    than ``contained`` of it and of the stronger one's area alike would be shared if both had its size.
    """
    areas = quad_areas(quads_px)
    kept: list[int] = []
    for i in np.argsort(-confidence, kind="stable"):
        for k in kept:
            shared = intersection_area(quads_px[i], quads_px[k])
            if shared > iou * (areas[i] + areas[k] - shared) or shared > contained * max(areas[i], areas[k]):
                break
        else:
            kept.append(int(i))
    return np.asarray(kept, np.intp)
