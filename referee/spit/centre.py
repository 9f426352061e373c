"""The shared piles of Spit and its sisters: what lies there, and races that wait for how the cards lie."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from referee.cards import Card
from referee.events import CardMoved
from referee.piles import PileId, Seat
from referee.setup import MatchSetup
from referee.sightings import LaidCard, PileLaid
from referee.spit.race import Decision, Race, RaceRules, SharedPile

REST_WAIT_US = 1_000_000
"""How long a race that the touches do not separate waits for how the cards lie at rest, in microseconds: a
verdict is final within a second."""


@dataclass(frozen=True, slots=True)
class _Held:
    """Plays on one pile that wait for how the cards lie."""

    plays: tuple[CardMoved, ...]
    until_us: int


def touch_order(play: CardMoved) -> tuple[int, int, int]:
    """By touch; where that is equal lower ranks first."""
    rank = -1 if play.card is None else play.card.rank
    return (play.touch.end_us, play.touch.start_us, rank)


def top_of(laid: PileLaid) -> Card | None:
    """What lies face up on top of ``laid``: of a joker, what it stands for. None: nothing, or not legible."""
    last = laid.cards[-1] if laid.cards else None
    return None if last is None else last.stands_for or last.card


def count_of(laid: PileLaid) -> int | None:
    """How many cards ``laid`` holds. None: what lies below is not known."""
    return laid.down + len(laid.cards) if laid.below_known and laid.down is not None else None


@dataclass(slots=True)
class Centre:
    """All shared piles. ``is_barred`` and ``tops_after`` are those of ``RaceRules``, for this game."""

    setup: MatchSetup
    is_barred: Callable[[CardMoved], bool]
    tops_after: Callable[[CardMoved, tuple[Card, ...]], tuple[Card, ...]]
    needs_face: bool = True
    """Whether it takes a card's face to know that it fits."""
    piles: dict[PileId, SharedPile] = field(default_factory=dict)
    _held: dict[PileId, _Held] = field(default_factory=dict)
    _at_rest: dict[PileId, PileLaid] = field(default_factory=dict)

    def pile(self, pile: PileId) -> SharedPile:
        """The pile ``pile``: not known until something is seen of it."""
        return self.piles.get(pile, SharedPile())

    @property
    def tops(self) -> tuple[Card | None, ...]:
        """What lies on top of each pile that is known of."""
        return tuple(self.piles[pile].top for pile in sorted(self.piles, key=str))

    @property
    def has_begun(self) -> bool:
        """Whether a card lies on any shared pile."""
        return any(shared.tops or shared.count or shared.steps for shared in self.piles.values())

    @property
    def waiting(self) -> tuple[CardMoved, ...]:
        """Plays that wait for how the cards lie."""
        return tuple(play for held in self._held.values() for play in held.plays)

    def is_owed(self, seat: Seat) -> bool:
        """Whether a card of ``seat`` is still to go back from a shared pile."""
        return any(play.seat is seat for shared in self.piles.values() for play in shared.to_return)

    def come(
        self, pile: PileId, plays: Iterable[CardMoved], laid: PileLaid | None, at_us: int
    ) -> tuple[Decision, ...]:
        """Judge ``plays`` that came to ``pile``, with those that wait there, at ``at_us``."""
        if laid is not None:
            self._at_rest[pile] = laid
        held = self._held.pop(pile, None)
        together = (*(held.plays if held is not None else ()), *plays)
        until_us = at_us + REST_WAIT_US if held is None else held.until_us
        return self._judge(pile, together, until_us, is_final=False)

    def lie(self, laid: PileLaid) -> tuple[Decision, ...]:
        """Take in how the cards of a pile lie at rest; decides the race that waits for it."""
        self._at_rest[laid.pile] = laid
        held = self._held.pop(laid.pile, None)
        return () if held is None else self._judge(laid.pile, held.plays, held.until_us, is_final=False)

    def is_waiting(self, pile: PileId) -> bool:
        """Whether a race on ``pile`` waits for how the cards lie."""
        return pile in self._held

    @property
    def next_lapse_us(self) -> int | None:
        """When the next race has waited long enough. None: none waits."""
        return min((held.until_us for held in self._held.values()), default=None)

    def lapse(self, at_us: int) -> tuple[Decision, ...]:
        """Decide the races that have waited until ``at_us``, without more evidence."""
        decisions: tuple[Decision, ...] = ()
        for pile in sorted(self._held, key=str):
            if self._held[pile].until_us <= at_us:
                held = self._held.pop(pile)
                decisions += self._judge(pile, held.plays, held.until_us, is_final=True)
        return decisions

    def _judge(
        self, pile: PileId, plays: tuple[CardMoved, ...], until_us: int, *, is_final: bool
    ) -> tuple[Decision, ...]:
        ordered = tuple(sorted(plays, key=touch_order))
        race = Race(self._rules(ordered), self.pile(pile), self._laid_on(pile, ordered))
        waiting = race.judge(ordered, is_final=is_final)
        self.piles[pile] = race.pile
        if waiting:
            self._held[pile] = _Held(waiting, until_us)
        return tuple(race.decisions)

    def _laid_on(self, pile: PileId, plays: tuple[CardMoved, ...]) -> tuple[LaidCard, ...]:
        """How the cards were seen to lie after all of ``plays`` had touched."""
        laid = self._at_rest.get(pile)
        latest_us = max((play.touch.end_us for play in plays), default=0)
        return laid.cards if laid is not None and laid.at.end_us >= latest_us else ()

    def _rules(self, plays: tuple[CardMoved, ...]) -> RaceRules:
        frame_us = max((self.setup.frame_period_us, *(2 * play.resolution_us for play in plays)))
        timing = self.setup.timing
        return RaceRules(
            tops_after=self.tops_after,
            is_barred=self.is_barred,
            needs_face=self.needs_face,
            guard_us=timing.guard_for(frame_us),
            w_max_us=timing.w_max_for(frame_us),
            race_us=timing.race_us,
            clock_grade=self.setup.clock_grade,
        )
