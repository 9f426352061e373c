"""The house rules of Speed: every point on which its players differ, as data."""

from dataclasses import dataclass
from enum import StrEnum

from referee.house_rules import HouseRules, whole
from referee.spit_rules import HandsRule


class DeckForm(StrEnum):
    """How the pack is shared out."""

    FULL = "full"
    """Shuffled together: a hand and a draw pile each, and side piles from which the centre is fed."""
    HALF_DECKS = "half_decks"
    """One player has the red cards, the other the black ones; the centre is fed from the own draw pile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRules(HouseRules):
    """House rules of Speed; the defaults are the common ones.

    >>> SpeedRules.from_mapping({"doubles": True}).doubles
    True
    """

    form: DeckForm = DeckForm.FULL
    hand: int = whole(5, 1, 10, "cards")
    """Cards held, and refilled to while the draw pile lasts."""
    draw: int = whole(15, 0, 54, "cards")
    """Cards in each draw pile at the deal; with jokers one more."""
    side: int = whole(5, 0, 20, "cards")
    """Cards in each of the two side piles at the deal."""
    wrap: bool = True
    """Whether ace and king are neighbours."""
    doubles: bool = False
    """Whether an equal rank may go on a centre pile."""
    jokers: bool = False
    """Whether two jokers are in the pack; each keeps the value that it was played as."""
    hands: HandsRule = HandsRule.ONE
    best_of: int = whole(3, 1, 99, "rounds")
    """Rounds of which the game is won by the greater half."""
    spit_sync_ms: int = whole(500, 0, 60_000, "ms")
    """Two centre cards turned within this, in milliseconds, were turned together (as rule S7)."""

    @property
    def cards(self) -> int:
        """All cards of the game."""
        return 54 if self.jokers else 52

    @property
    def draw_sizes(self) -> tuple[int, ...]:
        """Cards that a draw pile may hold at the deal: half a pack also before its first card is turned."""
        if self.form is DeckForm.HALF_DECKS:
            return (self.cards // 2 - self.hand - 1, self.cards // 2 - self.hand)
        return (self.draw + 1 if self.jokers else self.draw,)

    @property
    def wins_needed(self) -> int:
        """Rounds that win the game."""
        return self.best_of // 2 + 1
