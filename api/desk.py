"""The desk of one match: all that is seen, ruled and told goes over it into the record, then to the displays.

The chain hands over what the cameras saw from its thread, the web server what people say from others. One
lock puts them in order, and nobody is answered before the record has it.
"""

import gc
import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from api.archive import Kept
from api.errors import CommandError
from api.fates import fates_of
from api.feed import MatchFeed
from api.kinship import akin_to, spoken_of
from api.quiet import is_untold
from api.reopening import RecordError, UnfitError, taken_back
from api.review_views import Told, call_view, review_views
from api.reviewing import next_id, says_what_holds
from api.schemas import CallOut, ReviewOut, StandingsOut, VerdictOut
from api.views import ruled_view, standings_view, verdict_view
from api.write_schemas import CardFateOut, ChangeOut, ConsequenceOut, EnteredOut, WriteState
from referee.cards import Card
from referee.clock import Interval
from referee.codec import Json, canonical, encode, kind_of
from referee.ledger import Change
from referee.notation_words import Names
from referee.observations import LATE, CardsCounted, Observation
from referee.piles import PileId, Seat
from referee.proceedings import Consequence, Ruled, Standing
from referee.record import Judged, RecordedMatch
from referee.referee import ObservationError
from referee.reviews import Appeal, Decision, Fact, Resolution, Revert, Review, ReviewError, id_of
from referee.setup import MatchSetup
from referee.tellings import BacksCounted, Called, CallKind, Declared
from referee.verdicts import Ruling, Verdict

_Value = TypeVar("_Value")
_How = tuple[Standing, str | None, tuple[str, ...]]
"""How a verdict stands, by which review, and what holds in its place."""
_STANDING: _How = (Standing.STANDING, None, ())


ECHO_S = 1.0
"""What is told again just so within this time was told once: a button pressed twice, a word two heard."""

COUNT_TAKEN_US = 2_000_000
"""By then a count is in the score: no window stays open as long."""


class RefusedError(Exception):
    """The match, as it is, does not take what a person wants to enter; the message says why.

    ``code``: the same in one word, for pages in other languages. Empty: the message alone says it.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class UnknownNameError(ValueError):
    """What a person names is not in this match; the message says what is."""


class ImpossibleError(ValueError):
    """What a person enters cannot be, whatever was seen; the message says what can.

    ``code``: the same in one word, for pages in other languages.
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class LineSink(Protocol):
    """Where lines of a record are kept."""

    def append(self, line: str) -> None:
        """Keep whole lines, all or none; ``CommandError`` where that cannot be."""
        ...

    def sync(self) -> None:
        """Make sure that they outlive the machine too; ``CommandError`` where the last ones do not."""
        ...

    def check(self) -> None:
        """``CommandError`` where no more could be kept now; nothing is kept by it."""
        ...

    def content(self) -> bytes:
        """All lines so far."""
        ...


class Audience(Protocol):
    """Who is told while it happens, beside the feed."""

    def verdict(self, verdict: VerdictOut) -> None:
        """The referee ruled."""
        ...

    def standings(self, standings: StandingsOut) -> None:
        """The score follows from new verdicts."""
        ...

    def revised(self, verdicts: tuple[VerdictOut, ...], standings: StandingsOut) -> None:
        """Verdicts that were given before stand otherwise now, and the score with them."""
        ...


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person saw otherwise: the card of a play, or who played it."""

    verdict_id: str
    play: int
    card: Card | None
    seat: Seat | None
    reason: str
    reviewer: str


@dataclass(frozen=True, slots=True)
class Undoing:
    """An entry that is to be taken back."""

    entry: int
    reason: str
    reviewer: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's word on a verdict: it stands (``ruling`` None), or another ruling holds."""

    verdict_id: str
    ruling: Ruling | None
    kept: tuple[int, ...]
    reason: str
    reviewer: str


@dataclass(frozen=True, slots=True)
class Counting:
    """Cards that were counted after the match's end: of a pile, or those with the back of ``deck``."""

    pile: str | None
    deck: str | None
    count: int
    by: str


_Subject = tuple[str, ...]
"""What somebody tells something of: a seat's call, its joker, the cards of a pile or of a back."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """What was told of a subject last."""

    word: str
    """What was told of it: a card, a count; of a call nothing more."""
    at_s: float
    answer: EnteredOut


Wish = Correction | Undoing | Answer
"""What is tried first, and entered once a person has seen what it changes."""


class MatchDesk:
    """A match that the chain and people write into, each from its own thread."""

    why_only_shown = ""
    why_no_case = ""

    def __init__(
        self,
        match: RecordedMatch,
        *,
        record: LineSink | None = None,
        feed: MatchFeed | None = None,
        audience: Audience | None = None,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._match = match
        self._clock_s = clock_s
        self._heard: dict[_Subject, _Heard] = {}
        self._record = record
        self._feed = feed
        self._audience = audience
        self._lock = threading.RLock()
        self._lines: list[str] = []
        """All of the record, where it is not on disk."""
        self._shown_verdicts: set[str] = set()
        self._how: dict[str, _How] = {}
        """Of the verdicts that stand otherwise than when they were given."""
        self._reviews: dict[str, ReviewOut] = {}
        self._calls: dict[int, CallOut] = {}
        self._tried: tuple[int, str, Consequence] | None = None
        """The last try: the newest entry then, its seal, and what it would change."""
        self._counted_us: int | None = None
        """When cards were last counted by hand, while the score may still follow. None: it has followed."""
        self._waiting: dict[str, tuple[str, ...]] = {}
        """By verdict that waits for a person: the verdicts whose clips that one wants to see."""
        self._answers: set[str] = set()
        """Verdicts that hold in place of others: these have the clips of those."""
        self.on_waiting: Callable[[frozenset[str]], None] | None = None
        """Who is told of which verdicts the clips must stay, with the lock held. None: nobody."""
        self._is_begun = False
        self.on_ruled: Callable[[tuple[Verdict, ...]], None] | None = None
        """Who is told of new verdicts as the referee gave them, with the lock held. None: nobody."""
        self._failure: CommandError | None = None
        """Why the record takes no more, whatever comes. None: it does."""
        self._refusal: CommandError | None = None
        """Why it did not take what a person told last: once there is room again, it does. None: it did."""

    @property
    def setup(self) -> MatchSetup:
        """Who plays, by which rules."""
        return self._match.proceedings.setup

    @property
    def header_line(self) -> str:
        """The record's first line."""
        return self._match.header_line

    @property
    def names(self) -> Names:
        """The names of its seats and piles."""
        return Names(self.setup)

    @property
    def standings(self) -> StandingsOut:
        """The score by what holds."""
        return standings_view(self._match.referee.scorecard, self.setup)

    def correction(
        self,
        verdict_id: str,
        play: int,
        *,
        card: str | None = None,
        seat: str | None = None,
        reason: str,
        reviewer: str,
    ) -> Correction:
        """A correction by the names that people use; ``UnknownNameError`` where one is of nothing here."""
        return Correction(
            verdict_id,
            play,
            None if card is None else self._card(card),
            None if seat is None else self._seat(seat),
            reason,
            reviewer,
        )

    @property
    def failure(self) -> CommandError | None:
        """Why the record takes no more now; looked at again where it took none. None: it does."""
        with self._lock:
            if self._refusal is not None and self._record is not None:
                try:
                    self._record.check()
                except CommandError as error:
                    self._refusal = error
                else:
                    self._refusal = None
            return self._failure or self._refusal

    # -- the chain ------------------------------------------------------------------------------------------

    def begin(self, record: LineSink | None = None, audience: Audience | None = None) -> None:
        """Write the header; from now on people may write."""
        with self._lock:
            self._record, self._audience = record, audience
            self._match.proceedings.look_back()
            self._write((self._match.header_line,))
            self._is_begun = True

    def observe(self, observation: Observation, *, at_us: int | None) -> None:
        """Take in what the cameras saw."""
        with self._lock:
            self._keep(self._match.observe(observation, at_us=at_us))

    def advance(self, now_us: int) -> None:
        """Say that the chain has come to ``now_us``."""
        with self._lock:
            self._keep(self._match.advance(now_us))
            self._show_count(now_us)

    def finish(self, cause: str) -> None:
        """Close the match; reviews may follow."""
        with self._lock:
            self._keep(self._match.finish(cause))

    def go_on(self, record: LineSink, told: Iterable[tuple[int, int, Told]]) -> None:
        """Go on with a match that was kept before: ``told`` are its calls, with their entries and times."""
        with self._lock:
            self._record, self._is_begun = record, True
            gone = self._match.proceedings.taken_back
            for entry, t_us, call in told:
                view = call_view(entry, t_us, call, self.setup)
                self._calls[entry] = view.model_copy(update={"is_taken_back": entry in gone})
            self._show(self._restanding(), reviews=self._rereviewed(), calls=tuple(self._calls.values()))

    def note(self, text: str) -> None:
        """Enter what somebody who reads the record should know; it changes nothing."""
        with self._lock:
            self._write((self._match.chain.note(text, at_us=self._now_us),))

    # -- people ---------------------------------------------------------------------------------------------

    def call(self, call: CallKind, seat: str | None, by: str) -> EnteredOut:
        """Enter that somebody called something, at the time of the newest frame."""
        caller = None if seat is None else self._seat(seat)
        return self._tell(
            lambda now_us: Called(
                call=call, seat=caller, at=Interval(now_us, now_us), told_us=now_us, told_by=by
            )
        )

    def declare(self, seat: str, card: str, by: str) -> EnteredOut:
        """Enter what a seat's joker stands for."""
        declarer, face = self._seat(seat), self._card(card)
        return self._tell(
            lambda now_us: Declared(seat=declarer, card=face, at=Interval(now_us, now_us), told_by=by)
        )

    def count(self, pile: str | None, deck: str | None, count: int, by: str) -> EnteredOut:
        """Enter how many cards a pile holds, or how many with the back of ``deck`` there are.

        That can be told after the end too; all is judged again with it then.
        """
        return self._tell(self._counted(Counting(pile, deck, count, by)))

    def count_late(self, wish: Counting, confirm: str | None) -> ConsequenceOut:
        """Try what a count after the end would change; with ``confirm`` of such a try, enter it."""
        with self._lock:
            self._refuse_closed(is_review=True)
            if not self._match.proceedings.is_finished:
                said = "the match still runs: counts are entered at once (POST .../counts)"
                raise RefusedError(said, "not_over")
            told = self._counted(wish)(self._now_us)
            self._refuse_impossible(told)
            would = self._refused(lambda: self._match.what_if_counted(told))
            seal = _seal(wish, would.changes)
            if confirm is None:
                return self._outcome("", would, (), confirm=seal)
            if confirm != seal:
                said = "what it changes is not what was shown any more: try it again first"
                raise RefusedError(said, "changed")
            entry = self._tell(lambda _: told).entry
            return self._outcome(f"c{entry}", would, (), entry=entry)

    def _refuse_impossible(self, told: CardsCounted | BacksCounted) -> None:
        """``ImpossibleError`` where more cards were counted than can be there.

        A count that only contradicts what was seen is entered, and the referee tells of it.
        """
        most = self._match.referee.most_cards(told)
        if told.count <= most:
            return
        if isinstance(told, BacksCounted):
            where = f"with the back of {self.setup.player_at(told.deck)}"
        else:
            where = f"in {told.pile}"
        raise ImpossibleError(f"count: {told.count} cards {where}, where at most {most} can be", "count_over")

    def _counted(self, wish: Counting) -> Callable[[int], CardsCounted | BacksCounted]:
        """The count, told at a time; ``UnknownNameError`` where it names nothing here."""
        where = None if wish.pile is None else self._pile(wish.pile)
        count, by = wish.count, wish.by
        if wish.deck is not None:
            owner = self._seat(wish.deck)
            return lambda now_us: BacksCounted(deck=owner, pile=where, count=count, told_by=by, at_us=now_us)
        if where is None:
            raise UnknownNameError("want a pile whose cards were counted, or a deck whose backs were")
        return lambda now_us: CardsCounted(pile=where, count=count, told_by=by, at_us=now_us)

    def appeal(self, verdict_id: str, seat: str, grounds: str) -> tuple[ReviewOut, int]:
        """Enter a player's appeal; it, and how many that player has left."""
        raised_by = self._seat(seat)
        with self._lock:
            self._refuse_closed(is_review=True)
            appeal = Appeal(
                appeal_id=next_id(self._match.proceedings, Appeal),
                verdict_id=verdict_id,
                raised_by=raised_by,
                grounds=grounds,
                at_us=self._now_us,
            )
            self._enter(appeal)
            return self._reviews[appeal.appeal_id], self._match.proceedings.appeals_left(raised_by)

    def wish(self, wish: Wish, confirm: str | None) -> ConsequenceOut:
        """Try ``wish``; with the ``confirm`` of an earlier try, enter it if just the same would change."""
        with self._lock:
            self._refuse_closed(is_review=True)
            review = self._refused(lambda: self._review_of(wish))
            would = self._would(review, wish, confirm)
            seal = _seal(wish, would.changes)
            if confirm is None:
                self._tried = self._match.chain.seq, seal, would
                return self._consequence(review, would, confirm=seal)
            if confirm != seal:
                said = "what it changes is not what was shown any more: try it again first"
                raise RefusedError(said, "changed")
            entry = self._enter(review)
            return self._consequence(review, would, entry=entry)

    @property
    def is_on_disk(self) -> bool:
        """Whether a record is kept, and goes on."""
        return self._record is not None and self._failure is None

    def record_bytes(self) -> bytes:
        """The record so far: whole lines."""
        with self._lock:
            record = self._record
            if record is None:
                return "".join(self._lines).encode()
            return record.content()

    def read(self, read: Callable[[Kept], _Value]) -> _Value:
        """What ``read`` finds in the match, while nothing is written into it."""
        with self._lock:
            return read(Kept(self._match.chain.header, self._match.proceedings))

    # -- inside; the lock is held ---------------------------------------------------------------------------

    @property
    def _now_us(self) -> int:
        return self._match.referee.now_us or 0

    def _tell(self, told_at: Callable[[int], Told]) -> EnteredOut:
        with self._lock:
            t_us, entry = self._now_us, self._match.chain.seq + 1
            told = told_at(t_us)
            echoed = self._echoed(told)
            if echoed is not None:
                return echoed
            if isinstance(told, CardsCounted | BacksCounted):
                self._refuse_impossible(told)
            is_late = self._match.proceedings.is_finished and isinstance(told, LATE)
            self._refuse_closed(is_review=is_late)
            if isinstance(told, Declared) and not self.setup.has_jokers:
                said = "no joker can be declared: this match is played without jokers"
                raise ImpossibleError(said, "no_jokers")
            judged = self._refused(lambda: self._match.observe(told, at_us=t_us))
            call = call_view(entry, t_us, told, self.setup)
            if is_late:
                views = self._keep_late(judged, call)
            else:
                views = self._keep(judged, calls=(call,), is_told=True)
            self._calls[entry] = call
            if isinstance(told, CardsCounted | BacksCounted):
                self._counted_us = t_us
            answer = EnteredOut(
                entry=entry,
                kind=kind_of(told),
                t_us=t_us,
                is_on_disk=self.is_on_disk,
                verdicts=views,
            )
            subject, word = _said(told)
            self._heard[subject] = _Heard(word, self._clock_s(), answer)
            return answer

    def _echoed(self, told: Told) -> EnteredOut | None:
        """What was answered when just this was told a moment ago and still holds. None: it is new."""
        subject, word = _said(told)
        heard = self._heard.get(subject)
        if heard is None or heard.word != word or self._clock_s() - heard.at_s >= ECHO_S:
            return None
        return None if heard.answer.entry in self._match.proceedings.taken_back else heard.answer

    def _show_count(self, now_us: int) -> None:
        """A count changes the score without a verdict, once its window has closed."""
        if self._counted_us is not None:
            self._show(())
            self._counted_us = self._counted_us if now_us < self._counted_us + COUNT_TAKEN_US else None

    def _refuse_closed(self, *, is_review: bool) -> None:
        if self._failure is not None:
            raise self._failure
        if not self._is_begun or (self._match.referee.now_us is None and not is_review):
            raise RefusedError("the match has not begun", "not_begun")
        if self._match.proceedings.is_finished and not is_review:
            said = "the match is over; verdicts can still be reviewed, and cards counted"
            raise RefusedError(said, "match_over")

    def _refused(self, make: Callable[[], _Value]) -> _Value:
        """What ``make`` makes; ``RefusedError`` with the referee's words where it cannot be."""
        try:
            return make()
        except (ReviewError, ObservationError) as error:
            code = error.code if isinstance(error, ReviewError) else ""
            raise RefusedError(str(error), code) from None

    def _would(self, review: Review, wish: Wish, confirm: str | None) -> Consequence:
        """What ``review`` would change; known already where nothing came in since it was tried."""
        if self._tried is not None:
            seq, seal, would = self._tried
            if (seq, seal) == (self._match.chain.seq, confirm) and _seal(wish, would.changes) == confirm:
                return would
        with nothing_collected():
            return self._refused(lambda: self._match.what_if(review))

    def _review_of(self, wish: Wish) -> Review:
        """``wish`` as it would be entered now."""
        proceedings, at_us = self._match.proceedings, self._now_us
        if isinstance(wish, Undoing):
            return Revert(
                revert_id=next_id(proceedings, Revert),
                entry=wish.entry,
                reason=wish.reason,
                reviewer=wish.reviewer,
                at_us=at_us,
            )
        facts: tuple[Fact, ...] = ()
        if isinstance(wish, Correction):
            facts = proceedings.correction(wish.verdict_id, play=wish.play, card=wish.card, seat=wish.seat)
        ruling = wish.ruling if isinstance(wish, Answer) else None
        if isinstance(wish, Answer) and ruling is not None:
            self._refuse_what_holds(wish.verdict_id, ruling, wish.kept)
        stands = isinstance(wish, Answer) and ruling is None
        return Resolution(
            resolution_id=next_id(proceedings, Resolution),
            verdict_id=wish.verdict_id,
            appeal_id=self._open_appeal(wish.verdict_id),
            decision=Decision.STANDS if stands else Decision.OVERTURNED,
            facts=facts,
            ruling=ruling,
            kept=wish.kept if isinstance(wish, Answer) else (),
            reason=wish.reason,
            reviewer=wish.reviewer,
            at_us=at_us,
        )

    def _refuse_what_holds(self, verdict_id: str, ruling: Ruling, kept: tuple[int, ...]) -> None:
        """``RefusedError`` where a verdict that nobody overturned is ruled so already."""
        is_overturned = self._how.get(verdict_id, _STANDING)[0] is Standing.OVERTURNED
        if not is_overturned and says_what_holds(self._match.proceedings.verdict(verdict_id), ruling, kept):
            said = f"{verdict_id} would be ruled just the same by this, {ruling}: where that holds, it stands"
            raise RefusedError(said, "same")

    def _open_appeal(self, verdict_id: str) -> str | None:
        """The appeal that waits for an answer to this verdict. None: there is none."""
        appeal = self._match.proceedings.appeal_against(verdict_id)
        return None if appeal is None else appeal.appeal_id

    def _enter(self, review: Review) -> int:
        """Enter ``review`` and tell what stands otherwise by it; its number in the record."""
        with nothing_collected():
            judged = self._refused(lambda: self._match.review(review))
        entry = next(n for n, each in self._match.proceedings.reviews.items() if each is review)
        self._write(judged.lines, is_told=True)
        if self.on_ruled is not None:
            self.on_ruled(judged.verdicts)
        new = {verdict.verdict_id for verdict in judged.verdicts}
        changed = self._restanding()
        verdicts = tuple(view for view in changed if view.verdict_id in new)
        self._show(
            verdicts,
            revisions=tuple(view for view in changed if view.verdict_id not in new),
            reviews=self._rereviewed(),
            calls=self._recalled(),
        )
        return entry

    def _keep_late(self, judged: Judged, call: CallOut) -> tuple[VerdictOut, ...]:
        """Keep a count that came after the end, and tell what stands otherwise by it; the new verdicts."""
        self._write(judged.lines, is_told=True)
        new = {verdict.verdict_id for verdict in judged.verdicts}
        changed = self._restanding()
        views = tuple(view for view in changed if view.verdict_id in new)
        revisions = tuple(view for view in changed if view.verdict_id not in new)
        self._show(views, revisions=revisions, calls=(call,))
        return views

    def _restanding(self) -> tuple[VerdictOut, ...]:
        """The verdicts that stand otherwise than they were last shown, or are new."""
        changed: list[VerdictOut] = []
        for ruled in self._match.proceedings.rulings:
            name = ruled.verdict.verdict_id
            how = _how(ruled)
            if how == self._how.get(name, _STANDING) and name in self._shown_verdicts:
                continue
            self._how[name] = how
            self._shown_verdicts.add(name)
            changed.append(ruled_view(ruled, self.setup))
        return tuple(changed)

    def _rereviewed(self) -> tuple[ReviewOut, ...]:
        """The reviews that are new, or stand otherwise."""
        changed = [
            view
            for view in review_views(self._match.proceedings)
            if self._reviews.get(view.review_id) != view
        ]
        self._reviews.update({view.review_id: view for view in changed})
        return tuple(changed)

    def _recalled(self) -> tuple[CallOut, ...]:
        """The calls that were taken back, or hold again."""
        gone = self._match.proceedings.taken_back
        changed = [
            call.model_copy(update={"is_taken_back": entry in gone})
            for entry, call in self._calls.items()
            if call.is_taken_back is not (entry in gone)
        ]
        self._calls.update({call.entry: call for call in changed})
        return tuple(changed)

    def _keep(
        self, judged: Judged, *, calls: tuple[CallOut, ...] = (), is_told: bool = False
    ) -> tuple[VerdictOut, ...]:
        """The record first: what is shown is already kept. The new verdicts."""
        self._write(judged.lines, is_told=is_told)
        if not judged.verdicts and not calls:
            return ()
        views = tuple(self._new_view(verdict) for verdict in judged.verdicts)
        self._show(views, calls=calls)
        if self.on_ruled is not None:
            self.on_ruled(judged.verdicts)
        return views

    def _new_view(self, verdict: Verdict) -> VerdictOut:
        self._shown_verdicts.add(verdict.verdict_id)
        if self._feed is not None and verdict.touch is not None:
            self._feed.latencies.add((self._now_us - verdict.touch.end_us) / 1e6)
        entries = self._match.proceedings.entries_of(verdict)
        return verdict_view(verdict, self.setup).model_copy(update={"entries": entries})

    def _show(
        self,
        verdicts: tuple[VerdictOut, ...],
        *,
        revisions: tuple[VerdictOut, ...] = (),
        reviews: tuple[ReviewOut, ...] = (),
        calls: tuple[CallOut, ...] = (),
    ) -> None:
        standings = self.standings
        self._note_waiting((*verdicts, *revisions))
        if self._feed is not None:
            self._feed.tell(
                standings=standings, verdicts=verdicts, revisions=revisions, reviews=reviews, calls=calls
            )
        if self._audience is not None and (verdicts or revisions):
            for view in verdicts:
                self._audience.verdict(view)
            self._audience.standings(standings)
            if revisions:
                self._audience.revised(revisions, standings)

    def hold_clips(self, hold: Callable[[frozenset[str]], None]) -> None:
        """Tell ``hold``, now and whenever it changes, of which verdicts the clips must stay."""
        with self._lock:
            self.on_waiting = hold
            hold(self._held_ids)

    @property
    def _held_ids(self) -> frozenset[str]:
        return frozenset(held for ids in self._waiting.values() for held in ids)

    def _note_waiting(self, views: tuple[VerdictOut, ...]) -> None:
        """What waits for a person since these verdicts stand as they do: nothing of it may be thrown away."""
        before = self._waiting.copy()
        for view in views:
            self._answers.update(view.replaced_by)
        for view in views:
            self._waiting.pop(view.verdict_id, None)
            if is_untold(view):
                self._waiting[view.verdict_id] = self._shown_by(view.verdict_id)
        if self._waiting != before and self.on_waiting is not None:
            self.on_waiting(self._held_ids)

    def _shown_by(self, verdict_id: str) -> tuple[str, ...]:
        if verdict_id not in self._answers:
            return (verdict_id,)
        return akin_to(verdict_id, map(spoken_of, self._match.proceedings.rulings))

    def _write(self, lines: tuple[str, ...], *, is_told: bool = False) -> None:
        if self._failure is not None:
            raise self._failure
        if self._record is None:
            self._lines += lines
            return
        if is_told:
            self._write_told(self._record, "".join(lines))
            return
        try:
            for line in lines:
                self._record.append(line)
        except CommandError as error:
            self._failure = error
            raise

    def _write_told(self, record: LineSink, lines: str) -> None:
        """Keep what a person told, or go back to the match without it: both may go on."""
        try:
            record.append(lines)
            record.sync()
        except CommandError as error:
            self._refusal = error
            self._go_back(record)
            raise
        self._refusal = None

    def _go_back(self, record: LineSink) -> None:
        """Make the match again from all that the record has: what was not kept has not been."""
        now_us, is_running = self._match.referee.now_us, not self._match.proceedings.is_finished
        try:
            with nothing_collected():
                match = taken_back(record.content())
            if is_running and now_us is not None and match.advance(now_us).lines:
                raise UnfitError("verdicts are missing in it")
        except (CommandError, RecordError, UnfitError) as error:
            said = f"the record cannot be read again: {error}; start the server again"
            self._failure = CommandError(said)
            raise self._failure from None
        if is_running:
            match.proceedings.look_back()
        self._match, self._tried = match, None

    def _consequence(
        self, review: Review, would: Consequence, *, confirm: str | None = None, entry: int | None = None
    ) -> ConsequenceOut:
        cards = fates_of(would.changes, self._answered(review), self.setup)
        return self._outcome(id_of(review), would, cards, confirm=confirm, entry=entry)

    def _outcome(
        self,
        review_id: str,
        would: Consequence,
        cards: tuple[CardFateOut, ...],
        *,
        confirm: str | None = None,
        entry: int | None = None,
    ) -> ConsequenceOut:
        return ConsequenceOut(
            state=WriteState.PREVIEW if entry is None else WriteState.ENTERED,
            confirm=confirm,
            review_id=review_id,
            entry=entry,
            changes=tuple(
                ChangeOut(before=self._view(change.before), after=self._view(change.after))
                for change in would.changes
            ),
            cards=cards,
            score_before=standings_view(would.score_before, self.setup),
            score_after=standings_view(would.score_after, self.setup),
        )

    def _answered(self, review: Review) -> Verdict | None:
        """The verdict that ``review`` answers. None: it takes an entry back."""
        return None if isinstance(review, Revert) else self._match.proceedings.verdict(review.verdict_id)

    def _view(self, verdict: Verdict | None) -> VerdictOut | None:
        return None if verdict is None else verdict_view(verdict, self.setup)

    def _seat(self, word: str) -> Seat:
        return _named(self.names.seat, word)

    def _card(self, word: str) -> Card:
        return _named(Card.parse, word)

    def _pile(self, word: str) -> PileId:
        pile = _named(PileId.parse, word)
        if self.setup.piles and pile not in self.setup.piles:
            raise UnknownNameError(f"the table has no pile {pile}")
        return pile


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Folding makes many values and no cycles: looking for these would take a sixth of its time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _named(parse: Callable[[str], _Value], word: str) -> _Value:
    try:
        return parse(word)
    except ValueError as error:
        raise UnknownNameError(str(error)) from None


def _said(told: Told) -> tuple[_Subject, str]:
    """What ``told`` is about, and what it says of it."""
    match told:
        case Called():
            return ("called", told.call, str(told.seat)), ""
        case Declared():
            return ("declared", str(told.seat)), str(told.card)
        case CardsCounted():
            return ("cards", str(told.pile)), str(told.count)
        case BacksCounted():
            return ("backs", str(told.deck), str(told.pile or "")), str(told.count)


def _how(ruled: Ruled) -> _How:
    return ruled.standing, ruled.answered_by, ruled.now


def _seal(wish: Wish | Counting, changes: Iterable[Change]) -> str:
    """Names just this wish with just these consequences."""
    rows: list[Json] = [repr(wish)]
    for change in changes:
        rows += [None if each is None else encode(each) for each in (change.before, change.after)]
    return hashlib.sha256(canonical(rows).encode("ascii")).hexdigest()[:16]
