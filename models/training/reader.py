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
from models.cut import OUTSIDE_GRAY

WARP = 0.06
"""Most that a view is stretched, sheared, turned (radians) or shifted in training, of half its side."""
WARM_UP_STEPS = 200
SAVE_EVERY_S = 120.0

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
    """Half turns, small warps, light, contrast, colour cast, greyness and noise: float (n, 3, h, w), 0..1."""
    import torch
    from torch.nn import functional

    n = len(views)

    def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.rand(n, *shape, generator=generator) * (high - low) + low

    turn = torch.rand(n, generator=generator) < 0.5
    views = torch.where(turn[:, None, None, None], views.flip(2, 3), views)
    angle, skew = uniform(-WARP, WARP), uniform(-WARP, WARP)
    rows = torch.stack([1 + uniform(-WARP, WARP), skew - angle, uniform(-WARP, WARP)], dim=1)
    columns = torch.stack([skew + angle, 1 + uniform(-WARP, WARP), uniform(-WARP, WARP)], dim=1)
    grid = functional.affine_grid(torch.stack([rows, columns], dim=1), list(views.shape), align_corners=False)
    outside = OUTSIDE_GRAY / 255
    views = functional.grid_sample(views - outside, grid, align_corners=False) + outside
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


class _Learner:
    """Network, its running average and the optimizer, with how far they have come."""

    def __init__(self, settings: ReaderTraining, device: str) -> None:
        import torch

        self._settings = settings
        self.device = device
        self.network = build_network(settings.widths).to(device, memory_format=torch.channels_last)
        self.average = torch.optim.swa_utils.AveragedModel(
            self.network, avg_fn=_running_average, use_buffers=True
        )
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=settings.peak_learning_rate, weight_decay=settings.weight_decay
        )
        self._loss_of = torch.nn.CrossEntropyLoss(label_smoothing=settings.label_smoothing)
        self._generator = torch.Generator().manual_seed(settings.seed)
        self.elapsed_s = 0.0
        self.seen = 0

    def learn(self, views: NDArray[np.uint8], labels: NDArray[np.int64]) -> float:
        """One step on a batch at the learning rate that the elapsed time asks for (one cosine); the loss."""
        import torch

        done = min(1.0, self.elapsed_s / (self._settings.minutes * 60))
        warm = min(1.0, (self.seen / self._settings.batch + 1) / WARM_UP_STEPS)
        for group in self.optimizer.param_groups:
            cosine = max(0.01, 0.5 * (1 + math.cos(math.pi * done)))
            group["lr"] = self._settings.peak_learning_rate * warm * cosine
        batch = torch.from_numpy(views).permute(0, 3, 1, 2).float().div_(255)
        batch = augment(batch, self._generator).to(self.device, memory_format=torch.channels_last)
        loss = self._loss_of(self.network(batch), torch.from_numpy(labels).to(self.device))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.average.update_parameters(self.network)
        self.seen += len(labels)
        return float(loss.detach())

    def save(self, path: Path) -> None:
        import torch

        state = {"network": self.network.state_dict(), "average": self.average.state_dict()}
        state |= {"optimizer": self.optimizer.state_dict(), "elapsed_s": self.elapsed_s, "seen": self.seen}
        torch.save(state, path.with_suffix(".part"))
        path.with_suffix(".part").rename(path)

    def restore(self, path: Path) -> None:
        import torch

        state = torch.load(path, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.elapsed_s, self.seen = state["elapsed_s"], state["seen"]


def _running_average(average: "torch.Tensor", current: "torch.Tensor", steps: Any) -> "torch.Tensor":
    """Exponential average over some 500 steps; over fewer at the start, to forget the first weights."""
    keep = min(0.998, (1 + float(steps)) / (10 + float(steps)))
    return average + (1 - keep) * (current - average)


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

    The learning rate follows elapsed time, so a run always ends properly. ``out`` gets a checkpoint every two
    minutes, the curves (``curves.jsonl``) and the settings; ``resume`` goes on from the checkpoint.
    """
    import torch

    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    out.mkdir(parents=True, exist_ok=True)
    (out / "settings.json").write_text(json.dumps(asdict(settings), indent=2) + "\n")
    views, labels = load_shards(data, "train")
    val_views, val_labels = load_shards(data, "val")
    report(f"{len(views)} training views, {len(val_views)} validation views")
    learner = _Learner(settings, device)
    if resume:
        learner.restore(out / "last.pt")
    before_s, started, last_saved_s = learner.elapsed_s, time.monotonic(), 0.0
    running = math.nan
    order = _batches(len(views), settings.batch, np.random.default_rng(settings.seed + learner.seen))
    while learner.elapsed_s < settings.minutes * 60:
        chosen = np.sort(next(order))
        loss = learner.learn(views[chosen], labels[chosen])
        running = loss if math.isnan(running) else 0.98 * running + 0.02 * loss
        learner.elapsed_s = before_s + time.monotonic() - started
        if learner.elapsed_s - last_saved_s > SAVE_EVERY_S or learner.elapsed_s >= settings.minutes * 60:
            last_saved_s = learner.elapsed_s
            accuracy = _accuracy(learner.average.module, val_views, val_labels, device)
            row: dict[str, float] = {"elapsed_s": round(learner.elapsed_s), "seen": learner.seen}
            row |= {"loss": round(running, 4), "val_accuracy": round(accuracy, 4)}
            with (out / "curves.jsonl").open("a") as curves:
                curves.write(json.dumps(row) + "\n")
            report(json.dumps(row))
            learner.save(out / "last.pt")
    return export_reader(learner.average.module.cpu(), out / "reader.onnx")


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
    """Write the network as ONNX: ``views`` uint8 (n, 128, 96, 3) -> ``probability`` float (n, 56)."""
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
