"""What every part of the judge of Spit looks at: the set-up, the table, the shared piles, the round."""

from dataclasses import dataclass, field

from referee.clock import Interval
from referee.piles import PileId, Seat
from referee.setup import MatchSetup
from referee.spit.centre import Centre
from referee.spit.table import SpitTable
from referee.spit_rules import SpitRules


@dataclass(frozen=True, slots=True)
class Ended:
    """How a round ended."""

    at: Interval
    out: tuple[Seat, ...]
    """Who had no stock cards left; empty: nobody could play, or all agreed."""


@dataclass(slots=True)
class Bench:
    """The match as it stands."""

    setup: MatchSetup
    table: SpitTable
    centre: Centre
    ended: Ended | None = None
    """How the round ended. None: it goes on, or a new one has not begun."""
    taken: dict[Seat, PileId] = field(default_factory=dict)
    """Who takes which spit pile, once that is ruled."""

    @property
    def rules(self) -> SpitRules:
        """The house rules."""
        return self.table.rules

    @property
    def out(self) -> tuple[Seat, ...]:
        """Rule S22: who has no stock left, none of it on its way back."""
        return tuple(seat for seat in self.table.out if not self.centre.is_owed(seat))

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.ended is not None or (self.centre.has_begun and len(self.out) > 0)

    @property
    def spit_piles(self) -> int:
        """Rule S30: how many spit piles the round has."""
        return self.table.piles_now(len(self.centre.piles))

    def player(self, seat: Seat) -> str:
        """The name of who sits at ``seat``."""
        return self.setup.player_at(seat)
