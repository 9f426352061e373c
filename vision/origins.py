"""Which lifts brought the cards of a landing, and which cards of rivals are missing."""

from dataclasses import replace

from referee.cards import Card
from referee.observations import CardLanded
from referee.piles import PileKind, Seat
from referee.sightings import CardsCarried
from vision.carry import Lift
from vision.lifts import Lifts
from vision.pending import PendingLanding
from vision.races import Beneath, Owners


def lifts_for(lifts: Lifts, pending: PendingLanding) -> list[Lift]:
    """The lift that brought the card; where another may lie below, the other seat's equal card too."""
    landed, beneath, owners = pending.landed, pending.beneath, pending.owners
    card: Card | None = landed.card
    if card is None:
        return []
    if beneath is not None and owners is not None:
        return _lifts_of_both(lifts, landed, card, beneath, owners)
    own = _own_lift(lifts, landed, card)
    if own is None or beneath is None:
        return [own] if own is not None else []
    others = [lift for lift in lifts.equal_to(landed) if lift.owner is not own.owner]
    return [own, *others][:2]


def _own_lift(lifts: Lifts, landed: CardLanded, card: Card) -> Lift | None:
    """The lift that can have brought a card; none if two seats lifted an equal one and no hand tells.

    Spit is played with one pack: there a card tells by itself whose it was.
    """
    if landed.pile.kind is PileKind.SPIT:
        return lifts.source_of(landed, card, None)
    if landed.seat is None and len({lift.owner for lift in lifts.equal_to(landed)}) > 1:
        return None
    return lifts.source_of(landed, card, landed.seat)


def _lifts_of_both(
    lifts: Lifts, landed: CardLanded, card: Card, beneath: Beneath, owners: Owners
) -> list[Lift]:
    """The lifts of two seats' cards; nothing where it is not known whose card lies above."""
    if owners.above is None or owners.below is None:
        return []
    above = lifts.source_of(landed, card, owners.above)
    lower = replace(landed, touch=beneath.touch)
    if beneath.card is None and landed.pile.kind is PileKind.SPIT:
        below = lifts.last_of(lower, owners.below)
    else:
        below = lifts.source_of(lower, beneath.card or card, owners.below)
    both = [lift for lift in (above, below) if lift is not None]
    return both[:1] if above is below else both


def lift_under_hands(lifts: Lifts, landed: CardLanded) -> Lift | None:
    """The lift from a pile that showed the card when it was last at rest, and has not come to rest since.

    A seat has one of each card; so where hands still lie on that pile, it is not there any more. None: there
    is no such pile, or more than one.
    """
    seat: Seat | None = None if landed.pile.kind is PileKind.SPIT else landed.seat
    found = [lift for lift in lifts.under_hands(landed) if seat in {None, lift.owner}]
    return found[0] if len(found) == 1 else None


def only_other_lift(lifts: Lifts, pending: PendingLanding) -> Lift | None:
    """The lift of an equal card by the one other seat that lifted any, where no card of the hand's seat left.

    Arms that cross are told apart by where they were before, and sometimes wrongly; a card that was seen to
    leave its pile and came nowhere else is better evidence. Of a race both cards may be missing: there it
    tells nothing. None: there is no such lift, or more than one.
    """
    landed = pending.landed
    if landed.pile.kind is not PileKind.FOUNDATION or landed.seat is None or pending.is_contested:
        return None
    others = [lift for lift in lifts.equal_to(landed) if lift.owner is not landed.seat]
    return others[0] if len(others) == 1 else None


def other_lift_under_hands(lifts: Lifts, pending: PendingLanding, known: Lift) -> list[Lift]:
    """Of two cards of which one lift is known the other's, from a pile under hands; empty: there is none."""
    landed, beneath = pending.landed, pending.beneath
    if beneath is None:
        return []
    hidden = lifts.under_hands(landed)
    if beneath.card not in {None, landed.card}:
        hidden += lifts.under_hands(replace(landed, card=beneath.card, touch=beneath.touch))
    return [lift for lift in hidden if lift.owner is not known.owner][:1]


def missing_rivals(
    lifts: Lifts, pending: PendingLanding, told: CardLanded | CardsCarried, others: list[CardLanded]
) -> list[Lift]:
    """Lifts of equal cards by other seats that reached for the foundation, and were not seen to land.

    Such a card lies under the one that was seen: it came too soon before it to be seen. ``others``: the equal
    cards that were seen to come besides.
    """
    is_known = told.source is not None and told.seat is not None
    if not (is_known and pending.is_contested_foundation):
        return []
    equal = [*lifts.equal_to(pending.landed), *lifts.under_hands(pending.landed)]
    landed_of = {None, told.seat, *(other.seat for other in others)}
    return [lift for lift in equal if lift.owner not in landed_of]


def may_miss_rival(lifts: Lifts, pending: PendingLanding) -> bool:
    """Whether an equal card of a seat that reached for the foundation may be gone from under a hand."""
    landed = pending.landed
    return pending.is_contested_foundation and any(
        lift.owner is not landed.seat for lift in lifts.under_hands(landed)
    )


def unless_missing(lifts: Lifts, pending: PendingLanding) -> CardLanded:
    """A landing without a source; its hand is not believed where another seat's equal card is missing."""
    landed = pending.landed
    is_missing = any(lift.is_certain and lift.owner is not landed.seat for lift in lifts.equal_to(landed))
    if pending.is_contested and is_missing:
        return replace(landed, seat=None, seat_confidence=0.0)
    return landed
