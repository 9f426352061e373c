"""Cards in the air when the round ended (N38)."""

from dataclasses import replace
from enum import StrEnum

from referee.clock import Interval
from referee.messages import say
from referee.nerts.faults import Fault, illegal
from referee.nerts.match import Match
from referee.nerts_rules import MidairDoubt
from referee.piles import PileId
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, text_of


class AtTheCall(StrEnum):
    """How a card stood to the call that ended the round."""

    BEFORE = "before"
    """It lay, or the round was not ended."""
    IN_THE_AIR = "in the air"
    DOUBT = "doubt"
    """Whether it left before the call cannot be told."""
    AFTER = "after"


def at_the_call(match: Match, lifted: Interval | None, touch: Interval) -> AtTheCall:
    """How a card that left at ``lifted`` and landed at ``touch`` stood to the end of the round."""
    call = match.round.ended
    if call is None or touch.end_us <= call.start_us:
        return AtTheCall.BEFORE
    if lifted is None:
        return AtTheCall.IN_THE_AIR if _is_within_grace(match, call, touch) else AtTheCall.AFTER
    if lifted.start_us > call.end_us:
        return AtTheCall.AFTER
    return AtTheCall.IN_THE_AIR if lifted.end_us <= call.start_us else AtTheCall.DOUBT


def breaks_call(
    match: Match, lifted: Interval | None, touch: Interval, card: object, pile: PileId | None
) -> Fault | None:
    """Rules N37 and N38: why a card does not count any more."""
    call = match.round.ended
    how = at_the_call(match, lifted, touch)
    if call is None or how is AtTheCall.BEFORE:
        return None
    is_doubted = how is AtTheCall.DOUBT and match.rules.midair_doubt is MidairDoubt.NOT_COUNTED
    if how is AtTheCall.AFTER or is_doubted:
        return illegal(RuleId.N38, "left_after_call", card=card, pile=pile or "its pile")
    if _is_within_grace(match, call, touch):
        return None
    late_ms = (touch.start_us - call.end_us) // 1000
    return illegal(RuleId.N38, "landed_too_late", card=card, late=late_ms, grace=match.rules.midair_grace_ms)


def with_call(match: Match, verdict: Verdict) -> Verdict:
    """``verdict`` on a card that was in the air at the call: it counts, and why is said."""
    if verdict.ruling is not Ruling.LEGAL or not verdict.event.plays:
        return verdict
    play = verdict.event.plays[0]
    how = at_the_call(match, play.lifted, play.touch)
    if how not in {AtTheCall.IN_THE_AIR, AtTheCall.DOUBT}:
        return verdict
    key = "midair_counts" if how is AtTheCall.IN_THE_AIR else "benefit_of_doubt"
    reasons = (say(key), *verdict.reasons)
    return replace(verdict, rule=RuleId.N38, outcome=Outcome.COUNTS, reasons=reasons, reason=text_of(reasons))


def _is_within_grace(match: Match, call: Interval, touch: Interval) -> bool:
    return touch.start_us - call.end_us <= 1000 * match.rules.midair_grace_ms
