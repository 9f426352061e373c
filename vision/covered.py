"""A card that another one covers: when it came, whose it may be, and what it was."""

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.clock import Interval
from referee.piles import PileKind, Seat
from vision.changes import lies_beneath
from vision.contacts import Coming, touch_between
from vision.history import changed_beside
from vision.pile_reader import PileReader
from vision.races import Beneath
from vision.reach import Reach, brought_by, reach_of
from vision.settle import Look, ZonePlace, ZoneWatch
from vision.watched import WatchedTable

TOGETHER_US = 300_000
"""A card that was covered before it could be read came no longer than this before the one above it."""


class CoveredCards:
    """Finds the cards that came with the top one of a pile, or just before it, and lie below it."""

    def __init__(self, watched: WatchedTable, reader: PileReader) -> None:
        self._watched = watched
        self._reader = reader

    def visit_covered(
        self, watch: ZoneWatch, old: Look, coming: Coming, visits: list[Coming]
    ) -> Coming | None:
        """The one visit that a rival came to cover, where hands of two seats reached for the pile.

        On a foundation that is an equal card; on a spit pile it may be any.
        """
        zone = watch.place.zone
        if len(visits) != 1 or not zone.is_common:
            return None
        (visit,) = visits
        is_before = visit.touch.end_us <= coming.touch.end_us
        is_soon = coming.touch.start_us - visit.touch.end_us <= self._watched.settings.race_us
        is_rival = zone.pile.kind is PileKind.SPIT or visit.look.reading.top == coming.look.reading.top
        if not (is_rival and is_before and is_soon):
            return None
        if lies_beneath(watch.place, old, visit.look, coming.look, self._watched.settings) is False:
            return None
        return visit if reach_of(self._watched, zone, coming.touch).is_contested else None

    def beneath_seen(self, visit: Coming, coming: Coming) -> Beneath | None:
        """A card that was read as it lay there, and that another one covers now. None: where is not known."""
        above_mm, below_mm = coming.look.reading.top_quad_mm, visit.look.reading.top_quad_mm
        if above_mm is None or below_mm is None:
            return None
        right_mm, down_mm = (below_mm.mean(axis=0) - above_mm.mean(axis=0)).tolist()
        return Beneath(
            touch=visit.touch,
            is_seen=True,
            shows=True,
            brought_by=brought_by(self._watched, below_mm, visit.touch),
            towards_mm=(right_mm, down_mm),
            card=visit.look.reading.top,
            confidence=visit.look.reading.confidence,
        )

    def beneath_hidden(self, watch: ZoneWatch, old: Look, coming: Coming, reach: Reach) -> Beneath | None:
        """A card that lies below the top one as far as it shows, or showed before. None: no sign of one."""
        place, quad_mm, touch = watch.place, coming.look.reading.top_quad_mm, coming.touch
        if not place.zone.is_common or quad_mm is None:
            return None
        beside = changed_beside(place, old, coming.look)
        shows = cv2.countNonZero(beside) * place.mm2_per_px >= self._watched.settings.hidden_mm2
        if not shows and not reach.is_contested:
            return None
        seen_touch = self._touch_beneath(watch, old, coming, shows=shows)
        if not shows and seen_touch is None:
            return None
        known_touch = seen_touch or Interval(touch.start_us - TOGETHER_US, touch.end_us)
        lay = Interval(min(known_touch.start_us, touch.start_us), touch.start_us)
        card, confidence = self._reader.face_in(watch, old, lay)
        return Beneath(
            touch=known_touch,
            is_seen=seen_touch is not None,
            shows=shows,
            brought_by=self._brought_by(quad_mm, seen_touch, shows=shows),
            towards_mm=_towards_mm(place, beside, quad_mm) if shows else (0.0, 0.0),
            card=card,
            confidence=confidence,
        )

    def _brought_by(
        self, quad_mm: NDArray[np.float32], touch: Interval | None, *, shows: bool
    ) -> Seat | None:
        """Whose hand alone brought the lower card; of one that is all covered, before another hand came."""
        if touch is None:
            return None
        soon = Interval(touch.start_us, touch.start_us + self._watched.period_us)
        return brought_by(self._watched, quad_mm, touch if shows else soon)

    def _touch_beneath(self, watch: ZoneWatch, old: Look, coming: Coming, *, shows: bool) -> Interval | None:
        """When the lower card touched: by what lay there before the upper one, else by what shows of it.

        None: hands hid both.
        """
        touch, new, history = coming.touch, coming.look, self._watched.history
        before = Interval(min(watch.since_us, touch.start_us), touch.start_us)
        crossing = history.arrival_before(watch.place, old, new, before)
        if crossing.first_after_us is None and shows:
            during = Interval(touch.start_us - TOGETHER_US, max(touch.end_us, new.since_us))
            crossing = history.arrival_beside(watch.place, old, new, during)
        known = touch_between(self._watched, watch, crossing, new, slides=False)
        if crossing.first_after_us is None or known.start_us > touch.end_us:
            return None
        late_periods = 0.0 if crossing.is_measured else self._watched.settings.covered_slack_periods
        late_us = self._watched.periods_us(late_periods)
        # What lies below touched no later than what lies above.
        end_us = min(known.end_us + late_us, touch.end_us)
        return Interval(min(max(touch.start_us - TOGETHER_US, known.start_us), end_us), end_us)


def _towards_mm(
    place: ZonePlace, beside: NDArray[np.uint8], quad_mm: NDArray[np.float32]
) -> tuple[float, float]:
    """Right and down from the middle of a card to the middle of what shows beside it."""
    rows, columns = np.nonzero(beside)
    top_rows, top_columns = np.nonzero(place.mask_of(quad_mm))
    right_px, down_px = columns.mean() - top_columns.mean(), rows.mean() - top_rows.mean()
    px_mm = place.mm2_per_px**0.5
    return float(right_px) * px_mm, float(down_px) * px_mm
