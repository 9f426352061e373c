"""Hands over a pile: whose came, whose reached for it, and whose came to rest."""

import numpy as np
import pytest

from referee.clock import Interval
from vision.presence import HandsOver, rests, tip_of
from vision.settings import WatchSettings
from vision.table import Edge

SETTINGS = WatchSettings()
BOX_MM = (100.0, 100.0, 200.0, 220.0)
PERIOD_US = 16_667


def hands_at(*tips_y: float, x: float = 150.0, area_mm2: float = 900.0) -> HandsOver:
    """One seat's hand, its fingertips at these places one frame after another; nan: not there."""
    tips = np.array([[[np.nan if np.isnan(y) else x, y]] for y in tips_y], np.float32)
    areas = np.where(np.isnan(tips[:, :, 1]), 0.0, area_mm2).astype(np.float32)
    return HandsOver(tuple(i * PERIOD_US for i in range(len(tips_y))), areas, tips)


def test_fingers_that_stop_over_a_pile_rest_from_their_first_still_frame():
    (rest,) = rests(hands_at(300, 260, 210, 180, 178, 179, 180, 181, 250), BOX_MM, SETTINGS)

    assert (rest.seat, rest.touch, rest.share) == (0, Interval(2 * PERIOD_US, 3 * PERIOD_US), 1.0)


@pytest.mark.parametrize(
    "hands",
    [
        pytest.param(hands_at(300, 270, 240, 210, 180, 150, 120, 90, 60), id="fingers that move on"),
        pytest.param(hands_at(60, 60, 60, 60, 60, 60, 60, 60), id="an arm across it to another pile"),
        pytest.param(hands_at(180, 180, 180, 180, 180, 180, area_mm2=40.0), id="too little of a hand"),
        pytest.param(hands_at(*[float("nan")] * 6), id="no hand"),
        pytest.param(
            HandsOver((), np.zeros((0, 1), np.float32), np.zeros((0, 1, 2), np.float32)), id="no frame"
        ),
    ],
)
def test_what_does_not_rest_on_a_pile(hands):
    assert rests(hands, BOX_MM, SETTINGS) == ()


def test_a_seat_reaches_for_a_pile_only_with_its_fingers():
    assert hands_at(260, 180).reached(BOX_MM, SETTINGS) == (0,)
    assert hands_at(60, 60).reached(BOX_MM, SETTINGS) == ()


@pytest.mark.parametrize(
    ("edge", "tip_mm"),
    [
        (Edge.BOTTOM, (22.0, 10.0)),
        (Edge.TOP, (22.0, 38.0)),
        (Edge.LEFT, (26.0, 24.0)),
        (Edge.RIGHT, (18.0, 24.0)),
    ],
)
def test_the_tip_is_what_is_farthest_from_the_edge(edge, tip_mm):
    labels = np.zeros((15, 12), np.uint8)
    labels[2:10, 4:7] = 1

    assert tip_of(labels, 1, edge, 4.0) == pytest.approx(tip_mm)
    assert tip_of(labels, 2, edge, 4.0) is None
