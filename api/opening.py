"""Opens what a command line names: table files and sources. Their errors become one line here."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from api.errors import CommandError, MisuseError
from vision.calibration import CalibrationError
from vision.sources import MissingSourceError, Source, SourceError, open_source
from vision.table import Table
from vision.table_file import TableFileError, load_table


def open_table(path: Path) -> Table:
    """The table that the file describes; ``MisuseError`` if it does not hold."""
    try:
        return load_table(path)
    except TableFileError as error:
        raise MisuseError(str(error)) from None


@contextmanager
def opened_source(text: str) -> Iterator[Source]:
    """The source that ``text`` names, closed after the block; ``CommandError`` if it fails, then or later.

    ``MisuseError`` where there is no such file.
    """
    try:
        with open_source(text) as source:
            yield source
    except MissingSourceError as error:
        raise MisuseError(str(error)) from None
    except SourceError as error:
        raise CommandError(str(error)) from None
    except CalibrationError as error:
        raise CommandError(f"{text}: {error}") from None
