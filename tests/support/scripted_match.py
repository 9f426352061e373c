"""A match whose frames and observations are written down: the runner tested without pictures."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from referee.cards import Card
from referee.clock import ClockGrade, Interval
from referee.observations import CardLanded, Evidence, Observation, PileSeen
from referee.piles import PileId, Seat
from referee.record import RecordedMatch, RecordHeader
from referee.setup import MatchSetup, SeatSetup
from vision.frames import Frame
from vision.pictures import Bgr

FRAME_US = 20_000
HEART_PILE = PileId.parse("table/foundation[0]")


def frames(count: int) -> Iterator[Frame]:
    """Black pictures, 50 a second."""
    for index in range(count):
        black = np.zeros((4, 4, 3), dtype=np.uint8)
        yield Frame(
            picture=Bgr(black), pts=index, time_base=Fraction(1, 50), index=index, source_id="made.mp4"
        )


def recorded_match() -> RecordedMatch:
    seats = (SeatSetup(seat=Seat.SOUTH, player="Ana"), SeatSetup(seat=Seat.NORTH, player="Ben"))
    setup = MatchSetup(
        match_id="made", seats=seats, frame_period_us=FRAME_US, clock_grade=ClockGrade.A, piles=()
    )
    return RecordedMatch(RecordHeader(setup=setup, table="kitchen", source="made.mp4"))


def bare(t_us: int) -> PileSeen:
    """The foundation, seen empty."""
    evidence = Evidence("made.mp4", (t_us,))
    return PileSeen(
        pile=HEART_PILE,
        top=None,
        is_empty=True,
        face_up=False,
        seen=Interval(t_us, t_us),
        confidence=0.99,
        evidence=evidence,
    )


def landing(card: str, t_us: int, seat: Seat = Seat.SOUTH) -> CardLanded:
    """A card that touched the foundation within the two frames before ``t_us`` and rests there now."""
    touch = Interval(t_us - 2 * FRAME_US, t_us - FRAME_US)
    return CardLanded(
        pile=HEART_PILE,
        card=Card.parse(card),
        touch=touch,
        settled_us=t_us,
        seat=seat,
        seat_confidence=0.9,
        source=PileId.parse(f"{seat}/reserve"),
        confidence=0.95,
        resolution_us=FRAME_US // 2,
        evidence=Evidence("made.mp4", (touch.start_us, touch.end_us, t_us)),
    )


class ScriptedEyes:
    """Tells each observation with the frame of its time."""

    def __init__(self, script: dict[int, Observation], rest: tuple[Observation, ...] = ()) -> None:
        self._script = script
        self._rest = rest

    def see(self, frame: Frame) -> tuple[Observation, ...]:
        told = self._script.get(frame.t_us)
        return () if told is None else (told,)

    def finish(self) -> tuple[Observation, ...]:
        return self._rest


def two_plays() -> ScriptedEyes:
    """AH and 2H of south, the second told only when the frames have ended."""
    return ScriptedEyes({0: bare(0), 400_000: landing("AH", 400_000)}, (landing("2H", 1_200_000),))
