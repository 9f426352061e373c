"""What is known of a table of Speed: hands, draw piles, side piles, rounds won."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.cards import Card
from referee.events import CardMoved
from referee.observations import CardsCounted, PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import PileLaid
from referee.speed_rules import DeckForm, SpeedRules
from referee.spit.centre import count_of
from referee.spit.layout import fits


def speed_rules_of(setup: MatchSetup) -> SpeedRules:
    """The house rules of a match of Speed."""
    assert isinstance(setup.rules, SpeedRules)
    return setup.rules


def is_hand(pile: PileId) -> bool:
    """Whether ``pile`` holds a seat's cards to play: in the hand, or open before it."""
    return pile.seat is not None and pile.kind in {PileKind.HAND, PileKind.TABLEAU}


def is_draw(pile: PileId) -> bool:
    """Whether ``pile`` is a seat's draw pile."""
    return pile.seat is not None and pile.kind is PileKind.STOCK


def is_side(pile: PileId) -> bool:
    """Whether ``pile`` is a side pile, from which the centre is fed."""
    return pile.seat is None and pile.kind is PileKind.STOCK


@dataclass(slots=True)
class SpeedTable:
    """The piles of one match; the centre piles are the ``Centre``'s."""

    setup: MatchSetup
    counts: dict[PileId, int | None] = field(default_factory=dict)
    """Cards in each pile that was ever seen: hands (also open places), draw piles, side piles."""
    faces: dict[PileId, tuple[Card, ...]] = field(default_factory=dict)
    """The open cards of a hand, where all of them are seen."""
    wins: dict[Seat, int] = field(default_factory=dict)
    """Rounds won by each seat."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays, as listed."""
        return self.setup.decks

    @property
    def rules(self) -> SpeedRules:
        """The house rules."""
        return speed_rules_of(self.setup)

    def hand(self, seat: Seat) -> int | None:
        """Cards that ``seat`` holds. None: not known."""
        return self._sum([pile for pile in self.counts if pile.seat is seat and is_hand(pile)])

    def draw(self, seat: Seat) -> int | None:
        """Cards in the draw pile of ``seat``. None: not known."""
        return self._sum([pile for pile in self.counts if pile.seat is seat and is_draw(pile)])

    @property
    def sides(self) -> Mapping[PileId, int | None]:
        """Cards in each side pile that was ever seen."""
        return {pile: count for pile, count in self.counts.items() if is_side(pile)}

    def _sum(self, piles: list[PileId]) -> int | None:
        counts = [self.counts[pile] for pile in piles]
        return None if None in counts or not counts else sum(count for count in counts if count is not None)

    def is_out(self, seat: Seat) -> bool:
        """Whether ``seat`` surely has no cards left."""
        return self.hand(seat) == 0 and self.draw(seat) == 0

    def takes_part(self, pile: PileId) -> bool:
        """Whether ``pile`` is one that is counted here."""
        return is_hand(pile) or is_draw(pile) or is_side(pile)

    def lay(self, laid: PileLaid) -> None:
        """Take in a whole pile."""
        self.counts[laid.pile] = count_of(laid)
        faces = tuple(item.stands_for or item.card for item in laid.cards)
        known = tuple(card for card in faces if card is not None)
        self.faces.pop(laid.pile, None)
        if is_hand(laid.pile) and len(known) == len(faces) == self.counts[laid.pile]:
            self.faces[laid.pile] = known

    def look(self, seen: PileSeen) -> None:
        """Take in a look: an empty pile holds no card."""
        if seen.is_empty:
            self.counts[seen.pile] = 0
        elif self.counts.get(seen.pile, 0) == 0:
            self.counts[seen.pile] = None

    def count(self, counted: CardsCounted) -> None:
        """Take in a count."""
        self.counts[counted.pile] = counted.count

    def add(self, pile: PileId, change: int) -> None:
        """``change`` cards more in ``pile``."""
        known = self.counts.get(pile)
        self.counts[pile] = None if known is None else max(known + change, 0)
        if change > 0:
            self.faces.pop(pile, None)

    def source_of(self, move: CardMoved) -> PileId | None:
        """Where a card came from: as seen, else the hand that showed it, else the hand of its seat."""
        if move.source is not None or move.seat is None:
            return move.source
        hands = [pile for pile in self.counts if pile.seat is move.seat and is_hand(pile)]
        showing = [pile for pile in hands if move.card in self.faces.get(pile, ())]
        return showing[0] if showing else PileId(PileKind.HAND, move.seat)

    def play(self, move: CardMoved) -> None:
        """A card of a hand was played."""
        source = move.source
        if source is None or not (is_hand(source) or is_draw(source)):
            return
        faces = self.faces.get(source)
        self.add(source, -1)
        if faces is not None and move.card in faces:
            self.faces[source] = tuple(card for card in faces if card != move.card)
        else:
            self.faces.pop(source, None)

    def playable(self, tops: tuple[Card | None, ...]) -> tuple[Seat, Card] | None:
        """A card that lies open and could surely be played. None: none is known of."""
        rules = self.rules
        for seat in self.seats:
            open_cards = [card for pile, cards in self.faces.items() if pile.seat is seat for card in cards]
            for card in open_cards:
                known = [top for top in tops if top is not None]
                is_wild = card.is_joker and rules.jokers and known
                if is_wild or any(fits(card, top, wrap=rules.wrap, doubles=rules.doubles) for top in known):
                    return seat, card
        return None

    @property
    def is_fed_from_hands(self) -> bool:
        """Whether each seat feeds the centre from its own cards."""
        return self.rules.form is DeckForm.HALF_DECKS
