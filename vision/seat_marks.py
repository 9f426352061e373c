"""A colour and a shape for every seat, told apart by either alone. Pages and pictures draw the same ones."""

import math
from dataclasses import dataclass

MARK_BOX = 24
"""Side of the box that the shapes are drawn in; y runs down."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SeatMark:
    """How one seat is marked."""

    colour: str
    """As ``#e69f00``."""
    outline: tuple[Point, ...]
    """A polygon in a box of ``MARK_BOX``."""

    @property
    def bgr(self) -> tuple[int, int, int]:
        """The colour as OpenCV takes it.

        >>> mark_of(0).bgr
        (0, 159, 230)
        """
        red, green, blue = bytes.fromhex(self.colour[1:])
        return blue, green, red


def _round(radius: float, corners: int) -> tuple[Point, ...]:
    middle = MARK_BOX / 2
    turns = (2 * math.pi * i / corners for i in range(corners))
    return tuple(
        (round(middle + radius * math.cos(turn), 2), round(middle + radius * math.sin(turn), 2))
        for turn in turns
    )


def _points(text: str) -> tuple[Point, ...]:
    pairs = (pair.split(",") for pair in text.split())
    return tuple((float(x), float(y)) for x, y in pairs)


SEAT_MARKS = (
    SeatMark("#e69f00", _round(9.5, 32)),
    SeatMark("#56b4e9", _points("4,4 20,4 20,20 4,20")),
    SeatMark("#00b88a", _points("12,2.5 22,21 2,21")),
    SeatMark("#f0e442", _points("12,1 22.5,12 12,23 1.5,12")),
    SeatMark(
        "#f08050",
        _points("12,1.5 14.9,9 22.8,9.4 16.6,14.4 18.7,22 12,17.7 5.3,22 7.4,14.4 1.2,9.4 9.1,9"),
    ),
    SeatMark("#e59cc4", _points("7,3 17,3 22.5,12 17,21 7,21 1.5,12")),
    SeatMark("#7aa8ff", _points("9,2 15,2 15,9 22,9 22,15 15,15 15,22 9,22 9,15 2,15 2,9 9,9")),
    SeatMark("#f4f6f5", _points("12,2 22.5,10 18.5,22 5.5,22 1.5,10")),
)
"""Circle, square, triangle, lozenge, star, hexagon, cross, pentagon; colours after Okabe and Ito, lightened
where dark cloth wants it. In the order in which the seats of a match are named."""


def mark_of(place: int) -> SeatMark:
    """The mark of the seat at ``place`` among those of its match, from 0."""
    return SEAT_MARKS[place % len(SEAT_MARKS)]
