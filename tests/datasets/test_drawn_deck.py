"""The drawn deck: cards look the same for the same style, and unlike for different ones."""

import numpy as np
import pytest

from datasets.drawn_deck import DeckStyle, draw_back, draw_face, random_style, with_other_pips
from referee.cards import FACES, Card


@pytest.fixture(scope="module")
def style() -> DeckStyle:
    return random_style(np.random.default_rng(5))


def test_the_same_seed_gives_the_same_deck(style: DeckStyle) -> None:
    again = random_style(np.random.default_rng(5))

    first, second = draw_face(FACES[10], style, 88), draw_face(FACES[10], again, 88)

    assert style == again
    assert np.array_equal(first, second)


def test_every_face_differs_from_every_other(style: DeckStyle) -> None:
    small = [draw_face(card, style, 132).astype(np.int16) for card in (*FACES, Card.parse("JK"))]

    closest = min(float(np.abs(a - b).mean()) for i, a in enumerate(small) for b in small[i + 1 :])

    assert len(small) == 53
    assert closest > 1.0


def test_corners_are_cut_round_and_the_middle_is_opaque(style: DeckStyle) -> None:
    face = draw_face(Card.parse("2H"), style, 176)

    assert face.shape == (176, 126, 4)
    assert face[0, 0, 3] == 0
    assert face[88, 63, 3] == 255


@pytest.mark.parametrize("text", ["KD", "JC", "4S", "AH"])
def test_indices_read_the_same_from_both_ends(style: DeckStyle, text: str) -> None:
    face = draw_face(Card.parse(text), style, 264)[:, :, :3].astype(np.int16)

    corner, opposite = face[8:70, 6:36], face[::-1, ::-1][8:70, 6:36]

    assert float(np.abs(corner - opposite).mean()) < 6.0


def test_backs_of_many_decks_differ() -> None:
    backs = [
        draw_back(random_style(np.random.default_rng(seed)), 88)[:, :, :3].astype(np.int16)
        for seed in range(12)
    ]

    closest = min(float(np.abs(a - b).mean()) for i, a in enumerate(backs) for b in backs[i + 1 :])

    assert closest > 3.0


def test_a_card_too_small_to_draw_is_refused(style: DeckStyle) -> None:
    with pytest.raises(ValueError, match="want 16 or more"):
        draw_face(FACES[0], style, 8)


def test_other_pips_change_clubs_and_spades_alone(style: DeckStyle) -> None:
    other = with_other_pips(style, np.random.default_rng(1))

    changed = {
        text[1]: not np.array_equal(
            draw_face(Card.parse(text), style, 176), draw_face(Card.parse(text), other, 176)
        )
        for text in ("7C", "7D", "7H", "7S")
    }

    assert changed == {"C": True, "D": False, "H": False, "S": True}
