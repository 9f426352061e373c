"""The tournament that this computer runs: plans are only added, and the newest holds."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select

from api import clock
from api.store.database import Database
from api.store.tables import PLANS


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """A plan as it was entered."""

    text: str
    """The tournament in TOML. Empty: there is none any more."""
    entered_by: str
    entered_at: str


class PlanBook:
    """All plans of one store."""

    def __init__(self, database: Database, now: Callable[[], datetime] = clock.now) -> None:
        self._database = database
        self._now = now

    def enter(self, text: str, who: str) -> KeptPlan:
        """From now on ``text`` holds, whatever held before; just the same is not entered twice."""
        newest = self.newest
        if newest is not None and newest.text == text:
            return newest
        kept = KeptPlan(text, who[:200], clock.as_text(self._now()))
        with self._database.transaction() as connection:
            connection.execute(
                insert(PLANS).values(text=kept.text, entered_by=kept.entered_by, entered_at=kept.entered_at)
            )
        return kept

    @property
    def newest(self) -> KeptPlan | None:
        """The plan that holds. None: none was ever entered."""
        with self._database.transaction() as connection:
            row = connection.execute(select(PLANS).order_by(PLANS.c.id.desc()).limit(1)).one_or_none()
        return None if row is None else KeptPlan(row.text, row.entered_by, row.entered_at)
