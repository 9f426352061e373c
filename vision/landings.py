"""Cards that came to a pile: each a landing that waits for the pile that it came from."""

from collections.abc import Collection

from referee.clock import Interval
from referee.observations import CardLanded
from referee.piles import PileKind, Seat
from referee.sightings import Handling
from vision.carry import Lift, owner_of
from vision.changes import Change, lies_beneath
from vision.contacts import Coming, touch_of
from vision.covered import CoveredCards
from vision.lifts import Lifts
from vision.pending import PendingLanding, PendingLandings
from vision.pile_reader import PileReader
from vision.races import Beneath, Owners, is_told_by_itself
from vision.reach import Reach, owners_by_hands, reach_of, seat_at
from vision.settle import Look, ZoneWatch
from vision.wastes import Wastes
from vision.watched import WatchedTable

STACK_KEPT = 60
"""Cards of one pile that are remembered: more than a deck."""


class Landings:
    """Finds the cards that came to piles, and lets each wait for its source."""

    def __init__(
        self,
        watched: WatchedTable,
        reader: PileReader,
        *,
        lifts: Lifts,
        wastes: Wastes,
        waiting: PendingLandings,
    ) -> None:
        self._watched = watched
        self._reader = reader
        self._lifts = lifts
        self._wastes = wastes
        self._waiting = waiting
        self._covered = CoveredCards(watched, reader)

    def tell(self, watch: ZoneWatch, old: Look, new: Look, change: Change, t_us: int) -> bool:
        """Tell of the cards that came, in the order of their touches, and of those that were taken back.

        Whether there were any.
        """
        comings, covered = self._comings(watch, old, new, change)
        over: PendingLanding | None = None
        brought: set[Seat | None] = set()
        for coming in sorted(comings, key=lambda coming: coming.touch.end_us):
            reach = reach_of(self._watched, watch.place.zone, coming.touch)
            beneath = None
            if coming.look is new and covered is not None:
                beneath = self._covered.beneath_seen(covered, coming)
            elif coming.look is new and len(comings) == 1:
                beneath = self._covered.beneath_hidden(watch, old, coming, reach)
            pending = self._wait(watch, coming, t_us, reach, beneath, brought=frozenset(brought))
            brought.add(pending.landed.seat)
            _stack(watch, pending)
            pending.over, pending.otherwise = over, self._otherwise(watch, old, coming, new)
            is_doubtful = self._is_doubtful(watch, old, coming, new)
            pending.needs_source = pending.otherwise is not None or is_doubtful
            stays = change is not Change.NOTHING and self._stays(watch, old, coming, new)
            over = pending if stays else None
            if coming.look is not new and (stays is False or watch.place.zone.is_stock_pile):
                self._taken_back(watch, coming, new)
        return len(comings) > 0

    def face_up(
        self,
        watch: ZoneWatch,
        old: Look,
        new: Look,
        t_us: int,
        handling: Handling,
        *,
        gone: Lift | None = None,
    ) -> None:
        """A face that was turned up, unless a card that was lifted elsewhere came.

        gone: the card that lay there before, if it is not there any more.
        """
        zone = watch.place.zone
        touch = touch_of(self._watched, watch, old, new, until_us=new.since_us, is_turned_up=zone.has_backs)
        watch.stack[-1:] = [new.reading.top]
        reach = reach_of(self._watched, zone, touch)
        pending = self._wait(watch, Coming(touch, new), t_us, reach, beneath=None)
        pending.needs_source, pending.otherwise, pending.gone = True, handling, gone

    def _comings(
        self, watch: ZoneWatch, old: Look, new: Look, change: Change
    ) -> tuple[list[Coming], Coming | None]:
        """The cards that came to a pile, and beside them the one that a rival's card came to cover.

        On a waste each look is told by itself: nothing lay there meanwhile.
        """
        is_waste = watch.place.zone.pile.kind is PileKind.WASTE
        looks = [] if is_waste else self._reader.visits(watch, old, new)
        visits = [Coming(self._touch_of_visit(watch, old, look), look) for look in looks]
        if change is not Change.LANDED:
            return visits, None
        last = Coming(touch_of(self._watched, watch, old, new, until_us=new.since_us), new)
        covered = self._covered.visit_covered(watch, old, last, visits)
        return [*(visit for visit in visits if visit is not covered), last], covered

    def _touch_of_visit(self, watch: ZoneWatch, old: Look, visit: Look) -> Interval:
        """When a card that lay there for a while touched.

        One that shows although no hand came just then was bared by hands that drew back: it came before.
        """
        touch = touch_of(self._watched, watch, old, visit, until_us=visit.since_us)
        quad_mm, zone = visit.reading.top_quad_mm, watch.place.zone
        is_bared = (
            zone.pile.kind is PileKind.FOUNDATION
            and quad_mm is not None
            and not self._watched.history.approach_shares(quad_mm, touch.end_us)
            and reach_of(self._watched, zone, touch).is_contested
        )
        before_us = self._watched.settings.race_before_us
        return Interval(touch.start_us - before_us, touch.end_us) if is_bared else touch

    def _otherwise(self, watch: ZoneWatch, old: Look, coming: Coming, new: Look) -> Handling | None:
        """What a look shows to have been done where no card came: turned from the stock, or turned up."""
        zone = watch.place.zone
        if coming.look is new:
            return Handling.TURNED if self._wastes.is_turned_to(zone.pile) else None
        return Handling.FACED_UP if zone.is_stock_pile and not old.reading.is_empty else None

    def _is_doubtful(self, watch: ZoneWatch, old: Look, coming: Coming, new: Look) -> bool:
        """Whether a card is believed to have come only with the lift that brought it.

        A race brings a card equal to the last one; any other face may be a misreading under a hand, and an
        equal one long after may be the race's other card, bared when one is taken back.
        """
        top = coming.look.reading.top
        after_us = coming.touch.end_us - old.since_us
        is_odd = top != new.reading.top
        is_late = top == old.reading.top and after_us > self._watched.settings.race_us
        is_race = watch.place.zone.pile.kind is PileKind.FOUNDATION
        return is_odd or is_late or (coming.look is not new and not is_race)

    def _stays(self, watch: ZoneWatch, old: Look, coming: Coming, new: Look) -> bool | None:
        """Whether a card still lies there, below the last one. None: too little shows."""
        return lies_beneath(watch.place, old, coming.look, new, self._watched.settings)

    def _taken_back(self, watch: ZoneWatch, coming: Coming, new: Look) -> None:
        """A card that came has gone again: told after its landing."""
        lifted = self._lifts.take_top(watch, coming.look, new, is_certain=True)
        self._waiting.in_turn(watch.place.zone.pile, lifted)

    def _wait(
        self,
        watch: ZoneWatch,
        coming: Coming,
        settled_us: int,
        reach: Reach,
        beneath: Beneath | None,
        *,
        brought: frozenset[Seat | None] = frozenset(),
    ) -> PendingLanding:
        """A landing that waits from now on, until its source is known or has been waited for.

        brought: the seats whose cards came to that pile just before it.
        """
        owners = None
        if beneath is not None:
            owners = owners_by_hands(self._watched, watch, coming, beneath, reach)
        landed = self._landed(watch, coming, settled_us, reach, owners)
        if owners is not None and beneath is not None and not is_told_by_itself(beneath, owners, reach.stops):
            owners = None
        pending = PendingLanding(
            landed=landed,
            deadline_us=settled_us + self._watched.settings.source_wait_us,
            since_us=watch.since_us,
            rested_us=max(coming.look.since_us, coming.touch.end_us),
            beneath=beneath,
            owners=owners,
            is_contested=reach.is_contested,
            is_disputed=owners is None and _is_disputed(landed, reach, brought),
        )
        self._waiting.add(pending)
        return pending

    def _landed(
        self, watch: ZoneWatch, coming: Coming, settled_us: int, reach: Reach, owners: Owners | None
    ) -> CardLanded:
        touch, reading = coming.touch, coming.look.reading
        seat, seat_confidence = self._brought_by(watch, coming, reach, owners)
        return CardLanded(
            pile=watch.place.zone.pile,
            card=reading.top,
            touch=touch,
            settled_us=settled_us,
            seat=seat,
            seat_confidence=seat_confidence,
            source=None,
            confidence=reading.confidence,
            resolution_us=self._watched.resolution_us,
            evidence=self._watched.evidence(touch.start_us, touch.end_us, settled_us),
        )

    def _brought_by(
        self, watch: ZoneWatch, coming: Coming, reach: Reach, owners: Owners | None
    ) -> tuple[Seat | None, float]:
        """Who brought a card, and how sure that is; to a seat's own pile its player, where no hand tells."""
        if owners is not None:
            return owners.above, owners.confidence
        seat, confidence = seat_at(self._watched, watch, coming, reach)
        owner = owner_of(watch.place.zone.pile)
        if seat is None and owner is not None:
            return owner, self._watched.settings.own_pile_confidence
        return seat, confidence


def _is_disputed(landed: CardLanded, reach: Reach, brought: Collection[Seat | None]) -> bool:
    """Whether another seat's fingers were at rest on a foundation before a card surely lay there.

    Not where the card that they laid down is known: those of ``brought``.
    """
    if landed.pile.kind is not PileKind.FOUNDATION:
        return False
    others = [stop for seat, stop in reach.stops.items() if seat is not landed.seat and seat not in brought]
    return any(stop.end_us <= landed.touch.end_us for stop in others)


def _stack(watch: ZoneWatch, pending: PendingLanding) -> None:
    """Remember what has come to lie on a pile."""
    if pending.owners is not None and pending.beneath is not None:
        watch.stack.append(pending.beneath.card)
    watch.stack.append(pending.landed.card)
    del watch.stack[:-STACK_KEPT]
