"""The 52 places of a deck that was laid out in four rows."""

import cv2
import numpy as np
import pytest

from models.card_rows import NoRowsError, find_rows

PITCH_MM = (70.0, 96.0)


def laid_out(*, turn: float = 0.0, tilt: float = 0.0, rows: int = 4, columns: int = 13) -> np.ndarray:
    """Outlines of cards in rows as a camera sees them, (rows * columns, 4, 2), from upper left each."""
    rng = np.random.default_rng(2)
    table = np.array([[0, 0], [910, 0], [910, 384], [0, 384]], np.float32)
    shape = (table - (455, 192)) * 2 * (1 + tilt * np.array([[1, 1], [-1, 1], [0.5, 1], [0, 1]]))
    c, s = np.cos(turn), np.sin(turn)
    seen = shape @ np.array([[c, s], [-s, c]]) + 1000
    view = cv2.getPerspectiveTransform(table, seen.astype(np.float32))
    card = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    quads = []
    for i in range(rows * columns):
        middle = (i % columns + 0.5) * PITCH_MM[0], (i // columns + 0.5) * PITCH_MM[1]
        angle = rng.normal(0, 0.03)
        c, s = np.cos(angle), np.sin(angle)
        quads.append(card @ np.array([[c, s], [-s, c]]) + middle + rng.normal(0, 1.5, 2))
    return cv2.perspectiveTransform(np.array(quads, np.float32).reshape(1, -1, 2), view).reshape(-1, 4, 2)


def as_found(quads: np.ndarray) -> np.ndarray:
    """In any order, each begun with any corner, among pieces and things twice."""
    rng = np.random.default_rng(3)
    mixed = [np.roll(quad, int(rng.integers(4)), axis=0) for quad in rng.permutation(quads)]
    pieces = [(quad - quad.mean(axis=0)) * 0.4 + quad.mean(axis=0) for quad in quads[5:9]]
    return np.array([*mixed, quads[3] + 3, *pieces], np.float32)


@pytest.mark.parametrize("turn", [0.0, 0.3, -1.2], ids=["upright", "turned a little", "turned on its side"])
def test_each_card_is_at_its_place(turn: float) -> None:
    quads = laid_out(turn=turn, tilt=0.1)

    found = find_rows(as_found(quads))

    assert np.abs(found.quads_px - quads).max() < 1e-2
    assert found.is_found.all()


def test_seen_upside_down_the_last_place_is_the_first() -> None:
    quads = laid_out(turn=np.pi)

    found = find_rows(as_found(quads))

    assert np.abs(found.turned().quads_px - quads).max() < 1e-2


def test_missing_cards_are_worked_out_from_their_neighbours() -> None:
    quads = laid_out(tilt=0.05)
    missing = [0, 17, 18, 51]

    found = find_rows(as_found(np.delete(quads, missing, axis=0)))

    assert np.flatnonzero(~found.is_found).tolist() == missing
    assert np.abs(found.quads_px - quads).max() < 12


def out_of_step() -> np.ndarray:
    """Rows whose third one lies half a place further on."""
    quads = laid_out()
    quads[26:39, :, 0] += 80
    quads[30:39, :, 0] += 140
    return quads


@pytest.mark.parametrize(
    ("quads", "seen"),
    [
        pytest.param(np.zeros((0, 4, 2), np.float32), "0 cards", id="an empty table"),
        pytest.param(laid_out(rows=2), "26 cards in 2 rows of 13, 13", id="half a deck"),
        pytest.param(laid_out(rows=5, columns=10), "50 cards in 5 rows of 10, 10", id="five rows"),
        pytest.param(laid_out()[:47], "47 cards in 4 rows of 13, 13, 13, 8", id="five cards short"),
        pytest.param(laid_out(columns=12), "48 cards in 4 rows of 12, 12, 12, 12", id="a column short"),
        pytest.param(out_of_step(), "52 cards in", id="a gap in a row"),
        pytest.param(laid_out(columns=14), "56 cards in 4 rows of 14, 14, 14, 14", id="a column too many"),
    ],
)
def test_other_layouts_are_refused_by_what_was_seen(quads: np.ndarray, seen: str) -> None:
    with pytest.raises(NoRowsError, match=f"^want the 52 cards in four rows of thirteen, saw .*{seen}"):
        find_rows(quads)
