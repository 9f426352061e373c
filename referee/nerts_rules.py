"""The house rules of Nerts: every key of the rule book, with its default there."""

from dataclasses import dataclass
from enum import StrEnum

from referee.house_rules import HouseRules, numbers, whole

LARGEST_NERTS_PILE = 46
"""Of a deck of 52, with a card in each of four work piles, and a stock to turn."""


class TieRule(StrEnum):
    """What becomes of the cards of a clear tie."""

    BOTH_KEEP = "both_keep"
    FIRST_ONLY = "first_only"
    """The card that lies below stays; where that is not seen, all go back and the play is repeated."""


class StackingRule(StrEnum):
    """When the order of the cards at rest says who was first (E5)."""

    ONLY_WHEN_TOO_CLOSE = "only_when_too_close"
    ALWAYS = "always"
    """For a clear tie too."""
    NEVER = "never"


class FoundationsRule(StrEnum):
    """How many foundations of one suit may be open."""

    PER_ACE = "per_ace"
    ONE_PER_SUIT = "one_per_suit"


class LoserRule(StrEnum):
    """Where the card of a race's loser goes."""

    ORIGIN = "origin"
    OWN_LAYOUT = "own_layout"
    """Anywhere in the own layout."""


class FillSource(StrEnum):
    """Where a card that fills an empty space may come from."""

    NERTS = "nerts"
    WORK = "work"
    WASTE = "waste"


class HandsRule(StrEnum):
    """Which hands may move cards."""

    ONE_AT_A_TIME = "one_at_a_time"
    FIXED = "fixed"
    """The same hand all round."""
    BOTH = "both"


class NertsFace(StrEnum):
    """How the Nerts pile lies."""

    TOP_UP = "top_up"
    ALL_UP = "all_up"


class StuckAction(StrEnum):
    """What all do when all are stuck."""

    REFORM = "reform"
    BURN = "burn"
    SHUFFLE = "shuffle"


class EarlyCall(StrEnum):
    """A call while the last Nerts card is in the air."""

    VALID_ON_LANDING = "valid_on_landing"
    STRICT = "strict"


class MidairDoubt(StrEnum):
    """A card whose lift cannot be told from the call's onset."""

    COUNTS = "counts"
    NOT_COUNTED = "not_counted"


class JokerRelease(StrEnum):
    """When a joker that was fixed in a work pile is free again."""

    WHEN_UNCOVERED = "when_uncovered"
    NEVER = "never"


class TargetTie(StrEnum):
    """Several have the same highest total at the target."""

    PLAYOFF = "playoff"
    HANDS_CALLED = "hands_called"
    SHARED = "shared"


class WinnerRule(StrEnum):
    """What wins a game of ``fixed_rounds``."""

    POINTS = "points"
    HANDS_CALLED = "hands_called"


class ShuffleRule(StrEnum):
    """Who shuffles a deck before the deal. Told to the players; no camera checks it."""

    OPPONENT = "opponent"
    OWN = "own"


class Handicap(StrEnum):
    """Whether Nerts piles change with the last round's result."""

    NONE = "none"
    BY_RESULT = "by_result"
    """One card more for who won it, one less for who scored below zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NertsRules(HouseRules):
    """House rules of Nerts; the defaults are the rule book's.

    >>> NertsRules.from_mapping({"nerts_penalty": 1}).nerts_penalty
    1
    """

    nerts_pile_size: int = whole(13, 1, LARGEST_NERTS_PILE, "cards")
    """Cards dealt to a Nerts pile (N6); no more can be left."""
    nerts_pile_face: NertsFace = NertsFace.TOP_UP
    handicap: Handicap = Handicap.NONE
    work_piles: tuple[int, ...] = numbers((4,), 1, 12, "piles")
    """Work piles of a layout (N7), for two players, three, and so on; the last number is for all above."""
    draw_count: int = whole(3, 1, 10, "cards")
    """Cards turned from the stock at a time (N30)."""
    points_foundation: int = whole(1, 0, 100, "points")
    """For each own card on the foundations (N39)."""
    nerts_penalty: int = whole(2, 0, 100, "points")
    """Off for each card left in the Nerts pile (N40)."""
    call_bonus: int = whole(0, 0, 100, "points")
    """For who called (N42)."""
    king_bonus: int = whole(0, 0, 100, "points")
    """For who completed a foundation."""
    false_call_penalty: int = whole(0, 0, 100, "points")
    """Off for each call without a dry pile (N36)."""
    target: int = whole(100, 1, 10_000, "points")
    """The game goes on until someone has as many (N43)."""
    fixed_rounds: int = whole(0, 0, 1000, "rounds")
    """The game ends after as many rounds; 0: at the target."""
    winner: WinnerRule = WinnerRule.POINTS
    target_tie: TargetTie = TargetTie.PLAYOFF
    tie: TieRule = TieRule.BOTH_KEEP
    """A clear tie (N16)."""
    stacking: StackingRule = StackingRule.ONLY_WHEN_TOO_CLOSE
    foundations: FoundationsRule = FoundationsRule.PER_ACE
    """Whether each ace may open a foundation of its own (N25)."""
    loser_returns: LoserRule = LoserRule.ORIGIN
    fill_sources: tuple[FillSource, ...] = (FillSource.NERTS, FillSource.WORK, FillSource.WASTE)
    """From where an empty space may be filled (N20)."""
    partial_stack_moves: bool = True
    """Whether part of a work pile may move (N19); else the whole column only."""
    slide_under: bool = True
    """Whether a card may be slid under a work pile while a space is empty (N22)."""
    one_hand: HandsRule = HandsRule.ONE_AT_A_TIME
    aces_forced: bool = False
    aces_forced_after_ms: int = whole(5000, 100, 600_000, "ms")
    """How long an ace may lie playable under ``aces_forced`` before it is told."""
    burn_alone: bool = True
    """Whether who is stuck alone may put the top stock card to the bottom (N34)."""
    stuck_action: StuckAction = StuckAction.REFORM
    must_call_when_idle: bool = True
    """Whether who has a dry pile is asked to call when all are stuck."""
    early_call: EarlyCall = EarlyCall.VALID_ON_LANDING
    midair_grace_ms: int = whole(1000, 0, 10_000, "ms")
    """A card that was in the air at the call counts if it lands within this (N38)."""
    midair_doubt: MidairDoubt = MidairDoubt.COUNTS
    call_tie_ms: int = whole(100, 0, 10_000, "ms")
    """Calls within this of the first are one call."""
    jokers_per_deck: int = whole(0, 0, 4, "jokers")
    joker_release: JokerRelease = JokerRelease.WHEN_UNCOVERED
    teams: bool = False
    """Whether partners share a deck (N48); a player's ``partner_of`` says whose."""
    prestacking: bool = False
    """Whether holding a run ready for one motion is accepted: then it is not flagged (N14)."""
    shuffle_by: ShuffleRule = ShuffleRule.OPPONENT

    def work_piles_for(self, players: int) -> int:
        """How many work piles each layout has with so many players."""
        return self.work_piles[min(max(players - 2, 0), len(self.work_piles) - 1)]
