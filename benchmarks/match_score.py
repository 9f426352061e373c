# ruff: noqa: INP001, T201 (a script that prints its table, no package)
"""How well a clip is watched: plays, cards, owners and touches against the truth, plays invented, speed.

    python benchmarks/match_score.py match.mp4                     # the shipped detector
    python benchmarks/match_score.py match.mp4 --reader truth --seed 7 --seconds 20

The clip's table (``match.toml``) and truth (``match.truth.jsonl``) lie beside it, as ``touchjudge simulate``
writes them. With ``--reader truth`` the faces are told by the simulator that made the clip from that seed, so
that the watcher is measured alone.
"""

import argparse
import json
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np

import vision.pile_reader
from datasets.match_score import Match, ToldPlay, TruePlay, match_plays, score, told_plays, true_plays
from datasets.simulator import SimulationSettings
from datasets.simulator.passage import Passage, Placed
from datasets.simulator.plan import plan_passage, random_layout
from models import load_zone_detector
from models.classes import BACK, CLASS_ID
from models.detections import CardDetector, Detections
from referee.observations import Observation
from referee.piles import PileId
from vision.readings import Reading, read_pile
from vision.rectify import ZoneView
from vision.settings import WatchSettings
from vision.sources import open_source
from vision.table import CARD_MM
from vision.table_file import load_table
from vision.watcher import Watcher


class TrueReader:
    """Tells the visible cards of a zone from the simulator's own plan: cards at rest, and their tops."""

    def __init__(self, seed: int, settings: SimulationSettings, plays: list[TruePlay]) -> None:
        rng = np.random.default_rng([seed, 0])
        layout = random_layout(rng, settings)
        self._passage: Passage = plan_passage(rng, layout, settings)
        planned = sorted(a.contact_us for a in self._passage.actions if a.kind != "pass")
        if planned != [play.contact_us for play in plays]:
            raise SystemExit(
                "the clip was not made from this seed and length by this version of the simulator"
            )

    def cards_at(self, pile: PileId, t_us: int) -> list[Placed]:
        """The cards that lie on a pile, lowest first."""
        cards = list(self._passage.start[pile])
        for carry in self._passage.carries:
            if carry.source == pile and carry.lifted_us <= t_us:
                del cards[len(cards) - len(carry.cards) :]
            if carry.target == pile and carry.contact_us <= t_us:
                cards += carry.landed
        return cards

    def read(
        self,
        view: ZoneView,
        _detector: CardDetector,
        towards: tuple[float, float] | None,
        settings: WatchSettings,
    ) -> Reading:
        """In place of ``vision.readings.read_pile``."""
        placed = self.cards_at(view.zone.pile, view.t_us)
        return read_pile(view, _Told(view, placed), towards, settings)


class _Told:
    """A detector that gives the whole cards of a list, and of those below the strip that shows."""

    def __init__(self, view: ZoneView, placed: list[Placed]) -> None:
        self._view = view
        self._placed = placed[-6:]

    def detect(self, image_bgr: np.ndarray) -> Detections:
        del image_bgr
        quads, names = [], []
        for i, card in enumerate(self._placed):
            quad = quad_of(card)
            above = [quad_of(other) for other in self._placed[i + 1 :]]
            if any(covered_share(quad, other) > 0.3 for other in above):
                continue
            quads.append(quad)
            names.append(str(card.held.card) if card.held.face_up else BACK)
        view_from_table = np.linalg.inv(self._view.table_mm_from_view_px)
        corners = np.array(quads, np.float64).reshape(1, -1, 2)
        if quads:
            corners = cv2.perspectiveTransform(corners, view_from_table)
        return Detections(
            corners_px=corners.reshape(-1, 4, 2).astype(np.float32),
            class_id=np.array([CLASS_ID[name] for name in names], np.int16),
            confidence=np.full(len(names), 0.95, np.float32),
        )


def quad_of(card: Placed) -> np.ndarray:
    """float32 (4, 2), clockwise, in table millimetres."""
    half = np.array(CARD_MM) / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    turn = np.deg2rad(card.pose.turn_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return (corners @ rotation.T + (card.pose.x_mm, card.pose.y_mm)).astype(np.float32)


def covered_share(quad: np.ndarray, other: np.ndarray) -> float:
    """How much of a card another one lies on."""
    area, _ = cv2.intersectConvexConvex(quad, other)
    return area / (CARD_MM[0] * CARD_MM[1])


def watch(clip: Path, detector: CardDetector) -> tuple[list[Observation], int, float, float]:
    """The observations of a clip; frames, seconds in the watcher, seconds of decoding."""
    watcher = Watcher(load_table(clip.with_suffix(".toml")), detector)
    observations: list[Observation] = []
    frames, watching_s, started = 0, 0.0, perf_counter()
    with open_source(str(clip)) as source:
        for frame in source:
            before = perf_counter()
            observations += watcher.see(frame)
            watching_s += perf_counter() - before
            frames += 1
    decoding_s = perf_counter() - started - watching_s
    return [*observations, *watcher.finish()], frames, watching_s, decoding_s


def say_each(matches: list[Match], invented: list[ToldPlay]) -> None:
    """Print what was told of every play."""
    for one in matches:
        play, told = one.true, one.told
        what = f"{play.contact_us / 1e6:8.3f} s {play.kind} {play.card} {play.source} -> {play.target}"
        if told is None:
            print(f"  missed   {what}")
            continue
        start, end = ((t - play.contact_us) / 1000 for t in (told.touch.start_us, told.touch.end_us))
        print(f"  found    {what}: [{start:.0f}, {end:.0f}] ms, {told.card} {told.seat} from {told.source}")
    for told in invented:
        at_s = told.touch.end_us / 1e6
        print(f"  invented {at_s:8.3f} s {told.card} {told.seat}: {told.source} -> {told.pile}")


def main() -> None:
    """Measure one clip."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clip", type=Path)
    parser.add_argument("--reader", choices=["model", "truth"], default="model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--knobs", default="{}", help="further settings of the simulator, as JSON")
    parser.add_argument("--fps", type=float, default=60.0, help="of the clip")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    plays = true_plays(arguments.clip.with_suffix(".truth.jsonl"))
    if arguments.reader == "truth":
        settings = SimulationSettings(seconds=arguments.seconds, **json.loads(arguments.knobs))
        vision.pile_reader.read_pile = TrueReader(arguments.seed, settings, plays).read
    observations, frames, watching_s, decoding_s = watch(arguments.clip, load_zone_detector())
    if arguments.verbose:
        say_each(*match_plays(plays, told_plays(observations)))
    period_us = round(1e6 / arguments.fps)
    clip_us = round(frames * 1e6 / arguments.fps)
    print(*score(plays, observations, verdicts=(), period_us=period_us, us=clip_us).lines(), sep="\n")
    print(f"{frames} frames: watched at {frames / watching_s:.0f}/s, decoded at {frames / decoding_s:.0f}/s")


if __name__ == "__main__":
    main()
