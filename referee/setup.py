"""What is agreed before the first card: who plays, by which rules, filmed with which clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from referee.california_rules import CaliforniaRules
from referee.clock import ClockGrade, TimingRules
from referee.nerts_rules import LARGEST_NERTS_PILE, NertsRules
from referee.observations import Observation, names_in
from referee.piles import PileId, PileKind, Seat
from referee.speed_rules import SpeedRules
from referee.spit_rules import SpitRules


class Game(StrEnum):
    """The games that can be judged."""

    NERTS = "nerts"
    SPIT = "spit"
    SPEED = "speed"
    CALIFORNIA_SPEED = "california_speed"

    @property
    def is_won_by_fewest(self) -> bool:
        """Whether the lowest total leads: where the cards that are left are counted (S34).

        >>> Game.SPIT.is_won_by_fewest, Game.NERTS.is_won_by_fewest
        (True, False)
        """
        return self in {Game.SPIT, Game.CALIFORNIA_SPEED}


Rules = NertsRules | SpitRules | SpeedRules | CaliforniaRules
"""A set of house rules; which one, the game says."""

RULES_OF: Mapping[Game, type[Rules]] = {
    Game.NERTS: NertsRules,
    Game.SPIT: SpitRules,
    Game.SPEED: SpeedRules,
    Game.CALIFORNIA_SPEED: CaliforniaRules,
}
"""The house rules that belong to each game."""


def rules_for(game: Game, mapping: Mapping[str, object]) -> Rules:
    """The house rules of ``game`` that ``mapping`` sets; ``ValueError`` names a wrong key or value."""
    return RULES_OF[game].from_mapping(mapping)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSetup:
    """Who sits where."""

    seat: Seat
    player: str
    partner_of: Seat | None = None
    """Whose deck and layout this player shares (N48). None: there is a layout of its own."""
    back: str = ""
    """The name of the deck's back (N4). Empty: not told."""
    nerts_pile: int | None = None
    """Cards dealt to this deck's Nerts pile, as a handicap (N6). None: as many as the house rules say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """Everything the referee is told before the first observation."""

    match_id: str
    seats: tuple[SeatSetup, ...]
    frame_period_us: int
    """Nominal time between two frames of the camera."""
    clock_grade: ClockGrade
    game: Game = Game.NERTS
    rules: Rules = field(default_factory=NertsRules)
    timing: TimingRules = field(default_factory=TimingRules)
    piles: tuple[PileId, ...] = ()
    """The table's piles. Empty: any pile of a seat that plays, and any shared one."""
    seat_confidence_min: float = 0.8
    """Below this, nobody is told off for, or credited with, a card by the hand that brought it: where arms
    cross, the hand that lies over a pile is the wrong one about as often as not."""

    face_confidence_min: float = 0.5
    """Below this a face is not believed, and its play is undecided (E10); of the sample match's landings the
    least sure is at 0.83."""
    hears: bool = False
    """Whether calls and declarations are heard: by microphone, or by a button at every seat."""

    def __post_init__(self) -> None:
        named = [item.seat for item in self.seats]
        if len(set(named)) < len(named):
            raise ValueError(f"a seat is named twice: {', '.join(named)}")
        if not isinstance(self.rules, RULES_OF[self.game]):
            raise ValueError(f"rules: {type(self.rules).__name__} are not the rules of {self.game}")  # noqa: TRY004 - a wrong setting
        self._refuse_partners(named)
        self._refuse_handicaps()
        if self.frame_period_us <= 0:
            raise ValueError(f"frame_period_us: want more than 0, got {self.frame_period_us}")

    def _refuse_partners(self, named: Sequence[Seat]) -> None:
        decks = {item.seat for item in self.seats if item.partner_of is None}
        for item in self.seats:
            if item.partner_of is not None and item.partner_of not in decks:
                wanted = f"want a seat with a deck of its own among {', '.join(named)}"
                raise ValueError(f"{item.seat} cannot be a partner of {item.partner_of}: {wanted}")

    def _refuse_handicaps(self) -> None:
        for item in self.seats:
            if item.nerts_pile is None:
                continue
            if not isinstance(self.rules, NertsRules) or item.partner_of is not None:
                raise ValueError(f"{item.seat}: nerts_pile: want it of a player of Nerts with a deck")
            if not 1 <= item.nerts_pile <= LARGEST_NERTS_PILE:
                wanted = f"want 1 to {LARGEST_NERTS_PILE} cards"
                raise ValueError(f"{item.seat}: nerts_pile: {wanted}, got {item.nerts_pile}")

    @property
    def has_jokers(self) -> bool:
        """Whether jokers are agreed on (N44): else there is none that a player could declare."""
        if isinstance(self.rules, NertsRules):
            return self.rules.jokers_per_deck > 0
        return isinstance(self.rules, SpeedRules) and self.rules.jokers

    @property
    def decks(self) -> tuple[Seat, ...]:
        """The seats that have a deck and a layout, as they are listed."""
        return tuple(item.seat for item in self.seats if item.partner_of is None)

    def deck_of(self, seat: Seat) -> Seat:
        """Whose deck and layout the player at ``seat`` plays: its own, or its partner's."""
        return next((i.partner_of for i in self.seats if i.seat is seat and i.partner_of is not None), seat)

    @property
    def kinds_from_zero(self) -> tuple[PileKind, ...]:
        """The kinds of piles that this table numbers from 0. People count from 1."""
        return tuple(kind for kind in PileKind if any(p.kind is kind and p.index == 0 for p in self.piles))

    def player_at(self, seat: Seat) -> str:
        """The name of who sits at ``seat``; the seat's own name where nobody does."""
        return next((item.player for item in self.seats if item.seat is seat), seat.value)

    def place_of(self, seat: Seat | None) -> int:
        """The seat's position in the list of seats, for orders that do not depend on its name."""
        places = [item.seat for item in self.seats]
        return places.index(seat) if seat in places else len(places)

    def fault_in_names(self, observation: Observation) -> str | None:
        """What pile or seat ``observation`` names that is not part of this match; None if all are."""
        seated = {item.seat for item in self.seats}
        piles, seats = names_in(observation)
        for named in (*seats, *(pile.seat for pile in piles if pile.seat is not None)):
            if named not in seated:
                return f"nobody sits at {named} (seats: {', '.join(item.seat for item in self.seats)})"
        missing = [pile for pile in piles if self.piles and pile not in self.piles]
        return f"the table has no pile {missing[0]}" if missing else None


FRAME_PERIOD_US = 16_667
"""Taken for observations that say nothing of their own: 60 frames a second."""


def setup_from(observations: Sequence[Observation]) -> MatchSetup:
    """A set-up made up from what ``observations`` name, for a file without a header.

    The seats are those that are named, in the order of ``Seat``; the clock is believed (grade A), and the
    frame period is that of the finest touch.
    """
    names = [names_in(o) for o in observations]
    named = {pile.seat for piles, _ in names for pile in piles} | {
        seat for _, seats in names for seat in seats
    }
    periods_us = [2 * us for o in observations if (us := getattr(o, "resolution_us", 0)) > 0]
    return MatchSetup(
        match_id="match",
        seats=tuple(SeatSetup(seat=seat, player=seat.value) for seat in Seat if seat in named),
        frame_period_us=min(periods_us, default=FRAME_PERIOD_US),
        clock_grade=ClockGrade.A,
    )
