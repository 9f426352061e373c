"""Files of people: a pipe is read while somebody writes into it, and waited for by nobody else."""

import os
import threading
from pathlib import Path

import pytest

from models.open_file import open_file, read_file


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_file_is_read_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")

    assert read_file(tmp_path / "a") == b"abc"


def test_a_pipe_into_which_nobody_writes_is_told(pipe: Path) -> None:
    with pytest.raises(OSError, match="a pipe into which nobody writes") as caught:
        read_file(pipe)

    assert caught.value.filename == str(pipe)


@pytest.mark.parametrize("size", [1, 4096, 1 << 16, 3_000_001])
def test_what_another_program_hands_over_is_read_whole(size: int) -> None:
    """As a shell does it: ``judge <(zcat match.jsonl.gz)``."""
    content = bytes(range(251)) * (size // 251) + bytes(size % 251)
    to_read, to_write = os.pipe()

    def write() -> None:
        with os.fdopen(to_write, "wb") as file:
            file.write(content)

    writer = threading.Thread(target=write)
    writer.start()

    read = read_file(Path(f"/dev/fd/{to_read}"))
    writer.join()
    os.close(to_read)

    assert read == content


def test_a_writer_that_has_not_begun_is_waited_for(pipe: Path) -> None:
    """Its first part comes after the pipe was opened."""
    writer = os.open(pipe, os.O_RDWR)
    with open_file(pipe) as file:
        os.write(writer, b"late")
        os.close(writer)

        assert file.read(2) + file.read() == b"late"


def test_what_is_not_there_is_told_as_of_any_other_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "nothing")
