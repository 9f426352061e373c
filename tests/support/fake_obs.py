"""An OBS that speaks obs-websocket 5 by its protocol.md: greeting, challenge, requests, close codes."""

import base64
import hashlib
import secrets
import threading
from types import TracebackType
from typing import Any, Self

import msgpack
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

HELLO, IDENTIFY, IDENTIFIED, REQUEST, RESPONSE = 0, 1, 2, 6, 7
SUCCESS, NOT_RUNNING, UNKNOWN = 100, 501, 204
AUTHENTICATION_FAILED = 4009
KNOWN = {"CreateRecordChapter", "SaveReplayBuffer"}


class FakeObs:
    """Notes what it is asked. ``failing``: requests that it refuses, with why."""

    def __init__(self, password: str = "", port: int = 0) -> None:
        self.failing: dict[str, str] = {}
        self.asked: list[tuple[str, dict[str, Any] | None]] = []
        self.greeted = 0
        self.is_dumb = False
        self._password = password
        self._open: set[ServerConnection] = set()
        self._news = threading.Condition()
        self._server = serve(self._talk, "127.0.0.1", port, subprotocols=["obswebsocket.msgpack"])
        self.port = int(self._server.socket.getsockname()[1])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave, as OBS does when it is quit."""
        for connection in list(self._open):
            connection.close(1001)
        self._server.shutdown()
        self._thread.join()

    def wait_for(self, wanted: int) -> list[tuple[str, dict[str, Any] | None]]:
        """The first ``wanted`` requests, once there are so many."""
        with self._news:
            assert self._news.wait_for(lambda: len(self.asked) >= wanted, 30), self.asked
        return self.asked[:wanted]

    def wait_until_greeted(self, times: int = 1) -> None:
        with self._news:
            assert self._news.wait_for(lambda: self.greeted >= times, 30)

    def _talk(self, connection: ServerConnection) -> None:
        self._open.add(connection)
        try:
            if self.is_dumb or self._lets_in(connection):
                for message in connection:
                    self._answer(connection, msgpack.unpackb(message))
        except ConnectionClosed:
            pass
        finally:
            self._open.discard(connection)

    def _lets_in(self, connection: ServerConnection) -> bool:
        challenge, salt = (base64.b64encode(secrets.token_bytes(32)).decode() for _ in range(2))
        hello: dict[str, Any] = {"obsWebSocketVersion": "5.5.4", "rpcVersion": 1}
        if self._password:
            hello["authentication"] = {"challenge": challenge, "salt": salt}
        connection.send(msgpack.packb({"op": HELLO, "d": hello}))
        said = msgpack.unpackb(connection.recv())
        assert said["op"] == IDENTIFY
        assert said["d"]["rpcVersion"] == 1
        secret = base64.b64encode(hashlib.sha256((self._password + salt).encode()).digest())
        wanted = base64.b64encode(hashlib.sha256(secret + challenge.encode()).digest()).decode()
        if self._password and said["d"].get("authentication") != wanted:
            connection.close(AUTHENTICATION_FAILED, "Authentication failed.")
            return False
        connection.send(msgpack.packb({"op": IDENTIFIED, "d": {"negotiatedRpcVersion": 1}}))
        with self._news:
            self.greeted += 1
            self._news.notify_all()
        return True

    def _answer(self, connection: ServerConnection, message: dict[str, Any]) -> None:
        assert message["op"] == REQUEST
        what, asked = message["d"]["requestType"], message["d"]
        status: dict[str, Any] = {"result": True, "code": SUCCESS}
        if what not in KNOWN:
            status = {"result": False, "code": UNKNOWN}
        elif what in self.failing:
            status = {"result": False, "code": NOT_RUNNING, "comment": self.failing[what]}
        answer = {"requestType": what, "requestId": asked["requestId"], "requestStatus": status}
        connection.send(msgpack.packb({"op": RESPONSE, "d": answer}))
        with self._news:
            self.asked.append((what, asked.get("requestData")))
            self._news.notify_all()
