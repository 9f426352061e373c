"""``touchjudge watch``: the main job, any source judged."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from api.commands.obs_options import Obs, ObsPasswordFile
from api.console import notes, output
from api.errors import MisuseError
from api.pace import Pace, pacer_of
from api.showing import print_addresses, wait_for_end
from api.stopping import stopping_on_signals

if TYPE_CHECKING:
    from vision.table import Table

MARKER_SEARCH_FRAMES = 60
"""One second at 60 a second; markers that lie on the table are seen in the first pictures."""


def watch(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A video file, camera, rtsp:// address or image folder.")
    ],
    *,
    table: Annotated[
        Path | None, typer.Option("--table", metavar="T.toml", help="Where the piles lie and who sits where.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="R.jsonl", help="Keep the record there.")
    ] = None,
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", metavar="DIR", help="Keep a clip of every play in this folder."),
    ] = None,
    evidence_gb: Annotated[
        float,
        typer.Option(min=0.001, max=1e6, help="With --evidence: the oldest clips go beyond this size."),
    ] = 20.0,
    evidence_days: Annotated[
        float, typer.Option(min=0.001, max=36_500, help="With --evidence: clips older than this go.")
    ] = 30.0,
    serve: Annotated[bool, typer.Option("--serve", help="Show the match on this machine.")] = False,
    host: Annotated[str, typer.Option(help="With --serve: the address to answer on.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="With --serve: 8765, or a free one if taken.")
    ] = None,
    pace: Annotated[
        Pace, typer.Option(help="Play a recording as fast as it can be judged, or as it happened.")
    ] = Pace.FAST,
    decks: Annotated[
        list[str] | None,
        typer.Option("--deck", metavar="NAME", help="Cards of this deck, from 'deck enrol NAME --faces'."),
    ] = None,
    tournament: Annotated[
        Path | None,
        typer.Option("--tournament", metavar="T.toml", help="Who sits at this table, with --round."),
    ] = None,
    round_: Annotated[
        int | None, typer.Option("--round", min=1, help="With --tournament: the round that is played.")
    ] = None,
    obs: Obs = None,
    obs_password_file: ObsPasswordFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Verdicts and score as JSON lines.")] = False,
) -> None:
    """Watch a table and rule on every play.

    Example: [bold]touchjudge watch match.mp4 --table match.toml --record match.jsonl[/bold]
    """
    from api.decks import deck_file, detector_for
    from api.evidence_shelf import SECONDS_A_DAY, EvidenceShelf, Retention
    from api.house import opened_house
    from api.hub import Hub
    from api.match_plan import MatchPlan
    from api.match_session import MatchSession
    from api.obs import asked_plan, telling_obs
    from api.opening import open_table, opened_source
    from models import load_zone_detector
    from models.detector_settings import ZONES

    err = notes()
    obs_plan = asked_plan(obs, obs_password_file)
    if obs_plan is not None and not serve:
        raise MisuseError("--obs: want --serve too, which follows the match")
    chosen = open_table(table) if table is not None else _table_by_markers(source, err)
    if tournament is not None or round_ is not None:
        chosen = _seated(chosen, tournament, round_)
    files = tuple(deck_file(name, beside=table) for name in decks or ())
    plan = MatchPlan(
        match_id=chosen.name,
        table=chosen,
        table_file=str(table or "the regular plan"),
        source=source,
        record=record,
        evidence=evidence,
        decks=files,
        retention=Retention(
            bytes_at_most=round(evidence_gb * 1e9), age_s_at_most=evidence_days * SECONDS_A_DAY
        ),
    )
    with ExitStack() as stack:
        wish = stack.enter_context(stopping_on_signals())
        opened = stack.enter_context(opened_source(source))
        house = stack.enter_context(opened_house(err)) if serve else None
        if house is not None:
            plan = house.furnished(plan)
            if tournament is not None:
                house.enter_tournament(tournament)
        detector = detector_for(files, err, settings=ZONES) if files else load_zone_detector()
        session = MatchSession(plan, opened, detector)
        if house is not None:
            hub = Hub()
            hub.evidence = None if plan.evidence is None else EvidenceShelf(plan.evidence)
            hub.add(session.feed, session.desk)
            address = stack.enter_context(house.serving(hub, err, host=host, port=port))
            print_addresses(err, address, chosen.name)
            house.keep(session, err)
            stack.enter_context(telling_obs(hub, obs_plan, tell=partial(err.print, markup=False)))
        pacer = pacer_of(pace, wish, tell=partial(err.print, markup=False))
        session.play(pacer=pacer, wish=wish, out=output(), notes=err, as_json=as_json)
        if serve:
            stack.enter_context(session.record_held())
            wait_for_end(wish, err)
        session.raise_lost_output()


def _table_by_markers(source: str, err: Console) -> "Table":
    """The regular plan, if its four markers lie on the table; else ``MisuseError`` says how to set one up."""
    from api.opening import opened_source
    from api.table_plan import marker_centres_mm, table_text
    from vision.calibration import find_markers
    from vision.table_file import parse_table

    wanted = set(marker_centres_mm())
    seen: set[int] = set()
    with opened_source(source) as opened:
        for frame in opened:
            seen |= wanted & set(find_markers(frame.image_bgr, "DICT_4X4_50"))
            if seen == wanted or frame.index >= MARKER_SEARCH_FRAMES:
                break
    if seen != wanted:
        raise MisuseError(
            f"no table file, and markers {_names(wanted - seen)} were not seen in {source}:"
            " give --table T.toml (start one with 'touchjudge table new T.toml'),"
            " or lay down the printed markers ('touchjudge table markers')"
        )
    err.print("four markers seen: the piles are taken to lie as in 'touchjudge table new'", markup=False)
    return parse_table(table_text("table", ("South", "North"), None))


def _seated(table: "Table", tournament: Path | None, number: int | None) -> "Table":
    """``table`` with those who sit at it in a round of a tournament."""
    from api.tournament import seated_table
    from api.tournament_file import TournamentError, load_tournament

    if tournament is None or number is None:
        raise MisuseError("want --tournament and --round together, or neither")
    try:
        plan, _ = load_tournament(tournament)
    except TournamentError as error:
        raise MisuseError(str(error)) from None
    try:
        return seated_table(table, plan, number)
    except ValueError as error:
        raise MisuseError(f"{tournament}: {error}") from None


def _names(markers: set[int]) -> str:
    return ", ".join(str(marker) for marker in sorted(markers))
