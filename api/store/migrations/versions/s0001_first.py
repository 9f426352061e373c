"""The first form of the store: matches, tokens, answers, audit, webhooks and their deliveries."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(200), nullable=False),
        sa.Column("table_name", sa.String(200), nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("players", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("header_hash", sa.String(64), nullable=False),
        sa.Column("added_at", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("record", name="uq_matches_record"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("scopes", sa.String(200), nullable=False),
        sa.Column("delay_s", sa.Float(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("made_at", sa.String(20), nullable=False),
        sa.Column("expires_at", sa.String(20)),
        sa.Column("revoked_at", sa.String(20)),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
    )
    op.create_table(
        "answers",
        sa.Column("key_digest", sa.String(64), nullable=False),
        sa.Column("request_digest", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("media_type", sa.String(100)),
        sa.Column("body", sa.LargeBinary()),
        sa.Column("begun_at", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("key_digest", name="pk_answers"),
    )
    op.create_index("ix_answers_begun_at", "answers", ["begun_at"])
    _upgrade_logs()


def _upgrade_logs() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(20), nullable=False),
        sa.Column("who", sa.String(200), nullable=False),
        sa.Column("client", sa.String(100), nullable=False),
        sa.Column("method", sa.String(10), nullable=False),
        sa.Column("path", sa.String(500), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("request_digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("events", sa.String(200), nullable=False),
        sa.Column("secret", sa.String(100), nullable=False),
        sa.Column("made_at", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.String(16), nullable=False),
        sa.Column("event_id", sa.String(200), nullable=False),
        sa.Column("event", sa.String(40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.String(20)),
        sa.Column("status", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name="fk_deliveries_webhook_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("webhook_id", "event_id", name="uq_deliveries_webhook_id_event_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_due_at", "deliveries", ["due_at"])


def downgrade() -> None:
    """Take the tables away."""
    for table in ("deliveries", "webhooks", "audit", "answers", "tokens", "matches"):
        op.drop_table(table)
