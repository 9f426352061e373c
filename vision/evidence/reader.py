"""The frames of a clip by their times: exactly those that were judged."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame

from vision.evidence.clips import ClipError, ClipIndex
from vision.frames import MICROSECONDS, Frame
from vision.pictures import Bgr
from vision.sources.video import image_of

KEPT_PICTURES = 16
"""Decoded pictures that are kept, so that stepping back decodes nothing: 50 MB at 1080p."""


class ClipReader:
    """Gives the frames of one clip. Stamps are those of the index, never the container's, which may round.

    Frames are found by decoding from the last key frame at or before them: no seek is trusted.
    Not safe for several threads.
    """

    def __init__(self, index: ClipIndex, media: Path) -> None:
        self.index = index
        self._media = media
        self._stamps = index.stamps
        self._times_us = index.times_us
        if not self._stamps:
            raise ClipError(f"{index.media}: no key frame in it, so nothing can be decoded")
        self._kept: OrderedDict[int, VideoFrame] = OrderedDict()
        self._run: _Run | None = None
        """The decoding under way. None: none yet."""

    @property
    def times_us(self) -> tuple[int, ...]:
        """The times of all frames that can be shown, in their order."""
        return self._times_us

    def frame_at(self, t_us: int) -> Frame:
        """The frame that is shown at ``t_us``: the one of that time, or the last before it.

        ``ClipError`` before the first frame, and where the clip is damaged.
        """
        return self._frame(self.place_at(t_us))

    def step(self, t_us: int, by: int) -> Frame:
        """The frame ``by`` frames after the one that is shown at ``t_us`` (before it, if negative).

        ``ClipError`` where the clip has no such frame.
        """
        return self._frame(self.place_at(t_us) + by)

    def place_at(self, t_us: int) -> int:
        """The place, from 0, of the frame that is shown at ``t_us``; ``ClipError`` before the first."""
        place = bisect_right(self._times_us, t_us) - 1
        if place < 0:
            raise ClipError(f"time {t_us} us is before the clip (want {self._span})")
        return place

    @property
    def _span(self) -> str:
        return f"{self._times_us[0]} to {self._times_us[-1]} us"

    def _frame(self, place: int) -> Frame:
        if not 0 <= place < len(self._stamps):
            raise ClipError(f"the clip has no frame further on (want {self._span})")
        picture = self._picture(self._stamps[place])
        image = image_of(picture)
        if self.index.quarters and not picture.rotation:
            image = np.ascontiguousarray(np.rot90(image, self.index.quarters))
        moved = self.index.moved_us != 0
        return Frame(
            picture=Bgr(image),
            pts=self._times_us[place] if moved else self._stamps[place],
            time_base=Fraction(1, MICROSECONDS) if moved else self.index.time_base,
            index=place,
            source_id=self.index.source,
        )

    def _picture(self, pts: int) -> VideoFrame:
        if pts not in self._kept:
            self._decode_to(pts)
        self._kept.move_to_end(pts)
        return self._kept[pts]

    def _decode_to(self, pts: int) -> None:
        """Decode, from a key frame or from where decoding stands, until the picture with ``pts`` is kept."""
        key = self._key_before(pts)
        if self._run is None or self._run.is_past(pts) or self._run.fed < key:
            self.close()
            self._run = _Run(self.index, self._media, key)
        try:
            for picture in self._run.pictures():
                self._keep(picture)
                if picture.pts == pts:
                    return
        except (av.error.FFmpegError, OSError) as error:
            self.close()
            raise ClipError(f"{self.index.media}: {error.strerror or error}") from None
        self.close()
        raise ClipError(f"{self.index.media}: the frame of time {self.index.t_us(pts)} us is damaged")

    def _key_before(self, pts: int) -> int:
        """The place, in the order of decoding, of the last key frame not shown after ``pts``."""
        return max(i for i, packet in enumerate(self.index.packets) if packet.is_key and packet.pts <= pts)

    def _keep(self, picture: VideoFrame) -> None:
        if picture.pts is None:
            return
        self._kept[picture.pts] = picture
        while len(self._kept) > KEPT_PICTURES:
            self._kept.popitem(last=False)

    def close(self) -> None:
        """Let go of the file; what was decoded stays at hand."""
        if self._run is not None:
            self._run.close()
            self._run = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Run:
    """One pass of decoding, from a key frame on."""

    def __init__(self, index: ClipIndex, media: Path, key: int) -> None:
        self._index = index
        self.fed = key
        """How many packets, from the clip's first, have been passed by or decoded."""
        self._last_pts: int | None = None
        try:
            self._container: InputContainer = av.open(str(media))
        except (av.error.FFmpegError, OSError) as error:
            raise ClipError(f"{media}: {error.strerror or error}") from None
        if not self._container.streams.video:
            self._container.close()
            raise ClipError(f"{media}: no video stream in it (want a clip)")
        self._stream = self._container.streams.video[0]
        self._stream.thread_type = "AUTO"
        self._pictures = self._decoded(key)

    def is_past(self, pts: int) -> bool:
        """Whether the picture with ``pts`` has come out already."""
        return self._last_pts is not None and pts <= self._last_pts

    def pictures(self) -> Iterator[VideoFrame]:
        """The pictures that follow; once all came, no more."""
        return self._pictures

    def _decoded(self, key: int) -> Iterator[VideoFrame]:
        listed = self._index.packets
        for number, packet in enumerate(self._container.demux(self._stream)):
            if packet.size and number >= len(listed):
                break
            if number < key:
                continue
            if packet.size:
                self.fed = number + 1
                packet.pts, packet.dts = listed[number].pts, listed[number].dts
                packet.time_base = self._index.time_base
            for picture in packet.decode():
                if isinstance(picture, VideoFrame):
                    self._last_pts = picture.pts
                    yield picture

    def close(self) -> None:
        self._container.close()
