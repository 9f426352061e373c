"""Cameras and network addresses: frames as they happen, with the driver's or the sender's times."""

import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from types import TracebackType
from typing import Self

import av
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from referee.clock import ClockGrade
from vision.frames import MICROSECONDS, Frame, ticks_to_us
from vision.packets import PacketTap
from vision.sources.base import SourceSettings
from vision.sources.errors import SourceError
from vision.sources.tapping import Tapper
from vision.sources.timing import StampFaults, StampKeeper
from vision.sources.video import picture_of, seconds

_PASSWORD = re.compile(r"//[^/@]*@")
_MICROSECOND = Fraction(1, MICROSECONDS)
LOOKED_AHEAD = 3
"""Frames by which a camera's rate and the kind of its stamps are known."""
_FASTEST_HZ = 1000
"""A stream that says that it is faster says nothing."""


def without_password(address: str) -> str:
    """The address as it may be shown and recorded.

    >>> without_password("rtsp://me:secret@10.0.0.7/top")
    'rtsp://10.0.0.7/top'
    """
    return _PASSWORD.sub("//", address)


@dataclass(frozen=True, slots=True)
class Patience:
    """How a lost camera is waited for."""

    wait: Callable[[float], bool]
    """Waits so many seconds, or until the end is asked for; whether it was."""
    tell: Callable[[str], None]
    """Tells a person, one line each."""
    retry_s: float = 1.0
    """Between two tries to open it: plugging in takes longer, a person notices a second."""
    give_up_s: float = 600.0
    """A match whose camera stays away for ten minutes is over."""


class LiveSource:
    """A camera or a network stream. Refused stamps and damaged pictures are left out.

    A lost stream ends in ``SourceError``; with patience it is opened again, and the frames go on.
    """

    is_live = True
    frame_count: int | None = None

    def __init__(
        self,
        open_stream: Callable[[], InputContainer],
        source_id: str,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.source_id = source_id
        self._open_stream = open_stream
        self._clock_s = clock_s
        self._keeper = StampKeeper()
        self._tapper = Tapper()
        self._patience: Patience | None = None
        self._index = 0
        self._early: deque[Frame] = deque()
        """Frames that were looked at before anybody asked for them."""
        self._last_s = clock_s()
        """When the last frame came, by this computer's clock."""
        self._container, self._stream = self._opened()
        self._reading = self._frames()
        """The frames of the stream that is open."""

    @property
    def clock_grade(self) -> ClockGrade:
        """How far the times can be trusted, as far as has been seen."""
        return self._keeper.grade

    @property
    def stamp_faults(self) -> StampFaults:
        """What was wrong with the stamps so far."""
        return self._keeper.faults

    @property
    def frame_period_us(self) -> int | None:
        """The usual time from frame to frame: as measured, before that as the source says. None: neither."""
        return self._keeper.period_us or _announced_period_us(self._stream)

    @property
    def notices(self) -> tuple[str, ...]:
        """What was odd about the stamps so far."""
        made_up = ("the source gives no times: those at which its pictures came are taken",)
        return (*(made_up if self._keeper.synthesised else ()), *self._keeper.notices)

    def tap_packets(self, tap: PacketTap) -> str | None:
        """Hand every packet to ``tap``; where the source has no time stamps, the reason why not."""
        if self._keeper.synthesised:
            return "the source gives no time stamps by which its pictures could be found again"
        self._tapper.listen(tap)
        return None

    def look_ahead(self) -> Self:
        """Wait for the first frames, so that grade and rate are known; ``SourceError`` where none come."""
        self._tapper.hold()
        try:
            self._early.extend(islice(self._reading, LOOKED_AHEAD))
        except (av.error.FFmpegError, OSError) as error:
            self.close()
            raise SourceError(f"{self.source_id}: gives no pictures: {_reason(error)}") from None
        if not self._early:
            self.close()
            raise SourceError(f"{self.source_id}: gives no pictures (want a camera that does)")
        return self

    def be_patient(self, patience: Patience) -> None:
        """Wait for the source where it is lost, instead of ending."""
        self._patience = patience

    def __iter__(self) -> Iterator[Frame]:
        """Frames until the source ends or somebody asks for the end; ``SourceError`` when it is lost."""
        self._tapper.let_go()
        while self._early:
            yield self._early.popleft()
        while True:
            try:
                yield from self._reading
                said = f"ended{self._since()} (want a source that goes on)"
            except (av.error.FFmpegError, OSError) as error:
                said = f"lost{self._since()}: {_reason(error)}"
            if self._patience is None:
                raise SourceError(f"{self.source_id}: {said}")
            if not self._is_back(self._patience, said):
                return

    def _frames(self) -> Iterator[Frame]:
        for packet in self._container.demux(self._stream):
            self._tapper.take(packet, self._stream)
            try:
                pictures = packet.decode()
            except av.error.InvalidDataError:
                continue  # A damaged packet is a frame that is missing: a gap in the times.
            for picture in pictures:
                frame = self._frame_of(picture) if isinstance(picture, VideoFrame) else None
                if frame is not None:
                    yield frame

    def _frame_of(self, picture: VideoFrame) -> Frame | None:
        """The frame of a picture; None where it is damaged or its stamp is refused."""
        if picture.is_corrupt:
            return None
        pts, time_base = self._stamp_of(picture)
        stamp_us = ticks_to_us(pts, time_base)
        time_us = self._keeper.accept(stamp_us)
        if time_us is None:
            return None
        if not self._keeper.synthesised:
            self._tapper.settle(self._keeper.moved_us)
            self._tapper.show(picture)
        moved = time_us != stamp_us
        self._last_s = self._clock_s()
        self._index += 1
        return Frame(
            picture=picture_of(picture),
            pts=time_us if moved else pts,
            time_base=_MICROSECOND if moved else time_base,
            index=self._index - 1,
            source_id=self.source_id,
        )

    def _stamp_of(self, picture: VideoFrame) -> tuple[int, Fraction]:
        """The picture's own stamp; the time at which it came, where the source gives none."""
        if picture.pts is None or picture.time_base is None:
            self._keeper.synthesised = True
            return round(self._clock_s() * MICROSECONDS), _MICROSECOND
        return picture.pts, picture.time_base

    def _since(self) -> str:
        return "" if self._keeper.last_us is None else f" after its time {seconds(self._keeper.last_us)}"

    def _is_back(self, patience: Patience, said: str) -> bool:
        """Wait for the source; False where the end was asked for. ``SourceError`` where it stays away."""
        patience.tell(f"{self.source_id}: {said}; waiting for it to come back")
        self._container.close()
        began_s = self._clock_s()
        while not patience.wait(patience.retry_s):
            away_s = self._clock_s() - began_s
            try:
                self._container, self._stream = self._opened()
            except SourceError:
                if away_s >= patience.give_up_s:
                    raise SourceError(f"{self.source_id}: {said}; it did not come back") from None
                continue
            self._keeper.resume(round((self._clock_s() - self._last_s) * MICROSECONDS))
            self._tapper.restart()
            self._reading = self._frames()
            patience.tell(
                f"{self.source_id}: back after {away_s:.0f} s; nothing is known of the time between"
            )
            return True
        return False

    def _opened(self) -> tuple[InputContainer, VideoStream]:
        container = self._open_stream()
        if not container.streams.video:
            container.close()
            raise SourceError(f"{self.source_id}: no video stream in it (want a camera)")
        return container, container.streams.video[0]

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

    def open_stream() -> InputContainer:
        try:
            return av.open(address, options=options, timeout=settings.timeout_s)
        except (av.error.FFmpegError, OSError, ValueError) as error:
            said = f"no stream there: {_reason(error)} (want a camera's address)"
            raise SourceError(f"{shown}: {said}") from None

    return LiveSource(open_stream, shown).look_ahead()


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
    wishes = [{**options, "input_format": "mjpeg"}] if container_format == "v4l2" else []

    def open_stream() -> InputContainer:
        for chosen in wishes:  # Over USB 2 only compressed pictures come 60 times a second.
            try:
                return av.open(name, format=container_format, options=chosen, timeout=settings.timeout_s)
            except (av.error.FFmpegError, OSError, ValueError):
                continue
        try:
            return av.open(name, format=container_format, options=options, timeout=settings.timeout_s)
        except (av.error.FFmpegError, OSError, ValueError) as error:
            said = f"not there or in use: {_reason(error)} (want a camera)"
            raise SourceError(f"camera {device}: {said}") from None

    return LiveSource(open_stream, f"camera {device}").look_ahead()


def _announced_period_us(stream: VideoStream) -> int | None:
    """The time from frame to frame that a stream says it has. None: it says nothing sensible."""
    rate = stream.average_rate
    return round(MICROSECONDS / rate) if rate and 1 <= rate <= _FASTEST_HZ else None


def _reason(error: Exception) -> str:
    """What the library said, without numbers and addresses."""
    text = error.strerror if isinstance(error, OSError) else None
    return (text or "it does not answer as a camera does").lower()
