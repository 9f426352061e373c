"""Upright pictures of the table and of its zones, at a fixed scale, through precomputed maps."""

from dataclasses import dataclass
from math import ceil, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration
from vision.pictures import NO_COLOUR, Bgr, Picture, Planes
from vision.settings import WatchSettings
from vision.table import Table, Zone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ZoneView:
    """One zone, upright, at a fixed scale.

    image_bgr: uint8 (h, w, 3); outside the zone's polygon it shows the neighbourhood.
    table_mm_from_view_px: float64 (3, 3).
    """

    zone: Zone
    image_bgr: NDArray[np.uint8]
    table_mm_from_view_px: NDArray[np.float64]
    t_us: int


@dataclass(frozen=True, slots=True, eq=False)
class Resampler:
    """Takes a rectangle of the table out of an image.

    px_per_mm: scale of what comes out; size_px: its width and height. The maps are float32 (h, w): for one
    channel that is twice as fast as OpenCV's fixed-point maps, and not rounded to 1/32 px.
    """

    origin_mm: tuple[float, float]
    size_px: tuple[int, int]
    px_per_mm: float
    _map_x_px: NDArray[np.float32]
    _map_y_px: NDArray[np.float32]
    _colour_x_px: NDArray[np.float32]
    """The same in planes of half the size, where each pixel lies in the middle of four."""
    _colour_y_px: NDArray[np.float32]

    @classmethod
    def of_box(
        cls, calibration: Calibration, box_mm: tuple[float, float, float, float], px_per_mm: float
    ) -> "Resampler":
        """The resampler for left, top, right, bottom in table millimetres."""
        left, top, right, bottom = box_mm
        size_px = (max(1, ceil((right - left) * px_per_mm)), max(1, ceil((bottom - top) * px_per_mm)))
        grid = np.stack(np.meshgrid(np.arange(size_px[0]), np.arange(size_px[1])), axis=-1)
        points_mm = (grid + 0.5) / px_per_mm + (left, top)
        source_px = cv2.perspectiveTransform(points_mm.astype(np.float64), calibration.image_px_from_table_mm)
        x_px, y_px = (np.ascontiguousarray(source_px[..., i], dtype=np.float32) for i in (0, 1))
        colour_x_px, colour_y_px = ((along / 2 - 0.25).astype(np.float32) for along in (x_px, y_px))
        return cls((left, top), size_px, px_per_mm, x_px, y_px, colour_x_px, colour_y_px)

    def grey(self, picture: Picture) -> NDArray[np.uint8]:
        """In grey: uint8 (h, w); black outside the picture."""
        if isinstance(picture, Planes):
            return picture.grey_of(self._take(picture.luma))
        grey = cv2.cvtColor(picture.bgr, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)
        return self._take(grey)

    def bgr(self, picture: Picture) -> NDArray[np.uint8]:
        """In colours: uint8 (h, w, 3); black outside the picture."""
        if isinstance(picture, Bgr):
            return self._take(picture.bgr)
        colours = [
            cv2.remap(plane, self._colour_x_px, self._colour_y_px, cv2.INTER_LINEAR, borderValue=NO_COLOUR)
            for plane in (picture.blue, picture.red)
        ]
        blue, red = (colour.astype(np.uint8, copy=False) for colour in colours)
        return picture.bgr_of(self._take(picture.luma), blue, red)

    def _take(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """uint8 (h, w) or (h, w, 3); 0 outside the image."""
        taken = cv2.remap(image, self._map_x_px, self._map_y_px, cv2.INTER_LINEAR)
        return taken.astype(np.uint8, copy=False)

    @property
    def table_mm_from_px(self) -> NDArray[np.float64]:
        """float64 (3, 3), from pixel centres of what comes out."""
        scale, (x, y) = 1 / self.px_per_mm, self.origin_mm
        return np.array([[scale, 0, x + scale / 2], [0, scale, y + scale / 2], [0, 0, 1]])

    def px_of(self, points_mm: NDArray[np.float32]) -> NDArray[np.float32]:
        """Pixels of what comes out for points (k, 2) of the table."""
        moved = (np.asarray(points_mm, dtype=np.float64) - self.origin_mm) * self.px_per_mm - 0.5
        return moved.astype(np.float32)

    def mask_of(self, polygon_mm: NDArray[np.float32]) -> NDArray[np.uint8]:
        """uint8 (h, w), 255 inside a convex polygon of the table."""
        mask = np.zeros((self.size_px[1], self.size_px[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.round(self.px_of(polygon_mm)).astype(np.int32), 255)
        return mask


class Rectifier:
    """All resamplers for one table in images of one size."""

    def __init__(self, table: Table, calibration: Calibration, settings: WatchSettings) -> None:
        width, height = table.size_mm
        whole_mm = (0.0, 0.0, width, height)
        scale = min(settings.watch_px_per_mm, sqrt(settings.watch_px_at_most / (width * height)))
        self.calibration = calibration
        self.watch = Resampler.of_box(calibration, whole_mm, scale)
        self.hands = Resampler.of_box(calibration, whole_mm, settings.hand_px_per_mm)
        self._zones = {
            zone.pile: Resampler.of_box(
                calibration,
                zone.box_mm,
                min(settings.read_px_per_mm_at_most, source_px_per_mm(calibration, zone)),
            )
            for zone in table.zones
        }
        self.warnings = tuple(_warnings(table, calibration, settings))

    def read_view(self, zone: Zone, picture: Picture, t_us: int) -> ZoneView:
        """The zone as it is read: at the picture's own scale."""
        return self.view_of(zone, self._zones[zone.pile].bgr(picture), t_us)

    def view_of(self, zone: Zone, view_bgr: NDArray[np.uint8], t_us: int) -> ZoneView:
        """A view whose picture was taken before."""
        return ZoneView(
            zone=zone,
            image_bgr=view_bgr,
            table_mm_from_view_px=self._zones[zone.pile].table_mm_from_px,
            t_us=t_us,
        )


def source_px_per_mm(calibration: Calibration, zone: Zone) -> float:
    """The scale at which the camera sees a zone: pixels of the image for a millimetre, at its centre."""
    x, y = zone.polygon_mm.mean(axis=0)
    return calibration.px_per_mm_at((float(x), float(y)))


def _warnings(table: Table, calibration: Calibration, settings: WatchSettings) -> list[str]:
    scales = {zone.pile: source_px_per_mm(calibration, zone) for zone in table.zones}
    poor = {pile: scale for pile, scale in scales.items() if scale < settings.px_per_mm_wanted}
    if not poor:
        return []
    worst = min(poor, key=lambda pile: poor[pile])
    wanted = f"want {settings.px_per_mm_wanted:g}: a camera that is nearer or has more pixels"
    return [f"{len(poor)} zones are seen at too few pixels, {worst} at {poor[worst]:.2f} px/mm ({wanted})"]
