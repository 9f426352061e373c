"""Why a play of Spit breaks a rule, one rule in one place; None where it does not."""

from dataclasses import dataclass

from referee.cards import Card
from referee.events import CardMoved
from referee.messages import Reason, say
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.spit.layout import fits
from referee.spit.table import SpitTable
from referee.verdicts import RuleId


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a play is illegal."""

    rule: RuleId
    reason: Reason


def hand_of(play: CardMoved, setup: MatchSetup) -> Seat | None:
    """Whose hand made the play; None where the cameras are not sure enough."""
    return play.seat if play.seat_confidence >= setup.seat_confidence_min else None


def name_of(card: Card | None) -> str:
    """``9H``, or what stands for a card that was not read."""
    return "a card" if card is None else str(card)


def takes_from_other(play: CardMoved, setup: MatchSetup) -> Fault | None:
    """Rule S11: who plays moves the own 15 stock cards, not the other's."""
    hand = hand_of(play, setup)
    for pile in (play.source, play.target):
        if hand is not None and pile is not None and pile.seat is not None and pile.seat is not hand:
            player, other = setup.player_at(hand), setup.player_at(pile.seat)
            card = name_of(play.card)
            reason = say("other_players_layout", player=player, other=other, card=card, pile=pile)
            return Fault(RuleId.S11, reason)
    return None


def plays_spit_card(play: CardMoved, rule: RuleId) -> Fault | None:
    """Rules S12 and S15: spit cards are turned at a spit, and neither played nor laid out."""
    if play.source is None or play.source.kind is not PileKind.HAND:
        return None
    return Fault(rule, say("source_spit", card=name_of(play.card)))


def plays_covered_card(
    play: CardMoved, rule: RuleId, source: PileId | None, table: SpitTable
) -> Fault | None:
    """Rules S12 and S15: only the face-up card on top of a stock pile is played, or fills a place.

    A card that was seen to leave its pile was on top there; so was one whose pile was seen since.
    """
    if source is None or play.lifted_card is not None or not table.is_own_pile(source):
        return None
    top = table.stock(source).top
    if top is None or play.card in {None, top} or table.seen_since(source, _left_us(play)):
        return None
    return Fault(rule, say("not_exposed", card=name_of(play.card), pile=source, top=top))


def misfit(card: Card, top: Card, *, wrap: bool) -> Reason:
    """Rules S12 and S13: in which way ``card`` does not go on ``top``."""
    if card.rank is top.rank:
        return say("not_adjacent.equal", card=card, top=top)
    if not wrap and fits(card, top, wrap=True, doubles=False):
        return say("not_adjacent.king", card=card, top=top)
    return say("not_adjacent", card=card, top=top)


def breaks_layout(play: CardMoved, source: PileId | None, table: SpitTable) -> Fault | None:
    """Rules S15 and S20: why a card may not come to a place of the own layout."""
    target = play.target
    fault = takes_from_other(play, table.setup) or plays_spit_card(play, RuleId.S15)
    if fault is not None:
        return fault
    if _makes_one_too_many(target, source, table):
        player = table.setup.player_at(target.seat) if target.seat is not None else ""
        return Fault(RuleId.S20, say("more_than_five_piles", player=player, most=table.rules.most_piles))
    if source is not None and table.is_own_pile(source) and _was_face_down(play, source, table):
        return Fault(RuleId.S15, say("fill_face_down", card=name_of(play.card), pile=source))
    return plays_covered_card(play, RuleId.S15, source, table) or _breaks_place(play, table)


def _makes_one_too_many(target: PileId, source: PileId | None, table: SpitTable) -> bool:
    """Rule S20: whether with a card at ``target`` there would be more than five stock piles."""
    most = table.rules.most_piles
    others = (
        [
            index
            for index, pile in table.layouts[target.seat].piles.items()
            if index != target.index and (pile.count or pile.top is not None)
        ]
        if target.seat is not None
        else []
    )
    leaves_none = source is not None and source.seat is target.seat and table.stock(source).count == 1
    return target.index > most or len(others) - leaves_none >= most


def _breaks_place(play: CardMoved, table: SpitTable) -> Fault | None:
    """Rule S15: a card fills an empty place, or goes on its equal where that is agreed."""
    there, card = table.stock(play.target), play.card
    if there.count == 0 or there.top is None or card is None:
        return None
    if there.top.rank is not card.rank:
        return Fault(RuleId.S15, say("slot_not_empty", card=card, top=there.top))
    if not table.rules.match_in_layout:
        return Fault(RuleId.S15, say("match_in_layout", card=card, top=there.top))
    return None


def _was_face_down(play: CardMoved, source: PileId, table: SpitTable) -> bool:
    known = table.stock(source)
    return known.face_up is False and not known.is_empty and not table.seen_since(source, _left_us(play))


def _left_us(play: CardMoved) -> int:
    """The earliest time at which the card of ``play`` can have left its pile."""
    return play.touch.start_us if play.lifted is None else play.lifted.start_us


left_us = _left_us
