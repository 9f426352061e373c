"""One video image with the time that its source gave it."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

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

    image_bgr: uint8 (h, w, 3).
    pts: presentation time stamp, in ticks of ``time_base`` seconds.
    index: place in decode order, for messages, never for timing.
    """

    image_bgr: NDArray[np.uint8]
    pts: int
    time_base: Fraction
    index: int
    source_id: str

    def __post_init__(self) -> None:
        if self.image_bgr.dtype != np.uint8 or self.image_bgr.ndim != 3 or self.image_bgr.shape[2] != 3:
            got = f"{self.image_bgr.dtype} {self.image_bgr.shape}"
            raise ValueError(f"image_bgr: want uint8 of shape (h, w, 3), got {got}")
        self.image_bgr.setflags(write=False)

    @property
    def t_us(self) -> int:
        """The time of this frame, in microseconds."""
        return ticks_to_us(self.pts, self.time_base)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height, in pixels."""
        height, width = self.image_bgr.shape[:2]
        return width, height
