"""Packets of backs that cards come from and go to: how they have changed of late."""

from collections import defaultdict, deque
from dataclasses import dataclass

from referee.clock import Interval
from referee.piles import PileId
from vision.contacts import touch_of
from vision.settings import WatchSettings
from vision.settle import Look, ZoneWatch
from vision.watched import WatchedTable

CHANGES_KEPT = 20
"""Of one packet: far more than change while a waste is turned over or a card is carried."""


@dataclass(slots=True)
class SupplyChange:
    """A packet that lies otherwise than before. touch: of what lies there now."""

    during: Interval
    touch: Interval
    is_told: bool = False
    """Whether it is known what became of the cards that left, or where those came from that came."""


class Supplies:
    """The last changes of stocks, and of packets of spit cards. Backs do not tell what changed."""

    def __init__(self, watched: WatchedTable) -> None:
        self._watched = watched
        self._changes: dict[PileId, deque[SupplyChange]] = defaultdict(lambda: deque(maxlen=CHANGES_KEPT))

    def remember(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> None:
        """A packet lies otherwise, seen at rest at ``t_us``."""
        touch = touch_of(self._watched, watch, old, new, until_us=new.since_us)
        change = SupplyChange(Interval(watch.since_us, t_us), touch)
        self._changes[watch.place.zone.pile].append(change)

    def forget(self, supply: PileId) -> None:
        """All that changed a packet so far is known."""
        self._changes[supply].clear()

    def change_since(self, supply: PileId, when: Interval) -> SupplyChange | None:
        """The first change that goes with what happened in ``when``, and was not over before."""
        later = (change for change in self._changes[supply] if change.during.end_us >= when.start_us)
        return next((c for c in later if _is_together(c.during, when, self._watched.settings)), None)

    def change_with(self, supply: PileId, when: Interval) -> SupplyChange | None:
        """The change that goes with what happened to another pile in ``when``.

        Where a hand rests on a stock from turn to turn, one change holds several turns.
        """
        changes = self._changes[supply]
        fitting = [c for c in changes if _is_together(c.during, when, self._watched.settings)]
        untold = (c for c in fitting if not c.is_told)
        lasting = (c for c in fitting if c.during.start_us < when.start_us < c.during.end_us)
        return next(untold, None) or next(lasting, None)

    def untold_after(self, supply: PileId, start_us: int) -> SupplyChange | None:
        """The first change whose touch came after that time, and of which nothing is known."""
        untold = (change for change in self._changes[supply] if not change.is_told)
        return next((change for change in untold if change.touch.end_us > start_us), None)


def _is_together(one: Interval, other: Interval, settings: WatchSettings) -> bool:
    """Whether a packet that changed in one time goes with what happened elsewhere in the other."""
    apart_us = settings.stock_apart_us
    return one.start_us <= other.end_us + apart_us and other.start_us <= one.end_us + apart_us
