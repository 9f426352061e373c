"""The referee's values as the public shapes: no judgement, only words and numbers."""

from typing import assert_never

from api.pile_names import names_in
from api.schemas import (
    AuditOut,
    EvidenceOut,
    OpenItemOut,
    PendingOut,
    PlayerScoreOut,
    PlayOut,
    ReasonOut,
    ScoreLineOut,
    Span,
    StandingsOut,
    VerdictOut,
)
from referee.clock import Interval
from referee.events import CardMoved, CardsTold, ContestedPlay, Event, Happened, PileRemoved
from referee.interpret import Pending
from referee.messages import Reason
from referee.piles import Seat
from referee.proceedings import Ruled
from referee.score import Scorecard
from referee.setup import MatchSetup, SeatSetup
from referee.verdicts import Verdict


def verdict_view(verdict: Verdict, setup: MatchSetup) -> VerdictOut:
    """A verdict with the players' names in it."""
    plays = verdict.event.plays
    return VerdictOut(
        verdict_id=verdict.verdict_id,
        ruling=verdict.ruling.value,
        rule=None if verdict.rule is None else verdict.rule.value,
        reason=_told(verdict.reason, verdict.reasons, setup),
        seat=_seat_name(verdict.seat),
        player=_player_name(verdict.seat, setup),
        card=None if verdict.card is None else str(verdict.card),
        pile="table" if verdict.pile is None else str(verdict.pile),
        when=_span(verdict.touch or _time_of(verdict.event)),
        plays=tuple(_play_view(play, setup, stands=i in verdict.kept) for i, play in enumerate(plays)),
        evidence=tuple(
            EvidenceOut(source_id=item.source_id, frames_us=item.frames_us) for item in verdict.evidence
        ),
        outcome=None if verdict.outcome is None else verdict.outcome.value,
        basis=None if verdict.basis is None else verdict.basis.value,
        key=verdict.reason_key,
        reasons=_reason_views(verdict.reasons),
    )


def ruled_view(ruled: Ruled, setup: MatchSetup) -> VerdictOut:
    """A verdict and how it stands now."""
    return verdict_view(ruled.verdict, setup).model_copy(
        update={
            "standing": ruled.standing.value,
            "answered_by": ruled.answered_by,
            "replaced_by": ruled.now,
            "entries": ruled.entries,
        }
    )


def pending_views(pending: tuple[Pending, ...], setup: MatchSetup) -> tuple[PendingOut, ...]:
    """Touches that are shown at once and ruled on later (E7)."""
    return tuple(
        PendingOut(
            pile=str(item.pile),
            card=None if landed.card is None else str(landed.card),
            player=_player_name(landed.seat, setup),
            touch=_span(landed.touch),
            decided_by_us=item.decided_by_us,
        )
        for item in pending
        for landed in item.landings
    )


def audit_views(scorecard: Scorecard, setup: MatchSetup) -> tuple[AuditOut, ...]:
    """The counts by back beside the running tally."""
    return tuple(
        AuditOut(
            seat=item.deck.value,
            player=setup.player_at(item.deck),
            pile=None if item.pile is None else str(item.pile),
            counted=item.counted,
            tracked=item.tracked,
            unowned=item.unowned,
            difference=item.difference,
        )
        for item in scorecard.audits
    )


def standings_view(scorecard: Scorecard, setup: MatchSetup) -> StandingsOut:
    """The score of every seat, in the order of the seats, and what is open."""
    return StandingsOut(
        players=tuple(_player_view(scorecard, seat, setup) for seat in setup.seats),
        open_items=tuple(
            OpenItemOut(
                rule=item.rule.value,
                seat=_seat_name(item.seat),
                pile=str(item.pile),
                reason=_told(item.reason, item.reasons, setup),
                reasons=_reason_views(item.reasons),
            )
            for item in scorecard.unknowns
        ),
    )


def _player_view(scorecard: Scorecard, seated: SeatSetup, setup: MatchSetup) -> PlayerScoreOut:
    deck = setup.deck_of(seated.seat)  # Partners' points are the deck's (N48).
    lines = tuple(
        ScoreLineOut(
            rule=line.item.rule.value,
            item=line.item.value,
            count=line.count,
            points_each=line.points_each,
            points=line.points,
        )
        for line in scorecard.lines
        if line.seat is deck
    )
    total = scorecard.total(deck)
    return PlayerScoreOut(seat=seated.seat.value, player=seated.player, total=total, lines=lines)


def _play_view(play: CardMoved, setup: MatchSetup, *, stands: bool) -> PlayOut:
    return PlayOut(
        seat=_seat_name(play.seat),
        player=_player_name(play.seat, setup),
        card=None if play.card is None else str(play.card),
        source=None if play.source is None else str(play.source),
        touch=_span(play.touch),
        stands=stands,
    )


def _told(written: str, reasons: tuple[Reason, ...], setup: MatchSetup) -> str:
    """A reason as people say it: piles by the names that pages have for them."""
    if "/" not in written or not reasons:  # it names no pile
        return written
    names = names_in(setup)
    return "; ".join(names.sentence(reason) for reason in reasons)


def _reason_views(reasons: tuple[Reason, ...]) -> tuple[ReasonOut, ...]:
    return tuple(
        ReasonOut(key=reason.key, args={item.name: item.value for item in reason.args}) for reason in reasons
    )


def _time_of(event: Event) -> Interval:
    """When an event happened, for those that are no single play."""
    match event:
        case CardMoved():
            return event.touch
        case ContestedPlay():
            return event.plays[0].touch
        case PileRemoved():
            return event.seen
        case CardsTold():
            return Interval(event.at_us, event.at_us)
        case Happened():
            return event.at
        case _:
            assert_never(event)


def _span(interval: Interval) -> Span:
    return Span(start_us=interval.start_us, end_us=interval.end_us)


def _seat_name(seat: Seat | None) -> str | None:
    return None if seat is None else seat.value


def _player_name(seat: Seat | None, setup: MatchSetup) -> str | None:
    return None if seat is None else setup.player_at(seat)
