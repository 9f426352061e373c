"""What people enter after a verdict: appeals, resolutions, and entries taken back. Values and their checks.

None of them changes what was said before. An appeal asks for another look; a resolution answers a verdict; a
revert takes an earlier entry back. What follows from them, ``referee.proceedings`` finds by folding again.
"""

from dataclasses import dataclass
from enum import StrEnum

from referee.observations import Observation
from referee.piles import Seat
from referee.texts import is_blank, turns_text
from referee.verdicts import RuleId, Ruling

LONGEST_TEXT = 2000
"""Characters of grounds, reasons and names: a page at most."""


class ReviewError(ValueError):
    """An appeal, a resolution or a revert that cannot be taken in; the message says why.

    ``code``: the same in one word, where people come upon it and a page says it in their language.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Appeal:
    """A seat asks for another look at a verdict."""

    appeal_id: str
    """``a1``, ``a2`` ... in the order in which they were raised."""
    verdict_id: str
    raised_by: Seat
    grounds: str
    """Why, in the player's words. May be empty."""
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What a reviewer saw: in place of an entry, or beside them all."""

    entry: int | None
    """The entry that was wrong. None: it was missed."""
    observation: Observation | None
    """What it should have said. None: it did not happen."""


class Decision(StrEnum):
    """What a review says of a verdict."""

    STANDS = "stands"
    OVERTURNED = "overturned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The answer of a person to a verdict, asked for by an appeal or not."""

    resolution_id: str
    """``r1``, ``r2`` ..."""
    verdict_id: str
    appeal_id: str | None = None
    """None: nobody asked; the reviewer looked unasked."""
    decision: Decision
    facts: tuple[Fact, ...] = ()
    """What was seen otherwise than the verdict believed; the referee rules again by them."""
    ruling: Ruling | None = None
    """Ruled by the reviewer. None: the referee rules, by the facts."""
    rule: RuleId | None = None
    """None: that of the verdict."""
    kept: tuple[int, ...] = ()
    """With ``ruling``: positions in the plays of the verdict's event of the cards that stay and count."""
    reason: str
    reviewer: str
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Revert:
    """Takes an earlier entry back: an observation, an appeal, a resolution, or another revert."""

    revert_id: str
    """``u1``, ``u2`` ..."""
    entry: int
    reason: str
    reviewer: str
    at_us: int


Review = Appeal | Resolution | Revert


def id_of(review: Review) -> str:
    """The name of ``review`` among its kind."""
    if isinstance(review, Appeal):
        return review.appeal_id
    return review.resolution_id if isinstance(review, Resolution) else review.revert_id


def fault_in_review(review: Review) -> str | None:
    """What cannot be meant in ``review`` taken by itself; None if all of it can."""
    texts = [(name, getattr(review, name, "")) for name in ("grounds", "reason", "reviewer")]
    for name, text in texts:
        if turns_text(text):
            return f"{name}: want a text without signs that turn its direction"
        if len(text) > LONGEST_TEXT:
            return f"{name}: want at most {LONGEST_TEXT} characters"
        if name != "grounds" and not isinstance(review, Appeal) and is_blank(text):
            return f"{name}: a person who answers says who and why; want a text"
    return _fault_in_resolution(review) if isinstance(review, Resolution) else None


def _fault_in_resolution(resolution: Resolution) -> str | None:
    has_answer = resolution.ruling is not None or len(resolution.facts) > 0
    if resolution.decision is Decision.STANDS and (has_answer or resolution.kept):
        return "decision: a verdict that stands is not answered by another ruling or other facts"
    if resolution.decision is Decision.OVERTURNED and not has_answer:
        return "decision: say what holds instead, by a ruling or by facts"
    if resolution.kept and resolution.ruling is None:
        return "kept: only with a ruling"
    if list(resolution.kept) != sorted(set(resolution.kept)):
        return f"kept: want positions in order, each once, got {list(resolution.kept)}"
    if resolution.ruling is not None:
        fault = fault_in_kept(resolution.ruling, len(resolution.kept))
        if fault is not None:
            return fault
    return _fault_in_facts(resolution.facts)


def fault_in_kept(ruling: Ruling, kept: int) -> str | None:
    """Why no verdict can rule so and let so many cards stay; None if one can.

    >>> fault_in_kept(Ruling.FIRST, 2)
    'kept: FIRST wants exactly one card that stays, got 2'
    """
    if ruling is Ruling.FIRST and kept != 1:
        return f"kept: FIRST wants exactly one card that stays, got {kept}"
    if ruling is Ruling.ILLEGAL and kept:
        return f"kept: ILLEGAL wants no card that stays, got {kept}"
    if ruling in {Ruling.TIE, Ruling.TOO_CLOSE} and kept == 1:
        return f"kept: {ruling} wants several cards that stay, or none; if one alone stays, rule FIRST"
    return None


def fault_in_kept_of(ruling: Ruling, kept: int, plays: int, *, is_of_cards: bool) -> str | None:
    """The same of a verdict about so many ``plays``.

    ``is_of_cards``: it says no more than which of their cards stay; of a deal, a return or an end of round
    none need stay.
    """
    if ruling is Ruling.FIRST and plays < 2:
        return "ruling: FIRST wants several plays for one place; this verdict is about fewer"
    if ruling in {Ruling.TIE, Ruling.TOO_CLOSE} and plays == 1 and is_of_cards:
        return f"ruling: {ruling} wants several plays for one place; this verdict is about one"
    if ruling is Ruling.LEGAL and kept < plays and (kept or is_of_cards):
        return f"kept: LEGAL wants every card to stay, {plays} here, got {kept}"
    if ruling in {Ruling.FLAG, Ruling.UNDECIDED} and 0 < kept < plays:
        return f"kept: {ruling} decides nothing between cards: want all {plays} or none, got {kept}"
    return None


def _fault_in_facts(facts: tuple[Fact, ...]) -> str | None:
    entries = [fact.entry for fact in facts if fact.entry is not None]
    if len(set(entries)) < len(entries):
        return "facts: an entry is named twice"
    if any(fact.entry is None and fact.observation is None for fact in facts):
        return "facts: want an entry, an observation, or both"
    return None
