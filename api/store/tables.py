"""The tables of the store. Rows of ``audit`` and ``plans`` are only ever added."""

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_MOMENT = String(20)
"""As ``api.clock.as_text`` writes it."""

MATCHES = Table(
    "matches",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("match_id", String(200), nullable=False),
    Column("table_name", String(200), nullable=False),
    Column("game", String(40), nullable=False),
    Column("players", Text, nullable=False, doc="JSON: their names, in the order of the seats."),
    Column("record", Text, nullable=False, doc="The path of its record."),
    Column("header_hash", String(64), nullable=False, doc="Of the record's first line: names the match."),
    Column("added_at", _MOMENT, nullable=False),
    UniqueConstraint("record"),
)

TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("scopes", String(200), nullable=False, doc="With commas between."),
    Column("delay_s", Float, nullable=False),
    Column("digest", String(64), nullable=False, doc="SHA-256 of the secret, which is kept nowhere."),
    Column("made_at", _MOMENT, nullable=False),
    Column("expires_at", _MOMENT, doc="Null: it does not."),
    Column("revoked_at", _MOMENT, doc="Null: it holds."),
)

ANSWERS = Table(
    "answers",
    METADATA,
    Column("key_digest", String(64), primary_key=True, doc="Of who asked, where, and under which key."),
    Column("request_digest", String(64), nullable=False, doc="Of the body."),
    Column("status", Integer, doc="Null: the request was begun, and how it went is not known."),
    Column("media_type", String(100)),
    Column("body", LargeBinary),
    Column("begun_at", _MOMENT, nullable=False),
)

AUDIT = Table(
    "audit",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", _MOMENT, nullable=False),
    Column("who", String(200), nullable=False),
    Column("client", String(100), nullable=False),
    Column("method", String(10), nullable=False),
    Column("path", String(500), nullable=False),
    Column("status", Integer, nullable=False),
    Column("request_digest", String(64), nullable=False, doc="SHA-256 of the body."),
    sqlite_autoincrement=True,
)

WEBHOOKS = Table(
    "webhooks",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("url", String(2000), nullable=False),
    Column("events", String(200), nullable=False, doc="With commas between."),
    Column("secret", String(100), nullable=False, doc="Both sides need it to sign."),
    Column("made_at", _MOMENT, nullable=False),
)

DELIVERIES = Table(
    "deliveries",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("webhook_id", String(16), ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False),
    Column("event_id", String(200), nullable=False),
    Column("event", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", _MOMENT, doc="When to try next. Null: it arrived, or was given up."),
    Column("status", Integer, doc="The last answer's. Null: none came."),
    UniqueConstraint("webhook_id", "event_id"),
    sqlite_autoincrement=True,
)

PLANS = Table(
    "plans",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("text", Text, nullable=False, doc="A tournament in TOML; empty: there is none any more."),
    Column("entered_by", String(200), nullable=False),
    Column("entered_at", _MOMENT, nullable=False),
    sqlite_autoincrement=True,
)

Index("ix_audit_at", AUDIT.c.at)
Index("ix_answers_begun_at", ANSWERS.c.begun_at)
Index("ix_deliveries_due_at", DELIVERIES.c.due_at)
