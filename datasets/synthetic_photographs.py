"""Scores a detector on fresh synthetic scenes of decks and surfaces that no model was taught with."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from datasets.build import is_to_be_found, split_decks, split_surfaces
from datasets.crops import label_of
from datasets.report_looks import readings_of
from datasets.report_outcomes import CardOutcome, Look, LookBook, PictureOutcome, Points, Reading
from datasets.scenes import CardTruth, Scene, compose_scene
from models.classes import UNREADABLE
from models.detections import CardDetector
from models.geometry import intersection_area, quad_areas

SAME_PLACE = 0.5
"""Least intersection over union at which a detection is of a card."""
WITHIN = 0.5
"""A detection with this part of it on a card that it names is of that card: perhaps its index alone, which
the next card of a fan covers in part."""
SIZES_PX = ((60, 90), (90, 140), (140, 220), (220, 400))
"""Heights of a card by which figures are given: about 0.7-1, 1-1.6, 1.6-2.5 and 2.5-4.5 px per mm."""
SCENE_SIDE_PX = 960
HELD_OUT_DRAWN = 8


class UnseenScenes:
    """Scenes of the held-out decks and surfaces, each from its name ``SEED/SIZE/NUMBER``."""

    def __init__(self, cache: Path, seed: int) -> None:
        self._cache = cache
        self._seed = seed

    def names(self, scenes_a_size: int) -> list[str]:
        """The names of so many scenes of each size."""
        return [f"{self._seed}/{size}/{i}" for i in range(scenes_a_size) for size in range(len(SIZES_PX))]

    def compose(self, name: str) -> Scene:
        """The scene of that name, always the same."""
        seed, size, i = (int(part) for part in name.split("/"))
        decks, tables = split_decks(self._cache, "val", HELD_OUT_DRAWN), split_surfaces(self._cache, "val")
        rng = np.random.default_rng([seed, size, i])
        return compose_scene(rng, decks, tables, size_px=SCENE_SIDE_PX, card_px=SIZES_PX[size])

    @staticmethod
    def source_of(name: str) -> str:
        """By what the figures of a scene are given."""
        least, most = SIZES_PX[int(name.split("/")[1])]
        return f"cards {least}-{most} px tall"


def score_synthetic(
    scenes: UnseenScenes,
    detector: CardDetector,
    looks: LookBook,
    *,
    scenes_a_size: int,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[PictureOutcome]:
    """What came of the cards of so many scenes of each size."""
    names, outcomes = scenes.names(scenes_a_size), []
    for done, name in enumerate(names, 1):
        look = looks.at(name, partial(_look, scenes, name, detector))
        outcomes.append(scene_outcome(name, scenes.source_of(name), look.truth, look.readings))
        progress(done, len(names))
    return outcomes


def _look(scenes: UnseenScenes, name: str, detector: CardDetector) -> Look:
    scene = scenes.compose(name)
    truth = tuple(truth_row(card) for card in scene.cards)
    return Look(image=name, readings=readings_of(detector, scene.image_bgr), truth=truth)


def truth_row(card: CardTruth) -> dict[str, Any]:
    """What the report needs to know of a card of a scene.

    label: empty where no name can be asked for. name: of the face all the same, empty where it has none.
    """
    label = label_of(card)
    is_asked = label not in {None, UNREADABLE} and is_to_be_found(card)
    return {
        "label": label if is_asked else "",
        "name": card.label or "",
        "px_per_mm": round(card.px_per_mm, 3),
        "visible": round(card.visible_fraction, 3),
        "quad_px": [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad_px],
    }


def scene_outcome(
    name: str, source: str, truth: Sequence[dict[str, Any]], readings: Sequence[Reading]
) -> PictureOutcome:
    """What came of a scene's cards, by place. Readings of cards that no name is asked for do not count."""
    left = list(readings)
    matches: list[Reading | None] = [None] * len(truth)
    for find in (_best_overlap, _named_within):
        for i, card in enumerate(truth):
            if matches[i] is None and (match := find(card, left)) is not None:
                matches[i] = match
                left.remove(match)
    cards = [_outcome(card, match) for card, match in zip(truth, matches, strict=True) if card["label"]]
    cards += [_extra(reading) for reading in left if not reading.is_unreadable]
    return PictureOutcome(
        image=name,
        source=source,
        deck="unseen",
        is_complete=True,
        cards=tuple(cards),
        unreadable=sum(card.given == UNREADABLE for card in cards),
        backs_labelled=True,
    )


def _named_within(card: dict[str, Any], readings: Sequence[Reading]) -> Reading | None:
    """A reading of the card's own name that lies on its visible part, whether or not one is asked for."""
    quad_px = np.asarray(card["quad_px"], np.float32)
    for reading in readings:
        part = np.asarray(reading.quad_px, np.float32)
        area = float(quad_areas(part[None])[0])
        if (
            reading.name == card.get("name", card["label"])
            and intersection_area(quad_px, part) >= WITHIN * area
        ):
            return reading
    return None


def _best_overlap(truth: dict[str, Any], readings: Sequence[Reading]) -> Reading | None:
    """The reading at a card's place, the best one if there are several."""
    card = np.asarray(truth["quad_px"], np.float32)
    area = float(quad_areas(card[None])[0])
    best, best_overlap = None, SAME_PLACE
    for reading in readings:
        other = np.asarray(reading.quad_px, np.float32)
        shared = intersection_area(card, other)
        overlap = shared / (area + float(quad_areas(other[None])[0]) - shared)
        if overlap >= best_overlap:
            best, best_overlap = reading, overlap
    return best


def _outcome(card: dict[str, Any], reading: Reading | None) -> CardOutcome:
    corners: Points = tuple((float(x), float(y)) for x, y in card["quad_px"])
    return CardOutcome(
        truth=str(card["label"]),
        given=reading.name if reading else "",
        confidence=reading.confidence if reading else 0.0,
        guess=reading.guess if reading else "",
        px_per_mm=float(card["px_per_mm"]),
        visible=float(card["visible"]),
        quad_px=corners,
    )


def _extra(reading: Reading) -> CardOutcome:
    return CardOutcome(truth="", given=reading.name, confidence=reading.confidence, quad_px=reading.quad_px)
