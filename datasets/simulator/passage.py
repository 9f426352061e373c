"""A seeded passage of play: who moves which card when, as paths of hands and cards in table millimetres."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from datasets.simulator.game import (
    TURNED_AT_ONCE,
    Game,
    Held,
    Move,
    played_on,
    reserve,
    stock,
    tableau,
    turned_over,
    useful_cards,
    waste,
)
from datasets.simulator.layout import FOUNDATIONS, SEATS, Layout
from datasets.simulator.motion import HandPath, Motion, eased
from datasets.simulator.settings import SimulationSettings, Story
from referee.cards import Card, Rank
from referee.piles import PileId, PileKind, Seat

CARD_THICKNESS_MM: Final = 0.3
QUIET_START_US: Final = 900_000
"""Nothing moves at first, so that a reader sees the table at rest."""
QUIET_END_US: Final = 900_000
LONGEST_US: Final = 600_000_000
_LONGEST_TURN_US: Final = 3_400_000
"""No action starts later than this before the end; it would be cut off."""
_LONGEST_STORY_US: Final = 9_000_000
"""The same for races and fouls with their taking back."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card lies: its centre in table millimetres, and its turn (0: read from the south)."""

    x_mm: float
    y_mm: float
    turn_deg: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A card and where it lies."""

    held: Held
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueAction:
    """What really happened, one line of the truth file. Times in microseconds of the clip's own clock.

    ``kind``: ``play`` (to a foundation), ``move`` (within a layout), ``turn`` (stock to waste), ``recycle``,
    ``flip`` (the next Nerts card), ``return`` (a loser's or a wrong card goes back), ``pass`` (a hand moves
    over piles, takes nothing and puts nothing down).
    """

    kind: str
    seat: Seat
    card: Card | None
    """The top card as it lies afterwards; for a run, the card that joins. None: a pass, or face down."""
    count: int
    source: PileId | None
    target: PileId | None
    lifted_us: int
    """When the card leaves the source. For a pass: when the hand comes."""
    contact_us: int
    """First instant at which the card's height over the pile is zero. For a pass: the middle."""
    rest_us: int
    """When it stops sliding."""
    hand_gone_us: int
    """First instant after ``rest_us`` at which no part of that hand hides the target's zone."""
    is_legal: bool
    rule: str | None
    """The rule that allows or forbids a play on a foundation."""
    contest: str | None
    """Plays of one race have the same name."""
    gap_us: int | None
    """In a race: how long after the first touch this one came; 0 for the first."""
    pose: Pose | None
    """Where the card came to rest."""
    passed: tuple[PileId, ...] = ()
    """The piles that a passing hand hid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """Cards on their way under a hand, lowest first."""

    seat: Seat
    cards: tuple[Placed, ...]
    """As they lay."""
    landed: tuple[Placed, ...]
    """As they will lie."""
    source: PileId
    target: PileId
    lifted_us: int
    contact_us: int
    rest_us: int
    is_flipped: bool
    grip_mm: tuple[float, float]
    """From the fingertip to the centre of the top card."""

    def progress(self, t_us: float) -> float:
        """0 at the lift, 1 at the touch; eased."""
        return eased((t_us - self.lifted_us) / max(self.contact_us - self.lifted_us, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Everything that happens in front of the camera."""

    layout: Layout
    start: dict[PileId, tuple[Placed, ...]]
    paths: dict[Seat, HandPath]
    shoulders_mm: dict[Seat, tuple[float, float]]
    carries: tuple[Carry, ...]
    actions: tuple[TrueAction, ...]
    duration_us: int
    final: Game


@dataclass(slots=True)
class _Player:
    seat: Seat
    path: HandPath
    shoulder_mm: tuple[float, float]
    home_mm: tuple[float, float, float]
    tempo: float
    owes_flip: bool = False
    is_done: bool = False

    @property
    def free_us(self) -> int:
        return self.path.end_us


@dataclass(frozen=True, slots=True, kw_only=True)
class _Effort:
    """The durations of one reach, grip and carry, drawn before its start is known."""

    think_us: int
    reach_us: int
    grip_us: int
    carry_us: int
    slide_us: int
    dwell_us: int

    @property
    def to_contact_us(self) -> int:
        return self.reach_us + self.grip_us + self.carry_us


@dataclass(slots=True)
class _Planner:
    rng: np.random.Generator
    layout: Layout
    settings: SimulationSettings
    game: Game
    poses: dict[PileId, list[Pose]]
    players: dict[Seat, _Player]
    end_us: int
    busy_us: dict[PileId, int] = field(default_factory=dict)
    carries: list[Carry] = field(default_factory=list)
    actions: list[TrueAction] = field(default_factory=list)
    gaps_us: Iterator[int] = field(default_factory=lambda: iter(()))
    contests: int = 0

    # where things lie

    def slot(self, pile: PileId, index: int, seat: Seat | None) -> Pose:
        """Where the next card would be put down, with a hand's inaccuracy."""
        spot = self.layout.spots[pile]
        turn = spot.turn_deg if seat is None else (0.0 if seat is Seat.SOUTH else 180.0)
        is_fan = spot.fan_mm != 0
        spread, twist = (1.1, 1.6) if is_fan else (2.4, 3.4)
        dx, dy = np.clip(self.rng.normal(0, spread, 2), -2.4 * spread, 2.4 * spread)
        turn += float(np.clip(self.rng.normal(0, twist), -9, 9))
        return Pose(spot.x_mm + float(dx), spot.y_mm + float(dy) + spot.fan_mm * index, turn)

    def height_mm(self, pile: PileId) -> float:
        """Of the pile's top card over the table."""
        count = len(self.game.piles[pile])
        return CARD_THICKNESS_MM * (1 if self.layout.spots[pile].fan_mm else count)

    def is_free(self, pile: PileId, t_us: int) -> bool:
        return self.busy_us.get(pile, 0) <= t_us + 250_000

    # time that things take

    def _uniform_us(self, low_ms: float, high_ms: float) -> int:
        return int(self.rng.uniform(low_ms, high_ms) * 1000)

    def travel_us(self, player: _Player, a: tuple[float, ...], b: tuple[float, ...]) -> int:
        """Time for a way at human speed: 0.2 s, and a second more for each 1.2 m."""
        distance = float(np.hypot(b[0] - a[0], b[1] - a[1]))
        return int((190 + distance / 1.2) * player.tempo * self.rng.uniform(0.85, 1.2) * 1000)

    def effort(
        self,
        player: _Player,
        start: tuple[float, ...],
        end: tuple[float, ...],
        *,
        think_us: int | None = None,
    ) -> _Effort:
        return _Effort(
            think_us=self._uniform_us(80, 800) if think_us is None else think_us,
            reach_us=self.travel_us(player, player.path.end_mm, start),
            grip_us=self._uniform_us(50, 140),
            carry_us=max(220_000, self.travel_us(player, start, end)),
            slide_us=self._uniform_us(15, 40),
            dwell_us=self._uniform_us(60, 250),
        )

    # moving hands

    def _go(
        self, player: _Player, end: tuple[float, float, float], start_us: int, span_us: int, hop: float
    ) -> None:
        player.path.add(
            Motion(
                start_us=start_us,
                end_us=start_us + span_us,
                start_mm=player.path.end_mm,
                end_mm=end,
                hop_mm=hop,
                bend_mm=float(self.rng.normal(0, 14)),
            )
        )

    def _stay(self, player: _Player, span_us: int, wobble_mm: float = 0.0) -> None:
        here = player.path.end_mm
        start = player.path.end_us
        player.path.add(
            Motion(start_us=start, end_us=start + span_us, start_mm=here, end_mm=here, wobble_mm=wobble_mm)
        )

    def go_home(self, player: _Player) -> None:
        if player.path.end_mm != player.home_mm:
            span = self.travel_us(player, player.path.end_mm, player.home_mm)
            self._go(player, player.home_mm, player.path.end_us, span, hop=float(self.rng.uniform(15, 40)))

    # carrying cards

    def carry(
        self,
        player: _Player,
        move: Move,
        *,
        flip: bool = False,
        effort: _Effort | None = None,
        contact_us: int | None = None,
        lean_mm: float = 0.0,
        target_pose: Pose | None = None,
    ) -> Carry:
        """Plan one carry and make its move in the game; ``contact_us`` holds the start back to touch then."""
        grip = self.grip(player.seat)
        source_poses = self.poses[move.source][-move.count :]
        first_index = len(self.game.piles[move.target])
        landing = [
            target_pose or self.slot(move.target, first_index + i, player.seat) for i in range(move.count)
        ]
        if move.source == move.target:
            landing = [self.slot(move.target, first_index - 1, player.seat)]
        landing = [replace(pose, y_mm=pose.y_mm + lean_mm) for pose in landing]
        start = _fingertip(source_poses[-1], grip, self.height_mm(move.source))
        end_height = self.height_mm(move.target) + (0.0 if move.source == move.target else CARD_THICKNESS_MM)
        end = _fingertip(landing[-1], grip, end_height)
        effort = effort or self.effort(player, start, end)
        begin_us = player.free_us + effort.think_us
        if contact_us is not None:
            begin_us = contact_us - effort.to_contact_us
        self._go(player, start, begin_us, effort.reach_us, hop=float(self.rng.uniform(12, 35)))
        self._stay(player, effort.grip_us)
        lifted_us = player.path.end_us
        touch_us = lifted_us + effort.carry_us
        player.path.add(
            Motion(
                start_us=lifted_us,
                end_us=touch_us + effort.slide_us,
                start_mm=start,
                end_mm=end,
                hop_mm=float(self.rng.uniform(22, 48)),
                down_us=touch_us,
                bend_mm=float(self.rng.normal(0, 16)),
            )
        )
        self._stay(player, effort.dwell_us)
        times_us = (lifted_us, touch_us, touch_us + effort.slide_us)
        return self._move_cards(player, move, landing, flip=flip, times_us=times_us, grip=grip)

    def grip(self, seat: Seat) -> tuple[float, float]:
        """From the fingertip to the card's centre: people hold the half of a card that is nearer to them."""
        away = -1.0 if seat is Seat.SOUTH else 1.0
        return float(self.rng.normal(0, 4)), away * float(self.rng.uniform(12, 24))

    def _move_cards(
        self,
        player: _Player,
        move: Move,
        landing: list[Pose],
        *,
        flip: bool,
        times_us: tuple[int, int, int],
        grip: tuple[float, float],
    ) -> Carry:
        held = self.game.take(move.source, move.count)
        poses = [self.poses[move.source].pop() for _ in held][::-1]
        after = turned_over(held) if flip else held
        self.game.put(move.target, after)
        self.poses[move.target] += landing
        carry = Carry(
            seat=player.seat,
            cards=tuple(Placed(h, p) for h, p in zip(held, poses, strict=True)),
            landed=tuple(Placed(h, p) for h, p in zip(after, landing, strict=True)),
            source=move.source,
            target=move.target,
            lifted_us=times_us[0],
            contact_us=times_us[1],
            rest_us=times_us[2],
            is_flipped=flip,
            grip_mm=grip,
        )
        self.carries.append(carry)
        for pile in (move.source, move.target):
            self.busy_us[pile] = max(self.busy_us.get(pile, 0), player.path.end_us + 250_000)
        return carry

    def note(
        self,
        carry: Carry,
        kind: str,
        *,
        is_legal: bool = True,
        rule: str | None = None,
        contest: str | None = None,
        gap_us: int | None = None,
    ) -> None:
        """Write a carry down as a true action."""
        shown = carry.landed[0 if kind == "move" else -1].held
        self.actions.append(
            TrueAction(
                kind=kind,
                seat=carry.seat,
                card=shown.card if shown.face_up else None,
                count=len(carry.cards),
                source=carry.source,
                target=carry.target,
                lifted_us=carry.lifted_us,
                contact_us=carry.contact_us,
                rest_us=carry.rest_us,
                hand_gone_us=carry.rest_us,
                is_legal=is_legal,
                rule=rule,
                contest=contest,
                gap_us=gap_us,
                pose=carry.landed[-1].pose,
            )
        )

    # what players do

    def after_action(self, player: _Player) -> None:
        """Go home, or stay about for the next thing."""
        if self.rng.random() < 0.65:
            self.go_home(player)

    def play(self, player: _Player, move: Move) -> None:
        """Put a card where the rules let it."""
        card = self.game.top(move.source)
        to_foundation = move.target.kind is PileKind.FOUNDATION
        carry = self.carry(player, move)
        opens = card is not None and card.rank is Rank.ACE
        rule = ("N25" if opens else "N26") if to_foundation else None
        self.note(carry, "play" if to_foundation else "move", rule=rule)
        player.owes_flip |= move.source == reserve(player.seat)
        self.after_action(player)

    def flip_reserve(self, player: _Player) -> None:
        """Turn the next Nerts card (rule N24)."""
        player.owes_flip = False
        pile = reserve(player.seat)
        if self.game.piles[pile] and not self.game.piles[pile][-1].face_up:
            self.note(self.carry(player, Move(pile, pile), flip=True), "flip")
            self.after_action(player)

    def turn_stock(self, player: _Player, wanted: list[Card], *, hurry: bool = False) -> None:
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

    def take_back(self, player: _Player, carry: Carry, wait_us: int) -> None:
        """Carry a card back to where it lay."""
        self._stay(player, wait_us, wobble_mm=2.0)
        back = self.carry(player, Move(carry.target, carry.source), target_pose=carry.cards[-1].pose)
        self.note(back, "return")

    def play_wrong(self, player: _Player, move: Move) -> None:
        """Put a wrong card on a foundation; notice it a little later."""
        carry = self.carry(player, move)
        self.note(carry, "play", is_legal=False, rule="N26")
        self.go_home(player)
        self.take_back(player, carry, self._uniform_us(900, 2200))
        self.after_action(player)

    def wander(self, player: _Player) -> None:
        """Move a hand over some piles, or let it hover over one, and take it away again."""
        start_us = player.free_us + self._uniform_us(80, 700)
        stops = int(self.rng.integers(1, 3))
        own = [reserve(player.seat), waste(player.seat), *tableau(player.seat)]
        first_us = start_us
        for _ in range(stops):
            options = list(FOUNDATIONS) if self.rng.random() < 0.6 else own
            spot = self.layout.spots[options[int(self.rng.integers(len(options)))]]
            place = (
                spot.x_mm + float(self.rng.normal(0, 10)),
                spot.y_mm + float(self.rng.normal(0, 10)),
                float(self.rng.uniform(18, 60)),
            )
            span = self.travel_us(player, player.path.end_mm, place)
            self._go(
                player, place, max(start_us, player.path.end_us), span, hop=float(self.rng.uniform(5, 25))
            )
            if self.rng.random() < 0.5:
                self._stay(player, self._uniform_us(100, 900), wobble_mm=float(self.rng.uniform(2, 7)))
        middle_us = player.path.end_us
        self.go_home(player)
        self.actions.append(
            TrueAction(
                kind="pass", seat=player.seat, card=None, count=0, source=None, target=None,
                lifted_us=first_us, contact_us=middle_us, rest_us=player.path.end_us,
                hand_gone_us=player.path.end_us, is_legal=True, rule=None, contest=None, gap_us=None,
                pose=None,
            )
        )  # fmt: skip

    # races

    def _race_card(self) -> tuple[Card, PileId] | None:
        for card, pile in self.game.next_steps().items():
            reachable = all(
                card in self.game.exposed(seat).values() or self._can_bring_up(seat, card) for seat in SEATS
            )
            if reachable and card.rank < Rank.KING and self.is_free(pile, self.now_us):
                return card, pile
        return None

    def _can_bring_up(self, seat: Seat, card: Card) -> bool:
        if self.settings.story is Story.RACES:
            self.game.bury(seat, card)
        cards = self.game.piles[stock(seat)]
        return len(cards) >= TURNED_AT_ONCE and any(held.card == card for held in cards)

    @property
    def now_us(self) -> int:
        return min(player.free_us for player in self.players.values())

    def _next_gap_us(self) -> int:
        drawn = next(self.gaps_us, None)
        if drawn is not None:
            return drawn
        if self.settings.story is Story.RACES:
            return self._uniform_us(0, 250)
        if self.rng.random() < 0.35:
            return self._uniform_us(0, 15)
        return self._uniform_us(90, 250)

    def race(self) -> bool:
        """Let both seats go for the same step; whether there was one to go for."""
        found = self._race_card()
        if found is None:
            return False
        card, target = found
        for player in self.players.values():
            self._make_ready(player, card)
        gap_us = self._next_gap_us()
        first, second = (self.players[SEATS[int(i)]] for i in self.rng.permutation(2))
        moves = {p.seat: Move(self._pile_showing(p.seat, card), target) for p in (first, second)}
        efforts = {p.seat: self._race_effort(p, moves[p.seat]) for p in (first, second)}
        contact_us = max(
            first.free_us + efforts[first.seat].to_contact_us,
            second.free_us + efforts[second.seat].to_contact_us - gap_us,
        )
        self.contests += 1
        name = f"race-{self.contests}"
        carries = {}
        for player, touch_us, after_us in ((first, contact_us, 0), (second, contact_us + gap_us, gap_us)):
            lean = float(self.rng.uniform(4, 9)) * (1.0 if player.seat is Seat.SOUTH else -1.0)
            carries[player.seat] = self.carry(
                player, moves[player.seat], effort=efforts[player.seat], contact_us=touch_us, lean_mm=lean
            )
            is_late = after_us >= LOSER_SEES_IT_US
            self.note(
                carries[player.seat], "play", is_legal=not is_late, rule="N15" if is_late else "N26",
                contest=name, gap_us=after_us,
            )  # fmt: skip
        self._settle_race(first, second, carries[second.seat], gap_us)
        return True

    def _make_ready(self, player: _Player, card: Card) -> None:
        """Have the card that the race is for face up; in a passage of races in more than one way."""
        is_varied = self.settings.story is Story.RACES
        if is_varied and card not in self.game.exposed(player.seat).values() and self.rng.random() < 0.6:
            self.game.bring_up_reserve(player.seat, card)
        self.flip_reserve(player)
        if card not in self.game.exposed(player.seat).values():
            self.turn_stock(player, [card], hurry=not is_varied or self.rng.random() < 0.4)

    def _race_effort(self, player: _Player, move: Move) -> _Effort:
        start = self.poses[move.source][-1]
        spot = self.layout.spots[move.target]
        return self.effort(player, (start.x_mm, start.y_mm), (spot.x_mm, spot.y_mm), think_us=0)

    def _pile_showing(self, seat: Seat, card: Card) -> PileId:
        return next(pile for pile, shown in self.game.exposed(seat).items() if shown == card)

    def _settle_race(self, first: _Player, second: _Player, late: Carry, gap_us: int) -> None:
        first.owes_flip = self._is_face_down(reserve(first.seat))
        self.go_home(first)
        if gap_us < LOSER_SEES_IT_US:
            second.owes_flip = self._is_face_down(reserve(second.seat))
        else:
            self._stay(second, self._uniform_us(100, 400), wobble_mm=2.0)
            self.go_home(second)
            self.take_back(second, late, self._uniform_us(500, 1300))
        self.go_home(second)

    def _is_face_down(self, pile: PileId) -> bool:
        return bool(self.game.piles[pile]) and not self.game.piles[pile][-1].face_up

    # choosing

    def _free_moves(self, moves: list[Move], t_us: int) -> list[Move]:
        return [m for m in moves if self.is_free(m.source, t_us) and self.is_free(m.target, t_us)]

    def step(self, player: _Player) -> None:
        """Let a player do the next thing."""
        left_us = self.end_us - QUIET_END_US - player.free_us
        if left_us < _LONGEST_TURN_US:
            self.go_home(player)
            player.is_done = True
            return
        if player.owes_flip:
            self.flip_reserve(player)
            return
        dice, settings = self.rng.random(3), self.settings
        has_time = left_us > _LONGEST_STORY_US
        if settings.story is not Story.PLAY:
            self._clinic(player, has_time=has_time)
            return
        if has_time and dice[0] < settings.contested_share and self._others_are_near(player) and self.race():
            return
        if dice[1] < settings.pass_share:
            self.wander(player)
            return
        wrong = self._free_moves(self.game.wrong_moves(player.seat), player.free_us)
        if has_time and dice[2] < settings.illegal_share and wrong:
            self.play_wrong(player, self._choose(wrong))
            return
        self._play_on(player)

    def _clinic(self, player: _Player, *, has_time: bool) -> None:
        """Only pass; or start a race, or wait for the other seat; with nothing to race for, play on."""
        if self.settings.story is Story.PASSES:
            self.wander(player)
            return
        is_short = len(self.game.piles[stock(player.seat)]) < TURNED_AT_ONCE
        if has_time and is_short and self.is_free(waste(player.seat), player.free_us):
            self.turn_stock(player, [])
        elif has_time and not self._others_are_near(player):
            self._stay(player, 300_000)
        elif not (has_time and self.race()):
            self._play_on(player)

    def _play_on(self, player: _Player) -> None:
        foundation = self._free_moves(self.game.foundation_moves(player.seat), player.free_us)
        work = self._free_moves(self.game.work_moves(player.seat), player.free_us)
        if foundation and self.rng.random() < 0.9:
            self.play(player, self._choose(foundation))
        elif work and self.rng.random() < 0.6:
            self.play(player, self._choose(work))
        elif self.is_free(waste(player.seat), player.free_us):
            wanted = useful_cards(self.game) if self.rng.random() < 0.8 else []
            self.turn_stock(player, wanted)
        else:
            self._stay(player, 120_000)

    def _choose(self, moves: list[Move]) -> Move:
        return moves[int(self.rng.integers(len(moves)))]

    def _others_are_near(self, player: _Player) -> bool:
        others = [p for p in self.players.values() if p is not player]
        return all(not p.is_done and abs(p.free_us - player.free_us) < 1_500_000 for p in others)

    def has_enough(self) -> bool:
        """Whether the wanted number of foundation plays is made."""
        wanted = self.settings.plays
        return wanted is not None and sum(a.kind == "play" for a in self.actions) >= wanted

    def run(self) -> None:
        """Let the players act, always the one who is free first, until the time is over."""
        while waiting := [p for p in self.players.values() if not p.is_done]:
            if self.has_enough():
                break
            self.step(min(waiting, key=lambda p: (p.free_us, p.seat)))
        for player in self.players.values():
            self.go_home(player)


LOSER_SEES_IT_US: Final = 50_000
"""A player who comes so much later sees that the other was first, and takes the card back."""


def _fingertip(pose: Pose, grip: tuple[float, float], z_mm: float) -> tuple[float, float, float]:
    return pose.x_mm - grip[0], pose.y_mm - grip[1], z_mm


def _player(rng: np.random.Generator, seat: Seat, layout: Layout) -> _Player:
    width, height = layout.size_mm
    is_south = seat is Seat.SOUTH
    beyond = 1.0 if is_south else -1.0
    edge = height if is_south else 0.0
    hand_side = beyond * float(rng.choice([1.0, 1.0, -1.0]))
    shoulder_x = width / 2 + hand_side * float(rng.uniform(60, 190))
    home = (shoulder_x + float(rng.normal(0, 30)), edge + beyond * 130.0, 40.0)
    return _Player(
        seat=seat,
        path=HandPath(home),
        shoulder_mm=(shoulder_x, edge + beyond * float(rng.uniform(330, 480))),
        home_mm=home,
        tempo=float(rng.uniform(0.85, 1.25)),
    )


def plan_passage(rng: np.random.Generator, layout: Layout, settings: SimulationSettings) -> Passage:
    """Plan all that happens in one clip; the same for the same state of ``rng``.

    Some deals get stuck; of a few, the first is taken in which enough happens on the foundations.
    """
    tried = []
    for _ in range(_DEALS_TRIED):
        passage = _plan_once(rng, layout, settings)
        tried.append(passage)
        if settings.story is Story.PASSES or _count_plays(passage) >= _wanted_plays(passage, settings):
            return passage
    return max(tried, key=_count_plays)


_DEALS_TRIED: Final = 12
_US_PER_PLAY: Final = 5_000_000
"""A lively passage has a foundation play in so much time."""


def _count_plays(passage: Passage) -> int:
    return sum(action.kind == "play" for action in passage.actions)


def _wanted_plays(passage: Passage, settings: SimulationSettings) -> int:
    return settings.plays or passage.duration_us // _US_PER_PLAY


def _plan_once(rng: np.random.Generator, layout: Layout, settings: SimulationSettings) -> Passage:
    plays = int(rng.integers(10, 46)) if settings.warmup_plays is None else settings.warmup_plays
    game = played_on(rng, plays)
    seconds = settings.seconds or (LONGEST_US / 1e6 if settings.plays else 30.0)
    players = {seat: _player(rng, seat, layout) for seat in SEATS}
    planner = _Planner(
        rng=rng,
        layout=layout,
        settings=settings,
        game=game,
        poses={},
        players=players,
        end_us=int(seconds * 1e6),
        gaps_us=itertools.chain(settings.contested_gaps_us),
    )
    planner.poses = {
        pile: [
            planner.slot(pile, i, h.deck_of if pile in FOUNDATIONS else pile.seat)
            for i, h in enumerate(cards)
        ]
        for pile, cards in game.piles.items()
    }
    start = {
        pile: tuple(Placed(h, p) for h, p in zip(cards, planner.poses[pile], strict=True))
        for pile, cards in game.piles.items()
    }
    for player in players.values():
        rest = Motion(start_us=0, end_us=QUIET_START_US, start_mm=player.home_mm, end_mm=player.home_mm)
        player.path.add(rest)
    planner.run()
    duration_us = planner.end_us
    if settings.plays is not None:
        duration_us = min(duration_us, max(p.path.end_us for p in players.values()) + 1_500_000)
    return Passage(
        layout=layout,
        start=start,
        paths={seat: p.path for seat, p in players.items()},
        shoulders_mm={seat: p.shoulder_mm for seat, p in players.items()},
        carries=tuple(sorted(planner.carries, key=lambda c: c.contact_us)),
        actions=tuple(sorted(planner.actions, key=lambda a: a.contact_us)),
        duration_us=duration_us,
        final=game,
    )
