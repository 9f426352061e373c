"""What a match shows at one moment: the sum of its changes so far."""

from typing import assert_never

from api.schemas import CallOut, ReviewKind, ReviewOut, ScoreOut, SnapshotOut, VerdictOut

NEWEST_VERDICTS = 200
"""Of a snapshot: more than any page shows at once; the older ones are fetched page by page."""
NEWEST_REVIEWS = 100
NEWEST_CALLS = 50

Value = VerdictOut | ScoreOut | ReviewOut | CallOut
"""What a change carries: something new, or what stands in the place of what it names."""


class Shown:
    """Score, verdicts, reviews and calls; changed by taking in values, copied to look back."""

    def __init__(self, score: ScoreOut) -> None:
        self.score = score
        self.verdicts: dict[str, VerdictOut] = {}
        """By id, in the order in which they were given."""
        self.reviews: dict[str, ReviewOut] = {}
        self.calls: dict[int, CallOut] = {}
        """By entry."""

    def take(self, value: Value) -> None:
        """Take in one change."""
        match value:
            case ScoreOut():
                self.score = value
            case VerdictOut():
                self.verdicts[value.verdict_id] = value
            case ReviewOut():
                self.reviews[value.review_id] = value
            case CallOut():
                self.calls[value.entry] = value
            case _:
                assert_never(value)

    def copied(self) -> "Shown":
        """The same, to be changed apart."""
        other = Shown(self.score)
        other.verdicts, other.reviews = dict(self.verdicts), dict(self.reviews)
        other.calls = dict(self.calls)
        return other

    def snapshot(self, t_us: int) -> SnapshotOut:
        """What a display starts from, with the newest frame at ``t_us``."""
        verdicts, reviews = tuple(self.verdicts.values()), tuple(self.reviews.values())
        return SnapshotOut(
            score=self.score.model_copy(update={"t_us": t_us}),
            verdicts=verdicts[-NEWEST_VERDICTS:],
            verdicts_before=max(len(verdicts) - NEWEST_VERDICTS, 0),
            reviews=tuple(
                review
                for i, review in enumerate(reviews)
                if i >= len(reviews) - NEWEST_REVIEWS or is_open_appeal(review)
            ),
            calls=tuple(self.calls.values())[-NEWEST_CALLS:],
        )


def is_open_appeal(review: ReviewOut) -> bool:
    """Whether ``review`` is an appeal that waits for its answer."""
    return review.kind is ReviewKind.APPEAL and review.answered_by is None and not review.is_taken_back
