"""Scores a detector on labelled photographs, by the set of cards seen in each, source by source.

The index is JSON lines: ``image``, ``source``, ``deck``, ``view``, ``classes_complete`` and ``cards`` with
``card`` (a suit may be ``?``) and perhaps ``box_kind``.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from models.classes import BACK, UNREADABLE
from models.detections import CardDetector


@dataclass(frozen=True, slots=True, kw_only=True)
class Photograph:
    """One labelled picture. counts_each: the labels say how many of each card there are, not only which."""

    path: Path
    source: str
    cards: tuple[str, ...]
    counts_each: bool
    is_complete: bool
    backs_labelled: bool


@dataclass(slots=True)
class Tally:
    """Right, missed, wrong and unreadable cards of some pictures."""

    images: int = 0
    truth: int = 0
    right: int = 0
    wrong: int = 0
    unreadable: int = 0
    confusions: Counter[str] = field(default_factory=Counter)

    @property
    def recall(self) -> float:
        """Right names of labelled cards; 1 where there is none."""
        return self.right / self.truth if self.truth else 1.0

    @property
    def precision(self) -> float:
        """Right names of names given; 1 where none was given."""
        named = self.right + self.wrong
        return self.right / named if named else 1.0


def read_index(index: Path) -> Iterator[Photograph]:
    """The labelled photographs of an index file; unlabelled rows are left out."""
    for number, line in enumerate(index.read_text().splitlines(), 1):
        try:
            row = json.loads(line)
            cards = tuple(str(card["card"]) for card in row["cards"])
            by_corner = any(card.get("box_kind") == "corner" for card in row["cards"])
            source = f"{row['source'].split('/')[0]} {row['view']} {row['deck']}"
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{index}, line {number}: not a labelled photograph ({error!r})") from None
        if cards:
            yield Photograph(
                path=index.parent / row["image"],
                source=source,
                cards=cards,
                counts_each=not by_corner,
                is_complete=bool(row["classes_complete"]),
                backs_labelled=BACK in cards or (bool(row["classes_complete"]) and not by_corner),
            )


def score(photograph: Photograph, names: tuple[str, ...], tally: Tally) -> None:
    """Add one picture's names to the tally."""
    truth = Counter(photograph.cards)
    seen = Counter(name for name in names if name != UNREADABLE)
    tally.unreadable += sum(name == UNREADABLE for name in names)
    if all(card.endswith("?") for card in truth if card not in {BACK, "JK"}):
        seen = _ranks_only(seen)
    if not photograph.backs_labelled:
        truth.pop(BACK, None)
        seen.pop(BACK, None)
    if not photograph.counts_each or not photograph.is_complete:
        truth, seen = Counter(set(truth)), Counter(set(seen))
    right = truth & seen
    tally.images += 1
    tally.truth += truth.total()
    tally.right += right.total()
    if photograph.is_complete:
        tally.wrong += (seen - truth).total()
    for missed in truth - right:
        for given in seen - truth:
            tally.confusions[f"{missed} as {given}"] += 1


def _ranks_only(names: Counter[str]) -> Counter[str]:
    ranks: Counter[str] = Counter()
    for name, count in names.items():
        ranks[name if name in {BACK, "JK"} else name[0] + "?"] += count
    return ranks


def score_photographs(
    index: Path,
    detector: CardDetector,
    *,
    every: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> dict[str, Tally]:
    """A tally for each source, over every ``every``-th photograph."""
    photographs = list(read_index(index))[::every]
    tallies: dict[str, Tally] = defaultdict(Tally)
    for done, photograph in enumerate(photographs, 1):
        image = cv2.imread(str(photograph.path))
        if image is None:
            raise ValueError(f"not a picture: {photograph.path}")
        found = detector.detect(np.asarray(image, np.uint8))
        score(photograph, found.names, tallies[photograph.source])
        progress(done, len(photographs))
    return dict(tallies)
