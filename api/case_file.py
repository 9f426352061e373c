"""A case: one disputed play with all that a person needs to judge it, in a zip that can be checked offline.

``case.json`` lists every other file with its SHA-256; ``record.jsonl`` is the header of the record and an
unbroken run of its entries. Clips, frames and calibration stand beside it under any name. A whole match is
kept in the same way, with all of its record.
"""

import hashlib
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from api.case_pictures import PictureCheck, check_pictures
from api.errors import CommandError, os_error_line
from api.records import lines_of
from referee.codec import CodecError, canonical, parse_json, shown
from referee.logs import Verification, verify

CASE_FORMAT = 1
MANIFEST = "case.json"
RECORD = "record.jsonl"
LARGEST_TEXT_BYTES = 256 << 20
"""Of the list and the record: a day of play is some tens of megabytes."""
LARGEST_FILE_BYTES = 8 << 30
"""Of a clip: more cannot be meant, and a zip can pretend to it."""
LARGEST_TOTAL_BYTES = 64 << 30
"""Of a match with all its clips: a long day of play."""
MOST_FILES = 20_000
SMALL_BYTES = 1 << 20
LARGEST_RATIO = 100
"""How much a file may grow when it is unpacked: records grow some twenty times, pictures not at all."""
_CHUNK_BYTES = 1 << 20
_STAMP = (1980, 1, 1, 0, 0, 0)
"""Every member carries the same time, so that the same case is the same bytes."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


class ZipKind(StrEnum):
    """What such a zip holds."""

    CASE = "case"
    """One play, with a part of the record."""
    MATCH = "match"
    """All of a match."""


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """What a check of a case found."""

    kind: ZipKind
    files: tuple[str, ...]
    """Files that are as they are listed, the record among them."""
    record: Verification
    pictures: PictureCheck


class CaseError(CommandError):
    """A case that does not hold; the message says where."""


def write_case(
    target: Path | IO[bytes],
    record_lines: Iterable[str],
    files: Mapping[str, bytes | Path],
    kind: ZipKind = ZipKind.CASE,
) -> None:
    """Write a case to ``target``: the header and entries of its record, and files by their names in it."""
    members: dict[str, bytes | Path] = {RECORD: "".join(record_lines).encode("ascii"), **files}
    for name in members:
        _refuse_name(name)
    try:
        listed = {name: _digest_of_content(content) for name, content in members.items()}
        manifest = canonical({"format": CASE_FORMAT, "kind": kind.value, "files": dict(listed)}) + "\n"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as case:
            for name, content in {MANIFEST: manifest.encode("ascii"), **members}.items():
                _add(case, name, content)
    except OSError as error:
        raise CommandError(f"cannot write the case: {os_error_line(error)}") from None


def _add(case: zipfile.ZipFile, name: str, content: bytes | Path) -> None:
    info = zipfile.ZipInfo(name, _STAMP)
    if isinstance(content, bytes):
        case.writestr(info, content, zipfile.ZIP_DEFLATED)
        return
    info.file_size = content.stat().st_size  # pictures are compressed already: stored as they are
    with content.open("rb") as source, case.open(info, "w") as member:
        shutil.copyfileobj(source, member, _CHUNK_BYTES)


def _digest_of_content(content: bytes | Path) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_case(path: Path) -> CaseCheck:
    """Check the case at ``path``: every file is there, is as listed, and the record's chain holds."""
    try:
        with zipfile.ZipFile(path) as case:
            return _checked(case)
    except OSError as error:
        raise CaseError(f"{path}: {os_error_line(error)}") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise CaseError(f"{path}: not a whole zip: {error}") from None
    except CaseError as error:
        raise CaseError(f"{path}: {error}") from None


def _checked(case: zipfile.ZipFile) -> CaseCheck:
    infos = {info.filename: info for info in case.infolist()}
    if len(infos) < len(case.infolist()):
        raise CaseError("a name stands in it twice")
    _refuse_bomb(case.infolist())
    kind, listed = _manifest(case, infos)
    unlisted = sorted(set(infos) - set(listed) - {MANIFEST})
    if unlisted:
        raise CaseError(f"{MANIFEST}: {shown(unlisted[0])} is in the case but not listed")
    for name, digest in listed.items():
        if name not in infos:
            raise CaseError(f"{shown(name)} is listed but not in the case")
        with case.open(name) as member:
            if _digest_of(member, name) != digest:
                raise CaseError(f"{name}: its hash is not the one that is listed: it was changed")
    if RECORD not in listed:
        raise CaseError(f"{MANIFEST}: want {RECORD} among the files")
    lines = lines_of(_bytes_of(case, RECORD))
    found = verify(lines, is_slice=kind is ZipKind.CASE)
    if found.fault is not None:
        raise CaseError(f"{RECORD}: {found}")
    try:
        pictures = check_pictures(
            case, listed, (line.decode("ascii") for line in lines), is_case=kind is ZipKind.CASE
        )
    except CommandError as error:
        raise CaseError(str(error)) from None
    return CaseCheck(kind, tuple(listed), found, pictures)


def _manifest(case: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo]) -> tuple[ZipKind, dict[str, str]]:
    """What it holds, and the files that are listed, with their hashes."""
    if MANIFEST not in infos:
        raise CaseError(f"no case: want {MANIFEST} in it")
    try:
        value = parse_json(_bytes_of(case, MANIFEST).decode("utf-8"))
    except (UnicodeDecodeError, CodecError) as error:
        raise CaseError(f"{MANIFEST}: {error}") from None
    if not isinstance(value, dict) or value.keys() != {"format", "kind", "files"}:
        raise CaseError(f"{MANIFEST}: want an object with format, kind and files")
    kind = value["kind"]
    if value["format"] != CASE_FORMAT or kind not in tuple(ZipKind):
        raise CaseError(f"{MANIFEST}: want format {CASE_FORMAT} and kind case or match")
    files = value["files"]
    if not isinstance(files, dict):
        raise CaseError(f"{MANIFEST}: files: want an object of names and hashes")
    listed: dict[str, str] = {}
    for name, digest in files.items():
        _refuse_name(name)
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise CaseError(f"{MANIFEST}: {shown(name)}: want a SHA-256 in hex, got {shown(digest)}")
        listed[name] = digest
    return ZipKind(str(kind)), listed


def _refuse_bomb(infos: list[zipfile.ZipInfo]) -> None:
    """A small zip can pretend to fill any disk."""
    if len(infos) > MOST_FILES:
        raise CaseError(f"want at most {MOST_FILES} files, got {len(infos)}")
    for info in infos:
        if info.file_size > SMALL_BYTES + LARGEST_RATIO * info.compress_size:
            raise CaseError(f"{shown(info.filename)}: grows too much when it is unpacked")
    if sum(info.file_size for info in infos) > LARGEST_TOTAL_BYTES:
        raise CaseError(f"want at most {LARGEST_TOTAL_BYTES} bytes in all")


def _refuse_name(name: str) -> None:
    """A member is a plain relative name: nothing that leaves the folder in which a case is unpacked."""
    parts = name.split("/")
    is_plain = all(part not in {"", ".", ".."} for part in parts) and name.isprintable() and "\\" not in name
    if not is_plain or name == MANIFEST or ":" in name:
        raise CaseError(f"{MANIFEST}: {shown(name)} is no name for a file of a case")


def _bytes_of(case: zipfile.ZipFile, name: str) -> bytes:
    with case.open(name) as member:
        content = member.read(LARGEST_TEXT_BYTES + 1)
    if len(content) > LARGEST_TEXT_BYTES:
        raise CaseError(f"{name}: want at most {LARGEST_TEXT_BYTES} bytes")
    return content


def _digest_of(member: IO[bytes], name: str) -> str:
    digest, size = hashlib.sha256(), 0
    while chunk := member.read(_CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
        if size > LARGEST_FILE_BYTES:
            raise CaseError(f"{name}: want at most {LARGEST_FILE_BYTES} bytes")
    return digest.hexdigest()


def read_member(path: Path, name: str) -> bytes:
    """A small file of a zip that was checked."""
    with zipfile.ZipFile(path) as case:
        return _bytes_of(case, name)


def copy_member(path: Path, name: str, target: Path) -> None:
    """A file of a zip that was checked, as a file of its own."""
    with zipfile.ZipFile(path) as case, case.open(name) as member, target.open("xb") as file:
        shutil.copyfileobj(member, file, _CHUNK_BYTES)
