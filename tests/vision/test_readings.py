"""Which of the cards seen in a zone lies on top, and when that is said to be not legible."""

from dataclasses import replace

import numpy as np
import pytest

from models.classes import CLASS_ID
from models.detections import Detections
from referee.cards import Card
from referee.piles import PileId
from vision.readings import OUTLINE_CONFIDENCE, TOWARDS, read_pile
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


def outlined(pile, *, is_squared=False):
    """A zone in which something as large as a card stands out, its left upper corner at 18, 16 mm."""
    corners = np.array([[0, 0], [100, 0], [100, 120], [0, 120]], np.float32)
    picture = np.full((240, 200, 3), (70, 110, 60), np.uint8)
    picture[32 : 32 + 176, 36 : 36 + 126] = (40, 30, 120)
    zone = Zone(PileId.parse(pile), corners, is_squared=is_squared)
    return replace(VIEW, zone=zone, image_bgr=picture)


OVER_BACKS = [
    pytest.param("south/reserve", False, id="a reserve"),
    pytest.param("south/stock", False, id="a stock"),
    pytest.param("south/hand", False, id="a packet of spit cards"),
    pytest.param("south/tableau[1]", True, id="a squared work pile"),
]


@pytest.mark.parametrize(("pile", "is_squared"), OVER_BACKS)
@pytest.mark.parametrize(
    "located", [(), (("9H", 0.3, 18, 16, 30, 20),)], ids=["nothing located", "no whole card located"]
)
def test_where_backs_lie_an_outline_is_a_back(pile, is_squared, located):
    reading = read_pile(outlined(pile, is_squared=is_squared), Says(*located), None, SETTINGS)

    assert (reading.top, reading.face_up, reading.is_empty, reading.is_sure) == (None, False, False, True)
    assert reading.confidence == OUTLINE_CONFIDENCE
    assert [card.name for card in reading.cards] == ["BACK"]
    (left, top), (right, bottom) = reading.top_quad_mm.min(axis=0), reading.top_quad_mm.max(axis=0)
    assert (left, top, right, bottom) == pytest.approx((18, 16, 81, 104), abs=2.0)


@pytest.mark.parametrize(("pile", "is_squared"), OVER_BACKS)
def test_where_backs_lie_and_nothing_stands_out_the_table_is_bare(pile, is_squared):
    bare = np.full((240, 200, 3), (70, 110, 60), np.uint8)
    view = replace(outlined(pile, is_squared=is_squared), image_bgr=bare)

    assert read_pile(view, Says(), None, SETTINGS).is_empty


@pytest.mark.parametrize(
    ("pile", "towards"),
    [
        ("table/foundation[0]", None),
        ("table/spit[1]", None),
        ("south/waste", Edge.BOTTOM),
        ("south/tableau[0]", Edge.BOTTOM),
    ],
)
def test_where_faces_lie_an_outline_tells_nothing(pile, towards):
    reading = read_pile(outlined(pile), Says(), TOWARDS[towards] if towards else None, SETTINGS)

    assert reading.is_empty


@pytest.mark.parametrize(("pile", "is_squared"), OVER_BACKS)
@pytest.mark.parametrize(
    ("name", "confidence", "top"),
    [
        pytest.param("9H", 0.9, Card.parse("9H"), id="a face"),
        pytest.param("9H", 0.3, None, id="a face below the threshold"),
        pytest.param("??", 0.9, None, id="a face that is unreadable"),
        pytest.param("BACK", 0.4, None, id="a back"),
    ],
)
def test_a_whole_card_that_was_located_is_never_replaced_by_an_outline(
    pile, is_squared, name, confidence, top
):
    said = Says((name, confidence, 20, 14, 63, 88))

    reading = read_pile(outlined(pile, is_squared=is_squared), said, None, SETTINGS)

    assert (reading.top, reading.face_up) == (top, name != "BACK")
    assert reading.confidence == pytest.approx(confidence)
    assert reading.top_quad_mm.min(axis=0).tolist() == [20, 14]


# One outline around two cards of a fan

BOTH = ("5H", 0.97, 18, 10, 63, 110)
INDEX_OF_UPPER, INDEX_OF_STRIP = ("4S", 0.96, 20, 112 - 28, 12, 26), ("5H", 0.9, 20, 12, 12, 26)


@pytest.mark.parametrize(
    ("cards", "top"),
    [
        pytest.param((BOTH, INDEX_OF_UPPER), "4S", id="named by the strip: the upper card's index tells"),
        pytest.param((BOTH, INDEX_OF_STRIP), "5H", id="nothing else is read"),
        pytest.param(
            (BOTH, ("8H", 0.8, 18, 10, 63, 20)), "5H", id="named by the upper card, the strip apart"
        ),
    ],
)
def test_no_card_of_a_fan_is_longer_than_a_card(cards, top):
    reading = read_pile(VIEW, Says(*cards), TOWARDS[Edge.BOTTOM], SETTINGS)

    assert reading.top == Card.parse(top)
    assert reading.top_quad_mm is not None
    assert reading.top_quad_mm[:, 1].min() == pytest.approx(120 - 88, abs=1)
    assert reading.top_quad_mm[:, 1].max() == pytest.approx(120, abs=0.1)


def test_the_strip_of_a_cut_outline_keeps_its_name():
    reading = read_pile(VIEW, Says(BOTH, INDEX_OF_UPPER), TOWARDS[Edge.BOTTOM], SETTINGS)

    strip = next(card for card in reading.cards if card.name == "5H")
    assert strip.quad_mm[:, 1].max() == pytest.approx(32, abs=1)
    assert len(reading.cards) == 2


def test_a_squared_pile_is_not_cut():
    reading = read_pile(VIEW, Says(BOTH), None, SETTINGS)

    assert reading.top_quad_mm is not None
    assert np.ptp(reading.top_quad_mm[:, 1]) == pytest.approx(110, abs=0.1)
