"""The file that holds players' backs, TOML or JSON by its name. ``docs/decks.md`` describes it for people."""

import json
import tomllib
import unicodedata
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from models.backs import BackBook, BackSettings, BackSignature
from models.open_file import open_file
from models.wanted import wanted_of
from referee.codec import parse_json
from referee.texts import JOINERS, is_blank

LARGEST_BYTES = 3_000_000
"""A back takes some 22,000 characters: that is 130 of them."""
LONGEST_NAME = 64


class BackFileError(ValueError):
    """A file of backs does not hold. One line for a person: the file, where in it, what was wanted."""


def player_name(text: str) -> str:
    """``text``; ``ValueError`` if it is no name that people can read."""
    if is_blank(text) or len(text) > LONGEST_NAME:
        raise ValueError(f"{text[:20]!a}: want a name of 1 to {LONGEST_NAME} characters")
    kinds = {unicodedata.category(sign) for sign in text if sign not in JOINERS}
    if not kinds.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"}):
        raise ValueError(f"{text!a}: has control characters (want a name)")
    return text


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Back(_Strict):
    player: Annotated[str, AfterValidator(player_name)]
    colours: str = Field(max_length=30_000)


class _BackFile(_Strict):
    format: Literal[1]
    backs: list[_Back] = Field(max_length=100)


def load_backs(path: Path, settings: BackSettings | None = None) -> BackBook:
    """The backs that a file holds; ``BackFileError`` (one line) if it does not hold."""
    try:
        with open_file(path) as file:
            content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise BackFileError(f"{path}: too large for a file of backs (want at most {LARGEST_BYTES} bytes)")
        parsed = _BackFile.model_validate(_values(path, content.decode("utf-8")))
        return _book(parsed, settings or BackSettings())
    except FileNotFoundError:
        raise BackFileError(f"{path}: no such file (want one made by 'touchjudge deck enrol')") from None
    except ValidationError as error:
        raise BackFileError(f"{path}: {_one_line(error)}") from None
    except BackFileError:
        raise
    except (OSError, UnicodeDecodeError):
        raise BackFileError(f"{path}: cannot be read as text (want a file of backs)") from None
    except ValueError as error:
        raise BackFileError(f"{path}: {' '.join(str(error).split())[:200]} (want a file of backs)") from None


def _values(path: Path, text: str) -> object:
    if is_json(path):
        return parse_json(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise BackFileError(f"{path}: nested too deep (want a file of backs)") from None
    except ValueError:
        raise BackFileError(f"{path}: a number out of range (want a file of backs)") from None


def is_json(path: Path) -> bool:
    """Whether the file's name asks for JSON; ``BackFileError`` where it asks for neither JSON nor TOML."""
    if path.suffix.lower() not in {".json", ".toml"}:
        raise BackFileError(f"{path}: want a name that ends in .toml or .json")
    return path.suffix.lower() == ".json"


def _book(parsed: _BackFile, settings: BackSettings) -> BackBook:
    names = [back.player for back in parsed.backs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BackFileError(f"two backs of {twice[0]!r} (want each player once)")
    return BackBook(
        tuple((back.player, BackSignature.parse(back.colours)) for back in parsed.backs), settings
    )


def _one_line(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the file"
    if first["type"] == "extra_forbidden":
        return f"{place[:80]}: no such key (want format, and backs with player and colours)"
    return f"{place[:80]}: {wanted_of(first)[:160]}"


def save_backs(book: BackBook, path: Path) -> None:
    """Write the file, whole or not at all. Raises ``BackFileError`` for a name that is neither kind."""
    rows = [{"player": name, "colours": str(signature)} for name, signature in book.backs]
    text = (
        json.dumps({"format": 1, "backs": rows}, indent=2, ensure_ascii=False)
        if is_json(path)
        else _toml(rows)
    )
    partial = path.with_name(path.name + ".part")
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)


def _toml(rows: list[dict[str, str]]) -> str:
    tables = [
        f"[[backs]]\nplayer = {_quoted(row['player'])}\ncolours = {_quoted(row['colours'])}" for row in rows
    ]
    return "\n\n".join(["format = 1", *tables]) if tables else "format = 1\nbacks = []"


def _quoted(text: str) -> str:
    """A TOML basic string; names have no control characters, so JSON's escapes of quotes are TOML's too."""
    return json.dumps(text, ensure_ascii=False)
