"""Draws a synthetic scene: table, clutter, cards, hands, light and the camera's faults."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import SPRITE_SIZE_WH
from datasets.layouts import CARD_H_MM, CARD_W_MM, Image, LaidCard, Rng

Picture = NDArray[np.float32]
"""float32 BGR (size, size, 3), 0..255, while it is being drawn."""

PALE_SHARE = 0.15
"""Scenes on a table as pale as a card's stock."""
CLUTTERED_SHARE = 0.6
"""Scenes with other things on the table."""
SPECKLED_SHARE = 0.12
"""Pictures with white and black specks, as broken sensors and some data sets have."""
_Point = NDArray[np.float64]
_Colour = tuple[float, ...]
_SPRITE_W, _SPRITE_H = SPRITE_SIZE_WH
SPRITE_CORNERS_PX = np.array([[0, 0], [_SPRITE_W, 0], [_SPRITE_W, _SPRITE_H], [0, _SPRITE_H]], np.float32)


def project(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 2) through a homography (3, 3)."""
    projected = cv2.perspectiveTransform(points.reshape(-1, 1, 2).astype(np.float64), matrix)
    return np.asarray(projected.reshape(-1, 2), np.float64)


def _soft(picture: Picture, sigma_px: float) -> Picture:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), np.float32)


def background(size: int, surfaces: Sequence[Image], rng: Rng) -> Picture:
    """A table: one of the surfaces at a random scale and turn, a plain grain, or soft or hard patches."""
    kind = rng.random()
    if kind < PALE_SHARE:
        pale = rng.uniform(165, 245) * rng.uniform(0.93, 1.03, 3)
        shade = rng.uniform(0.9, 1.05, (4, 4, 1)).astype(np.float32)
        smooth = np.asarray(cv2.resize(shade, (size, size), interpolation=cv2.INTER_CUBIC), np.float64)
        picture = smooth[..., None] * pale
    elif kind < 0.6 and surfaces:
        texture = surfaces[int(rng.integers(len(surfaces)))]
        zoom = size / min(texture.shape[:2]) * rng.uniform(1.1, 3.0)
        angle = rng.uniform(0, 360)
        middle = texture.shape[1] / 2, texture.shape[0] / 2
        matrix = np.asarray(cv2.getRotationMatrix2D(middle, angle, zoom), np.float64)
        matrix[:, 2] += size / 2 - np.array(middle)
        surface = cv2.warpAffine(texture, matrix, (size, size), borderMode=cv2.BORDER_REFLECT)
        picture = surface.astype(np.float64) * rng.uniform(0.4, 1.3) + rng.uniform(-25, 25, 3)
    elif kind < 0.8:
        picture = np.empty((size, size, 3), np.float64)
        picture[:] = rng.uniform(5, 245, 3) if rng.random() < 0.5 else rng.uniform(5, 245)
        grain = rng.normal(0, rng.uniform(0, 18), (size, size)).astype(np.float32)
        picture += _soft(grain, rng.uniform(0.6, 3))[..., None] * 2
    else:
        cells = int(rng.integers(2, 24))
        patches = rng.uniform(0, 255, (cells, cells, 3)).astype(np.float32)
        how = cv2.INTER_NEAREST if rng.random() < 0.4 else cv2.INTER_CUBIC
        enlarged = np.asarray(cv2.resize(patches, (size, size), interpolation=how), np.float64)
        picture = enlarged * rng.uniform(0.1, 0.8) + rng.uniform(0, 60)
    return np.clip(picture, 0, 255).astype(np.float32)


def clutter(picture: Picture, card_px: float, surfaces: Sequence[Image], rng: Rng) -> None:
    """Things that are no cards: papers, phones, boxes, bags, printed things, coins, pens, letters."""
    for _ in range(int(rng.integers(0, 7)) if rng.random() < CLUTTERED_SHARE else 0):
        thing = _THINGS[int(rng.choice(len(_THINGS), p=_THING_SHARES))]
        colour = tuple(rng.uniform(0, 255, 3)) if rng.random() < 0.6 else (float(rng.uniform(0, 255)),) * 3
        thing(picture, rng.uniform(0, picture.shape[0], 2), colour, card_px, surfaces, rng)


def _paper(
    picture: Picture, at: _Point, colour: _Colour, card_px: float, _surfaces: Sequence[Image], rng: Rng
) -> None:
    """A plain rectangle, some with a line drawn in it: paper, phone, box."""
    wh = card_px * rng.uniform(0.3, 3.0, 2)
    turn = rng.uniform(0, 180)
    box = cv2.boxPoints((tuple(at), tuple(wh), turn))
    cv2.fillConvexPoly(picture, box.astype(np.int32), colour, cv2.LINE_AA)
    if rng.random() < 0.5:
        inner = cv2.boxPoints((tuple(at), tuple(wh * rng.uniform(0.5, 0.95)), turn * (rng.random() < 0.7)))
        cv2.polylines(picture, [inner.astype(np.int32)], True, tuple(rng.uniform(0, 255, 3)), 2, cv2.LINE_AA)


def _printed(
    picture: Picture, at: _Point, colour: _Colour, card_px: float, surfaces: Sequence[Image], rng: Rng
) -> None:
    """A thing with a pattern and perhaps a border, of any shape: box, bag, book, cloth."""
    if not surfaces:
        return
    texture = surfaces[int(rng.integers(len(surfaces)))]
    wh = card_px * np.exp(rng.uniform(np.log(0.3), np.log(4.0), 2))
    box = cv2.boxPoints((tuple(at), tuple(wh), rng.uniform(0, 180)))
    side = min(texture.shape[:2])
    part = max(8, int(side * rng.uniform(0.1, 0.6)))
    x, y = (int(rng.integers(0, texture.shape[k] - part + 1)) for k in (1, 0))
    corners = np.array([[0, 0], [part, 0], [part, part], [0, part]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, box.astype(np.float32))
    size_wh = picture.shape[1], picture.shape[0]
    tinted = texture[y : y + part, x : x + part] * rng.uniform(0.3, 1.4, 3).astype(np.float32)
    laid = cv2.warpPerspective(tinted.astype(np.float32), matrix, size_wh)
    mask = np.zeros(picture.shape[:2], np.uint8)
    shape = cv2.convexHull((box + rng.normal(0, 0.06, (4, 2)) * wh.min()).astype(np.int32))
    cv2.fillConvexPoly(mask, shape, 255)
    picture[mask > 0] = laid[mask > 0]
    if rng.random() < 0.5:
        thick = int(max(1, card_px * rng.uniform(0.01, 0.08)))
        cv2.polylines(picture, [shape], True, colour, thick, cv2.LINE_AA)


def _coin(
    picture: Picture, at: _Point, colour: _Colour, card_px: float, _surfaces: Sequence[Image], rng: Rng
) -> None:
    cv2.circle(picture, _xy(at), int(card_px * rng.uniform(0.08, 0.6)), colour, -1, cv2.LINE_AA)


def _pen(
    picture: Picture, at: _Point, colour: _Colour, card_px: float, _surfaces: Sequence[Image], rng: Rng
) -> None:
    end = _xy(at + rng.normal(0, card_px, 2))
    cv2.line(picture, _xy(at), end, colour, int(rng.integers(1, 14)), cv2.LINE_AA)


def _letters(
    picture: Picture, at: _Point, colour: _Colour, _card_px: float, _surfaces: Sequence[Image], rng: Rng
) -> None:
    text = "".join(rng.choice(list("ABKQJX1234567890aeiou "), 8))
    written = np.zeros(picture.shape[:2], np.uint8)
    font, scale = int(rng.integers(8)), rng.uniform(0.4, 2)
    cv2.putText(written, text, _xy(at), font, scale, 255, 2, cv2.LINE_AA)
    picture[written > 127] = colour


_THINGS = (_paper, _printed, _coin, _pen, _letters)
_THING_SHARES = (0.3, 0.25, 0.15, 0.15, 0.15)


def hand(picture: Picture, owner: NDArray[np.int16], card_px: float, rng: Rng) -> None:
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
        half = sprite.shape[1] // 2, sprite.shape[0] // 2
        sprite = np.asarray(cv2.resize(sprite, half, interpolation=cv2.INTER_AREA), np.uint8)
    return sprite


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """What each card casts: shifted by (dx, dy) and blurred, all in pixels; none where not blurred."""

    dx_px: float
    dy_px: float
    blur_px: float

    @property
    def reach_px(self) -> float:
        """How far beyond its card it is seen."""
        return abs(self.dx_px) + abs(self.dy_px) + 3 * self.blur_px


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedCard:
    """A card as the camera sees it. image_from_card: (3, 3), from the card's mm to pixels."""

    card: LaidCard
    index: int
    image_from_card: NDArray[np.float64]
    px_per_mm: float


def draw_card(picture: Picture, owner: NDArray[np.int16], placed: PlacedCard, shadow: Shadow) -> None:
    """Draw a card with its shadow into ``picture``, and its index into ``owner`` (h, w)."""
    size = picture.shape[0]
    corners = project(
        placed.image_from_card, np.array([[0, 0], [CARD_W_MM, 0], [CARD_W_MM, CARD_H_MM], [0, CARD_H_MM]])
    )
    pad = 4 + shadow.reach_px
    x0, y0 = np.maximum(np.floor(corners.min(axis=0) - pad), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(corners.max(axis=0) + pad), size).astype(int)
    if x1 <= x0 or y1 <= y0:
        return
    sprite = _shrunk(placed.card.side.sprite, placed.px_per_mm)
    shrink = np.array(sprite.shape[1::-1], np.float32) / np.array(SPRITE_SIZE_WH, np.float32)
    source = (SPRITE_CORNERS_PX * shrink).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, (corners - (x0, y0)).astype(np.float32))
    warped = cv2.warpPerspective(sprite, matrix, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    alpha = warped[..., 3].astype(np.float32) / 255
    region = picture[y0:y1, x0:x1]
    if shadow.blur_px > 0:
        shift = np.array([[1, 0, shadow.dx_px], [0, 1, shadow.dy_px]], np.float32)
        size_wh = alpha.shape[1], alpha.shape[0]
        cast = _soft(np.asarray(cv2.warpAffine(alpha, shift, size_wh), np.float32), shadow.blur_px)
        region *= (1 - 0.45 * cast * (1 - alpha))[..., None]
    region *= (1 - alpha)[..., None]
    region += warped[..., :3] * alpha[..., None]
    owner[y0:y1, x0:x1][alpha > 0.5] = placed.index


def light(picture: Picture, rng: Rng) -> Picture:
    """Uneven light, shadow, glare, white balance, exposure."""
    size = picture.shape[0]
    low = (
        rng.uniform(0.5, 1.15, (3, 3)).astype(np.float32)
        if rng.random() < 0.6
        else np.ones((3, 3), np.float32)
    )
    field = np.asarray(cv2.resize(low, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)
    if rng.random() < 0.25:
        mask = np.zeros((size, size), np.float32)
        polygon = (rng.uniform(-0.3, 1.3, (4, 2)) * size).astype(np.int32)
        cv2.fillConvexPoly(mask, cv2.convexHull(polygon), 1.0)
        mask = _soft(mask, size * rng.uniform(0.005, 0.06))
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


def sensor(picture: Picture, card_px: float, rng: Rng) -> Image:
    """Blur, noise, sharpening and compression, mild in most pictures."""
    finest = card_px / CARD_H_MM
    if rng.random() < 0.5:
        picture = _soft(picture, max(0.3, rng.uniform(0.1, 0.45) * finest + rng.uniform(0, 0.4)))
    if rng.random() < 0.12:
        length = int(np.clip(rng.uniform(0.5, 2.5) * finest, 2, 15))
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, int(rng.integers(length))), (length - 1, int(rng.integers(length))), 1.0)
        if rng.random() < 0.5:
            kernel = kernel.T
        picture = np.asarray(cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1e-6)), np.float32)
    if rng.random() < 0.25:
        strength = rng.uniform(0.3, 1.2)
        picture = picture + strength * (picture - _soft(picture, rng.uniform(0.8, 2)))
    noise = float(rng.uniform(0, 4) if rng.random() < 0.8 else rng.uniform(4, 16))
    channels = int(rng.choice([1, 3]))
    picture = picture + noise * rng.standard_normal((*picture.shape[:2], channels), np.float32)
    image = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < SPECKLED_SHARE:
        specks = rng.random(image.shape[:2])
        share = rng.uniform(0.001, 0.02)
        image[specks < share / 2] = 255
        image[specks > 1 - share / 2] = 0
    if rng.random() < 0.7:
        _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(35, 96))])
        image = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return image
