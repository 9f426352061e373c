"""A store that takes no more: said in one line, answered as that, and no secret gets into a log by it."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import structlog
from asking_app import BEYOND, Asked
from desk_match import DeskMatch
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError, OperationalError

from api.access import Scope
from api.hub import Hub
from api.logs import LogFile, Trouble, log_errors_only
from api.store.database import forgetful_database, open_database
from api.store.tables import ANSWERS

MATCH = "/api/v1/matches/friday"
CALL = {"call": "nerts", "seat": "south"}
LOGS = ["console", "file"]


@pytest.fixture
def asked(played: DeskMatch) -> Iterator[Asked]:
    """A server that answers more than this machine."""
    hub = Hub()
    hub.add(played.feed, played.desk)
    with Asked(hub, plan=BEYOND) as asked:
        yield asked


def fill(asked: Asked) -> None:
    """From now on the database writes nothing, and says so."""
    with asked.store.database.engine.connect() as connection:
        connection.execute(text("PRAGMA query_only=ON"))


def break_off(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the database answers nothing at all."""

    def gone() -> None:
        raise OperationalError("SELECT", {}, Exception("disk I/O error"))

    monkeypatch.setattr(asked.store.database.engine, "begin", gone)


@pytest.fixture
def admin(asked: Asked) -> str:
    return asked.store.tokens.make("admin", [Scope.ADMIN])[0]


class Log:
    """What a server's log holds, of either kind."""

    def __init__(self, kind: str, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._path, self._capsys = path, capsys
        self._file = LogFile(path) if kind == "file" else None
        if self._file is None:
            log_errors_only()

    def text(self) -> str:
        captured = self._capsys.readouterr()
        return (self._path.read_text() if self._file else "") + captured.out + captured.err

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        structlog.reset_defaults()


@pytest.fixture(params=LOGS)
def log(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Log]:
    log = Log(request.param, tmp_path / "touchjudge.log", capsys)
    yield log
    log.close()


def test_no_log_holds_a_token_when_the_store_is_full(asked: Asked, admin: str, log: Log):
    fill(asked)

    asked.post("/api/v1/session", json={"token": admin}, token=admin)
    asked.post(f"{MATCH}/calls", json=CALL, token=admin)

    said = log.text()
    assert "audit_lost" in said
    assert admin not in said
    assert admin.split("_", 2)[2][:12] not in said


def test_what_fails_again_and_again_is_one_line(asked: Asked, admin: str, log: Log):
    fill(asked)

    for _ in range(5):
        asked.post("/api/v1/session", json={"token": admin})

    lines = [line for line in log.text().splitlines() if '"info"' not in line]
    assert len(lines) == 1, lines
    assert "readonly database" in lines[0]


def test_a_trace_in_a_log_shows_no_values(log: Log):
    def fail(given: str) -> None:
        raise ValueError(len(given))

    try:
        fail("the-secret-of-" + "somebody")
    except ValueError:
        structlog.get_logger().exception("fault")

    said = log.text()
    assert "ValueError" in said
    assert "the-secret-of-somebody" not in said


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_no_error_of_the_store_shows_what_was_written(tmp_path: Path, kind: str):
    database = open_database(tmp_path) if kind == "file" else forgetful_database()
    row = insert(ANSWERS).values(key_digest="a-secret", request_digest="x", begun_at="now")
    try:
        with database.transaction() as connection:
            connection.execute(row)
        with pytest.raises(IntegrityError) as raised, database.transaction() as connection:
            connection.execute(row)
    finally:
        database.close()

    assert "a-secret" not in str(raised.value)


def test_trouble_is_told_at_once_then_counted(log: Log):
    now_s = [0.0]
    trouble = Trouble("lost", every_s=10.0, clock_s=lambda: now_s[0])

    for at_s in (0.0, 1.0, 2.0, 10.0, 11.0):
        now_s[0] = at_s
        trouble.tell(OSError("full"), path="/x")

    lines = log.text().splitlines()
    counts = [json.loads(line)["times"] for line in lines if line.startswith("{")]
    assert len(lines) == 2
    assert counts in ([1, 3], [])


def problem(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.headers["content-type"]


def test_a_key_that_cannot_be_kept_is_answered_503(asked: Asked, admin: str):
    fill(asked)

    answer = asked.post(f"{MATCH}/calls", json=CALL, token=admin, headers={"Idempotency-Key": "k1"})

    assert problem(answer) == (503, "application/problem+json")
    assert answer.json()["detail"].startswith("nothing was entered: the store does not answer: ")
    assert asked.get(f"{MATCH}/calls", token=admin).json() == []


def test_what_was_entered_is_answered_so_where_the_answer_cannot_be_kept(
    asked: Asked, admin: str, monkeypatch: pytest.MonkeyPatch
):
    give = asked.store.answers.give

    def full(*args: object) -> None:
        fill(asked)
        give(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(type(asked.store.answers), "give", lambda _, *args: full(*args))
    entered, again = (
        asked.post(f"{MATCH}/calls", json=CALL, token=admin, headers={"Idempotency-Key": "k1"})
        for _ in range(2)
    )

    assert (entered.status_code, again.status_code) == (201, 409)
    assert "how it went is not known" in again.json()["detail"]


def test_a_store_that_does_not_answer_lets_nobody_in_and_says_so(
    asked: Asked, admin: str, monkeypatch: pytest.MonkeyPatch
):
    break_off(asked, monkeypatch)

    answers = [
        asked.get(f"{MATCH}/score", token=admin),
        asked.post(f"{MATCH}/calls", json=CALL, token=admin),
        asked.post("/api/v1/session", json={"token": admin}),
    ]

    assert [problem(answer) for answer in answers] == [(503, "application/problem+json")] * 3


def test_a_log_that_cannot_be_written_stops_no_request(asked: Asked, admin: str):
    log = LogFile(Path("/dev/full"))
    try:
        answer = asked.post(f"{MATCH}/calls", json=CALL, token=admin)
    finally:
        log.close()

    assert answer.status_code == 201
