"""Hands: one hand moves cards, the other may hold the stock (N13)."""

from referee.clock import Interval
from referee.events import Happened
from referee.messages import say
from referee.nerts.match import CARRIES_KEPT, Match
from referee.nerts_rules import HandsRule
from referee.piles import PileKind
from referee.sightings import HandCarried
from referee.verdicts import RuleId, Ruling, Verdict, ruled


def judge_carrying(match: Match, carried: HandCarried) -> tuple[Verdict, ...]:
    """Hold one carry against the others of its seat.

    A hand that may be another's tells nothing, and one over the stock holds it.
    """
    seat = carried.seat
    if seat is None or carried.confidence < match.setup.seat_confidence_min:
        return ()
    if carried.pile is not None and carried.pile.kind is PileKind.STOCK:
        return ()
    earlier = match.carries.get(seat, ())
    match.carries[seat] = (*earlier, carried)[-CARRIES_KEPT:]
    first = match.first_hand.setdefault(seat, carried)
    if match.rules.one_hand is HandsRule.BOTH:
        return ()
    for other in reversed(earlier):
        if other.hand is not carried.hand and _overlap_us(other.carried, carried.carried) > _least_us(match):
            reason = say("two_hands.nerts", player=match.name(seat))
            event = Happened(causes=(other, carried), at=carried.carried)
            return (ruled(event, Ruling.FLAG, RuleId.N13, reason, seat=seat, pile=carried.pile),)
    if match.rules.one_hand is HandsRule.FIXED and carried.hand is not first.hand:
        reason = say("hand_changed", player=match.name(seat), first=first.hand, hand=carried.hand)
        event = Happened(causes=(first, carried), at=carried.carried)
        return (ruled(event, Ruling.FLAG, RuleId.N13, reason, seat=seat, pile=carried.pile),)
    return ()


def _overlap_us(one: Interval, other: Interval) -> int:
    return min(one.end_us, other.end_us) - max(one.start_us, other.start_us)


def _least_us(match: Match) -> int:
    """Less than a frame tells nothing."""
    return match.setup.timing.guard_for(match.setup.frame_period_us)
