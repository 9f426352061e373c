"""Stock turned to the waste, and the waste turned over to be the stock."""

from collections import deque
from dataclasses import replace

from referee.clock import Interval
from referee.observations import CardLanded, CardLifted
from referee.piles import PileId, PileKind
from referee.sightings import Handling, PileHandled
from vision.lifts import Lifts
from vision.pending import PendingLanding
from vision.reach import is_reached_by_owner
from vision.settle import Phase
from vision.supplies import Supplies, SupplyChange
from vision.watched import WatchedTable

TURNED_WITHIN_US = 700_000
"""Cards that lie on a waste so long after they left the stock came under others, which are gone again."""

TAKEN_WAIT_US = 2_000_000
"""So long a card that is not on its waste any more may still be carried: then it is taken as covered."""

TURNED_OVER_US = 1_500_000
"""A waste is turned over and laid down within this after it was picked up."""

FROM_NOWHERE_KEPT = 20
"""Landings without a source, of all piles: far more than come within ``TAKEN_WAIT_US``."""


class Wastes:
    """What is known of wastes beside how they lie: which were picked up, and what was played off them."""

    def __init__(self, watched: WatchedTable, supplies: Supplies, lifts: Lifts) -> None:
        self._watched = watched
        self._supplies = supplies
        self._lifts = lifts
        self._emptied: dict[PileId, Interval] = {}
        self._from_nowhere: deque[CardLanded] = deque(maxlen=FROM_NOWHERE_KEPT)

    def is_turned_to(self, pile: PileId) -> bool:
        """Whether a pile is a waste, with a stock that is turned to it."""
        return pile.kind is PileKind.WASTE and self._watched.has(_stock_of(pile))

    def was_emptied(self, lift: CardLifted) -> None:
        """A waste lies bare since a lift: it may have been picked up to be the stock."""
        self._emptied[lift.pile] = lift.lifted

    def was_played(self, lift: CardLifted) -> None:
        """A lifted card came elsewhere: if its waste lies bare since, it was not picked up as a whole."""
        if self._emptied.get(lift.pile) == lift.lifted:
            del self._emptied[lift.pile]

    def came_from_nowhere(self, landed: CardLanded) -> None:
        """A card without a known source: it may have been turned up on a waste, and played off it at once."""
        self._from_nowhere.append(landed)

    def turned_over(self, waste: PileId, t_us: int) -> list[PileHandled]:
        """The waste turned over to be the stock, if it was emptied as the stock changed."""
        stock, emptied = _stock_of(waste), self._emptied.get(waste)
        if emptied is None:
            return []
        change = self._supplies.change_since(stock, emptied)
        if change is None:
            return []
        del self._emptied[waste]
        self._supplies.forget(stock)
        touch = _laid_down_at(change, emptied, self._next_turn_us(waste, emptied))
        handled = PileHandled(
            handling=Handling.TURNED_OVER,
            pile=waste,
            target=stock,
            touch=touch,
            seat=waste.seat,
            seat_confidence=1.0 if waste.seat is not None else 0.0,
            resolution_us=self._watched.resolution_us,
            confidence=1.0,
            evidence=self._watched.evidence(touch.start_us, touch.end_us, t_us),
        )
        return [handled]

    def _next_turn_us(self, waste: PileId, emptied: Interval) -> int | None:
        """When hands came to a waste again that had been picked up. None: it lies bare since."""
        watch = self._watched.watch_of(waste)
        lies_bare = watch.phase is Phase.STILL and watch.look is not None and watch.look.reading.is_empty
        return None if lies_bare or watch.disturbed_us <= emptied.end_us else watch.disturbed_us

    def turned(self, pending: PendingLanding) -> list[PileHandled]:
        """Cards turned from the stock to its waste, if they left the stock.

        Its backs may look the same without them; then its player's hand was there just before, and the card
        that lay on the waste was not taken away.
        """
        landed, waste = pending.landed, pending.landed.pile
        stock = _stock_of(waste)
        if self._lifts.is_taken(pending.gone):
            return []
        change = self._supplies.change_with(stock, Interval(pending.since_us, landed.settled_us))
        if change is None and not is_reached_by_owner(self._watched, stock, landed.touch):
            return []
        if pending.gone is not None:
            self._lifts.take_back(pending.gone)  # It lies there, under what was turned.
        if change is not None:
            change.is_told = True
        handled = replace(pending.handled(Handling.TURNED), pile=stock, target=waste)
        if not self._came_under_others(landed, change):
            return [handled]
        start_us = change.touch.start_us if change is not None else pending.since_us
        widest = Interval(min(start_us, landed.touch.start_us), landed.touch.end_us)
        return [replace(handled, cards=(), touch=widest)]

    def _came_under_others(self, landed: CardLanded, change: SupplyChange | None) -> bool:
        """Whether a card that shows on a waste was turned to it below one that its player took at once."""
        if change is not None and landed.touch.start_us - change.touch.end_us > TURNED_WITHIN_US:
            return True
        until_us = landed.touch.end_us + TAKEN_WAIT_US
        return any(
            other.seat is landed.pile.seat and landed.touch.start_us <= other.touch.start_us <= until_us
            for other in self._from_nowhere
        )


def _stock_of(waste: PileId) -> PileId:
    return PileId(PileKind.STOCK, waste.seat)


def _laid_down_at(change: SupplyChange, emptied: Interval, next_turn_us: int | None) -> Interval:
    """When a waste that was picked up as the stock changed was laid down as the stock.

    Where the stock changed again under the same hand, as cards are turned from it to the waste, it is known
    only to have been soon after.
    """
    latest_us = emptied.end_us + TURNED_OVER_US
    if next_turn_us is not None:
        latest_us = min(latest_us, next_turn_us)
    elif emptied.start_us <= change.touch.end_us and change.touch.start_us <= latest_us:
        return change.touch
    return Interval(emptied.start_us, max(emptied.end_us, min(latest_us, change.during.end_us)))
