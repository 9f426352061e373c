"""How high a card is over its place."""

import cv2
import numpy as np
import pytest

from vision.descent import RestingCard

SIZE_WH = (180, 200)
PLACE = (90.0, 100.0)


def card_picture():
    card = np.full((88, 63), 238, np.uint8)
    cv2.putText(card, "7", (4, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.6, 30, 2)
    cv2.putText(card, "7", (42, 84), cv2.FONT_HERSHEY_SIMPLEX, 0.6, 30, 2)
    for x, y in ((20, 22), (42, 22), (20, 44), (42, 44), (20, 66), (42, 66), (31, 33)):
        cv2.circle(card, (x, y), 5, 60, -1)
    return card


def filmed(size=1.0, shift=(0.0, 0.0), turn_deg=0.0, *, card=None, light=1.0, seed=0):
    """The card on felt, ``size`` times as large as at rest and beside its place."""
    card = card_picture() if card is None else card
    rng = np.random.default_rng(seed)
    height, width = card.shape
    to_picture = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, size)
    to_picture[:, 2] += np.array(PLACE) + shift - (width / 2, height / 2)
    felt = np.full(SIZE_WH[::-1], 90, np.uint8)
    drawn = cv2.warpAffine(card, to_picture, SIZE_WH, flags=cv2.INTER_AREA)
    where = cv2.warpAffine(np.full_like(card, 255), to_picture, SIZE_WH)
    picture = np.where(where > 127, drawn, felt) * light + rng.normal(0, 2, felt.shape)
    return cv2.GaussianBlur(np.clip(picture, 0, 255).astype(np.uint8), (3, 3), 0)


def place_mask():
    mask = np.zeros(SIZE_WH[::-1], np.uint8)
    cv2.rectangle(mask, (59, 57), (120, 143), 255, -1)
    return mask


@pytest.fixture(scope="module")
def at_rest():
    return RestingCard(filmed(seed=9), place_mask())


@pytest.mark.parametrize("size", [1.0, 1.001, 1.004, 1.012])
@pytest.mark.parametrize("shift", [(0.0, 0.0), (1.3, -0.6), (9.4, 6.2)])
def test_the_size_of_a_card_is_seen_wherever_it_is(at_rest, size, shift):
    frame = filmed(size, shift, turn_deg=1.5, light=0.9, seed=3)

    seen = at_rest.seen_in(0, frame, [(round(shift[0]), round(shift[1]))])

    assert seen is not None
    assert seen.excess == pytest.approx(size - 1, abs=0.0006)
    assert seen.shift_px == pytest.approx(np.hypot(*shift), abs=0.25)


def test_fingers_over_a_third_of_it_do_not_change_its_size(at_rest):
    frame = filmed(1.005, seed=4)
    cv2.rectangle(frame, (50, 114), (125, 150), 140, -1)

    seen = at_rest.seen_in(0, frame, [(0.0, 0.0)])

    assert seen is not None
    assert seen.excess == pytest.approx(0.005, abs=0.0012)


def test_another_card_has_no_size(at_rest):
    other = np.full((88, 63), 238, np.uint8)
    cv2.putText(other, "Q", (8, 60), cv2.FONT_HERSHEY_SIMPLEX, 2.0, 20, 5)

    seen = at_rest.seen_in(0, filmed(card=other), [(20.0, 20.0)])

    assert seen is None or seen.shift_px > 10


def test_of_two_places_where_it_seems_to_be_the_better_fit_counts(at_rest):
    seen = at_rest.seen_in(0, filmed(1.002, (0.4, 0.2)), [(0.0, 22.0), (0.0, -22.0), (0.0, 0.0)])

    assert seen is not None
    assert seen.shift_px < 1
    assert seen.excess == pytest.approx(0.002, abs=0.0006)


def test_a_strip_of_a_card_is_too_little():
    mask = np.zeros(SIZE_WH[::-1], np.uint8)
    mask[60:64, 60:120] = 255

    assert not RestingCard(filmed(), mask).is_large_enough


def test_a_size_is_less_sure_where_fingers_hide_much_of_the_card(at_rest):
    hidden = filmed(1.003, seed=5)
    cv2.rectangle(hidden, (50, 84), (125, 150), 140, -1)

    plain = at_rest.seen_in(0, filmed(1.003, seed=5), [(0.0, 0.0)])
    unsure = at_rest.seen_in(0, hidden, [(0.0, 0.0)])

    assert plain is not None
    assert unsure is not None
    assert unsure.error > 1.5 * plain.error


def test_what_is_unlike_the_card_is_not_taken_for_it(at_rest):
    other = np.full((88, 63), 238, np.uint8)
    cv2.putText(other, "Q", (8, 60), cv2.FONT_HERSHEY_SIMPLEX, 2.0, 20, 5)

    assert at_rest.seen_in(0, filmed(card=other), [(0.0, 0.0)], 0.8) is None
    assert at_rest.seen_in(0, filmed(1.002, (0.5, 0.5)), [(0.0, 0.0)], 0.8) is not None
