"""The words of the pages, the referee's reasons and the rules in short, in every language that we speak.

One JSON file for each language: ``words`` for the pages, ``plurals`` for what is counted, ``reasons`` by the
keys of ``referee.messages``, ``reason_forms`` for those of them that count one, ``rules`` by rule id. English
reasons and rules are the referee's own.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from referee.messages import ENGLISH
from referee.rule_texts import RULE_TEXTS

CODES = ("en", "ar", "mr", "su", "af")
"""English first: it is what a browser gets that asks for none of these."""

LARGEST_HEADER = 1000
"""Characters of an Accept-Language header that are read; browsers send less than a hundred."""


@dataclass(frozen=True, slots=True)
class Language:
    """All that is said in one language."""

    code: str
    name: str
    """As its speakers write it."""
    direction: str
    """``ltr`` or ``rtl``."""
    words: Mapping[str, str]
    plurals: Mapping[str, Mapping[str, str]]
    """Sentences with a ``{count}``, by CLDR's plural categories: ``one``, ``few``, ``other`` ..."""
    reasons: Mapping[str, str]
    reason_forms: Mapping[str, str]
    """Reasons as they are said where they count one; a language that says them alike has none."""
    rules: Mapping[str, str]


@cache
def language(code: str) -> Language:
    """The language of this code; ``KeyError`` where it is not one of ``CODES``."""
    if code not in CODES:
        raise KeyError(code)
    written = json.loads(resources.files(__name__).joinpath(f"{code}.json").read_text(encoding="utf-8"))
    return Language(
        code=code,
        name=written["name"],
        direction=written["direction"],
        words=written["words"],
        plurals=written["plurals"],
        reason_forms=written["reason_forms"],
        reasons=ENGLISH if code == "en" else written["reasons"],
        rules={rule.value: text for rule, text in RULE_TEXTS.items()} if code == "en" else written["rules"],
    )


def chosen(asked: str | None, accept_language: str | None) -> str:
    """The code of the language to answer in: the one asked for, or the reader's dearest that we speak.

    >>> chosen("af", "ar"), chosen(None, "nl, ar-EG;q=0.8, en;q=0.5"), chosen("xx", None)
    ('af', 'ar', 'en')
    """
    if asked is not None and asked in CODES:
        return asked
    wishes = [_wish(part) for part in (accept_language or "")[:LARGEST_HEADER].split(",")]
    spoken = [(weight, code) for weight, code in wishes if code in CODES and weight > 0]
    return max(spoken, key=lambda wish: wish[0], default=(0.0, CODES[0]))[1]


def _wish(part: str) -> tuple[float, str]:
    """``ar-EG;q=0.8`` as a weight and a code; a weight that is no number counts as none."""
    tag, _, weight = part.partition(";q=")
    try:
        return float(weight) if weight else 1.0, tag.strip().lower().partition("-")[0]
    except ValueError:
        return 0.0, ""
