"""Which of the cards seen in a zone lies on top, and when that is said to be not legible."""

import numpy as np
import pytest

from models.classes import CLASS_ID
from models.detections import Detections
from referee.cards import Card
from referee.piles import PileId
from vision.readings import TOWARDS, read_pile
from vision.rectify import ZoneView
from vision.settings import WatchSettings
from vision.table import Edge, Zone

SETTINGS = WatchSettings()
PX_PER_MM = 2.0
ZONE = Zone(PileId.parse("south/tableau[0]"), np.array([[0, 0], [100, 0], [100, 250], [0, 250]], np.float32))
VIEW = ZoneView(
    zone=ZONE,
    image_bgr=np.zeros((500, 200, 3), np.uint8),
    table_mm_from_view_px=np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0]),
    t_us=0,
)


class Says:
    """Reports cards given as name, confidence, left, top, width, height in millimetres."""

    def __init__(self, *cards):
        self._cards = cards

    def detect(self, image_bgr):
        quads = [[[x, y], [x + w, y], [x + w, y + h], [x, y + h]] for _, _, x, y, w, h in self._cards]
        return Detections(
            corners_px=np.array(quads, np.float32).reshape(-1, 4, 2) * PX_PER_MM,
            class_id=np.array([CLASS_ID[card[0]] for card in self._cards], np.int16),
            confidence=np.array([card[1] for card in self._cards], np.float32),
        )


FAN = (("KS", 0.9, 18, 10, 63, 20), ("QH", 0.9, 18, 30, 63, 20), ("JS", 0.9, 18, 50, 63, 88))
APART = (("4C", 0.9, 18, 10, 63, 88), ("5D", 0.9, 18, 110, 63, 88))


@pytest.mark.parametrize(
    ("cards", "edge", "top"),
    [
        pytest.param(FAN, Edge.BOTTOM, "JS", id="the whole card of a fan"),
        pytest.param(APART, Edge.BOTTOM, "5D", id="of two whole cards the one nearer the player below"),
        pytest.param(APART, Edge.TOP, "4C", id="or above"),
        pytest.param(FAN, None, "JS", id="a squared pile's whole card"),
        pytest.param((("9H", 0.4, 18, 10, 63, 88),), None, None, id="below the threshold"),
        pytest.param((("??", 0.9, 18, 10, 63, 88),), None, None, id="said to be unreadable"),
        pytest.param(FAN[:2], Edge.BOTTOM, None, id="only strips of cards"),
        pytest.param(
            (("9H", 0.8, 18, 10, 63, 88), ("9D", 0.75, 19, 11, 63, 88)), None, None, id="read as two cards"
        ),
        pytest.param(
            (("9H", 0.9, 18, 10, 63, 88), ("9D", 0.3, 19, 11, 63, 88)), None, "9H", id="a weak second reading"
        ),
        pytest.param((("BACK", 0.9, 18, 10, 63, 88),), None, None, id="a back"),
    ],
)
def test_the_top_card(cards, edge, top):
    reading = read_pile(VIEW, Says(*cards), TOWARDS[edge] if edge else None, SETTINGS)

    assert reading.top == (Card.parse(top) if top else None)
    assert not reading.is_empty


def test_nothing_seen_is_bare_table():
    reading = read_pile(VIEW, Says(), None, SETTINGS)

    assert reading.is_empty
    assert reading.is_sure


def test_a_neighbour_that_reaches_in_is_left_out():
    reading = read_pile(VIEW, Says(("9H", 0.9, 80, 10, 63, 88)), None, SETTINGS)

    assert reading.is_empty


@pytest.mark.parametrize(
    ("card", "face_up", "is_sure"),
    [("BACK", False, True), ("9H", True, True), ("??", True, False)],
)
def test_a_back_is_a_sure_reading_and_a_doubtful_face_is_not(card, face_up, is_sure):
    reading = read_pile(VIEW, Says((card, 0.9, 18, 10, 63, 88)), None, SETTINGS)

    assert (reading.face_up, reading.is_sure) == (face_up, is_sure)
