"""What Speed says of its cards: which fit, hands that are filled up, rounds that are won."""

from referee.cards import Card, Rank, Suit
from referee.events import CardMoved, Happened
from referee.messages import Reason, say
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import CardsCarried, PileLaid
from referee.speed.feeding import Fed, Feeding
from referee.speed.table import SpeedTable, is_draw, is_hand, is_side
from referee.speed_rules import DeckForm
from referee.spit.centre import top_of
from referee.spit.checks import Fault, hand_of, misfit, name_of, takes_from_other
from referee.spit.layout import fits
from referee.spit.plays import names_of
from referee.spit.shared import PlayRuleIds, SharedPlays
from referee.spit.sisters import first_out
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

SPEED = RuleId.C_SPEED


_RANKS = [rank for rank in Rank if rank is not Rank.JOKER]


class SpeedGame:
    """What Speed says of its cards; see ``referee.spit.shared.PlayGame``."""

    ids = PlayRuleIds(race=SPEED, touch=SPEED, back=SPEED, unread=SPEED, carry=SPEED)
    needs_face = True

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self.table = SpeedTable(setup)
        self.shared = SharedPlays(setup, self)
        self.feeding = Feeding(self.table, self.shared.centre)
        self.declared: dict[Seat, Card] = {}
        """What the next joker of a seat stands for."""
        self.ended_us: int | None = None
        """When the round ended. None: it goes on."""
        self._last_touch: dict[Seat, CardMoved] = {}
        self._colours: dict[Seat, bool] = {}
        """Of two half packs: whether a seat plays the red one."""

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.ended_us is not None

    def is_shared(self, pile: PileId) -> bool:
        """Whether ``pile`` is a centre pile."""
        return pile.kind is PileKind.SPIT

    def top_of(self, laid: PileLaid) -> Card | None:
        """What lies on top: of a joker, what it stands for."""
        return top_of(laid)

    def source_of(self, move: CardMoved) -> PileId | None:
        """Where the card of ``move`` came from."""
        return self.table.source_of(move)

    def fault_of(self, play: CardMoved) -> Fault | None:
        """Why ``play`` may go on no centre pile at all."""
        if self.ended_us is not None and play.touch.start_us > self.ended_us:
            return Fault(SPEED, say("round_over", card=name_of(play.card)))
        other = takes_from_other(play, self.setup)
        if other is not None:
            return Fault(SPEED, other.reason)
        if play.source is not None and not is_hand(play.source):
            return Fault(SPEED, say("source_not_hand", card=name_of(play.card), pile=play.source))
        if play.card is not None and play.card.is_joker and not self.table.rules.jokers:
            return Fault(SPEED, say("joker_not_in_play"))
        return self._mixes_halves(play)

    def _mixes_halves(self, play: CardMoved) -> Fault | None:
        """Of two half packs each plays its own colour."""
        hand, card = hand_of(play, self.setup), play.card
        if self.table.rules.form is not DeckForm.HALF_DECKS or hand is None or card is None or card.is_joker:
            return None
        is_red = self._colours.get(hand)
        others = [colour for seat, colour in self._colours.items() if seat is not hand]
        if is_red is None and others:
            is_red = not others[0]
        if is_red is None or card.suit.is_red is is_red:
            return None
        return Fault(SPEED, say("half_deck_mixed", player=self.setup.player_at(hand), card=card))

    def tops_after(self, play: CardMoved, tops: tuple[Card, ...]) -> tuple[Card, ...]:
        """The card itself, if it fits; of a joker what it was declared as, or else all that it may be."""
        card, rules = play.card, self.table.rules
        if card is None or not tops:
            return ()
        if not card.is_joker:
            is_fit = any(fits(card, top, wrap=rules.wrap, doubles=rules.doubles) for top in tops)
            return (card,) if is_fit else ()
        declared = self._declared_as(play)
        values = [declared] if declared is not None else [Card(rank, Suit.NONE) for rank in _RANKS]
        return tuple(
            value
            for value in values
            if any(fits(value, top, wrap=rules.wrap, doubles=rules.doubles) for top in tops)
        )

    def _declared_as(self, play: CardMoved) -> Card | None:
        return None if play.seat is None else self.declared.get(play.seat)

    def why_fits(self, play: CardMoved, top: Card) -> tuple[RuleId, tuple[Reason, ...]]:
        """A neighbour in rank, or a joker that stands for one."""
        card = name_of(play.card)
        if play.card is None or not play.card.is_joker:
            return SPEED, (say("next_in_rank", card=card, top=top),)
        values = " or ".join(str(value) for value in self.tops_after(play, (top,)))
        return SPEED, (say("joker_value", card=card, top=top, value=values),)

    def misfit(self, play: CardMoved, top: Card) -> Fault:
        """Why ``play`` does not fit ``top``."""
        assert play.card is not None
        declared = self._declared_as(play)
        if play.card.is_joker and declared is not None:
            return Fault(SPEED, say("joker_misfit", value=declared, top=top))
        return Fault(SPEED, misfit(play.card, top, wrap=self.table.rules.wrap))

    def leave(self, play: CardMoved) -> None:
        """The card of ``play`` has left its hand for good."""
        self.table.play(play)
        if play.seat is not None:
            self._last_touch[play.seat] = play

    def restore(self, play: CardMoved) -> None:
        """The card of ``play`` goes back to the hand after all."""
        if play.source is not None:
            self.table.add(play.source, 1)

    def come_back(self, owed: CardMoved, target: PileId, _at_us: int) -> None:
        """The card of ``owed`` is in the hand again, which it had not left for good."""
        if owed.source is not None and owed.source != target:
            self.table.add(owed.source, -1)
            self.table.add(target, 1)

    def played(self, play: CardMoved) -> tuple[Verdict, ...]:
        """A hand is filled up before the next card is played, while the draw pile lasts."""
        seat, card, rules = play.seat, play.card, self.table.rules
        assert card is not None
        if seat is None:
            return ()
        if card.is_joker:
            self.declared.pop(seat, None)
        else:
            self._colours.setdefault(seat, card.suit.is_red)
        hand, draw = self.table.hand(seat), self.table.draw(seat)
        before = None if hand is None else hand + 1
        if before is None or not draw or before >= rules.hand:
            return ()
        player = self.setup.player_at(seat)
        reason = say("refill_to_{most}", player=player, count=before, most=rules.hand)
        event = Happened(causes=(), at=play.touch, plays=(play,))
        return (ruled(event, Ruling.FLAG, SPEED, reason, seat=seat),)

    def is_last(self, play: CardMoved) -> bool:
        """Whether the card of ``play``, which goes back, is the last of its seat."""
        return play.seat is not None and self.table.hand(play.seat) == 1 and self.table.draw(play.seat) == 0

    def turned(self, play: CardMoved) -> tuple[Verdict, ...] | None:
        """Whether a card that came to a centre pile was turned there from a supply."""
        source = play.source
        if source is None:
            return None
        own_supply = self.table.is_fed_from_hands and (is_draw(source) or self.feeding.is_called)
        if not is_side(source) and not own_supply:
            return None
        fed = Fed(play.seat, source, play.target, play.card, play.touch, plays=(play,))
        return self.feeding.take(fed)

    def before_play(self) -> tuple[Verdict, ...]:
        """Who plays does not wait for the other's turned card any more."""
        given = self.feeding.rest()
        self.feeding.is_called = False
        return given

    def carried(self, carried: CardsCarried) -> Reason:
        """Cards may follow each other, but not in one motion."""
        player = "a hand" if carried.seat is None else self.setup.player_at(carried.seat)
        return say("one_motion_many_cards", player=player, count=len(carried.cards))

    # -- the end of a round ---------------------------------------------------------------------------------

    def ended(self) -> tuple[Verdict, ...]:
        """Whether somebody has no cards left; not before the last card stands."""
        lasts = {seat: play for seat, play in self._last_touch.items() if self.table.is_out(seat)}
        found = None if self.is_over else first_out(lasts, self.shared, self.setup)
        if found is None:
            return ()
        self.ended_us = found.play.touch.end_us
        if found.tied:
            reason = say("round_tied", players=names_of(found.tied, self.setup))
            outcome = Outcome.PLAYOFF
            return (ruled(found.event, Ruling.TIE, SPEED, reason, seats=found.tied, outcome=outcome),)
        assert found.play.seat is not None
        return (self._won(found.play.seat, found.event),)

    def _won(self, winner: Seat, event: Happened) -> Verdict:
        self.table.wins[winner] = self.table.wins.get(winner, 0) + 1
        wins, player = self.table.wins[winner], self.setup.player_at(winner)
        if wins >= self.table.rules.wins_needed:
            reason = say("game_won", player=player, count=wins)
            return ruled(event, Ruling.LEGAL, SPEED, reason, seat=winner, outcome=Outcome.GAME_WIN)
        reason = say("round_won", player=player, count=wins)
        return ruled(event, Ruling.LEGAL, SPEED, reason, seat=winner, outcome=Outcome.ROUND_END)

    def forget_round(self) -> None:
        """A new round is dealt."""
        self.ended_us = None
        self._last_touch, self._colours, self.declared = {}, {}, {}
        self.shared.forget_round()
