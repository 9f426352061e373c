# ruff: noqa: INP001, T201 (a script that prints its table, no package)
"""How well records of simulated clips tell what happened: foundation plays found, cards right, plays invented.

    python benchmarks/record_score.py CLIP.truth.jsonl RECORD.jsonl [...]

Each truth file is followed by the record that ``touchjudge watch`` wrote of its clip: the product's own path,
with the shipped models. A told landing is a true play where pile and card are the same and the true contact
lies within 400 ms of the told touch. F1 is over all plays of all clips.
"""

import argparse
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


def main() -> None:
    """Print a row for each clip, and their sum."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="TRUTH RECORD")
    files = parser.parse_args().files
    if len(files) % 2:
        parser.error("want a record after each truth file")
    total = Score(0, 0, 0, 0)
    for truth, record in zip(files[::2], files[1::2], strict=True):
        one = score(true_landings(truth), told_landings(record))
        total += one
        print(
            f"{record.name}: {one.found} of {one.true} found, {one.told - one.found} false, F1 {one.f1:.3f}"
        )
    held = f"{total.held} of {total.found} touches hold the contact"
    print(
        f"all: {total.found} of {total.true} found, {total.told - total.found} false, F1 {total.f1:.3f}, {held}"
    )


if __name__ == "__main__":
    main()
