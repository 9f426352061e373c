"""From observations to events: what was collected for one pile, and where each card came from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from referee.clock import TimingRules
from referee.events import CardMoved
from referee.observations import CardLanded, CardLifted, PileSeen
from referee.piles import PileId, Seat

LIFTS_KEPT = 64
"""Cards in the air at once: more hands than eight players have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileNews:
    """All that was collected for one pile while its window was open."""

    pile: PileId
    before: PileSeen | None
    """The last look from before the first card touched."""
    moves: tuple[CardMoved, ...]
    """In order of touch."""
    after: PileSeen | None
    """The last look with all cards at rest."""


@dataclass(slots=True)
class _Window:
    """What has come in for one pile and is not yet told."""

    pile: PileId
    closes_us: int
    """When to tell it."""
    landings: list[CardLanded] = field(default_factory=list)
    looks: list[PileSeen] = field(default_factory=list)

    def take(self, observation: PileSeen | CardLanded, closes_us: int) -> None:
        """Collect one observation; the first landing decides when the window closes, not a look before it."""
        if isinstance(observation, PileSeen):
            self.looks.append(observation)
            return
        if not self.landings:
            self.closes_us = closes_us
        self.landings.append(observation)


class Interpreter:
    """Collects observations by pile until a window closes, then tells them as moves.

    What is told does not depend on the order of observations that became known at the same time.
    """

    def __init__(self, timing: TimingRules, place_of: Callable[[Seat | None], int]) -> None:
        self._timing = timing
        self._place_of = place_of
        self._windows: dict[PileId, _Window] = {}
        self._lifts: list[CardLifted] = []

    def take(self, observation: PileSeen | CardLanded | CardLifted, *, told_us: int) -> None:
        """Collect one observation that was told at ``told_us``."""
        if isinstance(observation, CardLifted):
            self._lifts.append(observation)
            return
        closes_us = told_us + self._timing.collection_us
        window = self._windows.setdefault(observation.pile, _Window(observation.pile, closes_us))
        window.take(observation, closes_us)

    def news_before(self, now_us: int) -> tuple[PileNews, ...]:
        """Close every window whose time ran out before ``now_us``, in the order in which they ran out."""
        news = self._close([window for window in self._windows.values() if window.closes_us < now_us])
        self._drop_lifts_before(now_us - self._timing.carry_us)
        return news

    def rest(self) -> tuple[PileNews, ...]:
        """Close every window: the source has ended."""
        return self._close(list(self._windows.values()))

    def _close(self, windows: Sequence[_Window]) -> tuple[PileNews, ...]:
        due = sorted(windows, key=self._closing_order)
        for window in due:
            del self._windows[window.pile]
        return tuple(self._told(window) for window in due)

    def _closing_order(self, window: _Window) -> tuple[int, int, int, str, int]:
        pile = window.pile
        first_us = min((landed.touch.end_us for landed in window.landings), default=window.closes_us)
        return (window.closes_us, first_us, self._place_of(pile.seat), pile.kind, pile.index)

    def _told(self, window: _Window) -> PileNews:
        landings = sorted(window.landings, key=self._landing_order)
        looks = sorted(window.looks, key=_look_order)
        moves = tuple(self._moved(landed) for landed in landings)
        if not landings:
            return PileNews(pile=window.pile, before=None, moves=moves, after=looks[-1])
        first_us = landings[0].touch.end_us
        before = [seen for seen in looks if seen.seen.start_us < first_us]
        after = [seen for seen in looks if seen.seen.start_us >= landings[-1].touch.end_us]
        return PileNews(
            pile=window.pile,
            before=before[-1] if before else None,
            moves=moves,
            after=after[-1] if after else None,
        )

    def _landing_order(self, landed: CardLanded) -> tuple[int, int, int, int, str]:
        """By touch; where that is equal, lower ranks first; then as the seats are listed."""
        touch, card = landed.touch, landed.card
        rank = -1 if card is None else card.rank
        return (touch.end_us, touch.start_us, rank, self._place_of(landed.seat), _tail_order(landed))

    def _moved(self, landed: CardLanded) -> CardMoved:
        lift = self._lift_of(landed)
        if lift is not None:
            self._lifts.remove(lift)
        source = landed.source if landed.source is not None or lift is None else lift.pile
        return CardMoved(
            seat=landed.seat,
            seat_confidence=landed.seat_confidence,
            card=landed.card,
            source=source,
            lifted_card=None if lift is None else lift.card,
            lifted=None if lift is None else lift.lifted,
            target=landed.pile,
            touch=landed.touch,
            settled_us=landed.settled_us,
            confidence=landed.confidence,
            resolution_us=landed.resolution_us,
            evidence=(landed.evidence,) if lift is None else (lift.evidence, landed.evidence),
        )

    def _lift_of(self, landed: CardLanded) -> CardLifted | None:
        """The lift that this landing ends. None: not seen, or several could be it."""
        could_be = [lift for lift in self._lifts if _can_end(lift, landed)]
        if landed.source is not None:
            named = [lift for lift in could_be if lift.pile == landed.source]
            return max(named, key=_lift_order, default=None)
        same_card = [lift for lift in could_be if lift.card is not None and lift.card == landed.card]
        same_hand = [
            lift for lift in same_card or could_be if lift.seat is not None and lift.seat == landed.seat
        ]
        best = same_hand or same_card
        return best[0] if len({lift.pile for lift in best}) == 1 else None

    def _drop_lifts_before(self, oldest_us: int) -> None:
        kept = [lift for lift in self._lifts if lift.lifted.end_us >= oldest_us]
        self._lifts = sorted(kept, key=_lift_order)[-LIFTS_KEPT:]


def _can_end(lift: CardLifted, landed: CardLanded) -> bool:
    """Whether nothing speaks against ``landed`` being the card of ``lift``."""
    agrees_card = lift.card is None or landed.card is None or lift.card == landed.card
    agrees_seat = lift.seat is None or landed.seat is None or lift.seat == landed.seat
    is_in_time = lift.lifted.start_us <= landed.touch.end_us
    return agrees_card and agrees_seat and is_in_time and lift.pile != landed.pile


def _lift_order(lift: CardLifted) -> tuple[int, int, str, str]:
    return (lift.lifted.end_us, lift.lifted.start_us, str(lift.pile), str(lift.card))


def _look_order(seen: PileSeen) -> tuple[int, int, float, str]:
    return (seen.seen.end_us, seen.seen.start_us, seen.confidence, str(seen.top))


def _tail_order(landed: CardLanded) -> str:
    """Anything that tells two landings apart, so that the order is total."""
    return f"{landed.card} {landed.settled_us} {landed.confidence} {landed.source} {landed.evidence}"
