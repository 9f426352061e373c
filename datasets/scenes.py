"""Synthetic scenes: cards on a table as a camera sees them, with the truth about every card.

Cards are laid out in table millimetres, drawn through a camera (homography), lit, soiled and compressed.
For each card the truth says which part of it is visible; boxes are aligned with the card's own edges.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import Deck
from datasets.layouts import CARD_H_MM, CARD_W_MM, LAYOUTS, Image, LaidCard, Rng, SceneDecks
from datasets.pictures import (
    PlacedCard,
    Shadow,
    background,
    clutter,
    draw_card,
    hand,
    light,
    project,
    sensor,
)
from models.classes import BACK

STRETCHED_SHARE = 0.4
"""Scenes in which pixels are not square."""
LEAST_PX_PER_MM = 0.1
"""A card seen smaller than this is left out."""
INDEX_BLOCK_MM = (13.0, 26.0)
"""Width and height of the corner that holds rank and suit, on nearly all decks."""
INDEX_LEGIBLE = 0.85
"""Least visible part of such a corner from which it can be read."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CardTruth:
    """What is visible of one card.

    label: reader label or None. quad_px: float32 (4, 2), the visible part's box along the card's edges.
    visible_fraction: of the whole card's area, 0..1. legible_fraction: of the better corner index, 0..1.
    any_corner_fraction: of the best of all four corners (decks with four indices).
    px_per_mm: scale at the card. index_quads_px: float32 (4, 2) each, corners that hold rank and suit, as far
    as they can be read.
    """

    label: str | None
    is_back: bool
    quad_px: NDArray[np.float32]
    visible_fraction: float
    legible_fraction: float
    any_corner_fraction: float
    px_per_mm: float
    index_quads_px: tuple[NDArray[np.float32], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """A picture, uint8 BGR (size, size, 3), and the truth about its cards, bottom card first."""

    image_bgr: Image
    cards: tuple[CardTruth, ...]


def _camera(cards: list[LaidCard], size_px: int, card_px: float, rng: Rng) -> NDArray[np.float64]:
    """image_px_from_table_mm (3, 3): a look at one of the cards with some turn, tilt and scale."""
    scale = card_px / CARD_H_MM
    aim = np.asarray(cards[int(rng.integers(len(cards)))].centre_mm if cards else (0.0, 0.0))
    turn = (
        rng.choice([0, 1, 2, 3]) * np.pi / 2 + rng.normal(0, 0.15)
        if rng.random() < 0.6
        else rng.uniform(0, 7)
    )
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    centre = size_px * rng.uniform(0.3, 0.7, 2)
    flat = np.array([[c, -s, centre[0]], [s, c, centre[1]], [0, 0, 1]]) @ np.array(
        [[1, 0, -aim[0]], [0, 1, -aim[1]], [0, 0, 1]]
    )
    tilt = abs(rng.normal(0, 0.18)) if rng.random() < 0.75 else rng.uniform(0, 0.75)
    if rng.random() < 0.25:
        tilt = 0.0
    toward, focal = rng.uniform(0, 2 * np.pi), size_px * rng.uniform(1.2, 2.5)
    axis = np.array([np.cos(toward), np.sin(toward), 0.0])
    rotation, _ = cv2.Rodrigues(axis * tilt)
    to_centre = np.array([[1, 0, -size_px / 2], [0, 1, -size_px / 2], [0, 0, 1.0]])
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], np.array([0, 0, focal])])
    project = np.diag([focal, focal, 1.0]) @ plane
    view = np.linalg.inv(to_centre) @ project @ to_centre @ flat
    view = _stretch(size_px, rng) @ view
    return np.asarray(view / view[2, 2])


def _stretch(size_px: int, rng: Rng) -> NDArray[np.float64]:
    """(3, 3): mostly nothing; else the picture squeezed one way, as many programs store 16:9 as a square."""
    if rng.random() >= STRETCHED_SHARE:
        return np.eye(3)
    factor = float(np.exp(rng.uniform(np.log(0.53), np.log(1.85))))
    across, along = np.sqrt(factor), 1 / np.sqrt(factor)
    middle = size_px / 2
    return np.array([[across, 0, middle * (1 - across)], [0, along, middle * (1 - along)], [0, 0, 1.0]])


def _truth(placed: PlacedCard, owner: NDArray[np.int16]) -> CardTruth | None:
    """What ``owner`` (h, w) leaves visible of the card; None where that is next to nothing."""
    card, scale = placed.card, placed.px_per_mm
    step = max(0.35, 1 / scale)
    xs, ys = np.arange(step / 2, CARD_W_MM, step), np.arange(step / 2, CARD_H_MM, step)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1)
    at = np.floor(project(placed.image_from_card, grid.reshape(-1, 2))).astype(int)
    inside = ((at >= 0) & (at < (owner.shape[1], owner.shape[0]))).all(axis=1)
    seen = np.zeros(len(at), bool)
    seen[inside] = owner[at[inside, 1], at[inside, 0]] == placed.index
    seen_grid = seen.reshape(grid.shape[:2])
    fraction = float(seen_grid.mean())
    if fraction < 0.02:
        return None
    rows = np.flatnonzero(seen_grid.mean(axis=1) > 0.04)
    columns = np.flatnonzero(seen_grid.mean(axis=0) > 0.04)
    if not len(rows) or not len(columns):
        return None
    left, right = xs[columns[0]] - step / 2, xs[columns[-1]] + step / 2
    top, bottom = ys[rows[0]] - step / 2, ys[rows[-1]] + step / 2
    quad = project(
        placed.image_from_card, np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    )
    index_w, index_h = (round(mm / step) for mm in INDEX_BLOCK_MM)
    corners = seen_grid[:index_h, :index_w], seen_grid[-index_h:, -index_w:]
    other_corners = seen_grid[:index_h, -index_w:], seen_grid[-index_h:, :index_w]
    return CardTruth(
        label=card.side.label,
        is_back=card.side.label == BACK,
        quad_px=quad.astype(np.float32),
        visible_fraction=fraction,
        legible_fraction=float(max(c.mean() for c in corners)),
        any_corner_fraction=float(max(c.mean() for c in (*corners, *other_corners))),
        px_per_mm=scale,
        index_quads_px=_legible_indices(placed, (*corners, *other_corners)),
    )


def _legible_indices(
    placed: PlacedCard, seen_corners: Sequence[NDArray[np.bool_]]
) -> tuple[NDArray[np.float32], ...]:
    """The legible ones of a card's corners: upper left, lower right, upper right, lower left.

    Each begins at the upper left corner of the index as it is read: the lower ones stand on their heads.
    """
    width, height = INDEX_BLOCK_MM
    far_x, far_y = CARD_W_MM - width, CARD_H_MM - height
    block = np.array([[0, 0], [width, 0], [width, height], [0, height]])
    begins = ((0.0, 0.0), (far_x, far_y), (far_x, 0.0), (0.0, far_y))[: placed.card.side.indices]
    quads = []
    for begin, seen in zip(begins, seen_corners, strict=False):
        if seen.mean() >= INDEX_LEGIBLE:
            quad = project(placed.image_from_card, block + begin).astype(np.float32)
            quads.append(np.roll(quad, 2 if begin[1] else 0, axis=0))
    return tuple(quads)


def _place(card: LaidCard, index: int, view: NDArray[np.float64], size_px: int) -> PlacedCard | None:
    """The card as the camera sees it; None where it is out of reach or far too small."""
    image_from_card = view @ card.table_from_card_mm
    corners = project(image_from_card, np.array([[0, 0], [CARD_W_MM, 0], [0, CARD_H_MM]]))
    if not np.isfinite(corners).all() or np.abs(corners).max() > 20 * size_px:
        return None
    area = abs(np.linalg.det(np.stack([corners[1] - corners[0], corners[2] - corners[0]])))
    px_per_mm = float(np.sqrt(area / (CARD_W_MM * CARD_H_MM)))
    if px_per_mm < LEAST_PX_PER_MM:
        return None
    return PlacedCard(card=card, index=index, image_from_card=image_from_card, px_per_mm=px_per_mm)


def compose_scene(
    rng: Rng, decks: Sequence[Deck], surfaces: Sequence[Image], *, size_px: int, card_px: tuple[float, float]
) -> Scene:
    """One random scene of ``size_px`` squared, its cards between ``card_px`` pixels tall (log-uniform)."""
    tall_px = float(np.exp(rng.uniform(np.log(card_px[0]), np.log(card_px[1]))))
    weights = np.array([w for _, w in LAYOUTS])
    layout = LAYOUTS[int(rng.choice(len(LAYOUTS), p=weights / weights.sum()))][0]
    cards = layout(SceneDecks(decks, rng), rng)
    return photographed(cards, surfaces, rng, size_px=size_px, tall_px=tall_px)


def photographed(
    cards: list[LaidCard], surfaces: Sequence[Image], rng: Rng, *, size_px: int, tall_px: float
) -> Scene:
    """The laid out cards, bottom card first, as a camera sees them, ``tall_px`` pixels tall in the middle."""
    view = _camera(cards, size_px, tall_px, rng)
    picture = background(size_px, surfaces, rng)
    clutter(picture, tall_px, surfaces, rng)
    owner = np.full((size_px, size_px), -1, np.int16)
    reach = rng.uniform(0, 1.6) * tall_px / CARD_H_MM
    away = rng.uniform(0, 2 * np.pi)
    soft = float(max(0.4, reach * rng.uniform(0.4, 1.2))) if rng.random() < 0.8 else 0.0
    shadow = Shadow(dx_px=float(reach * np.cos(away)), dy_px=float(reach * np.sin(away)), blur_px=soft)
    placed = [p for i, card in enumerate(cards) if (p := _place(card, i, view, size_px)) is not None]
    for each in placed:
        draw_card(picture, owner, each, shadow)
    if rng.random() < 0.25:
        for _ in range(int(rng.integers(1, 3))):
            hand(picture, owner, tall_px, rng)
    truths = [truth for each in placed if (truth := _truth(each, owner)) is not None]
    lit = light(picture, rng)
    return Scene(image_bgr=sensor(lit, tall_px, rng), cards=tuple(truths))
