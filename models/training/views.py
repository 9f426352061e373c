"""Trains a small network on views of cards for a given time: what reader and aligner have in common."""

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from models.training.from_onnx import give_exported_weights

WARM_UP_STEPS = 200
SAVE_EVERY_S = 120.0
EXPORTED_SAMPLES = 1024
"""So many training views tell what the normalisations of an exported network saw."""

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTraining:
    """Settings of one run; every field goes into the model card.

    minutes: wall time to train for. widths: channels of the four stages. taught_before: runs that the start
    weights come from.
    """

    minutes: float = 40.0
    batch: int = 128
    peak_learning_rate: float = 2e-3
    weight_decay: float = 0.02
    widths: tuple[int, int, int, int] = (24, 48, 96, 160)
    threads: int = 1
    seed: int = 0
    taught_before: str = "nothing: weights at random"


class Task(Protocol):
    """What is learnt: the network, its samples and how good an answer is."""

    figure: str
    """Name of the figure that tells how good the network is on the validation views."""

    def build(self, widths: tuple[int, int, int, int]) -> "nn.Module":
        """The network with random weights."""

    def inputs(self, views: NDArray[np.uint8]) -> "tuple[torch.Tensor, ...]":
        """What the network takes of views, uint8 (n, h, w, 3)."""

    def varied(
        self, views: NDArray[np.uint8], truth: "torch.Tensor", generator: "torch.Generator"
    ) -> "tuple[tuple[torch.Tensor, ...], torch.Tensor]":
        """The same for learning: other light, other angles; with the truth that then holds."""

    def loss(self, answers: "torch.Tensor", truth: "torch.Tensor") -> "torch.Tensor":
        """How wrong the answers are."""

    def measure(self, answers: "torch.Tensor", truth: "torch.Tensor") -> float:
        """The figure."""


@dataclass(frozen=True, slots=True, eq=False)
class ViewSet:
    """views: uint8 (n, h, w, 3) BGR. truth: (n, ...)."""

    views: NDArray[np.uint8]
    truth: NDArray[Any]


def load_view_set(folder: Path, split: str, views: str, truth: str) -> ViewSet:
    """The arrays ``views`` and ``truth`` of all shards of a split; ``ValueError`` where there are none."""
    files = [f for f in sorted(folder.glob(f"{split}_[0-9]*.npz")) if not f.name.endswith(".part.npz")]
    if not files:
        raise ValueError(f"no {split} shards in {folder} (want {split}_0000.npz ...)")
    truths = [_array_of(file, truth) for file in files]
    ends = np.cumsum([len(part) for part in truths])
    all_views = np.empty((ends[-1], *_array_of(files[0], views).shape[1:]), np.uint8)
    for file, end, part in zip(files, ends, truths, strict=True):  # One copy only: they fill the memory.
        all_views[end - len(part) : end] = _array_of(file, views)
    return ViewSet(all_views, np.concatenate(truths))


def _array_of(file: Path, name: str) -> NDArray[Any]:
    with np.load(file) as shard:
        if name not in shard:
            raise ValueError(f"{file} has no {name} (build the set again)")
        return np.asarray(shard[name])


class _Learner:
    """Network, its running average and the optimizer, with how far they have come."""

    def __init__(self, task: Task, settings: ViewTraining, device: str) -> None:
        import torch

        self._task, self._settings, self.device = task, settings, device
        network = task.build(settings.widths)
        self.network = network.to(device, memory_format=torch.channels_last)
        self.average = torch.optim.swa_utils.AveragedModel(
            self.network, avg_fn=_running_average, use_buffers=True
        )
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=settings.peak_learning_rate, weight_decay=settings.weight_decay
        )
        self._generator = torch.Generator().manual_seed(settings.seed)
        self.elapsed_s = 0.0
        self.seen = 0

    def learn(self, views: NDArray[np.uint8], truth: NDArray[Any]) -> float:
        """One step on a batch at the learning rate that the elapsed time asks for (one cosine); the loss."""
        import torch

        done = min(1.0, self.elapsed_s / (self._settings.minutes * 60))
        warm = min(1.0, (self.seen / self._settings.batch + 1) / WARM_UP_STEPS)
        for group in self.optimizer.param_groups:
            cosine = max(0.01, 0.5 * (1 + math.cos(math.pi * done)))
            group["lr"] = self._settings.peak_learning_rate * warm * cosine
        inputs, wanted = self._task.varied(views, torch.from_numpy(truth), self._generator)
        answers = self.network(*(part.to(self.device) for part in inputs))
        loss = self._task.loss(answers, wanted.to(self.device))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.average.update_parameters(self.network)
        self.seen += len(truth)
        return float(loss.detach())

    def measure(self, held_out: ViewSet) -> float:
        """The task's figure of the averaged network."""
        import torch

        network = self.average.module
        network.eval()
        with torch.no_grad():
            answers = [
                network(
                    *(part.to(self.device) for part in self._task.inputs(held_out.views[i : i + 256]))
                ).cpu()
                for i in range(0, len(held_out.views), 256)
            ]
        network.train()
        return self._task.measure(torch.cat(answers), torch.from_numpy(held_out.truth))

    def save(self, path: Path) -> None:
        import torch

        state = {"network": self.network.state_dict(), "average": self.average.state_dict()}
        state |= {"optimizer": self.optimizer.state_dict(), "elapsed_s": self.elapsed_s, "seen": self.seen}
        torch.save(state, path.with_suffix(".part"))
        path.with_suffix(".part").rename(path)

    def restore(self, path: Path) -> None:
        """Go on where the run of ``path`` stopped."""
        import torch

        state = torch.load(path, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.elapsed_s, self.seen = state["elapsed_s"], state["seen"]

    def begin_with(self, path: Path, training: ViewSet) -> None:
        """Begin a new run with the averaged weights of another one, as far as the networks are alike."""
        import torch

        if path.suffix == ".onnx":
            self._begin_with_exported(path, training)
            return
        state = torch.load(path, weights_only=True)["average"]
        own = self.network.state_dict()
        taken = {k.removeprefix("module."): v for k, v in state.items()}
        taken = {k: v for k, v in taken.items() if k in own and v.shape == own[k].shape}
        if not taken:
            raise ValueError(f"{path} holds no weights of such a network")
        self.network.load_state_dict(own | taken)
        self.average.module.load_state_dict(own | taken)

    def _begin_with_exported(self, path: Path, training: ViewSet) -> None:
        import torch

        step = max(1, len(training.views) // EXPORTED_SAMPLES)
        views, truth = training.views[::step][:EXPORTED_SAMPLES], training.truth[::step][:EXPORTED_SAMPLES]
        inputs, _ = self._task.varied(views, torch.from_numpy(truth), self._generator)

        def run(network: "nn.Module") -> None:
            with torch.no_grad():
                network(*(part.to(self.device) for part in inputs))

        give_exported_weights(self.network, path, run, name_in_file=lambda name: f"network.{name}")
        self.network.train()
        self.average.module.load_state_dict(self.network.state_dict())


def as_batch(views: NDArray[np.uint8]) -> "torch.Tensor":
    """Views, uint8 (n, h, w, 3), as float (n, 3, h, w), 0..1."""
    import torch

    batch = torch.from_numpy(views).permute(0, 3, 1, 2)
    return batch.to(torch.float32, memory_format=torch.channels_last).div_(255)


def _running_average(average: "torch.Tensor", current: "torch.Tensor", steps: Any) -> "torch.Tensor":
    """Exponential average over some 500 steps; over fewer at the start, to forget the first weights."""
    keep = min(0.998, (1 + float(steps)) / (10 + float(steps)))
    return average + (1 - keep) * (current - average)


def _batches(n: int, batch: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch + 1, batch):
            yield order[start : start + batch]


def train_on_views(
    task: Task,
    data: tuple[ViewSet, ViewSet],
    out: Path,
    settings: ViewTraining,
    *,
    device: str = "cpu",
    resume: bool = False,
    start: Path | None = None,
    report: Callable[[str], None] = print,
) -> "nn.Module":
    """Train on (training, validation) views for the given minutes; gives the averaged network.

    The learning rate follows elapsed time, so a run always ends properly. ``out`` gets a checkpoint every two
    minutes, the curves (``curves.jsonl``) and the settings; ``resume`` goes on from the checkpoint, ``start``
    gives the weights to begin with.
    """
    import torch

    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    out.mkdir(parents=True, exist_ok=True)
    (out / "settings.json").write_text(json.dumps(asdict(settings), indent=2) + "\n")
    training, held_out = data
    report(f"{len(training.views)} training views, {len(held_out.views)} validation views")
    learner = _Learner(task, settings, device)
    if resume:
        learner.restore(out / "last.pt")
    elif start is not None:
        learner.begin_with(start, training)
    before_s, started, last_saved_s = learner.elapsed_s, time.monotonic(), 0.0
    running = math.nan
    order = _batches(len(training.views), settings.batch, np.random.default_rng(settings.seed + learner.seen))
    while learner.elapsed_s < settings.minutes * 60:
        chosen = np.sort(next(order))
        loss = learner.learn(training.views[chosen], training.truth[chosen])
        running = loss if math.isnan(running) else 0.98 * running + 0.02 * loss
        learner.elapsed_s = before_s + time.monotonic() - started
        if learner.elapsed_s - last_saved_s > SAVE_EVERY_S or learner.elapsed_s >= settings.minutes * 60:
            last_saved_s = learner.elapsed_s
            row: dict[str, float] = {"elapsed_s": round(learner.elapsed_s), "seen": learner.seen}
            row |= {"loss": round(running, 4), task.figure: round(learner.measure(held_out), 4)}
            with (out / "curves.jsonl").open("a") as curves:
                curves.write(json.dumps(row) + "\n")
            report(json.dumps(row))
            learner.save(out / "last.pt")
    network: nn.Module = learner.average.module.cpu()
    return network


def conv(inputs: int, outputs: int, stride: int = 1) -> "nn.Module":
    """A 3 x 3 convolution, normalised, with its non-linearity."""
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


def residual(channels: int) -> "nn.Module":
    """Two convolutions whose outcome is added to what went in."""
    from torch import nn

    class Residual(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(
                conv(channels, channels),
                nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
                nn.BatchNorm2d(channels),
            )
            self.act = nn.ReLU(inplace=True)

        def forward(self, x: Any) -> Any:
            return self.act(x + self.body(x))

    return Residual()


def averaged_to(size: tuple[int, int], of: tuple[int, int]) -> "nn.Module":
    """``AdaptiveAvgPool2d(size)`` for maps of the size ``of``: ONNX has it for whole ratios only."""
    import torch
    from torch import nn
    from torch.nn import functional

    def weights(parts: int, length: int) -> torch.Tensor:
        return functional.adaptive_avg_pool1d(torch.eye(length), parts)  # (length, parts)

    class Averaged(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("rows", weights(size[0], of[0]).T.contiguous(), persistent=False)
            self.register_buffer("columns", weights(size[1], of[1]), persistent=False)

        def forward(self, x: Any) -> Any:
            return self.rows @ x @ self.columns

    return Averaged()


def residual_stages(widths: tuple[int, int, int, int]) -> "list[nn.Module]":
    """Four stages that halve the picture each: float (n, 3, h, w) -> (n, widths[3], h / 16, w / 16)."""
    a, b, c, d = widths
    return [
        conv(3, a, 2),
        conv(a, b, 2),
        residual(b),
        conv(b, c, 2),
        residual(c),
        residual(c),
        conv(c, d, 2),
        residual(d),
    ]


def vary_light(views: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    """Contrast, exposure, colour cast, greyness and noise: float (n, 3, h, w), 0..1."""
    import torch

    n = len(views)

    def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.rand(n, *shape, generator=generator) * (high - low) + low

    mean = views.mean(dim=(2, 3), keepdim=True)
    views = mean + (views - mean) * uniform(0.6, 1.25, 1, 1, 1)
    views = views * uniform(0.75, 1.2, 1, 1, 1) * uniform(0.9, 1.1, 3, 1, 1) + uniform(-0.06, 0.06, 1, 1, 1)
    gray = views.mean(dim=1, keepdim=True)
    greyness = torch.where(torch.rand(n, generator=generator) < 0.12, 1.0, 0.0)[:, None, None, None]
    views = views + greyness * uniform(0.7, 1.0, 1, 1, 1) * (gray - views)
    noise = torch.randn(views.shape, generator=generator) * uniform(0, 0.025, 1, 1, 1)
    return (views + noise).clamp(0, 1)
