# ruff: noqa: INP001, T201 (a script that prints its table, no package)
"""How well records of simulated clips tell what happened: plays, cards, owners, touches, rulings, races.

    python benchmarks/record_score.py CLIP.truth.jsonl RECORD.jsonl [...]

Each truth file is followed by the record that ``touchjudge watch`` wrote of its clip: the product's own path,
with the shipped models. The last figures are over all plays of all clips.
"""

import argparse
from pathlib import Path

from datasets.match_score import Score, score_record


def _say(what: str, one: Score) -> None:
    print(what)
    for line in one.lines():
        print(f"  {line}")


def main() -> None:
    """Print the figures of each clip, and of all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="TRUTH RECORD")
    files = parser.parse_args().files
    if len(files) % 2:
        parser.error("want a record after each truth file")
    total = Score()
    for truth, record in zip(files[::2], files[1::2], strict=True):
        one = score_record(truth, record)
        total += one
        _say(record.name, one)
    _say("all", total)


if __name__ == "__main__":
    main()
