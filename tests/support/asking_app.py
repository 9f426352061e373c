"""An application asked without a socket: quick, for tests of what is answered and not of how it is sent."""

import asyncio
from types import TracebackType
from typing import Self

import httpx

from api.app import create_app
from api.door import DoorPlan
from api.hub import Hub
from api.settings import Settings
from api.store.shelf import Store, forgetful_store

BEYOND = DoorPlan(wants_tokens=True, hosts=None, names=frozenset({"table.local"}), settings=Settings())
"""The door of a server that answers more than this machine."""


class Asked:
    """A client of the application of ``hub``; a store in memory stands behind it."""

    def __init__(self, hub: Hub, *, plan: DoorPlan | None = None, store: Store | None = None) -> None:
        self.store = store or forgetful_store()
        self.app = create_app(hub, plan=plan, store=self.store)
        self._loop = asyncio.new_event_loop()
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False, client=("10.0.0.7", 5000))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.run_until_complete(self._client.aclose())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
        self.store.close()

    def ask(self, method: str, path: str, *, token: str | None = None, **options: object) -> httpx.Response:
        """Ask, with a token if one is given."""
        headers = dict(options.pop("headers", {}))  # type: ignore[call-overload]
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        asking = self._client.request(method, path, headers=headers, **options)  # type: ignore[arg-type]
        return self._loop.run_until_complete(asking)

    def get(self, path: str, **options: object) -> httpx.Response:
        return self.ask("GET", path, **options)  # type: ignore[arg-type]

    def post(self, path: str, **options: object) -> httpx.Response:
        return self.ask("POST", path, **options)  # type: ignore[arg-type]
