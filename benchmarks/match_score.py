# ruff: noqa: INP001, T201 (a script that prints its table, no package)
"""How well a clip is watched: foundation plays found, touches against the truth, plays invented, speed.

    python benchmarks/match_score.py match.mp4                     # the shipped detector
    python benchmarks/match_score.py match.mp4 --reader truth --seed 7 --seconds 20

The clip's table (``match.toml``) and truth (``match.truth.jsonl``) lie beside it, as ``touchjudge simulate``
writes them. With ``--reader truth`` the faces are told by the simulator that made the clip from that seed, so
that the watcher is measured alone.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np

import vision.watcher
from datasets.simulator import SimulationSettings
from datasets.simulator.layout import random_layout
from datasets.simulator.passage import Passage, Placed, plan_passage
from models import load_detector
from models.classes import BACK, CLASS_ID
from models.detections import CardDetector, Detections
from referee.observations import CardLanded, Observation
from referee.piles import PileId, PileKind
from vision.readings import Reading, read_pile
from vision.rectify import ZoneView
from vision.settings import WatchSettings
from vision.sources import open_source
from vision.table import CARD_MM
from vision.table_file import load_table
from vision.watcher import Watcher

MATCH_US = 400_000
"""A landing within this of a true touch, of the same card on the same pile, is that play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePlay:
    """A card put on a foundation, by the truth file."""

    pile: str
    card: str
    seat: str
    source: str
    contact_us: int
    contest: str | None


@dataclass(frozen=True, slots=True)
class Match:
    """A true play and what was told of it. None: nothing was."""

    play: TruePlay
    landed: CardLanded | None


def read_plays(truth: Path) -> list[TruePlay]:
    """All plays on foundations, legal or not, by time."""
    lines = [json.loads(line) for line in truth.read_text().splitlines()]
    plays = [
        TruePlay(
            pile=line["target"],
            card=line["card"],
            seat=line["seat"],
            source=line["source"],
            contact_us=line["contact_us"],
            contest=line["contest"],
        )
        for line in lines
        if line["kind"] == "play" and "/foundation" in line["target"]
    ]
    return sorted(plays, key=lambda play: play.contact_us)


def foundation_landings(observations: Iterable[Observation]) -> list[CardLanded]:
    """What was told of foundations."""
    return [o for o in observations if isinstance(o, CardLanded) and o.pile.kind is PileKind.FOUNDATION]


def match(plays: list[TruePlay], landings: list[CardLanded]) -> tuple[list[Match], list[CardLanded]]:
    """Each play with the nearest landing of its card on its pile; the landings that are left are invented."""
    left = list(landings)
    matches = []
    for play in plays:
        fitting = [
            landed
            for landed in left
            if str(landed.pile) == play.pile
            and str(landed.card) == play.card
            and abs(landed.touch.end_us - play.contact_us) < MATCH_US
        ]
        best = min(fitting, key=lambda landed: abs(landed.touch.end_us - play.contact_us), default=None)
        if best is not None:
            left.remove(best)
        matches.append(Match(play, best))
    return matches, left


class TrueReader:
    """Tells the visible cards of a zone from the simulator's own plan: cards at rest, and their tops."""

    def __init__(self, seed: int, settings: SimulationSettings, plays: list[TruePlay]) -> None:
        rng = np.random.default_rng([seed, 0])
        layout = random_layout(rng)
        self._passage: Passage = plan_passage(rng, layout, settings)
        planned = sorted(a.contact_us for a in self._passage.actions if a.kind == "play")
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


def report(matches: list[Match], invented: list[CardLanded], *, verbose: bool) -> None:
    """Print one clip's table."""
    found = [m for m in matches if m.landed is not None]
    recall = len(found) / max(len(matches), 1)
    precision = len(found) / max(len(found) + len(invented), 1)
    f1 = 2 * recall * precision / max(recall + precision, 1e-9)
    print(f"plays {len(matches)}, found {len(found)}, invented {len(invented)}, F1 {f1:.3f}")
    holds = [m.landed.touch.start_us <= m.play.contact_us <= m.landed.touch.end_us for m in found]
    widths = [m.landed.touch.width_us / 1000 for m in found]
    late = [(m.landed.touch.end_us - m.play.contact_us) / 1000 for m in found]
    if found:
        print(
            f"touch holds the truth in {sum(holds)} of {len(found)}; "
            f"width ms median {np.median(widths):.1f}, 90 % {np.quantile(widths, 0.9):.1f}, "
            f"most {max(widths):.1f}"
        )
        print(
            f"end of touch after the truth, ms: least {min(late):.1f}, median {np.median(late):.1f}, "
            f"most {max(late):.1f}"
        )
    right_seat = sum(m.landed.seat == m.play.seat for m in found)
    right_source = sum(str(m.landed.source) == m.play.source for m in found)
    no_source = sum(m.landed.source is None for m in found)
    print(f"seat right {right_seat}, source right {right_source}, source not known {no_source}")
    for m in matches:
        if m.landed is None:
            print(f"  missed   {m.play}")
        elif verbose:
            touch = m.landed.touch
            start, end = ((t - m.play.contact_us) / 1000 for t in (touch.start_us, touch.end_us))
            print(
                f"  found    {m.play.card} {m.play.pile} {m.play.contact_us / 1e6:.3f} s:"
                f" [{start:.0f}, {end:.0f}] ms"
                f" {m.landed.seat} ({m.landed.seat_confidence:.2f}) from {m.landed.source}"
            )
    for landed in invented:
        print(f"  invented {landed.card} {landed.pile} {landed.touch.end_us / 1e6:.3f} s {landed.seat}")


def main() -> None:
    """Measure one clip."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clip", type=Path)
    parser.add_argument("--reader", choices=["model", "truth"], default="model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--knobs", default="{}", help="further settings of the simulator, as JSON")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    plays = read_plays(arguments.clip.with_suffix(".truth.jsonl"))
    if arguments.reader == "truth":
        settings = SimulationSettings(seconds=arguments.seconds, **json.loads(arguments.knobs))
        vision.watcher.read_pile = TrueReader(arguments.seed, settings, plays).read
    observations, frames, watching_s, decoding_s = watch(arguments.clip, load_detector())
    report(*match(plays, foundation_landings(observations)), verbose=arguments.verbose)
    print(f"{frames} frames: watched at {frames / watching_s:.0f}/s, decoded at {frames / decoding_s:.0f}/s")


if __name__ == "__main__":
    main()
