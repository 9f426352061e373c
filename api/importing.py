"""A match that was exported elsewhere, taken in: checked whole before anything of it is kept."""

from pathlib import Path, PurePosixPath

from api.case_file import RECORD, CaseError, ZipKind, check_case, copy_member, read_member
from api.errors import CommandError
from api.evidence_shelf import EvidenceShelf
from api.feed import MatchFeed
from api.house import House, kept_match
from api.play_print import play_print
from api.record_shelf import shown_match
from api.records import open_log
from vision.evidence.clips import INDEX_ENDING

_EVIDENCE = "evidence"
_ENDINGS = (".mp4", ".mkv", INDEX_ENDING)


def import_match(path: Path, house: House) -> tuple[Path, Path | None]:
    """Take in the match that ``path`` holds; where its record is kept now, and that of which it is a copy.

    ``CommandError`` where it does not hold, or nothing can be kept here.
    """
    checked = check_case(path)
    if checked.kind is not ZipKind.MATCH:
        raise CaseError(f"{path}: it holds a case; want a match ('touchjudge export' makes one)")
    record = house.place_for_record(path.stem)
    if record is None:
        raise CommandError("nothing can be kept here: name a folder with TOUCHJUDGE_HOME")
    content = read_member(path, RECORD)
    with record.open("xb") as file:
        file.write(content)
    try:
        feed, desk, *_ = shown_match(record, match_id=record.stem)
        copied = _copied_from(feed, house)
        clips = [name for name in checked.files if _is_evidence(name)]
        if clips:
            _keep_clips(path, clips, EvidenceShelf(house.evidence), record.stem)
        if desk is not None:
            house.store.matches.add(kept_match(feed, desk, record))
    except BaseException:
        record.unlink(missing_ok=True)
        raise
    return record, copied


def _copied_from(feed: MatchFeed, house: House) -> Path | None:
    """A record that is kept here of the same match; those of other players need not be read."""
    players = tuple(player.player for player in feed.score.players)
    for kept in house.store.matches.all():
        if kept.players != players or kept.game != feed.game or not kept.record.is_file():
            continue
        try:
            log = open_log(kept.record)
        except CommandError:
            continue  # what does not hold is nothing to be a copy of
        if feed.play_print and play_print(log) == feed.play_print:
            return kept.record
    return None


def _is_evidence(name: str) -> bool:
    """Whether this is a clip or its index; what else lies in the zip is not taken in."""
    parts = PurePosixPath(name).parts
    return len(parts) == 2 and parts[0] == _EVIDENCE and parts[1].endswith(_ENDINGS)


def _keep_clips(path: Path, names: list[str], shelf: EvidenceShelf, match_id: str) -> None:
    folder = shelf.new_match(match_id)
    for name in sorted(names, key=lambda each: each.endswith(INDEX_ENDING)):
        copy_member(path, name, folder.path / PurePosixPath(name).name)
