"""Two looks at one picture, made into one."""

import numpy as np
import pytest

from models.classes import CLASS_ID
from models.detections import Detections
from models.two_looks import ALONE, ALONE_STRETCHED, joined

Seen = tuple[str, float, float]
"""A card's name, how surely it is read, and how far to the right it lies."""


def look(*cards: Seen) -> Detections:
    return Detections(
        corners_px=np.array(
            [[[x, 0], [x + 60, 0], [x + 60, 90], [x, 90]] for _, _, x in cards], np.float32
        ).reshape(-1, 4, 2),
        class_id=np.array([CLASS_ID[name] for name, _, _ in cards], np.int16),
        confidence=np.array([sureness for _, sureness, _ in cards], np.float32),
    )


def told(found: Detections) -> list[tuple[str, float]]:
    return [
        (name, pytest.approx(float(sure))) for name, sure in zip(found.names, found.confidence, strict=True)
    ]


def test_a_card_that_both_see_is_told_once():
    assert told(joined(look(("7C", 0.8, 0)), look(("7C", 0.9, 4)))) == [("7C", 0.9)]


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        (("7S", 0.7, 0), ("7C", 0.9, 4), "7C"),
        (("7S", 0.9, 0), ("7C", 0.7, 4), "7S"),
        (("??", 0.9, 0), ("7C", 0.7, 4), "7C"),
        (("7S", 0.7, 0), ("BACK", 0.9, 4), "7S"),
        (("BACK", 0.9, 0), ("??", 0.5, 4), "??"),
    ],
)
def test_of_two_names_the_surer_face_counts(one: Seen, other: Seen, name: str):
    assert joined(look(one), look(other)).names == (name,)


def test_what_one_look_alone_sees_must_be_sure():
    sure = joined(look(("7S", ALONE, 0)), look(("9D", ALONE_STRETCHED, 300)))
    vague = joined(look(("7S", ALONE - 0.01, 0)), look(("9D", ALONE_STRETCHED - 0.01, 300)))

    assert sorted(sure.names) == ["7S", "9D"]
    assert len(vague) == 0


def test_each_card_has_one_partner():
    found = joined(look(("7S", 0.9, 0)), look(("7S", 0.9, 10), ("8D", 0.9, 20)))

    assert sorted(found.names) == ["7S", "8D"]


def test_looks_that_see_nothing_are_joined_too():
    assert len(joined(look(), look())) == 0
    assert joined(look(), look(("7S", 0.9, 0))).names == ("7S",)
