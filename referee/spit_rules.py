"""The house rules of Spit: every point on which its players differ, as data."""

from dataclasses import dataclass
from enum import StrEnum

from referee.house_rules import HouseRules, whole


class LayoutRule(StrEnum):
    """Which stock piles each seat deals."""

    FIVE = "5"
    FOUR = "4"
    THREE = "3"
    CANFIELD = "4+11"
    """Four single cards, and eleven cards in a fifth pile."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cards in each pile, smallest first."""
        if self is LayoutRule.CANFIELD:
            return (1, 1, 1, 1, 11)
        return tuple(range(1, int(self) + 1))


class HandsRule(StrEnum):
    """How many hands of one player may move cards (S9)."""

    ONE = "one"
    BOTH = "both"


class SpitToRule(StrEnum):
    """On which spit pile a seat turns its spit cards (S21)."""

    OWN = "own"
    """The one it started."""
    ANY = "any"


class SlapRule(StrEnum):
    """Who chooses a spit pile at the end of a round (S23)."""

    BOTH = "both"
    FIRST = "first"
    """Whoever slaps first takes what was slapped, the other the other pile."""
    WINNER_CHOOSES = "winner_chooses"
    """Whoever is out of stock chooses; the other's slap is void."""


class ScoringRule(StrEnum):
    """How a game is won (S3, S34)."""

    STANDARD = "standard"
    """By having no cards left."""
    TO_100_LOW = "to_100_low"
    """A point for each card left in each round; when somebody comes to the target the lowest total wins."""


class RemainingRule(StrEnum):
    """Which cards are left, for the points of ``to_100_low`` (S34)."""

    STOCK_AND_SPIT = "stock_and_spit"
    STOCK = "stock"


class NoSpitRule(StrEnum):
    """What a block comes to with one pile and no spit cards, on which the rule book is silent (S22)."""

    ASK = "ask"
    ROUND_END = "round_end"


class FifteenRule(StrEnum):
    """What becomes of a seat that owns exactly as many cards as its stock piles take (S30)."""

    ONE_PILE = "one_pile"
    """It has nothing to spit, so there is one pile, as for a seat with fewer."""
    TWO_PILES = "two_piles"
    """Only a seat with fewer makes one pile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpitRules(HouseRules):
    """House rules of Spit; the defaults are the rule book's.

    >>> SpitRules.from_mapping({"piles": "4", "wrap": False}).stock_size
    10
    """

    piles: LayoutRule = LayoutRule.FIVE
    """Stock piles of each seat (S5, S20)."""
    wrap: bool = True
    """Whether ace and king are neighbours (S13)."""
    doubles: bool = False
    """Whether an equal rank may go on a spit pile (S12)."""
    match_in_layout: bool = False
    """Whether a card may go on one of equal rank in the own layout (S15)."""
    hands: HandsRule = HandsRule.ONE
    """S9."""
    must_play: bool = False
    """Whether who can play has to: then a spit before its time is taken back (S21)."""
    spit_to: SpitToRule = SpitToRule.OWN
    """S21."""
    slap: SlapRule = SlapRule.BOTH
    """S23."""
    scoring: ScoringRule = ScoringRule.STANDARD
    """S3, S34."""
    target: int = whole(100, 1, 10_000, "points")
    """Points at which ``to_100_low`` ends (S34)."""
    remaining: RemainingRule = RemainingRule.STOCK_AND_SPIT
    """S34."""
    players: int = whole(2, 2, 4, "players")
    """S1: two; three or four with fewer piles or more decks."""
    decks: int = whole(1, 1, 4, "packs")
    """Packs of 52 shuffled together."""
    fill_unblocks: bool = True
    """Whether a fill that would bare a card counts as something to play (S21)."""
    no_spit: NoSpitRule = NoSpitRule.ASK
    """S22."""
    exactly_15: FifteenRule = FifteenRule.ONE_PILE
    """S30."""
    spit_sync_ms: int = whole(500, 0, 60_000, "ms")
    """Two spit cards turned within this, in milliseconds, were turned together (S7): people who call out
    together move within a few tenths of a second, and who waits longer can see the other's card."""

    def __post_init__(self) -> None:
        HouseRules.__post_init__(self)
        if self.cards // self.players < self.stock_size:
            raise ValueError(
                f"rules players, piles, decks: {self.cards // self.players} cards each do not reach"
                f" for stock piles of {self.stock_size}"
            )

    @property
    def cards(self) -> int:
        """All cards of the game: 52 for each pack (S2)."""
        return 52 * self.decks

    @property
    def stock_size(self) -> int:
        """Cards in the stock piles of one seat at a full deal: 15 (S11)."""
        return sum(self.piles.sizes)

    @property
    def most_piles(self) -> int:
        """Stock piles of one seat at most: five (S20)."""
        return len(self.piles.sizes)
