"""Reader and aligner samples: views of located cards cut from synthetic scenes, with the truth about them."""

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.build import is_to_be_found
from datasets.scenes import CardTruth, Scene
from models.classes import BACK, READER_CLASS_ID, UNREADABLE
from models.cut import cut_view, cut_wide, nearest_turn

Rng = np.random.Generator

LEGIBLE = 0.85
"""Least visible part of a corner index from which a card is taught by its name."""
ENOUGH_VISIBLE = 0.65
"""Or least visible part of the whole card."""
ILLEGIBLE = 0.3
"""Most visible part of any corner at which a card is taught as unreadable."""
LEAST_PX_PER_MM = 0.6
"""Below it a corner index has some 4 x 6 pixels: not taught."""
CUTS_A_CARD = 2
"""Views of one card, each with another error of the box: composing costs far more than cutting."""
UNALIGNED_SHARE = 0.25
"""Reader views cut by the locator's rectangle, as where the aligner fails, not along the card's edges."""
INDEX_SHARE = 0.6
"""Of the legible corner indices, views of them alone."""
NOTHING_OVERLAP = 0.1
"""Most overlap of a view that is taught as 'no card' with any card."""


def label_of(card: CardTruth) -> str | None:
    """What a reader should say of the card as far as it is visible; None where that is arguable."""
    if card.label is None or card.px_per_mm < LEAST_PX_PER_MM:
        return None
    if card.label in {BACK, UNREADABLE}:
        return card.label
    if card.legible_fraction >= LEGIBLE or card.visible_fraction >= ENOUGH_VISIBLE:
        return card.label
    if card.any_corner_fraction <= ILLEGIBLE and card.visible_fraction < 0.45:
        return UNREADABLE
    return None


def jittered(quad_px: NDArray[np.float32], rng: Rng) -> NDArray[np.float32]:
    """The box as a locator would give it: some percent off in size and place, some degrees turned."""
    centre = quad_px.mean(axis=0)
    across, down = quad_px[1] - quad_px[0], quad_px[3] - quad_px[0]
    grow = 1 + rng.normal(0, 0.06, 2) + 0.02
    shift = across * rng.normal(0, 0.04) + down * rng.normal(0, 0.04)
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    box = signs[:, :1] * across * grow[0] + signs[:, 1:] * down * grow[1]
    angle = rng.normal(0, 0.07)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(box @ turn.T + centre + shift, np.float32)


def aligned(quad_px: NDArray[np.float32], rng: Rng) -> NDArray[np.float32]:
    """The quad as an aligner would give it: each corner, and all of it, some percent off."""
    across, down = quad_px[1] - quad_px[0], quad_px[3] - quad_px[0]
    centre = quad_px.mean(axis=0)
    spread = (quad_px - centre) * (1.01 + rng.normal(0, 0.02))
    each = rng.normal(0, 0.016, (4, 2)) + rng.normal(0, 0.012, 2)
    return np.asarray(centre + spread + each[:, :1] * across + each[:, 1:] * down, np.float32)


def _located(quad_px: NDArray[np.float32], size_px: int) -> NDArray[np.float32]:
    """The rectangle that a locator reports of the part of the quad that lies in the picture."""
    frame = np.array([[0, 0], [size_px, 0], [size_px, size_px], [0, size_px]], np.float32)
    _, polygon = cv2.intersectConvexConvex(cv2.convexHull(quad_px), frame)
    box = cv2.boxPoints(cv2.minAreaRect(quad_px if polygon is None else polygon)).astype(np.float32)
    start = int(np.argmin(np.linalg.norm(box - quad_px[0], axis=1)))
    return np.asarray(np.roll(box, -start, axis=0), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Of one scene or many. views: uint8 (128, 96, 3) each, with reader class ids in ``labels``.

    wide: uint8 (96, 64, 3) each, with the corners of the visible part in ``corners_px``, float32 (4, 2) each,
    in pixels of the wide view.
    """

    views: list[NDArray[np.uint8]] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    wide: list[NDArray[np.uint8]] = field(default_factory=list)
    corners_px: list[NDArray[np.float32]] = field(default_factory=list)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a shard holds."""
        return {
            "views": np.stack(self.views),
            "labels": np.array(self.labels, np.int16),
            "wide": np.stack(self.wide),
            "corners_px": np.stack(self.corners_px),
        }

    def take(self, scene: Scene, rng: Rng) -> None:
        """Add the samples of one scene."""
        for card in scene.cards:
            if not is_to_be_found(card):
                continue
            for _ in range(CUTS_A_CARD):
                self._take_card(scene, card, rng)
        for card in scene.cards:
            self._take_indices(scene, card, rng)
        nothing = _no_card_quad(scene, rng) if rng.random() < 0.5 else None
        if nothing is not None:
            self.views.append(cut_view(scene.image_bgr, nothing))
            self.labels.append(READER_CLASS_ID[""])

    def _take_card(self, scene: Scene, card: CardTruth, rng: Rng) -> None:
        box = jittered(_located(card.quad_px, scene.image_bgr.shape[0]), rng)
        cut = cut_wide(scene.image_bgr, box)
        corners = cv2.transform(card.quad_px[None], cut.view_from_image)[0]
        self.wide.append(cut.view)
        self.corners_px.append(nearest_turn(corners.astype(np.float32), cut.box_px))
        label = label_of(card)
        if label is None:
            return
        quad = box if rng.random() < UNALIGNED_SHARE else aligned(card.quad_px, rng)
        self.views.append(cut_view(scene.image_bgr, quad))
        self.labels.append(READER_CLASS_ID[label])

    def _take_indices(self, scene: Scene, card: CardTruth, rng: Rng) -> None:
        if card.label is None or card.px_per_mm < LEAST_PX_PER_MM:
            return
        for quad in card.index_quads_px:
            if rng.random() < INDEX_SHARE:
                self.views.append(cut_view(scene.image_bgr, jittered(quad, rng)))
                self.labels.append(READER_CLASS_ID[card.label])


def _no_card_quad(scene: Scene, rng: Rng) -> NDArray[np.float32] | None:
    size = scene.image_bgr.shape[0]
    tall = float(np.exp(rng.uniform(np.log(40), np.log(size * 0.6))))
    wide = tall * rng.uniform(0.2, 0.9)
    box = cv2.boxPoints((tuple(rng.uniform(0.1, 0.9, 2) * size), (wide, tall), rng.uniform(0, 180)))
    for card in scene.cards:
        overlap, _ = cv2.intersectConvexConvex(box, cv2.convexHull(card.quad_px))
        if overlap > NOTHING_OVERLAP * wide * tall:
            return None
    return np.asarray(box + rng.normal(0, 0.06, (4, 2)) * (wide, tall), np.float32)
