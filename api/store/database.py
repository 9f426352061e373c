"""The store's database: SQLite in WAL mode by default, brought to the newest form when it is opened.

No error of it shows the values that were written: secrets of webhooks are among them.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, StaticPool, create_engine, event, text
from sqlalchemy.exc import DatabaseError, IntegrityError, SQLAlchemyError

from api.errors import CommandError, one_line

FILE_NAME = "touchjudge.db"
_BUSY_MS = 10_000
"""How long a writer waits for another; the longest of ours takes milliseconds."""


class StoreError(CommandError):
    """The store cannot be opened or does not answer; the message says why."""


class Database:
    """One open database; any thread may use it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._gate = threading.RLock()
        """One at a time: SQLite has one writer, and a database in memory one connection."""
        try:
            self.migrate()
        except (SQLAlchemyError, OSError) as error:
            engine.dispose()
            raise StoreError(f"cannot open the store: {_cause(error)}") from None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All that is done within holds together, or none of it does.

        ``IntegrityError`` where it goes against a rule of a table, ``StoreError`` where it cannot be.
        """
        try:
            with self._gate, self._engine.begin() as connection:
                yield connection
        except IntegrityError:
            raise
        except DatabaseError as error:
            raise StoreError(f"the store does not answer: {_cause(error)}") from None

    def migrate(self, revision: str = "head") -> None:
        """Bring it to the form that ``revision`` names; ``base`` takes every table away."""
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
        with self._gate, self._engine.begin() as connection:
            config.attributes["connection"] = connection
            if revision == "base":
                command.downgrade(config, revision)
            else:
                command.upgrade(config, revision)

    @property
    def engine(self) -> Engine:
        """For those who look at the tables themselves."""
        return self._engine

    @property
    def is_well(self) -> bool:
        """Whether it answers."""
        try:
            with self.transaction() as connection:
                connection.execute(text("SELECT 1"))
        except StoreError:
            return False
        return True

    def close(self) -> None:
        """Let go of it."""
        self._engine.dispose()


def open_database(folder: Path) -> Database:
    """The database in ``folder``, made where there is none; ``StoreError`` where that cannot be.

    A folder that is made is its owner's alone: secrets of webhooks lie in it.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot open the store: {error.strerror}: {folder}") from None
    return open_url(f"sqlite:///{folder / FILE_NAME}")


def open_url(url: str) -> Database:
    """The database at ``url``, such as ``postgresql+psycopg://...`` where there are many tables."""
    try:
        engine = create_engine(url, hide_parameters=True)
    except (SQLAlchemyError, ImportError) as error:
        raise StoreError(f"cannot open the store: {_cause(error)}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    return Database(engine)


def forgetful_database() -> Database:
    """A database in memory: all is forgotten when it is closed."""
    once = {"check_same_thread": False}
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args=once, hide_parameters=True)
    event.listen(engine, "connect", _set_up_sqlite)
    return Database(engine)


def _set_up_sqlite(connection: object, _record: object) -> None:
    for setting in (
        "journal_mode=WAL",
        "synchronous=FULL",
        f"busy_timeout={_BUSY_MS}",
        "foreign_keys=ON",
    ):
        connection.execute(f"PRAGMA {setting}")  # type: ignore[attr-defined]  # sqlite3's own connection


def _cause(error: Exception) -> str:
    origin = getattr(error, "orig", None)
    return one_line(str(error if origin is None else origin)).partition(" (Background")[0]
