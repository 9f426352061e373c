"""The model card: of what was installed, and of what lay there before."""

import json
from pathlib import Path

import pytest

from models.model_card import LARGEST_FILE_BYTES, Figures, Run, install_weights

FIGURES = [Figures(title="Photographs", rows=[("all", 10, 40, 0.9, 0.95, 2)])]


def run(folder: Path, name: str, content: bytes) -> Run:
    onnx = folder / f"{name}.trained"
    onnx.write_bytes(content)
    return Run(name=name, onnx=onnx, settings={"seed": 3}, data=f"Taught {name}.")


def test_each_weight_file_has_its_entry(tmp_path: Path) -> None:
    text = install_weights(
        [run(tmp_path, "reader", b"r"), run(tmp_path, "locator", b"l")],
        FIGURES,
        {"art 1": "CC0"},
        tmp_path / "w",
    )

    card = json.loads((tmp_path / "w" / "model_card.json").read_text())
    assert sorted(card["files"]) == ["locator.onnx", "reader.onnx"]
    assert (tmp_path / "w" / "reader.onnx").read_bytes() == b"r"
    for told in ("Taught reader.", "| art 1 | CC0 |", "| all | 10 | 40 | 0.900 | 0.950 | 2 |"):
        assert told in text.read_text()


def test_what_is_not_installed_anew_keeps_its_entry(tmp_path: Path) -> None:
    weights = tmp_path / "w"
    install_weights(
        [run(tmp_path, name, b"1") for name in ("reader", "gone")], FIGURES, {"art 1": "CC0"}, weights
    )
    (weights / "gone.onnx").unlink()
    before = json.loads((weights / "model_card.json").read_text())

    install_weights([run(tmp_path, "backs", b"2")], [], {"art 1": "CC0"}, weights)

    after = json.loads((weights / "model_card.json").read_text())
    assert sorted(after["files"]) == ["backs.onnx", "reader.onnx"]
    assert after["files"]["reader.onnx"] == before["files"]["reader.onnx"]
    assert after["figures"] == before["figures"]


def test_too_large_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=str(LARGEST_FILE_BYTES)):
        install_weights([run(tmp_path, "reader", bytes(LARGEST_FILE_BYTES + 1))], [], {}, tmp_path / "w")
