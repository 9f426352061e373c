"""How a tournament stands: its plan beside the matches that were seen. Nothing of it is kept."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from api.read_schemas import (
    MatchStandingOut,
    ParticipantOut,
    PlannedRoundOut,
    SeatingOut,
    SideOut,
    TournamentOut,
)
from api.schemas import MatchState
from api.tournament import PARTNERS, PlannedRound, Seating, Side, Tournament
from referee.setup import Game

Place = tuple[int, str]
"""The number of a round, and a table."""


def tournament_view(
    plan: Tournament, entered_at: str, standings: Sequence[MatchStandingOut]
) -> TournamentOut:
    """The tournament with what came of it; ``standings`` of all matches, oldest first."""
    played = matches_of(plan, standings)
    rounds = tuple(_round(each, played) for each in plan.rounds)
    current = next((each.number for each in rounds if not each.is_over), len(rounds))
    is_won_by_fewest = any(Game(each.game).is_won_by_fewest for each in played.values())
    return TournamentOut(
        name=plan.name,
        entered_at=entered_at,
        nerts_pile=plan.nerts_pile,
        current_round=current,
        rounds=rounds,
        standings=_ranked(plan, rounds, sign=-1 if is_won_by_fewest else 1),
    )


def matches_of(plan: Tournament, standings: Iterable[MatchStandingOut]) -> dict[Place, MatchStandingOut]:
    """Which match was played where: at the table of a seating, by just the players of it.

    Where the same players meet at one table in several rounds, their matches are taken in turn. A match that
    was broken off counts only until they begin another one.
    """
    found: defaultdict[tuple[str, frozenset[str]], list[MatchStandingOut]] = defaultdict(list)
    for standing in standings:
        if standing.copy_of is not None:
            continue
        met = found[standing.table, frozenset(each.player for each in standing.ranks)]
        if met and met[-1].state is MatchState.BROKEN:
            met.pop()
        met.append(standing)
    played: dict[Place, MatchStandingOut] = {}
    for planned in plan.rounds:
        for seating in planned.seatings:
            met = found[seating.table, seating.players]
            if met:
                played[planned.number, seating.table] = met.pop(0)
    return played


def _round(planned: PlannedRound, played: dict[Place, MatchStandingOut]) -> PlannedRoundOut:
    tables = tuple(_seating(each, played.get((planned.number, each.table))) for each in planned.seatings)
    return PlannedRoundOut(
        number=planned.number,
        name=planned.name,
        target=planned.target,
        is_over=all(each.state is MatchState.FINISHED for each in tables),
        tables=tables,
    )


def _seating(seating: Seating, match: MatchStandingOut | None) -> SeatingOut:
    if match is None:
        return SeatingOut(
            table=seating.table,
            state=MatchState.WAITING,
            match_id=None,
            is_provisional=True,
            sides=tuple(_side(side, None, is_winner=False) for side in seating.sides),
        )
    totals = [_total(side, match) for side in seating.sides]
    best = min(totals) if Game(match.game).is_won_by_fewest else max(totals)
    is_over = match.state is MatchState.FINISHED
    return SeatingOut(
        table=seating.table,
        state=match.state,
        match_id=match.match_id,
        is_provisional=match.is_provisional,
        sides=tuple(
            _side(side, total, is_winner=is_over and total == best)
            for side, total in zip(seating.sides, totals, strict=True)
        ),
    )


def _total(side: Side, match: MatchStandingOut) -> int:
    """The points of a side: those of its first player, which are its deck's (N48)."""
    return next(each.total for each in match.ranks if each.player == side.players[0])


def _side(side: Side, total: int | None, *, is_winner: bool) -> SideOut:
    return SideOut(
        name=side.name,
        players=side.players,
        seats=tuple(seat.value for seat in side.seats),
        nerts_pile=side.nerts_pile,
        total=total,
        is_winner=is_winner,
    )


@dataclass(slots=True)
class _Tally:
    matches: int = 0
    won: int = 0
    points: int = 0


def _ranked(plan: Tournament, rounds: Sequence[PlannedRoundOut], *, sign: int) -> tuple[ParticipantOut, ...]:
    """By matches won, then points (``sign`` -1: the fewest lead), then seed."""
    tallies = {players: _Tally() for players in plan.participants}
    for side in _finished_sides(rounds):
        for players, tally in tallies.items():
            if set(players) <= set(side.players):
                tally.matches += 1
                tally.won += side.is_winner
                tally.points += side.total or 0
    keys = {players: (-tally.won, -sign * tally.points) for players, tally in tallies.items()}
    ordered = sorted(keys.values())
    rows = [
        ParticipantOut(
            rank=ordered.index(keys[players]) + 1,
            seed=seed,
            name=PARTNERS.join(players),
            players=players,
            matches=tally.matches,
            won=tally.won,
            points=tally.points,
        )
        for seed, (players, tally) in enumerate(tallies.items(), start=1)
    ]
    return tuple(sorted(rows, key=lambda row: (row.rank, row.seed)))


def _finished_sides(rounds: Iterable[PlannedRoundOut]) -> list[SideOut]:
    seatings = [seating for planned in rounds for seating in planned.tables]
    return [side for each in seatings if each.state is MatchState.FINISHED for side in each.sides]
