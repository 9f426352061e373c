"""What is drawn on the frames of a clip: seats by the marks and names that pages have."""

from fractions import Fraction

import numpy as np
import pytest

from vision.evidence import ClipIndex
from vision.evidence.clips import DrawnZone, Mark
from vision.evidence.drawing import MOST_TOUCHES, UNKNOWN_BGR, ZONE_BGR, Captions, draw_evidence
from vision.frames import Frame
from vision.pictures import Bgr
from vision.seat_marks import mark_of

CLOTH = 60
PLAYERS = (("south", "Ana"), ("north", "Ben"), ("east", "Cid"))


def frame(t_us: int = 1_000_000) -> Frame:
    picture = np.full((540, 960, 3), CLOTH, np.uint8)
    return Frame(picture=Bgr(picture), pts=t_us, time_base=Fraction(1, 1_000_000), index=0, source_id="made")


def index(*marks: Mark) -> ClipIndex:
    square = ((100.0, 100.0), (200.0, 100.0), (200.0, 200.0), (100.0, 200.0))
    zones = tuple(
        DrawnZone(pile, tuple((x + 300 * i, y) for x, y in square))
        for i, pile in enumerate(("table/foundation[3]", "north/tableau[1]"))
    )
    return ClipIndex(
        clip_id="c1",
        media="c1.mp4",
        codec="h264",
        size_px=(960, 540),
        time_base_num=1,
        time_base_den=1_000_000,
        moved_us=0,
        quarters=0,
        source="made.mp4",
        start_us=0,
        end_us=2_000_000,
        packets=(),
        marks=marks,
        zones=zones,
    )


def race(*seats: str, pile: str = "table/foundation[3]", verdict_id: str = "v1") -> Mark:
    touches = tuple((900_000 + 40_000 * i, 960_000 + 40_000 * i) for i in range(len(seats)))
    return Mark(verdict_id, pile, seats, touches)


def has(picture: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((picture == colour).all(axis=2).any())


def test_seats_have_the_colours_of_the_pages_whoever_else_is_in_the_clip():
    picture = draw_evidence(frame(), index(race("east", "north")), None, Captions(PLAYERS))

    assert has(picture, mark_of(2).bgr)
    assert has(picture, mark_of(1).bgr)
    assert not has(picture, mark_of(0).bgr)


def test_players_are_called_by_their_names():
    clip = index(race("south"))

    by_name = draw_evidence(frame(), clip, None, Captions((("south", "Ana"),)))
    by_seat = draw_evidence(frame(), clip, None, Captions((("south", "south"),)))
    unwritable = draw_evidence(frame(), clip, None, Captions((("south", "محمد"),)))

    assert (by_name != by_seat).any()
    assert (unwritable == by_seat).all()


def test_a_seat_that_sits_in_no_match_is_grey():
    picture = draw_evidence(frame(), index(race("west")), None, Captions(PLAYERS))

    assert has(picture, UNKNOWN_BGR)


def test_one_pile_stands_without_a_name_and_several_with_theirs():
    piles = {"table/foundation[3]": "foundation 3"}
    alone = draw_evidence(frame(), index(race("south")), "v1", Captions(PLAYERS, piles))
    both = index(race("south"), race("north", pile="north/tableau[1]", verdict_id="v2"))
    together = draw_evidence(frame(), both, None, Captions(PLAYERS, piles))
    in_code = draw_evidence(frame(), both, None, Captions(PLAYERS))

    assert (alone[:95] == CLOTH).all()
    assert has(together[:95], ZONE_BGR)
    assert (together[:95] != in_code[:95]).any()


def test_what_several_verdicts_tell_is_drawn_once():
    once = draw_evidence(frame(), index(race("south")), None, Captions(PLAYERS))
    twice = draw_evidence(
        frame(), index(race("south"), race("south", verdict_id="v2")), None, Captions(PLAYERS)
    )

    assert (once == twice).all()


@pytest.mark.parametrize("racing", [1, 3, MOST_TOUCHES])
def test_every_seat_that_raced_has_a_row(racing: int):
    seats = ("south", "southwest", "west", "northwest", "north", "northeast", "east", "southeast")[:racing]
    players = tuple((seat, seat) for seat in seats)

    picture = draw_evidence(frame(), index(race(*seats)), None, Captions(players))

    assert [place for place in range(8) if has(picture, mark_of(place).bgr)] == list(range(racing))


def test_for_a_telephone_the_strip_has_taller_rows_and_no_time():
    def strip_px(picture: np.ndarray) -> int:
        """How many rows of the picture are darkened, seen at its right edge."""
        return int((picture[:, -1, 0] < CLOTH // 2).sum())

    marks = index(race("south", "north"))
    usual = draw_evidence(frame(), marks, "v1")
    small = draw_evidence(frame(), marks, "v1", is_small=True)

    row_px = strip_px(usual) / 3  # two touches and the time
    assert strip_px(small) / 2 == pytest.approx(2.2 * row_px, rel=0.1)


def test_a_long_name_never_reaches_the_bars():
    captions = Captions(players=(("south", "W" * 18), ("north", "Ben")))
    picture = draw_evidence(frame(), index(race("south", "north")), "v1", captions, is_small=True)
    beside = picture[-140:, int(960 * 0.3) : int(960 * 0.319)]

    assert not (np.abs(beside.astype(int) - mark_of(0).bgr).sum(axis=2) < 30).any()


@pytest.mark.parametrize(
    ("t_us", "told"),
    [(26_433_000, "0:26.433"), (61_234_567, "1:01.235"), (0, "0:00.000"), (3_599_999_600, "60:00.000")],
)
def test_the_time_that_is_drawn_has_the_form_that_the_pages_have(
    monkeypatch: pytest.MonkeyPatch, t_us: int, told: str
):
    written: list[str] = []
    monkeypatch.setattr("vision.evidence.drawing.write", lambda _, text, *__: written.append(text))

    draw_evidence(frame(t_us), index(), None)

    assert written[-1] == told
