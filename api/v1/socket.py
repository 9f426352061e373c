"""The same changes over a WebSocket, for programs that would rather have that than an event stream.

Each message is ``{"event", "id", "data"}``, as on the stream; nothing that is sent here is read.
"""

import asyncio
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket

from api.access import LOCAL, Permission, Principal
from api.door import SUBPROTOCOL
from api.feed import LONGEST_DELAY_S
from api.problems import RefusedSocketError
from api.v1.asking import SEE_MATCHES
from api.v1.stream import Belfry, Bell, Followed, Watch

router = APIRouter(prefix="/api/v1")
nowhere = APIRouter()
"""The last of all routes."""

UNSUPPORTED = 1003
"""Why a socket is closed: what came is of no kind that is taken (RFC 6455)."""

Late = Annotated[float, Query(ge=0, le=LONGEST_DELAY_S)]
Last = Annotated[str | None, Query(max_length=100)]


@router.websocket("/socket")
async def house_socket(websocket: WebSocket, last_event_id: Last = None, delay_s: Late = 0.0) -> None:
    """That something changed, of the whole server: what ``/api/v1/stream`` tells."""
    late_s = max(_own_delay_s(websocket), delay_s)
    await _follow(websocket, websocket.app.state.hub.changes, late_s, last_event_id)


@router.websocket("/matches/{match_id}/socket")
async def socket(
    websocket: WebSocket, match_id: str, last_event_id: Last = None, delay_s: Late = 0.0
) -> None:
    """Snapshot first, then numbered changes; a sign of life every second without one. It never ends.

    Who is refused gets the answer that the stream would give, in the place of the handshake.
    """
    late_s = max(_own_delay_s(websocket), delay_s)
    feed = websocket.app.state.hub.find(match_id)
    if feed is None:
        raise RefusedSocketError(HTTPStatus.NOT_FOUND, f"no such match: {match_id!r} ({SEE_MATCHES})")
    await _follow(websocket, feed, late_s, last_event_id)


@nowhere.websocket("/{path:path}")
async def no_socket(websocket: WebSocket) -> None:
    """Whatever else is asked for as a WebSocket: 404."""
    raise RefusedSocketError(HTTPStatus.NOT_FOUND, f"no socket here: {websocket.url.path!r}")


def _own_delay_s(websocket: WebSocket) -> float:
    """How late the one who asks sees all; ``RefusedSocketError`` where that one may see nothing."""
    principal = websocket.scope.get("principal", LOCAL)
    if not isinstance(principal, Principal):
        raise RefusedSocketError(HTTPStatus.UNAUTHORIZED, str(principal))
    if not principal.may(Permission.WATCH):
        raise RefusedSocketError(HTTPStatus.FORBIDDEN, "this token does not let you watch matches")
    return principal.delay_s if principal.sees_late else 0.0


async def _follow(websocket: WebSocket, feed: Followed, delay_s: float, last_event_id: str | None) -> None:
    await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in websocket.scope.get("subprotocols", ()) else None)
    number = feed.number_of(last_event_id)
    belfry: Belfry = websocket.app.state.belfry
    bell = belfry.take(feed, round(delay_s, 1))
    telling = asyncio.create_task(_tell(websocket, bell, number))
    leaving = asyncio.create_task(_left(websocket))
    try:
        await asyncio.wait((telling, leaving), return_when=asyncio.FIRST_COMPLETED)
        if leaving.done():
            if not leaving.result():
                await websocket.close(UNSUPPORTED, "want text, or nothing: what is sent here is not read")
        elif telling.done():
            await websocket.close(1001, "the server is leaving, or the token holds no more")
    finally:
        telling.cancel()
        leaving.cancel()
        belfry.leave(bell)


async def _tell(websocket: WebSocket, bell: Bell, number: int | None) -> None:
    watch = Watch(websocket.scope)
    while not bell.feed.is_closed:
        number, messages = bell.messages_since(number)
        for message in messages:
            await websocket.send_text(message)
        if not messages and not await bell.wait():
            alive = bell.feed.alive_seen(bell.delay_s).model_dump_json()
            await websocket.send_text(f'{{"event":"alive","id":"","data":{alive}}}')
        if not await watch.may_stay():
            return


async def _left(websocket: WebSocket) -> bool:
    """Wait until the display is gone, or sends what is no text; whether it is gone."""
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return True
        if message.get("text") is None:
            return False
