"""The cards of a simulated Nerts round, and the moves that its players find."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from datasets.simulator.layout import FAN_LIMIT, FOUNDATIONS, SEATS
from referee.cards import FACES, Card, Rank
from referee.piles import PileId, PileKind, Seat

NERTS_PILE_SIZE = 13
TURNED_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Held:
    """A physical card as it lies."""

    card: Card
    deck_of: Seat
    face_up: bool


@dataclass(frozen=True, slots=True)
class Move:
    """Cards from the top of one pile to another."""

    source: PileId
    target: PileId
    count: int = 1


def reserve(seat: Seat) -> PileId:
    """The seat's Nerts pile."""
    return PileId(PileKind.RESERVE, seat)


def stock(seat: Seat) -> PileId:
    """The seat's face-down supply."""
    return PileId(PileKind.STOCK, seat)


def waste(seat: Seat) -> PileId:
    """The seat's turned cards."""
    return PileId(PileKind.WASTE, seat)


def tableau(seat: Seat) -> tuple[PileId, ...]:
    """The seat's four work piles."""
    return tuple(PileId(PileKind.TABLEAU, seat, i) for i in range(4))


@dataclass(slots=True)
class Game:
    """All 104 cards, pile by pile, bottom card first."""

    piles: dict[PileId, list[Held]] = field(default_factory=dict)

    @classmethod
    def deal(cls, rng: np.random.Generator) -> Self:
        """Two shuffled decks, dealt (rules N6 to N9)."""
        game = cls({pile: [] for pile in FOUNDATIONS})
        for seat in SEATS:
            order = [FACES[int(i)] for i in rng.permutation(len(FACES))]
            nerts, rest = order[:NERTS_PILE_SIZE], order[NERTS_PILE_SIZE:]
            game.piles[reserve(seat)] = [Held(c, seat, i == NERTS_PILE_SIZE - 1) for i, c in enumerate(nerts)]
            for pile, card in zip(tableau(seat), rest, strict=False):
                game.piles[pile] = [Held(card, seat, face_up=True)]
            game.piles[stock(seat)] = [Held(card, seat, face_up=False) for card in rest[4:]]
            game.piles[waste(seat)] = []
        return game

    def top(self, pile: PileId) -> Card | None:
        """The face on top; None: empty, or face down."""
        held = self.piles[pile][-1:]
        return held[0].card if held and held[0].face_up else None

    def count_cards(self) -> Counter[tuple[Card, Seat]]:
        """How often each physical card lies on the table; once, unless something is wrong."""
        return Counter((held.card, held.deck_of) for pile in self.piles.values() for held in pile)

    def accepts(self, card: Card, foundation: PileId) -> bool:
        """Whether rules N25 and N26 allow ``card`` there."""
        if not self.piles[foundation]:
            return card.rank is Rank.ACE
        top = self.piles[foundation][-1].card
        return top.suit is card.suit and card.rank == top.rank + 1

    def foundations_for(self, card: Card) -> list[PileId]:
        """Where ``card`` may go in the common area."""
        return [pile for pile in FOUNDATIONS if self.accepts(card, pile)]

    def exposed(self, seat: Seat) -> dict[PileId, Card]:
        """The cards that the seat may play on a foundation (rule N28)."""
        tops = {pile: self.top(pile) for pile in (reserve(seat), waste(seat), *tableau(seat))}
        return {pile: card for pile, card in tops.items() if card is not None}

    def foundation_moves(self, seat: Seat) -> list[Move]:
        """Every legal play on a foundation but kings, after which a pile would have to be set aside."""
        return [
            Move(pile, target)
            for pile, card in self.exposed(seat).items()
            for target in self.foundations_for(card)
            if card.rank is not Rank.KING
        ]

    def fits_on_work_pile(self, card: Card, pile: PileId) -> bool:
        """Whether rules N18 and N20 allow ``card`` there, and the fan has room."""
        cards = self.piles[pile]
        if not cards:
            return True
        below = cards[-1].card
        alternates = below.suit.is_red != card.suit.is_red
        return len(cards) < FAN_LIMIT and alternates and below.rank == card.rank + 1

    def work_moves(self, seat: Seat) -> list[Move]:
        """Single cards from the Nerts pile and the waste to work piles; whole work piles onto others."""
        moves = []
        for target in tableau(seat):
            for source in (reserve(seat), waste(seat)):
                card = self.top(source)
                if card is not None and self.fits_on_work_pile(card, target):
                    moves.append(Move(source, target))
            for source in tableau(seat):
                run = self.piles[source]
                if source == target or not run or not self.piles[target]:
                    continue
                fits = self.fits_on_work_pile(run[0].card, target)
                if fits and len(run) + len(self.piles[target]) <= FAN_LIMIT:
                    moves.append(Move(source, target, len(run)))
        return moves

    def wrong_moves(self, seat: Seat) -> list[Move]:
        """Plays that look tempting and break rule N26: an exposed card on a begun foundation."""
        begun = [pile for pile in FOUNDATIONS if self.piles[pile]]
        return [
            Move(pile, target)
            for pile, card in self.exposed(seat).items()
            for target in begun
            if not self.accepts(card, target) and self.top(target) != card
        ]

    def take(self, pile: PileId, count: int = 1) -> list[Held]:
        """Remove the top ``count`` cards, lowest first."""
        cards = self.piles[pile]
        taken = cards[len(cards) - count :]
        del cards[len(cards) - count :]
        return taken

    def put(self, pile: PileId, cards: list[Held]) -> None:
        """Lay cards on top, lowest first."""
        self.piles[pile] += cards

    def apply(self, move: Move) -> None:
        """Make a move at once."""
        self.put(move.target, self.take(move.source, move.count))

    def turn_reserve(self, seat: Seat) -> None:
        """Turn the top of the Nerts pile up (rule N24), if there is one face down."""
        cards = self.piles[reserve(seat)]
        if cards and not cards[-1].face_up:
            cards[-1] = Held(cards[-1].card, cards[-1].deck_of, face_up=True)

    def turn_stock(self, seat: Seat) -> None:
        """Turn three cards to the waste (rule N30)."""
        taken = self.take(stock(seat), min(TURNED_AT_ONCE, len(self.piles[stock(seat)])))
        self.put(waste(seat), turned_over(taken))

    def recycle(self, seat: Seat) -> None:
        """Turn the waste over to be the stock (rule N32)."""
        self.put(stock(seat), turned_over(self.take(waste(seat), len(self.piles[waste(seat)]))))

    def bring_up(self, seat: Seat, wanted: list[Card]) -> Card | None:
        """Order the unseen cards so that the next turn shows one of ``wanted``; which one, or None.

        Nobody has seen these cards, so any order of them is as true as another.
        """
        cards = self.piles[stock(seat)]
        place = len(cards) - TURNED_AT_ONCE
        if place < 0:
            return None
        for card in wanted:
            for i, held in enumerate(cards):
                if held.card == card:
                    cards[i], cards[place] = cards[place], cards[i]
                    return card
        return None

    def bring_up_reserve(self, seat: Seat, wanted: Card) -> bool:
        """The same for the next Nerts card, swapped with one of the stock; whether it is ``wanted`` now."""
        cards, unseen = self.piles[reserve(seat)], self.piles[stock(seat)]
        if not cards or cards[-1].face_up:
            return False
        for i, held in enumerate(unseen):
            if held.card == wanted:
                cards[-1], unseen[i] = held, cards[-1]
                return True
        return False

    def bury(self, seat: Seat, card: Card) -> None:
        """Let ``card``, where it lies deep in the seat's waste, be in its stock instead."""
        deep, unseen = self.piles[waste(seat)][:-TURNED_AT_ONCE], self.piles[stock(seat)]
        for i, held in enumerate(deep):
            if held.card == card and unseen:
                self.piles[waste(seat)][i] = replace(unseen[0], face_up=True)
                unseen[0] = replace(held, face_up=False)

    def next_steps(self) -> dict[Card, PileId]:
        """The cards that the foundations wait for, aces left out."""
        steps = {}
        for pile in FOUNDATIONS:
            if self.piles[pile] and (top := self.piles[pile][-1].card).rank < Rank.KING:
                steps[Card(Rank(top.rank + 1), top.suit)] = pile
        return steps


def turned_over(cards: list[Held]) -> list[Held]:
    """A packet, flipped: the order and the faces are reversed."""
    return [Held(held.card, held.deck_of, not held.face_up) for held in reversed(cards)]


def played_on(rng: np.random.Generator, plays: int) -> Game:
    """A round after some ``plays`` of both seats, made unseen."""
    game = Game.deal(rng)
    made = 0
    for step in range(plays * 8):
        if made >= plays:
            break
        seat = SEATS[step % 2]
        foundation = game.foundation_moves(seat)
        moves = foundation or [m for m in game.work_moves(seat) if m.source.kind is not PileKind.TABLEAU]
        if moves:
            game.apply(moves[int(rng.integers(len(moves)))])
            game.turn_reserve(seat)
            made += 1
        elif game.piles[stock(seat)]:
            game.bring_up(seat, useful_cards(game))
            game.turn_stock(seat)
        else:
            game.recycle(seat)
    return game


def useful_cards(game: Game) -> list[Card]:
    """What the foundations take next."""
    aces = [card for card in FACES if card.rank is Rank.ACE]
    return [*game.next_steps(), *aces]
