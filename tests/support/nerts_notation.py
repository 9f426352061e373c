"""A match in a few words, so that tests read like what happened. Times in milliseconds, as players would say.

    look F0 4H @0                        a pile at rest: top card, ``empty``, or ``??``
    land south 5H waste F0 983-1000      a card came from waste (W0..W3, nerts, stock, - for unseen) to a pile
    lift south 5H south/waste 900-917    a card left a pile
    touch north F0 983-1000              a hand was over a pile
    lost F0 900-1400                     a pile could not be seen
    count south/reserve 7 @9000          someone counted

A landing's ``@`` is when it came to rest; 100 ms after the touch by default. ``-`` for a seat is a hand that
was not seen.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from referee.cards import Card
from referee.clock import ClockGrade, Interval
from referee.observations import (
    CardLanded,
    CardLifted,
    CardsCounted,
    Evidence,
    HandTouched,
    Observation,
    PileSeen,
    ViewLost,
)
from referee.piles import PileId, PileKind, Seat
from referee.referee import Referee
from referee.score import Scorecard
from referee.nerts_rules import NertsRules
from referee.setup import MatchSetup, SeatSetup
from referee.verdicts import Verdict

PLAYERS = {Seat.SOUTH: "Ana", Seat.NORTH: "Ben", Seat.EAST: "Cy", Seat.WEST: "Dot"}
FRAME_US = 16_667
SETTLE_US = 100_000

_SHORT = {"nerts": "reserve"}


def setup(**changes: object) -> MatchSetup:
    """Four players at 60 frames a second with a clock of grade A."""
    fields: dict[str, object] = {
        "match_id": "friday",
        "seats": tuple(SeatSetup(seat=seat, player=name) for seat, name in PLAYERS.items()),
        "frame_period_us": FRAME_US,
        "clock_grade": ClockGrade.A,
        "rules": NertsRules(),
    }
    return MatchSetup(**(fields | changes))


def pile(text: str, seat: Seat | None = None) -> PileId:
    """``F0``, ``W2`` and ``nerts`` of ``seat``, or a pile's full name."""
    if text[0] == "F" and text[1:].isdecimal():
        return PileId(PileKind.FOUNDATION, None, int(text[1:]))
    if text[0] == "W" and text[1:].isdecimal():
        return PileId(PileKind.TABLEAU, seat, int(text[1:]))
    return PileId.parse(text) if "/" in text else PileId(PileKind(_SHORT.get(text, text)), seat)


def steps(text: str) -> tuple[Observation, ...]:
    """The observations that ``text`` tells, one a line."""
    return tuple(step(line) for line in text.splitlines() if line.strip())


def step(line: str) -> Observation:
    """The observation that one line tells."""
    verb, *words = line.split()
    return {"look": _look, "land": _land, "lift": _lift, "touch": _touch, "lost": _lost, "count": _count}[
        verb
    ](words)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the referee made of a match."""

    verdicts: tuple[Verdict, ...]
    scorecard: Scorecard
    referee: Referee

    @property
    def rulings(self) -> list[str]:
        """``LEGAL N25`` and so on, one for each verdict."""
        return [f"{verdict.ruling} {verdict.rule}" for verdict in self.verdicts]


def judged(observations: str | Iterable[Observation], match: MatchSetup | None = None) -> Outcome:
    """Let a new referee judge ``observations`` to the end."""
    referee = Referee(setup() if match is None else match)
    told = steps(observations) if isinstance(observations, str) else observations
    verdicts = [verdict for observation in told for verdict in referee.observe(observation)]
    verdicts.extend(referee.finish())
    return Outcome(tuple(verdicts), referee.scorecard, referee)


def said(verdict: Verdict) -> str:
    """A verdict in a few words: ``FIRST N15 keeps south/5H returns north/5H``."""
    words = [str(verdict.ruling), str(verdict.rule)]
    for name, plays in (("keeps", verdict.stands), ("returns", verdict.goes_back)):
        if plays:
            words += [name, *(f"{play.seat}/{play.card}" for play in plays)]
    return " ".join(words)


def us(text: str) -> int:
    """Milliseconds as microseconds."""
    return round(float(text) * 1000)


def _interval(text: str) -> Interval:
    start, end = text.split("-")
    return Interval(us(start), us(end))


def _seat(text: str) -> Seat | None:
    return None if text == "-" else Seat(text)


def _card(text: str) -> Card | None:
    return None if text in {"??", "empty", "down"} else Card.parse(text)


def _evidence(*frames_us: int) -> Evidence:
    return Evidence("table.mp4", frames_us)


def _look(words: list[str]) -> PileSeen:
    place, top, when = words
    at_us = us(when.removeprefix("@"))
    return PileSeen(
        pile=pile(place),
        top=_card(top),
        is_empty=top == "empty",
        face_up=top not in {"empty", "down"},
        seen=Interval(at_us, at_us),
        confidence=0.97,
        evidence=_evidence(at_us),
    )


def _land(words: list[str]) -> CardLanded:
    seat, card, source, target, touch, *settled = words
    interval = _interval(touch)
    settled_us = us(settled[0].removeprefix("@")) if settled else interval.end_us + SETTLE_US
    return CardLanded(
        pile=pile(target, _seat(seat)),
        card=_card(card),
        touch=interval,
        settled_us=settled_us,
        seat=_seat(seat),
        seat_confidence=0.0 if seat == "-" else 0.95,
        source=None if source == "-" else pile(source, _seat(seat)),
        confidence=0.97,
        resolution_us=FRAME_US // 2,
        evidence=_evidence(interval.start_us, interval.end_us),
    )


def _lift(words: list[str]) -> CardLifted:
    seat, card, place, when = words
    interval = _interval(when)
    return CardLifted(
        pile=pile(place),
        card=_card(card),
        lifted=interval,
        seat=_seat(seat),
        confidence=0.97,
        evidence=_evidence(interval.end_us),
    )


def _touch(words: list[str]) -> HandTouched:
    seat, place, when = words
    return HandTouched(
        seat=_seat(seat),
        pile=pile(place),
        touch=_interval(when),
        resolution_us=FRAME_US // 2,
        confidence=0.97,
        evidence=_evidence(_interval(when).end_us),
    )


def _lost(words: list[str]) -> ViewLost:
    place, when = words
    return ViewLost(pile=pile(place), lost=_interval(when), cause="a sleeve lay over it")


def _count(words: list[str]) -> CardsCounted:
    place, count, when = words
    return CardsCounted(pile=pile(place), count=int(count), told_by="Ana", at_us=us(when.removeprefix("@")))
