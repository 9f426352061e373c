"""The pictures of a case: its clips, and the frames of the first contacts as pictures that anything opens.

``evidence/c3.mp4`` and ``evidence/c3.clip.json`` are a clip with its index, which the record names by its
hash; ``frames/c3-3000000.png`` is the frame that the clip shows at that time, in microseconds, without loss.
"""

import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import cv2
import numpy as np
from numpy.typing import NDArray

from api.errors import CommandError, os_error_line
from api.evidence_notes import NAMED_AT_MOST, parse_clip_note
from api.evidence_shelf import MatchFolder
from referee.codec import CodecError, Json, parse_json, shown
from referee.verdicts import Verdict
from vision.evidence import ClipError, ClipIndex, ClipReader, check_clip
from vision.evidence.clips import INDEX_ENDING, LARGEST_INDEX_BYTES, parse_index

EVIDENCE = "evidence"
MOST_CONTACTS = 8
"""Frames of first contact in a case: as many as can sit at a table."""
LEVELS_APART = 3
"""By so much a picture may differ from what the clip shows: programs turn colours to RGB each in its way."""

LARGEST_PNG_BYTES = 256 << 20
"""Of a frame: 8K without any compression is 100 MB."""

_PNG = bytes((0x89,)) + b"PNG" + bytes((0x0D, 0x0A, 0x1A, 0x0A))
FRAME = re.compile(r"frames/(c[0-9]{1,9})-([0-9]{1,18})\.png")


@dataclass(frozen=True, slots=True)
class PictureCheck:
    """Clips and frames of a case that are what the record names and the clips show."""

    indexes: tuple[ClipIndex, ...]
    frames: int

    @property
    def clips(self) -> int:
        """How many clips."""
        return len(self.indexes)

    @property
    def half_covered(self) -> tuple[str, ...]:
        """Clips of older programs: of these nothing holds how they are shown."""
        return tuple(index.clip_id for index in self.indexes if index.media_sha256 is None)

    def __str__(self) -> str:
        clips = "1 clip is" if self.clips == 1 else f"{self.clips} clips are"
        frames = (
            "1 frame is what it shows" if self.frames == 1 else f"{self.frames} frames are what they show"
        )
        told = f"{clips} as the record names it" if self.clips == 1 else f"{clips} as the record names them"
        frames = f", {frames}" if self.frames else ""
        return f"{told}{frames}{half_covered_text(self.half_covered)}"


def half_covered_text(clip_ids: Collection[str]) -> str:
    """What is not checked of clips that an older program cut, told behind what is. Empty: there are none.

    >>> half_covered_text(["c3"])
    ' (aspect and colours of c3 are not covered: an older version cut it)'
    """
    if not clip_ids:
        return ""
    it = "it" if len(clip_ids) == 1 else "them"
    named = ", ".join([*clip_ids][:NAMED_AT_MOST]) + (", ..." if len(clip_ids) > NAMED_AT_MOST else "")
    return f" (aspect and colours of {named} are not covered: an older version cut {it})"


def named_clips(lines: Iterable[str]) -> Mapping[int, tuple[str, str]]:
    """The clips that lines of a record name: id and hash of the index, by the place of the line."""
    found: dict[int, tuple[str, str]] = {}
    for place, line in enumerate(lines):
        if '"kind":"note"' not in line:
            continue
        noted = _noted(line)
        if noted is not None:
            found[place] = noted
    return found


def _noted(line: str) -> tuple[str, str] | None:
    try:
        value = parse_json(line)
    except CodecError:
        return None
    payload: Json = value.get("payload") if isinstance(value, dict) and value.get("kind") == "note" else None
    text = payload.get("text") if isinstance(payload, dict) else None
    clip = parse_clip_note(text) if isinstance(text, str) else None
    return None if clip is None else (clip.clip_id, clip.index_sha256)


def clip_files(folder: MatchFolder, indexes: Iterable[ClipIndex]) -> dict[str, Path]:
    """The files of clips by their names in a zip."""
    names = [name for index in indexes for name in (index.media, f"{index.clip_id}{INDEX_ENDING}")]
    return {f"{EVIDENCE}/{name}": folder.path / name for name in names}


def contacts_of(verdict: Verdict) -> tuple[int, ...]:
    """When each play of ``verdict`` was surely in contact, in order; of no play, when it was made out."""
    plays = sorted(verdict.event.plays, key=lambda play: play.touch.end_us)
    times_us = [play.touch.end_us for play in plays] or [
        t_us for item in verdict.evidence for t_us in item.frames_us
    ][-1:]
    return tuple(dict.fromkeys(times_us))[:MOST_CONTACTS]


def check_pictures(case: zipfile.ZipFile, names: Iterable[str], lines: Iterable[str]) -> PictureCheck:
    """Whether every clip is one that the record names, and every frame what its clip shows.

    ``names``: of files that are no record and no sheet; nothing else may stand among them.

    ``CommandError`` names the first that is not. Members are read within the bounds of a checked zip.
    """
    listed = set(names)
    noted = set(named_clips(lines).values())
    clips: dict[str, ClipIndex] = {}
    frames = [found for name in sorted(listed) if (found := FRAME.fullmatch(name)) is not None]
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(listed):
            if name.startswith(f"{EVIDENCE}/") and name.endswith(INDEX_ENDING):
                index = _checked_clip(case, name, listed, noted, Path(folder))
                clips[index.clip_id] = index
        _refuse_strangers(listed - {frame[0] for frame in frames}, clips)
        for frame in frames:
            _check_frame(case, frame, clips, Path(folder))
    ordered = sorted(clips.values(), key=lambda index: int(index.clip_id[1:]))
    return PictureCheck(tuple(ordered), len(frames))


def _refuse_strangers(listed: set[str], clips: Mapping[str, ClipIndex]) -> None:
    known = {f"{EVIDENCE}/{name}" for i in clips.values() for name in (i.media, f"{i.clip_id}{INDEX_ENDING}")}
    for name in sorted(listed - known):
        if name.startswith(f"{EVIDENCE}/"):
            raise CommandError(f"{shown(name)}: it is not a clip with an index that the record names")
        raise CommandError(f"{shown(name)}: neither the record nor a clip asks for this file")


def _checked_clip(
    case: zipfile.ZipFile, name: str, listed: set[str], noted: set[tuple[str, str]], folder: Path
) -> ClipIndex:
    with case.open(name) as member:
        content = member.read(LARGEST_INDEX_BYTES + 1)
    try:
        index = parse_index(content)
    except ClipError as error:
        raise CommandError(f"{name}: {error}") from None
    if f"{EVIDENCE}/{index.clip_id}{INDEX_ENDING}" != name:
        raise CommandError(f"{name}: it is the index of {index.clip_id}")
    if (index.clip_id, index.sha256) not in noted:
        raise CommandError(f"{name}: it is not a clip that the record names")
    media = f"{EVIDENCE}/{index.media}"
    if media not in listed:
        raise CommandError(f"{name}: its pictures are missing (want {media})")
    with case.open(media) as member:
        _copy(member, folder / index.media)
    try:
        check_clip(index, folder / index.media)
    except ClipError as error:
        raise CommandError(str(error)) from None
    return index


def _copy(member: IO[bytes], target: Path) -> None:
    try:
        with target.open("wb") as file:
            while chunk := member.read(1 << 20):
                file.write(chunk)
    except OSError as error:
        raise CommandError(f"cannot unpack it: {os_error_line(error, target)}") from None


def _check_frame(
    case: zipfile.ZipFile, name: re.Match[str], clips: Mapping[str, ClipIndex], folder: Path
) -> None:
    index = clips.get(name[1])
    if index is None:
        raise CommandError(f"{name[0]}: its clip {name[1]} is not in the case")
    try:
        with ClipReader(index, folder / index.media) as reader:
            frame = reader.frame_at(int(name[2]))
    except ClipError as error:
        raise CommandError(f"{name[0]}: {error}") from None
    if frame.t_us != int(name[2]) or not _is_picture(case, name[0], frame.image_bgr):
        raise CommandError(f"{name[0]}: it is not what the clip shows at that time")


def _is_plain_png(content: bytes, size_wh: tuple[int, int]) -> bool:
    """Whether this is a PNG as cases have it, and no byte more: one picture of that size, 8-bit RGB.

    Other chunks can hold another picture, or have the same one shown in other colours.
    """
    head = struct.pack(">IIBBBBB", *size_wh, 8, 2, 0, 0, 0)
    kinds, pixels, at = [], [], len(_PNG)
    while at < len(content):
        size, kind = struct.unpack(">I4s", content[at : at + 8].ljust(8))
        body = content[at + 8 : at + 8 + size]
        if content[at + 8 + size : at + 12 + size] != zlib.crc32(kind + body).to_bytes(4, "big"):
            return False
        if (kind == b"IHDR" and body != head) or (kind == b"IEND" and body):
            return False
        kinds.append(kind)
        pixels.append(body if kind == b"IDAT" else b"")
        at += 12 + size
    is_known = content.startswith(_PNG) and set(kinds[1:-1]) == {b"IDAT"}
    if not is_known or (kinds[0], kinds[-1]) != (b"IHDR", b"IEND"):
        return False
    unpacker, most = zlib.decompressobj(), size_wh[1] * (3 * size_wh[0] + 1)
    try:
        rows = unpacker.decompress(b"".join(pixels), most + 1)
    except zlib.error:
        return False
    return len(rows) == most and unpacker.eof and not unpacker.unused_data


def _is_picture(case: zipfile.ZipFile, name: str, picture: NDArray[np.uint8]) -> bool:
    """Whether a member is ``picture`` as PNG. One that says it has another size is not decoded."""
    height, width = picture.shape[:2]
    with case.open(name) as member:
        content = member.read(LARGEST_PNG_BYTES + 1)
    if len(content) > LARGEST_PNG_BYTES or not _is_plain_png(content, (width, height)):
        return False
    told = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    if told is None or told.shape != picture.shape:
        return False
    return int(cv2.absdiff(told, picture).max()) <= LEVELS_APART
