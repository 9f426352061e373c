"""Views of single cards."""

import cv2
import numpy as np
import pytest

from models.cut import (
    INDEX_SIZE_WH,
    OUTSIDE_GRAY,
    VIEW_SIZE_WH,
    WIDE_SIZE_WH,
    cut_index,
    cut_view,
    cut_wide,
    nearest_turn,
    order_quad,
)
from models.onnx_detector import could_be_outline

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


@pytest.mark.parametrize("side_px", [40.0, 400.0])
def test_a_wide_view_shows_the_box_and_leads_back_to_the_picture(side_px: float) -> None:
    rng = np.random.default_rng(1)
    picture = cv2.resize(rng.integers(0, 256, (12, 12, 3)).astype(np.uint8), (700, 700))
    box = cv2.boxPoints(((350, 340), (side_px, side_px * 1.4), 25)).astype(np.float32)

    cut = cut_wide(picture, box)

    assert cut.view.shape == (WIDE_SIZE_WH[1], WIDE_SIZE_WH[0], 3)
    image_from_view = cv2.invertAffineTransform(cut.view_from_image)
    back = cv2.transform(cut.box_px[None], image_from_view)[0]
    assert back == pytest.approx(order_quad(box), abs=1e-2)
    middle = cut.view[48, 32].astype(int)
    assert np.abs(middle - picture[340, 350].astype(int)).max() < 40


def test_corners_begin_where_the_box_begins() -> None:
    leaning = CARD + np.array([[6, 0], [6, 0], [-6, 0], [-6, 0]], np.float32)

    for shift in range(4):
        assert np.array_equal(nearest_turn(np.roll(leaning, shift, axis=0), CARD), leaning)


@pytest.mark.parametrize(
    ("quad", "could_be"),
    [
        pytest.param([[20, 30], [83, 10], [83, 78], [20, 98]], True, id="a sheared card"),
        pytest.param([[20, 10], [83, 98], [83, 10], [20, 98]], False, id="edges that cross"),
        pytest.param([[20, 10], [30, 10], [30, 20], [20, 20]], False, id="a speck"),
        pytest.param([[-60, -60], [160, -60], [160, 180], [-60, 180]], False, id="far larger than the box"),
    ],
)
def test_an_outline_is_convex_and_of_the_size_of_its_box(quad: list[list[float]], *, could_be: bool) -> None:
    assert could_be_outline(np.array(quad, np.float32), CARD) is could_be


def picture_with_index(angle_deg: float = 0.0, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A dark bar over a light one, 13 x 26 px, turned and scaled; with its corners from its upper left on."""
    picture = np.full((400, 400, 3), 160, np.uint8)
    corners = np.array([[-6.5, -13], [6.5, -13], [6.5, 13], [-6.5, 13]]) * scale
    upper = np.array([[-6.5, -13], [6.5, -13], [6.5, 0], [-6.5, 0]]) * scale
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    turn = np.array([[c, s], [-s, c]])
    cv2.fillConvexPoly(picture, np.round(corners @ turn + 200).astype(np.int32), (250, 250, 250))
    cv2.fillConvexPoly(picture, np.round(upper @ turn + 200).astype(np.int32), (10, 10, 10))
    return picture, (corners @ turn + 200).astype(np.float32)


@pytest.mark.parametrize("angle_deg", [0, 33, 90, 180, 251])
@pytest.mark.parametrize("scale", [1.0, 2.0, 6.0])
def test_an_index_stands_upright_in_the_middle_of_its_view(angle_deg: float, scale: float) -> None:
    picture, quad = picture_with_index(angle_deg, scale)

    view = cut_index(picture, quad)

    assert view.shape == (INDEX_SIZE_WH[1], INDEX_SIZE_WH[0], 3)
    grey = view[..., 0].astype(int)
    assert grey[10:28, 12:28].mean() < 60
    assert grey[36:54, 12:28].mean() > 220
    assert abs(grey[[0, -1]].mean() - 160) < 12


def test_an_index_view_for_training_is_larger_by_its_margin() -> None:
    picture, quad = picture_with_index(20, 2.0)

    larger = cut_index(picture, quad, margin_px=4)

    assert larger.shape == (INDEX_SIZE_WH[1] + 8, INDEX_SIZE_WH[0] + 8, 3)
    assert np.abs(larger[4:-4, 4:-4].astype(int) - cut_index(picture, quad)).max() <= 1


def test_a_box_without_height_is_no_index() -> None:
    with pytest.raises(ValueError, match="upper left corner"):
        cut_index(picture_with_mark(), np.full((4, 2), 20, np.float32))
