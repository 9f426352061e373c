"""Structured logs: one JSON object a line, into a file that the settings name; without one, errors only.

No trace in a log shows the values of variables: tokens and secrets pass through the server in these.
"""

import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import structlog
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import ExceptionRenderer, JSONRenderer, TimeStamper, add_log_level
from structlog.tracebacks import ExceptionDictTransformer

from api.errors import MisuseError, os_error_line

SELDOM_S = 10.0
"""Between lines about the same trouble: short enough to be seen, long enough to leave a log readable."""


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
                add_log_level,
                TimeStamper(fmt="iso", utc=True),
                ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
                JSONRenderer(ensure_ascii=True),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            logger_factory=lambda *_: _Lines(self._file),
            cache_logger_on_first_use=False,
        )

    def close(self) -> None:
        """Log errors only again."""
        log_errors_only()
        with suppress(OSError):
            self._file.close()


class _Lines:
    """Writes lines where they can be written: a log on a full disk stops no request."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def msg(self, message: str) -> None:
        """Write one line."""
        with suppress(OSError):
            self._file.write(message + "\n")

    log = debug = info = warning = error = critical = fatal = exception = msg


def log_errors_only() -> None:
    """Nothing but errors, where a person sees them."""
    structlog.reset_defaults()
    structlog.configure(
        processors=[
            add_log_level,
            TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
            ConsoleRenderer(exception_formatter=plain_traceback, colors=sys.stderr.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=lambda *_: _Lines(sys.stderr),
        cache_logger_on_first_use=False,
    )


class Trouble:
    """What goes wrong again and again: told once, then as a count, at most every so many seconds."""

    def __init__(
        self, event: str, *, every_s: float = SELDOM_S, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._event = event
        self._every_s = every_s
        self._clock_s = clock_s
        self._untold = 0
        self._told_s: float | None = None
        """When it was told last. None: never."""

    def tell(self, error: Exception, **about: object) -> None:
        """Log that it went wrong, by ``error``, in one line; ``about`` says with what."""
        self._untold += 1
        now_s = self._clock_s()
        if self._told_s is not None and now_s - self._told_s < self._every_s:
            return
        structlog.get_logger().error(self._event, cause=str(error), times=self._untold, **about)
        self._untold, self._told_s = 0, now_s
