"""Cards that come to a seat's own piles, and cards that are turned there (S6, S11, S14 to S16, S20)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from referee.cards import Card
from referee.events import CardMoved, Happened
from referee.messages import say
from referee.piles import PileId, PileKind
from referee.setup import MatchSetup
from referee.sightings import CardsCarried, Handling, PileHandled
from referee.spit import plays
from referee.spit.checks import Fault, breaks_layout, left_us, name_of
from referee.spit.table import SpitTable
from referee.verdicts import RuleId, Ruling, Verdict, ruled


@dataclass(slots=True)
class OwnPiles:
    """Judges what a seat does within its own layout."""

    setup: MatchSetup
    table: SpitTable
    _filled_from: set[PileId] = field(default_factory=set)
    """Stock piles from which a card has filled a place, and whose next was not turned yet."""

    def take(self, play: CardMoved, at_us: int) -> Verdict:
        """Rules S11, S15 and S20: a card came to an own pile from another."""
        if play.target.kind is PileKind.HAND:
            reason = say("stock_to_hand", card=name_of(play.card))
            return plays.refused(play, Fault(RuleId.S11, reason), at_us)
        fault = breaks_layout(play, play.source, self.table)
        if fault is not None:
            return plays.refused(play, fault, at_us)
        top = self.table.stock(play.target).top
        self._follow(play)
        key = "fills_slot" if top is None else "stacks_equal"
        reason = say(key, card=name_of(play.card), top=top)
        return ruled(play, Ruling.LEGAL, RuleId.S15, reason, kept=(0,), decided_us=at_us)

    def carry(self, carried: CardsCarried) -> Verdict:
        """Rule S10: several cards came to an own pile in one carry."""
        came = plays.carried_plays(carried)
        for play in came:
            self._follow(play)
        reason = say("one_card_at_a_time", player=plays.player_of(came[0], self.setup), count=len(came))
        return plays.carried_together(carried, came, reason, RuleId.S10, is_kept=True)

    def _follow(self, play: CardMoved) -> None:
        if play.source is not None and self.table.is_own_pile(play.source):
            self.table.take_from(play.source, left_us(play))
            self._filled_from.add(play.source)
        self.table.put_on(play.target, play.card, play.touch.end_us)

    def turn(self, handled: PileHandled, in_air: Iterable[tuple[PileId | None, Card | None]]) -> Verdict:
        """Rules S14 and S16: the next card of a stock pile is turned, once the one on it has left.

        ``in_air`` are cards that have left their piles and are not ruled on yet.
        """
        pile, seat = handled.pile, handled.seat if handled.seat is not None else handled.pile.seat
        assert seat is not None
        event, player = Happened(causes=(handled,), at=handled.touch), self.setup.player_at(seat)
        if pile.seat is not None and seat is not pile.seat:
            other = self.setup.player_at(pile.seat)
            reason = say("other_players_layout", player=player, other=other, card="a card", pile=pile)
            return ruled(event, Ruling.ILLEGAL, RuleId.S11, reason, seat=seat, pile=pile)
        if handled.handling is Handling.PEEKED or self._lies_on(pile, handled.cards, in_air):
            reason = say("peek", player=player, pile=pile)
            return ruled(event, Ruling.FLAG, RuleId.S14, reason, seat=seat, pile=pile)
        rule = RuleId.S16 if pile in self._filled_from else RuleId.S14
        self._filled_from.discard(pile)
        self.table.turn(pile, handled.cards[-1] if handled.cards else None, handled.touch.end_us)
        return ruled(event, Ruling.LEGAL, rule, say("turned_next", pile=pile), seat=seat, pile=pile)

    def _lies_on(
        self, pile: PileId, turned: Sequence[Card], in_air: Iterable[tuple[PileId | None, Card | None]]
    ) -> bool:
        """Whether a face-up card surely lies on top of ``pile`` still, other than the ``turned`` one."""
        top = self.table.stock(pile).top
        return (
            top is not None
            and top not in turned
            and not any(source == pile or card == top for source, card in in_air)
        )

    def look_through(self, handled: PileHandled) -> Verdict:
        """Rule S6: nobody looks at the spit cards."""
        seat = handled.pile.seat if handled.seat is None else handled.seat
        assert seat is not None
        reason = say("spit_cards_seen", player=self.setup.player_at(seat))
        event = Happened(causes=(handled,), at=handled.touch)
        return ruled(event, Ruling.FLAG, RuleId.S6, reason, seat=seat, pile=handled.pile)
