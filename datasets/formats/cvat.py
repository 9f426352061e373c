"""CVAT's format for images, XML 1.1: boxes, and four-point polygons for quads."""

import math
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, TreeBuilder, indent, tostring
from xml.parsers import expat

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

CVAT_NAME = "annotations.xml"
DEEPEST = 12
"""Elements within elements; CVAT's own files have six."""


def read_cvat(path: Path) -> LabelledSet:
    """The set that a CVAT file describes; pictures lie beside it, or in ``images`` there.

    Raises ``FormatError``.
    """
    tree = _parsed(read_text(path), path)
    if tree.tag != "annotations":
        raise FormatError(f"{path}: want CVAT's <annotations>, got <{tree.tag:.40}>")
    pictures = tuple(_picture(image, path) for image in tree.findall("image"))
    if not pictures:
        raise FormatError(f"{path}: no <image> (want 'CVAT for images 1.1'; for videos export it as images)")
    return LabelledSet(root=path.parent, pictures=pictures)


def _parsed(text: str, path: Path) -> Element:
    """The elements of an XML file. What can grow or fetch while it is read, a DOCTYPE, is refused."""
    parser = expat.ParserCreate()
    builder = TreeBuilder()
    depth = 0

    def refuse(*_: object) -> None:
        raise FormatError(f"{path}: has a DOCTYPE (want CVAT's XML, which has none)")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise FormatError(f"{path}: elements within elements, more than {DEEPEST} (want CVAT's XML)")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(text, True)
        return builder.close()
    except expat.ExpatError as error:
        raise FormatError(f"{path}: not XML ({error})") from None


def _picture(image: Element, path: Path) -> LabelledPicture:
    where = f"{path}: image {image.get('id', '')!r:.20}"
    return LabelledPicture(
        image=_place(inner_path(image.get("name"), where), path),
        width=pixels(image.get("width"), where),
        height=pixels(image.get("height"), where),
        cards=tuple(_cards(image, where)),
        split=image.get("subset", ""),
        is_complete=image.get("classes_complete", "true") == "true",
        **{name: image.get(name, "") for name in META_FIELDS},
    )


def _place(name: str, path: Path) -> str:
    """CVAT names pictures from its own root: they may lie in ``images`` beside the file."""
    beside = path.parent
    if not (beside / name).exists() and (beside / "images" / name).exists():
        return f"images/{name}"
    return name


def _cards(image: Element, where: str) -> Iterator[LabelledCard]:
    for shape in image:
        label = shape.get("label", "")
        name = card_name_of(label) or label
        if shape.tag == "box":
            yield _boxed(shape, name, where)
        elif shape.tag == "polygon":
            points = shape.get("points", "").replace(";", ",").split(",")
            yield LabelledCard(card=name, quad_px=quad_of(points, f"{where}: polygon of {name!r:.20}"))
        elif shape.tag not in {"attribute", "tag"}:
            raise FormatError(f"{where}: a <{shape.tag:.40}> (want boxes and four-point polygons)")


def _boxed(shape: Element, name: str, where: str) -> LabelledCard:
    sides = [shape.get(side, "") for side in ("xtl", "ytl", "xbr", "ybr")]
    x0, y0, x1, y1 = finite(sides, 4, f"{where}: box of {name!r:.20}")
    (turn,) = finite([shape.get("rotation", "0")], 1, where)
    if turn:
        cx, cy, c, s = (
            (x0 + x1) / 2,
            (y0 + y1) / 2,
            math.cos(math.radians(turn)),
            math.sin(math.radians(turn)),
        )
        around = [(x - cx, y - cy) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
        turned = [v for x, y in around for v in (cx + c * x - s * y, cy + s * x + c * y)]
        return LabelledCard(card=name, quad_px=quad_of(turned, where))
    box: Box = (x0, y0, x1, y1)
    kinds = [a.text for a in shape.findall("attribute") if a.get("name") == "box_kind"]
    return LabelledCard(card=name, box_px=box, box_kind="corner" if kinds == ["corner"] else "card")


def write_cvat(pictures: tuple[LabelledPicture, ...], out: Path) -> Path:
    """Write ``annotations.xml`` into ``out``."""
    tree = Element("annotations")
    SubElement(tree, "version").text = "1.1"
    labels = SubElement(SubElement(SubElement(tree, "meta"), "task"), "labels")
    for name in class_names(pictures):
        label = SubElement(labels, "label")
        SubElement(label, "name").text = name
        _declare_box_kind(SubElement(label, "attributes"))
    for number, picture in enumerate(pictures):
        image = SubElement(tree, "image", _image_attributes(picture, number))
        for card in placed_cards(picture):
            _write_shape(image, card)
    indent(tree)
    path = out / CVAT_NAME
    path.write_bytes(tostring(tree, encoding="utf-8", xml_declaration=True) + b"\n")
    return path


def _declare_box_kind(attributes: Element) -> None:
    attribute = SubElement(attributes, "attribute")
    for key, value in {
        "name": "box_kind",
        "mutable": "False",
        "input_type": "select",
        "default_value": "card",
        "values": "card\ncorner",
    }.items():
        SubElement(attribute, key).text = value


def _image_attributes(picture: LabelledPicture, number: int) -> dict[str, str]:
    sizes = {"width": str(picture.width), "height": str(picture.height)}
    texts = {name: value for name in META_FIELDS if (value := getattr(picture, name))}
    subset = {"subset": picture.split} if picture.split else {}
    complete = {"classes_complete": "true" if picture.is_complete else "false"}
    return {"id": str(number), "name": picture.image, **sizes, **subset, **texts, **complete}


def _write_shape(image: Element, card: LabelledCard) -> None:
    drawn = {"label": card.card, "source": "manual", "occluded": "0", "z_order": "0"}
    if card.quad_px is not None:
        points = ";".join(f"{x!r},{y!r}" for x, y in card.quad_px)
        SubElement(image, "polygon", drawn | {"points": points})
        return
    assert card.box_px is not None
    sides = dict(zip(("xtl", "ytl", "xbr", "ybr"), (repr(v) for v in card.box_px), strict=True))
    box = SubElement(image, "box", drawn | sides)
    SubElement(box, "attribute", {"name": "box_kind"}).text = card.box_kind or "card"
