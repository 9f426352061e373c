"""Who asks, and how a browser remembers its token; tokens and the audit for those who run the server."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response

from api.access import LOCAL, PERMITS, SHOWS_UNKNOWN, TURNED_AWAY, Permission, Principal
from api.door import COOKIE
from api.session_schemas import AuditLineOut, NewTokenOut, SessionIn, SessionOut, TokenIn, TokenOut
from api.store.shelf import Store
from api.token_views import token_view
from api.v1.asking import Admin

router = APIRouter(prefix="/api/v1")

COOKIE_DAYS = 30


def store_of(request: Request) -> Store:
    """The store of this server; 503 where it keeps none."""
    store = request.app.state.store
    if not isinstance(store, Store):
        raise HTTPException(503, "this server keeps no store: no tokens and no audit")
    return store


TheStore = Annotated[Store, Depends(store_of)]


@router.get("/session", tags=["session"])
def session(request: Request) -> SessionOut:
    """Who asks, and what that one may do here. Asked without a token it says that one is wanted."""
    return _view(request.scope.get("principal", LOCAL))


@router.post("/session", tags=["session"])
async def remember(given: SessionIn, response: Response, request: Request, store: TheStore) -> SessionOut:
    """Let this browser remember a token, out of reach of any script. 401 where the token does not hold."""
    bearer = await to_thread.run_sync(store.tokens.bearer, given.token)
    if bearer is None:
        raise HTTPException(401, SHOWS_UNKNOWN)
    response.set_cookie(
        COOKIE,
        given.token,
        max_age=COOKIE_DAYS * 86_400,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return _view(bearer)


@router.delete("/session", status_code=204, tags=["session"])
def forget(response: Response) -> None:
    """Let this browser forget its token."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")


@router.get("/tokens", tags=["administration"])
def tokens(_: Admin, store: TheStore) -> list[TokenOut]:
    """All tokens, oldest first, without their secrets."""
    return [token_view(token) for token in store.tokens.all()]


@router.post("/tokens", status_code=201, tags=["administration"])
def make_token(wanted: TokenIn, _: Admin, store: TheStore) -> NewTokenOut:
    """Make a token; its text is shown this once."""
    try:
        text, token = store.tokens.make(wanted.name, wanted.scopes, delay_s=wanted.delay_s, days=wanted.days)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    return NewTokenOut(token=text, made=token_view(token))


@router.delete("/tokens/{token_id}", status_code=204, tags=["administration"])
def revoke_token(token_id: str, _: Admin, store: TheStore) -> None:
    """End a token: within a second it opens nothing any more, and what it holds open closes soon after.

    Streams and sockets look every few seconds whether their token still holds.
    """
    if not store.tokens.revoke(token_id):
        raise HTTPException(404, f"no token {token_id!r} that holds (see /api/v1/tokens)")


@router.get("/audit", tags=["administration"])
def audit(
    _: Admin,
    store: TheStore,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    before: Annotated[int | None, Query(ge=1, le=2**53, description="only lines below this number")] = None,
) -> list[AuditLineOut]:
    """Every request to change something, newest first."""
    return [
        AuditLineOut(
            number=line.number,
            at=line.at,
            who=line.who,
            client=line.client,
            method=line.method,
            path=line.path,
            status=line.status,
            request_digest=line.request_digest,
        )
        for line in store.audit.newest(limit, before)
    ]


def _view(found: Principal | str) -> SessionOut:
    if not isinstance(found, Principal):
        code = TURNED_AWAY.get(found, "")
        return SessionOut(
            is_known=False, name="", scopes=(), permits=(), delay_s=0.0, why_not=found, code=code
        )
    permits = {permission for scope in found.scopes for permission in PERMITS[scope]}
    return SessionOut(
        is_known=True,
        name=found.name,
        scopes=tuple(sorted(found.scopes)),
        permits=tuple(permission for permission in Permission if permission in permits),
        delay_s=found.delay_s,
        why_not=None,
    )
