"""Whether the clips on disk are those that a record names."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from api.case_pictures import half_covered_text
from api.errors import CommandError
from api.evidence_notes import noted_clips
from api.evidence_shelf import EvidenceShelf
from referee.record import Entry
from vision.evidence import ClipError, check_clip


@dataclass(frozen=True, slots=True)
class EvidenceCheck:
    """What a check of a record's clips found."""

    whole: int
    """Clips whose index and pictures are those that the record names."""
    gone: tuple[str, ...]
    """Clips that the record names and that do not lie there: they left by age or size, or were removed."""
    half_covered: tuple[str, ...] = ()
    """Clips of older programs: of these nothing holds how they are shown."""

    def __str__(self) -> str:
        gone = f", {len(self.gone)} not there ({', '.join(self.gone[:5])})" if self.gone else ""
        whole = f"{self.whole} {'clip' if self.whole == 1 else 'clips'} as named"
        return f"{whole}{half_covered_text(self.half_covered)}{gone}"


def check_evidence(entries: Iterable[Entry], root: Path, record_name: str) -> EvidenceCheck:
    """Check the clips that a record names; ``CommandError`` at the first that is another than named."""
    noted = noted_clips(entries)
    folder = EvidenceShelf(root).bind(record_name, noted)
    if folder is None:
        return EvidenceCheck(0, tuple(clip.clip_id for clip in noted))
    whole, gone, half_covered = 0, [], []
    for clip in noted:
        index = folder.index(clip.clip_id)
        if index is None:
            gone.append(clip.clip_id)
            continue
        if index.sha256 != clip.index_sha256:
            raise CommandError(f"{folder.path}: {clip.clip_id} is not the clip that the record names")
        try:
            check_clip(index, folder.path / index.media)
        except ClipError as error:
            raise CommandError(f"{folder.path}: {error}") from None
        whole += 1
        if index.media_sha256 is None:
            half_covered.append(clip.clip_id)
    return EvidenceCheck(whole, tuple(gone), tuple(half_covered))
