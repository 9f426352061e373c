"""Tells webhooks what happens: a thread of its own, so that a slow receiver holds up nobody.

Each delivery is signed: ``TouchJudge-Signature: t=<seconds>,v1=<hex>``, the HMAC-SHA256 of
``<seconds>.<body>`` under the webhook's secret. What cannot be delivered is tried again, for some hours;
nothing is told twice under another ``TouchJudge-Delivery``.
"""

import hashlib
import hmac
import threading
from collections.abc import Callable
from datetime import datetime
from weakref import WeakKeyDictionary

import httpx

from api import clock
from api.feed import MatchFeed
from api.hub import Hub
from api.logs import Trouble
from api.store.database import StoreError
from api.store.webhooks import EVENTS, Delivery, Webhook, WebhookBook
from referee.codec import canonical

SIGNATURE = "TouchJudge-Signature"
TIMEOUT_S = 5.0
LOOK_S = 1.0
"""Between looks for matches that are new and tries that are due."""


class WebhookSender:
    """Follows every match of a hub, and tells the webhooks of a store."""

    def __init__(
        self,
        hub: Hub,
        book: WebhookBook,
        *,
        now: Callable[[], datetime] = clock.now,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._hub = hub
        self._book = book
        self._now = now
        self._http = httpx.Client(timeout=TIMEOUT_S, follow_redirects=False, transport=transport)
        self._seen: WeakKeyDictionary[MatchFeed, int] = WeakKeyDictionary()
        self._woken = threading.Event()
        self._is_ending = False
        self._waiting = Trouble("webhooks_wait")
        self._thread = threading.Thread(target=self._run, name="touchjudge-webhooks", daemon=True)

    def start(self) -> None:
        """Begin; what happened before is told to nobody."""
        self._look()
        self._thread.start()

    def stop(self) -> None:
        """End; what is still owed is told when a server runs again."""
        self._is_ending = True
        self._woken.set()
        self._thread.join(TIMEOUT_S + 1)
        self._http.close()

    def step(self) -> None:
        """Note what is new, and tell what is due."""
        self._look()
        for delivery in self._book.due():
            if self._is_ending:
                return
            self._tell(delivery)

    def _run(self) -> None:
        while not self._is_ending:
            self._woken.wait(LOOK_S)
            self._woken.clear()
            try:
                self.step()
            except StoreError as error:
                self._waiting.tell(error)

    def _look(self) -> None:
        """Owe every webhook what has changed since the last look."""
        webhooks = self._book.all()
        for feed in self._hub.feeds:
            if feed not in self._seen:
                feed.follow(self._woken.set)
                self._seen[feed] = feed.number_seen(0)
                continue
            changes = feed.changes_after(self._seen[feed]) or ()
            for change in changes:
                for webhook in webhooks if change.event in EVENTS else ():
                    if change.event in webhook.events:
                        body = f'{{"match_id":{_quoted(feed)},"event":"{change.event}","data":{change.data}}}'
                        self._book.owe(webhook.webhook_id, feed.event_id(change), change.event, body)
            self._seen[feed] = changes[-1].number if changes else feed.number_seen(0)

    def _tell(self, delivery: Delivery) -> None:
        webhook = next((each for each in self._book.all() if each.webhook_id == delivery.webhook_id), None)
        if webhook is None:
            return
        try:
            answer = self._http.post(
                webhook.url, content=delivery.body.encode(), headers=self._headers(webhook, delivery)
            )
            status: int | None = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL):
            status = None
        self._book.tried(delivery, status)

    def _headers(self, webhook: Webhook, delivery: Delivery) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "User-Agent": "TouchJudge",
            "TouchJudge-Event": delivery.event,
            "TouchJudge-Delivery": delivery.event_id,
            SIGNATURE: signature(webhook.secret, int(self._now().timestamp()), delivery.body.encode()),
        }


def signature(secret: str, at_s: int, body: bytes) -> str:
    """What stands in the header: when it was signed, and the signature.

    >>> signature("whsec_x", 5, b"{}")
    't=5,v1=f10923ae588677114170c6e35312691c1c76dc1fceebf1d2f1191385501c5ff7'
    """
    signed = hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at_s},v1={signed}"


def _quoted(feed: MatchFeed) -> str:
    return canonical(feed.match_id)
