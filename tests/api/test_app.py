"""Every address answers in the shape that it promises, errors too."""

from collections.abc import Iterator

import httpx
import pytest
from made_matches import player, standings, verdict

from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving


@pytest.fixture
def client(hub: Hub) -> Iterator[httpx.Client]:
    with serving(hub) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def test_the_score_comes_with_its_lines(client: httpx.Client, feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1), player("north", "Ben", 0)))

    answer = client.get("/api/v1/matches/friday/score")

    assert answer.status_code == 200
    assert answer.json()["players"][0]["total"] == 1
    assert answer.json()["players"][0]["lines"][0]["rule"] == "N39"


def test_verdicts_come_oldest_first(client: httpx.Client, feed: MatchFeed):
    feed.rule((verdict(1), verdict(2)), standings())

    answer = client.get("/api/v1/matches/friday/verdicts")

    assert [entry["verdict_id"] for entry in answer.json()] == ["v1", "v2"]


def test_matches_can_be_asked_for_by_table(client: httpx.Client):
    all_matches = client.get("/api/v1/matches").json()
    elsewhere = client.get("/api/v1/matches", params={"table": "garden"}).json()

    assert [match["match_id"] for match in all_matches] == ["friday"]
    assert elsewhere == []


def test_health_says_the_version(client: httpx.Client):
    assert client.get("/healthz").json()["status"] == "ok"


def test_health_can_be_asked_for_without_its_body(client: httpx.Client):
    answer = client.head("/healthz")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == client.get("/healthz").headers["content-type"]


def test_the_interface_describes_itself(client: httpx.Client):
    described = client.get("/openapi.json").json()["paths"]

    assert "/api/v1/matches/{match_id}/stream" in described
    assert "/healthz" in described


@pytest.mark.parametrize("page", ["/", "/overlay/kitchen", "/overlay/garden/timer", "/live/kitchen"])
def test_pages_load_nothing_from_elsewhere(client: httpx.Client, page: str):
    answer = client.get(page)

    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "http" not in answer.text


@pytest.mark.parametrize(
    ("address", "detail"),
    [
        pytest.param("/api/v1/matches/nobody/score", "no such match: 'nobody'", id="score"),
        pytest.param("/api/v1/matches/nobody/verdicts", "no such match: 'nobody'", id="verdicts"),
        pytest.param("/api/v1/matches/nobody/stream", "no such match: 'nobody'", id="stream"),
        pytest.param("/api/v1/matches/nobody/picture.jpg", "no such match: 'nobody'", id="picture"),
        pytest.param(
            "/api/v1/matches/friday/picture.jpg", "no picture of match 'friday' yet", id="no picture"
        ),
        pytest.param("/nowhere", "Not Found", id="no address"),
        pytest.param("/assets/nothing.js", "Not Found", id="no asset"),
    ],
)
def test_what_is_not_there_is_a_problem(client: httpx.Client, address: str, detail: str):
    answer = client.get(address)

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 404
    assert detail in answer.json()["detail"]


def test_a_wrong_verb_is_a_problem(client: httpx.Client):
    answer = client.post("/api/v1/matches")

    assert (answer.status_code, answer.headers["content-type"]) == (405, "application/problem+json")


def test_the_picture_is_the_newest(client: httpx.Client, feed: MatchFeed):
    feed.show_picture(b"first")
    feed.show_picture(b"second")

    answer = client.get("/api/v1/matches/friday/picture.jpg")

    assert (answer.content, answer.headers["content-type"]) == (b"second", "image/jpeg")
    assert answer.headers["cache-control"] == "no-store"
