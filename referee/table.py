"""The table as it stands: what lies on each pile, as far as it is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved
from referee.heap import Heap, Lying
from referee.observations import PileSeen
from referee.piles import PileId, PileKind
from referee.sightings import PileLaid

STEPS_KEPT = 4
"""Late rivals are looked for among this many last cards of a foundation: no more come in half a second."""
VIEWS_KEPT = 4
"""Looks kept for each pile, to know what lay on top just before a card was lifted."""
RETURNS_KEPT = 8
"""Cards of one foundation that should go back and may yet do so."""

Base = Card | None
"""What the next card goes on: a card, or None for the bare table."""


@dataclass(frozen=True, slots=True)
class Step:
    """One place of a foundation, and who filled it: several plays after a tie."""

    base: Base
    plays: tuple[CardMoved, ...]
    is_open: bool = False
    """Whether it was too close to call, so that the order at rest may still decide (E5)."""

    @property
    def touch(self) -> Interval:
        """Of the card that was surely there first."""
        return min((play.touch for play in self.plays), key=lambda touch: (touch.end_us, touch.start_us))


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """A shared pile that goes up from its ace, judged by its last legal card."""

    pile: PileId
    bases: tuple[Base, ...] = (None,)
    """What the next card may go on: usually one. Empty: cards lie there, but not which was seen."""
    is_certain: bool = True
    """Whether all of ``bases`` hold (two after a tie of aces); otherwise one of them does."""
    steps: tuple[Step, ...] = ()
    """The last few places filled."""
    to_return: tuple[CardMoved, ...] = ()
    """Cards that lie there and should not."""
    losers: tuple[CardMoved, ...] = ()
    """Those of them that lost a race or were let: no fouls."""
    is_untouched: bool = True
    """Nothing known yet: the first look is believed as it is."""

    @property
    def top(self) -> Card | None:
        """The last legal card. None: bare, or not certain."""
        return self.bases[0] if len(self.bases) == 1 else None

    def filled(self, step: Step) -> "Foundation":
        """With ``step`` as the new top; after a tie of equal cards one base remains."""
        bases = tuple(dict.fromkeys(play.face for play in step.plays))
        return replace(
            self,
            bases=bases,
            is_certain=True,
            is_untouched=False,
            steps=(*self.steps, step)[-STEPS_KEPT:],
        )

    def doubting(self, bases: Iterable[Base]) -> "Foundation":
        """With one of ``bases`` as the top, not known which."""
        kept = tuple(dict.fromkeys(bases))
        return replace(self, bases=kept, is_certain=False, is_untouched=False)

    def holding(self, plays: tuple[CardMoved, ...], *, raced: bool = False) -> "Foundation":
        """With ``plays`` lying there to go back; ``raced`` if they lost a race."""
        return replace(
            self,
            to_return=(*self.to_return, *plays)[-RETURNS_KEPT:],
            losers=(*self.losers, *(plays if raced else ()))[-RETURNS_KEPT:],
            is_untouched=False,
        )

    def without(self, play: CardMoved) -> "Foundation":
        """With ``play`` gone back."""
        return replace(
            self,
            to_return=tuple(other for other in self.to_return if other != play),
            losers=tuple(other for other in self.losers if other != play),
        )


@dataclass(frozen=True, slots=True)
class View:
    """A pile's top at rest, and since when."""

    top: Card | None
    """None: empty, face down or not legible."""
    is_empty: bool
    face_up: bool
    since_us: int


NOTHING_KNOWN = Heap()
"""A pile that nobody has looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileState:
    """What is known of a pile that is no foundation."""

    pile: PileId
    views: tuple[View, ...] = ()
    """The last few looks, oldest first."""
    counted: int | None = None
    """How many cards it holds. None: nobody counted."""
    counted_us: int | None = None
    counted_by: str = ""
    """Who counted. Empty: the cameras."""
    heap: Heap = NOTHING_KNOWN
    """Its cards, as far as they are known."""

    @property
    def view(self) -> View | None:
        """The last look. None: not seen yet."""
        return self.views[-1] if self.views else None

    def view_before(self, at_us: int) -> View | None:
        """The last look that began before ``at_us``. None: none is kept."""
        return next((view for view in reversed(self.views) if view.since_us < at_us), None)

    def tops_between(self, since_us: int, until_us: int) -> frozenset[Card | None]:
        """What lay on top at some time in ``[since_us, until_us)``, by the looks that are kept."""
        ends = [later.since_us for later in self.views[1:]] + [until_us]
        looks = zip(self.views, ends, strict=True)
        return frozenset(v.top for v, end in looks if v.since_us < until_us and end >= since_us)

    def looking(self, view: View) -> "PileState":
        """With ``view`` put among the looks by its time."""
        views = sorted((*self.views, view), key=lambda look: look.since_us)
        return replace(self, views=tuple(views)[-VIEWS_KEPT:])


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """A picture of the table at one moment, for displays and questions."""

    foundations: tuple[Foundation, ...]
    piles: tuple[PileState, ...]


@dataclass(slots=True)
class Table:
    """The piles by name; each is a frozen value that is replaced."""

    foundations: dict[PileId, Foundation] = field(default_factory=dict)
    piles: dict[PileId, PileState] = field(default_factory=dict)
    releases_jokers: bool = True
    """Whether a joker in a work pile is free again when it is uncovered."""

    def foundation(self, pile: PileId) -> Foundation:
        """The foundation ``pile``: bare until something is known of it."""
        return self.foundations.get(pile, Foundation(pile=pile))

    def pile(self, pile: PileId) -> PileState:
        """The state of ``pile``."""
        return self.piles.get(pile, PileState(pile=pile))

    def left_in(self, pile: PileId) -> int | None:
        """How many cards ``pile`` holds with those that lost a race since and go back. None: not counted."""
        state = self.pile(pile)
        if state.counted is None or state.counted_us is None:
            return state.counted
        losers = [play for each in self.foundations.values() for play in each.losers if play.source == pile]
        return state.counted + sum(play.touch.start_us > state.counted_us for play in losers)

    def look(self, seen: PileSeen) -> None:
        """Take in a look at a pile that is no foundation."""
        view = View(seen.top, seen.is_empty, seen.face_up, seen.seen.start_us)
        state = self.pile(seen.pile).looking(view)
        is_new = state.counted_us is None or seen.seen.start_us > state.counted_us
        if seen.is_empty and is_new:
            state = replace(state, counted=0, counted_us=seen.seen.end_us, counted_by="")
        if not seen.is_empty and is_new and state.counted == 0:
            state = replace(state, counted=None, counted_us=None)
        if state.view == view:
            state = replace(state, heap=_heap_seen(state.heap, view))
        self.piles[seen.pile] = state

    def lay(self, laid: PileLaid) -> None:
        """Take in the whole contents of a pile that is no foundation."""
        heap = Heap.of(laid)
        top = None if heap.top is None else heap.top.card
        view = View(top, heap.is_empty, heap.top is not None, laid.at.start_us)
        state = replace(self.pile(laid.pile).looking(view), heap=heap)
        if heap.count is not None:
            state = replace(state, counted=heap.count, counted_us=laid.at.end_us, counted_by=laid.told_by)
        self.piles[laid.pile] = state

    def move(self, play: CardMoved) -> None:
        """Take in a card that moved, for the piles that are no foundations."""
        if play.source is not None and not is_foundation(play.source):
            since_us = play.touch.start_us if play.lifted is None else play.lifted.start_us
            self.take_off(play.source, (play.card,), since_us, play.touch.start_us)
        if not is_foundation(play.target):
            self.put_on(play.target, (Lying(play.card),), play.touch)

    def take_off(self, pile: PileId, cards: Sequence[Card | None], since_us: int, moved_us: int) -> None:
        """``cards`` left ``pile``, which looks as it does since ``since_us``."""
        heap = self.pile(pile).heap
        for card in reversed(cards):
            heap = heap.without(card)
        if pile.kind is PileKind.TABLEAU and self.releases_jokers:
            heap = heap.released()
        top = None if heap.top is None else heap.top.card
        view = View(top, heap.is_empty, top is not None, since_us)
        self.piles[pile] = replace(self.pile(pile).looking(view), heap=heap)
        self.recount(pile, -len(cards), moved_us)

    def put_on(self, pile: PileId, cards: Sequence[Lying], touch: Interval) -> None:
        """``cards`` came to lie on ``pile``, the lowest first."""
        heap = self.pile(pile).heap
        for card in cards:
            is_work = pile.kind is PileKind.TABLEAU
            heap = heap.covered_by(card) if is_work else heap.with_top((card,))
        view = View(cards[-1].card, is_empty=False, face_up=cards[-1].card is not None, since_us=touch.end_us)
        self.piles[pile] = replace(self.pile(pile).looking(view), heap=heap)
        self.recount(pile, len(cards), touch.start_us)

    def put_heap(self, pile: PileId, heap: Heap) -> None:
        """``heap`` is what lies in ``pile``."""
        self.piles[pile] = replace(self.pile(pile), heap=heap)

    def count(self, pile: PileId, count: int, at_us: int, told_by: str = "") -> None:
        """Take in a count; of two from the same moment the higher one."""
        state = self.pile(pile)
        if (
            state.counted is None
            or state.counted_us is None
            or (at_us, count) > (state.counted_us, state.counted)
        ):
            below = max(count - len(state.heap.cards), 0)
            cards = state.heap.cards[: min(count, len(state.heap.cards))] if count else ()
            heap = Heap(below=below, cards=cards)
            self.piles[pile] = replace(state, counted=count, counted_us=at_us, counted_by=told_by, heap=heap)

    def recount(self, pile: PileId, change: int, moved_us: int) -> None:
        """Cards came to or left ``pile`` at ``moved_us``; a later count knows of them already.

        So does a count of fewer cards than left since, which can only have been meant so.
        """
        state = self.pile(pile)
        if state.counted is None or state.counted_us is None or moved_us <= state.counted_us:
            return
        now = state.counted + change
        self.piles[pile] = replace(
            state, counted=max(now, 0), counted_us=moved_us if now < 0 else state.counted_us
        )

    def state(self) -> TableState:
        """The table now, piles in order of their names."""
        return TableState(
            foundations=tuple(self.foundations[pile] for pile in sorted(self.foundations, key=str)),
            piles=tuple(self.piles[pile] for pile in sorted(self.piles, key=str)),
        )


def _heap_seen(heap: Heap, view: View) -> Heap:
    """``heap`` as a look leaves it: what is seen on top is on top, the rest as far as it agrees."""
    if view.is_empty:
        return Heap(below=0)
    seen_down = not view.face_up
    if seen_down:
        return heap if not heap.cards and heap.below != 0 else Heap(below=None)
    top = heap.top
    if view.top is None or (top is not None and top.card == view.top):
        return heap
    if top is None and heap.below:
        return Heap(below=heap.below - 1, cards=(Lying(view.top),))
    return Heap(below=None, cards=(Lying(view.top),))


def is_foundation(pile: PileId) -> bool:
    """Whether ``pile`` is built up from an ace."""
    return pile.kind is PileKind.FOUNDATION
