"""What stands behind the question mark of an address is heeded, or refused: never ignored."""

from collections.abc import Iterator

import pytest
from asking_app import BEYOND, Asked
from desk_match import DeskMatch

from api.access import Scope
from api.hub import Hub

MATCH = "/api/v1/matches/friday"
PLACES = {"match_id": "friday", "verdict_id": "v1", "table": "kitchen", "clip_id": "c1", "t_us": "1"}


@pytest.fixture
def shown(played: DeskMatch) -> Hub:
    hub = Hub()
    hub.add(played.feed, played.desk)
    return hub


@pytest.fixture
def asked(shown: Hub) -> Iterator[Asked]:
    with Asked(shown) as asked:
        yield asked


def test_every_route_refuses_an_option_that_it_does_not_know(asked: Asked):
    described = asked.app.openapi()["paths"]

    for path, operations in described.items():
        address = path.format_map({**PLACES, "token_id": "0" * 12, "webhook_id": "0" * 12})
        for method, operation in operations.items():
            answer = asked.ask(method.upper(), address, params={"lmit": "3"})
            known = {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
            told = answer.json()["detail"]
            assert answer.status_code == 422, (method, path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            assert (
                told == f"no option of this address: 'lmit' (known: {', '.join(sorted({'token', *known}))})"
            )
            assert "422" in operation["responses"], (method, path)


def test_a_misspelt_write_enters_nothing(asked: Asked):
    body = {"call": "nerts", "seat": "south"}
    before = asked.get(f"{MATCH}/calls").json()

    refused = asked.post(f"{MATCH}/calls?dry_run=true", json=body)

    assert refused.status_code == 422
    assert asked.get(f"{MATCH}/calls").json() == before


def test_what_is_known_is_heeded_with_a_token_too(shown: Hub):
    with Asked(shown, plan=BEYOND) as asked:
        token, _ = asked.store.tokens.make("OBS", [Scope.OVERLAY])
        part = asked.get(f"{MATCH}/verdicts?limit=1&order=newest&waiting=false&token={token}")

    assert (part.status_code, len(part.json())) == (200, 1)


def test_several_that_are_not_known_are_all_named(asked: Asked):
    told = asked.get(f"{MATCH}/score?b=1&a=2&delay_s=0").json()["detail"]

    assert told == "no option of this address: 'a', 'b' (known: delay_s, token)"


@pytest.mark.parametrize("filter_", ["ruling=LEAGAL", "standing=fallen"])
def test_a_filter_that_nothing_can_meet_is_refused(asked: Asked, filter_: str):
    assert asked.get(f"{MATCH}/verdicts?{filter_}").status_code == 422


@pytest.mark.parametrize("filter_", ["ruling=ILLEGAL", "standing=under%20appeal"])
def test_a_filter_that_nothing_meets_gives_nothing(asked: Asked, filter_: str):
    found = asked.get(f"{MATCH}/verdicts?{filter_}").json()

    assert len(found) < len(asked.get(f"{MATCH}/verdicts").json())


def test_pages_have_options_of_their_own(asked: Asked):
    assert asked.get("/overlay/kitchen?theme=light&anything=1").status_code == 200
    assert asked.get("/assets/base.css?v=2").status_code == 200
