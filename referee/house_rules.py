"""House rules as data: any frozen set of keys with defaults, read from a mapping, wrong keys refused.

A set of rules is a frozen dataclass whose fields are whole numbers, yes or no, choices (``StrEnum``), or
lists of choices or numbers. ``whole`` gives a number its bounds. ``HouseRules`` brings reading and checking.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Any, Self

LARGEST_RULE_NUMBER = 1_000_000
"""Of cards or points: far beyond any match, and small enough for every sum of them to be told."""


def whole(default: int, least: int, most: int, unit: str) -> Any:  # noqa: ANN401 - as ``dataclasses.field``
    """A whole number with its bounds, for a field of a set of rules."""
    return field(default=default, metadata={"bounds": (least, most, unit)})


def numbers(default: tuple[int, ...], least: int, most: int, unit: str) -> Any:  # noqa: ANN401 - as above
    """A list of whole numbers, each within the bounds; one number may stand for the list."""
    return field(default=default, metadata={"bounds": (least, most, unit)})


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """What every set of house rules has and can do."""

    appeals: int = whole(3, 0, 100, "appeals")
    """How many verdicts a player may have reviewed in vain; an appeal that is upheld costs none."""

    def __post_init__(self) -> None:
        for item in _fields(type(self)):
            if "bounds" in item.metadata:
                _refuse_out_of_bounds(item, getattr(self, item.name))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """The rules that ``mapping`` (a table file's ``[rules]``) sets; ``ValueError`` names a wrong key."""
        known = {item.name: item for item in _fields(cls)}
        for key in mapping:
            if key not in known:
                raise ValueError(f"unknown rule {key!r} (want one of: {', '.join(sorted(known))})")
        chosen: dict[str, Any] = {
            key: _checked(key, value, known[key].default) for key, value in mapping.items()
        }
        return cls(**chosen)

    def as_mapping(self) -> dict[str, object]:
        """The keys that differ from the defaults, as ``from_mapping`` reads them."""
        changed = {
            item.name: getattr(self, item.name)
            for item in _fields(type(self))
            if getattr(self, item.name) != item.default
        }
        return {key: _plain(value) for key, value in changed.items()}


def _fields(cls: type) -> tuple[Field[Any], ...]:
    return fields(cls)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.value if isinstance(value, StrEnum) else value


def _refuse_out_of_bounds(item: Field[Any], value: int | tuple[int, ...]) -> None:
    least, most, unit = item.metadata["bounds"]
    for number in value if isinstance(value, tuple) else (value,):
        if not least <= number <= most:
            raise ValueError(f"rule {item.name}: want {least} to {most} {unit}, got {number}")


def _checked(key: str, value: object, default: object) -> object:
    """``value`` as the type of ``default``."""
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError(f"rule {key}: want true or false, got {value!r}")  # noqa: TRY004 - a wrong setting
        return value
    if isinstance(default, StrEnum):
        return _choice(key, value, type(default))
    if isinstance(default, tuple):
        return _checked_list(key, value, default[0])
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"rule {key}: want a whole number, got {value!r}")  # noqa: TRY004 - a wrong setting
    if abs(value) > LARGEST_RULE_NUMBER:
        raise ValueError(f"rule {key}: want a whole number within {LARGEST_RULE_NUMBER}")
    return value


def _checked_list(key: str, value: object, first: object) -> tuple[object, ...]:
    """A list whose items are of the type of ``first``; one item may stand for the list, once each."""
    if isinstance(value, Mapping):
        value = [value[name] for name in sorted(value, key=str)]
    items = value if isinstance(value, list | tuple) else [value]
    if not items:
        raise ValueError(f"rule {key}: want one or more")
    return tuple(_checked(key, item, first) for item in items)


def _choice(key: str, value: object, choices_of: type[StrEnum]) -> StrEnum:
    choices = [choice.value for choice in choices_of]
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # a choice that is written in digits: ``piles = 4``
    if value not in choices:
        raise ValueError(f"rule {key}: want one of {', '.join(choices)}, got {value!r}")
    return choices_of(value)
