"""Cards that lay on a pile only for a while: which pictures to read for them, and which are one card."""

from collections.abc import Sequence
from itertools import pairwise

from referee.piles import PileKind
from vision.changes import is_same_place
from vision.settle import Look, Sample, ZoneWatch
from vision.table import Zone
from vision.touch import persistent_cells

WELL_READ_CONFIDENCE = 0.9
"""A face that was read under a hand with so much confidence is believed over the same place's other face."""

ABOUT_THE_MOST_SHARE = 0.7
"""Samples with so much of the cells that the one with the most shows: fingers move over a card at rest."""


def is_sampled(zone: Zone) -> bool:
    """Whether cards come and go on a pile within one reach of a hand."""
    return zone.is_common or zone.is_stock_pile or zone.pile.kind is PileKind.WASTE


def worth_reading(watch: ZoneWatch, old: Look, new: Look) -> list[Sample]:
    """Of a disturbed pile's samples those that show something that stayed, and is gone or covered since.

    Of each row of such samples one from the middle of those that show about the most of it: at its ends the
    card was still moved, or already taken.
    """
    settings = watch.settings
    # What lies for visit_us shows in so many pairs of samples at least.
    pairs = max(1, settings.visit_us // settings.sample_us - 1)
    best = [_middle_of_the_most(row) for row in _rows_that_stay(watch, old, new) if len(row) >= pairs]
    most = sorted(best, key=lambda scored: -scored[0])[: settings.samples_read]
    return sorted((sample for _, sample in most), key=lambda sample: sample.t_us)


def _rows_that_stay(watch: ZoneWatch, old: Look, new: Look) -> list[list[tuple[int, Sample]]]:
    """Samples in rows through which something stays that neither look shows, each with how many cells."""
    settings = watch.settings
    samples = [sample for sample in watch.samples if watch.since_us < sample.t_us < new.since_us]
    rows: list[list[tuple[int, Sample]]] = [[]]
    for before, sample in pairwise(samples):
        cells = persistent_cells(before.grey, sample.grey, (old.grey, new.grey), watch.place.mask, settings)
        if cells >= settings.persistent_cells:
            rows[-1].append((cells, sample))
        elif rows[-1]:
            rows.append([])
    return rows


def _middle_of_the_most(row: Sequence[tuple[int, Sample]]) -> tuple[int, Sample]:
    most = max(cells for cells, _ in row)
    about_the_most = [scored for scored in row if scored[0] >= ABOUT_THE_MOST_SHARE * most]
    return about_the_most[len(about_the_most) // 2]


def is_one_card(zone: Zone, look: Look, other: Look) -> bool:
    """Whether what lay there for a while is a card that another look shows.

    Spit has one pack, so a face that was seen before is that card; and a back is turned up where it lies.
    Cards of a waste lie one on another in one place: there a face that was read well is believed.
    """
    if zone.pile.kind is PileKind.SPIT or zone.is_stock_pile:
        is_read_otherwise = other.reading.face_up and is_same_place(look, other)
        return is_read_otherwise or look.reading.top == other.reading.top
    if zone.pile.kind is PileKind.WASTE:
        is_sure = min(look.reading.confidence, other.reading.confidence) >= WELL_READ_CONFIDENCE
        return look.reading.top == other.reading.top or (is_same_place(look, other) and not is_sure)
    return is_same_place(look, other)
