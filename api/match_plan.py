"""Puts a match together: from a table and an open source to what the referee must be told first."""

from dataclasses import dataclass, field
from pathlib import Path

from api.errors import MisuseError
from api.evidence_shelf import Retention
from api.feed import MatchFeed
from api.views import standings_view
from referee.referee import Referee
from referee.setup import Game, MatchSetup, SeatSetup, rules_for
from vision.sources import Source, SourceSettings
from vision.table import SeatPlace, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """What a person chose: the table, the source, and where the record goes."""

    match_id: str
    table: Table
    table_file: str
    """Its name, for messages."""
    source: str
    record: Path | None = None
    """None: no record is kept."""
    evidence: Path | None = None
    """The folder that clips go to. None: none are cut."""
    retention: Retention = field(default_factory=Retention)
    """How much evidence is kept."""
    decks: tuple[Path, ...] = ()
    """Files of the enrolled decks that lie on the table."""


def setup_of(plan: MatchPlan, source: Source) -> MatchSetup:
    """What is agreed before the first card; ``MisuseError`` where game or rules cannot be judged."""
    try:
        game = _game_of(plan.table.game)
        return MatchSetup(
            match_id=plan.match_id,
            game=game,
            seats=tuple(_seated(place) for place in plan.table.seats),
            rules=rules_for(game, plan.table.rules),
            piles=tuple(zone.pile for zone in plan.table.zones),
            frame_period_us=source.frame_period_us or nominal_period_us(SourceSettings()),
            clock_grade=source.clock_grade,
        )
    except ValueError as error:
        raise MisuseError(f"{plan.table_file}: {error}") from None


def _seated(place: SeatPlace) -> SeatSetup:
    return SeatSetup(
        seat=place.seat, player=place.player, partner_of=place.partner_of, nerts_pile=place.nerts_pile
    )


def _game_of(name: str) -> Game:
    """The game of this name; ``ValueError`` says which there are."""
    if name not in tuple(Game):
        raise ValueError(f"game: this version judges {' and '.join(Game)} only, got {name!r}")
    return Game(name)


def nominal_period_us(settings: SourceSettings) -> int:
    """The period that a camera is asked for, where a source does not know its own before the first frame."""
    return round(1_000_000 / settings.camera_fps)


def feed_of(plan: MatchPlan, referee: Referee) -> MatchFeed:
    """An empty feed for this match."""
    return MatchFeed(
        match_id=plan.match_id,
        table=plan.table.name,
        game=referee.setup.game.value,
        standings=standings_view(referee.scorecard, referee.setup),
        kinds_from_zero=tuple(kind.value for kind in referee.setup.kinds_from_zero),
    )
