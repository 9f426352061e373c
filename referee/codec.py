"""Values as JSON and back, strictly: unknown kinds and keys are refused, and every value is checked.

One rule for each type: cards and piles are their text, enums their value, intervals ``[start_us, end_us]``,
other values objects with their fields; where several kinds can stand, ``kind`` says which.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, NoReturn, Union, cast, get_args, get_origin, get_type_hints

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved, CardsTold, ContestedPlay, Happened, PileRemoved
from referee.observations import (
    CardLanded,
    CardLifted,
    CardsCounted,
    HandTouched,
    Observation,
    PileSeen,
    ViewLost,
    fault_in,
)
from referee.piles import PileId
from referee.setup import RULES_OF, Game, MatchSetup
from referee.sightings import (
    CardsCarried,
    ClockDoubted,
    HandCarried,
    HandsRested,
    LabelsRead,
    LandedBetween,
    PileHandled,
    PileLaid,
    PilesOverlapped,
)
from referee.tellings import BacksCounted, Called, Declared, PlayClaimed, PointsTold, ResultShown
from referee.texts import turns_text
from referee.verdicts import Verdict

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

LARGEST_INT = 2**53
"""Beyond this a JSON number is not read alike everywhere."""

KINDS: dict[str, type] = {
    "pile_seen": PileSeen,
    "card_landed": CardLanded,
    "card_lifted": CardLifted,
    "hand_touched": HandTouched,
    "view_lost": ViewLost,
    "cards_counted": CardsCounted,
    "pile_laid": PileLaid,
    "cards_carried": CardsCarried,
    "landed_between": LandedBetween,
    "pile_handled": PileHandled,
    "hand_carried": HandCarried,
    "hands_rested": HandsRested,
    "piles_overlapped": PilesOverlapped,
    "labels_read": LabelsRead,
    "clock_doubted": ClockDoubted,
    "backs_counted": BacksCounted,
    "points_told": PointsTold,
    "called": Called,
    "declared": Declared,
    "play_claimed": PlayClaimed,
    "result_shown": ResultShown,
    "card_moved": CardMoved,
    "contested_play": ContestedPlay,
    "pile_removed": PileRemoved,
    "cards_told": CardsTold,
    "happened": Happened,
    "verdict": Verdict,
}
"""The name under which each kind of value is written."""

OBSERVATION_KINDS = tuple(kind for kind, cls in KINDS.items() if cls in get_args(Observation))
"""The kinds that are observations."""

_KIND_OF = {cls: kind for kind, cls in KINDS.items()}


class CodecError(ValueError):
    """Text that is no value of ours; the message says where and what was wanted."""


def canonical(value: Json) -> str:
    """The one way in which ``value`` is written: keys sorted, no spaces, ASCII only.

    >>> canonical({"b": [1, 2.5], "a": None})
    '{"a":null,"b":[1,2.5]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parse_json(text: str | bytes) -> Json:
    """The JSON value of ``text``; ``CodecError`` if it is none, names a key twice, or nests without end."""
    try:
        read = json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=_unique_keys,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
        return cast("Json", read)
    except CodecError:
        raise
    except json.JSONDecodeError as error:
        raise CodecError(f"not JSON: {error}") from None
    except (ValueError, RecursionError) as error:
        raise CodecError(f"not JSON: want it {wanted_json(error)}") from None


def wanted_json(error: BaseException) -> str:
    """How JSON is wanted that broke the reader and not the grammar: its own words speak of its insides.

    >>> wanted_json(RecursionError("maximum recursion depth exceeded"))
    'not nested so deep'
    """
    if isinstance(error, RecursionError):
        return "not nested so deep"
    return "in UTF-8" if isinstance(error, UnicodeDecodeError) else "with numbers of a usual length"


def kind_of(value: object) -> str:
    """The name under which ``value`` is written."""
    return _KIND_OF[type(value)]


def encode(value: object) -> dict[str, Json]:
    """``value`` (an observation, a verdict, a set-up) as a JSON object, without its kind."""
    return cast("dict[str, Json]", _encode(value, type(value)))


def decode(cls: type[Any], json_value: Json, where: str) -> Any:  # noqa: ANN401 - it is of type ``cls``
    """The ``cls`` that ``json_value`` says; ``where`` names it in the ``CodecError`` if it says none."""
    return _decode(json_value, cls, where)


def encode_observation(observation: Observation) -> dict[str, Json]:
    """``observation`` as one flat JSON object with its ``kind``."""
    return {"kind": kind_of(observation), **encode(observation)}


def decode_observation(json_value: Json) -> Observation:
    """The observation that a flat JSON object with its ``kind`` says."""
    if not isinstance(json_value, dict):
        _refuse("observation", "a JSON object", json_value)
    kind = json_value.get("kind")
    if not isinstance(kind, str) or kind not in OBSERVATION_KINDS:
        _refuse("kind", f"one of {', '.join(OBSERVATION_KINDS)}", kind)
    return decode_payload(kind, {key: item for key, item in json_value.items() if key != "kind"})


def decode_payload(kind: str, payload: Json) -> Observation:
    """The observation of ``kind`` that ``payload`` says; what cannot be meant is refused."""
    observation = cast("Observation", decode(KINDS[kind], payload, kind))
    fault = fault_in(observation)
    if fault is not None:
        raise CodecError(f"{kind}.{fault}")
    return observation


def decode_verdict(payload: Json) -> Verdict:
    """The verdict that ``payload`` says."""
    verdict = cast("Verdict", decode(Verdict, payload, "verdict"))
    for name in ("kept", "returned"):
        for i in getattr(verdict, name):
            if not 0 <= i < len(verdict.event.plays):
                _refuse(f"verdict.{name}", f"positions below {len(verdict.event.plays)}", i)
    return verdict


def _unique_keys(pairs: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            raise CodecError(f"key {shown(key)} stands twice")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise CodecError(f"{name} is no number that can be meant")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise CodecError(f"{text[:20]} is a number too large")
    return value


def _refuse(where: str, wanted: str, got: object) -> NoReturn:
    raise CodecError(f"{where}: want {wanted}, got {shown(got)}")


def shown(value: object) -> str:
    """``value`` as a message shows it: not longer than a line has room for.

    >>> shown("a" * 100)[-8:], len(shown("a" * 100))
    ('aaaaa...', 60)
    """
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _encode(value: Any, cls: Any) -> Json:  # noqa: ANN401 - by declared type, so that numpy's numbers become JSON's
    if value is None:
        return None
    if isinstance(value, Interval):
        return [int(value.start_us), int(value.end_us)]
    if isinstance(value, Card | PileId | StrEnum):
        return str(value)
    if isinstance(value, tuple):
        item = get_args(_one_type(cls))[0]
        return [_encode(each, item) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        hints = _hints_of(type(value), getattr(value, "game", None))
        encoded = {name: _encode(getattr(value, name), hint) for name, hint in hints.items()}
        return {"kind": kind_of(value), **encoded} if _is_choice(cls) else encoded
    plain = {bool: bool, int: int, float: float, str: str}[_one_type(cls)]
    return cast("Json", plain(value))


@cache
def _hints(cls: type) -> dict[str, Any]:
    """The declared types of the fields of ``cls``, in their order."""
    hints = get_type_hints(cls)
    return {item.name: hints[item.name] for item in fields(cls)}


@cache
def _required(cls: type) -> tuple[str, ...]:
    """The fields of ``cls`` that have no default."""
    return tuple(item.name for item in fields(cls) if item.default is item.default_factory is MISSING)


def _types(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type as ``typing`` gives it
    """The types that can stand for ``hint``, None left out."""
    if get_origin(hint) in {Union, UnionType}:
        return tuple(each for each in get_args(hint) if each is not type(None))
    return (hint,)


def _one_type(hint: Any) -> Any:  # noqa: ANN401 - a type as ``typing`` gives it
    return _types(hint)[0]


def _is_choice(hint: Any) -> bool:  # noqa: ANN401 - a type as ``typing`` gives it
    return len(_types(hint)) > 1


def _decode(value: Json, hint: Any, where: str) -> Any:  # noqa: ANN401 - it is of type ``hint``
    if value is None and type(None) in get_args(hint):
        return None
    if _is_choice(hint):
        return _decode_choice(value, _types(hint), where)
    cls = _one_type(hint)
    if get_origin(cls) is tuple:
        return _decode_list(value, get_args(cls)[0], where)
    if issubclass(cls, StrEnum):
        return _decode_enum(value, cls, where)
    return _DECODERS[cls](value, where) if cls in _DECODERS else _decode_object(value, cls, where)


def _decode_list(value: Json, item: Any, where: str) -> tuple[Any, ...]:  # noqa: ANN401 - a type of ``typing``
    if not isinstance(value, list):
        _refuse(where, "a list", value)
    return tuple(_decode(each, item, f"{where}[{i}]") for i, each in enumerate(value))


def _decode_choice(value: Json, choices: tuple[Any, ...], where: str) -> Any:  # noqa: ANN401 - one of ``choices``
    kinds = {_KIND_OF[cls]: cls for cls in choices}
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(kind, str) or kind not in kinds:
        _refuse(where, f"an object with kind {' or '.join(kinds)}", value)
    rest = {key: each for key, each in value.items() if key != "kind"}
    return _decode_object(rest, kinds[kind], where)


def _hints_of(cls: type, game: object) -> dict[str, Any]:
    """The same; of a set-up with the house rules of its game."""
    if cls is not MatchSetup:
        return _hints(cls)
    chosen = next((each for each in Game if each == game), Game.NERTS)
    return _hints(cls) | {"rules": RULES_OF[chosen]}


def _decode_object(value: Json, cls: type, where: str) -> Any:  # noqa: ANN401 - it is of type ``cls``
    hints = _hints_of(cls, value.get("game") if isinstance(value, dict) else None)
    if not isinstance(value, dict):
        _refuse(where, f"an object with {', '.join(hints)}", value)
    for key in value:
        if key not in hints:
            raise CodecError(f"{where}: unknown key {shown(key)} (want: {', '.join(hints)})")
    missing = [name for name in _required(cls) if name not in value]
    if missing:
        raise CodecError(f"{where}: missing {', '.join(missing)}")
    found = {key: _decode(each, hints[key], f"{where}.{key}") for key, each in value.items()}
    try:
        return cls(**found)
    except ValueError as error:
        raise CodecError(f"{where}: {error}") from None


def _decode_enum(value: Json, cls: type[StrEnum], where: str) -> StrEnum:
    choices = [each.value for each in cls]
    if not isinstance(value, str) or value not in choices:
        _refuse(where, f"one of {', '.join(choices)}", value)
    return cls(value)


def _decode_int(value: Json, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        _refuse(where, "a whole number", value)
    if abs(value) > LARGEST_INT:
        _refuse(where, "a whole number within 2^53", value)
    return value


def _decode_float(value: Json, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(where, "a number", value)
    if abs(value) > LARGEST_INT:
        _refuse(where, "a number within 2^53", value)
    return float(value)


def _decode_bool(value: Json, where: str) -> bool:
    if not isinstance(value, bool):
        _refuse(where, "true or false", value)
    return value


def _decode_str(value: Json, where: str) -> str:
    if not isinstance(value, str):
        _refuse(where, "a text", value)
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        _refuse(where, "a text without half surrogate pairs", value)
    if turns_text(value):
        raise CodecError(
            f"{where}: want a text without signs that turn its direction, got {ascii(value)[:60]}"
        )
    return value


def _decode_interval(value: Json, where: str) -> Interval:
    if not isinstance(value, list) or len(value) != 2:
        _refuse(where, "[start_us, end_us]", value)
    start_us, end_us = (_decode_int(each, where) for each in value)
    if end_us < start_us:
        _refuse(where, "[start_us, end_us], end not before start", value)
    return Interval(start_us, end_us)


def _decode_card(value: Json, where: str) -> Card:
    return cast("Card", _parsed(Card.parse, value, where))


def _decode_pile(value: Json, where: str) -> PileId:
    return cast("PileId", _parsed(PileId.parse, value, where))


def _parsed(parse: Callable[[str], Any], value: Json, where: str) -> Any:  # noqa: ANN401 - what ``parse`` gives
    try:
        return parse(_decode_str(value, where))
    except CodecError:
        raise
    except ValueError as error:
        raise CodecError(f"{where}: {error}") from None


_DECODERS: dict[Any, Callable[[Json, str], Any]] = {
    bool: _decode_bool,
    int: _decode_int,
    float: _decode_float,
    str: _decode_str,
    Interval: _decode_interval,
    Card: _decode_card,
    PileId: _decode_pile,
}
