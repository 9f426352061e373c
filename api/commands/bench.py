"""``touchjudge bench``: how fast the whole chain is beside plain decoding, and how fast the referee alone."""

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from api.console import notes, output
from api.errors import CommandError, MisuseError

if TYPE_CHECKING:
    from api.models_bench import ModelFigures
    from api.referee_bench import RefereeFigures
    from vision.frames import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one run measured."""

    clip: str
    frames: int
    clip_seconds: float
    """From the first frame's time to the last."""
    decoding_fps: float
    """Frames a second of decoding alone, pictures as the chain gets them."""
    chain_fps: float
    """Frames a second of decoding, watching, reading and judging."""

    @property
    def chain_of_decoding(self) -> float:
        """The chain's speed as a share of decoding's."""
        return self.chain_fps / self.decoding_fps

    @property
    def times_real(self) -> float:
        """How many times faster than the clip the chain is; below 1 it could not follow a live camera."""
        return self.chain_fps * self.clip_seconds / self.frames


def bench(
    *,
    clip: Annotated[Path | None, typer.Option(help="Another clip than the bundled sample.")] = None,
    table: Annotated[Path | None, typer.Option("--table", help="That clip's table file.")] = None,
    referee: Annotated[bool, typer.Option("--referee", help="The referee alone, on a made match.")] = False,
    plays: Annotated[
        int | None,
        typer.Option(min=1000, max=1_000_000, help="With --referee: plays of the made match, in thousands."),
    ] = None,
    card_models: Annotated[
        bool, typer.Option("--models", help="The card models alone, on a 1080p table of 20 cards.")
    ] = False,
    rounds: Annotated[
        int | None, typer.Option(min=1, max=1000, help="With --models: looks that are timed (10).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Measure frames a second of the whole chain beside plain decoding, in one run.

    Example: [bold]touchjudge bench --json[/bold]
    Example: [bold]touchjudge bench --referee[/bold]
    Example: [bold]touchjudge bench --models[/bold]
    """
    from api.sample import Sample, bundled_sample

    if rounds is not None and not card_models:
        raise MisuseError("--rounds goes with --models")
    if card_models:
        if referee or clip is not None or table is not None:
            raise MisuseError("--models measures a drawn table: no --referee, --clip and --table")
        _bench_models(rounds or 10, as_json=as_json)
        return
    if plays is not None and not referee:
        raise MisuseError("--plays goes with --referee")
    if referee:
        if clip is not None or table is not None:
            raise MisuseError("--referee measures a made match: no --clip and no --table")
        _bench_referee(100_000 if plays is None else plays, as_json=as_json)
        return
    if (clip is None) != (table is None):
        raise MisuseError("--clip and --table go together")
    sample = bundled_sample() if clip is None or table is None else Sample(clip, table)
    figures = _measure(sample.clip, sample.table, notes())
    if as_json:
        print(json.dumps(_json_of(figures)))
        return
    output().print(_table_of(figures))


def _bench_models(rounds: int, *, as_json: bool) -> None:
    from api.models_bench import measure

    with notes().status("the card models") as status:
        figures = measure(rounds, progress=status.update)
    if as_json:
        print(json.dumps(_json_of_models(figures)))
        return
    output().print(_table_of_models(figures))


def _json_of_models(figures: "ModelFigures") -> dict[str, object]:
    rows = [
        {"what": each.what, "threads": each.threads, "ms": round(each.ms, 2), "found": each.found}
        for each in figures.timings
    ]
    return {"rounds": figures.rounds, "timings": rows, "missing": figures.missing or None}


def _table_of_models(figures: "ModelFigures") -> Table:
    table = Table("1080p, 20 cards", "threads", "ms", "found", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for each in figures.timings:
        table.add_row(each.what, str(each.threads), f"{each.ms:.1f}", str(each.found))
    told = f"; whole-frame locator not run: {figures.missing}" if figures.missing else ""
    table.caption = escape(f"the middle of {figures.rounds} looks{told}")
    return table


def _bench_referee(plays: int, *, as_json: bool) -> None:
    from api.referee_bench import measure

    with notes().status("the referee alone"):
        figures = measure(plays // 1000 * 1000)
    if as_json:
        print(json.dumps(_json_of_referee(figures)))
        return
    output().print(_table_of_referee(figures))


def _json_of_referee(figures: "RefereeFigures") -> dict[str, object]:
    return {
        "plays": figures.plays,
        "observations": figures.observations,
        "verdicts": figures.verdicts,
        "observations_per_second": round(figures.observations_per_second),
        "us_per_observation_at": {str(m.plays): round(m.us_per_observation, 1) for m in figures.marks},
        "calls_per_observation_at": {str(m.plays): round(m.calls_per_observation, 1) for m in figures.marks},
        "growth": round(figures.growth, 3),
        "referee_bytes_per_10000_plays": figures.referee_bytes,
        "recorded_bytes_per_10000_plays": figures.proceedings_bytes,
    }


def _table_of_referee(figures: "RefereeFigures") -> Table:
    table = Table("the referee, on one core", "", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    table.add_row("observations a second", f"{figures.observations_per_second:,.0f}")
    for mark in figures.marks:
        cost = f"{mark.us_per_observation:.0f} us, {mark.calls_per_observation:.0f} calls"
        table.add_row(f"one observation after {mark.plays:,} plays", cost)
    table.add_row("memory for 10,000 more plays", f"{figures.referee_bytes:,} bytes")
    table.add_row("the same, recorded, with undo", f"{figures.proceedings_bytes:,} bytes")
    table.caption = f"a made match: {figures.plays:,} plays, {figures.observations:,} observations"
    return table


def _measure(clip: Path, table_path: Path, err: Console) -> Figures:
    from api.match_plan import MatchPlan, setup_of
    from api.opening import open_table, opened_source
    from models import load_detector
    from referee.referee import Referee
    from vision.watcher import Watcher

    table = open_table(table_path)
    detector = load_detector()
    times_us: list[int] = []
    with opened_source(str(clip)) as source, err.status("decoding"):
        decoding_s = _timed(source, lambda frame: times_us.append(frame.t_us))
    if len(times_us) < 2:
        raise CommandError(f"{clip}: want two frames or more to measure, got {len(times_us)}")
    with opened_source(str(clip)) as source, err.status("the whole chain"):
        plan = MatchPlan(match_id="bench", table=table, table_file=str(table_path), source=str(clip))
        referee = Referee(setup_of(plan, source))
        watcher = Watcher(table, detector)

        def judge(frame: "Frame") -> None:
            for observation in watcher.see(frame):
                referee.observe(observation, at_us=frame.t_us)
            referee.advance(frame.t_us)

        chain_s = _timed(source, judge)
    return Figures(
        clip=clip.name,
        frames=len(times_us),
        clip_seconds=(times_us[-1] - times_us[0]) / 1e6,
        decoding_fps=len(times_us) / decoding_s,
        chain_fps=len(times_us) / chain_s,
    )


def _timed(frames: "Iterable[Frame]", do: "Callable[[Frame], None]") -> float:
    """Seconds that it takes to get and handle all frames."""
    started_s = time.perf_counter()
    for frame in frames:
        do(frame)
    return time.perf_counter() - started_s


def _json_of(figures: Figures) -> dict[str, object]:
    return {
        "clip": figures.clip,
        "frames": figures.frames,
        "clip_seconds": round(figures.clip_seconds, 3),
        "decoding_fps": round(figures.decoding_fps, 1),
        "chain_fps": round(figures.chain_fps, 1),
        "chain_of_decoding": round(figures.chain_of_decoding, 4),
        "times_real": round(figures.times_real, 3),
    }


def _table_of(figures: Figures) -> Table:
    table = Table("", "frames a second", "times real time", box=None, pad_edge=False)
    clip_fps = figures.frames / figures.clip_seconds
    table.add_row("decoding alone", f"{figures.decoding_fps:.1f}", f"{figures.decoding_fps / clip_fps:.2f}")
    table.add_row("the whole chain", f"{figures.chain_fps:.1f}", f"{figures.times_real:.2f}")
    table.caption = f"{figures.clip}: {figures.frames} frames, {figures.clip_seconds:.1f} s"
    return table
