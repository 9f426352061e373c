"""A served match in a process of its own that is killed, and what was acknowledged until then."""

import multiprocessing
import os
import random
import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Timer

import httpx
from scripted_match import bare, landing, recorded_match

from api.client import Client
from api.desk import MatchDesk
from api.feed import MatchFeed
from api.hub import Hub
from api.record_file import RecordFile
from api.server import serving
from api.settings import Settings
from api.store.shelf import open_store
from api.views import standings_view
from api.write_schemas import CallIn, CountIn, UndoIn
from referee.tellings import CallKind

STEP_US = 20_000
START_LIMIT_S = 300
"""A machine that is busy with other things starts a process late."""
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["killed_server"])


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """One write that the server said was kept."""

    entry: int
    kind: str


def acknowledged_until_killed(record: Path, home: Path, *, seed: int) -> list[Acknowledged]:
    """Write into a running match until its process is killed at a random moment."""
    told, tell = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_serve, args=(record, home, tell), daemon=True)
    process.start()
    assert told.poll(START_LIMIT_S), "the server did not start"
    address = told.recv()
    rng = random.Random(seed)
    enough = rng.randint(1, 12)
    kill = Timer(rng.uniform(0.0, 0.05), os.kill, (process.pid, signal.SIGKILL))
    kept: list[Acknowledged] = []
    try:
        with Client(address, sleep=lambda _: None) as client:
            while True:
                kept += _write(client, len(kept))
                if len(kept) >= enough and not kill.ident:
                    kill.start()
    except httpx.TransportError:
        pass
    kill.join()
    process.join(30)
    assert process.exitcode == -signal.SIGKILL
    return kept


def _write(client: Client, number: int) -> list[Acknowledged]:
    """A call or a count, and now and then its undoing."""
    if number % 2:
        told = client.count("made", CountIn(pile="south/reserve", count=number % 13))
    else:
        told = client.call("made", CallIn(call=CallKind.STUCK, seat="south"))
    kept = [Acknowledged(told.entry, told.kind)]
    if number % 5 == 4:
        wish = UndoIn(kind="undo", entry=told.entry, reason="a slip")
        undone = client.entered("made", wish, client.tried("made", wish))
        assert undone.entry is not None
        kept.append(Acknowledged(undone.entry, "revert"))
    return kept


def _serve(record: Path, home: Path, tell: Connection) -> None:
    """A match that goes on for ever, a frame every few milliseconds."""
    match = recorded_match()
    setup = match.proceedings.setup
    feed = MatchFeed(
        match_id="made",
        table="kitchen",
        game="nerts",
        standings=standings_view(match.referee.scorecard, setup),
    )
    desk = MatchDesk(match, feed=feed)
    hub = Hub()
    hub.add(feed, desk)
    with RecordFile(record) as file, serving(hub, port=0, store=open_store(Settings(home=home))) as address:
        desk.begin(file)
        desk.observe(bare(0), at_us=0)
        tell.send(address)
        t_us = 0
        while True:
            t_us += STEP_US
            desk.observe(landing("AH", t_us) if t_us % 400_000 == 0 else bare(t_us), at_us=t_us)
            feed.reach(t_us)
            time.sleep(0.004)
