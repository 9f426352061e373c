"""Cuts cards out of a picture, and shows them as they may be seen on a table: what a deck is learnt from."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from models.cut import cut_view

Image = NDArray[np.uint8]
Rng = np.random.Generator
CARD_WH_MM = (63.0, 88.0)
RIM_MM = 4.0
"""Of its surroundings that a card is cut with."""
FINEST_PX_PER_MM = 3.0
COARSEST_PX_PER_MM = 0.9
"""Of the pictures in which a deck is to be read."""
INDEX_MM = (13.0, 26.0)


class Look(IntEnum):
    """What is seen of a card."""

    WHOLE = 0
    MOST = 1
    TOP = 2
    """The upper edge, as in a fan that grows downwards."""
    SIDE = 3
    CORNER = 4
    """A corner with its index, as in a heap."""
    INDEX = 5
    PIECE = 6
    """A part without any corner: what no card is to be named by."""


VIEWS_A_LOOK = {
    Look.WHOLE: 10,
    Look.MOST: 6,
    Look.TOP: 8,
    Look.SIDE: 8,
    Look.CORNER: 8,
    Look.INDEX: 8,
    Look.PIECE: 5,
}
PIECE_MM = (18.0, 50.0)
"""Sides of a piece."""
PIECE_SHARE = 0.45
"""Most of a card that a piece is."""
CORNER_SEEN = 0.3
"""Most of a corner's index that a piece may show."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceCrop:
    """One card cut from a picture, upright, with ``RIM_MM`` around it: uint8 BGR (h, w, 3)."""

    name: str
    image_bgr: Image

    @property
    def px_per_mm(self) -> float:
        """Its scale, across."""
        return float(self.image_bgr.shape[1] / (CARD_WH_MM[0] + 2 * RIM_MM))


def cut_face(name: str, image_bgr: Image, quad_px: NDArray[np.float32]) -> FaceCrop:
    """The card in ``quad_px``, (4, 2) clockwise from its upper left corner, at most ``FINEST_PX_PER_MM``."""
    across = float(np.linalg.norm(quad_px[1] - quad_px[0]) + np.linalg.norm(quad_px[2] - quad_px[3])) / 2
    down = float(np.linalg.norm(quad_px[3] - quad_px[0]) + np.linalg.norm(quad_px[2] - quad_px[1])) / 2
    seen = float(np.sqrt(across * down / (CARD_WH_MM[0] * CARD_WH_MM[1])))
    scale = min(seen, FINEST_PX_PER_MM)
    size_wh = tuple(round((side + 2 * RIM_MM) * scale) for side in CARD_WH_MM)
    corners = (_box_mm(0, 0, *CARD_WH_MM) + RIM_MM) * scale
    matrix = cv2.getPerspectiveTransform(quad_px.astype(np.float32), corners.astype(np.float32))
    source = image_bgr
    if seen > 1.5 * scale:
        sigma = 0.4 * seen / scale
        low = np.clip(np.floor(quad_px.min(axis=0) - 12 * scale), 0, None).astype(int)
        high = np.ceil(quad_px.max(axis=0) + 12 * scale).astype(int)
        part = cv2.GaussianBlur(image_bgr[low[1] : high[1], low[0] : high[0]], (0, 0), sigma)
        source = np.asarray(part, np.uint8)
        moved = (quad_px - low).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(moved, corners.astype(np.float32))
    crop = cv2.warpPerspective(source, matrix, size_wh, borderMode=cv2.BORDER_REPLICATE)
    return FaceCrop(name, np.asarray(crop, np.uint8))


def _box_mm(left: float, top: float, right: float, bottom: float) -> NDArray[np.float32]:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def looks_of(crop: FaceCrop, rng: Rng, *, share: float = 1.0) -> Iterator[tuple[Look, Image]]:
    """Views of the card as it may be seen, uint8 (128, 96, 3) each; ``share`` of the usual number."""
    for look, count in VIEWS_A_LOOK.items():
        for _ in range(max(1, round(count * share))):
            yield look, _view(crop, look, rng)


def _view(crop: FaceCrop, look: Look, rng: Rng) -> Image:
    finest = max(crop.px_per_mm, COARSEST_PX_PER_MM)
    scale = float(np.exp(rng.uniform(np.log(COARSEST_PX_PER_MM), np.log(finest))))
    factor = min(1.0, scale / crop.px_per_mm)
    small = cv2.resize(crop.image_bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    picture = _as_camera(np.asarray(small, np.uint8), scale, rng)
    box = _jittered(_part_mm(look, rng), look, rng)
    px_per_mm = picture.shape[1] / (CARD_WH_MM[0] + 2 * RIM_MM)
    return cut_view(picture, ((box + RIM_MM) * px_per_mm).astype(np.float32))


def _part_mm(look: Look, rng: Rng) -> NDArray[np.float32]:
    """The visible box, in the card's mm; as often at the card's other end, turned by half."""
    wide, tall = CARD_WH_MM
    match look:
        case Look.WHOLE:
            right, bottom = wide, tall
        case Look.MOST:
            is_tall = rng.random() < 0.5
            right, bottom = (
                (wide * rng.uniform(0.5, 0.9), tall) if is_tall else (wide, tall * rng.uniform(0.5, 0.9))
            )
        case Look.TOP:
            right, bottom = wide, rng.uniform(20, 44)
        case Look.SIDE:
            right, bottom = rng.uniform(11, 31), tall
        case Look.CORNER:
            right, bottom = rng.uniform(16, 44), rng.uniform(26, 62)
        case Look.INDEX:
            right, bottom = INDEX_MM
        case Look.PIECE:
            return _piece_mm(rng)
    box = _box_mm(0, 0, right, bottom)
    if rng.random() < 0.5:
        return np.roll(np.array(CARD_WH_MM, np.float32) - box, 2, axis=0)
    return box


def _piece_mm(rng: Rng) -> NDArray[np.float32]:
    """A box that shows little of any corner index."""
    wide, tall = CARD_WH_MM
    while True:
        sides = rng.uniform(*PIECE_MM, 2)
        left, top = rng.uniform(0, np.array(CARD_WH_MM) - np.minimum(sides, CARD_WH_MM))
        right, bottom = min(left + sides[0], wide), min(top + sides[1], tall)
        across = (max(0.0, INDEX_MM[0] - left), max(0.0, right - (wide - INDEX_MM[0])))
        down = (max(0.0, INDEX_MM[1] - top), max(0.0, bottom - (tall - INDEX_MM[1])))
        corner = max(across) * max(down) / (INDEX_MM[0] * INDEX_MM[1])
        if corner <= CORNER_SEEN and sides.prod() <= PIECE_SHARE * wide * tall:
            return _box_mm(float(left), float(top), float(right), float(bottom))


def _jittered(box_mm: NDArray[np.float32], look: Look, rng: Rng) -> NDArray[np.float32]:
    """The box as an aligner, of an index as a locator, would give it: some percent off."""
    off = 0.05 if look is Look.INDEX else 0.018
    across, down = box_mm[1] - box_mm[0], box_mm[3] - box_mm[0]
    centre = box_mm.mean(axis=0)
    spread = (box_mm - centre) * (1.01 + rng.normal(0, off, 2))
    each = rng.normal(0, off * 0.7, (4, 2)) + rng.normal(0, off * 0.7, 2)
    return np.asarray(centre + spread + each[:, :1] * across + each[:, 1:] * down, np.float32)


def _as_camera(picture: Image, px_per_mm: float, rng: Rng) -> Image:
    """The picture in other light, blurred, noisy and compressed, mildly in most."""
    h, w = picture.shape[:2]
    seen = picture.astype(np.float32)
    if rng.random() < 0.6:
        low = rng.uniform(0.75, 1.1, (2, 2)).astype(np.float32)
        seen *= cv2.resize(low, (w, h), interpolation=cv2.INTER_LINEAR)[..., None]
    if rng.random() < 0.6:
        seen *= rng.uniform(0.85, 1.15, 3).astype(np.float32)
    seen *= np.float32(rng.uniform(0.55, 1.25))
    if rng.random() < 0.3:
        contrast = rng.uniform(0.6, 1.0)
        seen = seen * np.float32(contrast) + np.float32(rng.uniform(20, 200) * (1 - contrast))
    if rng.random() < 0.6:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), max(0.3, rng.uniform(0.1, 0.42) * px_per_mm)))
    noise = rng.uniform(0, 4) if rng.random() < 0.8 else rng.uniform(4, 12)
    seen += np.float32(noise) * rng.standard_normal(seen.shape, np.float32)
    image = np.clip(seen, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(40, 95))])
        image = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return image
