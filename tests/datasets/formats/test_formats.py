"""Labelled sets in other programs' formats: there and back again, and files that mean harm."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.formats.convert import convert, read_set
from datasets.formats.labels import (
    Format,
    FormatError,
    LabelledCard,
    LabelledPicture,
    LabelledSet,
    card_name_of,
)

WIDTH, HEIGHT = 320, 200
QUAD = ((10.0, 20.0), (90.5, 25.0), (88.0, 140.25), (8.0, 130.0))


def picture_file(path: Path, seed: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(0, 255, (5, 8, 3), np.uint8)
    cv2.imwrite(str(path), cv2.resize(noise, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC))


def picture(name: str, *cards: LabelledCard, split: str = "train", **texts: str) -> LabelledPicture:
    return LabelledPicture(image=name, width=WIDTH, height=HEIGHT, cards=cards, split=split, **texts)


@pytest.fixture
def labelled(tmp_path: Path) -> LabelledSet:
    root = tmp_path / "in"
    pictures = (
        picture(
            "images/a.png",
            LabelledCard(card="9H", box_px=(5.0, 6.5, 100.0, 150.0), box_kind="card"),
            LabelledCard(card="BACK", quad_px=QUAD),
            source="someone/cards",
            deck="bicycle",
            view="topdown",
            licence="MIT",
            group="evening <1> & 2",
        ),
        picture(
            "images/b.png",
            LabelledCard(card="A?", box_px=(1.0, 2.0, 30.0, 60.0), box_kind="corner"),
            split="val",
            source="someone/cards",
        ),
        picture("images/empty.png", split="val", source="someone/cards"),
    )
    for number, each in enumerate(pictures):
        picture_file(root / each.image, number)
    return LabelledSet(root=root, pictures=pictures)


@pytest.mark.parametrize("form", [Format.INDEX, Format.COCO, Format.CVAT])
def test_nothing_is_lost_there_and_back(labelled: LabelledSet, form: Format, tmp_path: Path) -> None:
    made = convert(labelled, form, tmp_path / "out")

    again = read_set(made.labels)

    assert again.pictures == labelled.pictures
    assert (made.pictures, made.cards, made.unplaced) == (3, 3, 0)
    assert all((again.root / each.image).is_file() for each in again.pictures)


@pytest.mark.parametrize(("form", "corners"), [(Format.YOLO, 2), (Format.YOLO_OBB, 4)])
def test_yolo_keeps_classes_splits_and_places(
    labelled: LabelledSet, form: Format, corners: int, tmp_path: Path
) -> None:
    made = convert(labelled, form, tmp_path / "out")

    again = read_set(made.labels)

    assert [p.image for p in again.pictures] == [
        "images/train/a.png",
        "images/val/b.png",
        "images/val/empty.png",
    ]
    assert [p.split for p in again.pictures] == ["train", "val", "val"]
    assert [[c.card for c in p.cards] for p in again.pictures] == [["9H", "BACK"], ["A?"], []]
    assert all((card.quad_px is None) == (corners == 2) for p in again.pictures for card in p.cards)
    for before, after in zip(labelled.pictures, again.pictures, strict=True):
        for one, other in zip(before.cards, after.cards, strict=True):
            assert other.bounds_px == pytest.approx(one.bounds_px, abs=0.01)
            if corners == 4:
                assert np.ravel(other.corners_px) == pytest.approx(np.ravel(one.corners_px), abs=0.01)


def test_a_set_of_corner_boxes_stays_one_in_yolo(tmp_path: Path) -> None:
    card = LabelledCard(card="9H", box_px=(1.0, 2.0, 30.0, 60.0), box_kind="corner")
    picture_file(tmp_path / "in/images/a.png")
    given = LabelledSet(root=tmp_path / "in", pictures=(picture("images/a.png", card),))

    made = convert(given, Format.YOLO, tmp_path / "out")

    assert read_set(made.labels).pictures[0].cards[0].box_kind == "corner"


def test_labels_without_a_place_are_counted_where_they_are_left_out(tmp_path: Path) -> None:
    picture_file(tmp_path / "in/images/a.png")
    given = LabelledSet(root=tmp_path / "in", pictures=(picture("images/a.png", LabelledCard(card="9H")),))

    as_coco, as_index = (convert(given, f, tmp_path / f) for f in (Format.COCO, Format.INDEX))

    assert (as_coco.cards, as_coco.unplaced) == (0, 1)
    assert (as_index.cards, as_index.unplaced) == (1, 0)


def test_roboflow_folders_are_read(tmp_path: Path) -> None:
    for split in ("train", "valid"):
        picture_file(tmp_path / f"{split}/images/{split}.png")
        (tmp_path / f"{split}/labels").mkdir()
        (tmp_path / f"{split}/labels/{split}.txt").write_text("1 0.5 0.5 0.25 0.5\n")
    (tmp_path / "data.yaml").write_text(
        "train: ../train/images\nval: ../valid/images\nnames: ['10C', 'Ah']\n"
    )

    given = read_set(tmp_path)

    assert [(p.split, p.cards[0].card) for p in given.pictures] == [("train", "AH"), ("val", "AH")]
    assert given.pictures[0].cards[0].box_px == pytest.approx((120, 50, 200, 150))


def test_coco_split_folders_are_read(tmp_path: Path) -> None:
    content = {
        "images": [{"id": 1, "file_name": "a.png", "width": WIDTH, "height": HEIGHT}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4]}],
        "categories": [{"id": 7, "name": "queen of clubs"}],
    }
    for split in ("train", "valid"):
        picture_file(tmp_path / split / "a.png")
        (tmp_path / split / "_annotations.coco.json").write_text(json.dumps(content))

    given = read_set(tmp_path)

    assert [(p.image, p.split) for p in given.pictures] == [("train/a.png", "train"), ("valid/a.png", "val")]
    assert given.pictures[0].cards[0] == LabelledCard(card="QC", box_px=(1, 2, 4, 6), box_kind="card")


def test_a_turned_cvat_box_is_a_quad(tmp_path: Path) -> None:
    box = '<box label="2S" xtl="10" ytl="10" xbr="30" ybr="20" rotation="90"/>'
    image = f'<image id="0" name="a.png" width="{WIDTH}" height="{HEIGHT}">{box}</image>'
    (tmp_path / "annotations.xml").write_text(f"<annotations>{image}</annotations>")

    (card,) = read_set(tmp_path).pictures[0].cards

    assert np.ravel(card.quad_px) == pytest.approx([25, 5, 25, 25, 15, 25, 15, 5])


@pytest.mark.parametrize(
    "text", ["dog", "", "?", "??", "11H", "H9", "ace", "ace of dogs", "9H " * 9, "\ud800"]
)
def test_no_card(text: str) -> None:
    assert card_name_of(text) is None


def index_row(**changes: object) -> str:
    row = {"image": "a.png", "width": 9, "height": 9, "cards": [{"card": "9H", "box_px": [1, 2, 3, 4]}]}
    return json.dumps(row | changes)


def coco(**changes: object) -> str:
    content = {
        "images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 9}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}],
        "categories": [{"id": 1, "name": "9H"}],
    }
    return json.dumps(content | changes)


def cvat(inside: str = "", **changes: str) -> str:
    attributes = {"id": "0", "name": "a.png", "width": "9", "height": "9"} | changes
    written = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return f"<annotations><image {written}>{inside}</image></annotations>"


BOMB = '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><annotations>&b;</annotations>'
FETCH = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><annotations/>'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        pytest.param("index.jsonl", index_row()[:40], "line 1: not JSON", id="index: cut off"),
        pytest.param(
            "index.jsonl",
            "[" * 100_000,
            "line 1: not JSON: want it not nested so deep",
            id="index: brackets without end",
        ),
        pytest.param("index.jsonl", "[]", "want an object", id="index: a list"),
        pytest.param(
            "index.jsonl", index_row(image="../../etc/passwd"), "leads out", id="index: path upward"
        ),
        pytest.param("index.jsonl", index_row(image="/etc/passwd"), "leads out", id="index: absolute path"),
        pytest.param("index.jsonl", index_row(image="C:\\a.png"), "leads out", id="index: a drive"),
        pytest.param(
            "index.jsonl", index_row(image="a\\..\\..\\b.png"), "leads out", id="index: back slashes"
        ),
        pytest.param("index.jsonl", index_row(image="a\0.png"), "no file name", id="index: a zero byte"),
        pytest.param("index.jsonl", index_row(image=7), "no file name", id="index: a number for a name"),
        pytest.param("index.jsonl", index_row(width=float("nan")), "want 1 numbers", id="index: NaN pixels"),
        pytest.param("index.jsonl", index_row(height=10**9), "100000 pixels", id="index: endless picture"),
        pytest.param(
            "index.jsonl", index_row(cards=[{"card": "9H", "box_px": [1, 2, 3]}]), "4 numbers", id="three"
        ),
        pytest.param(
            "index.jsonl", index_row(cards=[{"card": "9H", "quad_px": 3}]), "four points", id="no quad"
        ),
        pytest.param("index.jsonl", index_row(cards=["9H"]), "want cards", id="index: names for cards"),
        pytest.param("annotations.json", coco()[:60], "not JSON", id="coco: cut off"),
        pytest.param(
            "annotations.json",
            "9" * 5000,
            "not JSON: want it with numbers of a usual length",
            id="coco: a number out of measure",
        ),
        pytest.param("annotations.json", coco(images=None), "want 'images'", id="coco: no images"),
        pytest.param("annotations.json", coco(images=[{"id": []}]), "id []", id="coco: a list for an id"),
        pytest.param("annotations.json", coco(categories=[]), "no category 1", id="coco: unknown category"),
        pytest.param(
            "annotations.json", coco(annotations=[{"image_id": 2}]), "no image 2", id="coco: no image"
        ),
        pytest.param("annotations.xml", cvat()[:40], "not XML", id="cvat: cut off"),
        pytest.param("annotations.xml", BOMB, "DOCTYPE", id="cvat: entities that grow"),
        pytest.param("annotations.xml", FETCH, "DOCTYPE", id="cvat: an entity from elsewhere"),
        pytest.param("annotations.xml", "<annotations>" + "<a>" * 50_000, "elements within", id="cvat: deep"),
        pytest.param("annotations.xml", cvat(name="../a.png"), "leads out", id="cvat: path upward"),
        pytest.param(
            "annotations.xml", cvat('<polygon label="9H" points="1,2"/>'), "8 numbers", id="cvat: 2 points"
        ),
        pytest.param("annotations.xml", cvat('<mask label="9H"/>'), "<mask>", id="cvat: a mask"),
        pytest.param("annotations.xml", "<annotations/>", "no <image>", id="cvat: none"),
        pytest.param("data.yaml", "names: [9H]\ntrain: /etc", "leads out", id="yolo: absolute path"),
        pytest.param("data.yaml", "names: [9H]\ntrain: a/../../..", "leads out", id="yolo: path upward"),
        pytest.param("data.yaml", "names: [9H]\ntrain: nowhere", "no folder", id="yolo: no folder"),
        pytest.param("data.yaml", "names: 9H\n", "want names", id="yolo: names without numbers"),
        pytest.param("data.yaml", "a: [\n", "not YAML", id="yolo: cut off"),
        pytest.param(
            "data.yaml", "!!python/object/apply:os.system ['true']", "not YAML", id="yolo: a program"
        ),
        pytest.param("data.yaml", "[" * 20_000, "not YAML", id="yolo: brackets without end"),
    ],
)
def test_a_hostile_file_gives_one_clear_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(FormatError, match=r"\A[^\n]*\Z") as raised:
        read_set(tmp_path / name)

    assert said in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    "line", ["0 1 2", "x 1 2 3 4", "0 a b c d", "0 nan 0 0 0", "-1 0 0 0 0", "99999999 0 0 0 0"]
)
def test_a_broken_yolo_line_is_named(tmp_path: Path, line: str) -> None:
    picture_file(tmp_path / "images/train/a.png")
    (tmp_path / "labels/train").mkdir(parents=True)
    (tmp_path / "labels/train/a.txt").write_text(f"0 0.5 0.5 0.1 0.1\n{line}\n")
    (tmp_path / "data.yaml").write_text("train: images/train\nnames: [9H]\n")

    with pytest.raises(FormatError, match="line 2"):
        read_set(tmp_path)


def test_a_link_out_of_the_set_is_not_followed(tmp_path: Path) -> None:
    picture_file(tmp_path / "secret.png")
    (tmp_path / "in/images").mkdir(parents=True)
    (tmp_path / "in/images/a.png").symlink_to(tmp_path / "secret.png")
    given = LabelledSet(root=tmp_path / "in", pictures=(picture("images/a.png"),))

    with pytest.raises(FormatError, match="leads out"):
        convert(given, Format.COCO, tmp_path / "out")


def _unknown_class(given: LabelledSet) -> LabelledSet:
    return LabelledSet(root=given.root, pictures=(picture("images/a.png", LabelledCard(card="dog")),))


def _one_name(given: LabelledSet) -> LabelledSet:
    return LabelledSet(root=given.root, pictures=(picture("images/a.png"), picture("a.png")))


def _no_picture(given: LabelledSet) -> LabelledSet:
    return LabelledSet(root=given.root, pictures=(picture("images/c.png"),))


@pytest.mark.parametrize(
    ("change", "said"),
    [(_unknown_class, "'dog'"), (_one_name, "would be called"), (_no_picture, "no picture")],
)
def test_what_cannot_be_converted(
    labelled: LabelledSet, change: Callable[[LabelledSet], LabelledSet], said: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=said):
        convert(change(labelled), Format.YOLO, tmp_path / "out")


def test_nothing_is_written_over(labelled: LabelledSet, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("kept")

    with pytest.raises(FormatError, match="is there already"):
        convert(labelled, Format.COCO, tmp_path / "out")

    assert [p.name for p in (tmp_path / "out").iterdir()] == ["mine.txt"]
