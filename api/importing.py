"""A match that was exported elsewhere, taken in: checked whole before any of it is kept, and kept once."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from api.case_file import RECORD, CaseError, ZipKind, check_case, copy_member, read_member
from api.errors import CommandError, os_error_line
from api.evidence_notes import noted_clips
from api.evidence_shelf import EvidenceShelf, MatchFolder
from api.house import House, kept_match
from api.play_print import seen_in
from api.record_shelf import shown_match
from api.records import lines_of, open_log
from referee.logs import Log, read_log
from vision.evidence.clips import INDEX_ENDING


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What became of a match that was to be taken in."""

    record: Path
    """Where its record is kept now."""
    is_new: bool
    """False: it was kept there before, and nothing of it is kept twice."""
    what_is_missing: str
    """What its record names and the file did not hold, for a person. Empty: nothing."""
    why_only_shown: str
    """Why nobody can review it here, as where its verdicts do not follow. Empty: it can be."""


def import_match(path: Path, house: House) -> TakenIn:
    """Take in the match that ``path`` holds, unless it is kept here already.

    ``CommandError`` where it does not hold, nothing can be kept here, or the match is kept here with other
    entries: neither is written over, and a person decides which of them counts.
    """
    checked = check_case(path)
    if checked.kind is not ZipKind.MATCH:
        raise CaseError(f"{path}: it holds a case; want a match ('touchjudge export' makes one)")
    clips = [name for name in checked.files if name != RECORD]
    content = read_member(path, RECORD)
    with house.taking_in():
        kept, why = _kept_already(path, content, house), ""
        if kept is None:
            record, why = _placed(content, path.stem, house)
        else:
            record = kept
        try:
            _keep_clips(path, clips, EvidenceShelf(house.evidence), record)
            if all(each.record != record for each in house.store.matches.all()):
                _remember(record, content, house)
        except BaseException:
            if kept is None:
                record.unlink(missing_ok=True)
            raise
    return TakenIn(record, is_new=kept is None, what_is_missing=checked.what_is_missing, why_only_shown=why)


def _placed(content: bytes, stem: str, house: House) -> tuple[Path, str]:
    """The record in a place of its own, there only once it is whole and can be shown; why that is all."""
    record = house.free_place(stem)
    part = record.with_suffix(".part")
    try:
        part.write_bytes(content)
        opened = shown_match(part, match_id=record.stem)
        part.rename(record)
    except OSError as error:
        raise CommandError(f"cannot keep the record: {os_error_line(error, record)}") from None
    finally:
        part.unlink(missing_ok=True)
    return record, "" if opened.desk is not None else opened.archive.why_only_shown


def _remember(record: Path, content: bytes, house: House) -> None:
    lines = lines_of(content)
    header = read_log(lines).header
    table = header.table or record.stem
    kept = kept_match(record.stem, table, record, header.setup, lines[0].decode("ascii"))
    house.store.matches.add(kept)


def _kept_already(path: Path, content: bytes, house: House) -> Path | None:
    """The record here that has all that ``content`` has. None: the match is not kept here.

    ``CommandError`` where it is kept with other entries.
    """
    taken = read_log(lines_of(content))
    for record in _records_here(taken, house):
        there = record.read_bytes()
        if there.startswith(content):
            return record
        if not _is_same_match(taken, there):
            continue
        more = "this one has more in it" if content.startswith(there) else "this one has others in it"
        raise CommandError(
            f"{path}: this match is kept here already, as {record}, and {more}: nothing was taken in"
            " (move that record elsewhere to take in this one)"
        )
    return None


def _records_here(taken: Log, house: House) -> Iterator[Path]:
    """Records that may be of the match of ``taken``: those of other players need not be read."""
    players = tuple(item.player for item in taken.header.setup.seats)
    known: set[Path] = set()
    for kept in house.store.matches.all():
        known.add(kept.record)
        is_alike = kept.players == players and kept.game == taken.header.setup.game
        if is_alike and kept.record.is_file():
            yield kept.record
    if house.records.is_dir():  # what a program that was killed had not remembered yet
        there = (record for record in sorted(house.records.glob("*.jsonl")) if record.is_file())
        yield from (record for record in there if record not in known)


def _is_same_match(taken: Log, there: bytes) -> bool:
    """Whether the same was seen and told in both, as far as both go."""
    try:
        log = read_log(lines_of(there))
    except ValueError:
        return False  # what does not hold is nothing to be the same as
    one, other = seen_in(taken), seen_in(log)
    both = min(len(one), len(other))
    is_part = len(one) != len(other)
    return both > 0 and one[:both] == other[:both] and (not is_part or taken.header == log.header)


def _keep_clips(path: Path, names: list[str], shelf: EvidenceShelf, record: Path) -> None:
    """Keep the clips of a match that are not kept here already, or are damaged here."""
    if not names:
        return
    there = shelf.bind(record.stem, noted_clips(open_log(record).entries))
    folder = there or shelf.new_match(record.stem)
    try:
        for name in sorted(_lacking(folder, names), key=lambda each: each.endswith(INDEX_ENDING)):
            target = folder.path / PurePosixPath(name).name
            target.unlink(missing_ok=True)
            _take(path, name, target)
    except BaseException:
        if there is None:
            shutil.rmtree(folder.path, ignore_errors=True)
        raise


def _take(path: Path, name: str, target: Path) -> None:
    """Copy one file of a match to ``target``, of which nothing is left where that fails."""
    try:
        copy_member(path, name, target)
    except OSError as error:
        target.unlink(missing_ok=True)
        raise CommandError(f"cannot keep evidence: {os_error_line(error, target)}") from None


def _lacking(folder: MatchFolder, names: list[str]) -> list[str]:
    """The files of those clips that are not whole in ``folder``."""
    whole = {index.clip_id for index in folder.indexes() if folder.is_whole(index)}
    return [name for name in names if PurePosixPath(name).name.split(".")[0] not in whole]
