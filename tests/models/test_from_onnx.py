"""An exported network taught on: it begins by saying what its file says, in training mode too."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not here (pip install '.[train]')")

from models.training.from_onnx import give_exported_weights  # noqa: E402  # needs torch
from models.training.views import conv, residual  # noqa: E402  # needs torch

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # The exporter warns of itself.


def network(seed: int, channels: int = 8) -> Any:
    torch.manual_seed(seed)
    made = torch.nn.Sequential(
        conv(3, channels, 2), residual(channels), torch.nn.Flatten(), torch.nn.Linear(channels * 64, 5)
    )
    with torch.no_grad():  # As if it had learnt: every normalisation does something of its own.
        made.train()(torch.rand(32, 3, 16, 16))
        for module in made.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.weight.uniform_(0.5, 1.5)
                module.bias.uniform_(-0.5, 0.5)
    return made.eval()


def exported(made: Any, path: Path) -> Path:
    class Deployed(torch.nn.Module):  # type: ignore[misc,name-defined]  # torch may not be here
        def __init__(self) -> None:
            super().__init__()
            self.network = made

        def forward(self, x: Any) -> Any:
            return self.network(x)

    example = (torch.zeros(2, 3, 16, 16),)
    torch.onnx.export(Deployed().eval(), example, str(path), opset_version=17, dynamo=False)
    return path


def test_it_says_the_same_as_its_file_and_keeps_to_it_in_training(tmp_path: Path) -> None:
    taught, fresh = network(1), network(2)
    onnx = exported(taught, tmp_path / "net.onnx")
    samples = torch.rand(256, 3, 16, 16)

    give_exported_weights(fresh, onnx, lambda n: n(samples), name_in_file=lambda name: f"network.{name}")

    with torch.no_grad():
        wanted, said = taught(samples), fresh.eval()(samples)
        in_training = fresh.train()(samples)
    assert torch.allclose(said, wanted, atol=1e-4)
    assert torch.allclose(in_training, wanted, atol=1e-3)


def test_the_file_of_another_network_is_refused(tmp_path: Path) -> None:
    onnx = exported(network(1), tmp_path / "net.onnx")
    samples = torch.rand(4, 3, 16, 16)

    with pytest.raises(ValueError, match="holds no weights of such a network"):
        give_exported_weights(
            network(2, channels=12), onnx, lambda n: n(samples), name_in_file=lambda name: f"network.{name}"
        )
