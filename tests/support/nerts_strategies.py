"""Matches that hypothesis makes up: any observation, and plays that look like a game."""

from dataclasses import fields, is_dataclass, replace

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
from referee.sightings import (
    CardsCarried,
    CarryPlace,
    ClockDoubted,
    ClockFault,
    Hand,
    HandCarried,
    Handling,
    HandsRested,
    LabelRun,
    LabelsRead,
    LaidCard,
    LandedBetween,
    OverlapOf,
    PileHandled,
    PileLaid,
    PileShare,
    PilesOverlapped,
)
from referee.tellings import (
    BacksCounted,
    CallClock,
    Called,
    CallKind,
    Declared,
    PlayClaimed,
    PointsTold,
    ResultShown,
)

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
def landings(draw, pile=foundations, card=cards, confidence=shares):
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
        confidence=draw(confidence),
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
seen_of_old = st.one_of(landings(), landings(pile=piles), looks(), lifts, touches, losses, counts)
"""The kinds that a record of the first form has."""

some_cards = st.lists(cards, max_size=3).map(tuple)
read_cards = st.lists(low_cards, max_size=3).map(tuple)
laid_cards = st.builds(LaidCard, card=cards, owner=seats, stands_for=st.one_of(st.none(), low_cards))
laid = st.builds(
    PileLaid,
    pile=piles,
    down=st.one_of(st.none(), st.integers(0, 12)),
    cards=st.lists(laid_cards, max_size=4).map(tuple),
    below_known=st.booleans(),
    at=intervals(),
    told_by=texts,
    confidence=shares,
    evidence=evidences,
)


@st.composite
def carries(draw):
    landed = draw(landings(pile=piles))
    return CardsCarried(
        pile=landed.pile,
        cards=draw(st.lists(cards, min_size=1, max_size=3).map(tuple)),
        place=draw(st.sampled_from(CarryPlace)),
        source=landed.source,
        left=draw(some_cards),
        lifted=draw(st.one_of(st.none(), intervals())),
        touch=landed.touch,
        settled_us=landed.settled_us,
        seat=landed.seat,
        seat_confidence=landed.seat_confidence,
        confidence=landed.confidence,
        resolution_us=landed.resolution_us,
        evidence=landed.evidence,
    )


@st.composite
def landings_between(draw):
    landed = draw(landings())
    over = draw(st.lists(foundations, max_size=2, unique=True))
    return LandedBetween(
        shares=tuple(PileShare(pile, draw(shares)) for pile in over),
        card=landed.card,
        touch=landed.touch,
        settled_us=landed.settled_us,
        seat=landed.seat,
        seat_confidence=landed.seat_confidence,
        source=landed.source,
        confidence=landed.confidence,
        resolution_us=landed.resolution_us,
        evidence=landed.evidence,
    )


handlings = st.builds(
    PileHandled,
    handling=st.sampled_from(Handling),
    pile=piles,
    target=st.one_of(st.none(), piles),
    count=st.one_of(st.none(), st.integers(0, 5)),
    cards=read_cards,
    touch=intervals(),
    seat=seats,
    seat_confidence=st.sampled_from((0.5, 0.9, 1.0)),
    resolution_us=st.integers(0, 50_000),
    confidence=shares,
    evidence=evidences,
)
hands = st.builds(
    HandCarried,
    seat=seats,
    hand=st.sampled_from(Hand),
    card=cards,
    pile=st.one_of(st.none(), piles),
    carried=intervals(),
    confidence=shares,
    evidence=evidences,
)
rests = st.builds(
    HandsRested,
    pile=piles,
    seats=st.lists(st.sampled_from(SEATS), unique=True, max_size=3).map(tuple),
    at=intervals(),
    confidence=shares,
    evidence=evidences,
)
overlaps = st.builds(
    PilesOverlapped,
    piles=st.lists(piles, max_size=3).map(tuple),
    overlap=st.sampled_from(OverlapOf),
    at=intervals(),
    evidence=evidences,
)
labels = st.builds(
    LabelsRead,
    pile=piles,
    runs=st.lists(st.builds(LabelRun, cards, st.integers(1, 9)), min_size=1, max_size=4).map(tuple),
    read=intervals(),
    resolution_us=st.integers(0, 50_000),
    evidence=evidences,
)
clocks = st.builds(
    ClockDoubted,
    fault=st.sampled_from(ClockFault),
    source_id=texts,
    lag_us=st.sampled_from((0, 33_333)),
    at_us=st.integers(0, LATEST_US),
)
backs = st.builds(
    BacksCounted,
    deck=st.sampled_from(SEATS),
    pile=st.one_of(st.none(), foundations),
    count=st.integers(0, 20),
    told_by=texts,
    at_us=st.integers(0, LATEST_US),
)
points = st.builds(
    PointsTold,
    seat=st.sampled_from(SEATS),
    points=st.integers(-200, 200),
    calls=st.integers(0, 5),
    told_by=texts,
    at_us=st.integers(0, LATEST_US),
)


@st.composite
def calls(draw):
    at = draw(st.one_of(st.none(), intervals()))
    return Called(
        call=draw(st.sampled_from(CallKind)),
        seat=draw(seats),
        at=at,
        told_us=(0 if at is None else at.end_us) + draw(sizes_us),
        told_by=draw(texts),
        clock=draw(st.sampled_from(CallClock)),
    )


declarations = st.builds(
    Declared,
    seat=seats,
    card=low_cards,
    at=intervals(),
    told_by=texts,
    clock=st.sampled_from(CallClock),
)
claims = st.builds(
    PlayClaimed,
    seat=st.sampled_from(SEATS),
    card=cards,
    pile=piles,
    at=intervals(),
    told_by=texts,
    clock=st.sampled_from(CallClock),
)
results = st.builds(
    ResultShown,
    shown_on=texts,
    pile=foundations,
    seat=seats,
    margin=st.one_of(st.none(), intervals()),
    at_us=st.integers(0, LATEST_US),
)
sightings = st.one_of(laid, carries(), landings_between(), handlings, hands, rests, overlaps, labels, clocks)
tellings = st.one_of(backs, points, calls(), declarations, claims, results)
observations = st.one_of(seen_of_old, landings(), sightings, tellings)


def in_time(told: list[Observation]) -> list[Observation]:
    """``told`` in the order in which it became known."""
    return sorted(told, key=known_us)


matches = st.lists(observations, max_size=20).map(in_time)
old_matches = st.lists(seen_of_old, max_size=20).map(in_time)
plays = st.lists(landings(card=low_cards, confidence=st.floats(0.5, 1)), max_size=20).map(in_time)


def moved_to(value, seat_of: dict[Seat, Seat]):
    """``value`` with every seat in it renamed."""
    if isinstance(value, Seat):
        return seat_of[value]
    if isinstance(value, tuple):
        return tuple(moved_to(each, seat_of) for each in value)
    if not is_dataclass(value):
        return value
    return replace(
        value, **{item.name: moved_to(getattr(value, item.name), seat_of) for item in fields(value)}
    )
