"""The learned models, as functions from arrays to arrays."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.detector_settings import DetectorSettings
    from models.onnx_detector import OnnxDetector


def load_detector(settings: "DetectorSettings | None" = None) -> "OnnxDetector":
    """The shipped detector; its weights are read on first use."""
    from models.onnx_detector import OnnxDetector  # noqa: PLC0415  # ONNX Runtime takes 0.15 s to import

    return OnnxDetector(settings)


def load_zone_detector() -> "OnnxDetector":
    """The same for zones of a known table: they are cut at its scale, so no card in them is squeezed."""
    from models.detector_settings import ZONES  # noqa: PLC0415  # with ONNX Runtime, see above

    return load_detector(ZONES)
