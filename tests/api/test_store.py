"""The store: brought up and down without loss of form; tokens, answers and audit over it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from api.access import Permission, Scope
from api.settings import Settings
from api.store.answers import Given, OtherRequestError, UnknownOutcomeError
from api.store.audit import AuditLine
from api.store.database import StoreError, open_database, open_url
from api.store.matches import KeptMatch
from api.store.shelf import Store, forgetful_store, open_store, open_store_or_forget
from api.store.tables import METADATA


class SetClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 30, 7, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def store(tmp_path: Path):
    store = open_store(Settings(home=tmp_path / "home"))
    yield store
    store.close()


def line(path: str = "/api/v1/tokens") -> AuditLine:
    return AuditLine(
        who="Rita", client="10.0.0.7", method="POST", path=path, status=201, request_digest="0" * 64
    )


# --- forms


def test_the_steps_make_just_the_tables_that_the_program_knows(store: Store):
    with store.database.engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), METADATA)

    assert differences == []


def test_down_and_up_again(store: Store):
    store.audit.write(line())

    store.database.migrate("base")
    assert inspect(store.database.engine).get_table_names() == ["alembic_version"]
    store.database.migrate("head")

    assert set(METADATA.tables) < set(inspect(store.database.engine).get_table_names())
    assert store.audit.newest(10) == ()


def test_what_is_kept_is_there_when_it_is_opened_again(tmp_path: Path):
    first = open_database(tmp_path)
    Store(first, is_lasting=True).audit.write(line())
    first.close()

    second = open_database(tmp_path)

    assert [each.path for each in Store(second, is_lasting=True).audit.newest(10)] == ["/api/v1/tokens"]
    second.close()


def test_it_is_in_wal_mode_and_syncs(store: Store):
    with store.database.engine.connect() as connection:
        modes = [
            connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")
        ]

    assert modes == ["wal", 2]


def test_a_store_that_cannot_be_is_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "touchjudge.db").write_bytes(b"this is no database" * 100)

    with pytest.raises(StoreError, match="cannot open the store: "):
        open_database(tmp_path / "file" / "home")
    with pytest.raises(StoreError, match="cannot open the store: file is not a database"):
        open_database(tmp_path)
    with pytest.raises(StoreError, match="cannot open the store: "):
        open_url("nonsense://x")


def test_a_server_that_can_keep_nothing_goes_on_in_memory(tmp_path: Path):
    (tmp_path / "file").write_text("x")

    store, why_not = open_store_or_forget(Settings(home=tmp_path / "file" / "home"))

    store.audit.write(line())
    assert (store.is_lasting, store.audit.size, "cannot open the store" in why_not) == (False, 1, True)
    store.close()


# --- tokens


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def book(clock: SetClock):
    store = forgetful_store()
    store.tokens._now = clock
    yield store.tokens
    store.close()


def test_a_token_is_known_by_its_text_and_kept_without_its_secret(book):
    text_, token = book.make("Rita", [Scope.REVIEWER])

    bearer = book.bearer(text_)

    assert (bearer.name, bearer.scopes, bearer.may(Permission.RESOLVE)) == ("Rita", {Scope.REVIEWER}, True)
    with book._database.engine.connect() as connection:
        kept = str(connection.execute(text("SELECT * FROM tokens")).all())
    assert text_.rpartition("_")[2] not in kept
    assert book.all() == (token,)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text_: "", id="nothing"),
        pytest.param(lambda text_: text_[:-1], id="one character short"),
        pytest.param(lambda text_: text_[:-1] + ("A" if text_[-1] != "A" else "B"), id="another secret"),
        pytest.param(lambda text_: "tj_000000000000" + text_[15:], id="another id"),
        pytest.param(lambda text_: text_ + "\n", id="a line end"),
    ],
)
def test_no_other_text_is_a_token(book, change):
    text_, _ = book.make("Rita", [Scope.REVIEWER])

    assert book.bearer(change(text_)) is None


def test_a_token_ends_when_it_is_revoked_or_its_days_are_over(book, clock: SetClock):
    revoked, token = book.make("Rita", [Scope.REVIEWER])
    short, _ = book.make("Cy", [Scope.OVERLAY], days=1)

    assert (book.revoke(token.token_id), book.revoke(token.token_id)) == (True, False)
    assert book.bearer(revoked) is None
    clock.moment += timedelta(hours=23)
    assert book.bearer(short) is not None
    clock.moment += timedelta(hours=1)
    assert book.bearer(short) is None


@pytest.mark.parametrize(
    ("name", "scopes", "delay_s", "wanted"),
    [
        pytest.param("", [Scope.OVERLAY], 0, "name: want 1 to 100", id="no name"),
        pytest.param("\u3164", [Scope.OVERLAY], 0, "name: want 1 to 100", id="a name that nobody sees"),
        pytest.param("x" * 101, [Scope.OVERLAY], 0, "name: want 1 to 100", id="a long name"),
        pytest.param("a\x1bb", [Scope.OVERLAY], 0, "name: want 1 to 100", id="no name to show"),
        pytest.param("Cy", [], 0, "scopes: want one or more", id="no scope"),
        pytest.param("Cy", [Scope.OVERLAY], -1, "delay_s: want 0 to 120", id="before it happens"),
        pytest.param("Cy", [Scope.OVERLAY], 121, "delay_s: want 0 to 120", id="too late"),
        pytest.param("Cy", [Scope.OPERATOR], 5, "nothing but watch", id="a late operator"),
    ],
)
def test_tokens_that_cannot_be_meant(book, name: str, scopes: list[Scope], delay_s: float, wanted: str):
    with pytest.raises(ValueError, match=wanted):
        book.make(name, scopes, delay_s=delay_s)

    assert book.all() == ()


# --- answers, audit, matches


ASKED = ("Rita", "POST /api/v1/matches/friday/calls", "key-1")


def test_the_same_request_gets_the_same_answer(store: Store):
    assert store.answers.begin(*ASKED, b"body") is None
    store.answers.give(*ASKED, Given(201, "application/json", b"{}"))

    assert store.answers.begin(*ASKED, b"body") == Given(201, "application/json", b"{}")
    assert store.answers.begin("Ben", *ASKED[1:], b"body") is None, "another's key is another key"


def test_a_key_stands_for_one_request(store: Store):
    store.answers.begin(*ASKED, b"body")

    with pytest.raises(OtherRequestError):
        store.answers.begin(*ASKED, b"other")


def test_a_request_that_was_cut_off_is_not_entered_twice(store: Store):
    store.answers.begin(*ASKED, b"body")

    with pytest.raises(UnknownOutcomeError):
        store.answers.begin(*ASKED, b"body")
    store.answers.forget(*ASKED)
    assert store.answers.begin(*ASKED, b"body") is None


def test_old_answers_are_forgotten(store: Store):
    clock = SetClock()
    store.answers._now = clock
    store.answers.begin(*ASKED, b"body")
    clock.moment += timedelta(days=3)

    assert store.answers.drop_old() == 1
    assert store.answers.begin(*ASKED, b"other") is None


def test_the_audit_goes_back_line_by_line(store: Store):
    for number in range(5):
        store.audit.write(line(f"/{number}"))

    newest = store.audit.newest(2)
    older = store.audit.newest(2, before=newest[-1].number)

    assert [each.path for each in (*newest, *older)] == ["/4", "/3", "/2", "/1"]


def test_the_audit_is_kept_as_long_as_agreed(store: Store):
    clock = SetClock()
    store.audit._now = clock
    store.audit.write(line("/old"))
    clock.moment += timedelta(days=8)
    store.audit.write(line("/new"))

    assert store.audit.drop_older(timedelta(days=7)) == 1
    assert [each.path for each in store.audit.newest(10)] == ["/new"]


def test_a_match_is_remembered_by_where_its_record_is(store: Store, tmp_path: Path):
    match = KeptMatch(
        match_id="friday",
        table="kitchen",
        game="nerts",
        players=("Ana", "بن"),
        record=tmp_path / "friday.jsonl",
        header_hash="0" * 64,
    )
    store.matches.add(match)
    store.matches.add(match)

    (kept,) = store.matches.all()
    assert (kept.match_id, kept.players, kept.record) == ("friday", ("Ana", "بن"), match.record)
    assert (store.matches.forget(match.record), store.matches.all()) == (True, ())
