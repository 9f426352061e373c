"""``touchjudge deck``: enrolling, listing, and whose a back is."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

import models
from api import cli
from api.table_plan import CornersInPicture, table_text
from datasets.drawn_deck import draw_back, random_style
from models.classes import CLASS_ID
from models.detections import Detections

pytestmark = pytest.mark.weights

VIEW = CornersInPicture((320, 240), ((0.0, 0.0), (320.0, 0.0), (320.0, 240.0), (0.0, 240.0)))
LEFT = [[30, 40], [156, 40], [156, 216], [30, 216]]
RIGHT = [[200, 40], [326, 40], [326, 216], [200, 216]]


class SeesBacks:
    """Finds backs where the pictures of this test have them."""

    def __init__(self, *quads: list[list[int]]) -> None:
        self._quads = quads

    def detect(self, _image_bgr: np.ndarray) -> Detections:
        n = len(self._quads)
        return Detections(
            corners_px=np.array(self._quads, np.float32).reshape(n, 4, 2),
            class_id=np.full(n, CLASS_ID["BACK"], np.int16),
            confidence=np.full(n, 0.9, np.float32),
        )


def photograph(path: Path, *seeds: int) -> Path:
    """Backs side by side on a green table."""
    table = np.full((260, 360, 3), (60, 110, 70), np.uint8)
    for seed, quad in zip(seeds, (LEFT, RIGHT), strict=False):
        (x0, y0), (x1, y1) = quad[0], quad[2]
        back = draw_back(random_style(np.random.default_rng(seed)), 352)[..., :3]
        table[y0:y1, x0:x1] = cv2.resize(back, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(path), table)
    return path


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models, "load_detector", lambda: SeesBacks(LEFT))
    photograph(tmp_path / "ana.png", 1)
    photograph(tmp_path / "ben.png", 2)
    return tmp_path


def enrol(name: str, picture: str, *more: str) -> int:
    return cli.run(["deck", "enrol", name, "--back", picture, *more])


@pytest.mark.parametrize("file", ["decks.toml", "decks.json"])
def test_each_back_in_view_is_its_players(
    room: Path, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photograph(room / "both.png", 2, 5)
    assert enrol("Ana", "ana.png", "--out", file) == 0
    assert enrol("Ben", "ben.png", "--out", file) == 0
    monkeypatch.setattr(models, "load_detector", lambda: SeesBacks(LEFT, RIGHT))
    capsys.readouterr()

    status = cli.run(["deck", "whose", "both.png", "--backs", file, "--json"])

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert status == 0
    assert [row["player"] for row in rows] == ["Ben", None]
    assert rows[0]["quad"] == LEFT


def test_plain_decks_are_told_by_their_colour(
    room: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shade = np.linspace(0.75, 1.1, 260)[:, None, None]
    for name, colour in {"teal.png": (150, 160, 60), "wine.png": (60, 30, 120)}.items():
        table = np.full((260, 360, 3), (90, 140, 190), np.float64)
        table[40:216, 30:156] = colour
        cv2.imwrite(name, np.clip(table * shade, 0, 255).astype(np.uint8))
    assert enrol("Ana", "teal.png") == 0
    assert enrol("Ben", "wine.png") == 0
    dimmer = np.clip(cv2.imread("wine.png") * [0.75, 0.7, 0.65] + 5, 0, 255)
    cv2.imwrite("later.png", dimmer.astype(np.uint8))
    monkeypatch.setattr(models, "load_detector", lambda: SeesBacks(LEFT))
    capsys.readouterr()

    status = cli.run(["deck", "whose", "later.png", "--json"])

    assert status == 0
    assert json.loads(capsys.readouterr().out)["player"] == "Ben"


def test_the_list_says_what_is_alike(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    enrol("Ana", "ana.png")
    enrol("Ben", "ben.png")
    capsys.readouterr()

    status = cli.run(["deck", "list", "--json"])

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert status == 0
    assert [(row["player"], row["most_like"]) for row in rows] == [("Ana", "Ben"), ("Ben", "Ana")]
    assert rows[0]["likeness"] == rows[1]["likeness"] < 0.75


def test_two_equal_backs_are_refused_with_a_picture(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    enrol("Ana", "ana.png")
    before = (room / "decks.toml").read_text()

    status = enrol("Ben", "ana.png", "--why", "why.png")

    error = capsys.readouterr().err
    assert status == 1
    assert error.startswith("touchjudge: the back of Ben is too like that of Ana")
    assert error.count("\n") == 1
    shown = cv2.imread("why.png")
    assert shown.shape[0] == 352
    assert np.array_equal(shown[:, :252], shown[:, -252:])
    assert (room / "decks.toml").read_text() == before


def test_a_table_has_its_file_beside_it(room: Path) -> None:
    (room / "kitchen.toml").write_text(table_text("kitchen", ("Ana", "Ben"), VIEW))

    assert enrol("Ana", "ana.png", "--table", "kitchen.toml") == 0
    assert (room / "kitchen.backs.toml").is_file()


CORNERS = " ".join(f"{x},{y}" for x, y in LEFT)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        pytest.param(["Ana", "--back", "none.png"], 2, "No such file", id="no picture"),
        pytest.param(["", "--back", "ana.png"], 2, "want a name", id="no name"),
        pytest.param(["A\x1bna", "--back", "ana.png"], 2, "control characters", id="a name with controls"),
        pytest.param(
            ["Ana", "--back", "ana.png", "--out", "a.txt"], 2, ".toml or .json", id="another suffix"
        ),
        pytest.param(["Ana", "--back", "ana.png", "--quad", "1,2"], 2, "four corners", id="one corner"),
        pytest.param(
            ["Ana", "--back", "ana.png", "--quad", "0,0 9,0 9,9 0,9"], 1, "px wide", id="far too small"
        ),
        pytest.param(
            ["Ana", "--back", "ana.png", "--quad", "0,0 350,0 350,80 0,80"], 1, "not seen whole", id="strip"
        ),
        pytest.param(["Ana", "--back", "ana.png", "--table", "none.toml"], 2, "no such file", id="no table"),
        pytest.param(
            ["Zoe", "--back", "ana.png", "--table", "t.toml"], 2, "no player 'Zoe'", id="not at the table"
        ),
        pytest.param(
            ["Ana", "--back", "ana.png", "--table", "t.toml", "--out", "a.toml"], 2, "either", id="both"
        ),
        pytest.param(
            ["Ana", "--back", "ana.png", "--out", "broken.toml"], 2, "broken.toml", id="a broken file"
        ),
        pytest.param(["Ana", "--back", "black.png", "--quad", CORNERS], 1, "too dark", id="in the dark"),
        pytest.param(["Ana", "--back", "plain.png", "--quad", CORNERS], 1, "is plain", id="no pattern"),
    ],
)
def test_what_cannot_be_enrolled(
    room: Path, arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (room / "t.toml").write_text(table_text("kitchen", ("Ana", "Ben"), VIEW))
    (room / "broken.toml").write_text("format = 9")
    cv2.imwrite("black.png", np.zeros((260, 360, 3), np.uint8))
    cv2.imwrite("plain.png", np.full((260, 360, 3), (160, 180, 70), np.uint8))

    found = cli.run(["deck", "enrol", *arguments])

    error = capsys.readouterr().err
    assert found == status
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("quads", "said"), [((), "no back found"), ((LEFT, RIGHT), "2 backs")], ids=["none", "two as large"]
)
def test_which_back_is_meant_must_be_plain(
    room: Path,
    quads: tuple[list[list[int]], ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(models, "load_detector", lambda: SeesBacks(*quads))

    assert enrol("Ana", "ana.png") == 1
    assert said in capsys.readouterr().err
    assert not (room / "decks.toml").exists()
