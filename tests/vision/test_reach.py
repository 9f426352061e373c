"""Whose hand brought a card to a pile that two seats reached for, and when that is disputed."""

from types import SimpleNamespace

import numpy as np
import pytest

from referee.clock import Interval
from referee.piles import PileId, Seat
from vision.landings import _is_disputed
from vision.reach import Reach, _surely_grown, seat_at
from vision.settings import WatchSettings
from vision.table import Edge

SOUTH, NORTH = Seat.SOUTH, Seat.NORTH
PLACE_MM = np.zeros((4, 2), np.float32)


def table_where(shares_at):
    """A watched table where hands grew into any place by those shares, by the time of the touch."""
    history = SimpleNamespace(approach_shares=lambda _quad_mm, at_us, _since_us: shares_at[at_us])
    return SimpleNamespace(history=history, seat_of=lambda number: (SOUTH, NORTH)[number])


def test_a_hand_that_came_in_the_interval_did_not_surely_bring_the_card():
    watched = table_where({100: {0: 0.9, 1: 0.1}, 250: {0: 0.1, 1: 0.9}})

    assert _surely_grown(watched, PLACE_MM, Interval(100, 250)) == {SOUTH: 0.1, NORTH: 0.1}


def test_a_hand_that_alone_came_before_and_in_the_interval_did():
    watched = table_where({100: {0: 0.95, 1: 0.05}, 250: {0: 0.8, 1: 0.2}})

    assert _surely_grown(watched, PLACE_MM, Interval(100, 250)) == {SOUTH: 0.8, NORTH: 0.05}


BOTH = Reach(seats=(SOUTH, NORTH), stops={})
TOUCH = Interval(100, 130)


@pytest.mark.parametrize(
    ("over", "seat"),
    [
        pytest.param({0: 1.0}, SOUTH, id="one hand alone was over it, whatever covers it afterwards"),
        pytest.param({0: 0.5, 1: 0.5}, NORTH, id="both were: whose fingers lie on it"),
    ],
)
def test_a_card_is_of_the_hand_that_was_alone_over_it_as_it_touched(over, seat):
    history = SimpleNamespace(
        hand_shares=lambda _quad_mm, _when: over, fingers_over=lambda _place, _look, _when: (0.0, -25.0)
    )
    watched = SimpleNamespace(
        history=history,
        settings=WatchSettings(),
        seat_of=lambda number: (SOUTH, NORTH)[number],
        table=SimpleNamespace(edge_of={SOUTH: Edge.BOTTOM, NORTH: Edge.TOP}.get),
    )
    coming = SimpleNamespace(look=SimpleNamespace(reading=SimpleNamespace(top_quad_mm=PLACE_MM)), touch=TOUCH)

    assert seat_at(watched, SimpleNamespace(place=None), coming, BOTH)[0] is seat


@pytest.mark.parametrize(
    ("brought", "is_disputed"),
    [
        pytest.param((), True, id="fingers lay there before, and what they laid down is not known"),
        pytest.param((SOUTH,), False, id="their card is known"),
    ],
)
def test_a_card_on_which_other_fingers_lay_is_disputed_unless_theirs_is_known(brought, is_disputed):
    landed = SimpleNamespace(pile=PileId.parse("table/foundation[0]"), seat=NORTH, touch=TOUCH)
    reach = Reach(seats=(SOUTH, NORTH), stops={SOUTH: Interval(40, 60), NORTH: Interval(90, 110)})

    assert _is_disputed(landed, reach, brought) is is_disputed
