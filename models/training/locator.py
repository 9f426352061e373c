"""Trains the locator (oriented boxes of visible card parts) with ultralytics and exports it to ONNX."""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from models.training.from_onnx import give_exported_weights

MOST_EPOCHS = 100
"""Where the time decides; ultralytics wants a number all the same."""
RANDOM_START = "nothing: weights at random"
EXPORTED_SAMPLES = 64
"""So many training pictures tell what the normalisations of an exported locator saw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatorTraining:
    """Settings of one run; every field goes into the model card.

    minutes: wall time to train for, where ``epochs`` is None; else so many passes.
    image_px: side of the training pictures. threads: of torch.
    learning_rate: the first; it falls to a fiftieth. taught_before: runs that the start weights come from.
    """

    architecture: str = "yolo26n-obb.yaml"
    minutes: float = 90.0
    epochs: int | None = None
    image_px: int = 416
    batch: int = 16
    threads: int = 2
    seed: int = 0
    learning_rate: float = 0.01
    taught_before: str = RANDOM_START


def quiet_ultralytics(folder: Path) -> None:
    """Keep ultralytics from the network: no look-ups, no installing, no usage reports, no font download."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "YOLO_OFFLINE": "1",
        "YOLO_AUTOINSTALL": "false",
        "YOLO_CONFIG_DIR": str(folder),
    }
    import matplotlib as mpl

    font = Path(mpl.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"
    for place in (folder, folder / "Ultralytics"):
        place.mkdir(exist_ok=True)
        shutil.copyfile(font, place / "Arial.ttf")
    from ultralytics import settings

    settings.update({"sync": False})


def train_locator(
    data: Path,
    out: Path,
    settings: LocatorTraining,
    *,
    start: Path | None = None,
    device: str = "cpu",
    resume: bool = False,
) -> Path:
    """Train on a YOLO OBB set; gives the path of the ONNX file. ``resume`` goes on from the last checkpoint.

    ``start`` gives weights to begin with: a checkpoint (.pt) or an exported locator (.onnx).

    Checkpoints, curves and the settings lie in ``out``.
    """
    quiet_ultralytics(out / "ultralytics")
    import torch
    from ultralytics import YOLO

    def on_train_start(trainer: Any) -> None:
        if device == "cpu":
            torch.set_num_threads(settings.threads)
            trainer.model.to(memory_format=torch.channels_last)

    if start is not None and start.suffix == ".onnx" and not resume:
        start = checkpoint_of_exported(start, data, settings, out / "begin.pt")
    last = out / "run" / "weights" / "last.pt"
    model = YOLO(str(last if resume else start or settings.architecture), task="obb")
    model.add_callback("on_train_start", on_train_start)
    model.train(
        data=str(data),
        time=None if settings.epochs else settings.minutes / 60,
        epochs=settings.epochs or MOST_EPOCHS,
        imgsz=settings.image_px,
        batch=settings.batch,
        seed=settings.seed,
        device=device,
        resume=resume,
        project=str(out.resolve()),
        name="run",
        exist_ok=True,
        optimizer="MuSGD",
        lr0=settings.learning_rate,
        lrf=0.02,
        workers=0 if device == "cpu" else 8,
        mosaic=0.0,
        scale=0.2,
        translate=0.1,
        degrees=0.0,
        fliplr=0.5,
        flipud=0.5,
        erasing=0.0,
        hsv_h=0.02,
        hsv_s=0.4,
        hsv_v=0.3,
        warmup_epochs=0.5,
        plots=False,
        save_period=1,
        verbose=False,
    )
    (out / "settings.json").write_text(json.dumps(asdict(settings), indent=2) + "\n")
    return export_locator(last.with_name("best.pt"), out / "locator.onnx")


def checkpoint_of_exported(onnx: Path, data: Path, settings: LocatorTraining, checkpoint: Path) -> Path:
    """Write the weights of an exported locator as a checkpoint that training can begin with; gives its path.

    Pictures of the set in ``data`` tell what the network's normalisations see.
    """
    import torch
    from ultralytics.data.utils import check_det_dataset
    from ultralytics.nn.tasks import OBBModel

    described = check_det_dataset(str(data), autodownload=False)
    model = OBBModel(settings.architecture, nc=len(described["names"]), verbose=False)
    model.names = described["names"]
    pictures = sorted(Path(described["train"]).glob("*.jpg"))[:EXPORTED_SAMPLES]

    def run(network: Any) -> None:
        with torch.no_grad():
            for picture in pictures:
                network(_as_batch(picture, settings.image_px))

    # The other head, which would find each card once, is not exported: here it begins as a copy.
    give_exported_weights(model, onnx, run, name_in_file=lambda name: name.replace("one2one_", ""))
    torch.save({"model": model, "train_args": {}}, checkpoint)
    return checkpoint


def _as_batch(picture: Path, side_px: int) -> Any:
    """A square training picture as float (1, 3, side, side), 0..1 RGB."""
    import cv2
    import torch

    image = cv2.imread(str(picture))
    if image is None:
        raise ValueError(f"{picture} is not a picture")
    small = cv2.resize(image, (side_px, side_px), interpolation=cv2.INTER_AREA)
    return torch.from_numpy(small[:, :, ::-1].copy()).permute(2, 0, 1)[None].float() / 255


def export_locator(weights: Path, onnx: Path) -> Path:
    """Write ``weights`` (.pt) as ONNX with free picture height and width."""
    from onnx import load, save
    from ultralytics import YOLO

    exported = YOLO(str(weights)).export(format="onnx", dynamic=True, imgsz=640, simplify=True, opset=17)
    network = load(exported)
    del network.metadata_props[:]  # It names the folders of the machine that trained.
    save(network, str(onnx))
    return onnx
