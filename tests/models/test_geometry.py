"""Overlap of oriented boxes."""

import numpy as np
import pytest

from models.classes import CLASS_ID
from models.geometry import intersection_area, quad_areas, suppress_overlaps
from models.one_card import face_around, one_of_each


def box(x: float, y: float, w: float = 10, h: float = 20) -> np.ndarray:
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)


def test_areas_of_quads() -> None:
    quads = np.stack([box(0, 0), box(5, 5, 3, 2)])

    assert quad_areas(quads).tolist() == pytest.approx([200.0, 6.0])


@pytest.mark.parametrize(
    ("x", "shared"),
    [
        pytest.param(0, 200.0, id="the same box"),
        pytest.param(5, 100.0, id="half of it"),
        pytest.param(10, 0.0, id="side by side"),
        pytest.param(40, 0.0, id="far away"),
    ],
)
def test_shared_area(x: float, shared: float) -> None:
    assert intersection_area(box(0, 0), box(x, 0)) == pytest.approx(shared, abs=1e-3)


def test_the_weaker_of_two_boxes_of_one_card_goes() -> None:
    quads = np.stack([box(0, 0), box(0.5, 0.5), box(100, 0)])
    confidence = np.array([0.6, 0.9, 0.3], np.float32)

    kept = suppress_overlaps(quads, confidence, iou=0.6, contained=0.9)

    assert kept.tolist() == [1, 2]


def test_neighbours_in_a_fan_stay() -> None:
    quads = np.stack([box(0, 0), box(6, 0), box(12, 0)])

    kept = suppress_overlaps(quads, np.ones(3, np.float32), iou=0.6, contained=0.9)

    assert len(kept) == 3


@pytest.mark.parametrize(
    ("names", "places", "kept"),
    [
        pytest.param(["9C", "9C"], [(0, 0), (2, 3)], [1], id="one card found twice"),
        pytest.param(["9C", "9C"], [(0, 0), (40, 0)], [0, 1], id="two equal cards of two decks"),
        pytest.param(["9C", "6C"], [(0, 0), (2, 3)], [0, 1], id="two cards one over the other"),
    ],
)
def test_a_card_is_told_once(names: list[str], places: list[tuple[float, float]], kept: list[int]) -> None:
    quads = np.stack([box(x, y) for x, y in places])
    class_id = np.array([CLASS_ID[name] for name in names], np.int16)

    assert one_of_each(quads, class_id, np.array([0.5, 0.9], np.float32)).tolist() == kept


@pytest.mark.parametrize(
    ("inner", "is_face", "expected"),
    [
        pytest.param(box(30, 50, 30, 60), True, 0, id="a picture framed on a card"),
        pytest.param(box(30, 50, 30, 60), False, None, id="what holds it is no face"),
        pytest.param(box(2, 20, 20, 120), True, None, id="a strip that reaches the edge"),
        pytest.param(box(20, 20, 60, 110), True, None, id="nearly as large as the card"),
        pytest.param(box(120, 50, 30, 60), True, None, id="beside it"),
    ],
)
def test_a_small_box_well_inside_a_face_is_part_of_it(
    inner: np.ndarray, expected: int | None, *, is_face: bool
) -> None:
    quads = np.stack([box(0, 0, 100, 150), inner])

    assert face_around(quads, np.array([is_face, True]))[1] == expected
