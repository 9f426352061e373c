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
    from api.feed import MatchFeed


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
        try:
            hub.add(_feed_of_record(path, err))
        except ValueError as error:
            raise MisuseError(f"{path}: {error} (want records with names of their own)") from None
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


def _feed_of_record(path: Path, err: Console) -> "MatchFeed":
    """A feed that is over from the start: the record's observations judged again."""
    from api.feed import MatchFeed
    from api.records import open_log, tell_cut
    from api.schemas import MatchState
    from api.views import ruled_view, standings_view
    from referee.logs import RecordError
    from referee.replay import replay

    log = open_log(path)
    tell_cut(log, path, err)
    setup = log.header.setup
    try:
        replayed = replay(log)
    except RecordError as error:
        raise CommandError(f"{path}: {error}") from None
    standings = standings_view(replayed.scorecard, setup)
    feed = MatchFeed(
        match_id=path.stem,
        table=log.header.table or path.stem,
        game=setup.game.value,
        standings=standings,
    )
    if log.entries:
        feed.reach(log.entries[-1].t_us)
    feed.rule(tuple(ruled_view(ruled, setup) for ruled in replayed.rulings), standings)
    feed.end(MatchState.FINISHED if log.is_ended else MatchState.BROKEN)
    return feed
