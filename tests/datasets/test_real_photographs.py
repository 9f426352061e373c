"""Scores of labelled photographs."""

import json
from pathlib import Path

import pytest

from datasets.real_photographs import Photograph, Tally, read_index, score


def photograph(
    *cards: str, counts_each: bool = True, is_complete: bool = True, backs: bool = True
) -> Photograph:
    return Photograph(
        path=Path("x.jpg"),
        source="s",
        cards=cards,
        counts_each=counts_each,
        is_complete=is_complete,
        backs_labelled=backs,
    )


@pytest.mark.parametrize(
    ("truth", "names", "right", "wrong"),
    [
        pytest.param(photograph("9H", "AS"), ("9H", "AS"), 2, 0, id="all right"),
        pytest.param(photograph("9H"), ("6H",), 0, 1, id="a misread card"),
        pytest.param(photograph("9H"), ("9H", "9H"), 1, 1, id="one card seen twice"),
        pytest.param(photograph("9H", "9H"), ("9H",), 1, 0, id="one of two equal cards"),
        pytest.param(photograph("9H", "9H", counts_each=False), ("9H",), 1, 0, id="two corners of one card"),
        pytest.param(photograph("9H"), ("??",), 0, 0, id="unreadable is not wrong"),
        pytest.param(photograph("9?"), ("9H",), 1, 0, id="ranks only"),
        pytest.param(photograph("9H", is_complete=False), ("9H", "2C"), 1, 0, id="others may lie there"),
        pytest.param(photograph("9H", backs=False), ("9H", "BACK"), 1, 0, id="backs not labelled"),
        pytest.param(photograph("BACK", "BACK"), ("BACK", "BACK"), 2, 0, id="backs labelled"),
    ],
)
def test_one_picture(truth: Photograph, names: tuple[str, ...], right: int, wrong: int) -> None:
    tally = Tally()

    score(truth, names, tally)

    assert (tally.right, tally.wrong) == (right, wrong)


def test_a_broken_index_names_its_line(tmp_path: Path) -> None:
    row = {"image": "a.jpg", "source": "x/y", "view": "v", "deck": "d", "classes_complete": True}
    index = tmp_path / "index.jsonl"
    index.write_text(json.dumps(row | {"cards": [{"card": "9H"}]}) + "\n" + json.dumps(row) + "\n")

    with pytest.raises(ValueError, match="line 2"):
        list(read_index(index))
