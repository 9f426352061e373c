"""Calibration: corners and markers give back the homography with which a picture was made."""

from fractions import Fraction

import cv2
import numpy as np
import pytest

from vision.calibration import CalibrationError, MarkerFinder, calibrate_from_corners, find_markers
from vision.frames import Frame
from vision.pictures import Bgr
from vision.table import FourCorners, Markers

SIZE_MM = (1000.0, 600.0)
CORNERS_PX = ((150.0, 80.0), (1780.0, 60.0), (1850.0, 1030.0), (60.0, 1010.0))
VIEW = FourCorners((1920, 1080), CORNERS_PX)
MARKERS = Markers("DICT_4X4_50", 40.0, {0: (40, 40), 1: (960, 40), 2: (960, 560), 3: (40, 560)})


def marked_table(leave_out: int | None = None) -> np.ndarray:
    """A picture of the table with its markers, each turned a little, through ``VIEW``."""
    px_per_mm = 4
    table = np.full((600 * px_per_mm, 1000 * px_per_mm, 3), (60, 110, 60), np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for marker, (x, y) in MARKERS.centres_mm.items():
        if marker == leave_out:
            continue
        square = cv2.aruco.generateImageMarker(dictionary, marker, 240)
        card = cv2.copyMakeBorder(square, 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=255)
        scale = 40.0 * px_per_mm / 240
        turn = cv2.getRotationMatrix2D((159.5, 159.5), 5.0 * marker, scale)
        turn[:, 2] += np.array([x, y]) * px_per_mm - 159.5
        cv2.warpAffine(
            cv2.cvtColor(card, cv2.COLOR_GRAY2BGR), turn, (4000, 2400), table,
            cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT,
        )  # fmt: skip
    table_px = np.array([[0, 0], [4000, 0], [4000, 2400], [0, 2400]], np.float32)
    warp = cv2.getPerspectiveTransform(table_px, np.array(CORNERS_PX, np.float32))
    small = cv2.warpPerspective(table, warp, (1920, 1080), flags=cv2.INTER_AREA)
    return cv2.GaussianBlur(small, (3, 3), 0)


def frame_of(image: np.ndarray, index: int = 0) -> Frame:
    return Frame(picture=Bgr(image), pts=index, time_base=Fraction(1, 60), index=index, source_id="test")


def test_corners_lie_on_the_corners():
    calibration = calibrate_from_corners(VIEW, SIZE_MM)

    got = cv2.perspectiveTransform(np.array([CORNERS_PX]), calibration.table_mm_from_image_px)[0]
    assert got == pytest.approx(np.array([[0, 0], [1000, 0], [1000, 600], [0, 600]]), abs=1e-3)


def test_a_frame_half_the_size_shows_the_same_table():
    half = calibrate_from_corners(VIEW, SIZE_MM).for_size((960, 540))

    got = cv2.perspectiveTransform(np.array([CORNERS_PX]) / 2, half.table_mm_from_image_px)[0]
    assert got[2] == pytest.approx([1000, 600], abs=1e-3)
    assert half.px_per_mm_at((500, 300)) == pytest.approx(0.8, abs=0.1)


@pytest.mark.parametrize("size_px", [(1080, 1920), (1440, 1080), (640, 480)])
def test_a_frame_of_another_shape_is_refused(size_px):
    with pytest.raises(CalibrationError, match="want 1920 x 1080 or the same shape"):
        calibrate_from_corners(VIEW, SIZE_MM).for_size(size_px)


def test_markers_give_the_homography_to_a_millimetre():
    finder = MarkerFinder(markers=MARKERS, frames_wanted=2, frames_at_most=5)
    frame = frame_of(marked_table())

    assert finder.see(frame) is None
    calibration = finder.see(frame)

    got = cv2.perspectiveTransform(np.array([CORNERS_PX]), calibration.table_mm_from_image_px)[0]
    assert got == pytest.approx(np.array([[0, 0], [1000, 0], [1000, 600], [0, 600]]), abs=1.0)
    assert 0 < calibration.rms_mm < 0.5


@pytest.mark.parametrize("side_px", [32, 48, 68, 90, 140])
def test_markers_are_found_at_every_size(side_px):
    image = np.full((1080, 1920, 3), (60, 110, 60), np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for marker, (x, y) in enumerate([(40, 40), (1700, 40), (1700, 880), (40, 880)]):
        square = cv2.aruco.generateImageMarker(dictionary, marker, side_px)
        card = cv2.copyMakeBorder(square, 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=255)
        image[y : y + len(card), x : x + len(card)] = card[..., None]

    assert sorted(find_markers(image, "DICT_4X4_50")) == [0, 1, 2, 3]


def test_missing_markers_are_named():
    finder = MarkerFinder(markers=MARKERS, frames_wanted=1, frames_at_most=2)
    frame = frame_of(marked_table(leave_out=2))

    assert finder.see(frame) is None
    with pytest.raises(CalibrationError, match=r"markers not found: 2 \(looked at 2 frames"):
        finder.see(frame)
