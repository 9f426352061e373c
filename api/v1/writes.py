"""What may be written: calls, declarations, counts, corrections, appeals, resolutions."""

from typing import Any

from fastapi import APIRouter, Response

from api.access import Principal
from api.desk import Answer, Counting, Undoing, Wish
from api.v1.asking import Appellant, Caller, Corrector, Reviewer, TheDesk
from api.write_schemas import (
    AppealIn,
    AppealOut,
    CallIn,
    CardCorrectionIn,
    ConsequenceOut,
    CorrectionIn,
    CountCorrectionIn,
    CountIn,
    DeclarationIn,
    EnteredOut,
    OwnerCorrectionIn,
    ResolutionIn,
    UndoIn,
    WriteState,
)
from referee.verdicts import Ruling

router = APIRouter(prefix="/api/v1/matches/{match_id}")

_TWO_STEPS: dict[int | str, dict[str, Any]] = {
    200: {"model": ConsequenceOut, "description": "A dry run: what would change. Nothing is entered."},
    201: {"model": ConsequenceOut, "description": "It is in the record."},
}


@router.post("/calls", status_code=201, tags=["calls"])
def call(told: CallIn, desk: TheDesk, who: Caller) -> EnteredOut:
    """Somebody called: Nerts!, spit, stuck, and what else is called in a match.

    The same call of the same seat within a second is the same call: it is entered once, and answered alike.
    """
    return desk.call(told.call, told.seat, told.by or who.name)


@router.post("/declarations", status_code=201, tags=["calls"])
def declare(told: DeclarationIn, desk: TheDesk, who: Caller) -> EnteredOut:
    """A seat says which card its joker stands for; the same again within a second is entered once.

    It is taken back as any entry: a correction of kind `undo`.
    """
    return desk.declare(told.seat, told.card, told.by or who.name)


@router.post("/counts", status_code=201, tags=["calls"])
def count(told: CountIn, desk: TheDesk, who: Caller) -> EnteredOut:
    """Cards were counted, in a pile or by their backs; also after the match's end.

    What a count after the end would change is tried as a correction of kind `count`. The same count again
    within a second is entered once.
    """
    return desk.count(told.pile, told.deck, told.count, told.by or who.name)


@router.post("/appeals", status_code=201, tags=["reviews"])
def appeal(asked: AppealIn, desk: TheDesk, _: Appellant) -> AppealOut:
    """A player asks for another look at a verdict."""
    review, left = desk.appeal(asked.verdict_id, asked.seat, asked.grounds)
    return AppealOut(review=review, appeals_left=left)


@router.post("/corrections", tags=["reviews"], responses=_TWO_STEPS)
def correct(wanted: CorrectionIn, desk: TheDesk, who: Corrector, response: Response) -> ConsequenceOut:
    """It was another card or player, it is taken back, or cards were counted after the end: tried first."""
    reviewer = wanted.reviewer or who.name
    if isinstance(wanted, CountCorrectionIn):
        counted = Counting(wanted.pile, wanted.deck, wanted.count, reviewer)
        return _tried(desk.count_late(counted, wanted.confirm), response)
    wish: Wish
    match wanted:
        case CardCorrectionIn():
            wish = desk.correction(
                wanted.verdict_id, wanted.play, card=wanted.card, reason=wanted.reason, reviewer=reviewer
            )
        case OwnerCorrectionIn():
            wish = desk.correction(
                wanted.verdict_id, wanted.play, seat=wanted.seat, reason=wanted.reason, reviewer=reviewer
            )
        case UndoIn():
            wish = Undoing(wanted.entry, wanted.reason, reviewer)
    return _tried(desk.wish(wish, wanted.confirm), response)


@router.post("/resolutions", tags=["reviews"], responses=_TWO_STEPS)
def resolve(wanted: ResolutionIn, desk: TheDesk, who: Reviewer, response: Response) -> ConsequenceOut:
    """A person answers a verdict: it stands, or another ruling holds. Tried first, then published."""
    return _tried(desk.wish(_answer(wanted, who), wanted.confirm), response)


def _answer(wanted: ResolutionIn, who: Principal) -> Answer:
    return Answer(
        wanted.verdict_id,
        None if wanted.ruling is None else Ruling(wanted.ruling),
        wanted.kept,
        wanted.reason,
        wanted.reviewer or who.name,
    )


def _tried(consequence: ConsequenceOut, response: Response) -> ConsequenceOut:
    response.status_code = 201 if consequence.state is WriteState.ENTERED else 200
    return consequence
