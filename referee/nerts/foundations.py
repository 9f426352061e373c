"""Judging: all that was collected for one pile against the table as it stood before.

Nothing here knows the rank of a card; the rules are in ``referee.nerts``, the comparison of touches in
``referee.clock``. Here it is decided which of them applies to which plays, and in which order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.cards import Card, Rank
from referee.clock import ClockGrade, TouchOrder, TouchOutcome, margin_text, order_touches
from referee.events import CardMoved, CardsTold, ContestedPlay, PileRemoved
from referee.interpret import PileNews
from referee.nerts.checks import (
    Fault,
    breaks_layouts,
    breaks_one_per_suit,
    breaks_order,
    breaks_sources,
    fitting_bases,
    follow_ups,
    hides_its_face,
    owner_of,
)
from referee.observations import CardsCounted, PileSeen
from referee.piles import PileKind
from referee.setup import MatchSetup
from referee.table import Foundation, Step, Table, is_foundation
from referee.verdicts import RuleId, Ruling, Verdict

_Judged = tuple[Foundation, tuple[Verdict, ...]]


def judge_pile(setup: MatchSetup, table: Table, news: PileNews) -> tuple[Verdict, ...]:
    """Rule on all that was collected for one pile, and bring ``table`` up to date."""
    bench = _Bench(setup, table)
    return _judge_foundation(bench, news) if is_foundation(news.pile) else _judge_layout(bench, news)


def judge_count(setup: MatchSetup, table: Table, counted: CardsCounted) -> tuple[Verdict, ...]:
    """Take in a count; a Nerts pile cannot hold more than was dealt to it (N40)."""
    most = setup.rules.nerts_pile_size
    if counted.pile.kind is not PileKind.RESERVE or counted.count <= most:
        table.count(counted.pile, counted.count, counted.at_us)
        return ()
    event = CardsTold(pile=counted.pile, count=counted.count, told_by=counted.told_by, at_us=counted.at_us)
    reason = (
        f"{counted.count} cards were counted in {counted.pile}, but at most {most} can be left: count again"
    )
    verdict = Verdict(
        verdict_id="",
        event=event,
        ruling=Ruling.FLAG,
        rule=RuleId.N40,
        reason=reason,
        touch=None,
        seat=counted.pile.seat,
        card=None,
        pile=counted.pile,
    )
    return (verdict,)


@dataclass(frozen=True, slots=True)
class _Bench:
    """What a play is judged against beside its own pile."""

    setup: MatchSetup
    table: Table

    def bars(self, play: CardMoved) -> Fault | None:
        """Why ``play`` may go on no foundation at all, None if it may."""
        return (
            hides_its_face(play)
            or breaks_layouts(play, self.setup)
            or breaks_sources(play, self.table, self.setup)
            or breaks_one_per_suit(play, self.table, self.setup)
        )

    def claims(self, play: CardMoved, foundation: Foundation) -> bool:
        """Whether ``play`` fits the foundation's next place."""
        if play.card is None or self.bars(play) is not None or self.came_before(play, foundation):
            return False
        return len(fitting_bases(play.card, foundation.bases)) > 0

    def came_before(self, play: CardMoved, foundation: Foundation) -> bool:
        """Whether ``play`` surely touched before the card that it would go on."""
        if not foundation.steps:
            return False
        step = foundation.steps[-1]
        return play.touch.surely_before(step.touch, guard_us=self._guard_us((play, *step.plays)))

    def surely_before(self, play: CardMoved, other: CardMoved) -> bool:
        """Whether ``play`` surely touched before ``other``."""
        return play.touch.surely_before(other.touch, guard_us=self._guard_us((play, other)))

    def order(self, plays: Sequence[CardMoved]) -> TouchOrder:
        """Who of ``plays`` touched first."""
        return order_touches(
            [play.touch for play in plays],
            guard_us=self._guard_us(plays),
            w_max_us=self.setup.timing.w_max_for(self._frame_period_us(plays)),
            clock_grade=self.setup.clock_grade,
        )

    def is_rival(self, play: CardMoved, others: Sequence[CardMoved]) -> bool:
        """Whether ``play`` is of another hand than ``others`` and came soon after the first of them."""
        seats = {other.seat for other in others if other.seat is not None}
        first_us = min(other.touch.end_us for other in others)
        return play.seat not in seats and play.touch.start_us - first_us <= self.setup.timing.race_us

    def player_of(self, play: CardMoved) -> str:
        """Who made ``play``, as players say it."""
        return "a hand that was not recognised" if play.seat is None else self.setup.player_at(play.seat)

    def players_of(self, plays: Sequence[CardMoved]) -> str:
        """``Ana, Ben and Cy``."""
        names = [self.player_of(play) for play in plays]
        return f"{', '.join(names[:-1])} and {names[-1]}"

    def _guard_us(self, plays: Sequence[CardMoved]) -> int:
        return self.setup.timing.guard_for(self._frame_period_us(plays))

    def _frame_period_us(self, plays: Sequence[CardMoved]) -> int:
        """The coarsest among ``plays``: where frames were dropped a play says so by its resolution."""
        return max(self.setup.frame_period_us, *(2 * play.resolution_us for play in plays))


def _judge_foundation(bench: _Bench, news: PileNews) -> tuple[Verdict, ...]:
    foundation, verdicts = _look(bench.table.foundation(news.pile), news.before)
    waiting = news.moves
    while waiting:
        plays = _next_plays(bench, foundation, waiting)
        foundation, judged = _judge_plays(bench, foundation, plays)
        verdicts += judged
        waiting = tuple(play for play in waiting if play not in plays)
    foundation, judged = _look(foundation, news.after)
    bench.table.foundations[news.pile] = foundation
    for play in news.moves:
        bench.table.move(play)
    return verdicts + judged


def _judge_layout(bench: _Bench, news: PileNews) -> tuple[Verdict, ...]:
    """A pile of a layout: only N12 is judged, what lies there is kept."""
    verdicts: list[Verdict] = []
    for seen in (news.before, news.after):
        if seen is not None:
            bench.table.look(seen)
    for play in news.moves:
        fault = breaks_layouts(play, bench.setup) or _leaves_foundation(bench, play)
        bench.table.move(play)
        if fault is not None:
            verdicts.append(_fault_verdict(play, fault))
    return tuple(verdicts)


def _leaves_foundation(bench: _Bench, play: CardMoved) -> Fault | None:
    """Rule N12: nothing comes back from the common area but a card that lost its race or was a mistake."""
    if play.source is None or not is_foundation(play.source):
        return None
    foundation = bench.table.foundation(play.source)
    returning = [other for other in foundation.to_return if other.card == play.card or play.card is None]
    if returning:
        bench.table.foundations[play.source] = foundation.without(returning[-1])
        return None
    reason = f"{play.card or 'a card'} may not come back from {play.source}: it was rightly there"
    return Fault(Ruling.ILLEGAL, RuleId.N12, reason)


def _next_plays(bench: _Bench, foundation: Foundation, waiting: Sequence[CardMoved]) -> tuple[CardMoved, ...]:
    """The plays to judge next, together: the earliest that fits, and its rivals.

    A play that fits goes before one that touched not surely earlier and does not fit: 5H and 6H that come to
    4H together are both right, in that order.
    """
    earliest = waiting[0]
    fits = [play for play in waiting if bench.claims(play, foundation)]
    leader = next((play for play in fits if not bench.surely_before(earliest, play)), None)
    if leader is None:
        return (earliest,)
    plays = [leader]
    for play in fits:
        if play != leader and bench.is_rival(play, plays):
            plays.append(play)
    return tuple(plays)


def _judge_plays(bench: _Bench, foundation: Foundation, plays: tuple[CardMoved, ...]) -> _Judged:
    play = plays[0]
    fault = bench.bars(play)
    if fault is not None:
        return _refuse(foundation, play, fault)
    if bench.claims(play, foundation):
        return _fill(bench, foundation, plays)
    step = _step_missed_by(bench, foundation, play)
    if step is not None:
        return _race(bench, foundation, step, play)
    return _refuse(foundation, play, _misfit(foundation, play))


def _face(play: CardMoved) -> Card:
    """The card of ``play``, which ``bars`` has let pass."""
    assert play.card is not None
    return play.card


def _misfit(foundation: Foundation, play: CardMoved) -> Fault:
    """Why ``play``, a legible card, fits no place of ``foundation``."""
    card = _face(play)
    if not foundation.bases:
        reason = f"{card} came to {foundation.pile}, but what lay there was not read"
        return Fault(Ruling.UNDECIDED, RuleId.N26, reason)
    faults = [fault for base in foundation.bases if (fault := breaks_order(card, base)) is not None]
    if not faults:
        base = foundation.steps[-1].plays[0]
        return Fault(Ruling.ILLEGAL, RuleId.N26, f"{card} was put down before {base.card} was there")
    if foundation.is_certain:
        return faults[0]
    reason = f"{faults[0].reason}; but which card lay on top was not certain"
    return Fault(Ruling.UNDECIDED, faults[0].rule, reason)


def _refuse(foundation: Foundation, play: CardMoved, fault: Fault) -> _Judged:
    """``play`` does not count; an undecided one may be the new top."""
    verdicts = (_fault_verdict(play, fault),)
    if fault.ruling is Ruling.ILLEGAL:
        return foundation.holding((play,)), verdicts
    if play.card is not None and not play.card.is_joker:
        known = (play.card,) if not foundation.bases else foundation.bases
        return replace(foundation, bases=known, is_untouched=False), verdicts
    if not foundation.bases:
        return foundation, verdicts
    could_follow = [card for base in foundation.bases for card in follow_ups(base)]
    return foundation.doubting([*foundation.bases, *could_follow]), verdicts


def _fill(bench: _Bench, foundation: Foundation, plays: tuple[CardMoved, ...]) -> _Judged:
    """``plays`` all fit the next place: one is legal, several are a race."""
    first = plays[0]
    base = fitting_bases(_face(first), foundation.bases)[0]
    if not foundation.is_certain:
        return foundation.filled(Step(base, plays)), (_doubtful_verdict(plays),)
    if len(plays) == 1:
        return foundation.filled(Step(base, plays)), (_legal_verdict(bench, first, foundation),)
    order = bench.order(plays)
    leaders = tuple(plays[i] for i in order.leaders)
    trailers = tuple(plays[i] for i in order.trailers)
    filled = foundation.filled(Step(base, leaders)).holding(trailers)
    return filled, (_race_verdict(bench, plays, order),)


def _step_missed_by(bench: _Bench, foundation: Foundation, play: CardMoved) -> Step | None:
    """The place already taken that ``play`` came for, if it came soon enough to be a rival."""
    card = _face(play)
    for step in reversed(foundation.steps):
        is_same_face = any(other.card == card for other in step.plays)
        is_top = step is foundation.steps[-1]
        came_for_it = is_same_face or (is_top and breaks_order(card, step.base) is None)
        if came_for_it and bench.is_rival(play, step.plays):
            return step
    return None


def _race(bench: _Bench, foundation: Foundation, step: Step, late: CardMoved) -> _Judged:
    """A rival that was told after the place was given: the race is decided again, with all of them."""
    plays = tuple(sorted((*step.plays, late), key=lambda play: (play.touch.end_us, play.touch.start_us)))
    order = bench.order(plays)
    leaders = tuple(plays[i] for i in order.leaders)
    trailers = tuple(plays[i] for i in order.trailers)
    again = Step(step.base, leaders)
    steps = tuple(again if other is step else other for other in foundation.steps)
    is_top = step is foundation.steps[-1]
    bases = tuple(dict.fromkeys(play.card for play in leaders)) if is_top else foundation.bases
    decided = replace(foundation, steps=steps, bases=bases).holding(trailers)
    return decided, (_race_verdict(bench, plays, order),)


def _look(foundation: Foundation, seen: PileSeen | None) -> _Judged:
    """Take in a look at a foundation: it settles doubts, and raises one where it does not agree."""
    if seen is None or any(seen.seen.start_us < play.touch.start_us for play in _last_plays(foundation)):
        return foundation, ()
    return _look_empty(foundation, seen) if seen.is_empty else (_with_top(foundation, seen.top), ())


def _with_top(foundation: Foundation, seen_top: Card | None) -> Foundation:
    """What a look at a pile that is not empty changes; a joker's face says nothing about its place."""
    top = None if seen_top is None or seen_top.is_joker else seen_top
    if foundation.is_untouched:
        return replace(foundation, bases=() if top is None else (top,), is_untouched=False)
    if top is None or any(play.card == top for play in foundation.to_return):
        return foundation
    if not foundation.bases or (top in foundation.bases and not foundation.is_certain):
        return replace(foundation, bases=(top,), is_certain=True)
    return foundation if top in foundation.bases else foundation.doubting((*foundation.bases, top))


def _look_empty(foundation: Foundation, seen: PileSeen) -> _Judged:
    bare = Foundation(pile=foundation.pile, is_untouched=False)
    if foundation.is_untouched or None in foundation.bases or not foundation.bases:
        return bare, ()
    if foundation.top is not None and foundation.top.rank is Rank.KING:
        reason = f"{foundation.pile} is complete and was set aside"
        return bare, (_removal_verdict(foundation, seen, Ruling.LEGAL, reason),)
    lay_there = foundation.top or "a card"
    reason = f"{foundation.pile} lies empty, but {lay_there} was on top: a foundation stays until its king"
    doubted = foundation.doubting((None, *foundation.bases))
    return doubted, (_removal_verdict(foundation, seen, Ruling.FLAG, reason),)


def _last_plays(foundation: Foundation) -> tuple[CardMoved, ...]:
    filled = foundation.steps[-1].plays if foundation.steps else ()
    return (*filled, *foundation.to_return[-1:])


def _removal_verdict(foundation: Foundation, seen: PileSeen, ruling: Ruling, reason: str) -> Verdict:
    top = foundation.top
    event = PileRemoved(pile=foundation.pile, last_top=top, seen=seen.seen, evidence=(seen.evidence,))
    return Verdict(
        verdict_id="",
        event=event,
        ruling=ruling,
        rule=RuleId.N27,
        reason=reason,
        touch=None,
        seat=None,
        card=top,
        pile=foundation.pile,
    )


def _fault_verdict(play: CardMoved, fault: Fault) -> Verdict:
    is_refused = fault.ruling is Ruling.ILLEGAL
    return _verdict((play,), fault.ruling, fault.rule, fault.reason, returned=(0,) if is_refused else ())


def _doubtful_verdict(plays: tuple[CardMoved, ...]) -> Verdict:
    play = plays[0]
    reason = f"{play.card} came to {play.target}, but which card lay on top was not certain"
    return _verdict(plays, Ruling.UNDECIDED, RuleId.N26, reason)


def _legal_verdict(bench: _Bench, play: CardMoved, foundation: Foundation) -> Verdict:
    card = _face(play)
    rule, reason = _why_legal(card, fitting_bases(card, foundation.bases)[0])
    if play.source is None:
        reason = f"{reason}; where it came from was not seen"
    if owner_of(play, bench.setup) is None:
        reason = f"{reason}; whose card it is was not seen"
    return _verdict((play,), Ruling.LEGAL, rule, reason, kept=(0,))


def _why_legal(card: Card, base: Card | None) -> tuple[RuleId, str]:
    if base is None:
        return RuleId.N25, f"{card} opens a foundation"
    if card.rank is Rank.KING:
        return RuleId.N27, f"{card} goes on {base} and completes the pile, which is set aside"
    return RuleId.N26, f"{card} goes on {base}"


def _race_verdict(bench: _Bench, plays: tuple[CardMoved, ...], order: TouchOrder) -> Verdict:
    leaders = [plays[i] for i in order.leaders]
    rule, reason = _why_leading(bench, leaders, order.outcome)
    for i in order.trailers:
        margin = margin_text(leaders[0].touch, plays[i].touch)
        reason += f"; {bench.player_of(plays[i])} was {margin} later, so {plays[i].card} goes back"
    return _verdict(
        plays, Ruling(order.outcome.value), rule, reason, kept=order.leaders, returned=order.trailers
    )


def _why_leading(bench: _Bench, leaders: Sequence[CardMoved], outcome: TouchOutcome) -> tuple[RuleId, str]:
    if outcome is TouchOutcome.FIRST:
        return RuleId.N15, f"{bench.player_of(leaders[0])} touched first with {leaders[0].card}"
    who = bench.players_of(leaders)
    if outcome is TouchOutcome.TIE:
        return RuleId.N16, f"{who} touched together, a clear tie: each keeps the card there"
    if bench.setup.clock_grade is ClockGrade.C:
        why = "the frame times of this source are made up"
    else:
        widest_us = max(play.touch.width_us for play in leaders)
        why = f"a touch is known only to within {-(-widest_us // 1000)} ms"
    return RuleId.E4, f"too close to call between {who}: {why}; each keeps the card there, and a person looks"


def _verdict(
    plays: tuple[CardMoved, ...],
    ruling: Ruling,
    rule: RuleId,
    reason: str,
    *,
    kept: tuple[int, ...] = (),
    returned: tuple[int, ...] = (),
) -> Verdict:
    """A verdict on ``plays``, spoken of the first of them; of no seat or card where several are alike."""
    spoken = [plays[i] for i in kept or range(len(plays))]
    first = spoken[0]
    return Verdict(
        verdict_id="",
        event=first if len(plays) == 1 else ContestedPlay(pile=first.target, plays=plays),
        ruling=ruling,
        rule=rule,
        reason=reason,
        touch=first.touch,
        seat=first.seat if len(spoken) == 1 else None,
        card=first.card if len({play.card for play in spoken}) == 1 else None,
        pile=first.target,
        kept=kept,
        returned=returned,
    )
