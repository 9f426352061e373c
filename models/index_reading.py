"""Reads corner indices: which face each is of, whichever way up its box lies."""

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.classes import INDEX_READER_NAMES
from models.cut import cut_index, order_quad

BATCH = 64


def read_indices(
    session: ort.InferenceSession, image_bgr: NDArray[np.uint8], quads_px: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Probabilities (n, 53) of the index reader's names for boxes, float32 (n, 4, 2) clockwise.

    The longer side of a box is taken for its height. One way up shows a face, the other then nothing (the
    reader is taught so): each name is weighed as seen one way and not the other.
    """
    if not len(quads_px):
        return np.zeros((0, len(INDEX_READER_NAMES)), np.float32)
    views = np.stack([cut_index(image_bgr, order_quad(quad)) for quad in quads_px])
    both = np.concatenate([views, views[:, ::-1, ::-1]])
    parts = [
        session.run(None, {"views": np.ascontiguousarray(both[i : i + BATCH])})[0]
        for i in range(0, len(both), BATCH)
    ]
    one, other = np.split(np.concatenate(parts).astype(np.float64), 2)
    nothing = one[:, -1:] * other[:, -1:]
    faces = one[:, :-1] * other[:, -1:] + other[:, :-1] * one[:, -1:]
    joint = np.concatenate([faces, nothing], axis=1)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True), np.float32)
