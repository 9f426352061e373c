# ruff: noqa: INP001, T201 (a script that prints its figures, no package)
"""A thousand overlays on one table: how late changes come, and whether any is lost or doubled.

The server is a process of its own, the viewers are another: two cores. Viewers follow over WebSockets, as the
pages do, or over event streams, as they do where no socket opens.

    python benchmarks/live_load.py --viewers 1000 --events 20 --seconds 30 --over socket
    python benchmarks/live_load.py --viewers 1000 --events 20 --seconds 30 --over sse

Also how long the list of a match of 10,000 plays takes to open. One JSON line; exit status 1 where a viewer
lost or doubled a change, or changes came later than the limit.
"""

import argparse
import asyncio
import base64
import json
import multiprocessing
import resource
import sys
import time
from dataclasses import dataclass, field
from enum import StrEnum
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
SNAPSHOT_BYTES = 1 << 22
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
"""Kinds of frames of a WebSocket (RFC 6455)."""


class Over(StrEnum):
    """By what viewers follow."""

    SSE = "sse"
    SOCKET = "socket"


@dataclass(slots=True)
class Viewer:
    """What one display saw."""

    numbers: list[int] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)

    def hear(self, event: str, event_id: str, data: bytes) -> None:
        """One change came."""
        self.numbers.append(int(event_id.rpartition("-")[2]))
        if event == "verdict":
            made_ns = int(json.loads(data)["reason"])
            self.late_ms.append((time.monotonic_ns() - made_ns) / 1e6)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--events", type=float, default=20.0, help="changes a second")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--over", type=Over, choices=tuple(Over), default=Over.SOCKET)
    asked = parser.parse_args()
    _raise_file_limit(asked.viewers + 100)
    context = multiprocessing.get_context("spawn")
    told, tell = context.Pipe()
    process = context.Process(target=_serve, args=(tell, asked.events, asked.seconds), daemon=True)
    process.start()
    address = told.recv()
    viewers = asyncio.run(_watch(address, asked.viewers, asked.over, told))
    changes, cpu_share, opening_ms = told.recv()
    process.join()
    figures = {**_figures(viewers, changes, opening_ms), "server_cpu_share": round(cpu_share, 2)}
    print(json.dumps({"over": asked.over.value, **figures}))
    is_good = (
        figures["lost"] == figures["doubled"] == figures["out_of_order"] == 0
        and figures["p99_ms"] <= LIMIT_MS
        and figures["opening_ms"] <= OPENING_LIMIT_MS
    )
    sys.exit(0 if is_good else 1)


def _figures(viewers: list[Viewer], changes: int, opening_ms: float) -> dict[str, float]:
    """``changes``: how many the server made, numbered from 1; all viewers were there before the first."""
    late_ms = sorted(late for viewer in viewers for late in viewer.late_ms)
    made = set(range(1, changes + 1))
    return {
        "viewers": len(viewers),
        "changes": changes,
        "lost": sum(len(made - set(viewer.numbers)) for viewer in viewers),
        "doubled": sum(len(viewer.numbers) - len(set(viewer.numbers)) for viewer in viewers),
        "out_of_order": sum(viewer.numbers != sorted(viewer.numbers) for viewer in viewers),
        "p50_ms": round(_quantile(late_ms, 0.5), 1),
        "p99_ms": round(_quantile(late_ms, 0.99), 1),
        "max_ms": round(late_ms[-1] if late_ms else 0.0, 1),
        "opening_ms": round(opening_ms, 1),
    }


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


async def _watch(address: str, count: int, over: Over, told: Connection) -> list[Viewer]:
    """Connect all viewers, let the match begin, and follow until the server leaves."""
    host, _, port = address.removeprefix("http://").partition(":")
    viewers = [Viewer() for _ in range(count)]
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)
    connected = [asyncio.Event() for _ in viewers]
    follow = _follow_socket if over is Over.SOCKET else _follow_stream
    following = [
        asyncio.create_task(follow(host, int(port), viewer, event, gate))
        for viewer, event in zip(viewers, connected, strict=True)
    ]
    for event in connected:
        await event.wait()
    told.send("begin")
    await asyncio.gather(*following)
    return viewers


async def _follow_socket(
    host: str, port: int, viewer: Viewer, connected: asyncio.Event, gate: asyncio.Semaphore
) -> None:
    """Follow until the server closes the socket; pings are answered, or it would close it before."""
    async with gate:
        reader, writer = await asyncio.open_connection(host, port, limit=SNAPSHOT_BYTES)
        key = base64.b64encode(bytes(16)).decode()
        request = (
            f"GET /api/v1/matches/load/socket HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        )
        writer.write(request.encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 101 "):
            raise ConnectionError(f"no socket: {answer.decode().splitlines()[0]}")
        kind, first = await _frame(reader)
        if kind != TEXT or b'"event":"snapshot"' not in first[:40]:
            raise ConnectionError(f"want a snapshot first, got {first[:40]!r}")
    connected.set()
    while (frame := await _frame(reader))[0] != CLOSE:
        kind, content = frame
        if kind == PING:
            writer.write(bytes((0x80 | PONG, 0x80 | len(content), 0, 0, 0, 0)) + content)
        elif kind == TEXT:
            _hear(viewer, content)
    writer.close()


async def _frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Kind and content of the next frame; a line that ends without one is closed too."""
    try:
        head = await reader.readexactly(2)
        size = head[1] & 0x7F
        if size >= 126:
            size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
        return head[0] & 0x0F, await reader.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return CLOSE, b""


def _hear(viewer: Viewer, message: bytes) -> None:
    """``{"event":"verdict","id":"a1b2-7","data":{...}}``; signs of life have no id."""
    head, _, data = message.partition(b',"data":')
    told = json.loads(head + b"}")
    if told["id"]:
        viewer.hear(told["event"], told["id"], data.removesuffix(b"}"))


async def _follow_stream(
    host: str, port: int, viewer: Viewer, connected: asyncio.Event, gate: asyncio.Semaphore
) -> None:
    async with gate:
        reader, writer = await asyncio.open_connection(host, port, limit=SNAPSHOT_BYTES)
        request = f"GET /api/v1/matches/load/stream HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
        writer.write(request.encode())
        await reader.readuntil(b"event: snapshot")
        await reader.readuntil(b"\n\n")
    connected.set()
    event = event_id = ""
    while line := await reader.readline():
        if line.startswith(b"event: "):
            event, event_id = line[7:-1].decode(), ""
        elif line.startswith(b"id: "):
            event_id = line[4:-1].decode()
        elif event_id and line.startswith(b"data: "):
            viewer.hear(event, event_id, line[6:-1])
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
    tell.send((feed.number_seen(0), cpu_share, _opening_ms()))


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
