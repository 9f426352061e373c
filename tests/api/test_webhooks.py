"""Webhooks: told once, signed, tried again; a receiver that is away holds up nobody."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from asking_app import Asked
from desk_match import DeskMatch

from api.desk import Answer
from api.hub import Hub
from api.store.shelf import Store, forgetful_store
from api.webhook_sender import SIGNATURE, WebhookSender


class Receiver(httpx.BaseTransport):
    """Takes what it is sent, and answers as it is told to."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.answer: int | Exception = 200

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return httpx.Response(self.answer)

    def close(self) -> None:
        pass


class SetClock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 30, 7, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(clock: SetClock) -> Iterator[Store]:
    store = forgetful_store()
    store.webhooks._now = clock
    yield store
    store.close()


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def sender(played: DeskMatch, store: Store, receiver: Receiver, clock: SetClock) -> WebhookSender:
    hub = Hub()
    hub.add(played.feed, played.desk)
    sender = WebhookSender(hub, store.webhooks, now=clock, transport=receiver)
    sender._look()
    return sender


def overturn(played: DeskMatch) -> None:
    wish = played.desk.correction("v3", 0, card="7H", reason="a seven", reviewer="Rita")
    played.desk.wish(wish, played.desk.wish(wish, None).confirm)


def test_what_happens_is_told_once_and_signed(
    sender: WebhookSender, store: Store, played: DeskMatch, receiver: Receiver, clock: SetClock
):
    webhook = store.webhooks.make("https://club.example/hook", ["verdict", "revision"])
    overturn(played)

    sender.step()
    sender.step()

    told = [json.loads(request.content) for request in receiver.requests]
    assert [(each["match_id"], each["event"], each["data"]["verdict_id"]) for each in told] == [
        ("friday", "verdict", "v4"),
        ("friday", "revision", "v3"),
    ]
    request = receiver.requests[0]
    at, _, signed = request.headers[SIGNATURE].partition(",v1=")
    wanted = hmac.new(webhook.secret.encode(), at[2:].encode() + b"." + request.content, hashlib.sha256)
    assert (at, signed) == (f"t={int(clock.moment.timestamp())}", wanted.hexdigest())
    assert len({request.headers["TouchJudge-Delivery"] for request in receiver.requests}) == 2


def test_what_happened_before_is_told_to_nobody(sender: WebhookSender, store: Store, receiver: Receiver):
    store.webhooks.make("https://club.example/hook", ["verdict"])

    sender.step()

    assert receiver.requests == []


@pytest.mark.parametrize("answer", [500, 404, 302, httpx.ConnectError("refused"), httpx.ReadTimeout("slow")])
def test_a_receiver_that_is_away_is_told_later(
    sender: WebhookSender, store: Store, played: DeskMatch, receiver: Receiver, clock: SetClock, answer
):
    webhook = store.webhooks.make("https://club.example/hook", ["verdict"])
    receiver.answer = answer
    overturn(played)

    sender.step()
    sender.step()
    assert len(receiver.requests) == 1, "not at once again"
    receiver.answer = 204
    clock.moment += timedelta(seconds=5)
    sender.step()

    (delivery,) = store.webhooks.deliveries(webhook.webhook_id, 10)
    assert (delivery.attempts, delivery.status, delivery.due_at) == (2, 204, None)
    assert receiver.requests[0].content == receiver.requests[1].content


def test_one_that_never_answers_is_given_up(
    sender: WebhookSender, store: Store, played: DeskMatch, receiver: Receiver, clock: SetClock
):
    webhook = store.webhooks.make("https://club.example/hook", ["verdict"])
    receiver.answer = 500
    overturn(played)

    for _ in range(20):
        sender.step()
        clock.moment += timedelta(hours=7)

    (delivery,) = store.webhooks.deliveries(webhook.webhook_id, 10)
    assert (delivery.attempts, delivery.due_at) == (6, None)


def test_one_that_was_removed_is_told_no_more(
    sender: WebhookSender, store: Store, played: DeskMatch, receiver: Receiver
):
    webhook = store.webhooks.make("https://club.example/hook", ["verdict"])
    overturn(played)
    sender._look()
    store.webhooks.remove(webhook.webhook_id)

    sender.step()

    assert receiver.requests == []


def test_the_thread_tells_and_ends(played: DeskMatch, store: Store, receiver: Receiver, clock: SetClock):
    hub = Hub()
    hub.add(played.feed, played.desk)
    sender = WebhookSender(hub, store.webhooks, now=clock, transport=receiver)
    sender.start()
    store.webhooks.make("https://club.example/hook", ["review"])
    played.desk.wish(
        answer := Answer("v1", None, (), "so it is", "Rita"), played.desk.wish(answer, None).confirm
    )

    while not receiver.requests:
        sender._woken.wait(0.01)
    sender.stop()

    assert not sender._thread.is_alive()


def test_webhooks_over_the_web(played: DeskMatch):
    hub = Hub()
    hub.add(played.feed, played.desk)
    with Asked(hub) as asked:
        made = asked.post(
            "/api/v1/webhooks", json={"url": "https://club.example/hook", "events": ["verdict"]}
        )
        webhook_id = made.json()["made"]["webhook_id"]
        listed = asked.get("/api/v1/webhooks")
        deliveries = asked.get(f"/api/v1/webhooks/{webhook_id}/deliveries")
        removed = asked.ask("DELETE", f"/api/v1/webhooks/{webhook_id}")
        gone = asked.ask("DELETE", f"/api/v1/webhooks/{webhook_id}")

    assert (made.status_code, made.json()["secret"] in listed.text) == (201, False)
    assert (deliveries.json(), removed.status_code, gone.status_code) == ([], 204, 404)


@pytest.mark.parametrize(
    "url", ["ftp://club.example", "club.example", "http://", "http://a:b@club.example", "http://x y", "//x"]
)
def test_an_address_that_cannot_be_told(hub: Hub, url: str):
    with Asked(hub) as asked:
        answer = asked.post("/api/v1/webhooks", json={"url": url, "events": ["verdict"]})

    assert (answer.status_code, "url: want one" in answer.json()["detail"]) == (422, True)
