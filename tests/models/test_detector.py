"""The shipped detector on pictures that this project draws."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.drawn_deck import draw_back, draw_face, random_style
from models import load_detector
from models.classes import CARD_NAMES, READER_NAMES
from models.detector_settings import DetectorSettings
from models.onnx_detector import OnnxDetector
from referee.cards import Card

pytestmark = pytest.mark.weights

CARD_PX = 200
STYLE = random_style(np.random.default_rng(1_000_077))


@pytest.fixture(scope="module")
def detector() -> OnnxDetector:
    return load_detector()


def laid_out(pictures: list[np.ndarray]) -> np.ndarray:
    """Card pictures in a row on green felt."""
    table = np.full((CARD_PX + 120, 60 + len(pictures) * 200, 3), (60, 110, 40), np.uint8)
    for i, card in enumerate(pictures):
        height, width = card.shape[:2]
        region = table[60 : 60 + height, 50 + i * 200 : 50 + i * 200 + width]
        alpha = card[..., 3:].astype(float) / 255
        region[:] = region * (1 - alpha) + card[..., :3] * alpha
    return np.asarray(cv2.GaussianBlur(table, (3, 3), 0), np.uint8)


def test_threads_that_wait_for_work_sleep(detector: OnnxDetector) -> None:
    session = detector._reader

    options = session.get_session_options()

    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"


def test_faces_and_backs_are_named_where_they_lie(detector: OnnxDetector) -> None:
    names = ["AS", "9H", "KC", "TD"]
    pictures = [draw_face(Card.parse(name), STYLE, CARD_PX) for name in names] + [draw_back(STYLE, CARD_PX)]

    found = detector.detect(laid_out(pictures))

    order = np.argsort(found.corners_px[:, :, 0].mean(axis=1))
    assert [found.names[i] for i in order] == [*names, "BACK"]
    middles = found.corners_px[order].mean(axis=1)[:, 0]
    assert middles == pytest.approx([50 + i * 200 + 72 for i in range(5)], abs=10)


@pytest.mark.parametrize("squeezed", [(0.5625, 1.0), (1.0, 0.5625)])
def test_the_cards_of_a_squeezed_picture_are_found_where_they_lie_in_it(
    detector: OnnxDetector, squeezed: tuple[float, float]
) -> None:
    names = ["7C", "7S", "8D", "QC"]
    table = laid_out([draw_face(Card.parse(name), STYLE, CARD_PX) for name in names])
    picture = cv2.resize(table, None, fx=squeezed[0], fy=squeezed[1], interpolation=cv2.INTER_AREA)

    found = detector.detect(np.asarray(picture, np.uint8))

    order = np.argsort(found.corners_px[:, :, 0].mean(axis=1))
    assert [found.names[i] for i in order] == names
    middles = found.corners_px[order].mean(axis=1) / squeezed
    assert middles[:, 0] == pytest.approx([50 + i * 200 + 72 for i in range(4)], abs=10)
    assert middles[:, 1] == pytest.approx([60 + CARD_PX / 2] * 4, abs=10)


def test_an_empty_table_holds_no_card(detector: OnnxDetector) -> None:
    noise = np.random.default_rng(3).normal(110, 6, (480, 640, 3)).clip(0, 255).astype(np.uint8)

    assert len(detector.detect(noise)) == 0


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 900, 3), (33, 31, 3)])
def test_pictures_of_any_size_are_taken(detector: OnnxDetector, shape: tuple[int, int, int]) -> None:
    assert len(detector.detect(np.zeros(shape, np.uint8))) == 0


def test_a_view_without_a_face_is_read_as_a_negative(detector: OnnxDetector) -> None:
    face = cv2.resize(
        draw_face(Card.parse("9H"), STYLE, 176)[..., :3], (88, 122), interpolation=cv2.INTER_AREA
    )
    view = np.full((128, 96, 3), 114, np.uint8)
    view[3:125, 4:92] = np.repeat(255 - face.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)

    plain = OnnxDetector(DetectorSettings(negative=False)).read(view[None])[0, :52].max()
    surest = detector.read(view[None])[0]

    assert surest[:52].max() >= max(plain, detector.settings.read)
    assert READER_NAMES[int(surest.argmax())] == "9H"


def test_a_grey_picture_is_refused(detector: OnnxDetector) -> None:
    with pytest.raises(ValueError, match=r"want uint8 \(h, w, 3\)"):
        detector.detect(np.zeros((10, 10), np.uint8))


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no weights at .*locator\.onnx"):
        OnnxDetector(weights=tmp_path).detect(np.zeros((64, 64, 3), np.uint8))


def test_the_reader_knows_every_name_once() -> None:
    assert len(set(READER_NAMES)) == len(READER_NAMES) == len(CARD_NAMES) + 1 == 56
