"""Understands a photograph of a deck's 52 cards in four rows of thirteen: which card lies where."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.card_rows import COLUMNS, CardRows, NoRowsError, find_rows
from models.classes import CARD_NAMES, READER_NAMES
from models.cut import cut_view, nearest_turn
from models.enrolled import EnrolledDetector
from models.face_looks import FaceCrop, cut_face

FACE_COUNT = 52
SURE = 0.9
"""Least probability of a face at which the reader's word is compared with the card's place."""
TELLING = 13
"""Sure words from which on the order of the cards can be doubted."""
LEAST_AGREED = 0.4
"""Of the sure words: with fewer the cards lie in another order."""
TURNED_BY = 1.5
"""So many more cards must be read where they lie with the picture upside down for it to be so."""
NO_CARD = 0.5
"""Probability from which a place that was filled in holds no card."""


class WrongOrderError(ValueError):
    """The cards lie in rows, but not in the order that was asked for. One line."""


@dataclass(frozen=True, slots=True, eq=False)
class LaidOut:
    """rows: the places, clubs to spades, ace to king.

    contradicted: a place's card and what the reader is sure that it is.
    """

    rows: CardRows
    contradicted: tuple[tuple[str, str], ...]

    def crops(self, image_bgr: NDArray[np.uint8]) -> tuple[FaceCrop, ...]:
        """The 52 cards cut from the picture."""
        return tuple(
            cut_face(name, image_bgr, quad)
            for name, quad in zip(CARD_NAMES[:FACE_COUNT], self.rows.quads_px, strict=True)
        )


def understand(image_bgr: NDArray[np.uint8], detector: EnrolledDetector) -> LaidOut:
    """Which card lies where; the picture may be upside down. ``NoRowsError``, ``WrongOrderError``."""
    boxes = detector.locate(image_bgr).cards
    if not len(boxes):
        raise NoRowsError("no card")
    rows = find_rows(detector.align(image_bgr, boxes.quads_px))
    if not rows.is_found.all():
        rows = _aligned(rows, image_bgr, detector)
    probability = detector.look(np.stack([cut_view(image_bgr, quad) for quad in rows.quads_px])).probability
    _refuse_gaps(rows, probability)
    agreed = _agreed(probability)
    if _agreed(probability[::-1]) > agreed + TURNED_BY:
        rows, probability = rows.turned(), probability[::-1]
    return LaidOut(rows, _contradicted(probability))


def _aligned(rows: CardRows, image_bgr: NDArray[np.uint8], detector: EnrolledDetector) -> CardRows:
    """The places that were filled in, moved onto the cards that lie there."""
    missing = np.flatnonzero(~rows.is_found)
    quads = rows.quads_px.copy()
    for place, quad in zip(missing, detector.align(image_bgr, quads[missing]), strict=True):
        quads[place] = nearest_turn(quad, rows.quads_px[place])
    return CardRows(quads, rows.is_found)


def _refuse_gaps(rows: CardRows, probability: NDArray[np.float32]) -> None:
    nothing = probability[:, READER_NAMES.index("")] > NO_CARD
    gaps = np.flatnonzero(nothing & ~rows.is_found)
    if len(gaps):
        row, column = divmod(int(gaps[0]), COLUMNS)
        raise NoRowsError(f"{FACE_COUNT - len(gaps)}: no card at place {column + 1} of row {row + 1}")


def _agreed(probability: NDArray[np.float32]) -> float:
    """How many cards are read as what should lie at their place."""
    return float(probability[np.arange(FACE_COUNT), np.arange(FACE_COUNT)].sum())


def _contradicted(probability: NDArray[np.float32]) -> tuple[tuple[str, str], ...]:
    """Where the reader is sure of another card; ``WrongOrderError`` where that is mostly so."""
    read = probability[:, :FACE_COUNT].argmax(axis=1)
    sure = np.flatnonzero(probability[:, :FACE_COUNT].max(axis=1) >= SURE)
    other = [int(i) for i in sure if read[i] != i]
    if len(sure) >= TELLING and len(other) > (1 - LEAST_AGREED) * len(sure):
        row = other[0] // COLUMNS
        words = [CARD_NAMES[read[i]] if i in sure else "?" for i in range(row * COLUMNS, (row + 1) * COLUMNS)]
        raise WrongOrderError(
            "want rows of clubs, diamonds, hearts, spades, each ace to king from the left:"
            f" row {row + 1} reads {' '.join(words)}"
        )
    return tuple((CARD_NAMES[i], CARD_NAMES[read[i]]) for i in other)
