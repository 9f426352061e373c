"""Progress of long work on standard error: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.console import notes

PLAIN_LINES = 10
"""Lines that a whole run prints where there is no terminal."""


@contextmanager
def counted_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function ``(done, of)`` that shows how far the work is."""
    err = notes()
    if not err.is_terminal:
        said = -1

        def plain(done: int, of: int) -> None:
            nonlocal said
            step = done * PLAIN_LINES // max(of, 1)
            if step > said:
                said = step
                err.print(f"{what}: {done} of {of}", markup=False)

        yield plain
        return
    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
