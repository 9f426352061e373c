"""Brings the weights of an exported network back into one that learns: a shipped file can be taught on.

An export folds each batch normalisation into the convolution before it. Here the convolution gets the folded
weights, and the normalisation what the convolution's answers to samples ask for, so that the network says the
same as the file, in training mode too.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.training.open_exported import open_exported

if TYPE_CHECKING:
    import torch
    from torch import nn

RunOnSamples = Callable[["nn.Module"], None]
"""Runs the network on samples; what it answers does not matter."""
NameInFile = Callable[[str], str]


def give_exported_weights(
    network: "nn.Module", onnx: Path, run: RunOnSamples, *, name_in_file: NameInFile
) -> None:
    """Fill ``network`` with the weights of ``onnx``, in place.

    name_in_file: what the file calls a layer of the network. Convolutions that it does not name are taken in
    the order in which they are run. ``ValueError`` where the file is of another network.
    """
    import torch

    named, folded = _read(onnx)
    unnamed = iter(folded)
    network.eval()
    with _calls_of(network) as calls:
        run(network)
    pairs = list(_with_normalisation(calls))
    with torch.no_grad():
        for name, module, norm in pairs:
            found = named.get(f"{name_in_file(name)}.weight"), named.get(f"{name_in_file(name)}.bias")
            weight, bias = found if found[0] is not None else next(unnamed, (None, None))
            if weight is None or bias is None or weight.shape != module.weight.shape:
                raise ValueError(f"{onnx} holds no weights of such a network ({name})")
            module.weight.copy_(weight)
            if norm is None:
                module.bias.copy_(bias)
            else:
                _pass_through(norm, bias)
    _match_samples(network, [(module, norm) for _, module, norm in pairs if norm is not None], run)


def _read(onnx: Path) -> "tuple[dict[str, torch.Tensor], list[tuple[torch.Tensor, torch.Tensor]]]":
    """All weights by name, and weight and bias of the convolutions without a name of their own, in order."""
    import torch
    from onnx import numpy_helper

    graph = open_exported(onnx).graph
    arrays = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in graph.initializer}
    convolutions = [node.input for node in graph.node if node.op_type == "Conv"]
    folded = [
        (arrays[names[1]], arrays[names[2]])
        for names in convolutions
        if len(names) == 3 and names[1] in arrays and names[1].startswith("onnx::")
    ]
    return arrays, folded


@contextmanager
def _calls_of(network: "nn.Module") -> "Iterator[list[tuple[str, nn.Module]]]":
    """The convolutions, normalisations and linear layers of ``network`` in the order of their first call."""
    from torch import nn

    calls: list[tuple[str, nn.Module]] = []
    seen: set[str] = set()

    def noting(name: str) -> Callable[..., None]:
        def note(module: nn.Module, *_: object) -> None:
            if name not in seen:
                seen.add(name)
                calls.append((name, module))

        return note

    kinds = nn.Conv2d, nn.BatchNorm2d, nn.Linear
    hooks = [
        module.register_forward_hook(noting(name))
        for name, module in network.named_modules()
        if isinstance(module, kinds)
    ]
    try:
        yield calls
    finally:
        for hook in hooks:
            hook.remove()


def _with_normalisation(calls: "Sequence[tuple[str, Any]]") -> "Iterator[tuple[str, Any, Any]]":
    """Name, layer and the normalisation that follows it, or None."""
    from torch import nn

    for k, (name, module) in enumerate(calls):
        if not isinstance(module, nn.BatchNorm2d):
            after = calls[k + 1][1] if k + 1 < len(calls) else None
            yield name, module, after if isinstance(after, nn.BatchNorm2d) else None


def _pass_through(norm: "nn.BatchNorm2d", bias: "torch.Tensor") -> None:
    """Let the normalisation add ``bias`` and change nothing else."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    norm.running_mean.zero_()
    norm.running_var.fill_(1 - norm.eps)
    norm.weight.fill_(1.0)
    norm.bias.copy_(bias)


def _match_samples(
    network: "nn.Module", pairs: "Sequence[tuple[nn.Module, nn.BatchNorm2d]]", run: RunOnSamples
) -> None:
    """Give each normalisation mean and variance of what it sees, and the scale and bias that undo them."""
    import torch

    sums: dict[int, list[torch.Tensor]] = {}

    def note(module: Any, _inputs: object, answer: torch.Tensor) -> None:
        flat = answer.detach().double().transpose(0, 1).flatten(1)
        counted = torch.stack([torch.full_like(flat[:, 0], flat.shape[1]), flat.sum(1), (flat**2).sum(1)])
        sums.setdefault(id(module), []).append(counted)

    hooks = [module.register_forward_hook(note) for module, _ in pairs]
    with torch.no_grad():
        run(network)
        for hook in hooks:
            hook.remove()
        for module, norm in pairs:
            n, total, squares = torch.stack(sums[id(module)]).sum(0)
            mean = total / n
            variance = (squares / n - mean**2).clamp_min(0)
            assert norm.running_mean is not None
            assert norm.running_var is not None
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(variance)
            norm.weight.copy_((variance + norm.eps).sqrt())
            norm.bias.copy_(norm.bias + mean)
