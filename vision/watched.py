"""The table as it is watched: its piles, and what is remembered of the last seconds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.clock import Interval
from referee.observations import Evidence
from referee.piles import PileId, Seat
from vision.history import History
from vision.presence import HandsOver
from vision.readings import TOWARDS
from vision.settings import WatchSettings
from vision.settle import Phase, ZoneWatch
from vision.table import Table, Zone


@dataclass(slots=True, kw_only=True, eq=False)
class WatchedTable:
    """What everything that is told of piles is found out from."""

    table: Table
    watches: tuple[ZoneWatch, ...]
    """One for each zone of the table, in its order."""
    history: History
    settings: WatchSettings
    source_id: str = ""
    """Of the last frame: the evidence of what is told points to it."""

    def has(self, pile: PileId) -> bool:
        """Whether the table has a zone for a pile."""
        return any(watch.place.zone.pile == pile for watch in self.watches)

    def watch_of(self, pile: PileId) -> ZoneWatch:
        """The state of a pile that the table has."""
        return next(watch for watch in self.watches if watch.place.zone.pile == pile)

    def seat_of(self, number: int) -> Seat:
        """The seat of that number in the table file."""
        return self.table.seats[number].seat

    def towards(self, zone: Zone) -> tuple[float, float] | None:
        """The way in which a zone's fan grows, towards its player. None: its cards are squared up."""
        edge = self.table.edge_of(zone.pile.seat) if zone.pile.seat is not None and zone.is_fan else None
        return TOWARDS[edge] if edge is not None else None

    @property
    def is_calm(self) -> bool:
        """Whether every pile is at rest: no lift can come any more."""
        return all(watch.phase is Phase.STILL for watch in self.watches)

    @property
    def period_us(self) -> int:
        """The usual time from frame to frame."""
        return self.history.period_us

    @property
    def resolution_us(self) -> int:
        """Half a frame period."""
        return (self.period_us + 1) // 2

    def periods_us(self, periods: float) -> int:
        """So many frame periods."""
        return round(periods * self.period_us)

    def evidence(self, *frames_us: int) -> Evidence:
        """A pointer to frames of the source that is watched."""
        return Evidence(self.source_id, frames_us)

    def hands_over(self, area_mm: NDArray[np.float32], during: Interval) -> HandsOver:
        """Each seat's hands over a convex place in that time."""
        return self.history.hands_over(area_mm, [place.edge for place in self.table.seats], during)
