# ruff: noqa: INP001, T201 (a script that prints its figures, no package)
"""A thousand overlays on one table: how late changes come, and whether any is lost or doubled.

The server is a process of its own, the viewers are another: two cores.

    python benchmarks/live_load.py --viewers 1000 --events 20 --seconds 30

Also how long the list of a match of 10,000 plays takes to open. One JSON line; exit status 1 where a viewer
lost or doubled a change, or changes came later than the limit.
"""

import argparse
import asyncio
import json
import multiprocessing
import resource
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

import httpx

from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import EvidenceOut, PlayerScoreOut, ScoreLineOut, Span, StandingsOut, VerdictOut
from api.server import serving

LIMIT_MS = 150.0
"""99 of 100 changes reach every viewer within this time."""
OPENING_LIMIT_MS = 300.0
MANY_PLAYS = 10_000
CONNECTING_AT_ONCE = 50


@dataclass(slots=True)
class Viewer:
    """What one display saw."""

    numbers: list[int] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--events", type=float, default=20.0, help="changes a second")
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    _raise_file_limit(asked.viewers + 100)
    context = multiprocessing.get_context("spawn")
    told, tell = context.Pipe()
    process = context.Process(target=_serve, args=(tell, asked.events, asked.seconds), daemon=True)
    process.start()
    address = told.recv()
    viewers = asyncio.run(_watch(address, asked.viewers, told))
    cpu_share, opening_ms = told.recv()
    process.join()
    figures = {**_figures(viewers, opening_ms), "server_cpu_share": round(cpu_share, 2)}
    print(json.dumps(figures))
    is_good = (
        figures["lost_or_doubled"] == 0
        and figures["p99_ms"] <= LIMIT_MS
        and figures["opening_ms"] <= OPENING_LIMIT_MS
    )
    sys.exit(0 if is_good else 1)


def _figures(viewers: list[Viewer], opening_ms: float) -> dict[str, float]:
    late_ms = sorted(late for viewer in viewers for late in viewer.late_ms)
    whole = max((len(viewer.numbers) for viewer in viewers), default=0)
    broken = sum(not _is_whole(viewer, whole) for viewer in viewers)
    return {
        "viewers": len(viewers),
        "changes": whole,
        "lost_or_doubled": broken,
        "p50_ms": round(_quantile(late_ms, 0.5), 1),
        "p99_ms": round(_quantile(late_ms, 0.99), 1),
        "max_ms": round(late_ms[-1] if late_ms else 0.0, 1),
        "opening_ms": round(opening_ms, 1),
    }


def _is_whole(viewer: Viewer, count: int) -> bool:
    """Every change once, in order."""
    numbers = viewer.numbers
    return len(numbers) == count and numbers == list(range(numbers[0], numbers[0] + count))


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


async def _watch(address: str, count: int, told: Connection) -> list[Viewer]:
    """Connect all viewers, let the match begin, and follow until the server leaves."""
    host, _, port = address.removeprefix("http://").partition(":")
    viewers = [Viewer() for _ in range(count)]
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)
    connected = [asyncio.Event() for _ in viewers]
    following = [
        asyncio.create_task(_follow(host, int(port), viewer, event, gate))
        for viewer, event in zip(viewers, connected, strict=True)
    ]
    for event in connected:
        await event.wait()
    told.send("begin")
    await asyncio.gather(*following)
    return viewers


async def _follow(
    host: str, port: int, viewer: Viewer, connected: asyncio.Event, gate: asyncio.Semaphore
) -> None:
    async with gate:
        reader, writer = await asyncio.open_connection(host, port, limit=1 << 22)
        request = f"GET /api/v1/matches/load/stream HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
        writer.write(request.encode())
        await reader.readuntil(b"event: snapshot")
        await reader.readuntil(b"\n\n")
    connected.set()
    is_verdict = False
    while line := await reader.readline():
        if line.startswith(b"event: "):
            is_verdict = line == b"event: verdict\n"
        elif line.startswith(b"id: "):
            viewer.numbers.append(int(line.rpartition(b"-")[2]))
        elif is_verdict and line.startswith(b"data: "):
            made_ns = int(json.loads(line[6:])["reason"])
            viewer.late_ms.append((time.monotonic_ns() - made_ns) / 1e6)
    writer.close()


def _serve(tell: Connection, events: float, seconds: float) -> None:
    """A match whose verdicts carry the moment at which they were made."""
    hub = Hub()
    feed = MatchFeed(match_id="load", table="hall", game="nerts", standings=_standings(0))
    hub.add(feed)
    with serving(hub, port=0) as address:
        tell.send(address)
        tell.recv()
        begun_s, number, cpu_s = time.monotonic(), 0, time.process_time()
        while number * 2 < events * seconds:
            number += 1
            pause_s = begun_s + number * 2 / events - time.monotonic()
            if pause_s > 0:
                time.sleep(pause_s)
            feed.rule((_verdict(number, str(time.monotonic_ns())),), _standings(number))
        time.sleep(2.0)
        cpu_share = (time.process_time() - cpu_s) / (time.monotonic() - begun_s)
    tell.send((cpu_share, _opening_ms()))


def _opening_ms() -> float:
    """How long the list of a long match takes, asked as the review page asks for it; the slowest of five."""
    hub = Hub()
    feed = MatchFeed(match_id="long", table="hall", game="nerts", standings=_standings(0))
    feed.rule(tuple(_verdict(number, "long") for number in range(MANY_PLAYS)), _standings(MANY_PLAYS))
    hub.add(feed)
    times_ms = []
    with serving(hub, port=0) as address, httpx.Client(base_url=address, timeout=30) as client:
        for query in ("limit=100&order=newest", "waiting=true&limit=100", "limit=1000") * 2:
            begun_s = time.perf_counter()
            client.get(f"/api/v1/matches/long/verdicts?{query}").raise_for_status()
            times_ms.append(1000 * (time.perf_counter() - begun_s))
    return max(times_ms)


def _standings(total: int) -> StandingsOut:
    line = ScoreLineOut(rule="N39", item="cards", count=total, points_each=1, points=total)
    players = (("south", "Ana"), ("north", "Ben"))
    return StandingsOut(
        players=tuple(
            PlayerScoreOut(seat=seat, player=name, total=total, lines=(line,)) for seat, name in players
        )
    )


def _verdict(number: int, reason: str) -> VerdictOut:
    return VerdictOut(
        verdict_id=f"v{number}",
        ruling="LEGAL",
        rule="N26",
        reason=reason,
        seat="south",
        player="Ana",
        card="2H",
        pile="table/foundation[0]",
        when=Span(start_us=number, end_us=number + 33_000),
        plays=(),
        evidence=(EvidenceOut(source_id="match.mp4", frames_us=(number,)),),
    )


def _raise_file_limit(wanted: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))


if __name__ == "__main__":
    main()
