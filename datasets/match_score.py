"""How well a record tells what happened in a simulated clip: plays found, cards, owners, touches, rulings.

A told play is a true one where the pile is the same and the true contact lies near the told touch; the card,
the owner and the width of the touch are counted apart, of the plays found.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from json import loads
from pathlib import Path

from referee.cards import Card
from referee.clock import Interval
from referee.logs import read_record
from referee.observations import CardLanded, Observation
from referee.piles import PileId, PileKind, Seat
from referee.sightings import CardsCarried, Handling, PileHandled
from referee.verdicts import Ruling, Verdict

MATCH_US = 400_000
"""A touch told within this of a true contact on the same pile is that play."""
OTHER_CARD_US = 1_000_000
"""Another face weighs as much as so long a time between the two."""
OTHER_SEAT_US = 300_000
"""Another hand weighs as much as so long: of two that came together each is held against its own seat's."""
NARROW_PERIODS = 2
"""A touch of no more frame periods, to the microsecond, is narrow."""
CLEAR_SHARE = 0.6
"""A card is in clear view where no hand hides more than the rest of it while it comes down: holding it hides
0.15 to 0.3."""
HANDLED_AS = {
    "turn": Handling.TURNED,
    "flip": Handling.FACED_UP,
    "recycle": Handling.TURNED_OVER,
    "slap": Handling.SLAPPED,
    "gather": Handling.GATHERED,
}
"""How the truth's kinds of handling are told."""
COMMON = {PileKind.FOUNDATION, PileKind.SPIT}
"""The piles that all play to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePlay:
    """Something that a hand did to a pile, by the truth file."""

    kind: str
    """As in ``docs/simulator.md``."""
    seat: Seat
    card: Card | None
    """None: face down."""
    count: int
    source: PileId
    target: PileId
    contact_us: int
    is_legal: bool
    contest: str | None
    gap_us: int | None
    seen_share: float | None = None
    """The least share of the card in sight while it came down. None: not known."""

    @property
    def is_in_clear_view(self) -> bool:
        """Whether enough of the card was in sight, as far as is known."""
        return self.seen_share is None or self.seen_share >= CLEAR_SHARE

    @property
    def is_on_foundation(self) -> bool:
        """Whether a card came to a foundation or spit pile, legally or not."""
        return self.target.kind in COMMON and self.kind not in HANDLED_AS


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldPlay:
    """The same, as it was told."""

    handling: Handling | None
    """None: cards were carried."""
    pile: PileId
    """Where they came to lie."""
    card: Card | None
    seat: Seat | None
    source: PileId | None
    touch: Interval
    resolution_us: int

    @property
    def is_on_foundation(self) -> bool:
        """Whether a card is said to have come to a foundation or spit pile."""
        return self.pile.kind in COMMON and self.handling is None


@dataclass(frozen=True, slots=True)
class Match:
    """A true play and what was told of it. None: nothing was."""

    true: TruePlay
    told: ToldPlay | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What was asked of some plays: right, left open (unknown), or wrong."""

    right: int = 0
    open: int = 0
    wrong: int = 0

    def __add__(self, other: "Counted") -> "Counted":
        return Counted(
            right=self.right + other.right, open=self.open + other.open, wrong=self.wrong + other.wrong
        )

    @property
    def total(self) -> int:
        """How often it was asked."""
        return self.right + self.open + self.wrong

    def __str__(self) -> str:
        share = f" ({self.right / self.total:.3f})" if self.total else ""
        return f"{self.right} of {self.total} right{share}, {self.open} open, {self.wrong} wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Plays found among true and told ones."""

    true: int = 0
    told: int = 0
    found: int = 0

    def __add__(self, other: "Found") -> "Found":
        return Found(true=self.true + other.true, told=self.told + other.told, found=self.found + other.found)

    @property
    def invented(self) -> int:
        """Told, and not true."""
        return self.told - self.found

    @property
    def recall(self) -> float:
        """Of the true ones, the share found; 1 where there are none."""
        return self.found / self.true if self.true else 1.0

    @property
    def precision(self) -> float:
        """Of those told, the share that is true; 1 where nothing was told."""
        return self.found / self.told if self.told else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two; 1 where nothing was played or told."""
        return 2 * self.found / (self.true + self.told) if self.true + self.told else 1.0

    def __str__(self) -> str:
        return (
            f"{self.found} of {self.true} found, {self.invented} false, "
            f"precision {self.precision:.3f}, recall {self.recall:.3f}, F1 {self.f1:.3f}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """All figures of one clip, or the sum of several."""

    foundation: Found = field(default_factory=Found)
    everything: Found = field(default_factory=Found)
    """Foundations, work piles, Nerts piles, waste and stock."""
    card: Counted = field(default_factory=Counted)
    """The faces of the plays found: open is ``??``."""
    owner: Counted = field(default_factory=Counted)
    source: Counted = field(default_factory=Counted)
    touch: Counted = field(default_factory=Counted)
    """Right: the told touch holds the true contact."""
    narrow: Counted = field(default_factory=Counted)
    """Right: no wider than ``NARROW_PERIODS`` frame periods; open: wider."""
    ruling: Counted = field(default_factory=Counted)
    """Of foundation plays that are in no race: LEGAL or ILLEGAL as in truth."""
    races: Counted = field(default_factory=Counted)
    """Right: the first is told as FIRST, or together is told where the true gap is under a frame."""
    apart: Counted = field(default_factory=Counted)
    """The races whose true gap is three frame periods or more."""
    early_first: int = 0
    """FIRST, where the true gap is under one frame period."""
    us: int = 0
    """Length of the clips."""

    def __add__(self, other: "Score") -> "Score":
        return Score(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})

    @property
    def invented_an_hour(self) -> float:
        """Plays told that nobody made, by the hour."""
        return self.everything.invented / (self.us / 3.6e9) if self.us else 0.0

    def lines(self) -> Iterator[str]:
        """The figures, one a line."""
        yield f"foundation plays  {self.foundation}"
        yield f"all plays         {self.everything}"
        for name in ("card", "owner", "source", "touch", "narrow", "ruling", "races", "apart"):
            yield f"{name:17} {getattr(self, name)}"
        yield f"FIRST under one frame {self.early_first}; {self.invented_an_hour:.1f} plays invented an hour"


# --- Reading


def true_plays(truth: Path) -> list[TruePlay]:
    """All that hands did to piles, by time of contact; hands that only passed are left out."""
    lines = [loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    plays = [
        TruePlay(
            kind=line["kind"],
            seat=Seat(line["seat"]),
            card=None if line["card"] is None else Card.parse(line["card"]),
            count=line["count"],
            source=PileId.parse(line["source"]),
            target=PileId.parse(line["target"]),
            contact_us=line["contact_us"],
            is_legal=line["legal"],
            contest=line["contest"],
            gap_us=line["gap_us"],
            seen_share=line.get("seen_share"),
        )
        for line in lines
        if line["kind"] != "pass"
    ]
    return sorted(plays, key=lambda play: play.contact_us)


def told_plays(observations: Iterable[Observation]) -> list[ToldPlay]:
    """Every play among observations: cards that landed or were carried together, piles turned."""
    told = (_told(observation) for observation in observations)
    return [play for play in told if play is not None]


def _told(seen: Observation) -> ToldPlay | None:
    if isinstance(seen, CardLanded):
        return _told_of(seen, None, seen.pile, seen.card, seen.source)
    if isinstance(seen, CardsCarried):
        return _told_of(seen, None, seen.pile, seen.cards[0], seen.source)
    if isinstance(seen, PileHandled) and seen.handling in HANDLED_AS.values():
        card = seen.cards[-1] if seen.cards else None
        pile = seen.target or seen.pile
        is_spit = seen.handling is Handling.TURNED and pile.kind is PileKind.SPIT
        return _told_of(seen, None if is_spit else seen.handling, pile, card, seen.pile)
    return None


def _told_of(
    seen: CardLanded | CardsCarried | PileHandled,
    handling: Handling | None,
    pile: PileId,
    card: Card | None,
    source: PileId | None,
) -> ToldPlay:
    return ToldPlay(
        handling=handling,
        pile=pile,
        card=card,
        seat=seen.seat,
        source=source,
        touch=seen.touch,
        resolution_us=seen.resolution_us,
    )


# --- Matching


def match_plays(true: Iterable[TruePlay], told: Iterable[ToldPlay]) -> tuple[list[Match], list[ToldPlay]]:
    """Each true play with what was told of it, one to one, the nearest first; and what was told beside."""
    truths, left = list(true), list(told)
    pairs = sorted(
        (cost, i, j)
        for i, play in enumerate(truths)
        for j, other in enumerate(left)
        if (cost := _distance_us(play, other)) is not None
    )
    told_of: dict[int, int] = {}
    for _, i, j in pairs:
        if i not in told_of and j not in told_of.values():
            told_of[i] = j
    matches = [Match(play, left[told_of[i]] if i in told_of else None) for i, play in enumerate(truths)]
    used = set(told_of.values())
    return matches, [other for j, other in enumerate(left) if j not in used]


def _distance_us(play: TruePlay, told: ToldPlay) -> int | None:
    """How far apart the two are. None: they are not of one pile, of one kind, or not near in time."""
    if told.pile != play.target or told.handling is not HANDLED_AS.get(play.kind):
        return None
    away_us = max(told.touch.start_us - play.contact_us, play.contact_us - told.touch.end_us, 0)
    if away_us > MATCH_US:
        return None
    other_card = OTHER_CARD_US if told.card != play.card else 0
    other_seat = OTHER_SEAT_US if told.seat not in {None, play.seat} else 0
    return away_us + abs(told.touch.end_us - play.contact_us) // 10 + other_card + other_seat


# --- Scoring


def score_record(truth: Path, record: Path) -> Score:
    """The figures of one record; ``RecordError`` where it is none."""
    log = read_record(record.read_bytes().splitlines())
    observations = [timed.observation for timed in log.observations]
    return score(
        true_plays(truth),
        observations,
        verdicts=log.verdicts,
        period_us=log.header.setup.frame_period_us,
        us=log.entries[-1].t_us if log.entries else 0,
    )


def score(
    true: Iterable[TruePlay],
    observations: Iterable[Observation],
    *,
    verdicts: Iterable[Verdict],
    period_us: int,
    us: int = 0,
) -> Score:
    """The figures of what was told of a clip with frames every ``period_us``."""
    plays = list(true)
    matches, invented = match_plays(plays, told_plays(observations))
    rulings = list(verdicts)
    return Score(
        foundation=_found(
            [m for m in matches if m.true.is_on_foundation], [o for o in invented if o.is_on_foundation]
        ),
        everything=_found(matches, invented),
        **_figures(matches, period_us),
        ruling=_sum(_ruling(m, rulings) for m in matches if _is_ruled_alone(m)),
        races=_sum(_race(race, rulings, period_us) for race in _races(matches)),
        apart=_sum(
            _race(race, rulings, period_us) for race in _races(matches) if _gap_us(race) >= 3 * period_us
        ),
        early_first=sum(
            _first_of(race, rulings) is not None for race in _races(matches) if _gap_us(race) < period_us
        ),
        us=us,
    )


def _sum(counts: Iterable[Counted]) -> Counted:
    return sum(counts, Counted())


def _found(matches: list[Match], invented: list[ToldPlay]) -> Found:
    found = sum(match.told is not None for match in matches)
    return Found(true=len(matches), told=found + len(invented), found=found)


def _figures(matches: list[Match], period_us: int) -> dict[str, Counted]:
    """What is asked of each play that was found."""
    pairs = [(match.true, match.told) for match in matches if match.told is not None]
    return {
        "card": _sum(_compared(told.card, true.card) for true, told in pairs if true.card is not None),
        "owner": _sum(_compared(told.seat, true.seat) for true, told in pairs),
        "source": _sum(_compared(told.source, true.source) for true, told in pairs),
        "touch": _sum(_holds(told.touch, true.contact_us) for true, told in pairs),
        "narrow": _sum(_is_narrow(told.touch, period_us) for true, told in pairs if true.is_in_clear_view),
    }


def _compared(told: object, true: object) -> Counted:
    if told is None:
        return Counted(open=1)
    return Counted(right=1) if told == true else Counted(wrong=1)


def _holds(touch: Interval, contact_us: int) -> Counted:
    return Counted(right=1) if touch.start_us <= contact_us <= touch.end_us else Counted(wrong=1)


def _is_narrow(touch: Interval, period_us: int) -> Counted:
    return Counted(right=1) if touch.width_us <= NARROW_PERIODS * (period_us + 1) else Counted(open=1)


# --- Rulings and races


def _is_ruled_alone(match: Match) -> bool:
    return match.true.is_on_foundation and match.true.contest is None and match.told is not None


def _ruling(match: Match, verdicts: list[Verdict]) -> Counted:
    verdict = _last_on(match, verdicts)
    if verdict is None or verdict.ruling not in {Ruling.LEGAL, Ruling.ILLEGAL}:
        return Counted(open=1)
    is_right = (verdict.ruling is Ruling.LEGAL) == match.true.is_legal
    return Counted(right=1) if is_right else Counted(wrong=1)


def _last_on(match: Match, verdicts: list[Verdict]) -> Verdict | None:
    """The last verdict on what was told of a play."""
    told = match.told
    on_it = [v for v in verdicts if told is not None and any(_is_of(told, play) for play in v.event.plays)]
    return on_it[-1] if on_it else None


def _is_of(told: ToldPlay, play: object) -> bool:
    told_as = (told.pile, told.card, told.touch, told.seat)
    return told_as == tuple(getattr(play, name) for name in ("target", "card", "touch", "seat"))


def _races(matches: list[Match]) -> list[list[Match]]:
    """The plays of each race, by true contact."""
    names = sorted({m.true.contest for m in matches if m.true.contest is not None})
    return [[m for m in matches if m.true.contest == name] for name in names]


def _gap_us(race: list[Match]) -> int:
    return max(match.true.gap_us or 0 for match in race)


def _first_of(race: list[Match], verdicts: list[Verdict]) -> Seat | None:
    """Who is said to have been first. None: nobody, or both."""
    verdict = next((v for m in race if (v := _last_on(m, verdicts)) is not None), None)
    if verdict is None or verdict.ruling is not Ruling.FIRST:
        return None
    return verdict.seat


def _race(race: list[Match], verdicts: list[Verdict], period_us: int) -> Counted:
    """Whether the right one is said to have been first; alone on the pile, a card is as good as first."""
    rulings = [v for m in race if (v := _last_on(m, verdicts)) is not None]
    if not rulings:
        return Counted(open=1)
    seats = {seat for v in rulings for play in v.stands if (seat := play.seat) is not None}
    first = race[0].true.seat
    if any(v.ruling in {Ruling.TIE, Ruling.TOO_CLOSE, Ruling.UNDECIDED} for v in rulings):
        is_together = _gap_us(race) < period_us
        return Counted(right=1) if is_together else Counted(open=1)
    if seats == {first}:
        return Counted(right=1) if _gap_us(race) >= period_us else Counted(wrong=1)
    return Counted(wrong=1) if seats else Counted(open=1)
