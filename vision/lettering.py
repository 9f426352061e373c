"""Writing on pictures: text with a dark rim, seats by their marks, names in letters that can be drawn."""

import unicodedata

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seat_marks import MARK_BOX, SeatMark

RIM_BGR = (0, 0, 0)
LONGEST_NAME = 18
"""Characters of a name that are written on a picture; it would cover the table else."""

SMALL_SCALE = 2.2
"""How much larger letters are on a picture for a telephone: 48 px of 1080 high, 9 px once it is 360 wide."""

_DRAWABLE = ("LATIN", "GREEK", "CYRILLIC")
"""Scripts whose letters stand one beside the other from the left. Others want shaping, which OpenCV lacks."""
_SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def written_name(name: str, seat: str) -> str:
    """The name as it can be written on a picture; the seat's where its letters cannot be drawn there.

    >>> written_name("Zoë", "south"), written_name("محمد", "north")
    ('Zoë', 'north')
    """
    shown = "".join(
        letter for letter in name if letter.isprintable() and unicodedata.category(letter) != "Cf"
    )
    shown = " ".join(shown.split())
    if not shown or not all(map(_is_drawable, shown)):
        return seat
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}…"


def _is_drawable(letter: str) -> bool:
    if letter.isascii():
        return True
    return letter.isalpha() and unicodedata.name(letter, "").startswith(_DRAWABLE)


def written_card(name: str) -> str:
    """A card's name as pages write it.

    >>> written_card("TH"), written_card("JK"), written_card("??")
    ('10♥', 'JK', '??')
    """
    if len(name) != 2 or name[1] not in _SUITS:
        return name
    return f"{'10' if name[0] == 'T' else name[0]}{_SUITS[name[1]]}"


def write(
    picture: NDArray[np.uint8],
    text: str,
    at_px: tuple[int, int],
    colour_bgr: tuple[int, int, int],
    scale: float,
) -> None:
    """``text`` from ``at_px``, the left end of its base line, with a dark rim: legible on any cloth.

    ``scale``: OpenCV's font scale; 1 is some 22 px high.
    """
    for thickness, tone in ((max(3, round(5 * scale)), RIM_BGR), (max(1, round(2 * scale)), colour_bgr)):
        cv2.putText(picture, text, at_px, cv2.FONT_HERSHEY_SIMPLEX, scale, tone, thickness, cv2.LINE_AA)


def fitting_scale(text: str, scale: float, most_px: float) -> float:
    """``scale``, or the smaller one at which ``text`` is no wider than ``most_px``."""
    width_px = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, max(1, round(2 * scale)))[0][0]
    return scale if width_px <= most_px else scale * most_px / width_px


def write_tag(
    picture: NDArray[np.uint8],
    text: str,
    top_px: tuple[float, float],
    colour_bgr: tuple[int, int, int],
    scale: float,
) -> None:
    """``text`` on a dark ground, its upper edge in the middle at ``top_px``: as ``write`` else."""
    thickness = max(1, round(2 * scale))
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thickness)
    rim = round(5 * scale)
    left, top = round(top_px[0] - width / 2), round(top_px[1])
    corner = (left + width + rim, top + height + 2 * rim)
    cv2.rectangle(picture, (left - rim, top), corner, RIM_BGR, cv2.FILLED)
    base = (left, top + height + rim)
    cv2.putText(picture, text, base, cv2.FONT_HERSHEY_SIMPLEX, scale, colour_bgr, thickness, cv2.LINE_AA)


def draw_mark(picture: NDArray[np.uint8], mark: SeatMark, at_px: tuple[int, int], side_px: int) -> None:
    """A seat's mark in the box of ``side_px`` whose left upper corner is ``at_px``."""
    corners = np.array(mark.outline) * (side_px / MARK_BOX) + np.array(at_px)
    polygon = np.rint(corners).astype(np.int32)
    cv2.polylines(picture, [polygon], True, RIM_BGR, max(2, side_px // 6), cv2.LINE_AA)
    cv2.fillPoly(picture, [polygon], mark.bgr, cv2.LINE_AA)
