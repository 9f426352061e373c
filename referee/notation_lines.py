"""One observation a line: the verbs of the notation, each with its fields in order and the rest as options.

A field that is not typed has its usual value; one that is unusual stands behind as ``name=value``. Times are
milliseconds. ``FORMS`` is the whole vocabulary; reading and printing go by it, so that neither can know a
verb that the other does not.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from referee.cards import Card
from referee.clock import Interval
from referee.evidence import Evidence
from referee.notation_words import (
    NOTHING,
    Names,
    card_of,
    card_word,
    interval_of,
    interval_word,
    list_word,
    listed,
    ms_word,
    number_of,
    pile_word,
    run_of,
    run_word,
    text_of,
    us_of,
    whole_of,
    word_of,
)
from referee.observations import (
    CardLanded,
    CardLifted,
    CardsCounted,
    HandTouched,
    Observation,
    PileSeen,
    ViewLost,
)
from referee.piles import PileId, Seat
from referee.sightings import (
    CardsCarried,
    CarryPlace,
    ClockDoubted,
    HandCarried,
    Handling,
    HandsRested,
    LabelRun,
    LabelsRead,
    LandedBetween,
    PileHandled,
    PileShare,
    PilesOverlapped,
)
from referee.tellings import BacksCounted, Called, Declared, PlayClaimed, PointsTold, ResultShown

SETTLE_US = 100_000
"""A card whose rest is not typed lies at rest so long after its touch."""
TYPED = Evidence("typed", ())
"""The evidence of what was typed: none."""

_Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """One verb: which observation it makes, its fields in order, and what the verb itself says."""

    verb: str
    makes: type
    order: tuple[str, ...]
    fixed: Mapping[str, object] = field(default_factory=dict)


def _handling(verb: str, handling: Handling, *more: str) -> Form:
    return Form(verb, PileHandled, ("seat", "pile", *more, "touch"), {"handling": handling})


FORMS: tuple[Form, ...] = (
    Form("look", PileSeen, ("pile", "top", "seen")),
    Form("land", CardLanded, ("seat", "card", "source", "pile", "touch")),
    Form("lift", CardLifted, ("seat", "card", "pile", "lifted")),
    Form("touch", HandTouched, ("seat", "pile", "touch")),
    Form("lost", ViewLost, ("pile", "lost")),
    Form("count", CardsCounted, ("pile", "count", "at_us")),
    Form("carry", CardsCarried, ("seat", "cards", "source", "pile", "touch"), {"place": CarryPlace.TOP}),
    Form("slide", CardsCarried, ("seat", "cards", "source", "pile", "touch"), {"place": CarryPlace.UNDER}),
    Form("between", LandedBetween, ("seat", "card", "source", "shares", "touch")),
    _handling("turn", Handling.TURNED, "target", "count"),
    _handling("turnover", Handling.TURNED_OVER, "target", "count"),
    _handling("burn", Handling.BURNED),
    _handling("shuffle", Handling.SHUFFLED),
    _handling("reorder", Handling.REORDERED),
    _handling("peek", Handling.PEEKED),
    _handling("faceup", Handling.FACED_UP),
    _handling("slap", Handling.SLAPPED),
    _handling("brush", Handling.BRUSHED),
    _handling("gather", Handling.GATHERED),
    Form("hand", HandCarried, ("seat", "hand", "card", "pile", "carried")),
    Form("hands", HandsRested, ("pile", "seats", "at")),
    Form("overlap", PilesOverlapped, ("overlap", "piles", "at")),
    Form("labels", LabelsRead, ("pile", "runs", "read")),
    Form("clock", ClockDoubted, ("fault", "source_id", "at_us")),
    Form("backs", BacksCounted, ("deck", "count", "at_us")),
    Form("points", PointsTold, ("seat", "points", "at_us")),
    Form("call", Called, ("call", "seat", "at")),
    Form("declare", Declared, ("seat", "card", "at")),
    Form("claim", PlayClaimed, ("seat", "card", "pile", "at")),
    Form("shown", ResultShown, ("shown_on", "pile", "seat", "at_us")),
)
"""Every verb but ``lay``, whose cards stand behind a colon."""

VERBS = {form.verb: form for form in FORMS}


def read_line(words: list[str], names: Names) -> Observation:
    """The observation that ``words`` tell; ``ValueError`` says what is wrong with them."""
    form = VERBS[words[0]]
    if len(words) <= len(form.order):
        raise ValueError(f"{form.verb}: want {_usage(form)}")
    typed = dict(zip(form.order, words[1:], strict=False))
    for word in words[1 + len(form.order) :]:
        name, equals, value = word.partition("=")
        full = _full_name(form.makes, name)
        if not equals or full is None or full in form.fixed or full in typed:
            raise ValueError(f"{form.verb}: no option {word!r} (want {_usage(form)})")
        typed[full] = value
    return _made(form, typed, names)


def print_line(observation: Observation, names: Names, pile_name: Callable[[PileId], str] = pile_word) -> str:
    """``observation`` as one line, which ``parse_line`` reads back where piles have their short names."""
    form = next(form for form in FORMS if _is_of(observation, form))
    values = {item.name: getattr(observation, item.name) for item in fields(observation)}
    shown = _for_typing(observation, values)
    hints = _hints_of(form.makes)
    words = [form.verb, *(_word(shown[name], hints[name], name, pile_name) for name in form.order)]
    usual = _usual(form, {name: values[name] for name in form.order}, names)
    for name, value in shown.items():
        is_usual = name in usual and usual[name] == value and name != "settled_us"
        if name not in form.order and name not in form.fixed and not is_usual:
            words.append(f"{_short_name(name)}={_word(value, hints[name], name, pile_name)}")
    return " ".join(words)


def _is_of(observation: Observation, form: Form) -> bool:
    says_it = all(getattr(observation, name, None) == value for name, value in form.fixed.items())
    return type(observation) is form.makes and says_it


def _usage(form: Form) -> str:
    order = " ".join(_short_name(name).upper() for name in form.order)
    others = [
        _short_name(item.name)
        for item in fields(form.makes)
        if item.name not in form.order and item.name not in form.fixed
    ]
    return f"{form.verb} {order}" + (f", then {'=, '.join(others)}= if unusual" if others else "")


def _short_name(name: str) -> str:
    return {"told_by": "by"}.get(name, name.removesuffix("_us"))


def _full_name(cls: type, short: str) -> str | None:
    return next((item.name for item in fields(cls) if _short_name(item.name) == short), None)


@cache
def _hints_of(cls: Hashable) -> dict[str, Any]:
    return get_type_hints(cls)


def _made(form: Form, typed: dict[str, str], names: Names) -> Observation:
    hints = _hints_of(form.makes)
    own = names.seat(typed["seat"]) if typed.get("seat", NOTHING) != NOTHING else None
    values: _Values = dict(form.fixed)
    if form.makes is PileSeen:
        values |= _seen_top(typed)
    for name, word in typed.items():
        if name not in values:
            values[name] = _value(word, hints[name], name, names, own)
    usual = _usual(form, values, names)
    missing = [item.name for item in fields(form.makes) if item.name not in values and item.name not in usual]
    if missing:
        raise ValueError(f"{form.verb}: missing {_short_name(missing[0])}=")
    return cast("Observation", form.makes(**(usual | values)))


def _seen_top(typed: dict[str, str]) -> _Values:
    """Of a look: ``empty``, ``down`` and ``??`` are no cards."""
    word = typed["top"]
    top = None if word in {"empty", "down", "??"} else Card.parse(word)
    return {"top": top, "is_empty": word == "empty", "face_up": word not in {"empty", "down"}}


def _for_typing(observation: Observation, values: _Values) -> _Values:
    """The values with those of a look's top put together again."""
    if not isinstance(observation, PileSeen):
        return values
    top: object = observation.top
    if observation.top is None:
        top = "empty" if observation.is_empty else "??" if observation.face_up else "down"
    kept = {name: value for name, value in values.items() if name not in {"is_empty", "face_up"}}
    return kept | {"top": top}


def _usual(form: Form, values: _Values, names: Names) -> _Values:
    """The value of each field that need not be typed."""
    usual: _Values = {
        item.name: item.default
        for item in fields(form.makes)
        if not repr(item.default).startswith("<dataclasses")
    }
    usual |= {"evidence": TYPED, "confidence": 1.0, "resolution_us": names.setup.frame_period_us // 2}
    usual |= {"told_by": "", "cause": "", "margin": None, "pile": None, "seat": None, "lag_us": 0}
    usual["seat_confidence"] = 0.0 if values.get("seat") is None else 1.0
    if isinstance(values.get("touch"), Interval):
        usual["settled_us"] = values["touch"].end_us + SETTLE_US
    if form.makes is Called and values.get("at") is not None:
        usual["told_us"] = values["at"].end_us
    known = {item.name for item in fields(form.makes)} - set(form.order)
    return {name: value for name, value in usual.items() if name in known and name not in form.fixed}


def _value(word: str, hint: Any, name: str, names: Names, own: Seat | None) -> Any:  # noqa: ANN401, PLR0911 - one line for each type
    """What ``word`` says in a field of type ``hint``."""
    kinds = [each for each in get_args(hint) if each is not type(None)] or [hint]
    is_optional = type(None) in get_args(hint)
    if get_origin(hint) is tuple:
        return listed(word, _item_parser(get_args(hint)[0], names, own))
    if kinds == [Card]:
        return card_of(word) if is_optional else Card.parse(word)
    if is_optional and word in {NOTHING, "?"}:
        return None
    if kinds == [PileId]:
        return names.pile(word, own)
    if kinds == [Seat]:
        return names.seat(word)
    if kinds == [Evidence]:
        return evidence_of(word)
    return _plain_value(word, kinds[0], name)


def _plain_value(word: str, kind: Any, name: str) -> object:  # noqa: ANN401 - a type
    if kind is Interval:
        return interval_of(word)
    if kind is int:
        return us_of(word.removeprefix("@")) if name.endswith("_us") else whole_of(word)
    if kind is float:
        return number_of(word)
    if kind is str:
        return text_of(word)
    return _choice(word, kind)


def _choice(word: str, kind: type[StrEnum]) -> StrEnum:
    if word not in tuple(kind):
        raise ValueError(f"not one of {', '.join(kind)}: {word!r}")
    return kind(word)


def _item_parser(item: Any, names: Names, own: Seat | None) -> Callable[[str], object]:  # noqa: ANN401 - a type
    if item is PileShare:
        return names.share
    if item is LabelRun:
        return run_of
    if item is Seat:
        return names.seat
    if item is PileId:
        return lambda word: names.pile(word, own)
    return Card.parse if item is Card else card_of


def _word(  # noqa: PLR0911 - one line for each type
    value: Any,  # noqa: ANN401 - any field's
    hint: Any,  # noqa: ANN401 - a type
    name: str,
    pile_name: Callable[[PileId], str],
) -> str:
    """``value`` as it is typed."""
    if isinstance(value, tuple):
        return list_word(value, lambda item: _item_word(item, pile_name))
    if value is None:
        return "??" if Card in get_args(hint) else "?" if Interval in get_args(hint) else NOTHING
    if isinstance(value, Interval):
        return interval_word(value)
    if isinstance(value, Evidence):
        return evidence_word(value)
    if isinstance(value, int) and name.endswith("_us"):
        return ms_word(value)
    if isinstance(value, str) and not isinstance(value, StrEnum):
        return value if name == "top" else word_of(value)
    return _item_word(value, pile_name)


def _item_word(value: object, pile_name: Callable[[PileId], str]) -> str:
    if isinstance(value, PileId):
        return pile_name(value)
    if isinstance(value, PileShare):
        return f"{pile_name(value.pile)}={value.share}"
    if isinstance(value, LabelRun):
        return run_word(value)
    return card_word(value) if value is None or isinstance(value, Card) else str(value)


def evidence_of(word: str) -> Evidence:
    """``match.mp4@983.3,1000``."""
    source, _, frames = word.rpartition("@")
    return Evidence(text_of(source), tuple(us_of(each) for each in frames.split(",") if each))


def evidence_word(evidence: Evidence) -> str:
    """As ``evidence_of`` reads it."""
    return f"{word_of(evidence.source_id)}@{','.join(ms_word(us) for us in evidence.frames_us)}"
