"""Foundations: all that was collected for one of them against the table as it stood (N14-N16, N25-N28).

The comparison of touches is in ``referee.races``, the order of cards in ``referee.nerts.checks``. Here it is
decided which rule applies to which plays, and in which order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.cards import Card
from referee.events import CardMoved, Happened
from referee.interpret import PileNews
from referee.messages import say
from referee.nerts import jokers
from referee.nerts.checks import (
    breaks_layouts,
    breaks_one_per_suit,
    breaks_order,
    breaks_sources,
    fitting_bases,
    follow_ups,
    hides_its_face,
    owner_of,
)
from referee.nerts.contests import race_again, ruled_race
from referee.nerts.faults import Fault, illegal, undecided
from referee.nerts.legal import fault_verdict, legal_verdict
from referee.nerts.match import Match
from referee.nerts.midair import breaks_call, with_call
from referee.nerts.sightings import Judged, carried_plays, look, with_decision
from referee.races import Races
from referee.sightings import PileLaid
from referee.table import Foundation, Step
from referee.verdicts import RuleId, Ruling, Verdict, ruled


def judge_foundation(match: Match, news: PileNews) -> tuple[Verdict, ...]:
    """Rule on all that was collected for one foundation, and bring the match up to date."""
    foundation, verdicts = look(match, match.table.foundation(news.pile), news.before)
    plays, flags = carried_plays(match, news.carried)
    waiting = tuple(sorted((*news.moves, *plays), key=lambda play: (play.touch.end_us, play.touch.start_us)))
    foundation, judged = judge_plays(match, foundation, waiting, news.laid)
    verdicts += flags + judged
    foundation, judged = look(match, foundation, news.after)
    match.table.foundations[news.pile] = foundation
    for play in waiting:
        match.table.move(play)
    return tuple(with_decision(verdict, news.decided_us) for verdict in verdicts + judged)


def judge_plays(
    match: Match, foundation: Foundation, plays: Sequence[CardMoved], laid: PileLaid | None
) -> Judged:
    """Rule on ``plays``, each against what lay there when it came."""
    bench = _Bench(match, match.races, laid)
    waiting = tuple(jokers.meant(match, play) for play in plays)
    verdicts = _same_deck(match, waiting)
    while waiting:
        next_plays = _next_plays(bench, foundation, waiting)
        foundation, judged = _judge_next(bench, foundation, next_plays)
        verdicts += tuple(with_call(match, verdict) for verdict in judged)
        waiting = tuple(play for play in waiting if play not in next_plays)
    return foundation, verdicts


@dataclass(frozen=True, slots=True)
class _Bench:
    """What a play is judged against beside its own pile."""

    match: Match
    races: Races
    laid: PileLaid | None

    def bars(self, play: CardMoved) -> Fault | None:
        """Why ``play`` may go on no foundation at all, None if it may."""
        match = self.match
        return (
            hides_its_face(play, match.setup)
            or breaks_call(match, play.lifted, play.touch, play.card, play.source)
            or jokers.is_foreign(match, play)
            or jokers.breaks_declaration(match, play)
            or breaks_layouts(match.hand_of(play), play.source, play.target, match.setup)
            or breaks_sources(play, match.table, match.setup)
            or breaks_one_per_suit(play, match.table, match.rules, self.races)
        )

    def claims(self, play: CardMoved, foundation: Foundation) -> bool:
        """Whether ``play`` fits the foundation's next place."""
        if play.face is None or self.bars(play) is not None or self.came_before(play, foundation):
            return False
        return len(fitting_bases(play.face, foundation.bases)) > 0

    def came_before(self, play: CardMoved, foundation: Foundation) -> bool:
        """Whether ``play`` surely touched before the card that it would go on."""
        if not foundation.steps:
            return False
        step = foundation.steps[-1]
        guard_us = self.races.guard_us((play, *step.plays))
        return play.touch.surely_before(step.touch, guard_us=guard_us)

    def is_surely_first(self, play: CardMoved, other: CardMoved) -> bool:
        """Whether ``play`` came before ``other``: by time, else by the order at rest (E5)."""
        if self.races.surely_before(play, other):
            return True
        return not self.races.surely_before(other, play) and self.lies_below(play, other)

    def lies_below(self, play: CardMoved, other: CardMoved) -> bool:
        """Whether the card of ``play`` was seen to lie below that of ``other``."""
        return play.face != other.face and self.races.lowest((play, other), self.laid) == 0


def _next_plays(bench: _Bench, foundation: Foundation, waiting: Sequence[CardMoved]) -> tuple[CardMoved, ...]:
    """The plays to judge next, together: the earliest that fits, and its rivals.

    A play that fits goes before one that touched not surely earlier and does not fit: 5H and 6H that come to
    4H together are both right, in that order.
    """
    earliest = waiting[0]
    for play in waiting[1:]:
        if bench.lies_below(play, earliest) and not bench.races.surely_before(earliest, play):
            earliest = play
    fits = [play for play in waiting if bench.claims(play, foundation)]
    leader = next((play for play in fits if not bench.is_surely_first(earliest, play)), None)
    if leader is None:
        return (earliest,)
    plays = [leader]
    for play in fits:
        if play != leader and bench.races.is_rival(play, plays):
            plays.append(play)
    return tuple(plays)


def _judge_next(bench: _Bench, foundation: Foundation, plays: tuple[CardMoved, ...]) -> Judged:
    play = plays[0]
    fault = bench.bars(play)
    if fault is not None:
        return _refuse(foundation, play, fault)
    if bench.claims(play, foundation):
        return _fill(bench, foundation, plays)
    step = _step_missed_by(bench, foundation, play)
    if step is not None:
        return race_again(bench.match, foundation, step, (*step.plays, play), bench.laid)
    return _refuse(foundation, play, _misfit(foundation, play))


def _face(play: CardMoved) -> Card:
    """The card of ``play``, which ``bars`` has let pass."""
    assert play.face is not None
    return play.face


def _misfit(foundation: Foundation, play: CardMoved) -> Fault:
    """Why ``play``, a legible card, fits no place of ``foundation``."""
    card = _face(play)
    if not foundation.bases:
        return undecided(RuleId.N26, "top_unread.nerts", card=card, pile=foundation.pile)
    faults = [fault for base in foundation.bases if (fault := breaks_order(card, base)) is not None]
    if not faults:
        base = foundation.steps[-1].plays[0].face
        return illegal(RuleId.N26, "foundation_sequence.early", card=card, base=base)
    if foundation.is_certain:
        return faults[0]
    lower = foundation.bases[0] or "the bare table"
    return undecided(faults[0].rule, "foundation_sequence.doubt", card=card, base=lower)


def _refuse(foundation: Foundation, play: CardMoved, fault: Fault) -> Judged:
    """``play`` does not count; an undecided one may be the new top."""
    verdicts = (fault_verdict(play, fault),)
    if fault.ruling is Ruling.ILLEGAL:
        return foundation.holding((play,)), verdicts
    is_read = play.face is not None and not play.face.is_joker and fault.rule is not RuleId.E10
    if play.face is not None and is_read:
        known = (play.face,) if not foundation.bases else foundation.bases
        return replace(foundation, bases=known, is_untouched=False), verdicts
    if not foundation.bases:
        return foundation, verdicts
    could_follow = [card for base in foundation.bases for card in follow_ups(base)]
    return foundation.doubting([*foundation.bases, *could_follow]), verdicts


def _fill(bench: _Bench, foundation: Foundation, plays: tuple[CardMoved, ...]) -> Judged:
    """``plays`` all fit the next place: one is legal, several are a race."""
    first = plays[0]
    base = fitting_bases(_face(first), foundation.bases)[0]
    if not foundation.is_certain:
        reason = say("top_doubtful", card=first.card, pile=first.target)
        event_plays = plays[:1] if len(plays) == 1 else plays
        doubt = ruled_race(event_plays, Ruling.UNDECIDED, RuleId.N26, (reason,))
        return foundation.filled(Step(base, plays)), (doubt,)
    if len(plays) == 1:
        is_stacked = bench.laid is not None and _was_next_to_another(bench, foundation, first)
        verdict = legal_verdict(bench.match, first, base, is_stacked=is_stacked)
        return foundation.filled(Step(base, plays)), (verdict,)
    return race_again(bench.match, foundation, Step(base, ()), plays, bench.laid)


def _was_next_to_another(bench: _Bench, foundation: Foundation, play: CardMoved) -> bool:
    """Whether not the times but the order at rest told ``play`` from the card before it."""
    others = foundation.steps[-1].plays if foundation.steps else ()
    return any(
        not bench.races.surely_before(other, play) and bench.lies_below(other, play) for other in others
    )


def _step_missed_by(bench: _Bench, foundation: Foundation, play: CardMoved) -> Step | None:
    """The place already taken that ``play`` came for, if it came soon enough to be a rival."""
    card = _face(play)
    for step in reversed(foundation.steps):
        is_same_face = any(other.face == card for other in step.plays)
        is_top = step is foundation.steps[-1]
        came_for_it = is_same_face or (is_top and breaks_order(card, step.base) is None)
        if came_for_it and bench.races.is_rival(play, step.plays):
            return step
    return None


def _same_deck(match: Match, plays: Sequence[CardMoved]) -> tuple[Verdict, ...]:
    """Rules N3 and N48: one deck has each card once, so two of them are a misread or a foreign card."""
    seen: dict[tuple[object, Card], CardMoved] = {}
    verdicts: list[Verdict] = []
    for play in plays:
        owner = owner_of(play, match.setup)
        if owner is None or play.card is None or play.card.is_joker:
            continue
        first = seen.setdefault((owner, play.card), play)
        is_told_again = first is not play and first == play
        if is_told_again or (first is play and not match.tally.stands_already(play, owner)):
            continue
        reason = say("same_deck_duplicate", card=play.card, player=match.name(owner))
        event = Happened(causes=(), at=play.touch, plays=(play,) if first is play else (first, play))
        verdicts.append(ruled(event, Ruling.FLAG, RuleId.N48, reason, seat=owner, pile=play.target))
    return tuple(verdicts)
