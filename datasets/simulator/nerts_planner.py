"""How the players of a simulated round of Nerts choose what to do."""

from dataclasses import dataclass

from datasets.simulator.cards_on_table import Held, Move
from datasets.simulator.nerts_game import (
    TURNED_AT_ONCE,
    NertsGame,
    reserve,
    stock,
    tableau,
    useful_cards,
    waste,
)
from datasets.simulator.passage import Carry
from datasets.simulator.planner import LONGEST_STORY_US, LOSER_SEES_IT_US, Planner, Player
from datasets.simulator.settings import Story
from referee.cards import Card, Rank
from referee.piles import PileId, PileKind, Seat


@dataclass(slots=True, kw_only=True)
class NertsPlanner(Planner):
    """Plays Nerts."""

    game: NertsGame

    @property
    def common_piles(self) -> tuple[PileId, ...]:
        """The foundations."""
        return self.game.foundations

    def own_piles(self, seat: Seat) -> tuple[PileId, ...]:
        """All but the stock, over which no hand only passes."""
        return (reserve(seat), waste(seat), *tableau(seat))

    def facing(self, pile: PileId, held: Held) -> Seat | None:
        """Whose card it is."""
        return held.deck_of if pile.kind is PileKind.FOUNDATION else pile.seat

    def act(self, player: Player, left_us: int) -> None:
        """Turn a Nerts card that is due; else race, pass, err or play, by the settings' shares."""
        if player.owes_flip:
            self.flip_reserve(player)
            return
        dice, settings = self.rng.random(3), self.settings
        has_time = left_us > LONGEST_STORY_US
        if settings.story is not Story.PLAY:
            self._clinic(player, has_time=has_time)
            return
        if has_time and dice[0] < settings.contested_share and self.race(player):
            return
        if dice[1] < settings.pass_share:
            self.wander(player)
            return
        wrong = self.free_moves(self.game.wrong_moves(player.seat), player.free_us)
        if has_time and dice[2] < settings.illegal_share and wrong:
            self.play_wrong(player, self.choose(wrong), "N26")
            return
        self._play_on(player)

    def _clinic(self, player: Player, *, has_time: bool) -> None:
        """Only pass; or start a race, or wait for another seat; with nothing to race for, play on."""
        if self.settings.story is Story.PASSES:
            self.wander(player)
            return
        is_short = len(self.game.piles[stock(player.seat)]) < TURNED_AT_ONCE
        if has_time and is_short and self.is_free(waste(player.seat), player.free_us):
            self.turn_stock(player, [])
        elif has_time and not self.has_rival(player):
            self.stay(player, 300_000)
        elif not (has_time and self.race(player)):
            self._play_on(player)

    def _play_on(self, player: Player) -> None:
        foundation = self.free_moves(self.game.foundation_moves(player.seat), player.free_us)
        work = self.free_moves(self.game.work_moves(player.seat), player.free_us)
        if foundation and self.rng.random() < 0.9:
            self.play(player, self.choose(foundation))
        elif work and self.rng.random() < 0.6:
            self.play(player, self.choose(work))
        elif self.is_free(waste(player.seat), player.free_us):
            wanted = useful_cards(self.game) if self.rng.random() < 0.8 else []
            self.turn_stock(player, wanted)
        else:
            self.stay(player, 120_000)

    # what players do

    def play(self, player: Player, move: Move) -> None:
        """Put a card where the rules let it."""
        card = self.game.top(move.source)
        to_foundation = move.target.kind is PileKind.FOUNDATION
        carry = self.carry(player, move)
        opens = card is not None and card.rank is Rank.ACE
        rule = ("N25" if opens else "N26") if to_foundation else None
        self.note(carry, "play" if to_foundation else "move", rule=rule)
        player.owes_flip |= move.source == reserve(player.seat)
        self.after_action(player)

    def flip_reserve(self, player: Player) -> None:
        """Turn the next Nerts card (rule N24)."""
        player.owes_flip = False
        pile = reserve(player.seat)
        if self.game.is_face_down(pile):
            self.note(self.carry(player, Move(pile, pile), flip=True), "flip")
            self.after_action(player)

    def turn_stock(self, player: Player, wanted: list[Card], *, hurry: bool = False) -> None:
        """Turn three cards over, or the waste where there are none."""
        seat = player.seat
        cards = self.game.piles[stock(seat)]
        if cards:
            self.game.bring_up(seat, wanted)
            move = Move(stock(seat), waste(seat), min(TURNED_AT_ONCE, len(cards)))
            self.note(self.carry(player, move, flip=True), "turn")
        else:
            move = Move(waste(seat), stock(seat), len(self.game.piles[waste(seat)]))
            self.note(self.carry(player, move, flip=True), "recycle")
        if not hurry:
            self.after_action(player)

    # races

    def _race_card(self, pair: tuple[Player, Player]) -> tuple[Card, PileId] | None:
        seats = [player.seat for player in pair]
        now_us = min(player.free_us for player in pair)
        for card, pile in self.game.next_steps().items():
            reachable = all(
                card in self.game.exposed(seat).values() or self._can_bring_up(seat, card) for seat in seats
            )
            if reachable and card.rank < Rank.KING and self.is_free(pile, now_us):
                return card, pile
        return None

    def _can_bring_up(self, seat: Seat, card: Card) -> bool:
        if self.settings.story is Story.RACES:
            self.game.bury(seat, card)
        cards = self.game.piles[stock(seat)]
        return len(cards) >= TURNED_AT_ONCE and any(held.card == card for held in cards)

    def _next_gap_us(self) -> int:
        drawn = next(self.gaps_us, None)
        if drawn is not None:
            return drawn
        if self.settings.story is Story.RACES:
            return self.uniform_us(0, 250)
        if self.rng.random() < 0.35:
            return self.uniform_us(0, 15)
        return self.uniform_us(90, 250)

    def race(self, player: Player) -> bool:
        """Let two seats go for the same step; whether there was one to go for."""
        pair = self.rivals(player)
        found = self._race_card(pair) if pair is not None else None
        if pair is None or found is None:
            return False
        card, target = found
        for each in pair:
            self._make_ready(each, card)
        gap_us = self._next_gap_us()
        moves = {p.seat: Move(self._pile_showing(p.seat, card), target) for p in pair}
        name, carries = self.contested(pair, moves, gap_us)
        for _, carry, after_us in carries:
            is_late = after_us >= LOSER_SEES_IT_US
            rule = "N15" if is_late else "N26"
            self.note(carry, "play", is_legal=not is_late, rule=rule, contest=name, gap_us=after_us)
        (first, _, _), (second, late, _) = carries
        self._settle_race(first, second, late, gap_us)
        return True

    def _make_ready(self, player: Player, card: Card) -> None:
        """Have the card that the race is for face up; in a passage of races in more than one way."""
        is_varied = self.settings.story is Story.RACES
        if is_varied and card not in self.game.exposed(player.seat).values() and self.rng.random() < 0.6:
            self.game.bring_up_reserve(player.seat, card)
        self.flip_reserve(player)
        if card not in self.game.exposed(player.seat).values():
            self.turn_stock(player, [card], hurry=not is_varied or self.rng.random() < 0.4)

    def _pile_showing(self, seat: Seat, card: Card) -> PileId:
        return next(pile for pile, shown in self.game.exposed(seat).items() if shown == card)

    def _settle_race(self, first: Player, second: Player, late: Carry, gap_us: int) -> None:
        first.owes_flip = self.game.is_face_down(reserve(first.seat))
        self.go_home(first)
        if gap_us < LOSER_SEES_IT_US:
            second.owes_flip = self.game.is_face_down(reserve(second.seat))
        else:
            self.stay(second, self.uniform_us(100, 400), wobble_mm=2.0)
            self.go_home(second)
            self.take_back(second, late, self.uniform_us(500, 1300))
        self.go_home(second)
