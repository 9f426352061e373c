"""The lint of labelled sets."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.formats.labels import LabelledCard, LabelledPicture, LabelledSet
from datasets.formats.lint import Fault, contradictions, lint
from models.classes import CLASS_ID
from models.detections import Detections

WIDTH, HEIGHT = 160, 120
GOOD = LabelledCard(card="9H", box_px=(10.0, 10.0, 60.0, 80.0), box_kind="card")


def picture(name: str, *cards: LabelledCard, split: str = "", group: str = "") -> LabelledPicture:
    return LabelledPicture(image=name, width=WIDTH, height=HEIGHT, cards=cards, split=split, group=group)


def draw(path: Path, seed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    coarse = np.random.default_rng(seed).integers(0, 255, (9, 12, 3), np.uint8)
    cv2.imwrite(str(path), cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC))


def faults(root: Path, *pictures: LabelledPicture) -> list[tuple[Fault, str]]:
    return [(f.fault, f.image) for f in lint(LabelledSet(root=root, pictures=pictures))]


def detections(*cards: tuple[str, float, tuple[float, float, float, float]]) -> Detections:
    boxes = [[(x0, y0), (x1, y0), (x1, y1), (x0, y1)] for _, _, (x0, y0, x1, y1) in cards]
    return Detections(
        corners_px=np.array(boxes, np.float32).reshape(-1, 4, 2),
        class_id=np.array([CLASS_ID[name] for name, _, _ in cards], np.int16),
        confidence=np.array([confidence for _, confidence, _ in cards], np.float32),
    )


def test_a_good_set_has_nothing_wrong(tmp_path: Path) -> None:
    for i in range(4):
        draw(tmp_path / f"{i}.png", i)

    assert faults(tmp_path, *(picture(f"{i}.png", GOOD, split="train") for i in range(4))) == []


@pytest.mark.parametrize(
    ("card", "fault"),
    [
        pytest.param(LabelledCard(card="dog"), Fault.CLASS, id="no card's name"),
        pytest.param(LabelledCard(card="9H", box_px=(50, 10, 20, 80)), Fault.BOX, id="right before left"),
        pytest.param(LabelledCard(card="9H", box_px=(50, 10, 51, 80)), Fault.BOX, id="next to no width"),
        pytest.param(LabelledCard(card="9H", box_px=(300, 10, 350, 80)), Fault.BOX, id="outside"),
        pytest.param(LabelledCard(card="9H", box_px=(0, 0, 900, 900)), Fault.BOX, id="beyond the picture"),
        pytest.param(
            LabelledCard(card="9H", quad_px=((0, 0), (60, 60), (60, 0), (0, 60))), Fault.BOX, id="a bow tie"
        ),
    ],
)
def test_an_impossible_label(tmp_path: Path, card: LabelledCard, fault: Fault) -> None:
    draw(tmp_path / "a.png", 0)

    assert faults(tmp_path, picture("a.png", card)) == [(fault, "a.png")]


def test_one_card_labelled_twice(tmp_path: Path) -> None:
    draw(tmp_path / "a.png", 0)

    assert faults(tmp_path, picture("a.png", GOOD, GOOD)) == [(Fault.TWICE, "a.png")]


def test_missing_extra_broken_and_resized_pictures(tmp_path: Path) -> None:
    for seed, name in enumerate(("a.png", "extra.png", "small.png")):
        draw(tmp_path / name, seed)
    (tmp_path / "broken.png").write_bytes(b"no picture")
    shrunk = cv2.resize(cv2.imread(str(tmp_path / "small.png")), (80, 60))
    cv2.imwrite(str(tmp_path / "small.png"), shrunk)

    found = faults(tmp_path, *(picture(f"{name}.png") for name in ("a", "missing", "broken", "small")))

    assert set(found) == {
        (Fault.EXTRA, "extra.png"),
        (Fault.MISSING, "missing.png"),
        (Fault.BROKEN, "broken.png"),
        (Fault.SIZE, "small.png"),
    }


def test_equal_and_nearly_equal_pictures(tmp_path: Path) -> None:
    draw(tmp_path / "a.png", 1)
    shutil.copy(tmp_path / "a.png", tmp_path / "b.png")
    again = cv2.imread(str(tmp_path / "a.png"))
    cv2.imwrite(str(tmp_path / "c.jpg"), again, [cv2.IMWRITE_JPEG_QUALITY, 60])
    names = "a.png", "b.png", "c.jpg"

    same = faults(tmp_path, *(picture(name, split="train") for name in names))
    leaking = faults(tmp_path, *(picture(name, split=name[0].replace("c", "val")) for name in names))

    assert same == [(Fault.DUPLICATE, "a.png"), (Fault.NEAR, "a.png"), (Fault.NEAR, "b.png")]
    assert {fault for fault, _ in leaking} == {Fault.LEAK}


def test_one_sitting_in_two_splits_is_a_leak(tmp_path: Path) -> None:
    for i, name in enumerate(("a.png", "b.png")):
        draw(tmp_path / name, i)

    found = faults(
        tmp_path,
        picture("a.png", split="train", group="evening"),
        picture("b.png", split="val", group="evening"),
    )

    assert found == [(Fault.LEAK, "a.png")]


IN_PLACE, ELSEWHERE = (8.0, 8.0, 64.0, 84.0), (90.0, 10.0, 140.0, 80.0)


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        pytest.param([("9H", 0.99, IN_PLACE)], [], id="the model agrees"),
        pytest.param([("6H", 0.99, IN_PLACE)], ["9H is read as 6H"], id="another name in that place"),
        pytest.param([("6H", 0.5, IN_PLACE)], [], id="it is not sure"),
        pytest.param([("2C", 0.99, ELSEWHERE)], ["2C is read and not labelled"], id="a card without a label"),
        pytest.param([("BACK", 0.99, ELSEWHERE)], [], id="backs may be unlabelled"),
    ],
)
def test_what_models_contradict(cards: list[tuple[str, float, tuple[float, ...]]], said: list[str]) -> None:
    assert list(contradictions(picture("a.png", GOOD), detections(*cards))) == said
