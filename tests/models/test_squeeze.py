"""How much a picture's cards are squeezed, from their outlines alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.squeeze import stretch_for

CARD_MM = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
HALF_MM = np.array([[-31.5, -44], [31.5, -44], [31.5, -20], [-31.5, -20]])


def turned(corners_mm: np.ndarray, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return corners_mm @ np.array([[c, s], [-s, c]])


def quads(*cards: tuple[np.ndarray, float], squeezed: float = 1.0) -> np.ndarray:
    return np.stack([turned(shape, degrees) * (squeezed, 1) for shape, degrees in cards]).astype(np.float32)


@given(
    turns=st.lists(st.floats(-180, 180), min_size=3, max_size=6),
    squeezed=st.sampled_from([0.5625, 0.75, 1.3333, 1.7778]),
)
def test_whole_cards_tell_how_they_are_squeezed(turns: list[float], squeezed: float) -> None:
    found = stretch_for(quads(*((CARD_MM, turn) for turn in turns), squeezed=squeezed))

    assert found is not None
    assert found * squeezed == pytest.approx(1, rel=0.06)


@given(turns=st.lists(st.floats(-180, 180), min_size=3, max_size=6))
def test_cards_as_they_are_are_left_alone(turns: list[float]) -> None:
    assert stretch_for(quads(*((CARD_MM, turn) for turn in turns))) is None


def test_covered_cards_tell_by_their_angles() -> None:
    fan = quads(*((HALF_MM, turn) for turn in (20, 40, 55, 70, 110, 130)), squeezed=0.6)

    found = stretch_for(fan)

    assert found is not None
    assert found * 0.6 == pytest.approx(1, rel=0.06)


def test_few_cards_tell_nothing() -> None:
    assert stretch_for(quads((CARD_MM, 10), (CARD_MM, 40), squeezed=0.6)) is None
    assert stretch_for(np.zeros((0, 4, 2), np.float32)) is None


def test_outlines_without_an_area_tell_nothing() -> None:
    assert stretch_for(np.zeros((3, 4, 2), np.float32)) is None
