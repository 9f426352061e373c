"""Answers that were given under an idempotency key: the same request gets the same answer again."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from api import clock
from api.store.database import Database
from api.store.tables import ANSWERS

KEPT_FOR = timedelta(days=2)
"""A page that has not repeated a request within two days will not."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was given."""

    status: int
    media_type: str
    body: bytes


class OtherRequestError(Exception):
    """The key was used for another request."""


class UnknownOutcomeError(Exception):
    """The request was begun, and it is not known how it went."""


class AnswerBook:
    """All answers of one store."""

    def __init__(self, database: Database, now: Callable[[], datetime] = clock.now) -> None:
        self._database = database
        self._now = now

    def begin(self, who: str, place: str, key: str, body: bytes) -> Given | None:
        """Begin to answer, and say nothing; or the answer that was given to the same request.

        ``OtherRequestError``: the key stands for another request. ``UnknownOutcomeError``: it was begun
        before, and either still runs or was cut off. Who asks again is answered by a store too that takes no
        more (``StoreError`` to all others).
        """
        name, asked = _name(who, place, key), hashlib.sha256(body).hexdigest()
        moment = clock.as_text(self._now())
        if self._is_known(name):
            return self._given(name, asked)
        try:
            with self._database.transaction() as connection:
                connection.execute(
                    insert(ANSWERS).values(key_digest=name, request_digest=asked, begun_at=moment)
                )
        except IntegrityError:
            return self._given(name, asked)
        return None

    def give(self, who: str, place: str, key: str, given: Given) -> None:
        """Remember what was answered."""
        with self._database.transaction() as connection:
            connection.execute(
                update(ANSWERS)
                .where(ANSWERS.c.key_digest == _name(who, place, key))
                .values(status=given.status, media_type=given.media_type, body=given.body)
            )

    def forget(self, who: str, place: str, key: str) -> None:
        """Nothing was entered: the request may be sent again."""
        with self._database.transaction() as connection:
            connection.execute(delete(ANSWERS).where(ANSWERS.c.key_digest == _name(who, place, key)))

    def drop_old(self) -> int:
        """Forget answers that nobody asks for any more; how many."""
        before = clock.as_text(self._now() - KEPT_FOR)
        with self._database.transaction() as connection:
            return connection.execute(delete(ANSWERS).where(ANSWERS.c.begun_at < before)).rowcount

    def _is_known(self, name: str) -> bool:
        with self._database.transaction() as connection:
            wanted = select(ANSWERS.c.key_digest).where(ANSWERS.c.key_digest == name)
            return connection.execute(wanted).one_or_none() is not None

    def _given(self, name: str, asked: str) -> Given:
        with self._database.transaction() as connection:
            row = connection.execute(select(ANSWERS).where(ANSWERS.c.key_digest == name)).one_or_none()
        if row is not None and row.request_digest != asked:
            raise OtherRequestError
        if row is None or row.status is None:
            raise UnknownOutcomeError
        return Given(row.status, row.media_type, row.body)


def _name(who: str, place: str, key: str) -> str:
    return hashlib.sha256(f"{who}\0{place}\0{key}".encode()).hexdigest()
