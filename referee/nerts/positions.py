"""Whole piles as they lie: positions, the order at rest, and plays that only before and after show."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved, Happened
from referee.messages import say
from referee.nerts.checks import breaks_order
from referee.nerts.contests import settle_open_steps
from referee.nerts.foundations import judge_plays
from referee.nerts.match import Match
from referee.nerts.sightings import Judged, out_of_step, removed, unseen_play
from referee.nerts.work import judge_unseen
from referee.observations import PileSeen
from referee.sightings import LabelsRead, LaidCard, LandedBetween, PileLaid
from referee.table import Foundation, is_foundation
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled, text_of

STABLE_FRAMES = 5
"""A reading that stood so many frames at the end is believed: at 60 frames a second a hand needs longer to
put a card down and leave."""


def lay(match: Match, laid: PileLaid) -> tuple[Verdict, ...]:
    """Take in the contents of a pile; plays that nobody saw are ruled on by what lay there before."""
    if not is_foundation(laid.pile):
        return _lay_in_layout(match, laid)
    foundation, verdicts = lay_foundation(match, match.table.foundation(laid.pile), laid)
    match.table.foundations[laid.pile] = foundation
    return verdicts


def lay_foundation(match: Match, foundation: Foundation, laid: PileLaid) -> Judged:
    """The same for a foundation, as a value."""
    if foundation.is_untouched:
        return _as_it_lies(match, foundation, laid)
    if not laid.cards:
        seen = _as_look(laid)
        return removed(match, foundation, seen) if laid.down == 0 and laid.below_known else (foundation, ())
    foundation, verdicts = settle_open_steps(match, foundation, laid)
    above = _cards_above(foundation, laid)
    if above is None:
        return _disagreeing(foundation, laid, verdicts)
    plays = _unseen_plays(match, laid, above)
    foundation, judged = judge_plays(match, foundation, plays, laid)
    return foundation, verdicts + tuple(_by_difference(verdict, laid) for verdict in judged)


def read_labels(match: Match, labels: LabelsRead) -> tuple[Verdict, ...]:
    """Readings that do not hold still: one play, by the reading that stands (E10)."""
    if not is_foundation(labels.pile):
        return ()
    foundation = match.table.foundation(labels.pile)
    face = _stable_face(labels)
    if face is None:
        shown = ", ".join("nothing" if run.card is None else str(run.card) for run in labels.runs[-4:])
        reason = say("labels_unstable", pile=labels.pile, labels=shown)
        event = Happened(causes=(labels,), at=labels.read)
        return (ruled(event, Ruling.UNDECIDED, RuleId.E10, reason, pile=labels.pile),)
    if face in foundation.bases and foundation.is_certain:
        return ()
    play = unseen_play(labels.pile, face, labels.read, labels.evidence)
    foundation, judged = judge_plays(match, foundation, (play,), None)
    match.table.foundations[labels.pile] = foundation
    return tuple(_as_one_play(verdict, labels) for verdict in judged)


def between_piles(landed: LandedBetween) -> Verdict:
    """A card that covers two piles alike (E10), or lies outside all (N10)."""
    if not landed.shares:
        reason = say("outside_zones", card=landed.card or "a card")
        event = Happened(causes=(landed,), at=landed.touch)
        return ruled(event, Ruling.FLAG, RuleId.N10, reason, seat=landed.seat)
    piles = " and ".join(str(item.pile) for item in landed.shares)
    reason = say("between_piles", card=landed.card or "a card", piles=piles)
    event = Happened(causes=(landed,), at=landed.touch)
    pile = landed.shares[0].pile
    return ruled(event, Ruling.UNDECIDED, RuleId.E10, reason, seat=landed.seat, pile=pile)


def _as_it_lies(match: Match, foundation: Foundation, laid: PileLaid) -> Judged:
    """A foundation of which nothing was known: it goes on from its last legal card, and its cards count."""
    held: list[CardMoved] = []
    standing: list[CardMoved] = []
    base: Card | None = None
    for i, each in enumerate(laid.cards):
        play = _lying_play(laid, each)
        is_first = i == 0 and not laid.below_known
        fits = (
            is_first or play.face == base or (play.face is not None and breaks_order(play.face, base) is None)
        )
        (standing if fits else held).append(play)
        base = play.face if fits else base
    counted = standing if laid.below_known else [play for play in standing if play.owner is not None]
    match.tally.lay(counted)
    is_bare = laid.below_known and laid.down == 0 and not laid.cards
    bases = (base,) if base is not None or is_bare else ()
    return replace(foundation, bases=bases, is_untouched=False, to_return=tuple(held)), ()


def _unseen_plays(match: Match, laid: PileLaid, above: Sequence[LaidCard]) -> list[CardMoved]:
    """Cards that came while nobody saw it: as far back as a race reaches, so never in a clear tie (E1, E4).

    Each came to rest after the one below it. The hand is taken to be of its deck, for sure it is not.
    """
    hidden = Interval(laid.at.start_us - match.setup.timing.race_us, laid.at.end_us)
    return [
        replace(_lying_play(laid, each), seat=each.owner, touch=hidden, settled_us=laid.at.end_us + i)
        for i, each in enumerate(above)
    ]


def _lying_play(laid: PileLaid, each: LaidCard) -> CardMoved:
    play = unseen_play(laid.pile, each.card, laid.at, laid.evidence, owner=each.owner)
    return replace(play, stands_for=each.stands_for)


def _cards_above(foundation: Foundation, laid: PileLaid) -> Sequence[LaidCard] | None:
    """What lies above the last legal card and is not known yet. None: that card is not there."""
    known = Counter(play.card for play in foundation.to_return)
    if foundation.bases == (None,):
        above: Sequence[LaidCard] = laid.cards
    else:
        faces = [each.card if each.stands_for is None else each.stands_for for each in laid.cards]
        places = [i for i, face in enumerate(faces) if face is not None and face in foundation.bases]
        if not places:
            return None
        above = laid.cards[places[-1] + 1 :]
    fresh: list[LaidCard] = []
    for each in above:
        if known[each.card] > 0:
            known[each.card] -= 1
        else:
            fresh.append(each)
    return fresh


def _disagreeing(foundation: Foundation, laid: PileLaid, verdicts: tuple[Verdict, ...]) -> Judged:
    top = laid.cards[-1].card
    if top is None:
        return foundation, verdicts
    if not foundation.bases:
        return replace(foundation, bases=(top,), is_certain=True), verdicts
    if any(play.card == top for play in foundation.to_return):
        return foundation, verdicts
    doubted = foundation.doubting((*foundation.bases, top))
    return doubted, (*verdicts, out_of_step(foundation, top, laid))


def _by_difference(verdict: Verdict, laid: PileLaid) -> Verdict:
    """A play that was not seen: what lay there before and after shows it."""
    event = Happened(causes=(laid,), at=laid.at, plays=verdict.event.plays)
    reasons = (*verdict.reasons, say("seen_afterwards"))
    basis = Basis.STACKING if verdict.rule is RuleId.E5 else Basis.STATE_DIFF
    return replace(verdict, event=event, reasons=reasons, reason=text_of(reasons), basis=basis)


def _as_one_play(verdict: Verdict, labels: LabelsRead) -> Verdict:
    event = Happened(causes=(labels,), at=labels.read, plays=verdict.event.plays)
    reasons = (*verdict.reasons, say("one_play"))
    outcome = verdict.outcome or Outcome.ONE_PLAY
    return replace(verdict, event=event, reasons=reasons, reason=text_of(reasons), outcome=outcome)


def _stable_face(labels: LabelsRead) -> Card | None:
    """The card that the readings settle on. None: they do not."""
    last = labels.runs[-1]
    if last.card is not None and last.frames >= STABLE_FRAMES:
        return last.card
    faces = {run.card for run in labels.runs if run.card is not None}
    return next(iter(faces)) if len(faces) == 1 else None


def _as_look(laid: PileLaid) -> PileSeen:
    return PileSeen(
        pile=laid.pile,
        top=None,
        is_empty=True,
        face_up=False,
        seen=laid.at,
        confidence=laid.confidence,
        evidence=laid.evidence,
    )


def _lay_in_layout(match: Match, laid: PileLaid) -> tuple[Verdict, ...]:
    verdicts = judge_unseen(match, laid)
    match.table.lay(laid)
    return verdicts
