"""A tournament as it is planned: its players by seed, and who sits where in each round."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from referee.piles import Seat
from vision.table import SeatPlace, Table

PARTNERS = " & "
"""Between the names of those who share a deck."""


@dataclass(frozen=True, slots=True)
class Side:
    """Who plays one deck: a player alone, or partners (N48)."""

    seats: tuple[Seat, ...]
    """The seat whose deck it is, then those of its partners."""
    players: tuple[str, ...]
    """In the order of the seats."""
    nerts_pile: int | None = None
    """Cards in this side's Nerts pile. None: as many as the house rules say."""

    @property
    def name(self) -> str:
        """As the side is called: the players' names.

        >>> Side((Seat.SOUTH, Seat.EAST), ("Ana", "Cid")).name
        'Ana & Cid'
        """
        return PARTNERS.join(self.players)


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits at one table in one round."""

    table: str
    sides: tuple[Side, ...]

    @property
    def players(self) -> frozenset[str]:
        """All who sit there."""
        return frozenset(player for side in self.sides for player in side.players)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRound:
    """A round of the tournament: one match at each of its tables. Not a round of a match."""

    number: int
    """1 for the first."""
    name: str
    """Empty: it has only its number."""
    target: int | None
    """Points that end a match. None: as the house rules say."""
    seatings: tuple[Seating, ...]

    def seating_at(self, table: str) -> Seating | None:
        """Who sits at ``table``. None: nobody does in this round."""
        return next((each for each in self.seatings if each.table == table), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """All that was planned."""

    name: str
    nerts_pile: int | None
    """Cards in the Nerts pile of who has no handicap. None: as many as the house rules say."""
    players: tuple[str, ...]
    """By seed, the first to be seeded first."""
    rounds: tuple[PlannedRound, ...]

    @property
    def participants(self) -> tuple[tuple[str, ...], ...]:
        """Who is ranked, by seed: sides where partners stay together, else every player alone."""
        sides = dict.fromkeys(frozenset(side.players) for side in self._sides())
        apart = [player for side in sides for player in side]
        if len(apart) > len(set(apart)):
            return tuple((player,) for player in self.players)
        side_of = {player: side for side in sides for player in side}
        whole = dict.fromkeys(side_of.get(player, frozenset({player})) for player in self.players)
        return tuple(tuple(sorted(side, key=self.players.index)) for side in whole)

    def _sides(self) -> Iterator[Side]:
        for planned in self.rounds:
            for seating in planned.seatings:
                yield from seating.sides


def seated_table(table: Table, plan: Tournament, number: int) -> Table:
    """``table`` with those who sit at it in round ``number``, their partners and handicaps, and the target.

    ``ValueError`` where nobody is to sit there, or the table has no such seat.
    """
    if not 1 <= number <= len(plan.rounds):
        raise ValueError(f"round {number}: {plan.name} has {len(plan.rounds)}")
    planned = plan.rounds[number - 1]
    seating = planned.seating_at(table.name)
    if seating is None:
        tables = ", ".join(each.table for each in planned.seatings)
        raise ValueError(f"round {number}: nobody sits at {table.name} (tables: {tables})")
    rules = dict(table.rules)
    if planned.target is not None:
        rules["target"] = planned.target
    if plan.nerts_pile is not None:
        rules["nerts_pile_size"] = plan.nerts_pile
    seats = tuple(place for side in seating.sides for place in _places(side, table.seats))
    return replace(table, seats=seats, rules=MappingProxyType(rules))


def _places(side: Side, known: Sequence[SeatPlace]) -> Iterator[SeatPlace]:
    owner = side.seats[0]
    for seat, player in zip(side.seats, side.players, strict=True):
        place = next((each for each in known if each.seat is seat), None)
        if place is None:
            raise ValueError(f"{player} is to sit at {seat}: the table file has no such seat")
        yield replace(
            place,
            player=player,
            partner_of=None if seat is owner else owner,
            nerts_pile=side.nerts_pile if seat is owner else None,
        )
