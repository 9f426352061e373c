"""Our own format: one JSON object a line, one line a picture."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from datasets.formats.labels import (
    META_FIELDS,
    BoxKind,
    FormatError,
    LabelledCard,
    LabelledPicture,
    LabelledSet,
    Quad,
    card_name_of,
    finite,
    inner_path,
    pixels,
    quad_of,
    read_text,
)
from referee.codec import wanted_json

INDEX_NAME = "index.jsonl"


def read_index_set(index: Path) -> LabelledSet:
    """The labelled pictures of an index file. Raises ``FormatError``."""
    return LabelledSet(root=index.parent, pictures=tuple(_pictures(index)))


def _pictures(index: Path) -> Iterator[LabelledPicture]:
    for number, line in enumerate(read_text(index).splitlines(), 1):
        where = f"{index}, line {number}"
        if not line.strip():
            continue
        row = parse_json(line, where)
        if not isinstance(row, dict) or not isinstance(row.get("cards"), list):
            raise FormatError(f"{where}: want an object with image, width, height and a list of cards")
        yield LabelledPicture(
            image=inner_path(row.get("image"), where),
            width=pixels(row.get("width"), where),
            height=pixels(row.get("height"), where),
            cards=tuple(_card(card, where) for card in row["cards"]),
            split=str(row.get("split", "")),
            is_complete=bool(row.get("classes_complete", True)),
            **{name: str(row.get(name, "")) for name in META_FIELDS},
        )


def parse_json(text: str, where: str) -> Any:  # noqa: ANN401  # whatever the file holds; callers check it
    """``text`` as JSON; ``FormatError`` where it is none, or nested out of all measure."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{where}: not JSON ({error.msg}, line {error.lineno})") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON: want it {wanted_json(error)}") from None


def _card(card: object, where: str) -> LabelledCard:
    if not isinstance(card, dict) or not isinstance(card.get("card"), str):
        raise FormatError(f"{where}: want cards as objects with a name, got {card!r:.60}")
    box, quad, kind = card.get("box_px"), card.get("quad_px"), card.get("box_kind")
    if kind not in {None, "card", "corner"}:
        raise FormatError(f"{where}: box_kind {kind!r:.40} (want 'card' or 'corner')")
    return LabelledCard(
        card=card_name_of(card["card"]) or card["card"],
        box_px=None if box is None else cast("tuple[float, float, float, float]", finite(box, 4, where)),
        box_kind=cast("BoxKind | None", kind),
        quad_px=None if quad is None else _quad(quad, where),
    )


def _quad(quad: object, where: str) -> Quad:
    if not isinstance(quad, list) or not all(isinstance(point, list) for point in quad):
        raise FormatError(f"{where}: want quad_px as four points, got {quad!r:.60}")
    return quad_of([number for point in quad for number in point], where)


def write_index(pictures: tuple[LabelledPicture, ...], out: Path) -> Path:
    """Write ``index.jsonl`` into ``out``."""
    path = out / INDEX_NAME
    path.write_text("".join(json.dumps(_row(picture)) + "\n" for picture in pictures))
    return path


def _row(picture: LabelledPicture) -> dict[str, object]:
    split = {"split": picture.split} if picture.split else {}
    return {
        "image": picture.image,
        "width": picture.width,
        "height": picture.height,
        **{name: getattr(picture, name) for name in META_FIELDS},
        "classes_complete": picture.is_complete,
        **split,
        "cards": [_card_row(card) for card in picture.cards],
    }


def _card_row(card: LabelledCard) -> dict[str, object]:
    row: dict[str, object] = {"card": card.card}
    if card.box_px is not None:
        row["box_px"] = list(card.box_px)
    if card.box_kind is not None:
        row["box_kind"] = card.box_kind
    if card.quad_px is not None:
        row["quad_px"] = [list(point) for point in card.quad_px]
    return row
