"""``touchjudge demo``: the bundled sample match, end to end."""

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from api.commands.obs_options import Obs, ObsPasswordFile
from api.console import notes, output
from api.pace import Pace, pacer_of
from api.showing import print_addresses, wait_for_end
from api.stopping import stopping_on_signals

NAME = "demo"
"""Of the match, and of its table in every address."""


def demo(
    *,
    once: Annotated[bool, typer.Option("--once", help="Leave when the match is over.")] = False,
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Show the match on this machine.")] = True,
    host: Annotated[str, typer.Option(help="The address to answer on.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 8765, or a free one if that is taken.")
    ] = None,
    pace: Annotated[
        Pace, typer.Option(help="Play it as it happened, or as fast as it can be judged.")
    ] = Pace.REAL,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="R.jsonl", help="Keep the record there.")
    ] = None,
    obs: Obs = None,
    obs_password_file: ObsPasswordFile = None,
) -> None:
    """Play the bundled sample match through the whole chain and show it on this machine.

    Example: [bold]touchjudge demo[/bold], or without waiting: [bold]touchjudge demo --once --pace fast[/bold]
    """
    from api.evidence_shelf import EvidenceShelf
    from api.house import opened_house
    from api.hub import Hub
    from api.match_plan import MatchPlan
    from api.match_session import MatchSession
    from api.obs import asked_plan, telling_obs
    from api.opening import open_table, opened_source
    from api.sample import bundled_sample
    from models import load_zone_detector

    err = notes()
    obs_plan = asked_plan(obs, obs_password_file)
    sample = bundled_sample()
    table = replace(open_table(sample.table), name=NAME)
    plan = MatchPlan(
        match_id=NAME, table=table, table_file=str(sample.table), source=str(sample.clip), record=record
    )
    with ExitStack() as stack:
        wish = stack.enter_context(stopping_on_signals())
        source = stack.enter_context(opened_source(plan.source))
        house = stack.enter_context(opened_house(err)) if serve else None
        if house is not None:
            plan = house.furnished(plan)
        session = MatchSession(plan, source, load_zone_detector())
        if house is not None:
            hub = Hub()
            hub.evidence = None if plan.evidence is None else EvidenceShelf(plan.evidence)
            hub.add(session.feed, session.desk)
            address = stack.enter_context(house.serving(hub, err, host=host, port=port))
            print_addresses(err, address, table.name)
            house.keep(session, err)
            stack.enter_context(telling_obs(hub, obs_plan, tell=partial(err.print, markup=False)))
        pacer = pacer_of(pace, wish, tell=partial(err.print, markup=False))
        session.play(pacer=pacer, wish=wish, out=output(), notes=err)
        if serve and not once:
            stack.enter_context(session.record_held())
            wait_for_end(wish, err)
        session.raise_lost_output()
