"""Trains the reader (which card, back, unreadable or nothing is in a view) with torch; exports it to ONNX."""

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.classes import READER_NAMES

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderTraining:
    """Settings of one run; every field goes into the model card.

    minutes: wall time to train for. widths: channels of the four stages.
    """

    minutes: float = 40.0
    batch: int = 128
    peak_learning_rate: float = 2e-3
    weight_decay: float = 0.02
    label_smoothing: float = 0.05
    widths: tuple[int, int, int, int] = (24, 48, 96, 160)
    threads: int = 1
    seed: int = 0


def build_network(widths: tuple[int, int, int, int]) -> "nn.Module":
    """A small residual network: float (n, 3, 128, 96), 0..1 BGR -> logits (n, 56)."""
    from torch import nn

    def conv(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )

    class Residual(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self, channels: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                conv(channels, channels),
                nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
                nn.BatchNorm2d(channels),
            )
            self.act = nn.ReLU(inplace=True)

        def forward(self, x: Any) -> Any:
            return self.act(x + self.body(x))

    a, b, c, d = widths
    return nn.Sequential(
        conv(3, a, 2),
        conv(a, b, 2),
        Residual(b),
        conv(b, c, 2),
        Residual(c),
        Residual(c),
        conv(c, d, 2),
        Residual(d),
        nn.AdaptiveAvgPool2d((4, 3)),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(d * 12, len(READER_NAMES)),
    )


def load_shards(folder: Path, split: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Every view, uint8 (n, 128, 96, 3), and reader class id (n,) of a split."""
    files = sorted(folder.glob(f"{split}_[0-9]*.npz"))
    files = [f for f in files if not f.name.endswith(".part.npz")]
    if not files:
        raise ValueError(f"no {split} shards in {folder} (want {split}_0000.npz ...)")
    loaded = [np.load(f) for f in files]
    views = np.concatenate([z["views"] for z in loaded])
    return views, np.concatenate([z["labels"] for z in loaded]).astype(np.int64)


def augment(views: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    """Half turns, light, contrast, colour cast, greyness and noise: float (n, 3, h, w), 0..1, in and out."""
    import torch

    n = len(views)

    def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.rand(n, *shape, generator=generator) * (high - low) + low

    turn = torch.rand(n, generator=generator) < 0.5
    views = torch.where(turn[:, None, None, None], views.flip(2, 3), views)
    mean = views.mean(dim=(2, 3), keepdim=True)
    views = mean + (views - mean) * uniform(0.6, 1.25, 1, 1, 1)
    views = views * uniform(0.75, 1.2, 1, 1, 1) * uniform(0.9, 1.1, 3, 1, 1) + uniform(-0.06, 0.06, 1, 1, 1)
    gray = views.mean(dim=1, keepdim=True)
    greyness = torch.where(torch.rand(n, generator=generator) < 0.12, 1.0, 0.0)[:, None, None, None]
    views = views + greyness * uniform(0.7, 1.0, 1, 1, 1) * (gray - views)
    noise = torch.randn(views.shape, generator=generator) * uniform(0, 0.025, 1, 1, 1)
    return (views + noise).clamp(0, 1)


def _batches(n: int, batch: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch + 1, batch):
            yield order[start : start + batch]


def train_reader(
    data: Path,
    out: Path,
    settings: ReaderTraining,
    *,
    device: str = "cpu",
    resume: bool = False,
    report: Callable[[str], None] = print,
) -> Path:
    """Train on the shards in ``data`` for the given minutes; gives the path of the ONNX file.

    The learning rate follows elapsed time (one cosine), so a run always ends properly. ``out`` gets the
    checkpoint every two minutes, the curves (``curves.jsonl``) and the settings; ``resume`` goes on.
    """
    import torch
    from torch import nn

    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    out.mkdir(parents=True, exist_ok=True)
    (out / "settings.json").write_text(json.dumps(asdict(settings), indent=2) + "\n")
    views, labels = load_shards(data, "train")
    val_views, val_labels = load_shards(data, "val")
    report(f"{len(views)} training views, {len(val_views)} validation views")
    network = build_network(settings.widths).to(device, memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=settings.peak_learning_rate, weight_decay=settings.weight_decay
    )
    loss_of = nn.CrossEntropyLoss(label_smoothing=settings.label_smoothing)
    generator = torch.Generator().manual_seed(settings.seed)
    elapsed_before, seen = 0.0, 0
    checkpoint = out / "last.pt"
    if resume and checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        network.load_state_dict(state["network"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        elapsed_before, seen = state["elapsed_s"], state["seen"]
    started, last_saved, total_s = time.monotonic(), 0.0, settings.minutes * 60
    running = math.nan
    for chosen in _batches(len(views), settings.batch, np.random.default_rng(settings.seed + seen)):
        elapsed = elapsed_before + time.monotonic() - started
        done = min(1.0, elapsed / total_s)
        for group in optimizer.param_groups:
            warm = min(1.0, (seen / settings.batch + 1) / 200)
            group["lr"] = settings.peak_learning_rate * warm * max(0.01, 0.5 * (1 + math.cos(math.pi * done)))
        batch = torch.from_numpy(views[np.sort(chosen)]).permute(0, 3, 1, 2).float().div_(255)
        batch = augment(batch, generator).to(device, memory_format=torch.channels_last)
        loss = loss_of(network(batch), torch.from_numpy(labels[np.sort(chosen)]).to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        average.update_parameters(network)
        seen += len(chosen)
        running = float(loss) if math.isnan(running) else 0.98 * running + 0.02 * float(loss)
        if elapsed - last_saved > 120 or done >= 1:
            last_saved = elapsed
            accuracy = _accuracy(average.module, val_views, val_labels, device)
            row = {"elapsed_s": round(elapsed), "seen": seen, "loss": running, "val_accuracy": accuracy}
            with (out / "curves.jsonl").open("a") as curves:
                curves.write(json.dumps(row) + "\n")
            report(json.dumps(row))
            state = {"network": network.state_dict(), "average": average.state_dict()}
            state |= {"optimizer": optimizer.state_dict(), "elapsed_s": elapsed, "seen": seen}
            torch.save(state, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").rename(checkpoint)
        if done >= 1:
            break
    return export_reader(average.module.cpu(), out / "reader.onnx")


def _accuracy(
    network: "nn.Module", views: NDArray[np.uint8], labels: NDArray[np.int64], device: str
) -> float:
    import torch

    network.eval()
    right = 0
    with torch.no_grad():
        for start in range(0, len(views), 256):
            batch = torch.from_numpy(views[start : start + 256]).permute(0, 3, 1, 2).float().div_(255)
            guess = network(batch.to(device, memory_format=torch.channels_last)).argmax(dim=1).cpu().numpy()
            right += int((guess == labels[start : start + 256]).sum())
    network.train()
    return right / len(views)


def export_reader(network: "nn.Module", onnx: Path) -> Path:
    """Write the network as ONNX: uint8-scaled input included, ``views`` (n, 128, 96, 3) uint8 -> ``probability``."""
    import torch
    from torch import nn

    class Deployed(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, views: Any) -> Any:
            return self.network(views.permute(0, 3, 1, 2).float() / 255).softmax(dim=1)

    network.eval()
    example = torch.zeros(2, 128, 96, 3, dtype=torch.uint8)
    torch.onnx.export(
        Deployed(),
        (example,),
        str(onnx),
        input_names=["views"],
        output_names=["probability"],
        dynamic_axes={"views": {0: "n"}, "probability": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    return onnx
