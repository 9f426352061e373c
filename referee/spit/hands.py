"""Which hands of a player carry cards at once (S9)."""

from dataclasses import dataclass, field

from referee.events import Happened
from referee.messages import say
from referee.piles import Seat
from referee.setup import MatchSetup
from referee.sightings import HandCarried
from referee.spit_rules import HandsRule
from referee.verdicts import RuleId, Ruling, Verdict, ruled


@dataclass(slots=True)
class Hands:
    """Follows the hands of each player; ``rule`` is what the verdict names."""

    setup: MatchSetup
    rule: RuleId
    allowed: HandsRule
    _last: dict[Seat, HandCarried] = field(default_factory=dict)
    """The last carry of each seat."""

    def take(self, carried: HandCarried) -> tuple[Verdict, ...]:
        """Rule S9: two hands of one player that surely carried at the same time are told."""
        seat = carried.seat
        if seat is None or carried.confidence < self.setup.seat_confidence_min:
            return ()
        before, self._last[seat] = self._last.get(seat), carried
        if before is None or self.allowed is HandsRule.BOTH or not self._are_together(before, carried):
            return ()
        event = Happened(causes=(before, carried), at=carried.carried)
        reason = say("two_hands", player=self.setup.player_at(seat))
        return (ruled(event, Ruling.FLAG, self.rule, reason, seat=seat),)

    def _are_together(self, one: HandCarried, other: HandCarried) -> bool:
        """Whether two different hands carried for at least the guard at the same time."""
        start_us = max(one.carried.start_us, other.carried.start_us)
        end_us = min(one.carried.end_us, other.carried.end_us)
        guard_us = self.setup.timing.guard_for(self.setup.frame_period_us)
        return one.hand is not other.hand and end_us - start_us >= max(guard_us, 1)
