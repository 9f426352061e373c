"""The end of a round and of a game of Spit (S22 to S26, S31 to S34), one rule in one place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.clock import Interval
from referee.piles import PileId, Seat
from referee.spit.layout import Layout
from referee.spit_rules import RemainingRule, ScoringRule, SlapRule, SpitRules


@dataclass(frozen=True, slots=True)
class Slap:
    """A hand that came down on a spit pile after the round had ended."""

    seat: Seat
    pile: PileId
    touch: Interval


class SlapBasis(StrEnum):
    """What decided who takes which spit pile."""

    CHOICE = "choice"
    """The slaps were on different piles, or only one chose (S24)."""
    LOWER_HAND = "lower_hand"
    """S25."""
    TIME = "time"
    """No lower hand was seen, and one was surely first."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who takes which spit pile, and why."""

    takes: tuple[tuple[Seat, PileId], ...]
    """In the order of the seats."""
    basis: SlapBasis


def first_slaps(slaps: Sequence[Slap]) -> tuple[Slap, ...]:
    """Rule S23: each seat's first slap, which binds it; in order of touch."""
    ordered = sorted(slaps, key=lambda slap: (slap.touch.end_us, slap.touch.start_us))
    bound: dict[Seat, Slap] = {}
    for slap in ordered:
        bound.setdefault(slap.seat, slap)
    return tuple(bound.values())


def assign(
    slaps: Sequence[Slap],
    *,
    hands: Sequence[Seat],
    seats: Sequence[Seat],
    piles: Sequence[PileId],
    out: Sequence[Seat],
    rules: SpitRules,
    guard_us: int,
) -> Assignment | None:
    """Rules S23 to S25: who takes which pile; None if nothing tells two slaps on one pile apart (a LET).

    ``hands`` are the hands at rest on the pile that both slapped, the lowest first; empty: not seen.
    """
    binding = first_slaps(slaps)
    if rules.slap is SlapRule.WINNER_CHOOSES and out:
        binding = tuple(slap for slap in binding if slap.seat in out)
    if not binding:
        return None
    chosen = _chooser(binding, hands, rules, guard_us)
    if chosen is None:
        return None
    chooser, basis = chosen
    taken = {chooser.seat: chooser.pile}
    rivals = [slap for slap in binding if slap.pile != chooser.pile]
    taken |= {slap.seat: slap.pile for slap in rivals if slap.seat not in taken}
    left = [pile for pile in piles if pile not in taken.values()]
    for seat in seats:
        if seat not in taken and left:
            taken[seat] = left.pop(0)
    return Assignment(tuple((seat, taken[seat]) for seat in seats if seat in taken), basis)


def _chooser(
    slaps: Sequence[Slap], hands: Sequence[Seat], rules: SpitRules, guard_us: int
) -> tuple[Slap, SlapBasis] | None:
    """The slap that decides, and why."""
    first, *others = slaps
    same = [slap for slap in others if slap.pile == first.pile]
    if not same:
        return first, SlapBasis.CHOICE
    rivals = {slap.seat: slap for slap in (first, *same)}
    order = [rivals[seat] for seat in hands if seat in rivals]
    is_first = all(first.touch.surely_before(slap.touch, guard_us=guard_us) for slap in same)
    by_time = (first, SlapBasis.TIME) if is_first else None
    by_hand = (order[0], SlapBasis.LOWER_HAND) if len(order) == len(rivals) else None
    return (by_time or by_hand) if rules.slap is SlapRule.FIRST else (by_hand or by_time)


def collected(
    takes: Mapping[Seat, int | None], layouts: Mapping[Seat, Layout], rules: SpitRules
) -> dict[Seat, int | None]:
    """Rule S26: what each seat owns after it took a pile of ``takes`` cards to its own; None: not known.

    All cards together are 52, so the last count that is missing follows from the others.
    """
    owned: dict[Seat, int | None] = {}
    for seat, layout in layouts.items():
        pile, own = takes.get(seat, 0), layout.cards
        owned[seat] = None if pile is None or own is None else pile + own
    return completed(owned, rules)


def completed(owned: Mapping[Seat, int | None], rules: SpitRules) -> dict[Seat, int | None]:
    """``owned``, with the one count that is missing made up to the cards of the game (S26)."""
    missing = [seat for seat, count in owned.items() if count is None]
    rest = rules.cards - sum(count for count in owned.values() if count is not None)
    if len(missing) != 1 or rest < 0:
        return dict(owned)
    return {**owned, missing[0]: rest}


class Standing(StrEnum):
    """How a game stands after a round."""

    WON = "won"
    PLAYOFF = "playoff"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Standings:
    """How a game stands, and who has won it."""

    standing: Standing
    winner: Seat | None = None


def standings(totals: Mapping[Seat, int | None], rules: SpitRules) -> Standings:
    """Rules S3, S32 and S34: whether ``totals`` (cards owned, or points) win somebody the game."""
    known = {seat: total for seat, total in totals.items() if total is not None}
    if rules.scoring is ScoringRule.STANDARD:
        none_left = [seat for seat, total in known.items() if total == 0]
        return Standings(Standing.WON, none_left[0]) if len(none_left) == 1 else Standings(Standing.OPEN)
    if not known or max(known.values()) < rules.target or len(known) < len(totals):
        return Standings(Standing.OPEN)
    lowest = [seat for seat, total in known.items() if total == min(known.values())]
    if len(lowest) > 1:
        return Standings(Standing.PLAYOFF)
    return Standings(Standing.WON, lowest[0])


def points_left(layout: Layout, rules: SpitRules) -> int | None:
    """Rule S34: a point for each card left; None: not known. Cards that are counted in one heap are all."""
    if rules.remaining is RemainingRule.STOCK:
        return layout.stock
    return layout.cards if layout.piles else layout.spit
