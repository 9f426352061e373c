"""Structured logs: one JSON object a line, into a file that the settings name; without one, errors only."""

import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import structlog

from api.errors import MisuseError, os_error_line


class LogFile:
    """Where a server's log goes, while it runs."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: TextIO = path.open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            raise MisuseError(f"TOUCHJUDGE_LOG: cannot write there: {os_error_line(error)}") from None
        structlog.configure(
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.dict_tracebacks,
                structlog.processors.JSONRenderer(ensure_ascii=True),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            logger_factory=structlog.WriteLoggerFactory(file=self._file),
            cache_logger_on_first_use=False,
        )

    def close(self) -> None:
        """Log errors only again."""
        log_errors_only()
        with suppress(OSError):
            self._file.close()


def log_errors_only() -> None:
    """Nothing but errors, where a person sees them."""
    structlog.reset_defaults()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
