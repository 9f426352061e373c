"""``touchjudge simulate``: a rendered match video with its truth."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError, os_error_line
from api.progress import counted_progress
from referee.setup import Game

if TYPE_CHECKING:
    from datasets.simulator import Story

MOST_SIZE_DIGITS = 5
"""Of a picture's side; Python refuses to read thousands of digits."""
LONGEST_SHOWN = 40
"""Characters of a wrong value that are told back."""


def simulate(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The clip (.mp4), or a folder that gets match.mp4.")
    ],
    *,
    game: Annotated[str, typer.Option(metavar="nerts|spit", help="What is played.")] = "nerts",
    seats: Annotated[int, typer.Option(help="Players: 2 to 4 of Nerts, 2 of Spit.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same match.")] = 0,
    seconds: Annotated[float | None, typer.Option(help="Length of the clip.")] = None,
    plays: Annotated[int | None, typer.Option(help="End after so many plays on common piles.")] = None,
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 60.0,
    size: Annotated[str, typer.Option(metavar="WxH", help="The picture, in pixels.")] = "1920x1080",
    mbit: Annotated[
        float | None, typer.Option(help="Megabits a second of the film; usually 12.4 at 1080p60.")
    ] = None,
    vfr: Annotated[bool, typer.Option("--vfr", help="Irregular frame times, as phones write them.")] = False,
    drop: Annotated[float, typer.Option(help="Share of the frames that the camera loses.")] = 0.0,
    markers: Annotated[bool, typer.Option("--markers", help="Printed markers on the table.")] = False,
    rolling_shutter: Annotated[
        float, typer.Option(metavar="MS", help="Time from the first row's exposure to the last row's.")
    ] = 0.0,
    light_drift: Annotated[
        float, typer.Option(metavar="SHARE", help="The light swings slowly by this share.")
    ] = 0.0,
    lamp: Annotated[
        float | None, typer.Option(metavar="SECOND", help="A lamp is switched at this second.")
    ] = None,
    story: Annotated[
        str, typer.Option(metavar="play|races|passes", help="What the passage is full of.")
    ] = "play",
    gaps: Annotated[
        str | None,
        typer.Option(metavar="MS,...", help="True gaps of contested plays, in turn, in milliseconds."),
    ] = None,
) -> None:
    """Render a passage of Nerts or Spit from above, with its table file and the truth beside it.

    Example: [bold]touchjudge simulate match.mp4 --seed 7 --plays 12[/bold]
    """
    from datasets.simulator import SimulationSettings, simulate_clip

    width_px, height_px = _parse_size(size)
    try:
        settings = SimulationSettings(
            game=_parse_game(game),
            seats=seats,
            width_px=width_px,
            height_px=height_px,
            fps=fps,
            mbit_s=mbit,
            seconds=seconds,
            plays=plays,
            vfr=vfr,
            drop=drop,
            markers=markers,
            rolling_shutter_us=_microseconds("--rolling-shutter", "milliseconds", rolling_shutter, 1e3),
            light_drift=light_drift,
            lamp_us=None if lamp is None else _microseconds("--lamp", "a second", lamp, 1e6),
            story=_parse_story(story),
            contested_gaps_us=_parse_gaps_us(gaps),
        )
        clip = _clip_path(out)
        with counted_progress("frames") as progress:
            made = simulate_clip(clip, seed=seed, settings=settings, progress=progress)
    except ValueError as error:
        raise MisuseError(str(error)) from None
    except OSError as error:
        raise CommandError(f"cannot write the clip: {os_error_line(error)}") from None
    for path in (made.video, made.table_file, made.truth_file):
        output().print(str(path), markup=False)
    notes().print(f"try it: touchjudge watch {made.video} --table {made.table_file}", markup=False)


def _clip_path(out: Path) -> Path:
    if out.suffix == ".mp4":
        if not out.parent.is_dir():
            raise CommandError(f"cannot write {out.name}: no such folder: {out.parent}")
        return out
    if out.suffix and not out.is_dir():
        raise MisuseError(f"OUT wants a clip's name such as match.mp4, or a folder; got {out}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"cannot make the folder: {os_error_line(error)}") from None
    return out / "match.mp4"


def _parse_size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal()) or max(len(width), len(height)) > MOST_SIZE_DIGITS:
        raise MisuseError(f"--size wants WIDTHxHEIGHT such as 1920x1080, got {_shown(text)}")
    return int(width), int(height)


def _parse_game(text: str) -> Game:
    from datasets.simulator.settings import SEATS_OF

    if text not in SEATS_OF:
        raise MisuseError(f"--game wants {' or '.join(SEATS_OF)}; got {_shown(text)}")
    return Game(text)


def _parse_story(text: str) -> "Story":
    from datasets.simulator import Story

    if text not in tuple(Story):
        raise MisuseError(f"--story wants {', '.join(Story)}; got {_shown(text)}")
    return Story(text)


def _parse_gaps_us(text: str | None) -> tuple[int, ...]:
    """Microseconds from a list of milliseconds; ``None``: no list."""
    if text is None:
        return ()
    try:
        gaps_ms = [float(part) for part in text.split(",")]
        return tuple(round(ms * 1000) for ms in gaps_ms)
    except (ValueError, OverflowError):
        raise MisuseError(f"--gaps wants milliseconds such as 5,40,120; got {_shown(text)}") from None


def _microseconds(option: str, wanted: str, value: float, us: float) -> int:
    """``value`` of a unit of ``us`` microseconds."""
    if not isfinite(value):
        raise MisuseError(f"{option} wants {wanted}; got {value}")
    return round(value * us)


def _shown(text: str) -> str:
    return repr(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")
