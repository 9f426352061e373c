"""``touchjudge datasets``: artwork from package registries, and synthetic training sets."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from api.console import notes, output
from api.errors import CommandError, MisuseError
from api.progress import counted_progress

if TYPE_CHECKING:
    from datasets.face_trial_run import DeckTrial
    from datasets.shards import SceneSamples

app = typer.Typer(no_args_is_help=True, help="Fetch open artwork and build synthetic training sets.")

Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Where artwork is kept (default: the user's cache)."),
]
Processes = Annotated[int, typer.Option("--processes", min=1, help="Scenes are composed on so many cores.")]


@app.command("artwork")
def artwork(*, cache: Cache = None) -> None:
    """Install openly licensed card faces, backs and table surfaces into a cache, checked against hashes.

    Example: [bold]touchjudge datasets artwork[/bold]
    """
    from datasets.artwork import ArtworkError, default_cache, install_artwork

    err = notes()
    try:
        decks = install_artwork(cache or default_cache(), lambda line: err.print(line, markup=False))
    except ArtworkError as error:
        raise CommandError(str(error)) from None
    output().print(f"{len(decks)} decks: {' '.join(decks)}", markup=False)


@app.command("locator")
def locator(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of the set; a part-built one is completed.")
    ],
    *,
    train: Annotated[int, typer.Option(min=1, help="Training scenes.")] = 10_000,
    val: Annotated[int, typer.Option(min=1, help="Validation scenes, of unseen decks and surfaces.")] = 400,
    seed: Annotated[int, typer.Option(help="Same seed, same scenes.")] = 0,
    processes: Processes = 1,
    cache: Cache = None,
) -> None:
    """Build scenes with oriented boxes of visible card parts (YOLO OBB format).

    Example: [bold]touchjudge datasets locator sets/locator --train 10000 --processes 2[/bold]
    """
    from datasets.build import BuildSettings, build_locator_set

    settings = BuildSettings(train=train, val=val, seed=seed)
    with counted_progress("scenes") as progress:
        data = build_locator_set(out, _artwork(cache), settings, processes=processes, progress=progress)
    output().print(str(data), markup=False)


@app.command("reader")
def reader(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of the set; a part-built one is completed.")
    ],
    *,
    shards: Annotated[int, typer.Option(min=1, help="Training shards of some 1,500 views each.")] = 80,
    seed: Annotated[int, typer.Option(help="Same seed, same views.")] = 1,
    processes: Processes = 1,
    cache: Cache = None,
) -> None:
    """Build views of single cards with what a reader should say of them.

    Example: [bold]touchjudge datasets reader sets/reader --processes 2[/bold]
    """
    from datasets.crops import Samples

    _shards_of(Samples, out, shards=shards, seed=seed, processes=processes, cache=cache)


@app.command("indices")
def indices(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of the set; a part-built one is completed.")
    ],
    *,
    shards: Annotated[int, typer.Option(min=1, help="Training shards of some 4,000 views each.")] = 80,
    seed: Annotated[int, typer.Option(help="Same seed, same views.")] = 1,
    processes: Processes = 1,
    cache: Cache = None,
) -> None:
    """Build views of corner indices with what an index reader should say of them.

    Example: [bold]touchjudge datasets indices sets/indices --processes 2[/bold]
    """
    from datasets.index_crops import IndexSamples

    _shards_of(IndexSamples, out, shards=shards, seed=seed, processes=processes, cache=cache)


@app.command("backs")
def backs(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of the set; a part-built one is completed.")
    ],
    *,
    shards: Annotated[int, typer.Option(min=1, help="Training shards of 100 designs each.")] = 60,
    seed: Annotated[int, typer.Option(help="Same seed, same views.")] = 1,
    cache: Cache = None,
) -> None:
    """Build views of card backs, six of each design, for comparing them.

    Example: [bold]touchjudge datasets backs sets/backs[/bold]
    """
    from datasets.back_views import BackViewSettings, build_back_views

    settings = BackViewSettings(train_shards=shards, seed=seed)
    with counted_progress("shards") as progress:
        build_back_views(out, _artwork(cache), settings, progress=progress)
    output().print(str(out), markup=False)


@app.command("whose")
def whose(
    *,
    designs: Annotated[int, typer.Option(min=8, help="Designs besides the open ones held out.")] = 40,
    views: Annotated[int, typer.Option(min=1, help="Views of each design.")] = 10,
    colours: Annotated[
        bool, typer.Option("--colours", help="One drawing in several colours counts as several designs.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Same seed, same designs and views.")] = 0,
    cache: Cache = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a kind of view.")] = False,
) -> None:
    """Try 'deck enrol --back' and 'deck whose' on designs that taught nothing, six enrolled at a time.

    Example: [bold]touchjudge datasets whose --designs 40 --views 10[/bold]
    """
    from datasets.back_trial import BackTrialSettings, try_backs
    from datasets.back_views import BackDesigns

    settings = BackTrialSettings(made=designs, views=views, colours=colours, seed=seed)
    with counted_progress("designs") as progress:
        trials = try_backs(BackDesigns.of_split(_artwork(cache), "val"), settings, progress)
    if as_json:
        for trial in trials:
            print(json.dumps(asdict(trial)))
        return
    table = Table(
        "seen", "views", "right of six", "named", "wrong", "unknown named", box=None, pad_edge=False
    )
    for trial in trials:
        shares = (f"{share:.3f}" for share in (trial.right, trial.named, trial.wrong, trial.accepted))
        table.add_row(trial.kind, str(trial.views), *shares)
    output().print(table)


def _shards_of(
    samples: "Callable[[], SceneSamples]",
    out: Path,
    *,
    shards: int,
    seed: int,
    processes: int,
    cache: Path | None,
) -> None:
    from datasets.shards import CropSettings, build_shards

    settings = CropSettings(train_shards=shards, seed=seed)
    with counted_progress("shards") as progress:
        build_shards(out, _artwork(cache), settings, samples, processes=processes, progress=progress)
    output().print(str(out), markup=False)


@app.command("faces")
def faces(
    decks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DECK]...", help="Odd artwork decks, or numbers of drawn ones."),
    ] = None,
    *,
    scenes: Annotated[int, typer.Option(min=1, help="Scenes a deck is measured on.")] = 20,
    seed: Annotated[int, typer.Option(help="Same seed, same photographs and scenes.")] = 0,
    weights: Annotated[
        Path | None, typer.Option("--weights", metavar="DIR", help="Other weights than those shipped.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the models.")] = 2,
    cache: Cache = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a deck.")] = False,
) -> None:
    """Try 'deck enrol --faces' on odd decks: one synthetic photograph each, measured on other scenes.

    Example: [bold]touchjudge datasets faces berlin 0 --scenes 10[/bold]
    """
    from datasets.face_trial_run import TrialSettings, try_decks
    from models.onnx_detector import WEIGHTS

    settings = TrialSettings(scenes=scenes, seed=seed, threads=threads)
    with counted_progress("decks") as progress:
        try:
            trials = try_decks(
                _artwork(cache), settings, names=decks or (), weights=weights or WEIGHTS, progress=progress
            )
        except (ValueError, FileNotFoundError) as error:
            raise MisuseError(str(error)) from None
    if as_json:
        for trial in trials:
            print(json.dumps(asdict(trial)))
        return
    output().print(_trial_table(trials))


def _trial_table(trials: "Sequence[DeckTrial]") -> Table:
    """Right and wrong shares, before and after, of all cards and of those mostly seen."""
    headings = ("cards", "before", "after", "mostly seen", "before", "after")
    table = Table(
        "deck", *headings, box=None, pad_edge=False, caption="right / wrong / ??, of cards to be named"
    )
    for trial in trials:
        shares = (trial.before, trial.after, trial.mostly_before, trial.mostly_after)
        told = [f"{each.right:.3f} / {each.wrong:.3f} / {each.unread:.3f}" for each in shares]
        row = (str(trial.before.cards), *told[:2], str(trial.mostly_before.cards), *told[2:])
        table.add_row(trial.deck, *row)
        if trial.refused:
            table.add_row("", f"not enrolled: {trial.refused}")
    return table


def _artwork(cache: Path | None) -> Path:
    from datasets.artwork import default_cache

    folder = cache or default_cache()
    if not (folder / "complete").exists():
        raise CommandError(f"no artwork in {folder} (run 'touchjudge datasets artwork' first)")
    return folder
