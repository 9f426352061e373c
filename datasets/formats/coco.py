"""COCO's format: one JSON file with images, annotations and categories. Quads are four-point polygons."""

import json
from pathlib import Path
from typing import Any

from datasets.formats.index_rows import parse_json
from datasets.formats.labels import (
    META_FIELDS,
    Box,
    FormatError,
    LabelledCard,
    LabelledPicture,
    LabelledSet,
    card_name_of,
    class_names,
    finite,
    inner_path,
    pixels,
    placed_cards,
    quad_of,
    read_text,
)

ANNOTATIONS_NAME = "annotations.json"


def read_coco(path: Path, root: Path | None = None, split: str = "") -> LabelledSet:
    """The set that a COCO file describes; pictures lie under ``root`` (default: beside it).

    Raises ``FormatError``.
    """
    content = parse_json(read_text(path), str(path))
    if not isinstance(content, dict):
        raise FormatError(f"{path}: want a COCO object with images, annotations and categories")
    images = _by_id(content, "images", path)
    categories = {
        key: card_name_of(str(row.get("name"))) or str(row.get("name"))
        for key, row in _by_id(content, "categories", path).items()
    }
    cards: dict[object, list[LabelledCard]] = {key: [] for key in images}
    for row in _rows(content, "annotations", path):
        where = f"{path}: annotation {row.get('id')!r:.20}"
        image, category = row.get("image_id"), row.get("category_id")
        if not isinstance(image, int | str) or image not in cards:
            raise FormatError(f"{where}: no image {image!r:.40}")
        if not isinstance(category, int | str) or category not in categories:
            raise FormatError(f"{where}: no category {category!r:.40}")
        cards[image].append(_card(row, categories[category], where))
    pictures = tuple(_picture(row, tuple(cards[key]), split, path) for key, row in images.items())
    return LabelledSet(root=root or path.parent, pictures=pictures)


def _rows(content: dict[str, Any], key: str, path: Path) -> list[dict[str, Any]]:
    rows = content.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FormatError(f"{path}: want {key!r} as a list of objects")
    return rows


def _by_id(content: dict[str, Any], key: str, path: Path) -> dict[object, dict[str, Any]]:
    found: dict[object, dict[str, Any]] = {}
    for row in _rows(content, key, path):
        number = row.get("id")
        if not isinstance(number, int | str) or number in found:
            raise FormatError(f"{path}: {key}: id {number!r:.40} (want each once)")
        found[number] = row
    return found


def _card(row: dict[str, Any], name: str, where: str) -> LabelledCard:
    attributes = row.get("attributes")
    kind = attributes.get("box_kind") if isinstance(attributes, dict) else None
    polygons = row.get("segmentation")
    polygon = polygons[0] if isinstance(polygons, list) and len(polygons) == 1 else None
    if isinstance(polygon, list) and len(polygon) == 8:
        return LabelledCard(card=name, quad_px=quad_of(polygon, where))
    x, y, w, h = finite(row.get("bbox") or [], 4, where)
    box: Box = (x, y, x + w, y + h)
    return LabelledCard(card=name, box_px=box, box_kind="corner" if kind == "corner" else "card")


def _picture(row: dict[str, Any], cards: tuple[LabelledCard, ...], split: str, path: Path) -> LabelledPicture:
    where = f"{path}: image {row.get('id')!r:.20}"
    return LabelledPicture(
        image=inner_path(row.get("file_name"), where),
        width=pixels(row.get("width"), where),
        height=pixels(row.get("height"), where),
        cards=cards,
        split=split or str(row.get("split", "")),
        is_complete=bool(row.get("classes_complete", True)),
        **{name: str(row.get(name, "")) for name in META_FIELDS},
    )


def write_coco(pictures: tuple[LabelledPicture, ...], out: Path) -> Path:
    """Write ``annotations.json`` into ``out``."""
    names = class_names(pictures)
    number = {name: i for i, name in enumerate(names, 1)}
    annotations = [
        _annotation(card, image_id, number)
        for image_id, picture in enumerate(pictures, 1)
        for card in placed_cards(picture)
    ]
    content = {
        "images": [_image_row(picture, i) for i, picture in enumerate(pictures, 1)],
        "annotations": [{"id": i, **row} for i, row in enumerate(annotations, 1)],
        "categories": [{"id": i, "name": name, "supercategory": "card"} for name, i in number.items()],
    }
    path = out / ANNOTATIONS_NAME
    path.write_text(json.dumps(content) + "\n")
    return path


def _image_row(picture: LabelledPicture, image_id: int) -> dict[str, object]:
    texts = {name: value for name in (*META_FIELDS, "split") if (value := getattr(picture, name))}
    sizes = {"id": image_id, "file_name": picture.image, "width": picture.width, "height": picture.height}
    return {**sizes, **texts, "classes_complete": picture.is_complete}


def _annotation(card: LabelledCard, image_id: int, number: dict[str, int]) -> dict[str, object]:
    assert card.bounds_px is not None
    x0, y0, x1, y1 = card.bounds_px
    row: dict[str, object] = {
        "image_id": image_id,
        "category_id": number[card.card],
        "bbox": [x0, y0, x1 - x0, y1 - y0],
        "area": (x1 - x0) * (y1 - y0),
        "iscrowd": 0,
        "segmentation": [],
    }
    if card.quad_px is not None:
        return row | {"segmentation": [[v for point in card.quad_px for v in point]]}
    return row | {"attributes": {"box_kind": card.box_kind or "card"}}
