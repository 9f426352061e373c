"""Tournament plans (TOML) in, ``Tournament`` out. ``docs/tournament.md`` describes them for people."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NoReturn

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from api.errors import one_line, os_error_line
from api.tournament import PlannedRound, Seating, Side, Tournament
from models.open_file import open_file
from models.wanted import wanted_of
from referee.clock import ClockGrade
from referee.nerts_rules import LARGEST_NERTS_PILE
from referee.piles import Seat
from referee.setup import MatchSetup, SeatSetup
from referee.texts import JOINERS, is_blank, turns_text

CHARACTERS_AT_MOST = 200_000
"""Ten rounds of sixty tables have some 40,000."""
LINE_AT_MOST = 2_000
"""In characters. The parser's time grows with the square of a line of dots and brackets."""
LONGEST_NAME = 64
"""As in a table file."""


class TournamentError(ValueError):
    """A plan does not hold. One line for a person: where in it, and what was wanted."""


def _name(text: str) -> str:
    controls = (sign for sign in text if not sign.isprintable() and sign not in JOINERS)
    if is_blank(text) or any(controls) or turns_text(text):
        raise ValueError("want a name that can be read")
    return text


Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_name)]
NertsPile = Annotated[int, Field(ge=1, le=LARGEST_NERTS_PILE)]
Target = Annotated[int, Field(ge=1, le=10_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Player(_Strict):
    name: Name
    nerts_pile: NertsPile | None = None


class _Seating(_Strict):
    table: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=64)]
    seats: Annotated[dict[Seat, Name], Field(min_length=2)]
    partners: dict[Seat, Seat] = Field(default_factory=dict)
    nerts_piles: dict[Seat, NertsPile] = Field(default_factory=dict)


class _Round(_Strict):
    name: Name | None = None
    target: Target | None = None
    tables: Annotated[list[_Seating], Field(min_length=1, max_length=200)]


class _Plan(_Strict):
    format: Annotated[int, Field(ge=1, le=1)]
    name: Name
    target: Target | None = None
    nerts_pile: NertsPile | None = None
    players: Annotated[list[_Player], Field(min_length=2, max_length=1_000)]
    rounds: Annotated[list[_Round], Field(min_length=1, max_length=100)]


def load_tournament(path: Path) -> tuple[Tournament, str]:
    """The plan in a file, and its text; ``TournamentError`` if it does not hold."""
    try:
        with open_file(path) as file:
            content = file.read(4 * CHARACTERS_AT_MOST + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise TournamentError(f"cannot read the tournament: {os_error_line(error)}") from None
    except UnicodeDecodeError:
        raise TournamentError(f"{path}: cannot be read as text (want a tournament in TOML)") from None
    try:
        return parse_tournament(text), text
    except TournamentError as error:
        raise TournamentError(f"{path}: {error}") from None


def parse_tournament(text: str) -> Tournament:
    """The plan that ``text`` describes; ``TournamentError`` if it does not hold."""
    try:
        plan = _Plan.model_validate_json(_json_of(text))
    except ValidationError as error:
        raise TournamentError(_told(error)) from None
    names = [player.name for player in plan.players]
    _refuse_twice(names, "players", "player")
    handicaps = {player.name: player.nerts_pile for player in plan.players}
    return Tournament(
        name=plan.name,
        nerts_pile=plan.nerts_pile,
        players=tuple(names),
        rounds=tuple(_Reader(i, handicaps, plan.target).planned(each) for i, each in enumerate(plan.rounds)),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one round; what does not hold is named by its place."""

    index: int
    handicaps: Mapping[str, int | None]
    """Of all players."""
    target: int | None
    """Of rounds that name none."""

    def planned(self, written: _Round) -> PlannedRound:
        where = f"rounds[{self.index}]"
        _refuse_twice([each.table for each in written.tables], where, "table")
        _refuse_twice([name for each in written.tables for name in each.seats.values()], where, "player")
        return PlannedRound(
            number=self.index + 1,
            name=written.name or "",
            target=self.target if written.target is None else written.target,
            seatings=tuple(
                self._seating(each, f"{where}.tables[{i}]") for i, each in enumerate(written.tables)
            ),
        )

    def _seating(self, written: _Seating, where: str) -> Seating:
        for seat, player in written.seats.items():
            if player not in self.handicaps:
                raise TournamentError(f"{where}.seats.{seat}: no player {player!r} among [[players]]")
        for key, seats in (("partners", written.partners), ("nerts_piles", written.nerts_piles)):
            for seat in seats:
                if seat not in written.seats:
                    raise TournamentError(f"{where}.{key}.{seat}: nobody sits there")
        setup = self._setup(written, where)
        if len(setup.decks) < 2:
            raise TournamentError(f"{where}: one side alone (want two or more decks)")
        return Seating(written.table, tuple(_sides(setup)))

    def _setup(self, written: _Seating, where: str) -> MatchSetup:
        """The seats as the referee is told of them, which refuses what cannot be."""
        try:
            return MatchSetup(
                match_id="plan",
                seats=tuple(self._seated(written, seat) for seat in written.seats),
                frame_period_us=1,
                clock_grade=ClockGrade.A,
            )
        except ValueError as error:
            raise TournamentError(f"{where}: {error}") from None

    def _seated(self, written: _Seating, seat: Seat) -> SeatSetup:
        partner_of, player = written.partners.get(seat), written.seats[seat]
        usual = None if partner_of is not None else self.handicaps[player]
        return SeatSetup(
            seat=seat,
            player=player,
            partner_of=partner_of,
            nerts_pile=written.nerts_piles.get(seat, usual),
        )


def _sides(setup: MatchSetup) -> Iterator[Side]:
    for deck in setup.decks:
        own = sorted(
            (item for item in setup.seats if setup.deck_of(item.seat) is deck),
            key=lambda item: item.seat is not deck,
        )
        yield Side(tuple(item.seat for item in own), tuple(item.player for item in own), own[0].nerts_pile)


def _json_of(text: str) -> str:
    """What ``text`` holds, as JSON; ``TournamentError`` if it is not TOML, or none that a person wrote."""
    if len(text) > CHARACTERS_AT_MOST:
        raise TournamentError(f"too large for a tournament (want at most {CHARACTERS_AT_MOST} characters)")
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LINE_AT_MOST:
            raise TournamentError(f"line {number}: too long (want at most {LINE_AT_MOST} characters)")
    try:
        return json.dumps(tomllib.loads(text), default=_refuse_dates)
    except tomllib.TOMLDecodeError as error:
        raise TournamentError(f"not TOML: {one_line(str(error))[:200]}") from None
    except RecursionError:
        raise TournamentError("not TOML: nested too deep") from None
    except TournamentError:
        raise
    except ValueError:
        raise TournamentError("not TOML: a number or date that is out of range") from None


def _refuse_dates(value: object) -> NoReturn:
    raise TournamentError(f"{value}: a date or time (want numbers, and text in quotes)")


def _refuse_twice(names: Sequence[str], where: str, what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise TournamentError(f"{where}: {what} {name!r} is given twice")


def _told(error: ValidationError) -> str:
    """The first fault in one line: where, and what was wanted."""
    first = error.errors()[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    where = _short(where.removeprefix("."))
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown key (allowed: {', '.join(_allowed(first['loc']))})"
    if first["type"] == "missing":
        return f"{where}: missing"
    wanted = wanted_of(first)
    said = wanted if wanted.startswith("want ") else f"want {wanted}"
    return one_line(f"{where or 'tournament'}: {said}, got {_given(first['input'])}")


def _given(value: object) -> str:
    """What stands there; of a list or section, how much."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a section of {len(value)}"
    return _short(ascii(value))


def _allowed(place: Sequence[int | str]) -> list[str]:
    """The keys of the section in which an unknown key was found."""
    inner: dict[str, type[_Strict]] = {"players": _Player, "rounds": _Round, "tables": _Seating}
    sections = [inner[part] for part in place[:-1] if isinstance(part, str) and part in inner]
    return sorted((sections or [_Plan])[-1].model_fields)


def _short(text: str) -> str:
    shown = text if text.isprintable() else ascii(text)
    return shown if len(shown) <= 80 else shown[:77] + "..."
