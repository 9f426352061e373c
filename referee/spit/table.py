"""What is known of a table of Spit: each seat's layout, what it owns, and how far the round has come."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from referee.cards import Card
from referee.events import CardMoved
from referee.observations import CardsCounted, PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import PileLaid
from referee.spit.centre import count_of, top_of
from referee.spit.ending import completed
from referee.spit.layout import EMPTY, Layout, StockPile, cannot_spit, spit_piles
from referee.spit_rules import ScoringRule, SpitRules


def spit_rules_of(setup: MatchSetup) -> SpitRules:
    """The house rules of a match of Spit."""
    assert isinstance(setup.rules, SpitRules)
    return setup.rules


@dataclass(slots=True)
class SpitTable:
    """The piles before the seats; the shared piles are the ``Centre``'s."""

    setup: MatchSetup
    layouts: dict[Seat, Layout] = field(init=False)
    owned: dict[Seat, int | None] = field(init=False)
    """Cards of each seat at the start of the round. None: not known."""
    points: dict[Seat, int] = field(default_factory=dict)
    """Of the rounds before, under ``to_100_low``."""
    dealt: set[Seat] = field(default_factory=set)
    """Who has dealt in this round."""
    ready: set[Seat] = field(default_factory=set)
    own_pile: dict[Seat, PileId] = field(default_factory=dict)
    """The spit pile that each seat started in this round."""
    piles: int | None = None
    """How many spit piles this round has. None: no spit has told."""
    _since_us: dict[PileId, int] = field(default_factory=dict)
    """When each pile was last seen as it is known."""

    def __post_init__(self) -> None:
        self.owned = dict.fromkeys(self.seats, None)
        self.layouts = {}
        self.clear_layouts()

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays, as listed."""
        return self.setup.decks

    @property
    def rules(self) -> SpitRules:
        """The house rules."""
        return spit_rules_of(self.setup)

    def clear_layouts(self) -> None:
        """Forget what lay before the seats: a new deal follows."""
        self.layouts = dict.fromkeys(self.seats, Layout())
        self._since_us = {}

    def start_round(self, owned: Mapping[Seat, int | None]) -> None:
        """Begin a new round, to which each seat brings ``owned`` cards."""
        self.owned = dict(owned)
        self.clear_layouts()
        self.forget_spits()

    def forget_spits(self) -> None:
        """Nobody has dealt, said to be ready or turned a spit card in this round yet."""
        self.dealt, self.ready = set(), set()
        self.own_pile = {}
        self.piles = None

    # -- what is known of a pile ----------------------------------------------------------------------------

    def stock(self, pile: PileId) -> StockPile:
        """The stock pile ``pile``; one that was never seen is not known."""
        return self.layouts[self._owner(pile)].pile(pile.index)

    def is_own_pile(self, pile: PileId) -> bool:
        """Whether ``pile`` is a stock pile or the spit cards of a seat."""
        return pile.seat in self.layouts and pile.kind in {PileKind.TABLEAU, PileKind.HAND}

    def shown(self, seat: Seat) -> frozenset[Card]:
        """The cards that lie open on the stock piles of ``seat``."""
        tops = (pile.top for pile in self.layouts[seat].piles.values())
        return frozenset(top for top in tops if top is not None)

    def source_of(self, play: CardMoved) -> PileId | None:
        """Where the card of ``play`` came from: as seen, else the hand's own pile that showed it."""
        if play.source is not None or play.seat not in self.layouts or play.card is None:
            return play.source
        piles = self.layouts[play.seat].piles
        showing = [i for i, pile in piles.items() if pile.top == play.card]
        return PileId(PileKind.TABLEAU, play.seat, showing[0]) if len(showing) == 1 else None

    def seen_since(self, pile: PileId, at_us: int) -> bool:
        """Whether ``pile`` was seen later than ``at_us``."""
        return self._since_us.get(pile, at_us) > at_us

    # -- what is taken in -----------------------------------------------------------------------------------

    def look(self, seen: PileSeen) -> None:
        """Take in a look at a pile of a layout."""
        self._since_us[seen.pile] = seen.seen.end_us
        if seen.pile.kind is PileKind.HAND:
            if seen.is_empty:
                self._set_spit(seen.pile, 0)
            return
        if seen.is_empty:
            self._set(seen.pile, EMPTY)
            return
        count = self.stock(seen.pile).count
        self._set(seen.pile, StockPile(count or None, seen.top, seen.face_up))

    def lay(self, laid: PileLaid) -> None:
        """Take in a whole pile of a layout."""
        self._since_us[laid.pile] = laid.at.end_us
        count = count_of(laid)
        if laid.pile.kind is PileKind.HAND:
            self._set_spit(laid.pile, count)
        elif count == 0:
            self._set(laid.pile, EMPTY)
        else:
            self._set(laid.pile, StockPile(count, top_of(laid), len(laid.cards) > 0))

    def count(self, counted: CardsCounted) -> None:
        """Take in a count of a pile of a layout."""
        if counted.pile.kind is PileKind.HAND:
            self._set_spit(counted.pile, counted.count)
            return
        known = self.stock(counted.pile)
        self._set(counted.pile, EMPTY if counted.count == 0 else replace(known, count=counted.count))

    def turn(self, pile: PileId, card: Card | None, at_us: int) -> None:
        """Take in that a stock pile's top was turned up, at ``at_us``; what was seen since holds."""
        if self.seen_since(pile, at_us):
            return
        known = self.stock(pile)
        self._since_us[pile] = at_us
        self._set(pile, StockPile(known.count or None, card, face_up=True))

    def take_from(self, pile: PileId, left_us: int) -> None:
        """One card has left ``pile`` for good, at ``left_us``; what was seen of it since holds."""
        if pile.kind is PileKind.HAND:
            self.spend(self._owner(pile))
            return
        known = self.stock(pile)
        if self.seen_since(pile, left_us) and not known.is_empty:
            fewer = None if known.count is None else max(known.count - 1, 1)
            self._set(pile, replace(known, count=fewer))
            return
        self._set(pile, known.less_one())

    def put_on(self, pile: PileId, card: Card | None, at_us: int) -> None:
        """One card has come to ``pile``, at ``at_us``."""
        if pile.kind is PileKind.HAND:
            spit = self.layouts[self._owner(pile)].spit
            self._set_spit(pile, None if spit is None else spit + 1)
            return
        self._since_us[pile] = at_us
        self._set(pile, self.stock(pile).with_card(card))

    def restore(self, pile: PileId) -> None:
        """A card that was taken for gone belongs to ``pile`` again; it is still on its way back."""
        known = self.stock(pile)
        self._set(pile, replace(known, count=None if known.count is None else known.count + 1))

    def put_back(self, pile: PileId, card: Card | None, at_us: int) -> None:
        """A card that had not left for good lies on ``pile`` again."""
        known = self.stock(pile)
        self._since_us[pile] = at_us
        self._set(pile, StockPile(None if known.count is None else max(known.count, 1), card, face_up=True))

    def spend(self, seat: Seat) -> None:
        """``seat`` has turned one of its spit cards."""
        spit = self.layouts[seat].spit
        self.layouts[seat] = replace(self.layouts[seat], spit=None if spit is None else max(spit - 1, 0))

    # -- what follows ---------------------------------------------------------------------------------------

    @property
    def out(self) -> tuple[Seat, ...]:
        """Who surely has no stock cards left (S22)."""
        return tuple(seat for seat in self.seats if self.layouts[seat].is_out)

    def fix_owned(self) -> None:
        """Before the first spit: what nobody told a seat to own is what lies before it."""
        found = {
            seat: layout.cards if self.owned[seat] is None else self.owned[seat]
            for seat, layout in self.layouts.items()
        }
        self.owned = completed(found, self.rules)

    def cannot_spit(self, seat: Seat) -> bool:
        """Rule S30: whether ``seat`` surely has no spit card to turn."""
        return self.layouts[seat].spit == 0 or cannot_spit(self.owned[seat], self.rules)

    def piles_now(self, known: int) -> int:
        """Rule S30: how many spit piles the round has, ``known`` of which hold cards."""
        if self.piles is not None:
            return self.piles
        if known == 1 and any(self.cannot_spit(seat) for seat in self.seats):
            return 1
        return spit_piles(self.owned.values(), self.rules) if known == 0 else self.rules.players

    def tell(self, seat: Seat, points: int) -> None:
        """Take in what ``seat`` has from the rounds before: cards, or points (S34)."""
        if self.rules.scoring is ScoringRule.STANDARD:
            self.owned[seat] = points
        else:
            self.points[seat] = points

    def _owner(self, pile: PileId) -> Seat:
        assert pile.seat is not None
        return pile.seat

    def _set(self, pile: PileId, stock: StockPile) -> None:
        seat = self._owner(pile)
        self.layouts[seat] = self.layouts[seat].with_pile(pile.index, stock)

    def _set_spit(self, pile: PileId, spit: int | None) -> None:
        seat = self._owner(pile)
        self.layouts[seat] = replace(self.layouts[seat], spit=spit)
