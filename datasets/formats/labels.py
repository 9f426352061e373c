"""What labels say of pictures, whatever format they are written in."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Literal

from models.classes import BACK, CARD_NAMES, JOKER, UNREADABLE

BoxKind = Literal["card", "corner"]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels."""
Quad = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""Four corners in pixels, in order around the card."""

LARGEST_LABEL_BYTES = 400_000_000
"""A larger file is no label file: a million pictures' boxes have some hundred megabytes."""
CLASS_NAMES = tuple(name for name in CARD_NAMES if name != UNREADABLE)
"""What a label may say beside half-known names as ``9?``."""
PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})

_RANK_WORDS = {
    "ace": "A", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "T", "10": "T", "1": "A", "jack": "J", "queen": "Q", "king": "K",
}  # fmt: skip
_RANKS, _SUITS = "A23456789TJQK?", "CDHS?"
_SUIT_NAMES = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}


class Format(StrEnum):
    """What a set can be written as."""

    INDEX = "index"
    YOLO = "yolo"
    YOLO_OBB = "yolo-obb"
    COCO = "coco"
    CVAT = "cvat"


class FormatError(ValueError):
    """Labels cannot be read or written. One line: the file, where in it, what was wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledCard:
    """One label.

    card: a name, or the text of a class that is none. A place is a box or a quad, or neither where only the
    set of cards is known. box_kind: whether the box is around the card or around one corner index.
    """

    card: str
    box_px: Box | None = None
    box_kind: BoxKind | None = None
    quad_px: Quad | None = None

    @property
    def bounds_px(self) -> Box | None:
        """The upright box around the label's place."""
        if self.quad_px is None:
            return self.box_px
        xs, ys = zip(*self.quad_px, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def corners_px(self) -> Quad | None:
        """The quad, or the box's corners clockwise from the top left."""
        if self.quad_px is not None or self.box_px is None:
            return self.quad_px
        x0, y0, x1, y1 = self.box_px
        return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPicture:
    """One picture's labels. image: where it lies in its set, with ``/``. group: pictures of one sitting.

    split: ``train``, ``val``, ``test`` or nothing. is_complete: every card that is seen is labelled.
    """

    image: str
    width: int
    height: int
    cards: tuple[LabelledCard, ...]
    split: str = ""
    source: str = ""
    licence: str = ""
    deck: str = ""
    view: str = ""
    label_source: str = ""
    group: str = ""
    note: str = ""
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """Labelled pictures under ``root``. orphans: label files that belong to no picture."""

    root: Path
    pictures: tuple[LabelledPicture, ...]
    orphans: tuple[str, ...] = field(default=())


META_FIELDS = ("source", "licence", "deck", "view", "label_source", "group", "note")
"""Texts of a picture that formats without a place for them carry as extra fields."""


def card_name_of(text: str) -> str | None:
    """The card that a class name of any usual kind means; None where it means none.

    >>> [card_name_of(t) for t in ("9H", "10c", "ace of spades", "king_hearts", "Joker", "card back", "A?")]
    ['9H', 'TC', 'AS', 'KH', 'JK', 'BACK', 'A?']
    >>> card_name_of("dog") is None
    True
    """
    words = text.lower().replace("_", " ").replace("-", " ").split()
    words = [word for word in words if word not in {"of", "card"}]
    if words in ([JOKER.lower()], ["joker"]) or (len(words) == 2 and words[1] == "joker"):
        return JOKER
    if words == ["back"]:
        return BACK
    if len(words) == 1:
        words = [words[0][:-1], words[0][-1]]
    if len(words) != 2:
        return None
    rank, suit = _RANK_WORDS.get(words[0], words[0].upper()), _suit_of(words[1])
    if len(rank) != 1 or rank not in _RANKS or suit is None or rank == suit == "?":
        return None
    return rank + suit


def _suit_of(word: str) -> str | None:
    if len(word) == 1:
        return word.upper() if word.upper() in _SUITS else None
    return _SUIT_NAMES.get(word if word.endswith("s") else word + "s")


def is_card_name(text: str) -> bool:
    """Whether ``text`` is a name that labels carry: a card, joker or back, or half a name as ``9?``."""
    return card_name_of(text) == text


def class_names(pictures: Iterable[LabelledPicture]) -> tuple[str, ...]:
    """Class names for a set, always in the same order: all cards, then half-known ones that occur.

    Raises ``FormatError`` for a class that is no card.
    """
    used = {(card.card, picture.image) for picture in pictures for card in picture.cards}
    for name, image in sorted(used):
        if not is_card_name(name):
            raise FormatError(
                f"{image}: no card is called {name!r} (want e.g. '9H', 'TD', 'JK', 'BACK', '9?')"
            )
    halves = sorted({name for name, _ in used} - set(CLASS_NAMES))
    return (*CLASS_NAMES, *halves)


def inner_path(text: object, where: str) -> str:
    """``text`` as the place of a file inside its set; ``FormatError`` if it could lead out of it."""
    if not isinstance(text, str) or not text or len(text) > 1000 or not text.isprintable():
        raise FormatError(f"{where}: no file name: {text!r:.80} (want a path inside the set)")
    path = PurePosixPath(text.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0] or not path.parts:
        raise FormatError(f"{where}: {text!r:.80} leads out of the set (want a path inside it)")
    return str(path)


def file_inside(root: Path, image: str) -> Path:
    """The file of ``image``; ``FormatError`` where a link leads out of the set."""
    path = root / image
    if not path.resolve().is_relative_to(root.resolve()):
        raise FormatError(f"{path} leads out of the set {root} (want pictures inside it)")
    return path


def finite(numbers: Sequence[object], count: int, where: str) -> tuple[float, ...]:
    """``numbers`` as that many finite floats, or ``FormatError``."""
    is_right = isinstance(numbers, list | tuple) and len(numbers) == count
    values = [_number(each) for each in numbers] if is_right else []
    if len(values) != count or not all(value is not None and math.isfinite(value) for value in values):
        raise FormatError(f"{where}: want {count} numbers, got {numbers!r:.80}")
    return tuple(value for value in values if value is not None)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def pixels(value: object, where: str) -> int:
    """A picture's width or height, 1 to 100,000."""
    (number,) = finite([value], 1, where)
    if not 1 <= number <= 100_000 or number != int(number):
        raise FormatError(f"{where}: want a side of 1 to 100000 pixels, got {value!r:.40}")
    return int(number)


def quad_of(points: Sequence[object], where: str) -> Quad:
    """Eight numbers, x and y in turn, as a quad."""
    n = finite(points, 8, where)
    return (n[0], n[1]), (n[2], n[3]), (n[4], n[5]), (n[6], n[7])


def read_text(path: Path) -> str:
    """A label file's text; ``FormatError`` where it is not there, not text or out of all measure."""
    try:
        if path.stat().st_size > LARGEST_LABEL_BYTES:
            raise FormatError(f"{path} has more than {LARGEST_LABEL_BYTES} bytes (want a label file)")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{path} is not text (want UTF-8)") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error} (want a label file)") from None


def unplaced(pictures: Iterable[LabelledPicture]) -> int:
    """How many labels have no place: formats of boxes leave them out."""
    return sum(card.bounds_px is None for picture in pictures for card in picture.cards)


def placed_cards(picture: LabelledPicture) -> Iterator[LabelledCard]:
    """The picture's labels that have a place."""
    return (card for card in picture.cards if card.bounds_px is not None)
