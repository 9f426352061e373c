"""Corner indices correct and complete the cards: one rule of ``with_indices`` a test."""

import numpy as np
import pytest
from numpy.typing import NDArray

from models.classes import CLASS_ID
from models.detections import Detections
from models.indices import holds_index, unexplained, with_indices

Quad = NDArray[np.float32]


def box(left: float, top: float, width: float, height: float) -> Quad:
    right, bottom = left + width, top + height
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def index_at(left: float, top: float) -> Quad:
    """An index block of a card of 63 x 88 mm at 1 px per mm."""
    return box(left, top, 13, 26)


WHOLE = box(100, 100, 63, 88)
OWN_CORNER = index_at(100, 100)
FAR_CORNER = index_at(150, 162)
MIDDLE = index_at(125, 131)
ELSEWHERE = index_at(400, 400)


def found(*items: tuple[str, float, Quad]) -> Detections:
    quads = [quad for _, _, quad in items]
    return Detections(
        corners_px=np.stack(quads) if quads else np.zeros((0, 4, 2), np.float32),
        class_id=np.array([CLASS_ID[name] for name, _, _ in items], np.int16),
        confidence=np.array([sureness for _, sureness, _ in items], np.float32),
    )


@pytest.mark.parametrize(
    ("cards", "indices", "names"),
    [
        pytest.param([("9H", 0.9, WHOLE)], [], ("9H",), id="no index, no change"),
        pytest.param([("9H", 0.9, WHOLE)], [("9H", 0.9, OWN_CORNER)], ("9H",), id="its own index"),
        pytest.param(
            [("9H", 0.9, WHOLE)],
            [("9H", 0.9, OWN_CORNER), ("9H", 0.95, FAR_CORNER)],
            ("9H",),
            id="both of its indices",
        ),
        pytest.param(
            [("9H", 0.9, box(100, 100, 63, 30))],
            [("9H", 0.9, FAR_CORNER)],
            ("9H",),
            id="its far index, which the box does not hold",
        ),
        pytest.param(
            [("6H", 0.8, WHOLE)],
            [
                ("8H", 0.96, OWN_CORNER),
                ("6H", 0.97, box(40, 100, 13, 26)),
                ("6H", 0.93, box(82, 120, 13, 26)),
            ],
            ("8H", "6H"),
            id="indices beside a card that was misread are of a card of their own",
        ),
        pytest.param(
            [("9H", 0.9, box(118, 112, 28, 62)), ("9H", 0.8, box(100, 100, 17, 88))],
            [("9H", 0.9, OWN_CORNER)],
            ("9H",),
            id="a framed picture and the margin that holds the index are one card",
        ),
        pytest.param(
            [
                ("2C", 0.9, box(300, 300, 63, 88)),
                ("9H", 0.8, box(100, 100, 17, 88)),
                ("9H", 0.9, box(118, 112, 28, 62)),
            ],
            [("9H", 0.9, OWN_CORNER)],
            ("2C", "9H"),
            id="the same, not the first card found",
        ),
        pytest.param(
            [("9H", 0.9, WHOLE), ("9H", 0.8, box(84, 100, 15, 88))],
            [("9H", 0.9, OWN_CORNER), ("9H", 0.8, index_at(85, 100))],
            ("9H", "9H"),
            id="two equal cards with an index each are two",
        ),
        pytest.param(
            [("9H", 0.9, WHOLE), ("9H", 0.8, box(300, 100, 63, 88))],
            [("9H", 0.9, OWN_CORNER)],
            ("9H", "9H"),
            id="an equal card elsewhere is another one",
        ),
        pytest.param(
            [("??", 0.5, WHOLE)], [("9H", 0.85, OWN_CORNER)], ("9H",), id="an unreadable card is named"
        ),
        pytest.param(
            [("??", 0.5, WHOLE)],
            [("9H", 0.85, OWN_CORNER), ("9H", 0.9, FAR_CORNER)],
            ("9H",),
            id="and named once",
        ),
        pytest.param([("6H", 0.7, WHOLE)], [("9H", 0.95, OWN_CORNER)], ("9H",), id="the surer index holds"),
        pytest.param([("6H", 0.99, WHOLE)], [("9H", 0.85, OWN_CORNER)], ("6H",), id="the surer card holds"),
        pytest.param(
            [("6H", 0.7, WHOLE)],
            [("6H", 0.99, FAR_CORNER), ("9H", 0.95, OWN_CORNER)],
            ("6H", "9H"),
            id="a card that its other index bears out keeps its name",
        ),
        pytest.param(
            [("6H", 0.9, WHOLE)], [("KS", 0.95, MIDDLE)], ("6H", "KS"), id="an index in the middle of a card"
        ),
        pytest.param(
            [("6H", 0.9, WHOLE)],
            [("KS", 0.95, ELSEWHERE)],
            ("6H", "KS"),
            id="an index where no card was found",
        ),
        pytest.param(
            [],
            [("KS", 0.95, ELSEWHERE), ("KS", 0.9, index_at(450, 462))],
            ("KS",),
            id="two indices of one card that was not found",
        ),
        pytest.param(
            [],
            [("KS", 0.95, ELSEWHERE), ("KS", 0.9, index_at(700, 400))],
            ("KS", "KS"),
            id="one card of each of two decks",
        ),
        pytest.param([], [], (), id="nothing at all"),
    ],
)
def test_indices_bear_out_name_or_add_cards(
    cards: list[tuple[str, float, Quad]], indices: list[tuple[str, float, Quad]], names: tuple[str, ...]
) -> None:
    assert with_indices(found(*cards), found(*indices)).names == names


@pytest.mark.parametrize(
    ("index", "held"),
    [
        pytest.param(OWN_CORNER, True, id="in its corner"),
        pytest.param(FAR_CORNER, True, id="in the other one"),
        pytest.param(MIDDLE, False, id="in the middle"),
        pytest.param(ELSEWHERE, False, id="elsewhere"),
    ],
)
def test_a_box_holds_the_index_in_its_corner(index: Quad, *, held: bool) -> None:
    assert holds_index(WHOLE[None], index[None]).tolist() == [held]


def test_an_index_beside_the_part_that_was_found_of_its_card_is_explained() -> None:
    inner = box(113, 110, 37, 60)  # A framed picture, taken for the card.

    told = unexplained(found(("9H", 0.9, inner)), found(("9H", 0.9, OWN_CORNER), ("KS", 0.9, FAR_CORNER)))

    assert told.tolist() == [False, True]


def test_no_box_and_no_index_hold_nothing() -> None:
    nothing = np.zeros((0, 4, 2), np.float32)

    assert holds_index(nothing, OWN_CORNER[None]).shape == (0,)
    assert holds_index(WHOLE[None], nothing).tolist() == [False]


def test_an_added_card_is_where_its_index_is() -> None:
    completed = with_indices(found(), found(("KS", 0.95, ELSEWHERE)))

    assert np.array_equal(completed.corners_px[0], ELSEWHERE)
    assert completed.confidence[0] == pytest.approx(0.95)
