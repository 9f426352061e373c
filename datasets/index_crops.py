"""Index reader samples: corner indices cut from synthetic scenes with what stands in them."""

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.crops import LEAST_PX_PER_MM
from datasets.scenes import CardTruth, Scene
from models.classes import INDEX_READER_CLASS_ID, JOKER, UNREADABLE
from models.cut import INDEX_MARGIN_PX, cut_index

Rng = np.random.Generator

CUTS_AN_INDEX = 2
"""Views of one index, each with another error of the box."""
OFF, TURNED, GROWN = 0.06, 0.13, 0.09
"""Spread of a located box around the index: in heights, radians, and of its height. On photographs boxes of
indices lie up to 0.3 radians askew."""
UPSIDE_DOWN = 0.18
"""Part of the views that are cut upside down and taught as no index: so both ways can be tried."""
NOTHING = 0.25
"""As many views of cards that hold no index as there are views of indices, times this."""
FROM_INDEX = 0.55
"""A view is of no index where the nearest one is at least so many of its heights away from the middle."""


@dataclass(frozen=True, slots=True, eq=False)
class IndexSamples:
    """Of one scene or many. Indices of jokers and of foreign courts are taught as none.

    indices: uint8 (72, 48, 3) each: ``INDEX_MARGIN_PX`` on each side are for training to turn them
    in. labels: index reader class ids.
    """

    indices: list[NDArray[np.uint8]] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)

    def take(self, scene: Scene, rng: Rng) -> None:
        """Add the samples of one scene."""
        for card in scene.cards:
            name = "" if card.label in {JOKER, UNREADABLE} else card.label
            if name not in INDEX_READER_CLASS_ID or card.px_per_mm < LEAST_PX_PER_MM:
                continue
            for quad in card.index_quads_px:
                for _ in range(CUTS_AN_INDEX):
                    self._take_index(scene, quad, name, rng)
        self._take_nothing(scene, rng)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a shard holds."""
        return {"indices": np.stack(self.indices), "labels": np.array(self.labels, np.int16)}

    def _take_index(self, scene: Scene, quad_px: NDArray[np.float32], label: str, rng: Rng) -> None:
        box = located_index(quad_px, rng)
        if rng.random() < UPSIDE_DOWN:
            box, label = np.roll(box, 2, axis=0), ""
        self._add(scene, box, label)

    def _take_nothing(self, scene: Scene, rng: Rng) -> None:
        indices = [quad for card in scene.cards for quad in card.index_quads_px]
        legible = [card for card in scene.cards if card.index_quads_px]
        if not legible:
            return
        for _ in range(rng.binomial(CUTS_AN_INDEX * len(indices), NOTHING)):
            card = legible[rng.integers(len(legible))]
            box = _anywhere(card, rng)
            tall = float(np.linalg.norm(box[3] - box[0]))
            centres = np.stack([quad.mean(axis=0) for quad in indices])
            if np.linalg.norm(centres - box.mean(axis=0), axis=1).min() > FROM_INDEX * tall:
                self._add(scene, box, "")

    def _add(self, scene: Scene, box_px: NDArray[np.float32], label: str) -> None:
        self.indices.append(cut_index(scene.image_bgr, box_px, margin_px=INDEX_MARGIN_PX))
        self.labels.append(INDEX_READER_CLASS_ID[label])


def located_index(quad_px: NDArray[np.float32], rng: Rng) -> NDArray[np.float32]:
    """The box as a locator would give it: off in place and size, and askew."""
    centre = quad_px.mean(axis=0)
    tall = float(np.linalg.norm(quad_px[3] - quad_px[0]))
    angle = float(np.clip(rng.normal(0, TURNED), -3 * TURNED, 3 * TURNED))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    grown = np.exp(rng.normal(0, GROWN))
    moved = centre + rng.normal(0, OFF, 2) * tall
    return np.asarray((quad_px - centre) @ turn.T * grown + moved, np.float32)


def _anywhere(card: CardTruth, rng: Rng) -> NDArray[np.float32]:
    """A box of the size of the card's index, somewhere on or at the card, turned anyhow."""
    index = card.index_quads_px[0]
    weights = rng.dirichlet(np.ones(4))
    turned = cv2.boxPoints(
        (
            tuple(float(v) for v in weights @ card.quad_px),
            (float(np.linalg.norm(index[1] - index[0])), float(np.linalg.norm(index[3] - index[0]))),
            float(rng.choice([0.0, 90.0, 180.0, 270.0]) + rng.normal(0, 12) + _angle_deg(index)),
        )
    )
    return np.asarray(np.roll(turned, -1, axis=0), np.float32)


def _angle_deg(quad_px: NDArray[np.float32]) -> float:
    across = quad_px[1] - quad_px[0]
    return float(np.degrees(np.arctan2(across[1], across[0])))
