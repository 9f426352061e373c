"""Runs one match, frame by frame: source, watcher, referee, record, feed. No judgement of its own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from api.desk import MatchDesk
from api.feed import MatchFeed, PictureSize
from api.pace import Pacer
from api.record_file import RecordFile
from api.schemas import MatchState, StandingsOut, VerdictOut
from api.stopping import StopWish
from referee.observations import Observation
from referee.record import RecordedMatch
from referee.verdicts import Verdict
from vision.calibration import CalibrationError
from vision.frames import Frame
from vision.sources import SourceError


class Eyes(Protocol):
    """What the runner asks of a watcher."""

    def see(self, frame: Frame) -> tuple[Observation, ...]:
        """What became known with this frame."""
        ...

    def finish(self) -> tuple[Observation, ...]:
        """What was still open when the frames ended."""
        ...


class Audience(Protocol):
    """Who is told while it happens."""

    def frame(self) -> None:
        """One more frame was seen."""
        ...

    def verdict(self, verdict: VerdictOut) -> None:
        """The referee ruled."""
        ...

    def standings(self, standings: StandingsOut) -> None:
        """The score follows from new verdicts."""
        ...

    def revised(self, verdicts: tuple[VerdictOut, ...], standings: StandingsOut) -> None:
        """Verdicts that were given before stand otherwise now, and the score with them."""
        ...


class EvidenceTaker(Protocol):
    """Who keeps the pictures of what was ruled on."""

    def rule(self, verdicts: Sequence[Verdict]) -> None:
        """The referee ruled; called from any thread."""
        ...

    def reach(self, t_us: int) -> tuple[str, ...]:
        """The frames have come to ``t_us``; notes for the record."""
        ...

    def finish(self) -> tuple[str, ...]:
        """No more frames come; the last notes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlets:
    """Where a match is kept and shown; each may be missing."""

    record: RecordFile | None = None
    feed: MatchFeed | None = None
    audience: Audience | None = None
    evidence: EvidenceTaker | None = None
    doubts: Callable[[int], tuple[Observation, ...]] | None = None
    """What the source's stamps are worth, asked with the time of every frame."""
    draw: Callable[[Frame], bytes] | None = None
    """Makes the annotated picture (JPEG), called when somebody looks, and once at the end."""
    draw_small: Callable[[Frame], bytes] | None = None
    """The same for a telephone."""

    @property
    def drawings(self) -> tuple[tuple[PictureSize, Callable[[Frame], bytes]], ...]:
        """Of each size of picture that is drawn, who draws it."""
        known = ((PictureSize.USUAL, self.draw), (PictureSize.SMALL, self.draw_small))
        return tuple((size, draw) for size, draw in known if draw is not None)


class MatchRunner:
    """Carries frames to the watcher, observations to the referee, and both to the record and the displays.

    Whatever ends the frames (their end, a wish to stop, a source that fails), what was open is ruled on.
    """

    def __init__(self, watcher: Eyes, match: RecordedMatch | MatchDesk, outlets: Outlets) -> None:
        self._watcher = watcher
        self._desk = match if isinstance(match, MatchDesk) else MatchDesk(match, feed=outlets.feed)
        """Over it people write into the match from other threads."""
        self._outlets = outlets
        if outlets.evidence is not None:
            self._desk.on_ruled = outlets.evidence.rule
        self._t_us: int | None = None
        """Time of the newest frame. None: none yet."""
        self._last_frame: Frame | None = None

    @property
    def standings(self) -> StandingsOut:
        """The score by the verdicts given so far."""
        return self._desk.standings

    def run(self, frames: Iterable[Frame], pacer: Pacer, wish: StopWish) -> None:
        """Judge until the frames end or the end is asked for.

        ``SourceError`` and ``CalibrationError`` pass through once the record is closed. A record that cannot
        go on (``CommandError``) ends the match at once.
        """
        state = MatchState.BROKEN
        try:
            self._desk.begin(self._outlets.record, self._outlets.audience)
            failure = self._watch(frames, pacer, wish)
            self._close("the match was stopped" if wish.is_asked else "the source ended", failure)
            state = MatchState.FINISHED
        finally:
            self._end_feed(state)

    def _end_feed(self, state: MatchState) -> None:
        """The match is over; its last picture stays for those who look from now on."""
        outlets, frame = self._outlets, self._last_frame
        if outlets.feed is None:
            return
        try:
            if frame is not None:
                for size, draw in outlets.drawings:
                    outlets.feed.show_picture(draw(frame), size)
        finally:
            outlets.feed.end(state)

    def _watch(
        self, frames: Iterable[Frame], pacer: Pacer, wish: StopWish
    ) -> SourceError | CalibrationError | None:
        try:
            for frame in frames:
                pacer.wait_for(frame.t_us)
                if wish.is_asked:
                    break
                self._see(frame)
            self._take(self._watcher.finish())
        except (SourceError, CalibrationError) as error:
            return error
        return None

    def _close(self, cause: str, failure: SourceError | CalibrationError | None) -> None:
        self._desk.finish(cause if failure is None else f"the source failed: {failure}")
        self._desk.on_ruled = None
        if self._outlets.evidence is not None:
            self._note(self._outlets.evidence.finish())
        if failure is not None:
            raise failure

    def _see(self, frame: Frame) -> None:
        self._t_us, self._last_frame = frame.t_us, frame
        self._take(self._watcher.see(frame))
        if self._outlets.doubts is not None:
            self._take(self._outlets.doubts(frame.t_us))
        self._desk.advance(frame.t_us)
        outlets = self._outlets
        if outlets.evidence is not None:
            self._note(outlets.evidence.reach(frame.t_us))
        if outlets.audience is not None:
            outlets.audience.frame()
        if outlets.feed is None:
            return
        outlets.feed.reach(frame.t_us)
        for size, draw in outlets.drawings:
            if outlets.feed.take_picture_request(size):
                outlets.feed.show_picture(draw(frame), size)

    def _note(self, texts: tuple[str, ...]) -> None:
        for text in texts:
            self._desk.note(text)

    def _take(self, observations: tuple[Observation, ...]) -> None:
        for observation in observations:
            self._desk.observe(observation, at_us=self._t_us)
