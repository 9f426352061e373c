"""How the players of a simulated round of Spit choose what to do."""

from dataclasses import dataclass, replace
from typing import Final

from datasets.simulator.cards_on_table import Held, Move
from datasets.simulator.motion import Motion
from datasets.simulator.passage import Carry, TrueAction
from datasets.simulator.planner import LONGEST_STORY_US, LOSER_SEES_IT_US, Planner, Player
from datasets.simulator.settings import Story
from datasets.simulator.spit_game import SpitGame, Swap
from datasets.simulator.spit_layout import SPIT_PILES, spit_cards, stock_piles
from referee.cards import Rank
from referee.piles import PileId, PileKind, Seat

_SPIT_GAP_MS: Final = (0.0, 140.0)
"""Both turn a spit card at the word; people who speak together move so far apart."""
_SLAP_GAP_MS: Final = (40.0, 700.0)
"""Who still has stock sees the other's hand go down."""
_LUCKY_SHARE: Final = 0.6
"""Of the cards turned up, so many are arranged to go on with; without, most of a clip would be waiting."""
_LONGEST_END_US: Final = 6_500_000
"""Slapping and gathering take no longer."""
_UPPER_HAND_MM: Final = 26.0
"""The second hand on a pile lies so much higher."""


@dataclass(slots=True, kw_only=True)
class SpitPlanner(Planner):
    """Plays Spit."""

    game: SpitGame
    think_ms: tuple[float, float] = (40, 320)
    """There is little to think about: up, down, or turn."""
    is_over: bool = False
    """Whether the round has ended, and the spit piles were taken."""

    @property
    def common_piles(self) -> tuple[PileId, ...]:
        """The spit piles."""
        return tuple(SPIT_PILES.values())

    def own_piles(self, seat: Seat) -> tuple[PileId, ...]:
        """The stock piles, and the spit cards."""
        return (*stock_piles(seat), spit_cards(seat))

    def facing(self, pile: PileId, held: Held) -> Seat | None:  # noqa: ARG002 - a face does not say who played it
        """Its own seat; of a card in the middle, either."""
        if pile.kind is not PileKind.SPIT:
            return pile.seat
        return tuple(self.players)[int(self.rng.integers(len(self.players)))]

    def act(self, player: Player, left_us: int) -> None:
        """Turn, fill, race, err or play; where nobody can, spit; where somebody is out, slap."""
        has_time = left_us > LONGEST_STORY_US
        story = self.settings.story
        if self.is_over or story is Story.PASSES:
            self.wander(player)
        elif self._has_ended():
            self._end_round(player, has_time=left_us > _LONGEST_END_US)
        elif not self.game.has_begun or self.game.is_blocked():
            self._spit()
        else:
            self._play_on(player, has_time=has_time)

    # playing

    def _play_on(self, player: Player, *, has_time: bool) -> None:
        flips = self.free_moves(self.game.flips(player.seat), player.free_us)
        plays = self.free_moves(self.game.plays(player.seat), player.free_us)
        fills = self.free_moves(self.game.fills(player.seat), player.free_us)
        if not (flips or plays or fills):
            self.stay(player, 120_000)
        elif not self._something_else(player, has_time=has_time):
            self._do_one(player, flips, plays, fills)

    def _something_else(self, player: Player, *, has_time: bool) -> bool:
        """Race, pass or err, by the settings' shares; whether it was one of these."""
        dice, settings = self.rng.random(3), self.settings
        is_clinic = settings.story is Story.RACES
        if has_time and dice[0] < (1.0 if is_clinic else settings.contested_share) and self.race(player):
            return True
        if is_clinic:
            return False
        if dice[1] < settings.pass_share:
            self.wander(player)
            return True
        wrong = self.free_moves(self.game.wrong_plays(player.seat), player.free_us)
        if has_time and dice[2] < settings.illegal_share and wrong:
            self.play_wrong(player, self.choose(wrong), "S12")
            return True
        return False

    def _do_one(self, player: Player, flips: list[Move], plays: list[Move], fills: list[Move]) -> None:
        """Mostly the next card is turned before another is played, and a place is filled last."""
        if flips and (not plays or self.rng.random() < 0.75):
            self.flip(player, self.choose(flips))
        elif plays:
            self.play(player, self.choose(plays))
        else:
            self.note(self.carry(player, self.choose(fills)), "move")
            self.after_action(player)

    def play(self, player: Player, move: Move) -> None:
        """Put a card on a spit pile where the rules let it."""
        rule = self._rule_of(move)
        self.note(self.carry(player, move), "play", rule=rule)
        self.after_action(player)

    def _rule_of(self, move: Move) -> str:
        """Rule S13 next to an ace, S12 otherwise."""
        return (
            "S13"
            if Rank.ACE in {self.game.piles[p][-1].card.rank for p in (move.source, move.target)}
            else "S12"
        )

    def flip(self, player: Player, move: Move) -> None:
        """Turn the next card of a stock pile up (rules S14 and S16)."""
        if self.rng.random() < _LUCKY_SHARE:
            self._exchange(self.game.bring_up_playable(move.source, self.rng))
        self.note(self.carry(player, move, flip=True), "flip")
        self.after_action(player)

    def _exchange(self, swap: Swap | None) -> None:
        """Let two unseen cards have lain in each other's place from the start."""
        if swap is None:
            return
        one, other = swap
        instead = {one: other, other: one}
        self.start = {
            pile: tuple(
                replace(
                    placed, held=replace(placed.held, card=instead.get(placed.held.card, placed.held.card))
                )
                for placed in cards
            )
            for pile, cards in self.start.items()
        }

    def race(self, player: Player) -> bool:
        """Let both go for the same spit pile; whether both had a card for one."""
        pair = self.rivals(player)
        now_us = player.free_us
        ways = [
            (one, other)
            for pile in self.common_piles
            if pair is not None and self.is_free(pile, now_us)
            for one in self._moves_to(pile, pair[0])
            for other in self._moves_to(pile, pair[1])
        ]
        if pair is None or not ways:
            return False
        one, other = ways[int(self.rng.integers(len(ways)))]
        gap_us = self._next_gap_us()
        rules = {move.source.seat: self._rule_of(move) for move in (one, other)}
        name, carries = self.contested(pair, {pair[0].seat: one, pair[1].seat: other}, gap_us)
        (first, won, _), (second, late, _) = carries
        self.note(won, "play", rule=rules[won.seat], contest=name, gap_us=0)
        self.note(late, "play", is_legal=False, rule="S18", contest=name, gap_us=gap_us)
        self._settle_race(first, second, late, gap_us)
        return True

    def _moves_to(self, pile: PileId, player: Player) -> list[Move]:
        moves = self.free_moves(self.game.plays(player.seat), player.free_us)
        return [move for move in moves if move.target == pile]

    def _next_gap_us(self) -> int:
        drawn = next(self.gaps_us, None)
        return self.uniform_us(0, 250) if drawn is None else drawn

    def _settle_race(self, first: Player, second: Player, late: Carry, gap_us: int) -> None:
        """Two cards that fit one top never fit each other: the later one goes back."""
        self.go_home(first)
        self.stay(second, self.uniform_us(100, 400), wobble_mm=2.0)
        self.go_home(second)
        thinks_ms = (500, 1300) if gap_us >= LOSER_SEES_IT_US else (900, 2000)
        self.take_back(second, late, self.uniform_us(*thinks_ms))
        self.go_home(second)

    # spit

    def _spit(self) -> None:
        """All who can turn a spit card at the word (rules S7 and S21); who cannot does nothing."""
        spitters = [self.players[seat] for seat in self.game.can_spit()]
        for each in self.players.values():
            self.go_home(each)
        word_us = max(p.free_us for p in self.players.values()) + self.uniform_us(350, 900)
        rule = "S21" if self.game.has_begun else "S7"
        moves = {p.seat: Move(spit_cards(p.seat), SPIT_PILES[p.seat]) for p in spitters}
        efforts = {p.seat: self.effort_of(p, moves[p.seat]) for p in spitters}
        ready_us = word_us + max(effort.to_contact_us for effort in efforts.values())
        for each in spitters:
            if self.rng.random() < _LUCKY_SHARE:
                self._exchange(self.game.bring_up_useful(each.seat, self.rng))
            carry = self.carry(
                each,
                moves[each.seat],
                flip=True,
                effort=efforts[each.seat],
                contact_us=ready_us + self.uniform_us(*_SPIT_GAP_MS),
            )
            self.note(carry, "spit", rule=rule)
        for each in spitters:
            self.go_home(each)

    # the end of a round

    def _has_ended(self) -> bool:
        """Rule S22: somebody is out of stock, or nobody can play or spit."""
        is_out = any(self.game.stock(seat) == 0 for seat in self.players)
        return is_out or (self.game.is_blocked() and not self.game.can_spit())

    def _end_round(self, player: Player, *, has_time: bool) -> None:
        """Both slap a spit pile, wanting the smaller (rule S23), and take what they have slapped."""
        self.is_over = True
        self._void_late_plays()
        if not has_time:
            return
        smaller, larger = sorted(self.common_piles, key=lambda pile: len(self.game.piles[pile]))
        first = next((p for p in self.players.values() if self.game.stock(p.seat) == 0), player)
        second = next(p for p in self.players.values() if p is not first)
        wanted = smaller if self.rng.random() < 0.65 else larger
        first_us = self.slap(first, smaller, not_before_us=0, above_mm=0.0, after=None)
        self.slap(
            second,
            wanted,
            not_before_us=first_us + self.uniform_us(*_SLAP_GAP_MS),
            above_mm=_UPPER_HAND_MM if wanted == smaller else 0.0,
            after=first_us,
        )
        for each, pile in ((first, smaller), (second, larger)):
            self.stay(each, self.uniform_us(500, 1100), wobble_mm=1.0)
            self.go_home(each)
            self._gather(each, pile)

    def _void_late_plays(self) -> None:
        """Cards that come to a spit pile after the last card of a seat that is out are not played."""
        last_us = [
            max(c.contact_us for c in self.carries if c.seat is seat and c.target.kind is PileKind.SPIT)
            for seat in self.players
            if self.game.stock(seat) == 0
        ]
        if last_us:
            self.actions = [
                replace(a, is_legal=False, rule="S22")
                if a.kind == "play" and a.contact_us > min(last_us) and a.is_legal
                else a
                for a in self.actions
            ]

    def slap(
        self, player: Player, pile: PileId, *, not_before_us: int, above_mm: float, after: int | None
    ) -> int:
        """Bring a hand down on a pile; when it touches."""
        spot = self.layout.spots[pile]
        x, y = spot.x_mm + float(self.rng.normal(0, 6)), spot.y_mm + float(self.rng.normal(0, 6))
        start = player.path.end_mm
        end = (x, y, self.height_mm(pile) + above_mm)
        span_us = max(200_000, self.travel_us(player, start, end) * 3 // 5)
        start_us = max(player.free_us + self.uniform_us(40, 200), not_before_us - span_us)
        hop = float(self.rng.uniform(50, 90))
        contact_us = start_us + span_us
        player.path.add(Motion(start_us=start_us, end_us=contact_us, start_mm=start, end_mm=end, hop_mm=hop))
        self.stay(player, self.uniform_us(300, 600))
        self.actions.append(
            TrueAction(
                kind="slap", seat=player.seat, card=None, count=0, source=pile, target=pile,
                lifted_us=start_us, contact_us=contact_us, rest_us=contact_us, hand_gone_us=contact_us,
                is_legal=True, rule="S23", contest=None,
                gap_us=0 if after is None else contact_us - after, pose=None,
            )
        )  # fmt: skip
        return contact_us

    def _gather(self, player: Player, pile: PileId) -> None:
        """Pick a spit pile up and lay it face down on the own spit cards (rule S26)."""
        count = len(self.game.piles[pile])
        if count:
            move = Move(pile, spit_cards(player.seat), count)
            self.note(self.carry(player, move, flip=True), "gather", rule="S26")
        self.go_home(player)
