"""The whole store as one value, opened where the settings say, or in memory where nothing can be kept."""

from dataclasses import dataclass, field
from datetime import timedelta

from api.settings import Settings
from api.store.answers import AnswerBook
from api.store.audit import Audit
from api.store.database import Database, StoreError, forgetful_database, open_database, open_url
from api.store.matches import MatchBook
from api.store.plans import PlanBook
from api.store.tokens import TokenBook
from api.store.webhooks import WebhookBook


@dataclass(frozen=True, slots=True)
class Store:
    """All books over one database."""

    database: Database
    is_lasting: bool
    """False: all is forgotten when the program ends."""
    tokens: TokenBook = field(init=False)
    answers: AnswerBook = field(init=False)
    audit: Audit = field(init=False)
    matches: MatchBook = field(init=False)
    webhooks: WebhookBook = field(init=False)
    plans: PlanBook = field(init=False)

    def __post_init__(self) -> None:
        for name, book in (
            ("tokens", TokenBook),
            ("answers", AnswerBook),
            ("audit", Audit),
            ("matches", MatchBook),
            ("webhooks", WebhookBook),
            ("plans", PlanBook),
        ):
            object.__setattr__(self, name, book(self.database))

    def tidy(self, settings: Settings) -> None:
        """Drop what is older than is kept."""
        self.answers.drop_old()
        self.webhooks.drop_done()
        if settings.audit_days:
            self.audit.drop_older(timedelta(days=settings.audit_days))

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()


def open_store(settings: Settings) -> Store:
    """The lasting store; ``StoreError`` where it cannot be opened."""
    database = open_url(settings.database) if settings.database else open_database(settings.home)
    return Store(database, is_lasting=True)


def open_store_or_forget(settings: Settings) -> tuple[Store, str]:
    """The lasting store, or one in memory with the reason why; the reason is "" where there is none."""
    try:
        return open_store(settings), ""
    except StoreError as error:
        return forgetful_store(), str(error)


def forgetful_store() -> Store:
    """A store in memory."""
    return Store(forgetful_database(), is_lasting=False)
