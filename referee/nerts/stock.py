"""Hands on the own stock, waste and Nerts pile: turning, new stock, burning, peeking (N24, N30 to N34)."""

from referee.cards import Card
from referee.events import Happened
from referee.heap import Heap, Lying
from referee.messages import say
from referee.nerts.checks import breaks_layouts, breaks_order
from referee.nerts.faults import Fault
from referee.nerts.match import Match
from referee.nerts.sightings import removed
from referee.nerts_rules import NertsFace, StuckAction
from referee.observations import PileSeen
from referee.piles import PileId, PileKind, Seat
from referee.sightings import Handling, PileHandled
from referee.table import is_foundation
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled


def judge_handling(  # noqa: PLR0911 - one line for each handling
    match: Match, handled: PileHandled
) -> tuple[Verdict, ...]:
    """Rule on what a hand did to a pile, and bring the table up to date."""
    if is_foundation(handled.pile):
        return _gather_foundation(match, handled)
    hand = handled.seat if handled.seat_confidence >= match.setup.seat_confidence_min else None
    fault = breaks_layouts(hand, handled.pile, handled.target, match.setup)
    if fault is not None:
        return (_at_fault(handled, fault),)
    deck = handled.pile.seat
    if deck is None:
        return ()
    match handled.handling:
        case Handling.TURNED:
            return _turn(match, handled, deck)
        case Handling.TURNED_OVER:
            return _turn_over(match, handled, deck)
        case Handling.BURNED:
            return _burn(match, handled, deck)
        case Handling.SHUFFLED | Handling.REORDERED:
            return _mix(match, handled, deck)
        case Handling.PEEKED | Handling.FACED_UP:
            return _uncover(match, handled)
        case _:
            return ()


def _turn(match: Match, handled: PileHandled, deck: Seat) -> tuple[Verdict, ...]:
    """Rule N30: so many at a time; fewer only where the stock holds no more (N32)."""
    stock = match.own(PileKind.STOCK, deck)
    wanted = match.rules.draw_count
    there, count = stock.counted, handled.count
    player = match.name(handled.seat or deck)
    match.round.burned.discard(deck)
    _take_turn(match, handled, deck)
    if count is None:
        return (_said(handled, Ruling.UNDECIDED, RuleId.N30, "flip_count_unseen", player=player),)
    if there is not None and count > there:
        key = "flip_count_{count}.left"
        return (_said(handled, Ruling.FLAG, RuleId.N30, key, player=player, count=count, want=there),)
    if count == wanted or (there is not None and count == there < wanted):
        return (_said(handled, Ruling.LEGAL, RuleId.N30, "stock_turned", player=player, count=count),)
    if count < wanted and there is None:
        return (_said(handled, Ruling.UNDECIDED, RuleId.N30, "flip_count_unseen", player=player),)
    return (
        _said(
            handled, Ruling.FLAG, RuleId.N30, "flip_count_{count}", player=player, count=count, want=wanted
        ),
    )


def _take_turn(match: Match, handled: PileHandled, deck: Seat) -> None:
    """The cards lie on the waste; those whose faces were seen on top."""
    stock, waste = PileId(PileKind.STOCK, deck), PileId(PileKind.WASTE, deck)
    count = len(handled.cards) if handled.count is None else handled.count
    if handled.count is None:
        match.table.put_heap(stock, Heap())
    else:
        match.table.take_off(stock, (None,) * count, handled.touch.start_us, handled.touch.end_us)
    unseen = max(count - len(handled.cards), 0)
    turned = [*(Lying(None) for _ in range(unseen)), *(Lying(card) for card in handled.cards)]
    if turned:
        match.table.put_on(waste, turned, handled.touch)


def _turn_over(match: Match, handled: PileHandled, deck: Seat) -> tuple[Verdict, ...]:
    """Rules N32 and N33: the waste becomes the stock when that is dry, or when everyone is stuck."""
    stock, waste = match.own(PileKind.STOCK, deck), match.own(PileKind.WASTE, deck)
    player, rest = match.name(handled.seat or deck), stock.counted
    least = min(match.rules.draw_count, 3)
    _take_new_stock(match, handled, deck)
    match.round.burned.discard(deck)
    if match.round.is_all_stuck and match.rules.stuck_action is not StuckAction.BURN:
        match.round.new_stocks.add(deck)
        return (
            _said(
                handled, Ruling.LEGAL, RuleId.N33, "new_stock.all", outcome=Outcome.NEW_STOCK, player=player
            ),
        )
    if rest is None:
        return (_said(handled, Ruling.UNDECIDED, RuleId.N32, "stock_unseen", player=player),)
    if rest >= least:
        return (
            _said(handled, Ruling.FLAG, RuleId.N32, "stock_not_dry", player=player, count=rest, want=least),
        )
    total = None if waste.counted is None else rest + waste.counted
    if total is not None and handled.count not in {None, total}:
        key = "stock_{count}_not_{want}"
        return (_said(handled, Ruling.FLAG, RuleId.N8, key, player=player, count=handled.count, want=total),)
    return (_said(handled, Ruling.LEGAL, RuleId.N32, "new_stock", outcome=Outcome.NEW_STOCK, player=player),)


def _take_new_stock(match: Match, handled: PileHandled, deck: Seat) -> None:
    stock, waste = match.own(PileKind.STOCK, deck), match.own(PileKind.WASTE, deck)
    known = None if stock.counted is None or waste.counted is None else stock.counted + waste.counted
    total = handled.count if handled.count is not None else known
    at_us = handled.touch.end_us
    match.table.put_heap(waste.pile, Heap(below=0))
    match.table.count(waste.pile, 0, at_us)
    match.table.put_heap(stock.pile, Heap(below=total))
    if total is not None:
        match.table.count(stock.pile, total, at_us)


def _burn(match: Match, handled: PileHandled, deck: Seat) -> tuple[Verdict, ...]:
    """Rule N34: who is stuck alone may put the top stock card to the bottom, once before the next turn."""
    player = match.name(handled.seat or deck)
    if not match.rules.burn_alone and not match.round.is_all_stuck:
        return (_said(handled, Ruling.ILLEGAL, RuleId.N34, "not_idled", player=player),)
    if deck in match.round.burned:
        return (_said(handled, Ruling.FLAG, RuleId.N34, "burn_twice", player=player),)
    if match.own(PileKind.STOCK, deck).counted == 0:
        return (_said(handled, Ruling.FLAG, RuleId.N34, "burn_of_nothing", player=player),)
    match.round.burned.add(deck)
    visible = visible_play(match, deck)
    if visible is not None:
        card, pile = visible
        key = "burn_while_visible_play"
        return (_said(handled, Ruling.FLAG, RuleId.N34, key, player=player, card=card, pile=pile),)
    return (_said(handled, Ruling.LEGAL, RuleId.N34, "burn_ok", outcome=Outcome.BURN_OK, player=player),)


def visible_play(match: Match, deck: Seat) -> tuple[Card, PileId] | None:
    """A card that lies open and could go to a foundation or, from Nerts pile or waste, onto a work pile."""
    piles = [match.own(PileKind.RESERVE, deck), match.own(PileKind.WASTE, deck)]
    work = match.work_piles(deck)
    for state in (*piles, *work):
        top = state.heap.top
        if top is None or top.card is None or top.card.is_joker:
            continue
        for foundation in match.table.foundations.values():
            fits = foundation.is_certain and foundation.bases and breaks_order(top.card, foundation.bases[0])
            if fits is None:
                return top.card, foundation.pile
        if state in piles and top.meaning is not None:
            for pile in work:
                under = pile.heap.top
                if under is not None and under.meaning is not None and under.meaning == top.meaning.below:
                    return top.card, pile.pile
    return None


def _mix(match: Match, handled: PileHandled, deck: Seat) -> tuple[Verdict, ...]:
    """Rules N31 and N32: waste and stock stay in order, unless all agreed to shuffle when stuck."""
    player = match.name(handled.seat or deck)
    state = match.table.pile(handled.pile)
    match.table.put_heap(handled.pile, Heap(below=state.counted))
    if handled.pile.kind not in {PileKind.STOCK, PileKind.WASTE}:
        return ()
    if handled.handling is Handling.REORDERED:
        return (_said(handled, Ruling.FLAG, RuleId.N31, "waste_reordered", player=player),)
    agreed = match.round.is_all_stuck and match.rules.stuck_action is StuckAction.SHUFFLE
    if agreed:
        return (
            _said(handled, Ruling.LEGAL, RuleId.N33, "shuffled_as_agreed", player=player, pile=handled.pile),
        )
    return (_said(handled, Ruling.FLAG, RuleId.N32, "shuffled_stock", player=player, pile=handled.pile),)


def _uncover(match: Match, handled: PileHandled) -> tuple[Verdict, ...]:
    """Rule N24: the next Nerts card is turned after the top was played; no other one is looked at."""
    player = match.name(handled.seat or handled.pile.seat)
    heap = match.table.pile(handled.pile).heap
    if handled.pile.kind is not PileKind.RESERVE:
        rule = RuleId.N30 if handled.pile.kind is PileKind.STOCK else RuleId.N24
        return (_said(handled, Ruling.FLAG, rule, "peek.nerts", player=player, pile=handled.pile),)
    if match.rules.nerts_pile_face is NertsFace.ALL_UP:
        return ()
    if heap.top is not None:
        if handled.handling is Handling.PEEKED:
            return (_said(handled, Ruling.FLAG, RuleId.N24, "peek.nerts", player=player, pile=handled.pile),)
        card = heap.top.card or "the open one"
        return (_said(handled, Ruling.FLAG, RuleId.N24, "turned_early", player=player, card=card),)
    if handled.handling is Handling.FACED_UP:
        seen = tuple(Lying(card) for card in handled.cards[-1:]) or (Lying(None),)
        below = None if heap.below is None else max(heap.below - 1, 0)
        match.table.put_heap(handled.pile, Heap(below=below, cards=seen))
    return (_said(handled, Ruling.LEGAL, RuleId.N24, "nerts_turned", player=player),)


def _gather_foundation(match: Match, handled: PileHandled) -> tuple[Verdict, ...]:
    """Rule N27: a foundation is taken away after its king, not before."""
    if handled.handling is not Handling.GATHERED:
        return ()
    seen = PileSeen(
        pile=handled.pile,
        top=None,
        is_empty=True,
        face_up=False,
        seen=handled.touch,
        confidence=handled.confidence,
        evidence=handled.evidence,
    )
    foundation, verdicts = removed(match, match.table.foundation(handled.pile), seen)
    match.table.foundations[handled.pile] = foundation
    return verdicts


def _said(
    handled: PileHandled,
    ruling: Ruling,
    rule: RuleId,
    key: str,
    *,
    outcome: Outcome | None = None,
    **args: object,
) -> Verdict:
    event = Happened(causes=(handled,), at=handled.touch)
    seat = handled.seat or handled.pile.seat
    return ruled(event, ruling, rule, say(key, **args), seat=seat, pile=handled.pile, outcome=outcome)


def _at_fault(handled: PileHandled, fault: Fault) -> Verdict:
    event = Happened(causes=(handled,), at=handled.touch)
    return ruled(event, fault.ruling, fault.rule, fault.reason, seat=handled.seat, pile=handled.pile)
