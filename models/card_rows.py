"""Finds the 52 places of a deck that was laid out in four rows of thirteen."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.cut import order_quad
from models.geometry import quad_areas

Quads = NDArray[np.float32]

ROWS, COLUMNS = 4, 13
MOST_MISSING = 4
"""Places without a card found that are filled in from their neighbours."""
CARD_ASPECT = (1.1, 2.0)
"""Longer by shorter side of a whole card that is seen not quite from above."""
LIKE_SIZE = (0.45, 1.9)
"""Area of a card against the middle one: a camera that is tilted sees the far ones smaller."""
NEXT_IN_ROW = (0.5, 3.9)
"""From a card to the next in its row, in card widths: two may be missing between them."""
SAME_ROW = 0.45
"""Most that neighbours stand above one another, in card heights."""
SAME_PLACE = 0.75
"""Of two outlines nearer than this in a row, in card widths, the lesser one is no card: they lie apart."""
OUT_OF_STEP = 0.75
"""Farthest that a card lies from where even rows would have it, in card widths."""
STRAY = 4
"""Fewer cards than this are no row, but things that lie about."""


class NoRowsError(ValueError):
    """Four rows of thirteen cannot be made out. One line: what was wanted, and what was seen."""

    def __init__(self, seen: str) -> None:
        super().__init__(f"want the 52 cards in four rows of thirteen, saw {seen}")


@dataclass(frozen=True, slots=True, eq=False)
class CardRows:
    """The 52 places, row by row from the upper left, as the rows run.

    quads_px: float32 (52, 4, 2), clockwise from each card's upper left corner. is_found: bool (52,), False
    where a place was filled in from its neighbours.
    """

    quads_px: Quads
    is_found: NDArray[np.bool_]

    def turned(self) -> "CardRows":
        """The same seen from the other side: the last place is the first."""
        return CardRows(np.roll(self.quads_px[::-1], 2, axis=1), self.is_found[::-1])


def find_rows(quads_px: Quads) -> CardRows:
    """The places of cards whose outlines, float32 (n, 4, 2), were found, best first; ``NoRowsError``.

    Cards stand upright in their rows, side by side and apart. Outlines of other things, and pieces of cards,
    may be among them.
    """
    cards = _whole_cards(quads_px)
    if len(cards) < ROWS * STRAY:
        raise NoRowsError(f"{len(cards)} cards")
    angle = _row_angle(cards)
    c, s = np.cos(angle), np.sin(angle)
    level = np.array([[c, -s], [s, c]], np.float32)  # as row vectors: turns by minus the angle
    upright = np.stack([_from_upper_left(quad) for quad in cards @ level])
    rows = _rows(upright)
    columns = _columns(upright, rows)
    return _filled(upright @ level.T, rows, columns)


def _whole_cards(quads_px: Quads) -> Quads:
    """The quads that are of one size, and shaped as cards, each begun with a short side."""
    if not len(quads_px):
        return quads_px
    ordered = np.asarray(np.stack([order_quad(quad) for quad in quads_px]), np.float32)
    sides = np.linalg.norm(np.roll(ordered, -1, axis=1) - ordered, axis=2)
    aspect = (sides[:, 1] + sides[:, 3]) / np.maximum(sides[:, 0] + sides[:, 2], 1e-6)
    shaped = ordered[(aspect >= CARD_ASPECT[0]) & (aspect <= CARD_ASPECT[1])]
    if not len(shaped):
        return np.asarray(shaped, np.float32)
    areas = quad_areas(shaped)
    share = areas / np.median(areas)
    return np.asarray(shaped[(share >= LIKE_SIZE[0]) & (share <= LIKE_SIZE[1])], np.float32)


def _row_angle(cards: Quads) -> float:
    """In which direction the short sides run, radians, -pi/2..pi/2 from the picture's right."""
    short = cards[:, 1] - cards[:, 0] + cards[:, 2] - cards[:, 3]
    twice = 2 * np.arctan2(short[:, 1], short[:, 0])
    return float(np.arctan2(np.sin(twice).mean(), np.cos(twice).mean()) / 2)


def _from_upper_left(quad: NDArray[np.float32]) -> NDArray[np.float32]:
    first = int(np.argmin(quad.sum(axis=1) + 0.5 * (quad[:, 1] > np.median(quad[:, 1]))))
    return np.asarray(np.roll(quad, -first, axis=0), np.float32)


def _size(upright: Quads) -> tuple[float, float]:
    """Middle width and height."""
    wide = np.linalg.norm(upright[:, 1] - upright[:, 0], axis=1)
    tall = np.linalg.norm(upright[:, 3] - upright[:, 0], axis=1)
    return float(np.median(wide)), float(np.median(tall))


def _rows(upright: Quads) -> list[list[int]]:
    """The cards of each row from left to right, upper row first; each place once."""
    centres = upright.mean(axis=1)
    wide, tall = _size(upright)
    after = {i: _next_right(i, centres, wide, tall) for i in range(len(centres))}
    row_of = list(range(len(centres)))

    def root(i: int) -> int:
        while row_of[i] != i:
            i = row_of[i]
        return i

    for i, k in after.items():
        if k is not None:
            row_of[root(i)] = root(k)
    groups: dict[int, list[int]] = {}
    for i in range(len(centres)):
        groups.setdefault(root(i), []).append(i)
    rows = [_each_once(group, centres, wide) for group in groups.values()]
    rows = sorted((row for row in rows if len(row) >= STRAY), key=lambda row: float(centres[row, 1].mean()))
    if len(rows) != ROWS or sum(map(len, rows)) < ROWS * COLUMNS - MOST_MISSING:
        raise NoRowsError(_told(rows, len(upright)))
    return rows


def _next_right(i: int, centres: NDArray[np.float32], wide: float, tall: float) -> int | None:
    away = centres - centres[i]
    near = (away[:, 0] > NEXT_IN_ROW[0] * wide) & (away[:, 0] < NEXT_IN_ROW[1] * wide)
    near &= np.abs(away[:, 1]) < SAME_ROW * tall * np.maximum(1.0, away[:, 0] / (1.5 * wide))
    if not near.any():
        return None
    return int(np.flatnonzero(near)[np.argmin(np.linalg.norm(away[near], axis=1))])


def _each_once(group: list[int], centres: NDArray[np.float32], wide: float) -> list[int]:
    """From left to right; of what was found twice the first, which is the best."""
    kept: list[int] = []
    for i in group:
        if all(abs(float(centres[i, 0] - centres[k, 0])) > SAME_PLACE * wide for k in kept):
            kept.append(i)
    return sorted(kept, key=lambda i: float(centres[i, 0]))


def _told(rows: Sequence[Sequence[int]], cards: int) -> str:
    if not rows:
        return f"{cards} cards, and no row"
    return f"{cards} cards in {len(rows)} rows of {', '.join(str(len(row)) for row in rows)}"


def _columns(upright: Quads, rows: list[list[int]]) -> list[list[int]]:
    """The column, 0..12, of each card of each row."""
    centres = upright.mean(axis=1)
    steps = [_steps(centres[row, 0]) for row in rows]
    best = max(range(ROWS), key=lambda r: (len(rows[r]), -r))
    lean = _lean(upright)
    known_x = np.interp(np.arange(steps[best][-1] + 1), steps[best], centres[rows[best], 0])
    pitch = float(np.diff(known_x).mean())
    columns = []
    for r, row in enumerate(rows):
        drift = lean * (r - best) * _size(upright)[1]
        offsets = range(-COLUMNS, COLUMNS + 1)
        at = centres[row, 0] - drift
        found = min(offsets, key=lambda o: abs(_mean_gap(at, steps[r], o, known_x, pitch)))
        columns.append([step + found for step in steps[r]])
    first = min(min(column) for column in columns)
    columns = [[c - first for c in column] for column in columns]
    if max(max(column) for column in columns) != COLUMNS - 1:
        raise NoRowsError(_told(rows, len(upright)))
    return columns


def _steps(x: NDArray[np.float32]) -> list[int]:
    gaps = np.diff(x)
    pitch = float(np.median(gaps))
    return [0, *np.cumsum([max(1, round(float(gap) / pitch)) for gap in gaps]).tolist()]


def _lean(upright: Quads) -> float:
    """How far right the cards' long sides run for each pixel down."""
    down = upright[:, 3] - upright[:, 0] + upright[:, 2] - upright[:, 1]
    return float(np.median(down[:, 0] / np.maximum(down[:, 1], 1e-6)))


def _mean_gap(
    x: NDArray[np.float32], steps: list[int], offset: int, known_x: NDArray[np.float64], pitch: float
) -> float:
    """How far, on average, the cards stand right of the known row's places, taken so many columns on."""
    places = np.array(steps) + offset
    last = len(known_x) - 1
    inside = np.interp(places, np.arange(len(known_x)), known_x)
    beyond = np.where(places < 0, places, np.where(places > last, places - last, 0))
    return float((x - inside - beyond * pitch).mean())


def _filled(quads_px: Quads, rows: list[list[int]], columns: list[list[int]]) -> CardRows:
    """All places in order; the missing ones from a map of the rows onto the picture."""
    places = np.full(ROWS * COLUMNS, -1)
    for r, (row, column) in enumerate(zip(rows, columns, strict=True)):
        places[np.array(column) + r * COLUMNS] = row
    is_found = places >= 0
    grid = np.array([(c, r) for r in range(ROWS) for c in range(COLUMNS)], np.float32)
    result = quads_px[np.maximum(places, 0)].copy()
    for corner in range(4):
        matrix, _ = cv2.findHomography(grid[is_found], result[is_found, corner], cv2.LMEDS)
        if matrix is None:
            raise NoRowsError("rows that lie in no plane")
        even = cv2.perspectiveTransform(grid[None], matrix)[0]
        if (
            np.linalg.norm(even - result[:, corner], axis=1)[is_found].max()
            > OUT_OF_STEP * _size(quads_px)[0]
        ):
            raise NoRowsError(f"{is_found.sum()} cards in rows that are out of step")
        result[~is_found, corner] = even[~is_found]
    return CardRows(np.asarray(result, np.float32), is_found)
