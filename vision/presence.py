"""Hands over a pile through time: whose came, and whose came to rest there."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.clock import Interval
from vision.settings import WatchSettings
from vision.table import Edge


@dataclass(frozen=True, slots=True, eq=False)
class HandsOver:
    """How much of each seat's hands lay over a place, and how far they reached in.

    area_mm2: float32 (n, seats) at n times. tips_mm: float32 (n, seats, 2), the point of a seat's hand
    that is farthest from its edge, anywhere on the table; nan while it has no hand over the place.
    """

    times_us: tuple[int, ...]
    area_mm2: NDArray[np.float32]
    tips_mm: NDArray[np.float32]

    def came(self, settings: WatchSettings) -> tuple[int, ...]:
        """The seats, by number, whose hand was over the place at some time."""
        if not self.times_us:
            return ()
        return tuple(np.flatnonzero(self.area_mm2.max(axis=0) >= settings.came_mm2).tolist())

    def has_left(self, seat: int, after_us: int) -> bool:
        """Whether a seat's hand was not over the place at some time after that."""
        is_later = np.array(self.times_us) > after_us
        return bool((self.area_mm2[is_later, seat] == 0).any())

    def reached(self, box_mm: tuple[float, float, float, float], settings: WatchSettings) -> tuple[int, ...]:
        """Of those the seats whose fingertips came inside left, top, right, bottom."""
        return tuple(
            seat for seat in self.came(settings) if bool(_inside(self.tips_mm[:, seat], box_mm).any())
        )


def _inside(tips_mm: NDArray[np.float32], box_mm: tuple[float, float, float, float]) -> NDArray[np.bool_]:
    left, top, right, bottom = box_mm
    x, y = tips_mm[:, 0], tips_mm[:, 1]
    return np.asarray((x >= left) & (x <= right) & (y >= top) & (y <= bottom))


@dataclass(frozen=True, slots=True)
class Rest:
    """A hand that came to a stop over a pile.

    touch: from the last frame in which it still moved to the first of those in which it stood.
    share: of all hands there at that time, how much was this seat's.
    """

    seat: int
    touch: Interval
    share: float


def rests(
    hands: HandsOver, box_mm: tuple[float, float, float, float], settings: WatchSettings
) -> tuple[Rest, ...]:
    """The first stop of each seat's fingertips inside left, top, right, bottom; seats in order of number."""
    found = (_first_rest(hands, seat, box_mm, settings) for seat in hands.came(settings))
    return tuple(rest for rest in found if rest is not None)


def _first_rest(
    hands: HandsOver, seat: int, box_mm: tuple[float, float, float, float], settings: WatchSettings
) -> Rest | None:
    tips = hands.tips_mm[:, seat]
    inside = _inside(tips, box_mm)
    for start in np.flatnonzero(inside).tolist():
        end = _stays_until(tips, inside, start, settings.hand_rest_mm)
        if hands.times_us[end] - hands.times_us[start] >= settings.hand_rest_us:
            before_us = hands.times_us[max(start - 1, 0)]
            total = float(hands.area_mm2[start : end + 1].sum())
            own = float(hands.area_mm2[start : end + 1, seat].sum())
            return Rest(seat, Interval(before_us, hands.times_us[start]), own / max(total, 1e-6))
    return None


def _stays_until(tips: NDArray[np.float32], inside: NDArray[np.bool_], start: int, within_mm: float) -> int:
    """The last of the frames from ``start`` on in which the tip keeps to one place."""
    end = start
    while end + 1 < len(tips) and inside[end + 1] and _is_near(tips[end + 1], tips[start], within_mm):
        end += 1
    return end


def _is_near(one: NDArray[np.float32], other: NDArray[np.float32], within_mm: float) -> bool:
    return bool(np.abs(one - other).max() <= within_mm)


def tip_of(labels: NDArray[np.uint8], label: int, edge: Edge, mm_per_px: float) -> tuple[float, float] | None:
    """Where a hand reaches farthest in from its edge, in table millimetres. None: it is not in view.

    labels: uint8 (h, w), as in ``Hands``.
    """
    mine = labels == label
    along = mine.any(axis=1) if edge in {Edge.TOP, Edge.BOTTOM} else mine.any(axis=0)
    lines = np.flatnonzero(along)
    if not len(lines):
        return None
    last = int(lines[0] if edge in {Edge.BOTTOM, Edge.RIGHT} else lines[-1])
    across = np.flatnonzero(mine[last] if edge in {Edge.TOP, Edge.BOTTOM} else mine[:, last])
    middle, depth = (float(across.mean()) + 0.5) * mm_per_px, (last + 0.5) * mm_per_px
    return (middle, depth) if edge in {Edge.TOP, Edge.BOTTOM} else (depth, middle)


def fingers_px(
    frames: Sequence[NDArray[np.uint8]],
    lying: NDArray[np.uint8],
    card: NDArray[np.uint8],
    settings: WatchSettings,
) -> tuple[float, float] | None:
    """Where fingers lie over a card at rest: right and down from its middle, in pixels; the middle frame's.

    All uint8 (h, w); ``lying``: the place at rest; ``card``: 255 where the card is. None: nothing lies over
    it, or so much that the card itself may not be there.
    """
    is_card = card > 0
    rows, columns = np.nonzero(is_card)
    found = []
    for frame in frames:
        over = (cv2.absdiff(frame, lying) > settings.finger_levels) & is_card
        if not settings.finger_share <= over.sum() / max(len(rows), 1) <= settings.finger_share_at_most:
            continue
        over_rows, over_columns = np.nonzero(over)
        found.append((over_columns.mean() - columns.mean(), over_rows.mean() - rows.mean()))
    if not found:
        return None
    right, down = np.median(np.array(found), axis=0)
    return float(right), float(down)
