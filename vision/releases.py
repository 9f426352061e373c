"""Landings told, each with the pile that it came from, once that is known or has been waited for."""

from dataclasses import replace

from referee.observations import CardLanded, CardLifted, Observation
from referee.piles import PileId, PileKind
from referee.sightings import CardsCarried, CarryPlace, Handling, PileHandled, PileLaid
from vision.carry import Lift
from vision.gatherings import Gatherings
from vision.lifts import Lifts
from vision.origins import (
    lift_under_hands,
    lifts_for,
    may_miss_rival,
    missing_rivals,
    only_other_lift,
    other_lift_under_hands,
    unless_missing,
)
from vision.pending import PendingLanding, PendingLandings
from vision.races import Beneath, Owners, below_of, lean_mm, order_at_rest
from vision.table import COMMON
from vision.wastes import TAKEN_WAIT_US, Wastes
from vision.watched import WatchedTable


class Releases:
    """Lets landings go that need not wait any more."""

    def __init__(
        self,
        watched: WatchedTable,
        *,
        lifts: Lifts,
        wastes: Wastes,
        gatherings: Gatherings,
        waiting: PendingLandings,
    ) -> None:
        self._watched = watched
        self._lifts = lifts
        self._wastes = wastes
        self._gatherings = gatherings
        self._waiting = waiting

    def tell(self, t_us: int | None) -> list[Observation]:
        """The landings whose source is known or no longer waited for; with None all of them."""
        told: list[Observation] = []
        held: set[PileId] = set()
        done: set[PendingLanding] = set()
        for pending in self._waiting:
            if pending in done:
                continue
            pile, lifts = pending.landed.pile, lifts_for(self._lifts, pending)
            if pile in held or not (self._is_complete(pending, lifts) or self._is_due(pending, t_us)):
                held.add(pile)
                continue
            turned = self._waiting.faced_up(lifts, pending.landed)
            now = [*(each for each in turned if each not in {pending, *done}), pending]
            done.update(now)
            told += [observation for each in now for observation in self._tell(each)]
        self._waiting.drop(done)
        return told

    def _is_complete(self, pending: PendingLanding, lifts: list[Lift]) -> bool:
        """Whether nothing that is still to come can tell more of a landing than these lifts."""
        is_pair = pending.owners is not None and len(lifts) > 1
        is_known = bool(lifts) and pending.beneath is None and not may_miss_rival(self._lifts, pending)
        return is_pair or is_known

    def _is_due(self, pending: PendingLanding, t_us: int | None) -> bool:
        if t_us is None:
            return True
        gone = pending.gone
        if gone is None:
            return t_us >= pending.deadline_us or self._watched.is_calm
        if self._waiting.may_hold(gone.observation):
            return False
        is_over = t_us >= gone.observation.lifted.end_us + TAKEN_WAIT_US
        return self._lifts.is_taken(gone) or is_over

    def _tell(self, pending: PendingLanding) -> list[Observation]:
        """A landing as far as it is known now."""
        lifts = lifts_for(self._lifts, pending)
        if len(lifts) == 1:
            lifts += other_lift_under_hands(self._lifts, pending, lifts[0])
        beneath = pending.beneath
        if beneath is not None and (pending.owners is not None or len(lifts) > 1):
            return self._both(pending, beneath, lifts)
        landed = pending.landed
        lift = lifts[0] if lifts else lift_under_hands(self._lifts, landed)
        if lift is None and (lift := only_other_lift(self._lifts, pending)) is not None:
            landed = replace(landed, seat=None, seat_confidence=0.0)
        if lift is not None:
            self._claim(lift)
            return self._one(pending, _from(landed, lift), [lift])
        if pending.needs_source:
            return self._not_landed(pending)
        landed = self._gatherings.from_packet(pending, unless_missing(self._lifts, pending))
        self._wastes.came_from_nowhere(landed)
        return self._one(pending, landed, [])

    def _one(
        self, pending: PendingLanding, told: CardLanded | CardsCarried, brought_by: list[Lift]
    ) -> list[Observation]:
        """One landing; a rival's equal card that is missing may lie below it."""
        others = self._waiting.others_of(pending.landed)
        missing = missing_rivals(self._lifts, pending, told, others)
        for lift in missing:
            self._claim(lift)
        if pending.is_disputed or missing:
            told = replace(told, seat=None, seat_confidence=0.0)
        pending.told = told if isinstance(told, CardLanded) else None
        return [*_not_yet_told([*brought_by, *missing]), told, *_order_of(pending), *pending.after]

    def _both(self, pending: PendingLanding, beneath: Beneath, lifts: list[Lift]) -> list[Observation]:
        """Two cards that came together, each with its source, and the order in which they lie."""
        landed = pending.landed
        owners = pending.owners or self._owners_by_side(lifts, beneath)
        above = replace(landed, seat=owners.above, seat_confidence=owners.confidence)
        below = below_of(landed, beneath, owners)
        for lift in lifts:
            self._claim(lift)
            if lift.owner is owners.above:
                above = replace(above, source=lift.observation.pile)
            else:
                below = _named_by(replace(below, source=lift.observation.pile), lift)
        for landing in (below, above):
            if landing.source is None:
                self._wastes.came_from_nowhere(landing)
        apart_us = landed.touch.start_us - beneath.touch.end_us
        # Of cards that came together the lower one is no more the first: which slid under which is chance.
        is_apart = beneath.is_seen and apart_us >= self._watched.period_us
        order = [order_at_rest(below, above, pending.rested_us)] if is_apart else []
        return [*_not_yet_told(lifts), below, above, *order, *pending.after]

    def _owners_by_side(self, lifts: list[Lift], beneath: Beneath) -> Owners:
        """Of two that came together: a card lies nearer its player."""

        def reach_mm(lift: Lift) -> float:
            edge = self._watched.table.edge_of(lift.owner) if lift.owner is not None else None
            return lean_mm(beneath, edge) if edge is not None else 0.0

        above, below = sorted(lifts, key=reach_mm)
        return Owners(above.owner, below.owner, self._watched.settings.lean_confidence)

    def _not_landed(self, pending: PendingLanding) -> list[Observation]:
        """No card came: what was done to the pile instead, and what followed.

        A lift that followed is of a card that may not have come: it is told only if that lands elsewhere.
        """
        handled: list[PileHandled] = []
        if pending.otherwise is Handling.TURNED:
            handled = self._wastes.turned(pending)
        elif pending.otherwise is not None:
            handled = [pending.handled(pending.otherwise)]
        self._lifts.keep_back([each for each in pending.after if isinstance(each, CardLifted)])
        return [*handled, *(each for each in pending.after if not isinstance(each, CardLifted))]

    def _claim(self, lift: Lift) -> None:
        """The card of a lift is known to have come elsewhere."""
        self._lifts.claim(lift)
        self._wastes.was_played(lift.observation)


def _not_yet_told(lifts: list[Lift]) -> list[CardLifted]:
    """The lifts that are told only now that their cards have landed."""
    return [lift.observation for lift in lifts if not lift.is_certain]


def _order_of(pending: PendingLanding) -> list[PileLaid]:
    """The order at rest of a card and the one that came just before it, where that lies below."""
    below = pending.over.told if pending.over is not None else None
    if below is None or pending.told is None:
        return []
    return [order_at_rest(below, pending.told, pending.rested_us)]


def _named_by(landed: CardLanded, lift: Lift) -> CardLanded:
    """A landing whose face, where it was not read, is that of the card that was lifted."""
    if landed.card is not None:
        return landed
    return replace(landed, card=lift.observation.card, confidence=lift.observation.confidence)


def _from(landed: CardLanded, lift: Lift) -> CardLanded | CardsCarried:
    """The landing with its source; the source's owner where the hands do not tell the seat.

    On a spit pile the owner in any case: nobody plays another's cards.
    """
    is_told_by_owner = landed.pile.kind is PileKind.SPIT and lift.owner is not landed.seat
    if lift.owner is not None and (landed.seat is None or is_told_by_owner):
        landed = replace(landed, seat=lift.owner, seat_confidence=lift.observation.confidence)
    if not lift.cards or landed.pile.kind in COMMON:  # One card a play
        return replace(landed, source=lift.observation.pile)
    return CardsCarried(
        pile=landed.pile,
        cards=lift.cards,
        place=CarryPlace.TOP,
        source=lift.observation.pile,
        lifted=lift.observation.lifted,
        touch=landed.touch,
        settled_us=landed.settled_us,
        seat=landed.seat,
        seat_confidence=landed.seat_confidence,
        confidence=landed.confidence,
        resolution_us=landed.resolution_us,
        evidence=landed.evidence,
    )
