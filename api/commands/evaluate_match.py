"""``touchjudge evaluate --match``: how well records of simulated clips tell what happened in them."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from api.console import output
from api.errors import CommandError, MisuseError, os_error_line

if TYPE_CHECKING:
    from datasets.match_score import Score


def evaluate_matches(records: Sequence[Path], truths: Sequence[Path], *, as_json: bool) -> None:
    """Print the figures of each record against its truth file, and of all."""
    if len(records) != len(truths):
        raise MisuseError("want a --truth CLIP.truth.jsonl for each --match RECORD.jsonl, in their order")
    scores = {str(record): _score(record, truth) for record, truth in zip(records, truths, strict=True)}
    total = sum(scores.values(), start=_nothing())
    if len(scores) > 1:
        scores["all"] = total
    if as_json:
        print(json.dumps({name: asdict(score) for name, score in scores.items()}, indent=2))
        return
    out = output()
    for name, score in scores.items():
        out.print(name, markup=False)
        for line in score.lines():
            out.print(f"  {line}", markup=False)


def _nothing() -> "Score":
    from datasets.match_score import Score

    return Score()


def _score(record: Path, truth: Path) -> "Score":
    from datasets.match_score import score_record
    from referee.logs import RecordError

    try:
        return score_record(truth, record)
    except OSError as error:
        raise MisuseError(os_error_line(error)) from None
    except RecordError as error:
        raise CommandError(f"{record}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise CommandError(f"{truth}: no truth file of 'touchjudge simulate' ({error})") from None
