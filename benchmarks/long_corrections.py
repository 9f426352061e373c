# ruff: noqa: INP001, T201 (a script that prints its figures, no package)
"""How long a correction takes in a match of 10,000 plays, over the web: tried, entered, and undone.

    python benchmarks/long_corrections.py [PLAYS]

The match is that of ``touchjudge bench --referee``, with its record on disk. A correction near the start, in
the middle and at the end is tried and entered; what is told is the time from question to answer.
"""

import cProfile
import pstats
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import httpx

from api.desk import MatchDesk
from api.feed import MatchFeed
from api.hub import Hub
from api.record_file import RecordFile
from api.referee_bench import made_plays, made_setup
from api.server import serving
from api.views import standings_view
from referee.record import RecordedMatch, RecordHeader

MATCH = "/api/v1/matches/long"


def main() -> None:
    """Measure and tell."""
    plays = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        desk, feed = _played(Path(folder) / "long.jsonl", plays)
        hub = Hub()
        hub.add(feed, desk)
        with serving(hub, port=0) as address, httpx.Client(base_url=address, timeout=120) as client:
            for share in (0.01, 0.5, 0.99):
                _tell(client, f"v{int(share * plays)}")
        if "--profile" in sys.argv:
            _profile(desk, f"v{plays // 2 + 1}")


def _played(path: Path, plays: int) -> tuple[MatchDesk, MatchFeed]:
    match = RecordedMatch(RecordHeader(setup=made_setup(), table="hall", source="bench.mp4"))
    feed = MatchFeed(
        match_id="long",
        table="hall",
        game="nerts",
        standings=standings_view(match.referee.scorecard, made_setup()),
    )
    desk = MatchDesk(match, feed=feed)
    desk.begin(RecordFile(path))
    for play in islice(made_plays(), plays):
        for observation in play:
            desk.observe(observation, at_us=None)
    desk.advance((match.referee.now_us or 0) + 5_000_000)
    return desk, feed


def _tell(client: httpx.Client, verdict_id: str) -> None:
    wanted = {"kind": "owner", "verdict_id": verdict_id, "seat": "west"}
    tried, preview_s = _timed(client, wanted)
    if "confirm" not in tried:
        print(f"{verdict_id}: {tried.get('detail')}")
        return
    entered, enter_s = _timed(client, {**wanted, "confirm": tried["confirm"]})
    undo = {"kind": "undo", "entry": entered["entry"]}
    undone, undo_s = _timed(client, undo)
    again, undone_s = _timed(client, {**undo, "confirm": undone["confirm"]})
    print(
        f"{verdict_id}: {len(tried['changes'])} changes; tried {preview_s:.2f} s, entered {enter_s:.2f} s,"
        f" undoing tried {undo_s:.2f} s, entered {undone_s:.2f} s ({again['state']})"
    )


def _timed(client: httpx.Client, body: dict[str, object]) -> tuple[dict[str, object], float]:
    begun_s = time.perf_counter()
    answer = client.post(f"{MATCH}/corrections", json=body)
    return answer.json(), time.perf_counter() - begun_s


def _profile(desk: MatchDesk, verdict_id: str) -> None:
    profile = cProfile.Profile()
    wish = desk.correction(verdict_id, 0, seat="west", reason="profile", reviewer="bench")
    profile.enable()
    tried = desk.wish(wish, None)
    desk.wish(wish, tried.confirm)
    profile.disable()
    pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
