"""Finds the visible parts of cards, and corner indices, in a whole picture at several sizes."""

from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.classes import INDEX_CLASS
from models.detector_settings import DetectorSettings
from models.geometry import intersection_area, quad_areas, suppress_overlaps

STRIDE_PX = 32
CONTAINED = 0.9
"""Two boxes that would share this much if both were as large as the larger one are the same."""
NEGATIVE_FACTOR = 0.98
"""Where both see a card alike, the picture itself is believed."""
MOSTLY = 0.8
"""A box with this part of it in a larger one is a piece of that card."""


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """quads_px: float32 (n, 4, 2). confidence: float32 (n,)."""

    quads_px: NDArray[np.float32]
    confidence: NDArray[np.float32]

    @classmethod
    def none(cls) -> Self:
        """No box."""
        return cls(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))

    def __len__(self) -> int:
        return len(self.quads_px)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> "Boxes":
        """Those of a mask or of indices."""
        return Boxes(self.quads_px[which], self.confidence[which])

    def joined(self, other: "Boxes", *, overlap: float) -> "Boxes":
        """Both, best first, each thing once."""
        quads = np.concatenate([self.quads_px, other.quads_px])
        confidence = np.concatenate([self.confidence, other.confidence])
        both = Boxes(quads, confidence)
        return both.chosen(suppress_overlaps(quads, confidence, iou=overlap, contained=CONTAINED))


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """What the locator found: visible parts of cards, and corner indices."""

    cards: Boxes
    indices: Boxes


class Locator:
    """The locator network on pictures of any size."""

    def __init__(self, session: ort.InferenceSession, settings: DetectorSettings) -> None:
        self._session = session
        self._settings = settings

    def locate(self, image_bgr: NDArray[np.uint8]) -> Located:
        """Boxes of visible card parts and of corner indices, in pixels, best first."""
        found = self._locate_once(image_bgr)
        if not self._settings.negative:
            return found
        dark = self._locate_once(255 - image_bgr)
        return Located(self._with_dark(found.cards, dark.cards), self._with_dark(found.indices, dark.indices))

    def _with_dark(self, boxes: Boxes, dark: Boxes) -> Boxes:
        sure = dark.chosen(dark.confidence >= self._settings.negative_located)
        less = Boxes(sure.quads_px, sure.confidence * NEGATIVE_FACTOR)
        return boxes.joined(less, overlap=self._settings.overlap)

    def _locate_once(self, image_bgr: NDArray[np.uint8]) -> Located:
        longer = max(image_bgr.shape[:2])
        sizes = [s for s in self._settings.input_px if s <= longer * self._settings.largest_zoom]
        cards, indices = Boxes.none(), Boxes.none()
        for size in sizes or self._settings.input_px[:1]:
            scale = size / longer
            found = self._locate_at(image_bgr, scale)
            tall_px = self._settings.tallest_px / scale
            too_tall = cards.quads_px[_longer_sides(cards.quads_px) > tall_px]
            is_new = (_longer_sides(found.cards.quads_px) <= tall_px) | (len(cards) == 0)
            is_new &= ~_inside_any(found.cards.quads_px, too_tall)
            cards = cards.joined(found.cards.chosen(is_new), overlap=self._settings.overlap)
            indices = indices.joined(found.indices, overlap=self._settings.overlap)
        return Located(cards, indices)

    def _locate_at(self, image_bgr: NDArray[np.uint8], scale: float) -> Located:
        h, w = image_bgr.shape[:2]
        size = max(1, round(w * scale)), max(1, round(h * scale))
        small = cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        padded_w, padded_h = (-(-side // STRIDE_PX) * STRIDE_PX for side in size)
        canvas = np.full((padded_h, padded_w, 3), 114, np.uint8)
        canvas[: size[1], : size[0]] = small
        blob = canvas[None, :, :, ::-1].transpose(0, 3, 1, 2).astype(np.float32) / 255
        (output,) = self._session.run(None, {"images": np.ascontiguousarray(blob)})
        rows = output[0].T
        card = rows[:, 4 : 4 + INDEX_CLASS].max(axis=1)
        index = rows[:, 4 + INDEX_CLASS : -1].max(axis=1, initial=0.0)
        is_card = (card >= min(self._settings.located, self._settings.located_by_index)) & (card > index)
        is_index = (index >= self._settings.index_located) & (index >= card)
        to_image = w / size[0]
        return Located(
            Boxes(_corners(rows[is_card]) * to_image, card[is_card].astype(np.float32)),
            Boxes(_corners(rows[is_index]) * to_image, index[is_index].astype(np.float32)),
        )


def _corners(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Corners (n, 4, 2) of rows (centre x, centre y, width, height, ..., angle in radians)."""
    c, s = np.cos(boxes[:, -1]), np.sin(boxes[:, -1])
    across = np.stack([c, s], axis=1) * boxes[:, 2:3] / 2
    down = np.stack([-s, c], axis=1) * boxes[:, 3:4] / 2
    centre = boxes[:, :2]
    corners = [centre - across - down, centre + across - down, centre + across + down, centre - across + down]
    return np.stack(corners, axis=1).astype(np.float32)


def _longer_sides(quads_px: NDArray[np.float32]) -> NDArray[np.float32]:
    sides = np.linalg.norm(quads_px - np.roll(quads_px, 1, axis=1), axis=2)
    return np.asarray(sides.max(axis=1, initial=0.0), np.float32)


def _inside_any(quads_px: NDArray[np.float32], others_px: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Bool (n,): which boxes lie, for the most part, in one of the others."""
    areas = quad_areas(quads_px)
    return np.array(
        [
            any(intersection_area(quad, other) > MOSTLY * area for other in others_px)
            for quad, area in zip(quads_px, areas, strict=True)
        ],
        bool,
    )
