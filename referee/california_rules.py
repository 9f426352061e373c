"""The house rules of California Speed, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from referee.rule_values import check_range, read_rules
from referee.spit_rules import HandsRule


@dataclass(frozen=True, slots=True, kw_only=True)
class CaliforniaRules:
    """House rules of California Speed; the defaults are the common ones.

    >>> CaliforniaRules.from_mapping({"pile_doubles": True}).pile_doubles
    True
    """

    row: int = 4
    """Open cards that each seat deals in a row."""
    pile_doubles: bool = False
    """Whether a pile whose two top cards are equal in rank may be covered again."""
    hands: HandsRule = HandsRule.ONE

    def __post_init__(self) -> None:
        check_range("row", self.row, 2, 8, "cards")

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """The rules that ``mapping`` (a table file's ``[rules]``) sets; ``ValueError`` names a wrong key."""
        return read_rules(cls, mapping)

    @property
    def cards(self) -> int:
        """All cards of the game."""
        return 52
