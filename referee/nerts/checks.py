"""The rules of Nerts that this form judges, one rule in one place.

Each check says why a play breaks its rule, or None; ``referee.judging`` puts them together. Rule N29 (any
player may add to any foundation) is kept by never asking whose a foundation is, and N17 (nobody is forced to
play) by never asking what was not played.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.cards import Card, Rank, Suit
from referee.events import CardMoved
from referee.nerts_rules import FoundationsRule
from referee.piles import PileKind, Seat
from referee.setup import MatchSetup
from referee.table import Base, Table
from referee.verdicts import RuleId, Ruling

FOUNDATION_SOURCES = frozenset({PileKind.RESERVE, PileKind.TABLEAU, PileKind.WASTE})
"""Where a card for a foundation may come from (N28)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a play does not stand."""

    ruling: Ruling
    """ILLEGAL, or UNDECIDED where a rule could not be checked."""
    rule: RuleId
    reason: str


def follow_ups(base: Base) -> tuple[Card, ...]:
    """Rules N25 to N27: the cards that may go on ``base``, on the bare table any ace."""
    if base is None:
        return tuple(Card(Rank.ACE, suit) for suit in Suit if suit is not Suit.NONE)
    return () if base.rank is Rank.KING else (Card(Rank(base.rank + 1), base.suit),)


def breaks_order(card: Card, base: Base) -> Fault | None:
    """Rules N25 to N27: why ``card`` may not go on ``base``, None if it may.

    >>> breaks_order(Card.parse("2D"), Card.parse("AH")).reason
    '2D may not go on AH: a foundation goes up in one suit'
    """
    if card in follow_ups(base):
        return None
    if base is None:
        return _illegal(RuleId.N25, f"{card} may not open a foundation: only an ace does")
    if card.rank is Rank.ACE:
        return _illegal(RuleId.N25, f"{card} may not go on {base}: an ace opens a foundation of its own")
    if base.rank is Rank.KING:
        return _illegal(RuleId.N27, f"{card} may not go on {base}: the king completes the pile")
    if card.suit is not base.suit:
        return _illegal(RuleId.N26, f"{card} may not go on {base}: a foundation goes up in one suit")
    (follows,) = follow_ups(base)
    return _illegal(RuleId.N26, f"{card} may not go on {base}: {follows} is next, one rank up")


def breaks_layouts(play: CardMoved, setup: MatchSetup) -> Fault | None:
    """Rule N12: a card moves within its player's own layout, or from it to the common area."""
    hand = hand_of(play, setup)
    if hand is None:
        return None
    for pile, verb in ((play.source, "play from"), (play.target, "play to")):
        if pile is not None and pile.seat is not None and pile.seat is not hand:
            mine, theirs = setup.player_at(hand), setup.player_at(pile.seat)
            return _illegal(RuleId.N12, f"{mine} may not {verb} {pile}: it is {theirs}'s layout")
    return None


def breaks_sources(play: CardMoved, table: Table, setup: MatchSetup) -> Fault | None:
    """Rule N28: a foundation takes the Nerts card, an exposed work-pile card or the top waste card.

    A card that was not seen to leave may have been on the way for as long as a carry takes; what lies on its
    pile by then may have lain under it.
    """
    source = play.source
    if source is None:
        return None
    allowed = "the Nerts card, an exposed work-pile card or the top waste card"
    if source.kind not in FOUNDATION_SOURCES:
        return _illegal(RuleId.N28, f"{play.card} came from {source}: a foundation takes {allowed}")
    if play.lifted_card is not None:
        return None
    left_us = play.touch.start_us if play.lifted is None else play.lifted.start_us
    carried_us = setup.timing.carry_us if play.lifted is None else 0
    pile = table.pile(source)
    view = pile.view_before(left_us)
    if view is None or view.top is None or play.card in pile.tops_between(left_us - carried_us, left_us):
        return None
    return _illegal(RuleId.N28, f"{play.card} was not exposed: {view.top} lay on top of {source}")


def breaks_one_per_suit(play: CardMoved, table: Table, setup: MatchSetup) -> Fault | None:
    """House rule ``foundations = "one_per_suit"`` (N25): no second foundation of a suit that is open."""
    card = play.card
    if setup.rules.foundations is FoundationsRule.PER_ACE or card is None or card.rank is not Rank.ACE:
        return None
    for pile, foundation in table.foundations.items():
        top = foundation.top
        if pile != play.target and top is not None and top.suit is card.suit and top.rank is not Rank.KING:
            return _illegal(RuleId.N25, f"{card} may not open a foundation: {pile} is open in its suit")
    return None


def hides_its_face(play: CardMoved) -> Fault | None:
    """A card that cannot be read, or a joker whose declaration cannot be seen (N45): nobody can rule."""
    if play.card is None:
        reason = f"a card came to {play.target}, but its face could not be read"
        return Fault(Ruling.UNDECIDED, RuleId.N26, reason)
    if play.card.is_joker:
        reason = f"a joker came to {play.target}: which card its player declared cannot be seen"
        return Fault(Ruling.UNDECIDED, RuleId.N45, reason)
    return None


def hand_of(play: CardMoved, setup: MatchSetup) -> Seat | None:
    """Whose hand made the play; None where the cameras are not sure enough."""
    return play.seat if play.seat_confidence >= setup.seat_confidence_min else None


def owner_of(play: CardMoved, setup: MatchSetup) -> Seat | None:
    """Whose deck the card is of (N39): by the pile it came from, else by the hand. None: unknown."""
    layout = None if play.source is None else play.source.seat
    hand = hand_of(play, setup)
    if layout is None:
        return hand
    return layout if hand is None or hand is layout else None


def fitting_bases(card: Card, bases: Sequence[Base]) -> tuple[Base, ...]:
    """Those of ``bases`` that ``card`` may go on."""
    return tuple(base for base in bases if breaks_order(card, base) is None)


def _illegal(rule: RuleId, reason: str) -> Fault:
    return Fault(Ruling.ILLEGAL, rule, reason)
