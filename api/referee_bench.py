"""How fast the referee folds, what it keeps in memory, and whether either grows with the match."""

import sys
import time
import tracemalloc
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from types import FrameType

from referee.cards import FACES, Card
from referee.clock import ClockGrade, Interval
from referee.evidence import Evidence
from referee.observations import CardLanded, CardLifted, CardsCounted, Observation, PileSeen, known_us
from referee.piles import PileId, PileKind, Seat
from referee.proceedings import Proceedings
from referee.referee import Referee
from referee.setup import FRAME_PERIOD_US, MatchSetup, SeatSetup
from referee.tellings import BacksCounted, Called, CallKind

SEATS = (Seat.SOUTH, Seat.NORTH, Seat.EAST, Seat.WEST)
PLAY_US = 400_000
"""Between two plays: four quick players together."""
RACE_EVERY = 10
"""One play in so many is contested."""
MARKS = (1_000, 10_000, 100_000)
"""After how many plays the cost is told."""
COUNTED_PLAYS = 208
"""Over which the calls are counted: a whole round."""
WINDOW_PLAYS = 1_000
"""The cost at a mark is that of the plays just before it."""
MEMORY_PLAYS = 1_000
"""Over which the memory's growth is taken, and told for 10,000: tracing makes each play five times slower."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The cost of an observation after so many plays."""

    plays: int
    us_per_observation: float
    calls_per_observation: float
    """Python calls that it takes: the same on every machine, however busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeFigures:
    """What one run measured, on one core."""

    plays: int
    observations: int
    observations_per_second: float
    verdicts: int
    marks: tuple[Mark, ...]
    referee_bytes: int
    """Memory that 10,000 plays more take in the referee."""
    proceedings_bytes: int
    """The same with all that was told kept for an undo, as a match that is recorded keeps it."""

    @property
    def growth(self) -> float:
        """The work for an observation at the last mark, as a share of that at the first."""
        return self.marks[-1].calls_per_observation / self.marks[0].calls_per_observation


def measure(plays: int) -> RefereeFigures:
    """Fold a made match of ``plays`` plays, and two shorter ones for the memory."""
    referee, made, marks = Referee(made_setup()), made_plays(), []
    told = verdicts = 0
    spent_s = 0.0
    windows = {mark for mark in MARKS if mark <= plays} | {plays}
    for done in range(WINDOW_PLAYS, plays + 1, WINDOW_PLAYS):
        batch = [observation for play in islice(made, WINDOW_PLAYS) for observation in play]
        begun_s = time.process_time()
        for observation in batch:
            verdicts += len(referee.observe(observation))
        batch_s = time.process_time() - begun_s
        spent_s, told = spent_s + batch_s, told + len(batch)
        if done in windows:
            counted = [observation for play in islice(made, COUNTED_PLAYS) for observation in play]
            marks.append(Mark(done, 1e6 * batch_s / len(batch), _calls(referee, counted) / len(counted)))
    return RefereeFigures(
        plays=plays,
        observations=told,
        observations_per_second=told / spent_s,
        verdicts=verdicts,
        marks=tuple(marks),
        referee_bytes=_bytes_of(Referee(made_setup())),
        proceedings_bytes=_bytes_of(Proceedings(made_setup())),
    )


def made_setup() -> MatchSetup:
    """Four players, 60 frames a second."""
    seats = tuple(SeatSetup(seat=seat, player=seat.value.title()) for seat in SEATS)
    return MatchSetup(
        match_id="bench", seats=seats, frame_period_us=FRAME_PERIOD_US, clock_grade=ClockGrade.A
    )


def made_plays() -> Iterator[tuple[Observation, ...]]:
    """A match without end, play by play: each what the cameras tell of it, in order of time.

    In a round every deck builds its four suits on foundations of its own, and each tenth play is a race that
    another hand loses; then the cards are counted and the next round begins.
    """
    at_us = 0
    while True:
        yield (Called(call=CallKind.START, seat=None, at=Interval(at_us, at_us), told_us=at_us),)
        for rank in range(13):
            for pile, (deck, suit) in enumerate((deck, suit) for deck in range(4) for suit in range(4)):
                at_us += PLAY_US
                is_race = (rank * 16 + pile) % RACE_EVERY == 0 and deck + 1 < len(SEATS)
                yield _play(FACES[13 * suit + rank], SEATS[deck], pile, at_us, is_race=is_race)
        at_us += 10 * PLAY_US
        yield _counted(at_us)


def _play(card: Card, seat: Seat, pile: int, at_us: int, *, is_race: bool) -> tuple[Observation, ...]:
    """A lift, a landing, a rival's landing in a race, and looks at both piles."""
    source, target = PileId(PileKind.WASTE, seat), PileId(PileKind.FOUNDATION, None, pile)
    told: list[Observation] = [
        _lifted(card, seat, source, at_us - 150_000),
        _landed(card, seat, source, target, at_us),
    ]
    if is_race:  # the rival plays a card that its deck still has
        rival = SEATS[SEATS.index(seat) + 1]
        told.append(_landed(card, rival, PileId(PileKind.TABLEAU, rival, 1), target, at_us + 66_668))
    told += [_look(source, None, at_us + 100_000), _look(target, card, at_us + 120_000)]
    return tuple(sorted(told, key=known_us))


def _lifted(card: Card, seat: Seat, pile: PileId, at_us: int) -> CardLifted:
    lifted = Interval(at_us - FRAME_PERIOD_US, at_us)
    return CardLifted(
        pile=pile, card=card, lifted=lifted, seat=seat, confidence=0.97, evidence=_evidence(lifted)
    )


def _landed(card: Card, seat: Seat, source: PileId, target: PileId, at_us: int) -> CardLanded:
    touch = Interval(at_us - FRAME_PERIOD_US, at_us)
    return CardLanded(
        pile=target,
        card=card,
        touch=touch,
        settled_us=at_us + 100_000,
        seat=seat,
        seat_confidence=0.95,
        source=source,
        confidence=0.97,
        resolution_us=FRAME_PERIOD_US // 2,
        evidence=_evidence(touch),
    )


def _look(pile: PileId, top: Card | None, at_us: int) -> PileSeen:
    seen = Interval(at_us, at_us)
    return PileSeen(
        pile=pile,
        top=top,
        is_empty=False,
        face_up=top is not None,
        seen=seen,
        confidence=0.97,
        evidence=_evidence(seen),
    )


def _counted(at_us: int) -> tuple[Observation, ...]:
    """The end of a round: all cards are on the foundations."""
    piles = [PileId(PileKind.RESERVE, seat) for seat in SEATS]
    dry = [CardsCounted(pile=pile, count=0, told_by="camera", at_us=at_us - 2 * PLAY_US) for pile in piles]
    onset = Interval(at_us - PLAY_US, at_us - PLAY_US)
    call = Called(call=CallKind.NERTS, seat=SEATS[0], at=onset, told_us=onset.end_us)
    backs = [BacksCounted(deck=seat, pile=None, count=52, told_by="Ana", at_us=at_us) for seat in SEATS]
    done = Called(call=CallKind.COUNTED, seat=None, at=Interval(at_us, at_us), told_us=at_us + 1)
    return (*dry, call, *backs, done)


def _evidence(at: Interval) -> Evidence:
    return Evidence("bench.mp4", (at.start_us, at.end_us))


def _calls(referee: Referee, observations: Iterable[Observation]) -> int:
    """How many Python calls it takes to fold ``observations``."""
    calls = 0

    def count(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        for observation in observations:
            referee.observe(observation)
    finally:
        sys.setprofile(before)
    return calls


def _bytes_of(folding: Referee | Proceedings) -> int:
    """By how much the memory grows in 10,000 plays, once all buffers are full."""
    made = made_plays()
    tracemalloc.start()
    try:
        _fold(folding, islice(made, MEMORY_PLAYS))
        before, _ = tracemalloc.get_traced_memory()
        _fold(folding, islice(made, MEMORY_PLAYS))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) * 10_000 // MEMORY_PLAYS


def _fold(folding: Referee | Proceedings, plays: Iterable[tuple[Observation, ...]]) -> None:
    for play in plays:
        for observation in play:
            folding.observe(observation)
