"""``touchjudge serve``: finished records on the web pages."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.commands.obs_options import Obs, ObsPasswordFile
from api.console import notes
from api.errors import MisuseError
from api.showing import print_addresses
from api.stopping import stopping_on_signals

if TYPE_CHECKING:
    from api.house import House


def serve(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RECORD...", help="Records, or folders of them; without any, all that were kept here."
        ),
    ] = None,
    *,
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", metavar="DIR", help="Where clips lie; without it, those taken in here."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to answer on.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 8765, or a free one if that is taken.")
    ] = None,
    tournament: Annotated[
        Path | None,
        typer.Option("--tournament", metavar="T.toml", help="Rounds and who sits where, for the board."),
    ] = None,
    obs: Obs = None,
    obs_password_file: ObsPasswordFile = None,
) -> None:
    """Show finished records: score, verdicts, overlay.

    Example: [bold]touchjudge serve records/[/bold]
    """
    from api.evidence_shelf import EvidenceShelf
    from api.house import opened_house
    from api.hub import Hub
    from api.obs import asked_plan, telling_obs
    from api.record_shows import RecordShows

    err = notes()
    obs_plan = asked_plan(obs, obs_password_file)
    hub = Hub()
    with ExitStack() as stack:
        wish = stack.enter_context(stopping_on_signals())
        house = stack.enter_context(opened_house(err))
        if tournament is not None:
            house.enter_tournament(tournament)
        hub.evidence = EvidenceShelf(house.evidence if evidence is None else evidence)
        shows = RecordShows(hub, err, stack)
        shows.show_all(_records_of(paths) if paths else _kept(house))
        address = stack.enter_context(house.serving(hub, err, host=host, port=port))
        for match in shows.kept:  # not before: what was refused is nothing to come back to
            house.store.matches.add(match)
        matches = "match" if len(hub.feeds) == 1 else "matches"
        err.print(f"{len(hub.feeds)} {matches} at {address}/", markup=False)
        if len(hub.feeds) == 1:
            print_addresses(err, address, hub.feeds[0].table)
        stack.enter_context(telling_obs(hub, obs_plan, tell=partial(err.print, markup=False)))
        wish.wait()


def _records_of(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise MisuseError(f"No such file or directory: {path}")
        found += sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not found:
        raise MisuseError(f"no records (*.jsonl) in {', '.join(str(path) for path in paths)}")
    return found


def _kept(house: "House") -> list[Path]:
    """The records that were kept here and still lie there."""
    found = [match.record for match in house.store.matches.all() if match.record.is_file()]
    if not found:
        raise MisuseError(f"no records were kept in {house.records} yet: name one, or a folder of them")
    return found
