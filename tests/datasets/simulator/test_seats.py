"""Nerts for three and four: every side of the table has its piles, its cards and its hands."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from datasets.simulator import SimulationSettings, Story, simulate_clip
from datasets.simulator.camera import Camera
from datasets.simulator.layout import SIDES
from datasets.simulator.passage import Passage
from datasets.simulator.plan import plan_passage, random_layout
from datasets.simulator.stage import Stage
from referee.piles import PileId, PileKind, Seat
from referee.setup import Game
from vision.table import Edge
from vision.table_file import load_table

FOUR = SimulationSettings(seats=4, seconds=30.0, contested_share=0.3)
THREE = replace(FOUR, seats=3)
SPIT = SimulationSettings(game=Game.SPIT)
TINY = SimulationSettings(seats=4, width_px=320, height_px=180, fps=5.0, seconds=5.0)


def _passage(seed: int, settings: SimulationSettings) -> Passage:
    rng = np.random.default_rng(seed)
    return plan_passage(rng, random_layout(rng, settings), settings)


def _stage(seed: int, settings: SimulationSettings) -> Stage:
    passage = _passage(seed, settings)
    rng = np.random.default_rng([seed, 1])
    return Stage(passage, Camera.over(rng, passage.layout.size_mm, (480, 270)), rng, markers=False)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "settings",
    [pytest.param(THREE, id="three"), pytest.param(FOUR, id="four"), pytest.param(SPIT, id="spit")],
)
def test_zones_do_not_overlap_and_lie_on_the_table(seed: int, settings: SimulationSettings) -> None:
    layout = random_layout(np.random.default_rng(seed), settings)

    zones = [spot.zone_mm for spot in layout.spots.values()]

    width, height = layout.size_mm
    for i, (left, top, right, bottom) in enumerate(zones):
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
        for other in zones[i + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart


@pytest.mark.parametrize("seed", range(8))
def test_three_sit_at_any_three_sides_of_the_table(seed: int) -> None:
    layout = random_layout(np.random.default_rng(seed), THREE)

    assert len(layout.seats) == len(set(layout.seats)) == 3
    assert {pile.seat for pile in layout.spots} - {None} == set(layout.seats)
    assert sum(pile.kind is PileKind.FOUNDATION for pile in layout.spots) == 12


def test_every_side_is_left_free_now_and_then() -> None:
    free = {
        seat
        for seed in range(40)
        for seat in set(SIDES) - set(random_layout(np.random.default_rng(seed), THREE).seats)
    }

    assert free == set(SIDES)


@pytest.mark.parametrize("seed", range(4))
def test_piles_lie_at_their_players_side_and_fan_towards_it(seed: int) -> None:
    layout = random_layout(np.random.default_rng(seed), FOUR)
    (width, height) = layout.size_mm

    for pile, spot in layout.spots.items():
        if pile.seat is None:
            continue
        (out_x, out_y), (fan_x, fan_y) = SIDES[pile.seat].out, spot.fan_mm
        outwards = (spot.x_mm - width / 2) * out_x + (spot.y_mm - height / 2) * out_y
        assert outwards > 120
        assert spot.is_fan is (pile.kind is PileKind.TABLEAU)
        assert (fan_x * out_x + fan_y * out_y > 0) is spot.is_fan
        last_x, last_y = spot.x_mm + 5 * fan_x, spot.y_mm + 5 * fan_y
        left, top, right, bottom = spot.zone_mm
        reach_x, reach_y = (44, 31.5) if out_x else (31.5, 44)
        assert left < last_x - reach_x < last_x + reach_x < right
        assert top < last_y - reach_y < last_y + reach_y < bottom


@pytest.mark.parametrize("seat", SIDES)
def test_cards_are_read_from_their_players_side(seat: Seat) -> None:
    angle = np.radians(SIDES[seat].turn_deg)

    bottom = (-np.sin(angle), np.cos(angle))

    assert np.allclose(bottom, SIDES[seat].out)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("settings", [pytest.param(THREE, id="three"), pytest.param(FOUR, id="four")])
def test_cards_are_conserved_and_every_seat_plays(seed: int, settings: SimulationSettings) -> None:
    passage = _passage(seed, settings)

    counts = passage.final.count_cards()

    assert set(counts.values()) == {1}
    assert len(counts) == 52 * settings.seats
    assert {action.seat for action in passage.actions if action.kind != "pass"} == set(passage.seats)


def test_a_race_is_between_two_of_the_seats_and_any_two() -> None:
    races: dict[tuple[int, str], list[Seat]] = {}
    for seed in (1, 2, 3):
        for action in _passage(seed, replace(FOUR, story=Story.RACES, warmup_plays=20)).actions:
            if action.contest is not None:
                races.setdefault((seed, action.contest), []).append(action.seat)

    pairs = {tuple(sorted(seats)) for seats in races.values()}
    assert all(len(pair) == 2 for pair in pairs)
    assert len(pairs) >= 4


def test_hands_come_in_over_their_own_edge_and_arms_reach_back_to_it() -> None:
    stage = _stage(1, FOUR)
    width, height = stage.passage.layout.size_mm
    edges = {
        Seat.SOUTH: ((0, height), (width, height)),
        Seat.NORTH: ((0, 0), (width, 0)),
        Seat.EAST: ((width, 0), (width, height)),
        Seat.WEST: ((0, 0), (0, height)),
    }
    for action in stage.passage.actions:
        if action.kind == "pass":
            continue
        outline = stage.hand_outline_px(action.seat, action.contact_us)
        a, b = stage.camera.project(np.array([(*point, 0.0) for point in edges[action.seat]]))
        normal = np.array([b[1] - a[1], a[0] - b[0]])
        sides = np.sign((outline - a) @ normal)
        assert {-1.0, 1.0} <= set(sides), (action.seat, action.contact_us)


def test_four_decks_have_four_backs() -> None:
    stage = _stage(2, FOUR)

    colours = [style.back_colours[0] for style in stage._styles.values()]

    assert len(set(colours)) == len(colours) == 4


def test_both_play_spit_with_one_pack() -> None:
    stage = _stage(2, replace(SPIT, seconds=5.0))

    assert len(stage._styles) == 1


def test_the_table_file_tells_the_edge_of_every_seat(tmp_path: Path) -> None:
    clip = simulate_clip(tmp_path / "clip.mp4", seed=3, settings=TINY)

    table = load_table(clip.table_file)

    assert {place.seat: place.edge for place in table.seats} == {
        Seat.SOUTH: Edge.BOTTOM, Seat.NORTH: Edge.TOP, Seat.EAST: Edge.RIGHT, Seat.WEST: Edge.LEFT
    }  # fmt: skip
    assert len(table.zones) == 16 + 4 * 7
    assert len({place.player for place in table.seats}) == 4


def test_a_seed_films_the_same_four_again(tmp_path: Path) -> None:
    first = simulate_clip(tmp_path / "first.mp4", seed=3, settings=TINY)

    again = simulate_clip(tmp_path / "again.mp4", seed=3, settings=TINY)

    assert again.video.read_bytes() == first.video.read_bytes()
    assert again.truth_file.read_text() == first.truth_file.read_text()


def test_a_lower_hand_is_drawn_first() -> None:
    stage = _stage(1, FOUR)
    paths = stage.passage.paths

    for t_us in range(1_000_000, 29_000_000, 100_000):
        order = stage._order(t_us)
        for lower, upper in pairwise(order):
            carries = [stage._carry_of(seat, t_us) for seat in (lower, upper)]
            if carries == [None, None]:
                assert paths[lower].at(t_us)[2] <= paths[upper].at(t_us)[2] + 8.0


def test_foundations_of_three_are_twelve_in_two_rows() -> None:
    layout = random_layout(np.random.default_rng(5), THREE)

    rows = {round(layout.spots[PileId(PileKind.FOUNDATION, None, i)].y_mm) for i in range(12)}

    assert len(rows) == 2
