"""Trains the index reader (which face a corner index is of, if it is one) with torch; exports it to ONNX."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.cut import INDEX_MARGIN_PX, INDEX_SIZE_WH
from models.training.views import (
    ViewTraining,
    as_batch,
    conv,
    load_view_set,
    residual,
    train_on_views,
    vary_light,
)
from referee.cards import FACES

WIDTHS = (24, 40, 72, 128)
"""Channels of the four stages: three times as fast as the reader's widths, at a quarter of its pixels."""
LARGEST_TURN, LARGEST_GROWTH, LARGEST_SHIFT = 0.12, 0.1, 0.06
"""Most that a view is turned (radians), grown, and shifted (of its height) in training."""
SPECKLED_SHARE, SPECKLES = 0.1, 0.02
"""So many views get so many black and white dots: photographs of data sets have them, and dust on a lens."""
COARSE_SHARE = 0.25
"""So many views are brought to a half or a third of their size and back."""
BLURRED_SHARE, MOST_BLUR_PX = 0.4, 3.0
"""So many views are blurred by up to so much (standard deviation), more one way than the other."""
SQUEEZED_SHARE, MOST_SQUEEZE = 0.3, 1.33
"""So many views are narrower than they should be, by up to this: no box tells how a picture is squeezed."""
LABEL_SMOOTHING = 0.05

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from torch import nn


class IndexTask:
    """Which face an index view shows, or none."""

    figure = "val_accuracy"

    def build(self, widths: tuple[int, int, int, int]) -> "nn.Module":
        """A residual network: float (n, 3, 64, 40), 0..1 BGR -> logits (n, 53).

        A face's logit is that of its rank plus that of its suit, so that each deck's seven of spades
        teaches all sevens and all spades.
        """
        import torch
        from torch import nn

        a, b, c, d = widths

        class IndexReader(nn.Module):  # type: ignore[misc]  # torch ships without complete types
            def __init__(self) -> None:
                super().__init__()
                self.body = nn.Sequential(
                    conv(3, a),
                    conv(a, b, 2),
                    residual(b),
                    conv(b, c, 2),
                    residual(c),
                    residual(c),
                    conv(c, d, 2),
                    residual(d),
                    nn.Flatten(),
                    nn.Dropout(0.2),
                    nn.Linear(d * (INDEX_SIZE_WH[0] // 8) * (INDEX_SIZE_WH[1] // 8), 192),
                    nn.ReLU(inplace=True),
                    nn.Dropout(0.2),
                )
                self.rank = nn.Linear(192, len({card.rank for card in FACES}))
                self.suit = nn.Linear(192, len({card.suit for card in FACES}))
                self.nothing = nn.Linear(192, 1)

            def forward(self, views: Any) -> Any:
                seen = self.body(views)
                faces = self.suit(seen)[:, :, None] + self.rank(seen)[:, None, :]
                return torch.cat([faces.flatten(1), self.nothing(seen)], dim=1)

        return IndexReader()

    def inputs(self, views: "NDArray[np.uint8]") -> "tuple[torch.Tensor, ...]":
        """The views without their margin."""
        m = INDEX_MARGIN_PX
        return (as_batch(views[:, m:-m, m:-m]),)

    def varied(
        self, views: "NDArray[np.uint8]", truth: "torch.Tensor", generator: "torch.Generator"
    ) -> "tuple[tuple[torch.Tensor, ...], torch.Tensor]":
        """Turned, grown and shifted a little; other light, less resolution, specks."""
        import torch
        from torch.nn import functional

        n, height, width = views.shape[:3]
        batch = as_batch(views)

        def around(most: float) -> torch.Tensor:
            return (torch.rand(n, generator=generator) * 2 - 1) * most

        c, s = torch.cos(angle := around(LARGEST_TURN)), torch.sin(angle)
        squeezed = (torch.rand(n, generator=generator) < SQUEEZED_SHARE).float()
        squeeze = 1 + squeezed * (MOST_SQUEEZE - 1) * torch.rand(n, generator=generator)
        across = (INDEX_SIZE_WH[0] / width) * torch.exp(around(LARGEST_GROWTH)) * squeeze
        down = (INDEX_SIZE_WH[1] / height) * torch.exp(around(LARGEST_GROWTH))
        tall = height / width
        rows = torch.stack([c * across, -s * down * tall, around(LARGEST_SHIFT) * 2 * tall], dim=1)
        columns = torch.stack([s * across / tall, c * down, around(LARGEST_SHIFT) * 2], dim=1)
        size = [n, 3, INDEX_SIZE_WH[1], INDEX_SIZE_WH[0]]
        grid = functional.affine_grid(torch.stack([rows, columns], dim=1), size, align_corners=False)
        batch = functional.grid_sample(batch, grid, padding_mode="border", align_corners=False)
        batch = _coarsened(_blurred(batch, generator), generator)
        batch = _speckled(vary_light(batch, generator), generator)
        return (batch.contiguous(memory_format=torch.channels_last),), truth

    def loss(self, answers: "torch.Tensor", truth: "torch.Tensor") -> "torch.Tensor":
        """Cross entropy, labels smoothed."""
        from torch.nn import functional

        return functional.cross_entropy(answers, truth.long(), label_smoothing=LABEL_SMOOTHING)

    def measure(self, answers: "torch.Tensor", truth: "torch.Tensor") -> float:
        """The share of views that are named rightly."""
        return float((answers.argmax(dim=1) == truth).float().mean())


def _blurred(batch: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    import torch
    from torch.nn import functional

    which = torch.rand(len(batch), generator=generator) < BLURRED_SHARE
    n = int(which.sum())
    if not n:
        return batch
    reach = round(2 * MOST_BLUR_PX)
    steps = torch.arange(-reach, reach + 1)

    def kernels() -> torch.Tensor:
        sigma = torch.rand(n, 1, generator=generator) * MOST_BLUR_PX + 0.05
        weights = torch.exp(-0.5 * (steps / sigma) ** 2)
        return (weights / weights.sum(dim=1, keepdim=True)).repeat_interleave(3, dim=0)

    rows = batch[which].reshape(1, -1, *batch.shape[2:])
    across, down = kernels()[:, None, None, :], kernels()[:, None, :, None]
    rows = functional.pad(rows, (reach, reach, reach, reach), mode="replicate")
    rows = functional.conv2d(functional.conv2d(rows, across, groups=3 * n), down, groups=3 * n)
    batch[which] = rows.reshape(n, 3, *batch.shape[2:])
    return batch


def _coarsened(batch: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    import torch
    from torch.nn import functional

    size = batch.shape[2:]
    drawn = torch.rand(len(batch), generator=generator)
    for factor, low, high in ((0.5, 0.0, 0.7), (1 / 3, 0.7, 1.0)):
        which = (drawn >= low * COARSE_SHARE) & (drawn < high * COARSE_SHARE)
        if which.any():
            small = functional.interpolate(batch[which], scale_factor=factor, mode="area")
            batch[which] = functional.interpolate(small, size=size, mode="bilinear", align_corners=False)
    return batch


def _speckled(batch: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    import torch

    n, _, height, width = batch.shape
    dots = torch.rand(n, 1, height, width, generator=generator)
    share = torch.rand(n, 1, 1, 1, generator=generator) * SPECKLES
    share = share * (torch.rand(n, 1, 1, 1, generator=generator) < SPECKLED_SHARE)
    batch = torch.where(dots < share / 2, 0.0, batch)
    return torch.where(dots > 1 - share / 2, 1.0, batch)


def train_index_reader(
    data: Path,
    out: Path,
    settings: ViewTraining,
    *,
    device: str = "cpu",
    resume: bool = False,
    start: Path | None = None,
    report: Callable[[str], None] = print,
) -> Path:
    """Train on the shards in ``data``; gives the path of the ONNX file. See ``train_on_views``."""
    sets = load_view_set(data, "train", "indices", "labels"), load_view_set(data, "val", "indices", "labels")
    network = train_on_views(
        IndexTask(), sets, out, settings, device=device, resume=resume, start=start, report=report
    )
    return export_index_reader(network, out / "index_reader.onnx")


def export_index_reader(network: "nn.Module", onnx: Path) -> Path:
    """Write the network as ONNX: ``views`` uint8 (n, 64, 40, 3) -> ``probability`` float (n, 53)."""
    import torch
    from torch import nn

    class Deployed(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, views: Any) -> Any:
            return self.network(views.permute(0, 3, 1, 2).float() / 255).softmax(dim=1)

    network.eval()
    width, height = INDEX_SIZE_WH
    torch.onnx.export(
        Deployed(),
        (torch.zeros(2, height, width, 3, dtype=torch.uint8),),
        str(onnx),
        input_names=["views"],
        output_names=["probability"],
        dynamic_axes={"views": {0: "n"}, "probability": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    return onnx
