"""Tables: where piles lie, and at which side each seat sits."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.piles import PileId, Seat

ZONE_MM: Final = (96.0, 116.0)
"""A squared pile's zone: the card with some 14 mm on each side."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The side of the table at which a seat sits."""

    edge: str
    """Its name in a table file."""
    out: tuple[float, float]
    """From the middle of the table over that edge, of unit length."""
    turn_deg: float
    """Of a card that is read from there."""
    right: float
    """Whether the player's right hand is towards larger (1) or smaller (-1) x or y along the edge."""

    @property
    def across(self) -> tuple[float, float]:
        """Along the edge, towards larger x or y."""
        return abs(self.out[1]), abs(self.out[0])

    def beyond(self, size_mm: tuple[float, float], along_mm: float, beyond_mm: float) -> tuple[float, float]:
        """A place ``along_mm`` aside of the edge's middle, and ``beyond_mm`` outside the table."""
        (width, height), (out_x, out_y) = size_mm, self.out
        if out_x == 0:
            return width / 2 + along_mm, (height if out_y > 0 else 0.0) + out_y * beyond_mm
        return (width if out_x > 0 else 0.0) + out_x * beyond_mm, height / 2 + along_mm


SIDES: Final = {
    Seat.SOUTH: Side(edge="bottom", out=(0.0, 1.0), turn_deg=0.0, right=1.0),
    Seat.NORTH: Side(edge="top", out=(0.0, -1.0), turn_deg=180.0, right=-1.0),
    Seat.EAST: Side(edge="right", out=(1.0, 0.0), turn_deg=270.0, right=-1.0),
    Seat.WEST: Side(edge="left", out=(-1.0, 0.0), turn_deg=90.0, right=1.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One pile's place: where its first card lies, which way it grows, and its zone."""

    pile: PileId
    x_mm: float
    y_mm: float
    """Centre of the first card."""
    turn_deg: float
    """0: read from the south."""
    fan_mm: tuple[float, float]
    """Each further card lies so much further right and down (negative: left, up)."""
    zone_mm: Box

    @property
    def is_fan(self) -> bool:
        """Whether cards lie in a row, each showing, and not squared up."""
        return self.fan_mm != (0.0, 0.0)

    @property
    def polygon_mm(self) -> tuple[tuple[float, float], ...]:
        """The zone, clockwise from the top left."""
        left, top, right, bottom = self.zone_mm
        return ((left, top), (right, top), (right, bottom), (left, bottom))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A table with its spots."""

    game: str
    """As a table file names it."""
    size_mm: tuple[float, float]
    seats: tuple[Seat, ...]
    spots: dict[PileId, Spot]
    marker_size_mm: float = 40.0

    @property
    def marker_centres_mm(self) -> tuple[tuple[float, float], ...]:
        """Of the printed markers, clockwise from the top left, ids 0 to 3."""
        width, height = self.size_mm
        return ((30.0, 30.0), (width - 30.0, 30.0), (width - 30.0, height - 30.0), (30.0, height - 30.0))


def zone_at(x: float, top: float, bottom: float) -> Box:
    """A zone as wide as a squared pile's around ``x``."""
    half = ZONE_MM[0] / 2
    return (round(x - half, 1), round(top, 1), round(x + half, 1), round(bottom, 1))


def random_columns(rng: np.random.Generator, width_mm: float, count: int, *, margin_mm: float) -> list[float]:
    """Centres of a seat's columns, from one side to the other; left-handed tables run the other way."""
    room = width_mm - 2 * margin_mm - count * ZONE_MM[0]
    gaps = rng.dirichlet(np.full(count + 1, 6.0)) * room
    centres = margin_mm + np.cumsum(gaps[:count]) + ZONE_MM[0] * (np.arange(count) + 0.5)
    return [float(x) for x in (centres if rng.random() < 0.7 else width_mm - centres)]


def turned(spot: Spot, size_mm: tuple[float, float]) -> Spot:
    """The same place of a player at the southern side as seen from the northern one."""
    width, height = size_mm
    left, top, right, bottom = spot.zone_mm
    fan_x, fan_y = spot.fan_mm
    return Spot(
        pile=spot.pile,
        x_mm=width - spot.x_mm,
        y_mm=height - spot.y_mm,
        turn_deg=180.0,
        fan_mm=(-fan_x, -fan_y),
        zone_mm=(
            round(width - right, 1), round(height - bottom, 1), round(width - left, 1), round(height - top, 1)
        ),
    )  # fmt: skip
