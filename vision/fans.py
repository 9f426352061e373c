"""Two cards of a fan that were taken for one: no card is longer than a card."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.classes import BACK, UNREADABLE
from vision.card_seen import CardSeen
from vision.table import CARD_MM

LONGEST_MM = 94.0
"""A card of 88 mm looks no longer: outlines are known to 3 mm, and it lies a little nearer than the table."""
ALONG = 0.9
"""Cosine of the angle between a card's long side and its fan: cards lie askew by up to 25 degrees."""
INDEX_SHARE = 0.5
"""What is smaller than this part of the outline may be the index of a card in it."""


def told_apart(seen: tuple[CardSeen, ...], towards: tuple[float, float]) -> tuple[CardSeen, ...]:
    """The cards of a fan, each no longer than a card.

    An outline that takes in the strip of the card below as well is cut: its end at the player is the upper
    card, the rest is the strip. The name is the strip's where another one is read within the upper card.
    """
    cards = list(seen)
    for card in seen:
        parts = _parts(card.quad_mm, np.array(towards))
        if parts is None or card.name == BACK:
            continue
        upper_mm, strip_mm = parts
        named = [each for each in cards if _is_named_in(each, card, upper_mm)]
        cards.remove(card)
        if named:
            best = max(named, key=lambda each: each.confidence)
            cards.remove(best)
            cards += [replace(best, quad_mm=upper_mm), replace(card, quad_mm=strip_mm)]
        else:
            cards.append(replace(card, quad_mm=upper_mm))
    return tuple(cards)


def _parts(
    quad_mm: NDArray[np.float32], towards: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """The card at the player's end of an outline, and what is left of it. None: it is as long as a card."""
    ways = [quad_mm[k] - quad_mm[k - 1] + quad_mm[k - 3] - quad_mm[k - 2] for k in (1, 2)]
    along, across = sorted(
        (np.asarray(way, np.float64) / 2 for way in ways), key=lambda way: -abs(float(way @ towards))
    )
    length = float(np.linalg.norm(along))
    along = along * np.sign(along @ towards)
    if length <= LONGEST_MM or along @ towards < ALONG * length:
        return None
    middle = quad_mm.mean(axis=0)
    near, far = middle + along / 2, middle - along / 2
    cut = near - along / length * CARD_MM[1]
    return _quad(near, cut, across / 2), _quad(cut, far, across / 2)


def _quad(
    one: NDArray[np.float64], other: NDArray[np.float64], half: NDArray[np.float64]
) -> NDArray[np.float32]:
    """The rectangle between the middles of two sides, clockwise as the camera sees it."""
    quad = np.array([one - half, one + half, other + half, other - half], np.float32)
    return quad if cv2.contourArea(quad, oriented=True) > 0 else quad[::-1].copy()


def _is_named_in(other: CardSeen, card: CardSeen, upper_mm: NDArray[np.float32]) -> bool:
    """Whether another name was read in the upper part, as of an index there."""
    if other.name in {card.name, BACK, UNREADABLE} or other.area_mm2 > INDEX_SHARE * card.area_mm2:
        return False
    x, y = (float(v) for v in other.quad_mm.mean(axis=0))
    return cv2.pointPolygonTest(upper_mm, (x, y), measureDist=False) >= 0
