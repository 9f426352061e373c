"""What happened to a pile from one look to the next, put into observations."""

from itertools import pairwise

from referee.clock import Interval
from referee.observations import Observation, PileSeen
from referee.piles import PileId, PileKind
from referee.sightings import Handling
from vision.changes import Below, Change, explain
from vision.gatherings import Gatherings, is_gathered
from vision.hand_touches import hands_on, slaps_before
from vision.landings import Landings
from vision.lifts import Lifts, lifted_between
from vision.pending import PendingLandings
from vision.pile_reader import PileReader
from vision.releases import Releases
from vision.settle import Look, ZoneWatch, shows_again
from vision.supplies import Supplies
from vision.wastes import Wastes
from vision.watched import WatchedTable


class PileTeller:
    """Tells of every pile that has come to rest, as soon as it is certain what happened to it."""

    def __init__(self, watched: WatchedTable, reader: PileReader) -> None:
        self._watched = watched
        self._reader = reader
        self._waiting = waiting = PendingLandings()
        self._lifts = lifts = Lifts(watched)
        self._supplies = Supplies(watched)
        self._wastes = wastes = Wastes(watched, self._supplies, lifts)
        self._gatherings = Gatherings(watched, self._supplies)
        self._landings = Landings(watched, reader, lifts=lifts, wastes=wastes, waiting=waiting)
        self._releases = Releases(
            watched, lifts=lifts, wastes=wastes, gatherings=self._gatherings, waiting=waiting
        )

    def tell(self, watch: ZoneWatch, old: Look | None, new: Look, t_us: int) -> list[Observation]:
        """A pile lies otherwise than before. ``old``: None where it is seen for the first time."""
        seen = self._seen(watch, new, t_us)
        if old is None:
            watch.stack[:] = [new.reading.top] if not new.reading.is_empty else []
            return [seen]
        if watch.place.zone.pile.kind is not PileKind.WASTE:
            return self._tell_step(watch, old, new, t_us, seen)
        # What was turned up is gone again before the hands are: each look is told from the one before.
        return self._tell_steps(watch, [old, *self._reader.visits(watch, old, new), new], t_us, seen)

    def tell_same(self, watch: ZoneWatch, old: Look, same: Look, t_us: int) -> list[Observation]:
        """A pile lies as before: cards came and went, or hands touched it."""
        told = self._told_of_same(watch, old, same, t_us)
        self._lifts.came_to_rest(watch.place.zone.pile)
        return told

    def release(self, t_us: int | None) -> list[Observation]:
        """What need not wait any more; with None all that waits."""
        return [*self._releases.tell(t_us), *self._gatherings.overdue(t_us)]

    def _told_of_same(self, watch: ZoneWatch, old: Look, same: Look, t_us: int) -> list[Observation]:
        if watch.place.zone.pile.kind is PileKind.WASTE:
            visits = self._reader.visits(watch, old, same)
            if visits:
                return self._tell_steps(watch, [old, *visits, same], t_us, None)
        elif self._landings.tell(watch, old, same, Change.NOTHING, t_us):
            return []
        return hands_on(self._watched, watch, same.since_us)

    def _tell_steps(
        self, watch: ZoneWatch, looks: list[Look], t_us: int, seen: PileSeen | None
    ) -> list[Observation]:
        """What happened from look to look, and then what was ``seen`` of the pile at rest."""
        told: list[Observation] = []
        for earlier, later in pairwise(looks):
            told += self._tell_step(watch, earlier, later, t_us, seen if later is looks[-1] else None)
        return told

    def _tell_step(
        self, watch: ZoneWatch, old: Look, new: Look, t_us: int, seen: PileSeen | None
    ) -> list[Observation]:
        """What happened from one look to the next, and then what was ``seen`` of the pile at rest."""
        below = Below(watch.stack[-2] if len(watch.stack) > 1 else None, watch.look_below)
        change = explain(old, new, watch.place, below, self._watched.settings)
        if watch.place.zone.is_supply:
            return [*self._supply_changed(watch, old, new, t_us), *self._in_turn(watch, seen)]
        if change is Change.LANDED and shows_again(watch, new):
            return [*self._never_left(watch, old, new), *self._in_turn(watch, seen)]
        self._landings.tell(watch, old, new, change, t_us)
        match change:
            case Change.LANDED:
                watch.look_below = old
            case Change.FACED:
                self._landings.face_up(watch, old, new, t_us, Handling.FACED_UP)
            case Change.LIFTED:
                return self._lifted(watch, old, new, t_us, seen)
            case Change.UNCLEAR:
                self._other_top(watch, old, new, t_us)
            case Change.MOVED:
                self._moved(watch, old, new, below)
            case Change.NOTHING:
                return hands_on(self._watched, watch, new.since_us)
        return self._in_turn(watch, seen)

    def _never_left(self, watch: ZoneWatch, old: Look, new: Look) -> list[Observation]:
        """A card that shows again where it lay: only what lay over it is gone."""
        self._lifts.never_left(watch.place.zone.pile)
        if old.reading.is_empty:
            watch.stack.append(new.reading.top)
        else:
            watch.stack[-1:] = [new.reading.top]
        return hands_on(self._watched, watch, new.since_us)

    def _supply_changed(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> list[Observation]:
        """A packet of backs has changed; the waste of its seat, or a spit pile, may have come to it."""
        self._supplies.remember(watch, old, new, t_us)
        waste = PileId(PileKind.WASTE, watch.place.zone.pile.seat)
        return [*self._gatherings.laid_down(), *self._wastes.turned_over(waste, t_us)]

    def _lifted(
        self, watch: ZoneWatch, old: Look, new: Look, t_us: int, seen: PileSeen | None
    ) -> list[Observation]:
        """A top has gone, or a spit pile as a whole."""
        is_whole = is_gathered(watch, new)
        watch.look_below = None
        if is_whole and seen is not None:
            return self._gathered(watch, old, new, seen)
        if watch.place.zone.pile.kind is PileKind.WASTE and new.reading.is_empty:
            return [*self._emptied(watch, old, new, t_us), *self._in_turn(watch, seen)]
        return [*self._top_gone(watch, old, new, t_us), *self._in_turn(watch, seen)]

    def _gathered(self, watch: ZoneWatch, old: Look, new: Look, bare: PileSeen) -> list[Observation]:
        """A spit pile was picked up whole; hands may have slapped it before."""
        lifted = lifted_between(self._watched, watch, old, new)
        watch.stack.clear()
        self._gatherings.begin(lifted, bare)
        return [*slaps_before(self._watched, watch, lifted.lifted.start_us), *self._gatherings.laid_down()]

    def _top_gone(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> list[Observation]:
        """A lift; of a stock pile that shows another face the next card was turned up."""
        lifted = self._in_turn(watch, self._lifts.take_top(watch, old, new, is_certain=True))
        if watch.place.zone.is_stock_pile and new.reading.face_up:
            self._landings.face_up(watch, old, new, t_us, Handling.FACED_UP)
        return lifted

    def _emptied(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> list[Observation]:
        """A waste that lies bare: its last card was played, or it was turned over to be the stock."""
        lift = self._lifts.remember(watch, old, new, is_certain=False)
        watch.stack[:] = [None]
        if watch.look is None or watch.look.reading.is_empty or lift not in self._lifts:
            return []  # Only what was turned just now has gone again, or its card is known to be played.
        self._wastes.was_emptied(lift.observation)
        return [*self._wastes.turned_over(watch.place.zone.pile, t_us)]

    def _other_top(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> None:
        """Another top on a waste or a work pile: its top went, or cards were turned onto it, or came."""
        gone = self._lifts.remember(watch, old, new, is_certain=False)
        watch.stack[:] = [new.reading.top]
        if self._wastes.is_turned_to(watch.place.zone.pile):
            self._landings.face_up(watch, old, new, t_us, Handling.TURNED, gone=gone)

    def _moved(self, watch: ZoneWatch, old: Look, new: Look, below: Below) -> None:
        """The same cards otherwise; of two equal ones the upper may have gone."""
        if below.face is not None and below.face == new.reading.top:
            self._lifts.take_top(watch, old, new, is_certain=False)
        elif watch.stack and new.reading.top is not None:
            watch.stack[-1] = new.reading.top

    def _in_turn(self, watch: ZoneWatch, observation: Observation | None) -> list[Observation]:
        """Hold back what follows a landing of the same pile that still waits for its source."""
        return self._waiting.in_turn(watch.place.zone.pile, observation)

    def _seen(self, watch: ZoneWatch, look: Look, t_us: int) -> PileSeen:
        reading = look.reading
        return PileSeen(
            pile=watch.place.zone.pile,
            top=reading.top,
            is_empty=reading.is_empty,
            face_up=reading.face_up,
            seen=Interval(look.since_us, t_us),
            confidence=reading.confidence,
            evidence=self._watched.evidence(look.since_us, t_us),
        )
