"""What a server is told by the environment, each as ``TOUCHJUDGE_`` and its name in capitals."""

from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from api.errors import MisuseError
from api.feed import LONGEST_DELAY_S
from models.wanted import wanted_of


class Settings(BaseSettings):
    """Settings of a server and of the store beside it."""

    model_config = SettingsConfigDict(env_prefix="TOUCHJUDGE_", frozen=True)

    home: Path = Field(default_factory=lambda: Path.home() / ".local" / "share" / "touchjudge")
    """The folder of the store and of records that nobody named a place for."""
    database: str = ""
    """The address of another database than SQLite in ``home``."""
    log: Path | None = None
    """A file for the log, one JSON object a line. None: errors only, where a person sees them."""
    hosts: str = ""
    """Names under which the server may be asked beside its own, with commas between."""
    origins: str = ""
    """Addresses such as https://table.example whose pages may write beside the server's own, with commas
    between: those of a proxy before it."""
    overlay_delay_s: float = Field(default=0.0, ge=0, le=LONGEST_DELAY_S)
    """All tokens of scope overlay see a match at least so late."""
    audit_days: int = Field(default=0, ge=0, le=36_500)
    """How long the audit is kept; 0: for ever."""
    requests_per_s: float = Field(default=50.0, gt=0)
    """Of one token or address: a page with its stream and picture asks about twice a second."""
    burst: int = Field(default=200, gt=0)
    """So many at once: opening all pages of a table takes some forty."""
    wrong_tokens_per_s: float = Field(default=0.2, gt=0)
    """Of one address, after ten at once: nobody guesses 256 bits, but logs stay readable."""


def load_settings() -> Settings:
    """The settings of this process; ``MisuseError`` names a variable that does not hold."""
    try:
        return Settings()
    except ValidationError as error:
        fault = error.errors()[0]
        name = "_".join(str(part) for part in fault["loc"]).upper()
        raise MisuseError(f"TOUCHJUDGE_{name}: {wanted_of(fault)}") from None
