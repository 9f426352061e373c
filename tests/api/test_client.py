"""The typed client: lists part by part, writes once, streams taken up again where they were lost."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from desk_match import DeskMatch
from made_matches import player, standings, verdict

from api.client import PART, Client, ProblemError
from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving
from api.store.shelf import Store, forgetful_store
from api.write_schemas import AppealIn, CallIn, CardCorrectionIn, DeclarationIn, ResolutionIn
from referee.tellings import CallKind


@pytest.fixture
def store() -> Iterator[Store]:
    store = forgetful_store()
    yield store
    store.close()


@pytest.fixture
def client(played: DeskMatch, store: Store) -> Iterator[Client]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with serving(hub, store=store) as address, Client(address) as client:
        yield client


@pytest.mark.usefixtures("with_jokers")
def test_a_dispute_from_the_call_to_the_case(client: Client, tmp_path: Path):
    call = client.call("friday", CallIn(call=CallKind.STUCK, seat="Ana"))
    client.declare("friday", DeclarationIn(seat="Ana", card="6S"))
    appeal = client.appeal("friday", AppealIn(verdict_id="v1", seat="Ben", grounds="me first"))
    wish = ResolutionIn(
        verdict_id="v1",
        decision="overturned",
        ruling="FIRST",
        kept=(1,),
        reason="Ben's hand",
        reviewer="Rita",
    )
    seen = client.tried("friday", wish)

    entered = client.entered("friday", wish, seen)

    assert (entered.review_id, appeal.appeals_left) == ("r1", 2)
    assert client.verdict("friday", "v1").verdict.standing == "overturned"
    assert [row.is_taken_back for row in client.entries("friday") if row.seq == call.entry] == [False]
    assert [each.answered_by for each in client.appeals("friday")] == ["r1"]
    assert client.case("friday", "v1")[:2] == b"PK"
    assert client.record("friday") == (tmp_path / "friday.jsonl").read_bytes()
    assert client.match("friday").seats[1].appeals_left == 3, "an appeal that was upheld is kept"
    assert [(each.player, each.total) for each in client.standings("friday").ranks] == [
        ("Ben", 2),
        ("Ana", 0),
    ]


def test_what_is_read(client: Client):
    assert [each.match_id for each in client.matches("kitchen")] == ["friday"]
    assert client.tables()[0].attention.overturned == 0
    assert [each.made.card for each in client.plays("friday")] == ["5H", "5H", "6H", "8C"]
    assert client.score("friday").players[0].player == "Ana"
    assert list(client.calls("friday")) == []
    assert client.session().is_known


def test_a_refusal_is_told_in_the_server_s_words(client: Client):
    with pytest.raises(ProblemError, match="there is no verdict 'v9'") as refused:
        client.tried("friday", CardCorrectionIn(kind="card", verdict_id="v9", card="6H"))

    assert refused.value.status == 409


def test_long_lists_come_in_parts_and_whole(feed: MatchFeed, hub: Hub):
    count = 2 * PART + 3
    feed.rule(tuple(verdict(number) for number in range(1, count + 1)), standings())

    with serving(hub) as address, Client(address) as client:
        names = [each.verdict_id for each in client.verdicts("friday")]
        newest = httpx.get(f"{address}/api/v1/matches/friday/verdicts?order=newest&limit=2", timeout=30)

    assert names == [f"v{number}" for number in range(1, count + 1)]
    assert [each["verdict_id"] for each in newest.json()] == [f"v{count}", f"v{count - 1}"]
    assert newest.headers["x-total-count"] == str(count)


@pytest.mark.parametrize("cursor", ["c", "x1", "c-1", "1", "cg"])
def test_a_cursor_of_somebody_else(client: Client, cursor: str):
    answer = httpx.get(f"{client.address}/api/v1/matches/friday/verdicts?cursor={cursor}", timeout=30)

    assert answer.status_code == 422


def test_what_is_known_is_not_sent_again(client: Client):
    first = httpx.get(f"{client.address}/api/v1/matches/friday/score", timeout=30)
    known = {"If-None-Match": first.headers["etag"]}

    second = httpx.get(f"{client.address}/api/v1/matches/friday/score", headers=known, timeout=30)
    client.call("friday", CallIn(call=CallKind.STUCK, seat="Ana"))
    third = httpx.get(f"{client.address}/api/v1/matches/friday/score", headers=known, timeout=30)

    assert (second.status_code, second.content, third.status_code) == (304, b"", 200)


def test_a_stream_goes_on_after_the_server_was_away(feed: MatchFeed, hub: Hub):
    """Nothing twice, nothing missing: the number of the last change is told when the line is there again."""
    feed.rule((verdict(1),), standings(player("south", "Ana", 1)))
    with serving(hub) as address:
        client = Client(address, sleep=lambda _: None)
        follower = client.follow("friday")
        first = next(follower)
    port = int(address.rpartition(":")[2])
    feed._is_closed = False
    feed.rule((verdict(2),), standings(player("south", "Ana", 2)))
    with serving(hub, port=port):
        missed = list(itertools.islice((each for each in follower if each.event != "alive"), 2))
    client.close()

    assert (first.event, first.event_id) == ("snapshot", "run1-2")
    assert [(each.event, each.event_id) for each in missed] == [("verdict", "run1-3"), ("score", "run1-4")]
