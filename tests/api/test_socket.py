"""The WebSocket: what the stream tells, to those who may see it, and to no page of another server."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from made_matches import player, standings, verdict
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    RejectConnection,
    Request,
    TextMessage,
)

from api.access import Scope
from api.app import create_app
from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving
from api.store.shelf import Store, forgetful_store


@pytest.fixture
def store() -> Iterator[Store]:
    store = forgetful_store()
    yield store
    store.close()


@pytest.fixture
def address(hub: Hub, store: Store) -> Iterator[str]:
    with serving(hub, store=store) as address:
        yield address


@contextmanager
def opened(
    address: str,
    path: str = "/api/v1/matches/friday/socket",
    *,
    subprotocols: tuple[str, ...] = (),
    says: bytes = b"",
    **headers: str,
):
    """The events of a socket, as they come; ``says`` is sent once it is open."""
    host, _, port = address.removeprefix("http://").partition(":")
    line = socket.create_connection((host, int(port)), timeout=30)
    connection = WSConnection(ConnectionType.CLIENT)
    extra = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    asked = Request(host=f"{host}:{port}", target=path, extra_headers=extra, subprotocols=list(subprotocols))
    line.sendall(connection.send(asked))
    try:
        yield _events(connection, line, says)
    finally:
        line.close()


def _events(connection: WSConnection, line: socket.socket, says: bytes) -> Iterator[object]:
    while data := line.recv(65536):
        connection.receive_data(data)
        text = ""
        for event in connection.events():
            if isinstance(event, AcceptConnection) and says:
                line.sendall(connection.send(BytesMessage(says)))
            if isinstance(event, TextMessage):
                text += event.data
                if event.message_finished:
                    yield json.loads(text)
                    text = ""
            else:
                yield event


def test_a_snapshot_then_every_change(address: str, feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1)))

    with opened(address) as events:
        assert isinstance(next(events), AcceptConnection)
        first = next(events)
        feed.rule((verdict(2),), standings(player("south", "Ana", 2)))
        told = [next(events), next(events), next(events)]

    assert (first["event"], first["id"], len(first["data"]["verdicts"])) == ("snapshot", "run1-2", 1)
    assert [(each["event"], each["id"]) for each in told] == [
        ("verdict", "run1-3"),
        ("score", "run1-4"),
        ("alive", ""),
    ]


def test_it_goes_on_where_it_was_lost(address: str, feed: MatchFeed):
    feed.rule((verdict(1),), standings(player("south", "Ana", 1)))
    feed.rule((verdict(2),), standings(player("south", "Ana", 2)))

    with opened(address, "/api/v1/matches/friday/socket?last_event_id=run1-2") as events:
        next(events)
        told = [next(events)["id"], next(events)["id"]]

    assert told == ["run1-3", "run1-4"]


def test_it_ends_with_the_server(hub: Hub, feed: MatchFeed):
    with serving(hub) as address, opened(address) as events:
        next(events)
        next(events)
        hub.close()
        last = next(events)

    assert isinstance(last, CloseConnection)
    assert last.code == 1001


@pytest.mark.parametrize(
    ("path", "headers", "status", "why"),
    [
        pytest.param("/api/v1/matches/nobody/socket", {}, 404, "no such match: 'nobody'", id="no such match"),
        pytest.param(
            "/api/v1/matches/friday/socket",
            {"Origin": "https://evil.example"},
            403,
            "a page of another server may open no socket here (want a page of this server, or one",
            id="another page",
        ),
        pytest.param(
            "/api/v1/matches/friday/socket",
            {"Authorization": "Bearer tj_no"},
            401,
            "this token is none of this server's",
            id="a wrong token",
        ),
        pytest.param(
            "/api/v1/matches/friday/socket?delay_s=-1", {}, 422, "query.delay_s: want", id="before it happens"
        ),
        pytest.param(
            "/api/v1/matches/friday/socket?delay=1",
            {},
            422,
            "no option of this address: 'delay' (known: delay_s",
            id="an option that it does not know",
        ),
    ],
)
def test_what_is_refused_is_told_in_the_place_of_the_handshake(
    address: str, path: str, headers: dict[str, str], status: int, why: str
):
    with opened(address, path, **headers) as events:
        answer, told = next(events), next(events)

    assert isinstance(answer, RejectConnection)
    assert answer.status_code == status
    problem = json.loads(told.data)
    assert (problem["status"], why in problem["detail"]) == (status, True), problem


def test_what_is_no_text_closes_the_socket_with_the_reason(address: str):
    with opened(address, says=b"\x00\x01") as events:
        ends = [each for each in events if isinstance(each, CloseConnection)]

    assert [(each.code, each.reason.startswith("want text")) for each in ends] == [(1003, True)]


def test_where_a_server_cannot_answer_a_handshake_the_close_code_tells(hub: Hub):
    sent: list[dict[str, object]] = []
    scope = {
        "type": "websocket",
        "path": "/api/v1/matches/nobody/socket",
        "query_string": b"",
        "subprotocols": [],
    }

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost")]
    asyncio.run(create_app(hub)({**scope, "headers": headers}, receive, send))

    assert [(message["code"], message["reason"]) for message in sent] == [
        (4404, "no such match: 'nobody' (see /api/v1/matches)")
    ]


def test_beyond_this_machine_a_token_is_wanted(hub: Hub, store: Store):
    token = store.tokens.make("OBS", [Scope.OVERLAY])[0]

    with serving(hub, host="0.0.0.0", store=store) as served:  # noqa: S104
        address = served.replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        with opened(address) as events:
            without = next(events)
        with opened(address, f"/api/v1/matches/friday/socket?token={token}") as events:
            with_it = next(events)
        assert httpx.get(f"{address}/healthz", timeout=30).status_code == 200

    assert isinstance(without, RejectConnection)
    assert isinstance(with_it, AcceptConnection)


@pytest.mark.parametrize(
    ("is_right", "answer"),
    [
        pytest.param(True, AcceptConnection, id="one that holds"),
        pytest.param(False, RejectConnection, id="one that does not"),
    ],
)
def test_a_browser_which_sets_no_headers_names_its_token_as_a_subprotocol(
    hub: Hub, store: Store, answer: type, *, is_right: bool
):
    token = store.tokens.make("table", [Scope.OPERATOR])[0] if is_right else "tj_none"

    with serving(hub, host="0.0.0.0", store=store) as served:  # noqa: S104
        address = served.replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        with opened(address, subprotocols=("touchjudge", f"bearer.{token}")) as events:
            first = next(events)

    assert isinstance(first, answer)


def test_the_whole_server_is_told_of_too(address: str, feed: MatchFeed):
    with opened(address, "/api/v1/socket") as events:
        next(events)
        told = [next(events)]
        feed.reach(0)
        told.append(next(events))

    assert [(each["event"], each["data"]) for each in told] == [("changed", {"matches": ["friday"]})] * 2


@pytest.mark.parametrize("path", ["/", "/api/v1/nope", "/assets/base.css", "/live/kitchen"])
def test_where_there_is_no_socket_that_is_said(address: str, path: str):
    with opened(address, path) as events:
        answer, told = next(events), next(events)

    assert (answer.status_code, json.loads(told.data)["detail"]) == (404, f"no socket here: {path!r}")
