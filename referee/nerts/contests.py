"""Contested places of a foundation: who keeps it, and on what grounds (N15, N16, E2-E5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.cards import Rank
from referee.clock import ClockGrade, TouchOutcome, most_ms
from referee.events import CardMoved, ContestedPlay
from referee.messages import Reason, say
from referee.nerts.match import Match
from referee.nerts.sightings import Judged
from referee.nerts_rules import StackingRule, TieRule
from referee.sightings import PileLaid
from referee.table import Foundation, Step
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled


@dataclass(frozen=True, slots=True)
class _Decision:
    """Who of the plays keeps the place."""

    ruling: Ruling
    rule: RuleId
    reasons: tuple[Reason, ...]
    kept: tuple[int, ...]
    returned: tuple[int, ...]
    outcome: Outcome | None = None
    basis: Basis | None = None

    @property
    def is_open(self) -> bool:
        """Whether the order at rest, seen later, may still decide."""
        return self.ruling is Ruling.TOO_CLOSE


def race_again(
    match: Match, foundation: Foundation, step: Step, plays: Sequence[CardMoved], laid: PileLaid | None
) -> Judged:
    """``plays`` all came for the place of ``step``: decide among all of them, now or again."""
    ordered = tuple(sorted(plays, key=lambda play: (play.touch.end_us, play.touch.start_us)))
    decision = _decided(match, ordered, laid)
    kept = tuple(ordered[i] for i in decision.kept)
    returned = tuple(ordered[i] for i in decision.returned)
    verdict = ruled_race(
        ordered,
        decision.ruling,
        decision.rule,
        decision.reasons,
        kept=decision.kept,
        returned=decision.returned,
        outcome=decision.outcome,
        basis=decision.basis,
    )
    changed = _with_step(foundation, step, Step(step.base, kept, decision.is_open))
    return changed.holding(returned, raced=True), (verdict,)


def settle_open_steps(match: Match, foundation: Foundation, laid: PileLaid) -> Judged:
    """The order at rest was seen after a place was too close to call: it decides (E5)."""
    verdicts: tuple[Verdict, ...] = ()
    for step in foundation.steps:
        if step.is_open and _lowest(match, step.plays, TouchOutcome.TOO_CLOSE, laid) is not None:
            foundation, judged = race_again(match, foundation, step, step.plays, laid)
            verdicts += judged
    return foundation, verdicts


def ruled_race(
    plays: tuple[CardMoved, ...],
    ruling: Ruling,
    rule: RuleId,
    reasons: tuple[Reason, ...],
    *,
    kept: tuple[int, ...] = (),
    returned: tuple[int, ...] = (),
    outcome: Outcome | None = None,
    basis: Basis | None = None,
) -> Verdict:
    """A verdict on ``plays`` together."""
    event = plays[0] if len(plays) == 1 else ContestedPlay(pile=plays[0].target, plays=plays)
    spoken = [plays[i] for i in kept or range(len(plays))]
    seats = tuple(play.seat for play in spoken if play.seat is not None) if len(spoken) > 1 else ()
    return ruled(
        event,
        ruling,
        rule,
        *reasons,
        seats=seats,
        kept=kept,
        returned=returned,
        outcome=outcome,
        basis=basis,
    )


def _with_step(foundation: Foundation, old: Step, new: Step) -> Foundation:
    """With the place decided; nobody's, it is to be played for again."""
    if not any(step is old for step in foundation.steps):
        return foundation.filled(new) if new.plays else foundation
    is_top = old is foundation.steps[-1]
    steps = tuple(new if step is old else step for step in foundation.steps)
    if not new.plays:
        steps = tuple(step for step in steps if step is not new)
    bases = tuple(dict.fromkeys(play.face for play in new.plays)) or (old.base,)
    return replace(foundation, steps=steps, bases=bases if is_top else foundation.bases)


def _decided(match: Match, plays: tuple[CardMoved, ...], laid: PileLaid | None) -> _Decision:
    races = match.races
    order = races.order(plays)
    late = tuple(
        say(
            "touched_later",
            player=races.player_of(plays[i]),
            margin=races.margin(plays[order.leaders[0]], plays[i]),
            card=plays[i].card,
        )
        for i in order.trailers
    )
    if order.outcome is TouchOutcome.FIRST:
        first = plays[order.leaders[0]]
        reason = say("touched_first", player=races.player_of(first), card=first.card)
        return _Decision(Ruling.FIRST, RuleId.N15, (reason, *late), order.leaders, order.trailers)
    leaders = tuple(plays[i] for i in order.leaders)
    lowest = _lowest(match, leaders, order.outcome, laid)
    if lowest is not None:
        return _by_stacking(match, plays, order.leaders, order.leaders[lowest])
    if match.rules.tie is TieRule.FIRST_ONLY:
        reason = say("let", players=races.players_of(leaders))
        everyone = tuple(range(len(plays)))
        return _Decision(Ruling.TIE, RuleId.N16, (reason, *late), (), everyone, Outcome.LET)
    ruling, rule, reason = _undecided_reason(match, leaders, order.outcome)
    is_complete = any(play.face is not None and play.face.rank is Rank.KING for play in leaders)
    outcome = Outcome.REMOVE_PILE if is_complete else None
    return _Decision(ruling, rule, (reason, *late), order.leaders, order.trailers, outcome)


def _lowest(
    match: Match, leaders: tuple[CardMoved, ...], outcome: TouchOutcome, laid: PileLaid | None
) -> int | None:
    """Whose card lies below, where the house rules let that decide (E5)."""
    rules = match.rules
    if rules.stacking is StackingRule.NEVER:
        return None
    asks = outcome is TouchOutcome.TOO_CLOSE or rules.stacking is StackingRule.ALWAYS
    return match.races.lowest(leaders, laid) if asks or rules.tie is TieRule.FIRST_ONLY else None


def _by_stacking(
    match: Match, plays: tuple[CardMoved, ...], leaders: tuple[int, ...], first: int
) -> _Decision:
    races = match.races
    names = races.players_of([plays[i] for i in leaders])
    reasons = [
        say("lower_card_first", players=names, card=plays[first].card, player=races.player_of(plays[first]))
    ]
    others = tuple(i for i in range(len(plays)) if i != first)
    reasons += [say("lies_above", card=plays[i].card, player=races.player_of(plays[i])) for i in others]
    return _Decision(Ruling.FIRST, RuleId.E5, tuple(reasons), (first,), others, basis=Basis.STACKING)


def _undecided_reason(
    match: Match, leaders: Sequence[CardMoved], outcome: TouchOutcome
) -> tuple[Ruling, RuleId, Reason]:
    who = match.races.players_of(leaders)
    if outcome is TouchOutcome.TIE:
        return Ruling.TIE, RuleId.N16, say("tie_both_keep", players=who)
    if match.setup.clock_grade is ClockGrade.C:
        return Ruling.TOO_CLOSE, RuleId.E4, say("too_close.clock", players=who)
    widest_us = max(play.touch.width_us for play in leaders)
    return Ruling.TOO_CLOSE, RuleId.E4, say("too_close.wide", players=who, width=most_ms(widest_us))
