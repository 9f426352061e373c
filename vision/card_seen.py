"""One visible card of a pile, as it was read."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.classes import BACK, UNREADABLE
from referee.cards import Card


@dataclass(frozen=True, slots=True, eq=False)
class CardSeen:
    """One visible card of a pile.

    name: as in ``models.classes.CARD_NAMES``; quad_mm: float32 (4, 2), the visible part, clockwise.
    """

    name: str
    confidence: float
    quad_mm: NDArray[np.float32]

    @property
    def face(self) -> Card | None:
        """The card. None: a back, or not legible."""
        return None if self.name in {BACK, UNREADABLE} else Card.parse(self.name)

    @property
    def area_mm2(self) -> float:
        """Area of the visible part."""
        return float(cv2.contourArea(self.quad_mm))
