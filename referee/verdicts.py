"""Verdicts: a ruling on one event, with the rule, the reason and the evidence."""

from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter

from referee.cards import Card
from referee.clock import Interval
from referee.events import CardMoved, Event
from referee.evidence import Evidence
from referee.messages import Reason
from referee.piles import PileId, Seat


class Ruling(StrEnum):
    """What the referee says."""

    LEGAL = "LEGAL"
    ILLEGAL = "ILLEGAL"
    FIRST = "FIRST"
    """Contested: one seat was surely first (N15)."""
    TIE = "TIE"
    """Contested: a clear tie, all keep (N16)."""
    TOO_CLOSE = "TOO_CLOSE"
    """Contested: the pictures do not tell; all keep, and a person looks (E4)."""
    FLAG = "FLAG"
    """Told, not ruled on."""
    UNDECIDED = "UNDECIDED"
    """The cameras cannot tell."""


class Outcome(StrEnum):
    """What follows from a ruling, where that is more than a card that stays or goes back."""

    DEAL_OK = "DEAL_OK"
    DEAL_BAD = "DEAL_BAD"
    REMOVE_PILE = "REMOVE_PILE"
    """The pile is complete and is set aside."""
    NEW_STOCK = "NEW_STOCK"
    BURN_OK = "BURN_OK"
    STUCK = "STUCK"
    """The seat said that it cannot play."""
    ALL_STUCK = "ALL_STUCK"
    """Nobody can play: all do what the house rules say."""
    CALL_VALID = "CALL_VALID"
    CALL_INVALID = "CALL_INVALID"
    """The call has no effect; play goes on."""
    CALL_IGNORED = "CALL_IGNORED"
    """It came after the round had ended."""
    ROUND_END = "ROUND_END"
    COUNTS = "COUNTS"
    """A card in the air at the call counts."""
    NOT_COUNTED = "NOT_COUNTED"
    """A card that left after the call does not."""
    LET = "LET"
    """All take back, and the place is played for again."""
    RETURNED = "RETURNED"
    """A card went back to where it came from, as it should."""
    GAME_WIN = "GAME_WIN"
    GAME_CONTINUES = "GAME_CONTINUES"
    PLAYOFF = "PLAYOFF"
    WIDEN = "WIDEN"
    """Touches are taken as wider from here on."""
    NO_DECISION = "NO_DECISION"
    """Nothing is ruled on: what was told or seen is no evidence."""
    FAIL = "FAIL"
    """What was shown is not what the verdict says."""
    SPIT_OK = "SPIT_OK"
    SPIT_PREMATURE = "SPIT_PREMATURE"
    """Somebody could still play."""
    ASSIGN = "ASSIGN"
    """Who takes which pile."""
    COUNT = "COUNT"
    """What each owns, which adds up."""
    NO_PLAY = "NO_PLAY"
    """What was done has no effect."""
    RESHUFFLE = "RESHUFFLE"
    """Played piles become new ones to turn from."""
    ONE_PLAY = "ONE_PLAY"
    """Readings that changed were one play."""


class Basis(StrEnum):
    """What a ruling rests on, where it is not the touch times."""

    STACKING = "stacking"
    """The order of the cards at rest (E5)."""
    STATE_DIFF = "state_diff"
    """What lay there before and after; the plays themselves were not seen."""
    HANDS_CALLED = "hands_called"
    LOWER_HAND = "lower_hand"
    REVIEW = "review"
    """A person looked again and ruled."""


class RuleId(StrEnum):
    """The rules that verdicts name, as numbered in the rule books; ``docs/rules.md`` says each."""

    N1 = "N1"
    N2 = "N2"
    N3 = "N3"
    N4 = "N4"
    N5 = "N5"
    N6 = "N6"
    N7 = "N7"
    N8 = "N8"
    N9 = "N9"
    N10 = "N10"
    N11 = "N11"
    N12 = "N12"
    N13 = "N13"
    N14 = "N14"
    N15 = "N15"
    N16 = "N16"
    N17 = "N17"
    N18 = "N18"
    N19 = "N19"
    N20 = "N20"
    N21 = "N21"
    N22 = "N22"
    N23 = "N23"
    N24 = "N24"
    N25 = "N25"
    N26 = "N26"
    N27 = "N27"
    N28 = "N28"
    N29 = "N29"
    N30 = "N30"
    N31 = "N31"
    N32 = "N32"
    N33 = "N33"
    N34 = "N34"
    N35 = "N35"
    N36 = "N36"
    N37 = "N37"
    N38 = "N38"
    N39 = "N39"
    N40 = "N40"
    N41 = "N41"
    N42 = "N42"
    N43 = "N43"
    N44 = "N44"
    N45 = "N45"
    N46 = "N46"
    N47 = "N47"
    N48 = "N48"
    S1 = "S1"
    S2 = "S2"
    S3 = "S3"
    S4 = "S4"
    S5 = "S5"
    S6 = "S6"
    S7 = "S7"
    S8 = "S8"
    S9 = "S9"
    S10 = "S10"
    S11 = "S11"
    S12 = "S12"
    S13 = "S13"
    S14 = "S14"
    S15 = "S15"
    S16 = "S16"
    S17 = "S17"
    S18 = "S18"
    S19 = "S19"
    S20 = "S20"
    S21 = "S21"
    S22 = "S22"
    S23 = "S23"
    S24 = "S24"
    S25 = "S25"
    S26 = "S26"
    S27 = "S27"
    S28 = "S28"
    S29 = "S29"
    S30 = "S30"
    S31 = "S31"
    S32 = "S32"
    S33 = "S33"
    S34 = "S34"
    C_SPEED = "C-Speed"
    """Speed, which has no numbered rules."""
    C_CAL = "C-Cal"
    """California Speed, likewise."""
    E1 = "E1"
    E2 = "E2"
    E3 = "E3"
    E4 = "E4"
    E5 = "E5"
    E6 = "E6"
    E7 = "E7"
    E8 = "E8"
    E9 = "E9"
    E10 = "E10"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One ruling. Never edited afterwards, only answered."""

    verdict_id: str
    """``v1``, ``v2`` ... as the referee gave them; empty until it is given."""
    event: Event
    ruling: Ruling
    rule: RuleId | None
    """None: nothing in the rule book is at stake."""
    reason: str
    """A sentence for players."""
    reasons: tuple[Reason, ...] = ()
    """The same for programs and translators, the main one first."""
    outcome: Outcome | None = None
    """What follows. None: no more than that cards stay or go back."""
    basis: Basis | None = None
    """None: the touch times, or what the rule asks."""
    touch: Interval | None
    """Of the first to touch. None: the event is no play."""
    seat: Seat | None
    """Who made the play or was first. None: not known, or several alike."""
    card: Card | None
    pile: PileId | None
    """None: the whole table."""
    kept: tuple[int, ...] = ()
    """Positions in ``event.plays`` of the cards that stay and count."""
    returned: tuple[int, ...] = ()
    """Positions in ``event.plays`` of the cards that go back and do not count."""
    seats: tuple[Seat, ...] = ()
    """Everyone whom the ruling speaks of, where that is not ``seat`` alone."""
    decided_us: int | None = None
    """When the collection window closed (E7). None: there was none."""

    @property
    def said(self) -> tuple[object, ...]:
        """All of it but its number: two that say the same are equal in this."""
        return _SAID(self)

    @property
    def reason_key(self) -> str:
        """The main reason in one word: ``foundation_sequence``, ``nerts_pile_12_not_13``."""
        return self.reasons[0].code if self.reasons else ""

    def fact(self, name: str) -> str | None:
        """What the reasons say of ``name`` (``stands_for``, ``margin``), as text. None: nothing."""
        found = (reason.fact(name) for reason in self.reasons)
        return next((value for value in found if value is not None), None)

    @property
    def stands(self) -> tuple[CardMoved, ...]:
        """The plays whose card stays and counts."""
        return tuple(self.event.plays[i] for i in self.kept)

    @property
    def goes_back(self) -> tuple[CardMoved, ...]:
        """The plays whose card goes back to where it came from."""
        return tuple(self.event.plays[i] for i in self.returned)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Where a person can look."""
        return self.event.evidence


_SAID = attrgetter(*(each.name for each in fields(Verdict) if each.name != "verdict_id"))


def text_of(reasons: tuple[Reason, ...]) -> str:
    """All reasons as one sentence."""
    return "; ".join(reason.text() for reason in reasons)


def ruled(
    event: Event,
    ruling: Ruling,
    rule: RuleId,
    *reasons: Reason,
    seat: Seat | None = None,
    pile: PileId | None = None,
    seats: tuple[Seat, ...] = (),
    outcome: Outcome | None = None,
    basis: Basis | None = None,
    kept: tuple[int, ...] = (),
    returned: tuple[int, ...] = (),
    decided_us: int | None = None,
) -> Verdict:
    """A verdict for ``reasons``; of its plays, if it has any, spoken of those that are kept.

    No seat and no card are named where several are alike, but those given.
    """
    plays = event.plays
    spoken = [plays[i] for i in kept or range(len(plays))]
    cards = {play.card for play in spoken}
    return Verdict(
        verdict_id="",
        event=event,
        ruling=ruling,
        rule=rule,
        reason=text_of(reasons),
        reasons=reasons,
        outcome=outcome,
        basis=basis,
        touch=spoken[0].touch if spoken else None,
        seat=spoken[0].seat if len(spoken) == 1 and seat is None else seat,
        seats=seats,
        card=spoken[0].card if len(cards) == 1 else None,
        pile=spoken[0].target if spoken and pile is None else pile,
        kept=kept,
        returned=returned,
        decided_us=decided_us,
    )
