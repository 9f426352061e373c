"""Where commands print: results on standard output, everything else on standard error."""

from rich.console import Console


def output() -> Console:
    """The console for results; plain text when it is no terminal."""
    return Console(highlight=False, soft_wrap=True)


def notes() -> Console:
    """The console for progress, addresses and warnings."""
    return Console(stderr=True, highlight=False, soft_wrap=True)
