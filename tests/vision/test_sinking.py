"""When a card came down, as its heights tell."""

import numpy as np
import pytest

from vision.descent import Seen
from vision.sinking import find_descent

PERIOD_US = 16_667


def sights(*excess_and_shift, start_us=0, error=0.0002):
    return [
        Seen(start_us + i * PERIOD_US, excess, shift, 0.0, error)
        for i, (excess, shift) in enumerate(excess_and_shift)
    ]


def sunk(touch, *, speed=0.003, frames=14, noise=0.0, seed=0, error=0.0002):
    """Sights of a card that sinks by ``speed`` a frame and touches at ``touch``, in frames."""
    rng = np.random.default_rng(seed)
    heights = [speed * max(0.0, touch - i) for i in range(frames)]
    return sights(
        *((h + rng.normal(0, noise * (1 + h / 0.002)), 0.4 + 900 * h) for h in heights), error=error
    )


def descent(seen):
    found = find_descent(seen, PERIOD_US)
    return None if found is None else (found.above_us / PERIOD_US, found.down_us / PERIOD_US)


@pytest.mark.parametrize("touch", [4.0, 5.3, 6.5, 7.9])
@pytest.mark.parametrize("speed", [0.002, 0.004, 0.008])
def test_a_card_touched_where_its_descent_ends(touch, speed):
    above, down = descent(sunk(touch, speed=speed))

    assert above < touch < down
    assert down - above < 2


def test_noisy_heights_hold_the_touch_in_nearly_all_cases():
    held = []
    for seed in range(200):
        touch = 4 + 4 * np.random.default_rng([seed, 1]).random()
        found = descent(sunk(touch, noise=0.0003, seed=seed))
        held.append(found is not None and found[0] <= touch <= found[1])

    assert np.mean(held) > 0.98


def test_what_is_less_sure_is_told_wider():
    sure, unsure = descent(sunk(6.4)), descent(sunk(6.4, error=0.0006))

    assert unsure[0] < sure[0]
    assert unsure[1] > sure[1]


def test_one_height_that_is_far_off_does_not_move_the_touch_away():
    seen = sunk(6.4)
    seen[4] = sights((0.0001, 2.0), start_us=4 * PERIOD_US)[0]

    above, down = descent(seen)

    assert above < 6.4 < down


def test_frames_that_were_lost_make_it_wider_and_not_wrong():
    seen = sunk(6.4)

    above, down = descent([*seen[:5], *seen[9:]])

    assert above < 6.4 < down
    assert down - above > 2


def test_a_card_that_is_never_seen_higher_tells_nothing():
    assert descent(sights((0.0001, 12), (0.0002, 7), (0.0001, 3), (0, 0), (0, 0))) is None


def test_a_card_that_is_never_seen_at_rest_tells_nothing():
    assert descent(sights((0.017, 14), (0.014, 9), (0.011, 5), (0.008, 2), (0.005, 1))) is None


def test_few_sights_tell_nothing():
    assert descent(sunk(2.0)[:3]) is None


def test_the_next_card_on_top_does_not_count_as_rest():
    seen = sunk(5.5, frames=11)
    above_it = sights((0.006, 0.4), (0.011, 0.3), (0.002, 0.9), start_us=11 * PERIOD_US, error=0.003)

    assert descent([*seen, *above_it]) == descent(seen)


def test_a_card_that_was_turned_over_counts_from_when_it_no_longer_looks_smaller():
    seen = sunk(6.4)
    turned = sights((-0.03, 9), (-0.01, 7), start_us=0)

    above, down = descent([*turned, *seen[2:]])

    assert above < 6.4 < down


def test_an_equal_card_that_lay_beside_the_place_before_is_not_the_one_that_came():
    lay_there = sights(*[(0.0015, 1.5)] * 3)
    came = sights((0.0001, 35), (0.0002, 17), (0.0001, 8), *[(0, 0)] * 5, start_us=3 * PERIOD_US)

    assert descent([*lay_there, *came]) is None
