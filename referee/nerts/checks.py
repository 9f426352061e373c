"""The checks that plays share: order on foundations, layouts, sources, owners. One rule in one place.

Each check says why a play breaks its rule, or None. Rule N29 (any player may add to any foundation) is kept
by never asking whose a foundation is, and N17 (nobody is forced) by never asking what was not played.
"""

from collections.abc import Sequence

from referee.cards import Card, Rank, Suit
from referee.events import CardMoved
from referee.nerts.faults import Fault, illegal, undecided
from referee.nerts_rules import FoundationsRule, NertsRules
from referee.piles import PileId, PileKind, Seat
from referee.races import Races
from referee.setup import MatchSetup
from referee.table import Base, Table
from referee.verdicts import RuleId

FOUNDATION_SOURCES = frozenset({PileKind.RESERVE, PileKind.TABLEAU, PileKind.WASTE})
"""Where a card for a foundation may come from (N28)."""


def follow_ups(base: Base) -> tuple[Card, ...]:
    """Rules N25 to N27: the cards that may go on ``base``, on the bare table any ace."""
    if base is None:
        return tuple(Card(Rank.ACE, suit) for suit in Suit if suit is not Suit.NONE)
    return () if base.rank is Rank.KING else (Card(Rank(base.rank + 1), base.suit),)


def breaks_order(card: Card, base: Base) -> Fault | None:
    """Rules N25 to N27: why ``card`` may not go on ``base``, None if it may.

    >>> breaks_order(Card.parse("2D"), Card.parse("AH")).reason.text()
    '2D may not go on AH: a foundation goes up in one suit'
    """
    if card in follow_ups(base):
        return None
    if base is None:
        return illegal(RuleId.N25, "foundation_sequence.bare", card=card)
    if card.rank is Rank.ACE:
        return illegal(RuleId.N25, "foundation_sequence.ace", card=card, base=base)
    if base.rank is Rank.KING:
        return illegal(RuleId.N27, "foundation_sequence.full", card=card, base=base)
    if card.suit is not base.suit:
        return illegal(RuleId.N26, "foundation_sequence.suit", card=card, base=base)
    (follows,) = follow_ups(base)
    return illegal(RuleId.N26, "foundation_sequence.rank", card=card, base=base, wanted=follows)


def breaks_layouts(
    seat: Seat | None, source: PileId | None, target: PileId | None, setup: MatchSetup
) -> Fault | None:
    """Rule N12: a card moves within its player's own layout, or from it to the common area.

    ``seat`` is a hand that the cameras are sure of; partners share a layout (N48).
    """
    if seat is None:
        return None
    for pile, key in ((source, "other_players_layout.from"), (target, "other_players_layout.to")):
        if pile is not None and pile.seat is not None and pile.seat is not setup.deck_of(seat):
            mine, theirs = setup.player_at(seat), setup.player_at(pile.seat)
            return illegal(RuleId.N12, key, player=mine, pile=pile, owner=theirs)
    return None


def breaks_between_layouts(play: CardMoved) -> Fault | None:
    """Rule N12: from one layout to another no card goes, whoever's hand it was."""
    source, target = play.source, play.target
    if source is None or source.seat is None or target.seat is None or source.seat is target.seat:
        return None
    return illegal(
        RuleId.N12, "other_players_layout.between", card=play.card or "a card", source=source, pile=target
    )


def breaks_sources(play: CardMoved, table: Table, setup: MatchSetup) -> Fault | None:
    """Rule N28: a foundation takes the Nerts card, an exposed work-pile card or the top waste card."""
    source = play.source
    if source is None:
        return None
    if source.kind not in FOUNDATION_SOURCES:
        return illegal(RuleId.N28, "source_not_allowed", card=play.card, pile=source)
    return breaks_exposure(play, table, setup)


def breaks_exposure(play: CardMoved, table: Table, setup: MatchSetup) -> Fault | None:
    """Rules N28 and N31: only the card on top of its pile can be played.

    A card that was not seen to leave may have been on the way for as long as a carry takes; what lies on its
    pile by then may have lain under it.
    """
    source = play.source
    if source is None or play.lifted_card is not None:
        return None
    left_us = play.touch.start_us if play.lifted is None else play.lifted.start_us
    carried_us = setup.timing.carry_us if play.lifted is None else 0
    pile = table.pile(source)
    view = pile.view_before(left_us)
    if view is None or view.top is None or play.card in pile.tops_between(left_us - carried_us, left_us):
        return None
    if source.kind is PileKind.WASTE:
        return illegal(RuleId.N28, "waste_not_top", card=play.card, top=view.top, pile=source)
    return illegal(RuleId.N28, "not_exposed.nerts", card=play.card, top=view.top, pile=source)


def breaks_one_per_suit(play: CardMoved, table: Table, rules: NertsRules, races: Races) -> Fault | None:
    """House rule ``foundations = "one_per_suit"`` (N25): no second foundation of a suit that is open.

    Of two aces that came together none is the second (E8).
    """
    card = play.face
    if rules.foundations is FoundationsRule.PER_ACE or card is None or card.rank is not Rank.ACE:
        return None
    for pile, foundation in table.foundations.items():
        top = foundation.top
        opened = [step.plays[0] for step in foundation.steps if step.base is None]
        if any(not races.surely_before(first, play) for first in opened):
            continue
        if pile != play.target and top is not None and top.suit is card.suit and top.rank is not Rank.KING:
            return illegal(RuleId.N25, "one_foundation_per_suit", card=card, pile=pile)
    return None


def hides_its_face(play: CardMoved, setup: MatchSetup) -> Fault | None:
    """A card that cannot be read, or not surely enough (E10): nobody can rule on it."""
    if play.card is None:
        return undecided(RuleId.N26, "face_unread.nerts", pile=play.target)
    if play.confidence < setup.face_confidence_min:
        return undecided(RuleId.E10, "low_confidence", pile=play.target, card=play.card)
    return None


def hand_of(play: CardMoved, setup: MatchSetup) -> Seat | None:
    """Whose hand made the play; None where the cameras are not sure enough."""
    return play.seat if play.seat_confidence >= setup.seat_confidence_min else None


def owner_of(play: CardMoved, setup: MatchSetup) -> Seat | None:
    """Whose deck the card is of (N39): as told, else by the pile it came from, else by the hand.

    None: not known, or pile and hand do not agree.
    """
    if play.owner is not None:
        return play.owner
    layout = None if play.source is None else play.source.seat
    hand = hand_of(play, setup)
    deck = None if hand is None else setup.deck_of(hand)
    if layout is None:
        return deck
    return layout if deck is None or deck is layout else None


def fitting_bases(card: Card, bases: Sequence[Base]) -> tuple[Base, ...]:
    """Those of ``bases`` that ``card`` may go on."""
    return tuple(base for base in bases if breaks_order(card, base) is None)
