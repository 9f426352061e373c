"""Looking back, on plain pictures: what counts as arrived, as gone, and as not to be told."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.settings import WatchSettings
from vision.touch import (
    Patch,
    agreement,
    compare,
    find_arrival,
    find_departure,
    is_beside,
    last_that_lay,
    persistent_cells,
    telling_blocks,
    time_in_place_us,
)

SETTINGS = WatchSettings()
SIZE = (102, 90)
WHOLE = np.full(SIZE, 255, np.uint8)
PERIOD_US = 16_667


def pattern(seed: int) -> np.ndarray:
    """Something with as much texture as a card's face, smoothed as the watched picture is."""
    blocks = np.random.default_rng(seed).integers(0, 2, (17, 15)).astype(np.uint8) * 180 + 40
    return cv2.blur(cv2.resize(blocks, SIZE[::-1], interpolation=cv2.INTER_NEAREST), (3, 3))


def noisy(picture: np.ndarray, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 1.5, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def shifted(picture: np.ndarray, by_px: float) -> np.ndarray:
    move = np.array([[1, 0, by_px], [0, 1, 0]], np.float32)
    return cv2.warpAffine(picture, move, picture.shape[::-1], borderMode=cv2.BORDER_REPLICATE)


def film(*pictures: np.ndarray) -> list[Patch]:
    return [Patch(i * PERIOD_US, noisy(picture, i)) for i, picture in enumerate(pictures)]


OLD, NEW, HAND = pattern(1), pattern(2), np.full(SIZE, 150, np.uint8)


def half_covered(picture: np.ndarray) -> np.ndarray:
    covered = picture.copy()
    covered[SIZE[0] // 2 :] = 150
    return covered


def arrival(frames: list[Patch], old: np.ndarray = OLD):
    def sees_beside(index: int) -> bool:
        return is_beside(frames[index].grey, NEW, telling_blocks(NEW, WHOLE))

    return find_arrival(compare(frames, old, NEW, WHOLE, SETTINGS), SETTINGS, sees_beside)


def test_a_card_arrives_in_the_first_frame_in_which_it_lies():
    frames = film(OLD, OLD, shifted(NEW, 20), shifted(NEW, 6), NEW, NEW, NEW)

    crossing = arrival(frames)

    assert (crossing.last_before_us, crossing.first_after_us) == (3 * PERIOD_US, 4 * PERIOD_US)


def test_a_card_a_little_beside_its_place_does_not_lie_yet():
    frames = film(OLD, shifted(NEW, 6), shifted(NEW, 0.8), shifted(NEW, 0.3), NEW, NEW, NEW, NEW)

    crossing = arrival(frames)

    assert crossing.last_before_us in {PERIOD_US, 2 * PERIOD_US}
    assert crossing.first_after_us == 4 * PERIOD_US


def test_half_a_card_is_enough():
    frames = film(OLD, shifted(NEW, 9), half_covered(NEW), half_covered(NEW), NEW)

    crossing = arrival(frames)

    assert (crossing.last_before_us, crossing.first_after_us) == (PERIOD_US, 2 * PERIOD_US)


def test_frames_that_show_neither_tell_nothing_and_widen_the_touch():
    frames = film(OLD, HAND, HAND, NEW, NEW)

    crossing = arrival(frames)

    assert crossing.last_before_us == 0
    assert crossing.first_after_us == 3 * PERIOD_US


@pytest.mark.parametrize("shift", [3, 9, 20])
def test_a_card_is_found_beside_its_place(shift):
    assert is_beside(noisy(shifted(NEW, shift), 7), NEW, telling_blocks(NEW, WHOLE))


@pytest.mark.parametrize("picture", [NEW, OLD, HAND], ids=["in its place", "not there", "covered"])
def test_a_card_that_is_not_beside_its_place_is_not_found_there(picture):
    assert not is_beside(noisy(picture, 7), NEW, telling_blocks(NEW, WHOLE))


def test_bare_table_tells_that_nothing_lies_there_yet():
    bare = np.full(SIZE, 90, np.uint8)
    frames = film(bare, bare, HAND, NEW, NEW)

    crossing = arrival(frames, bare)

    assert (crossing.last_before_us, crossing.first_after_us) == (PERIOD_US, 3 * PERIOD_US)


def test_a_shadow_over_the_card_does_not_hide_it():
    dark = cv2.convertScaleAbs(NEW, alpha=0.8)
    frames = film(OLD, shifted(NEW, 9), dark, dark, NEW)

    crossing = arrival(frames)

    assert crossing.first_after_us == 2 * PERIOD_US


def turned_up(frames: list[Patch], *, is_turned_up: bool = True):
    comparison = compare(frames, OLD, NEW, WHOLE, SETTINGS)
    return find_arrival(comparison, SETTINGS, is_turned_up=is_turned_up)


def test_a_glimpse_long_before_a_card_is_turned_up_is_not_its_turning():
    frames = film(OLD, OLD, NEW, NEW, *[HAND] * 14, NEW, NEW, NEW)

    crossing = turned_up(frames)

    assert crossing.first_after_us == 18 * PERIOD_US
    assert crossing.last_before_us == PERIOD_US  # The hand's frames tell nothing.


def test_of_several_glimpses_none_is_the_turning_up():
    frames = film(OLD, NEW, *[HAND] * 13, NEW, *[HAND] * 15, NEW, HAND, NEW, NEW)

    assert turned_up(frames).first_after_us == 31 * PERIOD_US


def test_a_card_that_fingers_hide_for_a_moment_was_turned_up_before():
    frames = film(OLD, OLD, NEW, NEW, *[HAND] * 8, NEW, NEW, NEW)

    crossing = turned_up(frames)

    assert (crossing.last_before_us, crossing.first_after_us) == (PERIOD_US, 2 * PERIOD_US)


def test_a_card_that_was_brought_may_be_hidden_for_long():
    frames = film(OLD, OLD, NEW, NEW, *[HAND] * 14, NEW, NEW, NEW)

    assert turned_up(frames, is_turned_up=False).first_after_us == 2 * PERIOD_US


def test_an_equal_card_beneath_whose_pips_fall_on_its_pips_is_not_the_one_that_comes():
    alike = pattern(3)
    alike[: SIZE[0] // 3] = shifted(NEW, 0.6)[: SIZE[0] // 3]  # A third of it looks like the other, nearly.
    frames = film(OLD, *[alike] * 9, HAND, shifted(NEW, 6), NEW, NEW, NEW, NEW)

    crossing = arrival(frames)

    assert (crossing.last_before_us, crossing.first_after_us) == (11 * PERIOD_US, 12 * PERIOD_US)


def test_a_card_that_came_to_lie_and_was_hidden_then_had_come_before():
    frames = film(OLD, shifted(NEW, 6), NEW, NEW, *[HAND] * 9, NEW, NEW)

    crossing = arrival(frames)

    assert (crossing.last_before_us, crossing.first_after_us) == (PERIOD_US, 2 * PERIOD_US)


def test_a_card_goes_between_its_last_frame_and_the_first_that_shows_what_was_below():
    frames = film(OLD, OLD, half_covered(OLD), HAND, NEW, NEW)

    crossing = find_departure(compare(frames, OLD, NEW, WHOLE, SETTINGS), SETTINGS)

    assert (crossing.last_before_us, crossing.first_after_us) == (2 * PERIOD_US, 4 * PERIOD_US)


@pytest.mark.parametrize("find", [find_arrival, find_departure])
def test_looks_that_do_not_differ_tell_nothing(find):
    crossing = find(compare(film(OLD, HAND, OLD), OLD, OLD, WHOLE, SETTINGS), SETTINGS)

    assert (crossing.last_before_us, crossing.first_after_us) == (None, None)


def test_a_mask_leaves_out_what_is_beside():
    mask = WHOLE.copy()
    mask[:, 45:] = 0
    beside = NEW.copy()
    beside[:, 48:] = 150

    comparison = compare(film(beside), OLD, NEW, mask, SETTINGS)

    assert comparison.later[0] > 0.95


def test_time_in_place_counts_the_longest_stay():
    frames = film(NEW, OLD, NEW, NEW, NEW, OLD, NEW, NEW)

    comparison = compare(frames, OLD, NEW, WHOLE, SETTINGS)

    assert time_in_place_us(comparison, SETTINGS) == 2 * PERIOD_US


@pytest.mark.parametrize(
    ("stays_ms", "which"),
    [
        pytest.param([33, 50, 50], 2, id="the last one, the first may still have been held"),
        pytest.param([150, 150, 50, 33], 1, id="what lay for long, not the card held over it"),
        pytest.param([0, 16], None, id="nothing lay there"),
        pytest.param([], None, id="nothing was seen"),
    ],
)
def test_of_what_kept_its_place_the_last_that_lay_counts(stays_ms, which):
    assert last_that_lay([ms * 1000 for ms in stays_ms], SETTINGS) == which


def test_agreement_is_a_share_of_what_has_texture():
    assert agreement(OLD, noisy(OLD, 5), WHOLE, SETTINGS) > 0.95
    assert agreement(OLD, NEW, WHOLE, SETTINGS) < 0.2
    assert agreement(HAND, HAND, WHOLE, SETTINGS) is None


def test_what_stays_and_is_not_known_persists():
    third = pattern(3)

    assert persistent_cells(third, noisy(third, 4), (OLD, NEW), WHOLE, SETTINGS) > 100
    assert persistent_cells(NEW, noisy(NEW, 4), (OLD, NEW), WHOLE, SETTINGS) < 5
    assert persistent_cells(third, OLD, (NEW,), WHOLE, SETTINGS) < 20


def test_settings_can_be_changed_one_by_one():
    strict = replace(SETTINGS, cells_at_least=10_000)

    crossing = find_arrival(compare(film(OLD, NEW), OLD, NEW, WHOLE, strict), strict)

    assert crossing.first_after_us is None
