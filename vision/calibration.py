"""Where on the table a pixel lies: the homography from four corners or from printed markers."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Frame
from vision.table import FourCorners, Markers

ASPECT_SLACK = 0.01
"""Frames scaled in proportion are taken; a scaled size rounds to whole pixels, 1 % covers that at 160 px."""


class CalibrationError(ValueError):
    """The table cannot be found in the picture, or the picture is not the one that was set up."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """table_mm_from_image_px: float64 (3, 3), homography for images of ``image_size_px`` (w, h)."""

    table_mm_from_image_px: NDArray[np.float64]
    image_size_px: tuple[int, int]
    rms_mm: float
    """How far the marked points lie from where they should, root mean square. 0 with four corners alone."""

    def __post_init__(self) -> None:
        if self.table_mm_from_image_px.shape != (3, 3):
            raise ValueError(f"want a homography of shape (3, 3), got {self.table_mm_from_image_px.shape}")
        self.table_mm_from_image_px.setflags(write=False)

    @property
    def image_px_from_table_mm(self) -> NDArray[np.float64]:
        """float64 (3, 3), the way back."""
        return np.asarray(np.linalg.inv(self.table_mm_from_image_px), dtype=np.float64)

    def for_size(self, size_px: tuple[int, int]) -> "Calibration":
        """The same table in images of another size; ``CalibrationError`` if their shape differs."""
        if size_px == self.image_size_px:
            return self
        width, height = size_px
        x_scale, y_scale = width / self.image_size_px[0], height / self.image_size_px[1]
        if abs(x_scale / y_scale - 1) > ASPECT_SLACK:
            wanted = f"{self.image_size_px[0]} x {self.image_size_px[1]} or the same shape"
            raise CalibrationError(f"the picture is {width} x {height} px (want {wanted}, as set up)")
        unscale = np.diag([1 / x_scale, 1 / y_scale, 1.0])
        return Calibration(
            table_mm_from_image_px=self.table_mm_from_image_px @ unscale,
            image_size_px=size_px,
            rms_mm=self.rms_mm,
        )

    def drift_mm(self, markers: Markers, corners_px: Mapping[int, NDArray[np.float32]]) -> float | None:
        """How far the markers lie from where they should, on the mean. None: not all of them are seen."""
        if not markers.centres_mm or any(marker not in corners_px for marker in markers.centres_mm):
            return None
        known = sorted(markers.centres_mm)
        centres_px = np.array([[_centre_of(corners_px[m]) for m in known]])
        seen_mm = cv2.perspectiveTransform(centres_px, self.table_mm_from_image_px)[0]
        wanted_mm = np.array([markers.centres_mm[m] for m in known])
        return float(np.hypot(*(seen_mm - wanted_mm).T).mean())

    def px_per_mm_at(self, point_mm: tuple[float, float]) -> float:
        """Image pixels for a millimetre of the table, at a point of the table; the poorer direction."""
        x, y = point_mm
        around_mm = np.array([[[x, y], [x + 1, y], [x, y + 1]]], dtype=np.float64)
        here, right, below = cv2.perspectiveTransform(around_mm, self.image_px_from_table_mm)[0]
        jacobian = np.stack([right - here, below - here], axis=1)
        return float(np.linalg.svd(jacobian, compute_uv=False)[-1])


def calibrate_from_corners(view: FourCorners, size_mm: tuple[float, float]) -> Calibration:
    """The homography that takes the marked corners to the table's corners."""
    width, height = size_mm
    corners_mm = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    corners_px = np.array(view.corners_px, dtype=np.float32)
    homography = cv2.getPerspectiveTransform(corners_px, corners_mm).astype(np.float64)
    return Calibration(table_mm_from_image_px=homography, image_size_px=view.image_size_px, rms_mm=0.0)


@dataclass(slots=True, kw_only=True)
class MarkerFinder:
    """Looks for the markers over several frames, and fits the homography to where they lay on the whole."""

    markers: Markers
    frames_wanted: int
    """In how many frames each marker must have been seen: the median over them takes out noise."""
    frames_at_most: int
    """After so many frames the search is given up."""
    frames_seen: int = 0
    _corners_px: dict[int, list[NDArray[np.float32]]] = field(default_factory=lambda: defaultdict(list))

    def see(self, frame: Frame) -> Calibration | None:
        """The calibration once all markers were seen often enough, None before that.

        ``CalibrationError`` names the markers that were missing when the search is given up.
        """
        self.frames_seen += 1
        for marker, corners_px in find_markers(frame.image_bgr, self.markers.dictionary).items():
            self._corners_px[marker].append(corners_px)
        if not self.missing:
            medians = {m: np.median(self._corners_px[m], axis=0) for m in self.markers.centres_mm}
            return calibrate_from_markers(self.markers, medians, frame.size_px)
        if self.frames_seen >= self.frames_at_most:
            missing = ", ".join(str(m) for m in self.missing)
            looked = f"looked at {self.frames_seen} frames for {self.markers.dictionary}"
            raise CalibrationError(f"markers not found: {missing} ({looked})")
        return None

    def finish(self) -> None:
        """``CalibrationError`` if the frames ended before all markers were found."""
        if self.missing:
            self.frames_at_most = self.frames_seen
            missing = ", ".join(str(m) for m in self.missing)
            raise CalibrationError(f"markers not found: {missing} (looked at {self.frames_seen} frames)")

    @property
    def missing(self) -> tuple[int, ...]:
        """Markers not yet seen often enough."""
        wanted = self.frames_wanted
        return tuple(m for m in sorted(self.markers.centres_mm) if len(self._corners_px[m]) < wanted)


def find_markers(image_bgr: NDArray[np.uint8], dictionary: str) -> dict[int, NDArray[np.float32]]:
    """The markers of an image: corners float32 (4, 2) in pixels, clockwise from the marker's own top left."""
    # Not ArUco 3: in 8 ms instead of 20 at 1080p it finds few markers of 48 px and none of 90 px.
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    markers = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    corners, ids, _ = cv2.aruco.ArucoDetector(markers, parameters).detectMarkers(image_bgr)
    if ids is None:
        return {}
    return {
        int(marker): quad.reshape(4, 2).astype(np.float32)
        for quad, marker in zip(corners, ids.ravel(), strict=True)
    }


def calibrate_from_markers(
    markers: Markers, corners_px: dict[int, NDArray[np.float32]], image_size_px: tuple[int, int]
) -> Calibration:
    """Fit the markers' centres, then all corners, each marker a square of its size at its own angle."""
    known = sorted(markers.centres_mm)
    centres_px = np.array([_centre_of(corners_px[m]) for m in known])
    centres_mm = np.array([markers.centres_mm[m] for m in known])
    homography, _ = cv2.findHomography(centres_px, centres_mm)
    if homography is None:
        raise CalibrationError("markers: their centres lie on one line (want them around the table)")
    all_px = np.concatenate([corners_px[m] for m in known]).astype(np.float64)
    for _ in range(3):
        seen_mm = cv2.perspectiveTransform(all_px[None], homography)[0].reshape(-1, 4, 2)
        squares_mm = np.concatenate(
            [_square_like(s, c, markers.size_mm) for s, c in zip(seen_mm, centres_mm, strict=True)]
        )
        homography, _ = cv2.findHomography(all_px, squares_mm)
    fitted_mm = cv2.perspectiveTransform(all_px[None], homography)[0]
    rms_mm = float(np.sqrt(np.mean(np.sum((fitted_mm - squares_mm) ** 2, axis=1))))
    return Calibration(
        table_mm_from_image_px=homography.astype(np.float64), image_size_px=image_size_px, rms_mm=rms_mm
    )


def _centre_of(quad_px: NDArray[np.float32]) -> NDArray[np.float64]:
    """Where the diagonals cross: the centre of the square in any perspective."""
    a, b, c, d = np.hstack([quad_px.astype(np.float64), np.ones((4, 1))])
    crossing = np.cross(np.cross(a, c), np.cross(b, d))
    return np.asarray(crossing[:2] / crossing[2], dtype=np.float64)


def _square_like(
    seen_mm: NDArray[np.float64], centre_mm: NDArray[np.float64], size_mm: float
) -> NDArray[np.float64]:
    """The square of the right size and centre, turned as the seen one is: float64 (4, 2)."""
    half = size_mm / 2
    upright = np.array([-half - half * 1j, half - half * 1j, half + half * 1j, -half + half * 1j])
    arms = seen_mm - seen_mm.mean(axis=0)
    turn = np.vdot(upright, arms[:, 0] + 1j * arms[:, 1])
    corners = upright * turn / abs(turn)
    return np.stack([corners.real, corners.imag], axis=1) + centre_mm
