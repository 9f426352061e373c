"""Trains the back comparer (which views of backs are of one design) with torch; exports it to ONNX.

A picture of a back becomes 88 vectors of unit length, one for each 8 mm of the card, and the weight of each.
Two backs are compared vector by vector, where both are seen. So parts of a back can be compared as well as
whole ones, and a design that was never taught is told by one picture.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.back_view import CARD_WH_MM
from models.training.views import ViewTraining, conv, load_view_set, residual, train_on_views

WIDTHS = (24, 48, 80, 48)
"""Channels of the three stages, and numbers in a vector."""
DESIGNS_A_BATCH = 28
VIEWS_A_DESIGN = 3
"""Of those in the set, drawn anew for each batch."""
CELL_MM = 8
ENROLLED = 6
"""So many designs a view is compared with where the network is measured, and where 'unknown' is taught."""
CUT_SHARE = 0.3
"""So many views are cut down to a part in training."""
NEAR_COLOURS = 0.05
"""A back in other inks is another design only if it differs by so much, 0..1, after light is allowed for."""

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from torch import nn


class BackTask:
    """Each view is of the design beside it, and not of those of other rows, nor of it in other inks."""

    figure = "val_right_of_six"

    def build(self, widths: tuple[int, int, int, int]) -> "nn.Module":
        """Rows of pictures, float (n, 1 + views, 4, 88, 63) -> likenesses (n, views, designs).

        The first picture of a row is the one that was enrolled. Likenesses are log odds; the first is of the
        row's own design. In training, rows end with one picture more: the design in other inks.
        """
        return _with_pairs(back_encoder(widths))

    def inputs(self, views: "NDArray[np.uint8]") -> "tuple[torch.Tensor, ...]":
        """The rows."""
        return (_rows(views),)

    def varied(
        self,
        views: "NDArray[np.uint8]",
        truth: "torch.Tensor",  # noqa: ARG002  # every row is a design of its own
        generator: "torch.Generator",
    ) -> "tuple[tuple[torch.Tensor, ...], torch.Tensor]":
        """Some views of each row, mirrored and in other inks together, cut and lit each on its own.

        The truth then tells where the design in other inks is another one.
        """
        import torch

        rows = _rows(views)
        n, pictures = rows.shape[:2]
        drawn = torch.rand(n, pictures - 1, generator=generator).argsort(dim=1)[:, :VIEWS_A_DESIGN] + 1
        chosen = torch.cat([torch.zeros(n, 1, dtype=torch.long), drawn], dim=1)
        rows = torch.stack([row[order] for row, order in zip(rows, chosen, strict=True)])
        rows = _mirrored(_permuted(rows, generator), generator)
        other, differs = _in_other_inks(rows[:, 0], generator)
        rows = torch.cat([rows, other[:, None]], dim=1)
        rows[:, 1:-1] *= _part(n * VIEWS_A_DESIGN, generator).view(n, VIEWS_A_DESIGN, 1, *rows.shape[3:])
        return (_lit(rows, generator),), differs

    def loss(self, answers: "torch.Tensor", truth: "torch.Tensor") -> "torch.Tensor":
        """How unlike the own design is, against all others, and against nothing at all."""
        import torch
        from torch.nn import functional

        likeness = answers.clone()
        likeness[:, :, len(answers)] -= torch.where(truth.to(answers.device), 0.0, 60.0)[:, None]
        likeness = likeness.flatten(0, 1)
        own, others = likeness[:, 0], likeness[:, 1:]
        known = functional.cross_entropy(likeness, torch.zeros(len(likeness), dtype=torch.long))
        expected = torch.logsumexp(others, dim=1) - torch.log(torch.tensor(others.shape[1] / ENROLLED))
        return known + 0.5 * (functional.softplus(-own) + functional.softplus(expected)).mean()

    def measure(
        self,
        answers: "torch.Tensor",
        truth: "torch.Tensor",  # noqa: ARG002  # the own design comes first
    ) -> float:
        """The share of views that are most like their own design, of six."""
        return float((answers[..., 0] > answers[..., 1:].amax(dim=2)).float().mean())


def back_encoder(widths: tuple[int, int, int, int]) -> "nn.Module":
    """Float (n, 4, 88, 63), BGR 0..1 and where it is seen -> vectors (n, 88, d) and their weights (n, 88)."""
    import torch
    from torch import nn
    from torch.nn import functional

    a, b, c, d = widths

    class Encoder(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.near = nn.Sequential(conv(7, a, 2), conv(a, b, 2), residual(b))
            self.whole = nn.Linear(b, b)
            self.far = nn.Sequential(conv(b, c, 2), residual(c), residual(c))
            self.vector = nn.Conv2d(c, d, 1)
            self.weight = nn.Conv2d(c, 1, 1)

        def forward(self, pictures: Any) -> Any:
            colours, seen = pictures[:, :3] * pictures[:, 3:], pictures[:, 3:]
            mean = colours.mean(dim=(2, 3), keepdim=True) / (seen.mean(dim=(2, 3), keepdim=True) + 1e-3)
            balanced = (colours / (2 * mean + 0.05)).clamp(max=2.0)
            stacked = torch.cat([colours, balanced, seen], dim=1)
            near = self.near(stacked.contiguous(memory_format=torch.channels_last))
            near = near + torch.tanh(self.whole(near.mean(dim=(2, 3))))[:, :, None, None]
            far = self.far(near)
            cells = functional.avg_pool2d(functional.pad(seen, (0, 1)), CELL_MM)
            weight = torch.sigmoid(self.weight(far)) * cells
            vectors = functional.normalize(self.vector(far), dim=1)
            return vectors.flatten(2).transpose(1, 2), weight.flatten(1)

    return Encoder()


def _with_pairs(encoder: "nn.Module") -> "nn.Module":
    import torch
    from torch import nn

    class Pairs(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.judgement = nn.Parameter(torch.tensor([3.0, 0.3, 1.0, 0.0]))

        def forward(self, rows: Any) -> Any:
            n, pictures = rows.shape[:2]
            vectors, weight = self.encoder(rows.flatten(0, 1))
            weighted = (vectors * weight[:, :, None]).flatten(1).view(n, pictures, -1)
            weight = weight.view(n, pictures, -1)
            last = pictures - 1 if self.training else pictures
            order = (torch.arange(n)[:, None] + torch.arange(n)) % n  # own design first, then the next rows'
            likeness = [
                self._likeness(weighted[:, 1:last], weight[:, 1:last], weighted[:, at], weight[:, at]).gather(
                    2, order[:, None, :].expand(-1, last - 1, -1).to(rows.device)
                )
                for at in ((0, -1) if self.training else (0,))
            ]
            return torch.cat(likeness, dim=2) if self.training else likeness[0][..., :ENROLLED]

        def _likeness(self, views: Any, view_weight: Any, known: Any, known_weight: Any) -> Any:
            """Log odds (n, views, designs) that a view is of a design."""
            scale, enough, little, bias = self.judgement
            common = view_weight @ known_weight.T
            agreed = views @ known.T
            return scale * (agreed - enough * common) / torch.sqrt(little.abs() + common) + bias

    return Pairs()


def _rows(views: "NDArray[np.uint8]") -> "torch.Tensor":
    """uint8 (n, pictures * 88, 63, 4) as float (n, pictures, 4, 88, 63), 0..1."""
    import torch

    width, height = CARD_WH_MM
    rows = torch.from_numpy(views).view(len(views), -1, height, width, 4)
    return rows.permute(0, 1, 4, 2, 3).to(torch.float32).div_(255)


def _permuted(rows: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    """The colours of each row exchanged: another design."""
    import torch

    orders = torch.rand(len(rows), 3, generator=generator).argsort(dim=1)
    orders = torch.cat([orders, torch.full((len(rows), 1), 3)], dim=1)
    return torch.stack([row[:, order] for row, order in zip(rows, orders, strict=True)])


def _mirrored(rows: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    import torch

    for axis in (3, 4):
        flip = torch.rand(len(rows), 1, 1, 1, 1, generator=generator) < 0.5
        rows = torch.where(flip, rows.flip(axis), rows)
    return rows


def _in_other_inks(
    pictures: "torch.Tensor", generator: "torch.Generator"
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Pictures (n, 4, h, w) with their hue turned, and whether each is another design then."""
    import math

    import torch

    n = len(pictures)
    angle = torch.rand(n, generator=generator) * math.radians(260) + math.radians(50)
    c, s = torch.cos(angle)[:, None, None], torch.sin(angle)[:, None, None]
    third, root = torch.full((3, 3), 1 / 3), 1 / math.sqrt(3)
    cross = torch.tensor([[0, -root, root], [root, 0, -root], [-root, root, 0]])
    turn = c * torch.eye(3) + (1 - c) * third + s * cross
    colours, seen = pictures[:, :3], pictures[:, 3:]
    other = torch.einsum("nij,njhw->nihw", turn, colours).clamp(0, 1)
    gain = (colours * other).sum(dim=(2, 3), keepdim=True) / (
        colours.square().sum(dim=(2, 3), keepdim=True) + 1
    )
    rest = (other - gain * colours).abs().sum(dim=1) / 3
    differs = rest.mean(dim=(1, 2)) > NEAR_COLOURS
    return torch.cat([other * seen, seen], dim=1), differs


def _part(n: int, generator: "torch.Generator") -> "torch.Tensor":
    """Masks (n, 88, 63), 0 or 1: mostly all of it, else what lies on one side of a line."""
    import torch

    width, height = CARD_WH_MM
    down, across = torch.arange(height) / height, torch.arange(width) / width
    keep = torch.rand(n, generator=generator) * 0.6 + 0.2
    kind = torch.rand(n, generator=generator) / CUT_SHARE * 4
    masks = torch.ones(n, height, width)
    for i in torch.nonzero(kind < 4).flatten():
        side = int(kind[i])
        along = down[:, None] if side < 2 else across[None, :]
        masks[i] *= ((along < keep[i]) if side % 2 else (along > 1 - keep[i])).float()
    return masks


def _lit(rows: "torch.Tensor", generator: "torch.Generator") -> "torch.Tensor":
    """Exposure, white balance, haze and noise, each picture its own."""
    import torch

    n, pictures = rows.shape[:2]

    def uniform(low: float, high: float, channels: int) -> torch.Tensor:
        return torch.rand(n, pictures, channels, 1, 1, generator=generator) * (high - low) + low

    colours, seen = rows[:, :, :3], rows[:, :, 3:]
    colours = colours * uniform(0.8, 1.2, 1) * uniform(0.87, 1.15, 3) + uniform(-0.04, 0.04, 1)
    noise = torch.randn(colours.shape, generator=generator) * uniform(0, 0.02, 1)
    return torch.cat([(colours + noise).clamp(0, 1) * seen, seen], dim=2)


def train_backs(
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
    sets = load_view_set(data, "train", "backs", "designs"), load_view_set(data, "val", "backs", "designs")
    network = train_on_views(
        BackTask(), sets, out, settings, device=device, resume=resume, start=start, report=report
    )
    return export_backs(network, out / "backs.onnx")


def export_backs(network: "nn.Module", onnx: Path) -> Path:
    """Write the encoder as ONNX, and how its vectors are judged.

    ``backs`` uint8 (n, 88, 63, 4) -> ``vectors`` float (n, 88, d), ``weights`` (n, 88), ``judgement`` (4,).
    """
    import torch
    from torch import nn

    class Deployed(nn.Module):  # type: ignore[misc]  # torch ships without complete types
        def __init__(self) -> None:
            super().__init__()
            self.encoder = network.encoder
            self.register_buffer("judgement", network.judgement.detach().clone())

        def forward(self, backs: Any) -> Any:
            vectors, weight = self.encoder(backs.permute(0, 3, 1, 2).float() / 255)
            return vectors, weight, self.judgement + 0 * weight.sum()  # else its name is lost

    network.eval()
    width, height = CARD_WH_MM
    torch.onnx.export(
        Deployed().eval(),
        (torch.zeros(2, height, width, 4, dtype=torch.uint8),),
        str(onnx),
        input_names=["backs"],
        output_names=["vectors", "weights", "judgement"],
        dynamic_axes={"backs": {0: "n"}, "vectors": {0: "n"}, "weights": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    return onnx
