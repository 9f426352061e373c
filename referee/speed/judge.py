"""Speed over one match: what comes in is followed, judged and scored."""

from collections.abc import Iterable
from dataclasses import replace

from referee.cards import Card, Rank, Suit
from referee.clock import Interval
from referee.events import CardMoved, Happened
from referee.interpret import PileNews
from referee.messages import Reason, say
from referee.observations import CardsCounted, Observation, PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.score import Scorecard, ScoreItem, ScoreLine, Unknown
from referee.setup import MatchSetup
from referee.sightings import CardsCarried, HandCarried, Handling, PileHandled, PileLaid
from referee.speed.feeding import Fed, Feeding, reason_of_deal
from referee.speed.table import SpeedTable, is_draw, is_hand, is_side
from referee.speed_rules import DeckForm
from referee.spit.centre import top_of
from referee.spit.checks import Fault, hand_of, misfit, name_of, takes_from_other
from referee.spit.hands import Hands
from referee.spit.layout import fits
from referee.spit.plays import names_of
from referee.spit.shared import Lapse, PlayRuleIds, SharedPlays
from referee.spit.sisters import count_verdict, dealt_twice, first_out, start_verdict
from referee.table import PileState, TableState, View
from referee.tellings import Called, CallKind, Declared, PointsTold
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

SPEED = RuleId.C_SPEED


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


_RANKS = [rank for rank in Rank if rank is not Rank.JOKER]


class SpeedMatch:
    """The rules of Speed over one match; see ``referee.spit.timeline.SisterGame``."""

    def __init__(self, setup: MatchSetup) -> None:
        self._setup = setup
        self._game = SpeedGame(setup)
        self._table = self._game.table
        self._hands = Hands(setup, SPEED, self._table.rules.hands)
        self._said_stuck: set[Seat] = set()
        self._dealt: set[Seat] = set()

    @property
    def shared(self) -> SharedPlays:
        """The centre piles."""
        return self._game.shared

    @property
    def lapses(self) -> Iterable[Lapse]:
        """Cards turned to the centre that wait for the other's."""
        if (fed_us := self._game.feeding.next_lapse_us) is not None:
            yield (fed_us, self._game.feeding.lapse)

    def ended(self) -> tuple[Verdict, ...]:
        """Whether somebody has no cards left."""
        return self._game.ended()

    def last_words(self) -> tuple[Verdict, ...]:
        """Cards turned to the centre that the other has not joined."""
        return self._game.feeding.rest()

    @property
    def scorecard(self) -> Scorecard:
        """Rounds won, which win the game, and the cards that each still has."""
        lines: list[ScoreLine] = []
        unknowns: list[Unknown] = []
        for seat in self._table.seats:
            lines.append(ScoreLine(seat, ScoreItem.ROUNDS_WON, self._table.wins.get(seat, 0), 1))
            hand, draw = self._table.hand(seat), self._table.draw(seat)
            if hand is None or draw is None:
                pile = PileId(PileKind.HAND, seat)
                unknowns.append(Unknown(SPEED, seat, pile, "the cards left here were not counted"))
            else:
                lines.append(ScoreLine(seat, ScoreItem.CARDS_LEFT, hand + draw, 0))
        return Scorecard(tuple(lines), tuple(unknowns))

    @property
    def table(self) -> TableState:
        """The piles as they are known."""
        states = [PileState(pile=pile, counted=count) for pile, count in self._table.counts.items()]
        for pile, shared in self._game.shared.centre.piles.items():
            view = View(shared.top, is_empty=shared.count == 0, face_up=shared.tops != (), since_us=0)
            states.append(PileState(pile=pile, views=(view,), counted=shared.count))
        return TableState(foundations=(), piles=tuple(sorted(states, key=lambda state: str(state.pile))))

    # -- what is seen ---------------------------------------------------------------------------------------

    def has_pile(self, pile: PileId) -> bool:
        """Centre piles, side piles, hands and draw piles."""
        return self._game.is_shared(pile) or self._table.takes_part(pile)

    def pile_news(self, news: PileNews) -> tuple[Verdict, ...]:
        """Judge what came to one pile."""
        if self._game.is_shared(news.pile):
            self._said_stuck = set()
            return self._game.shared.pile_news(news)
        self._look(news.before)
        given: tuple[Verdict, ...] = ()
        for move in news.moves:
            given += self._to_own(move)
        for carried in news.carried:
            given += self._drew(carried.pile, carried.source, len(carried.cards), carried)
        self._look(news.after)
        return given

    def _look(self, seen: PileSeen | None) -> None:
        if seen is not None:
            self._table.look(seen)

    def _to_own(self, move: CardMoved) -> tuple[Verdict, ...]:
        """A card came to a hand: drawn, or back from a race."""
        left = self._game.shared.left_from(move)
        if left is not None:
            return self._game.shared.went_back(replace(move, source=left))
        return self._drew(move.target, move.source, 1, move)

    def _drew(
        self, pile: PileId, source: PileId | None, count: int, cause: CardMoved | CardsCarried
    ) -> tuple[Verdict, ...]:
        """Cards came to a pile of a seat; a hand holds no more than it is filled up to."""
        self._table.add(pile, count)
        if source is not None and self._table.takes_part(source):
            self._table.add(source, -count)
        seat, most = pile.seat, self._table.rules.hand
        held = None if seat is None else self._table.hand(seat)
        if seat is None or held is None or held <= most or not is_hand(pile):
            return ()
        reason = say("hand_too_full", player=self._setup.player_at(seat), count=held, most=most)
        plays = (cause,) if isinstance(cause, CardMoved) else ()
        causes = (cause,) if isinstance(cause, CardsCarried) else ()
        event = Happened(causes=causes, at=cause.touch, plays=plays)
        return (ruled(event, Ruling.FLAG, SPEED, reason, seat=seat, pile=pile),)

    def told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...]:
        """Judge what was seen or told at one time."""
        of_pile = self.shared.told(observation, at_us)
        if of_pile is not None:
            return of_pile
        match observation:
            case PileLaid() if self._table.takes_part(observation.pile):
                self._table.lay(observation)
            case PileHandled():
                return self._handled(observation)
            case HandCarried():
                return self._hands.take(observation)
            case CardsCounted() if self._table.takes_part(observation.pile):
                self._table.count(observation)
            case Declared() if observation.seat is not None:
                self._game.declared[observation.seat] = observation.card
            case PointsTold():
                self._table.wins[observation.seat] = observation.points
            case Called():
                return self._called(observation)
            case _:
                pass
        return ()

    def _handled(self, handled: PileHandled) -> tuple[Verdict, ...]:
        pile = handled.pile
        match handled.handling:
            case Handling.TURNED | Handling.FACED_UP if is_side(pile) or is_draw(pile):
                card = handled.cards[-1] if handled.cards else None
                seat = handled.seat if handled.seat is not None else pile.seat
                fed = Fed(seat, pile, handled.target, card, handled.touch, causes=(handled,))
                return self._game.feeding.take(fed)
            case Handling.PEEKED if is_side(pile) or is_draw(pile):
                seat = handled.seat if handled.seat is not None else pile.seat
                player = "a hand" if seat is None else self._setup.player_at(seat)
                event = Happened(causes=(handled,), at=handled.touch)
                reason = say("looked_at_pile", player=player, pile=pile)
                return (ruled(event, Ruling.FLAG, SPEED, reason, seat=seat, pile=pile),)
            case _:
                return ()

    # -- what is called -------------------------------------------------------------------------------------

    def _called(self, called: Called) -> tuple[Verdict, ...]:
        at = called.at if called.at is not None else Interval(called.told_us, called.told_us)
        event = Happened(causes=(called,), at=at)
        match called.call:
            case CallKind.DEALT:
                return self._deal(called, at)
            case CallKind.STUCK | CallKind.SPIT:
                return self._stuck(called, at)
            case CallKind.START:
                return (start_verdict(event, SPEED, self._setup),)
            case CallKind.TIMER | CallKind.ROUND_END:
                return (self._stands(event),)
            case _:
                return (self._counted(event),) if called.call is CallKind.COUNTED else ()

    def _stuck(self, called: Called, at: Interval) -> tuple[Verdict, ...]:
        """Nobody can play, once all have said so."""
        everyone = set(self._table.seats)
        self._said_stuck |= everyone if called.seat is None else {called.seat}
        if self._said_stuck < everyone:
            return ()
        self._said_stuck = set()
        return (self._game.feeding.blocked(called, at),)

    def _deal(self, called: Called, at: Interval) -> tuple[Verdict, ...]:
        """A seat, or with None each, says that its cards are dealt."""
        event = Happened(causes=(called,), at=at)
        if self._game.is_over:
            self._game.forget_round()
            self._dealt = set()
        seats = self._table.seats if called.seat is None else (called.seat,)
        if self._dealt & set(seats):
            return (dealt_twice(event, SPEED, called.seat),)
        self._dealt |= set(seats)
        found = [(seat, reason_of_deal(self._table, seat)) for seat in seats]
        return tuple(
            ruled(event, ruling, SPEED, reason, seat=seat, outcome=outcome)
            for seat, (ruling, outcome, reason) in found
        )

    def _stands(self, event: Happened) -> Verdict:
        """How the game stands, asked in a round or after it."""
        needed, wins = self._table.rules.wins_needed, self._table.wins
        winners = [seat for seat in self._table.seats if wins.get(seat, 0) >= needed]
        if len(winners) == 1:
            player = self._setup.player_at(winners[0])
            reason = say("game_won", player=player, count=wins[winners[0]])
            return ruled(event, Ruling.LEGAL, SPEED, reason, seat=winners[0], outcome=Outcome.GAME_WIN)
        reason = say("wins_short", wanted=needed) if self._game.is_over else say("round_goes_on")
        return ruled(event, Ruling.LEGAL, SPEED, reason, outcome=Outcome.GAME_CONTINUES)

    def _counted(self, event: Happened) -> Verdict:
        """All cards together are the pack."""
        counts = [*self._table.counts.values()]
        counts += [shared.count for shared in self._game.shared.centre.piles.values()]
        left = {
            self._setup.player_at(seat): (self._table.hand(seat) or 0) + (self._table.draw(seat) or 0)
            for seat in self._table.seats
        }
        return count_verdict(event, SPEED, counts, self._table.rules.cards, left)
