"""The stream of changes, of a match or of the whole server, as server-sent events for a thousand displays.

All displays of a match that see it equally late are woken by one bell and sent the same bytes, made once.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol
from weakref import WeakKeyDictionary

from fastapi import Response
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from api.feed import Change

SIGN_OF_LIFE_S = 1.0
"""Seconds between signs of life on a quiet stream; displays call a score stale after several missed ones."""

LOOK_AT_TOKENS_S = 2.0
"""Between looks whether a token still holds; a look waits for the next sign of life."""

RECONNECT_MS = 1_000
"""How long a browser waits before it comes back after a lost connection."""

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}


class Followed(Protocol):
    """What is followed: a match, or the whole server."""

    @property
    def is_closed(self) -> bool:
        """Whether the server is leaving."""
        ...

    def follow(self, waker: Callable[[], None]) -> Callable[[], None]:
        """Call ``waker`` after every change, from any thread. Returns what ends that."""
        ...

    def snapshot(self, delay_s: float = 0) -> Change:
        """Everything up to ``delay_s`` ago, for who has nothing yet."""
        ...

    def changes_after(self, number: int, delay_s: float = 0) -> tuple[Change, ...] | None:
        """What changed since ``number``; None where that is not kept."""
        ...

    def number_seen(self, delay_s: float) -> int:
        """The last change that may be seen ``delay_s`` later than it was made."""
        ...

    def next_due_s(self, number: int, delay_s: float) -> float | None:
        """In how many seconds the first change after ``number`` may be seen. None: there is none."""
        ...

    def alive_seen(self, delay_s: float) -> BaseModel:
        """A sign of life."""
        ...

    def event_id(self, change: Change) -> str:
        """The id that a display gives back to go on after ``change``."""
        ...

    def number_of(self, event_id: str | None) -> int | None:
        """The change that ``event_id`` names. None: it is none of these."""
        ...


class _Stroke:
    """One ring of a bell."""

    __slots__ = ("is_change", "struck")

    def __init__(self) -> None:
        self.struck = asyncio.Event()
        self.is_change = False
        """False: nothing changed for a while."""


class Bell:
    """Wakes all displays of one match that see it equally late, and makes what they are sent."""

    def __init__(self, feed: Followed, delay_s: float) -> None:
        self.feed = feed
        self.delay_s = delay_s
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()
        self._next = _Stroke()
        self._made: dict[int, tuple[int, bytes]] = {}
        """What a display that has a number is sent, and the number that it has then."""
        self._messages: dict[int, tuple[int, tuple[str, ...]]] = {}
        """The same for a display that has a socket."""
        self._alive = b""
        self._unfollow = feed.follow(self._ring_from_any_thread)
        self._task = self._loop.create_task(self._tick())

    async def wait(self) -> bool:
        """Wait for the next change; whether there was one, or only a while of quiet."""
        stroke = self._next
        await stroke.struck.wait()
        return stroke.is_change

    def since(self, number: int | None) -> tuple[int, bytes]:
        """All that a display needs that has ``number``, as events; None: it has nothing."""
        made = None if number is None else self._made.get(number)
        if made is None:
            last, changes = self.changes_since(number)
            made = last, b"".join(self._event(change) for change in changes)
            if number is not None:
                self._made[number] = made
        return made

    def messages_since(self, number: int | None) -> tuple[int, tuple[str, ...]]:
        """The same as messages of a socket."""
        made = None if number is None else self._messages.get(number)
        if made is None:
            last, changes = self.changes_since(number)
            made = last, tuple(self._message(change) for change in changes)
            if number is not None:
                self._messages[number] = made
        return made

    def changes_since(self, number: int | None) -> tuple[int, tuple[Change, ...]]:
        """The same as changes, a snapshot first where the display has nothing to go on from."""
        changes = None if number is None else self.feed.changes_after(number, self.delay_s)
        if changes is None or number is None:
            shot = self.feed.snapshot(self.delay_s)
            return shot.number, (shot,)
        return (changes[-1].number if changes else number), changes

    def alive(self) -> bytes:
        """A sign of life."""
        if not self._alive:
            told = self.feed.alive_seen(self.delay_s).model_dump_json()
            self._alive = f"event: alive\ndata: {told}\n\n".encode()
        return self._alive

    def close(self) -> None:
        """Nobody follows any more."""
        self._unfollow()
        self._task.cancel()

    def _event(self, change: Change) -> bytes:
        return (f"event: {change.event}\nid: {self.feed.event_id(change)}\ndata: {change.data}\n\n").encode()

    def _message(self, change: Change) -> str:
        return f'{{"event":"{change.event}","id":"{self.feed.event_id(change)}","data":{change.data}}}'

    def _ring_from_any_thread(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._rung.set)

    async def _tick(self) -> None:
        number = self.feed.number_seen(self.delay_s)
        while True:
            is_rung = await self._is_rung_within(self._quiet_s(number))
            self._rung.clear()
            self._made.clear()
            self._messages.clear()
            self._alive = b""
            changes = self.feed.changes_after(number, self.delay_s)
            if is_rung and changes == () and not self.feed.is_closed:
                continue  # it will be seen later
            number = changes[-1].number if changes else number
            if changes is None:
                number = self.feed.number_seen(self.delay_s)
            stroke, self._next = self._next, _Stroke()
            stroke.is_change = bool(changes) or changes is None or self.feed.is_closed
            stroke.struck.set()

    def _quiet_s(self, number: int) -> float:
        """How long to wait at most: for the change that is due next, or for a sign of life."""
        due_s = self.feed.next_due_s(number, self.delay_s) if self.delay_s > 0 else None
        return SIGN_OF_LIFE_S if due_s is None else min(due_s + 0.001, SIGN_OF_LIFE_S)

    async def _is_rung_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._rung.wait(), seconds)
        except TimeoutError:
            return False
        return True


class Belfry:
    """The bells of one server; each is there while somebody follows."""

    def __init__(self) -> None:
        self._bells: WeakKeyDictionary[Followed, dict[float, tuple[Bell, int]]] = WeakKeyDictionary()
        self.followers = 0
        """Displays that follow now."""

    def take(self, feed: Followed, delay_s: float) -> Bell:
        """The bell for one more display."""
        bells = self._bells.setdefault(feed, {})
        bell, users = bells.get(delay_s) or (Bell(feed, delay_s), 0)
        bells[delay_s] = bell, users + 1
        self.followers += 1
        return bell

    def leave(self, bell: Bell) -> None:
        """A display has left."""
        bells = self._bells[bell.feed]
        users = bells[bell.delay_s][1] - 1
        self.followers -= 1
        if users > 0:
            bells[bell.delay_s] = bell, users
            return
        del bells[bell.delay_s]
        bell.close()


class Watch:
    """Looks now and then whether the token that opened a stream still holds."""

    def __init__(self, scope: Scope) -> None:
        self._holds = scope.get("holds")
        """None: no token was wanted."""
        self._looked_s = asyncio.get_running_loop().time()

    async def may_stay(self) -> bool:
        """Whether the one who follows may go on."""
        now_s = asyncio.get_running_loop().time()
        if self._holds is None or now_s - self._looked_s < LOOK_AT_TOKENS_S:
            return True
        self._looked_s = now_s
        return bool(await self._holds())


class EventStream(Response):
    """The answer that never ends."""

    media_type = "text/event-stream"

    def __init__(self, belfry: Belfry, feed: Followed, delay_s: float, last_event_id: str | None) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._belfry = belfry
        self._feed = feed
        self._delay_s = round(delay_s, 1)
        self._number = feed.number_of(last_event_id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the display or the server leaves."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        bell = self._belfry.take(self._feed, self._delay_s)
        telling = asyncio.create_task(self._tell(bell, send, Watch(scope)))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait((telling, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            telling.cancel()
            leaving.cancel()
            self._belfry.leave(bell)
        await send({"type": "http.response.body", "body": b""})

    async def _tell(self, bell: Bell, send: Send, watch: "Watch") -> None:
        number, first = bell.since(self._number)
        await _send(send, f"retry: {RECONNECT_MS}\n\n".encode() + first)
        while not self._feed.is_closed:
            number, content = bell.since(number)
            if content:
                await _send(send, content)
            elif not await bell.wait():
                await _send(send, bell.alive())
            if not await watch.may_stay():
                return


async def _send(send: Send, content: bytes) -> None:
    await send({"type": "http.response.body", "body": content, "more_body": True})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
