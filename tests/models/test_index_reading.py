"""Indices are read both ways up, and one way bears the other out."""

import numpy as np
import pytest

from models.classes import INDEX_READER_CLASS_ID, INDEX_READER_NAMES
from models.index_reading import read_indices

QUAD = np.array([[20, 10], [46, 10], [46, 62], [20, 62]], np.float32)
NOTHING = INDEX_READER_CLASS_ID[""]


class Session:
    """A network that says, of each view, what is told for one that is bright above, or below."""

    def __init__(self, above: dict[str, float], below: dict[str, float]) -> None:
        self._above, self._below = above, below

    def run(self, _outputs, inputs):
        views = inputs["views"].astype(float)
        half = views.shape[1] // 2
        told = []
        for view in views:
            said = self._above if view[:half].mean() > view[half:].mean() else self._below
            row = np.full(len(INDEX_READER_NAMES), 1e-6, np.float32)
            for name, probability in said.items():
                row[INDEX_READER_CLASS_ID[name]] = probability
            told.append(row / row.sum())
        return [np.stack(told)]


@pytest.fixture
def picture() -> np.ndarray:
    """Bright above, dark below."""
    picture = np.full((160, 100, 3), 30, np.uint8)
    picture[:36] = 220
    return picture


@pytest.mark.parametrize("turned", [0, 2])
def test_the_way_up_of_the_box_does_not_matter(picture, turned):
    session = Session(above={"6S": 0.9, "": 0.1}, below={"": 0.95, "9S": 0.05})

    (read,) = read_indices(session, picture, np.roll(QUAD, turned, axis=0)[None])

    assert INDEX_READER_NAMES[int(read.argmax())] == "6S"
    assert read.sum() == pytest.approx(1)
    assert read.max() > 0.88


def test_a_face_seen_both_ways_is_not_sure(picture):
    session = Session(above={"6S": 0.9, "": 0.1}, below={"9S": 0.9, "": 0.1})

    (read,) = read_indices(session, picture, QUAD[None])

    assert read.max() < 0.6


def test_nothing_either_way_is_nothing(picture):
    session = Session(above={"": 0.98}, below={"": 0.98})

    (read,) = read_indices(session, picture, QUAD[None])

    assert int(read.argmax()) == NOTHING


def test_no_boxes_are_no_readings(picture):
    read = read_indices(Session({}, {}), picture, np.zeros((0, 4, 2), np.float32))

    assert read.shape == (0, len(INDEX_READER_NAMES))


def test_many_boxes_are_read_in_their_order(picture):
    session = Session(above={"6S": 0.9, "": 0.1}, below={"": 1.0})
    dark = QUAD + np.array([0, 36], np.float32)
    boxes = np.stack([QUAD, dark] * 70)

    read = read_indices(session, picture, boxes)

    assert [bool(row[INDEX_READER_CLASS_ID["6S"]] > 0.5) for row in read] == [True, False] * 70
