"""Synthetic scenes: cards on a table as a camera sees them, with the truth about every card.

Cards are laid out in table millimetres, drawn through a camera (homography), lit, soiled and compressed.
For each card the truth says which part of it is visible; boxes are aligned with the card's own edges.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import CARD_SIZE_MM, SPRITE_SIZE_WH, Deck, with_four_indices, with_other_inks
from models.classes import BACK, JOKER

Image = NDArray[np.uint8]
Rng = np.random.Generator

CARD_W_MM, CARD_H_MM = CARD_SIZE_MM
INDEX_BLOCK_MM = (13.0, 26.0)
"""Width and height of the corner that holds rank and suit, on nearly all decks."""
SPRITE_CORNERS_PX = np.array(
    [[0, 0], [SPRITE_SIZE_WH[0], 0], [SPRITE_SIZE_WH[0], SPRITE_SIZE_WH[1]], [0, SPRITE_SIZE_WH[1]]],
    np.float32,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaidCard:
    """A card on the table: its picture, its reader label (None: do not teach) and where it lies."""

    sprite: Image
    label: str | None
    centre_mm: tuple[float, float]
    angle_rad: float

    @property
    def table_from_card_mm(self) -> NDArray[np.float64]:
        """(3, 3): from the card's own mm (origin at its top left) to the table's."""
        c, s = np.cos(self.angle_rad), np.sin(self.angle_rad)
        x, y = self.centre_mm
        return np.array([[c, -s, x], [s, c, y], [0, 0, 1]]) @ np.array(
            [[1, 0, -CARD_W_MM / 2], [0, 1, -CARD_H_MM / 2], [0, 0, 1]]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CardTruth:
    """What is visible of one card.

    label: reader label or None. quad_px: float32 (4, 2), the visible part's box along the card's edges.
    visible_fraction: of the whole card's area, 0..1. legible_fraction: of the better corner index, 0..1.
    any_corner_fraction: of the best of all four corners (decks with four indices).
    px_per_mm: scale at the card.
    """

    label: str | None
    is_back: bool
    quad_px: NDArray[np.float32]
    visible_fraction: float
    legible_fraction: float
    any_corner_fraction: float
    px_per_mm: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """A picture, uint8 BGR (size, size, 3), and the truth about its cards, bottom card first."""

    image_bgr: Image
    cards: tuple[CardTruth, ...]


# ---------------------------------------------------------------- what lies on the table


class SceneDecks:
    """The decks of one scene, each varied once, as all cards of one real deck vary together."""

    def __init__(self, decks: Sequence[Deck], rng: Rng) -> None:
        self._rng = rng
        self._decks = [decks[i] for i in rng.choice(len(decks), size=int(rng.integers(1, 4)))]
        self._four_index = [rng.random() < 0.18 for _ in self._decks]
        self._ink_seed = [int(rng.integers(1 << 30)) if rng.random() < 0.3 else None for _ in self._decks]
        self._backs = [b for d in decks for b in d.backs]

    def face(self) -> tuple[Image, str | None]:
        """A random face and its reader label."""
        rng = self._rng
        i = int(rng.integers(len(self._decks)))
        deck = self._decks[i]
        if deck.jokers and rng.random() < 0.025:
            return self._vary(deck.jokers[int(rng.integers(len(deck.jokers)))], i), JOKER
        name = list(deck.faces)[int(rng.integers(len(deck.faces)))]
        sprite = deck.faces[name]
        if self._four_index[i]:
            sprite = with_four_indices(sprite)
        return self._vary(sprite, i), deck.label_of(name)

    def back(self) -> tuple[Image, str | None]:
        """A back: mostly this scene's own, recoloured at random."""
        rng = self._rng
        own = [b for d in self._decks for b in d.backs]
        backs = own if own and rng.random() < 0.5 else self._backs
        sprite = backs[int(rng.integers(len(backs)))]
        if rng.random() < 0.6:
            hsv = cv2.cvtColor(sprite[..., :3], cv2.COLOR_BGR2HSV).astype(np.int16)
            hsv[..., 0] = (hsv[..., 0] + int(rng.integers(180))) % 180
            hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.3, 1.6), 0, 255)
            hsv[..., 2] = np.clip(hsv[..., 2] * rng.uniform(0.5, 1.1), 0, 255)
            sprite = np.dstack([cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), sprite[..., 3]])
        if rng.random() < 0.1:
            sprite = sprite.copy()
            sprite[..., :3] = rng.integers(0, 256, 3)
        return sprite, BACK

    def _vary(self, sprite: Image, deck_index: int) -> Image:
        seed = self._ink_seed[deck_index]
        return sprite if seed is None else with_other_inks(sprite, np.random.default_rng(seed))


Layout = Callable[["SceneDecks", Rng], list[LaidCard]]


def _lay(decks: SceneDecks, rng: Rng, x: float, y: float, angle: float, *, back: float) -> LaidCard:
    sprite, label = decks.back() if rng.random() < back else decks.face()
    return LaidCard(sprite=sprite, label=label, centre_mm=(x, y), angle_rad=angle)


def _singles(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    n = int(rng.integers(1, 6))
    spread = 60 + 45 * n
    return [
        _lay(decks, rng, *rng.uniform(-spread, spread, 2), rng.uniform(0, 2 * np.pi), back=0.12)
        for _ in range(n)
    ]


def _rows(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(2, 8))
    gap_x, gap_y = rng.uniform(1, 25, 2)
    turn, jitter = rng.choice([0, np.pi / 2]), rng.uniform(0.005, 0.12)
    return [
        _lay(
            decks,
            rng,
            (c - columns / 2) * (CARD_W_MM + gap_x) + rng.normal(0, 2),
            (r - rows / 2) * (CARD_H_MM + gap_y) + rng.normal(0, 2),
            turn * (rng.random() < 0.1) + rng.normal(0, jitter),
            back=0.15,
        )
        for r in range(rows)
        for c in range(columns)
    ]


def _fan(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    """A work pile, a waste or a spread pile: cards one over the other along a line or an arc."""
    n = int(rng.integers(2, 12))
    step = rng.uniform(6, 32)
    along = rng.choice([0.0, np.pi / 2, np.pi, -np.pi / 2]) + rng.normal(0, 0.08)
    bend = rng.normal(0, 0.03) if rng.random() < 0.6 else rng.uniform(-0.25, 0.25)
    backs_first = int(rng.integers(0, n)) if rng.random() < 0.25 else 0
    cards, x, y, angle = [], 0.0, 0.0, rng.normal(0, 0.05)
    for i in range(n):
        jitter = rng.normal(0, 1.0, 2)
        card = _lay(
            decks, rng, x + jitter[0], y + jitter[1], angle + rng.normal(0, 0.03), back=float(i < backs_first)
        )
        cards.append(card)
        x, y = x + step * np.cos(along), y + step * np.sin(along)
        along, angle = along + bend, angle + bend
    return cards


def _heap(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    n = int(rng.integers(4, 26))
    spread = rng.uniform(15, 22) * np.sqrt(n)
    return [
        _lay(decks, rng, *rng.normal(0, spread, 2), rng.uniform(0, 2 * np.pi), back=0.12) for _ in range(n)
    ]


def _pile(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    skew, back = rng.uniform(0.3, 4), float(rng.random() < 0.3)
    return [
        _lay(decks, rng, *rng.normal(0, skew, 2), rng.normal(0, 0.05), back=back)
        for _ in range(int(rng.integers(2, 8)))
    ]


def _moved(cards: list[LaidCard], dx: float, dy: float, angle: float) -> list[LaidCard]:
    c, s = np.cos(angle), np.sin(angle)
    return [
        LaidCard(
            sprite=card.sprite,
            label=card.label,
            centre_mm=(
                float(c * card.centre_mm[0] - s * card.centre_mm[1] + dx),
                float(s * card.centre_mm[0] + c * card.centre_mm[1] + dy),
            ),
            angle_rad=card.angle_rad + angle,
        )
        for card in cards
    ]


def _table(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    """Several piles, fans and single cards on a grid of places, as in a game."""
    cards: list[LaidCard] = []
    pitch_x, pitch_y = rng.uniform(80, 125), rng.uniform(105, 190)
    for row in range(int(rng.integers(1, 4))):
        for column in range(int(rng.integers(2, 6))):
            kind = (_fan, _pile, _pile, _one)[int(rng.integers(4))]
            group = kind(decks, rng)[:6]
            turn = np.pi * (rng.random() < 0.3)
            cards += _moved(group, column * pitch_x - 1.5 * pitch_x, row * pitch_y - pitch_y, turn)
    return cards


def _one(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    return [_lay(decks, rng, 0, 0, rng.normal(0, 0.05), back=0.2)]


def _nothing(_decks: SceneDecks, _rng: Rng) -> list[LaidCard]:
    return []


LAYOUTS: tuple[tuple[Layout, float], ...] = (
    (_singles, 0.2),
    (_rows, 0.15),
    (_fan, 0.22),
    (_heap, 0.17),
    (_table, 0.2),
    (_pile, 0.03),
    (_nothing, 0.03),
)
"""Ways to lay cards out, and how often."""


# ---------------------------------------------------------------- the camera


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
    return np.asarray(view / view[2, 2])


def _project(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    return cv2.perspectiveTransform(points.reshape(-1, 1, 2).astype(np.float64), matrix).reshape(-1, 2)


# ---------------------------------------------------------------- drawing


def _background(size: int, surfaces: Sequence[Image], rng: Rng) -> NDArray[np.float32]:
    kind = rng.random()
    if kind < 0.6 and surfaces:
        texture = surfaces[int(rng.integers(len(surfaces)))]
        zoom = size / min(texture.shape[:2]) * rng.uniform(1.1, 3.0)
        angle = rng.uniform(0, 360)
        matrix = cv2.getRotationMatrix2D((texture.shape[1] / 2, texture.shape[0] / 2), angle, zoom)
        matrix[:, 2] += size / 2 - np.array([texture.shape[1] / 2, texture.shape[0] / 2])
        picture = cv2.warpAffine(texture, matrix, (size, size), borderMode=cv2.BORDER_REFLECT).astype(
            np.float32
        )
        picture = picture * rng.uniform(0.4, 1.3) + rng.uniform(-25, 25, 3)
    elif kind < 0.8:
        picture = np.empty((size, size, 3), np.float32)
        picture[:] = rng.uniform(5, 245, 3) if rng.random() < 0.5 else rng.uniform(5, 245)
        grain = rng.normal(0, rng.uniform(0, 18), (size, size, 1)).astype(np.float32)
        picture += cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.6, 3))[..., None] * 2
    else:
        cells = int(rng.integers(2, 24))
        picture = rng.uniform(0, 255, (cells, cells, 3)).astype(np.float32)
        how = cv2.INTER_NEAREST if rng.random() < 0.4 else cv2.INTER_CUBIC
        picture = cv2.resize(picture, (size, size), interpolation=how)
        picture = picture * rng.uniform(0.1, 0.8) + rng.uniform(0, 60)
    return np.clip(picture, 0, 255).astype(np.float32)


def _clutter(picture: NDArray[np.float32], card_px: float, rng: Rng) -> None:
    """Things that are no cards: papers, phones, coins, pens, letters."""
    size = picture.shape[0]
    for _ in range(int(rng.integers(0, 7)) if rng.random() < 0.55 else 0):
        colour = tuple(rng.uniform(0, 255, 3)) if rng.random() < 0.6 else (float(rng.uniform(0, 255)),) * 3
        centre = rng.uniform(0, size, 2)
        kind = rng.random()
        if kind < 0.4:
            wh = card_px * rng.uniform(0.3, 3.0, 2)
            box = cv2.boxPoints((tuple(centre), tuple(wh), rng.uniform(0, 180)))
            cv2.fillConvexPoly(picture, box.astype(np.int32), colour, cv2.LINE_AA)
            if rng.random() < 0.5:
                inner = cv2.boxPoints((tuple(centre), tuple(wh * rng.uniform(0.5, 0.95)), 0))
                cv2.polylines(
                    picture, [inner.astype(np.int32)], True, tuple(rng.uniform(0, 255, 3)), 2, cv2.LINE_AA
                )
        elif kind < 0.65:
            cv2.circle(
                picture,
                tuple(map(int, centre)),
                int(card_px * rng.uniform(0.08, 0.6)),
                colour,
                -1,
                cv2.LINE_AA,
            )
        elif kind < 0.85:
            end = centre + rng.normal(0, card_px, 2)
            cv2.line(
                picture,
                tuple(map(int, centre)),
                tuple(map(int, end)),
                colour,
                int(rng.integers(1, 14)),
                cv2.LINE_AA,
            )
        else:
            text = "".join(rng.choice(list("ABKQJX1234567890aeiou "), 8))
            written = np.zeros(picture.shape[:2], np.uint8)
            cv2.putText(
                written, text, _xy(centre), int(rng.integers(8)), rng.uniform(0.4, 2), 255, 2, cv2.LINE_AA
            )
            picture[written > 127] = colour


def _hand(picture: NDArray[np.float32], owner: NDArray[np.int16], card_px: float, rng: Rng) -> None:
    """A forearm with fingers from some edge, over whatever lies there."""
    size = picture.shape[0]
    unit = card_px / CARD_H_MM
    tip = rng.uniform(0.1, 0.9, 2) * size
    away = rng.uniform(0, 2 * np.pi)
    direction = np.array([np.cos(away), np.sin(away)])
    skin = np.array([rng.uniform(50, 190), rng.uniform(75, 205), rng.uniform(110, 240)])
    mask = np.zeros(owner.shape, np.uint8)
    palm = tip + direction * 85 * unit
    wrist, end = palm + direction * 70 * unit, palm + direction * 900 * unit
    cv2.line(mask, _xy(palm), _xy(wrist), 255, max(1, int(72 * unit)), cv2.LINE_AA)
    for i in range(5):
        side = (i - 2) * 20 * unit * np.array([-direction[1], direction[0]])
        finger_tip = tip + side * rng.uniform(0.6, 1.4) + direction * rng.uniform(0, 45) * unit
        cv2.line(mask, _xy(palm + side * 0.8), _xy(finger_tip), 255, max(1, int(18 * unit)), cv2.LINE_AA)
    arm = np.zeros_like(mask)
    cv2.line(arm, _xy(wrist), _xy(end), 255, max(1, int(rng.uniform(55, 95) * unit)), cv2.LINE_AA)
    sleeve = skin if rng.random() < 0.4 else rng.uniform(0, 255, 3)
    soft = max(1.0, 6 * unit)
    shade = cv2.GaussianBlur(mask, (0, 0), soft * 2).astype(np.float32)[..., None] / 255
    for layer, colour in ((arm, sleeve), (mask, skin)):
        alpha = layer.astype(np.float32)[..., None] / 255
        picture[:] = picture * (1 - alpha) + alpha * colour * (0.65 + 0.35 * shade)
        owner[layer > 127] = -2


def _xy(point: NDArray[np.float64]) -> tuple[int, int]:
    return int(np.clip(point[0], -9999, 9999)), int(np.clip(point[1], -9999, 9999))


def _shrunk(sprite: Image, px_per_mm: float) -> Image:
    """The sprite averaged down so that warping does not alias."""
    while sprite.shape[0] / CARD_H_MM > 2 * px_per_mm and sprite.shape[0] > 24:
        sprite = cv2.resize(
            sprite, (sprite.shape[1] // 2, sprite.shape[0] // 2), interpolation=cv2.INTER_AREA
        )
    return sprite


def _draw_card(
    picture: NDArray[np.float32], owner: NDArray[np.int16], card: LaidCard, index: int,
    image_from_card: NDArray[np.float64], px_per_mm: float, shadow: tuple[float, float, float],
) -> None:  # fmt: skip
    size = picture.shape[0]
    corners = _project(
        image_from_card, np.array([[0, 0], [CARD_W_MM, 0], [CARD_W_MM, CARD_H_MM], [0, CARD_H_MM]])
    )
    pad = 4 + abs(shadow[0]) + abs(shadow[1]) + 3 * shadow[2]
    x0, y0 = np.maximum(np.floor(corners.min(axis=0) - pad), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(corners.max(axis=0) + pad), size).astype(int)
    if x1 <= x0 or y1 <= y0:
        return
    sprite = _shrunk(card.sprite, px_per_mm)
    source = SPRITE_CORNERS_PX * (
        np.array(sprite.shape[1::-1], np.float32) / np.array(SPRITE_SIZE_WH, np.float32)
    )
    matrix = cv2.getPerspectiveTransform(source, (corners - (x0, y0)).astype(np.float32))
    warped = cv2.warpPerspective(sprite, matrix, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    alpha = warped[..., 3].astype(np.float32) / 255
    region = picture[y0:y1, x0:x1]
    if shadow[2] > 0:
        cast = cv2.warpAffine(alpha, np.float32([[1, 0, shadow[0]], [0, 1, shadow[1]]]), alpha.shape[::-1])
        cast = cv2.GaussianBlur(cast, (0, 0), shadow[2])
        region *= (1 - 0.45 * cast * (1 - alpha))[..., None]
    region *= (1 - alpha)[..., None]
    region += warped[..., :3] * alpha[..., None]
    owner[y0:y1, x0:x1][alpha > 0.5] = index


def _light(picture: NDArray[np.float32], rng: Rng) -> NDArray[np.float32]:
    """Uneven light, shadow, glare, white balance, exposure."""
    size = picture.shape[0]
    low = (
        rng.uniform(0.5, 1.15, (3, 3)).astype(np.float32)
        if rng.random() < 0.6
        else np.ones((3, 3), np.float32)
    )
    field = cv2.resize(low, (size, size), interpolation=cv2.INTER_CUBIC)
    if rng.random() < 0.25:
        mask = np.zeros((size, size), np.float32)
        polygon = (rng.uniform(-0.3, 1.3, (4, 2)) * size).astype(np.int32)
        cv2.fillConvexPoly(mask, cv2.convexHull(polygon), 1.0)
        mask = cv2.GaussianBlur(mask, (0, 0), size * rng.uniform(0.005, 0.06))
        field = field * (1 - mask * rng.uniform(0.2, 0.6))
    picture = picture * field[..., None]
    if rng.random() < 0.2:
        y, x = np.mgrid[0:size, 0:size].astype(np.float32)
        cx, cy = rng.uniform(0, size, 2)
        glare = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * (size * rng.uniform(0.05, 0.2)) ** 2))
        picture = picture + glare[..., None] * rng.uniform(40, 200)
    if rng.random() < 0.5:
        picture = picture * rng.uniform(0.75, 1.25, 3).astype(np.float32)
    exposure = rng.uniform(0.7, 1.3) if rng.random() < 0.75 else rng.uniform(0.2, 1.6)
    picture = picture * exposure
    if rng.random() < 0.2:
        contrast = rng.uniform(0.4, 0.85)
        picture = picture * contrast + rng.uniform(20, 230) * (1 - contrast)
    if rng.random() < 0.15:
        gray = picture @ np.array([0.114, 0.587, 0.299], np.float32)
        picture = picture + rng.uniform(0.6, 1.0) * (gray[..., None] - picture)
    return picture


def _sensor(picture: NDArray[np.float32], card_px: float, rng: Rng) -> Image:
    """Blur, noise, sharpening and compression, mild in most pictures."""
    finest = card_px / CARD_H_MM
    if rng.random() < 0.5:
        picture = cv2.GaussianBlur(
            picture, (0, 0), max(0.3, rng.uniform(0.1, 0.45) * finest + rng.uniform(0, 0.4))
        )
    if rng.random() < 0.12:
        length = int(np.clip(rng.uniform(0.5, 2.5) * finest, 2, 15))
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, int(rng.integers(length))), (length - 1, int(rng.integers(length))), 1.0)
        if rng.random() < 0.5:
            kernel = kernel.T
        picture = cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1e-6))
    if rng.random() < 0.25:
        picture = picture + rng.uniform(0.3, 1.2) * (
            picture - cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.8, 2))
        )
    noise = float(rng.uniform(0, 4) if rng.random() < 0.8 else rng.uniform(4, 16))
    channels = int(rng.choice([1, 3]))
    picture = picture + noise * rng.standard_normal((*picture.shape[:2], channels), np.float32)
    image = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(35, 96))])
        image = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return image


# ---------------------------------------------------------------- truth


def _truth(
    card: LaidCard, index: int, owner: NDArray[np.int16], image_from_card: NDArray[np.float64], scale: float
) -> CardTruth | None:
    """What ``owner`` (h, w) leaves visible of the card; None where that is next to nothing."""
    step = max(0.35, 1 / scale)
    xs, ys = np.arange(step / 2, CARD_W_MM, step), np.arange(step / 2, CARD_H_MM, step)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1)
    at = np.floor(_project(image_from_card, grid.reshape(-1, 2))).astype(int)
    inside = ((at >= 0) & (at < (owner.shape[1], owner.shape[0]))).all(axis=1)
    seen = np.zeros(len(at), bool)
    seen[inside] = owner[at[inside, 1], at[inside, 0]] == index
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
    quad = _project(image_from_card, np.array([[left, top], [right, top], [right, bottom], [left, bottom]]))
    index_w, index_h = (round(mm / step) for mm in INDEX_BLOCK_MM)
    corners = seen_grid[:index_h, :index_w], seen_grid[-index_h:, -index_w:]
    other_corners = seen_grid[:index_h, -index_w:], seen_grid[-index_h:, :index_w]
    return CardTruth(
        label=card.label,
        is_back=card.label == BACK,
        quad_px=quad.astype(np.float32),
        visible_fraction=fraction,
        legible_fraction=float(max(c.mean() for c in corners)),
        any_corner_fraction=float(max(c.mean() for c in (*corners, *other_corners))),
        px_per_mm=scale,
    )


# ---------------------------------------------------------------- a scene


def compose_scene(
    rng: Rng, decks: Sequence[Deck], surfaces: Sequence[Image], *, size_px: int, card_px: tuple[float, float]
) -> Scene:
    """One random scene of ``size_px`` squared, its cards between ``card_px`` pixels tall (log-uniform)."""
    tall_px = float(np.exp(rng.uniform(np.log(card_px[0]), np.log(card_px[1]))))
    weights = np.array([w for _, w in LAYOUTS])
    layout = LAYOUTS[int(rng.choice(len(LAYOUTS), p=weights / weights.sum()))][0]
    cards = layout(SceneDecks(decks, rng), rng)
    view = _camera(cards, size_px, tall_px, rng)
    picture = _background(size_px, surfaces, rng)
    _clutter(picture, tall_px, rng)
    owner = np.full((size_px, size_px), -1, np.int16)
    reach = rng.uniform(0, 1.6) * tall_px / CARD_H_MM
    away = rng.uniform(0, 2 * np.pi)
    soft = float(max(0.4, reach * rng.uniform(0.4, 1.2))) if rng.random() < 0.8 else 0.0
    shadow = (float(reach * np.cos(away)), float(reach * np.sin(away)), soft)
    placed: list[tuple[LaidCard, int, NDArray[np.float64], float]] = []
    for index, card in enumerate(cards):
        image_from_card = view @ card.table_from_card_mm
        corners = _project(image_from_card, np.array([[0, 0], [CARD_W_MM, 0], [0, CARD_H_MM]]))
        if not np.isfinite(corners).all() or np.abs(corners).max() > 20 * size_px:
            continue
        area = abs(np.linalg.det(np.stack([corners[1] - corners[0], corners[2] - corners[0]])))
        scale = float(np.sqrt(area / (CARD_W_MM * CARD_H_MM)))
        if scale < 0.1:
            continue
        _draw_card(picture, owner, card, index, image_from_card, scale, shadow)
        placed.append((card, index, image_from_card, scale))
    if rng.random() < 0.25:
        for _ in range(int(rng.integers(1, 3))):
            _hand(picture, owner, tall_px, rng)
    truths = (_truth(card, index, owner, matrix, scale) for card, index, matrix, scale in placed)
    lit = _light(picture, rng)
    return Scene(
        image_bgr=_sensor(lit, tall_px, rng), cards=tuple(truth for truth in truths if truth is not None)
    )
