"""``touchjudge detect``: the cards in photographs."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from api.console import notes, output
from api.errors import CommandError, MisuseError, one_line, os_error_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from models.detections import Detections


def detect(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE...", help="Photographs of cards.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line an image.")] = False,
    draw: Annotated[
        Path | None, typer.Option("--draw", metavar="DIR", help="Write annotated pictures there.")
    ] = None,
    decks: Annotated[
        list[str] | None,
        typer.Option("--deck", metavar="NAME", help="Cards of this deck, from 'deck enrol NAME --faces'."),
    ] = None,
) -> int:
    """Find and name every visible card in photographs; no table file is needed.

    Example: [bold]touchjudge detect table.jpg --json[/bold]
    Example: [bold]touchjudge detect table.jpg --deck skat[/bold]
    """
    from api.decks import deck_file, detector_for
    from api.images import draw_detections, encode_jpeg, read_image_bgr
    from models import load_detector

    if draw is not None:
        _make_folder(draw)
    out, err = output(), notes()
    detector = detector_for([deck_file(name) for name in decks], err) if decks else load_detector()
    status = 0
    for number, path in enumerate(_with_progress(images, err), start=1):
        try:
            image_bgr = read_image_bgr(path)
        except CommandError as error:
            err.print(f"touchjudge: {one_line(str(error))}", markup=False)
            status = status or error.exit_status
            continue
        detections = detector.detect(image_bgr)
        _show(out, path, image_bgr, detections, as_json=as_json)
        if draw is not None:
            try:
                drawn = encode_jpeg(draw_detections(image_bgr, detections))
            except CommandError as error:
                err.print(f"touchjudge: {path}: {one_line(str(error))}", markup=False)
                status = status or error.exit_status
                continue
            (draw / f"{number:04d}_{path.stem}.jpg").write_bytes(drawn)
    return status


def card_rows(detections: "Detections") -> list[dict[str, object]]:
    """The cards as ``detect --json`` lists them: name, confidence 0..1, four corners in image px."""
    return [
        {
            "card": name,
            "confidence": round(float(confidence), 4),
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in corners_px],
        }
        for name, confidence, corners_px in zip(
            detections.names, detections.confidence, detections.corners_px, strict=True
        )
    ]


def _show(
    out: Console, path: Path, image_bgr: "NDArray[np.uint8]", detections: "Detections", *, as_json: bool
) -> None:
    height, width = image_bgr.shape[:2]
    if as_json:
        row = {"image": str(path), "width": width, "height": height, "cards": card_rows(detections)}
        print(json.dumps(row), flush=True)
        return
    out.print(f"{path} ({width} x {height}): {len(detections)} cards", markup=False)
    table = Table("card", "confidence", "centre px", box=None, pad_edge=False)
    for name, confidence, corners_px in zip(
        detections.names, detections.confidence, detections.corners_px, strict=True
    ):
        x, y = corners_px.mean(axis=0)
        table.add_row(name, f"{confidence:.2f}", f"{x:.0f}, {y:.0f}")
    if len(detections):
        out.print(table)


def _with_progress(images: list[Path], err: Console) -> Iterable[Path]:
    if len(images) < 2 or not err.is_terminal:
        return images
    return track(images, description="reading", console=err, transient=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MisuseError(f"--draw wants a folder to write to: {os_error_line(error)}") from None
