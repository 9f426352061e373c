"""A table as it was set up: its size, how the camera is related to it, who sits where, where piles lie."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from referee.piles import PileId, PileKind, Seat

CARD_MM = (63.0, 88.0)
"""Width and height of a poker-size card."""

COMMON = frozenset({PileKind.FOUNDATION, PileKind.SPIT})
"""Piles onto which all play, one card at a time."""

SUPPLIES = frozenset({PileKind.STOCK, PileKind.HAND})
"""Packets of backs, from which cards are turned: a look does not tell how many lie there."""


class Edge(StrEnum):
    """A side of the table in the camera's picture."""

    BOTTOM = "bottom"
    TOP = "top"
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class SeatPlace:
    """A seat, its player, and the table edge that this player's hands come over."""

    seat: Seat
    player: str
    edge: Edge
    partner_of: Seat | None = None
    """Whose deck and layout this player shares. None: there is a layout of its own."""
    nerts_pile: int | None = None
    """Cards dealt to this player's Nerts pile, as a handicap. None: as many as the house rules say."""


@dataclass(frozen=True, slots=True, eq=False)
class Zone:
    """The place of one pile.

    polygon_mm: float32 (k, 2), convex, clockwise as seen by the camera, in table millimetres.
    """

    pile: PileId
    polygon_mm: NDArray[np.float32]
    is_squared: bool = False
    """Whether a work pile is a packet of backs with its top turned up, as in Spit, and no fan."""

    def __post_init__(self) -> None:
        if self.polygon_mm.ndim != 2 or self.polygon_mm.shape[1] != 2 or len(self.polygon_mm) < 3:
            raise ValueError(f"polygon_mm: want shape (k, 2), k >= 3, got {self.polygon_mm.shape}")
        self.polygon_mm.setflags(write=False)

    @property
    def box_mm(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        left, top = self.polygon_mm.min(axis=0)
        right, bottom = self.polygon_mm.max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    @property
    def is_fan(self) -> bool:
        """Whether cards lie here in a row, each showing, and not squared up."""
        return self.pile.kind in {PileKind.TABLEAU, PileKind.WASTE} and not self.is_squared

    @property
    def is_common(self) -> bool:
        """Whether all play onto this pile."""
        return self.pile.kind in COMMON

    @property
    def is_supply(self) -> bool:
        """Whether a packet of backs lies here, from which cards are turned."""
        return self.pile.kind in SUPPLIES

    @property
    def has_backs(self) -> bool:
        """Whether the cards below the top lie face down, and are turned up one by one."""
        return self.pile.kind is PileKind.RESERVE or self.is_stock_pile

    @property
    def is_stock_pile(self) -> bool:
        """Whether it is one of a seat's packets that are played from the top, as in Spit."""
        return self.pile.kind is PileKind.TABLEAU and self.is_squared


@dataclass(frozen=True, slots=True)
class FourCorners:
    """The camera stands still; someone marked the table's corners in its picture.

    corners_px: clockwise from the corner that is the origin of table millimetres.
    """

    image_size_px: tuple[int, int]
    corners_px: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Markers:
    """Printed ArUco markers lie on the table."""

    dictionary: str
    """OpenCV's name, e.g. ``DICT_4X4_50``."""
    size_mm: float
    """Side of the black square."""
    centres_mm: Mapping[int, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Everything that a table file says."""

    name: str
    game: str
    size_mm: tuple[float, float]
    """Width (x, right) and height (y, down); the origin is the top left corner as the camera sees it."""
    view: FourCorners | Markers
    seats: tuple[SeatPlace, ...]
    zones: tuple[Zone, ...]
    rules: Mapping[str, object]
    """House rules as written; the referee checks them."""

    def edge_of(self, seat: Seat) -> Edge | None:
        """The edge that this seat's hands come over. None: nobody sits there."""
        return next((place.edge for place in self.seats if place.seat is seat), None)
