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
    index: Annotated[Path, typer.Argument(metavar="INDEX.jsonl", help="One labelled photograph a line.")],
    *,
    every: Annotated[int, typer.Option("--every", min=1, help="Take every n-th photograph only.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, source by source.")] = False,
) -> None:
    """Score the shipped card models on labelled photographs, source by source.

    Example: [bold]touchjudge evaluate photographs/index.jsonl --json[/bold]
    """
    from datasets.real_photographs import score_photographs
    from models import load_detector

    if not index.is_file():
        raise MisuseError(f"no such file: {index} (want an index of labelled photographs)")
    try:
        with counted_progress("photographs") as progress:
            tallies = score_photographs(index, load_detector(), every=every, progress=progress)
    except ValueError as error:
        raise CommandError(str(error)) from None
    if as_json:
        print(json.dumps({source: _row(tally) for source, tally in sorted(tallies.items())}, indent=2))
        return
    table = Table("source", "images", "cards", "recall", "precision", "??", "commonest confusions")
    for source, tally in sorted(tallies.items()):
        confused = ", ".join(f"{what} ({n})" for what, n in tally.confusions.most_common(3))
        figures = f"{tally.recall:.3f}", f"{tally.precision:.3f}", str(tally.unreadable)
        table.add_row(source, str(tally.images), str(tally.truth), *figures, confused)
    output().print(table)


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
