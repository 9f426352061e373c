"""Installs trained weights and writes their model card, from the runs and from what was measured."""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LARGEST_FILE_BYTES = 30_000_000
"""No weight file in the repository is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One training run: its ONNX file, its settings and what it was taught with."""

    name: str
    onnx: Path
    settings: Mapping[str, Any]
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures of one set: rows of (what, images, cards, recall, precision, unreadable)."""

    title: str
    rows: Sequence[tuple[str, int, int, float, float, int]]


def install_weights(
    runs: Sequence[Run], figures: Sequence[Figures], licences: Mapping[str, str], folder: Path
) -> Path:
    """Copy each run's weights to ``folder`` and write ``model_card.json`` and ``MODEL_CARD.md`` beside them.

    Weights that lie there and come from no run keep what the card says of them; so do figures where none are
    given. Raises ``ValueError`` for a file that is too large.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model_card.json"
    before = json.loads(path.read_text()) if path.is_file() else {"files": {}, "figures": []}
    files = {name: entry for name, entry in before["files"].items() if (folder / name).is_file()}
    for run in runs:
        content = run.onnx.read_bytes()
        if len(content) > LARGEST_FILE_BYTES:
            raise ValueError(f"{run.onnx} has {len(content)} bytes (want at most {LARGEST_FILE_BYTES})")
        target = folder / f"{run.name}.onnx"
        if run.onnx.resolve() != target.resolve():
            shutil.copyfile(run.onnx, target)
        files[target.name] = {
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "training": dict(run.settings),
            "data": run.data,
        }
    told = [asdict(each) for each in figures] or before["figures"]
    card = {"files": files, "artwork": dict(licences), "figures": told}
    path.write_text(json.dumps(card, indent=2) + "\n")
    text = folder / "MODEL_CARD.md"
    text.write_text(_as_markdown(card))
    return text


def _as_markdown(card: Mapping[str, Any]) -> str:
    lines = [
        "# Model card: locator, aligner, reader and index reader",
        "",
        "Made by `touchjudge train`, written by `touchjudge train card`. Licence: AGPL-3.0-or-later.",
        "",
        "The *locator* (oriented boxes) finds the visible part of every face and back. The *aligner* finds",
        "the corners of what a box holds. The *reader* says which of 52 faces, joker, back, unreadable or",
        "nothing they frame. The *index reader* says of which face a corner index is, if it is one. All run",
        "on ONNX Runtime.",
    ]
    for name, entry in card["files"].items():
        lines += [
            "",
            f"## {name}",
            "",
            f"{entry['bytes']:,} bytes, SHA-256 `{entry['sha256']}`",
            "",
            entry["data"],
            "",
        ]
        lines += ["| setting | value |", "|---|---|"]
        lines += [f"| {key} | {value} |" for key, value in entry["training"].items()]
    lines += [
        "",
        "## Artwork that the synthetic pictures were made of",
        "",
        "| package | licence |",
        "|---|---|",
    ]
    lines += [f"| {package} | {licence} |" for package, licence in card["artwork"].items()]
    for figures in card["figures"]:
        lines += ["", f"## {figures['title']}", ""]
        lines += ["| set | images | cards | recall | precision | `??` |", "|---|---|---|---|---|---|"]
        lines += [
            f"| {what} | {images} | {cards} | {recall:.3f} | {precision:.3f} | {unreadable} |"
            for what, images, cards, recall, precision, unreadable in figures["rows"]
        ]
    return "\n".join(lines) + "\n"
