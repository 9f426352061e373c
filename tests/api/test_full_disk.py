"""A disk that is full for a while: nothing half is kept, nothing kept is lost, and it goes on with room."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from asking_app import Asked
from desk_match import DeskMatch

from api.desk import MatchDesk
from api.errors import CommandError
from api.feed import MatchFeed
from api.hub import Hub
from api.record_file import RecordFile
from api.record_shelf import shown_match
from referee.logs import read_log, verify
from referee.replay import first_difference, replay
from referee.tellings import CallKind

resource = pytest.importorskip("resource")
MATCH = "/api/v1/matches/friday"
CALL = {"call": "stuck", "seat": "south"}
APPEAL = {"verdict_id": "v1", "seat": "north", "grounds": "I was first"}
ROOM = 10
"""Bytes that still go onto the disk: a part of a line."""


@contextmanager
def full_disk(path: Path) -> Iterator[None]:
    """No file grows beyond what ``path`` has now and a little more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


Made = tuple[MatchFeed, MatchDesk]


def running(path: Path, stack: ExitStack) -> Made:
    match = DeskMatch(path).play()
    assert match.record is not None
    stack.enter_context(match.record)
    return match.feed, match.desk


def over(path: Path, _: ExitStack) -> Made:
    match = DeskMatch(path).play().finish()
    return match.feed, match.desk


def served(path: Path, stack: ExitStack) -> Made:
    over(path, stack)
    feed, desk, *_ = shown_match(path, match_id="friday")
    assert desk is not None
    return feed, desk


def broken_off(path: Path, stack: ExitStack) -> Made:
    with ExitStack() as ended:
        running(path, ended)
    path.write_bytes(path.read_bytes()[:-20])
    feed, desk, *_ = shown_match(path, match_id="friday", holding=stack)
    assert desk is not None
    return feed, desk


def is_ready(asked: Asked) -> bool:
    checks = asked.get("/readyz").json()["checks"]
    return all(check["is_ok"] for check in checks if check["name"].startswith("record"))


MADE = [
    pytest.param(running, "calls", CALL, "called", id="a match that runs"),
    pytest.param(over, "appeals", APPEAL, "appeal", id="one that is over"),
    pytest.param(served, "appeals", APPEAL, "appeal", id="one that is served"),
    pytest.param(broken_off, "appeals", APPEAL, "appeal", id="one that was broken off in a line"),
]


@pytest.mark.parametrize(("make", "what", "body", "kind"), MADE)
def test_a_match_goes_on_when_there_is_room_again(
    tmp_path: Path, make: Callable[[Path, ExitStack], Made], what: str, body: dict, kind: str
):
    path = tmp_path / "friday.jsonl"
    hub = Hub()
    with ExitStack() as stack:
        feed, desk = make(path, stack)
        hub.add(feed, desk)
        asked = stack.enter_context(Asked(hub))
        before, shown = desk.record_bytes(), asked.get(f"{MATCH}/{what}").json()

        with full_disk(path):
            refused = [asked.post(f"{MATCH}/{what}", json=body) for _ in range(2)]
            was_ready = is_ready(asked)
        kept, still_shown = desk.record_bytes(), asked.get(f"{MATCH}/{what}").json()
        ready = is_ready(asked)
        entered = asked.post(f"{MATCH}/{what}", json=body)

    assert [answer.status_code for answer in refused] == [503, 503]
    assert "the disk is full" in refused[1].json()["detail"]
    assert (was_ready, kept, still_shown) == (False, before, shown)
    assert (ready, entered.status_code) == (True, 201), entered.text
    lines = path.read_bytes().splitlines(keepends=True)
    log = read_log(lines)
    assert verify(lines).is_ok, verify(lines)
    assert first_difference(log, replay(log)) is None
    assert path.read_bytes().startswith(before)
    assert [entry.kind for entry in log.entries].count(kind) == 1


def test_a_match_that_runs_is_seen_on_after_a_refused_call(tmp_path: Path):
    path = tmp_path / "friday.jsonl"
    whole, cut = DeskMatch(None).begin(), DeskMatch(path).begin()
    for _ in range(6):
        whole.step()
        cut.step()
    with full_disk(path), pytest.raises(CommandError, match="the disk is full"):
        cut.desk.call(CallKind.STUCK, "south", "Rita")

    for match in (whole, cut):
        while match.step():
            pass
        match.desk.advance(20_000_000)
        match.finish()

    assert path.read_bytes() == whole.desk.record_bytes()


def test_what_cannot_be_made_safe_is_taken_back(tmp_path: Path):
    path = tmp_path / "friday.jsonl"

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    with ExitStack() as stack:
        _, desk = running(path, stack)
        before = desk.record_bytes()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("api.record_file.os.fsync", fail)
            with pytest.raises(CommandError, match="the disk is full"):
                desk.call(CallKind.STUCK, "south", "Rita")
        after = desk.record_bytes(), path.read_bytes()
        entered = desk.call(CallKind.STUCK, "south", "Rita")

    assert after == (before, before)
    assert (entered.kind, entered.is_on_disk) == ("called", True)


def test_a_part_of_a_line_that_could_not_be_cut_off_is_cut_before_the_next(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    record = RecordFile(path)
    record.append("one\n")
    record.close()

    with full_disk(path), pytest.MonkeyPatch.context() as patch:
        patch.setattr("api.record_file.RecordTail._mend", lambda *_: None)
        with pytest.raises(CommandError, match="the disk is full"):
            record.append("two two two two\n")
    torn = path.read_bytes()
    record.append("three\n")

    assert torn == b"one\n" + b"two two two two\n"[:ROOM]
    assert path.read_bytes() == b"one\nthree\n"
