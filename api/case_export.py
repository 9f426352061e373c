"""Cases and whole matches put together for somebody who was not there and trusts nobody."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import IO

from api.archive import Archive, Kept
from api.case_file import ZipKind, write_case
from api.case_pictures import EVIDENCE, clip_files, contact_frames, named_clips
from api.evidence_shelf import MatchFolder
from api.kinship import akin_to, spoken_of
from api.match_views import verdict_detail
from api.read_schemas import VerdictDetailOut
from api.review_views import review_views
from api.schemas import ReviewOut
from referee.reviews import Revert
from referee.verdicts import Verdict
from vision.evidence import ClipIndex

SHEET = "sheet.html"

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#111}"
    "h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}pre{background:#f4f4f4;padding:1rem;"
    "overflow-x:auto;white-space:pre-wrap}figure{margin:0 0 1rem}"
    "img{max-width:100%}dt{font-weight:600}dd{margin:0 0 .5rem}"
)


def write_verdict_case(
    target: IO[bytes], archive: Archive, verdict_id: str, folder: MatchFolder | None
) -> bool:
    """Write the case of one verdict to ``target``; whether there is such a verdict.

    ``folder``: the evidence of the match. None: no pictures are kept.
    """
    detail = verdict_detail(archive, verdict_id)
    if detail is None:
        return False
    lines = archive.record_bytes().decode("ascii").splitlines(keepends=True)
    spoken = archive.read(lambda kept: _spoken(kept, verdict_id))
    pictures = _pictures(folder, lines, spoken)
    needed = archive.read(lambda kept: _entries_of(kept, spoken, lines)) | set(pictures.named_at)
    reviews = archive.read(lambda kept: _reviews_of(kept, spoken.akin))
    sheet = _sheet(detail, reviews, pictures, archive.why_only_shown).encode()
    files = {} if folder is None else clip_files(folder, pictures.clips)
    part = [lines[0], *lines[min(needed) : max(needed) + 1]]
    write_case(target, part, {SHEET: sheet, **files, **pictures.frames})
    return True


def write_match(target: Path | IO[bytes], record: bytes, folder: MatchFolder | None) -> None:
    """Write a whole match to ``target``: its record, and all clips of it that the record names."""
    lines = record.decode("ascii").splitlines(keepends=True)
    indexes = () if folder is None else folder.indexes()
    noted = set(named_clips(lines).values())
    named = [index for index in indexes if (index.clip_id, index.sha256) in noted]
    files = {} if folder is None else clip_files(folder, named)
    write_case(target, lines, files, ZipKind.MATCH)


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What a case is about."""

    verdict: Verdict
    akin: tuple[str, ...]
    """Its verdict, and those about the same plays."""
    entries: tuple[int, ...]
    """What was seen of them."""


@dataclass(frozen=True, slots=True)
class _Pictures:
    """What is kept of a play in pictures, and where the record says so."""

    clips: tuple[ClipIndex, ...] = ()
    named_at: tuple[int, ...] = ()
    """Entries that name the clips."""
    frames: dict[str, bytes] = field(default_factory=dict)


def _spoken(kept: Kept, verdict_id: str) -> _Spoken:
    rulings = kept.proceedings.rulings
    akin = akin_to(verdict_id, map(spoken_of, rulings))
    of_plays = {each.verdict.verdict_id: each for each in rulings if each.verdict.verdict_id in set(akin)}
    entries = tuple(entry for each in of_plays.values() for entry in each.entries)
    return _Spoken(of_plays[verdict_id].verdict, akin, entries)


def _reviews_of(kept: Kept, verdict_ids: Iterable[str]) -> tuple[ReviewOut, ...]:
    """What people entered about these verdicts."""
    wanted = set(verdict_ids)
    return tuple(view for view in review_views(kept.proceedings) if view.verdict_id in wanted)


def _pictures(folder: MatchFolder | None, lines: list[str], spoken: _Spoken) -> _Pictures:
    """The clips that were cut for a verdict, or for the one it answers, as far as the record names them."""
    if folder is None:
        return _Pictures()
    places = {named: place for place, named in named_clips(lines).items()}
    indexes = [index for index in folder.indexes() if (index.clip_id, index.sha256) in places]
    for verdict_id in spoken.akin:
        own = [index for index in indexes if any(mark.verdict_id == verdict_id for mark in index.marks)]
        if own:
            at = tuple(places[index.clip_id, index.sha256] for index in own)
            return _Pictures(tuple(own), at, contact_frames(folder, own, spoken.verdict))
    return _Pictures()


def _entries_of(kept: Kept, spoken: _Spoken, lines: list[str]) -> set[int]:
    """The entries that a case of this verdict needs: what was seen, ruled and answered of its plays."""
    reviews = kept.proceedings.reviews
    seen, named = set(spoken.entries), set(spoken.akin)
    about = {
        number
        for number, review in reviews.items()
        if (review.entry in seen if isinstance(review, Revert) else review.verdict_id in named)
    }
    return {*seen, *about, *_verdict_lines(lines, named, about)}


def _verdict_lines(lines: list[str], verdict_ids: set[str], after: set[int]) -> list[int]:
    """The entries of the verdicts themselves, and of those that follow from reviews of them."""
    found: list[int] = []
    for seq, line in enumerate(lines[1:], 1):
        if '"kind":"verdict","origin":' not in line:
            continue
        entry = json.loads(line)
        if entry["payload"]["verdict_id"] in verdict_ids or not after.isdisjoint(entry["caused_by"]):
            found.append(seq)
    return found


def _sheet(detail: VerdictDetailOut, reviews: tuple[ReviewOut, ...], pictures: _Pictures, note: str) -> str:
    """The case on a page that any browser shows, without the program."""
    verdict = detail.verdict
    facts = {
        "Ruling": f"{verdict.ruling} ({verdict.standing})",
        "Rule": "-" if verdict.rule is None else f"{verdict.rule}: {detail.rule_text}",
        "Pile": verdict.pile,
        "Card": verdict.card or "not read",
        "Player": verdict.player or "not known, or several",
        "Clock": f"grade {detail.clock_grade}; guard {detail.guard_us} us",
        "Clips": ", ".join(f"{EVIDENCE}/{index.media}" for index in pictures.clips) or "none are kept",
        **({"Note": f"judged again by this program: {note}"} if note else {}),
    }
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    said = "".join(f"<li>{escape(_review_line(review))}</li>" for review in reviews)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>Case {escape(verdict.verdict_id)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(verdict.verdict_id)}: {escape(verdict.reason)}</h1><dl>{rows}</dl>"
        f"<h2>Why</h2><pre>{escape(chr(10).join(detail.why))}</pre>"
        f"{_figures(pictures)}"
        f"<h2>What people said</h2><ul>{said or '<li>nothing</li>'}</ul>"
        "<h2>How to check it</h2><p>case.json lists every file with its SHA-256; record.jsonl is a part of"
        " the record, each line with the hash of the line before. <code>touchjudge verify CASE.zip</code>"
        " checks both, that the record names the clips, and that the frames are what they show, without a"
        " network.</p></html>\n"
    )


def _figures(pictures: _Pictures) -> str:
    """The frames of first contact, as they lie beside the sheet."""
    shown = "".join(
        f'<figure><img src="{escape(name)}" alt=""><figcaption>{escape(name)}</figcaption></figure>'
        for name in pictures.frames
    )
    return f"<h2>First contact</h2>{shown}" if shown else ""


def _review_line(review: ReviewOut) -> str:
    gone = " (taken back)" if review.is_taken_back else ""
    how = ", ".join(part for part in (review.decision, review.ruling) if part)
    return f"{review.review_id}, {review.kind} by {review.by}{f', {how}' if how else ''}: {review.text}{gone}"
