"""What a simulated passage is made of: every knob, with its unit and its reason."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from referee.setup import Game

LONGEST_US: Final = 3_600_000_000
SHORTEST_PERIOD: Final = 0.7
LONGEST_PERIOD: Final = 1.6
"""With ``vfr``: the shortest and the longest time from frame to frame, in frame periods."""
SEATS_OF: Final = {Game.NERTS: (2, 4), Game.SPIT: (2, 2)}
"""The games that can be simulated, with the fewest and the most seats."""
BITS_PER_PIXEL: Final = 0.1
"""Of a film, where no rate is asked for: 12.4 Mbit/s at 1080p60. Phones write 17 to 30 there, and platforms
for films ask for 12. x264 left to itself (quality 23) makes 0.6 to 1.2 of so clean a picture: there a card
that comes down is seen half as well (``docs/touches.md``)."""
LEAST_MBIT_S: Final = 1.0
MOST_MBIT_S: Final = 400.0
LONGEST_GAP_US: Final = 1_000_000
"""Later than this no second card comes to a race."""


class Story(StrEnum):
    """What a passage is full of."""

    PLAY = "play"
    """A round as it is played, with all that happens in one."""
    RACES = "races"
    """As many races as there is time for, with any gap from 0 to 250 ms."""
    PASSES = "passes"
    """Hands that pass over piles, hover, and take and leave nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationSettings:
    """How long, large and lively a rendered passage is; ``ValueError`` for what cannot be rendered."""

    width_px: int = 1920
    height_px: int = 1080
    fps: float = 60.0
    seconds: float | None = None
    """Length of the clip. None: as long as ``plays`` needs, or 30 s."""
    plays: int | None = None
    """End 1.5 s after so many plays on foundations or spit piles. None: play on until ``seconds``."""
    vfr: bool = False
    """Irregular frame times, as phones write them: intervals from 0.7 to 1.6 of a frame period."""
    drop: float = 0.0
    """Share of the frames that the camera lost, 0 .. 0.5."""
    game: Game = Game.NERTS
    seats: int = 2
    """Nerts: 2 to 4; Spit: 2."""
    markers: bool = False
    """Print ArUco markers on the table, and name them in the table file instead of corners."""
    mbit_s: float | None = None
    """Megabits a second of the film, as cameras are told. None: ``BITS_PER_PIXEL``, and no less than 1."""
    crf: int | None = None
    """x264's constant quality instead: lower is better and larger."""
    preset: str = "veryfast"
    warmup_plays: int | None = None
    """Plays made unseen before the first frame. None: by the seed, 10 to 45; in Spit none to 26."""
    contested_share: float = 0.12
    """Of the decisions, how many start a race of both seats for one foundation step."""
    contested_gaps_us: tuple[int, ...] = ()
    """True gaps between the touches of contested plays, in turn. Empty: by the seed, 0 to 250 ms."""
    illegal_share: float = 0.06
    """Of the decisions, how many put a wrong card on a foundation and take it back later."""
    pass_share: float = 0.13
    """Of the decisions, how many only move a hand over piles, or let it hover."""
    story: Story = Story.PLAY
    rolling_shutter_us: int = 0
    """From the exposure of the first row to that of the last; webcams and phones take 8 to 30 ms. The time of
    a frame is that of its middle row."""
    light_drift: float = 0.0
    """The brightness swings slowly by this share up and down, 0 .. 0.5."""
    lamp_us: int | None = None
    """When a lamp is switched on or off, by the seed. None: never."""

    @property
    def bits_s(self) -> int:
        """Bits a second of the film."""
        usual = BITS_PER_PIXEL * self.width_px * self.height_px * self.fps
        return round(max(LEAST_MBIT_S * 1e6, usual) if self.mbit_s is None else self.mbit_s * 1e6)

    def __post_init__(self) -> None:
        self._check_table()
        self._check_picture()
        self._check_light()
        self._check_races()

    def _check_table(self) -> None:
        _want(self.game in SEATS_OF, f"{self.game} cannot be simulated (want {' or '.join(SEATS_OF)})")
        fewest, most = SEATS_OF[self.game]
        _want(
            fewest <= self.seats <= most,
            f"{self.game} for {self.seats} cannot be simulated (want {fewest}"
            + (f" to {most})" if fewest < most else ")"),
        )
        _want(
            not (self.markers and self.seats > fewest),
            f"printed markers find no room on a table for {self.seats} (want {fewest})",
        )

    def _check_picture(self) -> None:
        _want(
            160 <= self.width_px <= 7680 and 90 <= self.height_px <= 4320,
            f"a picture of {self.width_px}x{self.height_px} px cannot be rendered (want 160x90 to 7680x4320)",
        )
        _want(
            self.width_px % 2 == 0 and self.height_px % 2 == 0,
            f"{self.width_px}x{self.height_px} px cannot be encoded as yuv420p (want even numbers)",
        )
        _want(1 <= self.fps <= 1000, f"{self.fps:g} frames/s cannot be rendered (want 1 to 1000)")
        _want(0 <= self.drop <= 0.5, f"{self.drop:g} is no share of dropped frames (want 0 to 0.5)")
        _want(
            self.seconds is None or 1 <= self.seconds <= LONGEST_US / 1e6,
            f"{self.seconds} s cannot be rendered (want 1 to 3600)",
        )
        _want(self.plays is None or 1 <= self.plays <= 200, f"{self.plays} plays (want 1 to 200)")
        _want(self.crf is None or 0 <= self.crf <= 51, f"{self.crf} is no quality of x264 (want 0 to 51)")
        _want(
            self.mbit_s is None or LEAST_MBIT_S <= self.mbit_s <= MOST_MBIT_S,
            f"{self.mbit_s} Mbit/s cannot be encoded (want {LEAST_MBIT_S:g} to {MOST_MBIT_S:g})",
        )
        _want(self.mbit_s is None or self.crf is None, "both a rate and a quality (want one of them)")

    def _check_light(self) -> None:
        shortest_us = int(1e6 / self.fps * (SHORTEST_PERIOD if self.vfr else 1.0))
        _want(
            0 <= self.rolling_shutter_us <= shortest_us,
            f"rows cannot be exposed over {self.rolling_shutter_us / 1000:g} ms"
            f" (want 0 to {shortest_us / 1000:g}, the time from frame to frame)",
        )
        _want(0 <= self.light_drift <= 0.5, f"{self.light_drift:g} is no drift of light (want 0 to 0.5)")
        _want(
            self.lamp_us is None or 0 <= self.lamp_us <= LONGEST_US,
            f"{(self.lamp_us or 0) / 1e6:g} s is no time for a lamp (want 0 to 3600)",
        )

    def _check_races(self) -> None:
        for gap_us in self.contested_gaps_us:
            _want(
                0 <= gap_us <= LONGEST_GAP_US,
                f"{gap_us / 1000:g} ms is no gap between two cards of a race (want 0 to 1000)",
            )
        _want(
            not (self.contested_gaps_us and self.story is Story.PASSES),
            "in a story of passes nobody races, so there are no gaps to set (want play or races)",
        )


def _want(is_so: bool, complaint: str) -> None:  # noqa: FBT001
    if not is_so:
        raise ValueError(complaint)
