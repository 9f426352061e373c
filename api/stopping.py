"""Ctrl-C as a wish, not a blow: the first asks for a clean end, the second ends at once."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)

STANDARD_ERROR = 2
"""The number of its file."""


class StopWish:
    """Whether somebody asked for the end."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._said_when_asked: str | None = None

    @property
    def is_asked(self) -> bool:
        """Whether the end was asked for."""
        return self._asked.is_set()

    @property
    def said_when_asked(self) -> str | None:
        """The line that a person is told at once on asking. None: the end comes at once anyway."""
        return self._said_when_asked

    @contextmanager
    def saying(self, line: str) -> Iterator[None]:
        """Within the block, whoever asks for the end is told ``line``: some work is left to finish."""
        self._said_when_asked = line
        try:
            yield
        finally:
            self._said_when_asked = None

    def ask(self) -> None:
        """Ask for the end."""
        self._asked.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the end is asked for, at most ``seconds``; whether it was."""
        return self._asked.wait(seconds)


@contextmanager
def stopping_on_signals() -> Iterator[StopWish]:
    """Within the block, the first Ctrl-C (or a polite kill) only asks; a second raises KeyboardInterrupt."""
    wish = StopWish()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        if wish.is_asked:
            raise KeyboardInterrupt
        wish.ask()
        if wish.said_when_asked is not None:
            _say(wish.said_when_asked)

    before = {number: signal.signal(number, on_signal) for number in SIGNALS}
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(line: str) -> None:
    """Put ``line`` on standard error past every buffer, as a signal may come in the middle of a print."""
    start = "\n" if sys.stderr.isatty() else ""  # the terminal shows ^C on the line it is in
    with suppress(OSError):
        os.write(STANDARD_ERROR, f"{start}{line}\n".encode())
