"""Drawing on a frame of a clip what the verdict rests on: the piles, and the touches on a time line."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.evidence.clips import ClipIndex, Mark
from vision.frames import Frame

ZONE_BGR = (80, 220, 255)
SEAT_BGR = ((255, 170, 70), (90, 90, 255), (90, 220, 90), (220, 110, 220))
UNKNOWN_BGR = (190, 190, 190)
NOW_BGR = (255, 255, 255)
NEAR_US = 1_500_000
"""Without a verdict asked for, those are drawn whose touch is this near."""
MARGIN_US = 150_000
"""The time line reaches this much beyond the touches."""


def draw_evidence(frame: Frame, index: ClipIndex, verdict_id: str | None = None) -> NDArray[np.uint8]:
    """A copy of the frame with the piles and the touches of a verdict (None: of all about now) drawn in.

    A touch is a bar from the frame surely without contact to the one surely with it; the white line is now.
    """
    picture = frame.image_bgr.copy()
    marks = [mark for mark in index.marks if _is_wanted(mark, frame.t_us, verdict_id)]
    piles = {mark.pile for mark in marks}
    unit = max(picture.shape[0] / 1080, 0.35)
    for zone in index.zones:
        if zone.pile in piles:
            _draw_zone(picture, np.array(zone.polygon_px), zone.pile.removeprefix("table/"), unit)
    seats = sorted({seat for mark in index.marks for seat in mark.seats})
    colours = {seat: SEAT_BGR[i % len(SEAT_BGR)] for i, seat in enumerate(seats)}
    _draw_times(picture, frame.t_us, marks, colours, unit)
    return picture


def _is_wanted(mark: Mark, t_us: int, verdict_id: str | None) -> bool:
    if verdict_id is not None:
        return mark.verdict_id == verdict_id
    return any(start - NEAR_US <= t_us <= end + NEAR_US for start, end in mark.touches)


def _draw_zone(picture: NDArray[np.uint8], polygon_px: NDArray[np.float64], pile: str, unit: float) -> None:
    corners = np.rint(polygon_px).astype(np.int32)
    cv2.polylines(picture, [corners], True, (0, 0, 0), max(2, round(6 * unit)), cv2.LINE_AA)
    cv2.polylines(picture, [corners], True, ZONE_BGR, max(1, round(3 * unit)), cv2.LINE_AA)
    x, y = corners.min(axis=0).tolist()
    _write(picture, pile, (x, max(y - round(10 * unit), round(30 * unit))), unit, ZONE_BGR)


def _draw_times(
    picture: NDArray[np.uint8],
    t_us: int,
    marks: list[Mark],
    colours: dict[str, tuple[int, int, int]],
    unit: float,
) -> None:
    """A strip at the bottom: a row for each touch of the marks that are near, and the time of the frame."""
    touches = [(mark, i) for mark in marks for i in range(len(mark.touches))]
    touches = sorted(touches, key=lambda item: abs(item[0].touches[item[1]][0] - t_us))[:4]
    touches.sort(key=lambda item: item[0].touches[item[1]])
    row_px = round(34 * unit)
    height, width = picture.shape[:2]
    top = height - row_px * (len(touches) + 1)
    strip = picture[max(top, 0) :]
    strip[:] = (strip * 0.35).astype(np.uint8)
    _write(picture, f"{t_us / 1e6:.3f} s", (round(12 * unit), height - round(10 * unit)), unit, NOW_BGR)
    if not touches:
        return
    starts = [mark.touches[i] for mark, i in touches]
    first_us = min(touch[0] for touch in starts) - MARGIN_US
    last_us = max(touch[1] for touch in starts) + MARGIN_US
    left, right = int(width * 0.32), int(width * 0.97)

    def x_of(time_us: int) -> int:
        return left + int((right - left) * (time_us - first_us) / (last_us - first_us))

    for row, (mark, i) in enumerate(touches):
        y = top + row_px * row
        seat = mark.seats[i] if i < len(mark.seats) else "?"
        colour = colours.get(seat, UNKNOWN_BGR)
        _write(picture, f"{mark.verdict_id} {seat}", (round(12 * unit), y + round(25 * unit)), unit, colour)
        begin, end = mark.touches[i]
        cv2.line(picture, (left, y + row_px // 2), (right, y + row_px // 2), (110, 110, 110), 1)
        corner = (max(x_of(end), x_of(begin) + 2), y + row_px - round(8 * unit))
        cv2.rectangle(picture, (x_of(begin), y + round(8 * unit)), corner, colour, cv2.FILLED)
    if first_us <= t_us <= last_us:
        x = x_of(t_us)
        cv2.line(picture, (x, top), (x, height - row_px), NOW_BGR, max(1, round(3 * unit)))


def _write(
    picture: NDArray[np.uint8], text: str, at: tuple[int, int], unit: float, colour: tuple[int, int, int]
) -> None:
    """Text with a dark rim, legible on any cloth."""
    for thickness, tone in ((max(3, round(5 * unit)), (0, 0, 0)), (max(1, round(2 * unit)), colour)):
        cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.9 * unit, tone, thickness, cv2.LINE_AA)
