"""A typed match with a record, in which people appeal, answer and take back, in few words."""

from referee.cards import Card
from referee.notation import Said, Wait, parse_game
from referee.piles import Seat
from referee.proceedings import Ruled
from referee.record import Judged, RecordedMatch, RecordHeader
from referee.reviews import Appeal, Decision, Fact, Resolution, Revert, Review, id_of
from referee.setup import MatchSetup
from referee.verdicts import Ruling, Verdict

HEADER = """
game nerts
player south Ana
player north Ben
"""
RACE = """
F1: ... 4H
land Ana 5H waste F1 983.3..1000
land Ben 5H waste F1 1033.3..1050
land Ben 6H waste F1 3033.3..3050
land Ana 8C waste F1 4033.3..4050
"""


class ReviewedMatch:
    """A match whose lines are kept; each review gets the next id of its kind."""

    def __init__(self, text: str, header: str = HEADER, *, until_us: int | None = 60_000_000) -> None:
        game = parse_game(header + text)
        self.match = RecordedMatch(RecordHeader(setup=game.setup, table="kitchen"))
        self.lines = [self.match.header_line]
        self.verdicts: list[Verdict] = []
        for step in game.steps:
            if isinstance(step, Said):
                self.take(self.match.observe(step.observation, at_us=step.at_us))
            elif isinstance(step, Wait):
                self.take(self.match.advance(step.until_us))
        if until_us is not None:
            self.take(self.match.advance(until_us))
        self._numbers = {"a": 0, "r": 0, "u": 0}

    @property
    def setup(self) -> MatchSetup:
        return self.match.proceedings.setup

    def take(self, judged: Judged) -> tuple[Verdict, ...]:
        self.lines += judged.lines
        self.verdicts += judged.verdicts
        return judged.verdicts

    def enter(self, review: Review) -> tuple[Verdict, ...]:
        """Enter ``review``; the verdicts that follow."""
        return self.take(self.match.review(review))

    def appeal(self, verdict_id: str, seat: Seat = Seat.NORTH, grounds: str = "look again") -> Appeal:
        """An appeal with the next id; not entered yet."""
        return Appeal(
            appeal_id=self._next("a"),
            verdict_id=verdict_id,
            raised_by=seat,
            grounds=grounds,
            at_us=self.now_us,
        )

    def stands(self, verdict_id: str, appeal_id: str | None = None) -> Resolution:
        """An answer that the verdict stands."""
        return self._resolution(verdict_id, appeal_id, Decision.STANDS)

    def ruled(
        self,
        verdict_id: str,
        ruling: Ruling,
        *kept: int,
        appeal_id: str | None = None,
        reason: str = "I saw it",
    ) -> Resolution:
        """An answer by a ruling, with the positions of the plays that stay."""
        return self._resolution(
            verdict_id, appeal_id, Decision.OVERTURNED, ruling=ruling, kept=kept, reason=reason
        )

    def seen(self, verdict_id: str, *facts: Fact, appeal_id: str | None = None) -> Resolution:
        """An answer by facts."""
        return self._resolution(verdict_id, appeal_id, Decision.OVERTURNED, facts=facts)

    def it_was(
        self, verdict_id: str, *, card: str | None = None, seat: Seat | None = None, play: int = 0
    ) -> Resolution:
        """An answer that the card of a play, or its player, was another."""
        face = None if card is None else Card.parse(card)
        return self.seen(
            verdict_id, *self.match.proceedings.correction(verdict_id, play=play, card=face, seat=seat)
        )

    def taking_back(self, entry: int) -> Revert:
        """A revert of an entry of the record."""
        return Revert(
            revert_id=self._next("u"), entry=entry, reason="a slip", reviewer="Rita", at_us=self.now_us
        )

    @property
    def now_us(self) -> int:
        return self.match.referee.now_us or 0

    @property
    def newest(self) -> int:
        """The number of the newest entry of the record."""
        return self.match.chain.seq

    def entry_of(self, review_id: str) -> int:
        """The number of a review in the record."""
        return next(n for n, each in self.match.proceedings.reviews.items() if id_of(each) == review_id)

    @property
    def rulings(self) -> dict[str, Ruled]:
        return {ruled.verdict.verdict_id: ruled for ruled in self.match.proceedings.rulings}

    @property
    def standings(self) -> dict[str, str]:
        """How each verdict stands, in a word or two."""
        return {
            name: f"{ruled.standing}" + (f" by {ruled.answered_by}" if ruled.answered_by else "")
            for name, ruled in self.rulings.items()
        }

    def points(self, seat: Seat) -> int:
        return self.match.referee.scorecard.total(seat)

    def finished(self) -> list[str]:
        """The lines of the record, closed."""
        self.take(self.match.finish("the source ended"))
        return self.lines

    def _next(self, kind: str) -> str:
        self._numbers[kind] += 1
        return f"{kind}{self._numbers[kind]}"

    def _resolution(
        self, verdict_id: str, appeal_id: str | None, decision: Decision, **more: object
    ) -> Resolution:
        fields: dict[str, object] = {
            "resolution_id": self._next("r"),
            "verdict_id": verdict_id,
            "appeal_id": appeal_id,
            "decision": decision,
            "reason": "I saw it",
            "reviewer": "Rita",
            "at_us": self.now_us,
        }
        return Resolution(**(fields | more))  # type: ignore[arg-type]
