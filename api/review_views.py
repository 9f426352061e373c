"""What people entered, as the public shapes."""

from api.schemas import CallOut, ReviewKind, ReviewOut
from referee.codec import kind_of
from referee.observations import CardsCounted
from referee.proceedings import Proceedings
from referee.reviews import Appeal, Resolution, Revert, Review, id_of
from referee.setup import MatchSetup
from referee.tellings import BacksCounted, Called, Declared

Told = Called | Declared | CardsCounted | BacksCounted
"""What people tell by buttons."""


def review_views(proceedings: Proceedings) -> tuple[ReviewOut, ...]:
    """All appeals, answers and undoings, oldest first, each as it stands."""
    gone = proceedings.taken_back
    answers = {
        review.appeal_id: review.resolution_id
        for number, review in proceedings.reviews.items()
        if isinstance(review, Resolution) and number not in gone
    }
    return tuple(
        _review_view(number, review, proceedings.setup, answers).model_copy(
            update={"is_taken_back": number in gone}
        )
        for number, review in proceedings.reviews.items()
    )


def _review_view(number: int, review: Review, setup: MatchSetup, answers: dict[str | None, str]) -> ReviewOut:
    match review:
        case Appeal():
            return ReviewOut(
                review_id=review.appeal_id,
                kind=ReviewKind.APPEAL,
                entry=number,
                t_us=review.at_us,
                verdict_id=review.verdict_id,
                by=setup.player_at(review.raised_by),
                text=review.grounds,
                answered_by=answers.get(review.appeal_id),
            )
        case Resolution():
            return ReviewOut(
                review_id=review.resolution_id,
                kind=ReviewKind.RESOLUTION,
                entry=number,
                t_us=review.at_us,
                verdict_id=review.verdict_id,
                by=review.reviewer,
                text=review.reason,
                decision=review.decision.value,
                ruling=None if review.ruling is None else review.ruling.value,
            )
        case Revert():
            return ReviewOut(
                review_id=id_of(review),
                kind=ReviewKind.REVERT,
                entry=number,
                t_us=review.at_us,
                verdict_id=None,
                by=review.reviewer,
                text=review.reason,
                undoes=review.entry,
            )


def call_view(entry: int, t_us: int, told: Told, setup: MatchSetup) -> CallOut:
    """A call, a declaration or a count."""
    seat = told.deck if isinstance(told, BacksCounted) else getattr(told, "seat", None)
    pile = getattr(told, "pile", None)
    return CallOut(
        entry=entry,
        kind=kind_of(told),
        t_us=t_us,
        seat=None if seat is None else seat.value,
        player=None if seat is None else setup.player_at(seat),
        call=told.call.value if isinstance(told, Called) else None,
        card=str(told.card) if isinstance(told, Declared) else None,
        pile=None if pile is None else str(pile),
        count=told.count if isinstance(told, CardsCounted | BacksCounted) else None,
        by=told.told_by,
    )
