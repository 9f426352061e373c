"""Drawing what the watcher believes on the frame that it saw. Nothing is decided in here."""

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.clock import clock_text
from vision.eyes import WatchState, ZoneState
from vision.frames import Frame
from vision.lettering import (
    SMALL_SCALE,
    draw_mark,
    fitting_scale,
    write,
    write_tag,
    written_card,
    written_name,
)
from vision.seat_marks import mark_of
from vision.settle import Phase
from vision.table import Table

PHASE_BGR = {
    Phase.STILL: (90, 200, 90),
    Phase.DISTURBED: (60, 120, 255),
    Phase.SETTLING: (60, 220, 255),
}


def annotate(
    frame: Frame, table: Table, state: WatchState | None, *, is_small: bool = False
) -> NDArray[np.uint8]:
    """A copy of the frame with hands, zones, phases and last readings: uint8 (h, w, 3).

    ``is_small``: for a telephone. Cards in large letters, and nothing else written.
    """
    picture = frame.image_bgr.copy()
    if state is None:
        return picture
    _draw_hands(picture, state)
    if is_small:
        for zone in state.zones:
            _outline(picture, zone, state, thickness=4)
        for zone in state.zones:
            _draw_large_card(picture, zone, state)
        return picture
    for zone in state.zones:
        _draw_zone(picture, zone, state)
    _draw_seats(picture, table, state)
    return picture


def _to_px(points_mm: NDArray[np.float32], state: WatchState) -> NDArray[np.int32]:
    points = cv2.perspectiveTransform(
        points_mm.reshape(1, -1, 2).astype(np.float64), state.calibration.image_px_from_table_mm
    )
    return np.asarray(np.round(points[0]), dtype=np.int32)


def _draw_hands(picture: NDArray[np.uint8], state: WatchState) -> None:
    for label in np.unique(state.hands):
        if label == 0:
            continue
        inside = (state.hands == label).astype(np.uint8)
        outlines, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        colour = mark_of(int(label) - 1).bgr
        for outline in outlines:
            outline_mm = (outline.reshape(-1, 2).astype(np.float32) + 0.5) / state.hand_px_per_mm
            cv2.polylines(picture, [_to_px(outline_mm, state)], isClosed=True, color=colour, thickness=2)


def _draw_zone(picture: NDArray[np.uint8], zone: ZoneState, state: WatchState) -> None:
    corners = _outline(picture, zone, state, thickness=2)
    colour = PHASE_BGR[zone.phase]
    if zone.reading is not None and zone.reading.top_quad_mm is not None:
        quad = _to_px(zone.reading.top_quad_mm, state)
        cv2.polylines(picture, [quad], isClosed=True, color=(255, 255, 255), thickness=1)
    _write_tag(picture, label_of(zone), corners, colour, _text_scale(picture))


def _outline(
    picture: NDArray[np.uint8], zone: ZoneState, state: WatchState, *, thickness: int
) -> NDArray[np.int32]:
    """Draws the zone's edge in the colour of its phase; its corners."""
    corners = _to_px(zone.zone.polygon_mm, state)
    cv2.polylines(picture, [corners], isClosed=True, color=PHASE_BGR[zone.phase], thickness=thickness)
    return corners


def _draw_large_card(picture: NDArray[np.uint8], zone: ZoneState, state: WatchState) -> None:
    """The card as a tag at the zone's upper edge; nothing where there is none, or only a back."""
    reading = zone.reading
    if reading is None or reading.is_empty or not reading.face_up:
        return
    text = "??" if reading.top is None else written_card(str(reading.top))
    corners = _to_px(zone.zone.polygon_mm, state)
    _write_tag(picture, text, corners, PHASE_BGR[zone.phase], SMALL_SCALE * _text_scale(picture))


def _write_tag(
    picture: NDArray[np.uint8],
    text: str,
    corners: NDArray[np.int32],
    colour: tuple[int, int, int],
    scale: float,
) -> None:
    """``text`` at the upper edge of a zone, no wider than that."""
    (left, top), (right, _) = corners.min(axis=0), corners.max(axis=0)
    fitting = fitting_scale(text, scale, float(right - left))
    write_tag(picture, text, ((left + right) / 2, top), colour, fitting)


def label_of(zone: ZoneState) -> str:
    """What the last reading says: ``9♥``, ``BACK``, ``-`` for empty, ``??``, ``...`` not yet read."""
    reading = zone.reading
    if reading is None:
        return "..."
    if reading.is_empty:
        return "-"
    if reading.top is not None:
        return f"{written_card(str(reading.top))} {reading.confidence:.2f}"
    return "??" if reading.face_up else "BACK"


def _draw_seats(picture: NDArray[np.uint8], table: Table, state: WatchState) -> None:
    scale = _text_scale(picture)
    line_px = round(40 * scale)
    for i, place in enumerate(table.seats):
        mark, base_px = mark_of(i), line_px * (i + 1)
        draw_mark(picture, mark, (12, base_px - round(24 * scale)), round(26 * scale))
        name = written_name(place.player, str(place.seat))
        _write(picture, name, (12 + round(38 * scale), base_px), mark.bgr)
    _write(picture, clock_text(state.t_us), (12, line_px * (len(table.seats) + 1)), (230, 230, 230))


def _text_scale(picture: NDArray[np.uint8]) -> float:
    """Size of the writing: as large in every picture, once that is shown at the size of a page."""
    return float(max(0.4, picture.shape[0] / 1080))


def _write(picture: NDArray[np.uint8], text: str, at: tuple[int, int], colour: tuple[int, int, int]) -> None:
    write(picture, text, at, colour, _text_scale(picture))
