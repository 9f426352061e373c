"""The deal of Spit (S4 to S6, S20, S27, S29), one rule in one place."""

from dataclasses import dataclass
from enum import StrEnum

from referee.spit_rules import LayoutRule, SpitRules


class DealFault(StrEnum):
    """What is wrong, or worth telling, with a deal."""

    MORE_PILES = "more_than_five_piles"
    SUM = "deal_sum"
    PILE_SIZES = "pile_sizes"
    TOPS = "tops_not_up"
    NONCANONICAL = "noncanonical"
    """Allowed, and told: the rule book does not fix how a short stock is dealt."""


@dataclass(frozen=True, slots=True)
class Deal:
    """One seat's deal, as far as it was seen. The order of the piles means nothing: seats face each other."""

    sizes: tuple[int, ...]
    """Cards in each pile, empty slots as 0."""
    face_up: int | None
    """How many tops lie face up. None: not seen."""
    spit: int | None
    """Spit cards kept. None: not counted."""

    @property
    def dealt(self) -> tuple[int, ...]:
        """The sizes of the piles that hold cards, smallest first."""
        return tuple(sorted(size for size in self.sizes if size > 0))


def short_sizes(cards: int, layout: LayoutRule) -> tuple[int, ...]:
    """Rule S29: ``cards`` dealt pile by pile as far as they reach, smallest first.

    >>> short_sizes(9, LayoutRule.FIVE)
    (1, 2, 3, 3)
    """
    sizes: list[int] = []
    for size in layout.sizes:
        sizes.append(min(size, cards - sum(sizes)))
    return tuple(sorted(size for size in sizes if size > 0))


def fault_in_deal(deal: Deal, owned: int | None, rules: SpitRules) -> DealFault | None:
    """Rules S4, S5, S20, S27 and S29: what is wrong with a deal of ``owned`` cards (None: not known)."""
    stock, spit = sum(deal.sizes), deal.spit
    is_short = owned is not None and owned < rules.stock_size
    least = stock + (spit or 0)
    most = least if spit is not None or is_short else None
    adds_up = owned is None or (least <= owned and most in {None, owned})
    wanted = short_sizes(owned, rules.piles) if is_short and owned is not None else rules.piles.sizes
    checks = (
        (DealFault.MORE_PILES, len(deal.dealt) > rules.most_piles),
        (DealFault.SUM, not adds_up and (is_short or deal.dealt == wanted)),
        (DealFault.PILE_SIZES, (deal.dealt != wanted and not is_short) or (is_short and bool(spit))),
        (DealFault.TOPS, deal.face_up not in {None, len(deal.dealt)}),
        (DealFault.NONCANONICAL, deal.dealt != wanted),
    )
    return next((fault for fault, is_so in checks if is_so), None)


def first_shares(rules: SpitRules) -> frozenset[int]:
    """Rule S4: how many cards a seat may own at the first deal, 26; two counts where they do not divide."""
    least, rest = divmod(rules.cards, rules.players)
    return frozenset({least, least + 1} if rest else {least})
