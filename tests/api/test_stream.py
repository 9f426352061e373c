"""The stream, asked over a real connection: snapshot, numbered changes, resuming, signs of life."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from made_matches import player, standings, verdict

from api.errors import CommandError
from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import MatchState
from api.server import serving


@dataclass
class Message:
    event: str
    number: str
    data: str


@pytest.fixture
def address(hub: Hub) -> Iterator[str]:
    with serving(hub) as address:
        yield address


def messages_of(answer: httpx.Response) -> Iterator[Message]:
    event = number = data = ""
    for line in answer.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            event = value
        elif field == "id":
            number = value
        elif field == "data":
            data += value
        elif not line and event:
            yield Message(event, number, data)
            event = number = data = ""


def listening(address: str, last_event_id: str | None = None):
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
    return httpx.stream("GET", f"{address}/api/v1/matches/friday/stream", headers=headers, timeout=30)


def test_a_new_display_gets_a_snapshot_and_then_every_change(address: str, feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1)))

    with listening(address) as answer:
        messages = messages_of(answer)
        first = next(messages)
        feed.rule((verdict(2),), standings(player("south", "Ana", 2)))
        changes = [next(messages), next(messages)]

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (first.event, first.number) == ("snapshot", "run1-2")
    assert [(change.event, change.number) for change in changes] == [
        ("verdict", "run1-3"),
        ("score", "run1-4"),
    ]
    assert '"verdict_id":"v2"' in changes[0].data


def test_a_display_that_comes_back_gets_only_what_it_missed(address: str, feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1)))
    feed.rule((verdict(2),), standings(player("south", "Ana", 2)))

    with listening(address, last_event_id="run1-2") as answer:
        messages = messages_of(answer)
        missed = [next(messages), next(messages)]

    assert [(message.event, message.number) for message in missed] == [
        ("verdict", "run1-3"),
        ("score", "run1-4"),
    ]


@pytest.mark.parametrize("event_id", ["run0-2", "run1-99", "nonsense"])
def test_a_display_of_another_run_starts_from_a_snapshot(address: str, feed: MatchFeed, event_id: str):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1)))

    with listening(address, last_event_id=event_id) as answer:
        first = next(messages_of(answer))

    assert (first.event, first.number) == ("snapshot", "run1-2")


def test_a_quiet_stream_gives_signs_of_life(address: str, feed: MatchFeed):
    with listening(address) as answer:
        messages = messages_of(answer)
        next(messages)
        feed.reach(5_000_000)
        seen = [next(messages), next(messages)]

    assert [message.event for message in seen] == ["score", "alive"]
    assert seen[1].data == '{"state":"playing","t_us":5000000}'
    assert seen[1].number == ""


def test_the_end_of_a_match_is_told_and_the_stream_stays(address: str, feed: MatchFeed):
    with listening(address) as answer:
        messages = messages_of(answer)
        next(messages)
        feed.end(MatchState.FINISHED)
        told = [next(messages), next(messages)]

    assert '"state":"finished"' in told[0].data
    assert told[1].event == "alive"


def test_streams_end_when_the_server_leaves(hub: Hub):
    with serving(hub) as address, listening(address) as answer:
        messages = messages_of(answer)
        next(messages)
        hub.close()

        assert list(messages) == []


def test_another_port_is_taken_where_the_usual_one_is_in_use(hub: Hub):
    with serving(hub) as first, serving(Hub()) as second:
        assert first != second
        assert httpx.get(f"{second}/healthz", timeout=30).status_code == 200


def test_a_port_that_was_asked_for_is_not_exchanged(hub: Hub):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with (
            pytest.raises(
                CommandError, match=f"cannot serve on 127.0.0.1 port {port}: Address already in use"
            ),
            serving(hub, port=port),
        ):
            pass


def test_only_this_machine_is_served(hub: Hub):
    with serving(hub) as address:
        assert address.startswith("http://127.0.0.1:")
