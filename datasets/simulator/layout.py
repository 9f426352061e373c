"""Where the piles of a simulated Nerts table lie."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.piles import PileId, PileKind, Seat

Points = NDArray[np.float64]

SEATS = (Seat.SOUTH, Seat.NORTH)
FOUNDATIONS = tuple(PileId(PileKind.FOUNDATION, None, i) for i in range(8))
ZONE_MM = (96.0, 116.0)
"""A squared pile's zone: the card with some 14 mm on each side."""
FAN_STEP_MM = 21.0
"""Leaves rank and suit of the covered card in sight."""
FAN_LIMIT = 6
"""Cards in a work pile; more would not fit between the foundations and the edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One pile's place: where its first card lies, which way it grows, and its zone."""

    pile: PileId
    x_mm: float
    y_mm: float
    """Centre of the first card."""
    turn_deg: float
    """0: read from the south."""
    fan_mm: float
    """Each further card lies so much further down (negative: up)."""
    zone_mm: tuple[float, float, float, float]
    """Left, top, right, bottom."""

    @property
    def polygon_mm(self) -> tuple[tuple[float, float], ...]:
        """The zone, clockwise from the top left."""
        left, top, right, bottom = self.zone_mm
        return ((left, top), (right, top), (right, bottom), (left, bottom))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A table with its spots."""

    size_mm: tuple[float, float]
    spots: dict[PileId, Spot]
    marker_size_mm: float = 40.0

    @property
    def marker_centres_mm(self) -> tuple[tuple[float, float], ...]:
        """Of the printed markers, clockwise from the top left, ids 0 to 3."""
        width, height = self.size_mm
        return ((30.0, 30.0), (width - 30.0, 30.0), (width - 30.0, height - 30.0), (30.0, height - 30.0))


def _zone(x: float, top: float, bottom: float) -> tuple[float, float, float, float]:
    half = ZONE_MM[0] / 2
    return (round(x - half, 1), round(top, 1), round(x + half, 1), round(bottom, 1))


def _south_columns(rng: np.random.Generator, width: float) -> dict[PileKind, list[float]]:
    """Centres of the seven columns, from one side to the other; left-handed tables run the other way."""
    room = width - 2 * 60.0 - 7 * ZONE_MM[0]
    gaps = rng.dirichlet(np.full(8, 6.0)) * room
    centres = 60.0 + np.cumsum(gaps[:7]) + ZONE_MM[0] * (np.arange(7) + 0.5)
    columns = [float(x) for x in (centres if rng.random() < 0.7 else width - centres)]
    return {
        PileKind.RESERVE: columns[:1],
        PileKind.TABLEAU: columns[1:5],
        PileKind.STOCK: columns[5:6],
        PileKind.WASTE: columns[6:],
    }


def _spots_of(rng: np.random.Generator, seat: Seat, size: tuple[float, float], top: float) -> list[Spot]:
    width, height = size
    reach = height - 4.0
    spots = []
    for kind, columns in _south_columns(rng, width).items():
        is_fan = kind is PileKind.TABLEAU
        low = 0.0 if is_fan else float(rng.uniform(0.0, reach - top - ZONE_MM[1]))
        for index, x in enumerate(columns):
            bottom = reach if is_fan else top + low + ZONE_MM[1]
            spot = Spot(
                pile=PileId(kind, seat, index),
                x_mm=x,
                y_mm=top + low + ZONE_MM[1] / 2 - (3.0 if is_fan else 0.0),
                turn_deg=0.0,
                fan_mm=FAN_STEP_MM if is_fan else 0.0,
                zone_mm=_zone(x, top + low, bottom),
            )
            spots.append(spot if seat is Seat.SOUTH else _turned(spot, size))
    return spots


def _turned(spot: Spot, size: tuple[float, float]) -> Spot:
    """The same place as seen from the other side."""
    width, height = size
    left, top, right, bottom = spot.zone_mm
    return Spot(
        pile=spot.pile,
        x_mm=width - spot.x_mm,
        y_mm=height - spot.y_mm,
        turn_deg=180.0,
        fan_mm=-spot.fan_mm,
        zone_mm=(
            round(width - right, 1), round(height - bottom, 1), round(width - left, 1), round(height - top, 1)
        ),
    )  # fmt: skip


def random_layout(rng: np.random.Generator) -> Layout:
    """A two-player table: foundations in a row across the middle, a seat's piles below and above."""
    size = (float(round(rng.uniform(940, 1040))), float(round(rng.uniform(556, 600))))
    width, height = size
    spots: list[Spot] = []
    pitch = float(rng.uniform(103, (width - 60) / 8 - 1))
    left = width / 2 - 3.5 * pitch
    middle = height / 2
    for i, pile in enumerate(FOUNDATIONS):
        x = left + i * pitch
        top = middle - ZONE_MM[1] / 2
        zone = _zone(x, top, top + ZONE_MM[1])
        spots.append(Spot(pile=pile, x_mm=x, y_mm=middle, turn_deg=0.0, fan_mm=0.0, zone_mm=zone))
    for seat in SEATS:
        spots += _spots_of(rng, seat, size, middle + ZONE_MM[1] / 2 + 4.0)
    return Layout(size_mm=size, spots={spot.pile: spot for spot in spots})
