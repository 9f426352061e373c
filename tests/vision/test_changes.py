"""What left a fan, by what is seen of it before and after."""

from dataclasses import replace

import numpy as np
import pytest

from referee.cards import Card
from vision.calibration import calibrate_from_corners
from vision.card_seen import CardSeen
from vision.changes import cards_gone, is_more_gone
from vision.readings import TOWARDS, Reading
from vision.rectify import Rectifier
from vision.settings import WatchSettings
from vision.settle import Look, ZonePlace
from vision.table import CARD_MM, Edge

STEP_MM = 21.0


def fan(*names: str, edge: Edge = Edge.BOTTOM, doubled: str | None = None) -> Reading:
    """A work pile that grows towards its player, the last card whole, of the others what shows."""
    x, y = TOWARDS[edge]
    cards = []
    for i, name in enumerate(names):
        depth = CARD_MM[1] if i == len(names) - 1 else STEP_MM
        near, far = 200 + y * STEP_MM * i, 200 + y * (STEP_MM * i + depth)
        quad = np.array([[0, near], [63, near], [63, far], [0, far]], np.float32)
        cards.append(CardSeen(name, 0.9, quad))
        if name == doubled:
            cards.append(CardSeen("??", 0.4, quad + 2))
    assert x == 0
    top = cards[-1] if cards else None
    return Reading(
        top=None if top is None else Card.parse(top.name),
        is_empty=top is None,
        face_up=top is not None,
        confidence=0.9,
        top_quad_mm=None if top is None else top.quad_mm,
        cards=tuple(cards),
    )


def cards(text: str) -> tuple[Card | None, ...]:
    return tuple(None if name == "??" else Card.parse(name) for name in text.split())


@pytest.mark.parametrize("edge", [Edge.BOTTOM, Edge.TOP])
@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        pytest.param("JC TH 9S", "JC TH", "9S", id="the top"),
        pytest.param("JC TH 9S", "JC", "TH 9S", id="a run of two"),
        pytest.param("JC TH 9S", "", "JC TH 9S", id="all of them"),
        pytest.param("JC ?? 9S", "JC", "?? 9S", id="a run with a card that was not read"),
        pytest.param("JC TH", "JC TH", "", id="nothing"),
    ],
)
def test_what_left_a_fan_is_told_from_the_lowest_card_on(edge, before, after, gone):
    old, new = fan(*before.split(), edge=edge), fan(*after.split(), edge=edge)

    assert cards_gone(old, new, TOWARDS[edge]) == cards(gone)


def test_a_card_whose_box_grew_has_not_gone():
    old, new = fan("JC", "TH", "9S"), fan("JC", "TH")
    top = new.cards[-1]
    over_both = replace(top, quad_mm=np.concatenate([new.cards[0].quad_mm[:2], top.quad_mm[2:]]))
    grown = replace(new, cards=(*new.cards[:-1], over_both), top_quad_mm=over_both.quad_mm)

    assert cards_gone(old, grown, TOWARDS[Edge.BOTTOM]) == cards("9S")


def test_two_readings_of_one_card_are_one_card():
    old, new = fan("JC", "TH", "9S", doubled="TH"), fan("JC")

    assert cards_gone(old, new, TOWARDS[Edge.BOTTOM]) == cards("TH 9S")


def test_the_top_whose_outline_takes_in_the_strip_of_the_next_is_another_card():
    old = fan("JC", "TH", "9S")
    *covered, top = old.cards
    over_two = replace(top, quad_mm=np.concatenate([covered[-1].quad_mm[:2], top.quad_mm[2:]]))
    grown = replace(old, cards=(*covered, over_two), top_quad_mm=over_two.quad_mm)

    assert cards_gone(grown, fan("JC"), TOWARDS[Edge.BOTTOM]) == cards("TH 9S")


TOP_MM = np.array([[185, 295], [248, 295], [248, 383], [185, 383]], np.float32)
COVERED_MM = TOP_MM - np.array([0, STEP_MM], np.float32)
CLOTH, CARD_LEVEL = 70, 235


@pytest.fixture
def place(table) -> ZonePlace:
    """South's reserve, on which a fan of two is drawn."""
    rectifier = Rectifier(table, calibrate_from_corners(table.view, table.size_mm), WatchSettings())
    zone = next(zone for zone in table.zones if str(zone.pile) == "south/reserve")
    return ZonePlace(zone, rectifier.watch, rectifier.hands)


def look(place: ZonePlace, *quads_mm: np.ndarray) -> Look:
    """White cards on the cloth; the last one is read, the others are not."""
    grey = np.full(place.mask.shape, CLOTH, np.uint8)
    for quad_mm in quads_mm:
        grey[place.mask_of(quad_mm) > 0] = CARD_LEVEL
    reading = fan("JH") if quads_mm else fan()
    return Look(grey, replace(reading, top_quad_mm=quads_mm[-1] if quads_mm else None), 0)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        pytest.param([COVERED_MM, TOP_MM], [], True, id="both of two"),
        pytest.param([TOP_MM], [], False, id="the only one"),
        pytest.param([COVERED_MM, TOP_MM], [COVERED_MM], False, id="the upper one"),
    ],
)
def test_a_card_that_was_not_read_went_with_the_one_that_covered_it(place, before, after, gone):
    assert is_more_gone(place, look(place, *before), look(place, *after), TOWARDS[Edge.BOTTOM]) is gone
