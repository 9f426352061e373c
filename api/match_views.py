"""What is kept of a match beside the feed: set-up, what stands behind a verdict, the lines of the record."""

import json
import re
from dataclasses import dataclass

from api.archive import Archive, Kept
from api.pile_names import names_in
from api.read_schemas import EntryLineOut, MatchDetailOut, SeatOut, VerdictDetailOut
from api.schemas import MatchOut
from api.views import ruled_view, verdict_view
from referee.explain import explain, times_lines
from referee.proceedings import Ruled
from referee.rule_texts import RULE_TEXTS
from referee.setup import MatchSetup

_KIND = re.compile(rb'"hash":"[0-9a-f]{64}","kind":"(\w+)","origin":')
"""In a canonical line: the kind of the entry itself, not of what is in it."""


def seat_views(archive: Archive) -> tuple[SeatOut, ...]:
    """Who sits where, and how many appeals each has left."""
    return archive.read(_seats)


def detail_view(archive: Archive, match: MatchOut, t_us: int) -> MatchDetailOut:
    """A match with all that was agreed before the first card."""
    return archive.read(lambda kept: _detail(kept, archive, match, t_us))


def verdict_detail(archive: Archive, verdict_id: str) -> VerdictDetailOut | None:
    """All that stands behind a verdict. None: there is none of this id."""
    return archive.read(lambda kept: detail_of_verdict(kept, verdict_id))


@dataclass(frozen=True, slots=True)
class EntryLine:
    """One line of the record, not yet read into."""

    seq: int
    line: bytes

    def view(self, *, is_taken_back: bool) -> EntryLineOut:
        """What it says."""
        value = json.loads(self.line)
        fields = {name: value[name] for name in ("kind", "origin", "t_us", "caused_by", "payload", "hash")}
        return EntryLineOut(seq=self.seq, is_taken_back=is_taken_back, **fields)


def entry_lines(archive: Archive, kind: str | None) -> tuple[list[EntryLine], frozenset[int]]:
    """The entries of a kind, or all, and the numbers of those that were taken back."""
    lines = archive.record_bytes().split(b"\n")[1:-1]
    rows = [EntryLine(seq, line) for seq, line in enumerate(lines, 1) if kind is None or _is_of(line, kind)]
    return rows, archive.read(lambda kept: kept.proceedings.taken_back)


def _is_of(line: bytes, kind: str) -> bool:
    found = _KIND.search(line)
    return found is not None and found[1].decode() == kind


def _seats(kept: Kept) -> tuple[SeatOut, ...]:
    proceedings = kept.proceedings
    return tuple(
        SeatOut(
            seat=item.seat.value,
            player=item.player,
            partner_of=None if item.partner_of is None else item.partner_of.value,
            back=item.back,
            appeals_left=proceedings.appeals_left(item.seat),
        )
        for item in proceedings.setup.seats
    )


def _detail(kept: Kept, archive: Archive, match: MatchOut, t_us: int) -> MatchDetailOut:
    header, setup = kept.header, kept.proceedings.setup
    return MatchDetailOut(
        match=match,
        seats=_seats(kept),
        t_us=t_us,
        rules=dict(setup.rules.as_mapping()),
        clock_grade=setup.clock_grade.value,
        frame_period_us=setup.frame_period_us,
        source=header.source,
        camera=header.camera,
        program=header.program,
        is_open=not archive.why_only_shown,
        takes_counts=not archive.why_only_shown,
        has_jokers=setup.has_jokers,
        is_over=kept.proceedings.is_finished,
        is_on_disk=archive.is_on_disk,
        why_only_shown=archive.why_only_shown,
        why_no_case=archive.why_no_case,
    )


def detail_of_verdict(kept: Kept, verdict_id: str) -> VerdictDetailOut | None:
    """The same of a match that is at hand."""
    rulings = kept.proceedings.rulings
    ruled = next((each for each in rulings if each.verdict.verdict_id == verdict_id), None)
    return None if ruled is None else _detail_of(ruled, kept.proceedings.setup)


def _detail_of(ruled: Ruled, setup: MatchSetup) -> VerdictDetailOut:
    verdict = ruled.verdict
    resolutions_us = [2 * play.resolution_us for play in verdict.event.plays]
    period_us = max(setup.frame_period_us, *resolutions_us) if resolutions_us else setup.frame_period_us
    return VerdictDetailOut(
        verdict=ruled_view(ruled, setup),
        rule_text=None if verdict.rule is None else RULE_TEXTS[verdict.rule],
        why=why_lines(ruled, setup),
        times=times_lines(verdict, setup),
        guard_us=setup.timing.guard_for(period_us),
        w_max_us=setup.timing.w_max_for(period_us),
        clock_grade=setup.clock_grade.value,
    )


def why_lines(ruled: Ruled, setup: MatchSetup) -> tuple[str, ...]:
    """All that stands behind a verdict, a line each, as people say it."""
    said = verdict_view(ruled.verdict, setup).reason
    return explain(ruled, setup, said=said, pile_name=names_in(setup).name)
