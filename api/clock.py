"""The wall clock, for what is kept about people's doings; no verdict ever sees it."""

from datetime import UTC, datetime


def now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)  # noqa: TID251  tokens expire and audits are dated by the wall clock


def as_text(moment: datetime) -> str:
    """``2026-11-30T07:00:00Z``: sorts as the times do.

    >>> as_text(datetime(2026, 11, 30, 7, tzinfo=UTC))
    '2026-11-30T07:00:00Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
