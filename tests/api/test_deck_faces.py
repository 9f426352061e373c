"""``touchjudge deck enrol --faces``: a deck that is misread, from photographs of its cards."""

import json
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

import api.commands.deck_faces
import models.enrolled
from api import cli
from api.decks import deck_file
from api.errors import MisuseError
from datasets.drawn_deck import draw_face, random_style
from models.classes import CARD_NAMES, READER_NAMES
from models.enrolled import EnrolledDetector, ReaderLook
from models.face_file import load_faces, save_faces
from models.locating import Boxes, Located
from referee.cards import FACES

CARD_WH_PX = (84, 116)
STYLE = random_style(np.random.default_rng(1_000_011))


class SeesWhite(EnrolledDetector):
    """Finds cards by their white stock; its features are the view itself, coarsely. It names no card."""

    def locate(self, image_bgr: np.ndarray) -> Located:
        white = (image_bgr.min(axis=2) > 150).astype(np.uint8)
        closed = cv2.morphologyEx(white, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
        outlines, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        quads = [cv2.boxPoints(cv2.minAreaRect(outline)) for outline in outlines]
        quads = [quad for quad in quads if cv2.contourArea(quad) > 2000]
        found = np.array(quads, np.float32).reshape(-1, 4, 2)
        return Located(Boxes(found, np.ones(len(found), np.float32)), Boxes.none())

    def align(self, _image_bgr: np.ndarray, boxes_px: np.ndarray) -> np.ndarray:
        return boxes_px

    def look(self, views: np.ndarray) -> ReaderLook:
        features = np.zeros((len(views), 256), np.float32)
        for row, view in zip(features, views, strict=True):
            small = cv2.resize(view, (12, 16), interpolation=cv2.INTER_AREA).astype(np.float32)
            grey = (small.mean(axis=2) - small.mean()) / (small.std() + 9)
            redness = (small[::2, ::2, 2] - small[::2, ::2].mean(axis=2)) / 40
            row[:192] = (grey + grey[::-1, ::-1]).ravel() / 2
            row[192:240] = (redness + redness[::-1, ::-1]).ravel() / 2
        said = np.full((len(views), len(READER_NAMES)), 0.5 / 55, np.float32)
        said[:, READER_NAMES.index("??")] = 0.5
        return ReaderLook(said, features)

    @property
    def reader_sha256(self) -> str:
        return "5" * 64


def photograph(path: Path, *, columns: int = 13, rows: int = 4) -> Path:
    """Cards of a drawn deck in rows on a green table."""
    wide, tall = CARD_WH_PX
    table = np.full((40 + rows * (tall + 20), 40 + columns * (wide + 14), 3), (60, 110, 70), np.uint8)
    for place, card in enumerate(FACES[: rows * columns]):
        face = cv2.resize(draw_face(card, STYLE, 352)[..., :3], CARD_WH_PX, interpolation=cv2.INTER_AREA)
        x, y = 20 + place % columns * (wide + 14), 20 + place // columns * (tall + 20)
        table[y : y + tall, x : x + wide] = face
    cv2.imwrite(str(path), table)
    return path


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models.enrolled, "EnrolledDetector", SeesWhite)
    photograph(tmp_path / "rows.png")
    return tmp_path


def test_a_deck_is_learnt_shown_measured_listed_and_found_by_name(
    room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = cli.run(["deck", "enrol", "skat", "--faces", "rows.png"])

    told = capsys.readouterr().out
    assert "52 cards found; check the names in skat.faces.png" in told
    assert "altered views of the same picture" in told
    assert "confused: 6/9" in told
    assert status == (0 if "pass:" in told else 1)
    assert cv2.imread("skat.faces.png") is not None
    assert load_faces(room / "skat.faces.json").cards == 52
    assert deck_file("skat") == Path("skat.faces.json")

    assert cli.run(["deck", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"deck": "skat", "cards": 52, "file": "skat.faces.json"}


def film(path: Path, picture: Path, frames: int) -> None:
    """A clip that shows one picture."""
    image = cv2.imread(str(picture))
    even = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10, options={"qscale": "2"})
        stream.height, stream.width = even.shape[:2]
        for _ in range(frames):
            for packet in stream.encode(av.VideoFrame.from_ndarray(even, format="bgr24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def test_of_a_clip_the_second_half_is_for_measuring(
    room: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(api.commands.deck_faces, "FRAMES_OF_A_CLIP", 2)
    film(room / "rows.mp4", room / "rows.png", frames=8)

    cli.run(["deck", "enrol", "skat", "--faces", "rows.mp4", "--draw", "seen.png"])

    told = capsys.readouterr().out
    assert "rows.mp4, frame 2: 52 cards found; check the names in seen-1.png" in told
    assert "rows.mp4, frame 6: 52 cards found; check the names in seen-2.png" in told
    assert "measured on pictures that were kept out" in told
    assert len(load_faces(room / "skat.faces.json").crops) == 52


def test_a_deck_of_other_weights_is_learnt_again(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["deck", "enrol", "skat", "--faces", "rows.png"])
    deck = load_faces(room / "skat.faces.json")
    object.__setattr__(deck, "reader_sha256", "0" * 64)
    save_faces(deck, room / "skat.faces.json")
    capsys.readouterr()

    status = cli.run(["detect", "rows.png", "--deck", "skat", "--json"])

    seen = capsys.readouterr()
    assert status == 0
    assert "skat.faces.json was enrolled with other weights: learning it again" in seen.err
    assert load_faces(room / "skat.faces.json").reader_sha256 == "5" * 64
    named = [card["card"] for card in json.loads(seen.out)["cards"]]
    assert len(set(named) & set(CARD_NAMES[:52])) > 20  # the features here are coarse


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        pytest.param(
            ["--faces", "half.png"], 1, "half.png: want the 52 cards in four rows", id="half a deck"
        ),
        pytest.param(["--faces", "rows.png", "--back", "rows.png"], 2, "either --back or --faces", id="both"),
        pytest.param(
            ["--measure", "rows.png"], 2, "--measure and --draw go with --faces", id="none to learn"
        ),
        pytest.param([], 2, "want --back PICTURE, or --faces PICTURE", id="nothing"),
        pytest.param(["--faces", "rows.png", "--out", "x.json"], 2, "ends in .faces.json", id="another name"),
        pytest.param(["--faces", "no.png"], 2, "no.png", id="no picture"),
    ],
)
def test_what_cannot_be_meant_is_one_line(
    arguments: list[str], status: int, told: str, room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photograph(room / "half.png", rows=2)

    assert cli.run(["deck", "enrol", "skat", *arguments]) == status

    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not (room / "skat.faces.json").exists()


def test_names_that_are_paths_are_refused(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["deck", "enrol", "../skat", "--faces", "rows.png"]) == 2

    assert "want a deck's name of letters, digits, - and _" in capsys.readouterr().err


def test_a_deck_that_nobody_enrolled_is_named(room: Path) -> None:
    with pytest.raises(MisuseError, match=r"no deck 'jass' \(want one made by 'touchjudge deck enrol jass"):
        deck_file("jass", beside=room / "tables" / "t.toml")
