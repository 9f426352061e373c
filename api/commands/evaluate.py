"""``touchjudge evaluate``: how well cards are read on labelled photographs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from api.console import output
from api.errors import CommandError, MisuseError
from api.progress import counted_progress

if TYPE_CHECKING:
    from datasets.real_photographs import Tally


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
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, source by source.")] = False,
) -> None:
    """Score the shipped card models on labelled photographs or on synthetic scenes of unseen decks.

    Example: [bold]touchjudge evaluate photographs/index.jsonl --json[/bold]
    """
    if synthetic and index is None:
        tallies = _synthetic(synthetic, seed)
    elif index is not None and not synthetic:
        tallies = _photographs(index, every)
    else:
        raise MisuseError("want either INDEX.jsonl or --synthetic N")
    if as_json:
        print(json.dumps({source: _row(tally) for source, tally in sorted(tallies.items())}, indent=2))
        return
    table = Table("source", "images", "cards", "recall", "precision", "??", "commonest confusions")
    for source, tally in sorted(tallies.items()):
        confused = ", ".join(f"{what} ({n})" for what, n in tally.confusions.most_common(3))
        figures = f"{tally.recall:.3f}", f"{tally.precision:.3f}", str(tally.unreadable)
        table.add_row(source, str(tally.images), str(tally.truth), *figures, confused)
    output().print(table)


def _photographs(index: Path, every: int) -> dict[str, "Tally"]:
    from datasets.real_photographs import score_photographs
    from models import load_detector

    if not index.is_file():
        raise MisuseError(f"no such file: {index} (want an index of labelled photographs)")
    try:
        with counted_progress("photographs") as progress:
            return score_photographs(index, load_detector(), every=every, progress=progress)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _synthetic(scenes: int, seed: int) -> dict[str, "Tally"]:
    from datasets.artwork import default_cache
    from datasets.synthetic_photographs import score_synthetic
    from models import load_detector

    if not (default_cache() / "complete").exists():
        raise CommandError("no artwork to compose scenes of (run 'touchjudge datasets artwork' first)")
    with counted_progress("scenes") as progress:
        return score_synthetic(
            default_cache(), load_detector(), scenes_a_size=scenes, seed=seed, progress=progress
        )


def _row(tally: "Tally") -> dict[str, object]:
    return {
        "images": tally.images,
        "cards": tally.truth,
        "right": tally.right,
        "wrong": tally.wrong,
        "unreadable": tally.unreadable,
        "recall": round(tally.recall, 4),
        "precision": round(tally.precision, 4),
        "confusions": dict(tally.confusions.most_common(20)),
    }
