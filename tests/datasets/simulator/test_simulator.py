"""The simulator: the same seed films the same match, and the truth is what the picture shows."""

import ctypes
import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from datasets.simulator import SimulatedClip, SimulationSettings, Story, simulate_clip
from datasets.simulator.camera import Camera
from datasets.simulator.cards_on_table import Held, Move, turned_over
from datasets.simulator.clip import frame_ticks, ticks_to_us
from datasets.simulator.motion import HandPath, Motion
from datasets.simulator.nerts_game import NertsGame, nerts_played_on
from datasets.simulator.nerts_layout import TWO_SEATS
from datasets.simulator.plan import plan_passage, random_layout
from datasets.simulator.planner import LOSER_SEES_IT_US
from datasets.simulator.stage import Stage
from referee.cards import Card
from referee.piles import PileKind, Seat
from referee.setup import Game

_M_PERTURB = -6
"""Name of glibc's setting in ``mallopt``: the byte that fills memory handed out."""

SMALL = SimulationSettings(width_px=480, height_px=270, fps=20.0, seconds=6.0, warmup_plays=25)
LONG = SimulationSettings(seconds=60.0, contested_share=0.3, illegal_share=0.15)


def _passage(seed: int, settings: SimulationSettings = LONG):
    rng = np.random.default_rng(seed)
    return plan_passage(rng, random_layout(rng, settings), settings)


def _stage(seed: int, *, markers: bool = False, size_px: tuple[int, int] = (960, 540)) -> Stage:
    passage = _passage(seed, replace(LONG, seconds=20.0))
    rng = np.random.default_rng([seed, 1])
    camera = Camera.over(rng, passage.layout.size_mm, size_px)
    return Stage(passage, camera, rng, markers=markers)


def _frames_us(path: Path) -> list[int]:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return [round(frame.pts * frame.time_base * 1_000_000) for frame in container.decode(stream)]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> SimulatedClip:
    return simulate_clip(tmp_path_factory.mktemp("clip") / "small.mp4", seed=4, settings=SMALL)


@contextmanager
def _fresh_memory_filled(with_byte: int) -> Iterator[None]:
    """Fill what the C library hands out, where it is glibc: code that reads unwritten memory then shows."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_PERTURB, with_byte)
    yield
    if mallopt is not None:
        mallopt(_M_PERTURB, 0)


def test_a_seed_films_the_same_match_again(clip: SimulatedClip, tmp_path: Path) -> None:
    with _fresh_memory_filled(with_byte=1):
        again = simulate_clip(tmp_path / "small.mp4", seed=4, settings=SMALL)

    assert again.video.read_bytes() == clip.video.read_bytes()
    assert again.truth_file.read_text() == clip.truth_file.read_text()
    assert again.table_file.read_text() == clip.table_file.read_text()


def test_another_seed_films_another_match(clip: SimulatedClip, tmp_path: Path) -> None:
    other = simulate_clip(tmp_path / "small.mp4", seed=5, settings=replace(SMALL, seconds=2.0))

    assert other.table_file.read_text() != clip.table_file.read_text()


def test_the_file_carries_the_clock_of_the_truth(clip: SimulatedClip) -> None:
    assert _frames_us(clip.video) == list(clip.frames_us)
    assert clip.frames_us[:3] == (0, 50_000, 100_000)
    assert len(clip.frames_us) == 120


def test_frame_times_are_irregular_on_wish_and_kept_in_the_file(tmp_path: Path) -> None:
    settings = replace(SMALL, seconds=2.0, vfr=True)

    clip = simulate_clip(tmp_path / "vfr.mp4", seed=1, settings=settings)

    steps = {b - a for a, b in pairwise(clip.frames_us)}
    assert _frames_us(clip.video) == list(clip.frames_us)
    assert len(steps) > 10
    assert 35_000 - 50 <= min(steps) <= max(steps) <= 80_000 + 50


def test_dropped_frames_leave_gaps_and_move_no_others() -> None:
    rng = np.random.default_rng(1)
    whole = frame_ticks(np.random.default_rng(1), SMALL, 3_000_000)

    kept = frame_ticks(rng, replace(SMALL, drop=0.3), 3_000_000)

    assert set(kept) < set(whole)
    assert kept[0] == 0
    assert 0.5 < len(kept) / len(whole) < 0.9


def test_progress_counts_every_frame(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    simulate_clip(
        tmp_path / "x.mp4",
        seed=1,
        settings=replace(SMALL, seconds=1.0),
        progress=lambda done, total: told.append((done, total)),
    )

    assert told == [(i, 20) for i in range(1, 21)]


def test_the_table_file_names_every_pile_and_the_corners_of_the_view(clip: SimulatedClip) -> None:
    table = tomllib.loads(clip.table_file.read_text())

    assert len(table["piles"]) == 8 + 2 * 7
    assert {seat["edge"] for seat in table["seats"]} == {"bottom", "top"}
    corners = np.array([[*xy, 0.0] for xy in ((0, 0), (table["table"]["width_mm"], 0))])
    assert np.allclose(clip.camera.project(corners), table["camera"]["corners_px"][:2], atol=0.01)
    assert all(0 <= x <= 480 and 0 <= y <= 270 for x, y in table["camera"]["corners_px"])


def test_the_truth_file_has_one_object_for_each_action(clip: SimulatedClip) -> None:
    lines = [json.loads(line) for line in clip.truth_file.read_text().splitlines()]

    assert len(lines) == len(clip.actions) > 0
    assert [line["contact_us"] for line in lines] == [a.contact_us for a in clip.actions]
    assert all(line["card"] is None or str(Card.parse(line["card"])) == line["card"] for line in lines)


@pytest.mark.parametrize("seed", range(6))
def test_cards_are_conserved(seed: int) -> None:
    passage = _passage(seed)

    counts = passage.final.count_cards()
    at_first = Counter((p.held.card, p.held.deck_of) for cards in passage.start.values() for p in cards)

    assert len(counts) == 104
    assert set(counts.values()) == {1}
    assert at_first == counts


@pytest.mark.parametrize("seed", range(6))
def test_times_of_an_action_follow_one_another(seed: int) -> None:
    passage = _passage(seed)

    for action in passage.actions:
        assert 0 < action.lifted_us < action.contact_us <= action.rest_us < passage.duration_us
    for seat, path in passage.paths.items():
        carries = sorted((c for c in passage.carries if c.seat is seat), key=lambda c: c.lifted_us)
        assert all(a.rest_us < b.lifted_us for a, b in pairwise(carries)), seat
        assert path.end_us <= passage.duration_us


@pytest.mark.parametrize("seed", range(6))
def test_a_card_is_in_the_air_until_its_contact_and_then_slides_a_few_mm_at_most(seed: int) -> None:
    passage = _passage(seed)

    for carry in passage.carries:
        path = passage.paths[carry.seat]
        before, touch, rest = (
            path.at(t) for t in (carry.contact_us - 8_000, carry.contact_us, carry.rest_us)
        )
        assert before[2] > touch[2] + 0.3
        assert touch[2] == pytest.approx(rest[2])
        assert np.hypot(rest[0] - touch[0], rest[1] - touch[1]) < 4.0


@pytest.mark.parametrize("seed", range(8))
def test_a_legal_play_continues_its_foundation_and_an_illegal_one_comes_back(seed: int) -> None:
    passage = _passage(seed)

    lying = {pile: [p.held.card for p in cards] for pile, cards in passage.start.items()}
    came_back = 0
    for action in (a for a in passage.actions if a.kind in {"play", "return"}):
        if action.kind == "return":
            lying[action.source].remove(action.card)
            came_back += 1
            continue
        below = lying[action.target]
        if action.is_legal and action.gap_us in {None, 0}:
            assert action.card.rank == (below[-1].rank + 1 if below else 1)
            assert not below or action.card.suit is below[-1].suit
        below.append(action.card)
    assert came_back == sum(a.kind == "play" and not a.is_legal for a in passage.actions)


def test_races_have_the_gaps_that_were_asked_for() -> None:
    settings = replace(LONG, contested_gaps_us=(5_000, 120_000))
    found = [(gap, a) for seed in range(12) for a in _passage(seed, settings).actions if (gap := a.gap_us)]

    assert {gap for gap, _ in found} >= {5_000, 120_000}
    for gap, action in found:
        assert action.is_legal == (gap < LOSER_SEES_IT_US) or gap not in {5_000, 120_000}


def test_a_card_at_rest_is_seen_where_the_truth_says() -> None:
    stage = _stage(7)
    plays = [a for a in stage.passage.actions if a.kind == "play" and a.is_legal and a.gap_us is None]
    assert plays
    for action in plays:
        spot = stage.camera.project(np.array([(action.pose.x_mm, action.pose.y_mm, 0.3)]))[0]
        x, y = (int(v) for v in np.rint(spot))
        patch = (slice(y - 14, y + 14), slice(x - 10, x + 10))

        before = stage.still_view(action.contact_us - 20_000)[patch]
        after = stage.still_view(action.rest_us)[patch]

        assert np.abs(before.astype(int) - after).mean() > 2.0
        corner = after.reshape(-1, 3).mean(0)
        assert corner.min() > 60


def test_a_still_table_does_not_change_while_no_hand_is_there() -> None:
    stage = _stage(3)

    first, later = stage.frame(0), stage.frame(300_000)

    assert np.array_equal(first, later)


def test_a_hand_hides_the_pile_that_it_touches() -> None:
    stage = _stage(3)
    action = next(a for a in stage.passage.actions if a.kind != "pass")

    empty = stage.still_view(action.lifted_us - 1)
    shown = stage.frame(action.lifted_us - 1)

    tip = stage.passage.paths[action.seat].at(action.lifted_us - 1)
    x, y = (int(v) for v in stage.camera.project(np.array([(tip[0], tip[1], tip[2])]))[0])
    area = (slice(y - 20, y + 20), slice(x - 20, x + 20))
    assert np.abs(empty[area].astype(int) - shown[area]).mean() > 10


def test_a_card_that_lands_on_the_other_seats_fingers_hides_them() -> None:
    settings = replace(LONG, seconds=30.0, contested_gaps_us=(120_000,) * 9)
    seed = next(s for s in range(50) if any(a.gap_us for a in _passage(s, settings).actions))
    passage = _passage(seed, settings)
    late = next(a for a in passage.actions if a.gap_us)
    rng = np.random.default_rng([seed, 1])
    stage = Stage(passage, Camera.over(rng, passage.layout.size_mm, (960, 540)), rng, markers=False)
    away = -30.0 if late.seat is Seat.SOUTH else 30.0
    spot = stage.camera.project(np.array([(late.pose.x_mm, late.pose.y_mm + away, 0.3)]))[0]
    x, y = (int(v) for v in np.rint(spot))
    patch = (slice(y - 4, y + 4), slice(x - 8, x + 8))
    for t_us in range(0, late.contact_us, 100_000):
        stage.frame(t_us)

    carry = next(c for c in passage.carries if c.contact_us == late.contact_us)

    upon_them = stage.frame(late.rest_us + 1_000)[patch].astype(int)
    afterwards = stage.still_view(stage._settled_us[id(carry)])[patch].astype(int)

    assert stage._settled_us[id(carry)] > late.rest_us + 1_000
    assert np.abs(upon_them - afterwards).mean() < 25


def test_a_card_that_another_one_covers_stays_below_it_while_fingers_lie_on_them() -> None:
    passage = _passage(1, SimulationSettings(seconds=20.0, story=Story.RACES))
    rng = np.random.default_rng([1, 1])
    stage = Stage(passage, Camera.over(rng, passage.layout.size_mm, (960, 540)), rng, markers=False)
    races = [(c, d) for c in passage.carries for d in passage.carries if c.target == d.target]
    lower, upper = next(  # The upper one's fingers leave last.
        (c, d)
        for c, d in races
        if c.contact_us < d.contact_us < c.rest_us + 100_000 and stage._settled_at(c) > stage._settled_at(d)
    )

    looks = [stage.frame(t_us) for t_us in range(upper.rest_us, stage._settled_at(lower) + 200_000, 50_000)]

    corners = stage.camera.project(stage._card_corners(upper.landed[-1].pose, 0.3)).astype(np.int32)
    is_card = cv2.fillConvexPoly(np.zeros(looks[0].shape[:2], np.uint8), corners, 255) > 0
    at_rest = looks[-1].astype(int)
    for look in looks:  # Skin is darker than the paper of a card.
        is_paper = is_card & (look.min(axis=2) > 0.8 * np.median(at_rest[is_card]))
        assert np.abs(look.astype(int) - at_rest)[is_paper].mean() < 8


def test_a_decoded_frame_has_the_colours_that_were_drawn(tmp_path: Path) -> None:
    settings = replace(SMALL, seconds=1.0, crf=4)

    clip = simulate_clip(tmp_path / "x.mp4", seed=8, settings=settings)

    rng = np.random.default_rng([8, 1])
    camera = Camera.over(rng, clip.passage.layout.size_mm, (480, 270))
    drawn = Stage(clip.passage, camera, rng, markers=False).frame(0).astype(int)
    with av.open(str(clip.video)) as container:
        decoded = next(container.decode(video=0)).to_ndarray(format="bgr24").astype(int)
    assert np.abs((decoded - drawn).mean((0, 1))).max() < 2.5


def test_a_film_has_the_rate_that_was_asked_for(tmp_path: Path) -> None:
    def megabits_of(mbit_s: float) -> float:
        settings = replace(SMALL, seconds=4.0, mbit_s=mbit_s)
        clip = simulate_clip(tmp_path / f"{mbit_s}.mp4", seed=8, settings=settings)
        return clip.video.stat().st_size * 8 / 1e6

    assert megabits_of(1.0) == pytest.approx(4.0, rel=0.2)
    assert megabits_of(4.0) == pytest.approx(16.0, rel=0.2)


def test_a_hand_shades_the_card_that_it_holds_as_it_does_when_the_card_lies() -> None:
    stage = _stage(8)
    carry = next(c for c in stage.passage.carries if stage._settled_us[id(c)] == c.rest_us)
    x, y, _ = stage.passage.paths[carry.seat].at(carry.rest_us)
    tip = stage.camera.project(np.array([(x, y, 0.0)]))[0].astype(int)
    patch = (slice(tip[1] - 25, tip[1] + 25), slice(tip[0] - 25, tip[0] + 25))

    held = stage.frame(carry.rest_us - 1_000)[patch].astype(int)
    lying = stage.frame(carry.rest_us)[patch].astype(int)

    assert np.abs(held - lying).mean() < 1.5


def test_the_truth_tells_how_much_of_a_card_is_in_sight_as_it_comes_down() -> None:
    stage = _stage(8)

    shares = [stage.seen_share(carry, carry.contact_us) for carry in stage.passage.carries[:12]]

    assert all(0.0 <= share < 1.0 for share in shares)  # Fingers hold it
    assert 0.5 < np.median(shares) < 0.95


def test_printed_markers_are_found_where_the_table_file_says() -> None:
    stage = _stage(5, markers=True)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    detector = cv2.aruco.ArucoDetector(dictionary, cv2.aruco.DetectorParameters())

    corners, ids, _ = detector.detectMarkers(stage.still_view(0))

    assert sorted(int(i) for i in ids.ravel()) == [0, 1, 2, 3]
    for number, quad in zip(ids.ravel(), corners, strict=True):
        x, y = stage.passage.layout.marker_centres_mm[int(number)]
        centre = stage.camera.project(np.array([(x, y, 0.0)]))[0]
        assert np.linalg.norm(quad[0].mean(0) - centre) < 1.5


@pytest.mark.parametrize("seed", range(20))
def test_zones_do_not_overlap_and_lie_on_the_table(seed: int) -> None:
    layout = random_layout(np.random.default_rng(seed), LONG)

    zones = [spot.zone_mm for spot in layout.spots.values()]

    width, height = layout.size_mm
    for i, (left, top, right, bottom) in enumerate(zones):
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height
        for other in zones[i + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart


def test_a_dealt_round_has_thirteen_nerts_cards_and_thirty_five_in_the_stock() -> None:
    game = NertsGame.deal(np.random.default_rng(0), TWO_SEATS)

    sizes = Counter(pile.kind for pile, cards in game.piles.items() for _ in cards)

    assert sizes == {PileKind.RESERVE: 26, PileKind.TABLEAU: 8, PileKind.STOCK: 70}


def test_foundations_count_up_from_the_ace_after_an_unseen_beginning() -> None:
    game = nerts_played_on(np.random.default_rng(2), TWO_SEATS, 40)

    built = [[held.card.rank for held in game.piles[pile]] for pile in game.foundations]

    assert sum(len(ranks) for ranks in built) >= 5
    assert all(ranks == list(range(1, len(ranks) + 1)) for ranks in built)


def test_turning_a_packet_over_twice_changes_nothing() -> None:
    packet = [Held(Card.parse(text), Seat.SOUTH, face_up=False) for text in ("AS", "2S", "3S")]

    once = turned_over(packet)

    assert [str(h.card) for h in once] == ["3S", "2S", "AS"]
    assert all(h.face_up for h in once)
    assert turned_over(once) == packet


def test_a_wrong_move_is_never_one_that_a_foundation_accepts() -> None:
    game = nerts_played_on(np.random.default_rng(3), TWO_SEATS, 30)

    moves = [move for seat in TWO_SEATS for move in game.wrong_moves(seat)]

    assert moves
    assert not any(game.accepts(game.top(m.source), m.target) for m in moves)
    assert all(isinstance(m, Move) and m.count == 1 for m in moves)


def test_a_path_pauses_where_the_next_piece_starts_later() -> None:
    path = HandPath((0.0, 0.0, 40.0))
    path.add(Motion(start_us=100_000, end_us=300_000, start_mm=(0.0, 0.0, 40.0), end_mm=(50.0, 0.0, 0.0)))

    assert path.at(50_000) == (0.0, 0.0, 40.0)
    assert path.at(200_000)[0] == pytest.approx(25.0)
    assert path.at(900_000) == (50.0, 0.0, 0.0)


def test_ticks_round_to_the_nearest_microsecond() -> None:
    ticks = [0, 1, 1500, 3003]

    assert [ticks_to_us(t) for t in ticks] == [round(Fraction(t * 100, 9)) for t in ticks]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        pytest.param({"seats": 5}, r"nerts for 5 .*\(want 2 to 4\)", id="a crowd"),
        pytest.param({"seats": 1}, r"\(want 2 to 4\)", id="alone"),
        pytest.param({"game": Game.SPIT, "seats": 3}, r"spit for 3 .*\(want 2\)", id="three of Spit"),
        pytest.param({"game": Game.SPEED}, "want nerts or spit", id="a game that is not simulated"),
        pytest.param({"seats": 4, "markers": True}, "find no room", id="markers among four"),
        pytest.param({"width_px": 641}, "want even numbers", id="yuv420p needs even sizes"),
        pytest.param({"width_px": 10}, "want 160x90", id="too small to show a card"),
        pytest.param({"fps": 0.0}, "want 1 to 1000", id="no frames"),
        pytest.param({"drop": 0.9}, "want 0 to 0.5", id="hardly a frame left"),
        pytest.param({"seconds": 0.0}, "want 1 to 3600", id="no time"),
        pytest.param({"plays": 0}, "want 1 to 200", id="no plays"),
        pytest.param({"crf": 99}, "want 0 to 51", id="no such quality"),
        pytest.param({"mbit_s": 0.01}, "want 1 to 400", id="hardly a bit"),
        pytest.param({"mbit_s": float("nan")}, "want 1 to 400", id="no number of bits"),
        pytest.param({"crf": 20, "mbit_s": 8.0}, "want one of them", id="rate and quality"),
    ],
)
def test_settings_that_cannot_be_rendered_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SimulationSettings(**wrong)


def test_a_name_that_is_no_clip_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"want e.g. 'match.mp4'"):
        simulate_clip(tmp_path / "match.avi", seed=1, settings=SMALL)


def test_a_wanted_number_of_plays_ends_the_clip() -> None:
    passage = _passage(2, SimulationSettings(plays=3))

    assert sum(a.kind == "play" for a in passage.actions) >= 3
    assert passage.duration_us < 60_000_000


def test_a_passage_of_races_has_many_with_any_gap() -> None:
    races = [
        action
        for seed in (1, 2, 3)
        for action in _passage(
            seed, SimulationSettings(seconds=60.0, story=Story.RACES, warmup_plays=6)
        ).actions
        if action.contest is not None
    ]

    gaps_us = [action.gap_us for action in races if action.gap_us]
    assert len(races) >= 20
    assert all(0 <= gap_us <= 250_000 for gap_us in gaps_us)
    assert min(gaps_us) < 90_000
    assert len({str(action.source) for action in races}) >= 4


def test_in_a_passage_of_races_no_card_is_made_or_lost() -> None:
    passage = _passage(3, SimulationSettings(seconds=60.0, story=Story.RACES, warmup_plays=6))

    assert set(passage.final.count_cards().values()) == {1}
    assert sum(passage.final.count_cards().values()) == 104


def test_hands_that_only_pass_move_no_card() -> None:
    passage = _passage(1, SimulationSettings(seconds=30.0, story=Story.PASSES))

    assert len(passage.actions) >= 10
    assert {action.kind for action in passage.actions} == {"pass"}
    assert not passage.carries
