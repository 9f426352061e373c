"""What is told twice at once is told once: a button pressed twice, a word that two heard."""

from collections.abc import Callable, Iterator

import pytest
from asking_app import Asked
from desk_match import DeskMatch

from api.app import create_app
from api.desk import Undoing
from api.hub import Hub
from api.schemas import CallOut
from api.write_schemas import EnteredOut
from referee.clock import ClockGrade
from referee.piles import Seat
from referee.setup import Game, MatchSetup, SeatSetup, rules_for
from referee.tellings import CallKind

Tell = Callable[[DeskMatch], EnteredOut]
TELLINGS = {
    "call": lambda match: match.desk.call(CallKind.NERTS, "Ana", "Rita"),
    "call of all": lambda match: match.desk.call(CallKind.STUCK, None, "Rita"),
    "joker": lambda match: match.desk.declare("Ana", "6S", "Rita"),
    "count of a pile": lambda match: match.desk.count("south/reserve", None, 3, "Rita"),
    "count of backs": lambda match: match.desk.count(None, "Ana", 2, "Rita"),
}


class Clock:
    now_s = 50.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def match(clock: Clock) -> DeskMatch:
    return DeskMatch(None, clock_s=clock).play()


def told(match: DeskMatch) -> tuple[CallOut, ...]:
    return match.feed.seen(0).calls


@pytest.mark.usefixtures("with_jokers")
@pytest.mark.parametrize("tell", TELLINGS.values(), ids=TELLINGS)
def test_within_a_second_it_is_the_same_and_answered_alike(match: DeskMatch, clock: Clock, tell: Tell):
    first = tell(match)
    clock.now_s += 0.9
    again = tell(match)

    assert again == first
    assert len(told(match)) == 1


@pytest.mark.usefixtures("with_jokers")
@pytest.mark.parametrize("tell", TELLINGS.values(), ids=TELLINGS)
def test_later_it_is_told_again(match: DeskMatch, clock: Clock, tell: Tell):
    first = tell(match)
    clock.now_s += 1.0
    again = tell(match)

    assert again.entry > first.entry
    assert len(told(match)) == 2


def test_who_tells_it_does_not_matter_but_what_and_of_whom(match: DeskMatch):
    match.desk.call(CallKind.NERTS, "Ana", "Rita")
    match.desk.call(CallKind.NERTS, "south", "a microphone")
    match.desk.call(CallKind.NERTS, "Ben", "Rita")
    match.desk.call(CallKind.STUCK, "Ana", "Rita")

    assert [(call.call, call.player) for call in told(match)] == [
        ("nerts", "Ana"),
        ("nerts", "Ben"),
        ("stuck", "Ana"),
    ]


def test_the_last_count_holds_however_quickly_it_is_changed(match: DeskMatch):
    for count in (3, 4, 3):
        match.desk.count("south/reserve", None, count, "Rita")

    assert [call.count for call in told(match)] == [3, 4, 3]


def test_what_was_taken_back_can_be_told_again_at_once(match: DeskMatch):
    first = match.desk.call(CallKind.NERTS, "Ana", "Rita")
    wish = Undoing(first.entry, "a slip", "Rita")
    match.desk.wish(wish, match.desk.wish(wish, None).confirm)

    again = match.desk.call(CallKind.NERTS, "Ana", "Rita")

    assert again.entry > first.entry
    assert [call.is_taken_back for call in told(match)] == [True, False]


@pytest.fixture
def asked(match: DeskMatch) -> Iterator[Asked]:
    hub = Hub()
    hub.add(match.feed, match.desk)
    with Asked(hub) as asked:
        yield asked


def test_over_the_web_both_are_answered_alike(asked: Asked):
    body = {"call": "nerts", "seat": "Ana"}
    answers = [asked.post("/api/v1/matches/friday/calls", json=body) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert len(asked.get("/api/v1/matches/friday/calls").json()) == 1


def test_the_description_says_so():
    described = create_app(Hub()).openapi()["paths"]["/api/v1/matches/{match_id}/calls"]["post"]

    assert "within a second" in described["description"]


# -- jokers -------------------------------------------------------------------------------------------------


def setup_of(game: Game, **rules: object) -> MatchSetup:
    return MatchSetup(
        match_id="m",
        seats=(SeatSetup(seat=Seat.SOUTH, player="Ana"), SeatSetup(seat=Seat.NORTH, player="Ben")),
        frame_period_us=16_667,
        clock_grade=ClockGrade.A,
        game=game,
        rules=rules_for(game, rules),
    )


@pytest.mark.parametrize(
    ("setup", "has_jokers"),
    [
        pytest.param(setup_of(Game.NERTS), False, id="usual Nerts"),
        pytest.param(setup_of(Game.NERTS, jokers_per_deck=2), True, id="Nerts with two in a deck"),
        pytest.param(setup_of(Game.SPEED), False, id="usual Speed"),
        pytest.param(setup_of(Game.SPEED, jokers=True), True, id="Speed with jokers"),
        pytest.param(setup_of(Game.SPIT), False, id="Spit"),
        pytest.param(setup_of(Game.CALIFORNIA_SPEED), False, id="California Speed"),
    ],
)
def test_the_rules_say_whether_there_are_jokers(setup: MatchSetup, *, has_jokers: bool):
    assert setup.has_jokers is has_jokers


def test_a_match_says_whether_it_has_jokers(asked: Asked):
    assert asked.get("/api/v1/matches/friday").json()["has_jokers"] is False


def test_a_joker_stands_for_no_joker(asked: Asked):
    answer = asked.post("/api/v1/matches/friday/declarations", json={"seat": "Ana", "card": "JK"})

    assert answer.status_code == 422
    assert asked.get("/api/v1/matches/friday/declarations").json() == []


def test_where_there_are_no_jokers_none_is_declared(asked: Asked):
    answer = asked.post("/api/v1/matches/friday/declarations", json={"seat": "Ana", "card": "6S"})

    assert (answer.status_code, answer.json()["code"]) == (422, "no_jokers")
    assert answer.json()["detail"] == "no joker can be declared: this match is played without jokers"
    assert asked.get("/api/v1/matches/friday/declarations").json() == []
