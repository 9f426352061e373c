"""Shapes of who asks, of tokens, and of the audit."""

from typing import Annotated, Literal

from pydantic import Field

from api.access import Permission, Scope
from api.feed import LONGEST_DELAY_S
from api.schemas import Schema
from api.store.tokens import LONGEST_DAYS
from api.write_schemas import WriteSchema


class SessionOut(Schema):
    """Who asks, and what that one may do: a page shows its buttons by it."""

    is_known: bool
    """Whether anything may be done at all."""
    name: str
    scopes: tuple[Scope, ...]
    permits: tuple[Permission, ...]
    delay_s: float
    """By how much later than it happens this one sees a match."""
    why_not: str | None
    """Why nobody is known. None: somebody is."""
    code: str = ""
    """The same in one word, for pages in other languages: `no_token`, `unknown_token`."""


class SessionIn(WriteSchema):
    """A token that a browser is to remember."""

    token: Annotated[str, Field(min_length=1, max_length=200, examples=["tj_0123456789ab_..."])]


class TokenIn(WriteSchema):
    """A token that is wanted."""

    name: Annotated[str, Field(min_length=1, max_length=100, examples=["Rita's tablet"])]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=4, examples=[["reviewer"]])]
    delay_s: Annotated[float, Field(strict=True, ge=0, le=LONGEST_DELAY_S, examples=[0])] = 0.0
    days: Annotated[
        int | None,
        Field(strict=True, ge=1, le=LONGEST_DAYS, description="How long it holds; without it, for ever."),
    ] = None


class TokenOut(Schema):
    """What is known of a token."""

    token_id: str
    name: str
    scopes: tuple[Scope, ...]
    delay_s: float
    made_at: str
    expires_at: str | None
    revoked_at: str | None


class NewTokenOut(Schema):
    """A token that was just made. Its text is shown this once and kept nowhere."""

    token: str
    made: TokenOut


class AuditLineOut(Schema):
    """One request to change something."""

    number: int
    at: str
    who: str
    client: str
    method: str
    path: str
    status: int
    request_digest: str


class WebhookIn(WriteSchema):
    """Who wants to be told, and of what."""

    url: Annotated[str, Field(min_length=1, max_length=2_000, examples=["https://club.example/touchjudge"])]
    events: Annotated[
        tuple[Literal["verdict", "revision", "review", "call", "score"], ...],
        Field(min_length=1, max_length=5, description="As on a stream.", examples=[["verdict", "revision"]]),
    ]


class WebhookOut(Schema):
    """A webhook, without its secret."""

    webhook_id: str
    url: str
    events: tuple[str, ...]
    made_at: str


class NewWebhookOut(Schema):
    """A webhook that was just made. Its secret is shown this once: deliveries are signed with it."""

    secret: str
    made: WebhookOut


class DeliveryOut(Schema):
    """One event, told or to be told."""

    event_id: str
    event: str
    attempts: int
    status: int | None
    """Of the last answer. None: none came."""
    due_at: str | None
    """When it is tried next. None: it arrived, or was given up."""
