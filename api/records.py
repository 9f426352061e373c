"""Records and observation files read from disk; what does not hold becomes one line."""

from pathlib import Path

from rich.console import Console

from api.errors import CommandError, MisuseError, os_error_line
from referee.logs import Log, RecordError, read_log


def read_lines(path: Path) -> list[bytes]:
    """The lines of a file with their ends; ``MisuseError`` where it cannot be read."""
    try:
        return path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise MisuseError(f"cannot read the record: {os_error_line(error)}") from None


def open_log(path: Path) -> Log:
    """The record or observation file at ``path``; ``CommandError`` names the first bad line."""
    try:
        return read_log(read_lines(path))
    except RecordError as error:
        raise CommandError(f"{path}: {error}") from None


def tell_cut(log: Log, path: Path, notes: Console) -> None:
    """Tell on ``notes`` that the last line of the record at ``path`` is cut short, where it is."""
    if log.cut_line is not None:
        notes.print(f"note: line {log.cut_line} of {path} is cut short and was left out", markup=False)
