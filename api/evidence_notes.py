"""The notes by which a record holds its clips."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from referee.record import Entry, Note
from vision.evidence import ClipIndex

NAMED_AT_MOST = 5
"""Of clips, where a line tells of them: it stays one line."""
_NOTE = re.compile(r"evidence: clip (c[0-9]+) of ([^:]+): index SHA-256 ([0-9a-f]{64})")
_NOT_KEPT = re.compile(r"evidence: clip (c[0-9]+) could not be kept: .*")


@dataclass(frozen=True, slots=True)
class NotedClip:
    """What the record says of a clip."""

    clip_id: str
    verdict_ids: tuple[str, ...]
    index_sha256: str


def clip_note(index: ClipIndex) -> str:
    """The note by which the record holds a clip to its index."""
    verdicts = ", ".join(mark.verdict_id for mark in index.marks)
    return f"evidence: clip {index.clip_id} of {verdicts}: index SHA-256 {index.sha256}"


def parse_clip_note(text: str) -> NotedClip | None:
    """What a note of the record says of a clip. None: it is about something else.

    >>> parse_clip_note("evidence: clip c3 of v7, v8: index SHA-256 " + 64 * "a").verdict_ids
    ('v7', 'v8')
    """
    found = _NOTE.fullmatch(text)
    return None if found is None else NotedClip(found[1], tuple(found[2].split(", ")), found[3])


def noted_clips(entries: Iterable[Entry]) -> tuple[NotedClip, ...]:
    """The clips that a record names, in its order."""
    texts = (entry.payload.text for entry in entries if isinstance(entry.payload, Note))
    return tuple(clip for clip in map(parse_clip_note, texts) if clip is not None)


def missing_clips(entries: Iterable[Entry], there: Iterable[str]) -> tuple[str, ...]:
    """The clips that a record names and of which it does not say that they could not be kept.

    ``there``: those that are no loss, being there.
    """
    entries = tuple(entries)
    known = {*there, *clips_without_pictures(entries)}
    named = dict.fromkeys(clip.clip_id for clip in noted_clips(entries))
    return tuple(clip_id for clip_id in named if clip_id not in known)


def missing_text(missing: Sequence[str]) -> str:
    """Which clips are not there, for a person; one line, however many they are.

    >>> missing_text(["c3"]), missing_text(["c3", "c4"])
    ('1 clip that its record names is not in it (c3)', '2 clips that its record names are not in it (c3, c4)')
    """
    names = ", ".join(missing[:NAMED_AT_MOST]) + (", ..." if len(missing) > NAMED_AT_MOST else "")
    is_one = len(missing) == 1
    clips = "1 clip that its record names is" if is_one else f"{len(missing)} clips that its record names are"
    return f"{clips} not in it ({names})"


def clips_without_pictures(entries: Iterable[Entry]) -> frozenset[str]:
    """The clips of which the record says itself that they could not be kept."""
    texts = (entry.payload.text for entry in entries if isinstance(entry.payload, Note))
    return frozenset(found[1] for found in map(_NOT_KEPT.fullmatch, texts) if found is not None)
