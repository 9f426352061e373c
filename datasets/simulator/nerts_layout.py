"""Where the piles of a simulated Nerts table lie: two players face to face, or three or four around it."""

from dataclasses import replace
from typing import Final

import numpy as np

from datasets.simulator.layout import SIDES, ZONE_MM, Box, Layout, Spot, random_columns, turned, zone_at
from referee.piles import PileId, PileKind, Seat

TWO_SEATS: Final = (Seat.SOUTH, Seat.NORTH)
FAN_STEP_MM: Final = 21.0
"""Leaves rank and suit of the covered card in sight."""
FAN_LIMIT: Final = 6
"""Cards in a work pile; more would not fit between the foundations and the edge."""
_COLUMNS: Final = 7
_BAND_MM: Final = (214.0, 222.0)
"""Between the middle of a table for three or four and its edge: a work pile of ``FAN_LIMIT`` cards."""
_ROW_MM: Final = (118.0, 121.0)
"""From one row of foundations to the next, where there are two."""


def foundations_of(seats: int) -> tuple[PileId, ...]:
    """The common piles of a table: one for each ace of each deck."""
    return tuple(PileId(PileKind.FOUNDATION, None, i) for i in range(4 * seats))


def random_nerts_layout(rng: np.random.Generator, seats: int) -> Layout:
    """A table for two, three or four, with the foundations in the middle."""
    return _facing(rng) if seats == len(TWO_SEATS) else _around(rng, seats)


def _named(centres: list[float]) -> dict[PileKind, list[float]]:
    return {
        PileKind.RESERVE: centres[:1],
        PileKind.TABLEAU: centres[1:5],
        PileKind.STOCK: centres[5:6],
        PileKind.WASTE: centres[6:],
    }


def _band(
    rng: np.random.Generator, seat: Seat, columns: dict[PileKind, list[float]], top: float, reach: float
) -> list[Spot]:
    """A seat's piles as if it sat in the south: columns between ``top`` and ``reach``."""
    spots = []
    for kind, centres in columns.items():
        is_fan = kind is PileKind.TABLEAU
        low = 0.0 if is_fan else float(rng.uniform(0.0, reach - top - ZONE_MM[1]))
        for index, x in enumerate(centres):
            bottom = reach if is_fan else top + low + ZONE_MM[1]
            spot = Spot(
                pile=PileId(kind, seat, index),
                x_mm=x,
                y_mm=top + low + ZONE_MM[1] / 2 - (3.0 if is_fan else 0.0),
                turn_deg=0.0,
                fan_mm=(0.0, FAN_STEP_MM if is_fan else 0.0),
                zone_mm=zone_at(x, top + low, bottom),
            )
            spots.append(spot)
    return spots


# --- Two, face to face


def _facing(rng: np.random.Generator) -> Layout:
    """Foundations in a row across the middle, a seat's piles below and above."""
    size = (float(round(rng.uniform(940, 1040))), float(round(rng.uniform(556, 600))))
    width, height = size
    pitch = float(rng.uniform(103, (width - 60) / 8 - 1))
    left = width / 2 - 3.5 * pitch
    middle = height / 2
    spots = [
        _foundation(pile, left + i * pitch, middle) for i, pile in enumerate(foundations_of(len(TWO_SEATS)))
    ]
    for seat in TWO_SEATS:
        columns = _named(random_columns(rng, width, _COLUMNS, margin_mm=60.0))
        own = _band(rng, seat, columns, middle + ZONE_MM[1] / 2 + 4.0, height - 4.0)
        spots += own if seat is Seat.SOUTH else [turned(spot, size) for spot in own]
    return Layout(game="nerts", size_mm=size, seats=TWO_SEATS, spots={s.pile: s for s in spots})


def _foundation(pile: PileId, x: float, y: float) -> Spot:
    top = y - ZONE_MM[1] / 2
    zone = zone_at(x, top, top + ZONE_MM[1])
    return Spot(pile=pile, x_mm=x, y_mm=y, turn_deg=0.0, fan_mm=(0.0, 0.0), zone_mm=zone)


# --- Three or four, around the table


def _around(rng: np.random.Generator, count: int) -> Layout:
    """Foundations in two rows in the middle, around them a band of piles for each seat."""
    absent = int(rng.integers(len(SIDES))) if count < len(SIDES) else None
    seats = tuple(seat for i, seat in enumerate(SIDES) if i != absent)
    depth = {seat: float(rng.uniform(*_BAND_MM)) if seat in seats else 20.0 for seat in SIDES}
    pitch, row = float(rng.uniform(99, 103)), float(rng.uniform(*_ROW_MM))
    columns_mm = _COLUMNS * ZONE_MM[0] + float(rng.uniform(14, 24))
    inner_width = max(2 * count * pitch, columns_mm)
    inner_height = 2 * row + 4.0
    height = inner_height + depth[Seat.NORTH] + depth[Seat.SOUTH]
    if {Seat.EAST, Seat.WEST} & set(seats):  # Their columns run along the whole side
        inner_height += max(0.0, columns_mm + 8.0 - height)
    inner = _rounded((
        depth[Seat.WEST], depth[Seat.NORTH], depth[Seat.WEST] + inner_width, depth[Seat.NORTH] + inner_height
    ))  # fmt: skip
    size = (float(round(inner[2] + depth[Seat.EAST])), float(round(inner[3] + depth[Seat.SOUTH])))
    spots = _two_rows(count, inner, pitch, row)
    for seat in seats:
        spots += _band_around(rng, seat, inner, size)
    return Layout(game="nerts", size_mm=size, seats=seats, spots={spot.pile: spot for spot in spots})


def _rounded(box: Box) -> Box:
    left, top, right, bottom = box
    return float(round(left)), float(round(top)), float(round(right)), float(round(bottom))


def _two_rows(count: int, inner: Box, pitch: float, row: float) -> list[Spot]:
    columns = 2 * count
    middle_x, middle_y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return [
        _foundation(
            pile,
            middle_x + (i % columns - (columns - 1) / 2) * pitch,
            middle_y + (i // columns - 0.5) * row,
        )
        for i, pile in enumerate(foundations_of(count))
    ]


def _band_around(rng: np.random.Generator, seat: Seat, inner: Box, size: tuple[float, float]) -> list[Spot]:
    """A seat's piles between the inner box and its own side of the table."""
    (left, top, right, bottom), (width, height) = inner, size
    is_long = SIDES[seat].out[0] == 0
    length = right - left if is_long else height
    depth = {
        Seat.SOUTH: height - bottom, Seat.NORTH: top, Seat.EAST: width - right, Seat.WEST: left
    }[seat]  # fmt: skip
    columns = _named(random_columns(rng, length, _COLUMNS, margin_mm=3.0))
    return [_placed(spot, seat, inner, size) for spot in _band(rng, seat, columns, 2.0, depth - 4.0)]


def _placed(spot: Spot, seat: Seat, inner: Box, size: tuple[float, float]) -> Spot:
    """A spot of a band, x from the player's left and y from the middle, as it lies on the table."""
    side = SIDES[seat]
    x0, y0, x1, y1 = spot.zone_mm
    corners = [_on_table(seat, point, inner, size) for point in ((x0, y0), (x1, y1))]
    (left, right), (top, bottom) = (sorted(c[axis] for c in corners) for axis in (0, 1))
    x, y = _on_table(seat, (spot.x_mm, spot.y_mm), inner, size)
    step = spot.fan_mm[1]
    return replace(
        spot,
        x_mm=x,
        y_mm=y,
        turn_deg=side.turn_deg,
        fan_mm=(side.out[0] * step, side.out[1] * step),
        zone_mm=(round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)),
    )


def _on_table(
    seat: Seat, at: tuple[float, float], inner: Box, size: tuple[float, float]
) -> tuple[float, float]:
    """Where a place lies that is so far from the player's left end of the band and from its inner edge."""
    along, off = at
    left, top, right, bottom = inner
    places = {
        Seat.SOUTH: (left + along, bottom + off),
        Seat.NORTH: (right - along, top - off),
        Seat.EAST: (right + off, size[1] - along),
        Seat.WEST: (left - off, along),
    }
    return places[seat]
