"""Cases: typed games that say what the referee must answer.

A case file is a text in the notation, cut into cases by lines ``case ID [RULES] TITLE``. Header lines before
the first case hold for all. Within a case, lines say what is expected:

    expect ILLEGAL N26 foundation_sequence seat=A returns=A
    expect nothing                     no verdict at all
    score A 20                         the points of a seat, at the end
    open N39 F1                        something that counts is not known
    pending F1 A by=1100               a touch that is shown and not ruled on yet, at this place of the game

The ``expect`` lines are all verdicts, in their order, but those of one moment in any; ``*`` stands for any
key.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from referee.notation import NotationError, Said, TypedGame, Wait, read_game, without_comment
from referee.notation_words import NOTHING, Names, ms_word, pile_word, text_of, tokens_of, us_of, whole_of
from referee.piles import Seat
from referee.referee import ObservationError, Referee
from referee.score import Scorecard
from referee.verdicts import RuleId, Ruling, Verdict

_EXPECTING = ("expect", "score", "open", "pending")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line that says what must come out."""

    line: int
    words: tuple[str, ...]
    after_steps: int
    """How many steps of the game stand before it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A game and what is expected of it."""

    case_id: str
    rules: tuple[str, ...]
    """The rules that it is about, as named in brackets; ``!N35`` if it shows where one does not apply."""
    title: str
    line: int
    game: TypedGame
    expectations: tuple[Expectation, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """What the referee made of a typed game."""

    verdicts: tuple[Verdict, ...]
    scorecard: Scorecard
    referee: Referee


def play(game: TypedGame) -> Played:
    """Let a new referee judge ``game`` to its end; ``ObservationError`` for what cannot be meant."""
    referee = Referee(game.setup)
    verdicts = [verdict for step in game.steps for verdict in _stepped(referee, step)]
    verdicts.extend(referee.finish())
    return Played(tuple(verdicts), referee.scorecard, referee)


def parse_cases(text: str) -> tuple[Case, ...]:
    """The cases of ``text``; ``NotationError`` at the first line that cannot be meant."""
    lines = list(enumerate(text.splitlines(), 1))
    heads = [i for i, (_, line) in enumerate(lines) if line.split()[:1] == ["case"]]
    ends = [*heads[1:], len(lines)] if heads else []
    shared = lines[: heads[0]] if heads else lines
    return tuple(
        _case(lines[start], shared, lines[start + 1 : end]) for start, end in zip(heads, ends, strict=True)
    )


def differences(case: Case) -> tuple[str, ...]:
    """Where the referee's answer is not the expected one, each in a line; empty if the case holds."""
    referee = Referee(case.game.setup)
    names = Names(case.game.setup)
    found: list[str] = []
    verdicts: list[Verdict] = []
    for i, step in enumerate(case.game.steps):
        verdicts.extend(_stepped(referee, step))
        found += [
            text
            for e in _of_kind(case, "pending")
            if e.after_steps == i + 1
            for text in _answered(e, _missing_pending, referee, names)
        ]
    verdicts.extend(referee.finish())
    found += _differing_verdicts(case, verdicts, names)
    for expectation in _of_kind(case, "score"):
        found += _answered(expectation, _differing_score, referee, names)
    for expectation in _of_kind(case, "open"):
        found += _answered(expectation, _missing_unknown, referee, names)
    return tuple(found)


def _answered(
    expectation: Expectation,
    ask: Callable[[Expectation, Referee, Names], list[str]],
    referee: Referee,
    names: Names,
) -> list[str]:
    """What ``ask`` finds; ``NotationError`` names the line where nothing can be meant by it."""
    try:
        return ask(expectation, referee, names)
    except ValueError as error:
        raise NotationError(expectation.line, str(error)) from None


def said(verdict: Verdict) -> str:
    """A verdict as an ``expect`` line would say it."""
    words = [verdict.ruling.value, "-" if verdict.rule is None else verdict.rule.value, verdict.reason_key]
    words += [] if verdict.seat is None else [f"seat={verdict.seat}"]
    words += [f"seats={','.join(verdict.seats)}"] if verdict.seats else []
    for name, plays in (("keeps", verdict.stands), ("returns", verdict.goes_back)):
        words += [f"{name}={','.join(play.seat or '-' for play in plays)}"] if plays else []
    words += [] if verdict.outcome is None else [f"outcome={verdict.outcome}"]
    words += [] if verdict.basis is None else [f"basis={verdict.basis}"]
    return " ".join(words)


def _stepped(referee: Referee, step: Said | Wait) -> tuple[Verdict, ...]:
    if isinstance(step, Wait):
        return referee.advance(step.until_us)
    return referee.observe(step.observation, at_us=step.at_us)


def _case(head: tuple[int, str], shared: list[tuple[int, str]], body: list[tuple[int, str]]) -> Case:
    number, line = head
    words = line.split(maxsplit=2)
    if len(words) < 2:
        raise NotationError(number, "want case ID [RULES] TITLE")
    played = [item for item in body if not _is_expecting(item[1])]
    game = read_game([*shared, *played])
    expectations = tuple(_expectations(body, game))
    if not expectations:
        raise NotationError(
            number, f"case {words[1]} expects nothing: want a line with {', '.join(_EXPECTING)}"
        )
    rules, title = _rules_of(words[2] if len(words) > 2 else "")
    return Case(words[1], rules, title, number, game, expectations)


def _rules_of(text: str) -> tuple[tuple[str, ...], str]:
    """The rules in brackets, and the title behind them."""
    if not text.startswith("["):
        return (), text
    rules, _, title = text[1:].partition("]")
    return tuple(rules.split()), title.strip()


def _is_expecting(line: str) -> bool:
    return line.startswith(tuple(f"{verb} " for verb in _EXPECTING))


def _expectations(body: list[tuple[int, str]], game: TypedGame) -> Iterator[Expectation]:
    steps_to_come = len([line for _, line in body if _is_step(line)])
    before = len(game.steps) - steps_to_come
    for number, line in body:
        if _is_step(line):
            before += 1
        elif _is_expecting(line):
            yield Expectation(number, _asking(number, without_comment(line)), before)


_USAGES = {"score": "score WHO POINTS", "open": "open RULE PILE", "pending": "pending PILE WHO by=TIME"}


def _asking(number: int, line: str) -> tuple[str, ...]:
    """The words of a line that says what must come out."""
    try:
        words = tuple(tokens_of(line))
    except ValueError as error:
        raise NotationError(number, str(error)) from None
    usage = _USAGES.get(words[0])
    if usage is not None and len(words) != len(usage.split()):
        raise NotationError(number, f"want {usage}")
    return words


_NO_STEPS = (
    "game",
    "match",
    "player",
    "rules",
    "camera",
    "timing",
    "surely",
    "legible",
    "hears",
    "piles",
    *_EXPECTING,
)


def _is_step(line: str) -> bool:
    words = without_comment(line).split()
    return len(words) > 0 and words[0] not in _NO_STEPS


def _of_kind(case: Case, verb: str) -> Iterable[Expectation]:
    return [expectation for expectation in case.expectations if expectation.words[0] == verb]


def _differing_verdicts(case: Case, verdicts: list[Verdict], names: Names) -> list[str]:
    wanted = list(_of_kind(case, "expect"))
    if not wanted:
        return []
    given = [said(verdict) for verdict in verdicts]
    if [expectation.words[1:] for expectation in wanted] == [("nothing",)]:
        return [f"line {wanted[0].line}: want no verdict, got {text}" for text in given]
    if len(wanted) != len(verdicts):
        return [f"line {case.line}: want {len(wanted)} verdicts, got {len(verdicts)}: {' | '.join(given)}"]
    return [
        f"line {expectation.line}: want {' '.join(expectation.words[1:])}, got {said(verdict)} ({what})"
        for expectation, verdict in zip(wanted, _in_order_of(wanted, verdicts, names), strict=True)
        for what in _differing_words(expectation, verdict, names)
    ]


def _in_order_of(wanted: list[Expectation], verdicts: list[Verdict], names: Names) -> list[Verdict]:
    """``verdicts``, with those that were decided in one moment in the order in which they are wanted."""
    left, ordered = list(verdicts), []
    for expectation in wanted:
        moment = left[0].decided_us
        together = [each for each in left if moment is not None and each.decided_us == moment]
        fitting = (each for each in together if not _differing_words(expectation, each, names))
        verdict = next(fitting, left[0])
        left.remove(verdict)
        ordered.append(verdict)
    return ordered


def _differing_words(expectation: Expectation, verdict: Verdict, names: Names) -> list[str]:
    try:
        _, ruling, rule, key, *options = expectation.words
        wanted = (Ruling(ruling), None if rule == "-" else RuleId(rule))
    except ValueError:
        raise NotationError(expectation.line, "want expect RULING RULE KEY NAME=VALUE ...") from None
    found = [] if wanted == (verdict.ruling, verdict.rule) else ["ruling and rule"]
    found += [] if key in {verdict.reason_key, "*"} else ["key"]
    for option in options:
        name, _, value = option.partition("=")
        got = _asked(verdict, name)
        try:
            wanted_value = _in_seats(text_of(value), name, names)
        except ValueError as error:
            raise NotationError(expectation.line, str(error)) from None
        found += [] if _is_same(got, wanted_value, name) else [f"{name}={got}"]
    return found


def _is_same(got: str | None, wanted: str, name: str) -> bool:
    """Whether a verdict says what is wanted; seats may stand in any order."""
    if got is None or name not in _SEAT_WORDS:
        return got == wanted
    return sorted((got or NOTHING).split(",")) == sorted((wanted or NOTHING).split(","))


_SEAT_WORDS = {"seat", "seats", "keeps", "returns"}


def _in_seats(value: str, name: str, names: Names) -> str:
    """The wanted value with players' names as seats."""
    if name not in _SEAT_WORDS:
        return value
    return ",".join(each if each == "-" else names.seat(each) for each in value.split(",") if each)


def _asked(verdict: Verdict, name: str) -> str | None:
    """What the verdict says of ``name``; None: nothing."""
    plays = {"keeps": verdict.stands, "returns": verdict.goes_back}
    if name in plays:
        return ",".join(play.seat or "-" for play in plays[name])
    if name == "seats":
        return ",".join(verdict.seats)
    if name == "pile":
        return None if verdict.pile is None else pile_word(verdict.pile)
    if name == "decided":
        return None if verdict.decided_us is None else ms_word(verdict.decided_us)
    if name in {"seat", "card", "outcome", "basis"} and getattr(verdict, name) is not None:
        return str(getattr(verdict, name))
    return verdict.fact(name) or ("-" if name in {"seat", "card", "outcome", "basis"} else None)


def _differing_score(expectation: Expectation, referee: Referee, names: Names) -> list[str]:
    _, who, points = expectation.words
    total = referee.scorecard.total(names.seat(who))
    wanted = whole_of(points)
    return (
        [] if total == wanted else [f"line {expectation.line}: want {wanted} points for {who}, got {total}"]
    )


def _missing_unknown(expectation: Expectation, referee: Referee, _names: Names) -> list[str]:
    _, rule, pile = expectation.words
    found = [f"{item.rule} {pile_word(item.pile)}" for item in referee.scorecard.unknowns]
    return (
        []
        if f"{rule} {pile}" in found
        else [f"line {expectation.line}: want {rule} {pile} open, got {found}"]
    )


def _missing_pending(expectation: Expectation, referee: Referee, names: Names) -> list[str]:
    _, pile, who, by = expectation.words
    found = [
        (item.pile, landed.seat, item.decided_by_us) for item in referee.pending for landed in item.landings
    ]
    wanted: tuple[object, Seat, int] = (names.pile(pile), names.seat(who), us_of(by.removeprefix("by=")))
    return [] if wanted in found else [f"line {expectation.line}: want it pending, got {found}"]


__all__ = ["Case", "Expectation", "ObservationError", "Played", "differences", "parse_cases", "play", "said"]
