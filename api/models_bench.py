"""How long the card models take for one table, whole and after a single pile has changed."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.drawn_deck import draw_face, random_style
from models.detector_settings import DetectorSettings
from models.onnx_detector import WEIGHTS, OnnxDetector
from models.training.whole_frame import NotInstalledError, whole_frame_runner
from referee.cards import FACES

Image = NDArray[np.uint8]

FRAME_WH_PX = (1920, 1080)
PX_PER_MM = 1.8
"""A table of 1,067 x 600 mm."""
CARD_MM = (63.0, 88.0)
COLUMNS, ROWS = 7, 3
CARDS = 20
STYLE_SEED = 1_000_020
ZONE_MM = (96.0, 118.0)
"""Of one squared pile: what is read again when it changed."""
THREADS = (1, 2)
WHOLE_FRAME_PX = (640, 1280)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTiming:
    """What was timed. ms: the middle of all rounds. found: cards, of whole-frame runs boxes."""

    what: str
    threads: int
    ms: float
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFigures:
    """All timings of one run. missing: why there is nothing of ultralytics; empty if there is."""

    rounds: int
    timings: tuple[ModelTiming, ...]
    missing: str


def table_picture() -> Image:
    """1080p, 20 cards of a drawn deck in rows on felt, each turned a little; always the same."""
    rng = np.random.default_rng(20)
    width, height = FRAME_WH_PX
    felt = rng.normal(0, 5, (height, width, 1)) + np.array([60, 110, 70])
    table = np.clip(felt, 0, 255).astype(np.uint8)
    style = random_style(np.random.default_rng(STYLE_SEED))
    for place, card in enumerate(rng.permutation(np.array(FACES, object))[:CARDS]):
        face = draw_face(card, style, 352)
        _lay(table, face, _centre_px(place) + rng.normal(0, 6, 2), float(rng.normal(0, 4)))
    return np.asarray(cv2.GaussianBlur(table, (3, 3), 0), np.uint8)


def _centre_px(place: int) -> NDArray[np.float64]:
    row, column = divmod(place, COLUMNS)
    return np.array([(column + 0.5) / COLUMNS, (row + 0.5) / ROWS]) * FRAME_WH_PX


def _lay(table: Image, face: Image, centre_px: NDArray[np.float64], turn_deg: float) -> None:
    scale = CARD_MM[1] * PX_PER_MM / face.shape[0]
    matrix = cv2.getRotationMatrix2D((face.shape[1] / 2, face.shape[0] / 2), turn_deg, scale)
    matrix[:, 2] += centre_px - (face.shape[1] / 2, face.shape[0] / 2)
    laid = cv2.warpAffine(face, matrix, FRAME_WH_PX, flags=cv2.INTER_AREA)
    alpha = laid[..., 3:].astype(np.float32) / 255
    table[:] = (table * (1 - alpha) + laid[..., :3] * alpha).astype(np.uint8)


def zone_picture(table: Image) -> Image:
    """The part of the picture in which the first pile lies."""
    x, y = np.rint(_centre_px(0)).astype(int)
    half_w, half_h = (round(side * PX_PER_MM / 2) for side in ZONE_MM)
    return np.ascontiguousarray(table[max(y - half_h, 0) : y + half_h, max(x - half_w, 0) : x + half_w])


def measure(
    rounds: int, *, whole_frame: bool = True, progress: Callable[[str], None] = lambda _what: None
) -> ModelFigures:
    """Times the models with one thread and with two; the first look of each is not counted."""
    table = table_picture()
    zone = zone_picture(table)
    timings: list[ModelTiming] = []
    missing = "" if whole_frame else "not asked for"
    for threads in THREADS:
        with _held_to(threads):
            detector = OnnxDetector(DetectorSettings(threads=threads))
            for what, picture in (("whole table", table), ("one pile", zone)):
                progress(f"{what}, threads: {threads}")
                timings.append(_timed(what, threads, rounds, partial(_cards_in, picture, detector)))
            if not missing:
                try:
                    timings += _whole_frame(table, threads, rounds, progress)
                except NotInstalledError as error:
                    missing = str(error)
    return ModelFigures(rounds=rounds, timings=tuple(timings), missing=missing)


def _whole_frame(
    table: Image, threads: int, rounds: int, progress: Callable[[str], None]
) -> Sequence[ModelTiming]:
    with tempfile.TemporaryDirectory() as folder:
        runner = whole_frame_runner(WEIGHTS / "locator.onnx", Path(folder))
        timings = []
        for longer_px in WHOLE_FRAME_PX:
            what = f"locator, whole frame at {longer_px} px (ultralytics)"
            progress(f"{what}, threads: {threads}")
            timings.append(_timed(what, threads, rounds, partial(runner.boxes, table, longer_px)))
    return timings


def _cards_in(picture: Image, detector: OnnxDetector) -> int:
    return len(detector.detect(picture))


def _timed(what: str, threads: int, rounds: int, look: Callable[[], int]) -> ModelTiming:
    found = look()
    times_ms = []
    for _ in range(rounds):
        started = time.perf_counter()
        look()
        times_ms.append((time.perf_counter() - started) * 1000)
    return ModelTiming(what=what, threads=threads, ms=statistics.median(times_ms), found=found)


@contextmanager
def _held_to(threads: int) -> Iterator[None]:
    """So many cores at most, for all libraries alike; where the system can do that."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(threads)
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if cores:
        os.sched_setaffinity(0, sorted(cores)[:threads])
    try:
        yield
    finally:
        cv2.setNumThreads(before)
        if cores:
            os.sched_setaffinity(0, cores)
