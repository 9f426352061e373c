"""Who places a card where several come to one shared pile, and nobody shares a place (S17 to S19, E5).

Spit and its sisters know no tie: the first to touch places its card, else the card that lies lower at rest,
else nobody does and the pile is played again (a LET). Cards are judged one after another, each on what the
ones before it left, so that 6C and then 5D both stand on 7H.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from referee.cards import Card
from referee.clock import ClockGrade, Interval, TouchOutcome, order_touches
from referee.events import CardMoved
from referee.sightings import LaidCard
from referee.verdicts import Basis

STEPS_KEPT = 6
"""Late rivals are looked for among this many last cards of a pile: no more come in half a second."""
RETURNS_KEPT = 8
"""Cards of one pile that should go back and may yet do so."""


@dataclass(frozen=True, slots=True)
class Step:
    """One card that stands on a pile, and what it was put on."""

    tops: tuple[Card, ...]
    """What lay on top before; several where that was not certain."""
    play: CardMoved


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPile:
    """A shared pile, judged by the last card that stands on it."""

    tops: tuple[Card, ...] = ()
    """What lies on top: one card; several where a joker may stand for each of them; empty: not known."""
    count: int | None = None
    """Cards in it. None: not known."""
    steps: tuple[Step, ...] = ()
    """The last few cards that came to stand."""
    to_return: tuple[CardMoved, ...] = ()
    """Cards that lie there, or were there, and should go back."""

    @property
    def top(self) -> Card | None:
        """The card on top. None: not known for certain."""
        return self.tops[0] if len(self.tops) == 1 else None

    def filled(self, play: CardMoved, tops: tuple[Card, ...]) -> "SharedPile":
        """With ``play`` standing on it, which leaves ``tops``."""
        steps = (*self.steps, Step(self.tops, play))[-STEPS_KEPT:]
        count = None if self.count is None else self.count + 1
        return replace(self, tops=tops, count=count, steps=steps)

    def holding(self, plays: Sequence[CardMoved]) -> "SharedPile":
        """With ``plays`` to go back."""
        return replace(self, to_return=(*self.to_return, *plays)[-RETURNS_KEPT:])

    def undone(self) -> "SharedPile":
        """Without the last step, whose card goes back."""
        *steps, last = self.steps
        count = None if self.count is None else self.count - 1
        return replace(self, tops=last.tops, count=count, steps=tuple(steps)).holding([last.play])

    def without(self, play: CardMoved) -> "SharedPile":
        """With ``play`` gone back."""
        return replace(self, to_return=tuple(other for other in self.to_return if other != play))


class Result(StrEnum):
    """What became of one or more plays."""

    STANDS = "stands"
    REFUSED = "refused"
    LET = "let"
    DOUBTFUL = "doubtful"
    """What it was put on, or the card itself, is not known."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a play, and of those that came for the same place."""

    result: Result
    plays: tuple[CardMoved, ...]
    """The one that stands first, then the ones that go back; for a LET all that go back."""
    tops: tuple[Card, ...]
    """What it was put on."""
    basis: Basis | None = None
    """STACKING: the card that lies lower came first (E5). None: the touch times, or there was no race."""
    is_known: bool = False
    """Whether the one that stands was told so before."""
    is_overturned: bool = False
    """Whether one that goes back was told to stand before: the second of a race, the first of a LET."""
    is_wide: bool = False
    """Of a LET: whether a touch was seen too coarsely for a clear tie (E4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRules:
    """What a race is judged by."""

    tops_after: Callable[[CardMoved, tuple[Card, ...]], tuple[Card, ...]]
    """What a play leaves on top of such tops; empty: it does not fit."""
    is_barred: Callable[[CardMoved], bool]
    """Whether a play may go on no shared pile at all."""
    needs_face: bool = True
    """Whether it takes a card's face to know that it fits."""
    guard_us: int
    w_max_us: int
    race_us: int
    clock_grade: ClockGrade

    def surely_before(self, one: Interval, other: Interval) -> bool:
        """Whether ``one`` touched surely before ``other`` (E2)."""
        return one.surely_before(other, guard_us=self.guard_us)

    def is_wide(self, plays: Sequence[CardMoved]) -> bool:
        """Whether the touches of ``plays`` are too coarse for a clear tie (E3, E4)."""
        touches = [play.touch for play in plays]
        order = order_touches(
            touches, guard_us=self.guard_us, w_max_us=self.w_max_us, clock_grade=self.clock_grade
        )
        return order.outcome is TouchOutcome.TOO_CLOSE


@dataclass(slots=True)
class Race:
    """Judges the plays that came to one pile; ``pile`` is the pile as it then stands."""

    rules: RaceRules
    pile: SharedPile
    at_rest: tuple[LaidCard, ...] = ()
    """The cards of the pile as they were seen to lie, the lowest first; empty: not seen."""
    decisions: list[Decision] = field(default_factory=list)

    def judge(self, plays: Sequence[CardMoved], *, is_final: bool) -> tuple[CardMoved, ...]:
        """Decide ``plays``, given in order of touch; returns those that must wait for how the cards lie.

        With ``is_final`` nothing waits.
        """
        waiting = tuple(plays)
        while waiting:
            decided = self._next(waiting, is_final=is_final)
            if not decided:
                return waiting
            waiting = tuple(play for play in waiting if play not in decided)
        return ()

    def _next(self, waiting: Sequence[CardMoved], *, is_final: bool) -> tuple[CardMoved, ...]:
        """Decide the next of ``waiting``; returns what was decided, nothing if it has to wait."""
        first = waiting[0]
        if self.rules.is_barred(first):
            return self._refuse(first)
        if not self._is_legible(first) or not self.pile.tops:
            return self._doubt(first)
        fits = [play for play in waiting if self._fits(play, self.pile.tops)]
        in_doubt = [play for play in fits if not self.rules.surely_before(first.touch, play.touch)]
        if not in_doubt or self._lies_below(first, in_doubt):
            return self._late(first, is_final=is_final)
        return self._first_of(in_doubt, is_final=is_final)

    def _first_of(self, plays: Sequence[CardMoved], *, is_final: bool) -> tuple[CardMoved, ...]:
        """Decide which of ``plays``, that all fit and touched not surely apart, stands."""
        earliest = min(plays, key=lambda play: (play.touch.end_us, play.touch.start_us))
        leaders = [p for p in plays if not self.rules.surely_before(earliest.touch, p.touch)]
        seats = {play.seat for play in leaders}
        if len(leaders) == 1 or (len(seats) == 1 and None not in seats):
            return self._stand(leaders[0])
        places = [self._place(play) for play in leaders]
        known = [place for place in places if place is not None]
        if len(known) == len(places) == len(set(known)):
            return self._stand(leaders[known.index(min(known))], Basis.STACKING)
        if is_final and self._fit_in_any_order(leaders):
            return self._stand_in_any_order(leaders)
        return self._let(leaders) if is_final else ()

    def _fit_in_any_order(self, plays: Sequence[CardMoved]) -> bool:
        """Whether each of ``plays`` would fit on each other: with equal ranks nobody loses a place."""
        tops = self.pile.tops
        return all(self._fits(b, self._after(a, tops)) for a in plays for b in plays if a is not b)

    def _late(self, play: CardMoved, *, is_final: bool) -> tuple[CardMoved, ...]:
        """Decide ``play``, which does not fit what lies there now: a lost race, or simply wrong."""
        step = self._step_missed_by(play)
        if step is None:
            return self._refuse(play)
        if self._was_first(step.play, play):
            return self._lose(step, play)
        is_last = step == self.pile.steps[-1]
        if not is_last:
            return self._lose(step, play, Basis.STACKING)
        if self._was_first(play, step.play):
            return self._overturn(step, play)
        if not is_final:
            return ()
        self.pile = self.pile.undone()
        return self._let([step.play, play], is_overturned=True)

    def _was_first(self, one: CardMoved, other: CardMoved) -> bool:
        return self.rules.surely_before(one.touch, other.touch) or self._lies_below(one, [other])

    def _step_missed_by(self, play: CardMoved) -> Step | None:
        """The step whose place ``play`` came for as well, soon enough to be a rival."""
        for step in reversed(self.pile.steps):
            gap_us = play.touch.start_us - step.play.touch.end_us
            is_other_hand = play.seat is None or play.seat is not step.play.seat
            if is_other_hand and gap_us <= self.rules.race_us and self._fits(play, step.tops):
                return step
        return None

    def _fits(self, play: CardMoved, tops: tuple[Card, ...]) -> bool:
        is_allowed = self._is_legible(play) and not self.rules.is_barred(play)
        return is_allowed and self._after(play, tops) != ()

    def _is_legible(self, play: CardMoved) -> bool:
        return play.card is not None or not self.rules.needs_face

    def _after(self, play: CardMoved, tops: tuple[Card, ...]) -> tuple[Card, ...]:
        return self.rules.tops_after(play, tops)

    def _place(self, play: CardMoved) -> int | None:
        """How many cards were seen to lie below that of ``play``. None: it was not seen there."""
        for i in range(len(self.at_rest) - 1, -1, -1):
            laid = self.at_rest[i]
            if laid.card == play.card and (laid.owner is None or laid.owner is play.seat):
                return i
        return None

    def _lies_below(self, play: CardMoved, others: Sequence[CardMoved]) -> bool:
        """Whether the card of ``play`` was seen to lie below all of ``others``, none of them itself."""
        places = [self._place(other) for other in others]
        own = self._place(play)
        return play not in others and own is not None and all(p is not None and own < p for p in places)

    # -- what is decided ------------------------------------------------------------------------------------

    def _stand(self, play: CardMoved, basis: Basis | None = None) -> tuple[CardMoved, ...]:
        tops = self.pile.tops
        self.decisions.append(Decision(Result.STANDS, (play,), tops, basis))
        self.pile = self.pile.filled(play, self._after(play, tops))
        return (play,)

    def _stand_in_any_order(self, plays: Sequence[CardMoved]) -> tuple[CardMoved, ...]:
        """All of ``plays`` stand; which of them lies on top was not seen."""
        on_top = tuple(top for play in plays for top in self._after(play, self.pile.tops))
        for play in plays:
            self._stand(play)
        self.pile = replace(self.pile, tops=on_top)
        return tuple(plays)

    def _lose(self, step: Step, play: CardMoved, basis: Basis | None = None) -> tuple[CardMoved, ...]:
        """``play`` goes back; told with the play that it lost to, if that is decided here as well."""
        if not self.rules.surely_before(step.play.touch, play.touch):
            basis = Basis.STACKING
        self.pile = self.pile.holding([play])
        for i, decision in enumerate(self.decisions):
            if decision.result is Result.STANDS and decision.plays[0] == step.play:
                plays = (*decision.plays, play)
                self.decisions[i] = replace(decision, plays=plays, basis=decision.basis or basis)
                return (play,)
        plays = (step.play, play)
        self.decisions.append(Decision(Result.STANDS, plays, step.tops, basis, is_known=True))
        return (play,)

    def _overturn(self, step: Step, play: CardMoved) -> tuple[CardMoved, ...]:
        """``play`` was there first after all: it stands in place of the last step."""
        is_sure = self.rules.surely_before(play.touch, step.play.touch)
        self.pile = self.pile.undone()
        basis = None if is_sure else Basis.STACKING
        plays = (play, step.play)
        self.decisions.append(Decision(Result.STANDS, plays, step.tops, basis, is_overturned=True))
        self.pile = self.pile.filled(play, self._after(play, step.tops))
        return (play,)

    def _let(self, plays: Sequence[CardMoved], *, is_overturned: bool = False) -> tuple[CardMoved, ...]:
        is_wide = self.rules.is_wide(plays)
        back = tuple(plays)
        self.decisions.append(
            Decision(Result.LET, back, self.pile.tops, is_overturned=is_overturned, is_wide=is_wide)
        )
        held = [play for play in plays if play not in self.pile.to_return]
        self.pile = self.pile.holding(held)
        return back

    def _refuse(self, play: CardMoved) -> tuple[CardMoved, ...]:
        self.decisions.append(Decision(Result.REFUSED, (play,), self.pile.tops))
        self.pile = self.pile.holding([play])
        return (play,)

    def _doubt(self, play: CardMoved) -> tuple[CardMoved, ...]:
        """Nobody can rule; what lies on top now is not known until it is seen."""
        self.decisions.append(Decision(Result.DOUBTFUL, (play,), self.pile.tops))
        count = None if self.pile.count is None else self.pile.count + 1
        self.pile = replace(self.pile, tops=(), count=count, steps=())
        return (play,)
