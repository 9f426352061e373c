"""A record on disk ends with a whole line, whatever happens to the disk."""

import errno
import io
import os
from pathlib import Path

import pytest

from api.errors import CommandError, MisuseError
from api.record_file import RecordFile, refuse_inputs
from referee.record import RecordChain, RecordHeader
from referee.setup import setup_from

HEADER = RecordChain(RecordHeader(setup=setup_from(()))).header_line


class ShortDisk(io.RawIOBase):
    """A file on a disk with room for ``room`` bytes; it takes what fits and then says that it is full."""

    def __init__(self, path: Path, room: int) -> None:
        self._file = path.open("wb", buffering=0)
        self._room = room

    def writable(self) -> bool:
        return True

    def write(self, piece) -> int:
        taken = min(len(piece), self._room)
        if taken == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._room -= taken
        return self._file.write(piece[:taken])

    def truncate(self, size=None) -> int:
        return self._file.truncate(size)

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()
        super().close()


def test_every_line_is_on_disk_before_the_next_is_made(tmp_path: Path):
    path = tmp_path / "match.jsonl"

    with RecordFile(path) as record:
        record.append('{"seq":0}\n')

        assert path.read_text() == '{"seq":0}\n'


def test_a_full_disk_leaves_whole_lines_and_says_so(tmp_path: Path):
    path = tmp_path / "match.jsonl"
    record = RecordFile(path)
    record._file.close()
    record._file = ShortDisk(path, room=25)

    record.append('{"seq":0}\n')
    record.append('{"seq":1}\n')
    with pytest.raises(CommandError, match=r"the disk is full; .*match.jsonl is whole up to line 2"):
        record.append('{"seq":2}\n')
    record.close()

    assert path.read_text() == '{"seq":0}\n{"seq":1}\n'


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_device_that_is_full_from_the_start_is_told_as_such():
    with RecordFile(Path("/dev/full")) as record, pytest.raises(CommandError, match="the disk is full"):
        record.append("{}\n")


def test_an_earlier_record_is_kept(tmp_path: Path):
    path = tmp_path / "match.jsonl"
    path.write_text(HEADER)
    (tmp_path / "match.1.jsonl").write_text("older\n")

    with RecordFile(path) as record:
        record.append("second\n")

    assert record.kept_as == tmp_path / "match.2.jsonl"
    assert record.kept_as.read_text() == HEADER
    assert path.read_text() == "second\n"


def test_a_record_in_a_folder_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(CommandError, match="cannot write the record: No such file or directory"):
        RecordFile(tmp_path / "nowhere" / "match.jsonl")


def test_a_file_that_is_no_record_is_left_alone(tmp_path: Path):
    path = tmp_path / "table.toml"
    path.write_text("format = 1\n")

    with pytest.raises(MisuseError, match=r"wants a new file or an earlier record; .*table\.toml"):
        RecordFile(path)

    assert [each.name for each in tmp_path.iterdir()] == ["table.toml"]
    assert path.read_text() == "format = 1\n"


def test_a_record_over_a_file_that_is_read_is_refused(tmp_path: Path):
    clip = tmp_path / "clip.mp4"
    clip.touch()
    (tmp_path / "link.jsonl").symlink_to(clip)

    with pytest.raises(MisuseError, match=r"clip\.mp4, which is read"):
        refuse_inputs(tmp_path / "link.jsonl", ("camera:0", str(clip)))

    refuse_inputs(tmp_path / "new.jsonl", ("camera:0", str(clip)))
