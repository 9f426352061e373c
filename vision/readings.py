"""From a zone's picture to what lies on top of its pile."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.classes import BACK, UNREADABLE
from models.detections import CardDetector, Detections
from referee.cards import Card
from vision.card_seen import CardSeen
from vision.fans import told_apart
from vision.outline import card_outline
from vision.rectify import ZoneView
from vision.settings import WatchSettings
from vision.table import CARD_MM, Edge, Zone

TOWARDS: dict[Edge, tuple[float, float]] = {
    Edge.BOTTOM: (0.0, 1.0),
    Edge.TOP: (0.0, -1.0),
    Edge.LEFT: (-1.0, 0.0),
    Edge.RIGHT: (1.0, 0.0),
}
"""From the table's middle towards the player at an edge: the way in which fans grow."""

RIVAL_OVERLAP = 0.5
"""Two boxes that share so much of the smaller one are two readings of one card."""

OUTLINE_CONFIDENCE = 0.6
"""How sure a back is of which only the outline was recognised, where backs are known to lie: in five
simulated clips 7 of 43 views without a located card had one, and each of them showed a back."""

RIVAL_CONFIDENCE = 0.8
"""A second reading of at least this share of the first one's confidence makes the card not legible."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """What was read of a pile at one time."""

    top: Card | None
    """None: empty, face down or not legible."""
    is_empty: bool
    face_up: bool
    confidence: float
    top_quad_mm: NDArray[np.float32] | None
    """float32 (4, 2), clockwise. None: empty, or no card stands out."""
    cards: tuple[CardSeen, ...]
    """All that was seen of the pile, also below the threshold."""

    @property
    def is_sure(self) -> bool:
        """Whether the pile was read: a face, a back, or bare table."""
        return self.top is not None or self.is_empty or (self.top_quad_mm is not None and not self.face_up)

    @property
    def faces(self) -> frozenset[str]:
        """Names of all faces seen."""
        return frozenset(card.name for card in self.cards)


def read_pile(
    view: ZoneView, detector: CardDetector, towards: tuple[float, float] | None, settings: WatchSettings
) -> Reading:
    """Read a zone's picture; ``towards`` is the direction in which its fan grows, None for squared piles."""
    seen = cards_of(detector.detect(view.image_bgr), view)
    if towards is not None:
        seen = told_apart(seen, towards)
    top = top_of(seen, towards, settings)
    if top is None and (view.zone.has_backs or view.zone.is_supply):
        outline_mm = card_outline(view)
        if outline_mm is not None:
            top = CardSeen(BACK, OUTLINE_CONFIDENCE, outline_mm)
            seen = (top,)
    if not seen:
        return Reading(top=None, is_empty=True, face_up=False, confidence=1.0, top_quad_mm=None, cards=())
    if top is None:
        return Reading(top=None, is_empty=False, face_up=True, confidence=0.0, top_quad_mm=None, cards=seen)
    is_back = top.name == BACK
    is_legible = (
        not is_back
        and top.name != UNREADABLE
        and top.confidence >= settings.read_confidence
        and not _has_rival(top, seen)
    )
    return Reading(
        top=Card.parse(top.name) if is_legible else None,
        is_empty=False,
        face_up=not is_back,
        confidence=top.confidence,
        top_quad_mm=top.quad_mm,
        cards=seen,
    )


def cards_of(detections: Detections, view: ZoneView) -> tuple[CardSeen, ...]:
    """The detections whose centre lies in the view's zone, in table millimetres."""
    if not len(detections):
        return ()
    quads_px = detections.corners_px.astype(np.float64)
    quads_mm = cv2.perspectiveTransform(quads_px.reshape(1, -1, 2), view.table_mm_from_view_px)
    seen = [
        CardSeen(name, float(confidence), quad_mm.astype(np.float32))
        for name, confidence, quad_mm in zip(
            detections.names, detections.confidence, quads_mm.reshape(-1, 4, 2), strict=True
        )
    ]
    return tuple(card for card in seen if _is_inside(card.quad_mm.mean(axis=0), view.zone))


def _is_inside(point_mm: NDArray[np.float32], zone: Zone) -> bool:
    x, y = float(point_mm[0]), float(point_mm[1])
    return cv2.pointPolygonTest(zone.polygon_mm, (x, y), measureDist=False) >= 0


def top_of(
    seen: tuple[CardSeen, ...], towards: tuple[float, float] | None, settings: WatchSettings
) -> CardSeen | None:
    """The card that nothing lies on; in a fan, the whole card nearest the player. None: none stands out."""
    whole_mm2 = settings.whole_share * CARD_MM[0] * CARD_MM[1]
    whole = [card for card in seen if card.area_mm2 >= whole_mm2]
    if not whole:
        return None
    if towards is None:
        return max(whole, key=lambda card: (card.confidence, card.area_mm2))
    direction = np.array(towards)
    return max(whole, key=lambda card: float(card.quad_mm.mean(axis=0) @ direction))


def best_face(seen: Sequence[CardSeen], settings: WatchSettings) -> tuple[Card | None, float]:
    """The face that several looks at one card agree on, and how sure it is. None: they do not agree."""
    legible = [card for card in seen if card.confidence >= settings.read_confidence]
    best = max(legible, key=lambda card: card.confidence, default=None)
    if best is None or any(
        card.name != best.name and card.confidence >= RIVAL_CONFIDENCE * best.confidence for card in legible
    ):
        return None, 0.0
    return best.face, best.confidence


def _has_rival(top: CardSeen, seen: tuple[CardSeen, ...]) -> bool:
    """Whether the same card was also read as another, about as surely."""
    for other in seen:
        if other.name in {top.name, UNREADABLE} or other.confidence < RIVAL_CONFIDENCE * top.confidence:
            continue
        shared, _ = cv2.intersectConvexConvex(top.quad_mm, other.quad_mm)
        if shared > RIVAL_OVERLAP * min(top.area_mm2, other.area_mm2) and other.area_mm2 > top.area_mm2 / 2:
            return True
    return False
