"""Writes what is cut from synthetic scenes as shards, over several processes, going on where it stopped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.build import split_decks, split_surfaces
from datasets.scenes import Scene, compose_scene

Rng = np.random.Generator

SHARDS_A_JOB = 5
"""Decks and surfaces are loaded once for each job."""


class SceneSamples(Protocol):
    """Collects what is to be learnt from scenes."""

    def take(self, scene: Scene, rng: Rng) -> None:
        """Add the samples of one scene."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a shard holds, each (n, ...)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CropSettings:
    """How many shards of how many scenes. card_px: least and greatest height of a card in pixels."""

    train_shards: int = 80
    val_shards: int = 3
    scenes_a_shard: int = 250
    size_px: int = 640
    card_px: tuple[float, float] = (52.0, 330.0)
    drawn_decks: int = 40
    seed: int = 1


@dataclass(frozen=True, slots=True)
class _Job:
    """Shards that one process makes at a stretch."""

    folder: Path
    cache: Path
    settings: CropSettings
    samples: Callable[[], SceneSamples]
    split: str
    shards: Sequence[int]

    def done(self) -> int:
        """Make them; gives how many."""
        cv2.setNumThreads(1)
        tables = split_surfaces(self.cache, self.split)
        decks = split_decks(self.cache, self.split, self.settings.drawn_decks)
        settings = self.settings
        for shard in self.shards:
            rng = np.random.default_rng([settings.seed, int(self.split == "val"), shard])
            samples = self.samples()
            for _ in range(settings.scenes_a_shard):
                scene = compose_scene(rng, decks, tables, size_px=settings.size_px, card_px=settings.card_px)
                samples.take(scene, rng)
            partial = self.folder / f"{self.split}_{shard:04d}.part.npz"
            arrays: dict[str, Any] = samples.arrays()
            np.savez(partial, **arrays)
            partial.rename(self.folder / f"{self.split}_{shard:04d}.npz")
        return len(self.shards)


def build_shards(
    folder: Path,
    cache: Path,
    settings: CropSettings,
    samples: Callable[[], SceneSamples],
    *,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Path:
    """Build or complete a set in ``folder``: shards ``train_0000.npz`` with the arrays of ``samples``."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for split, count in (("val", settings.val_shards), ("train", settings.train_shards)):
        missing = [n for n in range(count) if not (folder / f"{split}_{n:04d}.npz").exists()]
        parts = (missing[i : i + SHARDS_A_JOB] for i in range(0, len(missing), SHARDS_A_JOB))
        jobs += [_Job(folder, cache, settings, samples, split, part) for part in parts]
    total, done = sum(len(job.shards) for job in jobs), 0
    with get_context("spawn").Pool(processes) as pool:
        for count in pool.imap_unordered(_Job.done, jobs):
            done += count
            progress(done, total)
    return folder
