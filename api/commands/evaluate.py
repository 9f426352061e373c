"""``touchjudge evaluate``: how well cards are read, or how well records tell what happened in clips."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from api.commands.evaluate_match import evaluate_matches
from api.console import notes, output
from api.errors import CommandError, MisuseError, os_error_line
from api.progress import counted_progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from datasets.report import Report
    from datasets.report_outcomes import LookBook, PictureOutcome
    from models.onnx_detector import OnnxDetector

LOOKS_NAME = "looks.jsonl"
"""What was seen in each picture: an evaluation that was cut short goes on where it stopped."""


def evaluate(
    index: Annotated[
        Path | None, typer.Argument(metavar="INDEX.jsonl", help="One labelled photograph a line.")
    ] = None,
    *,
    synthetic: Annotated[
        int, typer.Option("--synthetic", metavar="N", min=0, help="Or: N fresh synthetic scenes a card size.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Of the synthetic scenes.")] = 0,
    every: Annotated[int, typer.Option("--every", min=1, help="Take every n-th photograph only.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The report's folder (default: runs/evaluate-...)."),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option("--weights", metavar="DIR", help="Other weights than the shipped ones.")
    ] = None,
    decks: Annotated[
        list[str] | None,
        typer.Option("--deck", metavar="NAME", help="Cards of this deck, from 'deck enrol NAME --faces'."),
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Of ONNX Runtime.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, source by source.")] = False,
    match: Annotated[
        list[Path] | None,
        typer.Option("--match", metavar="RECORD.jsonl", help="Or: a record of a simulated clip; repeatable."),
    ] = None,
    truth: Annotated[
        list[Path] | None,
        typer.Option("--truth", metavar="CLIP.truth.jsonl", help="What truly happened in its clip."),
    ] = None,
) -> None:
    """Score the card models on labelled photographs or on synthetic scenes of unseen decks.

    Writes a report into a folder: report.md with plots, report.json, and the worst pictures side by side.
    What was read is kept there: stop it with Ctrl-C, and the same command goes on where it stopped.

    With --match: scores records against the truth of simulated clips: plays, cards, owners, touches, races.

    Example: [bold]touchjudge evaluate photographs/index.jsonl --out runs/photographs[/bold]
    """
    if sum([index is not None, synthetic > 0, bool(match)]) != 1:
        raise MisuseError("want one of INDEX.jsonl, --synthetic N and --match RECORD.jsonl")
    if match or truth:
        evaluate_matches(match or [], truth or [], as_json=as_json)
        return
    if index is not None and not index.is_file():
        raise MisuseError(f"no such file: {index} (want an index of labelled photographs)")
    detector, weights_folder = _detector(weights, threads, decks or ())
    folder = out or Path("runs") / ("evaluate-synthetic" if index is None else f"evaluate-{index.stem}")
    about = _about(detector, weights_folder, index, seed)
    looks = _look_book(folder, about)
    if index is None:
        pictures, image_of = _synthetic(synthetic, seed, detector, looks)
    else:
        pictures, image_of = _photographs(index, every, detector, looks)
    report = _write_report(folder, pictures, about, image_of)
    _print(report, folder, as_json=as_json)


def _detector(weights: Path | None, threads: int, decks: Sequence[str]) -> tuple["OnnxDetector", Path]:
    from api.decks import deck_file, detector_for
    from models.detector_settings import DetectorSettings
    from models.onnx_detector import WEIGHTS, OnnxDetector

    if weights is not None and not weights.is_dir():
        raise MisuseError(f"no such folder: {weights} (want one with ONNX files)")
    folder, settings = weights or WEIGHTS, DetectorSettings(threads=threads)
    if decks:
        files = [deck_file(name) for name in decks]
        return detector_for(files, notes(), settings=settings, weights=folder), folder
    return OnnxDetector(settings, folder), folder


def _about(detector: "OnnxDetector", weights: Path, index: Path | None, seed: int) -> dict[str, Any]:
    """What was measured with what; looks of anything else are not taken over."""
    from datasets.report_looks import detector_key

    what = f"synthetic scenes of unseen decks, seed {seed}" if index is None else f"{index.name}"
    return {"what": what, "index": str(index.resolve()) if index else ""} | detector_key(detector, weights)


def _look_book(folder: Path, about: dict[str, Any]) -> "LookBook":
    from datasets.report_outcomes import LookBook

    try:
        folder.mkdir(parents=True, exist_ok=True)
        book = LookBook(folder / LOOKS_NAME, about)
    except OSError as error:
        raise MisuseError(f"--out wants a folder to write to: {os_error_line(error)}") from None
    if len(book):
        notes().print(f"{len(book)} pictures were looked at before ({folder / LOOKS_NAME})", markup=False)
    return book


_Pictures = tuple[list["PictureOutcome"], Callable[["PictureOutcome"], "NDArray[np.uint8]"]]


def _photographs(index: Path, every: int, detector: "OnnxDetector", looks: "LookBook") -> _Pictures:
    from api.images import read_image_bgr
    from datasets.real_photographs import score_photographs

    try:
        with counted_progress("photographs") as progress:
            pictures = score_photographs(index, detector, looks, every=every, progress=progress)
    except ValueError as error:
        raise CommandError(str(error)) from None
    if not pictures:
        raise CommandError(f"{index}: no labelled photograph in it")
    return pictures, lambda picture: read_image_bgr(Path(picture.image))


def _synthetic(count: int, seed: int, detector: "OnnxDetector", looks: "LookBook") -> _Pictures:
    from datasets.artwork import default_cache
    from datasets.synthetic_photographs import UnseenScenes, score_synthetic

    if not (default_cache() / "complete").exists():
        raise CommandError("no artwork to compose scenes of (run 'touchjudge datasets artwork' first)")
    scenes = UnseenScenes(default_cache(), seed)
    with counted_progress("scenes") as progress:
        pictures = score_synthetic(scenes, detector, looks, scenes_a_size=count, progress=progress)
    return pictures, lambda picture: scenes.compose(picture.image).image_bgr


def _write_report(
    folder: Path,
    pictures: Sequence["PictureOutcome"],
    about: dict[str, Any],
    image_of: Callable[["PictureOutcome"], "NDArray[np.uint8]"],
) -> "Report":
    from api.images import encode_jpeg
    from datasets.report import as_json, report_of
    from datasets.report_sheet import contact_sheet
    from datasets.report_text import as_markdown

    report = report_of(pictures)
    (folder / "report.json").write_text(json.dumps(as_json(report, about), indent=2) + "\n")
    plots = _plots(report, folder)
    sheet = contact_sheet(report.worst, image_of)
    if sheet is not None:
        (folder / "worst.jpg").write_bytes(encode_jpeg(sheet))
        plots.append(("Worst pictures side by side", "worst.jpg"))
    (folder / "report.md").write_text(as_markdown(report, about, plots))
    return report


def _plots(report: "Report", folder: Path) -> list[tuple[str, str]]:
    from datasets.report_plots import draw_plots

    try:
        return draw_plots(report, folder)
    except ImportError:
        notes().print("no plots: they need the report extra (pip install '.[report]')", markup=False)
        return []


def _print(report: "Report", folder: Path, *, as_json: bool) -> None:
    from datasets.report import source_row
    from datasets.report_text import holds_line

    if as_json:
        rows = {name: source_row(tally, report.backs.get(name)) for name, tally in report.sources.items()}
        print(json.dumps(rows, indent=2))
        return
    table = Table("source", "images", "cards", "recall", "precision", "??", "commonest confusions")
    for name, tally in report.sources.items():
        confused = ", ".join(f"{what} ({n})" for what, n in tally.confusions.most_common(3))
        figures = f"{tally.recall:.3f}", f"{tally.precision:.3f}", str(tally.unreadable)
        table.add_row(name, str(tally.images), str(tally.truth), *figures, confused)
    out = output()
    out.print(table)
    out.print(holds_line(report).replace("**", ""), markup=False)
    out.print(str(folder / "report.md"), markup=False)
