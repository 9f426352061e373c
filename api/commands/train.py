"""``touchjudge train``: makes locator, aligner and the two readers (needs the ``train`` extra)."""

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError

if TYPE_CHECKING:
    from models.training.views import ViewTraining

app = typer.Typer(no_args_is_help=True, help="Train the card models; needs pip install 'touchjudge\\[train]'")

Out = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Checkpoints, curves, settings and the ONNX file.")
]
Minutes = Annotated[float, typer.Option("--minutes", min=0.1, help="Wall time to train for.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Of torch, on a CPU.")]
Device = Annotated[str, typer.Option("--device", help="'cpu', or the number of a CUDA GPU.")]
Start = Annotated[
    Path | None,
    typer.Option(
        "--from",
        metavar="FILE",
        help="Weights to begin with: a checkpoint (.pt) or an exported network (.onnx).",
    ),
]
PeakRate = Annotated[float, typer.Option("--learning-rate", min=1e-6, help="The highest one.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in --out.")]


@app.command("locator")
def locator(
    data: Annotated[Path, typer.Argument(metavar="DATA.yaml", help="From 'touchjudge datasets locator'.")],
    *,
    out: Out = Path("runs/locator"),
    minutes: Minutes = 90.0,
    threads: Threads = 2,
    device: Device = "cpu",
    seed: Annotated[int, typer.Option(help="Of weights and order.")] = 0,
    resume: Resume = False,
    start: Start = None,
    learning_rate: Annotated[float, typer.Option("--learning-rate", min=1e-5, help="The first one.")] = 0.01,
    epochs: Annotated[
        int | None, typer.Option("--epochs", min=1, help="So many passes, instead of --minutes.")
    ] = None,
) -> None:
    """Train the locator: oriented boxes of the visible parts of faces and backs.

    Example: [bold]touchjudge train locator sets/locator/data.yaml --minutes 90[/bold]
    """
    _need_extra("ultralytics")
    _need(data, out / "run" / "weights" / "last.pt" if resume else data, start or data)
    from models.training.locator import RANDOM_START, LocatorTraining, train_locator

    settings = LocatorTraining(
        minutes=minutes,
        epochs=epochs,
        threads=threads,
        seed=seed,
        learning_rate=learning_rate,
        taught_before=_history(start, start.parents[2] if start.suffix == ".pt" else start.parent)
        if start
        else RANDOM_START,
    )
    try:
        made = train_locator(data, out, settings, start=start, device=device, resume=resume)
    except ValueError as error:
        raise CommandError(str(error)) from None
    output().print(str(made), markup=False)


@app.command("reader")
def reader(
    data: Annotated[Path, typer.Argument(metavar="DIR", help="From 'touchjudge datasets reader'.")],
    *,
    out: Out = Path("runs/reader"),
    minutes: Minutes = 40.0,
    threads: Threads = 2,
    device: Device = "cpu",
    seed: Annotated[int, typer.Option(help="Of weights and order.")] = 0,
    resume: Resume = False,
    start: Start = None,
    learning_rate: PeakRate = 2e-3,
) -> None:
    """Train the reader: which card, back, unreadable or nothing a located view shows.

    Example: [bold]touchjudge train reader sets/reader --minutes 40[/bold]
    """
    _need_extra("torch")
    from models.training.reader import train_reader

    settings = _view_settings(minutes, threads, seed, start, learning_rate)
    _train_views(train_reader, data, out, settings, device=device, resume=resume, start=start)


@app.command("aligner")
def aligner(
    data: Annotated[Path, typer.Argument(metavar="DIR", help="From 'touchjudge datasets reader'.")],
    *,
    out: Out = Path("runs/aligner"),
    minutes: Minutes = 20.0,
    threads: Threads = 2,
    device: Device = "cpu",
    seed: Annotated[int, typer.Option(help="Of weights and order.")] = 0,
    resume: Resume = False,
    start: Start = None,
    learning_rate: PeakRate = 2e-3,
) -> None:
    """Train the aligner: where the corners of a located card's visible part are.

    Example: [bold]touchjudge train aligner sets/reader --minutes 20[/bold]
    """
    _need_extra("torch")
    from models.training.aligner import train_aligner

    settings = _view_settings(minutes, threads, seed, start, learning_rate)
    _train_views(train_aligner, data, out, settings, device=device, resume=resume, start=start)


@app.command("indices")
def indices(
    data: Annotated[Path, typer.Argument(metavar="DIR", help="From 'touchjudge datasets indices'.")],
    *,
    out: Out = Path("runs/indices"),
    minutes: Minutes = 60.0,
    threads: Threads = 2,
    device: Device = "cpu",
    seed: Annotated[int, typer.Option(help="Of weights and order.")] = 0,
    resume: Resume = False,
    start: Start = None,
    learning_rate: PeakRate = 2e-3,
) -> None:
    """Train the index reader: which face a corner index is of.

    Example: [bold]touchjudge train indices sets/indices --minutes 60[/bold]
    """
    _need_extra("torch")
    from models.training.index_reader import WIDTHS, train_index_reader

    settings = replace(_view_settings(minutes, threads, seed, start, learning_rate), widths=WIDTHS)
    _train_views(train_index_reader, data, out, settings, device=device, resume=resume, start=start)


@app.command("average")
def average(
    first: Annotated[Path, typer.Argument(metavar="FIRST.onnx", help="A network before it was taught on.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND.onnx", help="The same afterwards.")],
    out: Annotated[Path, typer.Argument(metavar="OUT.onnx", help="Their mean.")],
    *,
    share: Annotated[
        float, typer.Option("--share", min=0.0, max=1.0, help="How much of it is the second's.")
    ] = 0.5,
) -> None:
    """Write the mean of two networks of one kind, which keeps more of what the first knew.

    Example: [bold]touchjudge train average old/reader.onnx runs/reader/reader.onnx reader.onnx[/bold]
    """
    _need_extra("onnx")
    _need(first, second)
    from models.training.averaged import write_average

    try:
        made = write_average(first, second, out, share)
    except ValueError as error:
        raise CommandError(str(error)) from None
    output().print(str(made), markup=False)


@app.command("card")
def card(
    *,
    locator_run: Annotated[Path, typer.Option("--locator", metavar="DIR", help="--out of 'train locator'.")],
    aligner_run: Annotated[Path, typer.Option("--aligner", metavar="DIR", help="--out of 'train aligner'.")],
    reader_run: Annotated[Path, typer.Option("--reader", metavar="DIR", help="--out of 'train reader'.")],
    indices_run: Annotated[Path, typer.Option("--indices", metavar="DIR", help="--out of 'train indices'.")],
    real: Annotated[
        Path | None, typer.Option("--real", metavar="FILE", help="From 'touchjudge evaluate --json'.")
    ] = None,
    synthetic: Annotated[
        Path | None,
        typer.Option("--synthetic", metavar="FILE", help="From 'touchjudge evaluate --synthetic --json'."),
    ] = None,
) -> None:
    """Install the weights of four runs into the package and write their model card.

    Example: [bold]touchjudge train card --locator run/l --aligner run/a --reader run/r --indices run/i[/bold]
    """
    from datasets.artwork import HELD_OUT_FAMILIES, PACKAGES
    from models.model_card import Figures, Run, install_weights
    from models.onnx_detector import WEIGHTS

    held_out = (
        f"decks of the families {', '.join(sorted(HELD_OUT_FAMILIES))} and every sixth surface held out"
    )
    runs = [
        Run(
            name=name,
            onnx=folder / f"{name}.onnx",
            settings=_settings_of(folder),
            data=f"Taught on synthetic {what} only; {held_out}.",
        )
        for name, folder, what in (
            ("locator", locator_run, "scenes"),
            ("aligner", aligner_run, "views"),
            ("reader", reader_run, "views"),
            ("index_reader", indices_run, "views of corner indices"),
        )
    ]
    _need(*(run.onnx for run in runs))
    measured = [
        Figures(title=title, rows=_rows_of(path))
        for title, path in (
            ("Real photographs, not trained on", real),
            ("Synthetic scenes of unseen decks", synthetic),
        )
        if path is not None
    ]
    licences = {f"{package.name} {package.version}": package.licence for package in PACKAGES}
    try:
        made = install_weights(runs, measured, licences, WEIGHTS)
    except ValueError as error:
        raise CommandError(str(error)) from None
    output().print(str(made), markup=False)


def _view_settings(
    minutes: float, threads: int, seed: int, start: Path | None, learning_rate: float
) -> "ViewTraining":
    from models.training.views import ViewTraining

    settings = ViewTraining(minutes=minutes, threads=threads, seed=seed, peak_learning_rate=learning_rate)
    return replace(settings, taught_before=_history(start, start.parent)) if start else settings


def _train_views(
    train: Callable[..., Path],
    data: Path,
    out: Path,
    settings: "ViewTraining",
    *,
    device: str,
    resume: bool,
    start: Path | None,
) -> None:
    _need(data, out / "last.pt" if resume else data, start or data)
    err = notes()
    report = lambda line: err.print(line, markup=False)  # noqa: E731  # one call, named for its keyword
    try:
        made = train(data, out, settings, device=device, resume=resume, start=start, report=report)
    except ValueError as error:
        raise CommandError(str(error)) from None
    output().print(str(made), markup=False)


def _history(start: Path, run: Path) -> str:
    """The settings of the run that ``start`` comes from, as one line."""
    path = run / "settings.json"
    earlier = json.loads(path.read_text()) if path.is_file() else {"weights": start.name}
    return ", ".join(f"{key} {value}" for key, value in earlier.items())


def _settings_of(run: Path) -> dict[str, object]:
    path = run / "settings.json"
    _need(path)
    return dict(json.loads(path.read_text()))


def _rows_of(path: Path) -> list[tuple[str, int, int, float, float, int]]:
    _need(path)
    rows = json.loads(path.read_text())
    return [
        (source, row["images"], row["cards"], row["recall"], row["precision"], row["unreadable"])
        for source, row in rows.items()
    ]


def _need_extra(module: str) -> None:
    if find_spec(module) is None:
        raise CommandError("training needs the train extra: pip install '.[train]'")


def _need(*paths: Path) -> None:
    for path in paths:
        if not path.exists():
            raise MisuseError(f"no such file or folder: {path}")


@app.command("backs")
def backs(
    data: Annotated[Path, typer.Argument(metavar="DIR", help="From 'touchjudge datasets backs'.")],
    *,
    out: Out = Path("runs/backs"),
    minutes: Minutes = 40.0,
    threads: Threads = 2,
    device: Device = "cpu",
    seed: Annotated[int, typer.Option(help="Of weights and order.")] = 0,
    resume: Resume = False,
    start: Start = None,
    learning_rate: PeakRate = 2e-3,
    install: Annotated[
        bool, typer.Option("--install", help="Put the weights into the package, and their model card.")
    ] = False,
) -> None:
    """Train the network that compares card backs: which views are of one design.

    Example: [bold]touchjudge train backs sets/backs --minutes 40[/bold]
    """
    _need_extra("torch")
    from models.training.backs import DESIGNS_A_BATCH, WIDTHS, train_backs

    settings = _view_settings(minutes, threads, seed, start, learning_rate)
    settings = replace(settings, widths=WIDTHS, batch=DESIGNS_A_BATCH)
    _train_views(train_backs, data, out, settings, device=device, resume=resume, start=start)
    if install:
        _install_backs(out)


def _install_backs(run: Path) -> None:
    from datasets.artwork import HELD_OUT_FAMILIES, PACKAGES
    from models.model_card import Run, install_weights
    from models.onnx_detector import WEIGHTS

    held_out = f"backs of the families {', '.join(sorted(HELD_OUT_FAMILIES))} held out"
    made = Run(
        name="backs",
        onnx=run / "backs.onnx",
        settings=_settings_of(run),
        data=f"Compares card backs. Taught on synthetic views of backs only; {held_out}.",
    )
    licences = {f"{package.name} {package.version}": package.licence for package in PACKAGES}
    output().print(str(install_weights([made], [], licences, WEIGHTS)), markup=False)
