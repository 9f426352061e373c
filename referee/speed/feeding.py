"""How the centre of Speed is fed: cards turned together, side piles, and what is said before (as S7, S21)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved, Happened
from referee.messages import Reason, say
from referee.observations import Observation
from referee.piles import PileId, Seat
from referee.speed.table import SpeedTable
from referee.spit.centre import Centre
from referee.spit.plays import names_of
from referee.spit.race import SharedPile
from referee.spit.spits import gap_text
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled


@dataclass(frozen=True, slots=True)
class Fed:
    """One card that was turned onto a centre pile."""

    seat: Seat | None
    source: PileId
    pile: PileId | None
    card: Card | None
    touch: Interval
    causes: tuple[Observation, ...] = ()
    plays: tuple[CardMoved, ...] = ()


@dataclass(slots=True)
class Feeding:
    """Judges cards that are turned onto the centre."""

    table: SpeedTable
    centre: Centre
    is_called: bool = False
    """Whether all have said that they cannot play."""
    _open: list[Fed] = field(default_factory=list)
    _playable: tuple[Seat, Card] | None = None
    _until_us: int | None = None

    @property
    def next_lapse_us(self) -> int | None:
        """When cards that were turned are looked at without the others."""
        return self._until_us

    def take(self, fed: Fed) -> tuple[Verdict, ...]:
        """Take in one turned card; the verdict comes when both have turned one."""
        if not self._open:
            self._playable = self.table.playable(self.centre.tops) if self.centre.has_begun else None
            sync_us = self.table.rules.spit_sync_ms * 1000
            self._until_us = fed.touch.end_us + sync_us + self.table.setup.timing.collection_us
        self._open.append(fed)
        self._lay(fed)
        return self.rest() if len(self._open) >= len(self.table.seats) else ()

    def lapse(self) -> tuple[Verdict, ...]:
        """The others have not turned in time; they may yet."""
        self._until_us = None
        return self.rest() if self._playable is not None else ()

    def rest(self) -> tuple[Verdict, ...]:
        """Rule on the cards that were turned, as far as they came."""
        if not self._open:
            return ()
        turned, self._open, self._until_us, self.is_called = self._open, [], None, False
        return (self._ruled(turned),)

    def _lay(self, fed: Fed) -> None:
        self.table.add(fed.source, -1)
        if fed.pile is None:
            return
        shared = self.centre.pile(fed.pile)
        count = 1 if shared == SharedPile() else None if shared.count is None else shared.count + 1
        tops = () if fed.card is None else (fed.card,)
        self.centre.piles[fed.pile] = SharedPile(tops=tops, count=count, to_return=shared.to_return)

    def _ruled(self, turned: Sequence[Fed]) -> Verdict:
        event = _happened(turned)
        if self._playable is not None:
            return _premature(event, self._playable, self.table)
        ordered = sorted(turned, key=lambda fed: (fed.touch.end_us, fed.touch.start_us))
        first, last = ordered[0], ordered[-1]
        if len(turned) < len(self.table.seats):
            others = [seat for seat in self.table.seats if seat is not first.seat]
            other = names_of(others, self.table.setup)
            reason = say("spit_not_simultaneous.missing", player=self._name(first), other=other)
            return ruled(event, Ruling.FLAG, RuleId.C_SPEED, reason)
        if last.touch.start_us - first.touch.end_us > self.table.rules.spit_sync_ms * 1000:
            margin = gap_text(first.touch, last.touch)
            facts = {"player": self._name(last), "other": self._name(first), "margin": margin}
            return ruled(event, Ruling.FLAG, RuleId.C_SPEED, say("spit_not_simultaneous", **facts))
        return ruled(event, Ruling.LEGAL, RuleId.C_SPEED, say("side_turned"), outcome=Outcome.SPIT_OK)

    def _name(self, fed: Fed) -> str:
        return "a hand" if fed.seat is None else self.table.setup.player_at(fed.seat)

    # -- calls ----------------------------------------------------------------------------------------------

    def blocked(self, cause: Observation, at: Interval) -> Verdict:
        """Nobody can play, as all say: cards are turned, or the side piles are made anew."""
        event = Happened(causes=(cause,), at=at)
        playable = self.table.playable(self.centre.tops)
        if playable is not None:
            return _premature(event, playable, self.table)
        self.is_called = True
        sides = self.table.sides
        if self.table.is_fed_from_hands or not sides or any(count != 0 for count in sides.values()):
            reason = say("turn_again", then="SPIT")
            return ruled(event, Ruling.LEGAL, RuleId.C_SPEED, reason, outcome=Outcome.GAME_CONTINUES)
        self._rebuild(tuple(sides))
        reason = say("side_piles_rebuilt", then="SPIT")
        return ruled(event, Ruling.LEGAL, RuleId.C_SPEED, reason, outcome=Outcome.RESHUFFLE)

    def _rebuild(self, sides: Sequence[PileId]) -> None:
        """Each centre pile is turned over to become a side pile."""
        centres = sorted(self.centre.piles, key=str)
        for side, pile in zip(sorted(sides, key=str), centres, strict=False):
            self.table.counts[side] = self.centre.pile(pile).count
        self.centre.piles.clear()


def _premature(event: Happened, playable: tuple[Seat, Card], table: SpeedTable) -> Verdict:
    seat, card = playable
    reason = say("spit_premature.play", player=table.setup.player_at(seat), playable=card)
    return ruled(event, Ruling.FLAG, RuleId.C_SPEED, reason, seat=seat, outcome=Outcome.SPIT_PREMATURE)


def _happened(turned: Sequence[Fed]) -> Happened:
    at = Interval(min(fed.touch.start_us for fed in turned), max(fed.touch.end_us for fed in turned))
    causes = tuple(cause for fed in turned for cause in fed.causes)
    return Happened(causes=causes, at=at, plays=tuple(play for fed in turned for play in fed.plays))


def reason_of_deal(table: SpeedTable, seat: Seat) -> tuple[Ruling, Outcome | None, Reason]:
    """What there is to say of the deal of ``seat``."""
    rules, hand, draw = table.rules, table.hand(seat), table.draw(seat)
    player = table.setup.player_at(seat)
    if hand is None or draw is None:
        return Ruling.UNDECIDED, None, say("sizes_not_seen", player=player)
    wanted = f"{rules.hand} and {rules.draw_sizes[0]}"
    facts = {"player": player, "hand": hand, "draw": draw, "wanted": wanted}
    wrong_sides = [count for count in table.sides.values() if count not in {rules.side, rules.side + 1, None}]
    if hand != rules.hand or draw not in rules.draw_sizes or wrong_sides:
        return Ruling.ILLEGAL, Outcome.DEAL_BAD, say("speed_deal_wrong", **facts)
    return Ruling.LEGAL, Outcome.DEAL_OK, say("speed_deal_right", **facts)
