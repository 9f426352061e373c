"""Who was first among plays: the timing rules E1 to E5 applied to the plays of one match."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.clock import TouchOrder, margin_text, order_touches
from referee.events import CardMoved
from referee.setup import MatchSetup
from referee.sightings import PileLaid


@dataclass(frozen=True, slots=True)
class Races:
    """How plays of one match are compared."""

    setup: MatchSetup

    def surely_before(self, play: CardMoved, other: CardMoved) -> bool:
        """Whether ``play`` surely touched before ``other`` (E2)."""
        return play.touch.surely_before(other.touch, guard_us=self.guard_us((play, other)))

    def order(self, plays: Sequence[CardMoved]) -> TouchOrder:
        """Who of ``plays`` touched first (E2 to E4)."""
        return order_touches(
            [play.touch for play in plays],
            guard_us=self.guard_us(plays),
            w_max_us=self.setup.timing.w_max_for(self.frame_period_us(plays)),
            clock_grade=self.setup.clock_grade,
        )

    def is_rival(self, play: CardMoved, others: Sequence[CardMoved]) -> bool:
        """Whether ``play`` is of another hand than ``others`` and came soon after the first of them."""
        seats = {other.seat for other in others if other.seat is not None}
        first_us = min(other.touch.end_us for other in others)
        return play.seat not in seats and play.touch.start_us - first_us <= self.setup.timing.race_us

    def lowest(self, plays: Sequence[CardMoved], laid: PileLaid | None) -> int | None:
        """Whose card lies below the others at rest (E5), by position in ``plays``. None: not seen."""
        if laid is None:
            return None
        places = [self._place_in(play, laid) for play in plays]
        found = [place for place in places if place is not None]
        if len(found) < len(plays) or len(set(found)) < len(found):
            return None
        return places.index(min(found))

    def margin(self, first: CardMoved, later: CardMoved) -> str:
        """By how much ``first`` was first, as an interval (E9)."""
        return margin_text(first.touch, later.touch)

    def guard_us(self, plays: Sequence[CardMoved]) -> int:
        """The least gap that makes an order among ``plays``."""
        return self.setup.timing.guard_for(self.frame_period_us(plays))

    def frame_period_us(self, plays: Sequence[CardMoved]) -> int:
        """The coarsest among ``plays``: where frames were dropped a play says so by its resolution."""
        return max(self.setup.frame_period_us, *(2 * play.resolution_us for play in plays))

    def player_of(self, play: CardMoved) -> str:
        """Who made ``play``, as players say it."""
        return "a hand that was not recognised" if play.seat is None else self.setup.player_at(play.seat)

    def players_of(self, plays: Sequence[CardMoved]) -> str:
        """``Ana, Ben and Cy``."""
        names = [self.player_of(play) for play in plays]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def _place_in(self, play: CardMoved, laid: PileLaid) -> int | None:
        """Where the card of ``play`` lies. None: not seen, or it could be one of several."""
        deck = play.owner if play.seat is None else self.setup.deck_of(play.seat)
        same = [i for i, each in enumerate(laid.cards) if each.card is not None and each.card == play.card]
        owned = [i for i in same if laid.cards[i].owner is not None and laid.cards[i].owner is deck]
        unowned = [i for i in same if laid.cards[i].owner is None]
        best = owned or unowned
        return best[0] if len(best) == 1 else None
