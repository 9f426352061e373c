"""Calls: whose Nerts pile is dry, when the round ends, and what comes too late (N36, N37)."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from referee.clock import Interval
from referee.events import Happened
from referee.messages import Reason, say
from referee.nerts.match import Match
from referee.nerts_rules import EarlyCall
from referee.observations import CardLanded, CardLifted
from referee.piles import PileId, PileKind, Seat
from referee.tellings import CallClock, Called
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled


class _Dry(StrEnum):
    """How the caller's Nerts pile was found."""

    DRY = "dry"
    IN_THE_AIR = "in the air"
    """The last card had left and not landed."""
    LEFT = "left"
    HIDDEN = "hidden"
    UNKNOWN = "unknown"


def take_call(match: Match, called: Called) -> tuple[Verdict, ...]:
    """Take in a call; it is ruled on when others can no longer be the same call."""
    if called.seat is None or called.at is None:
        return (_ruled(called, Ruling.UNDECIDED, RuleId.N37, say("audio_needed")),)
    if _is_too_late(match, called):
        reason = say("call_after_end", player=match.name(called.seat))
        return (_ruled(called, Ruling.FLAG, RuleId.N37, reason, outcome=Outcome.CALL_IGNORED),)
    match.round.open_calls.append(called)
    return ()


def _is_too_late(match: Match, called: Called) -> bool:
    """Whether the round had ended before, by a call that this one is not one with."""
    ended = match.round.ended
    if match.round.is_counted:
        return True
    return ended is not None and onset(called).start_us - ended.end_us > 1000 * match.rules.call_tie_ms


def onset(called: Called) -> Interval:
    """When the call began; by a participant's own device, when it was heard of (E6)."""
    if called.at is None or called.clock is CallClock.OWN_DEVICE:
        return Interval(called.told_us, called.told_us)
    return called.at


def due_us(match: Match, lifts: Sequence[CardLifted], flying: Sequence[CardLanded]) -> int:
    """When the open calls are to be ruled on; there is one or more."""
    calls = match.round.open_calls
    ready_us = [onset(call).end_us + 1000 * match.rules.call_tie_ms for call in calls[:1]]
    for call in calls:
        if _dryness(match, call, lifts, flying) is _Dry.IN_THE_AIR:
            grace_us = 1000 * match.rules.midair_grace_ms
            ready_us.append(onset(call).end_us + grace_us + match.setup.timing.collection_us)
    return max(ready_us)


def rule_on_calls(
    match: Match, lifts: Sequence[CardLifted], flying: Sequence[CardLanded]
) -> tuple[Verdict, ...]:
    """Rule on the calls that are open, all together."""
    calls = _in_order(match, match.round.open_calls)
    match.round.open_calls = []
    valid: list[Called] = []
    verdicts: list[Verdict] = []
    for call in calls:
        dry = _dryness(match, call, lifts, flying)
        if dry is _Dry.DRY:
            valid.append(call)
        else:
            verdicts.append(_refused(match, call, dry))
    return (*verdicts, *_ended_by(match, valid))


def end_round(match: Match, called: Called) -> tuple[Verdict, ...]:
    """The round is over, as all agree."""
    if match.round.ended is not None:
        return ()
    match.round.ended = onset(called)
    reason = say("round_end.agreed")
    return (_ruled(called, Ruling.LEGAL, RuleId.N37, reason, outcome=Outcome.ROUND_END),)


def _ended_by(match: Match, valid: list[Called]) -> Iterable[Verdict]:
    """Rules N36 and N37: a dry pile's call ends the round; several at once end it alike."""
    if not valid:
        return ()
    window_us = 1000 * match.rules.call_tie_ms
    first_us = onset(valid[0]).start_us
    together = [call for call in valid if onset(call).start_us - first_us <= window_us]
    seats = tuple(dict.fromkeys(_deck(match, call) for call in together))
    is_new = match.round.ended is None
    if is_new:
        match.round.ended = onset(valid[0])
    match.round.callers = tuple(dict.fromkeys((*match.round.callers, *seats)))
    for seat in seats:
        if not match.tally.called(seat):
            match.tally.credit_call(seat)
    if len(seats) > 1:
        names = " and ".join(match.name(call.seat) for call in together)
        event = Happened(causes=tuple(together), at=onset(together[0]))
        reason = say("call_tie", players=names, caller="TIE", bonus=match.rules.call_bonus)
        return (ruled(event, Ruling.TIE, RuleId.N36, reason, seats=seats, outcome=Outcome.ROUND_END),)
    call = together[0]
    held = _ruled(call, Ruling.LEGAL, RuleId.N36, _why_valid(match, call), outcome=Outcome.CALL_VALID)
    if not is_new:
        return (held,)
    reason = say("round_end.call", player=match.name(call.seat))
    return (held, _ruled(call, Ruling.LEGAL, RuleId.N37, reason, outcome=Outcome.ROUND_END))


def _why_valid(match: Match, call: Called) -> Reason:
    assert call.seat is not None
    emptied_us = match.own(PileKind.RESERVE, call.seat).counted_us
    landed_us, _ = match.nerts_out.get(_deck(match, call), (None, True))
    if landed_us is not None and landed_us > onset(call).end_us:
        return say("call_valid.landing", player=match.name(call.seat), effective=landed_us // 1000)
    since_us = landed_us if landed_us is not None else emptied_us
    effective_us = onset(call).start_us if since_us is None else max(onset(call).start_us, since_us)
    return say("call_valid", player=match.name(call.seat), effective=effective_us // 1000)


def _refused(match: Match, call: Called, dry: _Dry) -> Verdict:
    assert call.seat is not None
    player = match.name(call.seat)
    if dry in {_Dry.LEFT, _Dry.IN_THE_AIR}:
        match.tally.charge_call(_deck(match, call))
        left = match.own(PileKind.RESERVE, call.seat).counted
        key = "last_card_in_air" if dry is _Dry.IN_THE_AIR or not left else "nerts_left_{count}"
        reason = say(key, player=player, count=left)
        return _ruled(call, Ruling.ILLEGAL, RuleId.N36, reason, outcome=Outcome.CALL_INVALID)
    key = "nerts_zone_occluded" if dry is _Dry.HIDDEN else "nerts_pile_unknown"
    return _ruled(call, Ruling.UNDECIDED, RuleId.N36, say(key, player=player))


def _dryness(match: Match, call: Called, lifts: Sequence[CardLifted], flying: Sequence[CardLanded]) -> _Dry:
    """How the caller's pile stood; a card that landed after the call was in the air at it."""
    deck, at = _deck(match, call), onset(call)
    pile = PileId(PileKind.RESERVE, deck)
    left = match.table.pile(pile).counted
    landed_us, may_stay = match.nerts_out.get(deck, (None, True))
    if left == 0 and not may_stay:
        return _Dry.LEFT
    if left == 0:
        is_late = landed_us is not None and landed_us > at.end_us
        return _Dry.LEFT if is_late and match.rules.early_call is EarlyCall.STRICT else _Dry.DRY
    is_lifted = any(lift.pile == pile and lift.lifted.start_us <= at.end_us for lift in lifts)
    is_flying = any(landed.source == pile for landed in flying)
    if left == 1 and (is_lifted or is_flying):
        is_strict = match.rules.early_call is EarlyCall.STRICT
        return _Dry.LEFT if is_strict and is_lifted else _Dry.IN_THE_AIR
    if match.was_hidden(pile, at):
        return _Dry.HIDDEN
    return _Dry.UNKNOWN if left is None else _Dry.LEFT


def _deck(match: Match, call: Called) -> Seat:
    assert call.seat is not None
    return match.setup.deck_of(call.seat)


def _in_order(match: Match, calls: Sequence[Called]) -> list[Called]:
    return sorted(
        calls, key=lambda call: (onset(call).start_us, onset(call).end_us, match.setup.place_of(call.seat))
    )


def _ruled(
    called: Called, ruling: Ruling, rule: RuleId, reason: Reason, *, outcome: Outcome | None = None
) -> Verdict:
    event = Happened(causes=(called,), at=onset(called))
    pile = None if called.seat is None else PileId(PileKind.RESERVE, called.seat)
    return ruled(event, ruling, rule, reason, seat=called.seat, pile=pile, outcome=outcome)
