"""What belongs into the case of one verdict, and its sheet: made of record and clips, and of nothing else.

Who checks a case makes both once more, with the record that lies in it, and compares.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from api.archive import Kept
from api.case_pictures import EVIDENCE, contacts_of, named_clips
from api.evidence_notes import clips_without_pictures, noted_clips
from api.kinship import akin_to, spoken_of
from api.match_views import detail_of_verdict
from api.pile_names import PileNames, names_in
from api.read_schemas import VerdictDetailOut
from api.records import lines_of
from api.reopening import UnfitError, reopened
from api.review_views import review_views
from api.schemas import ReviewOut
from referee.logs import read_log
from referee.notation_words import ms_word
from referee.replay import replay
from vision.evidence import ClipIndex

SHEET = "sheet.html"
NUMBERED = "counted from 1, as pages have them; the record has the table file's numbers, which begin with 0"

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#111}"
    "h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}pre{background:#f4f4f4;padding:1rem;"
    "overflow-x:auto;white-space:pre-wrap}figure{margin:0 0 1rem}"
    "img{max-width:100%}dt{font-weight:600}dd{margin:0 0 .5rem}"
)


@dataclass(frozen=True, slots=True)
class Contact:
    """A frame of first contact."""

    clip: ClipIndex
    t_us: int

    @property
    def name(self) -> str:
        """Of its picture in a case."""
        return f"frames/{self.clip.clip_id}-{self.t_us}.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseContent:
    """All that the case of one verdict holds beside its record."""

    detail: VerdictDetailOut
    reviews: tuple[ReviewOut, ...]
    """What people entered about it, and about the verdicts on the same plays."""
    clips: tuple[ClipIndex, ...]
    missing: tuple[str, ...]
    """Clips that the record says were cut for it, and that are not at hand."""
    contacts: tuple[Contact, ...]
    note: str
    """Why the record can only be shown. Empty: it can be reviewed."""
    names: PileNames

    @property
    def sheet(self) -> bytes:
        """The case on a page that any browser shows, without the program."""
        return _sheet(self).encode()


def case_content(record: bytes, verdict_id: str, indexes: Sequence[ClipIndex]) -> CaseContent | None:
    """What the case of a verdict holds; None where the record gives no such verdict.

    ``record``: whole lines, which are judged again. ``indexes``: of the clips at hand; those of the play that
    the record names are taken. ``ValueError`` where it is no record.
    """
    kept, note = _judged(record)
    detail = detail_of_verdict(kept, verdict_id)
    if detail is None:
        return None
    given = kept.proceedings.rulings
    akin = akin_to(verdict_id, map(spoken_of, given))
    named = set(named_clips(line.decode() for line in lines_of(record)).values())
    clips = _clips_of(akin, [index for index in indexes if (index.clip_id, index.sha256) in named])
    verdict = next(each.verdict for each in given if each.verdict.verdict_id == verdict_id)
    return CaseContent(
        detail=detail,
        reviews=tuple(view for view in review_views(kept.proceedings) if view.verdict_id in set(akin)),
        clips=clips,
        missing=_missing(record, akin, clips),
        contacts=_contacts(contacts_of(verdict), clips),
        note=note,
        names=names_in(kept.proceedings.setup),
    )


def _judged(record: bytes) -> tuple[Kept, str]:
    """The match of a record, and why it can only be shown, if so."""
    try:
        opened = reopened(Path(), record)
    except UnfitError as error:
        log = read_log(lines_of(record))
        return Kept(log.header, replay(log).proceedings), str(error)
    return Kept(opened.log.header, opened.match.proceedings), ""


def _clips_of(akin: Iterable[str], indexes: Sequence[ClipIndex]) -> tuple[ClipIndex, ...]:
    """The clips that were cut for a verdict, or for the one it answers."""
    for verdict_id in akin:
        own = [index for index in indexes if any(mark.verdict_id == verdict_id for mark in index.marks)]
        if own:
            return tuple(own)
    return ()


def _missing(record: bytes, akin: Iterable[str], clips: Sequence[ClipIndex]) -> tuple[str, ...]:
    """The clips that the record names for a verdict, or for the one it answers, but those that are there."""
    entries = read_log(lines_of(record)).entries
    never = clips_without_pictures(entries)
    noted = [clip for clip in noted_clips(entries) if clip.clip_id not in never]
    there = {(index.clip_id, index.sha256) for index in clips}
    for verdict_id in akin:
        own = [clip for clip in noted if verdict_id in clip.verdict_ids]
        if own:
            gone = (clip.clip_id for clip in own if (clip.clip_id, clip.index_sha256) not in there)
            return tuple(dict.fromkeys(gone))
    return ()


def _contacts(times_us: Iterable[int], clips: Sequence[ClipIndex]) -> tuple[Contact, ...]:
    """The frames that clips show at these times."""
    found: list[Contact] = []
    for t_us in times_us:
        for index in clips:
            shown_us = index.times_us
            if shown_us and shown_us[0] <= t_us <= shown_us[-1]:
                found.append(Contact(index, shown_us[bisect_right(shown_us, t_us) - 1]))
                break
    return tuple({contact.name: contact for contact in found}.values())


def _sheet(content: CaseContent) -> str:
    verdict, detail = content.detail.verdict, content.detail
    facts = {
        "Ruling": f"{verdict.ruling} ({verdict.standing})",
        "Rule": "-" if verdict.rule is None else f"{verdict.rule}: {detail.rule_text}",
        "Pile": content.names.name(verdict.pile),
        "Card": verdict.card or "not read",
        "Player": verdict.player or "not known, or several",
        "Clock": f"grade {detail.clock_grade}; guard {ms_word(detail.guard_us)} ms",
        "Clips": _clips_line(content),
        **({"Piles": NUMBERED} if content.names.from_zero else {}),
        **({"Note": f"judged again by this program: {content.note}"} if content.note else {}),
    }
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    said = "".join(f"<li>{escape(_review_line(review))}</li>" for review in content.reviews)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>Case {escape(verdict.verdict_id)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(verdict.verdict_id)}: {escape(verdict.reason)}</h1><dl>{rows}</dl>"
        f"<h2>Why</h2><pre>{escape(chr(10).join(detail.why))}</pre>"
        f"{_figures(content.contacts)}"
        f"<h2>What people said</h2><ul>{said or '<li>nothing</li>'}</ul>"
        "<h2>How to check it</h2><p>case.json lists every file with its SHA-256; record.jsonl is the record"
        " up to this case, each line with the hash of the one before. <code>touchjudge verify CASE.zip</code>"
        " checks both, judges the record again and makes this page of it once more, and checks that the"
        " record names the clips and that the frames are what they show, without a network.</p></html>\n"
    )


def _clips_line(content: CaseContent) -> str:
    """Which clips lie beside the sheet, and which should."""
    there = ", ".join(f"{EVIDENCE}/{index.media}" for index in content.clips)
    if not content.missing:
        return there or "the record names none"
    gone = ", ".join(content.missing)
    return f"{there or 'none'}; the record names {gone}, no longer kept, or damaged, when this was made"


def _figures(contacts: Iterable[Contact]) -> str:
    """The frames of first contact, as they lie beside the sheet."""
    shown = "".join(
        f'<figure><img src="{contact.name}" alt=""><figcaption>{contact.name}</figcaption></figure>'
        for contact in contacts
    )
    return f"<h2>First contact</h2>{shown}" if shown else ""


def _review_line(review: ReviewOut) -> str:
    gone = " (taken back)" if review.is_taken_back else ""
    how = ", ".join(part for part in (review.decision, review.ruling) if part)
    return f"{review.review_id}, {review.kind} by {review.by}{f', {how}' if how else ''}: {review.text}{gone}"
