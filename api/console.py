"""Where commands print: results on standard output, everything else on standard error."""

import sys

from rich.console import Console

PLAIN_WIDTH = 160
"""Columns where no terminal says how wide it is: one score or verdict stays one line."""


def output() -> Console:
    """The console for results; plain text when it is no terminal."""
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def notes() -> Console:
    """The console for progress, addresses and warnings."""
    width = None if sys.stderr.isatty() else PLAIN_WIDTH
    return Console(stderr=True, highlight=False, soft_wrap=True, width=width)
