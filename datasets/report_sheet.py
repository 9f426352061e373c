"""A contact sheet: the worst pictures with truth and answers drawn in."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.report_outcomes import CardOutcome, PictureOutcome
from models.classes import UNREADABLE

Image = NDArray[np.uint8]

TILE_PX = 520
CAPTION_PX = 64
COLUMNS = 4
RIGHT_BGR, WRONG_BGR, MISSED_BGR, UNREAD_BGR = (90, 200, 90), (60, 60, 235), (0, 170, 255), (220, 160, 60)
_INK_BGR, _PAPER_BGR = (30, 30, 30), (245, 245, 245)


def contact_sheet(
    pictures: Sequence[PictureOutcome], image_of: Callable[[PictureOutcome], Image]
) -> Image | None:
    """The pictures side by side, uint8 BGR (h, w, 3); None where there is none.

    Green: right; red: a wrong name (truth > name); orange: missed; blue: read as ``??``.
    """
    tiles = [_tile(picture, image_of(picture)) for picture in pictures]
    if not tiles:
        return None
    columns = min(COLUMNS, len(tiles))
    tiles += [np.full_like(tiles[0], 245)] * (-len(tiles) % columns)
    rows = [np.hstack(tiles[i : i + columns]) for i in range(0, len(tiles), columns)]
    return np.asarray(np.vstack(rows), np.uint8)


def _tile(picture: PictureOutcome, image_bgr: Image) -> Image:
    tile = np.full((TILE_PX + CAPTION_PX, TILE_PX, 3), _PAPER_BGR, np.uint8)
    scale = (TILE_PX - 8) / max(image_bgr.shape[:2])
    small = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    tile[4 : 4 + small.shape[0], 4 : 4 + small.shape[1]] = small
    for card in picture.cards:
        _draw(tile, card, scale)
    wrong = " ".join(f"{c.truth or '-'}>{c.given}" for c in picture.cards if c.is_wrong)
    missed = " ".join(c.truth for c in picture.cards if c.truth and c.given == "")
    for line, text in enumerate(
        (f"{picture.source} {picture.image[-28:]}", f"wrong {wrong}", f"missed {missed}")
    ):
        at = 6, TILE_PX + 16 + 20 * line
        cv2.putText(tile, text[:76], at, cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK_BGR, 1, cv2.LINE_AA)
    return np.asarray(tile, np.uint8)


def _draw(tile: Image, card: CardOutcome, scale: float) -> None:
    if not card.quad_px:
        return
    colour, text = _said(card)
    corners = np.rint(np.asarray(card.quad_px) * scale + 4).astype(np.int32)
    cv2.polylines(tile, [corners], True, colour, 1 if card.is_right else 2, cv2.LINE_AA)
    x, y = (int(v) for v in corners.min(axis=0))
    at = max(x, 2), max(y - 3, 12)
    cv2.putText(tile, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, _INK_BGR, 3, cv2.LINE_AA)
    cv2.putText(tile, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)


def _said(card: CardOutcome) -> tuple[tuple[int, int, int], str]:
    if card.is_right:
        return RIGHT_BGR, card.given
    if card.is_wrong:
        return WRONG_BGR, f"{card.truth or '-'}>{card.given} {card.confidence:.2f}"
    if card.given == UNREADABLE:
        return UNREAD_BGR, f"{card.truth}>??"
    return MISSED_BGR, card.truth
