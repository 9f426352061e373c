"""The house rules of Speed: every point on which its players differ, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from referee.rule_values import check_range, read_rules
from referee.spit_rules import HandsRule


class DeckForm(StrEnum):
    """How the pack is shared out."""

    FULL = "full"
    """Shuffled together: a hand and a draw pile each, and side piles from which the centre is fed."""
    HALF_DECKS = "half_decks"
    """One player has the red cards, the other the black ones; the centre is fed from the own draw pile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRules:
    """House rules of Speed; the defaults are the common ones.

    >>> SpeedRules.from_mapping({"doubles": True}).doubles
    True
    """

    form: DeckForm = DeckForm.FULL
    hand: int = 5
    """Cards held, and refilled to while the draw pile lasts."""
    draw: int = 15
    """Cards in each draw pile at the deal; with jokers one more."""
    side: int = 5
    """Cards in each of the two side piles at the deal."""
    wrap: bool = True
    """Whether ace and king are neighbours."""
    doubles: bool = False
    """Whether an equal rank may go on a centre pile."""
    jokers: bool = False
    """Whether two jokers are in the pack; each keeps the value that it was played as."""
    hands: HandsRule = HandsRule.ONE
    best_of: int = 3
    """Rounds of which the game is won by the greater half."""
    spit_sync_ms: int = 500
    """Two centre cards turned within this, in milliseconds, were turned together (as rule S7)."""

    def __post_init__(self) -> None:
        check_range("hand", self.hand, 1, 10, "cards")
        check_range("draw", self.draw, 0, 54, "cards")
        check_range("side", self.side, 0, 20, "cards")
        check_range("best_of", self.best_of, 1, 99, "rounds")
        check_range("spit_sync_ms", self.spit_sync_ms, 0, 60_000, "ms")

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """The rules that ``mapping`` (a table file's ``[rules]``) sets; ``ValueError`` names a wrong key."""
        return read_rules(cls, mapping)

    @property
    def cards(self) -> int:
        """All cards of the game."""
        return 54 if self.jokers else 52

    @property
    def draw_size(self) -> int:
        """Cards in each draw pile at the deal."""
        return self.draw + 1 if self.jokers else self.draw

    @property
    def wins_needed(self) -> int:
        """Rounds that win the game."""
        return self.best_of // 2 + 1
