"""Webhooks: who wants to be told of what, and what is still to be told."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from api import clock
from api.store.database import Database
from api.store.tables import DELIVERIES, WEBHOOKS

EVENTS = ("verdict", "revision", "review", "call", "score")
"""As on a stream."""
WAITS_S = (5, 30, 300, 3_600, 21_600)
"""Before each further try; then it is given up."""
MOST_WEBHOOKS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Who wants to be told."""

    webhook_id: str
    url: str
    events: tuple[str, ...]
    secret: str
    made_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event for one webhook."""

    number: int
    webhook_id: str
    event_id: str
    event: str
    body: str
    attempts: int
    due_at: str | None
    """None: it arrived, or was given up."""
    status: int | None
    """Of the last answer. None: none came."""


class WebhookBook:
    """All webhooks of one store, with what they are still to be told."""

    def __init__(self, database: Database, now: Callable[[], datetime] = clock.now) -> None:
        self._database = database
        self._now = now

    def make(self, url: str, events: Iterable[str]) -> Webhook:
        """A new webhook with a secret of its own; ``ValueError`` where it cannot be meant."""
        wanted = tuple(event for event in EVENTS if event in set(events))
        _refuse(url, wanted)
        if len(self.all()) >= MOST_WEBHOOKS:
            raise ValueError(f"want at most {MOST_WEBHOOKS} webhooks; delete one first")
        webhook = Webhook(
            webhook_id=secrets.token_hex(6),
            url=url,
            events=wanted,
            secret=f"whsec_{secrets.token_urlsafe(32)}",
            made_at=clock.as_text(self._now()),
        )
        with self._database.transaction() as connection:
            connection.execute(
                insert(WEBHOOKS).values(
                    id=webhook.webhook_id,
                    url=url,
                    events=",".join(wanted),
                    secret=webhook.secret,
                    made_at=webhook.made_at,
                )
            )
        return webhook

    def all(self) -> tuple[Webhook, ...]:
        """All webhooks, oldest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(WEBHOOKS).order_by(WEBHOOKS.c.made_at, WEBHOOKS.c.id)).all()
        return tuple(
            Webhook(
                webhook_id=row.id,
                url=row.url,
                events=tuple(row.events.split(",")),
                secret=row.secret,
                made_at=row.made_at,
            )
            for row in rows
        )

    def remove(self, webhook_id: str) -> bool:
        """Tell it no more; whether there was one."""
        with self._database.transaction() as connection:
            return connection.execute(delete(WEBHOOKS).where(WEBHOOKS.c.id == webhook_id)).rowcount > 0

    def owe(self, webhook_id: str, event_id: str, event: str, body: str) -> bool:
        """Something is to be told; whether it was not owed already."""
        try:
            with self._database.transaction() as connection:
                connection.execute(
                    insert(DELIVERIES).values(
                        webhook_id=webhook_id,
                        event_id=event_id,
                        event=event,
                        body=body,
                        attempts=0,
                        due_at=clock.as_text(self._now()),
                    )
                )
        except IntegrityError:
            return False
        return True

    def due(self, limit: int = 20) -> tuple[Delivery, ...]:
        """What is to be told now, oldest first."""
        moment = clock.as_text(self._now())
        wanted = (
            select(DELIVERIES).where(DELIVERIES.c.due_at <= moment).order_by(DELIVERIES.c.id).limit(limit)
        )
        with self._database.transaction() as connection:
            return tuple(_delivery(row) for row in connection.execute(wanted).all())

    def tried(self, delivery: Delivery, status: int | None) -> None:
        """It was tried, with this answer or none. What did not arrive is tried again, for a while."""
        is_told = status is not None and 200 <= status < 300
        wait_s = None if is_told or delivery.attempts >= len(WAITS_S) else WAITS_S[delivery.attempts]
        due_at = None if wait_s is None else clock.as_text(self._now() + timedelta(seconds=wait_s))
        with self._database.transaction() as connection:
            connection.execute(
                update(DELIVERIES)
                .where(DELIVERIES.c.id == delivery.number)
                .values(attempts=delivery.attempts + 1, due_at=due_at, status=status)
            )

    def deliveries(self, webhook_id: str, limit: int) -> tuple[Delivery, ...]:
        """The newest deliveries of a webhook, newest first."""
        wanted = (
            select(DELIVERIES)
            .where(DELIVERIES.c.webhook_id == webhook_id)
            .order_by(DELIVERIES.c.id.desc())
            .limit(limit)
        )
        with self._database.transaction() as connection:
            return tuple(_delivery(row) for row in connection.execute(wanted).all())

    def drop_done(self, keep: int = 1_000) -> None:
        """Forget what was told long ago: all but the newest ``keep`` that are done."""
        with self._database.transaction() as connection:
            done = select(DELIVERIES.c.id).where(DELIVERIES.c.due_at.is_(None))
            oldest = connection.execute(done.order_by(DELIVERIES.c.id.desc()).offset(keep).limit(1)).scalar()
            if oldest is not None:
                connection.execute(
                    delete(DELIVERIES).where(DELIVERIES.c.id <= oldest, DELIVERIES.c.due_at.is_(None))
                )


def _refuse(url: str, events: tuple[str, ...]) -> None:
    try:
        parts = urlsplit(url)
        is_meant = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        is_meant = False
    if not is_meant or not url.isprintable() or " " in url:
        raise ValueError(
            f"url: want one that begins with http:// or https://, without a password, got {url!r}"
        )
    if not events:
        raise ValueError(f"events: want one or more of {', '.join(EVENTS)}")


def _delivery(row: "Row[tuple[object, ...]]") -> Delivery:
    return Delivery(
        number=row.id,
        webhook_id=row.webhook_id,
        event_id=row.event_id,
        event=row.event,
        body=row.body,
        attempts=row.attempts,
        due_at=row.due_at,
        status=row.status,
    )
