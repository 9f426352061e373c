"""One fold over a match: what was told, with what people corrected, through a new referee."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import cast

from referee.acts import ActIndex
from referee.clock import Interval
from referee.events import CardMoved
from referee.evidence import Evidence
from referee.observations import CardLanded, Observation, PileSeen, known_us
from referee.piles import PileId
from referee.referee import Referee
from referee.reviews import Resolution
from referee.setup import MatchSetup
from referee.shelf import Entered, Shelf
from referee.sightings import CardsCarried, LaidCard, PileLaid
from referee.trail import Corrections, Trail, is_after, state_of
from referee.verdicts import Ruling, Verdict

Act = tuple[tuple[int, ...], int]
"""The entries that a verdict is about, and which of several verdicts about just these it is."""

REVIEWED = Evidence("review", ())
"""Where what a reviewer told comes from."""


@dataclass(frozen=True, slots=True)
class Given:
    """A verdict with what it is about."""

    verdict: Verdict
    act: Act
    play_entries: tuple[tuple[int, ...], ...]
    """For each play of its event the entries that told it."""

    @property
    def entries(self) -> tuple[int, ...]:
        """The observations that it is about."""
        return self.act[0]

    def named(self, number: int) -> "Given":
        """The same as the ``number``-th verdict of the match."""
        verdict_id = f"v{number}"
        if self.verdict.verdict_id == verdict_id:
            return self
        return replace(self, verdict=replace(self.verdict, verdict_id=verdict_id))


class Fold:
    """A referee that traces each verdict back to the entries that it is about."""

    def __init__(self, setup: MatchSetup) -> None:
        self.referee = Referee(setup)
        self.index = ActIndex()
        self._insisted: frozenset[int] = frozenset()
        """Entries of the plays that stand because a person ruled so."""
        self._times: Counter[tuple[int, ...]] = Counter()

    def insist_on(self, entries: frozenset[int]) -> None:
        """Let the plays that these entries tell stand from now on, whatever the referee says of them."""
        self._insisted = entries

    def observe(self, entered: Entered) -> list[Given]:
        """Take in one observation; what fell due before it."""
        known = known_us(entered.observation)
        at_us = known if entered.at_us is None else max(entered.at_us, known)
        stepped = self._step_by_step(at_us)
        given = stepped + self._traced(self.referee.observe_checked(entered.observation, at_us=at_us))
        self.index.add(entered.entry, entered.observation)
        return given

    def advance(self, now_us: int) -> list[Given]:
        """Come to ``now_us``; what fell due."""
        return self._step_by_step(now_us) + self._traced(self.referee.advance(now_us))

    def finish(self) -> list[Given]:
        """Nothing more comes; what was still open."""
        return self._step_by_step(None) + self._traced(self.referee.finish())

    def _step_by_step(self, before_us: int | None) -> list[Given]:
        """Where a person's answer must be in before the next window closes, close one after another."""
        if not self._insisted:
            return []
        closing = sorted({pending.decided_by_us + 1 for pending in self.referee.pending})
        steps = [us for us in closing if before_us is None or us < before_us]
        return [given for us in steps for given in self._traced(self.referee.advance(us))]

    def _traced(self, verdicts: Iterable[Verdict]) -> list[Given]:
        given = [self._trace(verdict) for verdict in verdicts]
        for item in given if self._insisted else ():
            self._insist(item)
        return given

    def _trace(self, verdict: Verdict) -> Given:
        entries = self.index.entries_of(verdict.event)
        act = (entries, self._times[entries])
        self._times[entries] += 1
        return Given(verdict, act, tuple(self.index.entries_of(play) for play in verdict.event.plays))

    def _insist(self, given: Given) -> None:
        """Let the plays that a person ruled on stand, whatever the referee said of them."""
        verdict = given.verdict
        insisted = {i for i, es in enumerate(given.play_entries) if self._insisted.intersection(es)}
        if insisted <= set(verdict.kept):
            return
        kept = tuple(sorted({*verdict.kept, *insisted}))
        returned = tuple(i for i in verdict.returned if i not in kept)
        self.referee.answer(replace(verdict, kept=kept, returned=returned))
        for i in sorted(insisted - set(verdict.kept)):
            play = verdict.event.plays[i]
            if play.target.seat is None:
                self.referee.observe(_on_top(play), at_us=self.referee.now_us)


@dataclass(slots=True)
class Folding:
    """A fold under way, with what its script must remember. It is all of it: a copy goes on alike."""

    fold: Fold
    covered: dict[PileId, CardLanded] = field(default_factory=dict)
    """By pile, the last card there if it does not count: looks that show it tell nothing."""
    newest_us: int | None = None


FoldTrail = Trail[Given, Folding]


@dataclass(frozen=True, slots=True)
class Folded:
    """A whole fold, and all that was ruled in it."""

    fold: Fold
    given: tuple[Given, ...]
    trail: FoldTrail


@dataclass(frozen=True, slots=True)
class Answer:
    """A resolution, and the verdict that it answers."""

    entry: int
    """Its number."""
    resolution: Resolution
    given: Given
    verdict: Verdict | None
    """What the reviewer ruled. None: the referee rules, by the facts."""

    @property
    def kept_entries(self) -> frozenset[int]:
        """The entries of the plays that stay because the reviewer ruled so."""
        if self.verdict is None:
            return frozenset()
        return frozenset(e for i in self.resolution.kept for e in self.given.play_entries[i])

    @property
    def lost_entries(self) -> frozenset[int]:
        """The entries of the plays that do not count because the reviewer ruled so."""
        if self.verdict is None:
            return frozenset()
        plays = enumerate(self.given.play_entries)
        return frozenset(e for i, es in plays if i in self.verdict.returned for e in es) - self.kept_entries


def fold(
    setup: MatchSetup,
    told: Shelf,
    *,
    taken_back: frozenset[int],
    answers: Sequence[Answer],
    now_us: int | None,
    is_finished: bool,
    trail: FoldTrail | None = None,
    late: Sequence[Entered] = (),
) -> Folded:
    """Fold ``told`` without the entries ``taken_back`` and with ``answers``, up to ``now_us`` or the end.

    ``trail``: of an earlier fold of the same, by which only what may come out otherwise is folded. ``late``:
    what is told beside.
    """
    corrections = _corrections(taken_back, answers)
    new, mark = (trail or Trail()).branch(corrections)
    folding = Folding(Fold(setup)) if mark is None else cast("Folding", state_of(mark))
    folding.fold.insist_on(corrections.insisted)
    missed = is_after(mark, corrections.missed)
    for entered in chain(told.since(new.told), late):
        for each in _script(entered, corrections, folding, missed):
            new.given += folding.fold.observe(each)
        new.step(entered.entry, folding.newest_us, folding)
    for each in missed:
        new.given += folding.fold.observe(each)
    new.is_open = new.is_open and not missed and not folding.covered and not late
    if now_us is not None:
        new.given += folding.fold.advance(now_us)
    if is_finished:
        new.given += folding.fold.finish()
    given = list(new.given)
    for answer in answers:
        given = _answered(given, answer)
    return Folded(folding.fold, tuple(given), new)


def _corrections(taken_back: frozenset[int], answers: Sequence[Answer]) -> Corrections:
    return Corrections(
        facts={f.entry: f.observation for a in answers for f in a.resolution.facts if f.entry is not None},
        taken_back=taken_back,
        lost=frozenset(e for answer in answers for e in answer.lost_entries),
        insisted=frozenset(e for answer in answers for e in answer.kept_entries),
        missed=tuple(_missed(answers)),
    )


def _script(
    entered: Entered, corrections: Corrections, folding: Folding, missed: list[Entered]
) -> Iterator[Entered]:
    """What is told at the place of ``entered``, as it holds now; what was missed by then comes first."""
    observation = corrections.facts.get(entered.entry, entered.observation)
    if entered.entry in corrections.taken_back or observation is None:
        return
    known = known_us(observation)
    at_us = known if entered.at_us is None else max(known, entered.at_us)
    folding.newest_us = at_us if folding.newest_us is None else max(folding.newest_us, at_us)
    while missed and known_us(missed[0].observation) <= folding.newest_us:
        yield missed.pop(0)
    is_named = entered.entry in corrections.lost
    if not _is_lost(observation, is_named=is_named, covered=folding.covered):
        is_as_told = observation is entered.observation
        yield entered if is_as_told else replace(entered, observation=observation)


def _missed(answers: Sequence[Answer]) -> list[Entered]:
    """What reviewers saw and the cameras missed, under the number of the resolution, by time."""
    told = [
        Entered(answer.entry, fact.observation, None)
        for answer in answers
        for fact in answer.resolution.facts
        if fact.entry is None and fact.observation is not None
    ]
    return sorted(told, key=lambda entered: known_us(entered.observation))


def _is_lost(observation: Observation, *, is_named: bool, covered: dict[PileId, CardLanded]) -> bool:
    """Whether ``observation`` tells of a card that does not count, because a person ruled so."""
    if isinstance(observation, CardLanded):
        covered.pop(observation.pile, None)
        if is_named:
            covered[observation.pile] = observation
        return is_named
    if isinstance(observation, PileSeen) and observation.pile in covered:
        landed = covered[observation.pile]
        if observation.seen.start_us >= landed.touch.end_us and observation.top == landed.card:
            return True
        if observation.seen.start_us >= landed.touch.end_us:
            del covered[observation.pile]
        return False
    return is_named and isinstance(observation, CardsCarried)


def _answered(given: list[Given], answer: Answer) -> list[Given]:
    """``given`` with the reviewer's verdict in place of what the referee says of the same plays."""
    if answer.verdict is None:
        return given
    entries = frozenset(answer.given.entries)
    plays = frozenset(e for es in answer.given.play_entries for e in es)
    place: int | None = None
    kept: list[Given] = []
    for item in given:
        is_part = item.entries != () and entries.issuperset(item.entries)
        speaks_of = plays.intersection(e for es in item.play_entries for e in es)
        if item.act == answer.given.act or (is_part and speaks_of and item.verdict.ruling is not Ruling.FLAG):
            place = len(kept) if place is None else place
        else:
            kept.append(item)
    ruled = replace(answer.given, verdict=answer.verdict)
    place = _place_by_time(kept, ruled) if place is None else place
    return [*kept[:place], ruled, *kept[place:]]


def _place_by_time(given: Sequence[Given], ruled: Given) -> int:
    """Where the answer stands among the verdicts, if nothing is said of its plays any more."""
    last = max(ruled.entries, default=0)
    later = (i for i, item in enumerate(given) if min(item.entries, default=0) > last)
    return next(later, len(given))


def _on_top(play: CardMoved) -> PileLaid:
    """The pile of ``play`` with its card on top, as the reviewer says."""
    return PileLaid(
        pile=play.target,
        down=0,
        cards=(LaidCard(card=play.card, stands_for=play.stands_for),),
        below_known=False,
        at=Interval(play.settled_us, play.settled_us),
        told_by="review",
        evidence=REVIEWED,
    )
