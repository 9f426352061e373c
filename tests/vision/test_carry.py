"""Which lift brought a card."""

import pytest

from referee.cards import Card
from referee.clock import Interval
from referee.observations import CardLifted, Evidence
from referee.piles import PileId, Seat
from vision.carry import Lift, source_among

FOUNDATION = PileId.parse("table/foundation[0]")
TOUCH = Interval(1_000_000, 1_030_000)


def lift(pile: str, card: str = "2S", *, at_us: int = 600_000, seat: Seat | None = None) -> Lift:
    observation = CardLifted(
        pile=PileId.parse(pile),
        card=Card.parse(card),
        lifted=Interval(at_us, at_us + 30_000),
        seat=seat,
        confidence=0.9,
        evidence=Evidence("test", (at_us,)),
    )
    return Lift(observation, is_certain=True)


@pytest.mark.parametrize(
    ("lifts", "seat", "source"),
    [
        pytest.param([lift("south/reserve")], Seat.SOUTH, "south/reserve", id="its own seat's"),
        pytest.param([lift("south/reserve")], None, "south/reserve", id="seat not known"),
        pytest.param([lift("north/reserve")], Seat.SOUTH, None, id="another seat's"),
        pytest.param([lift("south/reserve", "3S")], Seat.SOUTH, None, id="another card"),
        pytest.param([lift("south/reserve", at_us=1_100_000)], Seat.SOUTH, None, id="lifted after it landed"),
        pytest.param([lift("table/foundation[0]")], Seat.SOUTH, None, id="its own pile"),
        pytest.param(
            [lift("table/foundation[1]", seat=Seat.SOUTH)], Seat.SOUTH, "table/foundation[1]", id="moved"
        ),
        pytest.param(
            [lift("south/reserve", at_us=300_000), lift("south/waste", at_us=700_000)],
            Seat.SOUTH,
            "south/waste",
            id="the latest",
        ),
    ],
)  # fmt: skip
def test_the_source_of_a_landing(lifts, seat, source):
    found = source_among(lifts, FOUNDATION, card=Card.parse("2S"), seat=seat, touch=TOUCH, carry_us=4_000_000)

    assert (str(found.observation.pile) if found else None) == source


def test_a_card_lifted_long_ago_is_another_one():
    found = source_among(
        [lift("south/reserve", at_us=100_000)],
        FOUNDATION, card=Card.parse("2S"), seat=Seat.SOUTH, touch=TOUCH, carry_us=500_000,
    )  # fmt: skip

    assert found is None
