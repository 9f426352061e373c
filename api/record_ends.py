"""Whether a record goes on as far as what a person last entered in it: hashes alone do not tell a cut end."""

from referee.codec import canonical, encode
from referee.formats import FORMATS
from referee.logs import Log, RecordError
from referee.record import Entry, Note
from referee.replay import replay
from referee.reviews import Appeal, Resolution, Revert
from referee.verdicts import Verdict


def lost_at_end(log: Log) -> str:
    """What follows from the last review, or count after the end, and is not written. Empty: nothing.

    Only that is told: a record that does not replay otherwise is for ``touchjudge judge``.
    """
    last = _last_told(log)
    if last is None or not FORMATS[log.version].is_exact:
        return ""
    is_review = isinstance(last.payload, Appeal | Resolution | Revert)
    if not is_review and not log.is_ended:
        return ""  # it was stopped in play: what waited for a window was never ruled
    try:
        said = [canonical(encode(verdict)) for verdict in replay(log).verdicts]
    except RecordError:
        return ""
    written = [canonical(encode(verdict)) for verdict in log.verdicts]
    if len(said) <= len(written) or said[: len(written)] != written:
        return ""
    kind = last.kind.replace("_", " ")
    return f"the verdict that follows from entry {last.seq}, {kind}, is missing: the end was cut off"


def _last_told(log: Log) -> Entry | None:
    """The last entry from which verdicts can follow."""
    told = (entry for entry in reversed(log.entries) if not isinstance(entry.payload, Note | Verdict))
    return next(told, None)
