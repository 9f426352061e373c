"""The locator's weights run through ultralytics on whole pictures: what others do, to measure beside."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.training.locator import quiet_ultralytics


class NotInstalledError(RuntimeError):
    """The train extra is not there."""


def whole_frame_runner(weights: Path, settings_folder: Path) -> "WholeFrame":
    """The locator in ``weights`` (ONNX) under ultralytics; ``NotInstalledError`` without it.

    settings_folder: where ultralytics may write its settings.
    """
    try:
        quiet_ultralytics(settings_folder)
        from ultralytics import YOLO
    except ImportError:
        raise NotInstalledError("ultralytics is not installed (want pip install '.[train]')") from None
    return WholeFrame(YOLO(str(weights), task="obb"))


class WholeFrame:
    """Runs a picture, shrunk or enlarged to a longer side, through the network at once."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def boxes(self, image_bgr: NDArray[np.uint8], longer_px: int) -> int:
        """How many boxes it finds in ``image_bgr``, uint8 (h, w, 3): of cards and of corner indices."""
        (result,) = self._model.predict(image_bgr, imgsz=longer_px, device="cpu", verbose=False)
        return len(result.obb)
