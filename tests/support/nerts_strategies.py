"""Matches that hypothesis makes up: any observation, and plays that look like a game."""

from dataclasses import replace

from hypothesis import strategies as st
from typed_match import FRAME_US

from referee.cards import FACES, Card
from referee.clock import Interval
from referee.observations import (
    CardLanded,
    CardLifted,
    CardsCounted,
    Evidence,
    HandTouched,
    Observation,
    PileSeen,
    ViewLost,
    known_us,
)
from referee.piles import PileId, PileKind, Seat

SEATS = (Seat.SOUTH, Seat.NORTH, Seat.EAST, Seat.WEST)
FOUNDATIONS = tuple(PileId(PileKind.FOUNDATION, None, i) for i in range(3))
LAYOUTS = tuple(
    PileId(kind, seat, index)
    for seat in SEATS
    for kind, index in (
        (PileKind.WASTE, 0),
        (PileKind.RESERVE, 0),
        (PileKind.TABLEAU, 0),
        (PileKind.TABLEAU, 1),
        (PileKind.STOCK, 0),
    )
)
LATEST_US = 3_000_000

seats = st.sampled_from((*SEATS, None))
piles = st.sampled_from(FOUNDATIONS + LAYOUTS)
low_cards = st.sampled_from([card for card in FACES if card.rank <= 4 and card.suit in {"H", "S"}])
cards = st.one_of(low_cards, st.sampled_from((*FACES, Card.parse("JK"), None)))
shares = st.floats(0, 1)
sizes_us = st.sampled_from((0, 16_667, 33_333, 300_000))


@st.composite
def intervals(draw):
    start_us = draw(st.integers(0, LATEST_US // 16_667)) * 16_667
    return Interval(start_us, start_us + draw(sizes_us))


texts = st.text(alphabet='ab \u00e9\u2665"\\{\n', max_size=5)
"""Whatever may stand in a text but a seat's name."""

evidences = st.builds(
    Evidence,
    source_id=texts,
    frames_us=st.lists(st.integers(0, LATEST_US), max_size=3).map(tuple),
)


foundations = st.sampled_from(FOUNDATIONS)


@st.composite
def landings(draw, pile=foundations, card=cards):
    touch, target = draw(intervals()), draw(pile)
    source = draw(st.one_of(st.none(), st.sampled_from([each for each in LAYOUTS if each != target])))
    return CardLanded(
        pile=target,
        card=draw(card),
        touch=touch,
        settled_us=touch.end_us + draw(sizes_us),
        seat=draw(seats),
        seat_confidence=draw(st.sampled_from((0.5, 0.9, 1.0))),
        source=source,
        confidence=draw(shares),
        resolution_us=draw(st.sampled_from((0, FRAME_US // 2, FRAME_US))),
        evidence=draw(evidences),
    )


@st.composite
def looks(draw):
    top = draw(cards)
    is_empty = top is None and draw(st.booleans())
    return PileSeen(
        pile=draw(piles),
        top=top,
        is_empty=is_empty,
        face_up=top is not None,
        seen=draw(intervals()),
        confidence=draw(shares),
        evidence=draw(evidences),
    )


lifts = st.builds(
    CardLifted, pile=piles, card=cards, lifted=intervals(), seat=seats, confidence=shares, evidence=evidences
)
touches = st.builds(
    HandTouched,
    seat=seats,
    pile=piles,
    touch=intervals(),
    resolution_us=st.integers(0, 50_000),
    confidence=shares,
    evidence=evidences,
)
losses = st.builds(ViewLost, pile=st.one_of(st.none(), piles), lost=intervals(), cause=texts)
counts = st.builds(
    CardsCounted,
    pile=piles,
    count=st.integers(0, 20),
    told_by=texts,
    at_us=st.integers(0, LATEST_US),
)
observations = st.one_of(landings(), landings(pile=piles), looks(), lifts, touches, losses, counts)


def in_time(told: list[Observation]) -> list[Observation]:
    """``told`` in the order in which it became known."""
    return sorted(told, key=known_us)


matches = st.lists(observations, max_size=20).map(in_time)
plays = st.lists(landings(card=low_cards), max_size=20).map(in_time)


def moved_to(observation: Observation, seat_of: dict[Seat, Seat]) -> Observation:
    """``observation`` with every seat renamed."""
    changes: dict[str, object] = {}
    for name in ("pile", "source"):
        pile = getattr(observation, name, None)
        if pile is not None and pile.seat is not None:
            changes[name] = replace(pile, seat=seat_of[pile.seat])
    seat = getattr(observation, "seat", None)
    if seat is not None:
        changes["seat"] = seat_of[seat]
    return replace(observation, **changes)
