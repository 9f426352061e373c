"""Verdicts on single plays: why one stands, or why it does not."""

from referee.cards import Card, Rank
from referee.events import CardMoved
from referee.messages import Reason, say
from referee.nerts.checks import owner_of
from referee.nerts.faults import Fault
from referee.nerts.match import Match
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled


def fault_verdict(play: CardMoved, fault: Fault) -> Verdict:
    """Why ``play`` does not stand."""
    is_refused = fault.ruling is Ruling.ILLEGAL
    late = fault.rule is RuleId.N38
    outcome = Outcome.NOT_COUNTED if late else None
    return ruled(
        play, fault.ruling, fault.rule, fault.reason, returned=(0,) if is_refused else (), outcome=outcome
    )


def legal_verdict(match: Match, play: CardMoved, base: Card | None, *, is_stacked: bool = False) -> Verdict:
    """Why ``play`` stands on ``base``."""
    rule, reason, outcome = _why_legal(play, base)
    reasons = [reason]
    if play.stands_for is not None:
        reasons.append(say("declared", card=play.stands_for))
    if play.source is None and play.owner is None:
        reasons.append(say("source_unseen"))
    if owner_of(play, match.setup) is None:
        reasons.append(say("owner_unseen"))
    basis = Basis.STACKING if is_stacked else None
    return ruled(play, Ruling.LEGAL, rule, *reasons, kept=(0,), outcome=outcome, basis=basis)


def _why_legal(play: CardMoved, base: Card | None) -> tuple[RuleId, Reason, Outcome | None]:
    if base is None:
        return RuleId.N25, say("opens_foundation", card=play.card), None
    if play.face is not None and play.face.rank is Rank.KING:
        return RuleId.N27, say("completes_pile", card=play.card, base=base), Outcome.REMOVE_PILE
    return RuleId.N26, say("foundation_goes_up", card=play.card, base=base), None
