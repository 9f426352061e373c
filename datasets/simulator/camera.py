"""A pinhole camera over a table: where a point of the room falls in the picture."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

WIDE_MM: Final = 1040.0
"""Over a wider table the camera hangs higher."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Camera:
    """A fixed view.

    image_px_from_room_mm: float64 (3, 4), maps (x, y, z, 1) to homogeneous pixels; in table
        millimetres, z is the height over the table.
    """

    image_px_from_room_mm: Points
    image_size_px: tuple[int, int]
    """Width, height."""

    @classmethod
    def over(
        cls, rng: np.random.Generator, table_size_mm: tuple[float, float], image_size_px: tuple[int, int]
    ) -> Self:
        """A camera hung by hand over the middle: aside, tilted and turned; the whole table in view."""
        width, height = table_size_mm
        centre = np.array([
            width / 2 + rng.uniform(-90, 90),
            height / 2 + rng.uniform(-60, 160),
            rng.uniform(1050, 1650) * max(1.0, width / WIDE_MM),
        ])  # fmt: skip
        target = np.array([width / 2, height / 2, 0.0]) + np.array([*rng.uniform(-20, 20, 2), 0.0])
        forward = (target - centre) / np.linalg.norm(target - centre)
        roll = np.radians(rng.uniform(-1.6, 1.6))
        right = np.array([np.cos(roll), np.sin(roll), 0.0])
        right -= forward * (right @ forward)
        right /= np.linalg.norm(right)
        down = np.array([-np.sin(roll), np.cos(roll), 0.0])
        down -= forward * (down @ forward) + right * (down @ right)
        down /= np.linalg.norm(down)
        rows = np.stack([right, down, forward])
        pose = np.concatenate([rows, (-rows @ centre)[:, None]], 1)
        fill = float(rng.uniform(0.94, 0.985))
        return cls(
            image_px_from_room_mm=_fitted(pose, table_size_mm, image_size_px, fill),
            image_size_px=image_size_px,
        )

    def project(self, points_mm: Points) -> Points:
        """Pixels (n, 2) of points (n, 3)."""
        homogeneous = points_mm @ self.image_px_from_room_mm[:, :3].T + self.image_px_from_room_mm[:, 3]
        pixels: Points = homogeneous[:, :2] / homogeneous[:, 2:]
        return pixels

    @property
    def image_px_from_table_mm(self) -> Points:
        """The homography of the table's surface, float64 (3, 3)."""
        return self.image_px_from_room_mm[:, [0, 1, 3]]

    def px_per_mm_at(self, x_mm: float, y_mm: float) -> float:
        """Mean scale of the picture at a place on the table."""
        near = np.array([[x_mm, y_mm, 0.0], [x_mm + 1, y_mm, 0.0], [x_mm, y_mm + 1, 0.0]])
        origin, along, down = self.project(near)
        return float((np.linalg.norm(along - origin) + np.linalg.norm(down - origin)) / 2)


def table_corners(table_size_mm: tuple[float, float]) -> Points:
    """The table's corners as (4, 3), clockwise from the top left."""
    width, height = table_size_mm
    return np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]], np.float64)


def _fitted(
    pose: Points, table_size_mm: tuple[float, float], image_size_px: tuple[int, int], fill: float
) -> Points:
    seen = table_corners(table_size_mm) @ pose[:, :3].T + pose[:, 3]
    flat = seen[:, :2] / seen[:, 2:]
    low, high = flat.min(0), flat.max(0)
    focal_px = fill * float((np.array(image_size_px) / (high - low)).min())
    middle = np.array(image_size_px) / 2 - focal_px * (low + high) / 2
    lens = np.array([[focal_px, 0, middle[0]], [0, focal_px, middle[1]], [0, 0, 1.0]])
    projection: Points = lens @ pose
    return projection
