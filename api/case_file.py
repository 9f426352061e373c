"""A case: one disputed play with all that a person needs to judge it, in a zip that can be checked offline.

``case.json`` lists every other file with its SHA-256; ``record.jsonl`` is the record up to the case. Beside
it stand the clips that it names, frames of them, and a sheet that is made of both. A whole match is kept in
the same way, without a sheet.
"""

import hashlib
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from types import NoneType
from typing import IO

from api.case_pictures import FRAME, PictureCheck, check_pictures
from api.case_sheet import SHEET, CaseContent, case_content
from api.case_zip import refuse_slack
from api.errors import CommandError, MisuseError, os_error_line
from api.evidence_notes import missing_clips, missing_text
from api.record_ends import lost_at_end
from api.records import lines_of
from referee.codec import CodecError, Json, canonical, parse_json, shown
from referee.logs import Verification, read_log, verify

CASE_FORMAT = 2
OLDER_FORMAT = 1
"""Its cases have a part of the record, of which their sheet cannot be made again."""
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
_KEYS: Mapping[int, frozenset[str]] = {
    OLDER_FORMAT: frozenset({"format", "kind", "files"}),
    CASE_FORMAT: frozenset({"format", "kind", "files", "program", "verdict"}),
}
_PROGRAM = re.compile(r"touchjudge( [0-9A-Za-z.+!-]{1,40})?")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class ZipKind(StrEnum):
    """What such a zip holds."""

    CASE = "case"
    """One play, with the record so far."""
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
    note: str = ""
    """Why the record of a case is only shown; its sheet says so. Empty: it does, or is a match."""
    missing: tuple[str, ...] = ()
    """Clips that the record names, of a match or for the play of a case, and that are not in it."""

    @property
    def what_is_missing(self) -> str:
        """What of a match or case is not there, for a person. Empty: all of it is."""
        if not self.missing:
            return ""
        told = "no longer kept, or damaged, when it was exported, or taken out since"
        return f"{missing_text(self.missing)}: {told}"


@dataclass(frozen=True, slots=True)
class CaseOf:
    """What a case is about."""

    verdict_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What ``case.json`` says."""

    format: int
    kind: ZipKind
    files: Mapping[str, str]
    """SHA-256 by name."""
    program: str
    """Who wrote it. Empty: one that did not say."""
    verdict_id: str | None
    """What a case is about. None: it is a match, or does not say."""


class CaseError(CommandError):
    """A case that does not hold; the message says where."""


def write_case(
    target: Path | IO[bytes],
    record_lines: Iterable[str],
    files: Mapping[str, bytes | Path],
    about: CaseOf | None,
) -> None:
    """Write a case to ``target``: the lines of its record, and files by their names in it.

    ``about`` None: it is a whole match.
    """
    members: dict[str, bytes | Path] = {RECORD: "".join(record_lines).encode("ascii"), **files}
    for name in members:
        _refuse_name(name)
    try:
        listed = {name: _digest_of_content(content) for name, content in members.items()}
        manifest = _manifest_text(listed, about)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as case:
            for name, content in {MANIFEST: manifest.encode("ascii"), **members}.items():
                _add(case, name, content)
    except OSError as error:
        where = target if isinstance(target, Path) else None
        if where is not None and where.is_file():
            where.unlink()  # half a case is none
        raise CommandError(f"cannot write the case: {os_error_line(error, where)}") from None


def _manifest_text(listed: Mapping[str, str], about: CaseOf | None) -> str:
    kind = ZipKind.MATCH if about is None else ZipKind.CASE
    body: dict[str, Json] = {
        "format": CASE_FORMAT,
        "kind": kind.value,
        "program": _program(),
        "verdict": None if about is None else about.verdict_id,
        "files": dict(listed),
    }
    return canonical(body) + "\n"


def _program() -> str:
    return f"touchjudge {version('touchjudge')}"


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
    """Check the case at ``path``: every file is there, is as listed, and the record's chain holds.

    ``CaseError`` where it does not hold, ``MisuseError`` where there is no such file.
    """
    if path.exists() and not path.is_file():
        raise CaseError(f"{path}: no file (want a zip)")
    try:
        with zipfile.ZipFile(path) as case:
            return _checked(case)
    except FileNotFoundError as error:
        raise MisuseError(os_error_line(error)) from None
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
    try:
        refuse_slack(case)
    except CommandError as error:
        raise CaseError(str(error)) from None
    manifest = _manifest(case, infos)
    _check_listed(case, infos, manifest.files)
    content = _bytes_of(case, RECORD)
    is_slice = manifest.kind is ZipKind.CASE and manifest.format == OLDER_FORMAT
    found = verify(lines_of(content), is_slice=is_slice)
    if found.fault is not None:
        raise CaseError(f"{RECORD}: {found}")
    lost = "" if is_slice else lost_at_end(read_log(lines_of(content)))
    if lost:
        raise CaseError(f"{RECORD}: {lost}")
    pictures = _check_beside(case, manifest, content)
    files = tuple(manifest.files)
    if manifest.kind is ZipKind.MATCH:
        there = [index.clip_id for index in pictures.indexes]
        missing = missing_clips(read_log(lines_of(content)).entries, there)
        return CaseCheck(manifest.kind, files, found, pictures, missing=missing)
    told = _check_sheet(case, manifest, content, pictures)
    return CaseCheck(manifest.kind, files, found, pictures, note=told.note, missing=told.missing)


def _check_listed(
    case: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo], listed: Mapping[str, str]
) -> None:
    """Every file is listed, is there, and is as it is listed."""
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


def _check_beside(case: zipfile.ZipFile, manifest: Manifest, record: bytes) -> PictureCheck:
    """What lies beside the record is what record and clips ask for, and nothing else."""
    is_case = manifest.kind is ZipKind.CASE
    beside = set(manifest.files) - {RECORD} - ({SHEET} if is_case else set())
    try:
        if not is_case:
            _refuse_frames(beside)
        return check_pictures(case, beside, (line.decode("ascii") for line in lines_of(record)))
    except CommandError as error:
        raise CaseError(str(error)) from None


def _refuse_frames(names: Iterable[str]) -> None:
    for name in sorted(names):
        if FRAME.fullmatch(name):
            raise CaseError(f"{name}: a match has no such pictures; they belong into cases")


def _check_sheet(
    case: zipfile.ZipFile, manifest: Manifest, record: bytes, pictures: PictureCheck
) -> CaseContent:
    """The sheet, and the choice of clips and frames, are what comes of the record once more: this."""
    if SHEET not in manifest.files:
        raise CaseError(f"{MANIFEST}: want {SHEET} among the files")
    if manifest.verdict_id is None:
        raise CaseError(f"{SHEET} was not checked: another version wrote this case; all else in it holds")
    try:
        content = case_content(record, manifest.verdict_id, pictures.indexes)
    except ValueError as error:
        raise CaseError(f"{RECORD}: it cannot be judged again: {error}") from None
    if content is None:
        raise CaseError(f"{RECORD}: it gives no verdict {shown(manifest.verdict_id)}")
    _check_choice(manifest, content, pictures)
    if _bytes_of(case, SHEET) == content.sheet:
        return content
    if manifest.program != _program():
        by = f"{shown(manifest.program)} wrote it and this is {_program()}"
        raise CaseError(f"{SHEET} was not checked: {by}; all else in it holds")
    raise CaseError(f"{SHEET}: it is not the sheet that comes of the record: it was changed")


def _check_choice(manifest: Manifest, content: CaseContent, pictures: PictureCheck) -> None:
    strange = [index.media for index in pictures.indexes if index not in content.clips]
    if strange:
        raise CaseError(f"{strange[0]}: it is no clip of {content.detail.verdict.verdict_id}")
    wanted = {contact.name for contact in content.contacts}
    frames = {name for name in manifest.files if FRAME.fullmatch(name)}
    for name in sorted(frames - wanted):
        raise CaseError(f"{name}: it is no frame of first contact of {content.detail.verdict.verdict_id}")
    for name in sorted(wanted - frames):
        raise CaseError(f"{name}: the frame of first contact is missing")


def _manifest(case: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo]) -> Manifest:
    """What is listed, each with its hash."""
    if MANIFEST not in infos:
        raise CaseError(f"no case: want {MANIFEST} in it")
    try:
        value = parse_json(_bytes_of(case, MANIFEST))
    except CodecError as error:
        raise CaseError(f"{MANIFEST}: {error}") from None
    if not isinstance(value, dict) or not _KEYS[OLDER_FORMAT] <= value.keys():
        raise CaseError(f"{MANIFEST}: want an object with format, kind and files")
    form, kind = value["format"], value["kind"]
    if not isinstance(form, int) or form is True or form not in _KEYS or kind not in tuple(ZipKind):
        raise CaseError(f"{MANIFEST}: want format {OLDER_FORMAT} or {CASE_FORMAT} and kind case or match")
    if value.keys() != _KEYS[form]:
        raise CaseError(f"{MANIFEST}: want an object with {', '.join(sorted(_KEYS[form]))}")
    program, verdict_id = value.get("program", ""), value.get("verdict")
    is_of_verdict = form == CASE_FORMAT and kind == ZipKind.CASE
    if not isinstance(program, str) or not isinstance(verdict_id, str if is_of_verdict else NoneType):
        raise CaseError(f"{MANIFEST}: want the program's name, and of a case, its verdict's")
    if form == CASE_FORMAT and not _PROGRAM.fullmatch(program):
        raise CaseError(f"{MANIFEST}: program: want touchjudge and its version, got {shown(program)}")
    return Manifest(
        format=form,
        kind=ZipKind(str(kind)),
        files=_listed_in(value["files"]),
        program=program,
        verdict_id=verdict_id if isinstance(verdict_id, str) else None,
    )


def _listed_in(files: Json) -> dict[str, str]:
    """The files that are listed, with their hashes."""
    if not isinstance(files, dict):
        raise CaseError(f"{MANIFEST}: files: want an object of names and hashes")
    listed: dict[str, str] = {}
    for name, digest in files.items():
        _refuse_name(name)
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise CaseError(f"{MANIFEST}: {shown(name)}: want a SHA-256 in hex, got {shown(digest)}")
        listed[name] = digest
    return listed


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
