"""Standings: of one match, and of all matches together, as JSON and as a table for any spreadsheet."""

import csv
import io
from collections.abc import Iterable

from fastapi import APIRouter, Request, Response

from api.feed import Seen
from api.hub import Hub
from api.read_schemas import MatchStandingOut, PlayerStandingOut, RankOut, StandingsListOut
from api.schemas import MatchState, PlayerScoreOut
from api.v1.asking import Delay, TheHub, TheView, tagged

router = APIRouter(prefix="/api/v1", tags=["standings"])

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a text that begins so for a formula: a name is made a text."""


@router.get("/matches/{match_id}/standings")
def match_standings(request: Request, response: Response, view: TheView, hub: TheHub) -> MatchStandingOut:
    """How the players of one match stand."""
    tagged(request, response, view.tag)
    return _standing(view, hub)


@router.get("/standings")
def standings(hub: TheHub, delay_s: Delay) -> StandingsListOut:
    """How the players of every match stand, and what the matches that are over add up to.

    A match of which there are several records is added up once: ``copy_of`` names the one that counts.
    """
    matches = [_standing(feed.seen(delay_s), hub) for feed in hub.feeds]
    return StandingsListOut(matches=tuple(matches), players=_players(matches))


@router.get(
    "/standings.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}, "description": "One line a player and match."}},
)
def standings_table(hub: TheHub, delay_s: Delay) -> Response:
    """One line a player and match, copies left out: what bracket services and spreadsheets take."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(("match", "table", "game", "state", "provisional", "rank", "seat", "player", "total"))
    for feed in hub.feeds:
        standing = _standing(feed.seen(delay_s), hub)
        if standing.copy_of is not None:
            continue
        for each in standing.ranks:
            writer.writerow(
                (
                    _plain(standing.match_id),
                    _plain(standing.table),
                    standing.game,
                    standing.state.value,
                    "yes" if standing.is_provisional else "no",
                    each.rank,
                    each.seat,
                    _plain(each.player),
                    each.total,
                )
            )
    headers = {"Content-Disposition": 'attachment; filename="standings.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _standing(view: Seen, hub: Hub) -> MatchStandingOut:
    score, counts = view.score, hub.copied_from(view.feed)
    return MatchStandingOut(
        match_id=score.match_id,
        table=score.table,
        game=score.game,
        state=score.state,
        is_provisional=bool(score.open_items) or score.state is not MatchState.FINISHED,
        copy_of=None if counts is None else counts.match_id,
        ranks=_ranks(score.players),
    )


def _ranks(players: Iterable[PlayerScoreOut]) -> tuple[RankOut, ...]:
    """The highest total first; equal totals share a rank."""
    ordered = sorted(players, key=lambda player: -player.total)
    totals = [player.total for player in ordered]
    return tuple(
        RankOut(
            rank=totals.index(player.total) + 1, seat=player.seat, player=player.player, total=player.total
        )
        for player in ordered
    )


def _players(matches: Iterable[MatchStandingOut]) -> tuple[PlayerStandingOut, ...]:
    """By matches won, then points, then name. A shared first place is won by all who share it."""
    found: dict[str, PlayerStandingOut] = {}
    for match in matches:
        if match.state is not MatchState.FINISHED or match.copy_of is not None:
            continue
        for each in match.ranks:
            before = found.get(each.player) or PlayerStandingOut(
                player=each.player, matches=0, won=0, points=0
            )
            found[each.player] = PlayerStandingOut(
                player=each.player,
                matches=before.matches + 1,
                won=before.won + (each.rank == 1),
                points=before.points + each.total,
            )
    return tuple(sorted(found.values(), key=lambda each: (-each.won, -each.points, each.player)))


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
