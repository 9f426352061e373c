"""Photographs in and annotated pictures out."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from api.errors import CommandError, MisuseError, os_error_line
from models.classes import BACK, UNREADABLE
from models.detections import Detections
from models.open_file import read_file

_FACE_BGR = (80, 220, 120)
_BACK_BGR = (235, 160, 70)
_UNREADABLE_BGR = (60, 90, 240)

_cv2_log = cv2.utils.logging


def read_image_bgr(path: Path) -> NDArray[np.uint8]:
    """The picture in ``path``, uint8 (h, w, 3), upright as its EXIF says; ``CommandError`` if it is none.

    ``MisuseError`` where there is no such file.
    """
    try:
        encoded = np.frombuffer(read_file(path), dtype=np.uint8)
    except FileNotFoundError as error:
        raise MisuseError(f"cannot read image: {os_error_line(error)}") from None
    except OSError as error:
        raise CommandError(f"cannot read image: {os_error_line(error)}") from None
    _cv2_log.setLogLevel(_cv2_log.LOG_LEVEL_SILENT)  # OpenCV prints its own lines about broken files
    try:
        image_bgr = cv2.imdecode(encoded, cv2.IMREAD_COLOR) if encoded.size else None
    except cv2.error:  # a picture of more pixels than OpenCV takes
        image_bgr = None
    if image_bgr is None:
        raise CommandError(f"not an image (want JPEG, PNG, WebP, ...): {path}")
    return np.asarray(image_bgr, dtype=np.uint8)


def encode_jpeg(image_bgr: NDArray[np.uint8], quality: int = 85) -> bytes:
    """``image_bgr``, uint8 (h, w, 3), as JPEG; ``CommandError`` where it is too large for that."""
    return _encoded(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])


def encode_png(image_bgr: NDArray[np.uint8]) -> bytes:
    """``image_bgr``, uint8 (h, w, 3), as PNG; ``CommandError`` where it is too large for that."""
    return _encoded(".png", image_bgr, [])


def draw_detections(image_bgr: NDArray[np.uint8], detections: Detections) -> NDArray[np.uint8]:
    """A copy of ``image_bgr``, uint8 (h, w, 3), with every card's quad, name and confidence drawn in."""
    drawn = image_bgr.copy()
    unit = max(image_bgr.shape[:2]) / 1000
    thickness = max(1, round(2 * unit))
    for corners_px, name, confidence in zip(
        detections.corners_px, detections.names, detections.confidence, strict=True
    ):
        colour = _colour_of(name)
        cv2.polylines(drawn, [np.rint(corners_px).astype(np.int32)], True, colour, thickness, cv2.LINE_AA)
        x, y = np.rint(corners_px[0]).astype(int).tolist()
        _draw_label(drawn, f"{name} {confidence:.2f}", (x, y), unit, colour)
    return drawn


def _encoded(suffix: str, image_bgr: NDArray[np.uint8], options: list[int]) -> bytes:
    height, width = image_bgr.shape[:2]
    try:
        is_done, encoded = cv2.imencode(suffix, image_bgr, options)
    except cv2.error:
        is_done = False
    if not is_done:
        raise CommandError(
            f"cannot write a picture of {width} x {height} px as {suffix} (JPEG: 65500 a side)"
        )
    return encoded.tobytes()


def _colour_of(name: str) -> tuple[int, int, int]:
    if name == UNREADABLE:
        return _UNREADABLE_BGR
    return _BACK_BGR if name == BACK else _FACE_BGR


def _draw_label(
    drawn: NDArray[np.uint8], text: str, at_px: tuple[int, int], unit: float, colour: tuple[int, int, int]
) -> None:
    scale, thickness = 0.55 * unit, max(1, round(1.2 * unit))
    (width, height), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thickness)
    x = min(max(at_px[0], 0), max(0, drawn.shape[1] - width))
    y = min(max(at_px[1], height + below), drawn.shape[0] - below)
    cv2.rectangle(drawn, (x, y - height - below), (x + width, y + below), colour, cv2.FILLED)
    cv2.putText(drawn, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, (10, 20, 15), thickness, cv2.LINE_AA)
