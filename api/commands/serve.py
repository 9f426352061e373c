"""``touchjudge serve``: finished records on the web pages."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from api.console import notes
from api.errors import CommandError, MisuseError
from api.showing import print_addresses
from api.stopping import stopping_on_signals

if TYPE_CHECKING:
    from api.hub import Hub


def serve(
    paths: Annotated[list[Path], typer.Argument(metavar="RECORD...", help="Records, or folders of them.")],
    *,
    host: Annotated[str, typer.Option(help="The address to answer on.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 8765, or a free one if that is taken.")
    ] = None,
) -> None:
    """Show finished records: score, verdicts, overlay.

    Example: [bold]touchjudge serve records/[/bold]
    """
    from api.hub import Hub
    from api.server import serving

    err = notes()
    hub = Hub()
    for path in _records_of(paths):
        _show(path, hub, err)
    with stopping_on_signals() as wish, serving(hub, host=host, port=port) as address:
        err.print(f"{len(hub.feeds)} matches at {address}/", markup=False)
        if len(hub.feeds) == 1:
            print_addresses(err, address, hub.feeds[0].table)
        wish.wait()


def _records_of(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        found += sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not found:
        raise MisuseError(f"no records (*.jsonl) in {', '.join(str(path) for path in paths)}")
    return found


def _show(path: Path, hub: "Hub", err: Console) -> None:
    """Show one record; reviews can be entered where it is whole enough for that."""
    from api.record_shelf import shown_match

    try:
        feed, desk, note = shown_match(path, match_id=path.stem)
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    if note:
        err.print(f"note: {note}", markup=False)
    try:
        hub.add(feed, desk)
    except ValueError as error:
        raise MisuseError(f"{path}: {error} (want records with names of their own)") from None
