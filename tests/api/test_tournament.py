"""A tournament: what a plan holds and what is refused, which match was played where, and who leads."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from asking_app import BEYOND, Asked
from made_matches import player, standings

from api.access import Scope
from api.commands.watch import _seated
from api.errors import MisuseError
from api.feed import MatchFeed
from api.house import House
from api.hub import Hub
from api.match_plan import MatchPlan, setup_of
from api.schemas import MatchState
from api.settings import Settings
from api.store.shelf import forgetful_store
from api.table_plan import table_text
from api.tournament import PARTNERS, seated_table
from api.tournament_file import TournamentError, parse_tournament
from api.views import standings_view
from referee.clock import ClockGrade
from referee.piles import Seat
from referee.score import Scorecard, ScoreItem, ScoreLine
from referee.setup import MatchSetup, SeatSetup
from vision.table import Edge, SeatPlace
from vision.table_file import parse_table

PLAN = """
format = 1
name = "Winter Nerts"
target = 100
nerts_pile = 13

[[players]]
name = "Ana"
nerts_pile = 15
[[players]]
name = "Ben"
[[players]]
name = "عمر"
[[players]]
name = "=Dee"

[[rounds]]
name = "First"
[[rounds.tables]]
table = "kitchen"
seats = { south = "Ana", north = "Ben" }
[[rounds.tables]]
table = "hall"
seats = { south = "عمر", north = "=Dee" }
nerts_piles = { south = 10 }

[[rounds]]
target = 150
[[rounds.tables]]
table = "kitchen"
seats = { north = "Ana", south = "عمر" }
[[rounds.tables]]
table = "hall"
seats = { south = "Ben", north = "=Dee" }
"""

PAIRS = """
format = 1
name = "Pairs"
players = [{ name = "Ana" }, { name = "Ben" }, { name = "Cid" }, { name = "Dee", nerts_pile = 11 }]
[[rounds]]
[[rounds.tables]]
table = "kitchen"
seats = { south = "Ana", west = "Cid", north = "Dee", east = "Ben" }
partners = { west = "south", east = "north" }
"""


def played(
    match_id: str, table: str, *totals: tuple[str, int], state: MatchState = MatchState.FINISHED, game="nerts"
) -> MatchFeed:
    """A match at a table, its players in the order of the seats."""
    seats = ("south", "north", "east", "west")
    scores = [player(seat, name, total) for seat, (name, total) in zip(seats, totals, strict=False)]
    feed = MatchFeed(match_id=match_id, table=table, game=game, standings=standings(*scores))
    if state is not MatchState.WAITING:
        feed.reach(1_000_000)
    if state in {MatchState.FINISHED, MatchState.BROKEN}:
        feed.end(state)
    return feed


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def asked(hub: Hub) -> Iterator[Asked]:
    with Asked(hub) as asked:
        yield asked


# --- the plan


def test_a_name_is_written_with_the_joiners_of_its_script():
    name = "\u0936\u0930\u094d\u200d\u092f\u0941"

    plan = parse_tournament(PAIRS.replace("Cid", name))

    assert plan.players[2] == name


def test_a_plan_says_who_sits_where_with_which_handicap():
    plan = parse_tournament(PLAN)

    first, second = plan.rounds
    assert (plan.name, plan.players, plan.nerts_pile) == ("Winter Nerts", ("Ana", "Ben", "عمر", "=Dee"), 13)
    assert [(each.number, each.name, each.target) for each in plan.rounds] == [
        (1, "First", 100),
        (2, "", 150),
    ]
    assert [[(side.name, side.seats, side.nerts_pile) for side in each.sides] for each in first.seatings] == [
        [("Ana", (Seat.SOUTH,), 15), ("Ben", (Seat.NORTH,), None)],
        [("عمر", (Seat.SOUTH,), 10), ("=Dee", (Seat.NORTH,), None)],
    ]
    assert [each.table for each in second.seatings] == ["kitchen", "hall"]
    assert plan.participants == (("Ana",), ("Ben",), ("عمر",), ("=Dee",))


def test_partners_are_one_side_with_the_handicap_of_the_deck():
    plan = parse_tournament(PAIRS)

    (seating,) = plan.rounds[0].seatings
    assert [(side.players, side.seats, side.nerts_pile) for side in seating.sides] == [
        (("Ana", "Cid"), (Seat.SOUTH, Seat.WEST), None),
        (("Dee", "Ben"), (Seat.NORTH, Seat.EAST), 11),
    ]
    assert plan.participants == (("Ana", "Cid"), ("Ben", "Dee"))


def test_players_whose_partners_change_are_ranked_alone():
    other = '[[rounds]]\n[[rounds.tables]]\ntable = "hall"\nseats = { south = "Ana", west = "Dee",'
    other += ' north = "Cid", east = "Ben" }\npartners = { west = "south", east = "north" }\n'

    plan = parse_tournament(PAIRS + other)

    assert plan.participants == (("Ana",), ("Ben",), ("Cid",), ("Dee",))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("format = 1", "format = 2", "format: want at most 1, got 2", id="format"),
        pytest.param("format = 1", "", "format: missing", id="no format"),
        pytest.param("format = 1", "format = [1, [2]]", "got a list of 2", id="a list as format"),
        pytest.param("format = 1", "format = { a = 1 }", "got a section of 1", id="a section as format"),
        pytest.param("target = 100\n", "goal = 3\n", "goal: unknown key (allowed: format, name,", id="key"),
        pytest.param(
            'name = "First"',
            'title = "x"',
            "rounds[0].title: unknown key (allowed: name, tables, target)",
            id="key of a round",
        ),
        pytest.param(
            "nerts_piles =",
            "handicaps =",
            "rounds[0].tables[1].handicaps: unknown key (allowed: nerts_piles, partners, seats, table)",
            id="key of a table",
        ),
        pytest.param(
            "nerts_pile = 15", "nerts_pile = 47", "players[0].nerts_pile: want at most 46", id="pile"
        ),
        pytest.param('name = "Ben"', 'name = "Ana"', "players: player 'Ana' is given twice", id="twice"),
        pytest.param('name = "Ben"', 'name = "\u3164"', "players[1].name: want a name that", id="unseen"),
        pytest.param('name = "Ben"', 'name = "B\\u202en"', "players[1].name: want a name that", id="turning"),
        pytest.param(
            'north = "Ben"', 'north = "Bne"', "tables[0].seats.north: no player 'Bne'", id="unknown"
        ),
        pytest.param('north = "Ben"', 'up = "Ben"', "tables[0].seats.up", id="no seat"),
        pytest.param('north = "Ben"', 'north = "Ana"', "rounds[0]: player 'Ana' is given twice", id="self"),
        pytest.param(', north = "Ben"', "", "rounds[0].tables[0].seats: want", id="alone"),
        pytest.param('"hall"', '"kitchen"', "rounds[0]: table 'kitchen' is given twice", id="table twice"),
        pytest.param('"hall"', '"the hall"', "rounds[0].tables[1].table: want", id="table's name"),
        pytest.param("{ south = 10 }", "{ east = 10 }", "nerts_piles.east: nobody sits there", id="no one"),
        pytest.param("format = 1", "format = ", "not TOML: ", id="no TOML"),
        pytest.param("format = 1", "format = 1979-05-27", "a date or time", id="a date"),
        pytest.param("format = 1", f"format = {'[' * 900}", "not TOML: ", id="deep"),
        pytest.param("format = 1", f"format = {'1' * 1900}", "format: want", id="a long number"),
        pytest.param("format = 1", f"{'a.' * 5000}b = 1", "line 2: too long", id="a long line"),
        pytest.param("format = 1", "# much\n" * 40_000, "too large for a tournament", id="a long text"),
    ],
)
def test_what_does_not_hold_is_refused_in_one_line(old: str, new: str, said: str):
    assert old in PLAN

    with pytest.raises(TournamentError) as error:
        parse_tournament(PLAN.replace(old, new, 1))

    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param('west = "south"', 'west = "east"', "west cannot be a partner of east", id="no deck"),
        pytest.param('east = "north"', 'northeast = "north"', "northeast: nobody sits there", id="nobody"),
        pytest.param(
            'east = "north"', 'east = "south", north = "south"', "one side alone", id="all are partners"
        ),
    ],
)
def test_partners_that_cannot_be_are_refused(old: str, new: str, said: str):
    with pytest.raises(TournamentError, match=said):
        parse_tournament(PAIRS.replace(old, new))


# --- at the table


def test_a_table_is_seated_by_the_plan(tmp_path: Path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")
    table = parse_table(table_text("kitchen", ("South", "North"), None))

    seated = _seated(table, plan, 1)

    assert [(each.seat, each.player, each.nerts_pile) for each in seated.seats] == [
        (Seat.SOUTH, "Ana", 15),
        (Seat.NORTH, "Ben", None),
    ]
    assert dict(seated.rules) == {"target": 100, "nerts_pile_size": 13}
    assert [each.edge for each in seated.seats] == [each.edge for each in table.seats]


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        pytest.param("kitchen", 3, "plan.toml: round 3: Winter Nerts has 2", id="no such round"),
        pytest.param(
            "attic", 1, r"round 1: nobody sits at attic \(tables: kitchen, hall\)", id="no such table"
        ),
        pytest.param("kitchen", None, "want --tournament and --round together", id="no round"),
    ],
)
def test_a_table_that_cannot_be_seated_is_refused(tmp_path: Path, name: str, number: int | None, said: str):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")

    with pytest.raises(MisuseError, match=said):
        _seated(parse_table(table_text(name, ("South", "North"), None)), plan, number)


def test_partners_and_handicaps_come_to_the_referee(tmp_path: Path):
    plan = parse_tournament(PAIRS)
    table = parse_table(table_text("kitchen", ("South", "North"), None))
    sides = [SeatPlace(Seat.WEST, "West", Edge.LEFT), SeatPlace(Seat.EAST, "East", Edge.RIGHT)]
    seated = seated_table(replace(table, seats=(*table.seats, *sides)), plan, 1)
    source = SimpleNamespace(frame_period_us=16_667, clock_grade=ClockGrade.A)

    setup = setup_of(MatchPlan(match_id="m", table=seated, table_file="t", source="s"), source)

    assert [(each.seat, each.player, each.partner_of, each.nerts_pile) for each in setup.seats] == [
        (Seat.SOUTH, "Ana", None, None),
        (Seat.WEST, "Cid", Seat.SOUTH, None),
        (Seat.NORTH, "Dee", None, 11),
        (Seat.EAST, "Ben", Seat.NORTH, None),
    ]


def test_partners_are_shown_with_the_points_of_their_deck():
    seats = (
        SeatSetup(seat=Seat.SOUTH, player="Ana"),
        SeatSetup(seat=Seat.WEST, player="Cid", partner_of=Seat.SOUTH),
        SeatSetup(seat=Seat.NORTH, player="Ben"),
    )
    setup = MatchSetup(match_id="m", seats=seats, frame_period_us=1, clock_grade=ClockGrade.A)
    card = Scorecard((ScoreLine(Seat.SOUTH, ScoreItem.CALLS, 3, 1),), ())

    shown = standings_view(card, setup).players

    assert [(each.player, each.total, len(each.lines)) for each in shown] == [
        ("Ana", 3, 1),
        ("Cid", 3, 1),
        ("Ben", 0, 0),
    ]


# --- how it stands


def entered(asked: Asked, text: str = PLAN) -> None:
    assert asked.post("/api/v1/tournament", json={"toml": text}).status_code == 201


def tables(told: dict, number: int) -> list[tuple[str, str | None, list[int | None]]]:
    return [
        (each["state"], each["match_id"], [side["total"] for side in each["sides"]])
        for each in told["rounds"][number - 1]["tables"]
    ]


def test_nothing_is_told_where_there_is_none(asked: Asked):
    assert asked.get("/api/v1/tournament").json() is None
    assert asked.get("/api/v1/tournament/participants.csv").text == "seed,name\r\n"
    assert asked.get("/api/v1/tournament/results.csv").text.startswith("round,round_name,table,match,")


def test_matches_are_found_by_table_and_players(asked: Asked, hub: Hub):
    hub.add(played("a", "kitchen", ("Ana", 104), ("Ben", 60)))
    hub.add(played("b", "kitchen", ("Ana", 3), ("عمر", 5), state=MatchState.PLAYING))
    hub.add(played("c", "kitchen", ("Ana", 9), ("Guest", 5)))
    entered(asked)

    told = asked.get("/api/v1/tournament").json()

    assert tables(told, 1) == [("finished", "a", [104, 60]), ("waiting", None, [None, None])]
    assert tables(told, 2) == [("playing", "b", [3, 5]), ("waiting", None, [None, None])]
    assert (told["current_round"], [each["is_over"] for each in told["rounds"]]) == (1, [False, False])


def test_standings_are_by_matches_won_then_points_then_seed(asked: Asked, hub: Hub):
    hub.add(played("a", "kitchen", ("Ana", 104), ("Ben", 60)))
    hub.add(played("b", "hall", ("عمر", 101), ("=Dee", 101)))
    entered(asked)

    told = asked.get("/api/v1/tournament").json()

    assert told["current_round"] == 2
    assert [
        (each["rank"], each["seed"], each["name"], each["matches"], each["won"], each["points"])
        for each in told["standings"]
    ] == [
        (1, 1, "Ana", 1, 1, 104),
        (2, 3, "عمر", 1, 1, 101),
        (2, 4, "=Dee", 1, 1, 101),
        (4, 2, "Ben", 1, 0, 60),
    ]


def test_the_fewest_cards_win_in_spit(asked: Asked, hub: Hub):
    hub.add(played("a", "kitchen", ("Ana", 30), ("Ben", 22), game="spit"))
    entered(asked)

    told = asked.get("/api/v1/tournament").json()
    ranks = asked.get("/api/v1/matches/a/standings").json()["ranks"]

    assert [side["is_winner"] for side in told["rounds"][0]["tables"][0]["sides"]] == [False, True]
    assert told["standings"][0]["name"] == "Ben"
    assert [(each["rank"], each["player"]) for each in ranks] == [(1, "Ben"), (2, "Ana")]


def test_a_match_that_was_broken_off_counts_until_another_begins(asked: Asked, hub: Hub):
    hub.add(played("a", "kitchen", ("Ana", 1), ("Ben", 2), state=MatchState.BROKEN))
    entered(asked)
    assert tables(asked.get("/api/v1/tournament").json(), 1)[0] == ("broken", "a", [1, 2])

    hub.add(played("b", "kitchen", ("Ana", 101), ("Ben", 2)))

    assert tables(asked.get("/api/v1/tournament").json(), 1)[0] == ("finished", "b", [101, 2])


def test_who_meets_twice_at_a_table_plays_two_matches(asked: Asked, hub: Hub):
    again = '[[rounds]]\n[[rounds.tables]]\ntable = "kitchen"\nseats = { south = "Ben", north = "Ana" }\n'
    hub.add(played("a", "kitchen", ("Ana", 101), ("Ben", 2)))
    hub.add(played("b", "kitchen", ("Ana", 7), ("Ben", 108)))
    entered(asked, PLAN + again)

    told = asked.get("/api/v1/tournament").json()

    assert tables(told, 1)[0] == ("finished", "a", [101, 2])
    assert tables(told, 3)[0] == ("finished", "b", [108, 7])


def test_partners_share_their_result(asked: Asked, hub: Hub):
    hub.add(played("a", "kitchen", ("Ana", 40), ("Dee", 101), ("Ben", 101), ("Cid", 40)))
    entered(asked, PAIRS)

    told = asked.get("/api/v1/tournament").json()

    assert [(each["rank"], each["name"], each["points"]) for each in told["standings"]] == [
        (1, f"Ben{PARTNERS}Dee", 101),
        (2, f"Ana{PARTNERS}Cid", 40),
    ]


# --- tables that others take


def test_the_tables_that_bracket_services_take(asked: Asked, hub: Hub):
    hub.add(played("a", "kitchen", ("Ana", 104), ("Ben", -3)))
    hub.add(played("b", "hall", ("عمر", 50), ("=Dee", 50)))
    entered(asked)

    people = asked.get("/api/v1/tournament/participants.csv")
    leaders = asked.get("/api/v1/tournament/standings.csv").text.splitlines()
    results = asked.get("/api/v1/tournament/results.csv").text.splitlines()

    assert people.headers["content-type"] == "text/csv; charset=utf-8"
    assert people.text.splitlines() == ["seed,name", "1,Ana", "2,Ben", "3,عمر", "4,'=Dee"]
    assert leaders[:2] == ["rank,seed,name,matches,won,points", "1,1,Ana,1,1,104"]
    assert results == [
        (
            "round,round_name,table,match,state,provisional,"
            "name_1,nerts_pile_1,score_1,name_2,nerts_pile_2,score_2,winner"
        ),
        "1,First,kitchen,a,finished,no,Ana,15,104,Ben,,-3,Ana",
        "1,First,hall,b,finished,no,عمر,10,50,'=Dee,,50,",
        "2,,kitchen,,waiting,yes,Ana,15,,عمر,,,",
        "2,,hall,,waiting,yes,Ben,,,'=Dee,,,",
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1+1"])
def test_no_name_is_a_formula_in_any_table(asked: Asked, hub: Hub, name: str):
    hub.add(played("a", "kitchen", (name, 104), ("Ben", 60)))
    entered(asked, PLAN.replace("Ana", name))

    for path in (
        "standings.csv",
        *(f"tournament/{each}.csv" for each in ("participants", "standings", "results")),
    ):
        text = asked.get(f"/api/v1/{path}").text

        assert f",'{name}" in text
        assert f",{name}" not in text


# --- entering it


def test_a_plan_replaces_the_one_before_and_is_entered_once(asked: Asked):
    entered(asked)
    entered(asked)
    entered(asked, PAIRS)

    assert asked.get("/api/v1/tournament").json()["name"] == "Pairs"
    assert asked.ask("DELETE", "/api/v1/tournament").status_code == 204
    assert asked.get("/api/v1/tournament").json() is None
    with asked.store.database.engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT text FROM plans ORDER BY id").scalars().all()
    assert kept == [PLAN.strip(), PAIRS.strip(), ""], "plans are only added"


def test_a_server_is_given_a_plan_in_a_file(tmp_path: Path, home: Path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN, encoding="utf-8")
    house = House(Settings(home=home), forgetful_store())

    house.enter_tournament(path)

    assert house.store.plans.newest is not None
    assert parse_tournament(house.store.plans.newest.text).name == "Winter Nerts"
    with pytest.raises(MisuseError, match=r"No such file or directory: .*attic\.toml"):
        house.enter_tournament(tmp_path / "attic.toml")
    path.write_text(PLAN.replace('north = "Ben"', 'north = "Bne"'), encoding="utf-8")
    with pytest.raises(MisuseError, match=r"plan.toml: rounds\[0\].tables\[0\].seats.north: no player 'Bne'"):
        house.enter_tournament(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(MisuseError, match=r"plan\.toml: cannot be read as text"):
        house.enter_tournament(path)


@pytest.mark.parametrize("scope", [Scope.OVERLAY, Scope.OPERATOR, Scope.REVIEWER])
def test_only_an_admin_enters_a_plan(hub: Hub, scope: Scope):
    with Asked(hub, plan=BEYOND) as asked:
        token, _ = asked.store.tokens.make("Rita", [scope])
        options = {"token": token, "headers": {"Host": "table.local"}}

        assert asked.post("/api/v1/tournament", json={"toml": PLAN}, **options).status_code == 403
        assert asked.ask("DELETE", "/api/v1/tournament", **options).status_code == 403
        assert asked.get("/api/v1/tournament", **options).status_code == 200
        assert asked.get("/api/v1/tournament", headers={"Host": "table.local"}).status_code == 401


def test_a_plan_that_does_not_hold_changes_nothing(asked: Asked):
    entered(asked)

    refused = asked.post("/api/v1/tournament", json={"toml": PLAN.replace('north = "Ben"', 'north = "Bne"')})

    assert (refused.status_code, "no player 'Bne'" in refused.json()["detail"]) == (422, True)
    assert asked.get("/api/v1/tournament").json()["name"] == "Winter Nerts"


def test_the_example_in_the_documentation_is_a_plan():
    text = (Path(__file__).parents[2] / "docs" / "tournament.md").read_text(encoding="utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]

    plan = parse_tournament(example)

    assert [len(each.seatings) for each in plan.rounds] == [2, 1]
    assert [side.name for side in plan.rounds[1].seatings[0].sides] == ["Ana & Cid", "Ben & Dee"]


# --- large plans


def large_plan() -> str:
    """What a hall of a hundred players needs: 14 rounds of 50 tables."""
    names = [f"Müller-Lüdenscheidt {i:03d}" for i in range(100)]
    lines = ["format = 1", 'name = "Großer Preis"']
    lines += [f'[[players]]\nname = "{name}"' for name in names]
    for shift in range(1, 15):
        lines.append("[[rounds]]")
        pairs = [(i, (i + shift) % 50 + 50) for i in range(50)]
        for number, (one, other) in enumerate(pairs, 1):
            lines.append(f'[[rounds.tables]]\ntable = "t{number}"')
            lines.append(f'seats = {{ south = "{names[one]}", north = "{names[other]}" }}')
    return "\n".join(lines)


def test_a_plan_of_a_large_hall_is_entered_over_the_web(asked: Asked):
    plan = large_plan()
    assert 60_000 < len(plan) <= 200_000

    answer = asked.post("/api/v1/tournament", json={"toml": plan})

    assert answer.status_code == 201, answer.text[:300]
    assert [len(each["tables"]) for each in answer.json()["rounds"]] == [50] * 14


def test_a_plan_may_have_every_sign_escaped(asked: Asked):
    """As long as one may be, and as JSON writes it at its longest."""
    comment = "".join(f"# {chr(0x1F0A1) * 98}\n" for _ in range(1_900))
    text = comment + "format = 1"
    assert len(text) <= 200_000
    body = json.dumps({"toml": text}).encode("ascii")
    assert len(body) > 2_000_000

    answer = asked.post("/api/v1/tournament", content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["detail"]) == (422, "name: missing")


@pytest.mark.parametrize("path", ["/api/v1/matches/friday/calls", "/api/v1/session", "/api/v1/tokens"])
def test_nothing_else_may_be_so_large(asked: Asked, path: str):
    assert asked.post(path, content=b"x" * (65 << 10)).status_code == 413


def test_who_is_not_known_sends_no_large_plan(hub: Hub):
    with Asked(hub, plan=BEYOND) as asked:
        token, _ = asked.store.tokens.make("Rita", [Scope.ADMIN])
        sent, more = b"x" * (65 << 10), b"x" * (3 << 20)
        headers = {"Host": "table.local", "Content-Type": "application/json"}

        assert asked.post("/api/v1/tournament", content=sent, headers=headers).status_code == 413
        assert asked.post("/api/v1/tournament", content=sent, headers=headers, token=token).status_code == 422
        assert asked.post("/api/v1/tournament", content=more, headers=headers, token=token).status_code == 413
