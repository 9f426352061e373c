"""Jokers: what they were declared to be, and when (N44 to N47)."""

from dataclasses import replace

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved
from referee.nerts.checks import owner_of
from referee.nerts.faults import Fault, illegal, undecided
from referee.nerts.match import Match
from referee.piles import PileKind
from referee.tellings import CallClock, Declared
from referee.verdicts import RuleId

DECLARATIONS_KEPT = 4
"""Of each deck: there are two jokers in it, and a player may think again."""
DECLARED_FOR_US = 30_000_000
"""How long a declaration is good for: nobody holds a joker in the air that long."""


def declare(match: Match, declared: Declared) -> None:
    """Take in what a seat says its joker is; by its own device, it counts from when it came in."""
    if declared.seat is None:
        return
    deck = match.setup.deck_of(declared.seat)
    match.declared[deck] = (*match.declared.get(deck, ()), declared)[-DECLARATIONS_KEPT:]


def meant(match: Match, play: CardMoved) -> CardMoved:
    """``play`` with what its joker was declared to be; any other card as it is."""
    declared = _declaration(match, play)
    return play if declared is None else replace(play, stands_for=declared.card)


def is_foreign(match: Match, play: CardMoved) -> Fault | None:
    """Rule N3: a joker in a game that is played without."""
    if play.card is None or not play.card.is_joker or match.rules.jokers_per_deck > 0:
        return None
    return illegal(RuleId.N3, "foreign_joker", player=match.name(play.seat), want=0)


def breaks_declaration(match: Match, play: CardMoved) -> Fault | None:
    """Rules N45 and N47: why a joker may not go to a foundation as what it was declared to be."""
    if play.card is None or not play.card.is_joker or play.stands_for is None:
        return _undeclared(match, play)
    declared = _declaration(match, play)
    if declared is None:  # what it stands for was told with the card
        return None
    moved = play.touch if play.lifted is None else play.lifted
    if declared.at.start_us > moved.end_us:
        return illegal(RuleId.N45, "joker_late", card=declared.card)
    if declared.at.end_us > moved.start_us:
        return undecided(RuleId.N45, "joker_declared_when", card=declared.card)
    return _breaks_fixing(match, play, declared.card)


def _undeclared(match: Match, play: CardMoved) -> Fault | None:
    if play.card is None or not play.card.is_joker:
        return None
    if match.setup.hears:
        return illegal(RuleId.N45, "joker_undeclared", pile=play.target)
    return undecided(RuleId.N45, "declaration_is_speech", pile=play.target)


def _breaks_fixing(match: Match, play: CardMoved, card: Card) -> Fault | None:
    """Where a fixed joker is never released, it can only be what it is."""
    source = play.source
    if match.table.releases_jokers or source is None or source.kind is not PileKind.TABLEAU:
        return None
    heap = match.table.pile(source).heap
    at = heap.position_of(play.card)
    fixed = None if at is None else heap.cards[at].fixed
    if fixed is None or fixed.allows(card):
        return None
    return illegal(RuleId.N47, "joker_kept_fixed", meaning=fixed, card=card)


def _declaration(match: Match, play: CardMoved) -> Declared | None:
    """What the deck that the joker is of declared last before it was moved, else soon after."""
    owner = owner_of(play, match.setup)
    if play.card is None or not play.card.is_joker or owner is None:
        return None
    moved = play.touch if play.lifted is None else play.lifted
    told = [each for each in match.declared.get(owner, ()) if _is_about(each, moved)]
    before = [each for each in told if each.at.end_us <= moved.end_us]
    return before[-1] if before else told[0] if told else None


def _is_about(declared: Declared, moved: Interval) -> bool:
    is_heard = declared.clock is CallClock.CAPTURE
    return is_heard and abs(moved.end_us - declared.at.end_us) <= DECLARED_FOR_US
