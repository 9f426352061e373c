"""Boxes that are of one card, told from cards side by side: ``models.one_card``."""

import numpy as np
import pytest
from numpy.typing import NDArray

from models.one_card import in_pieces, outline_of, parts_of_whole

Quad = NDArray[np.float32]


def box(left: float, top: float, width: float, height: float) -> Quad:
    right, bottom = left + width, top + height
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


WHOLE = box(100, 100, 63, 88)
FRAME, LEFT, RIGHT = box(114, 108, 36, 72), box(100, 100, 14, 88), box(150, 100, 13, 88)
"""A framed face as it is found in pieces: the picture within the frame, and the margins with the indices."""


@pytest.mark.parametrize(
    ("quads", "groups"),
    [
        pytest.param([FRAME, LEFT], [], id="frame and one margin are narrower than a card"),
        pytest.param([FRAME, LEFT, RIGHT], [[0, 1, 2]], id="frame and both margins"),
        pytest.param([box(100, 100, 63, 30), box(100, 130, 63, 58)], [[0, 1]], id="two parts"),
        pytest.param([WHOLE, box(163, 100, 63, 88)], [], id="two whole cards side by side"),
        pytest.param([WHOLE, box(163, 100, 14, 88)], [], id="a strip beside a whole card"),
        pytest.param([WHOLE, box(100, 60, 63, 60)], [], id="a whole card on another one"),
        pytest.param([box(100, 100, 63, 60), box(100, 128, 63, 60)], [], id="parts on one another"),
        pytest.param([FRAME, LEFT, box(250, 100, 13, 88)], [], id="one of them apart"),
        pytest.param([box(100, 100, 63, 20), box(100, 168, 63, 20)], [], id="with a gap between them"),
        pytest.param([FRAME, LEFT, RIGHT, box(150, 140, 63, 88)], [], id="another card touches them"),
        pytest.param([WHOLE], [], id="one card"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_pieces_make_up_a_card_that_nothing_touches(quads: list[Quad], groups: list[list[int]]) -> None:
    stacked = np.array(quads, np.float32).reshape(-1, 4, 2)

    assert [group.tolist() for group in in_pieces(stacked)] == groups


def test_the_outline_of_pieces_is_the_card() -> None:
    outline = outline_of(np.stack([FRAME, LEFT, RIGHT]))

    assert sorted(map(tuple, outline.round().tolist())) == sorted(map(tuple, WHOLE.tolist()))


HALF = box(100, 144, 63, 44)


@pytest.mark.parametrize(
    ("others", "is_part"),
    [
        pytest.param([HALF], True, id="half of a face"),
        pytest.param([HALF, box(100, 100, 63, 40)], True, id="both halves"),
        pytest.param([box(100, 150, 63, 60)], False, id="reaches out of it"),
        pytest.param([HALF, box(90, 160, 63, 88)], False, id="under a card that is not of that face"),
        pytest.param([box(101, 101, 60, 85)], False, id="as large as a card"),
    ],
)
def test_part_of_a_whole_face_is_no_card(others: list[Quad], *, is_part: bool) -> None:
    quads = np.stack([WHOLE, *others])

    told = parts_of_whole(quads, np.ones(len(quads), bool))

    assert told[:2].tolist() == [False, is_part]


def test_what_lies_within_an_unreadable_box_may_be_all_that_shows_of_a_card() -> None:
    assert not parts_of_whole(np.stack([WHOLE, HALF]), np.array([False, True])).any()


def test_box_around_two_cards_is_not_of_a_cards_shape() -> None:
    fan = np.stack([box(100, 100, 63, 118), box(100, 130, 63, 88)])

    assert not parts_of_whole(fan, np.ones(2, bool)).any()
