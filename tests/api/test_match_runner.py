"""The runner carries; the record is whole and the same every time; every end is a clean one."""

import errno
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted_match import ScriptedEyes, bare, frames, landing, recorded_match, two_plays

from api.clock_doubts import ClockDoubts
from api.console import LineConsole, notes
from api.errors import CommandError
from api.feed import MatchFeed
from api.lasting import LastingTeller
from api.match_runner import MatchRunner, Outlets
from api.pace import FullSpeed, RealTime
from api.play_by_play import PlayByPlay
from api.record_file import RecordFile
from api.schemas import MatchState
from api.stopping import StopWish
from referee.logs import read_log, verify
from referee.replay import first_difference, replay
from referee.sightings import ClockDoubted, ClockFault
from vision.frames import Frame
from vision.sources import SourceError
from vision.sources.timing import StampFaults


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def run_to(path: Path, *, source=None, eyes=None, wish: StopWish | None = None, feed=None) -> MatchRunner:
    with RecordFile(path) as record:
        runner = MatchRunner(eyes or two_plays(), recorded_match(), Outlets(record=record, feed=feed))
        runner.run(source if source is not None else frames(70), FullSpeed(), wish or StopWish())
    return runner


def test_observations_and_verdicts_are_kept_and_replay_alike(tmp_path: Path):
    run_to(tmp_path / "r.jsonl")

    log = read_log(lines_of(tmp_path / "r.jsonl"))
    assert verify(lines_of(tmp_path / "r.jsonl")).is_ok
    assert [verdict.ruling.value for verdict in log.verdicts] == ["LEGAL", "LEGAL"]
    assert log.is_ended
    assert log.entries[-1].t_us == 69 * 20_000, "the end is where the source had come to"
    assert first_difference(log, replay(log)) is None


def test_the_same_frames_give_the_same_record_at_any_pace(tmp_path: Path):
    run_to(tmp_path / "fast.jsonl")
    clock_s = iter(range(1_000_000))
    with RecordFile(tmp_path / "paced.jsonl") as record:
        runner = MatchRunner(two_plays(), recorded_match(), Outlets(record=record))
        runner.run(frames(70), RealTime(StopWish(), lambda: float(next(clock_s))), StopWish())

    assert (tmp_path / "paced.jsonl").read_bytes() == (tmp_path / "fast.jsonl").read_bytes()


def test_stamps_that_cannot_be_taken_are_told_once_and_recorded(tmp_path: Path):
    class Stamped:
        source_id = "made.mp4"
        stamp_faults = StampFaults(0, 0)

    source = Stamped()
    doubts = ClockDoubts(source)

    def played() -> Iterator[Frame]:
        for frame in frames(70):
            if frame.index == 30:
                source.stamp_faults = StampFaults(refused=1, restarts=0)
            if frame.index == 40:
                source.stamp_faults = StampFaults(refused=9, restarts=1)
            yield frame

    with RecordFile(tmp_path / "r.jsonl") as record:
        runner = MatchRunner(two_plays(), recorded_match(), Outlets(record=record, doubts=doubts.since))
        runner.run(played(), FullSpeed(), StopWish())

    log = read_log(lines_of(tmp_path / "r.jsonl"))
    told = [entry.payload for entry in log.entries if isinstance(entry.payload, ClockDoubted)]
    assert [(d.fault, d.at_us) for d in told] == [
        (ClockFault.STAMP_REPEATED, 600_000),
        (ClockFault.RATE_ASSUMED, 800_000),
    ]
    assert first_difference(log, replay(log)) is None


def test_the_score_follows_the_verdicts(tmp_path: Path):
    runner = run_to(tmp_path / "r.jsonl")

    assert [(player.player, player.total) for player in runner.standings.players] == [("Ana", 2), ("Ben", 0)]


def test_displays_are_told_what_is_in_the_record(tmp_path: Path, feed: MatchFeed):
    run_to(tmp_path / "r.jsonl", feed=feed)

    assert [verdict.card for verdict in feed.verdicts] == ["AH", "2H"]
    assert feed.verdicts[0].player == "Ana"
    assert feed.score.players[0].total == 2
    assert (feed.score.state, feed.score.t_us) == (MatchState.FINISHED, 69 * 20_000)


def test_a_wish_to_stop_ends_the_record_cleanly(tmp_path: Path, feed: MatchFeed):
    wish = StopWish()

    def stopping() -> Iterator[Frame]:
        for frame in frames(70):
            if frame.t_us == 800_000:
                wish.ask()
            yield frame

    run_to(tmp_path / "r.jsonl", source=stopping(), wish=wish, feed=feed)

    log = read_log(lines_of(tmp_path / "r.jsonl"))
    assert log.is_ended
    assert json.loads(lines_of(tmp_path / "r.jsonl")[-1])["payload"] == {"cause": "the match was stopped"}
    assert feed.score.state is MatchState.FINISHED


def test_a_source_that_fails_leaves_a_whole_record(tmp_path: Path, feed: MatchFeed):
    def failing() -> Iterator[Frame]:
        yield from frames(40)
        raise SourceError("made.mp4 ends in the middle of a frame")

    with pytest.raises(SourceError, match="ends in the middle"):
        run_to(tmp_path / "r.jsonl", source=failing(), feed=feed)

    found = verify(lines_of(tmp_path / "r.jsonl"))
    assert found.is_ok
    assert found.is_ended
    assert [verdict.card for verdict in feed.verdicts] == ["AH"]
    assert feed.score.state is MatchState.BROKEN


class FullAfter(RecordFile):
    """A record on a disk that takes ``room`` lines."""

    room = 2

    def append(self, line: str) -> None:
        if self.line_count >= self.room:
            raise CommandError(f"cannot go on with the record: the disk is full; line {self.line_count}")
        super().append(line)


def test_a_record_that_cannot_go_on_ends_the_match(tmp_path: Path, feed: MatchFeed):
    path = tmp_path / "r.jsonl"

    with FullAfter(path) as record:
        runner = MatchRunner(two_plays(), recorded_match(), Outlets(record=record, feed=feed))
        with pytest.raises(CommandError, match="the disk is full"):
            runner.run(frames(70), FullSpeed(), StopWish())

    assert verify(lines_of(path)).entries == 1
    assert feed.verdicts == ()
    assert feed.score.state is MatchState.BROKEN


def test_pictures_are_drawn_for_those_who_look_and_at_the_end(feed: MatchFeed):
    drawn: list[int] = []

    def draw(frame: Frame) -> bytes:
        drawn.append(frame.index)
        return str(frame.index).encode()

    def looked_at() -> Iterator[Frame]:
        for frame in frames(6):
            if frame.index == 4:
                assert feed.picture_jpeg == b"0"
            yield frame

    eyes = ScriptedEyes({0: bare(0), 400_000: landing("AH", 400_000)})
    MatchRunner(eyes, recorded_match(), Outlets(feed=feed, draw=draw)).run(
        looked_at(), FullSpeed(), StopWish()
    )

    assert drawn == [0, 4, 5]
    assert feed.picture_jpeg == b"5"


class LostReader(io.StringIO):
    """A pipe whose reader left after the first line."""

    def write(self, text: str) -> int:
        if "\n" in self.getvalue():
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        return super().write(text)


def test_a_reader_who_leaves_does_not_end_the_record(tmp_path: Path):
    path = tmp_path / "r.jsonl"
    printed = LostReader()
    told = LastingTeller(PlayByPlay(LineConsole(file=printed), notes(), as_json=True))

    with RecordFile(path) as record:
        MatchRunner(two_plays(), recorded_match(), Outlets(record=record, audience=told)).run(
            frames(70), FullSpeed(), StopWish()
        )

    assert printed.getvalue().count("\n") == 1
    assert [verdict.ruling.value for verdict in read_log(lines_of(path)).verdicts] == ["LEGAL", "LEGAL"]
    assert verify(lines_of(path)).is_ended
    with pytest.raises(CommandError, match="printing stopped: Broken pipe; the match was judged to its end"):
        told.raise_failure()
