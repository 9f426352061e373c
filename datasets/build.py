"""Builds training sets from synthetic scenes: seeded, resumable, one file a sample.

A sample's seed is its number and its split, so a run that was cut short goes on where it stopped and gives
the same files as one that was not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.artwork import surfaces
from datasets.decks import FIRST_HELD_OUT_STYLE_SEED, Deck, drawn_deck, load_artwork_decks
from datasets.scenes import CardTruth, Scene, compose_scene
from models.classes import INDEX_CLASS, LOCATOR_NAMES

Image = NDArray[np.uint8]

SURFACES_HELD_OUT_EVERY = 6
"""Every sixth table surface is kept for validation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSettings:
    """How many samples, and of what size.

    card_px: least and greatest height of a card, in pixels. drawn_decks: decks drawn by this project.
    """

    train: int = 10_000
    val: int = 400
    size_px: int = 416
    card_px: tuple[float, float] = (26.0, 400.0)
    drawn_decks: int = 16
    seed: int = 0

    def count(self, split: str) -> int:
        """Number of samples in ``train`` or ``val``."""
        return self.train if split == "train" else self.val


LOCATOR_MIN_VISIBLE = 0.08
"""Least visible fraction of a card that the locator should find: a 7 mm strip."""
LOCATOR_MIN_FILL = 0.25
"""Least part of its box that a card's visible part fills: below it is a rim around the card on top."""
LOCATOR_MIN_SIDE_PX = 5.0


def is_to_be_found(card: CardTruth) -> bool:
    """Whether a locator should report this card."""
    sides = np.linalg.norm(card.quad_px - np.roll(card.quad_px, 1, axis=0), axis=1)
    box_area = sides[0] * sides[1]
    card_area = card.px_per_mm**2 * 63 * 88
    return bool(
        card.visible_fraction >= LOCATOR_MIN_VISIBLE
        and card.visible_fraction * card_area >= LOCATOR_MIN_FILL * box_area
        and sides.min() >= LOCATOR_MIN_SIDE_PX
    )


def obb_line(card: CardTruth, size_px: int) -> str | None:
    """The YOLO OBB label line of a card: class (0 face, 1 back) and its corners, 0..1, cut at the border."""
    frame = np.array([[0, 0], [size_px, 0], [size_px, size_px], [0, size_px]], np.float32)
    area, polygon = cv2.intersectConvexConvex(cv2.convexHull(card.quad_px), frame)
    if area < LOCATOR_MIN_SIDE_PX**2 or polygon is None:
        return None
    corners = np.clip(cv2.boxPoints(cv2.minAreaRect(polygon)), 0, size_px) / size_px
    if _inside(card.quad_px, size_px):
        corners = card.quad_px / size_px
    return _line(int(card.is_back), corners)


def index_lines(card: CardTruth, size_px: int) -> list[str]:
    """The label lines of its legible corner indices."""
    large = (quad for quad in card.index_quads_px if _shortest_side(quad) >= LOCATOR_MIN_SIDE_PX)
    return [_line(INDEX_CLASS, quad / size_px) for quad in large if _inside(quad, size_px)]


def _line(class_id: int, corners: NDArray[np.floating]) -> str:
    return f"{class_id} " + " ".join(f"{v:.5f}" for v in corners.ravel())


def _shortest_side(quad_px: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(quad_px - np.roll(quad_px, 1, axis=0), axis=1).min())


def _inside(quad_px: NDArray[np.float32], size_px: int) -> bool:
    return bool((quad_px >= 0).all() and (quad_px <= size_px).all())


def write_locator_sample(scene: Scene, folder: Path, split: str, number: int) -> None:
    """Write picture and label file; the picture last, so that its presence says that the sample is whole."""
    size_px = scene.image_bgr.shape[0]
    lines = [obb_line(card, size_px) for card in scene.cards if is_to_be_found(card)]
    lines += [line for card in scene.cards for line in index_lines(card, size_px)]
    stem = f"{number:06d}"
    label = folder / "labels" / split / f"{stem}.txt"
    label.write_text("".join(f"{line}\n" for line in lines if line is not None))
    partial = folder / "images" / split / f"{stem}.part.jpg"
    cv2.imwrite(str(partial), scene.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])
    partial.rename(folder / "images" / split / f"{stem}.jpg")


@cache
def split_surfaces(artwork: Path, split: str) -> tuple[Image, ...]:
    """The table surfaces of one split."""
    every = list(surfaces(artwork))
    return tuple(s for i, s in enumerate(every) if (i % SURFACES_HELD_OUT_EVERY == 0) is (split == "val"))


@cache
def split_decks(artwork: Path, split: str, drawn: int) -> tuple[Deck, ...]:
    """The decks of one split: artwork by family, drawn decks by seed."""
    first = FIRST_HELD_OUT_STYLE_SEED if split == "val" else 0
    return (
        *load_artwork_decks(artwork, held_out=split == "val"),
        *(drawn_deck(first + i) for i in range(drawn if split == "train" else max(1, drawn // 4))),
    )


def _locator_job(job: tuple[Path, Path, BuildSettings, str, Sequence[int]]) -> int:
    cv2.setNumThreads(1)
    folder, cache, settings, split, numbers = job
    decks, tables = split_decks(cache, split, settings.drawn_decks), split_surfaces(cache, split)
    for number in numbers:
        rng = np.random.default_rng([settings.seed, int(split == "val"), number])
        scene = compose_scene(rng, decks, tables, size_px=settings.size_px, card_px=settings.card_px)
        write_locator_sample(scene, folder, split, number)
    return len(numbers)


def build_locator_set(
    folder: Path,
    cache: Path,
    settings: BuildSettings,
    *,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Path:
    """Build or complete a YOLO OBB set in ``folder``; gives the path of its data file."""
    jobs = []
    for split in ("train", "val"):
        for kind in ("images", "labels"):
            (folder / kind / split).mkdir(parents=True, exist_ok=True)
        there = {int(p.stem) for p in (folder / "images" / split).glob("*.jpg") if p.stem.isdecimal()}
        missing = [n for n in range(settings.count(split)) if n not in there]
        jobs += [(folder, cache, settings, split, missing[i : i + 500]) for i in range(0, len(missing), 500)]
    data = folder / "data.yaml"
    names = "".join(f"  {i}: {name}\n" for i, name in enumerate(LOCATOR_NAMES))
    data.write_text(f"path: {folder.resolve()}\ntrain: images/train\nval: images/val\nnames:\n{names}")
    total, done = sum(len(job[-1]) for job in jobs), 0
    with get_context("spawn").Pool(processes) as pool:
        for count in pool.imap_unordered(_locator_job, jobs):
            done += count
            progress(done, total)
    return data
