"""The addresses under ``/api/v1``: matches, score, verdicts, the picture, and the stream of changes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from api.feed import Change, MatchFeed
from api.hub import Hub
from api.schemas import MatchOut, Problem, ScoreOut, VerdictOut

SIGN_OF_LIFE_S = 1.0
"""Seconds between signs of life on a quiet stream; displays call a score stale after several missed ones."""

RECONNECT_MS = 1_000
"""How long a browser waits before it comes back after a lost connection."""

router = APIRouter(prefix="/api/v1", responses={404: {"model": Problem}})


def hub_of(request: Request) -> Hub:
    """The hub that this server shows."""
    hub = request.app.state.hub
    if not isinstance(hub, Hub):
        raise TypeError("create_app puts a Hub at app.state.hub")
    return hub


def feed_of(match_id: str, hub: Annotated[Hub, Depends(hub_of)]) -> MatchFeed:
    """The match that the address names; 404 where there is none."""
    feed = hub.find(match_id)
    if feed is None:
        raise HTTPException(404, f"no such match: {match_id!r} (see /api/v1/matches)")
    return feed


@router.get("/matches")
def matches(
    hub: Annotated[Hub, Depends(hub_of)],
    table: Annotated[str | None, Query(description="only matches on this table")] = None,
) -> list[MatchOut]:
    """All matches that this server shows, oldest first."""
    return [feed.match for feed in hub.feeds if table in {None, feed.table}]


@router.get("/matches/{match_id}/score")
def score(feed: Annotated[MatchFeed, Depends(feed_of)]) -> ScoreOut:
    """The score as it stands, with the lines that make it up."""
    return feed.score


@router.get("/matches/{match_id}/verdicts")
def verdicts(feed: Annotated[MatchFeed, Depends(feed_of)]) -> tuple[VerdictOut, ...]:
    """All verdicts so far, oldest first."""
    return feed.verdicts


@router.get("/matches/{match_id}/picture.jpg", response_class=Response)
def picture(feed: Annotated[MatchFeed, Depends(feed_of)]) -> Response:
    """The newest picture of the table with its zones and cards drawn in."""
    jpeg = feed.picture_jpeg
    if jpeg is None:
        raise HTTPException(404, f"no picture of match {feed.match_id!r} yet")
    return Response(jpeg, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


@router.get("/matches/{match_id}/stream", response_class=EventSourceResponse)
async def stream(
    feed: Annotated[MatchFeed, Depends(feed_of)], last_event_id: Annotated[str | None, Header()] = None
) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events: ``snapshot`` first, then numbered ``verdict`` and ``score``; ``alive`` when quiet.

    A display that comes back with ``Last-Event-ID`` gets what it missed, without a snapshot where that holds.
    """
    changed = asyncio.Event()
    loop = asyncio.get_running_loop()
    unfollow = feed.follow(lambda: _wake(loop, changed))
    try:
        yield ServerSentEvent(retry=RECONNECT_MS)
        number = feed.number_of(last_event_id)
        while not feed.is_closed:
            changed.clear()
            missed = None if number is None else feed.changes_after(number)
            for change in (feed.snapshot(),) if missed is None else missed:
                yield _message(feed, change)
                number = change.number
            if not await _is_set_within(changed, SIGN_OF_LIFE_S):
                yield ServerSentEvent(event="alive", data=feed.alive)
    finally:
        unfollow()


def _wake(loop: asyncio.AbstractEventLoop, changed: asyncio.Event) -> None:
    """Set ``changed`` from another thread; a loop that has closed needs no waking."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(changed.set)


def _message(feed: MatchFeed, change: Change) -> ServerSentEvent:
    return ServerSentEvent(raw_data=change.data, event=change.event, id=feed.event_id(change))


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
