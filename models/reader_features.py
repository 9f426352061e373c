"""Adds to models in ONNX: to a reader a second output, the features that its last layer weighs.

A file in protocol buffers may be appended to: a message that comes twice is merged, its lists joined. So one
node and one output are added behind the file, and nothing that was in it is touched.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

FEATURES = "features"
PROBABILITY = "probability"

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MODEL_GRAPH, _MODEL_METADATA = 7, 14
_GRAPH_NODE, _GRAPH_OUTPUT = 1, 12
_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATION = 1, 2, 4
_FLOAT = 1


@dataclass(frozen=True, slots=True)
class _Node:
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operation: str


def with_features(onnx: bytes) -> bytes:
    """The model with an output ``features``, float (n, 256); as it is where it has one.

    ``ValueError`` where it is no reader: its ``probability`` must be the softmax of one linear layer.
    """
    graph = next((part for key, part in _fields(onnx) if key == _MODEL_GRAPH), b"")
    outputs = {_name_of(part) for key, part in _fields(graph) if key == _GRAPH_OUTPUT}
    if FEATURES in outputs or _is_appended(onnx):
        return onnx
    nodes = [_node(part) for key, part in _fields(graph) if key == _GRAPH_NODE]
    source = _before_last_layer(nodes)
    identity = (
        _field(_NODE_INPUT, source.encode())
        + _field(_NODE_OUTPUT, FEATURES.encode())
        + _field(_NODE_OPERATION, b"Identity")
    )
    added = _field(_GRAPH_NODE, identity) + _field(_GRAPH_OUTPUT, _float_matrix(FEATURES, ("n", "width")))
    return onnx + _field(_MODEL_GRAPH, added)


def with_metadata(onnx: bytes, values: Mapping[str, str]) -> bytes:
    """The model with notes for whoever runs it."""
    notes = (_field(1, key.encode()) + _field(2, value.encode()) for key, value in values.items())
    return onnx + b"".join(_field(_MODEL_METADATA, note) for note in notes)


def _is_appended(onnx: bytes) -> bool:
    """Whether a later part of the graph already has the output."""
    graphs = [part for key, part in _fields(onnx) if key == _MODEL_GRAPH]
    return any(
        _name_of(part) == FEATURES for graph in graphs for key, part in _fields(graph) if key == _GRAPH_OUTPUT
    )


def _before_last_layer(nodes: list[_Node]) -> str:
    """The name of what the last linear layer before ``probability`` takes."""
    makers = {name: node for node in nodes for name in node.outputs}
    softmax = makers.get(PROBABILITY)
    layer = makers.get(softmax.inputs[0]) if softmax is not None and softmax.operation == "Softmax" else None
    if layer is None or layer.operation != "Gemm":
        raise ValueError("not a reader: want 'probability' to be the softmax of one linear layer")
    return layer.inputs[0]


def _node(part: bytes) -> _Node:
    fields = list(_fields(part))
    return _Node(
        inputs=tuple(value.decode() for key, value in fields if key == _NODE_INPUT),
        outputs=tuple(value.decode() for key, value in fields if key == _NODE_OUTPUT),
        operation=next((value.decode() for key, value in fields if key == _NODE_OPERATION), ""),
    )


def _name_of(value_info: bytes) -> str:
    return next((part.decode() for key, part in _fields(value_info) if key == 1), "")


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of each field that is text, bytes or a message. ``ValueError`` for what is none."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _BYTES:
            length, at = _varint(message, at)
            if at + length > len(message):
                raise ValueError("not an ONNX file: it ends too early")
            yield tag >> 3, message[at : at + length]
            at += length
        elif kind == _VARINT:
            _, at = _varint(message, at)
        elif kind in {_FIXED64, _FIXED32}:
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("not an ONNX file")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The number that begins at ``at``, and where it ends."""
    value = shift = 0
    while at < len(message) and shift < 64:
        value |= (message[at] & 0x7F) << shift
        at += 1
        if message[at - 1] < 0x80:
            return value, at
        shift += 7
    raise ValueError("not an ONNX file: it ends too early")


def _field(number: int, content: bytes) -> bytes:
    return _encoded(number << 3 | _BYTES) + _encoded(len(content)) + content


def _encoded(value: int) -> bytes:
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _float_matrix(name: str, sides: tuple[str, str]) -> bytes:
    """A ``ValueInfoProto``: a float matrix whose sides have names instead of lengths."""
    shape = b"".join(_field(1, _field(2, side.encode())) for side in sides)
    tensor = _encoded(1 << 3 | _VARINT) + _encoded(_FLOAT) + _field(2, shape)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))
