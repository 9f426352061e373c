"""Files that are not there, no files, damaged, or in the way: one line, the right status, nothing lost."""

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from api import cli

CORNERS = "0,0 1920,0 1920,1080 0,1080"


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The status, and the one line on standard error."""
    capsys.readouterr()
    status = cli.run(arguments)
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    return status, err


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with a table file and a photograph, in which the command is run."""
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("photo.png", np.full((1080, 1920, 3), 90, np.uint8))
    assert cli.run(["table", "new", "t.toml", "--corners", CORNERS]) == 0
    return tmp_path


# --- what is not there


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["watch", "nothing"], id="watch"),
        pytest.param(["watch", "nothing", "--table", "t.toml"], id="watch at a table"),
        pytest.param(["watch", "photo.png", "--table", "nothing"], id="a table"),
        pytest.param(["detect", "nothing"], id="detect"),
        pytest.param(["import", "nothing.zip"], id="import"),
        pytest.param(["serve", "nothing"], id="serve"),
        pytest.param(["serve", "--tournament", "nothing"], id="a tournament"),
        pytest.param(["judge", "nothing"], id="judge"),
        pytest.param(["verify", "nothing"], id="verify"),
        pytest.param(["verify", "nothing.zip"], id="verify a zip"),
        pytest.param(["export", "nothing", "out.zip"], id="export"),
        pytest.param(["review", "appeal", "nothing", "v1", "--player", "Ana"], id="review"),
        pytest.param(["table", "show", "nothing", "photo.png"], id="show a table"),
        pytest.param(["table", "show", "t.toml", "nothing.png"], id="show over a picture"),
        pytest.param(["table", "show", "t.toml", "nothing.mp4"], id="show over a film"),
        pytest.param(["deck", "enrol", "x", "--back", "nothing"], id="a back"),
        pytest.param(["deck", "enrol", "x", "--faces", "nothing"], id="faces"),
    ],
)
def test_a_file_that_is_not_there_is_misuse(inside: Path, capsys, arguments: list[str]):
    status, err = told(capsys, *arguments)

    assert (status, "nothing" in err) == (2, True), err


# --- pipes


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["verify", "pipe"], id="verify"),
        pytest.param(["judge", "pipe"], id="judge"),
        pytest.param(["export", "pipe", "out.zip"], id="export"),
        pytest.param(["import", "pipe"], id="import"),
        pytest.param(["serve", "pipe"], id="serve"),
        pytest.param(["serve", "--tournament", "pipe"], id="a tournament"),
        pytest.param(["review", "appeal", "pipe", "v1", "--player", "Ana"], id="review"),
        pytest.param(["detect", "pipe"], id="detect"),
        pytest.param(["table", "show", "pipe", "photo.png"], id="a table"),
    ],
)
def test_nobody_waits_for_a_pipe_into_which_nobody_writes(inside: Path, capsys, arguments: list[str]):
    os.mkfifo(inside / "pipe")

    status, err = told(capsys, *arguments)

    assert (status in {1, 2}, "pipe" in err) == (True, True), err


# --- zips


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("half.zip", b"PK\x03\x04" + bytes(300), id="cut off"),
        pytest.param("half", b"PK\x03\x04" + bytes(300), id="cut off, under another name"),
        pytest.param("empty.zip", b"", id="empty"),
        pytest.param("text.zip", b"hello\n", id="no zip at all"),
    ],
)
def test_a_damaged_zip_is_told_as_one(inside: Path, capsys, name: str, content: bytes):
    (inside / name).write_bytes(content)

    verified, imported = told(capsys, "verify", name), told(capsys, "import", name)

    assert (verified[0], imported[0]) == (1, 1)
    assert verified[1] == imported[1]
    assert f"{name}: not a whole zip" in verified[1]


def test_a_zip_is_no_record(inside: Path, capsys):
    (inside / "match.zip").write_bytes(b"PK\x03\x04" + bytes(300))

    assert "match.zip: a zip, not a record" in told(capsys, "judge", "match.zip")[1]


# --- what is in the way


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["table", "new", "mine"], id="table new"),
        pytest.param(["table", "markers", "mine.pdf"], id="table markers"),
        pytest.param(["table", "show", "t.toml", "mine.png", "--out", "mine.png"], id="over what is read"),
        pytest.param(
            ["deck", "enrol", "x", "--faces", "mine.png", "--draw", "mine.png"], id="over the faces"
        ),
    ],
)
def test_nothing_is_written_over(inside: Path, capsys, arguments: list[str]):
    for name in ("mine", "mine.pdf", "mine.png"):
        (inside / name).write_bytes(b"mine")

    status, _ = told(capsys, *arguments)

    assert status == 2
    assert [(inside / name).read_bytes() for name in ("mine", "mine.pdf", "mine.png")] == [b"mine"] * 3


# --- a table over a picture


def test_a_picture_at_an_address_is_asked_for_there(inside: Path, capsys):
    status, err = told(capsys, "table", "show", "t.toml", "http://127.0.0.1:9/photo.jpg")

    assert (status, "http://127.0.0.1:9/photo.jpg" in err) == (1, True), err


def test_a_picture_that_is_read_is_named_once(inside: Path, capsys):
    status, err = told(capsys, "table", "show", "t.toml", "photo.png", "--out", "photo.png")

    assert (status, err.count("photo.png")) == (2, 1), err


@pytest.mark.parametrize("name", ["photo.png", "photo.JPG", "jpeg", "png.bin"])
def test_a_table_is_shown_over_a_picture(inside: Path, name: str):
    picture = np.full((1080, 1920, 3), 90, np.uint8)
    for made, ending in (("photo.JPG", ".jpg"), ("jpeg", ".jpg"), ("png.bin", ".png")):
        (inside / made).write_bytes(cv2.imencode(ending, picture)[1].tobytes())

    assert cli.run(["table", "show", "t.toml", name, "--out", "out.png"]) == 0

    drawn = cv2.imread("out.png")
    assert drawn.shape == (720, 1280, 3)
    assert (drawn != 90).any(), "zones are drawn"


def test_a_picture_without_markers_is_told(inside: Path, capsys):
    assert cli.run(["table", "new", "marked.toml"]) == 0

    status, err = told(capsys, "table", "show", "marked.toml", "photo.png")

    assert (status, "photo.png: markers not found" in err) == (1, True), err


# --- one line


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--record", "/proc/nope/r.jsonl"], id="a folder that is not there"),
        pytest.param(["--record", "t.toml"], id="a file that is something else"),
    ],
)
def test_a_record_that_cannot_be_is_told_before_anything_else(inside: Path, capsys, arguments: list[str]):
    before = (inside / "t.toml").read_bytes()

    status, err = told(capsys, "demo", "--once", *arguments)

    assert (status in {1, 2}, "record" in err) == (True, True), err
    assert (inside / "t.toml").read_bytes() == before


def test_evidence_that_cannot_be_kept_is_told_before_anything_else(inside: Path, capsys):
    (inside / "folder").mkdir()
    (inside / "photo.png").rename("folder/a-000000us.png")

    status, err = told(capsys, "watch", "folder", "--table", "t.toml", "--serve", "--evidence", "t.toml")

    assert (status, "--evidence wants a folder" in err) == (2, True), err


def test_a_broken_picture_in_a_folder_is_one_line(inside: Path):
    (inside / "folder").mkdir()
    whole = (inside / "photo.png").read_bytes()
    (inside / "folder" / "a-000000us.png").write_bytes(whole[: len(whole) // 2])

    done = subprocess.run(
        [sys.executable, "-c", "from api import cli; cli.main()", "watch", "folder", "--table", "t.toml"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr


# --- options


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        pytest.param(["serve", "--port", "99999"], "'--port': want at most 65535", id="too large"),
        pytest.param(["serve", "--port", "-1"], "'--port': want at least 0", id="too small"),
        pytest.param(["serve", "--port", "x"], "'--port': want a whole number (see", id="no number"),
        pytest.param(
            ["table", "markers", "--size-mm", "x"], "'--size-mm': want a number (see", id="no measure"
        ),
        pytest.param(
            ["demo", "--pace", "slow"], "'--pace': 'slow' is not one of 'real', 'fast'", id="no word"
        ),
        pytest.param(["watch", "x", "--evidence-gb", "1e300"], "'--evidence-gb': want at most", id="no size"),
        pytest.param(["watch", "x", "--evidence-gb", "nan"], "'--evidence-gb': want at ", id="nan"),
        pytest.param(
            ["watch", "x", "--evidence-days", "inf"], "'--evidence-days': want at most", id="no age"
        ),
    ],
)
def test_an_option_that_cannot_be_meant_is_told_in_our_words(capsys, arguments: list[str], wanted: str):
    status, err = told(capsys, *arguments)

    assert (status, wanted in err) == (2, True), err
