"""Keeps the evidence of a running match: verdicts become clips on disk, and the record names their hashes.

The frames' thread cuts; hashing and writing happen beside it, so that no slow disk holds up the referee. A
clip is named in the record at a time that its frames decide, never the disk: same film, same record.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from api.errors import is_disk_full, one_line, os_error_line
from api.evidence_notes import clip_note
from api.evidence_shelf import MatchFolder, Retention, free_bytes, sweep
from referee.piles import PileId
from referee.verdicts import Ruling, Verdict
from vision.calibration import Calibration
from vision.evidence import ClipIndex, EvidenceSettings, write_clip
from vision.evidence.clips import DrawnZone, Mark, index_of, with_marks
from vision.evidence.recorder import ClipRecorder, CutClip
from vision.packets import PacketSource
from vision.sources import Source
from vision.table import Table

NOTED_AFTER_US = 1_000_000
"""A clip is named in the record this long after its last frame: by then it is hashed, without waiting."""
WRITES_WAITING = 4
"""Clips that may wait for the disk; more would fill the memory."""
SWEEP_EVERY = 8
"""Clips between two looks at what must leave the folder."""

_CALM = frozenset({Ruling.LEGAL, Ruling.FLAG})
"""Nobody argues about these, as a rule; at plays that were ruled on otherwise a person looks soon."""


class _Hashed:
    """A clip whose index is being made, and then written."""

    def __init__(self, clip: CutClip, index: "Future[ClipIndex]", write: "Future[None]") -> None:
        self.clip = clip
        self.index = index
        self.write = write
        self.due_us = clip.end_us + NOTED_AFTER_US
        self.is_noted = False


class EvidenceKeeper:
    """The evidence of one match. ``rule`` may be called from any thread, the rest from the frames' own."""

    def __init__(
        self,
        folder: MatchFolder,
        source: Source,
        table: Table,
        calibration: Callable[[], Calibration | None],
        *,
        settings: EvidenceSettings | None = None,
        retention: Retention | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.folder = folder
        self._tell = tell
        self._source_id, self._is_live = source.source_id, source.is_live
        self._table = table
        self._calibration = calibration
        self._retention = retention or Retention()
        self._recorder = ClipRecorder(settings or EvidenceSettings())
        self._ruled: deque[Verdict] = deque()
        self._hashed: list[_Hashed] = []
        self._hasher = ThreadPoolExecutor(1, "evidence-hash")
        self._writer = ThreadPoolExecutor(1, "evidence-write")
        self._written = 0
        self._waiting = threading.Semaphore(WRITES_WAITING)
        self._is_failing = False
        self.unavailable = _tapped(source, self._recorder)
        """Why this source has no packets to keep. None: it has."""
        if self.unavailable is not None:
            tell(f"no clips are cut: {self.unavailable}")
        sweep(folder.path.parent, self._retention, spare=folder.path)

    def rule(self, verdicts: Sequence[Verdict]) -> None:
        """The referee ruled: each verdict gets a clip."""
        self._ruled.extend(verdicts)

    def reach(self, t_us: int) -> tuple[str, ...]:
        """The frames have come to ``t_us``; what the record should say of it, one note each."""
        self._wish()
        for clip in self._recorder.reach(t_us):
            self._keep(clip)
        return (*self._missed(), *self._noted(t_us))

    def finish(self) -> tuple[str, ...]:
        """The match is over: cut, hash and write what is left; the last notes."""
        self._wish()
        for clip in self._recorder.finish():
            self._keep(clip)
        notes = (*self._missed(), *self._noted(None))
        self.close()
        return (*notes, *self._failures())

    # --- wishes

    def _wish(self) -> None:
        while self._ruled:
            verdict = self._ruled.popleft()
            window = _window_of(verdict)
            if window is not None and self.unavailable is None:
                is_urgent = verdict.ruling not in _CALM and verdict.touch is not None
                self._recorder.want(_mark_of(verdict), *window, is_urgent=is_urgent)

    def _missed(self) -> tuple[str, ...]:
        return tuple(
            f"evidence: no picture is kept of {mark.verdict_id}" for mark in self._recorder.take_missed()
        )

    # --- clips

    def _keep(self, clip: CutClip) -> None:
        zones = self._zones_of(clip.marks)
        index = self._hasher.submit(_index_of, clip, self._source_id, zones)
        if not self._waiting.acquire(blocking=not self._is_live):
            write: Future[None] = Future()
            write.set_exception(OSError("the disk is too slow"))
        else:
            write = self._writer.submit(self._write, clip, index)
        self._hashed.append(_Hashed(clip, index, write))

    def _write(self, clip: CutClip, index: "Future[ClipIndex]") -> None:
        try:
            if free_bytes(self.folder.path) < self._retention.free_bytes_at_least:
                least_mb = self._retention.free_bytes_at_least // 1_000_000
                raise OSError(f"the disk has less than {least_mb} MB left")
            write_clip(self.folder.path, index.result(), clip.row, clip.packets)
            self._written += 1
            if self._written % SWEEP_EVERY == 0:
                sweep(self.folder.path.parent, self._retention, spare=self.folder.path)
        finally:
            self._waiting.release()

    def _noted(self, t_us: int | None) -> tuple[str, ...]:
        """Notes of the clips that are due by ``t_us`` (None: all), and of writes that failed by now."""
        notes: list[str] = []
        for hashed in self._hashed:
            if not hashed.is_noted and (t_us is None or t_us >= hashed.due_us):
                notes.append(clip_note(hashed.index.result()))
                hashed.is_noted = True
        return (*notes, *self._failures())

    def _failures(self) -> tuple[str, ...]:
        """What writes that are done say: every clip that was lost, and that clips are kept again."""
        notes: list[str] = []
        for hashed in [h for h in self._hashed if h.is_noted and h.write.done()]:
            self._hashed.remove(hashed)
            error = hashed.write.exception()
            if error is not None:
                notes.append(f"evidence: clip {hashed.clip.clip_id} could not be kept: {_cause(error)}")
            elif self._is_failing:
                notes.append("evidence: clips are kept again")
            if (error is not None) is not self._is_failing:
                self._tell(notes[-1] + ("; the match goes on without" if error is not None else ""))
            self._is_failing = error is not None
        return tuple(notes)

    def close(self) -> None:
        """Write what is under way and end the threads."""
        self._hasher.shutdown()
        self._writer.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _zones_of(self, marks: Sequence[Mark]) -> tuple[DrawnZone, ...]:
        """Where the marked piles lie in the picture, as the table is seen now."""
        calibration = self._calibration()
        if calibration is None:
            return ()
        piles = {PileId.parse(mark.pile) for mark in marks if mark.pile is not None}
        found: list[DrawnZone] = []
        for zone in self._table.zones:
            if zone.pile in piles:
                corners = zone.polygon_mm[None].astype(np.float64)
                px = cv2.perspectiveTransform(corners, calibration.image_px_from_table_mm)[0]
                polygon = tuple((round(float(x), 1), round(float(y), 1)) for x, y in px)
                found.append(DrawnZone(str(zone.pile), polygon))
        return tuple(found)


def _tapped(source: Source, recorder: ClipRecorder) -> str | None:
    if not isinstance(source, PacketSource):
        return "its pictures lie in files already; they are the evidence"
    return source.tap_packets(recorder)


def _index_of(clip: CutClip, source: str, zones: tuple[DrawnZone, ...]) -> ClipIndex:
    index = index_of(
        clip.clip_id,
        clip.row,
        clip.packets,
        source=source,
        start_us=clip.start_us,
        end_us=clip.end_us,
    )
    return with_marks(index, clip.marks, zones)


def _window_of(verdict: Verdict) -> tuple[int, int] | None:
    """From the first to the last touch of a verdict's event; None where it has no time."""
    touches = [(play.touch.start_us, play.touch.end_us) for play in verdict.event.plays]
    if verdict.touch is not None:
        touches.append((verdict.touch.start_us, verdict.touch.end_us))
    if not touches and verdict.decided_us is not None:
        touches = [(verdict.decided_us, verdict.decided_us)]
    frames = [t_us for evidence in verdict.evidence for t_us in evidence.frames_us]
    if not touches and frames:
        touches = [(min(frames), max(frames))]
    return (min(t[0] for t in touches), max(t[1] for t in touches)) if touches else None


def _mark_of(verdict: Verdict) -> Mark:
    plays = verdict.event.plays
    seats = [play.seat for play in plays] if plays else [verdict.seat]
    return Mark(
        verdict_id=verdict.verdict_id,
        pile=None if verdict.pile is None else str(verdict.pile),
        seats=tuple(str(seat) for seat in seats if seat is not None),
        touches=tuple((play.touch.start_us, play.touch.end_us) for play in plays),
    )


def _cause(error: BaseException) -> str:
    if isinstance(error, OSError):
        return "the disk is full" if is_disk_full(error) else os_error_line(error)
    return one_line(str(error)) or type(error).__name__
