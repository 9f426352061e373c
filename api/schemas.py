"""What the web interface says: the public shapes, made from the referee's values by ``api.views``."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Schema(BaseModel):
    """A public shape: frozen, and strict about what is in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class MatchState(StrEnum):
    """How a match stands."""

    WAITING = "waiting"
    """No frame yet."""
    PLAYING = "playing"
    FINISHED = "finished"
    """The source came to its end, or a person stopped it."""
    BROKEN = "broken"
    """The source failed before its end; what was seen until then holds."""


class Span(Schema):
    """An instant known to lie between the two times, both in microseconds of the source's clock."""

    start_us: int
    end_us: int


class EvidenceOut(Schema):
    """Where a person can look: a source and frame times in it."""

    source_id: str
    frames_us: tuple[int, ...]


class PlayOut(Schema):
    """One card that came to rest, as a verdict saw it."""

    seat: str | None
    """None: the cameras cannot tell."""
    player: str | None
    card: str | None
    """None: not legible."""
    source: str | None
    """The pile that it left. None: not seen."""
    touch: Span
    stands: bool
    """Whether the card stays and counts."""


class ReasonOut(Schema):
    """Why, as a key of the catalogue with its arguments, so that a page can say it in any language."""

    key: str
    """The variant included: ``foundation_sequence.suit``."""
    args: dict[str, str] = {}
    """Cards, players, counts and piles by their names in the sentence."""


class VerdictOut(Schema):
    """One ruling with its reason."""

    verdict_id: str
    ruling: str
    rule: str | None
    reason: str
    seat: str | None
    """Who made the play or was first. None: not known, or several alike."""
    player: str | None
    card: str | None
    """None: not legible, or no card in it."""
    pile: str
    when: Span
    plays: tuple[PlayOut, ...]
    evidence: tuple[EvidenceOut, ...]
    outcome: str | None = None
    """What follows, where that is more than a card that stays or goes back."""
    basis: str | None = None
    """What it rests on, where that is not the touch times or the rule."""
    key: str = ""
    """The main reason in one word, for programs and translators."""
    reasons: tuple[ReasonOut, ...] = ()
    """What ``reason`` says, for translators; the main one first."""
    standing: str = "standing"
    """standing, under appeal, confirmed, or overturned."""
    answered_by: str | None = None
    """The review by which it stands or fell. None: none did."""
    replaced_by: tuple[str, ...] = ()
    """If it fell: the verdicts that hold in its place."""
    entries: tuple[int, ...] = ()
    """The entries of the record that it is about."""


class PendingOut(Schema):
    """A card that was seen to touch a pile and is not ruled on yet."""

    pile: str
    card: str | None
    player: str | None
    touch: Span
    decided_by_us: int
    """When it will be ruled on."""


class AuditOut(Schema):
    """The count by backs after a round, beside the running tally."""

    seat: str
    player: str
    pile: str | None
    """None: all foundations."""
    counted: int
    tracked: int
    """By the verdicts."""
    unowned: int
    """Cards that could be of this deck: whose they are was not seen."""
    difference: int
    """What was counted less what was tracked."""


class ScoreLineOut(Schema):
    """One countable item of a player's score."""

    rule: str | None
    item: str
    count: int
    points_each: int
    points: int


class PlayerScoreOut(Schema):
    """A player's total and the lines that it is the sum of."""

    seat: str
    player: str
    total: int
    lines: tuple[ScoreLineOut, ...]


class OpenItemOut(Schema):
    """Something that would count, if it were known."""

    rule: str
    seat: str | None
    """None: it is not known whose it is."""
    pile: str
    reason: str
    reasons: tuple[ReasonOut, ...] = ()
    """What ``reason`` says, for translators."""


class StandingsOut(Schema):
    """All players' scores, and what is still open."""

    players: tuple[PlayerScoreOut, ...]
    open_items: tuple[OpenItemOut, ...] = ()
    """While there are any, the score is provisional."""


class ScoreOut(Schema):
    """The score of a match as it stands."""

    match_id: str
    table: str
    game: str
    state: MatchState
    t_us: int
    """Time of the newest frame, in the source's clock; 0 before the first."""
    started_us: int | None = None
    """Time of the first frame, or of a finished record's first entry. None: none was seen."""
    kinds_from_zero: tuple[str, ...] = ()
    """Kinds of piles that this table numbers from 0: a page that counts from 1 adds one to theirs."""
    has_picture: bool = False
    """Whether ``picture.jpg`` answers: a page that asks before gets 404."""
    players: tuple[PlayerScoreOut, ...]
    open_items: tuple[OpenItemOut, ...]
    """While there are any, the score is provisional."""


class MatchOut(Schema):
    """A match that this server knows."""

    match_id: str
    table: str
    game: str
    state: MatchState
    players: tuple[str, ...]


class ReviewKind(StrEnum):
    """The three ways to answer what was said."""

    APPEAL = "appeal"
    RESOLUTION = "resolution"
    REVERT = "revert"


class ReviewOut(Schema):
    """An appeal, an answer or an undoing, as it was entered."""

    review_id: str
    """``a1``, ``r1``, ``u1``."""
    kind: ReviewKind
    entry: int
    """Its number in the record: what an undoing names."""
    t_us: int
    verdict_id: str | None
    """None: an undoing is about an entry."""
    by: str
    """The player who appeals, or the reviewer."""
    text: str
    """The grounds, or the reason."""
    decision: str | None = None
    """Of an answer: stands, or overturned."""
    ruling: str | None = None
    """Ruled by the reviewer. None: the referee ruled, by what was put right."""
    undoes: int | None = None
    """Of an undoing: the entry that it takes back."""
    is_taken_back: bool = False
    answered_by: str | None = None
    """Of an appeal: the answer. None: it is open."""


class CallOut(Schema):
    """A call, a declaration or a count, as it was told."""

    entry: int
    kind: str
    """``called``, ``declared``, ``cards_counted`` or ``backs_counted``."""
    t_us: int
    seat: str | None
    player: str | None
    call: str | None = None
    card: str | None = None
    pile: str | None = None
    count: int | None = None
    by: str = ""
    is_taken_back: bool = False


class SnapshotOut(Schema):
    """All that a display needs to start from: the first message of every stream."""

    score: ScoreOut
    verdicts: tuple[VerdictOut, ...]
    """The newest, oldest first."""
    verdicts_before: int = 0
    """How many older ones there are; the list of verdicts has them."""
    reviews: tuple[ReviewOut, ...] = ()
    """The newest, and all appeals that are open."""
    calls: tuple[CallOut, ...] = ()
    """The newest."""


class AliveOut(Schema):
    """A sign of life between changes: where the chain is, so that a display can tell a stale score."""

    state: MatchState
    t_us: int


class ChangedOut(Schema):
    """That something changed on this server since the message before: ask for what you show."""

    matches: tuple[str, ...]
    """The ids of the matches that changed; none where the tournament did."""


class AliveHouseOut(Schema):
    """A sign of life of the whole server, between changes."""

    playing: int
    """Matches that are played now: their clocks run on without a change."""


class Problem(Schema):
    """An error as RFC 9457 writes it (``application/problem+json``)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str = ""
    """Why, in one word, so that a page can say it in any language. Empty: ``detail`` alone says it."""
