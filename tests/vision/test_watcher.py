"""The watcher on drawn sequences: what is told of plays, and what is not told of everything else."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from models.classes import CLASS_ID
from models.detections import Detections
from referee.cards import Card
from referee.clock import clock_text
from referee.observations import CardLanded, CardLifted, HandTouched, PileSeen, ViewLost
from referee.piles import PileId, Seat
from referee.sightings import Handling, PileHandled, PileLaid
from vision.annotate import annotate
from vision.calibration import CalibrationError, calibrate_from_corners
from vision.frames import Frame
from vision.pictures import Bgr
from vision.readings import Reading
from vision.rectify import Rectifier
from vision.settings import WatchSettings
from vision.settle import Look, Sample, ZonePlace, ZoneWatch
from vision.visits import worth_reading
from vision.watcher import Watcher

FOUNDATION = PileId.parse("table/foundation[0]")
OTHER_FOUNDATION = PileId.parse("table/foundation[1]")
SOUTH_RESERVE = PileId.parse("south/reserve")
NORTH_RESERVE = PileId.parse("north/reserve")
NEAR = (107.0, 430.0)
FAR = (107.0, -40.0)
AT = (107.0, 197.0)
UNSEEN_HEIGHT_US = 40_000 + WatchSettings().slide_us
"""Cards slide in flat here, so that no height tells when they touched: they may have slid on after it."""


@pytest.fixture
def watch(table, detector):
    def watch_frames(frames):
        watcher = Watcher(table, detector)
        seen = [observation for frame in frames for observation in watcher.see(frame)]
        return [*seen, *watcher.finish()]

    return watch_frames


def only(kind, observations):
    return [o for o in observations if isinstance(o, kind)]


def deal(scene):
    """An ace on a foundation, a card on each reserve."""
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("2S", "south/reserve")
    scene.put("2S", "north/reserve", angle=2)
    scene.film(14)


def play_from_south(scene, name="2S", *, dx=0.0):
    """Take the south reserve's top to the foundation; the time of the first frame in which it lies there."""
    scene.sweep("bottom", (212, 430), (212, 327), 12)
    scene.cards = [c for c in scene.cards if c[:3] != (name, 212.0, 327.0)]
    scene.sweep("bottom", (212, 327), (107 + dx, 197), 20, held=name)
    touch_us = scene.now_us
    scene.put(name, "table/foundation[0]", dx=dx)
    scene.film(3, ("bottom", 107 + dx, 197))
    scene.sweep("bottom", (107 + dx, 197), NEAR, 12)
    scene.film(40)
    return touch_us


def test_every_pile_is_told_once_at_the_start(scene, watch):
    deal(scene)

    observations = watch(scene.frames)

    assert {o.pile: o.top for o in only(PileSeen, observations)} == {
        FOUNDATION: Card.parse("AS"),
        OTHER_FOUNDATION: None,
        SOUTH_RESERVE: Card.parse("2S"),
        NORTH_RESERVE: Card.parse("2S"),
    }
    assert [o.pile for o in only(PileSeen, observations) if o.is_empty] == [OTHER_FOUNDATION]
    assert len(observations) == 4


def test_a_play_is_told_with_card_pile_seat_source_and_touch(scene, watch):
    deal(scene)
    touch_us = play_from_south(scene)

    observations = watch(scene.frames)

    (landed,) = only(CardLanded, observations)
    assert (landed.pile, landed.card, landed.seat, landed.source) == (
        FOUNDATION, Card.parse("2S"), Seat.SOUTH, SOUTH_RESERVE,
    )  # fmt: skip
    assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    assert landed.touch.width_us <= UNSEEN_HEIGHT_US
    assert landed.seat_confidence > 0.9
    (lifted,) = only(CardLifted, observations)
    assert (lifted.pile, lifted.card, lifted.seat) == (SOUTH_RESERVE, Card.parse("2S"), Seat.SOUTH)
    assert observations.index(lifted) < observations.index(landed)
    assert [o.top for o in only(PileSeen, observations) if o.pile == FOUNDATION] == [
        Card.parse("AS"), Card.parse("2S"),
    ]  # fmt: skip


@pytest.mark.parametrize("still", [76, 30], ids=["beyond the deadline", "until before the deadline"])
def test_the_source_under_a_hand_is_told_once_and_before_the_landing(scene, watch, still):
    deal(scene)
    resting = ("bottom", 212.0, 345.0)
    scene.sweep("bottom", (212, 430), (212, 345), 12)
    there_us = scene.now_us
    scene.cards = [c for c in scene.cards if c[:3] != ("2S", 212.0, 327.0)]
    scene.sweep("bottom", (212, 345), AT, 12, resting, held="2S")
    touch_us = scene.now_us
    scene.put("2S", "table/foundation[0]")
    scene.film(2, ("bottom", *AT), resting)
    scene.sweep("bottom", AT, NEAR, 10, resting)
    scene.film(still, resting)
    scene.sweep("bottom", resting[1:], (212, 430), 10)
    scene.film(40)

    observations = watch(scene.frames)

    (lifted,), (landed,) = only(CardLifted, observations), only(CardLanded, observations)
    assert (lifted.pile, str(lifted.card), lifted.seat) == (SOUTH_RESERVE, "2S", Seat.SOUTH)
    assert lifted.lifted.start_us - 16_667 <= there_us <= lifted.lifted.end_us <= landed.touch.end_us
    assert (str(landed.card), landed.seat, landed.source) == ("2S", Seat.SOUTH, SOUTH_RESERVE)
    assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    assert observations.index(lifted) < observations.index(landed)
    (bare,) = [o for o in only(PileSeen, observations) if o.pile == SOUTH_RESERVE and o.is_empty]
    assert observations.index(lifted) < observations.index(bare)


@pytest.mark.parametrize(
    ("pile", "seat", "confidence"),
    [
        ("south/reserve", Seat.SOUTH, 0.9),
        ("north/reserve", Seat.NORTH, 0.9),
        ("table/foundation[0]", None, 0.0),
    ],
)
def test_a_card_that_no_hand_tells_is_its_players_on_a_seats_own_pile(scene, watch, pile, seat, confidence):
    scene.film(14)
    scene.put("7D", pile)
    scene.film(70)

    (landed,) = only(CardLanded, watch(scene.frames))

    assert (str(landed.pile), str(landed.card)) == (pile, "7D")
    assert (landed.seat, landed.seat_confidence) == (seat, confidence)


def test_a_card_on_a_bare_foundation_is_told(scene, watch):
    scene.put("AS", "south/reserve")
    scene.film(14)
    touch_us = play_from_south(scene, "AS")

    (landed,) = only(CardLanded, watch(scene.frames))

    assert (landed.card, landed.source) == (Card.parse("AS"), SOUTH_RESERVE)
    assert landed.touch.start_us <= touch_us <= landed.touch.end_us


@pytest.mark.parametrize("held", [None, "2S"], ids=["empty hand", "hand with a card"])
@pytest.mark.parametrize("pause", [0, 25], ids=["passing", "hovering"])
def test_a_hand_that_comes_and_goes_is_no_play(scene, watch, held, pause):
    deal(scene)
    scene.sweep("bottom", NEAR, AT, 15, held=held)
    scene.film(pause, ("bottom", *AT), held=held)
    scene.sweep("bottom", AT, NEAR, 15, held=held)
    scene.film(25)

    observations = watch(scene.frames)

    assert not only(CardLanded, observations)
    assert not only(CardLifted, observations)
    assert len(only(PileSeen, observations)) == 4


def test_a_pile_is_not_read_under_a_hand(scene, watch, detector):
    deal(scene)
    scene.sweep("bottom", NEAR, AT, 15)
    scene.film(30, ("bottom", *AT))

    watch(scene.frames)

    assert detector.calls == 4  # Each pile once, at the start.


def test_light_that_changes_is_no_play(scene, watch):
    deal(scene)
    for light in (*np.linspace(1.0, 0.75, 40), *np.full(10, 0.75), *np.full(40, 0.95)):
        scene.light = float(light)
        scene.film(1)

    observations = watch(scene.frames)

    assert len(observations) == 4


def test_a_card_pushed_aside_is_no_play(scene, watch):
    deal(scene)
    scene.sweep("bottom", NEAR, AT, 12)
    scene.cards[0] = ("AS", 113.0, 199.0, 4.0)
    scene.sweep("bottom", AT, NEAR, 12)
    scene.film(25)

    observations = watch(scene.frames)

    assert not only(CardLanded, observations)
    assert not only(CardLifted, observations)


def test_an_equal_card_of_another_deck_on_top_is_a_play(scene, watch):
    deal(scene)
    play_from_south(scene)
    scene.sweep("top", (212, -40), (212, 72), 12)
    scene.cards = [c for c in scene.cards if c[1:3] != (212.0, 72.0)]
    scene.sweep("top", (212, 72), (107, 188), 20, held="2S")
    touch_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dx=8.0, dy=-12.0)
    scene.sweep("top", (107, 188), FAR, 12)
    scene.film(40)

    first, second = only(CardLanded, watch(scene.frames))

    assert (first.seat, second.seat) == (Seat.SOUTH, Seat.NORTH)
    assert (second.card, second.source) == (Card.parse("2S"), NORTH_RESERVE)
    assert second.touch.start_us <= touch_us <= second.touch.end_us


def test_two_cards_on_one_foundation_before_it_settles_are_both_told(scene, watch):
    scene.put("AS", "table/foundation[0]")
    scene.put("2S", "south/reserve")
    scene.put("3S", "north/reserve")
    scene.film(14)
    scene.sweep("bottom", (212, 430), (212, 327), 10)
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    scene.sweep("bottom", (212, 327), AT, 15, ("top", 212, 60), held="2S")
    first_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dx=4, dy=3)
    scene.cards = [c for c in scene.cards if c[0] != "3S"]
    scene.sweep("bottom", AT, (107, 250), 5, ("top", 212, 72))
    for y in np.linspace(72, 188, 8):
        scene.film(1, ("top", 107 + (188 - y) * 0.9, y), ("bottom", 107, 262), held="3S")
    second_us = scene.now_us
    scene.put("3S", "table/foundation[0]", dx=-2, dy=-9)
    scene.sweep("bottom", (107, 262), NEAR, 12, ("top", *AT))
    scene.sweep("top", AT, FAR, 12)
    scene.film(40)

    landings = only(CardLanded, watch(scene.frames))

    assert [str(o.card) for o in landings] == ["2S", "3S"]
    assert [o.seat for o in landings] == [Seat.SOUTH, Seat.NORTH]
    for landed, touch_us in zip(landings, (first_us, second_us), strict=True):
        assert landed.touch.start_us <= touch_us <= landed.touch.end_us


def test_two_equal_cards_that_land_together_are_told_as_two(scene, watch):
    deal(scene)
    scene.sweep("bottom", (212, 430), (212, 327), 8, ("top", 212, 20))
    scene.sweep("top", (212, 20), (212, 72), 8, ("bottom", 212, 327))
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    for share in np.linspace(0, 1, 18):
        x = 212 - 105 * share
        scene.film(1, ("bottom", x, 327 - 124 * share), ("top", x, 72 + 116 * share), held="2S")
    touch_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dy=-9)
    scene.put("2S", "table/foundation[0]", dy=6)
    scene.film(3, ("bottom", 107, 203), ("top", 107, 188))
    for share in np.linspace(0, 1, 14):
        scene.film(1, ("bottom", 107, 203 + 230 * share), ("top", 107, 188 - 230 * share))
    scene.film(40)

    landings = only(CardLanded, watch(scene.frames))

    assert {(str(o.card), o.seat, o.source) for o in landings} == {
        ("2S", Seat.SOUTH, SOUTH_RESERVE),
        ("2S", Seat.NORTH, NORTH_RESERVE),
    }
    assert len(landings) == 2
    assert any(o.touch.start_us <= touch_us <= o.touch.end_us for o in landings)


def race(scene, *, gap_frames):
    """South brings a 2S, north another one so many frames later and on top; the times of both touches."""
    deal(scene)
    scene.sweep("bottom", (212, 430), (212, 327), 8, ("top", 212, 20))
    scene.sweep("top", (212, 20), (212, 72), 8, ("bottom", 212, 327))
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    for y in np.linspace(327, 212, 14):
        scene.film(1, ("bottom", 107 + (y - 212) * 0.9, y), ("top", 212, 72), held="2S")
    first_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dy=12)
    for share in np.linspace(1 / gap_frames, 1, gap_frames):
        tip = (212 - 105 * share, 72 + 112 * share)
        scene.film(1, ("top", *tip), ("bottom", 107, 232), held="2S")
    second_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dy=-11)
    scene.film(3, ("top", 107, 184), ("bottom", 107, 232))
    for share in np.linspace(0, 1, 14):
        scene.film(1, ("bottom", 107, 232 + 220 * share), ("top", 107, 184 - 230 * share))
    scene.film(60)
    return first_us, second_us


@pytest.mark.parametrize("gap_frames", [9, 13])
def test_a_card_that_the_next_one_covers_is_told_with_its_owner_and_below(scene, watch, gap_frames):
    first_us, second_us = race(scene, gap_frames=gap_frames)

    observations = watch(scene.frames)

    below, above = only(CardLanded, observations)
    assert [(str(o.card), o.seat, o.source) for o in (below, above)] == [
        ("2S", Seat.SOUTH, SOUTH_RESERVE),
        ("2S", Seat.NORTH, NORTH_RESERVE),
    ]
    for landed, touch_us in ((below, first_us), (above, second_us)):
        assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    (order,) = only(PileLaid, observations)
    assert [(str(laid.card), laid.owner) for laid in order.cards] == [("2S", Seat.SOUTH), ("2S", Seat.NORTH)]
    assert (order.pile, order.below_known) == (FOUNDATION, False)


def test_the_upper_of_two_equal_cards_that_is_taken_back_is_told(scene, watch):
    race(scene, gap_frames=9)
    scene.sweep("top", FAR, (107, 186), 12)
    scene.cards.pop()
    scene.sweep("top", (107, 186), (212, 72), 20, held="2S")
    scene.put("2S", "north/reserve")
    scene.film(3, ("top", 212, 72))
    scene.sweep("top", (212, 72), (212, -50), 12)
    scene.film(70)

    observations = watch(scene.frames)

    back = only(CardLanded, observations)[-1]
    assert (str(back.card), back.pile, back.seat, back.source) == (
        "2S", NORTH_RESERVE, Seat.NORTH, FOUNDATION,
    )  # fmt: skip
    assert [str(o.card) for o in only(CardLifted, observations) if o.pile == FOUNDATION] == ["2S"]


def test_a_hand_that_hovers_over_a_pile_is_told_as_a_touch(scene, watch):
    deal(scene)
    scene.sweep("bottom", NEAR, AT, 15)
    came_us = scene.now_us
    scene.film(20, ("bottom", *AT))
    scene.sweep("bottom", AT, NEAR, 15)
    scene.film(25)

    (touched,) = only(HandTouched, watch(scene.frames))

    assert (touched.pile, touched.seat) == (FOUNDATION, Seat.SOUTH)
    assert touched.touch.start_us <= came_us <= touched.touch.end_us + 17_000
    assert touched.touch.width_us <= 2 * 16_667
    assert touched.confidence > 0.9


def test_a_hand_that_passes_touches_nothing(scene, watch):
    deal(scene)
    scene.sweep("bottom", NEAR, (107, 90), 15)
    scene.sweep("bottom", (107, 90), NEAR, 15)
    scene.film(25)

    assert not only(HandTouched, watch(scene.frames))


def turn_up(scene, pile, old, new):
    """A hand covers a pile while its top becomes another one."""
    x, y = next(c[1:3] for c in scene.cards if c[0] == old)
    scene.sweep("bottom", (x, 430), (x, y), 12)
    scene.cards = [c for c in scene.cards if c[0] != old]
    if new is not None:
        scene.put(new, pile)
    scene.sweep("bottom", (x, y), (x, 430), 12)


def test_a_nerts_card_that_is_turned_up_is_no_landing(scene, watch):
    scene.put("BACK", "south/reserve")
    scene.film(14)
    turn_up(scene, "south/reserve", "BACK", "5D")
    scene.film(70)

    observations = watch(scene.frames)

    (turned,) = only(PileHandled, observations)
    assert (turned.handling, turned.pile, turned.seat) == (Handling.FACED_UP, SOUTH_RESERVE, Seat.SOUTH)
    assert turned.cards == (Card.parse("5D"),)
    assert not only(CardLanded, observations)


def watched(table, detector, frames):
    watcher = Watcher(table, detector)
    return [*(o for frame in frames for o in watcher.see(frame)), *watcher.finish()]


class Missing:
    """Does not find one card in the first ``times`` looks at it once ``begin`` is called."""

    def __init__(self, detector, name, times):
        self._detector, self._class, self._left = detector, CLASS_ID[name], times
        self.is_begun = False

    def detect(self, image_bgr):
        found = self._detector.detect(image_bgr)
        is_it = found.class_id == self._class
        if not (self.is_begun and self._left and is_it.any()):
            return found
        self._left -= 1
        kept = ~is_it
        return Detections(
            corners_px=found.corners_px[kept],
            class_id=found.class_id[kept],
            confidence=found.confidence[kept],
        )


def test_a_face_that_is_missed_once_where_backs_lie_has_not_become_a_back(scene, table, detector):
    scene.put("5D", "south/reserve")
    scene.film(14)
    dealt = len(scene.frames)
    scene.sweep("bottom", (212, 430), (212, 327), 12)
    scene.cards = [("5D", 218.0, 329.0, 4.0)]
    scene.sweep("bottom", (212, 327), (212, 430), 12)
    scene.film(50)
    missing = Missing(detector, "5D", 1)
    watcher = Watcher(table, missing)
    told = [o for frame in scene.frames[:dealt] for o in watcher.see(frame)]
    missing.is_begun = True

    told += [o for frame in scene.frames[dealt:] for o in watcher.see(frame)]

    assert not only(CardLifted, told)
    assert [o.top for o in only(PileSeen, told) if o.pile == SOUTH_RESERVE] == [Card.parse("5D")] * 2


def test_a_card_taken_back_to_a_nerts_pile_is_a_landing(scene, watch):
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("BACK", "south/reserve", dx=1.0)
    scene.put("2S", "south/reserve")
    scene.film(14)
    play_from_south(scene)
    scene.sweep("bottom", NEAR, AT, 12)
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    scene.sweep("bottom", AT, (212, 327), 20, held="2S")
    touch_us = scene.now_us
    scene.put("2S", "south/reserve")
    scene.film(3, ("bottom", 212, 327))
    scene.sweep("bottom", (212, 327), (212, 430), 12)
    scene.film(70)

    observations = watch(scene.frames)

    _, landed = only(CardLanded, observations)
    assert (str(landed.card), landed.pile, landed.source) == ("2S", SOUTH_RESERVE, FOUNDATION)
    assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    assert not only(PileHandled, observations)


STOCK, WASTE = (317, 197), (212, 72)


def turn_stock(scene, name, *, stock_at=(317.0, 197.0, 0.0), dx=2.0, leave=True):
    """South turns ``name`` from the stock, which then lies at ``stock_at``; when it lies on the waste."""
    scene.sweep("bottom", (317, 430), STOCK, 12)
    scene.cards = [("BACK", *stock_at), *(c for c in scene.cards if c[0] != "BACK")]
    scene.sweep("bottom", STOCK, WASTE, 15, held=name)
    touch_us = scene.now_us
    scene.put(name, "north/reserve", dx=dx)
    if leave:
        scene.sweep("bottom", WASTE, (212, 430), 15)
    return touch_us


def turned_cards(observations):
    return [(str(o.pile), str(o.target), o.cards) for o in only(PileHandled, observations)]


@pytest.mark.parametrize(
    "stock_at",
    [
        pytest.param((320.0, 194.0, 3.0), id="the stock lies otherwise"),
        pytest.param((317.0, 197.0, 0.0), id="the stock looks as before"),
    ],
)
def test_cards_turned_from_the_stock_are_told_as_turned(scene, stock_table, detector, stock_at):
    scene.put("BACK", "table/foundation[1]")
    scene.put("9H", "north/reserve")
    scene.film(14)
    touch_us = turn_stock(scene, "5C", stock_at=stock_at)
    scene.film(120)

    observations = watched(stock_table, detector, scene.frames)

    (turned,) = only(PileHandled, observations)
    assert (turned.handling, str(turned.pile), str(turned.target)) == (
        Handling.TURNED, "south/stock", "south/waste",
    )  # fmt: skip
    assert turned.cards == (Card.parse("5C"),)
    assert turned.touch.start_us <= touch_us <= turned.touch.end_us
    assert not only(CardLanded, observations)


def test_turns_that_follow_one_another_are_told_each(scene, stock_table, detector):
    scene.put("BACK", "table/foundation[1]")
    scene.put("9H", "north/reserve")
    scene.film(14)
    turn_stock(scene, "5C", stock_at=(320.0, 194.0, 3.0))
    scene.film(25)
    turn_stock(scene, "KD", stock_at=(316.0, 198.0, 0.0), dx=-2.0)
    scene.film(120)

    observations = watched(stock_table, detector, scene.frames)

    assert turned_cards(observations) == [
        ("south/stock", "south/waste", (Card.parse("5C"),)),
        ("south/stock", "south/waste", (Card.parse("KD"),)),
    ]


def test_a_card_that_is_bared_by_a_play_was_not_turned(scene, stock_table, detector):
    scene.put("BACK", "table/foundation[1]")
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("9H", "north/reserve")
    scene.put("2S", "north/reserve", dx=1.0)
    scene.film(14)
    scene.sweep("bottom", (317, 430), STOCK, 12)  # The hand passes over the stock on its way.
    scene.sweep("bottom", STOCK, WASTE, 12)
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    scene.sweep("bottom", WASTE, (107, 197), 40, held="2S")
    scene.put("2S", "table/foundation[0]")
    scene.sweep("bottom", (107, 197), NEAR, 12)
    scene.film(120)

    observations = watched(stock_table, detector, scene.frames)

    assert not only(PileHandled, observations)
    (landed,) = only(CardLanded, observations)
    assert (str(landed.card), str(landed.source)) == ("2S", "south/waste")


def test_a_turned_card_that_is_taken_at_once_leaves_the_turn_told_with_its_time(scene, stock_table, detector):
    scene.put("BACK", "table/foundation[1]")
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("9H", "north/reserve")
    scene.film(14)
    touch_us = turn_stock(scene, "2S", stock_at=(320.0, 194.0, 3.0), leave=False)
    scene.film(4, ("bottom", *WASTE))
    scene.cards = [c for c in scene.cards if c[0] not in {"2S", "9H"}]
    scene.put("5C", "north/reserve", dx=2.0)
    scene.sweep("bottom", WASTE, (107, 197), 20, held="2S")
    scene.put("2S", "table/foundation[0]")
    scene.sweep("bottom", (107, 197), NEAR, 12)
    scene.film(150)

    observations = watched(stock_table, detector, scene.frames)

    (turned,) = only(PileHandled, observations)
    assert (turned.handling, turned.cards) == (Handling.TURNED, ())
    assert turned.touch.start_us <= touch_us <= turned.touch.end_us


def turn_and_play(scene, name, *, dx=0.0, before="9H", after="KD"):
    """South turns cards of which ``name`` is the top, lets it lie under the hand, and plays it.

    Then ``after`` shows. When the cards were turned, and when the top one was played.
    """
    scene.put("BACK", "table/foundation[1]")
    scene.put("AS", "table/foundation[0]", dx=1.5)
    if before is not None:
        scene.put(before, "north/reserve")
    scene.film(14)
    turned_us = turn_stock(scene, name, stock_at=(320.0, 194.0, 3.0), dx=dx, leave=False)
    scene.film(20, ("bottom", WASTE[0], WASTE[1] + 41))
    scene.film(2, ("bottom", *WASTE))
    scene.cards = [c for c in scene.cards if c[0] != name]
    if after != before:
        scene.put(after, "north/reserve", dx=-1.0, dy=1.0)
    scene.sweep("bottom", WASTE, (107, 197), 20, held=name)
    played_us = scene.now_us
    scene.put(name, "table/foundation[0]")
    scene.film(3, ("bottom", 107, 197))
    scene.sweep("bottom", (107, 197), NEAR, 12)
    scene.film(60)
    return turned_us, played_us


@pytest.mark.parametrize("dx", [0.0, 6.0])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("9H", "KD", id="a card that was turned with it shows then"),
        pytest.param("9H", "9H", id="the card that lay there shows again"),
        pytest.param(None, "KD", id="on bare table"),
        pytest.param(None, None, id="on bare table and alone"),
    ],
)
def test_a_card_that_is_turned_shown_and_played_in_one_reach_is_told_as_turned_lifted_and_landed(
    scene, stock_table, detector, dx, before, after
):
    turned_us, played_us = turn_and_play(scene, "2S", dx=dx, before=before, after=after)

    observations = watched(stock_table, detector, scene.frames)

    (turned,) = only(PileHandled, observations)  # That another card shows then is no turn.
    (lifted,), (landed,) = only(CardLifted, observations), only(CardLanded, observations)
    assert observations.index(lifted) < observations.index(landed)
    assert turned_cards([turned]) == [("south/stock", "south/waste", (Card.parse("2S"),))]
    assert (turned.handling, turned.seat) == (Handling.TURNED, Seat.SOUTH)
    assert turned.touch.start_us <= turned_us <= turned.touch.end_us
    assert (str(lifted.pile), str(lifted.card), lifted.seat) == ("south/waste", "2S", Seat.SOUTH)
    assert turned.touch.end_us <= lifted.lifted.start_us < landed.touch.start_us
    assert (landed.pile, str(landed.card), str(landed.source)) == (FOUNDATION, "2S", "south/waste")
    assert landed.touch.start_us <= played_us <= landed.touch.end_us
    waste = [o.top for o in only(PileSeen, observations) if str(o.pile) == "south/waste"]
    assert waste[-1] == (Card.parse(after) if after else None)


class Doubting:
    """Reads one card with another confidence than the detector."""

    def __init__(self, detector, name, confidence):
        self._detector, self._class, self._confidence = detector, CLASS_ID[name], np.float32(confidence)

    def detect(self, image_bgr):
        found = self._detector.detect(image_bgr)
        doubted = np.where(found.class_id == self._class, self._confidence, found.confidence)
        return replace(found, confidence=doubted)


@pytest.mark.parametrize(
    ("dx", "confidence", "is_told"),
    [
        pytest.param(0.0, 0.95, True, id="in its place and well read it is another card"),
        pytest.param(0.0, 0.8, False, id="in its place and badly read it is the same card"),
        pytest.param(6.0, 0.8, True, id="beside it it is another card however it is read"),
    ],
)
def test_another_face_under_a_hand_on_a_waste(scene, stock_table, detector, dx, confidence, is_told):
    turn_and_play(scene, "2S", dx=dx)

    observations = watched(stock_table, Doubting(detector, "2S", confidence), scene.frames)

    assert ((Card.parse("2S"),) in [o.cards for o in only(PileHandled, observations)]) is is_told


def test_a_waste_that_is_pushed_and_pushed_back_gets_no_card(scene, stock_table, detector):
    scene.put("9H", "north/reserve")
    scene.film(14)
    scene.sweep("bottom", (212, 430), (216, 92), 12)
    scene.cards.clear()
    scene.put("9H", "north/reserve", dx=9.0, dy=-8.0)
    scene.film(30, ("bottom", 216, 100))
    scene.cards.clear()
    scene.put("9H", "north/reserve")
    scene.sweep("bottom", (212, 92), (212, 430), 15)
    scene.film(90)

    observations = watched(stock_table, detector, scene.frames)

    assert not only(CardLanded, observations)
    assert not only(CardLifted, observations)


def test_a_waste_that_becomes_the_stock_is_told_as_turned_over(scene, stock_table, detector):
    scene.put("9H", "north/reserve")
    scene.film(14)
    scene.sweep("bottom", (212, 430), (212, 72), 12)
    scene.cards = []
    scene.sweep("bottom", (212, 72), (317, 197), 15, held="9H")
    scene.put("BACK", "table/foundation[1]")
    scene.sweep("bottom", (317, 197), (317, 430), 15)
    scene.film(70)

    observations = watched(stock_table, detector, scene.frames)

    (turned,) = only(PileHandled, observations)
    assert (turned.handling, str(turned.pile), str(turned.target)) == (
        Handling.TURNED_OVER, "south/waste", "south/stock",
    )  # fmt: skip
    assert not only(CardLifted, observations)


def pick_up_waste(scene, name):
    """South picks up the waste and carries it to the stock; when it left, and when it would be laid down."""
    scene.sweep("bottom", (212, 430), WASTE, 12)
    left_us = scene.now_us
    scene.cards = [c for c in scene.cards if c[1:3] != (212.0, 72.0) and c[0] != name]
    scene.sweep("bottom", WASTE, STOCK, 20, held=name)
    scene.put("BACK", "table/foundation[1]")
    return left_us, scene.now_us


def test_the_last_turn_of_a_stock_is_not_taken_for_the_laying_down_of_its_waste(scene, stock_table, detector):
    scene.put("BACK", "table/foundation[1]")
    scene.put("9H", "north/reserve")
    scene.film(14)
    scene.sweep("bottom", (317, 430), STOCK, 12)
    scene.cards = [c for c in scene.cards if c[0] != "BACK"]
    scene.sweep("bottom", STOCK, WASTE, 12, held="5C")
    scene.put("5C", "north/reserve", dx=2.0)
    turned_us = scene.now_us
    scene.sweep("bottom", WASTE, (212, 430), 12)
    scene.film(22)
    left_us, laid_us = pick_up_waste(scene, "5C")
    scene.film(3, ("bottom", *STOCK))
    scene.sweep("bottom", STOCK, (317, 430), 12)
    scene.film(130)

    observations = watched(stock_table, detector, scene.frames)

    (over,) = [o for o in only(PileHandled, observations) if o.handling is Handling.TURNED_OVER]
    assert turned_us < left_us < over.touch.start_us
    assert over.touch.start_us <= laid_us <= over.touch.end_us


def test_a_waste_whose_last_card_is_played_before_the_next_turn_was_not_turned_over(
    scene, stock_table, detector
):
    scene.put("BACK", "table/foundation[1]")
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("2S", "north/reserve")
    scene.film(14)
    scene.sweep("bottom", (212, 430), WASTE, 12)
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    scene.sweep("bottom", WASTE, (107, 197), 15, held="2S")
    scene.put("2S", "table/foundation[0]")
    scene.sweep("bottom", (107, 197), NEAR, 10)
    turn_stock(scene, "5C", stock_at=(320.0, 194.0, 3.0))
    scene.film(60)

    observations = watched(stock_table, detector, scene.frames)

    assert turned_cards(observations) == [("south/stock", "south/waste", (Card.parse("5C"),))]
    (played,) = only(CardLanded, observations)
    assert (str(played.card), str(played.source)) == ("2S", "south/waste")


def test_a_waste_whose_last_card_was_told_as_played_under_a_hand_was_not_turned_over(
    scene, stock_table, detector
):
    resting = ("bottom", WASTE[0], WASTE[1] + 20)
    scene.put("BACK", "table/foundation[1]")
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("2S", "north/reserve")
    scene.film(14)
    scene.sweep("bottom", (212, 430), resting[1:], 12)
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    scene.sweep("bottom", WASTE, (107, 197), 12, resting, held="2S")
    scene.put("2S", "table/foundation[0]")
    scene.sweep("bottom", (107, 197), NEAR, 8, resting)
    scene.sweep("bottom", (317, 430), STOCK, 8, resting)
    scene.cards[0] = ("BACK", 320.0, 194.0, 3.0)
    scene.sweep("bottom", STOCK, (317, 430), 8, resting)
    scene.film(54, resting)
    scene.sweep("bottom", resting[1:], (212, 430), 10)
    scene.film(40)

    observations = watched(stock_table, detector, scene.frames)

    (played,), (lifted,) = only(CardLanded, observations), only(CardLifted, observations)
    assert (str(played.card), str(played.source)) == ("2S", "south/waste")
    assert observations.index(lifted) < observations.index(played)
    assert not only(PileHandled, observations)
    assert [o.is_empty for o in only(PileSeen, observations) if str(o.pile) == "south/waste"] == [False, True]


def test_a_card_turned_to_a_bare_waste_and_played_while_the_stock_is_held_was_not_turned_over(
    scene, stock_table, detector
):
    holding = ("bottom", 317.0, 225.0)
    scene.put("BACK", "table/foundation[1]")
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.film(14)
    scene.sweep("bottom", (317, 430), STOCK, 10)
    scene.cards[0] = ("BACK", 320.0, 194.0, 3.0)
    scene.sweep("bottom", STOCK, WASTE, 10, holding, held="2S")
    scene.put("2S", "north/reserve")
    scene.film(16, ("bottom", WASTE[0], WASTE[1] + 41), holding)
    scene.film(2, ("bottom", *WASTE), holding)
    scene.cards = [c for c in scene.cards if c[0] != "2S"]
    for share in np.linspace(0, 1, 45):  # The other hand goes home at once.
        carrying = ("bottom", 212 - 105 * share, 72 + 125 * share)
        scene.film(1, carrying, ("bottom", 317.0, 225 + 205 * min(5 * share, 1)), held="2S")
    scene.put("2S", "table/foundation[0]")
    scene.film(3, ("bottom", 107, 197))
    scene.sweep("bottom", (107, 197), NEAR, 10)
    scene.film(60)

    observations = watched(stock_table, detector, scene.frames)

    assert Handling.TURNED_OVER not in [o.handling for o in only(PileHandled, observations)]
    (played,) = only(CardLanded, observations)
    assert (str(played.card), str(played.source)) == ("2S", "south/waste")


def test_a_waste_laid_down_under_a_hand_that_turns_on_is_told_as_soon_after_it_was_picked_up(
    scene, stock_table, detector
):
    scene.put("9H", "north/reserve")
    scene.film(14)
    left_us, laid_us = pick_up_waste(scene, "9H")
    scene.film(100, ("bottom", 317, 235))
    scene.cards = []
    scene.put("BACK", "table/foundation[1]", dx=5.0, angle=4.0)
    scene.film(3, ("bottom", *STOCK))
    again_us = scene.now_us
    scene.sweep("bottom", STOCK, (317, 430), 12)
    scene.film(70)

    observations = watched(stock_table, detector, scene.frames)

    (over,) = only(PileHandled, observations)
    assert over.handling is Handling.TURNED_OVER
    assert left_us - 17_000 <= over.touch.start_us <= laid_us <= over.touch.end_us
    assert over.touch.end_us < again_us
    assert over.touch.width_us > 1_500_000


NOTHING = Reading(top=None, is_empty=True, face_up=False, confidence=1.0, top_quad_mm=None, cards=())
SAMPLE_US = 33_000


@pytest.fixture
def disturbed(table):
    """A foundation that hands are over, and a function that makes pictures of it with something on it."""
    settings = WatchSettings()
    rectifier = Rectifier(table, calibrate_from_corners(table.view, table.size_mm), settings)
    place = ZonePlace(table.zones[0], rectifier.watch, rectifier.hands)
    height, width = place.mask.shape

    def texture(seed):
        blocks = np.random.default_rng(seed).integers(0, 2, (height // 2 + 1, width // 2 + 1)) * 180 + 40
        return blocks.astype(np.uint8).repeat(2, axis=0).repeat(2, axis=1)[:height, :width]

    return ZoneWatch(place=place, settings=settings), texture


def sample_shares(disturbed, *shares):
    """Keep samples that show the left share of a card at rest, and beside it something that moves.

    With a string the share of another card.
    """
    watch, texture = disturbed
    for i, share in enumerate(shares):
        picture, card = texture(100 + i), texture(3 if isinstance(share, str) else 2)
        columns = round(float(share) * picture.shape[1])
        picture[:, :columns] = card[:, :columns]
        watch.keep_sample(Sample((i + 1) * SAMPLE_US, picture, np.zeros((1, 1, 3), np.uint8)))
    before, after = Look(texture(0), NOTHING, 0), Look(texture(1), NOTHING, 60 * SAMPLE_US)
    return [sample.t_us // SAMPLE_US - 1 for sample in worth_reading(watch, before, after)]


@pytest.mark.parametrize(
    ("shares", "read"),
    [
        pytest.param((0.35, 0.35, 0.75, 0.8, 0.9, 0.8, 1.0, 1.0, 0.35), [5], id="most of it at the end"),
        pytest.param((1.0, 1.0, 0.8, 0.8, 0.9, 0.8, 0.35, 0.35, 0.35), [3], id="most of it at the beginning"),
        pytest.param((0.5, 0.5, 0.5, 1.0, 1.0, 0.5, 0.5), [4], id="most of it for a moment"),
        pytest.param((0.0, 0.9, 0.9, 0.9, 0.9, 0.0, 0.8, 0.8, 0.8, 0.8, 0.0), [3, 8], id="two times"),
        pytest.param((0.9, 0.9, 0.9, 0.9, "0.8", "0.8", "0.8", "0.8"), [2, 6], id="another card at once"),
        pytest.param((0.0, 0.9, 0.0, 0.9, 0.0), [], id="never twice on end"),
    ],
)
def test_samples_are_read_in_the_middle_of_those_that_show_about_the_most(disturbed, shares, read):
    assert sample_shares(disturbed, *shares) == read


def test_a_stock_that_is_turned_from_at_once_was_laid_down_between_the_waste_and_that_turn(
    scene, stock_table, detector
):
    """The stock comes to rest only after the next turn: what it looks like then came later than the waste."""
    scene.put("5C", "north/reserve")
    scene.film(14)
    left_us, laid_us = pick_up_waste(scene, "5C")
    scene.film(12, ("bottom", *STOCK))
    scene.cards = [
        (*card[:1], *(card[1] + 4.0, card[2]), *card[3:]) for card in scene.cards
    ]  # One is off it.
    scene.sweep("bottom", STOCK, WASTE, 12, held="9H")
    scene.put("9H", "north/reserve")
    turned_us = scene.now_us
    scene.sweep("bottom", WASTE, (212, 430), 12)
    scene.film(130)

    observations = watched(stock_table, detector, scene.frames)

    (over,) = [o for o in only(PileHandled, observations) if o.handling is Handling.TURNED_OVER]
    assert left_us - 100_000 < over.touch.start_us <= laid_us <= over.touch.end_us < turned_us


def test_frames_that_were_dropped_widen_the_touch(scene, watch):
    deal(scene)
    touch_us = play_from_south(scene)
    kept = [f for f in scene.frames if not touch_us - 60_000 < f.t_us < touch_us + 30_000]

    (landed,) = only(CardLanded, watch(kept))

    assert landed.touch.start_us <= touch_us - 60_000
    assert landed.touch.end_us >= touch_us + 30_000


def test_the_same_frames_give_the_same_observations(scene, table, detector):
    deal(scene)
    play_from_south(scene)

    first, second = (
        [o for frame in scene.frames for o in watcher.see(frame)]
        for watcher in (Watcher(table, detector), Watcher(table, detector))
    )

    assert first == second
    assert len(first) > 4


def test_a_card_that_cannot_be_read_is_told_without_a_name(scene, table, detector):
    deal(scene)
    play_from_south(scene)

    class Unsure:
        def __init__(self, detector):
            self._detector = detector

        def detect(self, image_bgr):
            found = self._detector.detect(image_bgr)
            doubt = np.where(found.class_id == CLASS_ID["2S"], 0.2, found.confidence).astype(np.float32)
            return replace(found, confidence=doubt)

    watcher = Watcher(table, Unsure(detector))
    observations = [o for frame in scene.frames for o in watcher.see(frame)]

    (landed,) = only(CardLanded, observations)
    assert landed.card is None
    assert landed.touch.width_us <= UNSEEN_HEIGHT_US


def test_a_black_picture_is_told(scene, watch):
    deal(scene)
    scene.light = 0.0
    scene.film(20)
    black_us = scene.now_us
    scene.light = 1.0
    scene.film(40)

    observations = watch(scene.frames)

    (lost,) = only(ViewLost, observations)
    assert (lost.pile, lost.cause) == (None, "the picture is black")
    assert lost.lost.start_us < black_us < lost.lost.end_us
    assert not only(CardLifted, observations)


def test_a_frozen_picture_is_told(scene, watch):
    deal(scene)
    last = scene.frames[-1]
    for i in range(1, 360):
        scene.frames.append(replace(last, pts=last.pts + i, index=last.index + i))
    scene.index += 359
    scene.film(10)

    (lost,) = only(ViewLost, watch(scene.frames))

    assert lost.cause == "the picture is frozen"
    assert lost.lost.width_us >= 5_000_000


def test_a_frame_of_another_shape_is_refused(table, detector):
    frame = Frame(
        picture=Bgr(np.zeros((300, 300, 3), np.uint8)),
        pts=0,
        time_base=Fraction(1, 60),
        index=0,
        source_id="s",
    )
    with pytest.raises(CalibrationError, match="want 880 x 800"):
        Watcher(table, detector).see(frame)


def test_the_annotated_picture_differs_from_the_frame_and_leaves_it_alone(scene, table, detector):
    deal(scene)
    scene.film(5, ("bottom", 107, 250))
    watcher = Watcher(table, detector)
    for frame in scene.frames:
        watcher.see(frame)
    before = scene.frames[-1].image_bgr.copy()

    picture = annotate(scene.frames[-1], table, watcher.state)

    assert picture.shape == before.shape
    assert (picture != before).any()
    assert (scene.frames[-1].image_bgr == before).all()


def test_the_time_of_the_annotated_picture_has_the_form_that_the_pages_have(
    scene, table, detector, monkeypatch
):
    deal(scene)
    watcher = Watcher(table, detector)
    for frame in scene.frames:
        watcher.see(frame)
    written = []
    monkeypatch.setattr("vision.annotate._write", lambda _, text, *__: written.append(text))

    annotate(scene.frames[-1], table, watcher.state)

    assert written[-1] == clock_text(watcher.state.t_us)


def test_the_picture_for_a_telephone_writes_cards_large_and_nothing_else(scene, table, detector):
    deal(scene)
    watcher = Watcher(table, detector)
    for frame in scene.frames:
        watcher.see(frame)
    state = watcher.state

    usual = annotate(scene.frames[-1], table, state)
    small = annotate(scene.frames[-1], table, state, is_small=True)

    black = [(picture == 0).all(axis=2).sum() for picture in (usual, small)]
    assert black[1] > 1.5 * black[0]  # tags of large letters, though no wider than their zones
    assert (small[:40, :120] == scene.frames[-1].image_bgr[:40, :120]).all()  # no names, no time


def meet(scene, *, gap_frames, brings_card=True, dy=0.0):
    """South's hand comes to the foundation, with a 2S or empty; north puts its 2S there so many frames later.

    The times of both touches.
    """
    deal(scene)
    scene.sweep("bottom", (212, 430), (212, 327), 8, ("top", 212, 20))
    scene.sweep("top", (212, 20), (212, 72), 8, ("bottom", 212, 327))
    scene.cards = [c for c in scene.cards if c[:3] != ("2S", 212.0, 72.0)]
    held = "2S" if brings_card else None
    if brings_card:
        scene.cards = [c for c in scene.cards if c[0] != "2S"]
    for share in np.linspace(0, 1, 14):
        scene.film(
            1, ("bottom", 212 - 105 * share, 327 - 112 * share), ("top", 212, 20 + 52 * share), held=held
        )
    first_us = scene.now_us
    if brings_card:
        scene.put("2S", "table/foundation[0]", dx=1.5)
    for share in np.linspace(1 / gap_frames, 1, gap_frames):
        scene.film(1, ("top", 212 - 105 * share, 72 + 112 * share), ("bottom", 107, 232), held="2S")
    second_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dy=dy)
    scene.film(3, ("top", 107, 184))
    for share in np.linspace(0, 1, 14):
        scene.film(1, ("top", 107, 184 - 230 * share), ("bottom", 107, 252 + 200 * share))
    scene.film(60)
    return first_us, second_us


def test_a_card_that_the_next_one_hides_wholly_is_told_with_its_owner(scene, watch):
    first_us, second_us = meet(scene, gap_frames=6, dy=-10.0)

    below, above = only(CardLanded, watch(scene.frames))

    assert [(str(o.card), o.seat) for o in (below, above)] == [("2S", Seat.SOUTH), ("2S", Seat.NORTH)]
    assert below.touch.start_us <= first_us
    assert above.touch.start_us <= second_us <= above.touch.end_us


def test_nobody_is_said_to_have_played_alone_where_another_hand_lay_there_before(scene, watch):
    meet(scene, gap_frames=6, brings_card=False)

    (landed,) = only(CardLanded, watch(scene.frames))

    assert (str(landed.card), landed.seat) == ("2S", None)


def way(edge, *stops):
    """Where fingertips are, frame by frame. stops: x, y, and in how many frames they come there."""
    at = stops[0][:2]
    places = []
    for x, y, frames in stops:
        shares = np.linspace(1 / frames, 1, frames)
        places += [(edge, at[0] + (x - at[0]) * share, at[1] + (y - at[1]) * share) for share in shares]
        at = (x, y)
    return places


def film_ways(scene, *ways, held=None, resting=()):
    """Hands that go their ways at the same time; the first holds ``held``, those ``resting`` stay."""
    for hands in zip(*ways, strict=True):
        scene.film(1, *hands, *resting, held=held)


def deal_race(scene):
    """A 2S on a 9H on south's waste, which is where its reserve was; a 2S on north's reserve."""
    scene.put("AS", "table/foundation[0]", dx=1.5)
    scene.put("BACK", "table/foundation[1]")
    scene.put("9H", "south/reserve")
    scene.put("2S", "south/reserve", dx=1.0)
    scene.put("2S", "north/reserve", angle=2)
    scene.film(14)


NORTH_RESTS = ("top", 212.0, 60.0)


def race_after_a_long_carry(scene, *, rests_until_us):
    """South carries a 2S from its waste for long; north's covers a part of it, from a pile with a hand on it.

    When south's left its waste, and the times of both touches.
    """
    deal_race(scene)
    scene.sweep("bottom", (317, 430), STOCK, 10)  # The hand passes over the stock on its way.
    scene.sweep("bottom", STOCK, (212, 327), 10)
    left_us = scene.now_us
    scene.take("south/reserve")
    scene.sweep("bottom", (212, 327), (107, 330), 14, held="2S")
    scene.film(30, ("bottom", 107, 330), held="2S")
    scene.sweep("top", (212, -40), (212, 72), 20, ("bottom", 107, 330), NORTH_RESTS)
    scene.take("north/reserve")
    north = [("top", 212.0, 72.0)] * 14
    film_ways(scene, way("bottom", (107, 330, 1), (107, 212, 13)), north, held="2S", resting=[NORTH_RESTS])
    below_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dy=12)
    south = [("bottom", 107.0, 232.0)] * 9
    film_ways(scene, way("top", (212, 72, 1), (107, 184, 8)), south, held="2S", resting=[NORTH_RESTS])
    above_us = scene.now_us
    scene.put("2S", "table/foundation[0]", dy=-11)
    scene.film(3, ("top", 107, 184), ("bottom", 107, 232), NORTH_RESTS)
    home = way("top", (107, 184, 1), (107, -46, 13)), way("bottom", (107, 232, 1), (107, 452, 13))
    film_ways(scene, *home, resting=[NORTH_RESTS])
    while scene.now_us < rests_until_us:
        scene.film(1, NORTH_RESTS)
    scene.sweep("top", NORTH_RESTS[1:], (212, -40), 10)
    scene.film(100)
    return left_us, below_us, above_us


@pytest.mark.parametrize(
    "rests_until_us",
    [
        pytest.param(2_750_000, id="the other source is seen in time"),
        pytest.param(3_400_000, id="the other source is under a hand when the time is up"),
    ],
)
def test_two_equal_cards_are_told_with_their_sources_however_long_one_was_carried(
    scene, race_table, detector, rests_until_us
):
    left_us, below_us, above_us = race_after_a_long_carry(scene, rests_until_us=rests_until_us)

    observations = watched(race_table, detector, scene.frames)

    below, above = only(CardLanded, observations)
    assert [(str(o.card), o.seat, str(o.source)) for o in (below, above)] == [
        ("2S", Seat.SOUTH, "south/waste"),
        ("2S", Seat.NORTH, "north/reserve"),
    ]
    for landed, touch_us in ((below, below_us), (above, above_us)):
        assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    lifts = only(CardLifted, observations)
    assert sorted(str(o.pile) for o in lifts) == ["north/reserve", "south/waste"]
    (from_waste,) = [o for o in lifts if o.pile == PileId.parse("south/waste")]
    assert from_waste.lifted.start_us <= left_us <= from_waste.lifted.end_us
    assert max(observations.index(o) for o in lifts) < observations.index(below)
    assert not only(PileHandled, observations)  # What shows on the waste was bared, not turned.


def race_in_one_place(scene, *, upper, gap_frames, rests=False):
    """Two 2S come to the very same place so many frames apart: only one of them can be seen to come.

    With ``rests`` another hand of north stays on its reserve.
    """
    deal_race(scene)
    scene.sweep("bottom", (317, 430), STOCK, 8)
    scene.sweep("bottom", STOCK, (212, 327), 8)
    scene.sweep("top", (212, -40), (212, 72), 8, ("bottom", 212, 327))
    scene.take("south/reserve", "north/reserve")
    stops = {
        Seat.SOUTH: ("bottom", (212, 327), (107, 212), (107, 432)),
        Seat.NORTH: ("top", (212, 72), (107, 184), (107, -46)),
    }
    edge, start, at, home = stops.pop(upper)
    later = way(edge, (*start, 1 + gap_frames), (*at, 15), (*at, 3), (*home, 14))
    ((edge, start, at, home),) = stops.values()
    sooner = way(edge, (*start, 1), (*at, 15), (*home, 10), (*home, 7 + gap_frames))
    resting = [NORTH_RESTS] if rests else []
    both = list(zip(later, sooner, strict=True))
    first, second = 16, 16 + gap_frames
    film_ways(scene, *zip(*both[:first], strict=True), held="2S", resting=resting)
    scene.put("2S", "table/foundation[0]")
    for hands in both[first:second]:
        scene.film(1, *hands, *resting, held="2S")
    scene.put("2S", "table/foundation[0]")
    film_ways(scene, *zip(*both[second:], strict=True), resting=resting)
    scene.film(60, *resting)
    if rests:
        scene.sweep("top", NORTH_RESTS[1:], (212, -40), 10)
    scene.film(100)


@pytest.mark.parametrize(
    ("upper", "source", "gap_frames", "rests"),
    [
        pytest.param(Seat.NORTH, "north/reserve", 0, False, id="north's hides that of south's waste at once"),
        pytest.param(Seat.NORTH, "north/reserve", 3, False, id="north's hides that of south's waste"),
        pytest.param(Seat.SOUTH, "south/waste", 3, False, id="south's hides one whose lift was told before"),
        pytest.param(
            Seat.SOUTH, "south/waste", 3, True, id="south's hides one from a pile with a hand on it"
        ),
    ],
)
def test_nobody_is_first_where_an_equal_card_was_brought_and_is_not_seen(
    scene, race_table, detector, upper, source, gap_frames, rests
):
    race_in_one_place(scene, upper=upper, gap_frames=gap_frames, rests=rests)

    observations = watched(race_table, detector, scene.frames)

    (landed,) = only(CardLanded, observations)
    assert (str(landed.card), str(landed.source)) == ("2S", source)
    assert (landed.seat, landed.seat_confidence) == (None, 0.0)
    lifts = only(CardLifted, observations)
    assert sorted((str(o.pile), str(o.card), o.seat) for o in lifts) == [
        ("north/reserve", "2S", Seat.NORTH),
        ("south/waste", "2S", Seat.SOUTH),
    ]
    assert max(observations.index(o) for o in lifts) < observations.index(landed)
    assert not only(PileHandled, observations)  # What shows on the waste was bared, not turned.


def play_past_another_hand(scene, *, comes=True, resting=(), still=40):
    """South plays its 2S; where north's empty hand ``comes``, it is at the foundation just before."""
    scene.sweep("bottom", (212, 430), (212, 327), 8, *resting)
    scene.take("south/reserve")
    south = way("bottom", (212, 327, 1), (107, 212, 13))
    if comes:
        north = way("top", (107, -40, 1), (107, 170, 6), (107, -40, 7))
        film_ways(scene, south, north, held="2S", resting=resting)
    else:
        film_ways(scene, south, held="2S", resting=resting)
    scene.put("2S", "table/foundation[0]")
    scene.film(2, ("bottom", 107, 212), *resting)
    scene.sweep("bottom", (107, 212), NEAR, 8, *resting)
    scene.film(still, *resting)
    for hand in resting:
        scene.sweep(hand[0], hand[1:], (hand[1], -40), 10)
    scene.film(70)


def landed_on(observations, pile):
    (landed,) = [o for o in only(CardLanded, observations) if o.pile == pile]
    return str(landed.card), landed.seat, landed.source


@pytest.mark.parametrize(
    ("resting", "pause"),
    [
        pytest.param((), 0, id="told before"),
        pytest.param((NORTH_RESTS,), 0, id="not yet told: a hand lies on the pile that it came from"),
        pytest.param((NORTH_RESTS,), 60, id="told before, and a hand lies on its pile still"),
    ],
)
def test_a_card_whose_equal_came_to_another_pile_is_its_players(scene, watch, resting, pause):
    scene.put("AS", "table/foundation[1]")
    deal(scene)
    scene.sweep("top", (212, -40), (212, 72), 10, *resting)
    scene.take("north/reserve")
    scene.sweep("top", (212, 72), (317, 184), 12, *resting, held="2S")
    scene.put("2S", "table/foundation[1]")
    scene.film(2, ("top", 317, 184), *resting)
    scene.sweep("top", (317, 184), (317, -40), 8, *resting)
    scene.film(pause, *resting)
    play_past_another_hand(scene, resting=resting)

    observations = watch(scene.frames)

    assert landed_on(observations, FOUNDATION) == ("2S", Seat.SOUTH, SOUTH_RESERVE)
    assert landed_on(observations, OTHER_FOUNDATION) == ("2S", Seat.NORTH, NORTH_RESERVE)
    assert len(only(CardLifted, observations)) == 2


@pytest.mark.parametrize("takes", [True, False], ids=["holds its equal card", "rests on its equal card"])
def test_a_card_is_its_players_where_the_other_did_not_reach_for_the_foundation(scene, watch, takes):
    deal(scene)
    scene.sweep("top", (212, -40), (212, 72), 10)
    if takes:
        scene.take("north/reserve")
        scene.sweep("top", (212, 72), (330, 30), 10, held="2S")
    play_past_another_hand(scene, comes=False, resting=[("top", 330, 30) if takes else NORTH_RESTS])

    observations = watch(scene.frames)

    assert landed_on(observations, FOUNDATION) == ("2S", Seat.SOUTH, SOUTH_RESERVE)
    lifts = {o.pile for o in only(CardLifted, observations)}
    assert lifts == ({SOUTH_RESERVE, NORTH_RESERVE} if takes else {SOUTH_RESERVE})


def test_a_rivals_card_that_lies_under_its_hand_is_not_lifted(scene, watch):
    deal(scene)
    scene.sweep("top", (212, -40), NORTH_RESTS[1:], 10)
    play_past_another_hand(scene, resting=[NORTH_RESTS], still=20)

    observations = watch(scene.frames)

    assert landed_on(observations, FOUNDATION) == ("2S", Seat.SOUTH, SOUTH_RESERVE)
    assert [o.pile for o in only(CardLifted, observations)] == [SOUTH_RESERVE]


@pytest.mark.parametrize(
    ("hidden", "shown_at_mm", "landed"),
    [
        pytest.param(60, (1.5, 0.0), [], id="where it lay"),
        pytest.param(60, (-4.0, 3.0), ["AS"], id="laid there anew"),
        pytest.param(200, (1.5, 0.0), ["AS"], id="long after"),
    ],
)
def test_a_card_that_shows_again_just_where_it_lay_was_only_covered(
    scene, watch, hidden, shown_at_mm, landed
):
    """What lies over it meanwhile looks like the cloth: a dark sleeve on a dark table."""
    deal(scene)
    scene.film(20)
    scene.cards = [card for card in scene.cards if card[0] != "AS"]
    scene.film(hidden)
    scene.put("AS", "table/foundation[0]", dx=shown_at_mm[0], dy=shown_at_mm[1])
    scene.film(60)

    observations = watch(scene.frames)

    assert [str(o.card) for o in only(CardLanded, observations)] == landed
    tops = [str(o.top) for o in only(PileSeen, observations) if o.pile == FOUNDATION]
    assert tops == ["AS", "None", "AS"]
