"""The program as a process: it serves while it plays, and Ctrl-C ends it cleanly."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import httpx
import pytest
from scripted_match import frames, recorded_match, two_plays

from api.match_runner import MatchRunner, Outlets
from api.pace import FullSpeed
from api.record_file import RecordFile
from api.stopping import StopWish
from referee.logs import read_log, verify

PROGRAM = Path(__file__).parents[1] / "support" / "blind_touchjudge.py"
DEADLINE_S = 60
"""A process that has not done its part by then is ended, and the test fails."""


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    guard = Timer(DEADLINE_S, process.kill)
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        process.kill()
        process.communicate()


def address_told(process: subprocess.Popen[str]) -> str:
    """The address that the program prints when it serves."""
    assert process.stderr is not None
    told = next(line for line in process.stderr if "http://" in line)
    found = re.search(r"http://127\.0\.0\.1:\d+", told)
    assert found is not None
    return found[0]


def ask_until(
    ask: Callable[[], httpx.Response], is_enough: Callable[[httpx.Response], bool]
) -> httpx.Response:
    """The first answer that is enough; the guard of the process bounds the wait."""
    while not is_enough(answer := ask()):
        pass
    return answer


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_serves_while_it_plays_and_stops_when_asked(tmp_path: Path, number: signal.Signals):
    path = tmp_path / "demo.jsonl"

    with started("demo", "--record", str(path), "--port", "0") as process:
        address = address_told(process)
        with httpx.Client(base_url=address, timeout=20) as client:
            ask = lambda: client.get("/api/v1/matches/demo/score")  # noqa: E731  named for what it asks
            score = ask_until(ask, lambda answer: answer.json()["t_us"] > 500_000).json()
            picture = client.get("/api/v1/matches/demo/picture.jpg")
            overlay = client.get("/overlay/demo")
        process.send_signal(number)
        out, err = process.communicate()

    lines = path.read_bytes().splitlines(keepends=True)
    assert (process.returncode, "Traceback" in err) == (0, False), err
    assert (score["state"], len(score["players"])) == ("playing", 2)
    assert (picture.status_code, overlay.status_code) == (200, 200)
    assert "Ana" in out
    assert err.count("stopping: finishing the record ...\n") == 1
    assert verify(lines).is_ok
    assert read_log(lines).is_ended


def test_finished_records_are_served(tmp_path: Path):
    path = tmp_path / "friday.jsonl"
    with RecordFile(path) as record:
        runner = MatchRunner(two_plays(), recorded_match(), Outlets(record=record))
        runner.run(frames(70), FullSpeed(), StopWish())

    with started("serve", str(tmp_path), "--port", "0") as process:
        address = address_told(process)
        score = httpx.get(f"{address}/api/v1/matches/friday/score", timeout=20).json()
        overlay = httpx.get(f"{address}/overlay/kitchen", timeout=20)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()

    assert (process.returncode, err.count("Traceback"), err.count("stopping")) == (0, 0, 0)
    assert (score["state"], score["players"][0]["total"], overlay.status_code) == ("finished", 2, 200)
