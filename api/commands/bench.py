"""``touchjudge bench``: how fast the whole chain is beside plain decoding, and how fast the referee alone."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from api.console import notes, output
from api.errors import MisuseError

if TYPE_CHECKING:
    from api.chain_bench import ChainFigures
    from api.models_bench import ModelFigures
    from api.referee_bench import RefereeFigures


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
    """Measure the whole chain beside plain decoding, and beside a detector on every whole frame, in one run.

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
    _bench_chain(sample.clip, sample.table, as_json=as_json)


def _bench_chain(clip: Path, table: Path, *, as_json: bool) -> None:
    from api.chain_bench import measure

    with notes().status("decoding") as status:
        figures = measure(clip, table, status.update)
    if as_json:
        print(json.dumps(_json_of(figures)))
        return
    output().print(_table_of(figures))
    output().print(_stages_of(figures))


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


def _json_of(figures: "ChainFigures") -> dict[str, object]:
    return {
        "clip": figures.clip,
        "frames": figures.frames,
        "clip_seconds": round(figures.clip_seconds, 3),
        "decoding_fps": round(figures.decoding.fps, 1),
        "chain_fps": round(figures.chain.fps, 1),
        "chain_of_decoding": round(figures.chain_of_decoding, 4),
        "times_real": round(figures.times_real, 3),
        "cpu_of_decoding": round(figures.cpu_of_decoding, 2),
        "stages": {stage.name: round(stage.wall_s, 3) for stage in figures.stages},
        "whole_frame_fps": {str(run.longer_px): round(run.spent.fps, 2) for run in figures.whole_frame},
        "missing": figures.missing or None,
    }


def _table_of(figures: "ChainFigures") -> Table:
    table = Table("", "frames a second", "times real time", "processor ms a frame", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    rows = [("decoding alone", figures.decoding), ("the whole chain", figures.chain)]
    rows += [(f"ultralytics, tracked, at {r.longer_px} px", r.spent) for r in figures.whole_frame]
    for name, spent in rows:
        real = f"{spent.fps / figures.clip_fps:.2f}"
        table.add_row(name, f"{spent.fps:.1f}", real, f"{spent.cpu_s / spent.frames * 1000:.1f}")
    told = f"; a detector on whole frames was not run: {figures.missing}" if figures.missing else ""
    clip = f"{figures.clip}: {figures.frames} frames, {figures.clip_seconds:.1f} s"
    table.caption = escape(f"{clip}{told}")
    return table


def _stages_of(figures: "ChainFigures") -> Table:
    table = Table("where the chain's time goes", "ms a frame", "share", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for stage in figures.stages:
        share = f"{stage.wall_s / figures.chain.wall_s:.0%}"
        table.add_row(stage.name, f"{stage.wall_s / figures.frames * 1000:.2f}", share)
    return table
