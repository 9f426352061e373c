"""The store on a PostgreSQL server: the same forms, the same books, two servers beside one another."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from api.access import Scope
from api.settings import Settings
from api.store.answers import Given, OtherRequestError, UnknownOutcomeError
from api.store.audit import AuditLine
from api.store.database import StoreError, open_url
from api.store.matches import KeptMatch
from api.store.shelf import Store, open_store
from api.store.tables import METADATA

START_LIMIT_S = "60"


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps them off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if found:
        return found[-1].parent
    return None if on_path is None else Path(on_path).parent


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that answers on a socket in a folder of its own."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'touchjudge[postgres]')")
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    root = Path(tempfile.mkdtemp(prefix="pg"))
    as_user = {"user": "postgres"} if os.geteuid() == 0 else {}
    if as_user:
        shutil.chown(root, "postgres")

    def run(*command: str) -> None:
        subprocess.run(command, check=True, cwd=root, stdout=subprocess.DEVNULL, **as_user)

    data = str(root / "data")
    run(str(folder / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-N")
    options = f"-k {root} -c listen_addresses=''"
    log = str(root / "log")
    run(str(folder / "pg_ctl"), "-D", data, "-l", log, "-w", "-t", START_LIMIT_S, "-o", options, "start")
    yield f"postgresql+psycopg://postgres@/postgres?host={root}"
    run(str(folder / "pg_ctl"), "-D", data, "-w", "-m", "fast", "stop")
    shutil.rmtree(root)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(Settings(database=url))
    yield store
    store.database.migrate("base")
    store.close()


def line(number: int = 0) -> AuditLine:
    return AuditLine(
        who="Rita\u0639",
        client="10.0.0.7",
        method="POST",
        path=f"/api/v1/tokens/{number}",
        status=201,
        request_digest="0" * 64,
    )


def test_the_steps_make_just_the_tables_that_the_program_knows(store: Store):
    with store.database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_down_and_up_again(store: Store):
    store.audit.write(line())

    store.database.migrate("base")
    assert inspect(store.database.engine).get_table_names() == ["alembic_version"]
    store.database.migrate("head")

    assert store.audit.newest(10) == ()


def test_tokens_answers_matches_and_webhooks_are_kept(store: Store, tmp_path: Path):
    text, token = store.tokens.make("Rita", [Scope.REVIEWER], days=1)
    asked = ("Rita", "POST /x", "k1")
    match = KeptMatch(
        match_id="friday",
        table="kitchen",
        game="nerts",
        players=("Ana", "\u0628\u0646"),
        record=tmp_path / "friday.jsonl",
        header_hash="0" * 64,
    )

    store.matches.add(match)
    store.matches.add(match)
    webhook = store.webhooks.make("https://club.example/x", ["verdict"])
    told = [store.webhooks.owe(webhook.webhook_id, "run1-1", "verdict", "{}") for _ in range(2)]

    assert store.tokens.bearer(text).scopes == {Scope.REVIEWER}
    assert store.tokens.revoke(token.token_id)
    assert store.tokens.bearer(text) is None
    assert store.answers.begin(*asked, b"body") is None
    with pytest.raises(UnknownOutcomeError):
        store.answers.begin(*asked, b"body")
    store.answers.give(*asked, Given(201, "application/json", b"{}"))
    assert store.answers.begin(*asked, b"body") == Given(201, "application/json", b"{}")
    with pytest.raises(OtherRequestError):
        store.answers.begin(*asked, b"another")
    assert [(each.match_id, each.players) for each in store.matches.all()] == [
        ("friday", ("Ana", "\u0628\u0646"))
    ]
    assert (told, len(store.webhooks.due())) == ([True, False], 1)
    assert store.webhooks.remove(webhook.webhook_id)
    store.tidy(Settings(audit_days=1))


def test_two_servers_write_beside_one_another(store: Store, url: str):
    other = Store(open_url(url), is_lasting=True)
    writers = [
        threading.Thread(target=lambda each=each: [each.audit.write(line(i)) for i in range(50)])
        for each in (store, other)
    ]

    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert store.audit.size == other.audit.size == 100
    assert store.database.is_well
    other.close()


def test_a_server_that_is_not_there_is_one_line(tmp_path: Path):
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'touchjudge[postgres]')")

    with pytest.raises(StoreError, match="cannot open the store: ") as told:
        open_url(f"postgresql+psycopg://postgres@/postgres?host={tmp_path}")

    assert "\n" not in str(told.value)
