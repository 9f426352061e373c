"""Seats and the piles that lie before them or in the common area."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Seat(StrEnum):
    """A player's place at the table, named by the compass as the camera's picture lies (south: below)."""

    NORTH = "north"
    NORTHEAST = "northeast"
    EAST = "east"
    SOUTHEAST = "southeast"
    SOUTH = "south"
    SOUTHWEST = "southwest"
    WEST = "west"
    NORTHWEST = "northwest"


class PileKind(StrEnum):
    """What a pile is for."""

    FOUNDATION = "foundation"
    TABLEAU = "tableau"
    RESERVE = "reserve"
    STOCK = "stock"
    WASTE = "waste"
    ASIDE = "aside"
    SPIT = "spit"
    HAND = "hand"


@dataclass(frozen=True, slots=True)
class PileId:
    """Which pile: ``table/foundation[3]`` is shared, ``south/tableau[2]`` a seat's, ``south/waste`` index 0.

    >>> str(PileId.parse("table/foundation[3]")), str(PileId.parse("south/waste"))
    ('table/foundation[3]', 'south/waste')
    """

    kind: PileKind
    seat: Seat | None
    """None: shared, in the common area."""
    index: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """The pile that ``text`` names; ``ValueError`` if it names none."""
        owner, slash, rest = text.partition("/")
        kind, bracket, index = rest.partition("[")
        try:
            if not slash or (bracket and not (index.endswith("]") and index[:-1].isdecimal())):
                raise ValueError(text)
            return cls(
                PileKind(kind), None if owner == "table" else Seat(owner), int(index[:-1]) if bracket else 0
            )
        except ValueError:
            wanted = "want e.g. 'table/foundation[3]', 'south/waste'"
            raise ValueError(f"not a pile: {text!r} ({wanted})") from None

    def __str__(self) -> str:
        owner = "table" if self.seat is None else self.seat.value
        numbered = self.kind in {PileKind.FOUNDATION, PileKind.TABLEAU, PileKind.SPIT} or self.index
        return f"{owner}/{self.kind}[{self.index}]" if numbered else f"{owner}/{self.kind}"
