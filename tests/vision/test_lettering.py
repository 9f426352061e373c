"""Marks of seats and letters on pictures: drawn as pages show them."""

import cv2
import numpy as np
import pytest

from vision.lettering import draw_mark, write, written_card, written_name
from vision.seat_marks import SEAT_MARKS, mark_of


def drawn(place: int) -> np.ndarray:
    picture = np.full((96, 96, 3), 70, np.uint8)
    draw_mark(picture, mark_of(place), (0, 0), 96)
    return picture


@pytest.mark.parametrize("place", range(8))
def test_a_mark_is_drawn_in_its_colour(place: int):
    picture = drawn(place)

    filled = (picture == mark_of(place).bgr).all(axis=2)
    assert filled[48, 48]
    assert 0.2 < filled.mean() < 0.8


def test_marks_differ_in_shape_alone():
    shapes = [(drawn(place) == mark_of(place).bgr).all(axis=2) for place in range(8)]

    differing = [(a != b).mean() for i, a in enumerate(shapes) for b in shapes[:i]]
    assert min(differing) > 0.02


def lightness_of(colours_bgr: list[tuple[int, int, int]]) -> list[float]:
    pixels = np.array([colours_bgr], np.uint8)
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB)[0, :, 0].astype(float).tolist()


def test_marks_are_light_enough_for_dark_plates():
    assert min(lightness_of([mark.bgr for mark in SEAT_MARKS])) > 140


def test_seats_beyond_the_last_mark_begin_anew():
    assert mark_of(8) == mark_of(0)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        pytest.param("Ana", "Ana", id="plain"),
        pytest.param("Жанна Ωμέγα", "Жанна Ωμέγα", id="letters that stand side by side"),
        pytest.param("عبد الرحمن", "south", id="letters that join"),
        pytest.param("श्रीनिवास", "south", id="letters that stack"),
        pytest.param("李雷", "south", id="no letters of the font"),
        pytest.param("Ana \U0001f600", "south", id="pictures"),
        pytest.param("\u202eAna\u2066", "Ana", id="what turns the direction is left out"),
        pytest.param("", "south", id="no name"),
        pytest.param(" \t ", "south", id="only space"),
        pytest.param("Bartholomew Featherstonehaugh", "Bartholomew Feath…", id="longer than the strip"),
    ],
)
def test_a_name_is_written_where_it_can_be(name: str, wanted: str):
    assert written_name(name, "south") == wanted


@pytest.mark.parametrize("name", ["Ana", "Жанна", "Zoë", "10♥"])
def test_what_is_written_is_no_row_of_question_marks(name: str):
    pictures = [np.zeros((40, 300, 3), np.uint8) for _ in range(2)]

    write(pictures[0], name, (5, 30), (255, 255, 255), 0.9)
    write(pictures[1], "?" * len(name), (5, 30), (255, 255, 255), 0.9)

    assert (pictures[0] != pictures[1]).any()


@pytest.mark.parametrize(
    ("code", "wanted"), [("TH", "10♥"), ("AS", "A♠"), ("JK", "JK"), ("BACK", "BACK"), ("??", "??")]
)
def test_cards_are_written_as_on_pages(code: str, wanted: str):
    assert written_card(code) == wanted
