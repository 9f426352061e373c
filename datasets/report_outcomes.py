"""What came of each card of each picture: the truth, what was read there, and how sure the reading was."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from models.classes import UNREADABLE

Points = tuple[tuple[float, float], ...]
"""Corners in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One detection. name: as it was given. guess: the likeliest name, which a ``??`` keeps to itself."""

    name: str
    confidence: float
    quad_px: Points
    guess: str = ""

    @property
    def is_unreadable(self) -> bool:
        """Whether no name was given."""
        return self.name == UNREADABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOutcome:
    """One card, or one reading where none is.

    truth: empty where there is no card. given: empty where nothing was read. guess: what a ``??`` hid.
    px_per_mm, visible: the card's scale and its visible part, 0..1, where they are known. quad_px: the
    truth's place where it is labelled, or else the reading's.
    """

    truth: str
    given: str
    confidence: float = 0.0
    guess: str = ""
    px_per_mm: float | None = None
    visible: float | None = None
    quad_px: Points = ()

    @property
    def is_right(self) -> bool:
        """Whether the right name was given; half-known labels (``9?``) ask for their half only."""
        return fits(self.given, self.truth)

    @property
    def is_wrong(self) -> bool:
        """Whether a wrong name was given; ``??`` is no name."""
        return self.given not in {"", UNREADABLE} and not self.is_right


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOutcome:
    """One picture. image: its file, or the number of its scene. source and deck: by which figures are given.

    is_complete: every card in it is labelled, so a name too many is wrong.
    """

    image: str
    source: str
    deck: str
    is_complete: bool
    cards: tuple[CardOutcome, ...]
    unreadable: int
    backs_labelled: bool

    @property
    def errors(self) -> int:
        """How bad the picture is: wrong names count twice."""
        return sum(2 * card.is_wrong + bool(card.truth and not card.is_right) for card in self.cards)


def fits(name: str, label: str) -> bool:
    """Whether a name given is what the label says.

    >>> fits("9H", "9H"), fits("9H", "9?"), fits("BACK", "??"), fits("", "")
    (True, True, False, False)
    """
    if not name or not label:
        return False
    if name == label:
        return name != UNREADABLE
    return len(name) == len(label) == 2 and label[1] == "?" and name[0] == label[0] != "?"


@dataclass(slots=True)
class Tally:
    """Right, missed, wrong and unreadable cards of some pictures."""

    images: int = 0
    truth: int = 0
    right: int = 0
    wrong: int = 0
    unreadable: int = 0
    confusions: Counter[str] = field(default_factory=Counter)

    def add_cards(self, cards: Iterable[CardOutcome]) -> None:
        """Count these cards."""
        for card in cards:
            self.truth += bool(card.truth)
            self.right += card.is_right
            self.wrong += card.is_wrong
            if card.is_wrong and card.truth:
                self.confusions[f"{card.truth} as {card.given}"] += 1

    @property
    def recall(self) -> float:
        """Right names of labelled cards; 1 where there is none."""
        return self.right / self.truth if self.truth else 1.0

    @property
    def precision(self) -> float:
        """Right names of names given; 1 where none was given."""
        named = self.right + self.wrong
        return self.right / named if named else 1.0

    def as_row(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "images": self.images,
            "cards": self.truth,
            "right": self.right,
            "wrong": self.wrong,
            "unreadable": self.unreadable,
            "recall": round(self.recall, 4),
            "precision": round(self.precision, 4),
            "confusions": dict(self.confusions.most_common(20)),
        }


def tally_of(
    pictures: Iterable[PictureOutcome], is_counted: Callable[[CardOutcome], bool] | None = None
) -> Tally:
    """The figures of some pictures, or of those of their cards that ``is_counted``."""
    tally = Tally()
    for picture in pictures:
        tally.images += 1
        tally.unreadable += picture.unreadable
        tally.add_cards(card for card in picture.cards if is_counted is None or is_counted(card))
    return tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen in one picture, so that it need not be looked at again."""

    image: str
    readings: tuple[Reading, ...]
    truth: tuple[dict[str, Any], ...] = ()


class LookBook:
    """Looks kept in a file as they are taken: work that was cut short goes on where it stopped.

    key: what the looks depend on; those of another key are thrown away.
    """

    def __init__(self, path: Path, key: dict[str, Any]) -> None:
        self._path = path
        self._looks: dict[str, Look] = {}
        header = json.dumps(key, sort_keys=True)
        lines = path.read_text().splitlines(keepends=True) if path.is_file() else []
        if lines and lines[0] == header + "\n":
            whole = [line for line in lines[1:] if line.endswith("\n")]
            self._looks = {look.image: look for look in map(_parse_look, whole)}
            path.write_text(lines[0] + "".join(whole))
        else:
            path.write_text(header + "\n")

    def __len__(self) -> int:
        return len(self._looks)

    def at(self, image: str, take: Callable[[], Look]) -> Look:
        """The look at ``image``; taken and kept if there is none yet."""
        if image not in self._looks:
            look = take()
            with self._path.open("a") as file:
                file.write(json.dumps(asdict(look)) + "\n")
            self._looks[image] = look
        return self._looks[image]


def _parse_look(line: str) -> Look:
    row = json.loads(line)
    readings = tuple(
        Reading(
            name=str(each["name"]),
            confidence=float(each["confidence"]),
            quad_px=tuple((float(x), float(y)) for x, y in each["quad_px"]),
            guess=str(each["guess"]),
        )
        for each in row["readings"]
    )
    return Look(image=str(row["image"]), readings=readings, truth=tuple(row["truth"]))


def all_cards(pictures: Iterable[PictureOutcome]) -> Iterator[CardOutcome]:
    """Every card of every picture."""
    return (card for picture in pictures for card in picture.cards)
