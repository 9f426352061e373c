"""Overlap of oriented boxes."""

import numpy as np
import pytest

from models.geometry import intersection_area, quad_areas, suppress_overlaps


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
