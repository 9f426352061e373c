"""Errors that a command ends with: one line for the person, and an exit status."""

import errno
from pathlib import Path

MISUSE_STATUS = 2
FAILURE_STATUS = 1


class CommandError(Exception):
    """The command could not do its work; the message is one line that says what was wanted."""

    exit_status = FAILURE_STATUS


class MisuseError(CommandError):
    """The command was asked for something that cannot be meant."""

    exit_status = MISUSE_STATUS


def one_line(text: str) -> str:
    r"""``text`` with every run of white space as one blank, so that an error stays one line.

    >>> one_line("no such file:\n  'a.mp4'")
    "no such file: 'a.mp4'"
    """
    return " ".join(text.split())


def os_error_line(error: OSError, where: Path | None = None) -> str:
    """What the operating system said, in one line with the file that it was about.

    ``where``: what was written; the system does not name an open file, as where the disk is full.

    >>> os_error_line(FileNotFoundError(2, "No such file or directory", "a.toml"))
    'No such file or directory: a.toml'
    """
    if error.strerror is None:
        return one_line(str(error)) or type(error).__name__
    named = where if error.filename is None else error.filename
    return error.strerror if named is None else f"{error.strerror}: {named}"


def is_disk_full(error: OSError) -> bool:
    """Whether nothing more can be written where ``error`` happened."""
    return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
