"""What may be read: tables, matches, score, verdicts, plays, reviews, calls, the record."""

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request, Response

from api.feed import PictureSize, Seen
from api.match_views import detail_view, entry_lines, seat_views, verdict_detail
from api.quiet import is_quiet, is_waiting
from api.read_schemas import (
    AttentionOut,
    EntryLineOut,
    MatchDetailOut,
    PlayRowOut,
    RoundOut,
    SeatOut,
    TableOut,
    VerdictDetailOut,
)
from api.schemas import CallOut, MatchOut, ReviewKind, ReviewOut, ScoreOut, VerdictOut
from api.shown import is_open_appeal
from api.v1.asking import Delay, Inspector, TheArchive, TheFeed, TheHub, TheView, tagged
from api.v1.listing import ThePart
from api.v1.stream import Belfry, EventStream
from referee.proceedings import Standing
from referee.verdicts import Ruling

router = APIRouter(prefix="/api/v1")

EveryMatch = Annotated[
    bool, Query(description="Each match of a table, oldest first, instead of its newest alone.")
]


@router.get("/tables", tags=["tables"])
def tables(
    request: Request, response: Response, hub: TheHub, delay_s: Delay, *, every_match: EveryMatch = False
) -> list[TableOut]:
    """Every table with its newest match, its score and what waits for a person."""
    feeds = hub.feeds
    shown = feeds if every_match else tuple({feed.table: feed for feed in feeds}.values())
    views = [feed.seen(delay_s) for feed in shown]
    tagged(request, response, _tag_of([view.tag for view in views]))
    counts = Counter(feed.table for feed in feeds)
    return [_table_view(view, counts[view.feed.table]) for view in views]


@router.get("/tables/{table}", tags=["tables"])
def table(table: str, request: Request, response: Response, hub: TheHub, delay_s: Delay) -> TableOut:
    """One table with its newest match."""
    feed = hub.newest_of_table(table)
    if feed is None:
        raise HTTPException(404, f"no such table: {table!r} (see /api/v1/tables)")
    view = feed.seen(delay_s)
    tagged(request, response, view.tag)
    return _table_view(view, sum(each.table == table for each in hub.feeds))


@router.get("/matches", tags=["matches"])
def matches(
    hub: TheHub,
    part: ThePart,
    delay_s: Delay,
    table: Annotated[str | None, Query(description="only matches on this table")] = None,
) -> list[MatchOut]:
    """All matches that this server shows, oldest first."""
    return part.of([feed.seen(delay_s).match for feed in hub.feeds if table in {None, feed.table}])


@router.get("/matches/{match_id}", tags=["matches"])
def match(request: Request, response: Response, feed: TheFeed, view: TheView, hub: TheHub) -> MatchDetailOut:
    """A match with its seats, its rules and how it is filmed."""
    tagged(request, response, view.tag)
    archive, keeps_clips = hub.archive(feed.match_id), hub.keeps_clips(feed)
    if archive is None:
        seats, why = _seats_shown(view), "nothing is kept of it here"
        return MatchDetailOut(
            match=view.match,
            seats=seats,
            t_us=view.score.t_us,
            keeps_clips=keeps_clips,
            why_only_shown=why,
            why_no_case=why,
        )
    detail = detail_view(archive, view.match, view.score.t_us)
    return detail.model_copy(update={"keeps_clips": keeps_clips})


@router.get("/matches/{match_id}/seats", tags=["matches"])
def seats(feed: TheFeed, view: TheView, hub: TheHub) -> tuple[SeatOut, ...]:
    """Who sits where, and how many appeals each has left."""
    archive = hub.archive(feed.match_id)
    return _seats_shown(view) if archive is None else seat_views(archive)


@router.get("/matches/{match_id}/rounds", tags=["matches"])
def rounds(view: TheView) -> list[RoundOut]:
    """The rounds, as far as the match has come."""
    return _rounds(view)


@router.get("/matches/{match_id}/score", tags=["score"])
def score(request: Request, response: Response, view: TheView) -> ScoreOut:
    """The score as it stands, with the lines that make it up."""
    tagged(request, response, view.tag)
    return view.score


@router.get("/matches/{match_id}/verdicts", tags=["verdicts"])
def verdicts(
    request: Request,
    part: ThePart,
    view: TheView,
    ruling: Annotated[Ruling | None, Query(description="only those with this ruling")] = None,
    standing: Annotated[Standing | None, Query(description="only those that stand so")] = None,
    *,
    waiting: Annotated[
        bool, Query(description="only those that wait for a person: undecided, too close, or under appeal")
    ] = False,
) -> list[VerdictOut]:
    """Verdicts so far, each as it stands now, oldest first."""
    tagged(request, part.response, view.tag)
    return part.of(
        [
            verdict
            for verdict in view.verdicts
            if ruling in {None, verdict.ruling}
            and standing in {None, verdict.standing}
            and (not waiting or is_waiting(verdict))
        ]
    )


@router.get("/matches/{match_id}/verdicts/{verdict_id}", tags=["verdicts"])
def verdict(verdict_id: str, feed: TheFeed, archive: TheArchive, _: Inspector) -> VerdictDetailOut:
    """One verdict with the rule's text, the facts and the interval arithmetic."""
    found = verdict_detail(archive, verdict_id)
    if found is None:
        raise HTTPException(404, f"match {feed.match_id!r} has no verdict {verdict_id!r}")
    return found


@router.get("/matches/{match_id}/plays", tags=["verdicts"])
def plays(part: ThePart, view: TheView) -> list[PlayRowOut]:
    """Every play that was ruled on, with what was ruled of it."""
    return part.of([row for verdict in view.verdicts for row in _play_rows(verdict)])


@router.get("/matches/{match_id}/calls", tags=["calls"])
def calls(part: ThePart, view: TheView) -> list[CallOut]:
    """Calls as they were told, oldest first."""
    return part.of([call for call in view.calls if call.kind == "called"])


@router.get("/matches/{match_id}/declarations", tags=["calls"])
def declarations(part: ThePart, view: TheView) -> list[CallOut]:
    """What jokers were said to stand for."""
    return part.of([call for call in view.calls if call.kind == "declared"])


@router.get("/matches/{match_id}/counts", tags=["calls"])
def counts(part: ThePart, view: TheView) -> list[CallOut]:
    """Cards that people counted."""
    return part.of([call for call in view.calls if call.kind in {"cards_counted", "backs_counted"}])


@router.get("/matches/{match_id}/appeals", tags=["reviews"])
def appeals(
    part: ThePart,
    view: TheView,
    *,
    is_open: Annotated[bool, Query(alias="open", description="only those without an answer")] = False,
) -> list[ReviewOut]:
    """Appeals, oldest first."""
    return part.of(
        [
            each
            for each in view.reviews
            if each.kind is ReviewKind.APPEAL and (not is_open or is_open_appeal(each))
        ]
    )


@router.get("/matches/{match_id}/resolutions", tags=["reviews"])
def resolutions(part: ThePart, view: TheView) -> list[ReviewOut]:
    """Answers to verdicts, corrections among them, oldest first."""
    return part.of([each for each in view.reviews if each.kind is ReviewKind.RESOLUTION])


@router.get("/matches/{match_id}/corrections", tags=["reviews"])
def corrections(part: ThePart, view: TheView) -> list[ReviewOut]:
    """Facts that were put right, and entries that were taken back, oldest first."""
    return part.of([each for each in view.reviews if _is_correction(each)])


@router.get("/matches/{match_id}/entries", tags=["record"])
def entries(
    part: ThePart,
    archive: TheArchive,
    _: Inspector,
    kind: Annotated[str | None, Query(max_length=40, description="only entries of this kind")] = None,
) -> list[EntryLineOut]:
    """The entries of the record as they stand in it."""
    if archive.why_no_case:
        raise HTTPException(409, archive.why_no_case)
    rows, gone = entry_lines(archive, kind)
    return [row.view(is_taken_back=row.seq in gone) for row in part.of(rows)]


@router.get(
    "/matches/{match_id}/record.jsonl",
    tags=["record"],
    response_class=Response,
    responses={200: {"content": {"application/jsonl": {}}, "description": "The record so far."}},
)
def record(archive: TheArchive, _: Inspector) -> Response:
    """The record so far, line by line: what ``touchjudge verify`` checks."""
    return Response(
        archive.record_bytes(),
        media_type="application/jsonl",
        headers={"Content-Disposition": 'attachment; filename="record.jsonl"'},
    )


@router.get(
    "/matches/{match_id}/picture.jpg",
    tags=["picture"],
    response_class=Response,
    responses={200: {"content": {"image/jpeg": {}}, "description": "A JPEG."}},
)
def picture(
    feed: TheFeed,
    delay_s: Delay,
    small: Annotated[bool, Query(description="for a telephone: fewer and larger letters")] = False,  # noqa: FBT002 - a query
) -> Response:
    """The newest picture of the table with its zones and cards drawn in.

    Of a match that was over before it was shown, the last frame of its clips; 404 unless `has_picture`.
    """
    jpeg = feed.picture_seen(delay_s, PictureSize.SMALL if small else PictureSize.USUAL)
    if jpeg is None:
        raise HTTPException(404, f"no picture of match {feed.match_id!r} yet")
    return Response(jpeg, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


def belfry_of(request: Request) -> Belfry:
    """The bells of this server."""
    belfry = request.app.state.belfry
    if not isinstance(belfry, Belfry):
        raise TypeError("create_app puts a Belfry at app.state.belfry")
    return belfry


@router.get(
    "/matches/{match_id}/stream",
    tags=["stream"],
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}},
)
async def stream(
    feed: TheFeed,
    delay_s: Delay,
    belfry: Annotated[Belfry, Depends(belfry_of)],
    last_event_id: Annotated[str | None, Header(max_length=100)] = None,
) -> Response:
    """Server-sent events: ``snapshot`` first, then numbered changes; ``alive`` when quiet. It never ends.

    A display that comes back with ``Last-Event-ID`` gets what it missed, without a snapshot where that holds.
    """
    return EventStream(belfry, feed, delay_s, last_event_id)


@router.get(
    "/stream",
    tags=["stream"],
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}},
)
async def changes(
    hub: TheHub,
    delay_s: Delay,
    belfry: Annotated[Belfry, Depends(belfry_of)],
    last_event_id: Annotated[str | None, Header(max_length=100)] = None,
) -> Response:
    """Server-sent events: ``changed`` whenever any match or the tournament did; ``alive`` when quiet.

    For pages that show all tables: they ask again for what they show. The first comes at once. It never ends.
    """
    return EventStream(belfry, hub.changes, delay_s, last_event_id)


def _is_correction(review: ReviewOut) -> bool:
    if review.kind is ReviewKind.REVERT:
        return True
    return review.kind is ReviewKind.RESOLUTION and review.ruling is None and review.decision != "stands"


def _tag_of(tags: list[str]) -> str:
    return '"' + ".".join(tag.strip('"') for tag in tags) + '"'


def _table_view(view: Seen, matches: int) -> TableOut:
    given = view.verdicts
    return TableOut(
        table=view.feed.table,
        match=view.match,
        matches=matches,
        score=view.score,
        attention=AttentionOut(
            undecided=sum(v.standing == "standing" and is_waiting(v) for v in given),
            appeals_open=sum(is_open_appeal(review) for review in view.reviews),
            overturned=sum(v.standing == "overturned" for v in given),
            open_items=len(view.score.open_items),
        ),
        last_verdict=next(
            (v for v in reversed(given) if v.standing != "overturned" and not is_quiet(v)), None
        ),
    )


def _seats_shown(view: Seen) -> tuple[SeatOut, ...]:
    return tuple(SeatOut(seat=player.seat, player=player.player) for player in view.score.players)


def _rounds(view: Seen) -> list[RoundOut]:
    """Rounds as the verdicts that hold say."""
    found: list[RoundOut] = []
    started_us, inside = 0, 0
    for verdict in view.verdicts:
        inside += 1
        if verdict.outcome == "GAME_WIN" and verdict.standing != "overturned" and found:
            found[-1] = found[-1].model_copy(update={"is_last": True})
        if verdict.outcome != "ROUND_END" or verdict.standing == "overturned":
            continue
        found.append(_round(len(found) + 1, started_us, inside, verdict))
        started_us, inside = verdict.when.end_us, 0
    if inside or not found:
        found.append(_round(len(found) + 1, started_us, inside, None))
    return found


def _round(number: int, started_us: int, verdicts: int, ended_by: VerdictOut | None) -> RoundOut:
    return RoundOut(
        number=number,
        started_us=started_us,
        ended_us=None if ended_by is None else ended_by.when.end_us,
        ended_by=None if ended_by is None else ended_by.verdict_id,
        verdicts=verdicts,
        is_last=False,
    )


def _play_rows(verdict: VerdictOut) -> list[PlayRowOut]:
    return [
        PlayRowOut(
            verdict_id=verdict.verdict_id,
            play=i,
            ruling=verdict.ruling,
            rule=verdict.rule,
            standing=verdict.standing,
            pile=verdict.pile,
            when=verdict.when,
            made=play,
        )
        for i, play in enumerate(verdict.plays)
    ]
