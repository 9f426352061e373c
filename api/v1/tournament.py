"""The tournament of this server: its plan, how it stands, and tables that bracket services take."""

from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from api.read_schemas import SeatingOut, SideOut, TournamentOut
from api.schemas import MatchState
from api.store.shelf import Store
from api.tournament import Tournament
from api.tournament_file import TournamentError, parse_tournament
from api.tournament_results import tournament_view
from api.v1.asking import Admin, Delay, TheHub
from api.v1.csv_answers import DESCRIBED, Cell, csv_answer
from api.v1.session import TheStore
from api.v1.standings import standing_of
from api.write_schemas import TournamentIn

router = APIRouter(prefix="/api/v1/tournament", tags=["tournament"])


def tournament_of(request: Request, hub: TheHub, delay_s: Delay) -> TournamentOut | None:
    """The tournament as the one who asks may see it. None: there is none."""
    store = request.app.state.store
    kept = store.plans.newest if isinstance(store, Store) else None
    if kept is None or not kept.text:
        return None
    standings = [standing_of(feed.seen(delay_s), hub) for feed in hub.feeds]
    return tournament_view(_parsed(kept.text), kept.entered_at, standings)


Known = Annotated[TournamentOut | None, Depends(tournament_of)]


@router.get("")
def tournament(known: Known) -> TournamentOut | None:
    """Rounds, who sits where, and who leads; ``null`` where no tournament was entered."""
    return known


@router.post("", status_code=201)
def enter_tournament(
    wanted: TournamentIn, request: Request, who: Admin, store: TheStore, hub: TheHub
) -> TournamentOut:
    """Enter a tournament, or another plan of it, in the place of the one that holds.

    Results are not lost: they are found anew by who sat at which table.
    """
    try:
        parse_tournament(wanted.toml)
    except TournamentError as error:
        raise HTTPException(422, str(error)) from None
    store.plans.enter(wanted.toml, who.name)
    hub.changes.note()
    entered = tournament_of(request, hub, 0.0)
    assert entered is not None, "it was just entered"
    return entered


@router.delete("", status_code=204)
def end_tournament(who: Admin, store: TheStore, hub: TheHub) -> None:
    """Show no tournament any more. Plans that were entered are kept, and matches are untouched."""
    if store.plans.newest is not None:
        store.plans.enter("", who.name)
        hub.changes.note()


@router.get(
    "/participants.csv",
    response_class=Response,
    responses={200: {**DESCRIBED, "description": "Seed and name, a line a participant."}},
)
def participants_table(known: Known) -> Response:
    """Who takes part, by seed: what bracket services take to set up a bracket."""
    by_seed = sorted(() if known is None else known.standings, key=lambda each: each.seed)
    return csv_answer("participants.csv", ("seed", "name"), [(each.seed, each.name) for each in by_seed])


@router.get(
    "/standings.csv",
    response_class=Response,
    responses={200: {**DESCRIBED, "description": "A line a participant, the leader first."}},
)
def tournament_standings_table(known: Known) -> Response:
    """Who leads, over all matches that are over."""
    rows = [
        (each.rank, each.seed, each.name, each.matches, each.won, each.points)
        for each in (() if known is None else known.standings)
    ]
    return csv_answer("standings.csv", ("rank", "seed", "name", "matches", "won", "points"), rows)


@router.get(
    "/results.csv",
    response_class=Response,
    responses={200: {**DESCRIBED, "description": "A line a match, its sides beside one another."}},
)
def results_table(known: Known) -> Response:
    """One line for every match that is planned: sides, scores and winner, as bracket services take them."""
    rounds = () if known is None else known.rounds
    most = max((len(each.sides) for planned in rounds for each in planned.tables), default=2)
    head = ["round", "round_name", "table", "match", "state", "provisional"]
    for number in range(1, most + 1):
        head += [f"name_{number}", f"nerts_pile_{number}", f"score_{number}"]
    rows = [
        [planned.number, planned.name, *_result(seating, most)]
        for planned in rounds
        for seating in planned.tables
    ]
    return csv_answer("results.csv", [*head, "winner"], rows)


def _result(seating: SeatingOut, most: int) -> list[Cell]:
    cells: list[Cell] = [
        seating.table,
        seating.match_id,
        seating.state.value,
        "yes" if seating.is_provisional else "no",
    ]
    for side in seating.sides:
        cells += [side.name, side.nerts_pile, side.total]
    cells += [None] * (3 * (most - len(seating.sides)))
    return [*cells, _winner(seating.sides) if seating.state is MatchState.FINISHED else None]


def _winner(sides: tuple[SideOut, ...]) -> str | None:
    """Who won alone. None: several share it."""
    first = [side.name for side in sides if side.is_winner]
    return first[0] if len(first) == 1 else None


@lru_cache(maxsize=4)
def _parsed(text: str) -> Tournament:
    return parse_tournament(text)
