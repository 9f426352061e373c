"""The house rules of California Speed, as data."""

from dataclasses import dataclass

from referee.house_rules import HouseRules, whole
from referee.spit_rules import HandsRule


@dataclass(frozen=True, slots=True, kw_only=True)
class CaliforniaRules(HouseRules):
    """House rules of California Speed; the defaults are the common ones.

    >>> CaliforniaRules.from_mapping({"pile_doubles": True}).pile_doubles
    True
    """

    row: int = whole(4, 2, 8, "cards")
    """Open cards that each seat deals in a row."""
    pile_doubles: bool = False
    """Whether a pile whose two top cards are equal in rank may be covered again."""
    hands: HandsRule = HandsRule.ONE

    @property
    def cards(self) -> int:
        """All cards of the game."""
        return 52
