"""Pictures that do not show the table as they should: each is told, and nothing is invented."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.observations import CardLanded, CardLifted, HandTouched, PileSeen, ViewLost
from referee.piles import Seat
from referee.sightings import CardsCarried, PileHandled
from vision.outlook import Outlook, moved_calibration
from vision.pictures import Bgr
from vision.settings import WatchSettings
from vision.shift import find_shift
from vision.table import Markers
from vision.watcher import Watcher

FELT = (70, 110, 60)
CORNERS = ((107, 72), (317, 72), (107, 327), (317, 327))
PLAYS = (CardLanded, CardLifted, CardsCarried, HandTouched, PileHandled)


def deal(scene):
    """An ace on a foundation, a card on each reserve and in each corner."""
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("2S", "south/reserve")
    scene.put("2S", "north/reserve", angle=2)
    scene.cards += [(name, x, y, 1.0) for name, (x, y) in zip(("5D", "6C", "8H", "TD"), CORNERS, strict=True)]
    scene.film(20)


def play_from_south(scene):
    """Take the south reserve's top to the foundation; the time of the first frame in which it lies there."""
    scene.sweep("bottom", (212, 430), (212, 327), 12)
    scene.cards = [c for c in scene.cards if c[:3] != ("2S", 212.0, 327.0)]
    scene.sweep("bottom", (212, 327), (107, 197), 20, held="2S")
    touch_us = scene.now_us
    scene.put("2S", "table/foundation[0]")
    scene.film(3, ("bottom", 107, 197))
    scene.sweep("bottom", (107, 197), (107.0, 430.0), 12)
    scene.film(40)
    return touch_us


def seen_from(frame, dx_mm, dy_mm, turn=0.0):
    """The frame as a camera sees it that was moved: the table lies elsewhere in the picture."""
    height, width = frame.image_bgr.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    matrix[:, 2] += (dx_mm * 2, dy_mm * 2)
    image = cv2.warpAffine(frame.image_bgr, matrix, (width, height), borderValue=FELT)
    return replace(frame, picture=Bgr(image))


def knocked(frames, since, dx_mm, dy_mm, turn=0.0, *, over=4):
    """The frames, the camera moved within ``over`` frames from ``since`` on."""
    moved = []
    for i, frame in enumerate(frames):
        share = min(max((i - since + 1) / over, 0.0), 1.0)
        moved.append(seen_from(frame, dx_mm * share, dy_mm * share, turn * share) if share else frame)
    return moved


def watched(table, detector, frames):
    watcher = Watcher(table, detector)
    told = [observation for frame in frames for observation in watcher.see(frame)]
    return [*told, *watcher.finish()], watcher


def only(kind, observations):
    return [o for o in observations if isinstance(o, kind)]


@pytest.mark.parametrize(
    ("dx", "dy", "turn"),
    [pytest.param(20, 0, 0, id="sideways"), pytest.param(-12, -16, 1.5, id="aslant and turned")],
)
def test_a_camera_that_is_knocked_is_told_and_the_match_goes_on(scene, eight_table, detector, dx, dy, turn):
    deal(scene)
    scene.film(30)
    touch_us = play_from_south(scene)
    frames = knocked(scene.frames, 22, dx, dy, turn)

    told, watcher = watched(eight_table, detector, frames)

    (lost,) = only(ViewLost, told)
    assert lost.pile is None
    assert lost.cause in {f"the camera was moved by {mm} mm" for mm in range(18, 24)}
    assert frames[20].t_us <= lost.lost.start_us <= frames[24].t_us
    assert lost.lost.end_us <= frames[26].t_us + 300_000
    assert sum("was moved by" in warning for warning in watcher.warnings) == 1
    (landed,) = only(CardLanded, told)
    assert (str(landed.pile), str(landed.card), landed.seat) == ("table/foundation[0]", "2S", Seat.SOUTH)
    assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    assert landed.touch.width_us <= 4 * 16_667 + WatchSettings().slide_us
    assert [str(lifted.pile) for lifted in only(CardLifted, told)] in [[], ["south/reserve"]]
    assert not only((HandTouched, PileHandled), told)


def test_a_knock_alone_is_no_play(scene, eight_table, detector):
    deal(scene)
    scene.film(90)

    told, _ = watched(eight_table, detector, knocked(scene.frames, 24, 14, -14))

    assert not only(PLAYS, told)
    assert len(only(ViewLost, told)) == 1
    tops = {str(o.pile): str(o.top) for o in only(PileSeen, told)}
    assert (tops["table/foundation[0]"], tops["south/reserve"]) == ("AS", "2S")


def test_a_camera_that_is_knocked_and_put_back_goes_on_as_before(scene, eight_table, detector):
    deal(scene)
    scene.film(80)
    frames = scene.frames[:24] + [seen_from(f, 20, 5) for f in scene.frames[24:30]] + scene.frames[30:]

    told, watcher = watched(eight_table, detector, frames)

    (lost,) = only(ViewLost, told)
    assert lost.lost.end_us >= frames[30].t_us
    assert not only(PLAYS, told)
    assert watcher.state is not None
    centre = watcher.state.calibration.table_mm_from_image_px @ np.array([440.0, 400.0, 1.0])
    assert np.allclose(centre[:2] / centre[2], (220.0, 200.0), atol=0.5)


def test_a_camera_that_is_knocked_twice_is_told_twice(scene, eight_table, detector):
    deal(scene)
    scene.film(80)
    frames = scene.frames[:24] + [seen_from(f, 20, 5) for f in scene.frames[24:34]] + scene.frames[34:]

    told, _ = watched(eight_table, detector, frames)

    assert len(only(ViewLost, told)) == 2
    assert not only(PLAYS, told)


MARKERS = Markers("DICT_5X5_50", 30.0, {0: (28, 28), 1: (412, 28), 2: (412, 372), 3: (28, 372)})


def marked(frame):
    """The frame with printed markers in the corners of the table."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_50)
    image = frame.image_bgr.copy()
    for marker, (x, y) in MARKERS.centres_mm.items():
        square = cv2.copyMakeBorder(
            cv2.aruco.generateImageMarker(dictionary, marker, 60),
            10,
            10,
            10,
            10,
            cv2.BORDER_CONSTANT,
            value=255,
        )
        image[2 * y - 40 : 2 * y + 40, 2 * x - 40 : 2 * x + 40] = square[..., None]
    return replace(frame, picture=Bgr(image))


def centre_mm(watcher, x, y):
    """The place on the table that the watcher now sees at a pixel."""
    assert watcher.state is not None
    at = watcher.state.calibration.table_mm_from_image_px @ np.array([x, y, 1.0])
    return at[:2] / at[2]


def test_after_a_knock_printed_markers_say_where_the_table_lies(scene, eight_table, detector):
    deal(scene)
    scene.film(60)
    frames = knocked([marked(frame) for frame in scene.frames], 24, 12, -10, 1.0)

    told, watcher = watched(replace(eight_table, view=MARKERS), detector, frames)

    assert len(only(ViewLost, told)) == 1
    assert not only(PLAYS, told)
    assert np.allclose(centre_mm(watcher, 440 + 24, 400 - 20), (220, 200), atol=0.4)


def test_a_camera_that_drifts_is_noticed_by_the_markers(scene, eight_table, detector):
    deal(scene)
    scene.film(60)
    drifting = knocked([marked(frame) for frame in scene.frames], 10, 3, 2, over=50)
    settings = WatchSettings(marker_look_us=700_000)

    watcher = Watcher(replace(eight_table, view=MARKERS), detector, settings)
    told = [observation for frame in drifting for observation in watcher.see(frame)]

    assert [lost.cause for lost in only(ViewLost, told)][:1] == ["the camera had drifted by 3 mm"]
    assert not only(PLAYS, told)
    assert any("drifted" in warning for warning in watcher.warnings)


def test_hands_over_most_piles_are_no_knock(scene, eight_table, detector):
    deal(scene)
    scene.film(20, ("bottom", 107, 80), ("bottom", 317, 80), ("top", 212, 320))
    scene.film(60)

    told, watcher = watched(eight_table, detector, scene.frames)

    assert not only(ViewLost, told)
    assert watcher.warnings == ()


def test_a_table_that_is_hidden_is_told_and_nothing_is_invented(scene, eight_table, detector):
    deal(scene)
    scene.film(100)
    cloth = np.random.default_rng(3).normal(120, 20, scene.frames[0].image_bgr.shape).astype(np.uint8)
    frames = [
        replace(f, picture=Bgr(np.roll(cloth, f.index, 0))) if 24 <= i < 100 else f
        for i, f in enumerate(scene.frames)
    ]

    told, watcher = watched(eight_table, detector, frames)

    assert not only(PLAYS, told)
    (lost,) = only(ViewLost, told)
    assert (lost.cause, lost.lost.start_us) == ("the table was not found", frames[23].t_us)
    assert lost.lost.end_us >= frames[100].t_us
    assert any("not found in the picture" in warning for warning in watcher.warnings)


def test_a_gap_of_seconds_is_told_and_nothing_is_invented(scene, eight_table, detector):
    deal(scene)
    play_from_south(scene)
    before, after = scene.frames[:20], scene.frames[70:]
    late = [replace(f, pts=f.pts + 180) for f in after]

    told, watcher = watched(eight_table, detector, [*before, *late])

    (lost,) = only(ViewLost, told)
    assert (lost.pile, lost.lost.start_us, lost.lost.end_us) == (None, before[-1].t_us, late[0].t_us)
    assert lost.cause.startswith("no pictures came for 3.9 s")
    assert not only(HandTouched, told)
    for landed in only(CardLanded, told):
        assert landed.touch.start_us <= lost.lost.start_us
        assert landed.touch.end_us >= lost.lost.end_us
    assert any("no pictures came" in warning for warning in watcher.warnings)


def test_pictures_far_apart_are_no_gap(table):
    outlook = Outlook(WatchSettings())
    picture = np.random.default_rng(1).integers(0, 255, (80, 80)).astype(np.uint8)

    sights = [outlook.see(np.roll(picture, i, 0), 2_000_000 * i) for i in range(12)]

    assert all(sight.regained is None for sight in sights)


def test_a_picture_that_is_sent_again_tells_nothing_of_its_own_time(scene, eight_table, detector):
    deal(scene)
    touch_us = play_from_south(scene)
    place = next(i for i, f in enumerate(scene.frames) if f.t_us >= touch_us)
    frozen = scene.frames[place - 3]
    frames = [
        replace(f, picture=Bgr(frozen.image_bgr)) if place - 3 < i <= place + 1 else f
        for i, f in enumerate(scene.frames)
    ]

    told, _ = watched(eight_table, detector, frames)

    (landed,) = only(CardLanded, told)
    assert landed.touch.start_us <= frozen.t_us
    assert landed.touch.end_us >= frames[place + 2].t_us


def test_a_rate_that_falls_is_told_once(scene):
    outlook = Outlook(WatchSettings())
    times = [16_667 * i for i in range(300)] + [16_667 * 300 + 33_333 * i for i in range(400)]
    picture = np.random.default_rng(1).integers(0, 255, (80, 80)).astype(np.uint8)

    for i, t_us in enumerate(times):
        outlook.see(np.roll(picture, i, 0), t_us)
    (warning,) = outlook.take_warnings()

    assert warning.startswith("the camera gives 30 pictures a second, no longer 60")


@pytest.mark.parametrize("turn", [0.0, 2.5, -1.0])
def test_the_shift_of_a_picture_is_found(scene, turn):
    deal(scene)
    before = cv2.cvtColor(scene.frames[-1].image_bgr, cv2.COLOR_BGR2GRAY)[::2, ::2].copy()
    moved = seen_from(scene.frames[-1], 18, -9, turn)
    after = cv2.cvtColor(moved.image_bgr, cv2.COLOR_BGR2GRAY)[::2, ::2].copy()

    shift = find_shift(before, after)

    assert shift is not None
    centre = shift.now_from_rest @ np.array([220.0, 200.0, 1.0])
    assert np.allclose(centre[:2], (238.0, 191.0), atol=0.7)


def test_another_table_is_not_found(scene):
    deal(scene)
    before = cv2.cvtColor(scene.frames[-1].image_bgr, cv2.COLOR_BGR2GRAY)[::2, ::2].copy()
    other = np.random.default_rng(2).integers(0, 255, before.shape).astype(np.uint8)

    assert find_shift(before, cv2.blur(other, (9, 9))) is None


def test_a_knocked_camera_sees_a_place_of_the_table_elsewhere(scene):
    deal(scene)
    watched_px = cv2.cvtColor(scene.frames[-1].image_bgr, cv2.COLOR_BGR2GRAY)[::2, ::2].copy()
    after = cv2.cvtColor(seen_from(scene.frames[-1], 20, 0).image_bgr, cv2.COLOR_BGR2GRAY)[::2, ::2].copy()
    shift = find_shift(watched_px, after)
    assert shift is not None
    half = np.diag([0.5, 0.5, 1.0])

    moved = moved_calibration(half, np.eye(3), shift)

    seen = moved @ np.array([240.0, 200.0, 1.0])
    assert np.allclose(seen[:2] / seen[2], (100.0, 100.0), atol=0.5)


def test_the_same_knock_gives_the_same_observations(scene, eight_table, detector):
    deal(scene)
    scene.film(50)
    frames = knocked(scene.frames, 22, 20, 6, 1.0)

    once, _ = watched(eight_table, detector, frames)
    again, _ = watched(eight_table, detector, frames)

    assert once == again
