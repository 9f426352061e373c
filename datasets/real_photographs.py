"""Scores a detector on labelled photographs, by the set of cards seen in each, source by source.

The index is JSON lines: ``image``, ``source``, ``deck``, ``view``, ``classes_complete`` and ``cards`` with
``card`` (a suit may be ``?``) and perhaps a place: ``box_px`` with ``box_kind``, or ``quad_px``.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.report_looks import readings_of
from datasets.report_outcomes import CardOutcome, Look, LookBook, PictureOutcome, Points, Reading, fits
from models.classes import BACK
from models.detections import CardDetector

CARD_MM = (63.0, 88.0)
INDEX_BLOCK_MM = (6.5, 16.0)
"""Ink of a corner index, rank and suit, on standard decks: a corner box is drawn around it."""
INDEX_APART_MM = 84.6
"""Between the middles of a card's two indices, 5 x 11 mm in from opposite corners."""
PAIR_RATIO = (3.0, 12.0)
"""Two corner boxes of one name are one card's where they are so many times their longer side apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a label is. is_corner: around one index only. px_per_mm: estimated from its size, or None."""

    quad_px: Points
    is_corner: bool
    px_per_mm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Photograph:
    """One labelled picture. counts_each: the labels say how many of each card there are, not only which.

    places: one for each of ``cards``, None where it is not labelled; empty where none is.
    """

    path: Path
    source: str
    cards: tuple[str, ...]
    counts_each: bool
    is_complete: bool
    backs_labelled: bool
    deck: str = ""
    places: tuple[Place | None, ...] = ()


def read_index(index: Path) -> Iterator[Photograph]:
    """The labelled photographs of an index file; unlabelled rows are left out."""
    for number, line in enumerate(index.read_text().splitlines(), 1):
        try:
            photograph = _photograph(json.loads(line), index.parent)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{index}, line {number}: not a labelled photograph ({error!r})") from None
        if photograph.cards:
            yield photograph


def _photograph(row: dict[str, Any], root: Path) -> Photograph:
    cards = tuple(str(card["card"]) for card in row["cards"])
    by_corner = any(card.get("box_kind") == "corner" for card in row["cards"])
    return Photograph(
        path=root / row["image"],
        source=f"{row['source'].split('/')[0]} {row['view']} {row['deck']}",
        deck=str(row["deck"]),
        cards=cards,
        counts_each=not by_corner,
        is_complete=bool(row["classes_complete"]),
        backs_labelled=BACK in cards or (bool(row["classes_complete"]) and not by_corner),
        places=_places(row["cards"]),
    )


def _places(cards: Sequence[dict[str, Any]]) -> tuple[Place | None, ...]:
    boxes: dict[str, list[Points]] = defaultdict(list)
    for card in cards:
        if card.get("box_kind") == "corner":
            boxes[str(card["card"])].append(_corners(card))
    pairs = {name: scale for name, both in boxes.items() if (scale := _pair_scale(both)) is not None}
    return tuple(_place(card, pairs) for card in cards)


def _corners(card: dict[str, Any]) -> Points:
    if "quad_px" in card:
        return tuple((float(x), float(y)) for x, y in card["quad_px"])
    x0, y0, x1, y1 = (float(v) for v in card["box_px"])
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


def _place(card: dict[str, Any], pairs: dict[str, float]) -> Place | None:
    if "quad_px" not in card and "box_px" not in card:
        return None
    quad, is_corner = _corners(card), card.get("box_kind") == "corner"
    if is_corner:
        scale = pairs.get(str(card["card"])) or scale_of_box(quad, INDEX_BLOCK_MM)
    elif "quad_px" in card:
        sides = [math.dist(quad[i], quad[i - 1]) for i in range(4)]
        scale = max((sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2) / CARD_MM[1]
    else:
        scale = scale_of_box(quad, CARD_MM)
    return Place(quad_px=quad, is_corner=is_corner, px_per_mm=scale)


def _pair_scale(boxes: Sequence[Points]) -> float | None:
    """Pixels a millimetre of the card whose two corner boxes these are; None: they are no such pair."""
    if len(boxes) != 2:
        return None
    (ax, ay), (bx, by) = ((sum(x for x, _ in box) / 4, sum(y for _, y in box) / 4) for box in boxes)
    longer = max(math.dist(box[i], box[i - 1]) for box in boxes for i in range(4))
    apart = math.hypot(ax - bx, ay - by)
    is_pair = longer > 0 and PAIR_RATIO[0] <= apart / longer <= PAIR_RATIO[1]
    return apart / INDEX_APART_MM if is_pair else None


def scale_of_box(box_px: Points, size_mm: tuple[float, float]) -> float | None:
    """Pixels a millimetre of a thing of ``size_mm`` from the upright box around it, turned as it may be.

    The box of a thing turned by an angle is w cos + h sin wide and w sin + h cos tall: two equations for the
    scale and the angle. An estimate: it takes the thing as whole and seen from above. None: an empty box.

    >>> scale_of_box(((0, 0), (126, 0), (126, 176), (0, 176)), (63, 88))
    2.0
    """
    wide, tall = (max(p[k] for p in box_px) - min(p[k] for p in box_px) for k in (0, 1))
    if wide <= 0 or tall <= 0:
        return None
    squares, product = size_mm[0] ** 2 + size_mm[1] ** 2, size_mm[0] * size_mm[1]
    sum_px, area_px = wide**2 + tall**2, wide * tall
    square = (sum_px * squares - 4 * product * area_px) / (squares**2 - 4 * product**2)
    upright, diagonal = area_px / product, area_px / (product + squares / 2)
    return round(math.sqrt(min(max(square, diagonal), upright)), 4)


def outcome_of(photograph: Photograph, readings: Sequence[Reading]) -> PictureOutcome:
    """What came of a photograph's cards: names are matched first, then what is left by place."""
    truth, seen = _counted(photograph, readings)
    cards, left = [], []
    unused = sorted(seen, key=lambda reading: -reading.confidence)
    for name, place in truth:
        match = next((r for r in _nearest_first(unused, place) if fits(r.name, name)), None)
        if match is None:
            left.append((name, place))
        else:
            unused.remove(match)
            cards.append(_outcome(name, place, match))
    for name, place in left:
        match = next((r for r in unused if place is not None and _is_at(r, place)), None)
        if match is None and len(left) == 1 and len(unused) == 1:
            match = unused[0]
        if match is not None:
            unused.remove(match)
        cards.append(_outcome(name, place, match))
    if photograph.is_complete:
        cards += [_outcome("", None, r) for r in unused if not r.is_unreadable]
    return PictureOutcome(
        image=str(photograph.path),
        source=photograph.source,
        deck=photograph.deck,
        is_complete=photograph.is_complete,
        cards=tuple(c if photograph.is_complete else _forgiven(c) for c in cards),
        unreadable=sum(r.is_unreadable for r in readings),
        backs_labelled=photograph.backs_labelled,
    )


def _counted(
    photograph: Photograph, readings: Sequence[Reading]
) -> tuple[list[tuple[str, Place | None]], list[Reading]]:
    """Labels and readings that count: each name once where the labels do not say how many there are."""
    places = photograph.places or (None,) * len(photograph.cards)
    truth = list(zip(photograph.cards, places, strict=True))
    seen = list(readings)
    if not photograph.backs_labelled:
        truth = [(name, place) for name, place in truth if name != BACK]
        seen = [r for r in seen if r.name != BACK]
    if [place for name, place in truth if name == BACK] == [None]:
        seen = _with_one_back(seen)  # One label without a place says that there are backs, not how many.
    if photograph.counts_each and photograph.is_complete:
        return truth, seen
    each = {name for name, _ in truth if photograph.is_complete and _is_whole(name, truth)}
    return _once(truth, each), _best_once(seen, each, {name[0] for name, _ in truth if name.endswith("?")})


def _with_one_back(seen: Sequence[Reading]) -> list[Reading]:
    """The readings, of the backs the surest only."""
    surest = max((r for r in seen if r.name == BACK), key=lambda r: r.confidence, default=None)
    return [r for r in seen if r.name != BACK or r is surest]


def _is_whole(name: str, truth: Sequence[tuple[str, Place | None]]) -> bool:
    """Whether every label of this name is around a whole card: then there are as many as labels."""
    return all(place is not None and not place.is_corner for label, place in truth if label == name)


def _once(truth: Sequence[tuple[str, Place | None]], each: set[str]) -> list[tuple[str, Place | None]]:
    """The labels, of those that are not in ``each`` the first of a name only."""
    first: dict[str, int] = {}
    for i, (name, _) in enumerate(truth):
        first.setdefault(name, i)
    return [label for i, label in enumerate(truth) if label[0] in each or first[label[0]] == i]


def _best_once(seen: Sequence[Reading], each: set[str], half_ranks: set[str]) -> list[Reading]:
    """The readings, of those whose name is not in ``each`` the surest of a name (or rank) only."""
    surest: dict[str, Reading] = {}
    for reading in sorted(seen, key=lambda r: r.confidence):
        surest[reading.name[0] if reading.name[0] in half_ranks else reading.name] = reading
    return [r for r in seen if r.is_unreadable or r.name in each or any(r is s for s in surest.values())]


def _nearest_first(readings: Sequence[Reading], place: Place | None) -> list[Reading]:
    """Of equal names the one at the label's place is the card's."""
    return sorted(readings, key=lambda r: place is not None and not _is_at(r, place))


def _is_at(reading: Reading, place: Place) -> bool:
    """Whether the middle of the label lies in the reading or the reading's middle in the label."""
    return _holds(reading.quad_px, _middle(place.quad_px)) or (
        not place.is_corner and _holds(place.quad_px, _middle(reading.quad_px))
    )


def _middle(quad_px: Points) -> tuple[float, float]:
    return sum(x for x, _ in quad_px) / len(quad_px), sum(y for _, y in quad_px) / len(quad_px)


def _holds(quad_px: Points, point_px: tuple[float, float]) -> bool:
    return cv2.pointPolygonTest(np.asarray(quad_px, np.float32).reshape(-1, 1, 2), point_px, False) >= 0


def _outcome(name: str, place: Place | None, reading: Reading | None) -> CardOutcome:
    return CardOutcome(
        truth=name,
        given=reading.name if reading else "",
        confidence=reading.confidence if reading else 0.0,
        guess=reading.guess if reading else "",
        px_per_mm=place.px_per_mm if place else None,
        quad_px=place.quad_px if place else reading.quad_px if reading else (),
    )


def _forgiven(card: CardOutcome) -> CardOutcome:
    """Where not every card is labelled a wrong name may be of another card: the label is missed, no more."""
    if not card.is_wrong:
        return card
    return CardOutcome(truth=card.truth, given="", px_per_mm=card.px_per_mm, quad_px=card.quad_px)


def score_photographs(
    index: Path,
    detector: CardDetector,
    looks: LookBook,
    *,
    every: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[PictureOutcome]:
    """What came of every ``every``-th photograph."""
    outcomes = []
    photographs = list(read_index(index))[::every]
    for done, photograph in enumerate(photographs, 1):
        look = looks.at(str(photograph.path), partial(_look, photograph, detector))
        outcomes.append(outcome_of(photograph, look.readings))
        progress(done, len(photographs))
    return outcomes


def _look(photograph: Photograph, detector: CardDetector) -> Look:
    image = cv2.imread(str(photograph.path))
    if image is None:
        raise ValueError(f"not a picture: {photograph.path}")
    return Look(image=str(photograph.path), readings=readings_of(detector, np.asarray(image, np.uint8)))
