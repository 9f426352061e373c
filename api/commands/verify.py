"""``touchjudge verify``: whether a record holds."""

from pathlib import Path
from typing import Annotated

import typer

from api.console import output
from api.errors import CommandError


def verify(
    path: Annotated[Path, typer.Argument(metavar="R.jsonl", help="A record.")],
) -> None:
    """Check that no line of a record was changed, added or lost.

    Example: [bold]touchjudge verify match.jsonl[/bold]
    """
    from api.records import read_lines
    from referee.logs import verify as verify_lines

    found = verify_lines(read_lines(path))
    if not found.is_ok:
        raise CommandError(f"{path}: {found}")
    output().print(f"{path}: {found}", markup=False)
