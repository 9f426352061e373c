"""The folder that evidence is kept in: one folder a match, clips with their indexes in it, old ones leaving.

```
DIR/kitchen-1/match.json      which match it is
DIR/kitchen-1/waiting.json  verdicts that wait for a person: their clips stay
DIR/kitchen-1/c1.mp4          pictures, cut from the source's own packets
DIR/kitchen-1/c1.clip.json    times, hashes, and what the clip was cut for
```
"""

import re
import shutil
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from api.errors import CommandError, MisuseError, os_error_line
from api.evidence_notes import NotedClip
from referee.codec import CodecError, Json, canonical, parse_json
from vision.evidence import ClipError, ClipIndex, check_clip, read_index
from vision.evidence.clips import INDEX_ENDING

SECONDS_A_DAY = 86_400.0
MATCH_FILE = "match.json"
MATCH_FORMAT = 1
WAITING_FILE = "waiting.json"
"""Names the verdicts that wait for a person: their clips stay, whatever their age."""
LARGEST_MATCH_BYTES = 1 << 16
FOLDERS_AT_MOST = 10_000
"""Of one evidence folder: a club's years. More are not looked through for a request."""

WRITING_S_AT_MOST = 600.0
"""A clip is written within seconds; what is half written for longer was left by a run that was killed."""

_CLIP_FILE = re.compile(r"(c[0-9]{1,9})(\.clip\.json|\.mp4|\.mkv)(\.part)?")
_FOLDER = re.compile(r"(.+)-([0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How much evidence is kept."""

    bytes_at_most: int = 20_000_000_000
    """Oldest clips go first. A round of 1080p60 at 8 Mbit/s is some 400 MB."""
    age_s_at_most: float = 30 * SECONDS_A_DAY
    """Older clips go: a month is longer than any protest takes."""
    free_bytes_at_least: int = 500_000_000
    """Where the disk has less left, no clip is written: the record needs room more."""

    def __post_init__(self) -> None:
        if self.bytes_at_most <= 0 or self.age_s_at_most <= 0 or self.free_bytes_at_least < 0:
            raise ValueError("retention: want sizes and an age above 0")


@dataclass(frozen=True, slots=True)
class MatchFolder:
    """The evidence of one match."""

    path: Path

    def indexes(self) -> tuple[ClipIndex, ...]:
        """The clips that are whole, by their numbers; what does not hold is left out."""
        return tuple(index for index in map(self.index, self.clip_ids()) if index is not None)

    def clip_ids(self) -> tuple[str, ...]:
        """Names of the clips that are whole."""
        names = (path.name for path in _files_in(self.path) if _is_own_file(path))
        ids = [name.removesuffix(INDEX_ENDING) for name in names if name.endswith(INDEX_ENDING)]
        return tuple(sorted((i for i in ids if _CLIP_FILE.fullmatch(i + INDEX_ENDING)), key=_number_in))

    def hold(self, verdict_ids: Iterable[str]) -> None:
        """Keep the clips of these verdicts, and of no others, beyond age and size."""
        held: list[Json] = [*sorted(verdict_ids)]
        target = self.path / WAITING_FILE
        part = target.with_name(f"{WAITING_FILE}.part")
        try:
            part.write_text(canonical({"format": MATCH_FORMAT, "verdicts": held}) + "\n", encoding="ascii")
            part.replace(target)
        except OSError:  # no clip goes by that: the next change of what waits tries again
            part.unlink(missing_ok=True)

    @property
    def held(self) -> frozenset[str]:
        """The verdicts whose clips stay."""
        value = _small_json(self.path / WAITING_FILE)
        found = value.get("verdicts") if isinstance(value, dict) else None
        named = found if isinstance(found, list) else []
        return (
            frozenset(each for each in named if isinstance(each, str))
            if isinstance(named, list)
            else frozenset()
        )

    def index(self, clip_id: str) -> ClipIndex | None:
        """The index of a clip. None: there is none, or it does not hold."""
        path = self.path / f"{clip_id}{INDEX_ENDING}"
        if _CLIP_FILE.fullmatch(path.name) is None or not _is_own_file(path):
            return None
        try:
            index = read_index(path)
        except ClipError:
            return None
        return index if index.clip_id == clip_id and self.has_files_of(index) else None

    def has_files_of(self, index: ClipIndex) -> bool:
        """Whether the files of a clip lie here themselves; where a link leads is no evidence of ours."""
        names = (f"{index.clip_id}{INDEX_ENDING}", index.media)
        return not self.path.is_symlink() and all(_is_own_file(self.path / name) for name in names)

    def is_whole(self, index: ClipIndex) -> bool:
        """Whether the pictures of a clip are those of its index."""
        try:
            if self.has_files_of(index):
                check_clip(index, self.path / index.media)
                return True
        except ClipError:
            pass
        return False


class EvidenceShelf:
    """A folder of evidence. Its methods may be called from several threads."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._match_of: dict[str, str] = {}
        """Match id by the name of its folder, as far as looked up."""
        self._bound: dict[str, MatchFolder | None] = {}
        """Of matches whose record was asked for its clips: another match may have been played under the same
        id. None: none of them is kept."""

    def make_root(self) -> None:
        """Make the folder, if it is not there yet; ``CommandError`` where that cannot be."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise MisuseError(f"--evidence wants a folder; {self.root} is none") from None
        except OSError as error:
            raise CommandError(f"cannot keep evidence: {os_error_line(error)}") from None

    def new_match(self, match_id: str) -> MatchFolder:
        """A folder for a match that begins; ``CommandError`` where none can be made.

        What a killed run left half written is cleared away.
        """
        self.make_root()
        try:
            clear_parts(self.root)
            path = self._free_folder(match_id)
            body: dict[str, Json] = {"format": MATCH_FORMAT, "kind": "evidence", "match_id": match_id}
            (path / MATCH_FILE).write_text(canonical(body) + "\n", encoding="ascii")
        except OSError as error:
            raise CommandError(f"cannot keep evidence: {os_error_line(error, self.root)}") from None
        return MatchFolder(path)

    def _free_folder(self, match_id: str) -> Path:
        name = re.sub(r"[^A-Za-z0-9_]+", "-", match_id).strip("-")[:60] or "match"
        taken = [_FOLDER.fullmatch(path.name) for path in self.root.iterdir()]
        number = 1 + max((int(m[2]) for m in taken if m is not None and m[1] == name), default=0)
        while True:
            path = self.root / f"{name}-{number}"
            try:
                path.mkdir()
            except FileExistsError:
                number += 1
                continue
            return path

    def match(self, match_id: str) -> MatchFolder | None:
        """The newest folder of a match. None: nothing is kept of it."""
        with self._lock:
            if match_id in self._bound:
                return self._bound[match_id]
        found = [path for path in self._folders() if self._match_id_in(path) == match_id]
        return MatchFolder(max(found, key=_folder_number)) if found else None

    def bind(self, match_id: str, noted: Iterable[NotedClip]) -> MatchFolder | None:
        """Show under ``match_id`` the folder with the clips that a record names; None where there is none."""
        folder = self._folder_with(noted)
        with self._lock:
            self._bound[match_id] = folder
        return folder

    def _folder_with(self, noted: Iterable[NotedClip]) -> MatchFolder | None:
        for clip in noted:
            for path in self._folders():
                index = MatchFolder(path).index(clip.clip_id)
                if index is not None and index.sha256 == clip.index_sha256:
                    return MatchFolder(path)
        return None

    def _folders(self) -> Iterator[Path]:
        yield from _folders_in(self.root)[:FOLDERS_AT_MOST]

    def _match_id_in(self, path: Path) -> str | None:
        with self._lock:
            known = self._match_of.get(path.name)
        if known is not None:
            return known
        read = _match_id_of(path)
        if read is not None:
            with self._lock:
                self._match_of[path.name] = read
        return read


def sweep(root: Path, retention: Retention, *, spare: Path | None = None) -> int:
    """Remove the oldest clips beyond what may be kept, and folders left without any; how many clips went.

    Clips of verdicts that wait for a person stay: of open appeals, and of what nobody has ruled on.

    ``spare``: the folder of the running match, which stays even when empty.
    """
    clips = sorted(_clips_in(root), key=lambda clip: (clip.written_s, clip.index.name))
    now_s = _now_s()
    kept_bytes = sum(clip.size_bytes for clip in clips)
    removed = 0
    held: dict[Path, frozenset[str]] = {}
    for clip in clips:
        is_old = now_s - clip.written_s > retention.age_s_at_most
        if not is_old and kept_bytes <= retention.bytes_at_most:
            continue
        folder = clip.index.parent
        if folder not in held:
            held[folder] = MatchFolder(folder).held
        if held[folder] and _is_of(clip, held[folder]):
            continue
        clip.index.unlink(missing_ok=True)  # First: without an index there is no clip.
        clip.media.unlink(missing_ok=True)
        kept_bytes -= clip.size_bytes
        removed += 1
        _remove_if_empty(clip.index.parent, spare)
    return removed


def _is_of(clip: "_ClipFiles", verdict_ids: frozenset[str]) -> bool:
    """Whether a clip was cut for one of these verdicts."""
    try:
        index = read_index(clip.index)
    except ClipError:
        return False  # it shows nobody anything
    return any(mark.verdict_id in verdict_ids for mark in index.marks)


def clear_parts(root: Path) -> None:
    """Remove what a killed run left half written: parts, and pictures whose index never came.

    What is new stays: another table may be writing it.
    """
    old_s = _now_s() - WRITING_S_AT_MOST
    for folder in _folders_in(root):
        for path in _files_in(folder):
            found = _CLIP_FILE.fullmatch(path.name)
            if found is None:
                continue
            is_bare = found[2] != INDEX_ENDING and not (folder / f"{found[1]}{INDEX_ENDING}").exists()
            if (found[3] is not None or is_bare) and _written_s(path) < old_s:
                path.unlink(missing_ok=True)


def free_bytes(path: Path) -> int:
    """What the disk has left for us there."""
    return shutil.disk_usage(path).free


@dataclass(frozen=True, slots=True)
class _ClipFiles:
    index: Path
    media: Path
    size_bytes: int
    written_s: float


def _clips_in(root: Path) -> Iterator[_ClipFiles]:
    for folder in _folders_in(root):
        for path in _files_in(folder):
            found = _CLIP_FILE.fullmatch(path.name)
            if found is None or found[2] == INDEX_ENDING or found[3] is not None:
                continue
            index = folder / f"{found[1]}{INDEX_ENDING}"
            try:
                media, listing = path.stat(), index.stat()
            except OSError:
                continue  # It is being written, or has just gone.
            yield _ClipFiles(index, path, media.st_size + listing.st_size, listing.st_mtime)


def _now_s() -> float:
    return time.time()  # noqa: TID251 - the age of files on disk; it decides nothing in a match


def _written_s(path: Path) -> float:
    """When a file was written last; of one that has just gone, just now."""
    try:
        return path.stat().st_mtime
    except OSError:
        return _now_s()


def _folders_in(root: Path) -> list[Path]:
    """The folders of matches. A link is none: what lies elsewhere is not shown, taken away or removed."""
    return [path for path in _files_in(root) if path.is_dir() and not path.is_symlink()]


def _is_own_file(path: Path) -> bool:
    """Whether a file itself lies there: no link, no device, no pipe."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _files_in(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _remove_if_empty(folder: Path, spare: Path | None) -> None:
    if folder != spare and {path.name for path in _files_in(folder)} <= {MATCH_FILE, WAITING_FILE}:
        for name in (MATCH_FILE, WAITING_FILE):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


def _match_id_of(folder: Path) -> str | None:
    """The match that a folder belongs to. None: it is no folder of evidence."""
    value = _small_json(folder / MATCH_FILE)
    is_ours = isinstance(value, dict) and value.get("kind") == "evidence"
    match_id = value.get("match_id") if isinstance(value, dict) and is_ours else None
    return match_id if isinstance(match_id, str) else None


def _small_json(path: Path) -> Json:
    """What stands in a small file of ours. None: nothing that can be read."""
    try:
        with path.open("rb") as file:
            return parse_json(file.read(LARGEST_MATCH_BYTES).decode("ascii"))
    except (OSError, UnicodeDecodeError, CodecError):
        return None


def _number_in(clip_id: str) -> int:
    return int(clip_id[1:])


def _folder_number(path: Path) -> int:
    found = _FOLDER.fullmatch(path.name)
    return int(found[2]) if found is not None else 0
