"""The last seconds of a table, kept small, to look back at."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.clock import Interval
from vision.changes import LEVELS_APART
from vision.descent import RestingCard, Seen
from vision.hands import UNCERTAIN, Hands
from vision.presence import HandsOver, fingers_px, tip_of
from vision.rectify import Resampler
from vision.settings import WatchSettings
from vision.settle import Look, ZonePlace
from vision.sinking import find_descent
from vision.table import Edge
from vision.touch import (
    Comparison,
    Crossing,
    Patch,
    compare,
    find_arrival,
    find_departure,
    find_showing,
    is_beside,
    last_that_lay,
    persistent_mask,
    shift_seen,
    telling_blocks,
    time_in_place_us,
)

PERIOD_WINDOW = 61
"""Frame intervals of which the median is the frame period."""

EDGE_PX = 3
"""A card's border is compared with this much around it."""

COMING = 7
"""Frames up to the first that shows a card in its place, in which it is looked for on its way down ..."""

AFTER, AFTER_TURNED = 7, 14
"""... and frames after it, of a card that is turned up on its pile more of them: it lies in them, or sinks
slowly over its place."""

UNSEEN_LIKENESS = 0.8
"""Where no parts of a card are found at one shift, as a hand hides them, what is seen where the card was one
frame later must correlate with it by so much to be taken for it."""

AROUND_PX = 24
"""A card on its way is looked for so far around its zone."""

APPROACH_MM = 70.0
"""A hand that brings a card grows into so much around it ..."""

APPROACH_US = 300_000
"""... within this time before the touch: carrying a card over this way takes 0.1 to 0.2 s."""

APPROACH_MM2 = 400.0
"""Less growth than this, two fingers, tells nobody."""

COVERED_US = 200_000
"""A card that another one covers is looked for in this time before the other one's touch."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What is kept of a frame. grey: uint8 (h, w), the table at ``watch_px_per_mm``, smoothed."""

    t_us: int
    grey: NDArray[np.uint8]
    hands: Hands
    is_repeat: bool = False
    """It is the moment before once more, to the pixel: a card may have come since that was filmed."""


class History:
    """Moments of the last ``look_back_us``, and what can be found out from them."""

    def __init__(self, hands: Resampler, settings: WatchSettings) -> None:
        self._hands = hands
        self._settings = settings
        self._moments: deque[Moment] = deque()
        self._steps_us: deque[int] = deque(maxlen=PERIOD_WINDOW)

    @property
    def last(self) -> Moment | None:
        """The latest moment. None: none yet."""
        return self._moments[-1] if self._moments else None

    @property
    def period_us(self) -> int:
        """The usual time from frame to frame; 0 before the second frame."""
        return median_low(self._steps_us) if self._steps_us else 0

    def remember(self, moment: Moment) -> None:
        """Keep a moment, and forget those that are too old."""
        if self._moments:
            self._steps_us.append(moment.t_us - self._moments[-1].t_us)
        self._moments.append(moment)
        while moment.t_us - self._moments[0].t_us > self._settings.look_back_us:
            self._moments.popleft()

    def arrival(
        self, place: ZonePlace, old: Look, new: Look, during: Interval, *, is_turned_up: bool = False
    ) -> Crossing:
        """When the new look's top card came to lie; ``is_turned_up``: it was there, and showed its back."""
        quad_mm = new.reading.top_quad_mm
        if quad_mm is None:
            return Crossing(None, None)
        around = _without_hand(place.mask_of(quad_mm, margin_px=EDGE_PX), new)
        comparison = self._compare(place, old, new, around, during)
        mask = _without_hand(place.mask_of(quad_mm), new)
        greys = {m.t_us: m.grey for m in self._moments}
        blocks = telling_blocks(new.grey, mask)

        def sees_beside(index: int) -> bool:
            return is_beside(place.cut(greys[comparison.times_us[index]]), new.grey, blocks)

        crossing = find_arrival(comparison, self._settings, sees_beside, is_turned_up=is_turned_up)
        after = AFTER_TURNED if is_turned_up else AFTER
        return self._with_descent(place, new.grey, mask, crossing, after)

    def _with_descent(
        self,
        place: ZonePlace,
        lying: NDArray[np.uint8],
        mask: NDArray[np.uint8],
        crossing: Crossing,
        after: int = AFTER,
    ) -> Crossing:
        """The crossing, told by how high the card was over its place where that can be seen.

        ``after``: so many frames after its first one are looked at.
        """
        card = RestingCard(place.laid_around(lying, AROUND_PX), place.laid_around(mask, AROUND_PX))
        if crossing.first_after_us is None or not card.is_large_enough:
            return crossing
        seen = self._seen_coming(place, card, lying, mask, crossing.first_after_us, after)
        descent = find_descent(seen, self.period_us)
        if descent is None:
            return crossing
        return Crossing(descent.above_us, descent.down_us, is_measured=True)

    def _seen_coming(
        self,
        place: ZonePlace,
        card: RestingCard,
        lying: NDArray[np.uint8],
        mask: NDArray[np.uint8],
        first_us: int,
        after: int,
    ) -> list[Seen]:
        """The card in the frames around the first that shows it in its place, in order, where it is seen."""
        around = place.laid_around(lying, AROUND_PX)
        blocks = telling_blocks(around, place.laid_around(mask, AROUND_PX))
        fresh = [m for m in self._moments if not m.is_repeat]
        around_first = [m for m in fresh if m.t_us <= first_us][-COMING:]
        around_first += [m for m in fresh if m.t_us > first_us][:after]
        seen: list[Seen] = []
        for moment in reversed(around_first):
            frame = place.cut_around(moment.grey, AROUND_PX)
            shift_px = shift_seen(frame, around, blocks)
            last_px = (seen[-1].right_px, seen[-1].down_px) if seen else (0.0, 0.0)
            found = (
                card.seen_in(moment.t_us, frame, [last_px], UNSEEN_LIKENESS)
                if shift_px is None
                else card.seen_in(moment.t_us, frame, [shift_px, last_px])
            )
            if found is not None:
                seen.append(found)
        return seen[::-1]

    def arrival_beside(self, place: ZonePlace, old: Look, new: Look, during: Interval) -> Crossing:
        """When what changed beside the new look's top card came to lie: a card that it covers."""
        beside = changed_beside(place, old, new)
        comparison = self._compare(place, old, new, beside, during)
        return find_showing(comparison, self._settings)

    def arrival_before(self, place: ZonePlace, old: Look, new: Look, before: Interval) -> Crossing:
        """When what lay there just before the new look's top card came, and is covered by it, came to lie.

        ``before`` ends with the touch of the top card.
        """
        near = [m for m in self._moments if before.end_us - COVERED_US <= m.t_us <= before.end_us]
        shown = [self._shown(place, pair, (old.grey, new.grey)) for pair in pairwise(near)]
        cells = [int(cv2.countNonZero(mask)) // self._settings.cell_px**2 for mask in shown]
        enough = max(self._settings.persistent_cells, max(cells, default=0) // 2)
        stays: list[tuple[int, NDArray[np.uint8], NDArray[np.uint8]]] = []
        for moment, mask, count in zip(near[1:], shown, cells, strict=True):
            if count >= enough:
                picture = place.cut(moment.grey)
                comparison = self._compare_pictures(place, near, old.grey, picture, mask)
                stays.append((time_in_place_us(comparison, self._settings), picture, mask))
        lay = last_that_lay([lay_us for lay_us, _, _ in stays], self._settings)
        if lay is None:
            return Crossing(None, None)
        _, lying, covered = stays[lay]
        during = [m for m in self._moments if before.start_us <= m.t_us <= before.end_us]
        comparison = self._compare_pictures(place, during, old.grey, lying, covered)
        return self._with_descent(place, lying, covered, find_arrival(comparison, self._settings))

    def _shown(
        self,
        place: ZonePlace,
        pair: tuple[Moment, Moment],
        known: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    ) -> NDArray[np.uint8]:
        """Where two moments on end show the same, and neither of two looks: uint8, 255 there."""
        one, other = (place.cut(moment.grey) for moment in pair)
        return persistent_mask(one, other, known, place.mask, self._settings)

    def _compare_pictures(
        self,
        place: ZonePlace,
        moments: Sequence[Moment],
        earlier: NDArray[np.uint8],
        later: NDArray[np.uint8],
        mask: NDArray[np.uint8],
    ) -> Comparison:
        frames = [Patch(m.t_us, place.cut(m.grey)) for m in moments]
        return compare(frames, earlier, later, mask, self._settings)

    def time_in_place_us(self, place: ZonePlace, old: Look, new: Look, during: Interval) -> int:
        """For how long the new look's top card lay there without moving."""
        comparison = self._compare_top(place, old, new, during, with_repeats=True)
        return 0 if comparison is None else time_in_place_us(comparison, self._settings)

    def departure(self, place: ZonePlace, old: Look, new: Look, during: Interval) -> Crossing:
        """When the old look's top card went."""
        quad_mm = old.reading.top_quad_mm
        mask = place.mask if quad_mm is None else place.mask_of(quad_mm, margin_px=EDGE_PX)
        return find_departure(self._compare(place, old, new, mask, during), self._settings)

    def _compare_top(
        self, place: ZonePlace, old: Look, new: Look, during: Interval, *, with_repeats: bool = False
    ) -> Comparison | None:
        quad_mm = new.reading.top_quad_mm
        if quad_mm is None:
            return None
        mask = _without_hand(place.mask_of(quad_mm, margin_px=EDGE_PX), new)
        return self._compare(place, old, new, mask, during, with_repeats=with_repeats)

    def _compare(
        self,
        place: ZonePlace,
        old: Look,
        new: Look,
        mask: NDArray[np.uint8],
        during: Interval,
        *,
        with_repeats: bool = False,
    ) -> Comparison:
        """Compare the frames of a time; a picture that was sent again is no sign of how it was by then."""
        frames = [
            Patch(moment.t_us, place.cut(moment.grey))
            for moment in self._moments
            if during.start_us <= moment.t_us <= during.end_us and (with_repeats or not moment.is_repeat)
        ]
        return compare(frames, old.grey, new.grey, mask, self._settings)

    def approach_shares(
        self, quad_mm: NDArray[np.float32], contact_us: int, since_us: int | None = None
    ) -> dict[int, float]:
        """Of all that hands grew into the surroundings of a place before a touch, the share of each seat.

        By the seat's number in the table; empty where too little grew to tell. A hand that was there already
        (at ``since_us``, or within the time that an approach takes) does not count, however much it covers.
        """
        (left, top), (right, bottom) = quad_mm.min(axis=0), quad_mm.max(axis=0)
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        around = np.array(corners, np.float32) + APPROACH_MM * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        mask = self._hands.mask_of(around.astype(np.float32)) > 0
        counts = [
            np.bincount(moment.hands.labels[mask], minlength=256)[1:UNCERTAIN]
            for moment in self._moments
            if (contact_us - APPROACH_US if since_us is None else since_us) <= moment.t_us <= contact_us
        ]
        if not counts:
            return {}
        before = np.min(counts, axis=0) if since_us is None else counts[0]
        grown = np.maximum(counts[-1] - before, 0)
        if grown.sum() < APPROACH_MM2 * self._hands.px_per_mm**2:
            return {}
        return {int(i): float(grown[i] / grown.sum()) for i in np.flatnonzero(grown)}

    def hands_over(self, area_mm: NDArray[np.float32], edges: Sequence[Edge], during: Interval) -> HandsOver:
        """Each seat's hands over a convex place in that time; ``edges``: of the seats, by number."""
        mask = self._hands.mask_of(area_mm) > 0
        mm_per_px = 1 / self._hands.px_per_mm
        moments = [m for m in self._moments if during.start_us <= m.t_us <= during.end_us]
        area_mm2 = np.zeros((len(moments), len(edges)), np.float32)
        tips_mm = np.full((len(moments), len(edges), 2), np.nan, np.float32)
        for i, moment in enumerate(moments):
            if not moment.hands.is_any:
                continue
            counts = np.bincount(moment.hands.labels[mask], minlength=256)[1 : len(edges) + 1]
            area_mm2[i] = counts * mm_per_px**2
            for seat in np.flatnonzero(counts).tolist():
                tips_mm[i, seat] = tip_of(moment.hands.labels, seat + 1, edges[seat], mm_per_px)
        return HandsOver(tuple(m.t_us for m in moments), area_mm2, tips_mm)

    def fingers_over(self, place: ZonePlace, lying: Look, when: Interval) -> tuple[float, float] | None:
        """Where fingers lie over a card at rest, in table millimetres from its middle. None: nowhere."""
        if lying.reading.top_quad_mm is None:
            return None
        card = place.mask_of(lying.reading.top_quad_mm)
        greys = [place.cut(m.grey) for m in self._moments if when.start_us <= m.t_us <= when.end_us]
        found_px = fingers_px(greys, lying.grey, card, self._settings)
        if found_px is None:
            return None
        mm_per_px = place.mm2_per_px**0.5
        return found_px[0] * mm_per_px, found_px[1] * mm_per_px

    def hand_shares(self, quad_mm: NDArray[np.float32], when: Interval) -> dict[int, float]:
        """Of all hands over a place in that time, the share of each seat (by its number in the table)."""
        mask = self._hands.mask_of(quad_mm) > 0
        counts = np.zeros(256, np.int64)
        for moment in self._moments:
            if when.start_us <= moment.t_us <= when.end_us and moment.hands.is_any:
                counts += np.bincount(moment.hands.labels[mask], minlength=256)
        total = int(counts[1:].sum())
        return {int(i): float(counts[i + 1] / total) for i in np.flatnonzero(counts[1:UNCERTAIN])}

    def under_hand(self, place: ZonePlace, t_us: int) -> NDArray[np.uint8] | None:
        """Where hands were over a zone at a moment: uint8, 255 there. None: it is not remembered."""
        moment = next((m for m in self._moments if m.t_us == t_us), None)
        return None if moment is None else place.under_hand(moment.hands)


def _without_hand(mask: NDArray[np.uint8], look: Look) -> NDArray[np.uint8]:
    """The part of a mask that no hand hid in a look."""
    if look.under_hand is None:
        return mask
    return cv2.bitwise_and(mask, cv2.bitwise_not(look.under_hand)).astype(np.uint8, copy=False)


def changed_beside(place: ZonePlace, old: Look, new: Look) -> NDArray[np.uint8]:
    """Where the zone changed outside the new top card: uint8, 255 there."""
    apart = cv2.absdiff(old.grey, new.grey) > LEVELS_APART
    changed = cv2.bitwise_and(place.mask, apart.astype(np.uint8) * 255)
    changed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    if new.reading.top_quad_mm is not None:
        top = place.mask_of(new.reading.top_quad_mm, margin_px=2)
        changed = cv2.bitwise_and(changed, cv2.bitwise_not(top))
    return changed.astype(np.uint8, copy=False)
