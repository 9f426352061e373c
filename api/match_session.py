"""One match from what a person chose to its score: what ``watch`` and ``demo`` share."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from api.clock_doubts import ClockDoubts
from api.desk import MatchDesk
from api.errors import MisuseError
from api.evidence_keeper import EvidenceKeeper
from api.evidence_shelf import EvidenceShelf
from api.feed import MatchFeed
from api.images import encode_jpeg
from api.lasting import LastingTeller
from api.match_plan import MatchPlan, feed_of, setup_of
from api.match_runner import MatchRunner, Outlets
from api.pace import Pacer
from api.pile_names import names_in
from api.play_by_play import PlayByPlay
from api.record_file import RecordFile, refuse_inputs, refuse_place
from api.stopping import StopWish
from models.detections import CardDetector
from models.onnx_detector import WEIGHTS
from referee.record import ModelHash, RecordedMatch, RecordHeader
from referee.texts import turns_text
from vision.annotate import annotate
from vision.calibration import Calibration
from vision.frames import Frame
from vision.sources import Source
from vision.sources.live import LiveSource, Patience
from vision.table import FourCorners, Table
from vision.watcher import Watcher

PICTURE_WIDTH_PX = 1280
"""Of annotated pictures: wide enough to read an index in the live page, at half the work of 1920."""
SMALL_PICTURE_WIDTH_PX = 800
"""Of those for a telephone: two of its dots for each of 400 px."""


STOPPING = "stopping: ruling on what is open ..."
STOPPING_RECORD = "stopping: finishing the record ..."


class MatchSession:
    """A match on an open source, ready to be played once."""

    def __init__(self, plan: MatchPlan, source: Source, detector: CardDetector) -> None:
        if plan.record is not None:
            refuse_inputs(plan.record, (plan.source, plan.table_file))
            refuse_place(plan.record)
        if plan.evidence is not None:
            EvidenceShelf(plan.evidence).make_root()
        self._plan = plan
        self._source = source
        self._watcher = Watcher(plan.table, detector)
        match = RecordedMatch(_header_of(plan, source))
        self.feed: MatchFeed = feed_of(plan, match.referee)
        self.desk = MatchDesk(match, feed=self.feed)
        """Where people write into the match."""
        self._told: LastingTeller | None = None
        self._record_file: RecordFile | None = None

    @property
    def record(self) -> Path | None:
        """Where its record goes. None: none is kept."""
        return self._plan.record

    def play(
        self, *, pacer: Pacer, wish: StopWish, out: Console, notes: Console, as_json: bool = False
    ) -> None:
        """Watch and judge to the end, telling verdicts and the score on ``out``, oddities on ``notes``.

        Where ``out`` takes no more, the match goes on; ``raise_lost_output`` tells of it afterwards.
        """
        with ExitStack() as stack:
            record = None
            if self._plan.record is not None:
                record = self._record_file = stack.enter_context(RecordFile(self._plan.record))
                if record.kept_as is not None:
                    notes.print(f"the earlier record is kept as {record.kept_as}", markup=False)
            teller = PlayByPlay(
                out,
                notes,
                as_json=as_json,
                frame_count=self._source.frame_count,
                pile_name=names_in(self.desk.setup).name,
            )
            self._told = told = LastingTeller(teller)
            self._wait_for_lost_cameras(wish, notes)
            outlets = Outlets(
                record=record,
                feed=self.feed,
                audience=told,
                evidence=self._evidence(stack, notes),
                doubts=ClockDoubts(self._source).since,
                draw=self._draw,
                draw_small=self._draw_small,
            )
            runner = MatchRunner(self._watcher, self.desk, outlets)
            try:
                with teller, wish.saying(STOPPING if record is None else STOPPING_RECORD):
                    runner.run(self._warned(self._source, notes), pacer, wish)
            finally:
                told.score(runner.standings)
                for notice in self._source.notices:
                    notes.print(f"note: {notice}", markup=False)

    def record_held(self) -> AbstractContextManager[None]:
        """Once it is played: keep other programs from adding to its record, while people still may here."""
        return nullcontext() if self._record_file is None else self._record_file.held()

    def _evidence(self, stack: ExitStack, notes: Console) -> EvidenceKeeper | None:
        """Who keeps the pictures of what is ruled on. None: nobody."""
        plan = self._plan
        if plan.evidence is None:
            return None
        keeper = EvidenceKeeper(
            EvidenceShelf(plan.evidence).new_match(plan.match_id),
            self._source,
            plan.table,
            self._calibration,
            retention=plan.retention,
            tell=lambda text: notes.print(f"warning: {text}", markup=False),
        )
        self.desk.hold_clips(keeper.folder.hold)
        return stack.enter_context(keeper)

    def _calibration(self) -> Calibration | None:
        state = self._watcher.state
        return None if state is None else state.calibration

    def _wait_for_lost_cameras(self, wish: StopWish, notes: Console) -> None:
        """A camera that is unplugged is no reason to end a match."""
        if isinstance(self._source, LiveSource):
            tell = partial(notes.print, markup=False)
            self._source.be_patient(Patience(wish.wait, tell))

    def raise_lost_output(self) -> None:
        """``CommandError`` where not all that the match gave could be printed."""
        if self._told is not None:
            self._told.raise_failure()

    def _warned(self, frames: Iterable[Frame], notes: Console) -> Iterator[Frame]:
        """The frames; what the watcher warns of is told as soon as it knows."""
        told = 0
        for frame in frames:
            yield frame
            for warning in self._watcher.warnings[told:]:
                notes.print(f"warning: {warning}", markup=False)
            told = len(self._watcher.warnings)

    def _draw(self, frame: Frame) -> bytes:
        return _shrunk_jpeg(annotate(frame, self._plan.table, self._watcher.state), PICTURE_WIDTH_PX)

    def _draw_small(self, frame: Frame) -> bytes:
        drawn = annotate(frame, self._plan.table, self._watcher.state, is_small=True)
        return _shrunk_jpeg(drawn, SMALL_PICTURE_WIDTH_PX)


def _shrunk_jpeg(picture: NDArray[np.uint8], most_px: int) -> bytes:
    """The picture as JPEG, at most ``most_px`` wide."""
    height, width = picture.shape[:2]
    if width > most_px:
        size = (most_px, round(height * most_px / width))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return encode_jpeg(picture)


def _header_of(plan: MatchPlan, source: Source) -> RecordHeader:
    _refuse_turns((source.source_id, *(path.name for path in plan.decks)))
    return RecordHeader(
        setup=setup_of(plan, source),
        table=plan.table.name,
        table_sha256=_sha256_of(Path(plan.table_file)) if Path(plan.table_file).is_file() else "",
        source=source.source_id,
        camera=_camera_text(plan.table),
        models=_model_hashes(plan.decks),
        program=f"touchjudge {version('touchjudge')}",
    )


def _refuse_turns(names: Iterable[str]) -> None:
    """``MisuseError`` where the record would carry a name that turns what stands beside it: none is read."""
    for name in filter(turns_text, names):
        raise MisuseError(f"{name!a}: has signs that turn the direction of text (want a file without them)")


def _camera_text(table: Table) -> str:
    if isinstance(table.view, FourCorners):
        corners = " ".join(f"{x:g},{y:g}" for x, y in table.view.corners_px)
        return f"fixed view, table corners at {corners} px"
    markers = ", ".join(str(marker) for marker in sorted(table.view.centres_mm))
    return f"markers {markers} of {table.view.dictionary}"


def _model_hashes(decks: Sequence[Path]) -> tuple[ModelHash, ...]:
    files = [*sorted(Path(WEIGHTS).glob("*.onnx")), *decks]
    return tuple(ModelHash(path.name, _sha256_of(path)) for path in files)


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
