"""Corner indices as second witnesses: what they say of the cards found, and the cards that only they show.

Where white cards lie three deep on white cards, edges are faint and a box may hold two cards or half of one.
The index of each card is then still printed whole.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.classes import CLASS_ID, JOKER, UNREADABLE
from models.cut import order_quad
from models.detections import Detections
from models.geometry import quad_areas
from models.one_card import outline_of, touch

ONE_CARD = 3.2
"""Two indices of one card lie at most so many of their heights apart: its diagonal is 80 of 26 mm."""
PASSES = 2
"""What bore out a card that then got another name is told of a card of its own, once more round."""
AT_CORNER = 0.9
"""An index lies within so many of its heights of its own card's corner: 15 of 26 mm, and some for the box."""


@dataclass(slots=True, eq=False)
class _Card:
    """A card as it is known so far."""

    quad_px: NDArray[np.float32]
    class_id: int
    confidence: float
    is_borne_out: bool = False
    """An index of this name lies on it."""

    @property
    def area(self) -> float:
        return float(quad_areas(self.quad_px[None])[0])

    def distance(self, point_px: NDArray[np.float32]) -> float:
        """From the card's visible part, in pixels; 0 on it."""
        outline = cv2.convexHull(self.quad_px)
        return max(0.0, -float(cv2.pointPolygonTest(outline, (float(point_px[0]), float(point_px[1])), True)))

    def corner_distance(self, point_px: NDArray[np.float32]) -> float:
        """From the nearest corner of the visible part, in pixels."""
        return float(np.linalg.norm(self.quad_px - point_px, axis=1).min())


def holds_index(quads_px: NDArray[np.float32], indices_px: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Bool (n,): which boxes, (n, 4, 2), have one of the indices, (m, 4, 2), in a corner."""
    return np.array([any(_is_in_corner(quad, index) for index in indices_px) for quad in quads_px], bool)


def _is_in_corner(quad_px: NDArray[np.float32], index_px: NDArray[np.float32]) -> bool:
    card, centre = _Card(quad_px, class_id=-1, confidence=0.0), index_px.mean(axis=0)
    near = AT_CORNER * _height(index_px)
    return card.corner_distance(centre) <= near and card.distance(centre) == 0.0


def unexplained(cards: Detections, indices: Detections) -> NDArray[np.bool_]:
    """Bool (m,): which of the indices are of no card that was found by that name."""
    known = _known(cards)
    return np.array([not _bears_out(known, indices, i) for i in range(len(indices))], bool)


def _known(cards: Detections) -> list[_Card]:
    return [
        _Card(quad, int(name), float(sureness))
        for quad, name, sureness in zip(cards.corners_px, cards.class_id, cards.confidence, strict=True)
    ]


def with_indices(cards: Detections, indices: Detections) -> Detections:
    """The cards, corrected and added to by what their indices say.

    ``indices`` are boxes of corner indices that were surely read as faces. One that has its own name on the
    card, or near it, bears it out. An unreadable card is named by the index on it. Where another name is read
    at a card's corner, the surer one holds, unless the card is borne out: then, and where the index lies
    elsewhere, it belongs to a card that was not found, of which the index is the visible part.
    """
    known = _known(cards)
    order = np.argsort(-indices.confidence, kind="stable")
    for _ in range(PASSES):
        of_others = [i for i in order if not _bears_out(known, indices, i)]
        for i in of_others:  # Each may be of a card that the one before named.
            if not _bears_out(known, indices, i):
                _tell(known, indices, i)
    known = _whole(known, indices)
    return Detections(
        corners_px=np.stack([card.quad_px for card in known]) if known else cards.corners_px,
        class_id=np.array([card.class_id for card in known], np.int16),
        confidence=np.array([card.confidence for card in known], np.float32),
    )


def _whole(known: list[_Card], indices: Detections) -> list[_Card]:
    """Each card once: a box that holds none of its own indices is a part of the one beside it that does.

    Decks with a frame around their pips are found as frame and margin. Two equal cards have an index each.
    """
    whole = list(known)
    for part in known:
        if _holds_own(part, indices) or part.class_id >= CLASS_ID[JOKER]:
            continue
        others = (card for card in whole if card is not part and card.class_id == part.class_id)
        rest = next(
            (card for card in others if touch(part.quad_px, card.quad_px) and _holds_own(card, indices)), None
        )
        if rest is not None:
            rest.quad_px = order_quad(outline_of(np.stack([part.quad_px, rest.quad_px])))
            rest.confidence = max(rest.confidence, part.confidence)
            whole.remove(part)
    return whole


def _holds_own(card: _Card, indices: Detections) -> bool:
    """Whether an index of the card's name lies on it."""
    own = indices.corners_px[indices.class_id == card.class_id]
    return any(card.distance(quad.mean(axis=0)) == 0.0 for quad in own)


def _bears_out(known: list[_Card], indices: Detections, i: int) -> bool:
    """Whether index ``i`` is of a card that is known by its name."""
    quad, name = indices.corners_px[i], int(indices.class_id[i])
    reach = ONE_CARD * _height(quad)
    own = [card for card in known if card.class_id == name and card.distance(quad.mean(axis=0)) <= reach]
    for card in own:
        card.is_borne_out |= card.distance(quad.mean(axis=0)) == 0.0
    return bool(own)


def _tell(known: list[_Card], indices: Detections, i: int) -> None:
    """Name a card by index ``i``, or add the card that it is of, or believe the card and not the index."""
    quad, name, sureness = indices.corners_px[i], int(indices.class_id[i]), float(indices.confidence[i])
    centre = quad.mean(axis=0)
    holders = sorted((card for card in known if card.distance(centre) == 0.0), key=lambda card: card.area)
    unread = next((card for card in holders if card.class_id == CLASS_ID[UNREADABLE]), None)
    near = AT_CORNER * _height(quad)
    disputed = next((card for card in holders if card.corner_distance(centre) <= near), None)
    named = unread or disputed
    if named is None or named.is_borne_out:
        known.append(_Card(quad, name, sureness, is_borne_out=True))
    elif named is unread or sureness > named.confidence:
        named.class_id, named.confidence, named.is_borne_out = name, sureness, True


def _height(quad_px: NDArray[np.float32]) -> float:
    sides = np.linalg.norm(quad_px - np.roll(quad_px, 1, axis=0), axis=1)
    return float(sides.max())
