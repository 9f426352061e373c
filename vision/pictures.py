"""One picture as its source keeps it: colours by pixel, or brightness and colours apart."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

GREY_LEVELS = 219
"""Of 255, from black to white, where a video keeps to the levels of television ..."""
COLOUR_LEVELS = 224
"""... and from one colour to its opposite."""
BLACK = 16
"""The darkest level there."""
NO_COLOUR = 128


@dataclass(frozen=True, slots=True, eq=False)
class Bgr:
    """A picture in colours. bgr: uint8 (h, w, 3)."""

    bgr: NDArray[np.uint8]

    def __post_init__(self) -> None:
        if self.bgr.dtype != np.uint8 or self.bgr.ndim != 3 or self.bgr.shape[2] != 3:
            raise ValueError(f"bgr: want uint8 of shape (h, w, 3), got {self.bgr.dtype} {self.bgr.shape}")
        self.bgr.setflags(write=False)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height, in pixels."""
        height, width = self.bgr.shape[:2]
        return width, height


@dataclass(frozen=True, slots=True)
class Weights:
    """How bright red and blue count, 0..1; green has the rest. A video says by which it was made."""

    red: float
    blue: float

    @property
    def bgr_from_planes(self) -> NDArray[np.float32]:
        """float32 (3, 3): blue, green and red of brightness, 0..1, and both colour differences, +-0.5."""
        red, blue = 2 - 2 * self.red, 2 - 2 * self.blue
        green = 1 - self.red - self.blue
        return np.array(
            [[1, blue, 0], [1, -blue * self.blue / green, -red * self.red / green], [1, 0, red]], np.float32
        )


STANDARD = Weights(red=0.299, blue=0.114)
"""ITU-R BT.601."""
HIGH_DEFINITION = Weights(red=0.2126, blue=0.0722)
"""ITU-R BT.709."""


@dataclass(slots=True, kw_only=True, eq=False)
class Planes:
    """A picture as videos keep it: most of it is only ever looked at in grey, and never turned into colours.

    luma: uint8 (h, w). blue, red: uint8, half of that each way, rounded up. is_full_range: luma is 0..255,
    not 16..235. whole: makes the whole picture, uint8 (h, w, 3).
    """

    luma: NDArray[np.uint8]
    blue: NDArray[np.uint8]
    red: NDArray[np.uint8]
    weights: Weights
    is_full_range: bool
    whole: Callable[[], NDArray[np.uint8]]
    _bgr: NDArray[np.uint8] | None = None
    _making: Lock = field(default_factory=Lock)
    """FFmpeg's converter is one to a picture; pages are drawn in other threads than the watcher's."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height, in pixels."""
        height, width = self.luma.shape
        return width, height

    @property
    def bgr(self) -> NDArray[np.uint8]:
        """The whole picture in colours, uint8 (h, w, 3); made once."""
        with self._making:
            if self._bgr is None:
                image = self.whole()
                image.setflags(write=False)
                self._bgr = image
            return self._bgr

    def grey_of(self, luma: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A part of ``luma`` in levels 0..255."""
        return luma if self.is_full_range else np.asarray(cv2.LUT(luma, GREY_OF_LUMA), np.uint8)

    def bgr_of(
        self, luma: NDArray[np.uint8], blue: NDArray[np.uint8], red: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """Parts of the planes, all uint8 (h, w), in colours: uint8 (h, w, 3)."""
        black, grey_levels, colour_levels = (
            (0, 255, 255) if self.is_full_range else (BLACK, GREY_LEVELS, COLOUR_LEVELS)
        )
        scale = np.array([255 / grey_levels, 255 / colour_levels, 255 / colour_levels], np.float32)
        linear = self.weights.bgr_from_planes * scale
        shift = -linear @ np.array([black, NO_COLOUR, NO_COLOUR], np.float32)
        return np.asarray(
            cv2.transform(cv2.merge([luma, blue, red]), np.column_stack([linear, shift])), np.uint8
        )


def _grey_of_luma() -> NDArray[np.uint8]:
    levels = (np.arange(256) - BLACK) * 255 / GREY_LEVELS
    return np.clip(np.round(levels), 0, 255).astype(np.uint8)


GREY_OF_LUMA = _grey_of_luma()
"""uint8 (256,): the levels of television, spread over 0..255."""

Picture = Bgr | Planes
