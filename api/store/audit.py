"""The audit: who asked for which change, when, from where, and how it was answered."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, insert, select

from api import clock
from api.store.database import Database
from api.store.tables import AUDIT


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One request to change something."""

    number: int = 0
    """1, 2 ...; 0 before it is written."""
    at: str = ""
    who: str
    client: str
    """The address that it came from."""
    method: str
    path: str
    status: int
    request_digest: str
    """SHA-256 of the body."""


class Audit:
    """All requests to change something; lines are only added, and dropped when they are old."""

    def __init__(self, database: Database, now: Callable[[], datetime] = clock.now) -> None:
        self._database = database
        self._now = now

    def write(self, line: AuditLine) -> None:
        """Add one line, dated now."""
        with self._database.transaction() as connection:
            connection.execute(
                insert(AUDIT).values(
                    at=clock.as_text(self._now()),
                    who=line.who[:200],
                    client=line.client[:100],
                    method=line.method[:10],
                    path=line.path[:500],
                    status=line.status,
                    request_digest=line.request_digest,
                )
            )

    def newest(self, limit: int, before: int | None = None) -> tuple[AuditLine, ...]:
        """The newest lines, newest first; those with smaller numbers than ``before``, if given."""
        wanted = select(AUDIT).order_by(AUDIT.c.id.desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(AUDIT.c.id < before)
        with self._database.transaction() as connection:
            rows = connection.execute(wanted).all()
        return tuple(
            AuditLine(
                number=row.id,
                at=row.at,
                who=row.who,
                client=row.client,
                method=row.method,
                path=row.path,
                status=row.status,
                request_digest=row.request_digest,
            )
            for row in rows
        )

    @property
    def size(self) -> int:
        """How many lines there are."""
        with self._database.transaction() as connection:
            return connection.execute(select(func.count()).select_from(AUDIT)).scalar_one()

    def drop_older(self, than: timedelta) -> int:
        """Drop lines that are older than agreed; how many."""
        before = clock.as_text(self._now() - than)
        with self._database.transaction() as connection:
            return connection.execute(delete(AUDIT).where(AUDIT.c.at < before)).rowcount
