"""Time as the referee knows it: integer microseconds, and intervals instead of instants."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ClockGrade(StrEnum):
    """How far the frame times can be trusted. A tie is callable on A and B only."""

    A = "A"
    """The driver's or container's own times, without gaps."""
    B = "B"
    """The same, with gaps (dropped frames)."""
    C = "C"
    """Synthesised."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Closed ``[start_us, end_us]`` in microseconds: an instant known to lie between the two (E1).

    For a touch: the last frame surely without contact, and the first frame surely with it.
    """

    start_us: int
    end_us: int

    def __post_init__(self) -> None:
        if self.end_us < self.start_us:
            raise ValueError(f"an interval ends before it starts: {self.start_us} .. {self.end_us} us")

    @property
    def width_us(self) -> int:
        """How much is not known, in microseconds."""
        return self.end_us - self.start_us

    def surely_before(self, other: "Interval", *, guard_us: int) -> bool:
        """Whether this ended before ``other`` began, with at least ``guard_us`` between (E2).

        >>> Interval(0, 10).surely_before(Interval(30, 40), guard_us=20)
        True
        >>> Interval(0, 10).surely_before(Interval(29, 40), guard_us=20)
        False
        """
        return other.start_us - self.end_us >= guard_us


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingRules:
    """How touch times are compared (E2-E4, E7). All in microseconds."""

    guard_us: int | None = None
    """Least gap between two touches for an order. None: one frame period, so a frame's edge wins nothing."""
    w_max_us: int | None = None
    """Widest touch interval that still makes a clear tie. None: the larger of 50 ms and two frames (E3)."""
    collection_us: int = 100_000
    """Wait after a card came to rest before the verdict, so that a rival's card can come in (E7)."""
    race_us: int = 500_000
    """A card that touches later than this after the first is no rival but a late play: a hand that has
    started to move cannot be stopped for some 0.3 to 0.5 s."""
    carry_us: int = 10_000_000
    """How long a lifted card is looked for elsewhere; cards in Nerts rest in a hand for seconds at most."""

    def __post_init__(self) -> None:
        for name in ("guard_us", "w_max_us", "collection_us", "race_us", "carry_us"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise ValueError(f"{name}: want 0 or more microseconds, got {value}")

    def guard_for(self, frame_period_us: int) -> int:
        """The guard in force at ``frame_period_us``.

        One microsecond less than the frame period: two stamps, each rounded to a microsecond, may stand that
        much closer than the frames did.
        """
        return max(frame_period_us - 1, 0) if self.guard_us is None else self.guard_us

    def w_max_for(self, frame_period_us: int) -> int:
        """The widest narrow interval at ``frame_period_us``, with the same microsecond of rounding."""
        return max(50_000, 2 * frame_period_us) + 1 if self.w_max_us is None else self.w_max_us


class TouchOutcome(StrEnum):
    """What the touch times say about who was first."""

    FIRST = "FIRST"
    TIE = "TIE"
    TOO_CLOSE = "TOO_CLOSE"


@dataclass(frozen=True, slots=True)
class TouchOrder:
    """The outcome of one comparison; positions are those of the touches handed in."""

    outcome: TouchOutcome
    leaders: tuple[int, ...]
    """Not separated from the earliest touch, the earliest included."""
    trailers: tuple[int, ...]
    """Surely later than the earliest touch."""


def order_touches(
    touches: Sequence[Interval], *, guard_us: int, w_max_us: int, clock_grade: ClockGrade
) -> TouchOrder:
    """Decide who touched first (E2-E4), against the earliest touch only: ties do not chain.

    The earliest touch is the one that was surely there first. One leader is FIRST. Several are a TIE if all
    their intervals are narrow and the clock is graded A or B, and TOO_CLOSE otherwise.

    >>> order_touches([Interval(0, 9), Interval(5, 14), Interval(40, 49)], guard_us=10, w_max_us=50,
    ...               clock_grade=ClockGrade.A)
    TouchOrder(outcome=<TouchOutcome.TIE: 'TIE'>, leaders=(0, 1), trailers=(2,))
    """
    earliest = min(touches, key=lambda touch: (touch.end_us, touch.start_us))
    trailers = tuple(i for i, t in enumerate(touches) if earliest.surely_before(t, guard_us=guard_us))
    leaders = tuple(i for i in range(len(touches)) if i not in trailers)
    if len(leaders) == 1:
        return TouchOrder(TouchOutcome.FIRST, leaders, trailers)
    is_clear = all(touches[i].width_us <= w_max_us for i in leaders) and clock_grade is not ClockGrade.C
    return TouchOrder(TouchOutcome.TIE if is_clear else TouchOutcome.TOO_CLOSE, leaders, trailers)


def least_ms(us: int) -> int:
    """The whole milliseconds that surely passed.

    With ``most_ms`` the one rule for what people are told (E9): no interval looks narrower than it is, so
    it begins rounded down and ends rounded up, and how wide it is, is rounded up. Pages have the same rule.

    >>> least_ms(54_167), most_ms(54_167), most_ms(54_000)
    (54, 55, 54)
    """
    return us // 1000


def most_ms(us: int) -> int:
    """The whole milliseconds than which it is surely no more."""
    return -(-us // 1000)


def clock_text(t_us: int) -> str:
    """One moment of the source's clock as people read it, to its nearest millisecond, as on the pages.

    >>> clock_text(61_234_567), clock_text(26_433_000)
    ('1:01.235', '0:26.433')
    """
    milliseconds = max(0, (t_us + 500) // 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes}:{rest // 1000:02d}.{rest % 1000:03d}"


def margin_text(earlier: Interval, later: Interval) -> str:
    """By how much ``earlier`` was first, never finer than the evidence (E9): whole milliseconds, outward.

    >>> margin_text(Interval(983_300, 1_000_000), Interval(1_033_300, 1_050_000))
    '33-67 ms'
    """
    least_us = later.start_us - earlier.end_us
    most_us = later.end_us - earlier.start_us
    return f"{max(least_ms(least_us), 0)}-{most_ms(most_us)} ms"
