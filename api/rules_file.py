"""House rules from a file, or by the name of a preset."""

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from api.errors import MisuseError, os_error_line
from models.open_file import read_file
from referee.setup import Game, Rules, rules_for

PRESETS = "referee.presets"
"""The package that holds a TOML file for each preset."""


def preset_names() -> tuple[str, ...]:
    """The presets that can be named."""
    try:
        files = resources.files(PRESETS).iterdir()
        return tuple(sorted(item.name.removesuffix(".toml") for item in files if item.name.endswith(".toml")))
    except (ModuleNotFoundError, OSError):
        return ()


def read_rules(named: str, game: Game) -> Rules:
    """The rules of ``game`` in the file ``named``, or of the preset; ``MisuseError`` where there are none.

    A file holds its keys at the top level or under ``[rules]``, as a table file does; ``game`` may say which
    game they are for.
    """
    try:
        written = _toml_of(named)
        section = written.get("rules", {key: value for key, value in written.items() if key != "game"})
        if not isinstance(section, dict):
            raise MisuseError(f"{named}: rules: want a table of keys")
        if written.get("game", game.value) != game.value:
            raise MisuseError(f"{named}: these are rules of {written['game']!r}, but the game is {game}")
        return rules_for(game, section)
    except OSError as error:
        raise MisuseError(f"cannot read the rules: {os_error_line(error)}") from None
    except ValueError as error:  # a rule that does not hold
        raise MisuseError(f"{named}: {error}") from None


def _toml_of(named: str) -> dict[str, Any]:
    """What is written there; ``MisuseError`` where it is no TOML."""
    try:
        return tomllib.loads(_text_of(named))
    except tomllib.TOMLDecodeError as error:
        raise MisuseError(f"{named}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise MisuseError(f"{named}: not text (want UTF-8)") from None
    except RecursionError:
        raise MisuseError(f"{named}: nested too deep") from None
    except ValueError:
        raise MisuseError(f"{named}: not TOML: a number or date that is out of range") from None


def _text_of(named: str) -> str:
    path, presets = Path(named), preset_names()
    if named in presets and not path.exists():
        return resources.files(PRESETS).joinpath(f"{named}.toml").read_text(encoding="utf-8")
    if not path.exists() and "/" not in named and "." not in named:
        wanted = f"a file, or one of {', '.join(presets)}" if presets else "a file"
        raise MisuseError(f"--rules wants {wanted}, got {named}")
    return read_file(path).decode("utf-8")
