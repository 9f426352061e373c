"""Trains the aligner (where the corners of a located card's visible part are) with torch; exports it to ONNX.

A locator gives rectangles. A card that the camera sees aslant, or in a picture that was squeezed, is none:
its index then fills less of the reader's view, sheared. The aligner sees the rectangle with its surroundings
and gives the four corners of the visible part along the card's own edges.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.cut import WIDE_SIZE_WH
from models.training.views import (
    ViewTraining,
    as_batch,
    load_view_set,
    residual_stages,
    train_on_views,
    vary_light,
)

NEAR_PX = 2.0
"""Errors below it count as their square: corners of torn or hidden edges are not known to the pixel."""

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from torch import nn


class AligningTask:
    """The four corners, in pixels of the wide view."""

    figure = "val_corner_error_px"

    def build(self, widths: tuple[int, int, int, int]) -> "nn.Module":
        """A small residual network: float (n, 3, 96, 64), 0..1 BGR -> corners (n, 4, 2) in pixels."""
        import torch
        from torch import nn

        width, height = WIDE_SIZE_WH
        last = nn.Linear(128, 8)
        nn.init.normal_(last.weight, std=0.001)
        with torch.no_grad():
            last.bias.copy_(torch.tensor([0.2, 0.2, 0.8, 0.2, 0.8, 0.8, 0.2, 0.8]))

        class Pixels(nn.Module):  # type: ignore[misc]  # torch ships without complete types
            def forward(self, x: Any) -> Any:
                return x.view(-1, 4, 2) * torch.tensor([width, height], dtype=x.dtype, device=x.device)

        return nn.Sequential(
            *residual_stages(widths),
            nn.Conv2d(widths[3], 32, 1),
            nn.Flatten(),
            nn.ReLU(inplace=True),
            nn.Linear(32 * (width // 16) * (height // 16), 128),
            nn.ReLU(inplace=True),
            last,
            Pixels(),
        )

    def inputs(self, views: "NDArray[np.uint8]") -> "tuple[torch.Tensor, ...]":
        """The views."""
        return (as_batch(views),)

    def varied(
        self, views: "NDArray[np.uint8]", truth: "torch.Tensor", generator: "torch.Generator"
    ) -> "tuple[tuple[torch.Tensor, ...], torch.Tensor]":
        """Half turns, mirrored views, light."""
        import torch

        batch = as_batch(views)
        width, height = WIDE_SIZE_WH
        for axis, side, order in ((3, width, [1, 0, 3, 2]), (2, height, [3, 2, 1, 0])):
            flip = torch.rand(len(batch), generator=generator) < 0.5
            batch = torch.where(flip[:, None, None, None], batch.flip(axis), batch)
            mirrored = truth[:, order].clone()
            mirrored[:, :, 3 - axis] = side - mirrored[:, :, 3 - axis]
            truth = torch.where(flip[:, None, None], mirrored, truth)
        return (vary_light(batch, generator),), truth

    def loss(self, answers: "torch.Tensor", truth: "torch.Tensor") -> "torch.Tensor":
        """Absolute error of the corners, squared where it is small."""
        from torch.nn import functional

        return functional.smooth_l1_loss(answers, truth, beta=NEAR_PX)

    def measure(self, answers: "torch.Tensor", truth: "torch.Tensor") -> float:
        """The median over the views of the greatest corner error, in pixels."""
        return float((answers - truth).norm(dim=2).amax(dim=1).median())


def train_aligner(
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
    sets = (
        load_view_set(data, "train", "wide", "corners_px"),
        load_view_set(data, "val", "wide", "corners_px"),
    )
    network = train_on_views(
        AligningTask(), sets, out, settings, device=device, resume=resume, start=start, report=report
    )
    return export_aligner(network, out / "aligner.onnx")


def export_aligner(network: "nn.Module", onnx: Path) -> Path:
    """Write the network as ONNX: ``views`` uint8 (n, 96, 64, 3) -> ``corners_px`` float (n, 4, 2)."""
    import torch
    from torch import nn

    class Deployed(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, views: Any) -> Any:
            return self.network(views.permute(0, 3, 1, 2).float() / 255)

    network.eval()
    width, height = WIDE_SIZE_WH
    torch.onnx.export(
        Deployed(),
        (torch.zeros(2, height, width, 3, dtype=torch.uint8),),
        str(onnx),
        input_names=["views"],
        output_names=["corners_px"],
        dynamic_axes={"views": {0: "n"}, "corners_px": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    return onnx
