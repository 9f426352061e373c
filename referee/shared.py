"""What is ruled alike in every game: doubted clocks, lost views, claims without evidence, displays."""

from dataclasses import dataclass, field

from referee.clock import Interval, margin_text
from referee.events import ContestedPlay, Happened
from referee.messages import Reason, say
from referee.observations import Observation, ViewLost
from referee.piles import PileId
from referee.setup import MatchSetup
from referee.sightings import ClockDoubted, ClockFault
from referee.tellings import CallClock, PlayClaimed, ResultShown
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

SHOWN_KEPT = 16
"""Results on displays that wait for their verdict: more than piles that are raced for at once."""
_CLOCK_KEYS = {
    ClockFault.STAMP_REPEATED: "timestamp_repeat",
    ClockFault.RATE_ASSUMED: "vfr_clock",
    ClockFault.LAG: "clock_lag",
}


@dataclass(slots=True)
class SharedRules:
    """Rules E6, E7, E9 and E10 over one match. A game asks it first, and tells it each verdict."""

    setup: MatchSetup
    _shown: list[ResultShown] = field(default_factory=list)
    _last: dict[PileId, Verdict] = field(default_factory=dict)
    """The last verdict on who was first, by pile."""

    def take(self, observation: Observation) -> tuple[Verdict, ...]:
        """The verdicts on what is ruled alike in every game; none for any other observation."""
        match observation:
            case ClockDoubted():
                return (_on_clock(observation),)
            case ViewLost(pile=None):
                return (_on_lost_view(observation),)
            case PlayClaimed():
                return (self._on_claim(observation),)
            case ResultShown():
                return self._on_shown(observation)
            case _:
                return ()

    def follow(self, verdict: Verdict) -> tuple[Verdict, ...]:
        """Hold what was shown of a race against its ``verdict``."""
        if verdict.pile is None or not isinstance(verdict.event, ContestedPlay):
            return ()
        self._last[verdict.pile] = verdict
        shown = [each for each in self._shown if each.pile == verdict.pile]
        self._shown = [each for each in self._shown if each.pile != verdict.pile]
        return tuple(found for each in shown for found in self._held_against(each, verdict))

    def _on_shown(self, shown: ResultShown) -> tuple[Verdict, ...]:
        verdict = self._last.get(shown.pile)
        if verdict is not None and _first_us(verdict) <= shown.at_us:
            return self._held_against(shown, verdict)
        self._shown = [*self._shown, shown][-SHOWN_KEPT:]
        return ()

    def _held_against(self, shown: ResultShown, verdict: Verdict) -> tuple[Verdict, ...]:
        """Rules E7 and E9: a display says what the verdict says, and no more than the frames tell."""
        found: list[Verdict] = []
        if shown.seat is not verdict.seat:
            reason = say(
                "incoherent_outputs",
                shown_on=shown.shown_on,
                shown="nobody" if shown.seat is None else self.setup.player_at(shown.seat),
                pile=shown.pile,
                said=verdict.reason,
            )
            found.append(_failed(shown, RuleId.E7, reason))
        frame_us = self.setup.frame_period_us
        if shown.margin is not None and shown.margin.width_us < self.setup.timing.guard_for(frame_us):
            margin = margin_text(Interval(0, 0), Interval(shown.margin.start_us, shown.margin.end_us))
            reason = say(
                "false_precision", shown_on=shown.shown_on, margin=margin, frame=round(frame_us / 1000, 1)
            )
            found.append(_failed(shown, RuleId.E9, reason))
        return tuple(found)

    def _on_claim(self, claim: PlayClaimed) -> Verdict:
        """Rule E6: a participant's own clock is no evidence, and neither is what nobody saw."""
        key = "untrusted_clock" if claim.clock is CallClock.OWN_DEVICE else "claim_unseen"
        player = self.setup.player_at(claim.seat)
        reason = say(key, player=player, card=claim.card or "a card", pile=claim.pile)
        event = Happened(causes=(claim,), at=claim.at)
        return ruled(
            event,
            Ruling.UNDECIDED,
            RuleId.E6,
            reason,
            seat=claim.seat,
            pile=claim.pile,
            outcome=Outcome.NO_DECISION,
        )


def _on_clock(doubted: ClockDoubted) -> Verdict:
    """Rule E6: what the frame times of a source are worth."""
    lag_ms = f"{doubted.lag_us / 1000:.1f}".removesuffix(".0")
    reason = say(_CLOCK_KEYS[doubted.fault], source=doubted.source_id, lag=lag_ms)
    event = Happened(causes=(doubted,), at=Interval(doubted.at_us, doubted.at_us))
    outcome = Outcome.WIDEN if doubted.lag_us > 0 else None
    return ruled(event, Ruling.FLAG, RuleId.E6, reason, outcome=outcome)


def _on_lost_view(lost: ViewLost) -> Verdict:
    """Rule E10: no news is not news; nothing was taken away because nothing was seen."""
    start, end = (f"{us / 1e6:.1f}" for us in (lost.lost.start_us, lost.lost.end_us))
    reason = say("view_lost", start=start, end=end, cause=lost.cause)
    event = Happened(causes=(lost,), at=lost.lost)
    return ruled(event, Ruling.UNDECIDED, RuleId.E10, reason, outcome=Outcome.NO_DECISION)


def _failed(shown: ResultShown, rule: RuleId, reason: Reason) -> Verdict:
    event = Happened(causes=(shown,), at=Interval(shown.at_us, shown.at_us))
    return ruled(event, Ruling.FLAG, rule, reason, seat=shown.seat, pile=shown.pile, outcome=Outcome.FAIL)


def _first_us(verdict: Verdict) -> int:
    """When the race began: what is shown later on this pile is about it."""
    return min(play.touch.start_us for play in verdict.event.plays)
