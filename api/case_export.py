"""Cases and whole matches put together for somebody who was not there and trusts nobody."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from api.case_file import CaseOf, write_case
from api.case_pictures import clip_files, named_clips
from api.case_sheet import SHEET, CaseContent, Contact, case_content
from api.evidence_notes import missing_clips, missing_text
from api.evidence_shelf import MatchFolder
from api.images import encode_png
from api.records import lines_of
from referee.logs import read_log
from vision.evidence import ClipIndex, ClipReader


def write_verdict_case(
    target: Path | IO[bytes], record: bytes, verdict_id: str, folder: MatchFolder | None
) -> CaseContent | None:
    """Write the case of one verdict to ``target``; what is in it. None: there is no such verdict.

    ``record``: all of it so far. ``folder``: the evidence of the match. None: no pictures are kept. A clip
    that is gone or damaged proves nothing: the case is written without it, and says so.
    """
    whole = _whole_lines(record)
    content = _content_of(b"".join(whole), verdict_id, folder)
    if content is None:
        return None
    files: dict[str, bytes | Path] = {SHEET: content.sheet}
    if folder is not None:
        files.update(clip_files(folder, content.clips))
        files.update(_contact_frames(folder, content.contacts))
    write_case(target, (line.decode("ascii") for line in whole), files, CaseOf(verdict_id))
    return content


def _content_of(record: bytes, verdict_id: str, folder: MatchFolder | None) -> CaseContent | None:
    """What belongs into the case, of the clips that are whole."""
    indexes: Sequence[ClipIndex] = () if folder is None else folder.indexes()
    while True:
        content = case_content(record, verdict_id, indexes)
        if content is None or folder is None:
            return content
        damaged = [index for index in content.clips if not folder.is_whole(index)]
        if not damaged:
            return content
        indexes = [index for index in indexes if index not in damaged]


@dataclass(frozen=True, slots=True)
class MatchContent:
    """What of a match is in its zip, beside the record."""

    clips: int
    missing: tuple[str, ...]
    """Clips that the record names and that are not in it: no longer kept, or damaged."""

    @property
    def what_is_missing(self) -> str:
        """The same for a person. Empty: all that the record names is in it."""
        return f"{missing_text(self.missing)}: no longer kept, or damaged" if self.missing else ""


def write_match(target: Path | IO[bytes], record: bytes, folder: MatchFolder | None) -> MatchContent:
    """Write a whole match to ``target``: its record, and all whole clips of it that the record names.

    What is gone or damaged proves nothing: it is left out and told, so that the rest can be taken in.
    """
    lines = record.decode("ascii").splitlines(keepends=True)
    indexes = () if folder is None else folder.indexes()
    noted = set(named_clips(lines).values())
    named = [index for index in indexes if (index.clip_id, index.sha256) in noted]
    whole = [] if folder is None else [index for index in named if folder.is_whole(index)]
    write_case(target, lines, {} if folder is None else clip_files(folder, whole), None)
    entries = read_log(lines_of(record)).entries
    return MatchContent(len(whole), missing_clips(entries, (index.clip_id for index in whole)))


def _whole_lines(record: bytes) -> list[bytes]:
    """The lines of a record, but for a last one that was never finished."""
    lines = lines_of(record)
    return lines if read_log(lines).cut_line is None else lines[:-1]


def _contact_frames(folder: MatchFolder, contacts: Iterable[Contact]) -> dict[str, bytes]:
    """The frames of first contact as PNG, by their names in a case."""
    found: dict[str, bytes] = {}
    for contact in contacts:
        with ClipReader(contact.clip, folder.path / contact.clip.media) as reader:
            found[contact.name] = encode_png(reader.frame_at(contact.t_us).image_bgr)
    return found
