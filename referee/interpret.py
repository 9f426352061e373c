"""From observations to events: what was collected for one pile, and where each card came from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from referee.clock import Interval, TimingRules
from referee.events import CardMoved
from referee.observations import CardLanded, CardLifted, Observation, PileSeen, names_in
from referee.piles import PileId, Seat
from referee.sightings import CardsCarried, LandedBetween, PileLaid
from referee.tellings import Called

LIFTS_KEPT = 64
"""Cards in the air at once: more hands than eight players have."""
SHARE_MARGIN = 0.1
"""A card over two piles belongs to the one that it covers by so much more than the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileNews:
    """All that was collected for one pile while its window was open."""

    pile: PileId
    before: PileSeen | None
    """The last look from before the first card touched."""
    moves: tuple[CardMoved, ...]
    """In order of touch."""
    carried: tuple[CardsCarried, ...] = ()
    """Several cards at once, or cards slid under: in order of touch."""
    laid: PileLaid | None = None
    """The order of the cards at rest, if it was seen after they touched."""
    after: PileSeen | None
    """The last look with all cards at rest."""
    decided_us: int
    """When the window closed."""


@dataclass(frozen=True, slots=True)
class Told:
    """An observation that needs no window, when its time has come."""

    observation: Observation
    at_us: int


News = PileNews | Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Cards that were seen to touch a pile, to be shown at once and ruled on later (E7)."""

    pile: PileId
    landings: tuple[CardLanded, ...]
    decided_by_us: int


_Landing = CardLanded | CardsCarried


@dataclass(slots=True)
class _Window:
    """What has come in for one pile and is not yet told."""

    pile: PileId
    closes_us: int
    """When to tell it."""
    landings: list[CardLanded] = field(default_factory=list)
    carried: list[CardsCarried] = field(default_factory=list)
    laid: list[PileLaid] = field(default_factory=list)
    looks: list[PileSeen] = field(default_factory=list)

    @property
    def has_cards(self) -> bool:
        """Whether a card has come to the pile, not looks alone."""
        return len(self.landings) + len(self.carried) > 0

    @property
    def first_touch_us(self) -> int:
        """When the first card was surely there; when the window closes if none came."""
        return min((touch.end_us for touch in self.touches), default=self.closes_us)

    @property
    def touches(self) -> tuple[Interval, ...]:
        """When each card touched."""
        return (*(each.touch for each in self.landings), *(each.touch for each in self.carried))

    def take(self, observation: PileSeen | _Landing, closes_us: int) -> None:
        """Collect one observation; the first landing decides when the window closes, not a look before it."""
        if isinstance(observation, PileSeen):
            self.looks.append(observation)
            return
        if not self.has_cards:
            self.closes_us = closes_us
        if isinstance(observation, CardLanded):
            self.landings.append(observation)
        else:
            self.carried.append(observation)


class Interpreter:
    """Collects observations by pile until a window closes, then tells them as moves.

    What is told does not depend on the order of observations that became known at the same time.
    """

    def __init__(self, timing: TimingRules, place_of: Callable[[Seat | None], int]) -> None:
        self._timing = timing
        self._place_of = place_of
        self._windows: dict[PileId, _Window] = {}
        self._lifts: list[CardLifted] = []
        self._told: list[Told] = []

    def take(self, observation: Observation, *, told_us: int) -> None:
        """Collect one observation that was told at ``told_us``."""
        match observation:
            case CardLifted():
                self._lifts.append(observation)
            case PileSeen() | CardLanded() | CardsCarried():
                closes_us = told_us + self._timing.collection_us
                window = self._windows.setdefault(observation.pile, _Window(observation.pile, closes_us))
                window.take(observation, closes_us)
            case LandedBetween() if (landed := landing_of(observation)) is not None:
                self.take(landed, told_us=told_us)
            case _:
                self._told.append(Told(observation, told_us))

    def news_before(self, now_us: int) -> Iterator[News]:
        """All whose time ran out before ``now_us``, one by one in the order in which it ran out.

        Of one moment, cards come before what was told. What is still open (``pending``, ``lifts``) is at each
        item what was open at its time, however long after it is asked for.
        """
        while (item := self.next_before(now_us)) is not None:
            yield item

    def next_due_us(self, now_us: int | None) -> int | None:
        """When the next of them is due. None: nothing is, before ``now_us``."""
        times_us = [window.closes_us for window in self._windows.values()]
        times_us += [told.at_us for told in self._told]
        return min((us for us in times_us if now_us is None or us < now_us), default=None)

    def rest(self) -> Iterator[News]:
        """All that is still open, in the same order: the source has ended."""
        while (item := self.next_before(None)) is not None:
            yield item

    @property
    def pending(self) -> tuple[Pending, ...]:
        """The windows that are open on cards, in the order in which they close."""
        windows = sorted((w for w in self._windows.values() if w.has_cards), key=self._closing_order)
        return tuple(
            Pending(
                pile=window.pile,
                landings=tuple(sorted(window.landings, key=self._landing_order)),
                decided_by_us=window.closes_us,
            )
            for window in windows
        )

    @property
    def lifts(self) -> tuple[CardLifted, ...]:
        """Cards that left a pile and were not seen to land, in order of lift."""
        return tuple(sorted(self._lifts, key=_lift_order))

    def next_before(self, now_us: int | None) -> News | None:
        """The next of what is due before ``now_us``, or of all with None. None: there is no more."""
        windows = [w for w in self._windows.values() if now_us is None or w.closes_us < now_us]
        told = [each for each in self._told if now_us is None or each.at_us < now_us]
        window = min(windows, key=self._closing_order, default=None)
        first = min(told, key=self._telling_order, default=None)
        if window is not None and (first is None or window.closes_us <= first.at_us):
            self._drop_lifts_before(window.closes_us - self._timing.carry_us)
            del self._windows[window.pile]
            return self._news_of(window)
        if first is None:
            if now_us is not None:
                self._drop_lifts_before(now_us - self._timing.carry_us)
            return None
        self._told.remove(first)
        return self.next_before(now_us) if self._joins_window(first) else first

    def _joins_window(self, told: Told) -> bool:
        """Whether ``told`` is the order at rest of cards whose window is open; it is then kept there."""
        laid = told.observation
        if not isinstance(laid, PileLaid):
            return False
        window = self._windows.get(laid.pile)
        if window is None or not window.has_cards or laid.at.start_us < window.first_touch_us:
            return False
        window.laid.append(laid)
        return True

    def _telling_order(self, told: Told) -> tuple[object, ...]:
        is_call = isinstance(told.observation, Called)
        return (told.at_us, is_call, *self._named_order(told.observation))

    def _named_order(self, observation: Observation) -> tuple[object, ...]:
        """A total order that goes by places at the table, not by their names."""
        piles, seats = names_in(observation)
        places = tuple((self._place_of(pile.seat), pile.kind.value, pile.index) for pile in piles)
        owners = tuple(self._place_of(seat) for seat in seats)
        return (type(observation).__name__, owners, places, repr(observation))

    def _closing_order(self, window: _Window) -> tuple[int, int, int, str, int]:
        pile = window.pile
        place = self._place_of(pile.seat)
        return (window.closes_us, window.first_touch_us, place, pile.kind, pile.index)

    def _news_of(self, window: _Window) -> PileNews:
        landings = sorted(window.landings, key=self._landing_order)
        carried = sorted(window.carried, key=lambda each: (each.touch.end_us, *self._named_order(each)))
        looks = sorted(window.looks, key=_look_order)
        moves = tuple(self._moved(landed) for landed in landings)
        touches = [touch.end_us for touch in window.touches]
        laid = sorted(window.laid, key=lambda each: (each.at.end_us, *self._named_order(each)))
        before = [seen for seen in looks if touches and seen.seen.start_us < min(touches)]
        after = [seen for seen in looks if not touches or seen.seen.start_us >= max(touches)]
        return PileNews(
            pile=window.pile,
            before=before[-1] if before else None,
            moves=moves,
            carried=tuple(carried),
            laid=laid[-1] if laid else None,
            after=after[-1] if after else None,
            decided_us=window.closes_us,
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


def landing_of(between: LandedBetween) -> CardLanded | None:
    """The landing on the pile that the card covers most. None: none is covered, or two about alike."""
    shares = sorted(between.shares, key=lambda item: (-item.share, str(item.pile)))
    if not shares or (len(shares) > 1 and shares[0].share - shares[1].share < SHARE_MARGIN):
        return None
    return CardLanded(
        pile=shares[0].pile,
        card=between.card,
        touch=between.touch,
        settled_us=between.settled_us,
        seat=between.seat,
        seat_confidence=between.seat_confidence,
        source=between.source,
        confidence=between.confidence,
        resolution_us=between.resolution_us,
        evidence=between.evidence,
    )
