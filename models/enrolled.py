"""A detector that reads enrolled decks: the reader's word, corrected where a view is like their cards."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.cut import cut_patches, cut_view
from models.detections import Detections
from models.detector_settings import DetectorSettings
from models.faces import DeckFaces, FaceSettings, Features
from models.locating import Boxes
from models.onnx_detector import WEIGHTS, OnnxDetector
from models.reader_features import FEATURES, PROBABILITY, with_features

BATCH = 64


class ReaderLook(NamedTuple):
    """What the reader makes of n views, both ways up, on average."""

    probability: NDArray[np.float32]
    """(n, 56)."""
    features: Features
    """(n, 256)."""


class EnrolledDetector(OnnxDetector):
    """The shipped detector with the faces of one or more decks; with none it reads as that one does."""

    def __init__(
        self,
        settings: DetectorSettings | None = None,
        weights: Path = WEIGHTS,
        *,
        decks: Sequence[DeckFaces] = (),
        faces: FaceSettings | None = None,
    ) -> None:
        super().__init__(settings, weights)
        self.decks = tuple(decks)
        self.faces = faces or FaceSettings()

    @cached_property
    def _reader(self) -> ort.InferenceSession:
        return self._opened(self._reader_bytes())

    def _reader_bytes(self) -> bytes:
        return with_features(self._file("reader.onnx").read_bytes())

    @cached_property
    def reader_sha256(self) -> str:
        """Of the reader with its features: prototypes hold for these weights only."""
        return hashlib.sha256(self._reader_bytes()).hexdigest()

    def look(self, views: NDArray[np.uint8]) -> ReaderLook:
        """What the reader alone says of views, uint8 (n, 128, 96, 3), and its features."""
        both = np.concatenate([views, views[:, ::-1, ::-1]])
        parts = [
            self._reader.run(
                [PROBABILITY, FEATURES], {"views": np.ascontiguousarray(part), "corners": cut_patches(part)}
            )
            for part in (both[i : i + BATCH] for i in range(0, len(both), BATCH))
        ]
        probability, features = (np.concatenate(kind) for kind in zip(*parts, strict=True))
        n = len(views)
        return ReaderLook(
            np.asarray((probability[:n] + probability[n:]) / 2, np.float32),
            np.asarray((features[:n] + features[n:]) / 2, np.float32),
        )

    def features(self, views: NDArray[np.uint8]) -> Features:
        """The reader's features of views."""
        return self.look(views).features

    def _read_once(self, views: NDArray[np.uint8]) -> NDArray[np.float32]:
        seen = self.look(views)
        if not self.decks:
            return seen.probability
        distance = np.stack([deck.distances(seen.features).min(axis=1) for deck in self.decks])
        nearest = distance.argmin(axis=0)
        probability = seen.probability
        for k, deck in enumerate(self.decks):
            own = nearest == k
            probability[own] = deck.mixed(seen.probability[own], seen.features[own], self.faces)
        return probability

    def _indices(self, image_bgr: NDArray[np.uint8], boxes: Boxes) -> Detections:
        """Of corner indices only those on which the reader alone agrees: they show too little of a deck.

        Of six names that indices brought in on 25 photographs of an enrolled deck none was right.
        """
        found = super()._indices(image_bgr, boxes)
        if not self.decks or not len(found):
            return found
        views = np.stack([cut_view(image_bgr, quad) for quad in found.corners_px])
        alone = self.look(views).probability[np.arange(len(found)), found.class_id]
        agreed = alone >= self.settings.read
        return Detections(
            corners_px=found.corners_px[agreed],
            class_id=found.class_id[agreed],
            confidence=found.confidence[agreed],
        )
