"""Tokens: made once, shown once, kept as a digest, revoked at any time."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Row, insert, select, update

from api import clock
from api.access import Principal, Scope
from api.feed import LONGEST_DELAY_S
from api.store.database import Database
from api.store.tables import TOKENS
from referee.texts import is_blank

_FORM = re.compile(r"tj_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
SECRET_BYTES = 32
"""Too many to guess: a plain SHA-256 of them needs no salt and no slow hash."""
LONGEST_NAME = 100
LONGEST_DAYS = 3650
"""Of a token that ends at all; ten years are longer than any event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What is known of a token; never its secret."""

    token_id: str
    name: str
    scopes: frozenset[Scope]
    delay_s: float
    made_at: str
    expires_at: str | None
    """None: never."""
    revoked_at: str | None
    """None: it holds."""


class TokenBook:
    """All tokens of one store."""

    def __init__(self, database: Database, now: Callable[[], datetime] = clock.now) -> None:
        self._database = database
        self._now = now

    def make(
        self,
        name: str,
        scopes: Iterable[Scope],
        *,
        delay_s: float = 0.0,
        days: int | None = None,
    ) -> tuple[str, Token]:
        """A new token: its text, which cannot be had again, and what is kept of it.

        ``ValueError`` where it cannot be meant. ``days``: how long it holds; None for ever.
        """
        wanted = frozenset(scopes)
        _refuse(name, wanted, delay_s, days)
        token_id, secret = secrets.token_hex(6), secrets.token_urlsafe(SECRET_BYTES)
        moment = self._now()
        token = Token(
            token_id=token_id,
            name=name,
            scopes=wanted,
            delay_s=delay_s,
            made_at=clock.as_text(moment),
            expires_at=None if days is None else clock.as_text(moment + timedelta(days=days)),
            revoked_at=None,
        )
        with self._database.transaction() as connection:
            connection.execute(
                insert(TOKENS).values(
                    id=token_id,
                    name=name,
                    scopes=",".join(sorted(wanted)),
                    delay_s=delay_s,
                    digest=_digest(secret),
                    made_at=token.made_at,
                    expires_at=token.expires_at,
                )
            )
        return f"tj_{token_id}_{secret}", token

    def all(self) -> tuple[Token, ...]:
        """All tokens ever made, oldest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(TOKENS).order_by(TOKENS.c.made_at, TOKENS.c.id)).all()
        return tuple(_token(row) for row in rows)

    def revoke(self, token_id: str) -> bool:
        """End a token; whether there was one that held."""
        with self._database.transaction() as connection:
            done = connection.execute(
                update(TOKENS)
                .where(TOKENS.c.id == token_id, TOKENS.c.revoked_at.is_(None))
                .values(revoked_at=clock.as_text(self._now()))
            )
        return done.rowcount > 0

    def bearer(self, text: str) -> Principal | None:
        """Who bears the token ``text``. None: it is none of ours, has expired, or was revoked."""
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        with self._database.transaction() as connection:
            row = connection.execute(select(TOKENS).where(TOKENS.c.id == found[1])).one_or_none()
        known = "" if row is None else str(row.digest)
        if not hmac.compare_digest(known, _digest(found[2])) or row is None:
            return None
        token = _token(row)
        moment = clock.as_text(self._now())
        if token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= moment):
            return None
        return Principal(token.name, token.scopes, token.delay_s)


def _refuse(name: str, scopes: frozenset[Scope], delay_s: float, days: int | None) -> None:
    if is_blank(name) or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"name: want 1 to {LONGEST_NAME} characters, got {name!r}")
    if not scopes:
        raise ValueError(f"scopes: want one or more of {', '.join(Scope)}")
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise ValueError(f"days: want 1 to {LONGEST_DAYS}, got {days}")
    if not 0 <= delay_s <= LONGEST_DELAY_S:
        raise ValueError(f"delay_s: want 0 to {LONGEST_DELAY_S:g} seconds, got {delay_s:g}")
    if delay_s > 0 and scopes != {Scope.OVERLAY}:
        raise ValueError("delay_s: only those who do nothing but watch see a match late (scope overlay)")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _token(row: "Row[tuple[object, ...]]") -> Token:
    return Token(
        token_id=row.id,
        name=row.name,
        scopes=frozenset(Scope(scope) for scope in row.scopes.split(",")),
        delay_s=row.delay_s,
        made_at=row.made_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )
