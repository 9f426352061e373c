"""Rolling shutter and changing light: in the picture only, and only where asked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from datasets.simulator import SimulationSettings, simulate_clip
from datasets.simulator.camera import Camera
from datasets.simulator.lighting import LightChanges
from datasets.simulator.plan import plan_passage, random_layout
from datasets.simulator.stage import Stage
from referee.piles import Seat

TINY = SimulationSettings(width_px=160, height_px=90, fps=5.0, seconds=6.0)
ROLLING_US = 30_000


def _stage(*, rolling_us: int = 0, light_changes: LightChanges | None = None) -> Stage:
    rng = np.random.default_rng(3)
    settings = SimulationSettings(seconds=15.0)
    layout = random_layout(rng, settings)
    passage = plan_passage(rng, layout, settings)
    rng = np.random.default_rng([3, 1])
    camera = Camera.over(rng, layout.size_mm, (480, 270))
    return Stage(passage, camera, rng, markers=False, rolling_us=rolling_us, light_changes=light_changes)


def _fastest_us(stage: Stage, seat: Seat) -> int:
    """When a seat's hand moves most across the picture."""
    path = stage.passage.paths[seat]

    def speed(t_us: int) -> float:
        (x0, y0, _), (x1, y1, _) = path.at(t_us - 5_000), path.at(t_us + 5_000)
        width, height = stage.passage.layout.size_mm
        is_over_table = 40 < x0 < width - 40 and 40 < y0 < height - 40
        return float(np.hypot(x1 - x0, y1 - y0)) if is_over_table else 0.0

    return max(range(1_000_000, 14_000_000, 20_000), key=speed)


@pytest.mark.parametrize(
    ("seat", "rows", "sign"),
    [
        pytest.param(Seat.NORTH, slice(0, 90), -1, id="upper rows are exposed before the frame's time"),
        pytest.param(Seat.SOUTH, slice(180, 270), 1, id="lower rows after it"),
    ],
)
def test_rows_are_exposed_one_after_another(seat: Seat, rows: slice, sign: int) -> None:
    plain, rolling = _stage(), _stage(rolling_us=ROLLING_US)
    t_us = _fastest_us(plain, seat)
    early, late = (plain.frame(t_us + off_us)[rows].astype(int) for off_us in (-10_000, 10_000))

    rolled = rolling.frame(t_us)[rows]

    own, other = (early, late) if sign < 0 else (late, early)
    assert np.abs(rolled - own).mean() < 0.6 * np.abs(rolled - other).mean()


def test_a_rolling_shutter_does_not_show_where_nothing_moves() -> None:
    plain, rolling = _stage(), _stage(rolling_us=ROLLING_US)

    assert np.array_equal(plain.frame(300_000), rolling.frame(300_000))


def test_a_lamp_changes_the_light_at_its_time_and_for_good() -> None:
    lamp = LightChanges.random(np.random.default_rng(5), (480, 270), drift=0.0, switch_us=500_000)
    lit, plain = _stage(light_changes=lamp), _stage()
    times_us = (480_000, 520_000, 600_000, 700_000)

    shares = [float(lit.frame(t).mean() / plain.frame(t).mean()) for t in times_us]

    assert shares[0] == 1.0
    assert abs(shares[1] - 1) < abs(shares[2] - 1)
    assert abs(shares[2] - 1) > 0.05
    assert shares[3] == shares[2]


def test_rows_that_are_exposed_before_a_lamp_goes_on_do_not_show_it() -> None:
    lamp = LightChanges.random(np.random.default_rng(5), (480, 270), drift=0.0, switch_us=500_000)
    lit, plain = _stage(rolling_us=ROLLING_US, light_changes=lamp), _stage()

    difference = np.abs(lit.frame(500_000).astype(int) - plain.frame(500_000))

    assert difference[:130].max() == 0
    assert difference[-20:].mean() > 1


def test_light_drifts_slowly_up_and_down_by_its_share() -> None:
    drift = LightChanges.random(np.random.default_rng(1), (480, 270), drift=0.2, switch_us=None)
    grey = np.full((270, 480, 3), 100, np.uint8)

    means = [float(drift.shine(grey, t, t).mean()) for t in range(0, 60_000_000, 250_000)]

    assert 79 <= min(means) <= 82
    assert 118 <= max(means) <= 121
    assert max(abs(np.diff(means))) < 3


def test_truth_and_table_are_the_same_under_any_shutter_and_light(tmp_path: Path) -> None:
    plain = simulate_clip(tmp_path / "plain.mp4", seed=6, settings=TINY)
    changed = replace(TINY, rolling_shutter_us=20_000, light_drift=0.1, lamp_us=3_000_000)

    other = simulate_clip(tmp_path / "other.mp4", seed=6, settings=changed)

    assert other.truth_file.read_text() == plain.truth_file.read_text()
    assert other.frames_us == plain.frames_us
    assert other.video.read_bytes() != plain.video.read_bytes()


def test_a_seed_lights_the_same_match_again(tmp_path: Path) -> None:
    changed = replace(TINY, rolling_shutter_us=20_000, light_drift=0.1, lamp_us=3_000_000)
    first = simulate_clip(tmp_path / "first.mp4", seed=6, settings=changed)

    again = simulate_clip(tmp_path / "again.mp4", seed=6, settings=changed)

    assert again.video.read_bytes() == first.video.read_bytes()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        pytest.param(
            {"fps": 60.0, "rolling_shutter_us": 20_000}, "want 0 to 16.666", id="longer than a frame"
        ),
        pytest.param({"fps": 10.0, "vfr": True, "rolling_shutter_us": 80_000}, "want 0 to 70", id="vfr"),
        pytest.param({"rolling_shutter_us": -1}, "rows cannot be exposed", id="rows before the first"),
        pytest.param({"light_drift": 0.8}, "want 0 to 0.5", id="nearly dark"),
        pytest.param({"light_drift": float("nan")}, "no drift", id="no number"),
        pytest.param({"lamp_us": -1}, "no time for a lamp", id="before the clip"),
    ],
)
def test_effects_that_cannot_be_rendered_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SimulationSettings(**wrong)
