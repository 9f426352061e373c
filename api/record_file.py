"""The record on disk: whole lines, each handed to the system before the next is made."""

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Self

from api.errors import CommandError, MisuseError, is_disk_full, os_error_line
from referee.logs import is_header

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

_ADDED_TO = "it was added to while it was read; read it again (a server: start it again)"
ROOM_BYTES = 16 << 10
"""Room that a disk is tried for: a review with its verdicts takes a few thousand bytes."""
UNSYNCED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EROFS})
"""What pipes and devices answer, which have nothing to sync."""
LONGEST_HEADER_BYTES = 1 << 20
"""A header names two players and some thirty piles: a few thousand bytes."""


class RecordFile:
    """Appends lines to a new record. Whatever happens, the file ends with a whole line.

    A record is evidence: where the file exists already, the earlier one is kept under a number. A file that
    is no record, or that another program is writing, is left alone: ``MisuseError``. Once it is closed, what
    people add goes behind its end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line_count = 0
        self.kept_as: Path | None = None
        """Where an earlier record of this name went. None: there was none."""
        self._whole_bytes = 0
        self._before = 0, 0
        """Bytes and lines before the last append."""
        self._is_torn = False
        """Whether a part of a line stands behind the whole ones and could not be cut off."""
        self._tail = RecordTail(path, 0)
        """Where what comes after its close goes."""
        try:
            if path.is_file() and path.stat().st_size:
                _refuse_other_than_record(path)
                refuse_written(path)
                self.kept_as = _free_name_beside(path)
                path.rename(self.kept_as)
            self._file = path.open("wb", buffering=0)
            _lock(self._file)
        except OSError as error:
            raise CommandError(f"cannot write the record: {os_error_line(error)}") from None

    def append(self, line: str) -> None:
        """Write a whole line, or several, with their line ends; all or, with a ``CommandError``, nothing."""
        if self._file.closed:
            self._tail.append(line)
            self._whole_bytes = self._tail.size
            self.line_count += line.count("\n")
            return
        encoded, written = memoryview(line.encode()), 0
        try:
            if self._is_torn:
                self._file.truncate(self._whole_bytes)
            while written < len(encoded):
                written += self._file.write(encoded[written:]) or 0
        except OSError as error:
            self._cut_to_whole_lines()
            raise CommandError(self._failure_line(error)) from None
        self._is_torn = False
        self._before = self._whole_bytes, self.line_count
        self._whole_bytes += len(encoded)
        self.line_count += line.count("\n")

    def sync(self) -> None:
        """Make sure that all that was appended outlives the machine too.

        ``CommandError`` where that cannot be: what was appended last is taken back then.
        """
        if self._file.closed:
            return
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            if error.errno in UNSYNCED:
                return
            self._whole_bytes, self.line_count = self._before
            self._cut_to_whole_lines()
            raise CommandError(self._failure_line(error)) from None

    def check(self) -> None:
        """``CommandError`` where nothing more could be kept now; the record is not touched."""
        if self._file.closed:
            self._tail.check()
            return
        try:
            _try_room(self.path)
        except OSError as error:
            raise CommandError(self._failure_line(error)) from None

    def content(self) -> bytes:
        """All lines so far; ``CommandError`` where they cannot be read back."""
        return _read(self.path, self._whole_bytes)

    def close(self) -> None:
        """Make sure that all is on the disk, and let go of the file."""
        if self._file.closed:
            return
        self._cut_to_whole_lines()
        self.sync()
        self._file.close()
        self._tail = RecordTail(self.path, self._whole_bytes)

    def held(self) -> AbstractContextManager[None]:
        """Once it is closed: keep other programs from adding to it, while people still may here."""
        return self._tail.held()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cut_to_whole_lines(self) -> None:
        """Take back a line of which only a part was written; cutting needs no space on a full disk."""
        self._is_torn = True
        with contextlib.suppress(OSError):  # what is no regular file has nothing to cut
            self._file.truncate(self._whole_bytes)
            self._file.seek(self._whole_bytes)
            self._is_torn = False

    def _failure_line(self, error: OSError) -> str:
        whole = f"{self.path} is whole up to line {self.line_count}"
        return f"cannot go on with the record: {_cause(error)}; {whole}"


class HeldError(CommandError):
    """Another program writes into this record, or keeps it so that nobody else does."""


class RecordTail:
    """The end of a record that is closed, or was left by a program that is gone: more goes behind it."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        """Bytes that were read; a file that has another size by now was added to by somebody else."""
        self._torn = b""
        """What could not be added, and perhaps not be cut off again. Empty: nothing."""
        self._held: FileIO | None = None
        """The file, while it is kept from others. None: it is opened when something is added."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other programs from adding to the record meanwhile; ``HeldError`` where one keeps it.

        A file that may not be written is nobody's: what is added is refused then.
        """
        file = self._file_to_hold()
        if file is None:
            yield
            return
        with file:
            _hold(file)
            if file.seek(0, os.SEEK_END) != self.size:
                raise HeldError(f"{self.path}: {_ADDED_TO}")
            self._held = file
            try:
                yield
            finally:
                self._held = None

    def _file_to_hold(self) -> FileIO | None:
        if not self.path.is_file():  # devices and pipes are everybody's
            return None
        try:
            return self.path.open("r+b", buffering=0)
        except OSError:
            return None

    def append(self, text: str) -> None:
        """Put all of ``text`` on disk behind what was read, or, with a ``CommandError``, nothing of it."""
        try:
            with self._opened() as file:
                self._write(file, memoryview(text.encode()))
        except OSError as error:
            raise CommandError(_not_added(error)) from None
        self.size += len(text.encode())

    def check(self) -> None:
        """``CommandError`` where nothing could be added now; the record is not touched."""
        try:
            with self._opened():
                _try_room(self.path)
        except OSError as error:
            raise CommandError(_not_added(error)) from None

    def sync(self) -> None:
        """Nothing is left to do: what was appended is on disk."""

    def content(self) -> bytes:
        """All lines so far; ``CommandError`` where they cannot be read back."""
        return _read(self.path, self.size)

    def cut_to(self, size: int) -> None:
        """Take back what stands behind ``size`` bytes: a line that was never finished."""
        try:
            with self._opened() as file:
                file.truncate(size)
        except OSError as error:
            raise CommandError(f"cannot mend the record: {os_error_line(error)}") from None
        self.size = size

    @contextmanager
    def _opened(self) -> Iterator[FileIO]:
        """The file, as it was read and kept from others; ``CommandError`` where somebody added to it."""
        with ExitStack() as stack:
            file = self._held
            if file is None:
                file = stack.enter_context(self.path.open("r+b", buffering=0))
                _lock(file)
            elif not os.path.samestat(os.fstat(file.fileno()), self.path.stat()):
                raise CommandError(f"{self.path}: another file lies there now; put the record back")
            self._mend(file)
            if file.seek(0, os.SEEK_END) != self.size:
                raise CommandError(f"{self.path}: {_ADDED_TO}")
            yield file

    def _mend(self, file: FileIO) -> None:
        """Cut off what an earlier try left behind the whole lines; of others nothing is cut."""
        if not self._torn:
            return
        file.seek(self.size)
        if self._torn.startswith(file.read(len(self._torn) + 1)):
            file.truncate(self.size)
            os.fsync(file.fileno())
        self._torn = b""

    def _write(self, file: FileIO, content: memoryview) -> None:
        written, self._torn = 0, bytes(content)
        try:
            while written < len(content):
                written += file.write(content[written:]) or 0
            os.fsync(file.fileno())
        except OSError:
            with contextlib.suppress(OSError):  # it is tried again before anything else is added
                self._mend(file)
            raise
        self._torn = b""


def _try_room(path: Path) -> None:
    """``OSError`` where there is no room beside ``path``; a kill leaves nothing of the try behind."""
    with TemporaryFile(dir=path.parent, buffering=0) as file:
        left = ROOM_BYTES
        while left:
            left -= file.write(bytes(left)) or 0
        os.fsync(file.fileno())


def _cause(error: OSError) -> str:
    return "the disk is full" if is_disk_full(error) else os_error_line(error)


def _not_added(error: OSError) -> str:
    return f"cannot add to the record: {_cause(error)}; nothing was entered"


def _read(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise CommandError(f"cannot read the record: {os_error_line(error)}") from None


def refuse_written(path: Path) -> None:
    """``MisuseError`` where another program is writing the record at ``path``."""
    with path.open("rb", buffering=0) as file:
        _lock(file)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other program of ours works in ``folder`` under this, then work there."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # file systems that know no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _lock(file: FileIO) -> None:
    """Keep other programs of ours from writing ``file`` until it is closed; ``MisuseError`` if one does."""
    try:
        _hold(file)
    except HeldError as error:
        raise MisuseError(str(error)) from None


def _hold(file: FileIO) -> None:
    """The same; ``HeldError`` where another program does."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise HeldError(f"{file.name}: another program is writing this record") from None
    except OSError:  # devices, and file systems that know no locks
        return


def refuse_place(record: Path) -> None:
    """Refuse a place to which no record can go, before anything is told of the match; nothing is changed.

    ``CommandError`` where nothing can be written, ``MisuseError`` where something else lies there.
    """
    if record.is_fifo():  # opening one waits for its reader
        return
    try:
        if record.is_file() and record.stat().st_size:
            _refuse_other_than_record(record)
            refuse_written(record)
        is_new = not record.exists()
        with record.open("ab"):
            pass
        if is_new:
            record.unlink()
    except OSError as error:
        raise CommandError(f"cannot write the record: {os_error_line(error)}") from None


def refuse_inputs(target: Path, inputs: Iterable[str], *, option: str = "--record") -> None:
    """``MisuseError`` where what ``option`` names would be written over one of the files that are read."""
    for text in inputs:
        with contextlib.suppress(OSError):  # one of them is no file
            if target.samefile(text):
                named = str(target) if target == Path(text) else f"{target}: it is {text}"
                raise MisuseError(f"{option} wants a file of its own, not {named}, which is read")


def _refuse_other_than_record(path: Path) -> None:
    with path.open("rb") as file:
        if not is_header(file.readline(LONGEST_HEADER_BYTES)):
            raise MisuseError(f"--record wants a new file or an earlier record; {path} is something else")


def _free_name_beside(path: Path) -> Path:
    """``match.1.jsonl`` for ``match.jsonl``, or the first number that is free."""
    number = 1
    while (candidate := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    return candidate
