"""Standings: of one match, and of all matches together, as JSON and as a table for any spreadsheet."""

from collections.abc import Iterable

from fastapi import APIRouter, Request, Response

from api.feed import Seen
from api.hub import Hub
from api.read_schemas import MatchStandingOut, PlayerStandingOut, RankOut, StandingsListOut
from api.schemas import MatchState, PlayerScoreOut
from api.v1.asking import Delay, TheHub, TheView, tagged
from api.v1.csv_answers import DESCRIBED, Cell, csv_answer
from referee.setup import Game

router = APIRouter(prefix="/api/v1", tags=["standings"])


@router.get("/matches/{match_id}/standings")
def match_standings(request: Request, response: Response, view: TheView, hub: TheHub) -> MatchStandingOut:
    """How the players of one match stand."""
    tagged(request, response, view.tag)
    return standing_of(view, hub)


@router.get("/standings")
def standings(hub: TheHub, delay_s: Delay) -> StandingsListOut:
    """How the players of every match stand, and what the matches that are over add up to.

    A match of which there are several records is added up once: ``copy_of`` names the one that counts. Where
    they contradict each other, ``contradicted_by`` names the others, and the match is provisional.
    """
    matches = [standing_of(feed.seen(delay_s), hub) for feed in hub.feeds]
    return StandingsListOut(matches=tuple(matches), players=_players(matches))


@router.get(
    "/standings.csv",
    response_class=Response,
    responses={200: {**DESCRIBED, "description": "One line a player and match."}},
)
def standings_table(hub: TheHub, delay_s: Delay) -> Response:
    """One line a player and match, copies left out: what bracket services and spreadsheets take."""
    head = ("match", "table", "game", "state", "provisional", "rank", "seat", "player", "total")
    rows = [
        row
        for feed in hub.feeds
        if (standing := standing_of(feed.seen(delay_s), hub)).copy_of is None
        for row in _rows(standing)
    ]
    return csv_answer("standings.csv", head, rows)


def _rows(standing: MatchStandingOut) -> list[tuple[Cell, ...]]:
    match = (
        standing.match_id,
        standing.table,
        standing.game,
        standing.state.value,
        "yes" if standing.is_provisional else "no",
    )
    return [(*match, each.rank, each.seat, each.player, each.total) for each in standing.ranks]


def standing_of(view: Seen, hub: Hub) -> MatchStandingOut:
    """How the players of a match stand, as it is seen."""
    score, counts = view.score, hub.copied_from(view.feed)
    against = tuple(each.match_id for each in hub.contradicting(view.feed))
    return MatchStandingOut(
        match_id=score.match_id,
        table=score.table,
        game=score.game,
        state=score.state,
        is_provisional=bool(score.open_items or against) or score.state is not MatchState.FINISHED,
        copy_of=None if counts is None else counts.match_id,
        contradicted_by=against,
        ranks=_ranks(score.players, Game(score.game)),
    )


def _ranks(players: Iterable[PlayerScoreOut], game: Game) -> tuple[RankOut, ...]:
    """The best total first: in some games that is the lowest; equal totals share a rank."""
    ordered = sorted(players, key=lambda player: player.total, reverse=not game.is_won_by_fewest)
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
