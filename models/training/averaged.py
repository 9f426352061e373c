"""The mean of two exported networks of one kind: of one before and after it was taught on.

Between the two lie networks that keep more of what the first knew than the second does (Wortsman et al. 2022,
"Robust fine-tuning of zero-shot models").
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.training.open_exported import open_exported

if TYPE_CHECKING:
    from onnx import GraphProto

WEIGHTED = frozenset({"Conv", "Gemm"})
"""The nodes that hold what was learnt; normalisations are folded into them."""


def write_average(first: Path, second: Path, out: Path, share: float) -> Path:
    """Write ``(1 - share) * first + share * second``, both ONNX files; gives ``out``.

    ``ValueError`` where the two are not of one kind, or share is not between 0 and 1.
    """
    from onnx import numpy_helper, save

    if not 0 <= share <= 1:
        raise ValueError(f"a share of {share} (want 0 to 1)")
    one, other = open_exported(first), open_exported(second)
    if [node.op_type for node in one.graph.node] != [node.op_type for node in other.graph.node]:
        raise ValueError(f"{second} is not a network like {first}")
    for mine, its in zip(_weights(one.graph), _weights(other.graph), strict=True):
        a, b = numpy_helper.to_array(mine), numpy_helper.to_array(its)
        if a.shape != b.shape:
            raise ValueError(f"{second} is not a network like {first} ({mine.name})")
        mine.CopyFrom(numpy_helper.from_array(((1 - share) * a + share * b).astype(a.dtype), mine.name))
    save(one, str(out))
    return out


def _weights(graph: "GraphProto") -> Iterator[Any]:
    """The tensors with what was learnt, in the order in which they are used."""
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type in WEIGHTED:
            yield from (tensors[name] for name in node.input if name in tensors)
