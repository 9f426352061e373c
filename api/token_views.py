"""Tokens as the public shapes."""

from api.session_schemas import TokenOut
from api.store.tokens import Token


def token_view(token: Token) -> TokenOut:
    """What is known of a token."""
    return TokenOut(
        token_id=token.token_id,
        name=token.name,
        scopes=tuple(sorted(token.scopes)),
        delay_s=token.delay_s,
        made_at=token.made_at,
        expires_at=token.expires_at,
        revoked_at=token.revoked_at,
    )
