"""What California Speed says of its cards: matches that are covered, rows that are picked up."""

from referee.california.layout import UNREAD, has_unread, matches
from referee.california_rules import CaliforniaRules
from referee.cards import Card
from referee.events import CardMoved, Happened
from referee.messages import Reason, say
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import CardsCarried, PileHandled, PileLaid
from referee.spit.centre import top_of
from referee.spit.checks import Fault, name_of
from referee.spit.plays import names_of
from referee.spit.race import SharedPile
from referee.spit.shared import PlayRuleIds, SharedPlays
from referee.spit.sisters import first_out
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

CALIFORNIA = RuleId.C_CAL


class CaliforniaGame:
    """What California Speed says of its cards; see ``referee.spit.shared.PlayGame``."""

    ids = PlayRuleIds(race=CALIFORNIA, touch=CALIFORNIA, back=CALIFORNIA, unread=CALIFORNIA, carry=CALIFORNIA)
    needs_face = False

    def __init__(self, setup: MatchSetup) -> None:
        assert isinstance(setup.rules, CaliforniaRules)
        self.setup = setup
        self.rules = setup.rules
        self.shared = SharedPlays(setup, self)
        self.packets: dict[Seat, int | None] = dict.fromkeys(setup.decks)
        """Cards in the hand of each seat. None: not known."""
        self.is_won = False
        self.is_gathering = False
        """Whether the rows are being picked up."""
        self._open: dict[tuple[PileId, Card], str] = {}
        """Cards that may be, or might have been, covered, and why: of a match, or of a double."""
        self._last_touch: dict[Seat, CardMoved] = {}

    @property
    def is_over(self) -> bool:
        """Whether the game is won."""
        return self.is_won

    def is_shared(self, pile: PileId) -> bool:
        """Whether ``pile`` lies open in a row: all cover cards of both rows."""
        return pile.kind is PileKind.TABLEAU and pile.seat is not None

    @property
    def tops(self) -> dict[PileId, Card]:
        """The open card of each pile; those not read as ``UNREAD``."""
        piles = self.shared.centre.piles
        return {pile: piles[pile].tops[0] for pile in piles if piles[pile].tops}

    def open_up(self) -> None:
        """Take note of the matches that lie open now; who has begun to cover a match may finish it."""
        tops = self.tops
        for group in matches(tops):
            for pile in group:
                self._open[pile, tops[pile]] = "covers_match"

    @property
    def uncovered(self) -> tuple[Card, ...]:
        """Cards of matches that lie open still."""
        return tuple(top for pile, top in self.tops.items() if (pile, top) in self._open)

    def top_of(self, laid: PileLaid) -> Card | None:
        """The open card, or that there is one that was not read."""
        return UNREAD if laid.cards and laid.cards[-1].card is None else top_of(laid)

    def source_of(self, move: CardMoved) -> PileId | None:
        """Where a card came from: cards are only ever played from the hand."""
        if move.source is not None or move.seat is None:
            return move.source
        return PileId(PileKind.HAND, move.seat)

    def fault_of(self, play: CardMoved) -> Fault | None:
        """Why ``play`` may cover nothing at all."""
        if self.is_won:
            return Fault(CALIFORNIA, say("round_over", card=name_of(play.card)))
        if play.source is not None and play.source.kind is not PileKind.HAND:
            return Fault(CALIFORNIA, say("source_not_hand", card=name_of(play.card), pile=play.source))
        return None

    def tops_after(self, play: CardMoved, tops: tuple[Card, ...]) -> tuple[Card, ...]:
        """The card itself, where it covers a card of a match."""
        if not any((play.target, top) in self._open for top in tops):
            return ()
        return (UNREAD if play.card is None else play.card,)

    def why_fits(self, play: CardMoved, top: Card) -> tuple[RuleId, tuple[Reason, ...]]:
        """A match, or a pile that shows a double."""
        key = self._open[play.target, top]
        return CALIFORNIA, (say(key, card=name_of(play.card), top=top),)

    def misfit(self, play: CardMoved, top: Card) -> Fault:
        """Nothing of equal rank lies open."""
        return Fault(CALIFORNIA, say("no_match_covered", card=name_of(play.card), top=top))

    def leave(self, play: CardMoved) -> None:
        """The card of ``play`` has left the hand for good."""
        self.is_gathering = False
        self.deal_out(play.source, 1)
        if play.seat is not None:
            self._last_touch[play.seat] = play

    def restore(self, play: CardMoved) -> None:
        """The card of ``play`` goes back to the hand after all."""
        self.deal_out(play.source, -1)

    def come_back(self, owed: CardMoved, target: PileId, at_us: int) -> None:
        """The card of ``owed`` is in the hand again, which it had not left for good."""

    def deal_out(self, hand: PileId | None, count: int) -> None:
        """There are ``count`` cards fewer in ``hand``. None: it was not seen whose hand it was."""
        if hand is not None and hand.seat is not None:
            held = self.packets[hand.seat]
            self.packets[hand.seat] = None if held is None else max(held - count, 0)

    def played(self, play: CardMoved) -> tuple[Verdict, ...]:
        """A cover may make new matches, or a double."""
        shared = self.shared.centre.pile(play.target)
        below = shared.steps[-1].tops[0]
        top = shared.top
        is_read = top is not None and UNREAD not in {top, below}
        if self.rules.pile_doubles and top is not None and is_read and top.rank is below.rank:
            self._open[play.target, top] = "covers_double"
        self.open_up()
        return ()

    def is_last(self, play: CardMoved) -> bool:
        """Whether the card of ``play``, which goes back, is the last of its seat."""
        return play.seat is not None and self.packets.get(play.seat) == 1

    def turned(self, play: CardMoved) -> tuple[Verdict, ...] | None:
        """A card that is dealt to a row, or that covers what may or may not match."""
        shared, seat = self.shared.centre.pile(play.target), play.target.seat
        if not shared.tops:
            assert seat is not None
            self.dealt(play.target, UNREAD if play.card is None else play.card)
            self.deal_out(PileId(PileKind.HAND, seat), 1)
            return ()
        is_open = self.tops_after(play, shared.tops) != ()
        if is_open or self.fault_of(play) is not None or not has_unread(self.tops.values()):
            return None
        self.leave(play)
        self.dealt(play.target, UNREAD if play.card is None else play.card)
        reason = say("rows_unread")
        return (ruled(play, Ruling.UNDECIDED, CALIFORNIA, reason),)

    def dealt(self, pile: PileId, card: Card) -> None:
        """``card`` lies open on ``pile``."""
        shared = self.shared.centre.pile(pile)
        count = 1 if shared == SharedPile() else None if shared.count is None else shared.count + 1
        self.shared.centre.piles[pile] = SharedPile(tops=(card,), count=count, to_return=shared.to_return)
        self.is_gathering = False
        self.open_up()

    def before_play(self) -> tuple[Verdict, ...]:
        """Nothing waits."""
        return ()

    def carried(self, carried: CardsCarried) -> Reason:
        """One card at a time."""
        player = "a hand" if carried.seat is None else self.setup.player_at(carried.seat)
        return say("one_card_at_a_time", player=player, count=len(carried.cards))

    def ended(self) -> tuple[Verdict, ...]:
        """Whether somebody has covered with the last card of the hand; not before it stands."""
        lasts = {seat: play for seat, play in self._last_touch.items() if self.packets[seat] == 0}
        found = None if self.is_won else first_out(lasts, self.shared, self.setup)
        if found is None:
            return ()
        self.is_won = True
        if found.tied:
            reason = say("round_tied", players=names_of(found.tied, self.setup))
            outcome = Outcome.PLAYOFF
            return (ruled(found.event, Ruling.TIE, CALIFORNIA, reason, seats=found.tied, outcome=outcome),)
        seat = found.play.seat
        assert seat is not None
        reason = say("no_cards_left", player=self.setup.player_at(seat))
        outcome = Outcome.GAME_WIN
        return (ruled(found.event, Ruling.LEGAL, CALIFORNIA, reason, seat=seat, outcome=outcome),)

    # -- the rows -------------------------------------------------------------------------------------------

    def gather(self, handled: PileHandled) -> tuple[Verdict, ...]:
        """A seat picks up a pile of its row; told once for all the rows."""
        event = Happened(causes=(handled,), at=handled.touch)
        seat, pile = handled.seat, handled.pile
        given: tuple[Verdict, ...] = ()
        if seat is not None and pile.seat is not None and pile.seat is not seat:
            player, other = self.setup.player_at(seat), self.setup.player_at(pile.seat)
            reason = say("other_row", player=player, other=other, pile=pile)
            given = (ruled(event, Ruling.ILLEGAL, CALIFORNIA, reason, seat=seat, pile=pile),)
        elif not self.is_gathering:
            given = (self.no_match(event, seat if seat is not None else pile.seat),)
        self.is_gathering = True
        self._pick_up(pile, seat if seat is not None else pile.seat)
        return given

    def _pick_up(self, pile: PileId, seat: Seat | None) -> None:
        assert seat is not None
        shared, held = self.shared.centre.piles.pop(pile, SharedPile()), self.packets[seat]
        self.packets[seat] = None if held is None or shared.count is None else held + shared.count
        self._open = {key: why for key, why in self._open.items() if key[0] != pile}

    def no_match(self, event: Happened, seat: Seat | None) -> Verdict:
        """Whether the rows may be picked up: no two open cards are equal."""
        if self.uncovered:
            cards = ", ".join(str(card) for card in self.uncovered)
            player = "all" if seat is None else self.setup.player_at(seat)
            reason = say("match_open", player=player, cards=cards)
            return ruled(event, Ruling.FLAG, CALIFORNIA, reason, seat=seat)
        if has_unread(self.tops.values()) or not self.tops:
            return ruled(event, Ruling.UNDECIDED, CALIFORNIA, say("rows_unread"), seat=seat)
        return ruled(event, Ruling.LEGAL, CALIFORNIA, say("no_match"))
