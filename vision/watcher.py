"""Frames in, observations out: every frame is watched cheaply, piles are read when they have settled."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from models.detections import CardDetector
from referee.cards import Card
from referee.clock import Interval
from referee.observations import (
    CardLanded,
    CardLifted,
    Evidence,
    HandTouched,
    Observation,
    PileSeen,
    ViewLost,
)
from referee.piles import PileId, PileKind, Seat
from referee.sightings import CardsCarried, CarryPlace, Handling, PileHandled
from vision.calibration import (
    Calibration,
    CalibrationError,
    MarkerFinder,
    calibrate_from_corners,
    calibrate_from_markers,
    find_markers,
)
from vision.carry import Lift, owner_of, source_among
from vision.changes import (
    Below,
    Change,
    cards_gone,
    explain,
    is_same_place,
    lies_beneath,
)
from vision.frames import Frame
from vision.hands import HandFinder, Hands
from vision.history import History, Moment, changed_beside
from vision.outlook import KnockWatch, Outlook, moved_calibration
from vision.presence import HandsOver, Rest, rests
from vision.races import (
    NOBODY_KNOWN,
    Beneath,
    Owners,
    Signs,
    below_of,
    is_told_by_itself,
    lean_mm,
    order_at_rest,
    owners_of,
    seat_holding,
)
from vision.readings import OUTLINE_CONFIDENCE, TOWARDS, Reading, best_face, cards_of, read_pile
from vision.rectify import Rectifier, ZoneView
from vision.settings import WatchSettings
from vision.settle import Look, Measures, Phase, Sample, ZonePlace, ZoneWatch, is_same_look
from vision.shift import Shift
from vision.table import COMMON, FourCorners, Table, Zone
from vision.touch import Crossing, Patch, compare, persistent_cells

CONTACT_BEFORE_US = 100_000
"""The hand that brings a card is over it in this time before the touch ..."""

CONTACT_AFTER_US = 50_000
"""... and this long after it."""

TOGETHER_US = 300_000
"""A card that was covered before it could be read came no longer than this before the one above it."""

WELL_READ = 0.9
"""A face that was read under a hand with so much confidence is believed over the same place's other face."""

ABOUT_THE_MOST = 0.7
"""Samples that show so much of a card as the one that shows most of it: fingers move over a card at rest."""

REACHED_BEFORE_US = 1_000_000
"""Who turns stock to a waste has taken it up this long before, or later."""

TURNED_WITHIN_US = 700_000
"""Cards that lie on a waste so long after they left the stock came under others, which are gone again."""

TAKEN_WAIT_US = 2_000_000
"""So long a card that is not on its waste any more may still be carried: then it is taken as covered."""

TURNED_OVER_US = 1_500_000
"""A waste is turned over and laid down within this after it was picked up."""

LIFTS_KEPT = 40
"""Of all piles."""

STOCK_CHANGES_KEPT = 20
"""Of one seat."""

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


@dataclass(slots=True, kw_only=True)
class _Pending:
    """A landing that waits for its source, with what follows it on the same pile."""

    landed: CardLanded
    after: tuple[Observation, ...] = ()
    deadline_us: int
    since_us: int
    """When the pile was last at rest before it."""
    rested_us: int
    """Since when it lies at rest with it."""
    needs_source: bool
    """It was seen in passing only: without a lift that goes with it, it is not told."""
    otherwise: Handling | None
    """What it was where no card came from elsewhere. None: nothing that could be told."""
    gone: Lift | None
    """The card that lay there before, if it is not there any more: it may have been taken away."""
    beneath: Beneath | None
    """A card that may have come at the same time and lies below. None: no sign of one."""
    owners: Owners | None
    """Whose the two cards are. None: no two seats reached for the pile, so that only a second lift tells of
    the lower card."""
    is_contested: bool
    """Whether hands of two seats reached for the pile."""
    is_disputed: bool
    """Whether another seat's fingers had come to rest there, and no card of its own was seen to come: it may
    lie below, and whose the upper one is makes nobody first."""
    over: "_Pending | None" = None
    """The landing before it whose card lies below. None: there was none, or it has been taken away."""
    told: CardLanded | None = None
    """As it was told. None: not yet, or not as one card that landed."""


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
        seen = self._eyes.see(frame)
        self.warnings += self._eyes.take_warnings()
        return seen

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
class _Reach:
    """The seats whose fingers reached for a pile, and when those that came to rest there did so."""

    seats: tuple[Seat, ...]
    stops: dict[Seat, Interval]


@dataclass(slots=True)
class _StockChange:
    """A stock that lies otherwise than before. touch: of what lies there now."""

    during: Interval
    touch: Interval
    is_told: bool = False
    """Whether it is known what became of the cards that left."""


@dataclass(frozen=True, slots=True)
class _Gathering:
    """A spit pile that was picked up whole, until it is laid down, or ``deadline_us``."""

    handled: PileHandled
    bare: PileSeen
    """The pile's place after it, told with it: the round is over once it lies bare."""
    deadline_us: int


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
        self._lifts: deque[Lift] = deque(maxlen=LIFTS_KEPT)
        self._pending: list[_Pending] = []
        self._edges = [place.edge for place in table.seats]
        self._stock_changes: dict[PileId, deque[_StockChange]] = defaultdict(
            lambda: deque(maxlen=STOCK_CHANGES_KEPT)
        )
        self._emptied: dict[PileId, Interval] = {}
        self._gatherings: list[_Gathering] = []
        self._claimed: deque[CardLifted] = deque(maxlen=LIFTS_KEPT)
        self._foretold: dict[PileId, Card] = {}
        """Cards that came elsewhere from piles that were not at rest since: their lifts have been told."""
        self._from_nowhere: deque[CardLanded] = deque(maxlen=STOCK_CHANGES_KEPT)
        self._outlook = Outlook(settings)
        self._knock = KnockWatch(settings, rectifier.watch.px_per_mm)
        self._next_markers_us = 0
        self._warnings: list[str] = []
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
        sight = self._outlook.see(watched, t_us)
        if sight.is_lost:
            return ()
        lost = self._lost(sight.regained, t_us)
        if self._rest is None:
            self._rest = watched.copy()
        if self._knock.is_off and self._lies_elsewhere(self._rest, watched, t_us):
            return (*lost, *self._find_again(frame))
        if drifted := self._follow_markers(frame):
            return (*lost, *drifted)
        hands = self._hand_finder.see(self._rectifier.hands(frame.image_bgr), t_us)
        previous = self._history.last
        moved = self._differing(watched, previous.grey if previous else watched, self._settings.motion_levels)
        changed = self._differing(self._as_at_rest(watched, hands), self._rest, self._settings.change_levels)
        self._measures = [watch.place.measure(moved, changed, hands) for watch in self._watches]
        share = self._shaken_share()
        if share >= self._settings.knock_share and self._lies_elsewhere(
            self._rest, watched, t_us, is_hidden=share == 1.0
        ):
            return lost
        self._history.remember(Moment(t_us, watched, hands, sight.is_repeat))
        seen: list[Observation] = [*lost]
        for watch, measures in zip(self._watches, self._measures, strict=True):
            seen += self._watch(watch, measures, frame, watched)
        self._follow_light(watched, t_us)
        return (*seen, *self._release(t_us))

    def finish(self) -> tuple[Observation, ...]:
        released = tuple(self._release(None))
        lost = self._outlook.finish() or self._knock.finish(self._last_us)
        return released if lost is None else (*released, lost)

    def take_warnings(self) -> tuple[str, ...]:
        """What a person should know, since the last call."""
        own, self._warnings = tuple(self._warnings), []
        return (*self._outlook.take_warnings(), *self._knock.take_warnings(), *own)

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

    def _lost(self, lost: ViewLost | None, t_us: int) -> tuple[Observation, ...]:
        """Tell what was lost until ``t_us``, and look at every pile again."""
        if lost is None:
            return ()
        for watch in self._watches:
            watch.disturb_from_outside(t_us)
        return (lost,)

    def _shaken_share(self) -> float:
        """Of the piles with cards, the share that changes now; 0 where there are too few to tell."""
        changes = [
            measures.changed_mm2 > self._settings.disturbed_mm2
            for watch, measures in zip(self._watches, self._measures, strict=True)
            if watch.look is not None and not watch.look.reading.is_empty
        ]
        return sum(changes) / len(changes) if len(changes) >= self._settings.knock_piles else 0.0

    @property
    def _last_us(self) -> int:
        """Time of the last picture that showed the table in its place; 0 before the first."""
        return self._history.last.t_us if self._history.last is not None else 0

    def _lies_elsewhere(
        self, rest: NDArray[np.uint8], watched: NDArray[np.uint8], t_us: int, *, is_hidden: bool = True
    ) -> bool:
        """Whether the table is not where it lay at rest; not found at all counts where ``is_hidden``."""
        return self._knock.look(rest, watched, t_us, self._last_us, is_hidden=is_hidden)

    def _find_again(self, frame: Frame) -> tuple[Observation, ...]:
        """After a knock, once the picture stands still: the table where it lies now."""
        shift = self._knock.settled(frame.t_us)
        if shift is None:
            return ()
        self.calibration = self._calibration_after(frame, shift)
        self._rectifier = Rectifier(self._table, self.calibration, self._settings)
        return self._lost(self._knock.regained(frame.t_us), frame.t_us)

    def _follow_markers(self, frame: Frame) -> tuple[Observation, ...]:
        """Look now and then whether the printed markers lie where they should; else take them as they lie."""
        view = self._table.view
        if isinstance(view, FourCorners) or frame.t_us < self._next_markers_us:
            return ()
        self._next_markers_us = frame.t_us + self._settings.marker_look_us
        markers = find_markers(frame.image_bgr, view.dictionary)
        drift_mm = self.calibration.drift_mm(view, markers)
        if drift_mm is None or drift_mm < self._settings.drift_mm:
            return ()
        self.calibration = calibrate_from_markers(view, markers, frame.size_px)
        self._rectifier = Rectifier(self._table, self.calibration, self._settings)
        cause = f"the camera had drifted by {drift_mm:.0f} mm"
        self._warnings.append(f"{cause}: the table is found anew by its markers, and its piles are read anew")
        since_us = self._last_us
        lost = ViewLost(pile=None, lost=Interval(since_us, max(since_us, frame.t_us)), cause=cause)
        return self._lost(lost, frame.t_us)

    def _calibration_after(self, frame: Frame, shift: Shift) -> Calibration:
        view = self._table.view
        if not isinstance(view, FourCorners):
            markers = find_markers(frame.image_bgr, view.dictionary)
            if all(marker in markers for marker in view.centres_mm):
                return calibrate_from_markers(view, markers, frame.size_px)
        old = self.calibration
        moved = moved_calibration(old.table_mm_from_image_px, self._rectifier.watch.table_mm_from_px, shift)
        return replace(old, table_mm_from_image_px=moved)

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
        if _is_sampled(watch.place.zone) and watch.wants_sample(t_us, measures):
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
            told = self._tell_same(watch, old, same, frame.t_us)
            self._rest_at(watch, replace(same, since_us=old.since_us))
            self._foretold.pop(watch.place.zone.pile, None)
            return told
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
        """Whether to believe a reading: a pile that had cards is looked at twice before it is empty.

        So is one that showed a face, before a back is believed there that is no surer than by its outline.
        """
        last = watch.look.reading if watch.look is not None else None
        had_cards = last is not None and not last.is_empty
        had_face = last is not None and last.face_up
        is_outline = not reading.face_up and reading.confidence <= OUTLINE_CONFIDENCE
        is_doubtful = (reading.is_empty and had_cards) or (is_outline and had_face)
        return reading.is_sure and not (is_doubtful and watch.tries == 0)

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
        if watch.place.zone.pile.kind is not PileKind.WASTE:
            return self._tell_step(watch, old, new, t_us, seen)
        # What was turned up is gone again before the hands are: each look is told from the one before.
        return self._tell_steps(watch, [old, *self._visits(watch, old, new), new], t_us, seen)

    def _tell_same(self, watch: ZoneWatch, old: Look, same: Look, t_us: int) -> list[Observation]:
        """What happened to a pile that lies as before: cards came and went, or hands touched it."""
        if watch.place.zone.pile.kind is PileKind.WASTE:
            visits = self._visits(watch, old, same)
            if visits:
                return self._tell_steps(watch, [old, *visits, same], t_us, None)
        elif self._tell_landings(watch, old, same, Change.NOTHING, t_us):
            return []
        return self._touched(watch, same.since_us)

    def _tell_steps(
        self, watch: ZoneWatch, looks: list[Look], t_us: int, seen: PileSeen | None
    ) -> list[Observation]:
        """What happened from look to look, and then what was ``seen`` of the pile at rest."""
        told: list[Observation] = []
        for earlier, later in pairwise(looks):
            told += self._tell_step(watch, earlier, later, t_us, seen if later is looks[-1] else None)
        return told

    def _tell_step(
        self, watch: ZoneWatch, old: Look, new: Look, t_us: int, seen: PileSeen | None
    ) -> list[Observation]:
        """What happened from one look to the next, and then what was ``seen`` of the pile at rest."""
        below = Below(watch.stack[-2] if len(watch.stack) > 1 else None, watch.look_below)
        change = explain(old, new, watch.place, below, self._settings)
        if watch.place.zone.is_supply:
            return [*self._stock_moved(watch, old, new, t_us), *self._in_turn(watch, seen)]
        self._tell_landings(watch, old, new, change, t_us)
        match change:
            case Change.LANDED:
                watch.look_below = old
            case Change.FACED:
                self._face_up(watch, old, new, t_us, Handling.FACED_UP)
            case Change.LIFTED:
                is_gathered = _is_gathered(watch, new)
                watch.look_below = None
                if is_gathered and seen is not None:
                    return self._gathered(watch, old, new, seen)
                return [*self._lift_top(watch, old, new, t_us), *self._in_turn(watch, seen)]
            case Change.UNCLEAR:
                self._unclear(watch, old, new, t_us)
            case Change.MOVED:
                self._moved(watch, old, new, below)
            case Change.NOTHING:
                return self._touched(watch, new.since_us)
        return self._in_turn(watch, seen)

    def _unclear(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> None:
        """Another top on a waste or a work pile: its top went, or cards were turned onto it, or came."""
        gone = self._remember_lift(watch, old, new, is_certain=False)
        watch.stack[:] = [new.reading.top]
        if self._stock_of(watch.place.zone.pile) is not None:
            self._face_up(watch, old, new, t_us, Handling.TURNED, gone=gone)

    def _moved(self, watch: ZoneWatch, old: Look, new: Look, below: Below) -> None:
        """The same cards otherwise; of two equal ones the upper may have gone."""
        if below.face is not None and below.face == new.reading.top:
            self._lift(watch, old, new, is_certain=False)
        elif watch.stack and new.reading.top is not None:
            watch.stack[-1] = new.reading.top

    def _lift_top(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> list[Observation]:
        """Tell of a lift; a waste that lies bare may have been turned over to be the stock.

        Of a stock pile that shows another face the next card was turned up.
        """
        zone, pile = watch.place.zone, watch.place.zone.pile
        if pile.kind is not PileKind.WASTE or not new.reading.is_empty:
            lifted = self._lift(watch, old, new, is_certain=True)
            if zone.is_stock_pile and new.reading.face_up:
                self._face_up(watch, old, new, t_us, Handling.FACED_UP)
            return lifted
        lift = self._remember_lift(watch, old, new, is_certain=False)
        watch.stack[:] = [None]
        if watch.look is None or watch.look.reading.is_empty or lift not in self._lifts:
            return []  # Only what was turned just now has gone again, or its card is known to be played.
        self._emptied[pile] = lift.observation.lifted
        return self._turned_over(pile, t_us)

    # --- stock and waste

    def _stock_of(self, waste: PileId) -> PileId | None:
        """The stock that is turned onto a waste. None: it is no waste, or the table has no stock for it."""
        stock = PileId(PileKind.STOCK, waste.seat)
        return stock if waste.kind is PileKind.WASTE and self._has_zone(stock) else None

    def _stock_moved(self, watch: ZoneWatch, old: Look, new: Look, t_us: int) -> list[Observation]:
        """Remember that a stock has changed; the waste of its seat may have become it."""
        pile = watch.place.zone.pile
        touch = self._touch(watch, old, new, new.since_us)
        self._stock_changes[pile].append(_StockChange(Interval(watch.since_us, t_us), touch))
        return [*self._laid_down(), *self._turned_over(PileId(PileKind.WASTE, pile.seat), t_us)]

    def _turned_over(self, waste: PileId, t_us: int) -> list[Observation]:
        """The waste turned over to be the stock, if it was emptied as the stock changed."""
        stock = PileId(PileKind.STOCK, waste.seat)
        emptied = self._emptied.get(waste)
        if emptied is None:
            return []
        later = (c for c in self._stock_changes[stock] if c.during.end_us >= emptied.start_us)
        change = next((c for c in later if self._is_together(c.during, emptied)), None)
        if change is None:
            return []
        del self._emptied[waste]
        self._stock_changes[stock].clear()
        touch = _laid_down_at(change, emptied, self._next_turn_us(waste, emptied))
        return [
            PileHandled(
                handling=Handling.TURNED_OVER,
                pile=waste,
                target=stock,
                touch=touch,
                seat=waste.seat,
                seat_confidence=1.0 if waste.seat is not None else 0.0,
                resolution_us=self._resolution_us,
                confidence=1.0,
                evidence=Evidence(self._source_id, (touch.start_us, touch.end_us, t_us)),
            )
        ]

    def _next_turn_us(self, waste: PileId, emptied: Interval) -> int | None:
        """When hands came to a waste again that had been picked up. None: it lies bare since."""
        watch = next(watch for watch in self._watches if watch.place.zone.pile == waste)
        lies_bare = watch.phase is Phase.STILL and watch.look is not None and watch.look.reading.is_empty
        return None if lies_bare or watch.disturbed_us <= emptied.end_us else watch.disturbed_us

    def _stock_change(self, stock: PileId, when: Interval) -> _StockChange | None:
        """The change of a stock that goes with what happened on its waste in ``when``.

        Where a hand rests on the stock from turn to turn, one change holds several turns.
        """
        fitting = [c for c in self._stock_changes[stock] if self._is_together(c.during, when)]
        untold = (c for c in fitting if not c.is_told)
        lasting = (c for c in fitting if c.during.start_us < when.start_us < c.during.end_us)
        return next(untold, None) or next(lasting, None)

    def _is_together(self, one: Interval, other: Interval) -> bool:
        apart_us = self._settings.stock_apart_us
        return one.start_us <= other.end_us + apart_us and other.start_us <= one.end_us + apart_us

    def _face_up(
        self,
        watch: ZoneWatch,
        old: Look,
        new: Look,
        t_us: int,
        otherwise: Handling,
        gone: Lift | None = None,
    ) -> None:
        """A face that was turned up, unless a card that was lifted elsewhere came."""
        touch = self._touch(watch, old, new, new.since_us, is_turned_up=watch.place.zone.has_backs)
        watch.stack[-1:] = [new.reading.top]
        pending = self._land(watch, new, touch, t_us, needs_source=True, otherwise=otherwise, is_added=False)
        pending.gone = gone

    def _handled(self, pending: _Pending) -> list[Observation]:
        """What was done to a pile that no card came to. Cards turned to a waste must have left the stock."""
        if pending.otherwise is None:
            return []
        if pending.otherwise is Handling.TURNED:
            return self._turned(pending)
        return [self._plainly_handled(pending)]

    @staticmethod
    def _plainly_handled(pending: _Pending) -> PileHandled:
        landed, pile = pending.landed, pending.landed.pile
        assert pending.otherwise is not None
        is_owner = landed.seat is not None and landed.seat is pile.seat
        return PileHandled(
            handling=pending.otherwise,
            pile=pile,
            target=None,
            cards=(landed.card,) if landed.card is not None else (),
            touch=landed.touch,
            seat=pile.seat,
            seat_confidence=landed.seat_confidence if is_owner else 1.0,
            resolution_us=landed.resolution_us,
            confidence=landed.confidence,
            evidence=landed.evidence,
        )

    def _turned(self, pending: _Pending) -> list[Observation]:
        """Cards turned from the stock to its waste, if they left the stock.

        Its backs may look the same without them; then its player's hand was there just before, and the card
        that lay on the waste was not taken away.
        """
        landed, waste = pending.landed, pending.landed.pile
        stock = PileId(PileKind.STOCK, waste.seat)
        if self._is_taken(pending):
            return []
        change = self._stock_change(stock, Interval(pending.since_us, landed.settled_us))
        if change is None and not self._reached_by_owner(stock, landed.touch):
            return []
        if (
            pending.gone is not None and pending.gone in self._lifts
        ):  # It lies there still, under what was turned.
            self._lifts.remove(pending.gone)
        handled = replace(self._plainly_handled(pending), pile=stock, target=waste)
        if change is not None:
            change.is_told = True
        if not self._came_under_others(landed, change):
            return [handled]
        start_us = change.touch.start_us if change is not None else pending.since_us
        widest = Interval(min(start_us, landed.touch.start_us), landed.touch.end_us)
        return [replace(handled, cards=(), touch=widest)]

    def _is_taken(self, pending: _Pending) -> bool:
        """Whether the card that lay on a waste is known to have come elsewhere: what shows was below it."""
        if pending.gone is None:
            return False
        gone = pending.gone.observation
        return any(
            (lift.pile, lift.card) == (gone.pile, gone.card)
            and lift.lifted.start_us <= gone.lifted.end_us
            and gone.lifted.start_us <= lift.lifted.end_us
            for lift in self._claimed
        )

    def _came_under_others(self, landed: CardLanded, change: _StockChange | None) -> bool:
        """Whether a card that shows on a waste was turned to it below one that its player took at once."""
        if change is not None and landed.touch.start_us - change.touch.end_us > TURNED_WITHIN_US:
            return True
        soon = Interval(landed.touch.start_us, landed.touch.end_us + TAKEN_WAIT_US)
        return any(
            other.seat is landed.pile.seat and soon.start_us <= other.touch.start_us <= soon.end_us
            for other in self._from_nowhere
        )

    def _reached_by_owner(self, pile: PileId, touch: Interval) -> bool:
        """Whether its player's fingers were at a pile before something lay elsewhere."""
        zone = next(zone for zone in self._table.zones if zone.pile == pile)
        before = Interval(touch.start_us - REACHED_BEFORE_US, touch.end_us)
        hands = self._hands_over(zone.polygon_mm, before)
        seats = [self._table.seats[i].seat for i in hands.reached(zone.box_mm, self._settings)]
        return pile.seat in seats

    # --- spit piles and the packets of spit cards

    def _has_zone(self, pile: PileId) -> bool:
        return any(zone.pile == pile for zone in self._table.zones)

    def _packets(self, seat: Seat | None) -> list[PileId]:
        """The packets of spit cards that lie on the table: of a seat, or with None of all."""
        seats = [place.seat for place in self._table.seats if seat in {None, place.seat}]
        packets = [PileId(PileKind.HAND, each) for each in seats]
        return [packet for packet in packets if self._has_zone(packet)]

    def _from_packet(self, pending: _Pending, landed: CardLanded) -> CardLanded:
        """A card that came to a spit pile from no pile of faces was turned from its player's packet."""
        if landed.pile.kind is not PileKind.SPIT or landed.seat is None:
            return landed
        for packet in self._packets(landed.seat):
            change = self._stock_change(packet, Interval(pending.since_us, landed.settled_us))
            if change is not None:
                change.is_told = True
            if change is not None or self._reached_by_owner(packet, landed.touch):
                return replace(landed, source=packet)
        return landed

    def _gathered(self, watch: ZoneWatch, old: Look, new: Look, bare: PileSeen) -> list[Observation]:
        """Remember a spit pile that was picked up whole; tell of the hands that slapped it before."""
        lifted = self._lifted(watch, old, new)
        watch.stack.clear()
        slaps = self._slaps_before(watch, lifted.lifted.start_us)
        handled = PileHandled(
            handling=Handling.GATHERED,
            pile=lifted.pile,
            touch=lifted.lifted,
            seat=lifted.seat,
            seat_confidence=1.0 if lifted.seat is not None else 0.0,
            resolution_us=self._resolution_us,
            confidence=lifted.confidence,
            evidence=lifted.evidence,
        )
        wait_us = TAKEN_WAIT_US if self._packets(lifted.seat) else 0
        self._gatherings.append(_Gathering(handled, bare, lifted.lifted.end_us + wait_us))
        return [*slaps, *self._laid_down()]

    def _laid_down(self) -> list[Observation]:
        """The spit piles that have come to lie on a packet of spit cards."""
        told: list[Observation] = []
        for gathering in list(self._gatherings):
            found = self._laid_on(gathering.handled)
            if found is not None:
                self._gatherings.remove(gathering)
                told += [found, gathering.bare]
        return told

    def _laid_on(self, handled: PileHandled) -> PileHandled | None:
        """The gathering with where its cards came to. None: no packet has changed since."""
        for packet in self._packets(handled.seat):
            changes = [c for c in self._stock_changes[packet] if not c.is_told]
            later = [c for c in changes if c.touch.end_us > handled.touch.start_us]
            if later:
                later[0].is_told = True
                touch = self._with_packet_slack(later[0].touch)
                frames_us = (*handled.evidence.frames_us, touch.start_us, touch.end_us)
                return replace(
                    handled,
                    target=packet,
                    seat=packet.seat,
                    touch=touch,
                    evidence=replace(handled.evidence, frames_us=frames_us),
                )
        return None

    def _with_packet_slack(self, touch: Interval) -> Interval:
        """A packet touches with its lowest card; what is seen to come to rest is its highest."""
        slack_us = round(self._settings.packet_slack_periods * self._history.period_us)
        return Interval(touch.start_us - slack_us, touch.end_us)

    def _gathered_by(self, t_us: int | None) -> list[Observation]:
        """The gathered piles that were not seen to be laid down in time; with None all."""
        due = [each for each in self._gatherings if t_us is None or t_us >= each.deadline_us]
        self._gatherings = [each for each in self._gatherings if each not in due]
        return [told for each in due for told in (each.handled, each.bare)]

    def _is_somebody_out(self) -> bool:
        """Whether all stock piles of a seat lie bare."""
        for place in self._table.seats:
            own = [
                w
                for w in self._watches
                if w.place.zone.is_stock_pile and w.place.zone.pile.seat is place.seat
            ]
            if own and all(w.look is not None and w.look.reading.is_empty for w in own):
                return True
        return False

    def _slaps_before(self, watch: ZoneWatch, until_us: int) -> list[Observation]:
        """Hands that came to rest on a spit pile and had gone again before it was picked up."""
        if not self._is_somebody_out():
            return []
        zone = watch.place.zone
        hands = self._hands_over(zone.polygon_mm, Interval(watch.since_us, max(watch.since_us, until_us)))
        times_us = np.array(hands.times_us)
        return [
            self._slapped(zone.pile, rest)
            for rest in rests(hands, zone.box_mm, self._settings)
            if bool((hands.area_mm2[times_us > rest.touch.end_us, rest.seat] == 0).any())
        ]

    def _slapped(self, pile: PileId, rest: Rest) -> PileHandled:
        touched = self._hand_touched(pile, rest)
        late_us = round(self._settings.slap_slack_periods * self._history.period_us)
        return PileHandled(
            handling=Handling.SLAPPED,
            pile=pile,
            touch=Interval(touched.touch.start_us, touched.touch.end_us + late_us),
            seat=touched.seat,
            seat_confidence=touched.confidence,
            resolution_us=touched.resolution_us,
            confidence=touched.confidence,
            evidence=touched.evidence,
        )

    def _otherwise(self, watch: ZoneWatch, old: Look, look: Look, new: Look) -> Handling | None:
        """What a look shows to have been done where no card came: turned from the stock, or turned up."""
        zone = watch.place.zone
        if look is new:
            return Handling.TURNED if self._stock_of(zone.pile) is not None else None
        return Handling.FACED_UP if zone.is_stock_pile and not old.reading.is_empty else None

    # --- hands that put nothing down and took nothing

    def _touched(self, watch: ZoneWatch, until_us: int) -> list[Observation]:
        """Hands that came to rest on a pile that lies as before; on a seat's pile only those of others.

        On a spit pile, once all stock piles of a seat lie bare, they slapped it.
        """
        zone = watch.place.zone
        hands = self._hands_over(zone.polygon_mm, Interval(watch.since_us, max(watch.since_us, until_us)))
        found = rests(hands, zone.box_mm, self._settings)
        has_cards = watch.look is not None and not watch.look.reading.is_empty
        is_slap = zone.pile.kind is PileKind.SPIT and has_cards and self._is_somebody_out()
        return [
            self._slapped(zone.pile, rest) if is_slap else self._hand_touched(zone.pile, rest)
            for rest in found
            if self._table.seats[rest.seat].seat is not zone.pile.seat
        ]

    def _hand_touched(self, pile: PileId, rest: Rest) -> HandTouched:
        slack_us = self._slack_us
        touch = Interval(rest.touch.start_us - slack_us, rest.touch.end_us + slack_us)
        return HandTouched(
            seat=self._table.seats[rest.seat].seat,
            pile=pile,
            touch=touch,
            resolution_us=self._resolution_us,
            confidence=min(rest.share, 1.0),
            evidence=Evidence(self._source_id, (rest.touch.start_us, rest.touch.end_us)),
        )

    def _hands_over(self, area_mm: NDArray[np.float32], during: Interval) -> HandsOver:
        return self._history.hands_over(area_mm, self._edges, during)

    @property
    def _slack_us(self) -> int:
        return round(self._settings.slack_periods * self._history.period_us)

    @property
    def _resolution_us(self) -> int:
        """Half a frame period."""
        return (self._history.period_us + 1) // 2

    # --- landings

    def _tell_landings(self, watch: ZoneWatch, old: Look, new: Look, change: Change, t_us: int) -> bool:
        """Tell of the cards that came, in the order of their touches, and of those that were taken back.

        Whether there were any.
        """
        is_waste = watch.place.zone.pile.kind is PileKind.WASTE  # There each look is told by itself.
        visits = [] if is_waste else self._visits(watch, old, new)
        landings = [(self._touch_of_visit(watch, old, visit), visit) for visit in visits]
        covered: tuple[Interval, Look] | None = None
        if change is Change.LANDED:
            touch = self._touch(watch, old, new, new.since_us)
            covered = self._covered(watch, old, new, touch, landings)
            landings = [*(landing for landing in landings if landing is not covered), (touch, new)]
        over: _Pending | None = None
        for touch, look in sorted(landings, key=lambda landing: landing[0].end_us):
            reach = self._reach(watch, touch)
            beneath = None
            if covered is not None and look is new:
                beneath = self._beneath_seen(new, covered)
            elif look is new and len(landings) == 1:
                beneath = self._beneath(watch, old, new, touch, reach)
            # A race brings a card equal to the last one; any other face may be a misreading under a hand,
            # and an equal one long after may be the race's other card, bared when one is taken back.
            is_odd = look.reading.top != new.reading.top
            is_late = (
                look.reading.top == old.reading.top and touch.end_us - old.since_us > self._settings.race_us
            )
            otherwise = self._otherwise(watch, old, look, new)
            is_no_race = watch.place.zone.pile.kind is not PileKind.FOUNDATION and look is not new
            pending = self._land(
                watch,
                look,
                touch,
                t_us,
                reach=reach,
                beneath=beneath,
                needs_source=is_odd or is_late or otherwise is not None or is_no_race,
                otherwise=otherwise,
            )
            pending.over = over
            stays = change is not Change.NOTHING and lies_beneath(watch.place, old, look, new, self._settings)
            over = pending if stays else None
            if look is not new and (stays is False or watch.place.zone.is_stock_pile):
                self._lift(watch, look, new, is_certain=True)
        return len(landings) > 0

    def _touch_of_visit(self, watch: ZoneWatch, old: Look, visit: Look) -> Interval:
        """When a card that lay there for a while touched.

        One that shows although no hand came just then was bared by hands that drew back: it came before.
        """
        touch = self._touch(watch, old, visit, visit.since_us)
        quad_mm = visit.reading.top_quad_mm
        is_bared = (
            watch.place.zone.pile.kind is PileKind.FOUNDATION
            and quad_mm is not None
            and not self._history.approach_shares(quad_mm, touch.end_us)
            and len(self._reach(watch, touch).seats) > 1
        )
        return Interval(touch.start_us - self._settings.race_before_us, touch.end_us) if is_bared else touch

    def _covered(
        self,
        watch: ZoneWatch,
        old: Look,
        new: Look,
        touch: Interval,
        visits: list[tuple[Interval, Look]],
    ) -> tuple[Interval, Look] | None:
        """The one card that a rival came to cover, where hands of two seats reached for the pile.

        On a foundation that is an equal card; on a spit pile it may be any.
        """
        zone = watch.place.zone
        if len(visits) != 1 or not zone.is_common:
            return None
        came, look = visits[0]
        is_before = came.end_us <= touch.end_us and touch.start_us - came.end_us <= self._settings.race_us
        is_rival = zone.pile.kind is PileKind.SPIT or look.reading.top == new.reading.top
        if not (is_rival and is_before):
            return None
        if lies_beneath(watch.place, old, look, new, self._settings) is False:
            return None
        return visits[0] if len(self._reach(watch, touch).seats) > 1 else None

    def _in_turn(self, watch: ZoneWatch, observation: Observation | None) -> list[Observation]:
        """Hold back what follows a landing of the same pile that still waits for its source."""
        if observation is None:
            return []
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
            is_known = any(_is_one_card(watch.place.zone, look, other) for other in others)
            is_known = is_known or self._shows(watch, look, old, new)
            if not is_known and self._lay_there(watch, old, look, new):
                found.append(look)
        return found

    def _look_of(self, watch: ZoneWatch, sample: Sample) -> Look | None:
        """What a sample shows. None: no legible card lies whole on top."""
        view = self._rectifier.view_of(watch.place.zone, sample.image_bgr, sample.t_us)
        reading = self._read(view)
        if reading.top is None or reading.top_quad_mm is None:
            return None
        # A card that is turned up where it lies comes under a hand that was there before, in the same place.
        zone = watch.place.zone
        is_turned = zone.is_stock_pile or zone.pile.kind is PileKind.WASTE
        under_hand = self._history.under_hand(watch.place, sample.t_us) if is_turned else None
        return Look(sample.grey, reading, sample.t_us, under_hand)

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

    def _beneath_seen(self, new: Look, covered: tuple[Interval, Look]) -> Beneath | None:
        """A card that was read as it lay there, and that an equal one covers now."""
        touch, look = covered
        above_mm, below_mm = new.reading.top_quad_mm, look.reading.top_quad_mm
        if above_mm is None or below_mm is None:
            return None
        right_mm, down_mm = (below_mm.mean(axis=0) - above_mm.mean(axis=0)).tolist()
        return Beneath(
            touch=touch,
            is_seen=True,
            shows=True,
            brought_by=self._brought_by(below_mm, touch),
            towards_mm=(right_mm, down_mm),
            card=look.reading.top,
            confidence=look.reading.confidence,
        )

    def _brought_by(self, quad_mm: NDArray[np.float32], when: Interval) -> Seat | None:
        """Whose hand alone was over a place in that time. None: nobody's, or several."""
        return self._most_of(self._history.hand_shares(quad_mm, when), self._settings.brought_share)[0]

    def _beneath(
        self, watch: ZoneWatch, old: Look, new: Look, touch: Interval, reach: _Reach
    ) -> Beneath | None:
        """A card that came with the top one and lies below it, as far as it shows, or showed before."""
        quad_mm = new.reading.top_quad_mm
        if not watch.place.zone.is_common or quad_mm is None:
            return None
        rows, columns = np.nonzero(changed_beside(watch.place, old, new))
        shows = len(rows) * watch.place.mm2_per_px >= self._settings.hidden_mm2
        if not shows and len(reach.seats) < 2:
            return None
        seen_touch = self._touch_beneath(watch, old, new, touch, shows=shows)
        if not shows and seen_touch is None:
            return None
        top_rows, top_columns = np.nonzero(watch.place.mask_of(quad_mm))
        px_mm = watch.place.mm2_per_px**0.5
        towards_mm = (0.0, 0.0)
        if shows:
            right_px, down_px = columns.mean() - top_columns.mean(), rows.mean() - top_rows.mean()
            towards_mm = (float(right_px) * px_mm, float(down_px) * px_mm)
        brought_by = None
        if seen_touch is not None:  # Of what is covered, before another hand came; else all the time.
            soon = Interval(seen_touch.start_us, seen_touch.start_us + self._history.period_us)
            brought_by = self._brought_by(quad_mm, seen_touch if shows else soon)
        beneath_touch = seen_touch or Interval(touch.start_us - TOGETHER_US, touch.end_us)
        lay_us = Interval(min(beneath_touch.start_us, touch.start_us), touch.start_us)
        card, confidence = self._face_before(watch, old, lay_us)
        return Beneath(
            touch=beneath_touch,
            is_seen=seen_touch is not None,
            shows=shows,
            brought_by=brought_by,
            towards_mm=towards_mm,
            card=card,
            confidence=confidence,
        )

    def _touch_beneath(
        self, watch: ZoneWatch, old: Look, new: Look, touch: Interval, *, shows: bool
    ) -> Interval | None:
        """When the lower card touched: by what lay there before the upper one, else by what shows of it.

        None: hands hid both.
        """
        before = Interval(min(watch.since_us, touch.start_us), touch.start_us)
        crossing = self._history.arrival_before(watch.place, old, new, before)
        if crossing.first_after_us is None and shows:
            during = Interval(touch.start_us - TOGETHER_US, max(touch.end_us, new.since_us))
            crossing = self._history.arrival_beside(watch.place, old, new, during)
        known = self._interval(watch, crossing, new)
        if crossing.first_after_us is None or known.start_us > touch.end_us:
            return None
        late_us = 0
        if not crossing.is_measured:
            late_us = round(self._settings.covered_slack_periods * self._history.period_us)
        end_us = min(
            known.end_us + late_us, touch.end_us
        )  # What lies below touched no later than what lies above.
        return Interval(min(max(touch.start_us - TOGETHER_US, known.start_us), end_us), end_us)

    def _face_before(self, watch: ZoneWatch, old: Look, when: Interval) -> tuple[Card | None, float]:
        """The face of a card that is covered now, by the samples from just before; with its confidence."""
        middle_us = when.start_us
        samples = [s for s in watch.samples if when.start_us - CONTACT_BEFORE_US <= s.t_us <= when.end_us]
        nearest = sorted(samples, key=lambda sample: abs(sample.t_us - middle_us))
        faces = []
        for sample in nearest[: self._settings.faces_read]:
            view = self._rectifier.view_of(watch.place.zone, sample.image_bgr, sample.t_us)
            seen = cards_of(self._detector.detect(view.image_bgr), view)
            faces += [card for card in seen if card.face is not None and card.name not in old.reading.faces]
        return best_face(faces, self._settings)

    def _touch(
        self, watch: ZoneWatch, old: Look, look: Look, until_us: int, *, is_turned_up: bool = False
    ) -> Interval:
        during = Interval(watch.since_us, max(watch.since_us, until_us))
        crossing = self._history.arrival(watch.place, old, look, during, is_turned_up=is_turned_up)
        return self._interval(watch, crossing, look)

    def _land(
        self,
        watch: ZoneWatch,
        new: Look,
        touch: Interval,
        settled_us: int,
        *,
        needs_source: bool,
        reach: _Reach | None = None,
        beneath: Beneath | None = None,
        otherwise: Handling | None = None,
        is_added: bool = True,
    ) -> _Pending:
        """Tell of a landing, once its source is known or has been waited for."""
        reach = reach or self._reach(watch, touch)
        is_contested = len(reach.seats) > 1
        seat, seat_confidence = self._seat_at(watch, new, touch, reach)
        if seat is None and owner_of(watch.place.zone.pile) is not None:
            seat, seat_confidence = owner_of(watch.place.zone.pile), self._settings.own_pile_confidence
        owners = self._owners(watch, new, touch, beneath, reach) if beneath is not None else None
        if owners is not None:
            seat, seat_confidence = owners.above, owners.confidence
            if beneath is not None and not is_told_by_itself(beneath, owners, reach.stops):
                owners = None
        landed = CardLanded(
            pile=watch.place.zone.pile,
            card=new.reading.top,
            touch=touch,
            settled_us=settled_us,
            seat=seat,
            seat_confidence=seat_confidence,
            source=None,
            confidence=new.reading.confidence,
            resolution_us=self._resolution_us,
            evidence=Evidence(self._source_id, (touch.start_us, touch.end_us, settled_us)),
        )
        if is_added:
            self._stack(watch, new, beneath if owners is not None else None)
        pending = _Pending(
            landed=landed,
            deadline_us=settled_us + self._settings.source_wait_us,
            since_us=watch.since_us,
            rested_us=max(new.since_us, touch.end_us),
            needs_source=needs_source,
            otherwise=otherwise,
            gone=None,
            beneath=beneath,
            owners=owners,
            is_contested=is_contested,
            is_disputed=owners is None and self._is_disputed(watch.place.zone.pile, touch, seat, reach),
        )
        self._pending.append(pending)
        return pending

    @staticmethod
    def _is_disputed(pile: PileId, touch: Interval, seat: Seat | None, reach: _Reach) -> bool:
        """Whether another seat's fingers were at rest on a foundation before a card surely lay there."""
        if pile.kind is not PileKind.FOUNDATION:
            return False
        return any(stop.end_us <= touch.end_us for other, stop in reach.stops.items() if other is not seat)

    @staticmethod
    def _stack(watch: ZoneWatch, new: Look, beneath: Beneath | None) -> None:
        """Remember what has come to lie on a pile."""
        watch.stack += [new.reading.top] if beneath is None else [beneath.card, new.reading.top]
        del watch.stack[:-STACK_KEPT]

    def _reach(self, watch: ZoneWatch, touch: Interval) -> _Reach:
        """Whose fingers reached for a pile about the time of a touch, and when they stopped there."""
        zone = watch.place.zone
        settings = self._settings
        when = Interval(touch.start_us - settings.race_before_us, touch.end_us + CONTACT_AFTER_US)
        left, top, right, bottom = zone.box_mm
        reach_mm = settings.reach_mm
        box_mm = (left - reach_mm, top - reach_mm, right + reach_mm, bottom + reach_mm)
        hands = self._hands_over(zone.polygon_mm, when)
        seats = self._table.seats
        return _Reach(
            seats=tuple(seats[seat].seat for seat in hands.reached(box_mm, settings)),
            stops={seats[rest.seat].seat: rest.touch for rest in rests(hands, box_mm, settings)},
        )

    def _fingers_mm(
        self, watch: ZoneWatch, new: Look, touch: Interval, rivals: Sequence[Seat]
    ) -> dict[Seat, float]:
        """How far towards each seat's edge fingers lie on a card that has just touched; empty: none do."""
        after = Interval(touch.end_us, touch.end_us + self._settings.finger_after_us)
        found_mm = self._history.fingers_over(watch.place, new, after)
        if found_mm is None:
            return {}
        edges = {seat: edge for seat in rivals if (edge := self._table.edge_of(seat)) is not None}
        towards = {seat: TOWARDS[edge] for seat, edge in edges.items()}
        return {seat: x * found_mm[0] + y * found_mm[1] for seat, (x, y) in towards.items()}

    def _owners(
        self, watch: ZoneWatch, new: Look, touch: Interval, beneath: Beneath, reach: _Reach
    ) -> Owners | None:
        """Whose the two cards are. None: no two seats reached for the pile."""
        rivals = reach.seats
        if len(rivals) != 2 or new.reading.top_quad_mm is None:
            return NOBODY_KNOWN if len(rivals) > 2 else None
        first, second = rivals
        is_apart = beneath.touch.end_us < touch.start_us
        edges = {seat: edge for seat in rivals if (edge := self._table.edge_of(seat)) is not None}
        signs = Signs(
            seats=(first, second),
            fingers_mm=self._fingers_mm(watch, new, touch, rivals),
            stops=reach.stops,
            grew_above=self._grown(
                new.reading.top_quad_mm, touch.end_us, beneath.touch.end_us if is_apart else None
            ),
            grew_below=self._grown(new.reading.top_quad_mm, beneath.touch.end_us) if is_apart else {},
            leans_mm={seat: lean_mm(beneath, edge) for seat, edge in edges.items()},
            is_apart=is_apart,
        )
        return owners_of(signs, self._settings)

    def _grown(
        self, quad_mm: NDArray[np.float32], contact_us: int, since_us: int | None = None
    ) -> dict[Seat, float]:
        shares = self._history.approach_shares(quad_mm, contact_us, since_us)
        return {self._table.seats[i].seat: share for i, share in shares.items()}

    def _lift(self, watch: ZoneWatch, old: Look, new: Look, *, is_certain: bool) -> list[Observation]:
        """Remember a lift, and tell of it if it is one for certain, and has not been told."""
        lift = self._remember_lift(watch, old, new, is_certain=is_certain)
        if not is_certain:
            watch.stack[:] = [new.reading.top]
            return []
        if watch.stack:
            watch.stack.pop()
        if not new.reading.is_empty and (not watch.stack or watch.stack[-1] != new.reading.top):
            watch.stack[:] = [new.reading.top]
        return self._in_turn(watch, lift.observation) if lift in self._lifts else []

    def _remember_lift(self, watch: ZoneWatch, old: Look, new: Look, *, is_certain: bool) -> Lift:
        """Remember a lift, unless its card is known to have come elsewhere."""
        lift = Lift(self._lifted(watch, old, new), is_certain, self._together(watch, old, new))
        if self._foretold.pop(watch.place.zone.pile, None) == lift.observation.card:
            self._claimed.append(lift.observation)
        else:
            self._lifts.append(lift)
        return lift

    def _lifted(self, watch: ZoneWatch, old: Look, new: Look) -> CardLifted:
        """The lift of the top that an old look showed."""
        during = Interval(watch.since_us, max(watch.since_us, new.since_us))
        crossing = self._history.departure(watch.place, old, new, during)
        start_us = crossing.last_before_us if crossing.last_before_us is not None else watch.since_us
        end_us = crossing.first_after_us if crossing.first_after_us is not None else new.since_us
        lifted = Interval(start_us, max(start_us, end_us))
        quad_mm = old.reading.top_quad_mm
        around = Interval(start_us, start_us) if crossing.last_before_us is not None else lifted
        seat, _ = self._seat_over(quad_mm, around) if quad_mm is not None else (None, 0.0)
        return CardLifted(
            pile=watch.place.zone.pile,
            card=old.reading.top,
            lifted=lifted,
            seat=seat if seat is not None else owner_of(watch.place.zone.pile),
            confidence=old.reading.confidence,
            evidence=Evidence(self._source_id, (lifted.start_us, lifted.end_us)),
        )

    def _together(self, watch: ZoneWatch, old: Look, new: Look) -> tuple[Card | None, ...]:
        """The cards of a run that left a work pile at once; empty for one card."""
        towards = self._towards(watch.place.zone)
        if towards is None or watch.place.zone.pile.kind is not PileKind.TABLEAU:
            return ()
        gone = cards_gone(old.reading, new.reading, towards)
        return gone if len(gone) > 1 else ()

    def _interval(self, watch: ZoneWatch, crossing: Crossing, new: Look) -> Interval:
        """The touch, as far as the frames tell: at the widest from before the disturbance to rest."""
        if (
            crossing.is_measured
            and crossing.last_before_us is not None
            and crossing.first_after_us is not None
        ):
            return Interval(crossing.last_before_us, crossing.first_after_us)
        start_us = crossing.last_before_us if crossing.last_before_us is not None else watch.since_us
        end_us = crossing.first_after_us if crossing.first_after_us is not None else new.since_us
        late_us = round(self._settings.unseen_slack_periods * self._history.period_us)
        return Interval(min(start_us, end_us) - self._slack_us, end_us + late_us)

    def _seat_at(
        self, watch: ZoneWatch, look: Look, touch: Interval, reach: _Reach
    ) -> tuple[Seat | None, float]:
        """Who brought the card: whose fingers lie on it, where two seats reached for the pile.

        Else the hand that came; where none came just then, the one that was there.
        """
        quad_mm = look.reading.top_quad_mm
        if quad_mm is None:
            return None, 0.0
        is_contested = len(reach.seats) > 1
        if is_contested:
            holding = seat_holding(self._fingers_mm(watch, look, touch, reach.seats), self._settings)
            if holding is not None:
                return holding, self._settings.finger_confidence
        least = self._settings.race_share if is_contested else self._settings.seat_share
        shares = self._history.approach_shares(quad_mm, touch.end_us)
        if shares:
            return self._most_of(shares, least)
        around = Interval(touch.end_us - CONTACT_BEFORE_US, touch.end_us + CONTACT_AFTER_US)
        return self._most_of(self._history.hand_shares(quad_mm, around), least)

    def _seat_over(self, quad_mm: NDArray[np.float32], when: Interval) -> tuple[Seat | None, float]:
        """Whose hand was over a place most of the time, with its share of all hands there."""
        return self._most_of(self._history.hand_shares(quad_mm, when), self._settings.seat_share)

    def _most_of(self, shares: dict[int, float], least: float) -> tuple[Seat | None, float]:
        best = max(shares, key=lambda seat: shares[seat], default=None)
        if best is None or shares[best] < least:
            return None, 0.0
        return self._table.seats[best].seat, shares[best]

    # --- landings and their sources

    def _release(self, t_us: int | None) -> list[Observation]:
        """The landings whose source is known or no longer waited for; with None all of them."""
        told: list[Observation] = []
        waiting: list[_Pending] = []
        held: set[PileId] = set()
        done: set[int] = set()
        for pending in self._pending:
            if id(pending) in done:
                continue
            pile = pending.landed.pile
            lifts = self._lifts_for(pending)
            is_pair = pending.owners is not None and len(lifts) > 1
            is_known = bool(lifts) and pending.beneath is None and not self._may_miss_rival(pending)
            is_complete = is_pair or is_known
            if pile in held or not (is_complete or self._is_due(pending, t_us)):
                waiting.append(pending)
                held.add(pile)
                continue
            done.add(id(pending))
            for turned in self._turned_before(pending, lifts):
                if id(turned) not in done:
                    told += self._with_sources(turned, self._lifts_for(turned))
                    done.add(id(turned))
            told += self._with_sources(pending, self._lifts_for(pending))
        self._pending = [pending for pending in waiting if id(pending) not in done]
        return [*told, *self._gathered_by(t_us)]

    def _turned_before(self, pending: _Pending, lifts: list[Lift]) -> list[_Pending]:
        """What still waits of the stock pile that a card came from: it was turned up there first."""
        sources = {lift.observation.pile for lift in lifts}
        return [
            other
            for other in self._pending
            if other.otherwise is Handling.FACED_UP
            and other.landed.pile in sources
            and other.landed.card == pending.landed.card
        ]

    def _is_due(self, pending: _Pending, t_us: int | None) -> bool:
        if t_us is None:
            return True
        if pending.gone is not None:
            if self._may_still_land(pending.gone):
                return False
            return self._is_taken(pending) or t_us >= pending.gone.observation.lifted.end_us + TAKEN_WAIT_US
        return t_us >= pending.deadline_us or self._is_calm()

    def _may_still_land(self, gone: Lift) -> bool:
        """Whether a landing that still waits may be of a card that lay on a waste."""
        lifted = gone.observation
        return any(
            other.landed.card == lifted.card
            and other.landed.pile != lifted.pile
            and lifted.lifted.start_us < other.landed.touch.end_us
            for other in self._pending
        )

    def _is_calm(self) -> bool:
        """Whether every pile is at rest: no lift can come any more."""
        return all(watch.phase is Phase.STILL for watch in self._watches)

    def _lifts_for(self, pending: _Pending) -> list[Lift]:
        """The lift that brought the card; where another may lie below, the other seat's equal card too."""
        landed, beneath, owners = pending.landed, pending.beneath, pending.owners
        card: Card | None = landed.card
        if card is None:
            return []
        if beneath is not None and owners is not None:
            return self._lifts_of_both(landed, card, beneath, owners)
        own = self._own_lift(pending, card)
        if own is None or beneath is None:
            return [own] if own is not None else []
        others = [lift for lift in self._equal_lifts(landed, card) if lift.owner is not own.owner]
        return [own, *others][:2]

    def _lifts_of_both(self, landed: CardLanded, card: Card, beneath: Beneath, owners: Owners) -> list[Lift]:
        """The lifts of two seats' cards; nothing where it is not known whose card lies above."""
        if owners.above is None or owners.below is None:
            return []
        above = self._source_of(landed, card, owners.above)
        lower = replace(landed, touch=beneath.touch)
        if beneath.card is None and landed.pile.kind is PileKind.SPIT:
            below = self._last_lift_of(lower, owners.below)
        else:
            below = self._source_of(lower, beneath.card or card, owners.below)
        both = [lift for lift in (above, below) if lift is not None]
        return both[:1] if above is below else both

    def _last_lift_of(self, landed: CardLanded, seat: Seat) -> Lift | None:
        """What a seat lifted last before a touch: on a spit pile no card is equal to its rival."""
        own = [lift.observation.card for lift in self._lifts if lift.owner is seat]
        others = [card for card in own if card not in {None, landed.card}]
        found = [self._source_of(landed, card, seat) for card in others if card is not None]
        lifts = [lift for lift in found if lift is not None]
        return max(lifts, key=lambda lift: lift.observation.lifted.start_us, default=None)

    def _claim(self, lift: Lift) -> None:
        """The card of a lift is known to have come elsewhere."""
        if lift in self._lifts:
            self._lifts.remove(lift)
        elif lift.observation.card is not None:
            self._foretold[lift.observation.pile] = lift.observation.card
        if self._emptied.get(lift.observation.pile) == lift.observation.lifted:
            del self._emptied[lift.observation.pile]  # By a play: it was not picked up to be the stock.
        self._claimed.append(lift.observation)

    def _own_lift(self, pending: _Pending, card: Card) -> Lift | None:
        """The lift that can have brought a card; none if two seats lifted an equal one and no hand tells.

        Spit is played with one pack: there a card tells by itself whose it was.
        """
        landed = pending.landed
        if landed.pile.kind is PileKind.SPIT:
            return self._source_of(landed, card, None)
        if landed.seat is None and len({lift.owner for lift in self._equal_lifts(landed, card)}) > 1:
            return None
        return self._source_of(landed, card, landed.seat)

    def _equal_lifts(self, landed: CardLanded, card: Card) -> list[Lift]:
        """Of each seat the lift of an equal card that can have come here."""
        lifts = (self._source_of(landed, card, place.seat) for place in self._table.seats)
        return [lift for lift in lifts if lift is not None]

    def _source_of(self, landed: CardLanded, card: Card, seat: Seat | None) -> Lift | None:
        carry_us = self._settings.carry_us
        return source_among(
            self._lifts, landed.pile, card=card, seat=seat, touch=landed.touch, carry_us=carry_us
        )

    def _with_sources(self, pending: _Pending, lifts: list[Lift]) -> list[Observation]:
        landed = pending.landed
        if pending.beneath is not None and len(lifts) == 1:
            hidden = self._all_under_hands(landed)
            if pending.beneath.card not in {None, landed.card}:
                hidden += self._all_under_hands(
                    replace(landed, card=pending.beneath.card, touch=pending.beneath.touch)
                )
            lifts += [lift for lift in hidden if lift.owner is not lifts[0].owner][:1]
        if pending.beneath is not None and (pending.owners is not None or len(lifts) > 1):
            return self._both(pending, lifts)
        lifts = lifts or self._lifts_under_hands(landed)
        if not lifts and pending.needs_source:
            return [*self._handled(pending), *self._without_lifts(pending.after)]
        lifted: list[Observation] = []
        told: CardLanded | CardsCarried = landed
        if lifts:
            self._claim(lifts[0])
            lifted = [] if lifts[0].is_certain else [lifts[0].observation]
            told = _from(landed, lifts[0])
        else:
            told = self._from_packet(pending, self._unless_missing(pending))
            self._from_nowhere.append(told)
        missing = self._missing_rivals(pending, told)
        lifted += [lift.observation for lift in missing if not lift.is_certain]
        for lift in missing:
            self._claim(lift)
        if pending.is_disputed or missing:
            told = replace(told, seat=None, seat_confidence=0.0)
        pending.told = told if isinstance(told, CardLanded) else None
        return [*lifted, told, *_order_of(pending), *pending.after]

    def _lifts_under_hands(self, landed: CardLanded) -> list[Lift]:
        """The lift from a pile that showed the card when it was last at rest, and has not come to rest since.

        A seat has one of each card; so where hands still lie on that pile, it is not there any more.
        """
        seat = None if landed.pile.kind is PileKind.SPIT else landed.seat
        lifts = [lift for lift in self._all_under_hands(landed) if seat in {None, lift.owner}]
        return lifts if len(lifts) == 1 else []

    def _all_under_hands(self, landed: CardLanded) -> list[Lift]:
        """The lifts from piles under hands that showed the card and are not known to have lost it."""
        piles = [w for w in self._watches if self._foretold.get(w.place.zone.pile) != landed.card]
        lifts = (_lift_under_hand(watch, landed) for watch in piles)
        return [lift for lift in lifts if lift is not None]

    def _missing_rivals(self, pending: _Pending, told: CardLanded | CardsCarried) -> list[Lift]:
        """Lifts of equal cards by other seats that reached for the foundation, and were not seen to land.

        Such a card lies under the one that was seen: it came too soon before it to be seen.
        """
        landed = pending.landed
        is_told = told.source is not None and told.seat is not None
        if not (is_told and pending.is_contested and landed.pile.kind is PileKind.FOUNDATION):
            return []
        equal = self._equal_lifts(landed, landed.card) if landed.card is not None else []
        equal += self._all_under_hands(landed)
        elsewhere = {each.landed.seat for each in self._pending if _is_equal_elsewhere(each.landed, landed)}
        return [lift for lift in equal if lift.owner not in {None, told.seat, *elsewhere}]

    def _may_miss_rival(self, pending: _Pending) -> bool:
        """Whether an equal card of a seat that reached for the foundation may be gone from under a hand."""
        landed = pending.landed
        if not pending.is_contested or landed.pile.kind is not PileKind.FOUNDATION:
            return False
        return any(lift.owner is not landed.seat for lift in self._all_under_hands(landed))

    def _unless_missing(self, pending: _Pending) -> CardLanded:
        """A landing without a source; its hand is not believed where another seat's equal card is missing."""
        landed = pending.landed
        others = self._equal_lifts(landed, landed.card) if landed.card is not None else []
        is_missing = any(lift.is_certain and lift.owner is not landed.seat for lift in others)
        if pending.is_contested and is_missing:
            return replace(landed, seat=None, seat_confidence=0.0)
        return landed

    def _both(self, pending: _Pending, lifts: list[Lift]) -> list[Observation]:
        """Two cards that came together, each with its source, and the order in which they lie."""
        landed, beneath = pending.landed, pending.beneath
        assert beneath is not None
        owners = pending.owners or self._owners_by_side(lifts, beneath)
        above = replace(landed, seat=owners.above, seat_confidence=owners.confidence)
        below = below_of(landed, beneath, owners)
        for lift in lifts:
            self._claim(lift)
            if lift.owner is owners.above:
                above = replace(above, source=lift.observation.pile)
            else:
                below = _named_by(replace(below, source=lift.observation.pile), lift)
        self._from_nowhere += [landing for landing in (below, above) if landing.source is None]
        lifted = [lift.observation for lift in lifts if not lift.is_certain]
        apart_us = landed.touch.start_us - beneath.touch.end_us
        # Of cards that came together the lower one is no more the first: which slid under which is chance.
        is_apart = beneath.is_seen and apart_us >= self._history.period_us
        order = [order_at_rest(below, above, pending.rested_us)] if is_apart else []
        return [*lifted, below, above, *order, *pending.after]

    def _owners_by_side(self, lifts: list[Lift], beneath: Beneath) -> Owners:
        """Of two that came together: a card lies nearer its player."""

        def reach_mm(lift: Lift) -> float:
            edge = self._table.edge_of(lift.owner) if lift.owner is not None else None
            return lean_mm(beneath, edge) if edge is not None else 0.0

        above, below = sorted(lifts, key=reach_mm)
        return Owners(above.owner, below.owner, self._settings.lean_confidence)

    def _without_lifts(self, told: tuple[Observation, ...]) -> list[Observation]:
        """What followed a landing that is not told: its card's lift is told only when it lands elsewhere."""
        untold = [o for o in told if isinstance(o, CardLifted)]
        for i, lift in enumerate(self._lifts):
            if any(lift.observation is o for o in untold):
                self._lifts[i] = replace(lift, is_certain=False)
        return [o for o in told if not isinstance(o, CardLifted)]


def _lift_under_hand(watch: ZoneWatch, landed: CardLanded) -> Lift | None:
    """The lift of a landed card from a pile under hands: some time since they came. None: not from there."""
    zone, look = watch.place.zone, watch.look
    if landed.card is None or look is None or look.reading.top != landed.card or watch.phase is Phase.STILL:
        return None
    owner, since_us = owner_of(zone.pile), watch.disturbed_us
    if owner is None or zone.pile == landed.pile or since_us >= landed.touch.end_us:
        return None
    lifted = Interval(since_us, max(since_us, landed.touch.start_us))
    evidence = replace(landed.evidence, frames_us=(lifted.start_us, lifted.end_us))
    observation = CardLifted(
        pile=zone.pile,
        card=landed.card,
        lifted=lifted,
        seat=owner,
        confidence=look.reading.confidence,
        evidence=evidence,
    )
    return Lift(observation, is_certain=False)


def _is_equal_elsewhere(other: CardLanded, landed: CardLanded) -> bool:
    """Whether an equal card came to another pile."""
    return other.card == landed.card and other.pile != landed.pile


def _laid_down_at(change: _StockChange, emptied: Interval, next_turn_us: int | None) -> Interval:
    """When a waste that was picked up as the stock changed was laid down as the stock.

    Where the stock changed again under the same hand, as cards are turned from it to the waste, it is known
    only to have been soon after.
    """
    latest_us = emptied.end_us + TURNED_OVER_US
    if next_turn_us is not None:
        latest_us = min(latest_us, next_turn_us)
    elif emptied.start_us <= change.touch.end_us and change.touch.start_us <= latest_us:
        return change.touch
    return Interval(emptied.start_us, max(emptied.end_us, min(latest_us, change.during.end_us)))


def _is_sampled(zone: Zone) -> bool:
    """Whether cards come and go on a pile within one reach of a hand."""
    return zone.is_common or zone.is_stock_pile or zone.pile.kind is PileKind.WASTE


def _is_one_card(zone: Zone, look: Look, other: Look) -> bool:
    """Whether what lay there for a while is a card that another look shows.

    Spit has one pack, so a face that was seen before is that card; and a back is turned up where it lies.
    Cards of a waste lie one on another in one place: there a face that was read well is believed.
    """
    if zone.pile.kind is PileKind.SPIT or zone.is_stock_pile:
        is_read_otherwise = other.reading.face_up and is_same_place(look, other)
        return is_read_otherwise or look.reading.top == other.reading.top
    if zone.pile.kind is PileKind.WASTE:
        is_sure = look.reading.confidence >= WELL_READ and other.reading.confidence >= WELL_READ
        return look.reading.top == other.reading.top or (is_same_place(look, other) and not is_sure)
    return is_same_place(look, other)


def _is_gathered(watch: ZoneWatch, new: Look) -> bool:
    """Whether a spit pile was picked up whole: it lies bare, and is not known to have held one card only."""
    was_one_card = watch.look_below is not None and watch.look_below.reading.is_empty
    return watch.place.zone.pile.kind is PileKind.SPIT and new.reading.is_empty and not was_one_card


def worth_reading(watch: ZoneWatch, old: Look, new: Look) -> list[Sample]:
    """Of a disturbed pile's samples those that show something that stayed, and is gone or covered since.

    Of each row of such samples one from the middle of those that show about the most of it: at its ends the
    card was still moved, or already taken.
    """
    settings = watch.settings
    samples = [sample for sample in watch.samples if watch.since_us < sample.t_us < new.since_us]
    rows: list[list[tuple[int, Sample]]] = [[]]
    for before, sample in pairwise(samples):
        cells = persistent_cells(before.grey, sample.grey, (old.grey, new.grey), watch.place.mask, settings)
        if cells >= settings.persistent_cells:
            rows[-1].append((cells, sample))
        elif rows[-1]:
            rows.append([])
    # What lies for visit_us shows in so many pairs of samples at least.
    pairs = max(1, settings.visit_us // settings.sample_us - 1)
    best = [_middle_of_the_most(row) for row in rows if len(row) >= pairs]
    most = sorted(best, key=lambda scored: -scored[0])[: settings.samples_read]
    return sorted((sample for _, sample in most), key=lambda sample: sample.t_us)


def _middle_of_the_most(row: Sequence[tuple[int, Sample]]) -> tuple[int, Sample]:
    most = max(cells for cells, _ in row)
    about_the_most = [scored for scored in row if scored[0] >= ABOUT_THE_MOST * most]
    return about_the_most[len(about_the_most) // 2]


def is_telling(reading: Reading) -> bool:
    """Whether a reading shows what lies there: else a hand may rest there unseen, and the last one holds."""
    return reading.is_empty or reading.top_quad_mm is not None


def _order_of(pending: _Pending) -> list[Observation]:
    """The order at rest of a card and the one that came just before it, where that lies below."""
    below = pending.over.told if pending.over is not None else None
    if below is None or pending.told is None:
        return []
    return [order_at_rest(below, pending.told, pending.rested_us)]


def _named_by(landed: CardLanded, lift: Lift) -> CardLanded:
    """A landing whose face, where it was not read, is that of the card that was lifted."""
    if landed.card is not None:
        return landed
    return replace(landed, card=lift.observation.card, confidence=lift.observation.confidence)


def _from(landed: CardLanded, lift: Lift) -> CardLanded | CardsCarried:
    """The landing with its source; the source's owner where the hands do not tell the seat.

    On a spit pile the owner in any case: nobody plays another's cards.
    """
    is_told_by_owner = landed.pile.kind is PileKind.SPIT and lift.owner is not landed.seat
    if lift.owner is not None and (landed.seat is None or is_told_by_owner):
        landed = replace(landed, seat=lift.owner, seat_confidence=lift.observation.confidence)
    if not lift.cards or landed.pile.kind in COMMON:  # One card a play
        return replace(landed, source=lift.observation.pile)
    return CardsCarried(
        pile=landed.pile,
        cards=lift.cards,
        place=CarryPlace.TOP,
        source=lift.observation.pile,
        lifted=lift.observation.lifted,
        touch=landed.touch,
        settled_us=landed.settled_us,
        seat=landed.seat,
        seat_confidence=landed.seat_confidence,
        confidence=landed.confidence,
        resolution_us=landed.resolution_us,
        evidence=landed.evidence,
    )
