"""Spit's own: spit piles that are picked up whole, and the packets of spit cards that they are laid on."""

from dataclasses import dataclass, replace

from referee.clock import Interval
from referee.observations import CardLanded, CardLifted, Observation, PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.sightings import Handling, PileHandled
from vision.pending import PendingLanding
from vision.reach import is_reached_by_owner
from vision.settle import Look, ZoneWatch
from vision.supplies import Supplies
from vision.watched import WatchedTable

LAID_DOWN_WAIT_US = 2_000_000
"""So long a spit pile that was picked up is waited for to be laid on a packet."""


@dataclass(frozen=True, slots=True)
class _Gathering:
    """A spit pile that was picked up whole, until it is laid down, or ``deadline_us``."""

    handled: PileHandled
    bare: PileSeen
    """The pile's place after it, told with it: the round is over once it lies bare."""
    deadline_us: int


class Gatherings:
    """The spit piles that were picked up and are not yet seen to be laid down."""

    def __init__(self, watched: WatchedTable, supplies: Supplies) -> None:
        self._watched = watched
        self._supplies = supplies
        self._gatherings: list[_Gathering] = []

    def begin(self, lifted: CardLifted, bare: PileSeen) -> None:
        """A spit pile was picked up whole, by a lift of its top card."""
        handled = PileHandled(
            handling=Handling.GATHERED,
            pile=lifted.pile,
            touch=lifted.lifted,
            seat=lifted.seat,
            seat_confidence=1.0 if lifted.seat is not None else 0.0,
            resolution_us=self._watched.resolution_us,
            confidence=lifted.confidence,
            evidence=lifted.evidence,
        )
        wait_us = LAID_DOWN_WAIT_US if self._packets(lifted.seat) else 0
        self._gatherings.append(_Gathering(handled, bare, lifted.lifted.end_us + wait_us))

    def laid_down(self) -> list[Observation]:
        """Those that have come to lie on a packet of spit cards."""
        told: list[Observation] = []
        for gathering in list(self._gatherings):
            found = self._laid_on(gathering.handled)
            if found is not None:
                self._gatherings.remove(gathering)
                told += [found, gathering.bare]
        return told

    def overdue(self, t_us: int | None) -> list[Observation]:
        """Those that were not seen to be laid down in time; with None all."""
        due = [each for each in self._gatherings if t_us is None or t_us >= each.deadline_us]
        self._gatherings = [each for each in self._gatherings if each not in due]
        return [told for each in due for told in (each.handled, each.bare)]

    def from_packet(self, pending: PendingLanding, landed: CardLanded) -> CardLanded:
        """A card that came to a spit pile from no pile of faces was turned from its player's packet."""
        if landed.pile.kind is not PileKind.SPIT or landed.seat is None:
            return landed
        for packet in self._packets(landed.seat):
            change = self._supplies.change_with(packet, Interval(pending.since_us, landed.settled_us))
            if change is not None:
                change.is_told = True
            if change is not None or is_reached_by_owner(self._watched, packet, landed.touch):
                return replace(landed, source=packet)
        return landed

    def _packets(self, seat: Seat | None) -> list[PileId]:
        """The packets of spit cards that lie on the table: of a seat, or with None of all."""
        seats = [place.seat for place in self._watched.table.seats if seat in {None, place.seat}]
        packets = [PileId(PileKind.HAND, each) for each in seats]
        return [packet for packet in packets if self._watched.has(packet)]

    def _laid_on(self, handled: PileHandled) -> PileHandled | None:
        """The gathering with where its cards came to. None: no packet has changed since."""
        for packet in self._packets(handled.seat):
            change = self._supplies.untold_after(packet, handled.touch.start_us)
            if change is None:
                continue
            change.is_told = True
            touch = self._with_packet_slack(change.touch)
            frames_us = (*handled.evidence.frames_us, touch.start_us, touch.end_us)
            evidence = replace(handled.evidence, frames_us=frames_us)
            return replace(handled, target=packet, seat=packet.seat, touch=touch, evidence=evidence)
        return None

    def _with_packet_slack(self, touch: Interval) -> Interval:
        """A packet touches with its lowest card; what is seen to come to rest is its highest."""
        slack_us = self._watched.periods_us(self._watched.settings.packet_slack_periods)
        return Interval(touch.start_us - slack_us, touch.end_us)


def is_gathered(watch: ZoneWatch, new: Look) -> bool:
    """Whether a spit pile was picked up whole: it lies bare, and is not known to have held one card only."""
    was_one_card = watch.look_below is not None and watch.look_below.reading.is_empty
    return watch.place.zone.pile.kind is PileKind.SPIT and new.reading.is_empty and not was_one_card
