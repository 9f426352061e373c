"""Ctrl-C as a wish, not a blow: the first asks for a clean end, the second ends at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopWish:
    """Whether somebody asked for the end."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    @property
    def is_asked(self) -> bool:
        """Whether the end was asked for."""
        return self._asked.is_set()

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

    before = {number: signal.signal(number, on_signal) for number in SIGNALS}
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
