"""Synthetic scenes: the same seed gives the same scene, and its truth is what the picture shows."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.build import index_lines, is_to_be_found, obb_line
from datasets.crops import Samples, aligned, jittered, label_of
from datasets.decks import Deck, drawn_deck, plain_back, with_four_indices, with_other_inks
from datasets.layouts import LEAST_BACKS, LaidCard, SceneDecks, Side
from datasets.pictures import PlacedCard
from datasets.scenes import CardTruth, Scene, _truth, compose_scene
from models.classes import BACK, INDEX_CLASS, READER_NAMES, UNREADABLE

SIZE_PX = 320


@pytest.fixture(scope="module")
def decks() -> list[Deck]:
    return [drawn_deck(3), drawn_deck(4)]


def scene(decks: list[Deck], seed: int) -> Scene:
    return compose_scene(np.random.default_rng(seed), decks, [], size_px=SIZE_PX, card_px=(60, 200))


def card_truth(*, quad: list[list[float]], label: str | None = "9H", **changes: float) -> CardTruth:
    fields = {"visible_fraction": 1.0, "legible_fraction": 1.0, "any_corner_fraction": 1.0, "px_per_mm": 2.0}
    return CardTruth(
        label=label,
        is_back=label == BACK,
        quad_px=np.array(quad, np.float32),
        index_quads_px=(),
        **(fields | changes),
    )


WHOLE = [[10.0, 10.0], [136.0, 10.0], [136.0, 186.0], [10.0, 186.0]]


def test_one_seed_gives_one_scene(decks: list[Deck]) -> None:
    first, second = scene(decks, 11), scene(decks, 11)

    assert np.array_equal(first.image_bgr, second.image_bgr)
    assert [c.label for c in first.cards] == [c.label for c in second.cards]


def test_scenes_differ_and_most_hold_cards(decks: list[Deck]) -> None:
    scenes = [scene(decks, seed) for seed in range(12)]

    assert len({s.image_bgr.tobytes() for s in scenes}) == 12
    assert sum(bool(s.cards) for s in scenes) >= 9


def test_a_covered_part_is_not_seen() -> None:
    owner = np.full((300, 300), -1, np.int16)
    owner[20:196, 20:146] = 0
    owner[60:236, 20:146] = 1
    matrix = np.array([[2.0, 0, 20], [0, 2.0, 20], [0, 0, 1]])
    card = LaidCard(side=Side(np.zeros((1, 1, 4), np.uint8), "9H", 2), centre_mm=(0, 0), angle_rad=0)

    placed = PlacedCard(card=card, index=0, image_from_card=matrix, px_per_mm=2.0)

    truth = _truth(placed, owner)

    assert truth is not None
    assert truth.visible_fraction == pytest.approx(20 / 88, abs=0.02)
    assert truth.quad_px[2] == pytest.approx([146, 60], abs=1.5)
    assert truth.legible_fraction == pytest.approx(20 / 26, abs=0.05)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        pytest.param({}, True, id="a whole card"),
        pytest.param({"visible_fraction": 0.05}, False, id="a sliver"),
        pytest.param({"visible_fraction": 0.2}, False, id="the rim around the card on top"),
    ],
)
def test_what_the_locator_should_report(changes: dict[str, float], *, found: bool) -> None:
    assert is_to_be_found(card_truth(quad=WHOLE, **changes)) is found


def test_a_box_cut_by_the_border_stays_in_the_picture() -> None:
    truth = card_truth(quad=[[-40, 100], [86, 100], [86, 276], [-40, 276]])

    line = obb_line(truth, SIZE_PX)

    assert line is not None
    values = [float(v) for v in line.split()[1:]]
    assert len(values) == 8
    assert min(values) >= 0
    assert max(values) <= 1


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        pytest.param({}, "9H", id="all in view"),
        pytest.param({"visible_fraction": 0.3}, "9H", id="its index in view"),
        pytest.param(
            {"visible_fraction": 0.3, "legible_fraction": 0.1, "any_corner_fraction": 0.1},
            UNREADABLE,
            id="no index",
        ),
        pytest.param(
            {"visible_fraction": 0.3, "legible_fraction": 0.6}, None, id="half an index is not taught"
        ),
        pytest.param({"px_per_mm": 0.4}, None, id="too small"),
    ],
)
def test_what_the_reader_should_say(changes: dict[str, float], label: str | None) -> None:
    assert label_of(card_truth(quad=WHOLE, **changes)) == label


def test_views_carry_known_names_and_corners(decks: list[Deck]) -> None:
    rng = np.random.default_rng(0)
    samples = Samples()

    for seed in range(8):
        samples.take(scene(decks, seed), rng)

    assert {view.shape for view in samples.views} == {(128, 96, 3)}
    assert len({READER_NAMES[label] for label in samples.labels}) > 5
    assert {view.shape for view in samples.wide} == {(96, 64, 3)}
    corners = np.stack(samples.corners_px)
    assert np.abs(np.median(corners, axis=0) - [[9, 15], [55, 15], [55, 81], [9, 81]]).max() < 6


def test_an_aligned_quad_keeps_its_shape() -> None:
    sheared = np.array([[30, 10], [136, 40], [116, 186], [10, 156]], np.float32)

    off = np.stack([aligned(sheared, np.random.default_rng(seed)) for seed in range(50)]) - sheared

    assert 1 < np.abs(off).max() < 20
    assert np.abs(off.mean(axis=0)).max() < 3


def test_a_jittered_box_stays_near() -> None:
    quad = np.array(WHOLE, np.float32)

    moved = np.stack([jittered(quad, np.random.default_rng(seed)) for seed in range(50)])

    assert 0.5 < np.abs(moved - quad).max() < 40
    assert np.abs(moved.mean(axis=0) - quad).max() < 6


def test_four_indices_repeat_the_corner(decks: list[Deck]) -> None:
    face = decks[0].faces["7S"]

    four = with_four_indices(face)

    assert four.shape == face.shape
    darker = (four[..., :3].astype(int) < face[..., :3].astype(int) - 60).any(axis=2)
    assert darker[:80, -43:].any()
    assert darker[-80:, :43].any()
    assert not darker[100:-100].any()


def test_other_inks_keep_the_outline(decks: list[Deck]) -> None:
    face = decks[0].faces["7S"]

    varied = [with_other_inks(face, np.random.default_rng(seed)) for seed in range(20)]

    assert all(np.array_equal(v[..., 3], face[..., 3]) for v in varied)
    assert len({cv2.mean(v[..., :3]) for v in varied}) > 10


def test_the_indices_that_are_legible_are_boxed() -> None:
    owner = np.full((300, 300), -1, np.int16)
    owner[20:196, 20:146] = 0
    owner[20:196, 100:146] = 1  # The right third is covered: its lower index with it.
    matrix = np.array([[2.0, 0, 20], [0, 2.0, 20], [0, 0, 1]])
    two, four = (
        LaidCard(side=Side(np.zeros((1, 1, 4), np.uint8), "9H", n), centre_mm=(0, 0), angle_rad=0)
        for n in (2, 4)
    )

    def quads(card: LaidCard) -> list[list[float]]:
        truth = _truth(PlacedCard(card=card, index=0, image_from_card=matrix, px_per_mm=2.0), owner)
        assert truth is not None
        return [quad.ravel().round().tolist() for quad in truth.index_quads_px]

    upper = [20, 20, 46, 20, 46, 72, 20, 72]
    lower_left = [46, 196, 20, 196, 20, 144, 46, 144]  # It stands on its head.
    assert quads(two) == [upper]
    assert quads(four) == [upper, lower_left]


def test_index_lines_are_of_the_index_class() -> None:
    card = card_truth(quad=WHOLE)
    large, small, outside = (
        np.array([[x, y], [x + w, y], [x + w, y + 2 * w], [x, y + 2 * w]], np.float32)
        for x, y, w in ((10, 10, 26), (10, 10, 4), (300, 10, 26))
    )

    lines = index_lines(replace(card, index_quads_px=(large, small, outside)), SIZE_PX)

    assert [line.split()[0] for line in lines] == [str(INDEX_CLASS)]


def test_views_of_indices_are_taught_by_the_card_they_are_of(decks: list[Deck]) -> None:
    made = scene(decks, 11)
    samples = Samples()

    samples.take(
        replace(made, cards=tuple(c for c in made.cards if c.index_quads_px)), np.random.default_rng(1)
    )

    cards = [c for c in made.cards if c.index_quads_px and c.label is not None]
    assert len(samples.views) == len(samples.labels)
    assert len(samples.views) > sum(2 for c in cards if is_to_be_found(c) and label_of(c) is not None)


def test_plain_backs_are_dark_to_the_edge() -> None:
    backs = [plain_back(np.random.default_rng(seed)) for seed in range(40)]

    grounds = [float(np.median(back[4:-4, 4:-4, :3])) for back in backs]
    rims = [float(np.median(back[60:-60, 5:9, :3])) for back in backs]

    assert max(grounds) < 90
    assert max(rims) < 110
    assert len({back.tobytes() for back in backs}) == 40


def test_a_scene_with_a_plain_back_shows_more_backs_but_none_where_none_may_be(decks: list[Deck]) -> None:
    made = [SceneDecks(decks, np.random.default_rng(seed)) for seed in range(60)]

    shares = {d.share_of_backs(0.12) for d in made}

    assert shares == {0.12, LEAST_BACKS}
    assert {d.share_of_backs(0.0) for d in made} == {0.0}
    assert {d.share_of_backs(1.0) for d in made} == {1.0}
