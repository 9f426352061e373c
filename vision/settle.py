"""One pile over time: still, disturbed, settling, read."""

from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.cards import Card
from vision.hands import Hands
from vision.readings import Reading
from vision.rectify import Resampler
from vision.settings import WatchSettings
from vision.table import Zone

RATIO_FLOOR_LEVELS = 8.0
"""Added to both grey levels before their ratio is taken: in pixels darker than this noise would decide it."""


class Phase(StrEnum):
    """What a pile is doing."""

    STILL = "still"
    DISTURBED = "disturbed"
    SETTLING = "settling"


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A pile at rest. grey: uint8 (h, w), its box of the watched picture."""

    grey: NDArray[np.uint8]
    reading: Reading
    since_us: int
    under_hand: NDArray[np.uint8] | None = None
    """uint8 (h, w), 255 where a hand was over it. None: no hand was, or none that stays in its place."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A disturbed pile, kept to be read if something lay there for a while.

    grey: as in ``Look``; image_bgr: the zone as it is read.
    """

    t_us: int
    grey: NDArray[np.uint8]
    image_bgr: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Measures:
    """What a zone shows in one frame, in square millimetres."""

    moved_mm2: float
    changed_mm2: float
    hand_mm2: float


class ZonePlace:
    """A zone's box in the watched picture and in the picture of hands."""

    def __init__(self, zone: Zone, watch: Resampler, hands: Resampler) -> None:
        self.zone = zone
        self.mask_whole = watch.mask_of(zone.polygon_mm)
        self.box = _box_of(self.mask_whole)
        self.mask = self.mask_whole[self.box].copy()
        self.area_px = cv2.countNonZero(self.mask)
        self.mm2_per_px = 1 / watch.px_per_mm**2
        hands_mask = hands.mask_of(zone.polygon_mm)
        self._hands_box = _box_of(hands_mask)
        self._hands_mask = hands_mask[self._hands_box].copy()
        self._hand_mm2_per_px = 1 / hands.px_per_mm**2
        self._watch = watch

    @property
    def area_mm2(self) -> float:
        """Area of the zone."""
        return self.area_px * self.mm2_per_px

    def cut(self, watched: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The zone's box of a watched picture: a window on it, no copy."""
        return watched[self.box]

    def cut_around(self, watched: NDArray[np.uint8], margin_px: int) -> NDArray[np.uint8]:
        """The zone's box grown to all sides, as far as the watched picture goes: a window on it."""
        return watched[self._grown(margin_px)]

    def laid_around(self, zone_picture: NDArray[np.uint8], margin_px: int) -> NDArray[np.uint8]:
        """A picture of the zone's box in one of the grown box, 0 around it: uint8 (h, w)."""
        grown = self._grown(margin_px)
        rows, columns = (inner.start - outer.start for inner, outer in zip(self.box, grown, strict=True))
        laid = np.zeros(tuple(side.stop - side.start for side in grown), np.uint8)
        laid[rows : rows + zone_picture.shape[0], columns : columns + zone_picture.shape[1]] = zone_picture
        return laid

    def _grown(self, margin_px: int) -> tuple[slice, slice]:
        rows, columns = (
            slice(max(0, side.start - margin_px), min(length, side.stop + margin_px))
            for side, length in zip(self.box, self.mask_whole.shape, strict=True)
        )
        return rows, columns

    def measure(self, moved: NDArray[np.uint8], changed: NDArray[np.uint8], hands: Hands) -> Measures:
        """Measure what moved and changed (uint8, 0 or 255, whole table) and the hands in the zone."""
        return Measures(
            self._count(moved) * self.mm2_per_px,
            self._count(changed) * self.mm2_per_px,
            self.hand_mm2(hands),
        )

    def _count(self, picture: NDArray[np.uint8]) -> int:
        inside = picture[self.box]
        return cv2.countNonZero(cv2.bitwise_and(inside, self.mask)) if cv2.hasNonZero(inside) else 0

    def under_hand(self, hands: Hands) -> NDArray[np.uint8]:
        """uint8, in the zone's box: 255 under hands."""
        covered = (hands.labels[self._hands_box] > 0).astype(np.uint8) * 255
        height, width = self.mask.shape
        scaled = cv2.resize(covered, (width, height), interpolation=cv2.INTER_NEAREST)
        return scaled.astype(np.uint8, copy=False)

    def hand_mm2(self, hands: Hands) -> float:
        """How much of the zone is under hands."""
        if not hands.is_any:
            return 0.0
        inside = cv2.bitwise_and(hands.labels[self._hands_box], self._hands_mask)
        return cv2.countNonZero(inside) * self._hand_mm2_per_px

    def mask_of(self, polygon_mm: NDArray[np.float32], *, margin_px: int = 0) -> NDArray[np.uint8]:
        """uint8, in the zone's box: 255 inside a polygon of the table, grown by a margin."""
        origin = (self.box[1].start, self.box[0].start)
        points = np.round(self._watch.px_of(polygon_mm) - origin).astype(np.int32)
        mask = np.zeros_like(self.mask)
        cv2.fillConvexPoly(mask, points, 255)
        if margin_px:
            side = 2 * margin_px + 1
            mask = cv2.dilate(mask, np.ones((side, side), np.uint8)).astype(np.uint8, copy=False)
        return mask


def _box_of(mask: NDArray[np.uint8]) -> tuple[slice, slice]:
    x, y, width, height = cv2.boundingRect(mask)
    return slice(y, y + height), slice(x, x + width)


@dataclass(slots=True, kw_only=True)
class ZoneWatch:
    """The state of one pile. ``step`` is told what each frame shows, and says when to read the pile."""

    place: ZonePlace
    settings: WatchSettings
    phase: Phase = Phase.DISTURBED
    look: Look | None = None
    """How it lay when last at rest. None: not yet seen at rest."""
    look_below: Look | None = None
    """How it lay before the top card landed. None: not seen, or the top has been lifted since."""
    looks_before: list[tuple[Look, int]] = field(default_factory=list)
    """How it lay before ``look``, and until when, the latest last: ``settings.looks_kept`` of them."""
    stack: list[Card | None] = field(default_factory=list)
    """What is known to lie there, top last."""
    calm_us: int | None = None
    """Time of the last frame before the disturbance. None: disturbed since the beginning."""
    quiet_since_us: int | None = None
    """Since when nothing moves and no hand is over it. None: something does or is."""
    samples: list[Sample] = field(default_factory=list)
    tries: int = 0
    disturbed_us: int = 0
    """Time of the first frame of the disturbance."""
    is_reported_lost: bool = False
    _next_try_us: int = 0
    _last_us: int | None = None
    _next_sample_us: int = 0

    @property
    def since_us(self) -> int:
        """The last frame that surely shows the look at rest: the disturbance came after it."""
        return self.calm_us if self.calm_us is not None else self.disturbed_us

    def step(self, t_us: int, measures: Measures) -> bool:
        """Take in one frame; whether the pile has settled and wants to be read now."""
        settings = self.settings
        if self._last_us is None:
            self.disturbed_us = t_us
        is_under_hand = measures.hand_mm2 > settings.hand_over_mm2
        if self.phase is Phase.STILL:
            if measures.changed_mm2 > settings.disturbed_mm2 or is_under_hand:
                self._disturb(t_us)
            self._last_us = t_us
            return False
        is_quiet = measures.moved_mm2 <= settings.still_mm2 and not is_under_hand
        if not is_quiet:
            self.phase, self.quiet_since_us, self.tries = Phase.DISTURBED, None, 0
        elif self.quiet_since_us is None:
            self.phase, self.quiet_since_us, self._next_try_us = (
                Phase.SETTLING,
                t_us,
                t_us + settings.settle_us,
            )
        self._last_us = t_us
        return is_quiet and t_us >= self._next_try_us

    def _disturb(self, t_us: int) -> None:
        self.phase = Phase.DISTURBED
        self.calm_us, self.disturbed_us = self._last_us, t_us
        self.quiet_since_us = None
        self.tries = 0
        self.samples.clear()
        self.is_reported_lost = False

    def disturb_from_outside(self, t_us: int) -> None:
        """The picture was lost: look again as soon as it is quiet."""
        if self.phase is Phase.STILL:
            self._disturb(t_us)
        self.quiet_since_us = None

    def wants_sample(self, t_us: int, measures: Measures) -> bool:
        """Whether a picture of the disturbed pile is to be kept now."""
        is_different = measures.changed_mm2 >= self.settings.sampled_mm2
        if self.phase is Phase.STILL or not is_different or t_us < self._next_sample_us:
            return False
        self._next_sample_us = t_us + self.settings.sample_us
        return True

    def keep_sample(self, sample: Sample) -> None:
        """Keep a picture of the disturbed pile; the oldest make room."""
        self.samples.append(sample)
        del self.samples[: -self.settings.samples_kept]

    def try_again(self, t_us: int) -> bool:
        """Count a failed reading; whether there is another try."""
        self.tries += 1
        self._next_try_us = t_us + self.settings.retry_us
        return self.tries < self.settings.tries

    def rest(self, look: Look) -> None:
        """The pile is at rest and looks like this."""
        if self.look is not None and self.look.reading is not look.reading:
            self.looks_before.append((self.look, self.since_us))
            del self.looks_before[: -self.settings.looks_kept]
        self.phase, self.look = Phase.STILL, look
        self.quiet_since_us = None
        self.tries = 0
        self.samples.clear()


def shows_again(watch: ZoneWatch, new: Look) -> bool:
    """Whether a pile lies just as it did a short while ago: nobody lays a card back to the millimetre.

    What came between lay over it, such as a sleeve like the cloth.
    """
    return any(
        new.since_us - last_us <= watch.settings.shown_again_us
        and not look.reading.is_empty
        and (look.reading.top, look.reading.face_up) == (new.reading.top, new.reading.face_up)
        and is_same_look(look.grey, new.grey, watch.place, watch.settings)
        for look, last_us in watch.looks_before
    )


def is_same_look(
    one: NDArray[np.uint8], other: NDArray[np.uint8], place: ZonePlace, settings: WatchSettings
) -> bool:
    """Whether two pictures of a zone show the same, but for brightness and contrast as a whole."""
    inside = place.mask > 0
    first, second = one[inside].astype(np.float32), other[inside].astype(np.float32)
    gain = _middle_ratio(first, second)
    differing = np.abs(first * gain - second) > settings.change_levels
    return bool(differing.sum() * place.mm2_per_px <= settings.same_mm2)


def _middle_ratio(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    return float(np.median((second + RATIO_FLOOR_LEVELS) / (first + RATIO_FLOOR_LEVELS)))
