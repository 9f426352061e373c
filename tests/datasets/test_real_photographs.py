"""Scores of labelled photographs."""

import json
from pathlib import Path

import numpy as np
import pytest

from datasets.real_photographs import Photograph, Place, outcome_of, read_index, scale_of_box
from datasets.report_outcomes import Reading, tally_of


def photograph(
    *cards: str,
    counts_each: bool = True,
    is_complete: bool = True,
    backs: bool = True,
    places: tuple[Place | None, ...] = (),
) -> Photograph:
    return Photograph(
        path=Path("x.jpg"),
        source="s",
        cards=cards,
        counts_each=counts_each,
        is_complete=is_complete,
        backs_labelled=backs,
        places=places,
    )


def square(x: float, side: float = 10.0) -> tuple[tuple[float, float], ...]:
    return (x, 0.0), (x + side, 0.0), (x + side, side), (x, side)


def readings(*names: str) -> list[Reading]:
    """One reading of each name, side by side: the i-th at x = 20 i."""
    return [Reading(name=name, confidence=0.9, quad_px=square(20 * i)) for i, name in enumerate(names)]


def at(*xs: float, is_corner: bool = False) -> tuple[Place, ...]:
    return tuple(Place(quad_px=square(x), is_corner=is_corner, px_per_mm=None) for x in xs)


@pytest.mark.parametrize(
    ("truth", "names", "right", "wrong"),
    [
        pytest.param(photograph("9H", "AS"), ("9H", "AS"), 2, 0, id="all right"),
        pytest.param(photograph("9H"), ("6H",), 0, 1, id="a misread card"),
        pytest.param(photograph("9H"), ("9H", "9H"), 1, 1, id="one card seen twice"),
        pytest.param(photograph("9H", "9H"), ("9H",), 1, 0, id="one of two equal cards"),
        pytest.param(photograph("9H", "9H", counts_each=False), ("9H",), 1, 0, id="two corners of one card"),
        pytest.param(
            photograph("9H", counts_each=False), ("2C", "2C"), 0, 1, id="one wrong name, seen twice"
        ),
        pytest.param(photograph("9H"), ("??",), 0, 0, id="unreadable is not wrong"),
        pytest.param(
            photograph("9H", "BACK"), ("9H", "BACK", "BACK"), 2, 0, id="one back without a place: some backs"
        ),
        pytest.param(photograph("BACK", "BACK"), ("BACK",) * 3, 2, 1, id="backs that were counted"),
        pytest.param(photograph("9?"), ("9H",), 1, 0, id="ranks only"),
        pytest.param(
            photograph("9?", counts_each=False), ("9H", "9D"), 1, 0, id="one rank, two suits, one card"
        ),
        pytest.param(photograph("9H", is_complete=False), ("9H", "2C"), 1, 0, id="others may lie there"),
        pytest.param(photograph("9H", backs=False), ("9H", "BACK"), 1, 0, id="backs not labelled"),
        pytest.param(photograph("BACK", "BACK"), ("BACK", "BACK"), 2, 0, id="backs labelled"),
    ],
)
def test_one_picture(truth: Photograph, names: tuple[str, ...], right: int, wrong: int) -> None:
    tally = tally_of([outcome_of(truth, readings(*names))])

    assert (tally.right, tally.wrong) == (right, wrong)


def test_backs_labelled_whole_are_counted_each_beside_corners() -> None:
    places = (*at(0, is_corner=True), *at(20, 40))
    truth = photograph("9H", "BACK", "BACK", counts_each=False, places=places)

    tally = tally_of([outcome_of(truth, readings("9H", "BACK", "BACK"))])

    assert (tally.truth, tally.right, tally.wrong) == (3, 3, 0)


def test_what_a_card_was_misread_as_is_told_by_place() -> None:
    truth = photograph("9H", "2S", places=at(20, 0))

    outcome = outcome_of(truth, readings("2C", "6H"))

    assert {(card.truth, card.given) for card in outcome.cards} == {("9H", "6H"), ("2S", "2C")}


def test_of_equal_names_the_one_in_place_is_the_cards() -> None:
    truth = photograph("9H", places=at(20))

    outcome = outcome_of(truth, readings("9H", "9H"))

    assert [(card.truth, card.quad_px[0][0]) for card in outcome.cards] == [("9H", 20.0), ("", 0.0)]


@pytest.mark.parametrize("scale", [0.7, 2.0])
@pytest.mark.parametrize("degrees", [0, 10, 30, 45, 60, 90])
def test_scale_from_the_upright_box_of_a_turned_card(scale: float, degrees: float) -> None:
    c, s = abs(np.cos(np.radians(degrees))) * scale, abs(np.sin(np.radians(degrees))) * scale
    wide, tall = 63 * c + 88 * s, 63 * s + 88 * c

    found = scale_of_box(((0, 0), (wide, 0), (wide, tall), (0, tall)), (63, 88))

    assert found == pytest.approx(scale, rel=0.01)


def test_two_corner_boxes_give_the_scale_of_their_card(tmp_path: Path) -> None:
    boxes = [3.5, 6, 16.5, 38], [109.5, 138, 122.5, 170]
    corners = [{"card": "9H", "box_kind": "corner", "box_px": box} for box in boxes]
    row = {
        "image": "a.jpg",
        "source": "x/y",
        "view": "v",
        "deck": "d",
        "classes_complete": True,
        "cards": corners,
    }
    index = tmp_path / "index.jsonl"
    index.write_text(json.dumps(row) + "\n")

    (found,) = read_index(index)

    assert [place.px_per_mm for place in found.places if place] == pytest.approx([2.0, 2.0], rel=0.01)


def test_a_broken_index_names_its_line(tmp_path: Path) -> None:
    row = {"image": "a.jpg", "source": "x/y", "view": "v", "deck": "d", "classes_complete": True}
    index = tmp_path / "index.jsonl"
    index.write_text(json.dumps(row | {"cards": [{"card": "9H"}]}) + "\n" + json.dumps(row) + "\n")

    with pytest.raises(ValueError, match="line 2"):
        list(read_index(index))
