"""A race that a person answered, and a record of it whose answer was changed afterwards."""

import json
from pathlib import Path

from reviewed_matches import ReviewedMatch

from api.records import lines_of
from referee.codec import canonical
from referee.logs import verify
from referee.record import hash_of
from referee.verdicts import Ruling

RACED = "F1: ... 4H\nland Ana 5H waste F1 983.3..1000\nland Ben 5H waste F1 1033.3..1050\n"


def ruled(path: Path, ruling: Ruling, *kept: int) -> Path:
    """The record of a race that a person answered, after its end."""
    match = ReviewedMatch(RACED)
    match.finished()
    match.enter(match.ruled("v1", ruling, *kept))
    path.write_text("".join(match.lines))
    return path


def forged(sound: Path, path: Path) -> Path:
    """The same with another answer to the race, and all hashes made anew; what follows is as it was."""
    values = [json.loads(line) for line in sound.read_bytes().splitlines()]
    before = ""
    for value in values:
        if value["kind"] == "resolution":
            value["payload"].update(ruling="LEGAL", kept=[0, 1])
        if "prev_hash" in value:
            value["prev_hash"] = before
        value["hash"] = before = hash_of({key: each for key, each in value.items() if key != "hash"})
    path.write_text("".join(canonical(value) + "\n" for value in values))
    assert verify(lines_of(path.read_bytes())).is_ok
    return path
