"""What a match of Spit shows: the cards left as a score, and the piles as they are known (S3, S11, S34)."""

from referee.messages import say
from referee.piles import PileId, PileKind, Seat
from referee.score import Scorecard, ScoreItem, ScoreLine, Unknown
from referee.spit.centre import Centre
from referee.spit.layout import StockPile
from referee.spit.table import SpitTable
from referee.spit_rules import RemainingRule, ScoringRule
from referee.table import PileState, TableState, View
from referee.verdicts import RuleId


def scorecard_of(table: SpitTable) -> Scorecard:
    """The cards left of each seat, and its points before where points are counted; the fewest win."""
    lines: list[ScoreLine] = []
    unknowns: list[Unknown] = []
    for seat in table.seats:
        if table.rules.scoring is ScoringRule.TO_100_LOW:
            lines.append(ScoreLine(seat, ScoreItem.POINTS_BEFORE, table.points.get(seat, 0), 1))
        for item, pile, count in _counts(table, seat):
            if count is None:
                unknowns.append(_uncounted(table, seat, pile))
            else:
                lines.append(ScoreLine(seat, item, count, 1))
    return Scorecard(tuple(lines), tuple(unknowns))


def _counts(table: SpitTable, seat: Seat) -> list[tuple[ScoreItem, PileId, int | None]]:
    """What is counted of a seat, where it lies, and how much that is. None: not known."""
    layout, hand = table.layouts[seat], PileId(PileKind.HAND, seat)
    if not layout.piles and layout.spit is None and table.rules.scoring is ScoringRule.STANDARD:
        return [(ScoreItem.CARDS_OWNED, hand, table.owned[seat])]
    first = PileId(PileKind.TABLEAU, seat, next(iter(layout.piles), 1))
    counts = [(ScoreItem.STOCK_CARDS_LEFT, first, layout.stock)]
    if table.rules.remaining is RemainingRule.STOCK_AND_SPIT:
        counts.append((ScoreItem.SPIT_CARDS_LEFT, hand, layout.spit))
    return counts


def _uncounted(table: SpitTable, seat: Seat, pile: PileId) -> Unknown:
    rule = RuleId.S34 if table.rules.scoring is ScoringRule.TO_100_LOW else RuleId.S3
    return Unknown(rule, seat, pile, (say("cards_uncounted"),))


def table_state_of(table: SpitTable, centre: Centre) -> TableState:
    """The piles as they are known, for displays."""
    states = [
        _state(PileId(PileKind.TABLEAU, seat, index), pile)
        for seat, layout in table.layouts.items()
        for index, pile in layout.piles.items()
    ]
    states += [
        PileState(pile=PileId(PileKind.HAND, seat), counted=layout.spit)
        for seat, layout in table.layouts.items()
        if layout.spit is not None
    ]
    states += [
        _state(pile, StockPile(shared.count, shared.top, True if shared.tops else None))
        for pile, shared in centre.piles.items()
    ]
    return TableState(foundations=(), piles=tuple(sorted(states, key=lambda state: str(state.pile))))


def _state(pile: PileId, known: StockPile) -> PileState:
    view = View(known.top, is_empty=known.is_empty, face_up=known.face_up is True, since_us=0)
    return PileState(pile=pile, views=(view,), counted=known.count)
