"""Every frame of a calibrated table, stepped through its piles."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.detections import CardDetector
from referee.clock import Interval
from referee.observations import Observation, ViewLost
from vision.calibrated import CalibratedTable
from vision.calibration import Calibration
from vision.frames import Frame
from vision.hands import HandFinder, Hands
from vision.history import History, Moment
from vision.outlook import Outlook
from vision.pile_reader import PileReader, is_final, is_telling
from vision.readings import Reading
from vision.rectify import Rectifier
from vision.rest_picture import RestPicture, differing
from vision.settings import WatchSettings
from vision.settle import Look, Measures, Phase, ZonePlace, ZoneWatch, is_same_look
from vision.table import Table, Zone
from vision.teller import PileTeller
from vision.visits import is_sampled
from vision.watched import WatchedTable

SMOOTHED_PX = 3
"""Side of the square over which the watched picture is averaged: against sensor noise. An index of 6 x 12 px
still shows."""


@dataclass(frozen=True, slots=True, eq=False)
class ZoneState:
    """One pile as it stands, for people to look at."""

    zone: Zone
    phase: Phase
    reading: Reading | None
    """The last reading at rest. None: not yet read."""
    hand_mm2: float


@dataclass(frozen=True, slots=True, eq=False)
class WatchState:
    """Everything that can be drawn on the last frame. hands: labels as in ``Hands``."""

    t_us: int
    calibration: Calibration
    zones: tuple[ZoneState, ...]
    hands: NDArray[np.uint8]
    hand_px_per_mm: float


class Eyes:
    """Watches a table that has been found in the picture."""

    def __init__(
        self, table: Table, detector: CardDetector, settings: WatchSettings, rectifier: Rectifier
    ) -> None:
        self._settings = settings
        self._calibrated = CalibratedTable(table, rectifier, settings)
        self._watches = tuple(
            ZoneWatch(place=ZonePlace(zone, rectifier.watch, rectifier.hands), settings=settings)
            for zone in table.zones
        )
        self._history = History(rectifier.hands, settings)
        self._watched = WatchedTable(
            table=table, watches=self._watches, history=self._history, settings=settings
        )
        self._reader = PileReader(self._watched, self._calibrated, detector)
        self._teller = PileTeller(self._watched, self._reader)
        self._hand_finder = HandFinder(table, settings)
        self._outlook = Outlook(settings)
        self._rest: RestPicture | None = None
        self._measures = (Measures(0, 0, 0),) * len(self._watches)

    @property
    def calibration(self) -> Calibration:
        """Where the table lies now."""
        return self._calibrated.calibration

    @property
    def state(self) -> WatchState | None:
        """What was seen last. None: no frame yet that shows the table."""
        last = self._history.last
        if last is None:
            return None
        zones = [
            ZoneState(w.place.zone, w.phase, w.look.reading if w.look else None, m.hand_mm2)
            for w, m in zip(self._watches, self._measures, strict=True)
        ]
        hand_px_per_mm = self._calibrated.rectifier.hands.px_per_mm
        return WatchState(last.t_us, self.calibration, tuple(zones), last.hands.labels, hand_px_per_mm)

    def see(self, frame: Frame) -> tuple[Observation, ...]:
        """Take in the next frame; what has become certain by it."""
        self._watched.source_id = frame.source_id
        watched, t_us = self._watched_picture(frame), frame.t_us
        sight = self._outlook.see(watched, t_us)
        if sight.is_lost:
            return ()
        lost = self._look_again(sight.regained, t_us)
        if self._rest is None:
            self._rest = RestPicture(watched, self._settings)
        if self._calibrated.is_off and self._lies_elsewhere(self._rest, watched, t_us, is_hidden=True):
            return (*lost, *self._look_again(self._calibrated.find_again(frame), t_us))
        if drifted := self._look_again(self._calibrated.follow_markers(frame, last_us=self._last_us), t_us):
            return (*lost, *drifted)
        return (*lost, *self._see_piles(frame, watched, self._rest, is_repeat=sight.is_repeat))

    def finish(self) -> tuple[Observation, ...]:
        """The frames have ended: what still waited, and what was lost until then."""
        released = tuple(self._teller.release(None))
        lost = self._outlook.finish() or self._calibrated.finish(self._last_us)
        return released if lost is None else (*released, lost)

    def take_warnings(self) -> tuple[str, ...]:
        """What a person should know, since the last call."""
        return (*self._outlook.take_warnings(), *self._calibrated.take_warnings())

    @property
    def _last_us(self) -> int:
        """Time of the last picture that showed the table in its place; 0 before the first."""
        return self._history.last.t_us if self._history.last is not None else 0

    def _watched_picture(self, frame: Frame) -> NDArray[np.uint8]:
        """The table in grey, smoothed, at the scale in which it is watched: uint8 (h, w)."""
        grey = self._calibrated.rectifier.watch.grey(frame.picture)
        smooth = cv2.blur(grey, (SMOOTHED_PX, SMOOTHED_PX))
        return smooth.astype(np.uint8, copy=False)

    def _look_again(self, lost: ViewLost | None, t_us: int) -> tuple[ViewLost, ...]:
        """Tell what was lost until ``t_us``, and look at every pile again."""
        if lost is None:
            return ()
        for watch in self._watches:
            watch.disturb_from_outside(t_us)
        return (lost,)

    def _lies_elsewhere(
        self, rest: RestPicture, watched: NDArray[np.uint8], t_us: int, *, is_hidden: bool
    ) -> bool:
        return self._calibrated.lies_elsewhere(
            rest.grey, watched, t_us, last_us=self._last_us, is_hidden=is_hidden
        )

    def _see_piles(
        self, frame: Frame, watched: NDArray[np.uint8], rest: RestPicture, *, is_repeat: bool
    ) -> list[Observation]:
        """What is told of the piles by a frame; nothing where the camera was knocked just now."""
        t_us = frame.t_us
        hands = self._hand_finder.see(self._calibrated.rectifier.hands.bgr(frame.picture), t_us)
        self._measures = self._measured(watched, rest, hands)
        share = self._shaken_share()
        if share >= self._settings.knock_share and self._lies_elsewhere(
            rest, watched, t_us, is_hidden=share == 1.0
        ):
            return []
        self._history.remember(Moment(t_us, watched, hands, is_repeat))
        told: list[Observation] = []
        for watch, measures in zip(self._watches, self._measures, strict=True):
            told += self._step(watch, measures, frame, watched, rest)
        rest.follow_light(watched, self._still_places(), t_us)
        return [*told, *self._teller.release(t_us)]

    def _measured(self, watched: NDArray[np.uint8], rest: RestPicture, hands: Hands) -> tuple[Measures, ...]:
        previous = self._history.last
        before = previous.grey if previous is not None else watched
        moved = differing(watched, before, self._settings.motion_levels)
        changed = rest.changed(watched, hands)
        return tuple(watch.place.measure(moved, changed, hands) for watch in self._watches)

    def _shaken_share(self) -> float:
        """Of the piles with cards, the share that changes now; 0 where there are too few to tell."""
        changes = [
            measures.changed_mm2 > self._settings.disturbed_mm2
            for watch, measures in zip(self._watches, self._measures, strict=True)
            if watch.look is not None and not watch.look.reading.is_empty
        ]
        return sum(changes) / len(changes) if len(changes) >= self._settings.knock_piles else 0.0

    def _still_places(self) -> list[ZonePlace]:
        """The places of the piles that lie at rest and in which nothing moves."""
        pairs = zip(self._watches, self._measures, strict=True)
        return [w.place for w, m in pairs if w.phase is Phase.STILL and m.moved_mm2 == 0]

    def _step(
        self,
        watch: ZoneWatch,
        measures: Measures,
        frame: Frame,
        watched: NDArray[np.uint8],
        rest: RestPicture,
    ) -> list[Observation]:
        """One pile in one frame."""
        t_us = frame.t_us
        if is_sampled(watch.place.zone) and watch.wants_sample(t_us, measures):
            watch.keep_sample(self._reader.sample(watch, frame, watch.place.cut(watched).copy()))
        if watch.step(t_us, measures):
            return self._settle(watch, frame, watch.place.cut(watched).copy(), rest)
        return _report_lost(watch, t_us)

    def _settle(
        self, watch: ZoneWatch, frame: Frame, grey: NDArray[np.uint8], rest: RestPicture
    ) -> list[Observation]:
        """A pile has come to rest, or is thought to: it is read, unless it looks as before."""
        place, old, t_us = watch.place, watch.look, frame.t_us
        since_us = watch.quiet_since_us if watch.quiet_since_us is not None else t_us
        if old is not None and is_same_look(old.grey, grey, place, self._settings):
            same = Look(grey, old.reading, since_us)
            told = self._teller.tell_same(watch, old, same, t_us)
            look = replace(same, since_us=old.since_us)
        else:
            reading = self._reader.read(place.zone, frame)
            if not is_final(watch, reading) and watch.try_again(t_us):
                return []
            new = Look(grey, reading, since_us)
            told = self._teller.tell(watch, old, new, t_us)
            look = new if old is None or is_telling(reading) else replace(old, grey=grey)
        rest.lay(place, grey)
        watch.rest(look)
        return told


def _report_lost(watch: ZoneWatch, t_us: int) -> list[Observation]:
    """A pile that has not come to rest for long is told of once."""
    lost_us = t_us - watch.disturbed_us
    if watch.phase is Phase.STILL or watch.is_reported_lost or lost_us < watch.settings.lost_us:
        return []
    watch.is_reported_lost = True
    lost = Interval(watch.disturbed_us, t_us)
    return [ViewLost(pile=watch.place.zone.pile, lost=lost, cause="the pile does not come to rest")]
