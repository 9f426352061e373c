"""What players of any game do with their hands: reach, grip, carry, pass over piles, and take back."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np

from datasets.simulator.cards_on_table import CardsOnTable, Held, Move, turned_over
from datasets.simulator.layout import SIDES, Layout
from datasets.simulator.motion import HandPath, Motion
from datasets.simulator.passage import CARD_THICKNESS_MM, Carry, Passage, Placed, Pose, TrueAction
from datasets.simulator.settings import SimulationSettings
from referee.piles import PileId, Seat

QUIET_START_US: Final = 900_000
"""Nothing moves at first, so that a reader sees the table at rest."""
QUIET_END_US: Final = 900_000
LONGEST_STORY_US: Final = 9_000_000
"""No race or foul with its taking back starts later than this before the end; it would be cut off."""
LOSER_SEES_IT_US: Final = 50_000
"""A player who comes so much later sees that the other was first, and takes the card back."""
_LONGEST_TURN_US: Final = 3_400_000
"""The same for any other action."""
_NEAR_US: Final = 1_500_000
"""Two players race whose last actions end no further apart."""
_AFTER_LAST_PLAY_US: Final = 1_500_000


@dataclass(slots=True)
class Player:
    """A seat, its hand and its temper."""

    seat: Seat
    path: HandPath
    shoulder_mm: tuple[float, float]
    home_mm: tuple[float, float, float]
    tempo: float
    owes_flip: bool = False
    is_done: bool = False

    @property
    def free_us(self) -> int:
        """When the hand has done all that is planned."""
        return self.path.end_us

    @classmethod
    def random(
        cls, rng: np.random.Generator, seat: Seat, size_mm: tuple[float, float], pace: float = 1.0
    ) -> Self:
        """Somebody at the side of a table; every move takes ``pace`` times as long as is usual."""
        side = SIDES[seat]
        hand = side.right * float(rng.choice([1.0, 1.0, -1.0]))
        aside = hand * float(rng.uniform(60, 190))
        near = side.beyond(size_mm, aside, 130.0)
        off = float(rng.normal(0, 30))
        home = (near[0] + side.across[0] * off, near[1] + side.across[1] * off, 40.0)
        shoulder = side.beyond(size_mm, aside, float(rng.uniform(330, 480)))
        return cls(
            seat=seat,
            path=HandPath(home),
            shoulder_mm=shoulder,
            home_mm=home,
            tempo=pace * float(rng.uniform(0.85, 1.25)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """The durations of one reach, grip and carry, drawn before its start is known."""

    think_us: int
    reach_us: int
    grip_us: int
    carry_us: int
    slide_us: int
    dwell_us: int

    @property
    def to_contact_us(self) -> int:
        """From the start of the reach to the touch."""
        return self.reach_us + self.grip_us + self.carry_us


@dataclass(slots=True, kw_only=True)
class Planner(ABC):
    """Lets the players of one game act, each by itself, on the cards that lie there."""

    rng: np.random.Generator
    layout: Layout
    settings: SimulationSettings
    game: CardsOnTable
    players: dict[Seat, Player]
    end_us: int
    gaps_us: Iterator[int]
    """True gaps that were asked for, and are still to come."""
    start: dict[PileId, tuple[Placed, ...]] = field(default_factory=dict)
    poses: dict[PileId, list[Pose]] = field(default_factory=dict)
    busy_us: dict[PileId, int] = field(default_factory=dict)
    carries: list[Carry] = field(default_factory=list)
    actions: list[TrueAction] = field(default_factory=list)
    contests: int = 0
    think_ms: tuple[float, float] = (80, 800)
    """Before a player reaches for the next card."""

    # what a game says

    @property
    @abstractmethod
    def common_piles(self) -> tuple[PileId, ...]:
        """The piles that all play to."""

    @abstractmethod
    def own_piles(self, seat: Seat) -> tuple[PileId, ...]:
        """The piles that a seat's hand has business on."""

    @abstractmethod
    def facing(self, pile: PileId, held: Held) -> Seat | None:
        """Who put a card down that lies there from the start. None: it lies as its pile does."""

    @abstractmethod
    def act(self, player: Player, left_us: int) -> None:
        """Let a player do the next thing; ``left_us`` until all must be over."""

    # where things lie

    def slot(self, pile: PileId, index: int, seat: Seat | None) -> Pose:
        """Where the next card would be put down, with a hand's inaccuracy."""
        spot = self.layout.spots[pile]
        turn = spot.turn_deg if seat is None else SIDES[seat].turn_deg
        spread, twist = (1.1, 1.6) if spot.is_fan else (2.4, 3.4)
        dx, dy = np.clip(self.rng.normal(0, spread, 2), -2.4 * spread, 2.4 * spread)
        turn += float(np.clip(self.rng.normal(0, twist), -9, 9))
        fan_x, fan_y = spot.fan_mm
        return Pose(spot.x_mm + float(dx) + fan_x * index, spot.y_mm + float(dy) + fan_y * index, turn)

    def height_mm(self, pile: PileId) -> float:
        """Of the pile's top card over the table."""
        count = len(self.game.piles[pile])
        return CARD_THICKNESS_MM * (1 if self.layout.spots[pile].is_fan else count)

    def is_free(self, pile: PileId, t_us: int) -> bool:
        """Whether no hand is at the pile by the time at which one comes that sets out at ``t_us``."""
        return self.busy_us.get(pile, 0) <= t_us + 250_000

    # time that things take

    def uniform_us(self, low_ms: float, high_ms: float) -> int:
        """Some time between two numbers of milliseconds."""
        return int(self.rng.uniform(low_ms, high_ms) * 1000)

    def travel_us(self, player: Player, a: tuple[float, ...], b: tuple[float, ...]) -> int:
        """Time for a way at human speed: 0.2 s, and a second more for each 1.2 m."""
        distance = float(np.hypot(b[0] - a[0], b[1] - a[1]))
        return int((190 + distance / 1.2) * player.tempo * self.rng.uniform(0.85, 1.2) * 1000)

    def effort(
        self,
        player: Player,
        start: tuple[float, ...],
        end: tuple[float, ...],
        *,
        think_us: int | None = None,
    ) -> Effort:
        """What it takes to bring a card from one place to another."""
        return Effort(
            think_us=self.uniform_us(*self.think_ms) if think_us is None else think_us,
            reach_us=self.travel_us(player, player.path.end_mm, start),
            grip_us=self.uniform_us(50, 140),
            carry_us=max(220_000, self.travel_us(player, start, end)),
            slide_us=self.uniform_us(15, 40),
            dwell_us=self.uniform_us(60, 250),
        )

    # moving hands

    def go(
        self, player: Player, end: tuple[float, float, float], start_us: int, span_us: int, hop: float
    ) -> None:
        """Move a hand with nothing in it."""
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

    def stay(self, player: Player, span_us: int, wobble_mm: float = 0.0) -> None:
        """Let a hand rest where it is, or nearly."""
        here = player.path.end_mm
        start = player.path.end_us
        player.path.add(
            Motion(start_us=start, end_us=start + span_us, start_mm=here, end_mm=here, wobble_mm=wobble_mm)
        )

    def go_home(self, player: Player) -> None:
        """Take a hand off the table."""
        if player.path.end_mm != player.home_mm:
            span = self.travel_us(player, player.path.end_mm, player.home_mm)
            self.go(player, player.home_mm, player.path.end_us, span, hop=float(self.rng.uniform(15, 40)))

    # carrying cards

    def carry(
        self,
        player: Player,
        move: Move,
        *,
        flip: bool = False,
        effort: Effort | None = None,
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
        out_x, out_y = SIDES[player.seat].out
        landing = [
            replace(pose, x_mm=pose.x_mm + lean_mm * out_x, y_mm=pose.y_mm + lean_mm * out_y)
            for pose in landing
        ]
        start = _fingertip(source_poses[-1], grip, self.height_mm(move.source))
        end_height = self.height_mm(move.target) + (0.0 if move.source == move.target else CARD_THICKNESS_MM)
        end = _fingertip(landing[-1], grip, end_height)
        effort = effort or self.effort(player, start, end)
        begin_us = player.free_us + effort.think_us
        if contact_us is not None:
            begin_us = contact_us - effort.to_contact_us
        self.go(player, start, begin_us, effort.reach_us, hop=float(self.rng.uniform(12, 35)))
        self.stay(player, effort.grip_us)
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
        self.stay(player, effort.dwell_us)
        times_us = (lifted_us, touch_us, touch_us + effort.slide_us)
        return self._move_cards(player, move, landing, flip=flip, times_us=times_us, grip=grip)

    def grip(self, seat: Seat) -> tuple[float, float]:
        """From the fingertip to the card's centre: people hold the half of a card that is nearer to them."""
        side = SIDES[seat]
        aside, towards = float(self.rng.normal(0, 4)), float(self.rng.uniform(12, 24))
        return (
            aside * side.across[0] - towards * side.out[0],
            aside * side.across[1] - towards * side.out[1],
        )

    def _move_cards(
        self,
        player: Player,
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

    def after_action(self, player: Player) -> None:
        """Go home, or stay about for the next thing."""
        if self.rng.random() < 0.65:
            self.go_home(player)

    def take_back(self, player: Player, carry: Carry, wait_us: int) -> None:
        """Carry a card back to where it lay."""
        self.stay(player, wait_us, wobble_mm=2.0)
        back = self.carry(player, Move(carry.target, carry.source), target_pose=carry.cards[-1].pose)
        self.note(back, "return")

    def play_wrong(self, player: Player, move: Move, rule: str) -> None:
        """Put a wrong card on a common pile; notice it a little later."""
        carry = self.carry(player, move)
        self.note(carry, "play", is_legal=False, rule=rule)
        self.go_home(player)
        self.take_back(player, carry, self.uniform_us(900, 2200))
        self.after_action(player)

    def wander(self, player: Player) -> None:
        """Move a hand over some piles, or let it hover over one, and take it away again."""
        start_us = player.free_us + self.uniform_us(80, 700)
        stops = int(self.rng.integers(1, 3))
        own = self.own_piles(player.seat)
        first_us = start_us
        for _ in range(stops):
            options = self.common_piles if self.rng.random() < 0.6 else own
            spot = self.layout.spots[options[int(self.rng.integers(len(options)))]]
            place = (
                spot.x_mm + float(self.rng.normal(0, 10)),
                spot.y_mm + float(self.rng.normal(0, 10)),
                float(self.rng.uniform(18, 60)),
            )
            span = self.travel_us(player, player.path.end_mm, place)
            self.go(
                player, place, max(start_us, player.path.end_us), span, hop=float(self.rng.uniform(5, 25))
            )
            if self.rng.random() < 0.5:
                self.stay(player, self.uniform_us(100, 900), wobble_mm=float(self.rng.uniform(2, 7)))
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

    # two at once

    def has_rival(self, player: Player) -> bool:
        """Whether another is free at about the same time."""
        return any(self._is_near(p, player) for p in self.players.values() if p is not player)

    def rivals(self, player: Player) -> tuple[Player, Player] | None:
        """``player`` and another who is free at about the same time, in the order of their seats."""
        others = [p for p in self.players.values() if p is not player and self._is_near(p, player)]
        if not others:
            return None
        other = others[0] if len(others) == 1 else others[int(self.rng.integers(len(others)))]
        first, second = (p for p in self.players.values() if p is player or p is other)
        return first, second

    @staticmethod
    def _is_near(one: Player, other: Player) -> bool:
        return not one.is_done and abs(one.free_us - other.free_us) < _NEAR_US

    def contested(
        self, pair: tuple[Player, Player], moves: dict[Seat, Move], gap_us: int
    ) -> tuple[str, list[tuple[Player, Carry, int]]]:
        """Let both bring their cards, the second so much later; the race's name, and each one's carry."""
        first, second = (pair[int(i)] for i in self.rng.permutation(2))
        efforts = {p.seat: self.effort_of(p, moves[p.seat]) for p in (first, second)}
        contact_us = max(
            first.free_us + efforts[first.seat].to_contact_us,
            second.free_us + efforts[second.seat].to_contact_us - gap_us,
        )
        self.contests += 1
        carries = []
        for player, after_us in ((first, 0), (second, gap_us)):
            lean = float(self.rng.uniform(4, 9))
            carry = self.carry(
                player,
                moves[player.seat],
                effort=efforts[player.seat],
                contact_us=contact_us + after_us,
                lean_mm=lean,
            )
            carries.append((player, carry, after_us))
        return f"race-{self.contests}", carries

    def effort_of(self, player: Player, move: Move) -> Effort:
        """What a move takes that is not thought about."""
        start = self.poses[move.source][-1]
        spot = self.layout.spots[move.target]
        return self.effort(player, (start.x_mm, start.y_mm), (spot.x_mm, spot.y_mm), think_us=0)

    # choosing

    def free_moves(self, moves: list[Move], t_us: int) -> list[Move]:
        """Those between piles that nobody is at."""
        return [m for m in moves if self.is_free(m.source, t_us) and self.is_free(m.target, t_us)]

    def choose(self, moves: list[Move]) -> Move:
        """One of them."""
        return moves[int(self.rng.integers(len(moves)))]

    # from the beginning to the end

    def begin(self) -> None:
        """Lay out the cards, and let every hand rest at first."""
        self.poses = {
            pile: [self.slot(pile, i, self.facing(pile, held)) for i, held in enumerate(cards)]
            for pile, cards in self.game.piles.items()
        }
        for player in self.players.values():
            rest = Motion(start_us=0, end_us=QUIET_START_US, start_mm=player.home_mm, end_mm=player.home_mm)
            player.path.add(rest)
        self.start = {
            pile: tuple(Placed(held, pose) for held, pose in zip(cards, self.poses[pile], strict=True))
            for pile, cards in self.game.piles.items()
        }

    def has_enough(self) -> bool:
        """Whether the wanted number of plays on common piles is made."""
        wanted = self.settings.plays
        return wanted is not None and sum(a.kind == "play" for a in self.actions) >= wanted

    def run(self) -> Passage:
        """Let the players act, always the one who is free first, until the time is over."""
        self.begin()
        while waiting := [p for p in self.players.values() if not p.is_done]:
            if self.has_enough():
                break
            self.step(min(waiting, key=lambda p: (p.free_us, p.seat)))
        for player in self.players.values():
            self.go_home(player)
        duration_us = self.end_us
        if self.settings.plays is not None:
            last_us = max(p.path.end_us for p in self.players.values())
            duration_us = min(duration_us, last_us + _AFTER_LAST_PLAY_US)
        return Passage(
            layout=self.layout,
            start=self.start,
            paths={seat: p.path for seat, p in self.players.items()},
            shoulders_mm={seat: p.shoulder_mm for seat, p in self.players.items()},
            carries=tuple(sorted(self.carries, key=lambda c: c.contact_us)),
            actions=tuple(sorted(self.actions, key=lambda a: a.contact_us)),
            duration_us=duration_us,
            final=self.game,
        )

    def step(self, player: Player) -> None:
        """Let a player do the next thing, or stop where it would be cut off."""
        left_us = self.end_us - QUIET_END_US - player.free_us
        if left_us < _LONGEST_TURN_US:
            self.go_home(player)
            player.is_done = True
            return
        self.act(player, left_us)


def _fingertip(pose: Pose, grip: tuple[float, float], z_mm: float) -> tuple[float, float, float]:
    return pose.x_mm - grip[0], pose.y_mm - grip[1], z_mm
