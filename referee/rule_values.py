"""House rules read from a mapping, alike for every game: unknown keys and wrong values are refused."""

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar

LARGEST_RULE_NUMBER = 1_000_000
"""Of cards, points or milliseconds: far beyond any match, and every sum of them can be told."""

Rules = TypeVar("Rules")


def read_rules(cls: type[Rules], mapping: Mapping[str, object]) -> Rules:
    """The ``cls``, a dataclass whose fields all have defaults, that ``mapping`` sets.

    Raises ``ValueError`` with the key and what was wanted.
    """
    known = {item.name: item.default for item in fields(cls)}  # type: ignore[arg-type]  # a dataclass
    return cls(**{key: _checked(key, value, known) for key, value in mapping.items()})


def check_range(name: str, value: int, least: int, most: int, unit: str) -> None:
    """Raise ``ValueError`` unless ``least <= value <= most``."""
    if not least <= value <= most:
        raise ValueError(f"rule {name}: want {least} to {most} {unit}, got {value}")


def _checked(key: str, value: object, known: Mapping[str, Any]) -> object:
    """``value`` as the type of the default of ``key``."""
    if key not in known:
        raise ValueError(f"unknown rule {key!r} (want one of: {', '.join(sorted(known))})")
    default = known[key]
    if isinstance(default, StrEnum):
        return _choice(key, value, type(default))
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError(f"rule {key}: want true or false, got {value!r}")  # noqa: TRY004 - a wrong setting
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"rule {key}: want a whole number, got {value!r}")  # noqa: TRY004 - a wrong setting
    if abs(value) > LARGEST_RULE_NUMBER:
        raise ValueError(f"rule {key}: want a whole number within {LARGEST_RULE_NUMBER}")
    return value


def _choice(key: str, value: object, cls: type[StrEnum]) -> StrEnum:
    """``value`` as one of ``cls``; a number may stand for a choice written in digits (``piles = 4``)."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    choices = [choice.value for choice in cls]
    if text not in choices:
        raise ValueError(f"rule {key}: want one of {', '.join(choices)}, got {value!r}")
    return cls(text)
