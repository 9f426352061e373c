"""How well the record of a simulated clip tells what happened: foundation plays found, cards right, invented.

A told landing is a true play where pile and card are the same and the true contact lies near the told touch.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MATCH_US = 400_000
"""A touch told within this of a true contact, of the same card on the same pile, is that play."""


@dataclass(frozen=True, slots=True)
class Landing:
    """A card on a foundation: the true one (an instant) or one told (an interval)."""

    pile: str
    card: str | None
    start_us: int
    end_us: int


@dataclass(frozen=True, slots=True)
class Score:
    """Plays of some clips. held: touches that contain the true contact, of those found."""

    true: int
    found: int
    told: int
    held: int

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision; 1 where nothing was played or told."""
        return 2 * self.found / (self.true + self.told) if self.true + self.told else 1.0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.true + other.true, self.found + other.found, self.told + other.told, self.held + other.held
        )


def true_landings(truth: Path) -> list[Landing]:
    """Every card that was put on a foundation, legally or not."""
    lines = (json.loads(line) for line in truth.read_text().splitlines())
    return [
        Landing(line["target"], line["card"], line["contact_us"], line["contact_us"])
        for line in lines
        if line["kind"] == "play" and "/foundation" in line["target"]
    ]


def told_landings(record: Path) -> list[Landing]:
    """Every landing on a foundation that the record tells."""
    entries = (json.loads(line) for line in record.read_text().splitlines()[1:])
    payloads = [entry["payload"] for entry in entries if entry["kind"] == "card_landed"]
    return [Landing(p["pile"], p["card"], *p["touch"]) for p in payloads if "/foundation" in p["pile"]]


def score(true: Iterable[Landing], told: Iterable[Landing]) -> Score:
    """Match landings one to one, by time."""
    open_truths, told = list(true), list(told)
    total, found, held = len(open_truths), 0, 0
    for landing in told:
        for play in open_truths:
            near = landing.start_us - MATCH_US <= play.start_us <= landing.end_us + MATCH_US
            if play.pile == landing.pile and play.card == landing.card and near:
                open_truths.remove(play)
                found += 1
                held += landing.start_us <= play.start_us <= landing.end_us
                break
    return Score(total, found, len(told), held)
