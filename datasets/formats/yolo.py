"""YOLO's format: a data file, pictures under ``images/``, one text file a picture under ``labels/``.

Boxes (``class cx cy w h``) or oriented boxes (``class x1 y1 ... x4 y4``), in shares of the picture's sides.
It has no place for what else is known of a picture, nor for whether a box is around a card or a corner index;
the data file's own key ``box_kind`` says the latter for the whole set.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import yaml

from datasets.formats.labels import (
    PICTURE_SUFFIXES,
    Box,
    BoxKind,
    FormatError,
    LabelledCard,
    LabelledPicture,
    LabelledSet,
    card_name_of,
    class_names,
    file_inside,
    finite,
    inner_path,
    placed_cards,
    quad_of,
    read_text,
)

DATA_NAME = "data.yaml"
SPLITS = ("train", "val", "test")
DEFAULT_SPLIT = "train"


def read_yolo(data: Path) -> LabelledSet:
    """The set that a data file describes. Raises ``FormatError``."""
    settings = _settings(data)
    root = data.parent
    names = _names(settings.get("names"), data)
    kind: BoxKind = "corner" if settings.get("box_kind") == "corner" else "card"
    pictures, seen = [], set()
    for split in SPLITS:
        for folder in _folders(settings, split, data):
            for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in PICTURE_SUFFIXES):
                seen.add(_label_file(path))
                pictures.append(_picture(path, root, split, names, kind))
    labels = {p for p in root.rglob("labels/**/*.txt") if p.is_file()}
    orphans = tuple(str(p.relative_to(root)) for p in sorted(labels - seen))
    return LabelledSet(root=root, pictures=tuple(pictures), orphans=orphans)


def _settings(data: Path) -> dict[str, Any]:
    try:
        settings = yaml.safe_load(read_text(data))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise FormatError(f"{data}{line}: not YAML (want a YOLO data file)") from None
    if not isinstance(settings, dict):
        raise FormatError(f"{data}: want a YOLO data file with train, val and names")
    return settings


def _names(names: object, data: Path) -> dict[int, str]:
    if isinstance(names, list):
        names = dict(enumerate(names))
    if not isinstance(names, dict) or not all(isinstance(key, int) for key in names):
        raise FormatError(f"{data}: want names as a list, or as a mapping from class number to name")
    return {int(key): card_name_of(str(name)) or str(name) for key, name in names.items()}


def _folders(settings: dict[str, Any], split: str, data: Path) -> Iterator[Path]:
    """Picture folders of a split; Roboflow's ``../train/images`` means the folder beside the data file."""
    places = settings.get(split) or (settings.get("valid") if split == "val" else None) or []
    for place in [places] if isinstance(places, str) else places:
        if not isinstance(place, str):
            raise FormatError(f"{data}: {split}: want a folder of pictures, got {place!r:.60}")
        base = data.parent
        folder = file_inside(
            base, inner_path(place.removeprefix("../").removeprefix("./"), f"{data}: {split}")
        )
        if not folder.is_dir():
            raise FormatError(f"{data}: {split}: no folder {folder} (want a folder of pictures)")
        yield folder


def _label_file(picture: Path) -> Path:
    parts = list(picture.parts)
    at = len(parts) - 1 - parts[::-1].index("images") if "images" in parts else None
    if at is not None:
        parts[at] = "labels"
    return Path(*parts).with_suffix(".txt")


def _picture(path: Path, root: Path, split: str, names: dict[int, str], kind: BoxKind) -> LabelledPicture:
    image = cv2.imread(str(file_inside(root, str(path.relative_to(root)))), cv2.IMREAD_REDUCED_GRAYSCALE_8)
    whole = cv2.imread(str(path)) if image is not None else None
    if whole is None:
        raise FormatError(f"not a picture: {path} (want JPEG, PNG, WebP, ...)")
    height, width = whole.shape[:2]
    label = _label_file(path)
    lines = read_text(label).splitlines() if label.is_file() else []
    cards = tuple(
        _card(line, width, height, names, kind, f"{label}, line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    )
    return LabelledPicture(
        image=str(path.relative_to(root)), width=width, height=height, cards=cards, split=split
    )


def _card(
    line: str, width: int, height: int, names: dict[int, str], kind: BoxKind, where: str
) -> LabelledCard:
    words = line.split()
    if len(words) not in {5, 9} or not words[0].isascii() or not words[0].isdigit() or len(words[0]) > 6:
        raise FormatError(f"{where}: want a class number and 4 (box) or 8 (oriented box) numbers")
    name = names.get(int(words[0]), f"class {int(words[0])}")
    if len(words) == 9:
        shares = finite(words[1:], 8, where)
        return LabelledCard(
            card=name,
            quad_px=quad_of([v * (height if i % 2 else width) for i, v in enumerate(shares)], where),
        )
    cx, cy, w, h = finite(words[1:], 4, where)
    box: Box = ((cx - w / 2) * width, (cy - h / 2) * height, (cx + w / 2) * width, (cy + h / 2) * height)
    return LabelledCard(card=name, box_px=box, box_kind=kind)


def write_yolo(pictures: tuple[LabelledPicture, ...], out: Path, *, oriented: bool) -> Path:
    """Write labels and data file into ``out``; the pictures' own places are ``yolo_place``'s to say."""
    names = class_names(pictures)
    number = {name: i for i, name in enumerate(names)}
    for picture in pictures:
        label = out / "labels" / Path(yolo_place(picture)).relative_to("images").with_suffix(".txt")
        label.parent.mkdir(parents=True, exist_ok=True)
        lines = [_line(card, picture, number, oriented=oriented) for card in placed_cards(picture)]
        label.write_text("".join(line + "\n" for line in lines))
    splits = {picture.split or DEFAULT_SPLIT for picture in pictures}
    kinds = {card.box_kind for picture in pictures for card in placed_cards(picture)}
    settings: dict[str, object] = {split: f"images/{split}" for split in SPLITS if split in splits}
    settings |= {"box_kind": "corner"} if kinds == {"corner"} else {}
    data = out / DATA_NAME
    data.write_text(yaml.safe_dump(settings | {"names": dict(enumerate(names))}, sort_keys=False))
    return data


def yolo_place(picture: LabelledPicture) -> str:
    """Where a picture lies in a YOLO set: ``images/SPLIT/NAME``."""
    split = picture.split or DEFAULT_SPLIT
    if split not in SPLITS:
        raise FormatError(f"{picture.image}: split {split!r:.40} (want train, val or test)")
    parts = [part for part in Path(picture.image).parts if part not in {"images", split}]
    return f"images/{split}/{'_'.join(parts)}"


def _line(card: LabelledCard, picture: LabelledPicture, number: dict[str, int], *, oriented: bool) -> str:
    width, height = picture.width, picture.height
    corners, bounds = card.corners_px, card.bounds_px
    assert corners is not None
    assert bounds is not None
    if oriented:
        values = [v for x, y in corners for v in (x / width, y / height)]
    else:
        x0, y0, x1, y1 = bounds
        values = [(x0 + x1) / 2 / width, (y0 + y1) / 2 / height, (x1 - x0) / width, (y1 - y0) / height]
    return f"{number[card.card]} " + " ".join(f"{value:.6f}" for value in values)
