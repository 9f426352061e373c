"""Verdicts on cards that came to a shared pile, or went back from one (S10 to S19)."""

from collections.abc import Sequence
from dataclasses import replace

from referee.clock import margin_text
from referee.events import CardMoved, ContestedPlay, Event, Happened
from referee.messages import Reason, say
from referee.observations import CardLifted
from referee.piles import Seat
from referee.setup import MatchSetup
from referee.sightings import CardsCarried
from referee.spit.centre import touch_order
from referee.spit.checks import Fault, name_of
from referee.spit.race import Decision
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled


def player_of(play: CardMoved, setup: MatchSetup) -> str:
    """Who made ``play``, as players say it."""
    return "a hand that was not recognised" if play.seat is None else setup.player_at(play.seat)


def names_of(seats: Sequence[Seat], setup: MatchSetup) -> str:
    """``Ana and Ben``."""
    return _joined([setup.player_at(seat) for seat in seats])


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def event_of(plays: Sequence[CardMoved]) -> Event:
    """The event that ``plays`` make together."""
    ordered = tuple(sorted(plays, key=touch_order))
    return ordered[0] if len(ordered) == 1 else ContestedPlay(pile=ordered[0].target, plays=ordered)


def stands(decision: Decision, rule: RuleId, why: Sequence[Reason], setup: MatchSetup, at_us: int) -> Verdict:
    """The verdict on a card that stands, by ``rule``, and on those that lost its place."""
    winner, *losers = decision.plays
    event = event_of(decision.plays)
    kept = (event.plays.index(winner),)
    if not losers:
        return ruled(event, Ruling.LEGAL, rule, *why, basis=decision.basis, kept=kept, decided_us=at_us)
    reasons = (*_race_reasons(decision, setup), *why)
    returned = tuple(i for i in range(len(event.plays)) if i not in kept)
    return ruled(
        event,
        Ruling.FIRST,
        rule,
        *reasons,
        basis=decision.basis,
        kept=kept,
        returned=returned,
        decided_us=at_us,
    )


def _race_reasons(decision: Decision, setup: MatchSetup) -> tuple[Reason, ...]:
    winner, *losers = decision.plays
    player = player_of(winner, setup)
    if decision.basis is Basis.STACKING:
        players = _joined([player_of(play, setup) for play in decision.plays])
        first = say("lower_card_first", players=players, card=name_of(winner.card), player=player)
    else:
        first = say("touched_first", player=player, card=name_of(winner.card))
    return (first, *(_lost(winner, play, setup) for play in losers))


def _lost(winner: CardMoved, play: CardMoved, setup: MatchSetup) -> Reason:
    """Why ``play`` goes back: it came later, or lies above."""
    player, card = player_of(play, setup), name_of(play.card)
    if play.touch.start_us <= winner.touch.end_us:
        return say("lies_above", card=card, player=player)
    return say("touched_later", player=player, margin=margin_text(winner.touch, play.touch), card=card)


def let(decision: Decision, rule: RuleId, setup: MatchSetup, at_us: int) -> Verdict:
    """Rule S18: nothing tells the plays apart, so all take back and the pile is played again."""
    event = event_of(decision.plays)
    players = _joined([player_of(play, setup) for play in event.plays])
    return ruled(
        event,
        Ruling.TOO_CLOSE if decision.is_wide else Ruling.TIE,
        RuleId.E4 if decision.is_wide else rule,
        say("let.wide" if decision.is_wide else "let.tie", players=players),
        outcome=Outcome.LET,
        returned=tuple(range(len(event.plays))),
        seats=tuple(play.seat for play in event.plays if play.seat is not None),
        decided_us=at_us,
    )


def refused(play: CardMoved, fault: Fault, at_us: int) -> Verdict:
    """The verdict on a card that may not lie where it came to."""
    return ruled(play, Ruling.ILLEGAL, fault.rule, fault.reason, returned=(0,), decided_us=at_us)


def doubtful(decision: Decision, rule: RuleId, at_us: int) -> Verdict:
    """Nobody can rule: the card, or what it was put on, was not read."""
    play = decision.plays[0]
    if play.card is None:
        reason = say("face_unread", pile=play.target)
    else:
        reason = say("top_unread", card=play.card, pile=play.target)
    return ruled(play, Ruling.UNDECIDED, rule, reason, decided_us=at_us)


def brushed(play: CardMoved, rule: RuleId, at_us: int) -> Verdict:
    """Rule S17: a card that does not fit is not played by touching."""
    reason = say("only_brushed", card=name_of(play.card), pile=play.target)
    return ruled(play, Ruling.LEGAL, rule, reason, outcome=Outcome.NO_PLAY, decided_us=at_us)


def taken_back(play: CardMoved, rule: RuleId, *, is_right: bool) -> Verdict:
    """Rule S19: a card that left a shared pile, rightly or not."""
    pile = play.source if play.source is not None else play.target
    if is_right:
        reason = say("correction", card=name_of(play.card), pile=pile)
        return ruled(play, Ruling.LEGAL, rule, reason, outcome=Outcome.RETURNED, kept=(0,))
    reason = say("played_card_removed", card=name_of(play.card), pile=pile)
    return ruled(play, Ruling.ILLEGAL, rule, reason, returned=(0,))


def carried_plays(carried: CardsCarried) -> tuple[CardMoved, ...]:
    """The cards of one carry as plays, the lowest first."""
    return tuple(
        CardMoved(
            seat=carried.seat,
            seat_confidence=carried.seat_confidence,
            card=card,
            source=carried.source,
            lifted_card=None,
            lifted=carried.lifted,
            target=carried.pile,
            touch=carried.touch,
            settled_us=carried.settled_us,
            confidence=carried.confidence,
            resolution_us=carried.resolution_us,
            evidence=(carried.evidence,),
        )
        for card in carried.cards
    )


def carried_together(
    carried: CardsCarried, plays: tuple[CardMoved, ...], reason: Reason, rule: RuleId, *, is_kept: bool
) -> Verdict:
    """Rule S10: several cards in one carry are told; they stay if each fits on the one before."""
    every = tuple(range(len(plays)))
    return ruled(
        Happened(causes=(carried,), at=carried.touch, plays=plays),
        Ruling.FLAG,
        rule,
        reason,
        seat=carried.seat,
        kept=every if is_kept else (),
        returned=() if is_kept else every,
    )


def with_reason(verdict: Verdict, reason: Reason, outcome: Outcome) -> Verdict:
    """``verdict`` with one thing more to say, and what follows from it."""
    reasons = (*verdict.reasons, reason)
    text = f"{verdict.reason}; {reason.text()}"
    return replace(verdict, reasons=reasons, reason=text, outcome=outcome)


def lifted_back(lifted: CardLifted, rule: RuleId, *, is_right: bool) -> Verdict:
    """Rule S19: a card was lifted from a shared pile and came to no other, rightly or not."""
    key = "correction" if is_right else "played_card_removed"
    reason = say(key, card=name_of(lifted.card), pile=lifted.pile)
    return ruled(
        Happened(causes=(lifted,), at=lifted.lifted),
        Ruling.LEGAL if is_right else Ruling.ILLEGAL,
        rule,
        reason,
        seat=lifted.seat,
        pile=lifted.pile,
        outcome=Outcome.RETURNED if is_right else None,
    )
