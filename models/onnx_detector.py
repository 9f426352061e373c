"""Finds and names the cards of a picture: a locator on the whole picture, a reader on each located card."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.classes import CARD_NAMES, CLASS_ID, READER_NAMES, UNREADABLE
from models.cut import cut_view, order_quad
from models.detections import Detections
from models.geometry import suppress_overlaps

WEIGHTS = Path(__file__).parent / "weights"
STRIDE_PX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """Thresholds, chosen on synthetic validation scenes of unseen decks (see the model card).

    input_px: longer sides, in pixels, to which a picture is brought for the locator; one that would enlarge
        the picture by more than ``largest_zoom`` is left out.
    located: least confidence of a located card. read: least probability of a name; below it is ``??``.
    nothing: a view is no card where the reader says so with at least this probability.
    overlap: most intersection over union of two cards.
    """

    input_px: tuple[int, ...] = (448, 896, 1600)
    largest_zoom: float = 1.3
    located: float = 0.3
    read: float = 0.6
    nothing: float = 0.5
    overlap: float = 0.6
    threads: int = 2


class OnnxDetector:
    """The shipped detector on ONNX Runtime. Thread-safe for reading; make one a process."""

    def __init__(self, settings: DetectorSettings | None = None, weights: Path = WEIGHTS) -> None:
        self.settings = settings or DetectorSettings()
        self._weights = weights

    @cached_property
    def _locator(self) -> ort.InferenceSession:
        return self._session("locator.onnx")

    @cached_property
    def _reader(self) -> ort.InferenceSession:
        return self._session("reader.onnx")

    def _session(self, name: str) -> ort.InferenceSession:
        path = self._weights / name
        if not path.is_file():
            raise FileNotFoundError(f"no weights at {path} (want {name}, made by 'touchjudge train')")
        options = ort.SessionOptions()
        options.intra_op_num_threads = self.settings.threads
        options.log_severity_level = 3
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    @cached_property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each weight file, as the model card records them."""
        card = json.loads((self._weights / "model_card.json").read_text())
        return {name: str(entry["sha256"]) for name, entry in card["files"].items()}

    def detect(self, image_bgr: NDArray[np.uint8]) -> Detections:
        """Find every visible card in ``image_bgr``, uint8 (h, w, 3), and name it."""
        if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
            raise ValueError(f"image_bgr: want uint8 (h, w, 3), got {image_bgr.dtype} {image_bgr.shape}")
        quads, _ = self.locate(image_bgr)
        if not len(quads):
            return _nothing()
        probability = self.read(np.stack([cut_view(image_bgr, quad) for quad in quads]))
        nothing = probability[:, READER_NAMES.index("")]
        names = probability[:, : len(CARD_NAMES)]
        class_id = names.argmax(axis=1).astype(np.int16)
        confidence = names.max(axis=1).astype(np.float32)
        class_id[confidence < self.settings.read] = CLASS_ID[UNREADABLE]
        is_card = nothing < self.settings.nothing
        ordered = np.stack([order_quad(quad) for quad in quads])[is_card]
        return Detections(
            corners_px=ordered.astype(np.float32),
            class_id=class_id[is_card],
            confidence=np.minimum(confidence, 1.0)[is_card],
        )

    def locate(self, image_bgr: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Boxes of visible card parts: float32 (n, 4, 2) in pixels, and confidence (n,), best first."""
        longer = max(image_bgr.shape[:2])
        sizes = [s for s in self.settings.input_px if s <= longer * self.settings.largest_zoom]
        parts = [self._locate_at(image_bgr, s / longer) for s in sizes or self.settings.input_px[:1]]
        quads = np.concatenate([q for q, _ in parts])
        confidence = np.concatenate([c for _, c in parts])
        kept = suppress_overlaps(quads, confidence, iou=self.settings.overlap, contained=0.9)
        return quads[kept], confidence[kept]

    def _locate_at(
        self, image_bgr: NDArray[np.uint8], scale: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        h, w = image_bgr.shape[:2]
        size = max(1, round(w * scale)), max(1, round(h * scale))
        small = cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        padded_w, padded_h = (-(-side // STRIDE_PX) * STRIDE_PX for side in size)
        canvas = np.full((padded_h, padded_w, 3), 114, np.uint8)
        canvas[: size[1], : size[0]] = small
        blob = canvas[None, :, :, ::-1].transpose(0, 3, 1, 2).astype(np.float32) / 255
        (output,) = self._locator.run(None, {"images": np.ascontiguousarray(blob)})
        boxes = output[0].T
        confidence = boxes[:, 4:-1].max(axis=1)
        chosen = confidence >= self.settings.located
        return _corners(boxes[chosen]) * (w / size[0]), confidence[chosen].astype(np.float32)

    def read(self, views: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Probabilities (n, 56) of the reader's names for views uint8 (n, 128, 96, 3), tried both ways up."""
        both = np.concatenate([views, views[:, ::-1, ::-1]])
        parts = [
            self._reader.run(None, {"views": np.ascontiguousarray(both[i : i + 64])})[0]
            for i in range(0, len(both), 64)
        ]
        probability = np.concatenate(parts)
        return np.asarray((probability[: len(views)] + probability[len(views) :]) / 2, np.float32)


def _corners(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Corners (n, 4, 2) of rows (centre x, centre y, width, height, ..., angle in radians)."""
    c, s = np.cos(boxes[:, -1]), np.sin(boxes[:, -1])
    across = np.stack([c, s], axis=1) * boxes[:, 2:3] / 2
    down = np.stack([-s, c], axis=1) * boxes[:, 3:4] / 2
    centre = boxes[:, :2]
    corners = [centre - across - down, centre + across - down, centre + across + down, centre - across + down]
    return np.stack(corners, axis=1).astype(np.float32)


def _nothing() -> Detections:
    return Detections(
        corners_px=np.zeros((0, 4, 2), np.float32),
        class_id=np.zeros(0, np.int16),
        confidence=np.zeros(0, np.float32),
    )
