"""Whose hand came to a pile before a card touched that is known to have touched within an interval only."""

from types import SimpleNamespace

import numpy as np

from referee.clock import Interval
from referee.piles import Seat
from vision.reach import _surely_grown

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
