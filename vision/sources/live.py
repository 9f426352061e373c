"""Cameras and network addresses: frames as they happen, with the driver's or the sender's times."""

import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from types import TracebackType
from typing import Self

import av
from av.container import InputContainer

from referee.clock import ClockGrade
from vision.frames import MICROSECONDS, Frame, ticks_to_us
from vision.sources.base import SourceSettings
from vision.sources.errors import SourceError
from vision.sources.timing import StampKeeper
from vision.sources.video import image_of, seconds

_PASSWORD = re.compile(r"//[^/@]*@")
_MICROSECOND = Fraction(1, MICROSECONDS)


def without_password(address: str) -> str:
    """The address as it may be shown and recorded.

    >>> without_password("rtsp://me:secret@10.0.0.7/top")
    'rtsp://10.0.0.7/top'
    """
    return _PASSWORD.sub("//", address)


class LiveSource:
    """A camera or a network stream. Refused stamps are left out; a lost stream ends in ``SourceError``."""

    is_live = True
    frame_count: int | None = None

    def __init__(self, container: InputContainer, source_id: str) -> None:
        self.source_id = source_id
        self._container = container
        self._keeper = StampKeeper()

    @property
    def clock_grade(self) -> ClockGrade:
        """How far the times can be trusted, as far as has been seen."""
        return self._keeper.grade

    @property
    def frame_period_us(self) -> int | None:
        """The usual time from frame to frame. None: fewer than two frames so far."""
        return self._keeper.period_us

    @property
    def notices(self) -> tuple[str, ...]:
        """What was odd about the stamps so far."""
        return self._keeper.notices

    def __iter__(self) -> Iterator[Frame]:
        """Frames until the source ends; ``SourceError`` when it does."""
        index = 0
        try:
            for picture in self._container.decode(video=0):
                if picture.is_corrupt or picture.pts is None or picture.time_base is None:
                    continue
                time_us = self._keeper.accept(ticks_to_us(picture.pts, picture.time_base))
                if time_us is None:
                    continue
                moved = time_us != ticks_to_us(picture.pts, picture.time_base)
                yield Frame(
                    image_bgr=image_of(picture),
                    pts=time_us if moved else picture.pts,
                    time_base=_MICROSECOND if moved else picture.time_base,
                    index=index,
                    source_id=self.source_id,
                )
                index += 1
        except (av.error.FFmpegError, OSError) as error:
            raise SourceError(f"{self.source_id}: lost{self._since()}: {_reason(error)}") from None
        raise SourceError(f"{self.source_id}: ended{self._since()} (want a source that goes on)")

    def _since(self) -> str:
        return "" if self._keeper.last_us is None else f" after its time {seconds(self._keeper.last_us)}"

    def close(self) -> None:
        """Let go of the device or address."""
        self._container.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_address(address: str, settings: SourceSettings) -> LiveSource:
    """A network stream, e.g. ``rtsp://10.0.0.7/top``; ``SourceError`` if nothing answers in time."""
    shown = without_password(address)
    options = {"rtsp_transport": "tcp"} if address.startswith("rtsp") else {}
    try:
        container = av.open(address, options=options, timeout=settings.timeout_s)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise SourceError(f"{shown}: no stream there: {_reason(error)} (want a camera's address)") from None
    return _with_video(container, shown)


def open_camera(device: str, settings: SourceSettings) -> LiveSource:
    """A camera by its number or, on Linux, its device file; ``SourceError`` if it is not there."""
    if sys.platform.startswith("linux"):
        container_format, name = "v4l2", f"/dev/video{device}" if device.isdecimal() else device
    elif sys.platform == "darwin":
        container_format, name = "avfoundation", f"{device}:none"
    else:
        raise SourceError(f"camera {device}: cameras are read on Linux and macOS (want a file or an address)")
    width, height = settings.camera_size_px
    options = {"video_size": f"{width}x{height}", "framerate": str(settings.camera_fps)}
    try:
        container = av.open(name, format=container_format, options=options, timeout=settings.timeout_s)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise SourceError(f"camera {device}: not there or in use: {_reason(error)} (want a camera)") from None
    return _with_video(container, f"camera {device}")


def _with_video(container: InputContainer, source_id: str) -> LiveSource:
    if not container.streams.video:
        container.close()
        raise SourceError(f"{source_id}: no video stream in it (want a camera)")
    return LiveSource(container, source_id)


def _reason(error: Exception) -> str:
    """What the library said, without numbers and addresses."""
    text = error.strerror if isinstance(error, OSError) else None
    return (text or "it does not answer as a camera does").lower()
