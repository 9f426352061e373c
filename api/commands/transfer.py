"""``touchjudge export`` and ``import``: a match from one computer to another, checked on the way."""

from pathlib import Path
from typing import Annotated

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError


def export_match(
    record: Annotated[Path, typer.Argument(metavar="R.jsonl", help="The record of a match.")],
    out: Annotated[Path, typer.Argument(metavar="OUT.zip", help="Where to; must not be there yet.")],
    *,
    evidence: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where its clips lie; without it, where served matches keep them."),
    ] = None,
) -> None:
    """Put a match into one file: its record and its clips, with the hash of each.

    Clips that are no longer kept, or damaged, are left out and named; the exit status is 1 then, as that of
    'touchjudge verify' is, and 'touchjudge import' takes in the rest.

    Example: [bold]touchjudge export friday.jsonl friday.zip[/bold]
    """
    from api.case_export import write_match
    from api.evidence_notes import noted_clips
    from api.evidence_shelf import EvidenceShelf
    from api.records import open_log, read_lines
    from api.settings import load_settings

    if out.suffix != ".zip":
        raise MisuseError(f"OUT wants a name that ends in .zip, got {out}")
    if evidence is not None and not evidence.is_dir():
        raise MisuseError(f"--evidence wants a folder that is there, got {evidence}")
    log = open_log(record)
    if not log.is_chained:
        raise CommandError(f"{record}: want a record; this has no hashes")
    shelf = EvidenceShelf(evidence or load_settings().home / "evidence")
    folder = shelf.bind(record.stem, noted_clips(log.entries))
    if out.exists():
        raise MisuseError(f"{out} is there already; name another file")
    content = write_match(out, b"".join(read_lines(record)), folder)
    clips = "1 clip" if content.clips == 1 else f"{content.clips} clips"
    output().print(f"{out}: {len(log.entries)} entries, {clips}", markup=False)
    if content.missing:
        raise CommandError(f"{out}: {content.what_is_missing}")


def import_match(
    path: Annotated[Path, typer.Argument(metavar="IN.zip", help="What 'touchjudge export' made.")],
) -> None:
    """Take in a match that was exported elsewhere; 'touchjudge serve' shows it from then on.

    Nothing is kept of a file that does not hold, and no match is kept twice.

    Example: [bold]touchjudge import friday.zip[/bold]
    """
    from api.house import opened_house
    from api.importing import import_match as take_in

    with opened_house(notes()) as house:
        taken = take_in(path, house)
        output().print(str(taken.record), markup=False)
        if taken.what_is_missing:
            notes().print(f"note: {taken.what_is_missing}", markup=False)
        if taken.why_only_shown:
            notes().print(f"note: {taken.record} is shown only: {taken.why_only_shown}", markup=False)
        if not taken.is_new:
            notes().print("note: this match is there already, with all that is in the file", markup=False)
        elif taken.record.stem != path.stem:
            notes().print(f"note: it is kept as {taken.record.stem}", markup=False)
