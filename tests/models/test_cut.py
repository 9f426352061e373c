"""Views of single cards."""

import cv2
import numpy as np
import pytest

from models.cut import OUTSIDE_GRAY, VIEW_SIZE_WH, cut_view, order_quad

CARD = np.array([[20, 10], [83, 10], [83, 98], [20, 98]], np.float32)


def picture_with_mark() -> np.ndarray:
    """A white 63 x 88 card on black with a red mark near its top left corner."""
    picture = np.zeros((120, 120, 3), np.uint8)
    cv2.rectangle(picture, (20, 10), (82, 97), (255, 255, 255), -1)
    cv2.rectangle(picture, (24, 14), (32, 26), (0, 0, 255), -1)
    return picture


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("step", [1, -1])
def test_the_first_side_is_the_shorter_one_and_the_turn_is_clockwise(first: int, step: int) -> None:
    quad = np.roll(CARD, -first, axis=0)[::step]

    ordered = order_quad(quad)

    assert np.linalg.norm(ordered[1] - ordered[0]) == pytest.approx(63)
    (ax, ay), (bx, by) = ordered[1] - ordered[0], ordered[2] - ordered[1]
    assert ax * by - ay * bx > 0


def test_a_card_stands_upright_in_its_view() -> None:
    view = cut_view(picture_with_mark(), CARD)

    assert view.shape == (VIEW_SIZE_WH[1], VIEW_SIZE_WH[0], 3)
    red = (view[..., 2] > 200) & (view[..., 1] < 80)
    y, x = np.argwhere(red).mean(axis=0)
    assert (x, y) == (pytest.approx(15, abs=3), pytest.approx(18, abs=4))


def test_a_card_lying_on_its_side_is_turned_upright() -> None:
    lying = cv2.rotate(picture_with_mark(), cv2.ROTATE_90_CLOCKWISE)
    quad = np.stack([119 - CARD[:, 1], CARD[:, 0]], axis=1)

    upright, turned = cut_view(picture_with_mark(), CARD), cut_view(lying, quad)

    closest = min(np.abs(upright.astype(int) - t.astype(int)).mean() for t in (turned, turned[::-1, ::-1]))
    assert closest < 12


def test_what_lies_beside_a_strip_is_painted_over() -> None:
    strip = np.array([[20, 10], [35, 10], [35, 98], [20, 98]], np.float32)

    view = cut_view(picture_with_mark(), strip)

    assert (view[:, :20] == OUTSIDE_GRAY).all()
    assert (view[:, -20:] == OUTSIDE_GRAY).all()
    assert (view[40:90, 44:52] > 200).all()


def test_a_large_card_is_averaged_not_sampled() -> None:
    rng = np.random.default_rng(0)
    noisy = rng.integers(0, 256, (1200, 1000, 3)).astype(np.uint8)
    quad = np.array([[100, 100], [900, 100], [900, 1100], [100, 1100]], np.float32)

    view = cut_view(noisy, quad)

    assert view[30:100, 20:70].std() < 40
