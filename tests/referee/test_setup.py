"""Settings: what is not known, or cannot be, is refused by its name."""

import re
from dataclasses import fields, replace

import pytest
from typed_match import judged, setup, step, steps

from referee.clock import ClockGrade
from referee.nerts_rules import FoundationsRule, NertsRules
from referee.observations import ViewLost, fault_in
from referee.piles import PileId, PileKind, Seat
from referee.referee import ObservationError, Referee
from referee.setup import FRAME_PERIOD_US, Game, SeatSetup, setup_from
from referee.sightings import PileShare
from referee.spit_rules import SpitRules

KEYS = sorted(item.name for item in fields(NertsRules))


def test_house_rules_are_read_by_their_keys():
    rules = NertsRules.from_mapping(
        {"foundations": "one_per_suit", "nerts_penalty": 1, "nerts_pile_size": 10}
    )

    assert (rules.foundations, rules.nerts_penalty) == (FoundationsRule.ONE_PER_SUIT, 1)
    assert (rules.nerts_pile_size, rules.points_foundation) == (10, 1)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        pytest.param(
            {"nert_penalty": 1},
            f"unknown rule 'nert_penalty' (want one of: {', '.join(KEYS)})",
            id="unknown key",
        ),
        pytest.param(
            {"tie": "first"}, "rule tie: want one of both_keep, first_only, got 'first'", id="a choice"
        ),
        pytest.param(
            {"tie": ["both_keep"]},
            "rule tie: want one of both_keep, first_only, got ['both_keep']",
            id="a list",
        ),
        pytest.param({"nerts_penalty": "2"}, "rule nerts_penalty: want a whole number, got '2'", id="a text"),
        pytest.param(
            {"nerts_penalty": True}, "rule nerts_penalty: want a whole number, got True", id="a yes"
        ),
        pytest.param(
            {"nerts_penalty": -1}, "rule nerts_penalty: want 0 to 100 points, got -1", id="negative"
        ),
        pytest.param(
            {"points_foundation": 101}, "rule points_foundation: want 0 to 100 points, got 101", id="big"
        ),
        pytest.param({"nerts_pile_size": 0}, "rule nerts_pile_size: want 1 to 46 cards, got 0", id="no pile"),
        pytest.param(
            {"nerts_pile_size": 47}, "rule nerts_pile_size: want 1 to 46 cards, got 47", id="no layout"
        ),
    ],
)
def test_house_rules_that_cannot_be_meant(mapping, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        NertsRules.from_mapping(mapping)


def test_a_seat_is_named_once():
    twice = (SeatSetup(seat=Seat.SOUTH, player="Ana"), SeatSetup(seat=Seat.SOUTH, player="Ben"))

    with pytest.raises(ValueError, match="a seat is named twice: south, south"):
        setup(seats=twice)


def test_a_partner_needs_a_deck():
    alone = (SeatSetup(seat=Seat.SOUTH, player="Ana", partner_of=Seat.NORTH),)

    with pytest.raises(ValueError, match="south cannot be a partner of north: want a seat with a deck"):
        setup(seats=alone)


@pytest.mark.parametrize(
    ("changes", "rules", "message"),
    [
        pytest.param({"nerts_pile": 0}, {}, "south: nerts_pile: want 1 to 46 cards, got 0", id="no pile"),
        pytest.param({"nerts_pile": 47}, {}, "south: nerts_pile: want 1 to 46 cards, got 47", id="no layout"),
        pytest.param(
            {"nerts_pile": 9, "partner_of": Seat.NORTH},
            {},
            "south: nerts_pile: want it of a player of Nerts with a deck",
            id="of a partner's deck",
        ),
        pytest.param(
            {"nerts_pile": 9},
            {"game": Game.SPIT, "rules": SpitRules()},
            "south: nerts_pile: want it of a player of Nerts with a deck",
            id="in another game",
        ),
    ],
)
def test_a_handicap_is_of_a_nerts_pile(changes, rules, message):
    seats = (
        SeatSetup(seat=Seat.SOUTH, player="Ana", **changes),
        SeatSetup(seat=Seat.NORTH, player="Ben"),
    )

    with pytest.raises(ValueError, match=re.escape(message)):
        setup(seats=seats, **rules)


def test_rules_are_those_of_the_game():
    with pytest.raises(ValueError, match="rules: NertsRules are not the rules of spit"):
        setup(game=Game.SPIT)


def test_a_frame_takes_time():
    with pytest.raises(ValueError, match="frame_period_us: want more than 0, got 0"):
        setup(frame_period_us=0)


def test_seats_have_names_and_places():
    match = setup()

    assert (match.player_at(Seat.NORTH), match.player_at(Seat.NORTHEAST)) == ("Ben", "northeast")
    assert [match.place_of(seat) for seat in (Seat.SOUTH, Seat.NORTHEAST, None)] == [0, 4, 4]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("land northwest 5H waste F0 983-1000", "nobody sits at northwest", id="seat"),
        pytest.param("look northwest/waste 5H @0", "nobody sits at northwest", id="a seat's pile"),
        pytest.param("land south 5H northwest/waste F0 983-1000", "nobody sits at northwest", id="source"),
        pytest.param("look F9 5H @0", "the table has no pile table/foundation[9]", id="pile"),
    ],
)
def test_observations_of_another_match_are_refused(line, message):
    piles = (PileId(PileKind.FOUNDATION, None), PileId(PileKind.WASTE, Seat.SOUTH))
    referee = Referee(setup(piles=piles))

    with pytest.raises(ObservationError, match=re.escape(message)):
        referee.observe(step(line))


def test_observations_of_this_match_are_taken():
    piles = (PileId(PileKind.FOUNDATION, None), PileId(PileKind.WASTE, Seat.SOUTH))

    outcome = judged("land south AH waste F0 983-1000", setup(piles=piles))

    assert outcome.rulings == ["LEGAL N25"]


def test_the_whole_table_can_be_lost():
    lost = replace(step("lost F0 900-1400"), pile=None)

    assert isinstance(lost, ViewLost)
    assert judged([lost]).rulings == ["UNDECIDED E10"]


@pytest.mark.parametrize(
    ("line", "changes", "fault"),
    [
        pytest.param(
            "land south 5H waste F0 983-1000",
            {"confidence": 1.1},
            "confidence: want 0 to 1, got 1.1",
            id="confidence",
        ),
        pytest.param(
            "land south 5H waste F0 983-1000",
            {"seat_confidence": -0.1},
            "seat_confidence: want 0 to 1, got -0.1",
            id="seat confidence",
        ),
        pytest.param(
            "land south 5H waste F0 983-1000",
            {"settled_us": 999_999},
            "settled_us: 999999 is before the touch, 1000000",
            id="settled before it touched",
        ),
        pytest.param(
            "land south 5H waste F0 983-1000",
            {"source": PileId(PileKind.FOUNDATION, None)},
            "source: the card cannot come from where it landed, table/foundation[0]",
            id="from itself",
        ),
        pytest.param(
            "touch south F0 983-1000", {"resolution_us": -1}, "resolution_us: want 0 or more", id="resolution"
        ),
        pytest.param(
            "look F0 5H @0",
            {"is_empty": True},
            "is_empty: an empty pile has no top card and no face",
            id="empty",
        ),
        pytest.param(
            "look F0 5H @0", {"face_up": False}, "face_up: a card that can be named lies face up", id="down"
        ),
        pytest.param(
            "count south/waste 1 @0", {"count": -1}, "count: want 0 to 432 cards, got -1", id="count"
        ),
        pytest.param(
            "between south 5H waste F0=0.4 5",
            {"settled_us": 1},
            "settled_us: 1 is before the touch, 5000",
            id="between, settled before",
        ),
        pytest.param(
            "between south 5H waste F0=0.4 5",
            {"shares": (PileShare(PileId(PileKind.FOUNDATION, None), 1.5),)},
            "shares: want 0 to 1 of a card over each pile",
            id="more than a card",
        ),
        pytest.param(
            "between south 5H waste F0=0.4 5",
            {"shares": (PileShare(PileId(PileKind.FOUNDATION, None), 0.5),) * 2},
            "shares: a pile is named twice",
            id="twice over a pile",
        ),
        pytest.param("carry south 5H,6H W1 W2 5", {"cards": ()}, "cards: want one or more", id="no cards"),
        pytest.param(
            "carry south 5H,6H W1 W2 5", {"cards": (None,) * 433}, "cards: want at most 432", id="many cards"
        ),
        pytest.param(
            "points south 5 5",
            {"points": 10**7},
            "points: want a number within 1000000",
            id="points",
        ),
        pytest.param(
            "call nerts south 5", {"told_us": 1}, "told_us: 1 is before the call, 5000", id="told before"
        ),
        pytest.param(
            "labels F0 5H 5",
            {"runs": ()},
            "runs: want one reading or more, each of a frame or more",
            id="runs",
        ),
        pytest.param(
            "hands F0 south 5", {"seats": (Seat.SOUTH,) * 2}, "seats: a seat is named twice", id="hands"
        ),
        pytest.param("clock lag cam 5", {"lag_us": -1}, "lag_us: want 0 or more", id="lag"),
        pytest.param(
            "count south/waste 1 @0", {"count": 433}, "count: want 0 to 432 cards, got 433", id="too many"
        ),
    ],
)
def test_observations_that_cannot_be_meant(line, changes, fault):
    observation = step(line)

    assert fault_in(observation) is None
    assert fault_in(replace(observation, **changes)) == fault
    with pytest.raises(ObservationError) as caught:
        Referee(setup()).observe(replace(observation, **changes))
    assert str(caught.value) == fault


def test_a_set_up_is_made_up_from_what_is_named():
    made = setup_from(
        steps("look north/waste 5H @0\nland south 5H waste F0 983-1000\ntouch west F0 983-1000")
    )

    assert [item.seat for item in made.seats] == [Seat.NORTH, Seat.SOUTH, Seat.WEST]
    assert (made.frame_period_us, made.clock_grade) == (16_666, ClockGrade.A)


def test_a_set_up_can_be_made_up_from_nothing():
    made = setup_from(())

    assert (made.seats, made.frame_period_us) == ((), FRAME_PERIOD_US)


def test_a_table_may_number_its_piles_from_zero():
    piles = ("table/foundation[0]", "table/foundation[1]", "south/tableau[1]", "south/waste")

    match = setup(piles=tuple(PileId.parse(pile) for pile in piles))

    assert [kind for kind in match.kinds_from_zero if kind is not PileKind.WASTE] == [PileKind.FOUNDATION]
    assert setup().kinds_from_zero == ()
