"""What a match was, whatever its record is called: the fingerprint of all that was seen and told in it."""

import hashlib
from collections.abc import Iterator

from referee.codec import canonical, encode, kind_of
from referee.logs import Log
from referee.observations import Observation
from referee.record import End, Note
from referee.reviews import Appeal, Resolution, Revert
from referee.verdicts import Verdict


def play_print(log: Log) -> str:
    """Sixty-four hex digits that two records share only if the same was seen and told in both, up to the end.

    Names of files, ids of matches, verdicts and reviews are not in it. Empty where nothing was seen.
    """
    digest, is_empty = hashlib.sha256(), True
    for observation in seen_in(log):
        digest.update(canonical([kind_of(observation), encode(observation)]).encode("ascii") + b"\n")
        is_empty = False
    return "" if is_empty else digest.hexdigest()


def seen_in(log: Log) -> tuple[Observation, ...]:
    """What was seen and told in a match; what people add after its end is no part of it."""
    return tuple(_seen(log))


def _seen(log: Log) -> Iterator[Observation]:
    if not log.is_chained:
        yield from (timed.observation for timed in log.observations)
        return
    for entry in log.entries:
        match entry.payload:
            case End():
                return
            case Verdict() | Note() | Appeal() | Resolution() | Revert():
                pass
            case _:
                yield entry.payload
