"""Hands: what reaches in over an edge, whose it is, and what becomes background."""

import cv2
import numpy as np
import pytest

from vision.hands import NOBODY, UNCERTAIN, HandFinder
from vision.settings import WatchSettings

SETTINGS = WatchSettings()
SIZE = (100, 110)
STEP_US = 20_000
SOUTH, NORTH = 1, 2


def cloth(light: float = 1.0) -> np.ndarray:
    return np.full((*SIZE, 3), [int(c * light) for c in (60, 110, 70)], np.uint8)


def arm(picture: np.ndarray, edge: str, reach: int, x: int = 50) -> np.ndarray:
    """An arm 12 px (48 mm) wide that reaches in by so many pixels."""
    rows = slice(SIZE[0] - reach, None) if edge == "bottom" else slice(None, reach)
    picture = picture.copy()
    picture[rows, x - 6 : x + 6] = (120, 150, 205)
    return picture


@pytest.fixture
def finder(table):
    finder = HandFinder(table, SETTINGS)
    finder.see(cloth(), 0)
    return finder


def test_an_arm_is_its_edge_s_seat(finder):
    picture = arm(arm(cloth(), "bottom", 30, x=30), "top", 40, x=80)

    labels = finder.see(picture, STEP_US).labels

    assert labels[85, 30] == SOUTH
    assert labels[20, 80] == NORTH
    assert labels[50, 50] == NOBODY


def test_what_does_not_reach_an_edge_is_no_hand(finder):
    picture = cloth()
    cv2.rectangle(picture, (40, 40), (60, 65), (240, 240, 240), -1)

    assert not finder.see(picture, STEP_US).is_any


def hand_in_sleeve(sleeve: tuple[int, int, int]) -> np.ndarray:
    picture = arm(cloth(), "bottom", 40)
    picture[-28:, 44:56] = sleeve
    return picture


def test_a_sleeve_nearly_as_dark_as_the_cloth_joins_its_hand_to_the_edge(finder):
    labels = finder.see(hand_in_sleeve((80, 92, 80)), STEP_US).labels

    assert labels[65, 50] == SOUTH
    assert labels[90, 50] == SOUTH


def fist(reach: int, card_at: int | None = None) -> np.ndarray:
    """A hand of 12 by 20 px so far in, whose sleeve is the very cloth; perhaps a card that it left."""
    picture = cloth()
    if card_at is not None:
        picture[card_at : card_at + 22, 42:58] = (240, 240, 240)
    picture[SIZE[0] - reach : SIZE[0] - reach + 20, 44:56] = (120, 150, 205)
    return picture


def test_a_hand_that_came_in_stays_its_seat_s_where_its_sleeve_is_not_seen(finder):
    for i, reach in enumerate(range(12, 50, 3)):
        labels = finder.see(fist(reach), (i + 1) * STEP_US).labels

    assert labels[60, 50] == SOUTH
    assert not labels[85].any()


def test_such_a_hand_is_not_taken_for_background_while_it_hovers(finder):
    for i, reach in enumerate([*range(12, 50, 3), *[48] * 40]):
        labels = finder.see(fist(reach), (i + 1) * STEP_US).labels

    assert labels[60, 50] == SOUTH


def dark_cloth(*, sleeve_piece: bool = False) -> np.ndarray:
    """Charcoal; perhaps a piece of a black sleeve that shows at the south's edge."""
    picture = np.full((*SIZE, 3), (52, 53, 55), np.uint8)
    if sleeve_piece:
        picture[-8:, 40:60] = (12, 13, 16)
    return picture


def lone_hand(picture: np.ndarray, row: int, *, card: bool = False) -> np.ndarray:
    """A hand of 12 by 20 px whose sleeve is not seen, from that row on; perhaps with a card before it."""
    picture = picture.copy()
    picture[row : row + 20, 44:56] = (105, 140, 185)
    if card:
        picture[row - 10 : row, 44:56] = (235, 235, 235)
    return picture


@pytest.fixture
def dark_finder(table):
    finder = HandFinder(table, SETTINGS)
    finder.see(dark_cloth(), 0)
    return finder


def test_a_piece_of_its_sleeve_at_the_edge_does_not_cost_a_hand_its_seat(dark_finder):
    for i, row in enumerate(range(90, 40, -3)):
        picture = lone_hand(dark_cloth(sleeve_piece=row < 70), row)
        labels = dark_finder.see(picture, (i + 1) * STEP_US).labels

    assert labels[50, 50] == SOUTH
    assert labels[96, 50] == SOUTH


def test_such_a_hand_keeps_its_seat_where_it_runs_into_another_s(dark_finder):
    for i, row in enumerate(range(90, 27, -3)):
        picture = arm(lone_hand(dark_cloth(sleeve_piece=row < 70), row, card=True), "top", 26)
        labels = dark_finder.see(picture, (i + 1) * STEP_US).labels

    assert labels[10, 50] == NORTH
    assert labels[42, 50] == SOUTH


def test_a_card_that_such_a_hand_left_under_another_s_is_not_its_hand(dark_finder):
    up, down = list(range(90, 39, -3)), list(range(42, 99, 3))
    for i, row in enumerate([*up, *down]):
        picture = lone_hand(dark_cloth(sleeve_piece=row < 70), row, card=i < len(up))
        if i >= len(up):
            picture[29:39, 44:56] = (235, 235, 235)
        labels = dark_finder.see(arm(picture, "top", 30), (i + 1) * STEP_US).labels

    assert labels[10, 50] == NORTH
    assert labels[35, 50] == NORTH


def test_a_back_of_a_hand_s_colour_that_it_put_down_is_no_hand(dark_finder):
    for i, reach in enumerate([*range(6, 36, 3), *range(33, 9, -3)]):
        picture = arm(dark_cloth(), "bottom", reach)
        if i > 9:
            picture[66:76, 42:58] = (70, 80, 150)
        labels = dark_finder.see(picture, (i + 1) * STEP_US).labels

    assert labels[92, 50] == SOUTH
    assert labels[70, 50] == NOBODY


def test_the_card_that_such_a_hand_puts_down_is_no_hand(finder):
    reaches = [*range(12, 50, 3), *range(48, 12, -3)]
    for i, reach in enumerate(reaches):
        labels = finder.see(fist(reach, card_at=30 if i > 13 else None), (i + 1) * STEP_US).labels

    assert labels[90, 50] == SOUTH
    assert labels[40, 50] == NOBODY


def test_a_pile_that_changed_near_the_edge_is_no_hand_once_the_fingers_are_gone(finder):
    for i, fingers in enumerate([0, 4, 8, 8, 8, 4, 0, 0, 0]):
        picture = cloth()
        if i > 3:
            picture[70:94, 42:58] = (240, 240, 240)
        if fingers:
            picture[-fingers:, 45:55] = (60, 80, 120)
        labels = finder.see(picture, (i + 1) * STEP_US).labels

    assert not labels.any()


def test_what_lies_where_a_hand_was_is_no_hand_once_that_has_left(finder):
    for i, reach in enumerate([30, 30, 22, 14, 6, 0, 0]):
        picture = arm(cloth(), "bottom", reach) if reach else cloth()
        picture[60:82, 42:58] = (240, 240, 240)
        labels = finder.see(picture, (i + 1) * STEP_US).labels

    assert not labels.any()


def test_a_shadow_joins_nothing_to_the_edge(finder):
    picture = cloth()
    picture[-40:-28, 40:60] = (240, 240, 240)
    picture[-28:, 40:60] = [round(c * 0.8) for c in (60, 110, 70)]

    assert not finder.see(picture, STEP_US).is_any


def test_a_card_s_corner_at_the_edge_is_no_hand(finder):
    picture = cloth()
    picture[-8:, 50:52] = 240

    assert not finder.see(picture, STEP_US).is_any


def test_hands_that_meet_keep_their_seats(finder):
    for i, reach in enumerate((20, 30, 40, 46)):
        finder.see(arm(arm(cloth(), "bottom", reach), "top", reach), STEP_US * (i + 1))

    labels = finder.see(arm(arm(cloth(), "bottom", 52), "top", 52), STEP_US * 5).labels

    assert labels[60, 50] == SOUTH
    assert labels[40, 50] == NORTH


def test_hands_that_were_joined_from_the_start_are_uncertain(finder):
    labels = finder.see(arm(arm(cloth(), "bottom", 52), "top", 52), STEP_US).labels

    assert labels[50, 50] == UNCERTAIN


def test_a_change_of_light_is_no_hand(finder):
    hands = finder.see(cloth(0.75), STEP_US)

    assert not hands.is_any
    assert hands.gain == pytest.approx(0.75, abs=0.03)


def test_a_card_put_down_becomes_background_and_a_still_hand_does_not(finder):
    picture = arm(cloth(), "bottom", 30, x=30)
    cv2.rectangle(picture, (60, 40), (80, 65), (240, 240, 240), -1)
    for i in range(1, 40):
        finder.see(picture, STEP_US * i)

    touched = picture.copy()
    cv2.line(touched, (66, 60), (66, 99), (120, 150, 205), 12)
    labels = finder.see(touched, STEP_US * 40).labels

    assert labels[85, 30] == SOUTH
    assert labels[45, 76] == NOBODY
    assert labels[90, 66] == SOUTH
