"""The mean of two exported networks answers between them."""

from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not here (pip install '.[train]')")

from models.training.averaged import write_average  # noqa: E402  # needs onnx


def linear(path: Path, weight: float, outputs: int = 2) -> Path:
    """A file that multiplies three numbers by one weight each."""
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1)],
        "net",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, outputs])],
        [
            numpy_helper.from_array(np.full((outputs, 3), weight, np.float32), "w"),
            numpy_helper.from_array(np.full(outputs, weight, np.float32), "b"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(path))
    return path


def answer(path: Path) -> float:
    (y,) = ort.InferenceSession(str(path)).run(None, {"x": np.ones((1, 3), np.float32)})
    return float(y[0, 0])


@pytest.mark.parametrize(("share", "wanted"), [(0.0, 4.0), (0.25, 7.0), (1.0, 16.0)])
def test_the_mean_lies_between_the_two_by_its_share(tmp_path: Path, share: float, wanted: float) -> None:
    one, other = linear(tmp_path / "a.onnx", 1.0), linear(tmp_path / "b.onnx", 4.0)

    made = write_average(one, other, tmp_path / "c.onnx", share)

    assert answer(made) == pytest.approx(wanted)


def test_networks_of_two_kinds_have_no_mean(tmp_path: Path) -> None:
    one, other = linear(tmp_path / "a.onnx", 1.0), linear(tmp_path / "b.onnx", 4.0, outputs=3)

    with pytest.raises(ValueError, match="is not a network like"):
        write_average(one, other, tmp_path / "c.onnx", 0.5)


@pytest.mark.parametrize("content", [b"", b"x", b"\x89PNG"], ids=["empty", "a letter", "a picture"])
def test_what_is_no_network_is_told_in_one_line(tmp_path: Path, content: bytes) -> None:
    one, none = linear(tmp_path / "a.onnx", 1.0), tmp_path / "none.onnx"
    none.write_bytes(content)

    with pytest.raises(ValueError, match="is not an exported network"):
        write_average(one, none, tmp_path / "c.onnx", 0.5)


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_a_share_outside_of_the_two_is_refused(tmp_path: Path, share: float) -> None:
    one = linear(tmp_path / "a.onnx", 1.0)

    with pytest.raises(ValueError, match="want 0 to 1"):
        write_average(one, one, tmp_path / "c.onnx", share)
