"""A folder of images as a source."""

import csv
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from referee.clock import ClockGrade
from vision.frames import MICROSECONDS, Frame, ticks_to_us
from vision.pictures import Bgr
from vision.sources.base import SourceSettings
from vision.sources.errors import SourceError
from vision.sources.timing import StampKeeper

IMAGE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
LISTING = "times.csv"
LATEST_US = 2**53
"""The last time that a double holds to the microsecond (285 years): what lies beyond is no time."""

_TIMED_NAME = re.compile(r"(?:^|[^0-9])([0-9]+)us$")
_MICROSECOND = Fraction(1, MICROSECONDS)


class ImageFolder:
    """The images of a folder, in the order of their times.

    Times, the first that holds: ``times.csv`` with the columns ``file`` and ``t_us``; names that end in
    microseconds (``top-000033367us.png``); made up at ``folder_fps`` in the order of the names, grade C.
    """

    is_live = False

    def __init__(self, folder: Path, settings: SourceSettings) -> None:
        self.source_id = folder.name
        self._folder = folder
        self._keeper = StampKeeper()
        self._images = self._timed_images(settings)
        if not self._images:
            raise SourceError(f"{folder}: no images in it (want .jpg, .png and the like)")
        taken = [image for image in self._images if self._keeper.accept(image[0]) is not None]
        self._images = taken
        self.frame_count: int | None = len(taken)

    @property
    def clock_grade(self) -> ClockGrade:
        """How far the times of these images can be trusted."""
        return self._keeper.grade

    @property
    def frame_period_us(self) -> int | None:
        """The usual time from image to image. None: only one image."""
        return self._keeper.period_us

    @property
    def notices(self) -> tuple[str, ...]:
        """What was odd about the times."""
        made_up = (f"no times given (want {LISTING}, or names ending in ...us): times are made up",)
        return (*(made_up if self._keeper.synthesised else ()), *self._keeper.notices)

    def _timed_images(self, settings: SourceSettings) -> list[tuple[int, Path]]:
        listing = self._folder / LISTING
        if listing.exists():
            return _read_listing(listing)
        paths = sorted(
            (p for p in self._folder.iterdir() if p.suffix.lower() in IMAGE_ENDINGS), key=_natural_order
        )
        named = [_TIMED_NAME.search(path.stem) for path in paths]
        timed = [(_time_us(found[1], path), path) for found, path in zip(named, paths, strict=True) if found]
        if len(timed) == len(paths):
            return sorted(timed)
        self._keeper.synthesised = True
        period_s = 1 / Fraction(settings.folder_fps).limit_denominator(1001)
        return [(ticks_to_us(i, period_s), path) for i, path in enumerate(paths)]

    def __iter__(self) -> Iterator[Frame]:
        """Every image; ``SourceError`` at one that cannot be read."""
        for index, (time_us, path) in enumerate(self._images):
            try:
                encoded = np.fromfile(path, dtype=np.uint8)
            except OSError:
                raise SourceError(f"{path}: cannot be read (named in {LISTING}?)") from None
            try:
                image = cv2.imdecode(encoded, cv2.IMREAD_COLOR) if encoded.size else None
            except (cv2.error, MemoryError):
                raise SourceError(
                    f"{path}: cannot be decoded: too large or damaged (want a photograph)"
                ) from None
            if image is None:
                raise SourceError(f"{path}: not an image, or cut short (want a whole .jpg, .png or the like)")
            yield Frame(
                picture=Bgr(image.astype(np.uint8, copy=False)),
                pts=time_us,
                time_base=_MICROSECOND,
                index=index,
                source_id=self.source_id,
            )

    def close(self) -> None:
        """Nothing is held open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _read_listing(listing: Path) -> list[tuple[int, Path]]:
    wanted = "want a first line 'file,t_us', then e.g. 'a.png,33367'"
    try:
        with listing.open(newline="", encoding="utf-8") as lines:
            rows = [
                (_time_us(row["t_us"], listing), listing.parent / row["file"])
                for row in csv.DictReader(lines)
            ]
    except SourceError:
        raise
    except (KeyError, TypeError, ValueError, OSError, csv.Error):
        raise SourceError(f"{listing}: not a list of times ({wanted})") from None
    return rows


def _time_us(digits: str, where: Path) -> int:
    """The time that ``digits`` give; ``SourceError`` beyond ``LATEST_US``, ``ValueError`` if no number."""
    digits = digits.strip()
    time_us = int(digits) if len(digits) < 100 else None
    if time_us is None or abs(time_us) > LATEST_US:
        shown = digits if len(digits) <= 30 else digits[:27] + "..."
        raise SourceError(f"{where}: {shown!r}: no time in microseconds (want at most {LATEST_US})")
    return time_us


def _natural_order(path: Path) -> tuple[tuple[int, str], ...]:
    """Sorts ``img2`` before ``img10``."""
    parts = re.findall(r"[0-9]+|[^0-9]+", path.stem)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)
