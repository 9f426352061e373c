"""The reader's second output."""

import numpy as np
import onnxruntime as ort
import pytest

from models.cut import cut_patches
from models.onnx_detector import WEIGHTS
from models.reader_features import with_features, with_metadata


def session(onnx: bytes) -> ort.InferenceSession:
    return ort.InferenceSession(onnx, providers=["CPUExecutionProvider"])


@pytest.mark.weights
def test_features_are_added_and_probabilities_stay_bit_identical() -> None:
    plain = (WEIGHTS / "reader.onnx").read_bytes()
    views = np.random.default_rng(1).integers(0, 256, (3, 128, 96, 3)).astype(np.uint8)
    asked = {"views": views, "corners": cut_patches(views)}

    upgraded = with_features(plain)
    probability, features = session(upgraded).run(["probability", "features"], asked)

    assert np.array_equal(probability, session(plain).run(["probability"], asked)[0])
    assert features.shape == (3, 256)
    assert features.min() >= 0
    assert with_features(upgraded) == upgraded


@pytest.mark.weights
def test_other_networks_are_refused() -> None:
    with pytest.raises(ValueError, match="not a reader"):
        with_features((WEIGHTS / "locator.onnx").read_bytes())


@pytest.mark.parametrize("content", [b"PNG", b"\x3a\xff\xff\xff\xff\x0f", b"\x80" * 20])
def test_what_is_no_onnx_file_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a"):
        with_features(content)


@pytest.mark.weights
def test_notes_are_added_behind_what_is_there() -> None:
    noted = with_metadata((WEIGHTS / "locator.onnx").read_bytes(), {"task": "obb", "names": "{0: 'face'}"})

    notes = session(noted).get_modelmeta().custom_metadata_map

    assert notes == {"task": "obb", "names": "{0: 'face'}"}
