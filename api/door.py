"""The door of the web server: who comes in, how fast, with how much, and what is written down about it.

It stands before every route, as plain ASGI, so that a stream for a thousand displays costs nothing more.
"""

import asyncio
import hashlib
import ipaddress
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

import structlog
from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.access import LOCAL, SHOWS_NOTHING, SHOWS_UNKNOWN, Principal
from api.access import Scope as TokenScope
from api.errors import MisuseError
from api.logs import Trouble
from api.problems import fault_response, problem_response, refuse_socket
from api.session_schemas import SessionIn
from api.settings import Settings
from api.store.answers import Given, OtherRequestError, UnknownOutcomeError
from api.store.audit import AuditLine
from api.store.database import StoreError
from api.store.shelf import Store
from api.tournament_file import CHARACTERS_AT_MOST

LARGEST_BODY_BYTES = 64 << 10
"""The longest text that a review may carry is 2,000 characters; this is ten times a whole review."""
TOURNAMENT = "/api/v1/tournament"
LARGEST_PLAN_BYTES = LARGEST_BODY_BYTES + 12 * CHARACTERS_AT_MOST
"""The longest tournament with every character escaped as JSON allows it: `\\ud83c\\udca1` is one card."""
LONGEST_KEY = 200
COOKIE = "touchjudge"
SUBPROTOCOL = "touchjudge"
"""What a page speaks over a WebSocket; its token goes beside it as ``bearer.TOKEN``, in place of a header."""
SESSION = "/api/v1/session"
"""Where a browser gives a token to be remembered, and forgets it."""
TOKEN_CACHE_S = 1.0
"""A token that is revoked opens nothing any more after this long."""
MOST_CACHED = 10_000
WRITING = frozenset({"POST", "PUT", "PATCH", "DELETE"})

SAFE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; base-uri 'none';"
        " object-src 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}
"""Pages load nothing from elsewhere and run no script but ours, whatever a table file says."""


class TurnedAwayError(Exception):
    """A request that does not come in."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = dict(headers or {})


class Buckets:
    """How often each may come: so many at once, then so many a second."""

    def __init__(self, per_s: float, burst: int, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._burst = burst
        self._clock_s = clock_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, name: str) -> float:
        """0 where ``name`` may come now, which counts; else how long it has to wait."""
        now_s = self._clock_s()
        left, at_s = self._left.pop(name, (float(self._burst), now_s))
        left = min(left + (now_s - at_s) * self._per_s, float(self._burst))
        may = left >= 1
        self._left[name] = (left - 1 if may else left), now_s
        while len(self._left) > MOST_CACHED:
            self._left.popitem(last=False)
        return 0.0 if may else (1 - left) / self._per_s


Place = tuple[str, str, int]
"""Scheme, host and port: where a page comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorPlan:
    """How a server is guarded."""

    wants_tokens: bool = False
    """Whether everybody needs a token: as soon as more than this machine is served."""
    hosts: frozenset[str] | None = frozenset({"localhost", "127.0.0.1", "::1"})
    """Names under which it may be asked. None: under any address in numbers, and these ``names``."""
    names: frozenset[str] = frozenset()
    origins: frozenset[Place] = frozenset()
    """Where pages may come from that write here, beside the server's own."""
    settings: Settings = field(default_factory=Settings)


class Door:
    """Guards an application."""

    def __init__(
        self, app: ASGIApp, *, plan: DoorPlan, store: Store | None, count: Callable[[int], None]
    ) -> None:
        self._app = app
        self._plan = plan
        self._store = store
        self._count = count
        """Told of the status of every request to change something."""
        settings = plan.settings
        self._pace = Buckets(settings.requests_per_s, settings.burst)
        self._wrong = Buckets(settings.wrong_tokens_per_s, 10)
        self._known: OrderedDict[str, tuple[float, Principal | None]] = OrderedDict()
        self._audit_lost = Trouble("audit_lost")
        self._answers_lost = Trouble("answers_not_remembered")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        sender = _safely(send)
        if scope["method"] == "HEAD":
            headers_only = _HeadersOnly(sender)
            scope, receive, sender = {**scope, "method": "GET"}, headers_only.receive, headers_only.send
        is_write = scope["method"] in WRITING
        body = b""
        try:
            self._check_host(headers)
            if is_write:
                self._check_origin(scope, headers)
                body = await _whole(receive, headers, await self._most_bytes(scope, headers))
            scope["principal"] = await self._principal(scope, _shown_tokens(scope, headers, body))
            self._check_pace(scope)
        except TurnedAwayError as error:
            if is_write:
                await self._audit(scope, body, error.status)
            await problem_response(error.status, str(error), error.headers)(scope, receive, sender)
            return
        if is_write:
            await self._write(scope, headers, body, sender)
        else:
            await self._app(scope, receive, sender)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The same for a WebSocket, which a page of another server could open too."""
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(scope, headers)
            scope["principal"] = await self._principal(scope, _shown_tokens(scope, headers))
            self._check_pace(scope)
        except TurnedAwayError as error:
            await receive()
            await refuse_socket(
                scope, receive, send, status=error.status, detail=str(error), headers=error.headers
            )
            return
        await self._app(scope, receive, send)

    async def _most_bytes(self, scope: Scope, headers: Headers) -> int:
        """How large a body may be: only who is known may send more than a review, and only a tournament."""
        if scope["path"] != TOURNAMENT or scope["method"] != "POST":
            return LARGEST_BODY_BYTES
        who = await self._principal(scope, _shown_tokens(scope, headers))
        return LARGEST_PLAN_BYTES if isinstance(who, Principal) else LARGEST_BODY_BYTES

    # -- who comes in ---------------------------------------------------------------------------------------

    def _check_host(self, headers: Headers) -> None:
        """A page elsewhere may point its own name at this machine; it cannot choose the name it asks for."""
        name = _host_name(headers.get("host", ""))
        allowed = self._plan.hosts
        if allowed is not None and (name in allowed or name in self._plan.names):
            return
        if allowed is None and (_is_address(name) or name in self._plan.names):
            return
        raise TurnedAwayError(421, f"this server is not called {name!r} (TOUCHJUDGE_HOSTS names it so)")

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """A page from elsewhere that is open in the same browser writes nothing here, and follows nothing."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        own = _place(f"{_web_scheme(scope)}://{headers.get('host', '')}")
        is_own = origin is None or _place(origin) in {own, *self._plan.origins} - {None}
        if not is_own or site in {"cross-site", "same-site"}:
            does = "open no socket" if scope["type"] == "websocket" else "write nothing"
            wanted = "want a page of this server, or one that TOUCHJUDGE_ORIGINS names"
            raise TurnedAwayError(403, f"a page of another server may {does} here ({wanted})")

    async def _principal(self, scope: Scope, shown: tuple["_ShownToken", ...]) -> Principal | str:
        """Who asks, or why nobody is known; who shows nothing but wrong tokens too often is turned away.

        Every token is looked up before anything is limited, so that one that is right always comes in,
        whoever else shows wrong ones behind the same router. Guessing is no easier for it: a token has 256
        random bits, and what a wrong one costs is a hash and at most one read by primary key. The limit keeps
        those who guess from learning anything but 429, and logs readable.
        """
        if not shown or self._store is None:
            return SHOWS_NOTHING if self._plan.wants_tokens else LOCAL
        for token in shown:
            bearer = await self._bearer(token.text)
            if bearer is None:
                continue
            if token.is_in_address and bearer.scopes != {TokenScope.OVERLAY}:
                return (
                    "a token that may do more than watch goes into the Authorization header, not the address"
                )
            scope["holds"] = partial(self._holds, token.text)
            return bearer
        wait_s = 0.0 if _is_leaving(scope) else self._wrong.wait_s(_client(scope))
        if wait_s:
            raise TurnedAwayError(429, "too many wrong tokens from this address", _retry(wait_s))
        return SHOWS_UNKNOWN

    async def _holds(self, text: str) -> bool:
        """Whether a token that opened a stream still holds; it does not where that cannot be looked up."""
        try:
            return await self._bearer(text) is not None
        except TurnedAwayError:
            return False

    async def _bearer(self, text: str) -> Principal | None:
        name, now_s = hashlib.sha256(text.encode()).hexdigest(), time.monotonic()
        known = self._known.get(name)
        if known is None or now_s - known[0] > TOKEN_CACHE_S:
            assert self._store is not None
            try:
                found = await to_thread.run_sync(self._store.tokens.bearer, text)
            except StoreError as error:
                raise TurnedAwayError(503, f"no token can be looked up: {error}") from None
            known = self._known[name] = now_s, self._late(found)
            while len(self._known) > MOST_CACHED:
                self._known.popitem(last=False)
        return known[1]

    def _late(self, bearer: Principal | None) -> Principal | None:
        """``bearer`` with the delay of its class."""
        if bearer is None or bearer.scopes != {TokenScope.OVERLAY}:
            return bearer
        delay_s = max(bearer.delay_s, self._plan.settings.overlay_delay_s)
        return Principal(bearer.name, bearer.scopes, delay_s)

    def _check_pace(self, scope: Scope) -> None:
        principal = scope["principal"]
        if principal is LOCAL:
            return
        name = principal.name if isinstance(principal, Principal) else _client(scope)
        wait_s = self._pace.wait_s(f"{name}@{_client(scope)}")
        if wait_s:
            raise TurnedAwayError(429, "too many requests; wait a moment", _retry(wait_s))

    # -- writes ---------------------------------------------------------------------------------------------

    async def _write(self, scope: Scope, headers: Headers, body: bytes, send: Send) -> None:
        """Answer a request to change something, the same one twice alike, and write it down first."""
        heard = _Heard()
        try:
            await self._answer(scope, headers, body, heard)
        except Exception as error:
            await self._audit(scope, body, 500)
            await fault_response(error)(scope, _told(body), send)
            raise
        await self._audit(scope, body, heard.status)
        await heard.pass_on(send)

    async def _answer(self, scope: Scope, headers: Headers, body: bytes, heard: "_Heard") -> None:
        key = headers.get("idempotency-key")
        principal = scope["principal"]
        if key is None or self._store is None or not isinstance(principal, Principal) or _is_sign_in(scope):
            await self._app(scope, _told(body), heard)
            return
        asked = (principal.name, f"{scope['method']} {scope['path']}", key)
        try:
            given = await self._begun(asked, body)
        except TurnedAwayError as error:
            await problem_response(error.status, str(error))(scope, _told(body), heard)
            return
        if given is not None:
            heard.repeat(given)
            return
        await self._app(scope, _told(body), heard)
        await self._remember(asked, heard)

    async def _begun(self, asked: tuple[str, str, str], body: bytes) -> Given | None:
        if not 0 < len(asked[2]) <= LONGEST_KEY:
            raise TurnedAwayError(422, f"Idempotency-Key: want 1 to {LONGEST_KEY} characters")
        assert self._store is not None
        try:
            return await to_thread.run_sync(self._store.answers.begin, *asked, body)
        except StoreError as error:
            raise TurnedAwayError(503, f"nothing was entered: {error}") from None
        except OtherRequestError:
            raise TurnedAwayError(
                422, "Idempotency-Key: it was used for another request; want a new one"
            ) from None
        except UnknownOutcomeError:
            raise TurnedAwayError(
                409,
                "this request was begun before, and how it went is not known (yet): look whether it was"
                " entered, and send it with a new Idempotency-Key if not",
            ) from None

    async def _remember(self, asked: tuple[str, str, str], heard: "_Heard") -> None:
        """What was entered is answered alike for ever; what was not may be sent again.

        Where the store fails now, it is answered all the same: asked again, nobody can tell how it went.
        """
        assert self._store is not None
        answers, given = self._store.answers, heard.given
        try:
            if 200 <= given.status < 300:
                await to_thread.run_sync(lambda: answers.give(*asked, given))
            else:
                await to_thread.run_sync(lambda: answers.forget(*asked))
        except StoreError as error:
            self._answers_lost.tell(error, path=asked[1], status=given.status)

    async def _audit(self, scope: Scope, body: bytes, status: int) -> None:
        self._count(status)
        if self._store is None:
            return
        principal = scope.get("principal")
        line = AuditLine(
            who=principal.name if isinstance(principal, Principal) else "nobody known",
            client=_client(scope),
            method=scope["method"],
            path=scope["path"],
            status=status,
            request_digest=hashlib.sha256(body).hexdigest(),
        )
        structlog.get_logger().info(
            "write", who=line.who, client=line.client, method=line.method, path=line.path, status=status
        )
        try:
            await to_thread.run_sync(self._store.audit.write, line)
        except StoreError as error:  # what was entered is entered, and must be answered so
            self._audit_lost.tell(error, path=scope["path"], status=status)


class _Heard:
    """Holds an answer until it is remembered."""

    def __init__(self) -> None:
        self._start: Message = {"type": "http.response.start", "status": 500, "headers": []}
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")

    @property
    def status(self) -> int:
        """Of the answer."""
        return int(self._start["status"])

    @property
    def given(self) -> Given:
        """The answer, to be kept."""
        media_type = Headers(raw=self._start["headers"]).get("content-type", "")
        return Given(self.status, media_type, self._body)

    def repeat(self, given: Given) -> None:
        """Answer what was answered before."""
        headers = MutableHeaders(raw=[])
        headers["Content-Type"] = given.media_type
        headers["Content-Length"] = str(len(given.body))
        headers["Idempotent-Replayed"] = "true"
        self._start = {"type": "http.response.start", "status": given.status, "headers": headers.raw}
        self._body = given.body

    async def pass_on(self, send: Send) -> None:
        """Send what was heard."""
        await send(self._start)
        await send({"type": "http.response.body", "body": self._body})


def _place(address: str) -> Place | None:
    """Where a page of ``address`` comes from. None: from nowhere that has a name.

    >>> _place("http://Table.local"), _place("https://[::1]:8765"), _place("null")
    (('http', 'table.local', 80), ('https', '::1', 8765), None)
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    if usual is None or not parts.hostname or parts.path not in {"", "/"} or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, usual if port is None else port


def _web_scheme(scope: Scope) -> str:
    """How the page that opened a request or a socket was had."""
    told = str(scope.get("scheme", "http"))
    return {"ws": "http", "wss": "https"}.get(told, told)


async def _whole(receive: Receive, headers: Headers, most_bytes: int) -> bytes:
    """The body; 413 where it is larger than any that can be meant."""
    told = headers.get("content-length", "")
    too_large = TurnedAwayError(413, f"want at most {most_bytes} bytes")
    if told.isdecimal() and (len(told) > 9 or int(told) > most_bytes):
        raise too_large
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise TurnedAwayError(400, "the request was cut off")
        body += bytes(message.get("body", b""))
        if len(body) > most_bytes:
            raise too_large
        if not message.get("more_body"):
            return body


def _told(body: bytes) -> Receive:
    """A body that was read before, for the application."""
    told = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return told.pop() if told else {"type": "http.disconnect"}

    return receive


class _HeadersOnly:
    """Answers HEAD with what GET would answer, less the content: the application is left once it began."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_begun = asyncio.Event()
        self._is_asked = False

    async def receive(self) -> Message:
        """A request without a body, then nobody who listens."""
        if not self._is_asked:
            self._is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._is_begun.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Pass on the headers, and that nothing follows."""
        if message["type"] == "http.response.start" and not self._is_begun.is_set():
            await self._send(message)
            await self._send({"type": "http.response.body", "body": b""})
            self._is_begun.set()


def _safely(send: Send) -> Send:
    """Adds the headers that make a browser careful, where an answer has none of its own."""

    async def send_safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            for name, value in SAFE_HEADERS.items():
                headers.setdefault(name, value)
            message = {**message, "headers": headers.raw}
        await send(message)

    return send_safely


@dataclass(frozen=True, slots=True)
class _ShownToken:
    """A token that a request shows."""

    text: str
    is_in_address: bool = False


def _shown_tokens(scope: Scope, headers: Headers, body: bytes = b"") -> tuple[_ShownToken, ...]:
    """The tokens of a request, the one that was meant most first.

    A browser that signs in means the token that it gives, not one that it remembers; what stands in a header
    was meant; a cookie is sent along whatever the address says.
    """
    if _is_sign_in(scope):
        return _token_in_body(body)
    kind, _, text = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return (_ShownToken(text.strip()),)
    for spoken in scope.get("subprotocols", ()):
        if spoken.startswith("bearer."):
            return (_ShownToken(spoken.removeprefix("bearer.")),)
    found: list[_ShownToken] = []
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        cookie = None
    if cookie is not None:
        found.append(_ShownToken(cookie.value))
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token")
    if asked:
        found.append(_ShownToken(asked[0], is_in_address=True))
    return tuple(found)


def _token_in_body(body: bytes) -> tuple[_ShownToken, ...]:
    """What a browser gives to be remembered, read as the route reads it; nothing where that refuses it."""
    try:
        given = SessionIn.model_validate(json.loads(body))
    except (ValueError, RecursionError):
        return ()
    return (_ShownToken(given.token),)


def _is_sign_in(scope: Scope) -> bool:
    """Whether a browser gives a token to be remembered."""
    return scope["path"] == SESSION and scope.get("method") == "POST"


def _is_leaving(scope: Scope) -> bool:
    """Whether a browser forgets its token: it is answered alike whatever the token, and tells no guesser."""
    return scope["path"] == SESSION and scope.get("method") == "DELETE"


def _client(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "?"


def _host_name(host: str) -> str:
    """The name in a Host header, without its port; all of it where what follows is no port.

    >>> _host_name("localhost:8765"), _host_name("[::1]:8765"), _host_name("Table.local")
    ('localhost', '::1', 'table.local')
    >>> _host_name("localhost:8765@elsewhere")
    'localhost:8765@elsewhere'
    """
    name, _, port = host[1:].partition("]") if host.startswith("[") else host.partition(":")
    is_port = not port.removeprefix(":") or port.removeprefix(":").isdecimal()
    return (name if is_port else host).lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _retry(wait_s: float) -> dict[str, str]:
    return {"Retry-After": str(int(wait_s) + 1)}


def plan_for(host: str, settings: Settings, machine: str) -> DoorPlan:
    """How to guard a server that answers on ``host``, on the machine of this name."""
    named = frozenset(name.strip().lower() for name in settings.hosts.split(",") if name.strip())
    if is_loopback(host):
        here = frozenset({"localhost", "127.0.0.1", "::1", host.lower()})
        return DoorPlan(hosts=here, names=named, origins=_origins_of(settings), settings=settings)
    own = frozenset({"localhost", host.lower(), machine.lower(), f"{machine.lower()}.local"})
    return DoorPlan(
        wants_tokens=True, hosts=None, names=named | own, origins=_origins_of(settings), settings=settings
    )


def _origins_of(settings: Settings) -> frozenset[Place]:
    """The addresses that a person set; ``MisuseError`` where one is none."""
    found: set[Place] = set()
    for text in filter(None, (each.strip() for each in settings.origins.split(","))):
        place = _place(text)
        if place is None:
            raise MisuseError(
                f"TOUCHJUDGE_ORIGINS: want addresses such as https://table.example, got {text!r}"
            )
        found.add(place)
    return frozenset(found)


def is_loopback(host: str) -> bool:
    """Whether only this machine is served."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
