"""``touchjudge verify``: whether a record, or a case, holds."""

import zipfile
from pathlib import Path
from typing import Annotated

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError


def verify(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A record (R.jsonl) or a case (C.zip).")],
    *,
    evidence: Annotated[
        Path | None, typer.Option("--evidence", metavar="DIR", help="Check the record's clips there too.")
    ] = None,
) -> None:
    """Check that no line of a record, and nothing in a case, was changed, added or lost.

    Example: [bold]touchjudge verify match.jsonl[/bold]
    """
    from api.case_file import ZipKind, check_case
    from api.evidence_check import check_evidence
    from api.record_ends import lost_at_end
    from api.records import open_log, read_lines
    from referee.logs import verify as verify_lines

    if _is_meant_as_zip(path):
        checked = check_case(path)
        count = len(checked.files)
        files = f"{count} {'file' if count == 1 else 'files'} as listed"
        sheet = "; its sheet is what comes of the record" if checked.kind is ZipKind.CASE else ""
        pictures = f"; {checked.pictures}" if checked.pictures.clips else ""
        output().print(f"{path}: {files}; its record: {checked.record}{sheet}{pictures}", markup=False)
        if checked.note:
            notes().print(f"note: judged again by this program: {checked.note}", markup=False)
        if checked.missing:
            raise CommandError(f"{path}: {checked.what_is_missing}")
        return
    if evidence is not None and not evidence.is_dir():
        raise MisuseError(f"--evidence wants a folder that is there, got {evidence}")
    found = verify_lines(read_lines(path))
    lost = lost_at_end(open_log(path)) if found.is_ok else ""
    if not found.is_ok or lost:
        raise CommandError(f"{path}: {lost or found}")
    output().print(f"{path}: {found}", markup=False)
    if evidence is not None:
        checked_clips = check_evidence(open_log(path).entries, evidence, path.stem)
        output().print(f"{evidence}: {checked_clips}", markup=False)


def _is_meant_as_zip(path: Path) -> bool:
    """Whether this is a zip, or was one before it was damaged, cut short, or lost."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        begins = file.read(4)
    return path.suffix.lower() == ".zip" or begins == b"PK\x03\x04" or zipfile.is_zipfile(path)
