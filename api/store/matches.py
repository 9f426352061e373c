"""The matches that this computer has kept records of."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import delete, insert, select

from api import clock
from api.store.database import Database
from api.store.tables import MATCHES


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMatch:
    """Where the record of a match is."""

    match_id: str
    table: str
    game: str
    players: tuple[str, ...]
    record: Path
    header_hash: str
    """Of the record's first line."""
    added_at: str = ""


class MatchBook:
    """All matches of one store; the records themselves lie beside it."""

    def __init__(self, database: Database, now: Callable[[], datetime] = clock.now) -> None:
        self._database = database
        self._now = now

    def add(self, match: KeptMatch) -> None:
        """Remember where a match is kept; one that was kept there before is forgotten."""
        path = str(match.record)
        with self._database.transaction() as connection:
            connection.execute(delete(MATCHES).where(MATCHES.c.record == path))
            connection.execute(
                insert(MATCHES).values(
                    match_id=match.match_id,
                    table_name=match.table,
                    game=match.game,
                    players=json.dumps(list(match.players)),
                    record=path,
                    header_hash=match.header_hash,
                    added_at=clock.as_text(self._now()),
                )
            )

    def all(self) -> tuple[KeptMatch, ...]:
        """All matches, oldest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(MATCHES).order_by(MATCHES.c.id)).all()
        return tuple(
            KeptMatch(
                match_id=row.match_id,
                table=row.table_name,
                game=row.game,
                players=tuple(json.loads(row.players)),
                record=Path(row.record),
                header_hash=row.header_hash,
                added_at=row.added_at,
            )
            for row in rows
        )

    def forget(self, record: Path) -> bool:
        """Forget the match whose record was at ``record``; whether there was one."""
        with self._database.transaction() as connection:
            return connection.execute(delete(MATCHES).where(MATCHES.c.record == str(record))).rowcount > 0
