"""The zip of a case holds its files and nothing else: every byte of it belongs to a file or to their list."""

import zipfile
import zlib
from typing import IO

from api.errors import CommandError
from referee.codec import shown

_LOCAL_BYTES = 30
_LISTED_BYTES = 46
_END_BYTES = 22
_LARGE_END_BYTES = 76
"""Before the end of a zip of more than 4 GB."""
_HAS_SIZES_BEHIND = 0x08
_IS_UTF8 = 0x800
_LARGE = b"\x01\x00"
"""Begins what is noted of files of more than 4 GB; nothing else is noted of any."""
_LARGE_BYTES_AT_MOST = 32
_CHUNK_BYTES = 1 << 20


def refuse_slack(case: zipfile.ZipFile) -> None:
    """``CommandError`` where a zip has more than its files: before, between, in or behind them."""
    file = case.fp
    assert file is not None, "the zip is open"
    if case.comment:
        raise CommandError("the zip has a comment; a case has none")
    infos = sorted(case.infolist(), key=lambda info: info.header_offset)
    at = 0
    for info in infos:
        if info.header_offset != at:
            raise CommandError(f"{at} bytes into the zip stands something that belongs to no file")
        at = _end_of(file, info)
    listed = sum(_LISTED_BYTES + len(_name_in(info)) + len(info.extra) for info in infos)
    ends = {case.start_dir + listed + end for end in (_END_BYTES, _END_BYTES + _LARGE_END_BYTES)}
    if case.start_dir != at or file.seek(0, 2) not in ends:
        raise CommandError("behind its last file the zip has more than the list of its files")


def _end_of(file: IO[bytes], info: zipfile.ZipInfo) -> int:
    """Where the file that begins there ends."""
    file.seek(info.header_offset)
    head = file.read(_LOCAL_BYTES)
    name_bytes, extra_bytes = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
    file.seek(name_bytes, 1)
    is_plain = _is_large_note(info.extra) and _is_large_note(file.read(extra_bytes))
    if not is_plain or info.comment or info.flag_bits & _HAS_SIZES_BEHIND or _name_in(info) != _name_of(info):
        raise CommandError(f"{shown(info.filename)}: the zip says more of it than its name and size")
    if not _is_packed_alone(file, info):
        raise CommandError(f"{shown(info.filename)}: the zip has more in it than this file")
    return info.header_offset + _LOCAL_BYTES + name_bytes + extra_bytes + info.compress_size


def _is_large_note(extra: bytes) -> bool:
    if not extra:
        return True
    is_whole = len(extra) == 4 + int.from_bytes(extra[2:4], "little")
    return extra[:2] == _LARGE and is_whole and len(extra) <= _LARGE_BYTES_AT_MOST


def _name_in(info: zipfile.ZipInfo) -> bytes:
    """The name as it stands in the zip."""
    return info.orig_filename.encode("utf-8" if info.flag_bits & _IS_UTF8 else "cp437")


def _name_of(info: zipfile.ZipInfo) -> bytes:
    return info.filename.encode("utf-8" if info.flag_bits & _IS_UTF8 else "cp437")


def _is_packed_alone(file: IO[bytes], info: zipfile.ZipInfo) -> bool:
    """Whether what lies there, from here on, is all of the file and no more."""
    if info.compress_type == zipfile.ZIP_STORED:
        return info.compress_size == info.file_size
    if info.compress_type != zipfile.ZIP_DEFLATED:
        return False
    unpacker, left, held = zlib.decompressobj(-zlib.MAX_WBITS), info.compress_size, b""
    while not unpacker.eof:
        if not held:
            held = file.read(min(left, _CHUNK_BYTES))
            left -= len(held)
        grown = unpacker.decompress(held, _CHUNK_BYTES)
        held = unpacker.unconsumed_tail
        if not held and not left and not grown:
            break
    return unpacker.eof and not unpacker.unused_data and not left
