"""One video image with the time that its source gave it."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from vision.pictures import Picture

MICROSECONDS = 1_000_000


def ticks_to_us(pts: int, time_base: Fraction) -> int:
    """``pts`` ticks of ``time_base`` seconds in whole microseconds, rounded half up, without floats.

    >>> ticks_to_us(3003, Fraction(1, 90_000))
    33367
    """
    numerator = 2 * pts * time_base.numerator * MICROSECONDS + time_base.denominator
    return numerator // (2 * time_base.denominator)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One image and its presentation time.

    picture: as its source keeps it.
    pts: presentation time stamp, in ticks of ``time_base`` seconds.
    index: place in decode order, for messages, never for timing.
    """

    picture: Picture
    pts: int
    time_base: Fraction
    index: int
    source_id: str

    @property
    def image_bgr(self) -> NDArray[np.uint8]:
        """The whole picture in colours: uint8 (h, w, 3)."""
        return self.picture.bgr

    @property
    def t_us(self) -> int:
        """The time of this frame, in microseconds."""
        return ticks_to_us(self.pts, self.time_base)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height, in pixels."""
        return self.picture.size_px
