"""The versions of the record's form that are read, and what each of them holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.codec import OBSERVATION_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFormat:
    """What the lines of one version can be."""

    version: int
    observations: tuple[str, ...]
    """The kinds of observation."""
    reviews: tuple[str, ...]
    """The kinds of entries that people make about verdicts; they may follow the end."""
    is_exact: bool
    """Whether a replay must give the verdicts that are written, word for word. An older version was written
    by a referee that knew fewer rules: what it said may be said otherwise today."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds of entries."""
        return (*self.observations, *self.reviews, "verdict", "note", "end")


FORMATS: Mapping[int, RecordFormat] = {
    1: RecordFormat(
        version=1,
        observations=(
            "pile_seen",
            "card_landed",
            "card_lifted",
            "hand_touched",
            "view_lost",
            "cards_counted",
        ),
        reviews=(),
        is_exact=False,
    ),
    2: RecordFormat(
        version=2,
        observations=OBSERVATION_KINDS,
        reviews=("appeal", "resolution", "revert"),
        is_exact=True,
    ),
}
"""By version."""
