"""A person's "it was the 6" and "that was Ana's" as facts: what each entry about that card should have said.

One card is spoken of by several entries: the landing, the lift before it, and the looks at both piles between
that play and the next. They were misread together, so they are put right together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from referee.cards import Card
from referee.observations import CardLanded, CardLifted, Observation, PileSeen
from referee.piles import PileId, Seat
from referee.reviews import Fact, ReviewError
from referee.setup import MatchSetup
from referee.shelf import Entered
from referee.sightings import CardsCarried, PileHandled

SURE = 1.0
"""How sure a person is of what it saw."""


def facts_about(
    told: Iterable[Entered],
    entry: int,
    setup: MatchSetup,
    *,
    card: Card | None = None,
    seat: Seat | None = None,
) -> tuple[Fact, ...]:
    """What holds instead, if the card that landed in ``entry`` was ``card``, or was played by ``seat``.

    ``ReviewError`` where that entry is no single card that landed.
    """
    items = list(told)
    at = next((i for i, item in enumerate(items) if item.entry == entry), None)
    landed = None if at is None else items[at].observation
    if at is None or not isinstance(landed, CardLanded):
        raise ReviewError(f"entry {entry} is no card that landed")
    lift = _lift_of(items, landed, setup)
    facts = [Fact(entry=entry, observation=_landed(landed, setup, card, seat))]
    if lift is not None:
        facts.append(Fact(entry=lift.entry, observation=_lifted(lift.observation, card, seat)))
    if card is not None and landed.card is not None:
        looks = [*_looks_after(items, landed), *_looks_before(items, landed, lift)]
        facts += [Fact(entry=item.entry, observation=_shown(item.observation, card)) for item in looks]
    return tuple(sorted(facts, key=lambda fact: fact.entry or 0))


def _landed(landed: CardLanded, setup: MatchSetup, card: Card | None, seat: Seat | None) -> CardLanded:
    if card is not None:
        landed = replace(landed, card=card, confidence=SURE)
    if seat is None:
        return landed
    source = landed.source
    is_elsewhere = source is not None and source.seat not in {None, setup.deck_of(seat)}
    return replace(landed, seat=seat, seat_confidence=SURE, source=None if is_elsewhere else source)


def _lifted(lifted: Observation, card: Card | None, seat: Seat | None) -> CardLifted:
    assert isinstance(lifted, CardLifted)
    if card is not None and lifted.card is not None:
        lifted = replace(lifted, card=card, confidence=SURE)
    return lifted if seat is None or lifted.seat is None else replace(lifted, seat=seat)


def _shown(seen: Observation, card: Card) -> PileSeen:
    assert isinstance(seen, PileSeen)
    return replace(seen, top=card, confidence=SURE)


def _lift_of(items: Sequence[Entered], landed: CardLanded, setup: MatchSetup) -> Entered | None:
    """The lift that this landing ended. None: it was not seen."""
    since_us = landed.touch.start_us - setup.timing.carry_us
    lifts = [
        (item.observation.lifted.end_us, item.entry, item)
        for item in items
        if isinstance(item.observation, CardLifted)
        and item.observation.card == landed.card
        and landed.source in {None, item.observation.pile}
        and since_us <= item.observation.lifted.end_us
        and item.observation.lifted.start_us <= landed.touch.end_us
    ]
    return max(lifts, key=lambda lift: lift[:2], default=(0, 0, None))[2]


def _looks_after(items: Sequence[Entered], landed: CardLanded) -> list[Entered]:
    """Looks that show the card on top where it landed, until something else is done there."""
    later = [us for us in _changes(items, landed.pile) if us > landed.touch.end_us]
    until_us = min(later, default=None)
    return [
        item
        for item in items
        if isinstance(item.observation, PileSeen)
        and (item.observation.pile, item.observation.top) == (landed.pile, landed.card)
        and item.observation.seen.start_us >= landed.touch.end_us
        and (until_us is None or item.observation.seen.start_us < until_us)
    ]


def _looks_before(items: Sequence[Entered], landed: CardLanded, lift: Entered | None) -> list[Entered]:
    """Looks that show the card on top of the pile that it came from, since something else was done there."""
    lifted = None if lift is None else lift.observation
    source = lifted.pile if isinstance(lifted, CardLifted) else landed.source
    left_us = lifted.lifted.end_us if isinstance(lifted, CardLifted) else landed.touch.end_us
    if source is None:
        return []
    since_us = max((us for us in _changes(items, source) if us < left_us), default=None)
    return [
        item
        for item in items
        if isinstance(item.observation, PileSeen)
        and (item.observation.pile, item.observation.top) == (source, landed.card)
        and item.observation.seen.start_us < left_us
        and (since_us is None or item.observation.seen.end_us > since_us)
    ]


def _changes(items: Sequence[Entered], pile: PileId) -> list[int]:
    """When cards came to ``pile`` or left it."""
    times: list[int] = []
    for item in items:
        match item.observation:
            case CardLanded(pile=target) | CardsCarried(pile=target) | PileHandled(pile=target) if (
                target == pile
            ):
                times.append(item.observation.touch.end_us)
            case CardLifted(pile=left) if left == pile:
                times.append(item.observation.lifted.end_us)
            case _:
                pass
    return times
