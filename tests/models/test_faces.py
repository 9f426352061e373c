"""Faces of a deck, learnt as prototypes and mixed with the reader's word."""

import cv2
import numpy as np
import pytest

from datasets.drawn_deck import draw_face, random_style
from models.card_rows import CardRows
from models.classes import BACK, CARD_NAMES, READER_NAMES
from models.face_file import FaceFileError, StoredDeck, encoded, load_faces, save_faces
from models.face_looks import FaceCrop, Look, cut_face, looks_of
from models.faces import DeckFaces, FaceSettings
from models.laid_out import LaidOut
from referee.cards import Card

SETTINGS = FaceSettings(dimensions=24, views=0.6)
NAMES = ("6S", "9S", "2C", "TH", "QH", "KD")
STYLE = random_style(np.random.default_rng(1_000_003))


def crop_of(name: str) -> FaceCrop:
    face = draw_face(Card.parse(name), STYLE, 264)[..., :3]
    table = np.full((320, 260, 3), (60, 110, 40), np.uint8)
    height, width = face.shape[:2]
    table[30 : 30 + height, 30 : 30 + width] = face
    x, y = 30 + width, 30 + height
    return cut_face(name, table, np.array([[30, 30], [x, 30], [x, y], [30, y]], np.float32))


def features_of(views: np.ndarray) -> np.ndarray:
    """Stands for the reader's: the view coarsely, of both ways up, 256 numbers."""
    small = [cv2.resize(view, (12, 16), interpolation=cv2.INTER_AREA).astype(np.float32) for view in views]
    grey = np.stack([(view.mean(axis=2) - view.mean()) / (view.std() + 9) for view in small])
    red = np.stack([view[::2, ::2, 2] - view[::2, ::2].mean(axis=2) for view in small]) / 40
    flat = [np.concatenate([g.ravel(), r.ravel(), np.zeros(16)]) for g, r in zip(grey, red, strict=True)]
    turned = [
        np.concatenate([g[::-1, ::-1].ravel(), r[::-1, ::-1].ravel(), np.zeros(16)])
        for g, r in zip(grey, red, strict=True)
    ]
    return np.asarray((np.stack(flat) + np.stack(turned)) / 2, np.float32)


@pytest.fixture(scope="module")
def crops() -> list[FaceCrop]:
    return [crop_of(name) for name in NAMES]


@pytest.fixture(scope="module")
def faces(crops: list[FaceCrop]) -> DeckFaces:
    return DeckFaces.learnt(crops, features_of, SETTINGS)


def whole_views(crop: FaceCrop, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([view for look, view in looks_of(crop, rng) if look is Look.WHOLE])


def word(name: str, probability: float, views: int) -> np.ndarray:
    """What a reader says that is so sure of a name, and else of nothing."""
    said = np.full((views, len(READER_NAMES)), (1 - probability) / (len(READER_NAMES) - 1), np.float32)
    said[:, READER_NAMES.index(name)] = probability
    return said


def test_a_crop_holds_the_card_and_a_rim_around_it() -> None:
    crop = crop_of("QH")

    assert crop.px_per_mm == pytest.approx(3, abs=0.05)
    assert crop.image_bgr.shape == (288, 213, 3)
    assert crop.image_bgr[4, 100].tolist() == [60, 110, 40]


@pytest.mark.parametrize("name", NAMES)
def test_cards_that_are_left_unread_are_named_in_other_light(
    name: str, crops: list[FaceCrop], faces: DeckFaces
) -> None:
    views = whole_views(crops[NAMES.index(name)], seed=7)

    mixed = faces.mixed(word("??", 0.9, len(views)), features_of(views), SETTINGS)

    named = [CARD_NAMES[int(i)] for i in mixed[:, :52].argmax(axis=1)]
    assert named.count(name) >= 0.9 * len(views)
    assert mixed.sum(axis=1) == pytest.approx(1, abs=1e-4)


def test_what_is_not_of_the_deck_keeps_the_readers_word(faces: DeckFaces) -> None:
    noise = np.random.default_rng(5).integers(0, 256, (4, 128, 96, 3)).astype(np.uint8)
    said = word("7D", 0.8, 4)

    mixed = faces.mixed(said, features_of(noise) * 40, SETTINGS)

    assert mixed == pytest.approx(said, abs=1e-3)


def test_a_sure_back_stays_one(crops: list[FaceCrop], faces: DeckFaces) -> None:
    views = whole_views(crops[0], seed=7)

    mixed = faces.mixed(word(BACK, 0.97, len(views)), features_of(views), SETTINGS)

    assert (mixed.argmax(axis=1) == READER_NAMES.index(BACK)).all()


def test_the_same_pictures_teach_the_same(crops: list[FaceCrop], faces: DeckFaces) -> None:
    again = DeckFaces.learnt(crops, features_of, SETTINGS)

    assert np.array_equal(again.prototypes, faces.prototypes)


def test_one_card_is_no_deck(crops: list[FaceCrop]) -> None:
    with pytest.raises(ValueError, match="two or more different cards"):
        DeckFaces.learnt(crops[:1] * 2, features_of, SETTINGS)


def test_laid_out_cards_are_cut_in_order() -> None:
    quads = np.stack([np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32) + 70 * i for i in range(52)])
    laid = LaidOut(CardRows(quads, np.ones(52, bool)), ())

    crops = laid.crops(np.zeros((3700, 3700, 3), np.uint8))

    assert [crop.name for crop in crops] == list(CARD_NAMES[:52])


def test_a_deck_is_kept_and_read_again(tmp_path, crops: list[FaceCrop], faces: DeckFaces) -> None:
    deck = StoredDeck("skat", tuple(map(encoded, crops)), faces, "0" * 64)

    save_faces(deck, tmp_path / "skat.faces.json")
    again = load_faces(tmp_path / "skat.faces.json")

    assert (again.name, again.cards, again.reader_sha256) == ("skat", 6, "0" * 64)
    assert again.crops == deck.crops
    for part in ("projection", "prototypes", "class_id"):
        assert np.array_equal(getattr(again.faces, part), getattr(faces, part))


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        pytest.param(lambda t: t.replace('"format": 1', '"format": 2'), "format: want 1", id="later"),
        pytest.param(lambda t: t.replace('"deck": "skat"', '"deck": "../x"'), "deck: ", id="a path as name"),
        pytest.param(
            lambda t: t.replace('"deck": "skat"', '"deck": "skat", "dekc": 1'),
            "want format, deck, cards and learnt",
            id="key",
        ),
        pytest.param(lambda t: t.replace('"6S"', '"1S"', 1), "cards.0.card: ", id="no such card"),
        pytest.param(
            lambda t: t.replace('"dimensions": 24', '"dimensions": 25'), "bytes of numbers", id="size"
        ),
        pytest.param(lambda t: t[:-9], "want a deck's faces", id="cut short"),
        pytest.param(lambda _: "\x00", "want a deck's faces", id="no JSON"),
    ],
)
def test_files_that_do_not_hold_are_refused_in_one_line(
    change, wanted: str, tmp_path, crops: list[FaceCrop], faces: DeckFaces
) -> None:
    path = tmp_path / "skat.faces.json"
    save_faces(StoredDeck("skat", tuple(map(encoded, crops)), faces, "0" * 64), path)
    path.write_text(change(path.read_text()))

    with pytest.raises(FaceFileError) as failure:
        load_faces(path)

    assert wanted in str(failure.value)
    assert "\n" not in str(failure.value)
