"""The cards of a simulated Nerts round, and the moves that its players find."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from datasets.simulator.cards_on_table import CardsOnTable, Held, Move, turned_over
from datasets.simulator.nerts_layout import FAN_LIMIT, TWO_SEATS, foundations_of
from referee.cards import FACES, Card, Rank
from referee.piles import PileId, PileKind, Seat

NERTS_PILE_SIZE = 13
TURNED_AT_ONCE = 3


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
class NertsGame(CardsOnTable):
    """The decks of all seats."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays."""
        return tuple(pile.seat for pile in self.piles if pile.kind is PileKind.RESERVE and pile.seat)

    @property
    def foundations(self) -> tuple[PileId, ...]:
        """The common piles: one for each ace."""
        return foundations_of(len(self.seats))

    @classmethod
    def deal(cls, rng: np.random.Generator, seats: tuple[Seat, ...]) -> Self:
        """A shuffled deck for each seat, dealt (rules N6 to N9)."""
        game = cls({pile: [] for pile in foundations_of(len(seats))})
        for seat in seats:
            order = [FACES[int(i)] for i in rng.permutation(len(FACES))]
            nerts, rest = order[:NERTS_PILE_SIZE], order[NERTS_PILE_SIZE:]
            game.piles[reserve(seat)] = [Held(c, seat, i == NERTS_PILE_SIZE - 1) for i, c in enumerate(nerts)]
            for pile, card in zip(tableau(seat), rest, strict=False):
                game.piles[pile] = [Held(card, seat, face_up=True)]
            game.piles[stock(seat)] = [Held(card, seat, face_up=False) for card in rest[4:]]
            game.piles[waste(seat)] = []
        return game

    def accepts(self, card: Card, foundation: PileId) -> bool:
        """Whether rules N25 and N26 allow ``card`` there."""
        if not self.piles[foundation]:
            return card.rank is Rank.ACE
        top = self.piles[foundation][-1].card
        return top.suit is card.suit and card.rank == top.rank + 1

    def foundations_for(self, card: Card) -> list[PileId]:
        """Where ``card`` may go in the common area."""
        return [pile for pile in self.foundations if self.accepts(card, pile)]

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
        begun = [pile for pile in self.foundations if self.piles[pile]]
        return [
            Move(pile, target)
            for pile, card in self.exposed(seat).items()
            for target in begun
            if not self.accepts(card, target) and self.top(target) != card
        ]

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
        for pile in self.foundations:
            if self.piles[pile] and (top := self.piles[pile][-1].card).rank < Rank.KING:
                steps[Card(Rank(top.rank + 1), top.suit)] = pile
        return steps


def nerts_played_on(rng: np.random.Generator, seats: tuple[Seat, ...], plays: int | None) -> NertsGame:
    """A round after some ``plays`` of all seats, made unseen. None: 10 to 45, or more where more play."""
    if plays is None:
        plays = int(rng.integers(10, 46)) * len(seats) // len(TWO_SEATS)
    game = NertsGame.deal(rng, seats)
    made = 0
    for step in range(plays * 8):
        if made >= plays:
            break
        seat = seats[step % len(seats)]
        foundation = game.foundation_moves(seat)
        moves = foundation or [m for m in game.work_moves(seat) if m.source.kind is not PileKind.TABLEAU]
        if moves:
            game.apply(moves[int(rng.integers(len(moves)))])
            game.turn_top(reserve(seat))
            made += 1
        elif game.piles[stock(seat)]:
            game.bring_up(seat, useful_cards(game))
            game.turn_stock(seat)
        else:
            game.recycle(seat)
    return game


def useful_cards(game: NertsGame) -> list[Card]:
    """What the foundations take next."""
    aces = [card for card in FACES if card.rank is Rank.ACE]
    return [*game.next_steps(), *aces]
