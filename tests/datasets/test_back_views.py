"""Views of backs for teaching: what is laid out as a back is that back, and where it is seen."""

import cv2
import numpy as np
import pytest

from datasets.back_trial import BackTrialSettings, try_backs
from datasets.back_views import (
    BackDesigns,
    BackViewSettings,
    photographed_back,
    view_of,
    views_of_design,
)
from datasets.decks import SPRITE_SIZE_WH
from models.back_view import CARD_WH_MM

SMALL_WH = (21, 29)


def quartered(*colours: tuple[int, int, int]) -> np.ndarray:
    """A back of four colours, clockwise from the upper left: it looks different in every turn."""
    width, height = SPRITE_SIZE_WH
    back = np.full((height, width, 4), 255, np.uint8)
    for colour, y, x in zip(colours, (0, 0, 1, 1), (0, 1, 1, 0), strict=True):
        back[y * height // 2 :, x * width // 2 :][: height // 2, : width // 2, :3] = colour
    return back


RED, GREEN, BLUE, WHITE = (40, 40, 200), (40, 160, 40), (200, 60, 40), (230, 230, 230)


@pytest.fixture(scope="module")
def designs() -> BackDesigns:
    colours = (RED, GREEN, BLUE, WHITE)
    backs = [quartered(*colours[i:], *colours[:i]) for i in range(4)]
    surfaces = [np.random.default_rng(seed).integers(0, 255, (64, 64, 3), np.uint8) for seed in range(3)]
    return BackDesigns(backs, backs, surfaces, 0)


def looks(picture: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """What is left of a picture at 3 mm a pixel where it is seen, without its brightness."""
    small = cv2.resize(picture[..., :3].astype(np.float32), SMALL_WH, interpolation=cv2.INTER_AREA)
    where = cv2.resize(seen.astype(np.float32), SMALL_WH, interpolation=cv2.INTER_AREA) > 0.99
    colours = small[where]
    return (colours - colours.mean(axis=0)).ravel() / (np.linalg.norm(colours - colours.mean(axis=0)) + 1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_an_enrolled_view_shows_its_design_whole_and_upright(seed: int, designs: BackDesigns) -> None:
    rng = np.random.default_rng(seed)
    shots = [
        photographed_back(back, designs.covers, designs.surfaces, rng, 2.5, mild=True)
        for back in designs.backs
    ]

    for own, shot in enumerate(shots):
        view = view_of(shot, rng)
        seen = view[..., 3] == 255
        likeness = [float(looks(view, seen) @ looks(back, seen)) for back in designs.backs]

        assert view.shape == (CARD_WH_MM[1], CARD_WH_MM[0], 4)
        assert seen.all()
        assert int(np.argmax(likeness)) == own


@pytest.mark.parametrize("seed", range(12))
def test_a_part_lies_where_it_is_on_its_card(seed: int, designs: BackDesigns) -> None:
    rng = np.random.default_rng(seed)
    shot = photographed_back(designs.backs[0], designs.covers, designs.surfaces, rng, 3.0, mild=False)
    left, top, right, bottom = shot.box_mm

    seen = view_of(shot, rng)[..., 3] == 255

    box = np.zeros_like(seen)
    box[top:bottom, left:right] = True
    assert (seen & box).sum() / (seen | box).sum() > 0.75
    assert 0.15 <= shot.fraction <= box.mean() + 0.01


def test_the_same_seed_gives_the_same_views(designs: BackDesigns) -> None:
    settings = BackViewSettings(views=2)

    first, again, other = (
        views_of_design(designs, settings, np.random.default_rng(seed)) for seed in (5, 5, 6)
    )

    assert first.shape == (3 * CARD_WH_MM[1], CARD_WH_MM[0], 4)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_few_designs_are_alike(designs: BackDesigns) -> None:
    rng = np.random.default_rng(0)
    small = [
        cv2.resize(designs.design(rng)[..., :3], SMALL_WH, interpolation=cv2.INTER_AREA) for _ in range(24)
    ]

    alike = [
        (i, j) for i in range(24) for j in range(i) if np.abs(small[i].astype(int) - small[j]).mean() < 2
    ]

    assert len(alike) <= 1


@pytest.mark.weights
def test_a_trial_tells_how_surely_backs_are_told_apart(designs: BackDesigns) -> None:
    settings = BackTrialSettings(made=8, views=3, games=4)

    first, again = (try_backs(designs, settings) for _ in range(2))

    assert first == again
    assert first[0].kind == "all"
    assert first[0].views == 12 * 3
    assert first[0].right > 0.85
    assert first[0].named + first[0].wrong <= 1
    assert sum(trial.views for trial in first if trial.kind in {"in colour", "grey"}) == first[0].views
