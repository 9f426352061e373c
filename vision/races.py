"""Two cards that came to one place: whose lies on top, whose below."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from referee.cards import Card
from referee.clock import Interval
from referee.observations import CardLanded
from referee.piles import Seat
from referee.sightings import LaidCard, PileLaid
from vision.readings import TOWARDS
from vision.settings import WatchSettings
from vision.table import Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Beneath:
    """A card that lies below the top one and came with it.

    towards_mm: where it shows, from the top card's middle.
    """

    touch: Interval
    is_seen: bool
    """Whether it was seen to come; False: hands hid it, and only what shows at rest tells of it."""
    shows: bool
    """Whether it shows beside the top card."""
    brought_by: Seat | None
    """Whose hand was over the place as it came. None: more than one, or it was not seen to come."""
    towards_mm: tuple[float, float]
    card: Card | None
    """As it was read before it was covered. None: it was not."""
    confidence: float


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose cards lie above and below. None: the evidence does not agree, or there is none."""

    above: Seat | None
    below: Seat | None
    confidence: float


NOBODY_KNOWN = Owners(None, None, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What speaks for either of two seats.

    fingers_mm: how far towards each seat's edge fingers lie on the upper card once it has touched; empty
    where none do. stops: when the fingers of a seat came to rest on the pile. grew_above, grew_below: the
    share of each seat in what hands grew into the place before the upper and before the lower card touched.
    leans_mm: how far the lower card shows towards each seat's edge.
    """

    seats: tuple[Seat, Seat]
    fingers_mm: Mapping[Seat, float]
    stops: Mapping[Seat, Interval]
    grew_above: Mapping[Seat, float]
    grew_below: Mapping[Seat, float]
    leans_mm: Mapping[Seat, float]
    is_apart: bool
    """Whether the two touches are surely apart: then hands tell, or a card that shows far to one side."""


def owners_of(signs: Signs, settings: WatchSettings) -> Owners:
    """Whose card lies above: of the seat whose fingers lie on it.

    The hand that brought the lower card is under the upper one, or beside it.
    """
    holding = seat_holding(signs.fingers_mm, settings)
    if holding is not None:
        return _owners(signs, holding, settings.finger_confidence)
    return _owners_by_coming(signs, settings)


def _owners_by_coming(signs: Signs, settings: WatchSettings) -> Owners:
    """The upper card is of the seat whose fingers stopped later, or whose hand came just then.

    Where touches cannot be told apart and no hand tells, by the side to which the lower card shows: people
    hold a card by the half that is nearer to them.
    """
    stopped_later = _stopped_later(signs)
    if stopped_later is not None:
        is_odd = _leaning_above(signs, settings) not in {None, stopped_later}
        return NOBODY_KNOWN if is_odd else _owners(signs, stopped_later, settings.stop_confidence)
    votes = [*_votes(signs, signs.grew_above, settings, is_below=False)]
    votes += _votes(signs, signs.grew_below, settings, is_below=True)
    leaning = _leaning_above(signs, settings)
    if not votes:
        least_mm = settings.lean_sure_mm if signs.is_apart else settings.lean_mm
        if leaning is None or abs(_away_mm(signs)) < least_mm:
            return NOBODY_KNOWN
        return _owners(signs, leaning, settings.lean_confidence)
    seats = {seat for seat, _ in votes}
    if len(seats) > 1:
        return NOBODY_KNOWN
    seat, confidence = min(votes, key=lambda vote: vote[1])
    if leaning not in {None, seat} and confidence < settings.race_sure_share:
        return NOBODY_KNOWN
    return _owners(signs, seat, confidence)


def seat_holding(fingers_mm: Mapping[Seat, float], settings: WatchSettings) -> Seat | None:
    """The seat on whose side of a card fingers lie. None: on nobody's, or of several nearly as much."""
    nearest = sorted(fingers_mm, key=lambda seat: -fingers_mm[seat])
    if len(nearest) < 2 or fingers_mm[nearest[0]] - fingers_mm[nearest[1]] < settings.finger_side_mm:
        return None
    return nearest[0]


def is_told_by_itself(beneath: Beneath, owners: Owners, stopped: Collection[Seat]) -> bool:
    """Whether a lower card is told without a pile that it came from.

    One that was seen came by another hand than the upper card: else it is that card, as it was held over
    its place. One that was not shows beside the upper one, and both hands came to rest. Where nothing shows,
    what was seen has a face: an empty hand that rests looks like something that lies there, too.
    """
    if not beneath.shows and beneath.card is None:
        return False
    if not beneath.is_seen:
        return beneath.shows and len(stopped) > 1
    if beneath.brought_by is None or owners.above is None:
        return beneath.shows
    return beneath.brought_by is not owners.above


def _votes(
    signs: Signs, grew: Mapping[Seat, float], settings: WatchSettings, *, is_below: bool
) -> list[tuple[Seat, float]]:
    """The seat whose card is the upper one by the hands that came before one touch; none where both did."""
    votes = []
    for seat, other in (signs.seats, signs.seats[::-1]):
        share = grew.get(seat, 0.0)
        if share >= settings.race_share:
            votes.append((other if is_below else seat, share))
    return votes


def _stopped_later(signs: Signs) -> Seat | None:
    """The seat whose fingers surely stopped after the other's. None: together, or one did not stop."""
    first, second = (signs.stops.get(seat) for seat in signs.seats)
    if first is None or second is None:
        return None
    if first.end_us < second.start_us:
        return signs.seats[1]
    return signs.seats[0] if second.end_us < first.start_us else None


def _leaning_above(signs: Signs, settings: WatchSettings) -> Seat | None:
    """The seat from which the lower card shows away. None: it shows to neither side."""
    first, second = signs.seats
    away_mm = _away_mm(signs)
    if abs(away_mm) < settings.lean_mm:
        return None
    return second if away_mm > 0 else first


def _away_mm(signs: Signs) -> float:
    """How much more the lower card shows towards the first seat than towards the second."""
    first, second = signs.seats
    return signs.leans_mm.get(first, 0.0) - signs.leans_mm.get(second, 0.0)


def _owners(signs: Signs, above: Seat, confidence: float) -> Owners:
    first, second = signs.seats
    return Owners(above, second if above is first else first, confidence)


def lean_mm(beneath: Beneath, edge: Edge) -> float:
    """How far the lower card shows towards an edge, in millimetres."""
    x, y = TOWARDS[edge]
    return x * beneath.towards_mm[0] + y * beneath.towards_mm[1]


def below_of(landed: CardLanded, beneath: Beneath, owners: Owners) -> CardLanded:
    """The landing of the lower card, told with that of the upper one."""
    frames_us = (beneath.touch.start_us, beneath.touch.end_us, landed.settled_us)
    return replace(
        landed,
        card=beneath.card,
        touch=beneath.touch,
        seat=owners.below,
        seat_confidence=owners.confidence,
        confidence=beneath.confidence,
        evidence=replace(landed.evidence, frames_us=frames_us),
    )


def order_at_rest(below: CardLanded, above: CardLanded, since_us: int) -> PileLaid:
    """The order in which two cards lie, seen at rest."""
    return PileLaid(
        pile=above.pile,
        down=None,
        cards=tuple(LaidCard(card=landed.card, owner=landed.seat) for landed in (below, above)),
        below_known=False,
        at=Interval(since_us, above.settled_us),
        confidence=min(below.confidence, above.confidence),
        evidence=replace(above.evidence, frames_us=(since_us, above.settled_us)),
    )
