"""What looks at a foundation change: tops confirmed or doubted, piles set aside."""

from collections.abc import Sequence
from dataclasses import replace

from referee.cards import Card, Rank
from referee.clock import Interval
from referee.events import CardMoved, Happened, PileRemoved
from referee.evidence import Evidence
from referee.messages import Reason, say
from referee.nerts.checks import follow_ups
from referee.nerts.match import Match
from referee.observations import PileSeen
from referee.piles import PileId, Seat
from referee.sightings import CardsCarried, CarryPlace, PileLaid
from referee.table import Base, Foundation
from referee.verdicts import RuleId, Ruling, Verdict, ruled

Judged = tuple[Foundation, tuple[Verdict, ...]]
UNSEEN_PLAYS_MOST = 3
"""A look that shows a card this many steps on is likelier a misread than as many plays that nobody saw."""


def with_decision(verdict: Verdict, decided_us: int) -> Verdict:
    """``verdict`` with the time at which its window closed."""
    return replace(verdict, decided_us=decided_us)


def carried_plays(
    match: Match, carried: Sequence[CardsCarried]
) -> tuple[tuple[CardMoved, ...], tuple[Verdict, ...]]:
    """Several cards brought to a foundation at once, as one play each; and what is said about that (N14)."""
    plays: list[CardMoved] = []
    verdicts: list[Verdict] = []
    for carry in carried:
        own = [moved_of(carry, card) for card in carry.cards]
        plays += own
        names = ", ".join(str(card or "??") for card in carry.cards)
        if carry.place is CarryPlace.UNDER:
            reason = say("slid_under_foundation", card=names, pile=carry.pile)
            verdicts.append(_about(carry, Ruling.FLAG, RuleId.N26, reason))
        if len(carry.cards) > 1 and not match.rules.prestacking:
            reason = say("one_card_at_a_time.nerts", player=match.name(carry.seat), cards=names)
            verdicts.append(_about(carry, Ruling.FLAG, RuleId.N14, reason))
    return tuple(plays), tuple(verdicts)


def moved_of(carry: CardsCarried, card: Card | None) -> CardMoved:
    """One card of a carry as a move of its own."""
    return CardMoved(
        seat=carry.seat,
        seat_confidence=carry.seat_confidence,
        card=card,
        source=carry.source,
        lifted_card=card,
        lifted=carry.lifted,
        target=carry.pile,
        touch=carry.touch,
        settled_us=carry.settled_us,
        confidence=carry.confidence,
        resolution_us=carry.resolution_us,
        evidence=(carry.evidence,),
    )


def unseen_play(
    pile: PileId, card: Card | None, at: Interval, evidence: Evidence, *, owner: Seat | None = None
) -> CardMoved:
    """A card that lies there, though nobody saw who brought it."""
    return CardMoved(
        seat=None,
        seat_confidence=0.0,
        card=card,
        source=None,
        lifted_card=None,
        lifted=None,
        target=pile,
        touch=at,
        settled_us=at.end_us,
        confidence=1.0,
        resolution_us=0,
        evidence=(evidence,),
        owner=owner,
    )


def look(match: Match, foundation: Foundation, seen: PileSeen | None) -> Judged:
    """Take in a look at a foundation: it settles doubts, and raises one where it does not agree."""
    if seen is None or any(seen.seen.start_us < play.touch.start_us for play in _last_plays(foundation)):
        return foundation, ()
    if seen.is_empty:
        return removed(match, foundation, seen)
    return _with_top(foundation, seen)


def removed(match: Match, foundation: Foundation, seen: PileSeen) -> Judged:
    """The place of ``foundation`` lies empty: set aside after its king, else too early (N27)."""
    bare = Foundation(pile=foundation.pile, is_untouched=False)
    if foundation.is_untouched or None in foundation.bases or not foundation.bases:
        return bare, ()
    top = foundation.top
    event = PileRemoved(pile=foundation.pile, last_top=top, seen=seen.seen, evidence=(seen.evidence,))
    if top is not None and top.rank is Rank.KING:
        match.tally.freeze(foundation.pile)
        reason = say("set_aside", pile=foundation.pile)
        return bare, (
            replace(ruled(event, Ruling.LEGAL, RuleId.N27, reason, pile=foundation.pile), card=top),
        )
    reason = say("removed_early", pile=foundation.pile, card=top or "a card")
    verdict = replace(ruled(event, Ruling.ILLEGAL, RuleId.N27, reason, pile=foundation.pile), card=top)
    return foundation.doubting((None, *foundation.bases)), (verdict,)


def _with_top(foundation: Foundation, seen: PileSeen) -> Judged:
    """What a look at a pile that is not empty changes; a joker's face says nothing about its place."""
    top = None if seen.top is None or seen.top.is_joker else seen.top
    if foundation.is_untouched:
        return replace(foundation, bases=() if top is None else (top,), is_untouched=False), ()
    if top is None or any(play.card == top for play in foundation.to_return):
        return foundation, ()
    if not foundation.bases or (top in foundation.bases and not foundation.is_certain):
        return replace(foundation, bases=(top,), is_certain=True), ()
    if top in foundation.bases or not foundation.is_certain:
        return (foundation if top in foundation.bases else foundation.doubting((*foundation.bases, top))), ()
    doubted = foundation.doubting((*foundation.bases, top))
    return doubted, (out_of_step(foundation, top, seen),)


def out_of_step(foundation: Foundation, top: Card, seen: PileSeen | PileLaid) -> Verdict:
    """What was seen is not what should lie there: said out loud, with what may have happened (E10)."""
    known = foundation.bases[0]
    repairs = repairs_of(known, top)
    listed = "; ".join(f"{i}. {repair}" for i, repair in enumerate(repairs, 1))
    at = seen.seen if isinstance(seen, PileSeen) else seen.at
    reason = say("out_of_step", seen=top, pile=foundation.pile, known=known or "no card", repairs=listed)
    event = Happened(causes=(seen,), at=at)
    verdict = ruled(event, Ruling.FLAG, RuleId.E10, reason, pile=foundation.pile)
    return replace(verdict, card=top)


def repairs_of(known: Base, seen: Card) -> tuple[str, ...]:
    """What may have happened where ``known`` should lie on top and ``seen`` does, the likeliest first.

    >>> repairs_of(Card.parse("4H"), Card.parse("6H"))
    ('5H, 6H were played unseen', '6H is a misread of 4H', 'the pile was exchanged')
    """
    unseen: list[Card] = []
    last = known
    while last != seen and len(unseen) < 13:
        follows = [card for card in follow_ups(last) if last is not None or card.suit is seen.suit]
        if not follows:
            break
        last = follows[0]
        unseen.append(last)
    misread = f"{seen} is a misread of {known or 'the bare table'}"
    if last != seen:
        return (misread, "the pile was exchanged")
    played = (
        f"{', '.join(str(card) for card in unseen)} {'was' if len(unseen) == 1 else 'were'} played unseen"
    )
    ranked = (played, misread) if len(unseen) <= UNSEEN_PLAYS_MOST else (misread, played)
    return (*ranked, "the pile was exchanged")


def _about(carry: CardsCarried, ruling: Ruling, rule: RuleId, reason: Reason) -> Verdict:
    event = Happened(causes=(carry,), at=carry.touch)
    return ruled(event, ruling, rule, reason, seat=carry.seat, pile=carry.pile)


def _last_plays(foundation: Foundation) -> tuple[CardMoved, ...]:
    filled = foundation.steps[-1].plays if foundation.steps else ()
    return (*filled, *foundation.to_return[-1:])
