"""What Speed and California Speed rule alike: players, counts, and who ran out of cards first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.events import CardMoved, Happened
from referee.messages import say
from referee.piles import Seat
from referee.setup import MatchSetup
from referee.spit.centre import touch_order
from referee.spit.shared import SharedPlays
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

PLAYERS = 2
"""Both games are for two."""


def start_verdict(event: Happened, rule: RuleId, setup: MatchSetup) -> Verdict:
    """Whether as many players sit at the table as the game is for."""
    count = len(setup.seats)
    if count == PLAYERS:
        reason = say("players_agreed", count=count)
        return ruled(event, Ruling.LEGAL, rule, reason, outcome=Outcome.DEAL_OK)
    reason = say("players_not_agreed", count=count, wanted=PLAYERS)
    return ruled(event, Ruling.ILLEGAL, rule, reason, outcome=Outcome.DEAL_BAD)


def dealt_twice(event: Happened, rule: RuleId, seat: Seat | None) -> Verdict:
    """The cards of a round are dealt once."""
    return ruled(event, Ruling.ILLEGAL, rule, say("dealt_twice"), seat=seat, outcome=Outcome.DEAL_BAD)


def count_verdict(
    event: Happened, rule: RuleId, counts: Sequence[int | None], wanted: int, left: Mapping[str, int | None]
) -> Verdict:
    """Whether all cards together are the pack; ``left`` are those of each player."""
    known = [count for count in counts if count is not None]
    if len(known) < len(counts) or not known:
        return ruled(event, Ruling.UNDECIDED, rule, say("totals_unknown"))
    text, together = ", ".join(f"{player} {count}" for player, count in left.items()), sum(known)
    if together != wanted:
        reason = say("sum_{sum}_of_{wanted}", counts=text, sum=together, wanted=wanted)
        return ruled(event, Ruling.FLAG, rule, reason)
    return ruled(event, Ruling.LEGAL, rule, say("cards_owned", counts=text), outcome=Outcome.COUNT)


@dataclass(frozen=True, slots=True)
class FirstOut:
    """Whose last card stood first."""

    play: CardMoved
    tied: tuple[Seat, ...]
    """All who ran out together, where the touches do not tell who was first."""

    @property
    def event(self) -> Happened:
        """The last card."""
        return Happened(causes=(), at=self.play.touch, plays=(self.play,))


def first_out(lasts: Mapping[Seat, CardMoved], shared: SharedPlays, setup: MatchSetup) -> FirstOut | None:
    """Who of ``lasts``, the last cards of those who have none left, was first.

    None: nobody, or a card is in the air that may have been as early.
    """
    ordered = sorted(
        (play for seat, play in lasts.items() if not shared.centre.is_owed(seat)), key=touch_order
    )
    if not ordered or any(each.touch.start_us <= ordered[-1].touch.end_us for each in shared.in_air):
        return None
    first, guard_us = ordered[0], setup.timing.guard_for(setup.frame_period_us)
    together = [p for p in ordered if p is first or not first.touch.surely_before(p.touch, guard_us=guard_us)]
    tied = tuple(seat for seat, play in lasts.items() if play in together) if len(together) > 1 else ()
    return FirstOut(first, tied)
