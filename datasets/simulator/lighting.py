"""Light that changes while the camera runs: a slow drift, and a lamp that is switched."""

from dataclasses import dataclass
from typing import Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Field = NDArray[np.float32]

_SWITCH_US: Final = 40_000
"""A lamp comes up, or fades, in so long: bulbs and dimmed LEDs need two or three mains periods."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LightChanges:
    """How bright the room is from moment to moment, beside the picture's own light."""

    drift: float
    """The brightness swings by this share up and down."""
    period_us: int
    phase: float
    """Where in its swing the drift begins, 0..1."""
    switch_us: int | None
    """When the lamp is switched. None: never."""
    lamp: Field
    """float32 (h, w): by what share each place gets brighter with the switch; below 0 darker."""

    @classmethod
    def random(
        cls, rng: np.random.Generator, size_px: tuple[int, int], *, drift: float, switch_us: int | None
    ) -> Self:
        """Some lamp that goes on, or off, over some part of the table."""
        width, height = size_px
        rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
        x, y = columns / width * 2 - 1, (rows / height * 2 - 1) * height / width
        lamp_x, lamp_y = float(rng.uniform(-0.9, 0.9)), float(rng.uniform(-0.6, 0.6))
        spread = float(rng.uniform(0.5, 1.3))
        strength = float(rng.uniform(0.18, 0.4)) * float(rng.choice([1.0, -1.0]))
        spot = np.exp(-((x - lamp_x) ** 2 + (y - lamp_y) ** 2) / spread**2)
        return cls(
            drift=drift,
            period_us=int(rng.uniform(15e6, 40e6)),
            phase=float(rng.uniform(0, 1)),
            switch_us=switch_us,
            lamp=(strength * (0.35 + 0.65 * spot)).astype(np.float32),
        )

    def shine(self, image: Image, first_row_us: float, last_row_us: float) -> Image:
        """A picture, uint8 BGR (h, w, 3), in the light of the moments at which its rows are exposed."""
        rows_us = np.linspace(first_row_us, last_row_us, len(image))
        gain = 1.0 + self.drift * np.sin(2 * np.pi * (rows_us / self.period_us + self.phase))
        switched = np.zeros(len(image))
        if self.switch_us is not None:
            switched = np.clip((rows_us - self.switch_us) / _SWITCH_US, 0.0, 1.0)
        if not switched.any():
            return cv2.convertScaleAbs(image, alpha=float(gain[len(gain) // 2])).astype(np.uint8, copy=False)
        factor = (gain[:, None] * (1.0 + switched[:, None] * self.lamp)).astype(np.float32)
        lit = cv2.multiply(image, cv2.merge([factor] * 3), dtype=cv2.CV_8U)
        return lit.astype(np.uint8, copy=False)
