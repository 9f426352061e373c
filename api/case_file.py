"""A case: one disputed play with all that a person needs to judge it, in a zip that can be checked offline.

``case.json`` lists every other file with its SHA-256; ``record.jsonl`` is the header of the record and an
unbroken run of its entries. Clips, frames and calibration stand beside it under any name.
"""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

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
_CHUNK_BYTES = 1 << 20
_STAMP = (1980, 1, 1, 0, 0, 0)
"""Every member carries the same time, so that the same case is the same bytes."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """What a check of a case found."""

    files: int
    """Files that are as they are listed, the record among them."""
    record: Verification


class CaseError(CommandError):
    """A case that does not hold; the message says where."""


def write_case(path: Path, record_lines: Iterable[str], files: Mapping[str, bytes]) -> None:
    """Write a case to ``path``: the header and entries of its record, and files by their names in it."""
    members = {RECORD: "".join(record_lines).encode("ascii"), **files}
    for name in members:
        _refuse_name(name)
    listed = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    manifest = canonical({"format": CASE_FORMAT, "kind": "case", "files": dict(listed)}) + "\n"
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as case:
            for name, content in {MANIFEST: manifest.encode("ascii"), **members}.items():
                case.writestr(zipfile.ZipInfo(name, _STAMP), content, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise CommandError(f"cannot write the case: {os_error_line(error)}") from None


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
    listed = _manifest(case, infos)
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
    found = verify(lines_of(_bytes_of(case, RECORD)), is_slice=True)
    if found.fault is not None:
        raise CaseError(f"{RECORD}: {found}")
    return CaseCheck(len(listed), found)


def _manifest(case: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo]) -> dict[str, str]:
    """The files that are listed, with their hashes."""
    if MANIFEST not in infos:
        raise CaseError(f"no case: want {MANIFEST} in it")
    try:
        value = parse_json(_bytes_of(case, MANIFEST).decode("utf-8"))
    except (UnicodeDecodeError, CodecError) as error:
        raise CaseError(f"{MANIFEST}: {error}") from None
    if not isinstance(value, dict) or value.keys() != {"format", "kind", "files"}:
        raise CaseError(f"{MANIFEST}: want an object with format, kind and files")
    if value["format"] != CASE_FORMAT or value["kind"] != "case":
        raise CaseError(f"{MANIFEST}: want format {CASE_FORMAT} and kind case")
    files = value["files"]
    if not isinstance(files, dict):
        raise CaseError(f"{MANIFEST}: files: want an object of names and hashes")
    listed: dict[str, str] = {}
    for name, digest in files.items():
        _refuse_name(name)
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise CaseError(f"{MANIFEST}: {shown(name)}: want a SHA-256 in hex, got {shown(digest)}")
        listed[name] = digest
    return listed


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
