"""All that is known of a match of Nerts: the table, the tally, and how the round stands."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved
from referee.nerts.checks import hand_of
from referee.nerts.tally import Tally
from referee.nerts_rules import NertsRules
from referee.piles import PileId, PileKind, Seat
from referee.races import Races
from referee.setup import MatchSetup
from referee.sightings import HandCarried
from referee.table import PileState, Table
from referee.tellings import Called, Declared

CARRIES_KEPT = 8
"""Last carries of each seat, to be held against each other: two hands carry two cards at a time."""


MISTAKES_KEPT = 16
"""Cards that were put wrongly onto piles of layouts and may yet be taken back: a few of each player."""


@dataclass(slots=True)
class Round:
    """How the round stands."""

    awaits_start: bool = False
    """Whether a seat is ready and the start was not called yet."""
    dealt: set[Seat] = field(default_factory=set)
    """Whose cards were dealt."""
    ended: Interval | None = None
    """The onset of the call that ended it. None: it runs."""
    callers: tuple[Seat, ...] = ()
    """Whose call ended it."""
    open_calls: list[Called] = field(default_factory=list)
    """Calls that are not ruled on yet."""
    stuck: set[Seat] = field(default_factory=set)
    """Which decks said to be stuck, and have not played since."""
    is_all_stuck: bool = False
    """Whether everyone was stuck, and nobody has played since."""
    new_stocks: set[Seat] = field(default_factory=set)
    """Who has made a new stock since."""
    burned: set[Seat] = field(default_factory=set)
    """Who has put a stock card to the bottom and turned no card since."""
    is_counted: bool = False
    """Whether its score was ruled on."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a seat brings from the rounds before."""

    points: int = 0
    calls: int = 0


@dataclass(slots=True)
class Match:
    """The state that the chapters of the rule book read and bring up to date."""

    setup: MatchSetup
    rules: NertsRules
    races: Races
    table: Table
    tally: Tally
    round: Round = field(default_factory=Round)
    rounds_played: int = 0
    earlier: dict[Seat, Standing] = field(default_factory=dict)
    handicaps: dict[Seat, int] = field(default_factory=dict)
    """Cards more or fewer in a Nerts pile, by the last round's result."""
    declared: dict[Seat, tuple[Declared, ...]] = field(default_factory=dict)
    """The last declarations of each deck."""
    carries: dict[Seat, tuple[HandCarried, ...]] = field(default_factory=dict)
    first_hand: dict[Seat, HandCarried] = field(default_factory=dict)
    lost_us: dict[PileId | None, Interval] = field(default_factory=dict)
    """When each pile could last not be seen; under None, the whole table."""
    nerts_out: dict[Seat, tuple[int, bool]] = field(default_factory=dict)
    """When each deck's last Nerts card landed, in microseconds, and whether it may stay."""
    mistakes: tuple[CardMoved, ...] = ()
    """Cards that were put wrongly onto piles of layouts, the latest last."""
    aces: dict[PileId, tuple[Card, int]] = field(default_factory=dict)
    """Aces that could be played, and since when."""

    @classmethod
    def begin(cls, setup: MatchSetup, rules: NertsRules) -> "Match":
        """A match of which nothing is known yet."""
        table = Table(releases_jokers=rules.joker_release == "when_uncovered")
        return cls(setup, rules, Races(setup), table, Tally(setup, rules))

    def name(self, seat: Seat | None) -> str:
        """The player's name."""
        return "someone" if seat is None else self.setup.player_at(seat)

    def hand_of(self, play: CardMoved) -> Seat | None:
        """Whose hand made the play, if that is sure enough."""
        return hand_of(play, self.setup)

    def own(self, kind: PileKind, seat: Seat) -> PileState:
        """The pile of this kind in the layout of ``seat``."""
        return self.table.pile(PileId(kind, self.setup.deck_of(seat)))

    def work_piles(self, deck: Seat) -> tuple[PileState, ...]:
        """The work piles of a layout that are known, in their order."""
        named = {pile for pile in self.setup.piles if pile.kind is PileKind.TABLEAU and pile.seat is deck}
        named |= {pile for pile in self.table.piles if pile.kind is PileKind.TABLEAU and pile.seat is deck}
        return tuple(self.table.pile(pile) for pile in sorted(named, key=lambda pile: pile.index))

    @property
    def deck_size(self) -> int:
        """Cards in one deck (N3)."""
        return 52 + self.rules.jokers_per_deck

    def nerts_size(self, deck: Seat) -> int:
        """Cards that are dealt to this Nerts pile (N6)."""
        own = next((item.nerts_pile for item in self.setup.seats if item.seat is deck), None)
        usual = self.rules.nerts_pile_size if own is None else own
        return max(usual + self.handicaps.get(deck, 0), 1)

    def was_hidden(self, pile: PileId, at: Interval) -> bool:
        """Whether ``pile`` could not be seen at ``at``."""
        lost = [self.lost_us.get(pile), self.lost_us.get(None)]
        return any(each is not None and each.start_us <= at.end_us <= each.end_us for each in lost)

    def points(self, deck: Seat) -> int:
        """All points of a deck so far, with the earlier rounds."""
        return self.tally.scorecard(self.table, self.earlier_points).total(deck)

    @property
    def earlier_points(self) -> Mapping[Seat, int]:
        """The points of the rounds before this one."""
        return {seat: standing.points for seat, standing in self.earlier.items()}
