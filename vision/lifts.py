"""Cards that were lifted, until it is known where they came to."""

from collections import deque
from collections.abc import Collection
from dataclasses import replace

from referee.cards import Card
from referee.clock import Interval
from referee.observations import CardLanded, CardLifted
from referee.piles import PileId, PileKind, Seat
from vision.carry import Lift, owner_of, source_among
from vision.changes import cards_gone, is_more_gone
from vision.contacts import disturbed_until, times_of
from vision.reach import seat_over
from vision.settle import Look, Phase, ZoneWatch
from vision.watched import WatchedTable

LIFTS_KEPT = 40
"""Of all piles: several times as many as four players lift within ``carry_us``."""


class Lifts:
    """The lifts of late, those of them whose card is known to have come elsewhere set apart."""

    def __init__(self, watched: WatchedTable) -> None:
        self._watched = watched
        self._open: deque[Lift] = deque(maxlen=LIFTS_KEPT)
        self._claimed: deque[CardLifted] = deque(maxlen=LIFTS_KEPT)
        self._foretold: dict[PileId, Card] = {}
        """Cards that came elsewhere from piles that were not at rest since: their lifts have been told."""

    def __contains__(self, lift: object) -> bool:
        """Whether it is not known where its card came to."""
        return lift in self._open

    def remember(self, watch: ZoneWatch, old: Look, new: Look, *, is_certain: bool) -> Lift:
        """Remember the lift of the top that an old look showed."""
        observation = lifted_between(self._watched, watch, old, new)
        lift = Lift(observation, is_certain, _run_between(self._watched, watch, old, new))
        if self._foretold.pop(watch.place.zone.pile, None) == observation.card:
            self._claimed.append(observation)
        else:
            self._open.append(lift)
        return lift

    def take_top(self, watch: ZoneWatch, old: Look, new: Look, *, is_certain: bool) -> CardLifted | None:
        """Take a pile's top off, as far as its cards are known. None: it may not be lifted, or was told."""
        lift = self.remember(watch, old, new, is_certain=is_certain)
        if not is_certain:
            watch.stack[:] = [new.reading.top]
            return None
        if watch.stack:
            watch.stack.pop()
        if not new.reading.is_empty and (not watch.stack or watch.stack[-1] != new.reading.top):
            watch.stack[:] = [new.reading.top]
        return lift.observation if lift in self._open else None

    def claim(self, lift: Lift) -> None:
        """The card of a lift is known to have come elsewhere."""
        if lift in self._open:
            self._open.remove(lift)
        elif lift.observation.card is not None:
            self._foretold[lift.observation.pile] = lift.observation.card
        self._claimed.append(lift.observation)

    def take_back(self, lift: Lift) -> None:
        """A card that seemed to be lifted lies there still."""
        if lift in self._open:
            self._open.remove(lift)

    def never_left(self, pile: PileId) -> None:
        """What seemed to be lifted from a pile lay there all the time."""
        for lift in [lift for lift in self._open if lift.observation.pile == pile]:
            self._open.remove(lift)

    def came_to_rest(self, pile: PileId) -> None:
        """A pile lies as before: what is lifted from now on has not been told."""
        self._foretold.pop(pile, None)

    def keep_back(self, untold: Collection[CardLifted]) -> None:
        """Lifts that are not told now are told only when their cards land elsewhere."""
        for i, lift in enumerate(self._open):
            if any(lift.observation is observation for observation in untold):
                self._open[i] = replace(lift, is_certain=False)

    def is_taken(self, gone: Lift | None) -> bool:
        """Whether a card that seemed to be lifted is known to have come elsewhere."""
        return gone is not None and any(
            (lift.pile, lift.card) == (gone.observation.pile, gone.observation.card)
            and lift.lifted.start_us <= gone.observation.lifted.end_us
            and gone.observation.lifted.start_us <= lift.lifted.end_us
            for lift in self._claimed
        )

    def source_of(self, landed: CardLanded, card: Card, seat: Seat | None) -> Lift | None:
        """The lift of a card that a seat can have brought to where one landed. None: there is none."""
        carry_us = self._watched.settings.carry_us
        return source_among(
            self._open, landed.pile, card=card, seat=seat, touch=landed.touch, carry_us=carry_us
        )

    def equal_to(self, landed: CardLanded) -> list[Lift]:
        """Of each seat the lift of an equal card that can have come here."""
        if landed.card is None:
            return []
        places = self._watched.table.seats
        lifts = (self.source_of(landed, landed.card, place.seat) for place in places)
        return [lift for lift in lifts if lift is not None]

    def last_of(self, landed: CardLanded, seat: Seat) -> Lift | None:
        """What a seat lifted last before a touch: on a spit pile no card is equal to its rival."""
        own = [lift.observation.card for lift in self._open if lift.owner is seat]
        others = [card for card in own if card not in {None, landed.card}]
        found = [self.source_of(landed, card, seat) for card in others if card is not None]
        lifts = [lift for lift in found if lift is not None]
        return max(lifts, key=lambda lift: lift.observation.lifted.start_us, default=None)

    def under_hands(self, landed: CardLanded) -> list[Lift]:
        """The lifts from piles under hands that showed the card and are not known to have lost it."""
        watches = self._watched.watches
        piles = [w for w in watches if self._foretold.get(w.place.zone.pile) != landed.card]
        lifts = (_lift_under_hand(watch, landed) for watch in piles)
        return [lift for lift in lifts if lift is not None]


def lifted_between(watched: WatchedTable, watch: ZoneWatch, old: Look, new: Look) -> CardLifted:
    """The lift of the top that an old look showed."""
    crossing = watched.history.departure(watch.place, old, new, disturbed_until(watch, new.since_us))
    start_us, end_us = times_of(watch, crossing, new)
    lifted = Interval(start_us, max(start_us, end_us))
    quad_mm = old.reading.top_quad_mm
    around = Interval(start_us, start_us) if crossing.last_before_us is not None else lifted
    seat = seat_over(watched, quad_mm, around) if quad_mm is not None else None
    return CardLifted(
        pile=watch.place.zone.pile,
        card=old.reading.top,
        lifted=lifted,
        seat=seat if seat is not None else owner_of(watch.place.zone.pile),
        confidence=old.reading.confidence,
        evidence=watched.evidence(lifted.start_us, lifted.end_us),
    )


def _run_between(watched: WatchedTable, watch: ZoneWatch, old: Look, new: Look) -> tuple[Card | None, ...]:
    """The cards of a run that left a work pile at once; empty for one card."""
    towards = watched.towards(watch.place.zone)
    if towards is None or watch.place.zone.pile.kind is not PileKind.TABLEAU:
        return ()
    gone = cards_gone(old.reading, new.reading, towards)
    if len(gone) == 1 and is_more_gone(watch.place, old, new, towards):
        return (None, *gone)
    return gone if len(gone) > 1 else ()


def _lift_under_hand(watch: ZoneWatch, landed: CardLanded) -> Lift | None:
    """The lift of a landed card from a pile under hands: some time since they came. None: not from there."""
    zone, look = watch.place.zone, watch.look
    if landed.card is None or look is None or look.reading.top != landed.card or watch.phase is Phase.STILL:
        return None
    owner, since_us = owner_of(zone.pile), watch.disturbed_us
    if owner is None or zone.pile == landed.pile or since_us >= landed.touch.end_us:
        return None
    lifted = Interval(since_us, max(since_us, landed.touch.start_us))
    evidence = replace(landed.evidence, frames_us=(lifted.start_us, lifted.end_us))
    observation = CardLifted(
        pile=zone.pile,
        card=landed.card,
        lifted=lifted,
        seat=owner,
        confidence=look.reading.confidence,
        evidence=evidence,
    )
    return Lift(observation, is_certain=False)
