"""The whole of a match: what was told, ruled, appealed, answered and taken back, as one fold.

A verdict that was given is never changed. Where a person answers one, or takes an entry back, everything that
was told is folded again with what now holds; what comes out otherwise is given as new verdicts, and the score
follows. The same entries give the same verdicts, live or replayed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from referee.cards import Card
from referee.corrections import facts_about
from referee.folding import Answer, Fold, Folded, Folding, FoldTrail, Given, fold
from referee.ledger import Change, Ledger, number_of
from referee.messages import say
from referee.observations import LATE, Observation
from referee.piles import Seat
from referee.referee import ObservationError, Referee, refuse_faults
from referee.reviews import (
    Appeal,
    Decision,
    Fact,
    Resolution,
    Revert,
    Review,
    ReviewError,
    fault_in_kept_of,
    fault_in_review,
    id_of,
)
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.shelf import Entered, Shelf
from referee.verdicts import Basis, Verdict

_Kind = TypeVar("_Kind", Appeal, Resolution)


class Standing(StrEnum):
    """How a verdict that was given stands."""

    STANDING = "standing"
    UNDER_APPEAL = "under appeal"
    CONFIRMED = "confirmed"
    """A person looked again, and it stands."""
    OVERTURNED = "overturned"
    """Answered by a person, or no longer what follows from what holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A verdict as it was given, and how it stands now."""

    verdict: Verdict
    entries: tuple[int, ...]
    """The observations that it is about."""
    standing: Standing
    appeal: Appeal | None
    """The last one against it. None: nobody appealed."""
    answered_by: str | None
    """The review by which it stands or fell: ``r1``, ``u2``. None: none did."""
    now: tuple[str, ...]
    """If it fell: the verdicts that hold in its place."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """All that a review would do."""

    changes: tuple[Change, ...]
    score_before: Scorecard
    score_after: Scorecard


class Proceedings:
    """One match with all that people entered about its verdicts. Entries are numbered as in the record."""

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self._fold = Fold(setup)
        self._shelf = Shelf()
        self._reviews: dict[int, Review] = {}
        self._late: dict[int, Observation] = {}
        """Counts that were told after the end, by entry."""
        self._newest_entry = 0
        self._count = 0
        """Verdicts given."""
        self._ledger: Ledger | None = None
        """None: nobody has looked back yet."""
        self._trail: FoldTrail | None = None
        """How the fold went that holds; None as long as the ledger is."""
        self._tried: tuple[tuple[object, ...], Folded | None] | None = None
        """The last review that was asked about, as the match stood then, and the fold with it."""
        self.is_finished = False
        """Whether nothing more is seen."""

    @property
    def referee(self) -> Referee:
        """The referee into which all that holds was folded: its score, its table, its pending touches."""
        return self._fold.referee

    def look_back(self) -> None:
        """Hold all that is given from now on; otherwise the first one who asks waits for a fold."""
        assert self._book is not None, "it is made when it is asked for"

    @property
    def scorecard(self) -> Scorecard:
        """The score by what holds."""
        return self.referee.scorecard

    def entries_of(self, verdict: Verdict) -> tuple[int, ...]:
        """The entries that a verdict just given is about."""
        if self._ledger is not None:
            return self._ledger.find(verdict.verdict_id).entries
        return self._fold.index.entries_of(verdict.event)

    def observe(
        self, observation: Observation, *, at_us: int | None = None, entry: int | None = None
    ) -> tuple[Verdict, ...]:
        """Take in one observation; the verdicts that fell due before it.

        ``at_us`` is the time of the frame with which it came, ``entry`` its number in the record; by default
        the earliest time and the next number.
        """
        refuse_faults(self.setup, observation)
        if self.is_finished:
            return self._count_late(observation, entry)
        entered = Entered(self._numbered(entry), observation, at_us)
        self._shelf.add(entered)
        given = self._give(self._fold.observe(entered))
        if self._trail is not None:
            now_us = self.referee.now_us
            self._trail.step(entered.entry, now_us, Folding(self._fold, newest_us=now_us))
        return given

    def advance(self, now_us: int) -> tuple[Verdict, ...]:
        """Say that the source has come to ``now_us``; the verdicts that fell due."""
        return self._give(self._fold.advance(now_us))

    def finish(self) -> tuple[Verdict, ...]:
        """Say that nothing more is seen; the verdicts that were still open. Reviews may follow."""
        self.is_finished = True
        return self._give(self._fold.finish())

    def review(self, review: Review, *, entry: int | None = None) -> tuple[Verdict, ...]:
        """Take in an appeal, a resolution or a revert; the verdicts that follow from it.

        ``ReviewError`` says why it cannot be taken in.
        """
        number = self._newest_entry + 1 if entry is None else entry
        folded = self._asked(number, review)
        self._tried = None
        self._reviews[self._numbered(entry)] = review
        if folded is None:
            return ()
        self._fold, self._trail = folded.fold, folded.trail
        given = self._book.adopt(folded.given, id_of(review))
        self._count = len(self._book.given)
        return given

    def what_if(self, review: Review, *, entry: int | None = None) -> Consequence:
        """What ``review`` would change, were it entered now. Nothing is entered."""
        folded = self._asked(self._newest_entry + 1 if entry is None else entry, review)
        if folded is None:
            return Consequence((), self.scorecard, self.scorecard)
        changes = self._book.changes(folded.given)
        return Consequence(changes, self.scorecard, folded.fold.referee.scorecard)

    def what_if_counted(self, observation: Observation) -> Consequence:
        """What a count that is told after the end would change. Nothing is entered."""
        refuse_faults(self.setup, observation)
        late = Entered(self._newest_entry + 1, _counted(observation), self.referee.now_us)
        folded = self._folded(self._reviews, late=(late,))
        changes = self._book.changes(folded.given)
        return Consequence(changes, self.scorecard, folded.fold.referee.scorecard)

    def _count_late(self, observation: Observation, entry: int | None) -> tuple[Verdict, ...]:
        """Take in a count that is told after the end: all is folded again with it."""
        book = self._book
        late = Entered(self._numbered(entry), _counted(observation), self.referee.now_us)
        self._shelf.add(late)
        self._late[late.entry] = late.observation
        folded = self._folded(self._reviews)
        self._fold, self._trail = folded.fold, folded.trail
        given = book.adopt(folded.given, f"c{late.entry}")
        self._count = len(book.given)
        return given

    def correction(
        self, verdict_id: str, *, play: int = 0, card: Card | None = None, seat: Seat | None = None
    ) -> tuple[Fact, ...]:
        """The facts for a resolution that says of a play: it was ``card``, or it was ``seat`` who played it.

        ``play`` is its position in the plays of the verdict's event.
        """
        given = self._book.find(verdict_id)
        if not 0 <= play < len(given.play_entries) or not given.play_entries[play]:
            raise ReviewError(f"{verdict_id} is about no play number {play}")
        reviews = [answer.facts for answer in self._active(Resolution)]
        held = {
            fact.entry: fact.observation
            for facts in reviews
            for fact in facts
            if fact.observation is not None
        }
        told = [replace(i, observation=held[i.entry]) if i.entry in held else i for i in self._shelf]
        return facts_about(told, given.play_entries[play][-1], self.setup, card=card, seat=seat)

    def verdict(self, verdict_id: str) -> Verdict:
        """The verdict of this id, as it was given; ``ReviewError`` if there is none."""
        return self._book.find(verdict_id).verdict

    @property
    def reviews(self) -> Mapping[int, Review]:
        """All that people entered about verdicts, by number."""
        return self._reviews

    @property
    def added(self) -> tuple[Review | Observation, ...]:
        """What people added to what was seen, in its order: reviews, and counts told after the end."""
        both = {**self._reviews, **self._late}
        return tuple(both[number] for number in sorted(both))

    @property
    def taken_back(self) -> frozenset[int]:
        """The entries that do not hold: taken back, and not restored since."""
        return _taken_back(self._reviews)

    @property
    def rulings(self) -> tuple[Ruled, ...]:
        """Every verdict that was given, in order, and how it stands."""
        appeals = {appeal.verdict_id: appeal for appeal in self._active(Appeal)}
        answers = {answer.verdict_id: answer for answer in self._active(Resolution)}
        return tuple(self._ruled(given, appeals, answers) for given in self._book.given)

    def appeal_against(self, verdict_id: str) -> Appeal | None:
        """The last appeal against a verdict. None: nobody appealed."""
        against = [appeal for appeal in self._active(Appeal) if appeal.verdict_id == verdict_id]
        return against[-1] if against else None

    def appeals_left(self, seat: Seat) -> int:
        """How many appeals ``seat`` may still raise: one that was upheld is kept."""
        answers = {answer.appeal_id: answer for answer in self._active(Resolution)}
        lost = [
            appeal
            for appeal in self._active(Appeal)
            if appeal.raised_by is seat and not _is_upheld(answers.get(appeal.appeal_id))
        ]
        return max(self.setup.rules.appeals - len(lost), 0)

    # -- numbers and names ----------------------------------------------------------------------------------

    def _numbered(self, entry: int | None) -> int:
        number = self._newest_entry + 1 if entry is None else entry
        if number <= self._newest_entry:
            raise ReviewError(f"entry: want more than {self._newest_entry}, got {number}")
        self._newest_entry = number
        return number

    def _give(self, given: list[Given]) -> tuple[Verdict, ...]:
        verdicts: list[Verdict] = []
        for item in given:
            self._count += 1
            named = item.named(self._count) if self._ledger is None else self._ledger.add(item)
            verdicts.append(named.verdict)
            if self._trail is not None:
                self._trail.given.append(named)
        return tuple(verdicts)

    @property
    def _book(self) -> Ledger:
        """All that was given. Before the first look back nothing of it is held; it is found by folding."""
        if self._ledger is None:
            ledger, folded = Ledger(), self._folded({})
            for item in folded.given:
                ledger.add(item)
            self._ledger, self._trail = ledger, folded.trail
        return self._ledger

    def _ruled(self, given: Given, appeals: Mapping[str, Appeal], answers: Mapping[str, Resolution]) -> Ruled:
        verdict_id = given.verdict.verdict_id
        appeal, answer = appeals.get(verdict_id), answers.get(verdict_id)
        felled_by = self._book.felled_by.get(verdict_id)
        if felled_by is not None:
            standing, answered_by = Standing.OVERTURNED, felled_by
        elif answer is not None:
            standing, answered_by = Standing.CONFIRMED, answer.resolution_id
        else:
            standing = Standing.STANDING if appeal is None else Standing.UNDER_APPEAL
            answered_by = None
        return Ruled(
            verdict=given.verdict,
            entries=given.entries,
            standing=standing,
            appeal=appeal,
            answered_by=answered_by,
            now=self._book.instead_of(given),
        )

    # -- what may be entered --------------------------------------------------------------------------------

    def _asked(self, number: int, review: Review) -> Folded | None:
        """The same as ``_admitted``, which is not folded twice while nothing else comes in."""
        asked = (number, review, self._newest_entry, self._count, self.referee.now_us, self.is_finished)
        if self._tried is None or self._tried[0] != asked:
            self._tried = asked, self._admitted(number, review)
        return self._tried[1]

    def _admitted(self, number: int, review: Review) -> Folded | None:
        """The fold with ``review`` in it, None where it changes nothing; ``ReviewError`` if it may not be."""
        fault = fault_in_review(review)
        if fault is not None:
            raise ReviewError(fault)
        if id_of(review) in {id_of(other) for other in self._reviews.values()}:
            raise ReviewError(f"{id_of(review)} was entered already")
        if isinstance(review, Appeal):
            self._refuse_appeal(review)
            return None
        if isinstance(review, Revert):
            self._refuse_revert(number, review)
            return self._folded({**self._reviews, number: review})
        self._refuse_resolution(review)
        if review.decision is Decision.STANDS:
            return None
        folded = self._folded({**self._reviews, number: review})
        self._refuse_idle(review, folded)
        return folded

    def _refuse_appeal(self, appeal: Appeal) -> None:
        seated = [item.seat for item in self.setup.seats]
        if appeal.raised_by not in seated:
            raise ReviewError(f"nobody sits at {appeal.raised_by} (seats: {', '.join(seated)})")
        given = self._open_to_review(appeal.verdict_id)
        for other in self._open_appeals():
            if _is_same_act(given, self._book.find(other.verdict_id)):
                said = f"{appeal.verdict_id} is under appeal already ({other.appeal_id})"
                raise ReviewError(said, "under_appeal")
        if self.appeals_left(appeal.raised_by) == 0:
            player = self.setup.player_at(appeal.raised_by)
            allowed = self.setup.rules.appeals
            said = f"{player} has no appeal left (house rule: appeals = {allowed})"
            raise ReviewError(said, "no_appeal_left")

    def _refuse_resolution(self, resolution: Resolution) -> None:
        given = self._open_to_review(resolution.verdict_id)
        against = [a for a in self._open_appeals() if _is_same_act(given, self._book.find(a.verdict_id))]
        named = [appeal.appeal_id for appeal in against]
        if resolution.appeal_id is None and against:
            raise ReviewError(f"{resolution.verdict_id} is under appeal: the answer names {named[0]}")
        if resolution.appeal_id is not None and resolution.appeal_id not in named:
            raise ReviewError(f"no open appeal {resolution.appeal_id!r} against {resolution.verdict_id}")
        plays = len(given.verdict.event.plays)
        if any(not 0 <= i < plays for i in resolution.kept):
            raise ReviewError(f"kept: want positions below {plays}, got {list(resolution.kept)}")
        if resolution.ruling is not None:
            is_of_cards = given.verdict.outcome is None
            kept = len(resolution.kept)
            fault = fault_in_kept_of(resolution.ruling, kept, plays, is_of_cards=is_of_cards)
            if fault is not None:
                raise ReviewError(fault)
        self._refuse_facts(resolution)

    def _refuse_facts(self, resolution: Resolution) -> None:
        named = {fact.entry for fact in resolution.facts}
        told = {item.entry: item.observation for item in self._shelf if item.entry in named} if named else {}
        for fact in resolution.facts:
            if fact.entry is not None and fact.entry not in told:
                raise ReviewError(f"facts: entry {fact.entry} is no observation")
            if fact.observation is None:
                continue
            refuse_faults(self.setup, fact.observation)
            if fact.entry is not None and type(fact.observation) is not type(told[fact.entry]):
                wanted = type(told[fact.entry]).__name__
                raise ReviewError(f"facts: entry {fact.entry} is a {wanted}, and stays one")

    def _refuse_revert(self, number: int, revert: Revert) -> None:
        if not 0 < revert.entry < number:
            raise ReviewError(f"entry: want an earlier one, got {revert.entry}")
        if revert.entry in _taken_back(self._reviews):
            raise ReviewError(f"entry {revert.entry} is taken back already", "taken_back")
        target = self._reviews.get(revert.entry)
        if target is None and all(item.entry != revert.entry for item in self._shelf):
            raise ReviewError(f"entry {revert.entry} is no observation, appeal, resolution or revert")
        answers = {answer.appeal_id: answer for answer in self._active(Resolution)}
        if isinstance(target, Appeal) and target.appeal_id in answers:
            answer = answers[target.appeal_id].resolution_id
            raise ReviewError(f"{target.appeal_id} is answered: take back {answer} first", "answered")
        for resolution in self._active(Resolution):
            played = self._book.find(resolution.verdict_id).play_entries
            if resolution.ruling is not None and any(revert.entry in entries for entries in played):
                said = f"{resolution.resolution_id} rules on entry {revert.entry} ({resolution.verdict_id})"
                raise ReviewError(f"{said}: take back {resolution.resolution_id} first", "answered")

    def _refuse_idle(self, resolution: Resolution, folded: Folded) -> None:
        """A verdict that is overturned must come out otherwise."""
        given = self._book.find(resolution.verdict_id)
        was = given.verdict
        is_same = not resolution.facts and (was.ruling, was.kept) == (resolution.ruling, resolution.kept)
        if is_same or self._book.is_said_in(folded.given, given):
            raise ReviewError(f"{resolution.verdict_id} would be ruled just the same by this", "same")

    def _open_to_review(self, verdict_id: str) -> Given:
        """The verdict, if it holds and nobody has reviewed its act: there is one review for each act."""
        given = self._book.find(verdict_id)
        for answer in self._active(Resolution):
            if _is_same_act(given, self._book.find(answer.verdict_id)):
                by = answer.resolution_id
                raise ReviewError(
                    f"{verdict_id}: there is one review for each act, and this had {by}", "answered"
                )
        if verdict_id not in self._book.holds:
            felled_by = self._book.felled_by[verdict_id]
            raise ReviewError(f"{verdict_id} does not hold any more, since {felled_by}", "fell")
        return given

    # -- what holds -----------------------------------------------------------------------------------------

    def _active(self, kind: type[_Kind]) -> list[_Kind]:
        gone = _taken_back(self._reviews)
        return [each for n, each in self._reviews.items() if n not in gone and isinstance(each, kind)]

    def _open_appeals(self) -> list[Appeal]:
        answered = {answer.appeal_id for answer in self._active(Resolution)}
        return [appeal for appeal in self._active(Appeal) if appeal.appeal_id not in answered]

    def _folded(self, reviews: Mapping[int, Review], late: tuple[Entered, ...] = ()) -> Folded:
        gone = _taken_back(reviews)
        answers = tuple(
            self._answer(n, each)
            for n, each in reviews.items()
            if n not in gone and isinstance(each, Resolution) and each.decision is Decision.OVERTURNED
        )
        return fold(
            self.setup,
            self._shelf,
            taken_back=gone,
            answers=answers,
            now_us=self.referee.now_us,
            is_finished=self.is_finished,
            trail=self._trail,
            late=late,
        )

    def _answer(self, number: int, resolution: Resolution) -> Answer:
        given = self._book.find(resolution.verdict_id)
        return Answer(number, resolution, given, answer_verdict(given.verdict, resolution))


def _counted(observation: Observation) -> Observation:
    """``observation``; ``ObservationError`` where it is no count, which alone can be told after the end."""
    if not isinstance(observation, LATE):
        raise ObservationError("nothing more is seen after the end: only cards that are counted can be told")
    return observation


def answer_verdict(verdict: Verdict, resolution: Resolution) -> Verdict | None:
    """What ``resolution`` rules in place of ``verdict``. None: the referee rules again, by the facts."""
    if resolution.ruling is None:
        return None
    plays = verdict.event.plays
    spoken = [plays[i] for i in resolution.kept or range(len(plays))]
    seats, cards = {play.seat for play in spoken}, {play.card for play in spoken}
    why = say("reviewed", reviewer=resolution.reviewer, reason=resolution.reason)
    return replace(
        verdict,
        verdict_id="",
        ruling=resolution.ruling,
        rule=verdict.rule if resolution.rule is None else resolution.rule,
        reason=why.text(),
        reasons=(why,),
        outcome=None,
        basis=Basis.REVIEW,
        touch=spoken[0].touch if spoken else verdict.touch,
        seat=spoken[0].seat if len(seats) == 1 else (None if spoken else verdict.seat),
        card=spoken[0].card if len(cards) == 1 else (None if spoken else verdict.card),
        kept=resolution.kept,
        returned=tuple(i for i in range(len(plays)) if i not in resolution.kept),
    )


def _taken_back(reviews: Mapping[int, Review]) -> frozenset[int]:
    """The entries that a revert takes back which is not taken back itself."""
    gone: set[int] = set()
    for number in sorted(reviews, reverse=True):
        review = reviews[number]
        if isinstance(review, Revert) and number not in gone:
            gone.add(review.entry)
    return frozenset(gone)


def _is_upheld(answer: Resolution | None) -> bool:
    return answer is not None and answer.decision is Decision.OVERTURNED


def _is_same_act(given: Given, reviewed: Given) -> bool:
    """Whether ``given`` is about what was reviewed, or about a part of it."""
    if given.act == reviewed.act:
        return True
    is_part = given.entries != () and set(given.entries) < set(reviewed.entries)
    return is_part and number_of(given.verdict.verdict_id) > number_of(reviewed.verdict.verdict_id)
