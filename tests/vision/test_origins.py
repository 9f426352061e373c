"""Which lift brought a card where the hands say otherwise."""

from dataclasses import dataclass, replace

import pytest

from referee.cards import Card
from referee.clock import Interval
from referee.evidence import Evidence
from referee.observations import CardLanded, CardLifted
from referee.piles import PileId, Seat
from vision.carry import Lift
from vision.origins import only_other_lift
from vision.pending import PendingLanding

FOUNDATION, SPIT = PileId.parse("table/foundation[0]"), PileId.parse("table/spit[1]")
EVIDENCE = Evidence("clip", (0,))


@dataclass
class OpenLifts:
    """Stands for ``Lifts``: the equal cards that were lifted."""

    lifts: list[Lift]

    def equal_to(self, _landed: CardLanded) -> list[Lift]:
        return self.lifts


def lift(pile: str) -> Lift:
    observation = CardLifted(
        pile=PileId.parse(pile),
        card=Card.parse("AC"),
        lifted=Interval(100, 200),
        seat=None,
        confidence=0.9,
        evidence=EVIDENCE,
    )
    return Lift(observation, is_certain=False)


def told_of(*lifts: Lift, seat: Seat | None = Seat.WEST, pile: PileId = FOUNDATION, contested: bool = False):
    landed = CardLanded(
        pile=pile,
        card=Card.parse("AC"),
        touch=Interval(1_000, 2_000),
        settled_us=9_000,
        seat=seat,
        seat_confidence=0.9,
        source=None,
        confidence=0.9,
        resolution_us=8_333,
        evidence=EVIDENCE,
    )
    pending = PendingLanding(
        landed=landed,
        deadline_us=800_000,
        since_us=0,
        rested_us=9_000,
        beneath=None,
        owners=None,
        is_contested=contested,
        is_disputed=False,
    )
    return only_other_lift(OpenLifts(list(lifts)), pending)


def test_a_card_that_left_another_seat_s_pile_is_that_seat_s():
    other = lift("east/waste")

    assert told_of(other) is other


@pytest.mark.parametrize(
    "doubt",
    [
        pytest.param({"contested": True}, id="a race: its own card may lie below"),
        pytest.param({"seat": None}, id="no hand told"),
        pytest.param({"pile": SPIT}, id="spit is played with one pack"),
    ],
)
def test_it_is_not_believed_where_more_may_have_come(doubt):
    assert told_of(lift("east/waste"), **doubt) is None


def test_of_two_other_seats_neither_is_believed():
    assert told_of(lift("east/waste"), lift("north/waste")) is None
    assert told_of() is None


def test_its_own_lift_is_not_another_seat_s():
    own = lift("west/waste")

    assert told_of(own, replace(own, is_certain=True)) is None
