"""Scores a detector on fresh synthetic scenes of decks and surfaces that no model was taught with."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from datasets.build import is_to_be_found, split_decks, split_surfaces
from datasets.crops import label_of
from datasets.real_photographs import Tally
from datasets.scenes import compose_scene
from models.classes import UNREADABLE
from models.detections import CardDetector
from models.geometry import intersection_area, quad_areas

SAME_PLACE = 0.5
"""Least intersection over union at which a detection is of a card."""
SIZES_PX = ((60, 90), (90, 140), (140, 220), (220, 400))
"""Heights of a card by which figures are given: about 0.7-1, 1-1.6, 1.6-2.5 and 2.5-4.5 px per mm."""


def score_synthetic(
    cache: Path,
    detector: CardDetector,
    *,
    scenes_a_size: int,
    seed: int,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> dict[str, Tally]:
    """A tally for each card size, over scenes of the held-out decks and surfaces."""
    decks, tables = split_decks(cache, "val", 8), split_surfaces(cache, "val")
    tallies = {}
    for number, (least, most) in enumerate(SIZES_PX):
        tally = tallies[f"cards {least}-{most} px tall"] = Tally()
        for i in range(scenes_a_size):
            rng = np.random.default_rng([seed, number, i])
            scene = compose_scene(rng, decks, tables, size_px=960, card_px=(least, most))
            found = detector.detect(scene.image_bgr)
            taken: set[int] = set()
            tally.images += 1
            for card in scene.cards:
                label = label_of(card)
                if label in {None, UNREADABLE} or not is_to_be_found(card):
                    _take_overlapping(card.quad_px, found.corners_px, taken)
                    continue
                tally.truth += 1
                for at in _take_overlapping(card.quad_px, found.corners_px, taken)[:1]:
                    given = found.names[at]
                    tally.right += given == label
                    tally.unreadable += given == UNREADABLE
                    tally.wrong += given not in {label, UNREADABLE}
                    if given not in {label, UNREADABLE}:
                        tally.confusions[f"{label} as {given}"] += 1
            tally.wrong += sum(name != UNREADABLE for at, name in enumerate(found.names) if at not in taken)
            progress(number * scenes_a_size + i + 1, len(SIZES_PX) * scenes_a_size)
    return tallies


def _take_overlapping(quad_px: np.ndarray, corners_px: np.ndarray, taken: set[int]) -> list[int]:
    """Detections at a card's place that no card took before, best overlap first; they count as taken."""
    area = float(quad_areas(quad_px[None])[0])
    overlaps = []
    for at, (other, other_area) in enumerate(zip(corners_px, quad_areas(corners_px), strict=True)):
        if at not in taken:
            shared = intersection_area(quad_px, other)
            overlaps.append((shared / (area + float(other_area) - shared), at))
    chosen = [at for iou, at in sorted(overlaps, reverse=True) if iou >= SAME_PLACE]
    taken.update(chosen[:1])
    return chosen[:1]
