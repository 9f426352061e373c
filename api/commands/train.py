"""``touchjudge train``: makes the locator and the reader (needs the ``train`` extra)."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError

app = typer.Typer(no_args_is_help=True, help="Train the card models; needs pip install 'touchjudge[train]'.")

Out = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Checkpoints, curves, settings and the ONNX file.")
]
Minutes = Annotated[float, typer.Option("--minutes", min=0.1, help="Wall time to train for.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Of torch, on a CPU.")]
Device = Annotated[str, typer.Option("--device", help="'cpu', or the number of a CUDA GPU.")]
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
) -> None:
    """Train the locator: oriented boxes of the visible parts of faces and backs.

    Example: [bold]touchjudge train locator sets/locator/data.yaml --minutes 90[/bold]
    """
    _need_extra("ultralytics")
    _need(data, out / "run" / "weights" / "last.pt" if resume else data)
    from models.training.locator import LocatorTraining, train_locator

    settings = LocatorTraining(minutes=minutes, threads=threads, seed=seed)
    output().print(str(train_locator(data, out, settings, device=device, resume=resume)), markup=False)


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
) -> None:
    """Train the reader: which card, back, unreadable or nothing a located view shows.

    Example: [bold]touchjudge train reader sets/reader --minutes 40[/bold]
    """
    _need_extra("torch")
    _need(data, out / "last.pt" if resume else data)
    from models.training.reader import ReaderTraining, train_reader

    err = notes()
    settings = ReaderTraining(minutes=minutes, threads=threads, seed=seed)
    report = lambda line: err.print(line, markup=False)  # noqa: E731  # one call, named for its keyword
    try:
        made = train_reader(data, out, settings, device=device, resume=resume, report=report)
    except ValueError as error:
        raise CommandError(str(error)) from None
    output().print(str(made), markup=False)


def _need_extra(module: str) -> None:
    if find_spec(module) is None:
        raise CommandError("training needs the train extra: pip install 'touchjudge[train]'")


def _need(*paths: Path) -> None:
    for path in paths:
        if not path.exists():
            raise MisuseError(f"no such file or folder: {path}")
