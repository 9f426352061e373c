"""The program as a process: it serves while it plays, and Ctrl-C ends it cleanly."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from scripted_match import frames, recorded_match, two_plays
from started_program import address_told, started

from api.match_runner import MatchRunner, Outlets
from api.pace import FullSpeed
from api.record_file import RecordFile
from api.stopping import StopWish
from referee.logs import read_log, verify


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


# --- two servers on one folder


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with started("serve", str(folder), "--port", "0") as process:
        yield process, address_told(process)


def appealed(address: str, match_id: str, verdict_id: str = "v1") -> int:
    body = {"verdict_id": verdict_id, "seat": "Ben"}
    return httpx.post(f"{address}/api/v1/matches/{match_id}/appeals", json=body, timeout=20).status_code


def kept(path: Path) -> None:
    with RecordFile(path) as record:
        runner = MatchRunner(two_plays(), recorded_match(), Outlets(record=record))
        runner.run(frames(70), FullSpeed(), StopWish())


def test_a_second_server_on_a_folder_is_refused_while_the_first_one_runs(tmp_path: Path):
    kept(tmp_path / "friday.jsonl")

    with served(tmp_path) as (first, address):
        with started("serve", str(tmp_path), "--port", "0") as second:
            _, err = second.communicate()
        assert (second.returncode, err.count("\n"), str(tmp_path) in err) == (1, 1, True), err
        assert "another server shows the records in it" in err
        assert appealed(address, "friday") == 201
        first.kill()
        first.wait()
        with served(tmp_path) as (_, again):
            assert appealed(again, "friday", "v2") == 201


def test_records_that_another_server_shows_are_left_to_it(tmp_path: Path):
    kept(tmp_path / "friday.jsonl")
    with served(tmp_path) as (_, first):
        kept(tmp_path / "saturday.jsonl")
        with started("serve", str(tmp_path), "--port", "0") as process:
            assert process.stderr is not None
            told = process.stderr.readline()
            second = address_told(process)
            assert "1 in" in told
            assert "friday.jsonl; they are not shown here" in told
            assert [each["match_id"] for each in httpx.get(f"{second}/api/v1/matches").json()] == ["saturday"]
            assert (appealed(first, "friday"), appealed(second, "saturday")) == (201, 201)


def test_nobody_adds_to_a_record_behind_the_back_of_its_server(tmp_path: Path):
    path = tmp_path / "friday.jsonl"
    kept(path)

    with served(tmp_path) as (_, address):
        review = ("review", "appeal", str(path), "v1", "--player", "Ben")
        with started(*review) as process:
            _, err = process.communicate()
        assert (process.returncode, "another program is writing this record" in err) == (2, True), err
        assert appealed(address, "friday") == 201
    assert verify(path.read_bytes().splitlines(keepends=True)).is_ok


def test_of_a_match_that_is_over_and_still_shown_nobody_else_takes_the_record(tmp_path: Path):
    path = tmp_path / "demo.jsonl"

    with started("demo", "--record", str(path), "--port", "0", "--pace", "fast") as process:
        address = address_told(process)
        assert process.stderr is not None
        assert any("still shown" in line for line in process.stderr)
        with started("serve", str(path), "--port", "0") as second:
            _, err = second.communicate()
        assert (second.returncode, str(tmp_path) in err) == (1, True), err
        wish = {"call": "counted"}
        answer = httpx.post(f"{address}/api/v1/matches/demo/calls", json=wish, timeout=20)
        late = httpx.post(
            f"{address}/api/v1/matches/demo/counts", json={"pile": "south/reserve", "count": 1}, timeout=20
        )
        assert (answer.status_code, late.status_code) == (409, 201)


def test_a_token_is_made_and_a_match_exported_beside_a_server(tmp_path: Path):
    path = tmp_path / "friday.jsonl"
    kept(path)

    with served(tmp_path):
        for command in (
            ("token", "new", "OBS", "--scope", "overlay"),
            ("export", str(path), str(tmp_path / "friday.zip")),
            ("import", str(tmp_path / "friday.zip")),
            ("verify", str(path)),
        ):
            with started(*command) as process:
                _, err = process.communicate()
            assert process.returncode == 0, (command, err)
