"""Trains the reader (which card, back, unreadable or nothing is in a view) with torch; exports it to ONNX."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.classes import READER_NAMES
from models.cut import OUTSIDE_GRAY, PATCH_SIZE_WH, cut_patches, patch_corners
from models.reader_features import with_features
from models.training.views import (
    ViewTraining,
    as_batch,
    averaged_to,
    conv,
    load_view_set,
    residual,
    residual_stages,
    train_on_views,
    vary_light,
)

WARP = 0.06
"""Most that a view is stretched, sheared, turned (radians) or shifted in training, of half its side."""
LABEL_SMOOTHING = 0.05
PATCH_WIDTHS = (24, 40, 80)
"""Channels of the three stages that look at a view's corners."""
HIDDEN = 256
"""Channels in which the view and its corners are weighed together."""

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from torch import nn


class ReadingTask:
    """Which of the reader's names a view shows."""

    figure = "val_accuracy"

    def build(self, widths: tuple[int, int, int, int]) -> "nn.Module":
        """A residual network on the whole view, a finer one on its corners, and what they say together.

        Views, float (n, 3, 128, 96), and their corners, (2 n, 3, 48, 32), both 0..1 BGR -> logits (n, 56).
        """
        import torch
        from torch import nn

        a, b, c = PATCH_WIDTHS

        class Reader(nn.Module):  # type: ignore[misc]  # torch ships without complete types
            def __init__(self) -> None:
                super().__init__()
                self.whole = nn.Sequential(
                    *residual_stages(widths), nn.AdaptiveAvgPool2d((4, 3)), nn.Flatten()
                )
                self.corner = nn.Sequential(
                    conv(3, a),
                    conv(a, b, 2),
                    residual(b),
                    conv(b, c, 2),
                    residual(c),
                    residual(c),
                    averaged_to((4, 3), (PATCH_SIZE_WH[1] // 4, PATCH_SIZE_WH[0] // 4)),
                    nn.Flatten(),
                )
                self.verdict = nn.Sequential(
                    nn.Dropout(0.2),
                    nn.Linear((widths[3] + 2 * c) * 12, HIDDEN),
                    nn.ReLU(inplace=True),
                    nn.Dropout(0.2),
                    nn.Linear(HIDDEN, len(READER_NAMES)),
                )

            def forward(self, views: Any, corners: Any) -> Any:
                close = self.corner(corners).view(views.shape[0], -1)
                return self.verdict(torch.cat([self.whole(views), close], dim=1))

        return Reader()

    def inputs(self, views: "NDArray[np.uint8]") -> "tuple[torch.Tensor, ...]":
        """The views and their corners."""
        patches = cut_patches(views)
        return as_batch(views), as_batch(patches.reshape(-1, *patches.shape[2:]))

    def varied(
        self, views: "NDArray[np.uint8]", truth: "torch.Tensor", generator: "torch.Generator"
    ) -> "tuple[tuple[torch.Tensor, ...], torch.Tensor]":
        """Half turns, small warps, light; the corners are cut from what that makes of the view."""
        import torch
        from torch.nn import functional

        n = len(views)
        batch = as_batch(views)

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
        batch = vary_light(batch, generator).contiguous(memory_format=torch.channels_last)
        width, height = PATCH_SIZE_WH
        corners = []
        for view, begins, turned in zip(batch, patch_corners(views), turn.tolist(), strict=True):
            last_x, last_y = view.shape[2] - width, view.shape[1] - height
            for k in (0, 1):  # The turned view begins where the other patch of the upright one ends.
                x, y = begins[1 - k] if turned else begins[k]
                x, y = (last_x - x, last_y - y) if turned else (x, y)
                patch = view[:, y : y + height, x : x + width]
                corners.append(patch.flip(1, 2) if k else patch)
        return (batch, torch.stack(corners).contiguous(memory_format=torch.channels_last)), truth

    def loss(self, answers: "torch.Tensor", truth: "torch.Tensor") -> "torch.Tensor":
        """Cross entropy, labels smoothed."""
        from torch.nn import functional

        return functional.cross_entropy(answers, truth.long(), label_smoothing=LABEL_SMOOTHING)

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
    """Write the network as ONNX.

    ``views`` uint8 (n, 128, 96, 3), ``corners`` uint8 (n, 2, 48, 32, 3) -> ``probability`` float (n, 56),
    ``features`` float (n, 256): what the last layer weighs, for decks that are enrolled.
    """
    import torch
    from torch import nn

    class Deployed(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, views: Any, corners: Any) -> Any:
            whole = views.permute(0, 3, 1, 2).float() / 255
            close = corners.flatten(0, 1).permute(0, 3, 1, 2).float() / 255
            return self.network(whole, close).softmax(dim=1)

    network.eval()
    width, height = PATCH_SIZE_WH
    torch.onnx.export(
        Deployed(),
        (
            torch.zeros(2, 128, 96, 3, dtype=torch.uint8),
            torch.zeros(2, 2, height, width, 3, dtype=torch.uint8),
        ),
        str(onnx),
        input_names=["views", "corners"],
        output_names=["probability"],
        dynamic_axes={"views": {0: "n"}, "corners": {0: "n"}, "probability": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    onnx.write_bytes(with_features(onnx.read_bytes()))
    return onnx
