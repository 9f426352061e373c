"""Whose hands reached for a pile, and whose card came."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.clock import Interval
from referee.piles import PileId, Seat
from vision.contacts import Coming
from vision.presence import rests
from vision.races import NOBODY_KNOWN, Beneath, Owners, Signs, lean_mm, owners_of, seat_holding
from vision.readings import TOWARDS
from vision.settle import ZoneWatch
from vision.table import Zone
from vision.watched import WatchedTable

CONTACT_BEFORE_US = 100_000
"""The hand that brings a card is over it in this time before the touch ..."""

CONTACT_AFTER_US = 50_000
"""... and this long after it, three frames at 60 fps: it has to let go first."""

REACHED_BEFORE_US = 1_000_000
"""Who turns stock to a waste has taken it up this long before, or later."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The seats whose fingers reached for a pile, and when those that came to rest there did so."""

    seats: tuple[Seat, ...]
    stops: dict[Seat, Interval]

    @property
    def is_contested(self) -> bool:
        """Whether hands of two seats reached for the pile."""
        return len(self.seats) > 1


def reach_of(watched: WatchedTable, zone: Zone, touch: Interval) -> Reach:
    """Whose fingers reached for a pile about the time of a touch, and when they stopped there."""
    settings = watched.settings
    when = Interval(touch.start_us - settings.race_before_us, touch.end_us + CONTACT_AFTER_US)
    left, top, right, bottom = zone.box_mm
    reach_mm = settings.reach_mm
    box_mm = (left - reach_mm, top - reach_mm, right + reach_mm, bottom + reach_mm)
    hands = watched.hands_over(zone.polygon_mm, when)
    return Reach(
        seats=tuple(watched.seat_of(number) for number in hands.reached(box_mm, settings)),
        stops={watched.seat_of(rest.seat): rest.touch for rest in rests(hands, box_mm, settings)},
    )


def is_reached_by_owner(watched: WatchedTable, pile: PileId, touch: Interval) -> bool:
    """Whether its player's fingers were at a pile before something lay elsewhere."""
    zone = watched.watch_of(pile).place.zone
    before = Interval(touch.start_us - REACHED_BEFORE_US, touch.end_us)
    reached = watched.hands_over(zone.polygon_mm, before).reached(zone.box_mm, watched.settings)
    return pile.seat in [watched.seat_of(number) for number in reached]


def seat_at(
    watched: WatchedTable, watch: ZoneWatch, coming: Coming, reach: Reach
) -> tuple[Seat | None, float]:
    """Who brought the card; where two seats reached for the pile, whose hand alone was over it as it touched.

    Else, of those two, whose fingers lie on it (a card that comes to cover it looks like fingers, too). Else
    the hand that came; where none came just then, the one that was there. With its confidence.
    """
    quad_mm, touch = coming.look.reading.top_quad_mm, coming.touch
    if quad_mm is None:
        return None, 0.0
    settings = watched.settings
    if reach.is_contested:
        alone = brought_by(watched, quad_mm, touch)
        if alone is not None:
            return alone, settings.finger_confidence
        holding = seat_holding(_fingers_mm(watched, watch, coming, reach.seats), settings)
        if holding is not None:
            return holding, settings.finger_confidence
    least = settings.race_share if reach.is_contested else settings.seat_share
    shares = watched.history.approach_shares(quad_mm, touch.end_us)
    if shares:
        return _most_of(watched, shares, least)
    around = Interval(touch.end_us - CONTACT_BEFORE_US, touch.end_us + CONTACT_AFTER_US)
    return _most_of(watched, watched.history.hand_shares(quad_mm, around), least)


def seat_over(watched: WatchedTable, quad_mm: NDArray[np.float32], when: Interval) -> Seat | None:
    """Whose hand was over a place most of the time. None: nobody's, or of several nearly as much."""
    shares = watched.history.hand_shares(quad_mm, when)
    return _most_of(watched, shares, watched.settings.seat_share)[0]


def brought_by(watched: WatchedTable, quad_mm: NDArray[np.float32], when: Interval) -> Seat | None:
    """Whose hand alone was over a place in that time. None: nobody's, or several."""
    shares = watched.history.hand_shares(quad_mm, when)
    return _most_of(watched, shares, watched.settings.brought_share)[0]


def _most_of(watched: WatchedTable, shares: dict[int, float], least: float) -> tuple[Seat | None, float]:
    best = max(shares, key=lambda number: shares[number], default=None)
    if best is None or shares[best] < least:
        return None, 0.0
    return watched.seat_of(best), shares[best]


def owners_by_hands(
    watched: WatchedTable, watch: ZoneWatch, coming: Coming, beneath: Beneath, reach: Reach
) -> Owners | None:
    """Whose the two cards are. None: no two seats reached for the pile."""
    rivals, touch = reach.seats, coming.touch
    top_quad_mm = coming.look.reading.top_quad_mm
    if len(rivals) != 2 or top_quad_mm is None:
        return NOBODY_KNOWN if len(rivals) > 2 else None
    first, second = rivals
    is_apart = beneath.touch.end_us < touch.start_us
    below_us = beneath.touch.end_us
    edges = {seat: edge for seat in rivals if (edge := watched.table.edge_of(seat)) is not None}
    signs = Signs(
        seats=(first, second),
        fingers_mm=_fingers_mm(watched, watch, coming, rivals),
        stops=reach.stops,
        grew_above=_grown(watched, top_quad_mm, touch.end_us, below_us if is_apart else None),
        grew_below=_surely_grown(watched, top_quad_mm, beneath.touch) if is_apart else {},
        leans_mm={seat: lean_mm(beneath, edge) for seat, edge in edges.items()},
        is_apart=is_apart,
    )
    return owners_of(signs, watched.settings)


def _fingers_mm(
    watched: WatchedTable, watch: ZoneWatch, coming: Coming, rivals: Sequence[Seat]
) -> dict[Seat, float]:
    """How far towards each seat's edge fingers lie on a card that has just touched; empty: none do."""
    touched_us = coming.touch.end_us
    after = Interval(touched_us, touched_us + watched.settings.finger_after_us)
    found_mm = watched.history.fingers_over(watch.place, coming.look, after)
    if found_mm is None:
        return {}
    edges = {seat: edge for seat in rivals if (edge := watched.table.edge_of(seat)) is not None}
    towards = {seat: TOWARDS[edge] for seat, edge in edges.items()}
    return {seat: x * found_mm[0] + y * found_mm[1] for seat, (x, y) in towards.items()}


def _grown(
    watched: WatchedTable, quad_mm: NDArray[np.float32], contact_us: int, since_us: int | None = None
) -> dict[Seat, float]:
    shares = watched.history.approach_shares(quad_mm, contact_us, since_us)
    return {watched.seat_of(number): share for number, share in shares.items()}


def _surely_grown(watched: WatchedTable, quad_mm: NDArray[np.float32], touch: Interval) -> dict[Seat, float]:
    """The share of each seat whenever in that interval the touch was: the other hand may have come in it."""
    early, late = (_grown(watched, quad_mm, at_us) for at_us in (touch.start_us, touch.end_us))
    return {seat: min(early.get(seat, 0.0), share) for seat, share in late.items()}
