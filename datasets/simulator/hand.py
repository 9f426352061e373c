"""Hands and forearms as seen from above, shaded like solid bodies."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Points = NDArray[np.float64]
Field = NDArray[np.float32]

LEFT_MM: Final = -80.0
TOP_MM: Final = -26.0
WIDTH_MM: Final = 160.0
"""The sprite's frame around the fingertip; the arm runs down from it, beyond the table's edge."""
ARM_MM: Final = 700.0
"""From the fingertips to where a sprite ends, at a table that everyone can reach across."""
_CUFF_MM: Final = 205.0
_SKINS: Final = (
    (165, 195, 235),
    (140, 175, 222),
    (120, 155, 205),
    (85, 120, 175),
    (60, 85, 130),
    (40, 58, 92),
)
_SLEEVES: Final = (
    (60, 50, 45), (120, 70, 40), (45, 45, 140), (70, 100, 60), (170, 165, 160), (30, 30, 34),
    (150, 120, 90), (90, 60, 110),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HandSprite:
    """One player's hand, fingers up.

    premultiplied_bgra: uint8 (h, w, 4).
    px_per_mm: scale of the sprite.
    arm_mm: length of the sprite, down the arm.
    outline_mm: float64 (k, 2), convex hull of hand and arm around the fingertip at (0, 0).
    """

    premultiplied_bgra: Image
    px_per_mm: float
    arm_mm: float
    outline_mm: Points

    @property
    def corners_mm(self) -> Points:
        """Of the sprite's frame, clockwise from the top left, around the fingertip."""
        right, bottom = LEFT_MM + WIDTH_MM, TOP_MM + self.arm_mm
        return np.array([[LEFT_MM, TOP_MM], [right, TOP_MM], [right, bottom], [LEFT_MM, bottom]])


_Limb = tuple[tuple[float, float], tuple[float, float], float, float, float, float]
"""From, to (mm), radius at both ends, height of the axis at both ends."""


def _fingers(spread: float, curl: float) -> list[_Limb]:
    """Four fingers of two pieces, and a thumb; ``spread`` 0..1 apart, ``curl`` 0..1 bent."""
    limbs: list[_Limb] = []
    knuckles = ((-23.0, 70.0, 8.6), (-3.0, 65.0, 9.0), (16.0, 68.0, 8.5), (33.0, 77.0, 7.6))
    tips = (
        (-9.0, 1.0),
        (7.0, -3.0),
        (21.0 + 3 * spread, 7.0 + 14 * curl),
        (34.0 + 8 * spread, 25.0 + 12 * curl),
    )
    for (kx, ky, radius), (tx, ty) in zip(knuckles, tips, strict=True):
        mx, my = 0.42 * kx + 0.58 * tx - 1.0, 0.46 * ky + 0.54 * ty
        limbs.append(((kx, ky), (mx, my), radius, radius * 0.92, 22.0, 24.0))
        limbs.append(((mx, my), (tx, ty), radius * 0.92, radius * 0.76, 24.0, 8.0))
    thumb_tip = (-30.0 - 6 * spread, 30.0)
    limbs.append(((-26.0, 128.0), (-43.0 - 4 * spread, 82.0), 15.0, 11.0, 14.0, 14.0))
    limbs.append(((-43.0 - 4 * spread, 82.0), thumb_tip, 11.0, 8.2, 14.0, 7.0))
    return limbs


def _palm() -> list[_Limb]:
    limbs: list[_Limb] = [
        ((kx, ky), (wx, 146.0), r0, 15.0, 22.0, 24.0)
        for kx, ky, wx, r0 in ((-21, 76, -14, 13), (-3, 72, -5, 14), (14, 74, 5, 14), (28, 82, 12, 12.5))
    ]
    limbs.append(((0.0, 152.0), (0.0, 260.0), 27.0, 34.0, 11.0, 22.0))
    return limbs


def _height(limbs: list[_Limb], x: Field, y: Field) -> tuple[Field, Field]:
    """Surface height of the union of round limbs, and how deep inside the outline each point is (mm)."""
    height = np.full(x.shape, -1.0, np.float32)
    inside = np.full(x.shape, -99.0, np.float32)
    for (x0, y0), (x1, y1), r0, r1, z0, z1 in limbs:
        dx, dy = x1 - x0, y1 - y0
        t = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0.0, 1.0)
        distance = np.hypot(x - x0 - t * dx, y - y0 - t * dy)
        radius = r0 + (r1 - r0) * t
        bulge = np.sqrt(np.maximum(radius * radius - distance * distance, 0.0))
        top = np.where(distance < radius, z0 + (z1 - z0) * t + bulge, -1.0)
        height = np.maximum(height, top).astype(np.float32)
        inside = np.maximum(inside, radius - distance).astype(np.float32)
    return height, inside


def _shade(height: Field, px_per_mm: float, light: tuple[float, float]) -> Field:
    """Brightness of a surface under a lamp aside of the camera."""
    soft = cv2.GaussianBlur(height, (0, 0), 1.0 * px_per_mm)
    slope_x = cv2.Sobel(soft, cv2.CV_32F, 1, 0, scale=px_per_mm / 8)
    slope_y = cv2.Sobel(soft, cv2.CV_32F, 0, 1, scale=px_per_mm / 8)
    length = np.sqrt(1.0 + slope_x**2 + slope_y**2)
    lambert = (1.0 - light[0] * slope_x - light[1] * slope_y) / length
    creases = np.clip((height - cv2.GaussianBlur(height, (0, 0), 2.6 * px_per_mm)) / 14.0, -0.35, 0.1)
    shaded: Field = np.clip(0.42 + 0.58 * lambert + creases, 0.15, 1.15).astype(np.float32)
    return shaded


def _nails(limbs: list[_Limb], colour: Field, x: Field, y: Field) -> None:
    """Paint a nail near the end of every finger."""
    for (x0, y0), (x1, y1), _, r1, _, _ in limbs[1::2]:
        length = float(np.hypot(x1 - x0, y1 - y0))
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        along = (x - x1) * ux + (y - y1) * uy - 1.5
        aside = -(x - x1) * uy + (y - y1) * ux
        nail = np.clip(1.6 - np.hypot(along / (0.72 * r1), aside / (0.6 * r1)) * 1.6, 0.0, 0.55)[:, :, None]
        colour += (np.array((205, 210, 245), np.float32) - colour) * nail


def _sleeve(colour: Field, y: Field, rng: np.random.Generator) -> None:
    """Dress the arm from the cuff down."""
    cloth = np.array(_SLEEVES[int(rng.integers(len(_SLEEVES)))], np.float32)
    folds = cv2.resize(
        rng.normal(0, 1, (50, 9)).astype(np.float32), y.shape[::-1], interpolation=cv2.INTER_CUBIC
    )
    pattern = 1.0 + 0.13 * folds
    if rng.random() < 0.35:
        pattern = pattern - 0.25 * (np.mod(y, 26.0) < 9.0)
    dressed = y > _CUFF_MM
    colour[dressed] = (cloth * pattern[:, :, None])[dressed]
    colour[np.abs(y - _CUFF_MM - 3.0) < 3.2] *= np.float32(0.8)


def draw_hand(rng: np.random.Generator, px_per_mm: float, arm_mm: float = ARM_MM) -> HandSprite:
    """A hand of random size, skin, side and sleeve that holds a card under its first two fingers."""
    size = float(rng.uniform(0.88, 1.08))
    skin = np.array(_SKINS[int(rng.integers(len(_SKINS)))], np.float32)
    spread, curl = float(rng.uniform(0, 1)), float(rng.uniform(0, 1))
    mirror = -1.0 if rng.random() < 0.3 else 1.0
    shape = (round(arm_mm * px_per_mm), round(WIDTH_MM * px_per_mm))
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    x = ((columns + 0.5) / px_per_mm + LEFT_MM) / size * mirror
    y = ((rows + 0.5) / px_per_mm + TOP_MM) / size
    fingers = _fingers(spread, curl)
    sleeve: _Limb = ((0.0, _CUFF_MM + 32.0), (0.0, arm_mm + 120.0), 39.0, 56.0, 22.0, 40.0)
    height, inside = _height([*fingers, *_palm(), sleeve], x, y)
    tone = cv2.resize(
        rng.normal(0, 1, (60, 14)).astype(np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC
    )
    colour = skin * (1.0 + 0.035 * tone[:, :, None])
    red = (
        np.exp(-(((y - 68.0) / 9.0) ** 2))[:, :, None] * 0.5
        + np.exp(-(((y - 2.0) / 14.0) ** 2))[:, :, None] * 0.6
    )
    colour = (colour + red * np.array((-14, -12, 8), np.float32)).astype(np.float32)
    _nails(fingers, colour, x, y)
    _sleeve(colour, y, rng)
    angle = rng.uniform(0, 2 * np.pi)
    shaded = (
        colour
        * _shade(height, px_per_mm, (0.55 * float(np.cos(angle)), 0.55 * float(np.sin(angle))))[:, :, None]
    )
    alpha = np.clip(inside * px_per_mm * size + 0.5, 0.0, 1.0)[:, :, None]
    bgra = np.concatenate([np.clip(shaded, 0, 255) * alpha, alpha * 255.0], 2)
    return HandSprite(
        premultiplied_bgra=np.ascontiguousarray((bgra + 0.5).astype(np.uint8)),
        px_per_mm=px_per_mm,
        arm_mm=arm_mm,
        outline_mm=_hull(alpha[:, :, 0] > 0.5, px_per_mm),
    )


def _hull(mask: NDArray[np.bool_], px_per_mm: float) -> Points:
    """Outline of the hand's convex hull (the first 210 mm) and of the arm, in mm around the fingertip."""
    rows, columns = np.nonzero(mask)
    points = np.stack([columns, rows], 1).astype(np.float32)
    hull = cv2.convexHull(points)[:, 0].astype(np.float64)
    outline: Points = (hull + 0.5) / px_per_mm + np.array((LEFT_MM, TOP_MM))
    return outline
