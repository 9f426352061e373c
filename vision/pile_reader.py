"""What a pile shows at rest, and in the pictures that were kept of it while it was disturbed."""

import numpy as np
from numpy.typing import NDArray

from models.detections import CardDetector
from referee.cards import Card
from referee.clock import Interval
from referee.piles import PileKind
from vision.calibrated import CalibratedTable
from vision.frames import Frame
from vision.readings import OUTLINE_CONFIDENCE, Reading, best_face, cards_of, read_pile
from vision.rectify import ZoneView
from vision.settle import Look, Sample, ZoneWatch
from vision.table import Zone
from vision.touch import Patch, compare
from vision.visits import is_one_card, worth_reading
from vision.watched import WatchedTable

COVERED_BEFORE_US = 100_000
"""A covered card's face is looked for from so long before its touch on: a hand holds it over its place."""


class PileReader:
    """Reads piles, with the detector, where the table lies now."""

    def __init__(self, watched: WatchedTable, calibrated: CalibratedTable, detector: CardDetector) -> None:
        self._watched = watched
        self._calibrated = calibrated
        self._detector = detector

    def sample(self, watch: ZoneWatch, frame: Frame, grey: NDArray[np.uint8]) -> Sample:
        """A picture of a disturbed pile, to be read later. grey: its box of the watched picture, a copy."""
        return Sample(frame.t_us, grey, self._view(watch.place.zone, frame).image_bgr)

    def read(self, zone: Zone, frame: Frame) -> Reading:
        """What a pile shows in a frame."""
        return self._read(self._view(zone, frame))

    def visits(self, watch: ZoneWatch, old: Look, new: Look) -> list[Look]:
        """Cards that lay on a pile for a while, and were covered or taken back before it settled."""
        found: list[Look] = []
        for sample in worth_reading(watch, old, new):
            look = self._look_of(watch, sample)
            if look is None:
                continue
            others = (old, new, *found)
            is_known = any(is_one_card(watch.place.zone, look, other) for other in others)
            is_known = is_known or self._shows(watch, look, old, new)
            if not is_known and self._lay_there(watch, old, look, new):
                found.append(look)
        return found

    def face_in(self, watch: ZoneWatch, old: Look, when: Interval) -> tuple[Card | None, float]:
        """The face of a card that is covered now, by the samples from just before; with its confidence."""
        earliest_us = when.start_us - COVERED_BEFORE_US
        samples = [s for s in watch.samples if earliest_us <= s.t_us <= when.end_us]
        nearest = sorted(samples, key=lambda sample: abs(sample.t_us - when.start_us))
        faces = []
        for sample in nearest[: self._watched.settings.faces_read]:
            view = self._view_of(watch.place.zone, sample)
            seen = cards_of(self._detector.detect(view.image_bgr), view)
            faces += [card for card in seen if card.face is not None and card.name not in old.reading.faces]
        return best_face(faces, self._watched.settings)

    def _view(self, zone: Zone, frame: Frame) -> ZoneView:
        return self._calibrated.rectifier.read_view(zone, frame.picture, frame.t_us)

    def _view_of(self, zone: Zone, sample: Sample) -> ZoneView:
        return self._calibrated.rectifier.view_of(zone, sample.image_bgr, sample.t_us)

    def _read(self, view: ZoneView) -> Reading:
        return read_pile(view, self._detector, self._watched.towards(view.zone), self._watched.settings)

    def _look_of(self, watch: ZoneWatch, sample: Sample) -> Look | None:
        """What a sample shows. None: no legible card lies whole on top."""
        zone = watch.place.zone
        reading = self._read(self._view_of(zone, sample))
        if reading.top is None or reading.top_quad_mm is None:
            return None
        # A card that is turned up where it lies comes under a hand that was there before, in the same place.
        is_turned = zone.is_stock_pile or zone.pile.kind is PileKind.WASTE
        under_hand = self._watched.history.under_hand(watch.place, sample.t_us) if is_turned else None
        return Look(sample.grey, reading, sample.t_us, under_hand)

    def _shows(self, watch: ZoneWatch, look: Look, old: Look, new: Look) -> bool:
        """Whether a sample that was read as the final card, elsewhere, shows that card in its final place.

        Half hidden by a hand, a card is found a few millimetres from where it lies.
        """
        quad_mm = new.reading.top_quad_mm
        if look.reading.top != new.reading.top or quad_mm is None:
            return False
        mask, settings = watch.place.mask_of(quad_mm), self._watched.settings
        shown = compare([Patch(look.since_us, look.grey)], old.grey, new.grey, mask, settings).later[0]
        return bool(shown >= settings.shown_share)

    def _lay_there(self, watch: ZoneWatch, old: Look, look: Look, new: Look) -> bool:
        """Whether a card lay on the pile, and was not only held over it: nobody holds that still."""
        during = Interval(watch.since_us, new.since_us)
        lay_us = self._watched.history.time_in_place_us(watch.place, old, look, during)
        return lay_us >= self._watched.settings.visit_us


def is_final(watch: ZoneWatch, reading: Reading) -> bool:
    """Whether to believe a reading: a pile that had cards is looked at twice before it is empty.

    So is one that showed a face, before a back is believed there that is no surer than by its outline.
    """
    last = watch.look.reading if watch.look is not None else None
    had_cards = last is not None and not last.is_empty
    had_face = last is not None and last.face_up
    is_outline = not reading.face_up and reading.confidence <= OUTLINE_CONFIDENCE
    is_doubtful = (reading.is_empty and had_cards) or (is_outline and had_face)
    return reading.is_sure and not (is_doubtful and watch.tries == 0)


def is_telling(reading: Reading) -> bool:
    """Whether a reading shows what lies there: else a hand may rest there unseen, and the last one holds."""
    return reading.is_empty or reading.top_quad_mm is not None
