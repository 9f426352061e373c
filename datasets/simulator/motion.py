"""How a hand moves: short pieces of path, each with a beginning, an end and a shape."""

import bisect
from dataclasses import dataclass

import numpy as np


def eased(u: float) -> float:
    """Minimum-jerk progress, 0..1: how people move a hand from rest to rest."""
    u = min(max(u, 0.0), 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """A fingertip's way from one place to another, or its rest there.

    ``start_mm`` and ``end_mm``: x, y, and z over the table. Height follows a hop of ``hop_mm`` that
    is over at ``down_us``; the fingertip slides on from there to ``end_us``.
    """

    start_us: int
    end_us: int
    start_mm: tuple[float, float, float]
    end_mm: tuple[float, float, float]
    hop_mm: float = 0.0
    down_us: int | None = None
    """None: at ``end_us``."""
    bend_mm: float = 0.0
    """How far the path swings aside of the straight line."""
    wobble_mm: float = 0.0

    def at(self, t_us: float) -> tuple[float, float, float]:
        """Where the fingertip is."""
        span = max(self.end_us - self.start_us, 1)
        u = min(max((t_us - self.start_us) / span, 0.0), 1.0)
        s = eased(u)
        (x0, y0, z0), (x1, y1, z1) = self.start_mm, self.end_mm
        length = max(float(np.hypot(x1 - x0, y1 - y0)), 1e-6)
        aside = self.bend_mm * float(np.sin(np.pi * s))
        x = x0 + (x1 - x0) * s - (y1 - y0) / length * aside
        y = y0 + (y1 - y0) * s + (x1 - x0) / length * aside
        if self.wobble_mm:
            seconds, fade = (t_us - self.start_us) / 1e6, float(np.sin(np.pi * u))
            x += self.wobble_mm * fade * float(np.sin(9.1 * seconds))
            y += self.wobble_mm * fade * float(np.sin(6.7 * seconds + 1.0))
        return x, y, self._height(t_us, z0, z1)

    def _height(self, t_us: float, z0: float, z1: float) -> float:
        down_us = self.end_us if self.down_us is None else self.down_us
        v = min(max((t_us - self.start_us) / max(down_us - self.start_us, 1), 0.0), 1.0)
        return z0 + (z1 - z0) * v + self.hop_mm * float(np.sin(np.pi * v))


class HandPath:
    """A hand's whole way, whose pieces follow one another without gaps."""

    def __init__(self, start_mm: tuple[float, float, float]) -> None:
        self._motions = [Motion(start_us=0, end_us=0, start_mm=start_mm, end_mm=start_mm)]
        self._ends_us = [0]

    @property
    def end_us(self) -> int:
        """When the last piece ends."""
        return self._ends_us[-1]

    @property
    def end_mm(self) -> tuple[float, float, float]:
        """Where it ends."""
        return self._motions[-1].end_mm

    def add(self, motion: Motion) -> None:
        """Go on with ``motion``, which starts where the way ended; after a pause if it starts later."""
        if motion.start_us > self.end_us:
            pause = Motion(
                start_us=self.end_us, end_us=motion.start_us, start_mm=self.end_mm, end_mm=self.end_mm
            )
            self.add(pause)
        self._motions.append(motion)
        self._ends_us.append(motion.end_us)

    def at(self, t_us: float) -> tuple[float, float, float]:
        """Where the fingertip is; at the end of the way, from its end on."""
        index = min(bisect.bisect_right(self._ends_us, t_us), len(self._motions) - 1)
        return self._motions[index].at(t_us)
