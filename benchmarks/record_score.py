# ruff: noqa: INP001, T201 (a script that prints its table, no package)
"""How well records of simulated clips tell what happened: plays found, cards right, plays invented.

    python benchmarks/record_score.py CLIP.truth.jsonl RECORD.jsonl [...]

Each truth file is followed by the record that ``touchjudge watch`` wrote of its clip: the product's own path,
with the shipped models. F1 is over all plays of all clips.
"""

import argparse
from pathlib import Path

from datasets.match_score import Score, score, told_landings, true_landings


def _say(what: str, one: Score) -> None:
    invented = one.told - one.found
    print(f"{what}: {one.found} of {one.true} found, {invented} false, F1 {one.f1:.3f}")


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
        _say(record.name, one)
    _say("all", total)
    print(f"{total.held} of {total.found} touches hold the true contact")


if __name__ == "__main__":
    main()
