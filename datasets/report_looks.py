"""Looks at a picture with a detector, and asks what its unreadable cards would have been called."""

import hashlib
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.report_outcomes import Reading
from models.classes import CLASS_ID, READER_NAMES, UNREADABLE
from models.cut import cut_view
from models.detections import CardDetector
from models.enrolled import EnrolledDetector
from models.onnx_detector import OnnxDetector


def readings_of(detector: CardDetector, image_bgr: NDArray[np.uint8]) -> tuple[Reading, ...]:
    """What the detector sees in ``image_bgr``, uint8 (h, w, 3)."""
    found = detector.detect(image_bgr)
    guesses = _guesses(detector, image_bgr, found.corners_px[found.class_id == CLASS_ID[UNREADABLE]])
    readings = []
    for name, confidence, quad in zip(found.names, found.confidence, found.corners_px, strict=True):
        guess, sureness = guesses.pop(0) if name == UNREADABLE and guesses else ("", float(confidence))
        corners = tuple((round(float(x), 1), round(float(y), 1)) for x, y in quad)
        readings.append(Reading(name=name, confidence=round(sureness, 4), quad_px=corners, guess=guess))
    return tuple(readings)


def _guesses(
    detector: CardDetector, image_bgr: NDArray[np.uint8], quads_px: NDArray[np.float32]
) -> list[tuple[str, float]]:
    """The likeliest name of each unreadable card, and its probability."""
    if not len(quads_px) or not isinstance(detector, OnnxDetector):
        return []
    probability = detector.read(np.stack([cut_view(image_bgr, quad) for quad in quads_px]))
    named = probability[:, : len(READER_NAMES)].copy()
    named[:, [CLASS_ID[UNREADABLE], READER_NAMES.index("")]] = 0
    return [(READER_NAMES[int(row.argmax())], float(row.max())) for row in named]


def detector_key(detector: CardDetector, weights: Path) -> dict[str, Any]:
    """What readings depend on: the weight files' hashes, the detector's settings, and enrolled decks."""
    files = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(weights.glob("*.onnx"))
    }
    settings = getattr(detector, "settings", None)
    fields = asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else {}
    key = {
        "weights": files,
        "settings": {key: repr(value) for key, value in fields.items() if key != "threads"},
    }
    if isinstance(detector, EnrolledDetector) and detector.decks:
        prototypes = [deck.prototypes.tobytes() for deck in detector.decks]
        key["decks"] = {str(k): hashlib.sha256(part).hexdigest() for k, part in enumerate(prototypes)}
    return key
