"""Video files: every frame with the time that the container gave it."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.plane import VideoPlane
from av.video.stream import VideoStream
from numpy.typing import NDArray

from referee.clock import ClockGrade
from vision.frames import MICROSECONDS, Frame, ticks_to_us
from vision.packets import PacketTap
from vision.pictures import HIGH_DEFINITION, STANDARD, Bgr, Picture, Planes
from vision.sources.errors import MissingSourceError, SourceError
from vision.sources.tapping import Tapper
from vision.sources.timing import StampFaults, StampKeeper

CUT_SHORT_US = 250_000
"""A file that ends this much before the time in its header was cut short: muxers round the end by a frame."""

STILL_FORMATS = frozenset({"image2", "image2pipe", "ico", "tty", "bin", "adf", "idf", "xbin"})
"""What FFmpeg calls pictures and drawn text; all other formats of single pictures end in ``_pipe``."""


def image_of(picture: VideoFrame) -> NDArray[np.uint8]:
    """The picture as BGR, uint8 (h, w, 3), turned upright where the file says that it lies on its side."""
    image: NDArray[np.uint8] = picture.to_ndarray(format="bgr24").astype(np.uint8, copy=False)
    quarters = round(picture.rotation / 90) % 4
    return np.ascontiguousarray(np.rot90(image, quarters)) if quarters else image


PLANAR = {"yuv420p": False, "yuvj420p": True}
"""Formats whose planes are taken as they are; whether their levels are 0..255 by themselves."""
FULL_RANGE = 2
"""What FFmpeg calls levels from 0 to 255."""
BY_WEIGHTS = {1: HIGH_DEFINITION, 2: STANDARD, 5: STANDARD, 6: STANDARD}
"""FFmpeg's numbers of how colours were made; 2 is not said, where FFmpeg takes the same."""


def picture_of(picture: VideoFrame) -> Picture:
    """The picture with its planes as they are, where they are of the usual kind and upright; else in BGR."""
    weights = BY_WEIGHTS.get(picture.colorspace)
    if picture.format.name not in PLANAR or weights is None or round(picture.rotation / 90) % 4:
        return Bgr(image_of(picture))
    luma, blue, red = (_plane(plane) for plane in picture.planes)
    return Planes(
        luma=luma,
        blue=blue,
        red=red,
        weights=weights,
        is_full_range=PLANAR[picture.format.name] or picture.color_range == FULL_RANGE,
        whole=lambda: image_of(picture),
    )


def _plane(plane: VideoPlane) -> NDArray[np.uint8]:
    """A window on a plane: uint8 (h, w), not to be written to."""
    rows: NDArray[np.uint8] = np.asarray(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    window = rows[: plane.height, : plane.width]
    window.setflags(write=False)
    return window


def seconds(time_us: int) -> str:
    """A time for people: seconds with milliseconds.

    >>> seconds(1_234_567)
    '1.235 s'
    """
    return f"{time_us / MICROSECONDS:.3f} s"


class VideoFile:
    """A video file. Its stamps are looked through on opening, so that its grade is known at once."""

    is_live = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self.source_id = path.name
        self._keeper = StampKeeper()
        self._header_end_us: int | None = None
        self._packets_end_us = 0
        self._made_up_rate = Fraction(25)
        self._tapper = Tapper()
        self._played = StampKeeper()
        self.frame_count: int | None = self._look_through()
        if not self.frame_count:
            raise SourceError(f"{path}: not one frame in it (want a video file)")
        self._container, self._stream = self._open()

    @property
    def clock_grade(self) -> ClockGrade:
        """How far the times of this file can be trusted."""
        return self._keeper.grade

    @property
    def stamp_faults(self) -> StampFaults:
        """What was wrong with the stamps of the frames that were played."""
        return self._played.faults

    @property
    def frame_period_us(self) -> int | None:
        """The usual time from frame to frame. None: only one frame."""
        return self._keeper.period_us

    @property
    def notices(self) -> tuple[str, ...]:
        """What was odd about the stamps of this file."""
        made_up = ("no time stamps in the file: times are made up from its frame rate",)
        return (*(made_up if self._keeper.synthesised else ()), *self._keeper.notices)

    def tap_packets(self, tap: PacketTap) -> str | None:
        """Hand every packet to ``tap``; where the file has no time stamps, the reason why not."""
        if self._keeper.synthesised:
            return "the file has no time stamps by which its pictures could be found again"
        self._tapper.listen(tap)
        self._tapper.settle(0)
        return None

    def _open(self) -> tuple[InputContainer, VideoStream]:
        path = self._path
        if path.is_dir():
            raise SourceError(f"{path}: a folder (want a video file)")
        try:
            container = av.open(str(path))
        except FileNotFoundError:
            raise MissingSourceError(f"{path}: no such file (want a video file)") from None
        except PermissionError:
            raise SourceError(f"{path}: may not be read (want a video file)") from None
        except (av.error.FFmpegError, OSError, ValueError):
            said = "not a video, or cut short before its index"
            raise SourceError(f"{path}: {said} (want a video file)") from None
        names = container.format.name.split(",")
        if any(name in STILL_FORMATS or name.endswith("_pipe") for name in names):
            container.close()
            said = "text" if {"tty", "bin"} & set(names) else "a picture"
            raise SourceError(f"{path}: {said}, not a video (want a video, or a folder of pictures)")
        if not container.streams.video:
            container.close()
            raise SourceError(f"{path}: no video stream in it (want a video file)")
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        return container, stream

    def _look_through(self) -> int:
        """Read all stamps without decoding; the number of frames."""
        container, stream = self._open()
        with container:
            time_base = stream.time_base or Fraction(1, MICROSECONDS)
            self._header_end_us = _end_in_header_us(container, stream)
            stamps: list[int] = []
            count = 0
            try:
                for packet in container.demux(stream):
                    if packet.size == 0:
                        continue
                    count += 1
                    if packet.pts is not None:
                        stamps.append(ticks_to_us(packet.pts, time_base))
                        end_us = ticks_to_us(packet.pts + (packet.duration or 0), time_base)
                        self._packets_end_us = max(self._packets_end_us, end_us)
            except av.error.FFmpegError:
                pass  # Decoding meets the same place, and says so when it has given what it could.
            if len(stamps) < count / 2:
                self._keeper.synthesised = True
                self._made_up_rate = stream.average_rate or stream.guessed_rate or self._made_up_rate
                stamps = [ticks_to_us(i, 1 / self._made_up_rate) for i in range(count)]
                self._header_end_us = None
            for stamp_us in sorted(stamps):
                self._keeper.accept(stamp_us)
        return count

    def __iter__(self) -> Iterator[Frame]:
        """Every whole frame; ``SourceError`` after the last if the file was damaged or cut short."""
        keeper = self._played = StampKeeper(synthesised=self._keeper.synthesised)
        whole_until_us: int | None = None
        last_us = 0
        index = 0
        for picture in self._pictures():
            if picture is None or picture.is_corrupt:
                whole_until_us = last_us if whole_until_us is None else whole_until_us
                continue
            pts, time_base = self._stamp_of(picture, index)
            time_us = ticks_to_us(pts, time_base)
            index += 1
            if keeper.accept(time_us) is None:
                continue
            last_us = time_us
            yield Frame(
                picture=picture_of(picture),
                pts=pts,
                time_base=time_base,
                index=index - 1,
                source_id=self.source_id,
            )
        self._complain(whole_until_us, last_us)

    def _pictures(self) -> Iterator[VideoFrame | None]:
        """Decoded pictures in the order of their times; None where something was not whole."""
        packets = self._container.demux(self._stream)
        damaged: set[int | None] = set()
        has_told = True
        while True:
            try:
                packet = next(packets)
            except StopIteration:
                if not has_told:
                    yield None
                return
            except av.error.FFmpegError:
                yield None
                return
            self._tapper.take(packet, self._stream)
            if packet.is_corrupt and packet.size:
                damaged.add(packet.pts)
                has_told = False
            try:
                pictures = packet.decode()
            except av.error.FFmpegError:
                has_told = True
                yield None
                continue
            for picture in pictures:
                if isinstance(picture, VideoFrame):
                    is_damaged = picture.pts in damaged
                    has_told = has_told or is_damaged
                    self._tapper.show(picture)
                    yield None if is_damaged else picture

    def _stamp_of(self, picture: VideoFrame, index: int) -> tuple[int, Fraction]:
        if self._keeper.synthesised or picture.pts is None or picture.time_base is None:
            return index, 1 / self._made_up_rate
        return picture.pts, picture.time_base

    def _complain(self, whole_until_us: int | None, last_us: int) -> None:
        if whole_until_us is not None:
            raise SourceError(f"{self._path}: damaged or cut short: whole up to {seconds(whole_until_us)}")
        header_us = self._header_end_us
        if header_us is not None and header_us - self._packets_end_us > CUT_SHORT_US:
            promised = seconds(header_us)
            raise SourceError(f"{self._path}: cut short: whole up to {seconds(last_us)} of {promised}")

    def close(self) -> None:
        """Close the file."""
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


def _end_in_header_us(container: InputContainer, stream: VideoStream) -> int | None:
    """When the video ends, by what the file says of itself. None: it does not say."""
    if stream.duration and stream.time_base is not None:
        return ticks_to_us((stream.start_time or 0) + stream.duration, stream.time_base)
    if container.duration is not None and len(container.streams) == 1:
        return container.duration  # Matroska's: from 0 to the end, wherever the first frame lies.
    return None
