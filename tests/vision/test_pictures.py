"""Pictures as videos keep them show the same as in colours."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from av.video.reformatter import ColorRange, Colorspace

from vision.calibration import calibrate_from_corners
from vision.pictures import Bgr, Planes
from vision.rectify import Resampler
from vision.sources.video import VideoFile, image_of, picture_of
from vision.table import FourCorners

SIZE_WH = (320, 240)
LEVELS = 5
"""Rounding, twice, and FFmpeg's own of up to two levels."""


@pytest.fixture
def colours() -> np.ndarray:
    """Soft stains in all colours, black and white among them."""
    seeds = np.random.default_rng(3).integers(0, 2, (6, 8, 3)).astype(np.uint8) * 255
    return np.asarray(cv2.resize(seeds, SIZE_WH, interpolation=cv2.INTER_CUBIC), np.uint8)


@pytest.fixture
def take() -> Resampler:
    corners = FourCorners(SIZE_WH, ((20.0, 15.0), (300.0, 22.0), (310.0, 230.0), (8.0, 222.0)))
    return Resampler.of_box(calibrate_from_corners(corners, (500.0, 400.0)), (0.0, 0.0, 500.0, 400.0), 0.5)


def kept(colours: np.ndarray, space: Colorspace, levels: ColorRange) -> av.VideoFrame:
    frame = av.VideoFrame.from_ndarray(colours, format="bgr24")
    planar = frame.reformat(format="yuv420p", dst_colorspace=space, dst_color_range=levels)
    planar.colorspace, planar.color_range = space, levels
    return planar


@pytest.mark.parametrize("space", [Colorspace.ITU601, Colorspace.ITU709])
@pytest.mark.parametrize("levels", [ColorRange.MPEG, ColorRange.JPEG])
def test_planes_show_the_colours_that_they_were_made_of(
    colours: np.ndarray, take: Resampler, space: Colorspace, levels: ColorRange
) -> None:
    planes = picture_of(kept(colours, space, levels))

    seen = take.bgr(planes)

    assert isinstance(planes, Planes)
    assert np.abs(seen.astype(int) - take.bgr(Bgr(colours))).mean() < LEVELS


def test_planes_show_the_grey_of_their_colours(colours: np.ndarray, take: Resampler) -> None:
    planes = picture_of(kept(colours, Colorspace.ITU601, ColorRange.MPEG))

    seen = take.grey(planes)

    assert np.abs(seen.astype(int) - take.grey(Bgr(colours))).max() <= LEVELS


def test_beside_the_picture_it_is_black(colours: np.ndarray) -> None:
    corners = FourCorners(SIZE_WH, ((0.0, 0.0), (320.0, 0.0), (320.0, 240.0), (0.0, 240.0)))
    calibration = calibrate_from_corners(corners, (320.0, 240.0))
    around = Resampler.of_box(calibration, (-40.0, -40.0, 360.0, 280.0), 1.0)
    planes = picture_of(kept(colours, Colorspace.ITU601, ColorRange.MPEG))

    assert around.bgr(planes)[:30].max() == 0
    assert around.grey(planes)[:30].max() == 0


def test_the_whole_picture_is_made_when_it_is_asked_for_and_once(colours: np.ndarray) -> None:
    frame = kept(colours, Colorspace.ITU601, ColorRange.MPEG)
    made: list[int] = []
    planes = picture_of(frame)
    assert isinstance(planes, Planes)
    whole: Callable[[], np.ndarray] = planes.whole
    planes.whole = lambda: (made.append(1), whole())[1]  # type: ignore[func-returns-value]

    pictures = [planes.bgr, planes.bgr]

    assert len(made) == 1
    assert pictures[0] is pictures[1]
    assert np.array_equal(pictures[0], image_of(frame))


def test_a_picture_of_another_kind_is_taken_in_colours(colours: np.ndarray) -> None:
    frame = av.VideoFrame.from_ndarray(colours, format="bgr24").reformat(format="yuv444p")

    picture = picture_of(frame)

    assert isinstance(picture, Bgr)
    assert np.array_equal(picture.bgr, image_of(frame))


def test_frames_of_a_video_file_keep_its_planes(colours: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "stains.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(30))
        stream.width, stream.height, stream.pix_fmt = *SIZE_WH, "yuv420p"
        for _ in range(3):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(colours, format="bgr24")))
        container.mux(stream.encode())

    with VideoFile(path) as source:
        frames = list(source)

    assert [type(frame.picture) for frame in frames] == [Planes] * 3
    assert {frame.size_px for frame in frames} == {SIZE_WH}
    assert np.abs(frames[0].image_bgr.astype(int) - colours).mean() < LEVELS


def test_a_picture_without_three_colours_is_refused() -> None:
    with pytest.raises(ValueError, match=r"want uint8 of shape \(h, w, 3\)"):
        Bgr(np.zeros((4, 4), np.uint8))
