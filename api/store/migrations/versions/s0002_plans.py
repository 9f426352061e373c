"""The second form of the store: tournaments as they are planned."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "plans",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("entered_by", sa.String(200), nullable=False),
        sa.Column("entered_at", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_plans"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it away."""
    op.drop_table("plans")
