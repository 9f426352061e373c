"""Frames of clips as JPEG for those who ask over the web, with bounded work: one is decoded at a time."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

import cv2
import numpy as np

from api.evidence_shelf import MatchFolder
from api.images import encode_jpeg
from vision.evidence import ClipError, ClipIndex, ClipReader
from vision.evidence.drawing import Captions, draw_evidence
from vision.frames import Frame

READERS_KEPT = 2
"""Clips that are open, each with some decoded pictures: 50 MB at 1080p. Two people review at once."""
PICTURES_KEPT = 128
"""Encoded pictures that are kept: some 60 MB at 1080p, and stepping to and fro costs nothing."""
WAITING_AT_MOST = 16
"""More who wait for a picture are sent away: each may take a second."""


class BusyError(Exception):
    """Too many wait for a picture; the message is for a person."""


@dataclass(frozen=True, slots=True)
class WantedFrame:
    """One picture of a clip. width_px: None for its own."""

    place: int
    """From 0, in the order in which frames are shown."""
    is_drawn: bool
    verdict_id: str | None
    width_px: int | None
    is_small: bool = False
    """Drawn for a telephone: in large letters."""


class FrameServer:
    """Decodes, draws and encodes; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(WAITING_AT_MOST)
        self._readers: OrderedDict[str, ClipReader] = OrderedDict()
        self._pictures: OrderedDict[tuple[str, WantedFrame], bytes] = OrderedDict()

    def jpeg(
        self, folder: MatchFolder, index: ClipIndex, digest: str, wanted: WantedFrame, captions: Captions
    ) -> bytes:
        """The picture; ``BusyError`` where too many wait, ``ClipError`` where the clip is damaged.

        ``digest``: of the index, by which the clip is known. ``captions``: always the same for a clip.
        """
        if not self._places.acquire(blocking=False):
            raise BusyError("too many pictures are asked for at once: try again in a second")
        try:
            with self._lock:
                return self._jpeg(folder, index, (digest, wanted), captions)
        finally:
            self._places.release()

    def _jpeg(
        self, folder: MatchFolder, index: ClipIndex, key: tuple[str, WantedFrame], captions: Captions
    ) -> bytes:
        known = self._pictures.get(key)
        if known is None:
            digest, wanted = key
            frame = self._reader(folder, index, digest).frame_at(index.times_us[wanted.place])
            known = _encoded(frame, index, wanted, captions)
            self._pictures[key] = known
        self._pictures.move_to_end(key)
        while len(self._pictures) > PICTURES_KEPT:
            self._pictures.popitem(last=False)
        return known

    def _reader(self, folder: MatchFolder, index: ClipIndex, digest: str) -> ClipReader:
        reader = self._readers.get(digest)
        if reader is None:
            reader = self._readers[digest] = ClipReader(index, folder.path / index.media)
        self._readers.move_to_end(digest)
        while len(self._readers) > READERS_KEPT:
            self._readers.popitem(last=False)[1].close()
        return reader


def _encoded(frame: Frame, index: ClipIndex, wanted: WantedFrame, captions: Captions) -> bytes:
    picture = frame.image_bgr
    if wanted.is_drawn:
        picture = draw_evidence(frame, index, wanted.verdict_id, captions, is_small=wanted.is_small)
    height, width = picture.shape[:2]
    if wanted.width_px is not None and wanted.width_px < width:
        size = (wanted.width_px, max(1, round(height * wanted.width_px / width)))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return encode_jpeg(picture, quality=92)


def last_picture(folder: MatchFolder) -> bytes | None:
    """The last frame of the last clip that is kept of a match, as JPEG. None: none can be read."""
    indexes = [index for index in folder.indexes() if index.times_us]
    for index in sorted(indexes, key=lambda each: each.times_us[-1], reverse=True):
        try:
            with ClipReader(index, folder.path / index.media) as reader:
                return encode_jpeg(reader.frame_at(index.times_us[-1]).image_bgr)
        except ClipError:
            continue  # it is damaged: the one before may not be
    return None
