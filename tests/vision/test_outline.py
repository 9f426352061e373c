"""What counts as a card by its outline alone, on drawn zones."""

import cv2
import numpy as np
import pytest

from referee.piles import PileId
from vision.outline import card_outline
from vision.rectify import ZoneView
from vision.table import CARD_MM, Zone

ORIGIN_MM = (165.0, 270.0)
SIZE_MM = (95.0, 115.0)
MIDDLE_MM = (47.5, 57.5)
FELT_BGR = (70, 110, 60)
DARK_BGR = (45, 30, 35)
OFF_MM = 2.0


def view_of(picture, px_per_mm):
    """A picture as the view of a reserve's zone, through the matrix that a rectifier gives."""
    (left, top), (width, height) = ORIGIN_MM, (side / px_per_mm for side in picture.shape[1::-1])
    corners = [[left, top], [left + width, top], [left + width, top + height], [left, top + height]]
    scale = 1 / px_per_mm
    return ZoneView(
        zone=Zone(PileId.parse("south/reserve"), np.array(corners, np.float32)),
        image_bgr=picture,
        table_mm_from_view_px=np.array(
            [[scale, 0, left + scale / 2], [0, scale, top + scale / 2], [0, 0, 1]]
        ),
        t_us=0,
    )


def felt(px_per_mm, size_mm=SIZE_MM):
    width, height = (round(side * px_per_mm) for side in size_mm)
    return np.full((height, width, 3), FELT_BGR, np.uint8)


def noisy(px_per_mm, size_mm=SIZE_MM):
    cloth = felt(px_per_mm, size_mm)
    noise = np.random.default_rng(3).normal(0, 9.0, cloth.shape)
    return np.clip(cloth + noise, 0, 255).astype(np.uint8)


def woven(px_per_mm, size_mm=SIZE_MM):
    """Threads of 3 mm, lighter and darker by 12 levels, with noise between them."""
    cloth = noisy(px_per_mm, size_mm)
    rows, columns = (np.arange(side) * 2 * np.pi / (3 * px_per_mm) for side in cloth.shape[:2])
    threads = 12 * np.sin(rows)[:, None] * np.sin(columns)[None]
    return np.clip(cloth + threads[..., None], 0, 255).astype(np.uint8)


def shaded(px_per_mm, size_mm=SIZE_MM):
    """Light from one side: 6 levels from edge to edge."""
    cloth = felt(px_per_mm, size_mm)
    light = np.linspace(-3, 3, cloth.shape[1])
    return np.clip(cloth + light[None, :, None], 0, 255).astype(np.uint8)


def corners_of(centre_mm, angle, size_mm=CARD_MM):
    """The corners of a rectangle in the zone, (4, 2) in millimetres from the zone's corner."""
    return cv2.boxPoints((centre_mm, size_mm, angle))


def lay(picture, px_per_mm, corners_mm, look):
    """Paint a rectangle in the look of a back: its picture, drawn at the same scale, or one colour."""
    to_px = (corners_mm * px_per_mm - 0.5).astype(np.float32)
    size = picture.shape[1::-1]
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(to_px).astype(np.int32), 255)
    if isinstance(look, tuple):
        picture[mask > 0] = look
        return
    height, width = look.shape[:2]
    # boxPoints: the lower left corner first, then clockwise.
    own_px = np.array([[0, height - 1], [0, 0], [width - 1, 0], [width - 1, height - 1]], np.float32)
    moved = cv2.warpPerspective(look, cv2.getPerspectiveTransform(own_px, to_px), size)
    picture[mask > 0] = moved[mask > 0]


def lattice(px_per_mm):
    """A red lattice on white, whose lines are 5 mm apart, with a white border."""
    width, height = (round(side * px_per_mm) for side in CARD_MM)
    across, down = np.meshgrid(np.arange(width) / px_per_mm, np.arange(height) / px_per_mm)
    lines = (((across + down) % 5 < 2) | ((across - down) % 5 < 2)).astype(np.uint8)
    border = (np.minimum(across, CARD_MM[0] - across) < 4) | (np.minimum(down, CARD_MM[1] - down) < 4)
    back = np.where(lines[..., None] > 0, np.array([50, 40, 170]), np.array([235, 235, 235]))
    back[border] = (240, 240, 240)
    return back.astype(np.uint8)


def striped_like_cloth(px_per_mm):
    """Every third 3 mm of it have the colour of the table."""
    back = lattice(px_per_mm)
    down = np.arange(back.shape[0]) / px_per_mm
    back[(down % 9 > 6) & (down > 4) & (down < CARD_MM[1] - 4)] = FELT_BGR
    return back


def plain_dark(px_per_mm):
    return lattice(px_per_mm) // 8 + np.uint8(20)


def off_mm(outline_mm, corners_mm):
    """How far the corners that were found lie from those that were drawn, at the most."""
    drawn = corners_mm + np.array(ORIGIN_MM)
    apart = np.linalg.norm(drawn[:, None] - outline_mm[None], axis=2)
    return max(float(apart.min(axis=0).max()), float(apart.min(axis=1).max()))


CLOTHS = [felt, noisy, woven, shaded]
BACKS = [lattice, striped_like_cloth, plain_dark]


@pytest.mark.parametrize("px_per_mm", [1.5, 3.0])
@pytest.mark.parametrize("cloth", CLOTHS)
@pytest.mark.parametrize("back", BACKS)
@pytest.mark.parametrize("angle", [0.0, 5.0, -7.0])
def test_a_back_is_found_by_its_outline(px_per_mm, cloth, back, angle):
    picture = cloth(px_per_mm)
    corners_mm = corners_of((MIDDLE_MM[0] + 3, MIDDLE_MM[1] - 2), angle)
    lay(picture, px_per_mm, corners_mm, back(px_per_mm))

    outline_mm = card_outline(view_of(picture, px_per_mm))

    assert outline_mm is not None
    assert off_mm(outline_mm, corners_mm) <= OFF_MM
    assert (outline_mm.dtype, outline_mm.shape) == (np.float32, (4, 2))
    right, down = outline_mm.T
    assert float(np.sum(right * np.roll(down, -1) - np.roll(right, -1) * down)) > 0, "not clockwise"


def test_a_back_that_nearly_fills_its_zone_is_found():
    picture = noisy(2.0, (73.0, 98.0))
    corners_mm = corners_of((36.5, 49.0), 0.0)
    lay(picture, 2.0, corners_mm, lattice(2.0))

    outline_mm = card_outline(view_of(picture, 2.0))

    assert outline_mm is not None
    assert off_mm(outline_mm, corners_mm) <= OFF_MM


@pytest.mark.parametrize("cloth", CLOTHS)
@pytest.mark.parametrize("angle", [0.0, 4.0])
def test_a_pile_that_was_pushed_askew_is_found_whole(cloth, angle):
    picture = cloth(2.0)
    lower_mm, upper_mm = (corners_of((MIDDLE_MM[0] + d, MIDDLE_MM[1] + d), angle) for d in (-5.0, 5.0))
    for corners_mm in (lower_mm, (lower_mm + upper_mm) / 2, upper_mm):
        lay(picture, 2.0, corners_mm, lattice(2.0))

    outline_mm = card_outline(view_of(picture, 2.0))

    around_mm = cv2.boxPoints(cv2.minAreaRect(np.concatenate([lower_mm, upper_mm]).astype(np.float32)))
    assert outline_mm is not None
    assert off_mm(outline_mm, around_mm) <= OFF_MM


@pytest.mark.parametrize("px_per_mm", [1.5, 3.0])
@pytest.mark.parametrize("cloth", CLOTHS)
def test_bare_table_has_no_outline(px_per_mm, cloth):
    assert card_outline(view_of(cloth(px_per_mm), px_per_mm)) is None


@pytest.mark.parametrize("cloth", CLOTHS)
@pytest.mark.parametrize(
    ("fingers", "reach_mm"),
    [
        pytest.param(0, 40, id="a fist or a wrist"),
        pytest.param(1, 30, id="a finger"),
        pytest.param(4, 20, id="a spread hand"),
        pytest.param(4, 45, id="a spread hand far in"),
    ],
)
def test_a_hand_is_no_card(cloth, fingers, reach_mm):
    picture = cloth(2.0)
    skin, foot_mm = (120, 150, 205), SIZE_MM[1]

    def limb(start_mm, end_mm, width_mm):
        ends = (tuple(round(2 * v) for v in point) for point in (start_mm, end_mm))
        cv2.line(picture, *ends, skin, round(2 * width_mm))

    palm_mm = foot_mm - reach_mm
    limb((45, foot_mm + 40), (45, palm_mm), 46 if fingers != 1 else 18)
    for i in range(fingers if fingers > 1 else 0):
        limb((30 + 10 * i, palm_mm), (15 + 20 * i, palm_mm - 40), 14)

    assert card_outline(view_of(picture, 2.0)) is None


@pytest.mark.parametrize("gap_mm", [0.0, 2.0])
def test_two_cards_side_by_side_are_no_card(gap_mm):
    picture = felt(2.0, (150.0, 115.0))
    for x_mm in (75 - (63 + gap_mm) / 2, 75 + (63 + gap_mm) / 2):
        lay(picture, 2.0, corners_of((x_mm, 57.5), 0.0), lattice(2.0))

    assert card_outline(view_of(picture, 2.0)) is None


@pytest.mark.parametrize(
    "size_mm",
    [
        pytest.param((70, 70), id="a coaster"),
        pytest.param((50, 105), id="a long slip"),
        pytest.param((45, 63), id="a small card"),
        pytest.param((55, 76), id="a card for patience"),
        pytest.param((90, 110), id="a book"),
        pytest.param((20, 20), id="a coin"),
    ],
)
@pytest.mark.parametrize("angle", [0.0, 5.0])
def test_a_rectangle_of_other_proportions_is_no_card(size_mm, angle):
    picture = felt(2.0, (150.0, 150.0))
    lay(picture, 2.0, corners_of((75.0, 75.0), angle, size_mm), DARK_BGR)

    assert card_outline(view_of(picture, 2.0)) is None


@pytest.mark.parametrize(
    ("levels", "is_found"),
    [
        pytest.param(7, False, id="hardly lighter than an even cloth"),
        pytest.param(20, True, id="lighter"),
        pytest.param(-20, True, id="darker"),
    ],
)
def test_a_card_must_stand_out(levels, is_found):
    picture = felt(2.0)
    colour = tuple(int(level) + levels for level in FELT_BGR)
    lay(picture, 2.0, corners_of(MIDDLE_MM, 0.0), colour)

    assert (card_outline(view_of(picture, 2.0)) is not None) is is_found


@pytest.mark.parametrize(
    ("colour", "is_found"),
    [
        pytest.param(tuple(level + 14 for level in FELT_BGR), False, id="a little lighter"),
        pytest.param((235, 235, 235), True, id="white"),
    ],
)
def test_on_a_rough_cloth_a_card_must_stand_out_from_its_speckles(colour, is_found):
    speckles = np.random.default_rng(5).normal(0, 45.0, (230, 190, 1)).repeat(3, axis=2)
    picture = np.clip(felt(2.0) + speckles, 0, 255).astype(np.uint8)
    lay(picture, 2.0, corners_of(MIDDLE_MM, 0.0), colour)

    assert (card_outline(view_of(picture, 2.0)) is not None) is is_found
