"""How many cards can be where people count: of each game, by its decks and house rules."""

from dataclasses import replace

import pytest

from referee.clock import ClockGrade
from referee.observations import CardsCounted
from referee.piles import PileId, Seat
from referee.referee import Referee
from referee.setup import Game, MatchSetup, SeatSetup, rules_for
from referee.tellings import BacksCounted


def referee(game: Game, seats: int, **house: object) -> Referee:
    named = tuple(SeatSetup(seat=seat, player=seat.value) for seat in list(Seat)[:seats])
    rules = rules_for(game, house)
    return Referee(
        MatchSetup(
            match_id="m",
            seats=named,
            frame_period_us=16_667,
            clock_grade=ClockGrade.A,
            game=game,
            rules=rules,
        )
    )


def counted(where: str) -> CardsCounted | BacksCounted:
    if where.startswith("backs of "):
        return BacksCounted(
            deck=Seat(where.rsplit(maxsplit=1)[-1]), pile=None, count=1, told_by="Rita", at_us=0
        )
    return CardsCounted(pile=PileId.parse(where), count=1, told_by="Rita", at_us=0)


@pytest.mark.parametrize(
    ("game", "seats", "house", "where", "most"),
    [
        pytest.param(Game.NERTS, 2, {}, "south/reserve", 13, id="a Nerts pile"),
        pytest.param(Game.NERTS, 2, {"nerts_pile_size": 10}, "south/reserve", 10, id="by house rule"),
        pytest.param(Game.NERTS, 2, {}, "south/tableau[0]", 52, id="a deck at most in a work pile"),
        pytest.param(Game.NERTS, 2, {"jokers_per_deck": 2}, "south/waste", 54, id="with its jokers"),
        pytest.param(Game.NERTS, 3, {}, "table/foundation[0]", 156, id="all decks in a shared pile"),
        pytest.param(Game.NERTS, 3, {}, "backs of south", 52, id="a back as often as a deck has it"),
        pytest.param(Game.SPIT, 2, {}, "south/tableau[4]", 52, id="one deck for both in Spit"),
        pytest.param(Game.SPEED, 2, {}, "south/hand", 52, id="and in Speed"),
        pytest.param(Game.CALIFORNIA_SPEED, 2, {}, "south/hand", 52, id="and in California Speed"),
    ],
)
def test_more_were_never_there(game: Game, seats: int, house: dict[str, object], where: str, most: int):
    assert referee(game, seats, **house).most_cards(counted(where)) == most


def test_a_handicap_is_a_larger_nerts_pile():
    ana, ben = (SeatSetup(seat=seat, player=seat.value) for seat in (Seat.SOUTH, Seat.NORTH))
    seats = (replace(ana, nerts_pile=15), ben)
    setup = MatchSetup(match_id="m", seats=seats, frame_period_us=16_667, clock_grade=ClockGrade.A)

    most = [Referee(setup).most_cards(counted(f"{seat.value}/reserve")) for seat in (Seat.SOUTH, Seat.NORTH)]

    assert most == [15, 13]
