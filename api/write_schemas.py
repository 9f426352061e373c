"""What people may write into a match over the web, and what they are answered."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from api.schemas import ReviewOut, Schema, StandingsOut, VerdictOut
from api.tournament_file import CHARACTERS_AT_MOST
from referee.reviews import LONGEST_TEXT, fault_in_kept
from referee.tellings import CallKind
from referee.texts import is_blank, without_turns
from referee.verdicts import Ruling

MOST_CARDS = 432
"""A deck with two jokers for each of eight seats."""
LARGEST_SEQ = 2**53


def _cleaned(text: str) -> str:
    return "" if is_blank(text) else without_turns(text)


CLEANED = AfterValidator(_cleaned)
"""Of what a person types: marks that turn its direction are left out, as no record may carry them, and what
shows nothing is nothing."""

SeatName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="A seat (`south`) or the name of its player (`Ana`).",
        examples=["south"],
    ),
    CLEANED,
]
CardName = Annotated[
    str,
    Field(
        pattern=r"^([A2-9TJQK][CDHS]|JK)$",
        description="Rank, then suit: `9H`, `TD`; `JK` a joker.",
        examples=["6H"],
    ),
]
FaceName = Annotated[
    str,
    Field(
        pattern=r"^[A2-9TJQK][CDHS]$",
        description="Rank, then suit, and no joker: `9H`, `TD`.",
        examples=["6S"],
    ),
]
VerdictName = Annotated[
    str, Field(pattern=r"^v[1-9][0-9]{0,14}$", description="A verdict's id.", examples=["v3"])
]
PersonName = Annotated[
    str,
    Field(
        max_length=200,
        description="Who says it. Empty: the name of the token that writes.",
        examples=["Rita"],
    ),
    CLEANED,
]
Reason = Annotated[
    str,
    Field(
        max_length=LONGEST_TEXT,
        description="Why, in a sentence for the players.",
        examples=["the index is covered by a thumb; it is the six"],
    ),
    CLEANED,
]
Confirmation = Annotated[
    str | None,
    Field(
        pattern=r"^[0-9a-f]{16}$",
        description="The `confirm` of the dry run that a person agreed to. Missing: this is the dry run.",
        examples=[None],
    ),
]


HowMany = Annotated[
    int,
    Field(
        strict=True,
        ge=0,
        le=MOST_CARDS,
        description="Whole cards: more than can be there are refused.",
        examples=[3],
    ),
]


class WriteSchema(Schema):
    """What is sent: strict, and with surrounding white space taken off texts."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class CallIn(WriteSchema):
    """Somebody called something; the time is that of the newest frame when it is heard."""

    call: Annotated[CallKind, Field(examples=["nerts"])]
    seat: SeatName | None = None
    """None: for all (a start, a stuck that all say)."""
    by: PersonName = ""


class DeclarationIn(WriteSchema):
    """A seat says which card its joker stands for, before it moves it to a foundation."""

    seat: SeatName
    card: FaceName
    by: PersonName = ""


class CountIn(WriteSchema):
    """Cards were counted: those of a pile, or those with a seat's back among the foundations."""

    pile: Annotated[
        str | None, Field(max_length=100, description="A pile: `south/reserve`.", examples=["south/reserve"])
    ] = None
    deck: SeatName | None = None
    """Whose back was counted. With it, ``pile`` None means all foundations."""
    count: HowMany
    by: PersonName = ""


class _Correction(WriteSchema):
    reason: Reason = "put right at the table"
    reviewer: PersonName = ""
    confirm: Confirmation = None


PlayNumber = Annotated[int, Field(strict=True, ge=0, le=64, description="Which of the verdict's plays.")]


class CardCorrectionIn(_Correction):
    """It was another card: "it was the 6"."""

    kind: Literal["card"]
    verdict_id: VerdictName
    play: PlayNumber = 0
    card: CardName


class OwnerCorrectionIn(_Correction):
    """It was another player: "that was Ana's"."""

    kind: Literal["owner"]
    verdict_id: VerdictName
    play: PlayNumber = 0
    seat: SeatName


class UndoIn(_Correction):
    """An entry of the record is taken back: an observation, an appeal, an answer, or an undoing."""

    kind: Literal["undo"]
    entry: Annotated[
        int,
        Field(
            strict=True,
            ge=1,
            le=LARGEST_SEQ,
            description="Its number: one of a verdict's `entries`.",
            examples=[41],
        ),
    ]


class CountCorrectionIn(WriteSchema):
    """Cards that were counted after the match's end: "there were three left"."""

    kind: Literal["count"]
    pile: Annotated[
        str | None, Field(max_length=100, description="A pile: `south/reserve`.", examples=["south/reserve"])
    ] = None
    deck: SeatName | None = None
    """Whose back was counted. With it, ``pile`` None means all foundations."""
    count: HowMany
    reviewer: PersonName = ""
    confirm: Confirmation = None


CorrectionIn = Annotated[
    CardCorrectionIn | OwnerCorrectionIn | UndoIn | CountCorrectionIn,
    Field(discriminator="kind"),
]


class AppealIn(WriteSchema):
    """A player asks for another look at a verdict."""

    verdict_id: VerdictName
    seat: SeatName
    grounds: Annotated[str, Field(max_length=LONGEST_TEXT, examples=["I was there first"]), CLEANED] = ""


class ResolutionIn(WriteSchema):
    """A person answers a verdict: it stands, or another ruling holds."""

    verdict_id: VerdictName
    decision: Annotated[Literal["stands", "overturned"], Field(examples=["overturned"])]
    ruling: Annotated[
        Literal["LEGAL", "ILLEGAL", "FIRST", "TIE", "TOO_CLOSE", "FLAG", "UNDECIDED"] | None,
        Field(description="With `overturned`: what holds instead.", examples=["FIRST"]),
    ] = None
    kept: Annotated[
        tuple[Annotated[int, Field(strict=True, ge=0, le=64)], ...],
        Field(max_length=64, description="With `ruling`: positions of the plays that stay.", examples=[[1]]),
    ] = ()
    reason: Reason
    reviewer: PersonName = ""
    confirm: Confirmation = None

    @model_validator(mode="after")
    def _says_what_holds(self) -> Self:
        if (self.decision == "overturned") is (self.ruling is None):
            raise ValueError("decision: overturned wants a ruling, and stands wants none")
        if self.kept and self.ruling is None:
            raise ValueError("kept: only with a ruling")
        fault = None if self.ruling is None else fault_in_kept(Ruling(self.ruling), len(self.kept))
        if fault is not None:
            raise ValueError(fault)
        return self


class WriteState(StrEnum):
    """How far a write has come."""

    PREVIEW = "preview"
    """Nothing is written; this is what would change."""
    ENTERED = "entered"
    """It is in the record."""


class ChangeOut(Schema):
    """What a review does to one verdict."""

    before: VerdictOut | None
    """None: there was none."""
    after: VerdictOut | None
    """None: there is none any more. Its ``verdict_id`` is empty while it is not given yet."""


class CardFateOut(Schema):
    """One card, and whether it stays where it was laid."""

    verdict_id: str
    """The verdict that spoke of it; empty where that is not given yet."""
    pile: str
    card: str | None
    """None: not legible."""
    seat: str | None
    """None: the cameras cannot tell."""
    player: str | None
    stayed: bool | None
    """As it was ruled. None: nothing was."""
    stays: bool
    """As it is ruled with what is entered here; False also where nothing is said of it any more."""


class ConsequenceOut(Schema):
    """All that a correction, an undoing or an answer changes."""

    state: WriteState
    confirm: str | None
    """To be sent with the same body to enter it. None: it is entered."""
    review_id: str
    entry: int | None
    """Its number in the record. None: it is not entered."""
    changes: tuple[ChangeOut, ...]
    cards: tuple[CardFateOut, ...] = ()
    """Whose card stays and whose goes back: of the verdicts that change, and of the one answered."""
    score_before: StandingsOut
    score_after: StandingsOut


class EnteredOut(Schema):
    """Something that was told is in the record."""

    entry: int
    """Its number in the record."""
    kind: str
    t_us: int
    """The time that the source had come to."""
    is_on_disk: bool
    """False: this match keeps no record."""
    verdicts: tuple[VerdictOut, ...]
    """What fell due with it. What follows from a call itself comes when its window has closed."""


class AppealOut(Schema):
    """An appeal that is in the record."""

    review: ReviewOut
    appeals_left: int
    """How many this seat may still raise; one that is upheld does not count."""


class TournamentIn(WriteSchema):
    """A tournament that is to be shown: the same text as in its file."""

    toml: Annotated[
        str,
        Field(
            min_length=1,
            max_length=CHARACTERS_AT_MOST,
            description="Players, rounds and who sits where, as docs/tournament.md describes it.",
        ),
    ]
