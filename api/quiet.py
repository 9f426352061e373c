"""Verdicts that only say that something was not counted: the record keeps them, pages fold them."""

from api.schemas import VerdictOut

QUIET_REASONS = frozenset(
    {
        "pile_depth_not_visible",
        "stock_not_counted",
        "sizes_not_seen",
        "flip_count_unseen",
        "stock_unseen",
        "labels_unstable",
        "readings_unstable",
        "one_play",
        "timer_only_asks",
    }
)
"""Keys of reasons. Nobody at the table can answer them by looking, and no card's fate hangs on them."""


def is_quiet(verdict: VerdictOut) -> bool:
    """Whether it needs nobody, unless somebody appeals against it."""
    is_noise = bool(verdict.reasons) and verdict.reasons[0].key in QUIET_REASONS
    return is_noise and verdict.standing != "under appeal"


def is_waiting(verdict: VerdictOut) -> bool:
    """Whether a person should look: nothing was decided, or somebody appealed.

    Where a person looked and could not tell either, that is the answer.
    """
    return is_untold(verdict) and (verdict.standing == "under appeal" or verdict.basis != "review")


def is_untold(verdict: VerdictOut) -> bool:
    """Whether nobody has ruled on it, also where a person looked and could not tell: its pictures may yet."""
    if verdict.standing == "under appeal":
        return True
    is_open = verdict.standing == "standing" and verdict.ruling in {"UNDECIDED", "TOO_CLOSE"}
    return is_open and not is_quiet(verdict)
