"""Zones drawn over a picture of the table: what the table file says, as a person can check it."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.piles import PileId, PileKind
from vision.calibration import Calibration
from vision.table import Table, Zone

_QUIET_BGR = (190, 200, 195)
_FOUNDATION_BGR = (120, 220, 140)
_TABLE_EDGE_BGR = (90, 150, 240)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSettings:
    """How annotated pictures are drawn."""

    width_px: int = 1280
    """Wide enough to read an index in the live page, and half the work of 1920."""
    label_scale: float = 0.5
    """OpenCV's font scale at ``width_px``."""


def zone_picture(
    image_bgr: NDArray[np.uint8],
    table: Table,
    calibration: Calibration,
    *,
    settings: PictureSettings | None = None,
) -> NDArray[np.uint8]:
    """A smaller copy of ``image_bgr``, uint8 (h, w, 3), with every zone and its pile's name drawn in."""
    settings = settings or PictureSettings()
    scale = min(1.0, settings.width_px / image_bgr.shape[1])
    size = (round(image_bgr.shape[1] * scale), round(image_bgr.shape[0] * scale))
    drawn = np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8).copy()
    edge_px = _to_px(_table_corners(table), calibration, scale)
    cv2.polylines(drawn, [edge_px], isClosed=True, color=_TABLE_EDGE_BGR, thickness=1, lineType=cv2.LINE_AA)
    for zone in table.zones:
        _draw_zone(drawn, zone, _to_px(zone.polygon_mm, calibration, scale), settings)
    return drawn


def _table_corners(table: Table) -> NDArray[np.float32]:
    width, height = table.size_mm
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)


def _to_px(points_mm: NDArray[np.float32], calibration: Calibration, scale: float) -> NDArray[np.int32]:
    points = points_mm.astype(np.float64)[None]
    points_px = cv2.perspectiveTransform(points, calibration.image_px_from_table_mm)[0]
    return np.asarray(np.rint(points_px * scale), dtype=np.int32)


def _draw_zone(
    drawn: NDArray[np.uint8],
    zone: Zone,
    polygon_px: NDArray[np.int32],
    settings: PictureSettings,
) -> None:
    is_foundation = zone.pile.kind is PileKind.FOUNDATION
    colour = _FOUNDATION_BGR if is_foundation else _QUIET_BGR
    cv2.polylines(drawn, [polygon_px], isClosed=True, color=colour, thickness=2, lineType=cv2.LINE_AA)
    left, top = polygon_px.min(axis=0).tolist()
    _write(drawn, _short_name(zone.pile), (left + 3, top + 13), settings.label_scale * 0.75, colour)


def _short_name(pile: PileId) -> str:
    """The pile's name without its owner, which its place shows: ``foundation[3]``."""
    return str(pile).partition("/")[2]


def _write(
    drawn: NDArray[np.uint8], text: str, at_px: tuple[int, int], scale: float, colour: tuple[int, int, int]
) -> None:
    """``text`` with a dark outline, legible on cards and on cloth."""
    for width, tone in ((4, (20, 25, 22)), (1, colour)):
        cv2.putText(drawn, text, at_px, _FONT, scale, tone, width, cv2.LINE_AA)
