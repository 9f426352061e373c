"""What the routes ask of a request: which match it names, who asks, and how late that one sees it."""

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import Depends, HTTPException, Query, Request, Response

from api.access import LOCAL, Permission, Principal
from api.archive import Archive
from api.desk import MatchDesk, RefusedError
from api.feed import LONGEST_DELAY_S, MatchFeed, Seen
from api.hub import Hub
from api.problems import NotModifiedError

SEE_MATCHES = "see /api/v1/matches"


def hub_of(request: Request) -> Hub:
    """The hub that this server shows."""
    hub = request.app.state.hub
    if not isinstance(hub, Hub):
        raise TypeError("create_app puts a Hub at app.state.hub")
    return hub


def principal_of(request: Request) -> Principal:
    """Who asks; 401 where a token is wanted and there is none that holds."""
    found = request.scope.get("principal", LOCAL)
    if isinstance(found, Principal):
        return found
    raise HTTPException(401, str(found), headers={"WWW-Authenticate": 'Bearer realm="touchjudge"'})


_DOING: Mapping[Permission, str] = {
    Permission.WATCH: "watch matches",
    Permission.INSPECT: "see all that is kept of a match",
    Permission.CALL: "tell calls and counts",
    Permission.APPEAL: "appeal",
    Permission.CORRECT: "put anything right",
    Permission.RESOLVE: "answer verdicts",
    Permission.ADMIN: "run the server",
}


def permitted(permission: Permission) -> Callable[[Principal], Principal]:
    """A dependency that lets only those pass who may do this."""

    def check(principal: Annotated[Principal, Depends(principal_of)]) -> Principal:
        if principal.may(permission):
            return principal
        scopes = ", ".join(sorted(principal.scopes)) or "none"
        raise HTTPException(403, f"this token ({scopes}) does not let you {_DOING[permission]}")

    return check


Watcher = Annotated[Principal, Depends(permitted(Permission.WATCH))]
Inspector = Annotated[Principal, Depends(permitted(Permission.INSPECT))]
Caller = Annotated[Principal, Depends(permitted(Permission.CALL))]
Appellant = Annotated[Principal, Depends(permitted(Permission.APPEAL))]
Corrector = Annotated[Principal, Depends(permitted(Permission.CORRECT))]
Reviewer = Annotated[Principal, Depends(permitted(Permission.RESOLVE))]
Admin = Annotated[Principal, Depends(permitted(Permission.ADMIN))]
TheHub = Annotated[Hub, Depends(hub_of)]


def feed_of(match_id: str, hub: TheHub, _: Annotated[Principal, Depends(principal_of)]) -> MatchFeed:
    """The match that the address names; 404 where there is none."""
    feed = hub.find(match_id)
    if feed is None:
        raise HTTPException(404, f"no such match: {match_id!r} ({SEE_MATCHES})")
    return feed


TheFeed = Annotated[MatchFeed, Depends(feed_of)]


def desk_of(feed: TheFeed, hub: TheHub) -> MatchDesk:
    """Where people write into the match that the address names; 409 where nobody can."""
    desk = hub.desk(feed.match_id)
    if desk is None:
        archive = hub.archive(feed.match_id)
        why = f": {archive.why_only_shown}" if archive is not None and archive.why_only_shown else ""
        said = f"match {feed.match_id!r} is only shown here; nothing can be entered{why}"
        raise RefusedError(said, "only_shown")
    return desk


TheDesk = Annotated[MatchDesk, Depends(desk_of)]


def archive_of(feed: TheFeed, hub: TheHub) -> Archive:
    """The record of the match that the address names; 409 where none is kept."""
    archive = hub.archive(feed.match_id)
    if archive is None:
        raise HTTPException(409, f"match {feed.match_id!r} is only shown here; nothing is kept of it")
    return archive


TheArchive = Annotated[Archive, Depends(archive_of)]


def delay_of(
    principal: Watcher,
    delay_s: Annotated[
        float,
        Query(
            ge=0,
            le=LONGEST_DELAY_S,
            description="See the match so many seconds late, never less than your token says.",
        ),
    ] = 0.0,
) -> float:
    """By how many seconds late the one who asks sees the match."""
    own_s = principal.delay_s if principal.sees_late else 0.0
    return max(own_s, delay_s)


Delay = Annotated[float, Depends(delay_of)]


def seen_by(feed: TheFeed, delay_s: Delay) -> Seen:
    """The match as the one who asks may see it."""
    return feed.seen(delay_s)


TheView = Annotated[Seen, Depends(seen_by)]


def tagged(request: Request, response: Response, tag: str) -> None:
    """Name the state of the answer; ``NotModifiedError`` where the one who asks has just that."""
    held = [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]
    if tag in held or "*" in held:
        raise NotModifiedError(tag)
    response.headers["ETag"] = tag
