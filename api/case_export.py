"""Cases and whole matches put together for somebody who was not there and trusts nobody."""

import json
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import IO

from api.case_file import ZipKind, write_case
from api.desk import MatchDesk
from api.evidence_shelf import MatchFolder
from api.match_views import verdict_detail
from api.read_schemas import VerdictDetailOut
from api.schemas import ReviewOut
from referee.record import RecordedMatch
from referee.reviews import Resolution, Revert, id_of

SHEET = "sheet.html"

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#111}"
    "h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}pre{background:#f4f4f4;padding:1rem;"
    "overflow-x:auto;white-space:pre-wrap}dt{font-weight:600}dd{margin:0 0 .5rem}"
)


def write_verdict_case(
    target: IO[bytes], desk: MatchDesk, verdict_id: str, folder: MatchFolder | None
) -> bool:
    """Write the case of one verdict to ``target``; whether there is such a verdict.

    ``folder``: the evidence of the match. None: no pictures are kept.
    """
    detail = verdict_detail(desk, verdict_id)
    if detail is None:
        return False
    lines = desk.record_bytes().decode("ascii").splitlines(keepends=True)
    first, last = desk.read(lambda kept: _span_of(kept, verdict_id, detail.verdict.entries, lines))
    reviews = desk.read_reviews(verdict_id)
    clips = {} if folder is None else _clip_files(folder, verdict_id)
    sheet = _sheet(detail, reviews, sorted(clips)).encode()
    write_case(target, [lines[0], *lines[first : last + 1]], {SHEET: sheet, **clips})
    return True


def write_match(target: Path | IO[bytes], record: bytes, folder: MatchFolder | None) -> None:
    """Write a whole match to ``target``: its record, and all evidence that is kept of it."""
    files = {} if folder is None else {f"evidence/{path.name}": path for path in _files_of(folder)}
    write_case(target, record.decode("ascii").splitlines(keepends=True), files, ZipKind.MATCH)


def _span_of(
    kept: RecordedMatch, verdict_id: str, entries: Iterable[int], lines: list[str]
) -> tuple[int, int]:
    """The first and the last entry that a case of this verdict needs."""
    reviews = kept.proceedings.reviews
    about = [
        number
        for number, review in reviews.items()
        if getattr(review, "verdict_id", None) == verdict_id
        or (isinstance(review, Revert) and review.entry in set(entries))
    ]
    ruled = {id_of(reviews[number]): number for number in about if isinstance(reviews[number], Resolution)}
    needed = {*entries, *about, *ruled.values(), *_verdict_lines(lines, verdict_id, set(about))}
    return min(needed), max(needed)


def _verdict_lines(lines: list[str], verdict_id: str, after: set[int]) -> list[int]:
    """The entries of the verdict itself, and of those that follow from reviews of it."""
    found: list[int] = []
    for seq, line in enumerate(lines[1:], 1):
        if '"kind":"verdict","origin":' not in line:
            continue
        entry = json.loads(line)
        if entry["payload"]["verdict_id"] == verdict_id or not after.isdisjoint(entry["caused_by"]):
            found.append(seq)
    return found


def _clip_files(folder: MatchFolder, verdict_id: str) -> Mapping[str, Path]:
    """The clips that were cut for a verdict, with their indexes, by their names in the case."""
    files: dict[str, Path] = {}
    for index in folder.indexes():
        if any(mark.verdict_id == verdict_id for mark in index.marks):
            for name in (index.media, f"{index.clip_id}.clip.json"):
                files[f"evidence/{name}"] = folder.path / name
    return files


def _files_of(folder: MatchFolder) -> list[Path]:
    """All evidence of a match that is whole."""
    names = [name for index in folder.indexes() for name in (index.media, f"{index.clip_id}.clip.json")]
    return [folder.path / name for name in names]


def _sheet(detail: VerdictDetailOut, reviews: tuple[ReviewOut, ...], clips: list[str]) -> str:
    """The case on a page that any browser shows, without the program."""
    verdict = detail.verdict
    facts = {
        "Ruling": f"{verdict.ruling} ({verdict.standing})",
        "Rule": "-" if verdict.rule is None else f"{verdict.rule}: {detail.rule_text}",
        "Pile": verdict.pile,
        "Card": verdict.card or "not read",
        "Player": verdict.player or "not known, or several",
        "Clock": f"grade {detail.clock_grade}; guard {detail.guard_us} us",
        "Pictures": ", ".join(clips) or "none are kept",
    }
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    said = "".join(f"<li>{escape(_review_line(review))}</li>" for review in reviews)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>Case {escape(verdict.verdict_id)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(verdict.verdict_id)}: {escape(verdict.reason)}</h1><dl>{rows}</dl>"
        f"<h2>Why</h2><pre>{escape(chr(10).join(detail.why))}</pre>"
        f"<h2>What people said</h2><ul>{said or '<li>nothing</li>'}</ul>"
        "<h2>How to check it</h2><p>case.json lists every file with its SHA-256; record.jsonl is a part of"
        " the record, each line with the hash of the line before. <code>touchjudge verify CASE.zip</code>"
        " checks both, without a network.</p></html>\n"
    )


def _review_line(review: ReviewOut) -> str:
    gone = " (taken back)" if review.is_taken_back else ""
    how = ", ".join(part for part in (review.decision, review.ruling) if part)
    return f"{review.review_id}, {review.kind} by {review.by}{f', {how}' if how else ''}: {review.text}{gone}"
