"""From a seed to three files: the video, its table file and its truth."""

import errno
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace
from numpy.typing import NDArray

from datasets.simulator.camera import Camera, table_corners
from datasets.simulator.layout import SIDES, Layout
from datasets.simulator.lighting import LightChanges
from datasets.simulator.passage import Passage, TrueAction
from datasets.simulator.plan import plan_passage, random_layout
from datasets.simulator.settings import LONGEST_PERIOD, SHORTEST_PERIOD, SimulationSettings
from datasets.simulator.stage import Stage, hides
from referee.piles import PileId, Seat

TICKS_PER_SECOND: Final = 90_000
"""The clip's time base is 1/90000 s: every usual frame rate falls on whole ticks, or nearly so."""
_PLAYERS: Final = {Seat.SOUTH: "Ana", Seat.NORTH: "Ben", Seat.EAST: "Cleo", Seat.WEST: "Dan"}
_COMING_DOWN_US: Final = (-33_333, -16_667, 0, 16_667)
"""From contact: two frames before it, at 60/s, to one after it. By those a touch is told."""
_LOOK_AHEAD_US: Final = 3_000_000
"""A hand leaves a pile within this time, or stays for its owner's next business there."""

Progress = Callable[[int, int], None]
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedClip:
    """What was written, and what is true of it."""

    video: Path
    table_file: Path
    truth_file: Path
    frames_us: tuple[int, ...]
    """The time of every frame in the file: the middle of its exposure."""
    actions: tuple[TrueAction, ...]
    """By time of contact."""
    passage: Passage
    camera: Camera


def frame_ticks(rng: np.random.Generator, settings: SimulationSettings, duration_us: int) -> list[int]:
    """Presentation times of the frames, in ticks of 1/90000 s, from 0 on."""
    period = TICKS_PER_SECOND / settings.fps
    end = duration_us * TICKS_PER_SECOND / 1e6
    if settings.vfr:
        steps = period * rng.uniform(SHORTEST_PERIOD, LONGEST_PERIOD, int(end / period / SHORTEST_PERIOD) + 2)
        times = np.concatenate([[0.0], np.cumsum(steps)])
    else:
        times = period * np.arange(int(end / period) + 2)
    ticks = [int(t) for t in np.rint(times[times < end])]
    kept = rng.random(len(ticks)) >= settings.drop
    return [tick for tick, keep in zip(ticks, kept, strict=True) if keep or tick == 0]


def ticks_to_us(ticks: int) -> int:
    """Microseconds, rounded to the nearest.

    >>> ticks_to_us(1500)
    16667
    """
    return round(Fraction(ticks * 1_000_000, TICKS_PER_SECOND))


def simulate_clip(
    out: Path,
    *,
    seed: int,
    settings: SimulationSettings,
    progress: Progress | None = None,
    overwrite: bool = False,
) -> SimulatedClip:
    """Render the passage of ``seed`` to ``out`` (``.mp4``), its table beside it as ``.toml``, its truth as
    ``.truth.jsonl``; ``progress`` is told frames done and frames in all.

    ``OSError`` where the files cannot be written: ``FileExistsError`` where one is there already and
    ``overwrite`` is not set, as a table file may hold someone's measuring. ``ValueError``
    where ``out`` does not end in ``.mp4``.
    """  # noqa: D205 (one sentence)
    if out.suffix != ".mp4":
        raise ValueError(f"not a clip's name: {str(out)!r} (want e.g. 'match.mp4')")
    table_file, truth_file = out.with_suffix(".toml"), out.with_suffix(".truth.jsonl")
    if not overwrite:
        _refuse_existing(out, table_file, truth_file)
    stage = stage_of(seed, settings)
    passage, camera = stage.passage, stage.camera
    ticks = frame_ticks(np.random.default_rng([seed, 2]), settings, passage.duration_us)
    actions = tuple(true_action(stage, action) for action in passage.actions)
    name = "".join(c if c.isalnum() and c.isascii() else "-" for c in out.stem) or "table"
    table = table_toml(passage.layout, camera, name=name, markers=settings.markers)
    table_file.write_text(table, encoding="utf-8")
    truth_file.write_text("".join(truth_line(action) + "\n" for action in actions), encoding="utf-8")
    _write_video(out, stage, ticks, settings, progress)
    return SimulatedClip(
        video=out,
        table_file=table_file,
        truth_file=truth_file,
        frames_us=tuple(ticks_to_us(t) for t in ticks),
        actions=actions,
        passage=passage,
        camera=camera,
    )


def stage_of(seed: int, settings: SimulationSettings) -> Stage:
    """The table of ``seed``, with all that happens on it, as its camera sees it."""
    scene_rng, picture_rng = (np.random.default_rng([seed, stream]) for stream in range(2))
    layout = random_layout(scene_rng, settings)
    passage = plan_passage(scene_rng, layout, settings)
    camera = Camera.over(picture_rng, layout.size_mm, (settings.width_px, settings.height_px))
    return Stage(
        passage,
        camera,
        picture_rng,
        markers=settings.markers,
        rolling_us=settings.rolling_shutter_us,
        light_changes=_light_changes(seed, settings),
    )


def _light_changes(seed: int, settings: SimulationSettings) -> LightChanges | None:
    if settings.light_drift == 0 and settings.lamp_us is None:
        return None
    return LightChanges.random(
        np.random.default_rng([seed, 3]),
        (settings.width_px, settings.height_px),
        drift=settings.light_drift,
        switch_us=settings.lamp_us,
    )


def _refuse_existing(*paths: Path) -> None:
    for path in paths:
        if path.exists() or path.is_symlink():
            said = "there already, and not written over (want another name)"
            raise FileExistsError(errno.EEXIST, said, str(path))


# --- Truth


def true_action(stage: Stage, action: TrueAction) -> TrueAction:
    """``action`` with the times and piles that depend on what the camera sees of the hand."""
    if action.target is not None:
        gone_us = _hand_gone_us(stage, action.seat, action.target, action.rest_us)
        return replace(action, hand_gone_us=gone_us, seen_share=_seen_share(stage, action))
    hidden = {
        t_us: piles
        for t_us in range(action.lifted_us, action.hand_gone_us, 10_000)
        if (piles := _hidden_piles(stage, action.seat, t_us))
    }
    if not hidden:
        return action
    passed = tuple(sorted({pile for piles in hidden.values() for pile in piles}, key=str))
    return replace(action, lifted_us=min(hidden), hand_gone_us=max(hidden), passed=passed)


def _zone_px(stage: Stage, pile: PileId) -> Points:
    polygon = stage.passage.layout.spots[pile].polygon_mm
    return stage.camera.project(np.array([(x, y, 0.0) for x, y in polygon]))


def _hidden_piles(stage: Stage, seat: Seat, t_us: int) -> list[PileId]:
    outline = stage.hand_outline_px(seat, t_us)
    return [pile for pile in stage.passage.layout.spots if hides(outline, _zone_px(stage, pile))]


def _seen_share(stage: Stage, action: TrueAction) -> float | None:
    """The least share of the card in sight, from two frames at 60/s before its touch to one after."""
    carry = next(
        (c for c in stage.passage.carries if c.seat is action.seat and c.contact_us == action.contact_us),
        None,
    )
    if carry is None:
        return None
    return min(stage.seen_share(carry, action.contact_us + after_us) for after_us in _COMING_DOWN_US)


def _hand_gone_us(stage: Stage, seat: Seat, pile: PileId, rest_us: int) -> int:
    """First time after ``rest_us``, to 2 ms, at which the seat's hand and arm are clear of the zone."""
    zone = _zone_px(stage, pile)
    end_us = min(rest_us + _LOOK_AHEAD_US, stage.passage.duration_us)
    for t_us in range(rest_us, end_us, 2_000):
        if not hides(stage.hand_outline_px(seat, t_us), zone):
            return t_us
    return end_us


def truth_line(action: TrueAction) -> str:
    """One JSON object."""
    pose = action.pose
    fields: dict[str, Any] = {
        "kind": action.kind,
        "seat": action.seat.value,
        "card": None if action.card is None else str(action.card),
        "count": action.count,
        "source": None if action.source is None else str(action.source),
        "target": None if action.target is None else str(action.target),
        "lifted_us": action.lifted_us,
        "contact_us": action.contact_us,
        "rest_us": action.rest_us,
        "hand_gone_us": action.hand_gone_us,
        "legal": action.is_legal,
        "rule": action.rule,
        "contest": action.contest,
        "gap_us": action.gap_us,
        "rest_mm": None if pose is None else [round(pose.x_mm, 2), round(pose.y_mm, 2)],
        "turn_deg": None if pose is None else round(pose.turn_deg, 2),
        "passed": [str(pile) for pile in action.passed],
        "seen_share": None if action.seen_share is None else round(action.seen_share, 3),
    }
    return json.dumps(fields)


# --- Table file


def _numbers(values: Iterator[float] | list[float]) -> str:
    return "[" + ", ".join(f"{value:.2f}" for value in values) + "]"


def _camera_lines(layout: Layout, camera: Camera, *, markers: bool) -> list[str]:
    if markers:
        centres = ", ".join(f"{i} = {_numbers(list(xy))}" for i, xy in enumerate(layout.marker_centres_mm))
        return [
            "[markers]",
            'dictionary = "DICT_4X4_50"',
            f"size_mm = {layout.marker_size_mm}",
            f"centres_mm = {{ {centres} }}",
        ]
    corners = camera.project(table_corners(layout.size_mm))
    return [
        "[camera]",
        f"image_size_px = [{camera.image_size_px[0]}, {camera.image_size_px[1]}]",
        f"corners_px = [{', '.join(_numbers(list(corner)) for corner in corners)}]",
    ]


def table_toml(layout: Layout, camera: Camera, *, name: str, markers: bool) -> str:
    """The table file of a simulated table."""
    lines = ["format = 1", f'game = "{layout.game}"', "", "[table]", f'name = "{name}"']
    lines += [f"width_mm = {layout.size_mm[0]}", f"height_mm = {layout.size_mm[1]}", ""]
    lines += _camera_lines(layout, camera, markers=markers)
    for seat in layout.seats:
        lines += ["", "[[seats]]", f'seat = "{seat}"', f'player = "{_PLAYERS[seat]}"']
        lines += [f'edge = "{SIDES[seat].edge}"']
    for pile, spot in layout.spots.items():
        polygon = ", ".join(_numbers(list(corner)) for corner in spot.polygon_mm)
        lines += ["", "[[piles]]", f'pile = "{pile}"', f"polygon_mm = [{polygon}]"]
    return "\n".join(lines) + "\n"


# --- Video


def _write_video(
    out: Path, stage: Stage, ticks: list[int], settings: SimulationSettings, progress: Progress | None
) -> None:
    with av.open(str(out), "w", format="mp4") as container:
        rate = Fraction(settings.fps).limit_denominator(1001)
        options = {"preset": settings.preset, "bf": "0", "threads": "1"}
        options["mbtree"] = "0"  # x264's AVX-512 macroblock tree reads memory that nothing wrote
        if settings.crf is not None:
            options["crf"] = str(settings.crf)
        stream = container.add_stream("libx264", rate=rate, options=options)
        if settings.crf is None:
            stream.bit_rate = settings.bits_s
        stream.width, stream.height, stream.pix_fmt = settings.width_px, settings.height_px, "yuv420p"
        stream.codec_context.time_base = Fraction(1, TICKS_PER_SECOND)
        stream.time_base = Fraction(1, TICKS_PER_SECOND)
        stream.codec_context.colorspace = Colorspace.ITU601  # as OpenCV converts
        stream.codec_context.color_range = ColorRange.MPEG
        for done, tick in enumerate(ticks, start=1):
            planes = stage.noisy_i420(stage.frame(ticks_to_us(tick)))
            frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
            frame.pts, frame.time_base = tick, Fraction(1, TICKS_PER_SECOND)
            container.mux(stream.encode(frame))
            if progress is not None:
                progress(done, len(ticks))
        container.mux(stream.encode(None))
