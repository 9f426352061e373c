"""Trains the reader (which card, back, unreadable or nothing is in a view) with torch; exports it to ONNX."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.classes import READER_NAMES
from models.cut import OUTSIDE_GRAY
from models.training.views import ViewTraining, load_view_set, residual_stages, train_on_views, vary_light

WARP = 0.06
"""Most that a view is stretched, sheared, turned (radians) or shifted in training, of half its side."""
LABEL_SMOOTHING = 0.05

if TYPE_CHECKING:
    import torch
    from torch import nn


class ReadingTask:
    """Which of the reader's names a view shows."""

    figure = "val_accuracy"

    def build(self, widths: tuple[int, int, int, int]) -> "nn.Module":
        """A small residual network: float (n, 3, 128, 96), 0..1 BGR -> logits (n, 56)."""
        from torch import nn

        return nn.Sequential(
            *residual_stages(widths),
            nn.AdaptiveAvgPool2d((4, 3)),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(widths[3] * 12, len(READER_NAMES)),
        )

    def loss(self, network: "nn.Module", batch: "torch.Tensor", truth: "torch.Tensor") -> "torch.Tensor":
        """Cross entropy, labels smoothed."""
        from torch.nn import functional

        return functional.cross_entropy(network(batch), truth.long(), label_smoothing=LABEL_SMOOTHING)

    def augment(
        self, batch: "torch.Tensor", truth: "torch.Tensor", generator: "torch.Generator"
    ) -> tuple["torch.Tensor", "torch.Tensor"]:
        """Half turns, small warps, light."""
        import torch
        from torch.nn import functional

        n = len(batch)

        def around(middle: float) -> torch.Tensor:
            return (torch.rand(n, generator=generator) * 2 - 1) * WARP + middle

        turn = torch.rand(n, generator=generator) < 0.5
        batch = torch.where(turn[:, None, None, None], batch.flip(2, 3), batch)
        angle, skew = around(0), around(0)
        rows = torch.stack([around(1), skew - angle, around(0)], dim=1)
        columns = torch.stack([skew + angle, around(1), around(0)], dim=1)
        size = list(batch.shape)
        grid = functional.affine_grid(torch.stack([rows, columns], dim=1), size, align_corners=False)
        outside = OUTSIDE_GRAY / 255
        batch = functional.grid_sample(batch - outside, grid, align_corners=False) + outside
        return vary_light(batch, generator), truth

    def measure(self, answers: "torch.Tensor", truth: "torch.Tensor") -> float:
        """The share of views that are named rightly."""
        return float((answers.argmax(dim=1) == truth).float().mean())


def train_reader(
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
    sets = load_view_set(data, "train", "views", "labels"), load_view_set(data, "val", "views", "labels")
    network = train_on_views(
        ReadingTask(), sets, out, settings, device=device, resume=resume, start=start, report=report
    )
    return export_reader(network, out / "reader.onnx")


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
