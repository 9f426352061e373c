"""``touchjudge serve``: finished records on the web pages."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from api.commands.obs_options import Obs, ObsPasswordFile
from api.console import notes
from api.errors import CommandError, MisuseError
from api.showing import print_addresses
from api.stopping import stopping_on_signals

if TYPE_CHECKING:
    from api.house import House
    from api.hub import Hub

MOST_NAMED = 5
"""Records in one line that a person reads."""


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

    err = notes()
    obs_plan = asked_plan(obs, obs_password_file)
    hub = Hub()
    with ExitStack() as stack:
        wish = stack.enter_context(stopping_on_signals())
        house = stack.enter_context(opened_house(err))
        if tournament is not None:
            house.enter_tournament(tournament)
        hub.evidence = EvidenceShelf(house.evidence if evidence is None else evidence)
        _show_all(_records_of(paths) if paths else _kept(house), hub, house, err, stack)
        address = stack.enter_context(house.serving(hub, err, host=host, port=port))
        err.print(f"{len(hub.feeds)} matches at {address}/", markup=False)
        if len(hub.feeds) == 1:
            print_addresses(err, address, hub.feeds[0].table)
        stack.enter_context(telling_obs(hub, obs_plan, tell=partial(err.print, markup=False)))
        wish.wait()


def _records_of(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
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


def _show_all(paths: list[Path], hub: "Hub", house: "House", err: Console, stack: ExitStack) -> None:
    """Show records, and keep other programs from adding to them until ``stack`` ends.

    What another program may add to already is left to that one: two would not know of each other's entries.
    """
    from api.record_file import HeldError

    held: list[Path] = []
    for path in paths:
        try:
            _show(path, hub, house, err, stack)
        except HeldError:
            held.append(path)
    folders = ", ".join(dict.fromkeys(str(path.parent.absolute()) for path in held))
    if held and not hub.feeds:
        raise CommandError(
            f"{folders}: another server shows the records in it: open its pages, or stop it first"
        )
    if held:
        named = ", ".join(path.name for path in held[:MOST_NAMED]) + (", ..." if held[MOST_NAMED:] else "")
        told = f"note: {len(held)} in {folders} belong to another program that runs: {named}"
        err.print(f"{told}; they are not shown here", markup=False)


def _show(path: Path, hub: "Hub", house: "House", err: Console, stack: ExitStack) -> None:
    """Show one record; reviews can be entered where it is whole enough for that."""
    from api.evidence_frames import last_picture
    from api.house import kept_match
    from api.record_shelf import shown_match

    if hub.find(path.stem) is not None:
        said = f"a match with this id is shown already: {path.stem!r} (want records with names of their own)"
        raise MisuseError(f"{path}: {said}")
    try:
        opened = shown_match(path, match_id=path.stem, holding=stack)
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    feed, desk = opened.feed, opened.desk
    if opened.note:
        err.print(f"note: {opened.note}", markup=False)
    hub.add(feed, desk, opened.archive)
    if hub.evidence is not None:
        folder = hub.evidence.bind(feed.match_id, opened.clips)
        if folder is not None:
            feed.offer_picture(partial(last_picture, folder))
            if desk is not None:
                desk.hold_clips(folder.hold)
    if desk is not None:
        kept = kept_match(feed.match_id, feed.table, path, desk.setup, desk.header_line)
        house.store.matches.add(kept)
    counts = hub.copied_from(feed)
    if counts is not None:
        err.print(
            f"note: {path} is a copy of the match {counts.match_id!r}: standings count it once", markup=False
        )
