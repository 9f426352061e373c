"""What a card detector reports for one image."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.classes import CARD_NAMES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detections:
    """n cards in one image, as parallel arrays.

    corners_px: float32 (n, 4, 2), quad of the card's visible part, clockwise from the top left of the card
        as it is read, in image pixels (x right, y down).
    class_id: int16 (n,), index into ``models.classes.CARD_NAMES``.
    confidence: float32 (n,), 0..1.
    """

    corners_px: NDArray[np.float32]
    class_id: NDArray[np.int16]
    confidence: NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.corners_px)
        for name, shape in {"corners_px": (n, 4, 2), "class_id": (n,), "confidence": (n,)}.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ValueError(f"{name}: want shape {shape}, got {array.shape}")
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.corners_px)

    @property
    def names(self) -> tuple[str, ...]:
        """Card names, ``9H``, ``JK``, ``BACK`` or ``??``, one for each detection."""
        return tuple(CARD_NAMES[i] for i in self.class_id)

    def without(self, which: NDArray[np.intp]) -> "Detections":
        """These detections less those at the indices ``which``."""
        is_kept = np.ones(len(self), bool)
        is_kept[which] = False
        return Detections(
            corners_px=self.corners_px[is_kept],
            class_id=self.class_id[is_kept],
            confidence=self.confidence[is_kept],
        )

    def and_also(self, others: "Detections") -> "Detections":
        """These detections, then the others."""
        return Detections(
            corners_px=np.concatenate([self.corners_px, others.corners_px]),
            class_id=np.concatenate([self.class_id, others.class_id]),
            confidence=np.concatenate([self.confidence, others.confidence]),
        )


class CardDetector(Protocol):
    """Anything that finds and names the cards of an image."""

    def detect(self, image_bgr: NDArray[np.uint8]) -> Detections:
        """Find every visible card in ``image_bgr``, uint8 (h, w, 3)."""
        ...
