"""Opens an exported network; what is none is told in one line."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import ModelProto


def open_exported(path: Path) -> "ModelProto":
    """The network in an ONNX file. ``ValueError`` where it holds none."""
    from google.protobuf.message import DecodeError
    from onnx import load

    try:
        network = load(str(path))
    except DecodeError:
        raise ValueError(f"{path} is not an exported network (want an ONNX file)") from None
    if not network.graph.node:
        raise ValueError(f"{path} is not an exported network (want an ONNX file)")
    return network
