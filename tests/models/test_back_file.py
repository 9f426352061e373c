"""The file of backs."""

import json
from pathlib import Path

import numpy as np
import pytest

from models.back_file import BackFileError, load_backs, save_backs
from models.back_view import CARD_WH_MM
from models.backs import BackBook, BackSignature


def signature(seed: int) -> BackSignature:
    width, height = CARD_WH_MM
    return BackSignature(np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8))


COLOURS = str(signature(0))


@pytest.mark.parametrize("name", ["backs.toml", "backs.json"])
@pytest.mark.parametrize(
    "players",
    [(), ("Ana",), ('Zoë "Z" O\\Hara', "李", "\N{SLIGHTLY SMILING FACE}", "\u0930\u094d\u200d\u092f")],
)
def test_a_file_is_read_back(tmp_path: Path, name: str, players: tuple[str, ...]) -> None:
    book = BackBook(tuple((player, signature(i)) for i, player in enumerate(players)))

    save_backs(book, tmp_path / name)
    again = load_backs(tmp_path / name)

    assert [player for player, _ in again.backs] == list(players)
    for (_, one), (_, other) in zip(book.backs, again.backs, strict=True):
        assert np.array_equal(one.colours, other.colours)


def rows(**changes: object) -> str:
    return json.dumps({"format": 1, "backs": [{"player": "Ana", "colours": COLOURS} | changes]})


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        pytest.param("b.json", rows(colour="red"), "no such key", id="a key that is not known"),
        pytest.param("b.json", '{"format": 1, "backs": [], "more": 1}', "no such key", id="one at the top"),
        pytest.param("b.json", '{"format": 2, "backs": []}', "format", id="another format"),
        pytest.param("b.json", "[]", "the file", id="a list"),
        pytest.param("b.json", rows()[:50], "b.json", id="cut off"),
        pytest.param("b.json", "[" * 100_000, "not nested so deep", id="brackets without end"),
        pytest.param("b.json", "9" * 5000, "numbers of a usual length", id="a number without end"),
        pytest.param("b.toml", "a = " + "9" * 5000, "a number out of range", id="TOML: such a number"),
        pytest.param("b.toml", "a = " + "[" * 9000, "nested too deep", id="TOML: brackets without end"),
        pytest.param("b.json", rows(colours="AAAA"), "signature", id="too short a signature"),
        pytest.param("b.json", rows(player=""), "want a name", id="no name"),
        pytest.param("b.json", rows(player="\u2800"), "want a name", id="a name that nobody sees"),
        pytest.param("b.json", rows(player="A\u001b[2Jna"), "control", id="a name that moves the cursor"),
        pytest.param("b.toml", "format = 1\nbacks = [[[", "b.toml", id="TOML: cut off"),
        pytest.param("b.toml", "format = 1\nbacks = []\nbacks = []", "b.toml", id="TOML: a key twice"),
        pytest.param("b.yaml", "format: 1", "ends in .toml or .json", id="another kind of file"),
    ],
)
def test_a_broken_file_gives_one_clear_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(BackFileError, match=r"\A[^\n]*\Z") as raised:
        load_backs(tmp_path / name)

    assert said in str(raised.value)
    assert len(str(raised.value)) < 400


def test_one_player_twice_is_refused(tmp_path: Path) -> None:
    back = {"player": "Ana", "colours": COLOURS}
    (tmp_path / "b.json").write_text(json.dumps({"format": 1, "backs": [back, back]}))

    with pytest.raises(BackFileError, match="two backs of 'Ana'"):
        load_backs(tmp_path / "b.json")


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(BackFileError, match="deck enrol"):
        load_backs(tmp_path / "none.toml")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(BackFileError, match="cannot be read"):
        load_backs(tmp_path / "b.toml")
