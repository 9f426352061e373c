"""From any of the formats to any other: labels rewritten, pictures copied beside them."""

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from datasets.formats.coco import read_coco, write_coco
from datasets.formats.cvat import CVAT_NAME, read_cvat, write_cvat
from datasets.formats.index_rows import INDEX_NAME, read_index_set, write_index
from datasets.formats.labels import (
    Format,
    FormatError,
    LabelledPicture,
    LabelledSet,
    class_names,
    file_inside,
    unplaced,
)
from datasets.formats.yolo import DATA_NAME, read_yolo, write_yolo, yolo_place


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What was written. unplaced: labels without box or quad, which only our own format can carry."""

    labels: Path
    pictures: int
    cards: int
    unplaced: int


def read_set(path: Path) -> LabelledSet:
    """The labelled set in a file or folder of any format that we know. Raises ``FormatError``."""
    if path.is_dir():
        return _read_folder(path)
    if not path.is_file():
        raise FormatError(f"no such file or folder: {path} (want a labelled set)")
    match path.suffix.lower():
        case ".jsonl":
            return read_index_set(path)
        case ".json":
            return read_coco(path)
        case ".xml":
            return read_cvat(path)
        case ".yaml" | ".yml":
            return read_yolo(path)
    raise FormatError(f"{path}: want an index (.jsonl), COCO (.json), CVAT (.xml) or YOLO (data.yaml)")


def _read_folder(folder: Path) -> LabelledSet:
    for name, read in ((INDEX_NAME, read_index_set), (DATA_NAME, read_yolo), (CVAT_NAME, read_cvat)):
        if (folder / name).is_file():
            return read(folder / name)
    parts = [_read_coco_part(path, folder) for path in _coco_files(folder)]
    if not parts:
        raise FormatError(f"{folder}: no {INDEX_NAME}, {DATA_NAME}, {CVAT_NAME} or COCO file in it")
    return LabelledSet(root=folder, pictures=tuple(p for part in parts for p in part.pictures))


def _coco_files(folder: Path) -> list[Path]:
    patterns = ("annotations.json", "annotations/instances_*.json", "*/_annotations.coco.json")
    return [path for pattern in patterns for path in sorted(folder.glob(pattern))]


def _read_coco_part(path: Path, folder: Path) -> LabelledSet:
    """One split of a COCO folder.

    COCO itself has ``annotations/instances_train.json`` and pictures in ``train``; Roboflow has
    ``train/_annotations.coco.json`` and the pictures beside it.
    """
    if path.parent == folder:
        return read_coco(path)
    by_folder = path.name == "_annotations.coco.json"
    split = path.parent.name if by_folder else path.stem.removeprefix("instances_")
    inside = split if by_folder or (folder / split).is_dir() else "images"
    part = read_coco(path, folder, {"valid": "val", "val2017": "val", "train2017": "train"}.get(split, split))
    moved = tuple(replace(picture, image=f"{inside}/{picture.image}") for picture in part.pictures)
    return replace(part, pictures=moved)


def convert(
    labelled: LabelledSet,
    form: Format,
    out: Path,
    *,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Converted:
    """Write ``labelled`` in another format into the new or empty folder ``out``, its pictures with it.

    Raises ``FormatError``: an unknown class, a missing picture, two pictures of one name, ``out`` in use.
    """
    class_names(labelled.pictures)
    if not labelled.pictures:
        raise FormatError("no labelled pictures in it: there is nothing to convert")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FormatError(f"{out} is there already (want a new or an empty folder)")
    placed = tuple(_with_place(picture, form) for picture in labelled.pictures)
    twice = [image for image, n in Counter(p.image.lower() for p in placed).items() if n > 1]
    if twice:
        raise FormatError(f"two pictures would be called {twice[0]} (want each name once)")
    for done, (before, after) in enumerate(zip(labelled.pictures, placed, strict=True), 1):
        _copy(file_inside(labelled.root, before.image), out / after.image)
        progress(done, len(placed))
    left_out = 0 if form is Format.INDEX else unplaced(placed)
    cards = sum(len(picture.cards) for picture in placed) - left_out
    labels = _write(placed, form, out)
    return Converted(labels=labels, pictures=len(placed), cards=cards, unplaced=left_out)


def _with_place(picture: LabelledPicture, form: Format) -> LabelledPicture:
    if form in {Format.YOLO, Format.YOLO_OBB}:
        return replace(picture, image=yolo_place(picture))
    inside = picture.image if picture.image.startswith("images/") else f"images/{picture.image}"
    return replace(picture, image=inside)


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        raise FormatError(f"no picture {source} (want every labelled picture in the set)")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _write(pictures: tuple[LabelledPicture, ...], form: Format, out: Path) -> Path:
    match form:
        case Format.INDEX:
            return write_index(pictures, out)
        case Format.COCO:
            return write_coco(pictures, out)
        case Format.CVAT:
            return write_cvat(pictures, out)
        case Format.YOLO | Format.YOLO_OBB:
            return write_yolo(pictures, out, oriented=form is Format.YOLO_OBB)
