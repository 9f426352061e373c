"""Boxes that are of one card: found twice, its picture or its pips beside it, or in pieces.

All cards are of one size. What shows of a card is smaller than a card only where another one lies on it, and
two cards do not cover one another.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.geometry import Quads, intersection_area, quad_areas

SAME_CARD = 0.5
"""Two boxes of one name that share this part of the smaller one are of one card."""
INNER_SHARE = 0.88
"""A face without its rim: within it, of its sides."""
INNER_AREA = 0.4
"""Area of the picture that some decks frame on a face, against the card: 0.28."""
WELL_INSIDE = 0.99
INSIDE = 0.93
"""A box of which so much lies in another one is part of what that one frames: boxes are off by 1 to 3 mm."""
LARGEST_PART = 0.8
"""Of the area of the card: larger ones may be that of another card, seen from farther away."""
WHOLE_ASPECT = (1.25, 1.65)
"""Of a whole card's box: poker cards have 1.40, bridge cards 1.54, and views are tilted."""
WHOLE_SHARE = 0.88
"""A box with sides of so much of a card's is the whole card's. Of framed cards the pieces had up to 0.85."""
MOST_PIECES = 4
GROWN = 1.1
"""Boxes that overlap when each is larger by this touch one another."""
ABUTTING = 0.2
"""Pieces share at most so much of the smaller one; cards that lie on one another seldom so little."""
FILLED = 0.6
"""Pieces fill so much of the card that they are taken for: frame and margins of a framed one 0.67 to 0.82."""


def one_of_each(
    quads_px: Quads, class_id: NDArray[np.int16], strength: NDArray[np.float32]
) -> NDArray[np.intp]:
    """Indices of the detections that stay where one card was found twice, by name and place: the stronger."""
    areas = quad_areas(quads_px)
    kept: list[int] = []
    for i in np.argsort(-strength, kind="stable"):
        twins = (k for k in kept if class_id[k] == class_id[i])
        if all(
            intersection_area(quads_px[i], quads_px[k]) < SAME_CARD * min(areas[i], areas[k]) for k in twins
        ):
            kept.append(int(i))
    return np.sort(np.asarray(kept, np.intp))


def face_around(quads_px: Quads, is_face: NDArray[np.bool_]) -> list[int | None]:
    """For each box (n,) the far larger face that it lies well inside of: its picture's frame, or a pip.

    Cards are of one size: what shows of another one reaches the edge of what it lies on, or under.
    """
    areas = quad_areas(quads_px)
    centres = quads_px.mean(axis=1, keepdims=True)
    inner = (centres + (quads_px - centres) * INNER_SHARE).astype(np.float32)
    around: list[int | None] = []
    for quad, area in zip(quads_px, areas, strict=True):
        larger = [int(k) for k in np.flatnonzero(is_face) if area < INNER_AREA * areas[k]]
        holding = (k for k in larger if intersection_area(quad, inner[k]) > WELL_INSIDE * area)
        around.append(next(holding, None))
    return around


def parts_of_whole(quads_px: Quads, is_face: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Bool (n,): which boxes, (n, 4, 2), frame a part of a face that another box frames whole.

    Half of a card has the shape of a card, but cards are of one size. No card touches such a part that is not
    part of that face too: another one might lie on it.
    """
    n = len(quads_px)
    areas = quad_areas(quads_px)
    shared = np.array([[intersection_area(a, b) for b in quads_px] for a in quads_px]).reshape(n, n)
    is_inside = (shared > INSIDE * areas[:, None]) & (areas[:, None] < LARGEST_PART * areas)
    is_part = np.zeros(n, bool)
    for k in np.flatnonzero(is_face):
        if _is_of_card_shape(quads_px[k]):
            others = [j for j in range(n) if j != k and not is_inside[j, k]]
            is_part |= is_inside[:, k] & ~(shared[:, others] > 0).any(axis=1)
    return is_part


def in_pieces(quads_px: Quads) -> list[NDArray[np.intp]]:
    """Groups of boxes, as indices, that may be pieces of one card each.

    They lie side by side, none is as large as the card that they make up, and no other box touches them.
    """
    touching = [[touch(a, b) for b in quads_px] for a in quads_px]
    groups, seen = [], set[int]()
    for i in range(len(quads_px)):
        group = _reached(touching, i)
        if i not in seen and 2 <= len(group) <= MOST_PIECES and _make_up_card(quads_px[group]):
            groups.append(np.array(group, np.intp))
        seen |= set(group)
    return groups


def outline_of(quads_px: Quads) -> NDArray[np.float32]:
    """The rectangle, (4, 2), around boxes (n, 4, 2)."""
    return cv2.boxPoints(cv2.minAreaRect(quads_px.reshape(-1, 2))).astype(np.float32)


def _reached(touching: list[list[bool]], start: int) -> list[int]:
    """Every box that touches the box ``start``, or one that does, and so on."""
    reached, new = {start}, [start]
    while new:
        i = new.pop()
        new += [k for k, is_touching in enumerate(touching[i]) if is_touching and k not in reached]
        reached |= set(new)
    return sorted(reached)


def _make_up_card(quads_px: Quads) -> bool:
    """Whether boxes fill a rectangle of a card's shape, side by side, none of them the whole of it.

    Two cards side by side have a card's shape, too: not all of the boxes may have it.
    """
    outline = outline_of(quads_px)
    if not _is_of_card_shape(outline) or all(map(_is_of_card_shape, quads_px)):
        return False
    areas, sides = quad_areas(quads_px), sorted(cv2.minAreaRect(outline)[1])
    for i, quad in enumerate(quads_px):
        short, long = sorted(cv2.minAreaRect(quad)[1])
        if short >= WHOLE_SHARE * sides[0] and long >= WHOLE_SHARE * sides[1]:
            return False
        others = np.delete(quads_px, i, axis=0)
        if any(intersection_area(quad, other) > ABUTTING * areas[i] for other in others):
            return False
    return float(areas.sum()) >= FILLED * sides[0] * sides[1]


def _is_of_card_shape(quad_px: NDArray[np.float32]) -> bool:
    short, long = sorted(cv2.minAreaRect(quad_px)[1])
    return WHOLE_ASPECT[0] <= long / max(short, 1e-6) <= WHOLE_ASPECT[1]


def touch(one_px: NDArray[np.float32], other_px: NDArray[np.float32]) -> bool:
    """Whether two boxes, (4, 2) each, overlap when each is grown by a little."""
    return intersection_area(_grown(one_px), _grown(other_px)) > 0


def _grown(quad_px: NDArray[np.float32]) -> NDArray[np.float32]:
    centre = quad_px.mean(axis=0)
    return np.asarray(centre + (quad_px - centre) * GROWN, np.float32)
