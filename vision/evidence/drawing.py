"""Drawing on a frame of a clip what the verdict rests on: the piles, and the touches on a time line."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.clock import clock_text
from vision.evidence.clips import ClipIndex, Mark
from vision.frames import Frame
from vision.lettering import SMALL_SCALE, draw_mark, fitting_scale, write, written_name
from vision.seat_marks import SeatMark, mark_of

ZONE_BGR = (80, 220, 255)
UNKNOWN_BGR = (190, 190, 190)
NOW_BGR = (255, 255, 255)
NEAR_US = 1_500_000
"""Without a verdict asked for, those are drawn whose touch is this near."""
MARGIN_US = 150_000
"""The time line reaches this much beyond the touches."""
MOST_TOUCHES = 8
"""Rows of the time line: one for each seat that a table has."""


@dataclass(frozen=True, slots=True)
class Captions:
    """What seats and piles are called on the picture: as pages call them."""

    players: tuple[tuple[str, str], ...] = ()
    """Seat and player, in the order of the match: it gives each seat its mark."""
    piles: Mapping[str, str] = field(default_factory=dict)
    """Piles by their names in the record; one that is missing is written as there."""


@dataclass(frozen=True, slots=True)
class _Touch:
    """One row of the time line."""

    seat: str
    start_us: int
    end_us: int


def draw_evidence(
    frame: Frame,
    index: ClipIndex,
    verdict_id: str | None = None,
    captions: Captions | None = None,
    *,
    is_small: bool = False,
) -> NDArray[np.uint8]:
    """A copy of the frame with the piles and the touches of a verdict (None: of all about now) drawn in.

    A touch is a bar from the frame surely without contact to the one surely with it; the white line is now.
    A pile is named where several are drawn: of one alone the verdict speaks. ``is_small``: for a telephone,
    in large letters; the time stands beside the picture then.
    """
    picture = frame.image_bgr.copy()
    captions = captions or Captions()
    marks = [mark for mark in index.marks if _is_wanted(mark, frame.t_us, verdict_id)]
    piles = {mark.pile for mark in marks}
    unit = max(picture.shape[0] / 1080, 0.35) * (SMALL_SCALE if is_small else 1.0)
    for zone in index.zones:
        if zone.pile in piles:
            name = captions.piles.get(zone.pile, zone.pile) if len(piles) > 1 else ""
            _draw_zone(picture, np.array(zone.polygon_px), name, unit)
    touches = _touches_near(marks, frame.t_us)
    _draw_times(picture, frame.t_us, touches, _rows_of(index, captions), unit, has_time=not is_small)
    return picture


def _is_wanted(mark: Mark, t_us: int, verdict_id: str | None) -> bool:
    if verdict_id is not None:
        return mark.verdict_id == verdict_id
    return any(start - NEAR_US <= t_us <= end + NEAR_US for start, end in mark.touches)


def _rows_of(index: ClipIndex, captions: Captions) -> dict[str, tuple[SeatMark, str]]:
    """Of each seat its mark and what it is called; without players told, the seats by their names."""
    seats = sorted({seat for mark in index.marks for seat in mark.seats})
    players = captions.players or tuple((seat, seat) for seat in seats)
    return {seat: (mark_of(i), written_name(name, seat)) for i, (seat, name) in enumerate(players)}


def _touches_near(marks: list[Mark], t_us: int) -> list[_Touch]:
    """The touches nearest to now, in their order; one that several verdicts tell of once."""
    found = {
        _Touch(mark.seats[i] if i < len(mark.seats) else "?", *touch)
        for mark in marks
        for i, touch in enumerate(mark.touches)
    }
    nearest = sorted(found, key=lambda touch: (abs(touch.start_us - t_us), touch.seat))[:MOST_TOUCHES]
    return sorted(nearest, key=lambda touch: (touch.start_us, touch.end_us, touch.seat))


def _draw_zone(picture: NDArray[np.uint8], polygon_px: NDArray[np.float64], name: str, unit: float) -> None:
    corners = np.rint(polygon_px).astype(np.int32)
    cv2.polylines(picture, [corners], True, (0, 0, 0), max(2, round(6 * unit)), cv2.LINE_AA)
    cv2.polylines(picture, [corners], True, ZONE_BGR, max(1, round(3 * unit)), cv2.LINE_AA)
    x, y = corners.min(axis=0).tolist()
    write(picture, name, (x, max(y - round(10 * unit), round(30 * unit))), ZONE_BGR, 0.9 * unit)


def _draw_times(
    picture: NDArray[np.uint8],
    t_us: int,
    touches: list[_Touch],
    rows: dict[str, tuple[SeatMark, str]],
    unit: float,
    *,
    has_time: bool,
) -> None:
    """A strip at the bottom: a row for each touch, and with ``has_time`` the time of the frame."""
    row_px = round(34 * unit)
    height, width = picture.shape[:2]
    foot = height - row_px * has_time
    top = max(foot - row_px * len(touches), 0)
    strip = picture[top:]
    strip[:] = (strip * 0.35).astype(np.uint8)
    left_px = round(12 * unit)
    if has_time:
        write(picture, clock_text(t_us), (left_px, height - round(10 * unit)), NOW_BGR, 0.9 * unit)
    if not touches:
        return
    scale = _TimeScale(
        first_us=min(touch.start_us for touch in touches) - MARGIN_US,
        last_us=max(touch.end_us for touch in touches) + MARGIN_US,
        left_px=int(width * 0.32),
        right_px=int(width * 0.97),
    )
    for row, touch in enumerate(touches):
        _draw_touch(picture, touch, rows.get(touch.seat), top + row_px * row, scale, unit)
    if scale.first_us <= t_us <= scale.last_us:
        x = scale.x_px(t_us)
        cv2.line(picture, (x, top), (x, foot), NOW_BGR, max(1, round(3 * unit)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _TimeScale:
    """Where a time lies on the strip."""

    first_us: int
    last_us: int
    left_px: int
    right_px: int

    def x_px(self, time_us: int) -> int:
        part = (time_us - self.first_us) / (self.last_us - self.first_us)
        return self.left_px + int((self.right_px - self.left_px) * part)


def _draw_touch(
    picture: NDArray[np.uint8],
    touch: _Touch,
    who: tuple[SeatMark, str] | None,
    y: int,
    scale: _TimeScale,
    unit: float,
) -> None:
    row_px, left_px = round(34 * unit), round(12 * unit)
    colour = UNKNOWN_BGR if who is None else who[0].bgr
    if who is not None:
        draw_mark(picture, who[0], (left_px, y + round(6 * unit)), round(22 * unit))
    name, name_px = "?" if who is None else who[1], left_px + round(34 * unit)
    size = fitting_scale(name, 0.9 * unit, scale.left_px - name_px - left_px)
    write(picture, name, (name_px, y + round(25 * unit)), colour, size)
    middle = y + row_px // 2
    cv2.line(picture, (scale.left_px, middle), (scale.right_px, middle), (110, 110, 110), 1)
    begin, end = scale.x_px(touch.start_us), scale.x_px(touch.end_us)
    corner = (max(end, begin + 2), y + row_px - round(8 * unit))
    cv2.rectangle(picture, (begin, y + round(8 * unit)), corner, colour, cv2.FILLED)
