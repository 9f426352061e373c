"""Where the piles of a simulated table of Spit lie."""

from typing import Final

import numpy as np

from datasets.simulator.layout import ZONE_MM, Layout, Spot, random_columns, turned, zone_at
from referee.piles import PileId, PileKind, Seat

SPIT_SEATS: Final = (Seat.SOUTH, Seat.NORTH)
STOCK_PILES: Final = 5
SPIT_PILES: Final = {Seat.SOUTH: PileId(PileKind.SPIT, None, 1), Seat.NORTH: PileId(PileKind.SPIT, None, 2)}
"""The spit pile that each seat starts: the one at its right hand."""


def stock_piles(seat: Seat) -> tuple[PileId, ...]:
    """The five piles before a seat (rule S5), the one with a single card first."""
    return tuple(PileId(PileKind.TABLEAU, seat, i) for i in range(1, STOCK_PILES + 1))


def spit_cards(seat: Seat) -> PileId:
    """The seat's face-down spit cards (rule S6), here as a packet on the table."""
    return PileId(PileKind.HAND, seat)


def random_spit_layout(rng: np.random.Generator) -> Layout:
    """Five stock piles and the spit cards in a row before each seat, the spit piles between."""
    size = (float(round(rng.uniform(722, 800))), float(round(rng.uniform(412, 470))))
    width, height = size
    aside = float(rng.uniform(52, 90))
    spots = [
        _squared(pile, width / 2 + aside * (1.0 if seat is Seat.SOUTH else -1.0), height / 2)
        for seat, pile in SPIT_PILES.items()
    ]
    for seat in SPIT_SEATS:
        own = _row(rng, seat, size)
        spots += own if seat is Seat.SOUTH else [turned(spot, size) for spot in own]
    return Layout(game="spit", size_mm=size, seats=SPIT_SEATS, spots={spot.pile: spot for spot in spots})


def _row(rng: np.random.Generator, seat: Seat, size: tuple[float, float]) -> list[Spot]:
    """A seat's piles as if it sat in the south."""
    width, height = size
    nearest, furthest = height / 2 + ZONE_MM[1] + 4.0, height - 4.0 - ZONE_MM[1] / 2
    y = float(rng.uniform(nearest, furthest))
    centres = random_columns(rng, width, STOCK_PILES + 1, margin_mm=60.0)
    piles = (*stock_piles(seat), spit_cards(seat))
    return [_squared(pile, x, y) for pile, x in zip(piles, centres, strict=True)]


def _squared(pile: PileId, x: float, y: float) -> Spot:
    top = y - ZONE_MM[1] / 2
    zone = zone_at(x, top, top + ZONE_MM[1])
    return Spot(pile=pile, x_mm=x, y_mm=y, turn_deg=0.0, fan_mm=(0.0, 0.0), zone_mm=zone)
