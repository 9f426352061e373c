"""The cards of a simulated round of Spit, and the moves that its players find."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from datasets.simulator.cards_on_table import CardsOnTable, Held, Move, turned_over
from datasets.simulator.spit_layout import SPIT_PILES, SPIT_SEATS, spit_cards, stock_piles
from referee.cards import FACES, Card
from referee.piles import PileId, Seat
from referee.spit.layout import are_neighbours

PACK = Seat.SOUTH
"""Whose the one pack is that both play with."""
Swap = tuple[Card, Card]
"""Two cards that change places."""
LEFT_AT_LEAST = 2
"""Of each stock, so many cards are left to be filmed."""
LATE = 26
"""After so many plays a round nears its end."""


@dataclass(slots=True)
class SpitGame(CardsOnTable):
    """One pack, half of it before each seat."""

    @classmethod
    def deal(cls, rng: np.random.Generator) -> Self:
        """Stock piles of one to five cards, their tops turned up, and eleven spit cards (rules S4 to S6)."""
        game = cls({pile: [] for pile in SPIT_PILES.values()})
        order = [Held(FACES[int(i)], PACK, face_up=False) for i in rng.permutation(len(FACES))]
        for seat in SPIT_SEATS:
            for size, pile in enumerate(stock_piles(seat), start=1):
                game.piles[pile] = [order.pop() for _ in range(size)]
                game.turn_top(pile)
            game.piles[spit_cards(seat)] = []
        for i, held in enumerate(order):
            game.piles[spit_cards(SPIT_SEATS[i % 2])].append(held)
        return game

    @property
    def has_begun(self) -> bool:
        """Whether spit cards lie in the middle."""
        return any(self.piles[pile] for pile in SPIT_PILES.values())

    def accepts(self, card: Card, pile: PileId) -> bool:
        """Whether rules S12 and S13 allow ``card`` on a spit pile."""
        top = self.top(pile)
        return top is not None and are_neighbours(card.rank, top.rank, wrap=True)

    def exposed(self, seat: Seat) -> dict[PileId, Card]:
        """The face-up cards of the seat's stock piles."""
        tops = {pile: self.top(pile) for pile in stock_piles(seat)}
        return {pile: card for pile, card in tops.items() if card is not None}

    def plays(self, seat: Seat) -> list[Move]:
        """Every legal play on a spit pile."""
        return [
            Move(pile, target)
            for pile, card in self.exposed(seat).items()
            for target in SPIT_PILES.values()
            if self.accepts(card, target)
        ]

    def wrong_plays(self, seat: Seat) -> list[Move]:
        """Plays that look tempting and break rule S12."""
        return [
            Move(pile, target)
            for pile, card in self.exposed(seat).items()
            for target in SPIT_PILES.values()
            if self.top(target) is not None and not self.accepts(card, target)
        ]

    def flips(self, seat: Seat) -> list[Move]:
        """The stock piles whose next card may be turned up (rules S14 and S16)."""
        return [Move(pile, pile) for pile in stock_piles(seat) if self.is_face_down(pile)]

    def fills(self, seat: Seat) -> list[Move]:
        """Face-up cards that may fill an empty place and bare a card by it (rule S15)."""
        empty = [pile for pile in stock_piles(seat) if not self.piles[pile]]
        deep = [pile for pile in self.exposed(seat) if len(self.piles[pile]) > 1]
        return [Move(pile, empty[0]) for pile in deep] if empty else []

    def stock(self, seat: Seat) -> int:
        """Cards in the seat's stock piles."""
        return sum(len(self.piles[pile]) for pile in stock_piles(seat))

    def is_blocked(self) -> bool:
        """Whether nobody can do anything without a spit (rule S21)."""
        return not any(self.plays(seat) or self.flips(seat) or self.fills(seat) for seat in SPIT_SEATS)

    def can_spit(self) -> tuple[Seat, ...]:
        """Who has spit cards left."""
        return tuple(seat for seat in SPIT_SEATS if self.piles[spit_cards(seat)])

    def bring_up_playable(self, pile: PileId, rng: np.random.Generator) -> Swap | None:
        """Have the next card of a stock pile be one that can be played, if the seat has one unseen."""
        tops = [top for target in SPIT_PILES.values() if (top := self.top(target)) is not None]
        return self._bring_up(pile, tops, rng)

    def bring_up_useful(self, seat: Seat, rng: np.random.Generator) -> Swap | None:
        """Have the next spit card be one that somebody can play on, if the seat has one unseen."""
        cards = [card for each in SPIT_SEATS for card in self.exposed(each).values()]
        return self._bring_up(spit_cards(seat), cards, rng)

    def _bring_up(self, pile: PileId, beside: list[Card], rng: np.random.Generator) -> Swap | None:
        """Swap a pile's next card for an unseen one of the same seat that goes on one of ``beside``.

        Nobody has seen these cards, so any order of them from the deal on is as true as another.
        """
        assert pile.seat is not None
        ranks = {card.rank for card in beside}
        unseen = [
            (other, i)
            for other in (*stock_piles(pile.seat), spit_cards(pile.seat))
            for i, held in enumerate(self.piles[other])
            if not held.face_up and any(are_neighbours(held.card.rank, rank, wrap=True) for rank in ranks)
        ]
        if not unseen:
            return None
        other, i = unseen[int(rng.integers(len(unseen)))]
        swap = (self.piles[other][i].card, self.piles[pile][-1].card)
        self.piles[other][i], self.piles[pile][-1] = self.piles[pile][-1], self.piles[other][i]
        return swap

    def spit(self, seat: Seat) -> None:
        """Turn a spit card onto the seat's own spit pile."""
        self.put(SPIT_PILES[seat], turned_over(self.take(spit_cards(seat))))


def spit_played_on(rng: np.random.Generator, plays: int | None) -> SpitGame:
    """A round after some ``plays`` of both seats, made unseen. None: none, 2 to 11, or till near its end.

    Of no plays the deal is left: the first spit is still to come.
    """
    if plays is None:
        plays = (0, int(rng.integers(2, 12)), LATE)[int(rng.integers(3))]
    game = SpitGame.deal(rng)
    made = 0
    for step in range(plays * 8):
        seat = SPIT_SEATS[step % 2]
        if made >= plays or game.stock(seat) <= LEFT_AT_LEAST:
            break
        for move in game.flips(seat):
            game.turn_top(move.source)
        if moves := game.plays(seat):
            game.apply(moves[int(rng.integers(len(moves)))])
            made += 1
        elif fills := game.fills(seat):
            game.apply(fills[0])
        elif not game.has_begun or game.is_blocked():
            for each in game.can_spit():
                game.spit(each)
    return game
