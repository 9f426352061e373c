"""Frames in, observations out: every frame is watched cheaply, piles are read when they have settled."""

from collections import deque
from dataclasses import dataclass, replace
from itertools import pairwise

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
from vision.changes import STAYS_SHARE, Below, Change, explain, is_same_place, remaining_share
from vision.frames import Frame
from vision.hands import HandFinder, Hands
from vision.history import History, Moment, changed_beside
from vision.readings import TOWARDS, Reading, read_pile
from vision.rectify import Rectifier, ZoneView
from vision.settings import WatchSettings
from vision.settle import Look, Measures, Phase, Sample, ZonePlace, ZoneWatch, is_same_look
from vision.table import FourCorners, Table, Zone
from vision.touch import Crossing, Patch, compare, persistent_cells

CONTACT_BEFORE_US = 100_000
"""The hand that brings a card is over it in this time before the touch ..."""

CONTACT_AFTER_US = 50_000
"""... and this long after it."""

TOGETHER_US = 300_000
"""A card that was covered before it could be read came no longer than this before the one above it."""

SAMPLED = frozenset({PileKind.FOUNDATION, PileKind.WASTE})
"""Piles on which cards come and go within one reach of a hand."""

STACK_KEPT = 60
"""Cards of one pile that are remembered."""


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
    needs_source: bool
    """It was seen in passing only: without a lift that goes with it, it is not told."""
    hidden: "_Hidden | None"
    """A card that may have come at the same time and lies below. None: no sign of one."""


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


@dataclass(frozen=True, slots=True)
class _Hidden:
    """Something came to lie beside the top card. towards: from the top card's middle, in pixels."""

    touch: Interval
    towards: tuple[float, float]


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
        self._history = History(rectifier.hands, settings)
        self._rest: NDArray[np.uint8] | None = None
        self._last_drift_us = 0
        self._lifts: deque[Lift] = deque(maxlen=40)
        self._pending: list[_Pending] = []
        self._lost_since_us: int | None = None
        self._lost_cause = ""
        self._last_change_us: int | None = None
        self._measures: list[Measures] = []
        self._source_id = ""

    @property
    def state(self) -> WatchState | None:
        last = self._history.last
        if last is None:
            return None
        measures = self._measures or [Measures(0, 0, 0)] * len(self._watches)
        return WatchState(
            last.t_us,
            self.calibration,
            tuple(
                ZoneState(w.place.zone, w.phase, w.look.reading if w.look else None, m.hand_mm2)
                for w, m in zip(self._watches, measures, strict=True)
            ),
            last.hands.labels,
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
        previous = self._history.last
        self._history.remember(Moment(t_us, watched, hands))
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

    def _check_view(self, watched: NDArray[np.uint8], t_us: int) -> tuple[Observation, ...]:
        """Notice a black or frozen picture, and tell when it is over."""
        sample = watched[::8, ::8]
        is_black = float(sample.mean()) < self._settings.black_levels
        last = self._history.last
        if last is None or is_black or bool((sample != last.grey[::8, ::8]).any()):
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
        if watch.place.zone.pile.kind in SAMPLED and watch.wants_sample(t_us, measures):
            view = self._rectifier.read_view(watch.place.zone, frame.image_bgr, t_us)
            grey = watch.place.cut(watched).copy()
            watch.keep_sample(Sample(t_us, grey, view.image_bgr))
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
            same = Look(grey, old.reading, watch.quiet_since_us or frame.t_us)
            self._tell_landings(watch, old, same, Change.NOTHING, frame.t_us)
            self._rest_at(watch, replace(same, since_us=old.since_us))
            return []
        reading = self._read(self._rectifier.read_view(watch.place.zone, frame.image_bgr, frame.t_us))
        if not self._is_final(watch, reading) and watch.try_again(frame.t_us):
            return []
        since_us = watch.quiet_since_us if watch.quiet_since_us is not None else frame.t_us
        new = Look(grey, reading, since_us)
        told = self._tell(watch, old, new, frame.t_us)
        self._rest_at(watch, new if old is None or is_telling(reading) else replace(old, grey=grey))
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
        below = Below(watch.stack[-2] if len(watch.stack) > 1 else None, watch.look_below)
        change = explain(old, new, watch.place, below, self._settings)
        self._tell_landings(watch, old, new, change, t_us)
        if change is Change.LANDED:
            watch.look_below = old
            return self._in_turn(watch, seen)
        if change is Change.LIFTED:
            watch.look_below = None
            return [*self._lift(watch, old, new, is_certain=True), *self._in_turn(watch, seen)]
        if change is Change.UNCLEAR:
            self._lift(watch, old, new, is_certain=False)
        if change is Change.MOVED and watch.stack and new.reading.top is not None:
            watch.stack[-1] = new.reading.top
        return [] if change is Change.NOTHING else self._in_turn(watch, seen)

    def _tell_landings(self, watch: ZoneWatch, old: Look, new: Look, change: Change, t_us: int) -> None:
        """Tell of the cards that came, in the order of their touches, and of those that were taken back."""
        visits = self._visits(watch, old, new)
        landings = [(self._touch(watch, old, visit, visit.since_us), visit) for visit in visits]
        if change is Change.LANDED:
            landings.append((self._touch(watch, old, new, new.since_us), new))
        for touch, look in sorted(landings, key=lambda landing: landing[0].end_us):
            hidden = self._hidden(watch, old, new, touch) if look is new and not visits else None
            # A race brings a card equal to the last one; any other face may be a misreading under a hand,
            # and an equal one long after may be the race's other card, bared when one is taken back.
            is_odd = look.reading.top != new.reading.top
            is_late = (
                look.reading.top == old.reading.top and touch.end_us - old.since_us > self._settings.race_us
            )
            self._land(watch, look, touch, t_us, hidden, needs_source=is_odd or is_late)
            if look is not new and not self._is_beneath(watch, look, new):
                self._lift(watch, look, new, is_certain=True)

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

    def _visits(self, watch: ZoneWatch, old: Look, new: Look) -> list[Look]:
        """Cards that lay on a pile for a while, and were covered or taken back before it settled."""
        found: list[Look] = []
        for sample in worth_reading(watch, old, new):
            look = self._look_of(watch, sample)
            if look is None:
                continue
            others = (old, new, *found)
            is_known = any(is_same_place(look, other) for other in others)
            is_known = is_known or self._shows(watch, look, old, new)
            if not is_known and self._lay_there(watch, old, look, new):
                found.append(look)
        return found

    def _look_of(self, watch: ZoneWatch, sample: Sample) -> Look | None:
        """What a sample shows. None: no legible card lies whole on top."""
        view = self._rectifier.view_of(watch.place.zone, sample.image_bgr, sample.t_us)
        reading = self._read(view)
        is_face = reading.top is not None and reading.top_quad_mm is not None
        return Look(sample.grey, reading, sample.t_us) if is_face else None

    def _shows(self, watch: ZoneWatch, look: Look, old: Look, new: Look) -> bool:
        """Whether a sample that was read as the final card, elsewhere, shows that card in its final place.

        Half hidden by a hand, a card is found a few millimetres from where it lies.
        """
        quad_mm = new.reading.top_quad_mm
        if look.reading.top != new.reading.top or quad_mm is None:
            return False
        mask = watch.place.mask_of(quad_mm)
        frame = Patch(look.since_us, look.grey)
        shown = compare([frame], old.grey, new.grey, mask, self._settings).later[0]
        return bool(shown >= self._settings.shown_share)

    def _lay_there(self, watch: ZoneWatch, old: Look, look: Look, new: Look) -> bool:
        """Whether a card lay on the pile, and was not only held over it: nobody holds that still."""
        during = Interval(watch.since_us, new.since_us)
        lay_us = self._history.time_in_place_us(watch.place, old, look, during)
        return lay_us >= self._settings.visit_us

    def _is_beneath(self, watch: ZoneWatch, look: Look, new: Look) -> bool:
        """Whether a card that lay there still lies there, below the last one."""
        remains = remaining_share(look, new, watch.place, self._settings)
        return remains is not None and remains >= STAYS_SHARE

    def _hidden(self, watch: ZoneWatch, old: Look, new: Look, touch: Interval) -> _Hidden | None:
        """A card that came with the top one and lies below it, as far as it shows."""
        if watch.place.zone.pile.kind is not PileKind.FOUNDATION or new.reading.top_quad_mm is None:
            return None
        beside = changed_beside(watch.place, old, new)
        rows, columns = np.nonzero(beside)
        if len(rows) * watch.place.mm2_per_px < self._settings.hidden_mm2:
            return None
        during = Interval(touch.start_us - TOGETHER_US, max(touch.end_us, new.since_us))
        crossing = self._history.arrival_beside(watch.place, old, new, during)
        beneath = self._interval(watch, crossing, new) if crossing.first_after_us is not None else touch
        end_us = min(beneath.end_us, touch.end_us)  # What lies below touched no later than what lies above.
        start_us = max(touch.start_us - TOGETHER_US, min(beneath.start_us, end_us))
        top = watch.place.mask_of(new.reading.top_quad_mm)
        top_rows, top_columns = np.nonzero(top)
        towards = (float(columns.mean() - top_columns.mean()), float(rows.mean() - top_rows.mean()))
        return _Hidden(Interval(start_us, end_us), towards)

    def _touch(self, watch: ZoneWatch, old: Look, look: Look, until_us: int) -> Interval:
        during = Interval(watch.since_us, max(watch.since_us, until_us))
        return self._interval(watch, self._history.arrival(watch.place, old, look, during), look)

    def _land(
        self,
        watch: ZoneWatch,
        new: Look,
        touch: Interval,
        settled_us: int,
        hidden: _Hidden | None,
        *,
        needs_source: bool,
    ) -> None:
        """Tell of a landing, once its source is known or has been waited for."""
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
            resolution_us=(self._history.period_us + 1) // 2,
            evidence=Evidence(self._source_id, (touch.start_us, touch.end_us, settled_us)),
        )
        watch.stack.append(new.reading.top)
        del watch.stack[:-STACK_KEPT]
        deadline_us = settled_us + self._settings.source_wait_us
        self._pending.append(_Pending(landed, (), deadline_us, needs_source, hidden))

    def _lift(self, watch: ZoneWatch, old: Look, new: Look, *, is_certain: bool) -> list[Observation]:
        """Remember a lift, and tell of it if it is one for certain."""
        during = Interval(watch.since_us, max(watch.since_us, new.since_us))
        crossing = self._history.departure(watch.place, old, new, during)
        start_us = crossing.last_before_us if crossing.last_before_us is not None else watch.since_us
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

    def _interval(self, watch: ZoneWatch, crossing: Crossing, new: Look) -> Interval:
        """The touch, as far as the frames tell: at the widest from before the disturbance to rest."""
        start_us = crossing.last_before_us if crossing.last_before_us is not None else watch.since_us
        end_us = crossing.first_after_us if crossing.first_after_us is not None else new.since_us
        slack_us = round(self._settings.slack_periods * self._history.period_us)
        return Interval(min(start_us, end_us) - slack_us, end_us + slack_us)

    def _seat_at(self, look: Look, touch: Interval) -> tuple[Seat | None, float]:
        """Who brought the card: the hand that came; where none came just then, the one that was there."""
        quad_mm = look.reading.top_quad_mm
        if quad_mm is None:
            return None, 0.0
        shares = self._history.approach_shares(quad_mm, touch.end_us)
        if shares:
            return self._most_of(shares)
        around = Interval(touch.end_us - CONTACT_BEFORE_US, touch.end_us + CONTACT_AFTER_US)
        return self._seat_over(quad_mm, around)

    def _seat_over(self, quad_mm: NDArray[np.float32], when: Interval) -> tuple[Seat | None, float]:
        """Whose hand was over a place most of the time, with its share of all hands there."""
        return self._most_of(self._history.hand_shares(quad_mm, when))

    def _most_of(self, shares: dict[int, float]) -> tuple[Seat | None, float]:
        best = max(shares, key=lambda seat: shares[seat], default=None)
        if best is None or shares[best] < self._settings.seat_share:
            return None, 0.0
        return self._table.seats[best].seat, shares[best]

    # --- landings and their sources

    def _release(self, t_us: int | None) -> list[Observation]:
        """The landings whose source is known or no longer waited for; with None all of them."""
        told: list[Observation] = []
        waiting: list[_Pending] = []
        held: set[PileId] = set()
        for pending in self._pending:
            pile = pending.landed.pile
            lifts = self._lifts_for(pending)
            is_complete = bool(lifts) and (pending.hidden is None or len(lifts) > 1)
            is_due = t_us is None or t_us >= pending.deadline_us or self._is_calm()
            if pile in held or not (is_complete or is_due):
                waiting.append(pending)
                held.add(pile)
                continue
            told += self._with_sources(pending, lifts)
        self._pending = waiting
        return told

    def _is_calm(self) -> bool:
        """Whether every pile is at rest: no lift can come any more."""
        return all(watch.phase is Phase.STILL for watch in self._watches)

    def _lifts_for(self, pending: _Pending) -> list[Lift]:
        """The lift that brought the card; where another may lie below, the other seat's equal card too."""
        landed = pending.landed
        card: Card | None = landed.card
        if card is None:
            return []
        own = self._source_of(landed, card, landed.seat)
        if own is None or pending.hidden is None:
            return [own] if own is not None else []
        rivals = [place.seat for place in self._table.seats if place.seat is not _brought_by(own)]
        others = [lift for seat in rivals if (lift := self._source_of(landed, card, seat)) is not None]
        return [own, *(lift for lift in others if _brought_by(lift) is not _brought_by(own))][:2]

    def _source_of(self, landed: CardLanded, card: Card, seat: Seat | None) -> Lift | None:
        carry_us = self._settings.carry_us
        return source_among(
            self._lifts, landed.pile, card=card, seat=seat, touch=landed.touch, carry_us=carry_us
        )

    def _with_sources(self, pending: _Pending, lifts: list[Lift]) -> list[Observation]:
        landed = pending.landed
        if not lifts and pending.needs_source:
            return self._without_lifts(pending.after)
        if not lifts:
            return [landed, *pending.after]
        for lift in lifts:
            self._lifts.remove(lift)
        lifted = [lift.observation for lift in lifts if not lift.is_certain]
        if len(lifts) == 1 or pending.hidden is None:
            return [*lifted, _from(landed, lifts[0]), *pending.after]
        above, below = self._by_side(lifts, pending.hidden)
        first = _covered(landed, pending.hidden)
        second = replace(landed, seat=None, seat_confidence=0.0)
        both = sorted((_from(first, below), _from(second, above)), key=lambda o: o.touch.end_us)
        return [*lifted, *both, *pending.after]

    def _without_lifts(self, told: tuple[Observation, ...]) -> list[Observation]:
        """What followed a landing that is not told: its card's lift is told only when it lands elsewhere."""
        untold = [o for o in told if isinstance(o, CardLifted)]
        for i, lift in enumerate(self._lifts):
            if any(lift.observation is o for o in untold):
                self._lifts[i] = replace(lift, is_certain=False)
        return [o for o in told if not isinstance(o, CardLifted)]

    def _by_side(self, lifts: list[Lift], hidden: _Hidden) -> tuple[Lift, Lift]:
        """Of two that came together, whose card lies above and whose below: a card lies nearer its player."""

        def reach(lift: Lift) -> float:
            seat = _brought_by(lift)
            edge = self._table.edge_of(seat) if seat is not None else None
            x, y = TOWARDS[edge] if edge is not None else (0.0, 0.0)
            return x * hidden.towards[0] + y * hidden.towards[1]

        above, below = sorted(lifts, key=reach)
        return above, below


def worth_reading(watch: ZoneWatch, old: Look, new: Look) -> list[Sample]:
    """Of a disturbed pile's samples those that show something that stayed, and is gone or covered since.

    Of each row of such samples the one that shows most of it.
    """
    settings = watch.settings
    samples = [sample for sample in watch.samples if watch.since_us < sample.t_us < new.since_us]
    best: list[tuple[int, Sample]] = []
    is_row = False
    for before, sample in pairwise(samples):
        cells = persistent_cells(before.grey, sample.grey, (old.grey, new.grey), watch.place.mask, settings)
        if cells >= settings.persistent_cells:
            if is_row and cells > best[-1][0]:
                best[-1] = (cells, sample)
            if not is_row:
                best.append((cells, sample))
        is_row = cells >= settings.persistent_cells
    most = sorted(best, key=lambda scored: -scored[0])[: settings.samples_read]
    return sorted((sample for _, sample in most), key=lambda sample: sample.t_us)


def is_telling(reading: Reading) -> bool:
    """Whether a reading shows what lies there: else a hand may rest there unseen, and the last one holds."""
    return reading.is_empty or reading.top_quad_mm is not None


def _brought_by(lift: Lift) -> Seat | None:
    return owner_of(lift.observation.pile) or lift.observation.seat


def _covered(landed: CardLanded, hidden: _Hidden) -> CardLanded:
    """The equal card below one that landed."""
    frames_us = (hidden.touch.start_us, hidden.touch.end_us, landed.settled_us)
    evidence = replace(landed.evidence, frames_us=frames_us)
    return replace(landed, touch=hidden.touch, seat=None, seat_confidence=0.0, evidence=evidence)


def _from(landed: CardLanded, lift: Lift) -> CardLanded:
    """The landing with its source; the source's owner where the hands do not tell the seat."""
    owner = _brought_by(lift)
    if landed.seat is None and owner is not None:
        landed = replace(landed, seat=owner, seat_confidence=lift.observation.confidence)
    return replace(landed, source=lift.observation.pile)
