"""Hands that put nothing down and took nothing: they touched a pile, or slapped it."""

from referee.clock import Interval
from referee.observations import HandTouched, Observation
from referee.piles import PileId, PileKind
from referee.sightings import Handling, PileHandled
from vision.contacts import disturbed_until
from vision.presence import Rest, rests
from vision.settle import ZoneWatch
from vision.watched import WatchedTable


def hands_on(watched: WatchedTable, watch: ZoneWatch, until_us: int) -> list[Observation]:
    """Hands that came to rest on a pile that lies as before; on a seat's pile only those of others.

    On a spit pile, once all stock piles of a seat lie bare, they slapped it.
    """
    zone = watch.place.zone
    hands = watched.hands_over(zone.polygon_mm, disturbed_until(watch, until_us))
    has_cards = watch.look is not None and not watch.look.reading.is_empty
    is_slap = zone.pile.kind is PileKind.SPIT and has_cards and _is_somebody_out(watched)
    return [
        _slapped(watched, zone.pile, rest) if is_slap else _hand_touched(watched, zone.pile, rest)
        for rest in rests(hands, zone.box_mm, watched.settings)
        if watched.seat_of(rest.seat) is not zone.pile.seat
    ]


def slaps_before(watched: WatchedTable, watch: ZoneWatch, until_us: int) -> list[Observation]:
    """Hands that came to rest on a spit pile and had gone again before it was picked up."""
    if not _is_somebody_out(watched):
        return []
    zone = watch.place.zone
    hands = watched.hands_over(zone.polygon_mm, disturbed_until(watch, until_us))
    return [
        _slapped(watched, zone.pile, rest)
        for rest in rests(hands, zone.box_mm, watched.settings)
        if hands.has_left(rest.seat, rest.touch.end_us)
    ]


def _is_somebody_out(watched: WatchedTable) -> bool:
    """Whether all stock piles of a seat lie bare."""
    for place in watched.table.seats:
        zones = ((watch, watch.place.zone) for watch in watched.watches)
        own = [watch for watch, zone in zones if zone.is_stock_pile and zone.pile.seat is place.seat]
        if own and all(watch.look is not None and watch.look.reading.is_empty for watch in own):
            return True
    return False


def _slapped(watched: WatchedTable, pile: PileId, rest: Rest) -> PileHandled:
    touched = _hand_touched(watched, pile, rest)
    late_us = watched.periods_us(watched.settings.slap_slack_periods)
    return PileHandled(
        handling=Handling.SLAPPED,
        pile=pile,
        touch=Interval(touched.touch.start_us, touched.touch.end_us + late_us),
        seat=touched.seat,
        seat_confidence=touched.confidence,
        resolution_us=touched.resolution_us,
        confidence=touched.confidence,
        evidence=touched.evidence,
    )


def _hand_touched(watched: WatchedTable, pile: PileId, rest: Rest) -> HandTouched:
    slack_us = watched.periods_us(watched.settings.slack_periods)
    return HandTouched(
        seat=watched.seat_of(rest.seat),
        pile=pile,
        touch=Interval(rest.touch.start_us - slack_us, rest.touch.end_us + slack_us),
        resolution_us=watched.resolution_us,
        confidence=min(rest.share, 1.0),
        evidence=watched.evidence(rest.touch.start_us, rest.touch.end_us),
    )
