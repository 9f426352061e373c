"""How fast the whole chain is, beside plain decoding and a detector on every whole frame, in one run."""

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from api.errors import CommandError
from api.match_plan import MatchPlan, setup_of
from api.opening import open_table, opened_source
from models import load_zone_detector
from models.detections import CardDetector, Detections
from models.onnx_detector import WEIGHTS
from models.training.whole_frame import NotInstalledError, whole_frame_runner
from referee.referee import Referee
from vision.frames import Frame
from vision.watcher import Watcher

WHOLE_FRAME_PX = (640, 1280)
WHOLE_FRAMES = 40
"""So many whole frames go through a detector, after one that is not counted: each takes 0.1 to 1 s."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of the clock, and of all cores together, for some frames."""

    frames: int
    wall_s: float
    cpu_s: float

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self.frames / self.wall_s


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the chain, and the seconds that all frames together spent in it."""

    name: str
    wall_s: float


@dataclass(frozen=True, slots=True)
class WholeFrameRun:
    """The locator with ultralytics' own tracker on whole frames, made ``longer_px`` long."""

    longer_px: int
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainFigures:
    """What one run measured. missing: why there is nothing of ultralytics; empty if there is."""

    clip: str
    frames: int
    clip_seconds: float
    """From the first frame's time to the last."""
    decoding: Spent
    chain: Spent
    stages: tuple[Stage, ...]
    whole_frame: tuple[WholeFrameRun, ...]
    missing: str

    @property
    def clip_fps(self) -> float:
        """Frames a second of the clip itself."""
        return self.frames / self.clip_seconds

    @property
    def chain_of_decoding(self) -> float:
        """The chain's speed as a share of decoding's."""
        return self.chain.fps / self.decoding.fps

    @property
    def times_real(self) -> float:
        """How many times faster than the clip the chain is; below 1 it could not follow a live camera."""
        return self.chain.fps / self.clip_fps

    @property
    def cpu_of_decoding(self) -> float:
        """Processor time of the chain in that of decoding."""
        return self.chain.cpu_s / self.decoding.cpu_s


class _TimedDetector:
    """A detector that keeps the time it takes."""

    def __init__(self, detector: CardDetector) -> None:
        self._detector = detector
        self.wall_s = 0.0

    def detect(self, image_bgr: NDArray[np.uint8]) -> Detections:
        started_s = time.perf_counter()
        found = self._detector.detect(image_bgr)
        self.wall_s += time.perf_counter() - started_s
        return found


def measure(clip: Path, table_path: Path, progress: Callable[[str], None]) -> ChainFigures:
    """Decode a clip, then decode, watch, read and judge it, then run a detector on its whole frames."""
    times_us: list[int] = []

    def decoded(frame: Frame) -> None:
        _ = frame.image_bgr  # Into colours, as any other program decodes; the chain itself seldom needs them.
        times_us.append(frame.t_us)

    progress("decoding")
    with opened_source(str(clip)) as source:
        decoding = _timed(source, decoded)
    if len(times_us) < 2:
        raise CommandError(f"{clip}: want two frames or more to measure, got {len(times_us)}")
    progress("the whole chain")
    chain, stages = _chain(clip, table_path)
    try:
        runs, missing = _whole_frames(clip, progress), ""
    except NotInstalledError as error:
        runs, missing = (), str(error)
    return ChainFigures(
        clip=clip.name,
        frames=len(times_us),
        clip_seconds=(times_us[-1] - times_us[0]) / 1e6,
        decoding=decoding,
        chain=chain,
        stages=stages,
        whole_frame=runs,
        missing=missing,
    )


def _chain(clip: Path, table_path: Path) -> tuple[Spent, tuple[Stage, ...]]:
    table = open_table(table_path)
    detector = _TimedDetector(load_zone_detector())
    seeing_s: list[float] = []
    only_watched_s: list[float] = []
    judging_s: list[float] = []
    with opened_source(str(clip)) as source:
        plan = MatchPlan(match_id="bench", table=table, table_file=str(table_path), source=str(clip))
        referee = Referee(setup_of(plan, source))
        watcher = Watcher(table, detector)

        def judge(frame: Frame) -> None:
            started_s, read_s = time.perf_counter(), detector.wall_s
            seen = watcher.see(frame)
            seen_s = time.perf_counter()
            for observation in seen:
                referee.observe(observation, at_us=frame.t_us)
            referee.advance(frame.t_us)
            seeing_s.append(seen_s - started_s)
            judging_s.append(time.perf_counter() - seen_s)
            if detector.wall_s == read_s:
                only_watched_s.append(seeing_s[-1])

        spent = _timed(source, judge)
    watching_s = statistics.median(only_watched_s or seeing_s) * spent.frames
    return spent, _stages(spent, sum(seeing_s), watching_s, detector.wall_s, sum(judging_s))


def _stages(
    spent: Spent, seeing_s: float, watching_s: float, reading_s: float, judging_s: float
) -> tuple[Stage, ...]:
    return (
        Stage("decoding", spent.wall_s - seeing_s - judging_s),
        Stage("watching every frame", watching_s),
        Stage("reading piles that came to rest", reading_s),
        Stage("looking back for touches, lifts and hands", max(0.0, seeing_s - watching_s - reading_s)),
        Stage("judging", judging_s),
    )


def _whole_frames(clip: Path, progress: Callable[[str], None]) -> tuple[WholeFrameRun, ...]:
    with tempfile.TemporaryDirectory() as folder, opened_source(str(clip)) as source:
        runner = whole_frame_runner(WEIGHTS / "locator.onnx", Path(folder))
        pictures = [frame.image_bgr for frame in itertools.islice(source, WHOLE_FRAMES + 1)]
        runs = []
        for longer_px in WHOLE_FRAME_PX:
            progress(f"ultralytics with its tracker, whole frames at {longer_px} px")
            runner.track(pictures[0], longer_px)
            runs.append(WholeFrameRun(longer_px, _tracked(pictures[1:], runner.track, longer_px)))
    return tuple(runs)


def _tracked(
    pictures: Sequence[NDArray[np.uint8]], track: Callable[[NDArray[np.uint8], int], int], longer_px: int
) -> Spent:
    started_s, cpu_s = time.perf_counter(), time.process_time()
    for picture in pictures:
        track(picture, longer_px)
    return Spent(len(pictures), time.perf_counter() - started_s, time.process_time() - cpu_s)


def _timed(frames: Iterable[Frame], do: Callable[[Frame], None]) -> Spent:
    """What it takes to get and handle all frames."""
    started_s, cpu_s, count = time.perf_counter(), time.process_time(), 0
    for frame in frames:
        do(frame)
        count += 1
    return Spent(count, time.perf_counter() - started_s, time.process_time() - cpu_s)
