"""Why a verdict is as it is: the rule, the facts, the times line by line, and where to look."""

from collections.abc import Callable, Iterator, Sequence

from referee.clock import ClockGrade, Interval, TouchOutcome, least_ms, most_ms, order_touches
from referee.events import CardMoved, CardsTold, Happened, PileRemoved
from referee.notation_lines import print_line
from referee.notation_words import Names, ms_word, pile_word
from referee.piles import PileId
from referee.proceedings import Ruled
from referee.rule_texts import RULE_TEXTS
from referee.setup import MatchSetup
from referee.sightings import PileLaid
from referee.verdicts import Verdict


def explain(
    ruled: Ruled,
    setup: MatchSetup,
    *,
    said: str | None = None,
    pile_name: Callable[[PileId], str] = pile_word,
) -> tuple[str, ...]:
    """All that stands behind a verdict, a line each. Times in milliseconds of the source's clock.

    ``said``: its reason as it is told; None: as it is written. ``pile_name``: what piles are called.
    """
    verdict = ruled.verdict
    return (
        *_heading(verdict, setup, verdict.reason if said is None else said),
        *_facts(ruled, setup, pile_name),
        *times_lines(verdict, setup),
        *_evidence(verdict),
        *_standing(ruled, setup),
    )


def _heading(verdict: Verdict, setup: MatchSetup, said: str) -> Iterator[str]:
    yield f"{verdict.verdict_id}: {verdict.ruling}"
    yield f"  said: {said}"
    if verdict.rule is not None:
        yield f"  rule {verdict.rule}: {RULE_TEXTS[verdict.rule]}"
    if verdict.outcome is not None:
        yield f"  so: {verdict.outcome}"
    if verdict.basis is not None:
        yield f"  it rests on: {verdict.basis.replace('_', ' ')}"
    changed = setup.rules.as_mapping()
    if changed:
        yield f"  house rules: {', '.join(f'{key} = {value}' for key, value in changed.items())}"


def _facts(ruled: Ruled, setup: MatchSetup, pile_name: Callable[[PileId], str]) -> Iterator[str]:
    verdict = ruled.verdict
    yield "facts:"
    for i, play in enumerate(verdict.event.plays):
        fate = "stays" if i in verdict.kept else "goes back" if i in verdict.returned else "is open"
        yield f"  {_play_text(play, setup, pile_name)}: {fate}"
        yield f"    {_how_sure(play, setup)}"
    match verdict.event:
        case PileRemoved() as removed:
            top = "not certain" if removed.last_top is None else str(removed.last_top)
            since = ms_word(removed.seen.start_us)
            yield f"  {pile_name(removed.pile)} lay empty from {since} ms; top before: {top}"
        case CardsTold() as told:
            yield f"  {told.told_by or 'somebody'} counted {told.count} in {pile_name(told.pile)}"
        case Happened() as happened:
            names = Names(setup)
            for cause in happened.causes:
                told_line = (
                    f"{pile_name(cause.pile)} at rest"
                    if isinstance(cause, PileLaid)
                    else print_line(cause, names, pile_name)
                )
                yield f"  {told_line}"
    if ruled.entries:
        yield f"  entries {', '.join(str(entry) for entry in ruled.entries)} of the record"


def _play_text(play: CardMoved, setup: MatchSetup, pile_name: Callable[[PileId], str]) -> str:
    card = "a card that was not read" if play.card is None else str(play.card)
    source = "from a pile that was not seen" if play.source is None else f"from {pile_name(play.source)}"
    return f"{player_of(play, setup)} put {card} {source} on {pile_name(play.target)}"


def _how_sure(play: CardMoved, setup: MatchSetup) -> str:
    parts = [f"face {play.confidence:.0%} sure"]
    if play.seat is not None:
        floor = (
            "" if play.seat_confidence >= setup.seat_confidence_min else ", less than it takes to name a hand"
        )
        parts.append(f"hand {play.seat_confidence:.0%} sure{floor}")
    if play.lifted is not None:
        parts.append(f"lifted {span_text(play.lifted)}")
    parts += [f"touched {span_text(play.touch)}", f"at rest {ms_word(play.settled_us)} ms"]
    return ", ".join(parts)


def times_lines(verdict: Verdict, setup: MatchSetup) -> tuple[str, ...]:
    """The comparison of the touches of a contested play, step by step (E1 to E4); empty for others."""
    plays = verdict.event.plays
    if len(plays) < 2:
        return ()
    period_us = max(setup.frame_period_us, *(2 * play.resolution_us for play in plays))
    guard_us, w_max_us = setup.timing.guard_for(period_us), setup.timing.w_max_for(period_us)
    touches = [play.touch for play in plays]
    order = order_touches(touches, guard_us=guard_us, w_max_us=w_max_us, clock_grade=setup.clock_grade)
    first = min(range(len(plays)), key=lambda i: (touches[i].end_us, touches[i].start_us))
    name, by = player_of(plays[first], setup), ms_word(touches[first].end_us)
    lines = [
        "times:",
        f"  a frame is {ms_word(period_us)} ms; the guard is {ms_word(guard_us)} ms (E2)",
        *(f"  {_touch_text(play, setup)}" for play in plays),
        f"  the earliest: {name}, surely there by {by} ms",
    ]
    lines += [
        f"  {_gap_text(plays[first], play, guard_us, setup)}" for play in plays if play is not plays[first]
    ]
    return (*lines, *(f"  {line}" for line in _outcome_lines(plays, order.leaders, w_max_us, setup)))


def _outcome_lines(
    plays: Sequence[CardMoved], leaders: Sequence[int], w_max_us: int, setup: MatchSetup
) -> Iterator[str]:
    if len(leaders) == 1:
        yield f"one is apart from all others: {TouchOutcome.FIRST}"
        return
    yield f"not apart: {', '.join(player_of(plays[i], setup) for i in leaders)}"
    wide = [i for i in leaders if plays[i].touch.width_us > w_max_us]
    for i in leaders:
        width_us, sign = plays[i].touch.width_us, ">" if i in wide else "<="
        who = player_of(plays[i], setup)
        yield f"{who}'s touch is known to {ms_word(width_us)} ms {sign} {ms_word(w_max_us)} ms (E3)"
    if setup.clock_grade is ClockGrade.C:
        yield "the clock is of grade C, made up: no tie can be called (E4)"
    is_clear = not wide and setup.clock_grade is not ClockGrade.C
    yield f"by the times: {TouchOutcome.TIE if is_clear else TouchOutcome.TOO_CLOSE}"


def _touch_text(play: CardMoved, setup: MatchSetup) -> str:
    width = ms_word(play.touch.width_us)
    return f"{player_of(play, setup)} touched {span_text(play.touch)}, known to {width} ms"


def _gap_text(first: CardMoved, play: CardMoved, guard_us: int, setup: MatchSetup) -> str:
    """``Ben: 1033.3 - 1000 = 33.3 ms >= 16.666 ms: surely later, by 33-67 ms``."""
    gap_us = play.touch.start_us - first.touch.end_us
    sum_text = f"{ms_word(play.touch.start_us)} - {ms_word(first.touch.end_us)} = {ms_word(gap_us)} ms"
    who = player_of(play, setup)
    if gap_us < guard_us:
        return f"{who}: {sum_text} < {ms_word(guard_us)} ms: not apart"
    least, most = least_ms(gap_us), most_ms(play.touch.end_us - first.touch.start_us)
    return f"{who}: {sum_text} >= {ms_word(guard_us)} ms: surely later, by {least}-{most} ms"


def _evidence(verdict: Verdict) -> Iterator[str]:
    if verdict.decided_us is not None:
        yield f"decided when the collection window closed, at {ms_word(verdict.decided_us)} ms (E7)"
    if not verdict.evidence:
        yield "evidence: none; it was told, not seen"
        return
    yield "evidence:"
    for item in verdict.evidence:
        frames = ", ".join(ms_word(us) for us in item.frames_us)
        yield f"  {item.source_id}: frames at {frames} ms" if frames else f"  {item.source_id}"


def _standing(ruled: Ruled, setup: MatchSetup) -> Iterator[str]:
    by = "" if ruled.answered_by is None else f" by {ruled.answered_by}"
    now = f"; now {', '.join(ruled.now)}" if ruled.now else ""
    yield f"it is {ruled.standing}{by}{now}"
    if ruled.appeal is not None:
        who = setup.player_at(ruled.appeal.raised_by)
        yield f"  {ruled.appeal.appeal_id}: {who} appealed: {ruled.appeal.grounds or 'without grounds'}"


def player_of(play: CardMoved, setup: MatchSetup) -> str:
    """Who made ``play``, as players say it."""
    return "a hand that was not recognised" if play.seat is None else setup.player_at(play.seat)


def span_text(interval: Interval) -> str:
    """``between 983.3 and 1000 ms``, or ``at 1000 ms``."""
    start, end = ms_word(interval.start_us), ms_word(interval.end_us)
    return f"at {end} ms" if start == end else f"between {start} and {end} ms"
