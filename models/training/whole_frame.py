"""The locator's weights run through ultralytics on whole pictures: what others do, to measure beside."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.reader_features import with_metadata
from models.training.locator import quiet_ultralytics

CLASSES = ("face", "back", "index")
BOX_VALUES = 5
"""Of an oriented box: centre, width, height, angle; the rest of a row is one number a class."""


class NotInstalledError(RuntimeError):
    """The train extra is not there."""


def whole_frame_runner(weights: Path, folder: Path) -> "WholeFrame":
    """The locator in ``weights`` (ONNX) under ultralytics; ``NotInstalledError`` without it.

    folder: where ultralytics may write its settings, and where the weights are put with the notes that it
    wants: those of the shipped file are left out, for they name the folders of the machine that trained.
    """
    os.environ["YOLO_VERBOSE"] = "false"  # it talks on standard output
    try:
        quiet_ultralytics(folder)
        from ultralytics import YOLO
    except ImportError:
        raise NotInstalledError("ultralytics is not installed (want pip install '.[train]')") from None
    session = ort.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
    classes = int(session.get_outputs()[0].shape[1]) - BOX_VALUES
    noted = folder / "locator.onnx"
    names = repr(dict(enumerate(CLASSES[:classes])))
    notes = {"task": "obb", "stride": "32", "batch": "1", "imgsz": "[640, 640]", "names": names}
    noted.write_bytes(with_metadata(weights.read_bytes(), notes | {"args": "{'dynamic': True}"}))
    return WholeFrame(YOLO(str(noted), task="obb"))


class WholeFrame:
    """Runs a picture, shrunk or enlarged to a longer side, through the network at once."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def boxes(self, image_bgr: NDArray[np.uint8], longer_px: int) -> int:
        """How many boxes it finds in ``image_bgr``, uint8 (h, w, 3): of cards and of corner indices."""
        (result,) = self._model.predict(image_bgr, imgsz=longer_px, device="cpu", verbose=False)
        return len(result.obb)

    def track(self, image_bgr: NDArray[np.uint8], longer_px: int) -> int:
        """The same of the next frame of a film, each box followed from the one before.

        ``NotInstalledError`` without the library that ultralytics' tracker wants.
        """
        if find_spec("lap") is None:
            raise NotInstalledError("ultralytics' tracker wants lap (pip install '.[train]')")
        (result,) = self._model.track(image_bgr, imgsz=longer_px, device="cpu", verbose=False, persist=True)
        return len(result.obb)
