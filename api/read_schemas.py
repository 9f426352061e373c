"""Shapes of what is only read: tables, matches in full, rounds, seats, plays, entries, standings."""

from typing import Any

from api.schemas import MatchOut, MatchState, PlayOut, Schema, ScoreOut, Span, VerdictOut


class AttentionOut(Schema):
    """What waits for a person at a table."""

    undecided: int
    """Verdicts that hold and say that the cameras cannot tell: UNDECIDED and TOO_CLOSE."""
    appeals_open: int
    overturned: int
    open_items: int
    """While there are any, the score is provisional."""


class TableOut(Schema):
    """A table, as its newest match shows it."""

    table: str
    match: MatchOut
    matches: int
    """How many matches on it this server shows."""
    score: ScoreOut
    attention: AttentionOut
    last_verdict: VerdictOut | None


class SeatOut(Schema):
    """Who sits where."""

    seat: str
    player: str
    partner_of: str | None = None
    """Whose deck and layout this player shares."""
    back: str = ""
    """The name of the deck's back. Empty: not told."""
    appeals_left: int | None = None
    """None: this match takes no appeals."""


class RoundOut(Schema):
    """A round, from one end of round to the next."""

    number: int
    started_us: int
    ended_us: int | None
    """None: it is still played."""
    ended_by: str | None
    """The verdict that ended it."""
    verdicts: int
    """How many were given in it."""
    is_last: bool
    """Whether the game was won with it."""


class MatchDetailOut(Schema):
    """A match with all that was agreed before the first card."""

    match: MatchOut
    seats: tuple[SeatOut, ...]
    t_us: int
    rules: dict[str, Any] | None = None
    """The house rules that differ from the usual. None: not known here."""
    clock_grade: str | None = None
    frame_period_us: int | None = None
    source: str | None = None
    camera: str | None = None
    program: str | None = None
    is_open: bool = False
    """Whether calls and reviews can be entered."""
    is_over: bool = False
    """Whether nothing more is seen: only reviews can be entered."""
    takes_counts: bool = False
    """Whether cards that were counted can be entered: also after the end."""
    has_jokers: bool = False
    """Whether it is played with jokers, which players declare."""
    is_on_disk: bool = False
    """Whether a record is kept."""
    keeps_clips: bool = False
    """Whether clips of it are kept here, or may still be. False: none will come."""
    why_only_shown: str = ""
    """Why no call and no review can be entered. Empty: see ``is_open`` and ``is_over``."""
    why_no_case: str = ""
    """Why neither a case nor the whole match can be taken away. Empty: they can."""


class PlayRowOut(Schema):
    """One play with what was ruled of it."""

    verdict_id: str
    play: int
    """Its position in the verdict's plays: what a correction names."""
    ruling: str
    rule: str | None
    standing: str
    pile: str
    when: Span
    made: PlayOut


class VerdictDetailOut(Schema):
    """A verdict with all that stands behind it."""

    verdict: VerdictOut
    rule_text: str | None
    """What the rule says, for players."""
    why: tuple[str, ...]
    """The rule, the facts, the interval arithmetic and where to look, line by line."""
    times: tuple[str, ...]
    """The interval arithmetic alone; empty where nothing was contested."""
    guard_us: int
    """How far apart two touches must be for an order."""
    w_max_us: int
    """The widest touch interval that still makes a clear tie."""
    clock_grade: str


class EntryLineOut(Schema):
    """One entry of the record, as it stands in it."""

    seq: int
    kind: str
    origin: str
    t_us: int
    caused_by: tuple[int, ...]
    payload: dict[str, Any]
    hash: str
    is_taken_back: bool


class RankOut(Schema):
    """A player's place in a match."""

    rank: int
    """1 for the leader; equal totals share a rank."""
    seat: str
    player: str
    total: int


class MatchStandingOut(Schema):
    """How the players of one match stand."""

    match_id: str
    table: str
    game: str
    state: MatchState
    is_provisional: bool
    """Something that would count is not known yet, or the match is not over."""
    copy_of: str | None = None
    """The match of which this is another record: that one counts. None: this one does."""
    contradicted_by: tuple[str, ...] = ()
    """Other records of this match with other reviews: it is provisional until a person puts one away."""
    ranks: tuple[RankOut, ...]


class PlayerStandingOut(Schema):
    """One player over all matches that are over."""

    player: str
    matches: int
    won: int
    points: int


class SideOut(Schema):
    """Who plays one deck in a tournament's match: a player alone, or partners."""

    name: str
    """The players' names."""
    players: tuple[str, ...]
    """The one whose deck it is, then the partners."""
    seats: tuple[str, ...]
    """Theirs, in the same order."""
    nerts_pile: int | None
    """Cards in this side's Nerts pile, where that is planned: a handicap. None: as usual there."""
    total: int | None
    """None: the match has not begun."""
    is_winner: bool
    """The match is over, and no other side has the better total; equals share it."""


class SeatingOut(Schema):
    """One table in one round of a tournament."""

    table: str
    state: MatchState
    """Waiting, too, where no match was seen yet."""
    match_id: str | None
    """None: no match was seen yet."""
    is_provisional: bool
    """The match is not over, or something that would count is not known yet."""
    sides: tuple[SideOut, ...]


class PlannedRoundOut(Schema):
    """One round of a tournament."""

    number: int
    name: str
    """Empty: it has only its number."""
    target: int | None
    """Points that end a match. None: by the house rules of each table."""
    is_over: bool
    tables: tuple[SeatingOut, ...]


class ParticipantOut(Schema):
    """One participant over all matches of a tournament that are over."""

    rank: int
    """1 for the leader; equals share a rank."""
    seed: int
    """1 for the first in the plan."""
    name: str
    players: tuple[str, ...]
    """One, or partners that stay together."""
    matches: int
    won: int
    points: int


class TournamentOut(Schema):
    """A tournament as it is planned, and how it stands."""

    name: str
    entered_at: str
    nerts_pile: int | None
    """Cards in the Nerts pile of who has no handicap. None: by the house rules of each table."""
    current_round: int
    """The first that is not over; the last, where all are."""
    rounds: tuple[PlannedRoundOut, ...]
    standings: tuple[ParticipantOut, ...]
    """By matches won, then points, then seed."""


class StandingsListOut(Schema):
    """All matches of this server, and what they add up to."""

    matches: tuple[MatchStandingOut, ...]
    players: tuple[PlayerStandingOut, ...]
    """By matches won, then points."""
