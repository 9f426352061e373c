"""Frames in, observations out: every frame is watched cheaply, piles are read when they have settled."""

from collections import deque
from dataclasses import dataclass, replace
from statistics import median_low

import cv2
import numpy as np
from numpy.typing import NDArray

from models.detections import CardDetector
from referee.cards import Card
from referee.clock import Interval
from referee.observations import CardLanded, CardLifted, Evidence, Observation, PileSeen, ViewLost
from referee.piles import PileId, PileKind, Seat
from vision.calibration import Calibration, CalibrationError, MarkerFinder, calibrate_from_corners
from vision.carry import Lift, owner_of, source_among
from vision.changes import Change, explain
from vision.frames import Frame
from vision.hands import UNCERTAIN, HandFinder, Hands
from vision.readings import TOWARDS, Reading, read_pile
from vision.rectify import Rectifier, ZoneView
from vision.settings import WatchSettings
from vision.settle import Look, Measures, Pause, Phase, ZonePlace, ZoneWatch, is_same_look
from vision.table import FourCorners, Table, Zone
from vision.touch import Crossing, Patch, agreement, compare, find_arrival, find_departure

CONTACT_BEFORE_US = 100_000
"""The hand that brings a card is over it in this time before the touch ..."""

CONTACT_AFTER_US = 50_000
"""... and this long after it."""

PERIOD_WINDOW = 61
"""Frame intervals of which the median is the frame period."""

STACK_KEPT = 60
"""Cards of one pile that are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What is kept of a frame to look back at. grey: uint8 (h, w), the table at ``watch_px_per_mm``."""

    t_us: int
    grey: NDArray[np.uint8]
    hands: Hands


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


@dataclass(slots=True)
class _Pending:
    """A landing that waits for its source, with what follows it on the same pile."""

    landed: CardLanded
    after: tuple[Observation, ...]
    deadline_us: int


class Watcher:
    """Watches one table. Same frames, same observations, however fast they come.

    ``see`` raises ``CalibrationError`` where a frame does not fit the table file, or markers are not found.
    """

    def __init__(self, table: Table, detector: CardDetector, settings: WatchSettings | None = None) -> None:
        self.table = table
        self.settings = settings or WatchSettings()
        self.warnings: tuple[str, ...] = ()
        self._detector = detector
        self._finder: MarkerFinder | None = None
        self._calibration: Calibration | None = None
        self._eyes: _Eyes | None = None
        if isinstance(table.view, FourCorners):
            self._calibration = calibrate_from_corners(table.view, table.size_mm)
        else:
            self._finder = MarkerFinder(
                markers=table.view,
                frames_wanted=self.settings.calibration_frames,
                frames_at_most=self.settings.calibration_frames_at_most,
            )

    def see(self, frame: Frame) -> tuple[Observation, ...]:
        """Take in the next frame; what has become certain by it."""
        if self._calibration is None and self._finder is not None:
            self._calibration = self._finder.see(frame)
        if self._calibration is None:
            return ()
        if self._eyes is None:
            fitted = self._calibration.for_size(frame.size_px)
            rectifier = Rectifier(self.table, fitted, self.settings)
            self.warnings = rectifier.warnings
            self._eyes = _Eyes(self.table, self._detector, self.settings, rectifier)
        if frame.size_px != self._eyes.calibration.image_size_px:
            wanted = "{} x {}".format(*self._eyes.calibration.image_size_px)
            got = "{} x {}".format(*frame.size_px)
            raise CalibrationError(f"frame {frame.index} is {got} px (want {wanted}, as the frames before)")
        return self._eyes.see(frame)

    def finish(self) -> tuple[Observation, ...]:
        """The frames have ended: what still waited. Piles that have not settled stay untold."""
        if self._calibration is None and self._finder is not None:
            self._finder.finish()
        return self._eyes.finish() if self._eyes is not None else ()

    @property
    def state(self) -> WatchState | None:
        """What was seen last, for drawing. None: the table is not found yet."""
        return self._eyes.state if self._eyes is not None else None


class _Eyes:
    """The watcher of a calibrated table."""

    def __init__(
        self, table: Table, detector: CardDetector, settings: WatchSettings, rectifier: Rectifier
    ) -> None:
        self._table = table
        self._detector = detector
        self._settings = settings
        self._rectifier = rectifier
        self.calibration = rectifier.calibration
        self._hand_finder = HandFinder(table, settings)
        self._watches = [
            ZoneWatch(place=ZonePlace(zone, rectifier.watch, rectifier.hands), settings=settings)
            for zone in table.zones
        ]
        self._moments: deque[Moment] = deque()
        self._rest: NDArray[np.uint8] | None = None
        self._last_drift_us = 0
        self._lifts: deque[Lift] = deque(maxlen=40)
        self._pending: list[_Pending] = []
        self._lost_since_us: int | None = None
        self._lost_cause = ""
        self._last_change_us: int | None = None
        self._measures: list[Measures] = []
        self._source_id = ""
        self._steps_us: deque[int] = deque(maxlen=PERIOD_WINDOW)

    @property
    def state(self) -> WatchState | None:
        if not self._moments:
            return None
        measures = self._measures or [Measures(0, 0, 0)] * len(self._watches)
        return WatchState(
            self._moments[-1].t_us,
            self.calibration,
            tuple(
                ZoneState(w.place.zone, w.phase, w.look.reading if w.look else None, m.hand_mm2)
                for w, m in zip(self._watches, measures, strict=True)
            ),
            self._moments[-1].hands.labels,
            self._rectifier.hands.px_per_mm,
        )

    def see(self, frame: Frame) -> tuple[Observation, ...]:
        t_us = frame.t_us
        self._source_id = frame.source_id
        grey = cv2.cvtColor(frame.image_bgr, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)
        watched = cv2.blur(self._rectifier.watch(grey), (3, 3)).astype(np.uint8, copy=False)
        lost = self._check_view(watched, t_us)
        if self._lost_since_us is not None:
            return ()
        hands = self._hand_finder.see(self._rectifier.hands(frame.image_bgr), t_us)
        previous = self._moments[-1] if self._moments else None
        if previous is not None:
            self._steps_us.append(t_us - previous.t_us)
        self._remember(Moment(t_us, watched, hands))
        if self._rest is None:
            self._rest = watched.copy()
        moved = self._differing(watched, previous.grey if previous else watched, self._settings.motion_levels)
        changed = self._differing(self._as_at_rest(watched, hands), self._rest, self._settings.change_levels)
        self._measures = [watch.place.measure(moved, changed, hands) for watch in self._watches]
        seen: list[Observation] = [*lost]
        for watch, measures in zip(self._watches, self._measures, strict=True):
            seen += self._watch(watch, measures, frame, watched)
        self._follow_light(watched, t_us)
        return (*seen, *self._release(t_us))

    def finish(self) -> tuple[Observation, ...]:
        released = tuple(self._release(None))
        if self._lost_since_us is None or self._last_change_us is None:
            return released
        lost = Interval(self._lost_since_us, max(self._lost_since_us, self._last_change_us))
        return (*released, ViewLost(pile=None, lost=lost, cause=self._lost_cause))

    # --- every frame

    @staticmethod
    def _differing(one: NDArray[np.uint8], other: NDArray[np.uint8], levels: int) -> NDArray[np.uint8]:
        _, differing = cv2.threshold(cv2.absdiff(one, other), levels, 255, cv2.THRESH_BINARY)
        return differing.astype(np.uint8, copy=False)

    @staticmethod
    def _as_at_rest(watched: NDArray[np.uint8], hands: Hands) -> NDArray[np.uint8]:
        """The picture at the brightness that the table had at rest."""
        if abs(hands.gain - 1) <= 0.02:
            return watched
        return cv2.convertScaleAbs(watched, alpha=1 / hands.gain).astype(np.uint8, copy=False)

    def _remember(self, moment: Moment) -> None:
        self._moments.append(moment)
        while moment.t_us - self._moments[0].t_us > self._settings.look_back_us:
            self._moments.popleft()

    def _check_view(self, watched: NDArray[np.uint8], t_us: int) -> tuple[Observation, ...]:
        """Notice a black or frozen picture, and tell when it is over."""
        sample = watched[::8, ::8]
        is_black = float(sample.mean()) < self._settings.black_levels
        last = self._moments[-1].grey if self._moments else None
        if last is None or is_black or bool((sample != last[::8, ::8]).any()):
            self._last_change_us = t_us
        frozen_us = t_us - (self._last_change_us if self._last_change_us is not None else t_us)
        is_lost = is_black or frozen_us > self._settings.frozen_us
        if is_lost and self._lost_since_us is None:
            self._lost_since_us = t_us - frozen_us
            self._lost_cause = "the picture is black" if is_black else "the picture is frozen"
        if is_lost or self._lost_since_us is None:
            return ()
        lost = Interval(self._lost_since_us, t_us)
        self._lost_since_us = None
        for watch in self._watches:
            watch.disturb_from_outside(t_us)
        return (ViewLost(pile=None, lost=lost, cause=self._lost_cause),)

    def _follow_light(self, watched: NDArray[np.uint8], t_us: int) -> None:
        """Let the looks at rest go half the way to how the piles look now, now and then."""
        if t_us - self._last_drift_us < self._settings.drift_us or self._rest is None:
            return
        self._last_drift_us = t_us
        for watch, measures in zip(self._watches, self._measures, strict=True):
            if watch.phase is Phase.STILL and measures.moved_mm2 == 0:
                rest, now = watch.place.cut(self._rest), watch.place.cut(watched)
                mixed = cv2.addWeighted(rest, 0.5, now, 0.5, 0).astype(np.uint8, copy=False)
                np.copyto(rest, mixed, where=watch.place.mask > 0)

    def _watch(
        self, watch: ZoneWatch, measures: Measures, frame: Frame, watched: NDArray[np.uint8]
    ) -> list[Observation]:
        t_us = frame.t_us
        if watch.wants_pause(t_us, measures) and watch.place.zone.pile.kind is PileKind.FOUNDATION:
            view = self._rectifier.read_view(watch.place.zone, frame.image_bgr, t_us)
            grey = watch.place.cut(watched).copy()
            watch.keep_pause(Pause(t_us, grey, view.image_bgr, measures.hand_mm2))
        if watch.step(t_us, measures):
            return self._settle(watch, frame, watched)
        return self._report_lost(watch, t_us)

    def _report_lost(self, watch: ZoneWatch, t_us: int) -> list[Observation]:
        lost_us = t_us - watch.disturbed_us
        if watch.phase is Phase.STILL or watch.is_reported_lost or lost_us < self._settings.lost_us:
            return []
        watch.is_reported_lost = True
        lost = Interval(watch.disturbed_us, t_us)
        return [ViewLost(pile=watch.place.zone.pile, lost=lost, cause="the pile does not come to rest")]

    # --- a pile that has settled

    def _settle(self, watch: ZoneWatch, frame: Frame, watched: NDArray[np.uint8]) -> list[Observation]:
        grey = watch.place.cut(watched).copy()
        old = watch.look
        if old is not None and is_same_look(old.grey, grey, watch.place, self._settings):
            self._rest_at(watch, Look(grey, old.reading, old.since_us))
            return []
        reading = self._read(self._rectifier.read_view(watch.place.zone, frame.image_bgr, frame.t_us))
        if not self._is_final(watch, reading) and watch.try_again(frame.t_us):
            return []
        since_us = watch.quiet_since_us if watch.quiet_since_us is not None else frame.t_us
        new = Look(grey, reading, since_us)
        told = self._tell(watch, old, new, frame.t_us)
        self._rest_at(watch, new)
        return told

    def _rest_at(self, watch: ZoneWatch, look: Look) -> None:
        if self._rest is not None:
            np.copyto(watch.place.cut(self._rest), look.grey, where=watch.place.mask > 0)
        watch.rest(look)

    @staticmethod
    def _is_final(watch: ZoneWatch, reading: Reading) -> bool:
        """Whether to believe a reading: a pile that had cards is looked at twice before it is empty."""
        had_cards = watch.look is not None and not watch.look.reading.is_empty
        return reading.is_sure and not (reading.is_empty and had_cards and watch.tries == 0)

    def _read(self, view: ZoneView) -> Reading:
        return read_pile(view, self._detector, self._towards(view.zone), self._settings)

    def _towards(self, zone: Zone) -> tuple[float, float] | None:
        edge = self._table.edge_of(zone.pile.seat) if zone.pile.seat is not None and zone.is_fan else None
        return TOWARDS[edge] if edge is not None else None

    def _tell(self, watch: ZoneWatch, old: Look | None, new: Look, t_us: int) -> list[Observation]:
        """Put what happened to a pile into observations."""
        seen = self._pile_seen(watch, new, t_us)
        if old is None:
            watch.stack[:] = [new.reading.top] if not new.reading.is_empty else []
            return [seen]
        for pause_look in self._looks_between(watch, old, new):
            self._land(watch, old, pause_look, pause_look.since_us, ())
            old = pause_look
        change = explain(old, new, watch.place, watch.stack, self._settings)
        if change is Change.LANDED:
            self._land(watch, old, new, t_us, (seen,))
            return []
        if change is Change.LIFTED:
            return [*self._lift(watch, old, new, is_certain=True), *self._in_turn(watch, seen)]
        if change is Change.UNCLEAR:
            self._lift(watch, old, new, is_certain=False)
        if change is Change.MOVED and watch.stack and new.reading.top is not None:
            watch.stack[-1] = new.reading.top
        return [] if change is Change.NOTHING else self._in_turn(watch, seen)

    def _in_turn(self, watch: ZoneWatch, observation: Observation) -> list[Observation]:
        """Hold back what follows a landing of the same pile that still waits for its source."""
        for pending in reversed(self._pending):
            if pending.landed.pile == watch.place.zone.pile:
                pending.after = (*pending.after, observation)
                return []
        return [observation]

    def _pile_seen(self, watch: ZoneWatch, look: Look, t_us: int) -> PileSeen:
        reading = look.reading
        return PileSeen(
            pile=watch.place.zone.pile,
            top=reading.top,
            is_empty=reading.is_empty,
            face_up=reading.face_up,
            seen=Interval(look.since_us, t_us),
            confidence=reading.confidence,
            evidence=Evidence(self._source_id, (look.since_us, t_us)),
        )

    # --- cards that came and went

    def _looks_between(self, watch: ZoneWatch, old: Look, new: Look) -> list[Look]:
        """Cards that lay on a pile for a while before the last one covered them."""
        found: list[Look] = []
        for pause in watch.pauses:
            look = self._look_of(watch, pause)
            if look is None or look.since_us >= new.since_us:
                continue
            before = found[-1] if found else old
            is_other = explain(before, look, watch.place, watch.stack, self._settings) is Change.LANDED
            if is_other and self._lay_there(watch, look, new, pause):
                found.append(look)
        return found

    def _look_of(self, watch: ZoneWatch, pause: Pause) -> Look | None:
        view = self._rectifier.read_view(watch.place.zone, pause.image_bgr, pause.t_us)
        view = replace(view, image_bgr=pause.image_bgr)
        reading = self._read(view)
        is_face = reading.top is not None and reading.top_quad_mm is not None
        return Look(pause.grey, reading, pause.t_us) if is_face else None

    def _lay_there(self, watch: ZoneWatch, look: Look, new: Look, pause: Pause) -> bool:
        """Whether the card of a pause lay on the pile, is not the last one, and was not only held over it."""
        if look.reading.top_quad_mm is None or new.reading.top_quad_mm is None:
            return False
        mine = watch.place.mask_of(look.reading.top_quad_mm)
        same = agreement(look.grey, new.grey, mine, self._settings)
        if look.reading.top == new.reading.top and (same is None or same > 0.5):
            return False
        last = watch.place.mask_of(new.reading.top_quad_mm, margin_px=2)
        beside = cv2.bitwise_and(mine, cv2.bitwise_not(last)).astype(np.uint8, copy=False)
        stays = agreement(look.grey, new.grey, beside, self._settings)
        if stays is not None:
            return stays >= 0.6
        return pause.hand_mm2 <= self._settings.hand_over_mm2 and look.reading.top != new.reading.top

    def _land(
        self, watch: ZoneWatch, old: Look, new: Look, settled_us: int, after: tuple[Observation, ...]
    ) -> None:
        """Tell of a landing, once its source is known or has been waited for."""
        crossing = self._look_back(watch, old, new)
        touch = self._interval(watch, crossing, new)
        seat, seat_confidence = self._seat_at(new, touch)
        landed = CardLanded(
            pile=watch.place.zone.pile,
            card=new.reading.top,
            touch=touch,
            settled_us=settled_us,
            seat=seat,
            seat_confidence=seat_confidence,
            source=None,
            confidence=new.reading.confidence,
            resolution_us=(self._period_us + 1) // 2,
            evidence=Evidence(self._source_id, (touch.start_us, touch.end_us, settled_us)),
        )
        watch.stack.append(new.reading.top)
        del watch.stack[:-STACK_KEPT]
        self._pending.append(_Pending(landed, after, settled_us + self._settings.source_wait_us))

    def _lift(self, watch: ZoneWatch, old: Look, new: Look, *, is_certain: bool) -> list[Observation]:
        """Remember a lift, and tell of it if it is one for certain."""
        crossing = self._look_forward(watch, old, new)
        start_us = crossing.last_before_us
        if start_us is None:
            start_us = watch.calm_us if watch.calm_us is not None else watch.disturbed_us
        end_us = crossing.first_after_us if crossing.first_after_us is not None else new.since_us
        lifted = Interval(start_us, max(start_us, end_us))
        quad_mm = old.reading.top_quad_mm
        around = Interval(start_us, start_us) if crossing.last_before_us is not None else lifted
        seat, _ = self._seat_over(quad_mm, around) if quad_mm is not None else (None, 0.0)
        observation = CardLifted(
            pile=watch.place.zone.pile,
            card=old.reading.top,
            lifted=lifted,
            seat=seat if seat is not None else owner_of(watch.place.zone.pile),
            confidence=old.reading.confidence,
            evidence=Evidence(self._source_id, (lifted.start_us, lifted.end_us)),
        )
        self._lifts.append(Lift(observation, is_certain))
        if not is_certain:
            watch.stack[:] = [new.reading.top]
            return []
        if watch.stack:
            watch.stack.pop()
        if not new.reading.is_empty and (not watch.stack or watch.stack[-1] != new.reading.top):
            watch.stack[:] = [new.reading.top]
        return self._in_turn(watch, observation)

    def _patches(self, watch: ZoneWatch, until_us: int) -> list[Patch]:
        since_us = watch.calm_us if watch.calm_us is not None else watch.disturbed_us
        return [
            Patch(moment.t_us, watch.place.cut(moment.grey))
            for moment in self._moments
            if since_us <= moment.t_us <= until_us
        ]

    def _look_back(self, watch: ZoneWatch, old: Look, new: Look) -> Crossing:
        quad_mm = new.reading.top_quad_mm
        if quad_mm is None:
            return Crossing(None, None)
        mask = watch.place.mask_of(quad_mm, margin_px=3)
        frames = [patch for patch in self._patches(watch, new.since_us) if patch.t_us > old.since_us]
        return find_arrival(compare(frames, old.grey, new.grey, mask, self._settings), self._settings)

    def _look_forward(self, watch: ZoneWatch, old: Look, new: Look) -> Crossing:
        quad_mm = old.reading.top_quad_mm
        mask = watch.place.mask if quad_mm is None else watch.place.mask_of(quad_mm, margin_px=3)
        frames = self._patches(watch, new.since_us)
        return find_departure(compare(frames, old.grey, new.grey, mask, self._settings), self._settings)

    def _interval(self, watch: ZoneWatch, crossing: Crossing, new: Look) -> Interval:
        """The touch, as far as the frames tell: at the widest from before the disturbance to rest."""
        start_us = crossing.last_before_us
        if start_us is None:
            start_us = watch.calm_us if watch.calm_us is not None else watch.disturbed_us
        end_us = crossing.first_after_us if crossing.first_after_us is not None else new.since_us
        slack_us = round(self._settings.slack_periods * self._period_us)
        return Interval(min(start_us, end_us) - slack_us, end_us + slack_us)

    @property
    def _period_us(self) -> int:
        """The usual time from frame to frame; 0 before the second frame."""
        return median_low(self._steps_us) if self._steps_us else 0

    def _seat_at(self, look: Look, touch: Interval) -> tuple[Seat | None, float]:
        quad_mm = look.reading.top_quad_mm
        if quad_mm is None:
            return None, 0.0
        around = Interval(touch.end_us - CONTACT_BEFORE_US, touch.end_us + CONTACT_AFTER_US)
        return self._seat_over(quad_mm, around)

    def _seat_over(self, quad_mm: NDArray[np.float32], when: Interval) -> tuple[Seat | None, float]:
        """Whose hand was over a place most of the time, with its share of all hands there."""
        mask = self._rectifier.hands.mask_of(quad_mm)
        counts = np.zeros(256, np.int64)
        for moment in self._moments:
            if when.start_us <= moment.t_us <= when.end_us and moment.hands.is_any:
                counts += np.bincount(moment.hands.labels[mask > 0], minlength=256)
        total = int(counts[1:].sum())
        best = int(counts[1:UNCERTAIN].argmax()) + 1
        if not total or not counts[best]:
            return None, 0.0
        share = float(counts[best] / total)
        return (self._table.seats[best - 1].seat, share) if share > 0.5 else (None, 0.0)

    # --- landings and their sources

    def _release(self, t_us: int | None) -> list[Observation]:
        """The landings whose source is known or no longer waited for; with None all of them."""
        told: list[Observation] = []
        waiting: list[_Pending] = []
        held: set[PileId] = set()
        for pending in self._pending:
            pile = pending.landed.pile
            lift = self._source_of(pending.landed)
            is_due = t_us is None or t_us >= pending.deadline_us or self._is_calm()
            if pile in held or (lift is None and not is_due):
                waiting.append(pending)
                held.add(pile)
                continue
            told += self._with_source(pending, lift)
        self._pending = waiting
        return told

    def _is_calm(self) -> bool:
        """Whether every pile is at rest: no lift can come any more."""
        return all(watch.phase is Phase.STILL for watch in self._watches)

    def _source_of(self, landed: CardLanded) -> Lift | None:
        card: Card | None = landed.card
        if card is None:
            return None
        return source_among(
            self._lifts,
            landed.pile,
            card=card,
            seat=landed.seat,
            touch=landed.touch,
            carry_us=self._settings.carry_us,
        )

    def _with_source(self, pending: _Pending, lift: Lift | None) -> list[Observation]:
        landed = pending.landed
        if lift is None:
            return [landed, *pending.after]
        self._lifts.remove(lift)
        owner = owner_of(lift.observation.pile) or lift.observation.seat
        if landed.seat is None and owner is not None:
            landed = replace(landed, seat=owner, seat_confidence=lift.observation.confidence)
        landed = replace(landed, source=lift.observation.pile)
        lifted = [] if lift.is_certain else [lift.observation]
        return [*lifted, landed, *pending.after]
