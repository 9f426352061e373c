"""``touchjudge datasets convert`` and ``lint``: labelled sets in other programs' formats; their faults."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from api.console import output
from api.errors import FAILURE_STATUS, CommandError, MisuseError
from api.progress import counted_progress
from datasets.formats.labels import Format, FormatError, LabelledSet

if TYPE_CHECKING:
    from datasets.formats.lint import Finding
    from models.detections import CardDetector

SHOWN_A_FAULT = 20
"""Findings of one kind that are printed; ``--json`` has all."""

In = Annotated[
    Path,
    typer.Argument(
        metavar="PATH", help="Index (.jsonl), COCO (.json), CVAT (.xml), YOLO (data.yaml) or a folder."
    ),
]


def convert_set(
    source: In,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="New folder for labels and pictures.")],
    *,
    to: Annotated[Format, typer.Option("--to", help="The format to write.")],
) -> None:
    """Rewrite a labelled set as YOLO boxes, YOLO oriented boxes, COCO, CVAT or our own index.

    Example: [bold]touchjudge datasets convert photographs/index.jsonl --to yolo-obb sets/photographs[/bold]
    """
    from datasets.formats.convert import convert

    labelled = _read(source)
    try:
        with counted_progress("pictures") as progress:
            made = convert(labelled, to, out, progress=progress)
    except FormatError as error:
        raise CommandError(str(error)) from None
    line = f"{made.labels}: {made.pictures} pictures, {made.cards} labels"
    if made.unplaced:
        line += f"; left out {made.unplaced} labels without a box, which {to.value} cannot say"
    output().print(line, markup=False)


def lint_set(
    source: In,
    *,
    models: Annotated[
        bool,
        typer.Option("--models", help="Also read every picture and tell labels that readings contradict."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a finding.")] = False,
) -> int:
    """Find duplicates, leaks between splits, impossible boxes, unknown classes, missing and extra pictures.

    The exit status is 1 where anything is wrong.

    Example: [bold]touchjudge datasets lint photographs/index.jsonl --models[/bold]
    """
    from datasets.formats.lint import lint

    labelled = _read(source)
    try:
        with counted_progress("pictures") as progress:
            findings = lint(labelled, detector=_detector() if models else None, progress=progress)
    except FormatError as error:
        raise CommandError(str(error)) from None
    if as_json:
        for finding in findings:
            print(json.dumps({"fault": finding.fault, "image": finding.image, "what": finding.what}))
    else:
        _show(labelled, findings)
    return FAILURE_STATUS if findings else 0


def _read(source: Path) -> LabelledSet:
    from datasets.formats.convert import read_set

    if not source.exists():
        raise MisuseError(f"no such file or folder: {source} (want a labelled set)")
    try:
        return read_set(source)
    except FormatError as error:
        raise CommandError(str(error)) from None


def _detector() -> "CardDetector":
    from models import load_detector

    return load_detector()


def _show(labelled: LabelledSet, findings: list["Finding"]) -> None:
    out = output()
    table = Table("fault", "picture", "what", box=None, pad_edge=False)
    shown: Counter[str] = Counter()
    for finding in findings:
        shown[finding.fault] += 1
        if shown[finding.fault] <= SHOWN_A_FAULT:
            table.add_row(finding.fault.value, finding.image, finding.what)
    if findings:
        out.print(table)
    counts = ", ".join(f"{fault} {n}" for fault, n in shown.most_common()) or "nothing wrong"
    out.print(f"{len(labelled.pictures)} pictures: {counts}", markup=False)
