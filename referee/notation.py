"""A game as text that a person can type: who plays by which rules, how the cards lie, what happened.

    game nerts
    player south Ana
    player north Ben
    rules nerts_penalty=1
    camera 60 fps
    F1: ... 4H
    south/W1: 9S JK=8H
    land Ana 5H waste F1 983.3..1000

Header lines first; then piles as they lie, the lowest card first; then one observation a line with its time
in milliseconds. ``#`` begins a comment. Reading and printing are each other's reverse; errors name the line.
``docs/cases.md`` describes all of it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from referee.clock import ClockGrade, Interval, TimingRules
from referee.notation_lines import SETTLE_US, TYPED, VERBS, evidence_of, evidence_word, print_line, read_line
from referee.notation_words import (
    NOTHING,
    Names,
    interval_of,
    interval_word,
    laid_word,
    ms_word,
    number_of,
    pile_word,
    text_of,
    tokens_of,
    us_of,
    whole_of,
    word_of,
)
from referee.observations import CardLanded, Observation
from referee.piles import PileId, Seat
from referee.setup import FRAME_PERIOD_US, RULES_OF, Game, MatchSetup, SeatSetup, rules_for
from referee.sightings import PileLaid

START_US = 0
"""When the cards of a position lie as they are typed."""


LINE_MOST = 100_000
"""Characters of a line: whole decks in one pile and minutes of readings need fewer."""
CAUSE_HALF = 500
"""Characters that are shown of a cause's beginning and of its end: all, unless it repeats a long word."""


class NotationError(ValueError):
    """A line that says nothing that can be meant."""

    def __init__(self, line: int, cause: str) -> None:
        is_long = len(cause) > 2 * CAUSE_HALF
        shown = f"{cause[:CAUSE_HALF]} ... {cause[-CAUSE_HALF:]}" if is_long else cause
        super().__init__(f"line {line}: {shown}")
        self.line = line
        """Counted from 1."""
        self.cause = shown


@dataclass(frozen=True, slots=True)
class Said:
    """An observation, and the time of the frame with which it came."""

    observation: Observation
    at_us: int | None = None
    """None: the earliest that it can have been."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing happened until then."""

    until_us: int


Step = Said | Wait


@dataclass(frozen=True, slots=True)
class TypedGame:
    """A game as it was typed."""

    setup: MatchSetup
    steps: tuple[Step, ...]

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What was seen and told, without the waits."""
        return tuple(step.observation for step in self.steps if isinstance(step, Said))


def parse_game(text: str) -> TypedGame:
    """The game that ``text`` tells; ``NotationError`` at the first line that cannot be meant."""
    return read_game(enumerate(text.splitlines(), 1))


def read_game(numbered: Iterable[tuple[int, str]]) -> TypedGame:
    """The game that ``numbered`` lines tell: pairs of a line's number and its text."""
    reader = _Reader()
    last = 1
    try:
        for number, line in numbered:
            last = number
            reader.take(_short(line))
        return reader.game()
    except ValueError as error:
        raise NotationError(last, str(error)) from None


def read_steps(numbered: Iterable[tuple[int, str]], names: Names) -> tuple[Step, ...]:
    """The steps that ``numbered`` lines tell in a match that is set up already."""
    steps: list[Step] = []
    for number, line in numbered:
        try:
            text = _short(line)
            if text:
                steps.append(_step_of(text, tokens_of(text), names))
        except ValueError as error:
            raise NotationError(number, str(error)) from None
    return tuple(steps)


def print_game(game: TypedGame) -> str:
    """``game`` as text that ``parse_game`` reads to the same game."""
    names = Names(game.setup)
    lines = [*_header_lines(game.setup), ""]
    lines += [_step_line(step, names) for step in game.steps]
    return "\n".join(lines) + "\n"


def without_comment(line: str) -> str:
    """``line`` up to the first ``#`` that stands by itself or begins it, outside quotes."""
    if "#" not in line:
        return line.strip()
    quoted = False
    for i, character in enumerate(line):
        if character == '"' and line[i - 1 : i] != "\\":
            quoted = not quoted
        if character == "#" and not quoted and (i == 0 or line[i - 1].isspace()):
            return line[:i].strip()
    return line.strip()


def _short(line: str) -> str:
    """``line`` without its comment."""
    if len(line) > LINE_MOST:
        raise ValueError(f"want at most {LINE_MOST} characters in a line, got {len(line)}")
    return without_comment(line)


def settled_together(steps: Sequence[Step], unsettled: Sequence[Step], race_us: int) -> tuple[Step, ...]:
    """``steps``, where a card whose rest was not typed rests when the last rival's card lies there too.

    A pile is not read under a hand: of several hands that come to one pile within ``race_us`` none is gone
    before the last.
    """
    landings = [step.observation for step in steps if isinstance(step, Said)]
    cards = [each for each in landings if isinstance(each, CardLanded)]
    return tuple(
        _settled(step, cards, race_us) if any(step is each for each in unsettled) else step for step in steps
    )


def _settled(step: Step, cards: Sequence[CardLanded], race_us: int) -> Step:
    if isinstance(step, Wait) or not isinstance(step.observation, CardLanded):
        return step
    landed = step.observation
    rivals = [each for each in cards if each.pile == landed.pile and _is_close(each, landed, race_us)]
    if all(each.seat is landed.seat for each in rivals):
        return step
    last_us = max(each.touch.end_us for each in rivals)
    return Said(replace(landed, settled_us=max(landed.settled_us, last_us + SETTLE_US)), step.at_us)


def _is_close(one: CardLanded, other: CardLanded, race_us: int) -> bool:
    return (
        one.touch.start_us - other.touch.end_us <= race_us
        and other.touch.start_us - one.touch.end_us <= race_us
    )


class _Reader:
    """Takes lines one by one; the header is fixed by the first line that is none."""

    def __init__(self) -> None:
        self._fields: dict[str, Any] = {
            "match_id": "match",
            "game": Game.NERTS,
            "frame_period_us": FRAME_PERIOD_US,
            "clock_grade": ClockGrade.A,
        }
        self._seats: list[SeatSetup] = []
        self._is_game_named = False
        self._rules: dict[str, object] = {}
        self._piles: list[str] = []
        self._setup: MatchSetup | None = None
        self._steps: list[Step] = []
        self._unsettled: list[Step] = []
        """Steps whose line does not say when a card lay at rest."""

    def take(self, line: str) -> None:
        """Take in one line without its comment."""
        if not line:
            return
        words = tokens_of(line)
        header = _HEADERS.get(words[0])
        if header is None:
            step = _step_of(line, words, Names(self._fixed()))
            self._steps.append(step)
            if not any(word.startswith("settled=") for word in words):
                self._unsettled.append(step)
            return
        if self._setup is not None:
            raise ValueError(f"{words[0]}: want it before the first pile or observation")
        header(self, words[1:])

    def game(self) -> TypedGame:
        """All that was read."""
        setup = self._fixed()
        settled = settled_together(self._steps, self._unsettled, setup.timing.race_us)
        return TypedGame(setup, settled)

    def _fixed(self) -> MatchSetup:
        if self._setup is None:
            rules = rules_for(self._fields["game"], self._rules)
            bare = MatchSetup(**self._fields, seats=tuple(self._seats), rules=rules)
            piles = tuple(Names(bare).pile(word) for word in self._piles)
            self._setup = replace(bare, piles=piles)
        return self._setup

    def read_game(self, words: list[str]) -> None:
        (name,) = _exactly(words, "game NAME")
        if name not in tuple(Game):
            raise ValueError(f"game: want one of {', '.join(Game)}, got {name!r}")
        self._fields["game"] = Game(name)
        self._is_game_named = True

    def read_match(self, words: list[str]) -> None:
        (name,) = _exactly(words, "match NAME")
        self._fields["match_id"] = text_of(name)

    def read_player(self, words: list[str]) -> None:
        if len(words) < 2 or words[0] not in tuple(Seat):
            raise ValueError(f"player: want player SEAT NAME, SEAT one of {', '.join(Seat)}")
        options = _options(words[2:], "player", ("partner", "back", "nerts"))
        partner = Seat(options["partner"]) if "partner" in options else None
        back = text_of(options.get("back", ""))
        nerts = whole_of(options["nerts"]) if "nerts" in options else None
        if any(item.seat == words[0] for item in self._seats):
            raise ValueError(f"player: {words[0]} was named before")
        self._seats.append(
            SeatSetup(
                seat=Seat(words[0]),
                player=text_of(words[1]),
                partner_of=partner,
                back=back,
                nerts_pile=nerts,
            )
        )

    def read_rules(self, words: list[str]) -> None:
        known = {item.name: item.default for item in fields(RULES_OF[self._fields["game"]])}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals:
                raise ValueError(f"rules: want KEY=VALUE, got {word!r}")
            self._rules[key] = _rule_value(value, known.get(key))
        if self._is_game_named:
            rules_for(self._fields["game"], self._rules)

    def read_camera(self, words: list[str]) -> None:
        if len(words) > 1 and words[1] == "fps":
            if number_of(words[0]) <= 0:
                raise ValueError(f"camera: want more than 0 fps, got {words[0]}")
            self._fields["frame_period_us"] = round(1e6 / number_of(words[0]))
            words = words[2:]
        options = _options(words, "camera", ("frame", "grade"))
        if "frame" in options:
            self._fields["frame_period_us"] = us_of(options["frame"])
        if "grade" in options:
            self._fields["clock_grade"] = ClockGrade(options["grade"])

    def read_timing(self, words: list[str]) -> None:
        names = {item.name.removesuffix("_us"): item.name for item in fields(TimingRules)}
        options = _options(words, "timing", tuple(names))
        chosen = {names[name]: None if word == NOTHING else us_of(word) for name, word in options.items()}
        self._fields["timing"] = TimingRules(**chosen)  # type: ignore[arg-type]  # "-" is refused where it cannot be

    def read_surely(self, words: list[str]) -> None:
        (word,) = _exactly(words, "surely SHARE")
        self._fields["seat_confidence_min"] = _share(word)

    def read_legible(self, words: list[str]) -> None:
        (word,) = _exactly(words, "legible SHARE")
        self._fields["face_confidence_min"] = _share(word)

    def read_hears(self, words: list[str]) -> None:
        (word,) = _exactly(words, "hears true or false")
        if word not in {"true", "false"}:
            raise ValueError(f"hears: want true or false, got {word!r}")
        self._fields["hears"] = word == "true"

    def read_piles(self, words: list[str]) -> None:
        self._piles += words


_HEADERS: dict[str, Callable[[_Reader, list[str]], None]] = {
    "game": _Reader.read_game,
    "match": _Reader.read_match,
    "player": _Reader.read_player,
    "rules": _Reader.read_rules,
    "camera": _Reader.read_camera,
    "timing": _Reader.read_timing,
    "surely": _Reader.read_surely,
    "legible": _Reader.read_legible,
    "hears": _Reader.read_hears,
    "piles": _Reader.read_piles,
}


def _exactly(words: list[str], usage: str) -> list[str]:
    if len(words) != 1:
        raise ValueError(f"want {usage}")
    return words


def _share(word: str) -> float:
    share = number_of(word)
    if not 0 <= share <= 1:
        raise ValueError(f"want a share from 0 to 1, got {word}")
    return share


def _options(words: list[str], of: str, known: tuple[str, ...]) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise ValueError(f"{of}: no option {word!r} (want {'=, '.join(known)}=)")
        options[name] = value
    return options


def _rule_value(word: str, default: object) -> object:
    """A rule's value as TOML would give it."""
    if isinstance(default, tuple):
        return [_rule_value(each, default[0]) for each in word.split(",")]
    if word in {"true", "false"}:
        return word == "true"
    return whole_of(word) if word.lstrip("-").isdecimal() else word


def _step_of(line: str, words: list[str], names: Names) -> Step:
    if words[0] == "wait":
        (until,) = _exactly(words[1:], "wait UNTIL")
        return Wait(us_of(until.removeprefix("@")))
    if words[0] == "lay":
        return _lay_of(line, names)
    if words[0].endswith(":"):
        pile, _, items = line.partition(":")
        return Said(_laid(names.pile(pile), Interval(START_US, START_US), {}, tokens_of(items), names))
    if words[0] not in VERBS:
        verbs = ", ".join(["wait", "lay", *VERBS])
        raise ValueError(f"not a line: {words[0]!r} (want a pile with a colon, or one of {verbs})")
    frame = [word for word in words[1:] if word.startswith("frame=")]
    told = read_line([word for word in words if word not in frame], names)
    return Said(told, us_of(frame[-1].removeprefix("frame=")) if frame else None)


def _lay_of(line: str, names: Names) -> Said:
    """``lay F1 1400 by=Ana: ... 4H south:5H``."""
    words = tokens_of(line)
    ends = [i for i, word in enumerate(words) if word.endswith(":")]
    if not ends or ends[0] < 2:
        raise ValueError("lay: want lay PILE TIME: CARDS")
    head = [*words[1 : ends[0]], words[ends[0]].removesuffix(":")]
    options = _options(head[2:], "lay", ("by", "confidence", "evidence", "frame"))
    laid = _laid(names.pile(head[0]), interval_of(head[1]), options, words[ends[0] + 1 :], names)
    return Said(laid, us_of(options["frame"]) if "frame" in options else None)


def _laid(pile: PileId, at: Interval, options: dict[str, str], items: list[str], names: Names) -> PileLaid:
    """A pile's contents: ``...`` for unknown cards below, ``12 down`` or ``? down``, ``empty``, and cards."""
    below_known = not (items and items[0] == "...")
    rest = items if below_known else items[1:]
    down: int | None = 0
    if "down" in rest[1:2]:
        down = None if rest[0] == "?" else whole_of(rest[0])
        rest = rest[2:]
    if rest == ["empty"]:
        rest = []
    elif not items:
        raise ValueError(f"{pile_word(pile)}: want its cards, the lowest first, or 'empty'")
    return PileLaid(
        pile=pile,
        down=down,
        cards=tuple(names.laid(word) for word in rest),
        below_known=below_known,
        at=at,
        told_by=text_of(options.get("by", "")),
        confidence=number_of(options.get("confidence", "1")),
        evidence=evidence_of(options["evidence"]) if "evidence" in options else TYPED,
    )


def _header_lines(setup: MatchSetup) -> list[str]:
    lines = [f"game {setup.game}", f"match {word_of(setup.match_id)}"]
    for item in setup.seats:
        partner = "" if item.partner_of is None else f" partner={item.partner_of}"
        back = f" back={word_of(item.back)}" if item.back else ""
        nerts = "" if item.nerts_pile is None else f" nerts={item.nerts_pile}"
        lines.append(f"player {item.seat} {word_of(item.player)}{partner}{back}{nerts}")
    rules = [f"{key}={_rule_word(value)}" for key, value in setup.rules.as_mapping().items()]
    lines += [f"rules {' '.join(rules)}"] if rules else []
    lines.append(f"camera frame={ms_word(setup.frame_period_us)} grade={setup.clock_grade}")
    timing = {item.name: getattr(setup.timing, item.name) for item in fields(setup.timing)}
    words = [f"{name.removesuffix('_us')}={ms_word(us)}" for name, us in timing.items() if us is not None]
    lines += [f"timing {' '.join(words)}", f"surely {setup.seat_confidence_min}"]
    lines.append(f"legible {setup.face_confidence_min}")
    lines += ["hears true"] if setup.hears else []
    return lines + ([f"piles {' '.join(pile_word(pile) for pile in setup.piles)}"] if setup.piles else [])


def _rule_word(value: object) -> str:
    if isinstance(value, list):
        return ",".join(_rule_word(each) for each in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _step_line(step: Step, names: Names) -> str:
    if isinstance(step, Wait):
        return f"wait {ms_word(step.until_us)}"
    told = step.observation
    if isinstance(told, PileLaid):
        return _laid_line(told, step.at_us)
    line = print_line(told, names)
    return line if step.at_us is None else f"{line} frame={ms_word(step.at_us)}"


def _laid_line(laid: PileLaid, at_us: int | None) -> str:
    items = [] if laid.below_known else ["..."]
    if laid.down != 0:
        items += ["?" if laid.down is None else str(laid.down), "down"]
    items += [laid_word(card) for card in laid.cards]
    options = f" by={word_of(laid.told_by)}" if laid.told_by else ""
    options += "" if laid.confidence == 1.0 else f" confidence={laid.confidence}"
    options += "" if laid.evidence == TYPED else f" evidence={evidence_word(laid.evidence)}"
    options += "" if at_us is None else f" frame={ms_word(at_us)}"
    head = pile_word(laid.pile)
    if laid.at != Interval(START_US, START_US) or options:
        head = f"lay {head} {interval_word(laid.at)}{options}"
    return f"{head}: {' '.join(items) or 'empty'}"
