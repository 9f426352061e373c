"""Where commands print: results on standard output, everything else on standard error."""

import os
import sys
import unicodedata
from contextlib import suppress
from typing import Any, TextIO

from rich.console import Console

from referee.texts import TURNING

PLAIN_WIDTH = 160
"""Columns where no terminal says how wide it is: one score or verdict stays one line."""

REPLACEMENT = "\ufffd"
"""Stands for a character that is not shown."""

_UNSHOWN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, halves of surrogate pairs, and separators of lines and paragraphs."""


class LineConsole(Console):
    """A console whose lost reader is an ``OSError`` as any other, where rich would leave the program."""

    def print(self, *objects: Any, **options: Any) -> None:  # noqa: ANN401 - as rich has it
        """Print, with only line ends left of the control characters in texts."""
        super().print(*(_shown_lines(each) if isinstance(each, str) else each for each in objects), **options)

    def on_broken_pipe(self) -> None:
        """Called while the error is handled."""
        raise BrokenPipeError(32, "Broken pipe")


class NotesConsole(LineConsole):
    """Standard error: where nobody reads it any more, there is nobody left to tell."""

    def print(self, *objects: Any, **options: Any) -> None:  # noqa: ANN401 - as rich has it
        """Print, if that can be."""
        with suppress(OSError):
            super().print(*objects, **options)


def output() -> Console:
    """The console for results; plain text when it is no terminal."""
    return LineConsole(highlight=False, soft_wrap=True, width=_width(sys.stdout))


def notes() -> Console:
    """The console for progress, addresses and warnings."""
    return NotesConsole(stderr=True, highlight=False, soft_wrap=True, width=_width(sys.stderr))


def shown(text: str) -> str:
    r"""``text`` as a terminal may have it: no control character in it, and none that turns its order.

    >>> shown("A\x1b[2Jna")
    'A\ufffd[2Jna'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(REPLACEMENT if _is_unshown(character) else character for character in text)


def forget_output() -> None:
    """Point standard output at nothing: its reader has left, and Python flushes it once more at exit."""
    with suppress(OSError, ValueError, AttributeError):  # closed, or no file of the system
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _shown_lines(text: str) -> str:
    return "\n".join(shown(line) for line in text.split("\n"))


def _is_unshown(character: str) -> bool:
    return unicodedata.category(character) in _UNSHOWN_CATEGORIES or character in TURNING


def _width(stream: TextIO | None) -> int | None:
    """None where the terminal says it; a stream that was closed from the start is None."""
    return None if stream is not None and stream.isatty() else PLAIN_WIDTH
