"""Files of people, opened so that nobody waits for ever: a pipe counts only where somebody writes into it."""

import errno
import os
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO

_CHUNK_BYTES = 1 << 16


def open_file(path: Path) -> BinaryIO:
    """``path``, opened for reading; ``OSError`` also where it is a pipe that has no writer.

    Opened as other files are, such a pipe keeps the program waiting for one that may never come.
    """
    return _open_pipe(path) if path.is_fifo() else path.open("rb")


def read_file(path: Path) -> bytes:
    """All that stands in ``path``; ``OSError`` as ``open_file`` has it."""
    with open_file(path) as file:
        return file.read()


def _open_pipe(path: Path) -> BinaryIO:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        first = os.read(handle, _CHUNK_BYTES)
        if not first:
            os.close(handle)
            raise OSError(errno.ENXIO, "a pipe into which nobody writes", str(path))
    except BlockingIOError:
        first = b""  # somebody holds it open and has not written yet
    os.set_blocking(handle, True)
    return BufferedReader(_Pipe(handle, first))


class _Pipe(RawIOBase):
    """A pipe of which a first part was read already."""

    def __init__(self, handle: int, first: bytes) -> None:
        self._handle = handle
        self._first = first

    def readable(self) -> bool:
        return True

    def readinto(self, into: "memoryview") -> int:  # type: ignore[override]
        if not self._first:
            return os.readv(self._handle, [into])
        count = min(len(into), len(self._first))
        into[:count], self._first = self._first[:count], self._first[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            os.close(self._handle)
        super().close()
