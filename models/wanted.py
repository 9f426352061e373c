"""What was wanted where a file or a body from outside does not hold: in our words, not in a library's."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_Told = Mapping[str, Any]
"""What pydantic knows of a fault, by its type."""

_FORMS: Mapping[str, str] = {
    r"^[A-Za-z0-9_-]+$": "letters, digits, - and _ only",
    r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$": "at most 64 letters, digits, - and _, a letter or digit first",
    r"^([A2-9TJQK][CDHS]|JK)$": "a card such as 9H or TD, or JK",
    r"^[A2-9TJQK][CDHS]$": "a card such as 9H or TD, no joker",
    r"^v[1-9][0-9]{0,14}$": "a verdict such as v3",
    r"^v[0-9]{1,9}$": "a verdict such as v3",
    r"^[0-9a-f]{16}$": "the confirm of a dry run: 16 of the signs 0-9 and a-f",
}
"""What the patterns of our own fields ask for."""


def _amount(least_or_most: str, key: str, unit: str) -> Callable[[_Told], str]:
    def said(told: _Told) -> str:
        many = told[key]
        return f"{least_or_most} {many} {unit if many == 1 else f'{unit}s'}"

    return said


_SAID: Mapping[str, Callable[[_Told], str]] = {
    "string_too_long": _amount("at most", "max_length", "character"),
    "string_too_short": _amount("at least", "min_length", "character"),
    "string_pattern_mismatch": lambda told: _FORMS.get(told["pattern"], f"text like {told['pattern']}"),
    "too_long": _amount("at most", "max_length", "item"),
    "too_short": _amount("at least", "min_length", "item"),
    "greater_than_equal": lambda told: f"at least {told['ge']}",
    "greater_than": lambda told: f"more than {told['gt']}",
    "less_than_equal": lambda told: f"at most {told['le']}",
    "less_than": lambda told: f"less than {told['lt']}",
    "literal_error": lambda told: str(told["expected"]),
    "enum": lambda told: str(told["expected"]),
    "union_tag_invalid": lambda told: f"{told['discriminator']} to be {told['expected_tags']}",
    "union_tag_not_found": lambda told: f"an object with {told['discriminator']}",
    "json_invalid": lambda told: f"JSON ({told['error']})",
}
_KINDS: Mapping[str, str] = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "string": "text",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "model": "an object",
    "dataclass": "an object",
    "missing": "a value",
}
"""By the first word of the type of fault."""


def wanted_of(fault: "ErrorDetails") -> str:
    """What is wrong in one line, as what was wanted.

    >>> wanted_of({"type": "int_from_float", "loc": ("a",), "msg": "Input should be", "input": 0.5})
    'want a whole number'
    """
    told, kind = fault.get("ctx", {}), fault["type"]
    if kind == "extra_forbidden":
        return "unknown (want it left out)"
    if kind == "missing":
        return "missing"
    if kind in {"value_error", "assertion_error"}:
        return " ".join(str(told.get("error", "want another value")).split())
    if kind in _SAID:
        return f"want {_SAID[kind](told)}"
    known = _KINDS.get(kind.split("_")[0])
    return f"want {known}" if known else re.sub(r"^(Input|Value|String) should (be )?", "want ", fault["msg"])
