"""Compares backs by a network on ONNX Runtime: it was taught which views are of one design."""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.onnx_detector import WEIGHTS

FILE = "backs.onnx"


@dataclass(frozen=True, slots=True, eq=False)
class EncodedBacks:
    """n pictures of backs as the network describes them, cell by cell.

    vectors: float32 (n, cells * d), those of a cell times its weight. weights: float32 (n, cells), 0..1.
    """

    vectors: NDArray[np.float32]
    weights: NDArray[np.float32]


class BackEncoder:
    """The shipped network. Thread-safe for reading."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._path = weights / FILE

    @cached_property
    def _session(self) -> ort.InferenceSession:
        if not self._path.is_file():
            raise FileNotFoundError(f"no weights at {self._path} (want {FILE}, made by 'touchjudge train')")
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        return ort.InferenceSession(str(self._path), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _judgement(self) -> NDArray[np.float32]:
        """Four numbers that make log odds of agreement; learnt with the vectors."""
        nothing = np.zeros((1, *self._session.get_inputs()[0].shape[1:]), np.uint8)
        (judgement,) = self._session.run(["judgement"], {"backs": nothing})
        return np.asarray(judgement, np.float32)

    def encode(self, backs: NDArray[np.uint8]) -> EncodedBacks:
        """Pictures at their place on the card, uint8 (n, 88, 63, 4): see ``models.back_view.placements``."""
        vectors, weights = self._session.run(["vectors", "weights"], {"backs": backs})
        weighted = vectors * weights[..., None]
        return EncodedBacks(weighted.reshape(len(backs), -1), np.asarray(weights, np.float32))

    def likeness(self, views: EncodedBacks, known: EncodedBacks) -> NDArray[np.float32]:
        """Log odds (views, known) that a view is of a known back, were one in two."""
        scale, enough, little, bias = self._judgement
        common = views.weights @ known.weights.T
        agreed = views.vectors @ known.vectors.T
        return np.asarray(
            scale * (agreed - enough * common) / np.sqrt(abs(little) + common) + bias, np.float32
        )


@cache
def shipped_encoder() -> BackEncoder:
    """The one that all books of backs share."""
    return BackEncoder()
