"""Who may do what: scopes of tokens, what each permits, and who stands behind a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Permission(StrEnum):
    """One thing that somebody may do."""

    WATCH = "watch"
    """See score, verdicts, picture and clips; perhaps later than they happen."""
    INSPECT = "inspect"
    """See everything that is kept of a match, at once: entries, frames, cases, the record."""
    CALL = "call"
    """Tell calls, declarations and counts."""
    APPEAL = "appeal"
    CORRECT = "correct"
    """Put right a card or an owner, and take entries back."""
    RESOLVE = "resolve"
    """Answer verdicts and appeals."""
    ADMIN = "admin"
    """Tokens, webhooks, the audit."""


class Scope(StrEnum):
    """What a token is for."""

    OVERLAY = "overlay"
    OPERATOR = "operator"
    REVIEWER = "reviewer"
    ADMIN = "admin"


PERMITS: Mapping[Scope, frozenset[Permission]] = {
    Scope.OVERLAY: frozenset({Permission.WATCH}),
    Scope.OPERATOR: frozenset(
        {
            Permission.WATCH,
            Permission.INSPECT,
            Permission.CALL,
            Permission.APPEAL,
            Permission.CORRECT,
        }
    ),
    Scope.REVIEWER: frozenset(
        {
            Permission.WATCH,
            Permission.INSPECT,
            Permission.APPEAL,
            Permission.CORRECT,
            Permission.RESOLVE,
        }
    ),
    Scope.ADMIN: frozenset(Permission),
}
"""What the bearer of a token of each scope may do."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who stands behind a request."""

    name: str
    """As it stands in the audit, and in reviews that name nobody."""
    scopes: frozenset[Scope]
    delay_s: float = 0.0
    """By how much later than everybody else it sees a match."""

    def may(self, permission: Permission) -> bool:
        """Whether one of its scopes permits this."""
        return any(permission in PERMITS[scope] for scope in self.scopes)

    @property
    def sees_late(self) -> bool:
        """Whether what it sees is held back: only of those who watch and do nothing else."""
        return self.delay_s > 0 and not self.may(Permission.INSPECT)


SHOWS_NOTHING = "this server wants a token"
SHOWS_UNKNOWN = "this token is none of this server's, has expired or was revoked"
TURNED_AWAY: Mapping[str, str] = {SHOWS_NOTHING: "no_token", SHOWS_UNKNOWN: "unknown_token"}
"""Why nobody is known, and the same in one word, for pages in other languages."""

LOCAL = Principal("this computer", frozenset({Scope.ADMIN}))
"""Whoever sits at the machine, while only the machine itself is served."""
