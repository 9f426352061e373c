"""Matches of Spit and its sisters that hypothesis makes up: any observation, and deals that are played."""

from dataclasses import replace

from hypothesis import strategies as st

from referee.cards import FACES, Card
from referee.clock import ClockGrade, Interval
from referee.evidence import Evidence
from referee.observations import (
    CardLanded,
    CardLifted,
    CardsCounted,
    HandTouched,
    Observation,
    PileSeen,
    ViewLost,
    known_us,
)
from referee.piles import PileId, PileKind, Seat
from referee.setup import RULES_OF, Game, MatchSetup, SeatSetup
from referee.sightings import (
    CardsCarried,
    CarryPlace,
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
from referee.tellings import Called, CallKind, Declared, PointsTold

FRAME_US = 16_667
SEATS = (Seat.SOUTH, Seat.NORTH)
CENTRE = tuple(PileId(PileKind.SPIT, None, i) for i in (1, 2))
OWN = tuple(
    PileId(kind, seat, index)
    for seat in SEATS
    for kind, indices in ((PileKind.TABLEAU, (1, 2, 3, 6)), (PileKind.HAND, (0,)), (PileKind.STOCK, (0,)))
    for index in indices
)
SIDES = (PileId(PileKind.STOCK, None, 1), PileId(PileKind.STOCK, None, 2))
EVIDENCE = Evidence("made.mp4", ())
LATEST_US = 4_000_000


def setup_of(game: Game, seats: tuple[Seat, ...] = SEATS, **rules: object) -> MatchSetup:
    """Two players at 60 frames a second."""
    return MatchSetup(
        match_id="made",
        seats=tuple(
            SeatSetup(seat=seat, player=name) for seat, name in zip(seats, ("Ana", "Ben"), strict=True)
        ),
        frame_period_us=FRAME_US,
        clock_grade=ClockGrade.A,
        game=game,
        rules=RULES_OF[game].from_mapping(rules),
    )


seats = st.sampled_from((*SEATS, None))
piles = st.sampled_from((*CENTRE, *CENTRE, *OWN, *SIDES))
near = st.sampled_from([card for card in FACES if card.rank in {1, 2, 3, 13}])
cards = st.one_of(near, near, st.sampled_from((*FACES, Card.parse("JK"))))
faces = st.one_of(cards, cards, st.none())
sizes_us = st.sampled_from((0, FRAME_US, 300_000))


@st.composite
def intervals(draw):
    start_us = draw(st.integers(0, LATEST_US // FRAME_US)) * FRAME_US
    return Interval(start_us, start_us + draw(sizes_us))


@st.composite
def landings(draw):
    pile, touch = draw(piles), draw(intervals())
    others = st.sampled_from([each for each in (*CENTRE, *OWN, *SIDES) if each != pile])
    return CardLanded(
        pile=pile,
        card=draw(faces),
        touch=touch,
        settled_us=touch.end_us + draw(sizes_us),
        seat=draw(seats),
        seat_confidence=draw(st.sampled_from((0.5, 1.0))),
        source=draw(st.one_of(st.none(), others)),
        confidence=0.9,
        resolution_us=FRAME_US // 2,
        evidence=EVIDENCE,
    )


@st.composite
def carries(draw):
    landed = draw(landings())
    return CardsCarried(
        pile=landed.pile,
        cards=draw(st.lists(faces, min_size=1, max_size=3).map(tuple)),
        place=CarryPlace.TOP,
        source=landed.source,
        touch=landed.touch,
        settled_us=landed.settled_us,
        seat=landed.seat,
        seat_confidence=landed.seat_confidence,
        confidence=0.9,
        resolution_us=FRAME_US // 2,
        evidence=EVIDENCE,
    )


@st.composite
def betweens(draw):
    landed = draw(landings())
    first, second = draw(st.permutations((*CENTRE, *OWN)))[:2]
    share = draw(st.sampled_from((0.5, 0.7)))
    return LandedBetween(
        shares=(PileShare(first, share), PileShare(second, 1 - share)),
        card=landed.card,
        touch=landed.touch,
        settled_us=landed.settled_us,
        seat=landed.seat,
        seat_confidence=landed.seat_confidence,
        source=None,
        confidence=0.9,
        resolution_us=FRAME_US // 2,
        evidence=EVIDENCE,
    )


@st.composite
def looks(draw):
    top = draw(faces)
    is_empty = top is None and draw(st.booleans())
    return PileSeen(
        pile=draw(piles),
        top=top,
        is_empty=is_empty,
        face_up=top is not None or (not is_empty and draw(st.booleans())),
        seen=draw(intervals()),
        confidence=0.9,
        evidence=EVIDENCE,
    )


laids = st.builds(
    PileLaid,
    pile=piles,
    down=st.one_of(st.none(), st.integers(0, 15)),
    cards=st.lists(st.builds(LaidCard, card=faces, owner=seats), max_size=3).map(tuple),
    below_known=st.booleans(),
    at=intervals(),
    evidence=st.just(EVIDENCE),
)
handled = st.builds(
    PileHandled,
    handling=st.sampled_from(Handling),
    pile=piles,
    target=st.one_of(st.none(), st.sampled_from(CENTRE)),
    count=st.one_of(st.none(), st.integers(0, 3)),
    cards=st.lists(cards, max_size=2).map(tuple),
    touch=intervals(),
    seat=seats,
    seat_confidence=st.just(1.0),
    resolution_us=st.just(FRAME_US // 2),
    confidence=st.just(0.9),
    evidence=st.just(EVIDENCE),
)
lifts = st.builds(
    CardLifted,
    pile=piles,
    card=faces,
    lifted=intervals(),
    seat=seats,
    confidence=st.just(0.9),
    evidence=st.just(EVIDENCE),
)
hovers = st.builds(
    HandTouched,
    seat=seats,
    pile=piles,
    touch=intervals(),
    resolution_us=st.just(FRAME_US // 2),
    confidence=st.just(0.9),
    evidence=st.just(EVIDENCE),
)
losses = st.builds(ViewLost, pile=st.one_of(st.none(), piles), lost=intervals(), cause=st.just("sleeve"))
counts = st.builds(
    CardsCounted,
    pile=piles,
    count=st.integers(0, 52),
    told_by=st.just(""),
    at_us=st.integers(0, LATEST_US),
)
hand_carries = st.builds(
    HandCarried,
    seat=seats,
    hand=st.sampled_from(Hand),
    card=faces,
    pile=piles,
    carried=intervals(),
    confidence=st.sampled_from((0.5, 1.0)),
    evidence=st.just(EVIDENCE),
)
hands_at_rest = st.builds(
    HandsRested,
    pile=st.sampled_from(CENTRE),
    seats=st.permutations(SEATS).map(tuple),
    at=intervals(),
    confidence=st.just(1.0),
    evidence=st.just(EVIDENCE),
)
overlaps = st.builds(
    PilesOverlapped,
    piles=st.just((CENTRE[0], OWN[0])),
    overlap=st.sampled_from(OverlapOf),
    at=intervals(),
    evidence=st.just(EVIDENCE),
)
labels = st.builds(
    LabelsRead,
    pile=piles,
    runs=st.lists(st.builds(LabelRun, card=faces, frames=st.integers(1, 30)), min_size=1, max_size=3).map(
        tuple
    ),
    read=intervals(),
    resolution_us=st.just(FRAME_US // 2),
    evidence=st.just(EVIDENCE),
)


@st.composite
def calls(draw):
    at = draw(intervals())
    is_heard = draw(st.booleans())
    return Called(
        call=draw(st.sampled_from(CallKind)),
        seat=draw(seats),
        at=at if is_heard else None,
        told_us=at.end_us,
    )


declarations = st.builds(Declared, seat=seats, card=near, at=intervals())
points = st.builds(
    PointsTold, seat=st.sampled_from(SEATS), points=st.integers(0, 60), at_us=st.integers(0, LATEST_US)
)
observations = st.one_of(
    landings(),
    landings(),
    landings(),
    carries(),
    betweens(),
    looks(),
    laids,
    handled,
    handled,
    lifts,
    hovers,
    losses,
    counts,
    hand_carries,
    hands_at_rest,
    overlaps,
    labels,
    calls(),
    calls(),
    declarations,
    points,
)


def in_time(told: list[Observation]) -> list[Observation]:
    """``told`` in the order in which it became known."""
    return sorted(told, key=known_us)


POSITION = tuple(
    PileLaid(
        pile=pile,
        down=10,
        cards=(LaidCard(card=Card.parse(card)),),
        at=Interval(0, 0),
        evidence=EVIDENCE,
    )
    for pile, card in ((CENTRE[0], "2H"), (CENTRE[1], "KD"), (OWN[0], "AC"), (OWN[6], "3S"))
)
"""Something to play on, so that not every play is one whose base is unknown."""
matches = st.lists(observations, max_size=20).map(lambda told: [*POSITION, *in_time(told)])


def moved_to(observation: Observation, seat_of: dict[Seat, Seat]) -> Observation:
    """``observation`` with every seat renamed."""
    changes: dict[str, object] = {}
    for name in ("pile", "source", "target"):
        pile = getattr(observation, name, None)
        if pile is not None:
            changes[name] = pile_moved(pile, seat_of)
    for name in ("piles", "shares"):
        if hasattr(observation, name):
            changes[name] = tuple(_moved(each, seat_of) for each in getattr(observation, name))
    if getattr(observation, "seat", None) is not None:
        changes["seat"] = seat_of[observation.seat]
    if isinstance(observation, HandsRested):
        changes["seats"] = tuple(seat_of[seat] for seat in observation.seats)
    if isinstance(observation, PileLaid):
        changes["cards"] = tuple(
            replace(laid, owner=None if laid.owner is None else seat_of[laid.owner])
            for laid in observation.cards
        )
    return replace(observation, **changes)


def pile_moved(pile: PileId, seat_of: dict[Seat, Seat]) -> PileId:
    """``pile`` of the renamed seat."""
    return pile if pile.seat is None else replace(pile, seat=seat_of[pile.seat])


def _moved(item: PileId | PileShare, seat_of: dict[Seat, Seat]) -> PileId | PileShare:
    if isinstance(item, PileId):
        return pile_moved(item, seat_of)
    return replace(item, pile=pile_moved(item.pile, seat_of))
