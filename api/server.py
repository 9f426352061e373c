"""The web server beside a running match: its own thread, a free port, a clean end."""

import errno
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from api.app import create_app
from api.door import plan_for
from api.errors import CommandError
from api.hub import Hub
from api.machine import is_unspecified, web_address
from api.settings import Settings
from api.store.shelf import Store
from api.webhook_sender import WebhookSender

DEFAULT_HOST = "127.0.0.1"
"""Only this machine: a table's picture is nobody else's business unless its owner says so."""

DEFAULT_PORT = 8765

START_LIMIT_S = 15.0
"""A server that is not up by then will not come; starting takes well under a second."""

MOST_CONNECTIONS = 5_000
"""Five times the displays of a large stream; beyond it the server says that it is busy."""

STOP_LIMIT_S = 3
"""Seconds that open streams get to end."""


def bound_socket(host: str, port: int | None) -> socket.socket:
    """A socket on ``port``; with None on the default port, or on any free one where that is taken.

    ``CommandError`` where the address cannot be had.
    """
    wanted = (DEFAULT_PORT, 0) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in wanted:
        server_socket = socket.socket(family, socket.SOCK_STREAM)
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server_socket.bind((host, candidate))
            server_socket.listen()
        except (socket.gaierror, UnicodeError):
            server_socket.close()
            raise CommandError(f"cannot serve on {host!r}: no such host") from None
        except OSError as error:
            server_socket.close()
            if error.errno == errno.EADDRNOTAVAIL:
                raise CommandError(f"cannot serve on {host!r}: no address of this machine") from None
            reason = error.strerror
        else:
            return server_socket
    at_port = "" if port is None else f" port {port}"
    raise CommandError(f"cannot serve on {host}{at_port}: {reason}")


@contextmanager
def serving(
    hub: Hub,
    *,
    host: str = DEFAULT_HOST,
    port: int | None = None,
    store: Store | None = None,
    settings: Settings | None = None,
) -> Iterator[str]:
    """Serve ``hub`` while the block runs; gives the address, such as ``http://127.0.0.1:8765``.

    Beyond this machine everybody needs a token of ``store``.
    """
    server_socket = bound_socket(host, port)
    plan = plan_for(host, settings or Settings(), socket.gethostname())
    config = uvicorn.Config(
        create_app(hub, plan=plan, store=store),
        proxy_headers=False,
        server_header=False,
        log_level="error",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=STOP_LIMIT_S,
        limit_concurrency=MOST_CONNECTIONS,
        ws_per_message_deflate=False,  # a thousand displays would each have it compressed anew
    )
    server = uvicorn.Server(config)
    started = threading.Event()
    thread = threading.Thread(
        target=_serve, args=(server, server_socket, started), name="touchjudge-web", daemon=True
    )
    thread.start()
    sender = None if store is None else WebhookSender(hub, store.webhooks)
    try:
        if sender is not None:
            sender.start()
        _wait_until_up(server, thread, started)
        bound_host, bound_port = server_socket.getsockname()[:2]
        yield web_address(_host_to_open(bound_host), bound_port)
    finally:
        hub.close()
        if sender is not None:
            sender.stop()
        server.should_exit = True
        thread.join(STOP_LIMIT_S + 2)
        server_socket.close()


def _host_to_open(host: str) -> str:
    """What opens a server on ``host`` from this machine."""
    if not is_unspecified(host):
        return host
    return "::1" if ":" in host else "127.0.0.1"


def _serve(server: uvicorn.Server, server_socket: socket.socket, started: threading.Event) -> None:
    try:
        server.run(sockets=[server_socket])
    finally:
        started.set()


def _wait_until_up(server: uvicorn.Server, thread: threading.Thread, gone: threading.Event) -> None:
    waited_s = 0.0
    while not server.started:
        if gone.wait(0.02) or not thread.is_alive() or waited_s > START_LIMIT_S:
            raise CommandError("the web server did not start")
        waited_s += 0.02
