"""Layouts: work piles, and cards that come back from the common area (N12, N14, N18 to N23, N46, N47)."""

from collections.abc import Sequence
from dataclasses import replace

from referee.cards import Card
from referee.events import CardMoved, Happened
from referee.heap import Heap, Lying, Meaning
from referee.interpret import PileNews
from referee.messages import Reason, say
from referee.nerts import jokers
from referee.nerts.checks import breaks_between_layouts, breaks_exposure, breaks_layouts, hides_its_face
from referee.nerts.faults import Fault, illegal, undecided
from referee.nerts.legal import fault_verdict
from referee.nerts.match import MISTAKES_KEPT, Match
from referee.nerts.midair import breaks_call, with_call
from referee.nerts.sightings import moved_of, unseen_play, with_decision
from referee.nerts_rules import FillSource, LoserRule
from referee.piles import PileId, PileKind
from referee.sightings import CardsCarried, CarryPlace, PileLaid
from referee.table import is_foundation
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled

_FILLS = {
    PileKind.RESERVE: FillSource.NERTS,
    PileKind.TABLEAU: FillSource.WORK,
    PileKind.WASTE: FillSource.WASTE,
}


def judge_layout(match: Match, news: PileNews) -> tuple[Verdict, ...]:
    """Rule on all that was collected for one pile of a layout, and bring the table up to date."""
    if news.before is not None:
        match.table.look(news.before)
    verdicts: list[Verdict] = []
    brought: list[CardMoved | CardsCarried] = [*news.moves, *news.carried]
    for each in sorted(brought, key=lambda item: (item.touch.end_us, item.touch.start_us)):
        judged = _judge_move(match, each) if isinstance(each, CardMoved) else _judge_carry(match, each)
        if isinstance(each, CardMoved) and any(verdict.goes_back for verdict in judged):
            match.mistakes = (*match.mistakes, each)[-MISTAKES_KEPT:]
        verdicts += judged
    if news.laid is not None:
        match.table.lay(news.laid)
    if news.after is not None:
        match.table.look(news.after)
    return tuple(with_decision(verdict, news.decided_us) for verdict in verdicts)


def judge_unseen(match: Match, laid: PileLaid) -> tuple[Verdict, ...]:
    """A work pile with one card more than it had: played or slid under unseen (N22: judge by states)."""
    heap, now = match.table.pile(laid.pile).heap, Heap.of(laid)
    if laid.pile.kind is not PileKind.TABLEAU or heap.base is None or now.base is None:
        return ()
    before, after = [each.card for each in heap.cards], [each.card for each in now.cards]
    if len(after) != len(before) + 1:
        return ()
    if after[1:] == before:
        fault, reason = _breaks_slide(match, laid.pile, None, after[0])
    elif after[:-1] == before:
        fault, reason = _breaks_work(match, heap, now.cards[-1], None, laid.pile)
    else:
        return ()
    card = after[0] if after[1:] == before else after[-1]
    play = unseen_play(laid.pile, card, laid.at, laid.evidence, owner=laid.pile.seat)
    event = Happened(causes=(laid,), at=laid.at, plays=(play,))
    if fault is not None:
        return (ruled(event, fault.ruling, fault.rule, fault.reason, basis=Basis.STATE_DIFF),)
    rule = RuleId.N22 if after[1:] == before else RuleId.N18
    reasons = (*reason, say("seen_afterwards"))
    return (ruled(event, Ruling.LEGAL, rule, *reasons, kept=(0,), basis=Basis.STATE_DIFF),)


def _judge_move(match: Match, play: CardMoved) -> tuple[Verdict, ...]:
    late = breaks_call(match, play.lifted, play.touch, play.card, play.source)
    if late is not None:
        return (fault_verdict(play, late),)
    fault = breaks_layouts(match.hand_of(play), play.source, play.target, match.setup)
    fault = fault or breaks_between_layouts(play)
    if fault is None and play.source is not None and is_foundation(play.source):
        verdict = _judge_return(match, play)
        match.table.move(play)
        return (verdict,)
    if fault is None and (mistake := _mistake_of(match, play)) is not None:
        match.mistakes = tuple(each for each in match.mistakes if each is not mistake)
        match.table.move(play)
        reason = say("correction.nerts", card=play.card or "the card")
        return (ruled(play, Ruling.LEGAL, RuleId.N12, reason, outcome=Outcome.RETURNED),)
    fault = fault or jokers.is_foreign(match, play)
    if fault is not None or play.target.kind is not PileKind.TABLEAU:
        fault = fault or _breaks_target(play)
        match.table.move(play)
        return () if fault is None else (fault_verdict(play, fault),)
    verdict = _judge_work(match, play)
    match.table.move(play)
    return (with_call(match, verdict),)


def _mistake_of(match: Match, play: CardMoved) -> CardMoved | None:
    """The play that ``play`` takes back: the same card, from where it was put to where it was."""
    there = (play.card, play.target, play.source)
    return next((e for e in reversed(match.mistakes) if (e.card, e.source, e.target) == there), None)


def _breaks_target(play: CardMoved) -> Fault | None:
    """Piles that no card is played to: only the stock is turned onto the waste (N9, N23, N30)."""
    card, pile = play.card or "a card", play.target
    source = None if play.source is None else play.source.kind
    if pile.kind is PileKind.WASTE and source in {PileKind.RESERVE, PileKind.TABLEAU}:
        return illegal(RuleId.N9, "onto_waste", card=card, pile=pile)
    if pile.kind is PileKind.STOCK and source in {PileKind.RESERVE, PileKind.TABLEAU}:
        return illegal(RuleId.N9, "onto_stock", card=card, pile=pile)
    if pile.kind is PileKind.RESERVE and source is not None:
        return illegal(RuleId.N23, "onto_nerts", card=card, pile=pile)
    return None


def _judge_return(match: Match, play: CardMoved) -> Verdict:
    """Rule N12: nothing comes back from the common area but a card that lost its race or was a mistake."""
    assert play.source is not None
    foundation = match.table.foundation(play.source)
    returning = [each for each in foundation.to_return if each.card == play.card or play.card is None]
    if not returning:
        fault = illegal(RuleId.N12, "common_to_layout", card=play.card or "a card", pile=play.source)
        return fault_verdict(play, fault)
    back = max(returning, key=lambda each: (each.source == play.target, each.seat == play.seat))
    match.table.foundations[play.source] = foundation.without(back)
    card = play.card or "the card"
    if back not in foundation.losers:
        return ruled(
            play, Ruling.LEGAL, RuleId.N12, say("correction.nerts", card=card), outcome=Outcome.RETURNED
        )
    if match.rules.loser_returns is LoserRule.ORIGIN and back.source not in {None, play.target}:
        reason = say("loser_elsewhere", card=card, origin=back.source, pile=play.target)
        return ruled(play, Ruling.FLAG, RuleId.N12, reason)
    reason = say("race_loser_returns_to_origin", card=card, pile=play.target)
    return ruled(play, Ruling.LEGAL, RuleId.N12, reason, outcome=Outcome.RETURNED)


def _judge_work(match: Match, play: CardMoved) -> Verdict:
    """One card onto a work pile."""
    if play.card is None:
        return fault_verdict(play, undecided(RuleId.N18, "work_face_unread", pile=play.target))
    fault = hides_its_face(play, match.setup) or _breaks_work_source(match, play)
    if fault is not None:
        return fault_verdict(play, fault)
    heap = match.table.pile(play.target).heap
    fault, reasons = _breaks_work(match, heap, _lying(match, play), play.source, play.target)
    if fault is not None:
        return fault_verdict(play, fault)
    rule = RuleId.N20 if heap.is_empty else RuleId.N46 if play.card.is_joker else RuleId.N18
    return ruled(play, Ruling.LEGAL, rule, *reasons, kept=(0,))


def _breaks_work_source(match: Match, play: CardMoved) -> Fault | None:
    """Rules N19, N20 and N28: the top card of the waste, the Nerts pile or a work pile."""
    source = play.source
    if source is not None and source.kind is PileKind.STOCK:
        return illegal(RuleId.N20, "from_stock", card=play.card)
    fault = breaks_exposure(play, match.table, match.setup)
    if fault is None or source is None or source.kind is not PileKind.TABLEAU:
        return fault
    heap = match.table.pile(source).heap
    at = heap.position_of(play.card)
    above = () if at is None else heap.cards[at + 1 :]
    left = _names([each.card for each in above]) if above else str(fault.reason.fact("top"))
    return illegal(RuleId.N19, "blocked_cards_pulled", cards=play.card, left=left)


def _lying(match: Match, play: CardMoved) -> Lying:
    """The card as it counts in a work pile: a joker that is fixed stays so (N47)."""
    heap = None if play.source is None else match.table.pile(play.source).heap
    at = None if heap is None else heap.position_of(play.card)
    return Lying(play.card) if heap is None or at is None else heap.cards[at]


def _breaks_work(  # noqa: PLR0911 - one guard for each thing that may not be known
    match: Match, heap: Heap, card: Lying, source: PileId | None, pile: PileId
) -> tuple[Fault | None, tuple[Reason, ...]]:
    """Rules N18 and N20: why ``card`` may not go on ``heap``; else why it may."""
    if heap.is_empty:
        fault = _breaks_filling(match, card.card, source)
        return fault, (say("fills_space", card=card.card or "a card", pile=pile),)
    top = heap.top
    if card.card is None:
        return undecided(RuleId.N18, "work_face_unread", pile=pile), ()
    if top is None or (top.meaning is None and not top.is_free_joker):
        return undecided(RuleId.N18, "work_top_unread", card=card.card, pile=pile), ()
    covered = heap.covered_by(card)
    fixed = covered.cards[len(heap.cards) - 1]
    if card.is_free_joker:
        return _joker_onto(top)
    assert card.meaning is not None
    if top.is_free_joker:
        return _onto_joker(heap, card, fixed)
    if top.meaning != card.meaning.below:
        return illegal(RuleId.N18, "work_sequence", card=card.card, base=_name(top)), ()
    return None, (say("work_goes_down", card=card.card, base=_name(top)),)


def _joker_onto(top: Lying) -> tuple[Fault | None, tuple[Reason, ...]]:
    """Rule N46: a joker goes on any card that has a next one, undeclared."""
    if top.meaning is None:
        return None, (say("work_goes_down", card="JK", base="JK"),)
    if top.meaning.above is None:
        return illegal(RuleId.N18, "work_sequence.joker", base=_name(top)), ()
    return None, (say("joker_goes_down", base=_name(top), meaning=top.meaning.above),)


def _onto_joker(heap: Heap, card: Lying, fixed: Lying) -> tuple[Fault | None, tuple[Reason, ...]]:
    """Rule N47: the joker becomes what lies between its neighbours, if there is such a card."""
    if fixed.fixed is None or card.meaning is None or fixed.fixed != card.meaning.below:
        base = fixed.fixed or "JK"
        return illegal(RuleId.N47, "work_sequence", card=card.card, base=base), ()
    lowest = heap.covered_by(card).cards[0]
    if lowest.card is not None and lowest.card.is_joker and lowest.fixed is None:
        return illegal(RuleId.N47, "work_sequence", card=card.card, base="JK"), ()
    goes = say("work_goes_down", card=card.card, base=fixed.fixed)
    return None, (goes, say("joker_fixed", meaning=fixed.fixed, joker_fixed=fixed.fixed))


def _breaks_filling(match: Match, card: Card | None, source: PileId | None) -> Fault | None:
    """Rule N20: from where an empty space may be filled."""
    if source is None or source.kind not in _FILLS or _FILLS[source.kind] in match.rules.fill_sources:
        return None
    allowed = ", ".join(match.rules.fill_sources)
    return illegal(
        RuleId.N20, "fill_source", card=card or "a card", source=_FILLS[source.kind], sources=allowed
    )


def _judge_carry(match: Match, carry: CardsCarried) -> tuple[Verdict, ...]:
    """Several cards onto a work pile, or one slid under it."""
    late = breaks_call(match, carry.lifted, carry.touch, _names(carry.cards), carry.source)
    hand = carry.seat if carry.seat_confidence >= match.setup.seat_confidence_min else None
    fault = late or breaks_layouts(hand, carry.source, carry.pile, match.setup)
    plays = tuple(moved_of(carry, card) for card in carry.cards)
    event = Happened(causes=(carry,), at=carry.touch, plays=plays)
    if late is not None:
        return (_ruled_carry(event, carry, late, ()),)
    reasons: tuple[Reason, ...] = ()
    rule = RuleId.N22 if carry.place is CarryPlace.UNDER else RuleId.N19
    if fault is None:
        fault, reasons = _breaks_carry(match, carry)
    flags = _carry_flags(match, carry, event)
    _take_carry(match, carry)
    verdict = _ruled_carry(event, carry, fault, reasons, rule)
    return (*flags, verdict)


def _carry_flags(match: Match, carry: CardsCarried, event: Happened) -> tuple[Verdict, ...]:
    """Rule N14: only work piles give several cards at once."""
    is_from_work = carry.source is None or carry.source.kind is PileKind.TABLEAU
    if is_from_work or len(carry.cards) < 2:
        return ()
    reason = say("one_card_at_a_time.nerts", player=match.name(carry.seat), cards=_names(carry.cards))
    bare = replace(event, plays=())
    return (ruled(bare, Ruling.FLAG, RuleId.N14, reason, seat=carry.seat, pile=carry.pile),)


def _ruled_carry(
    event: Happened,
    carry: CardsCarried,
    fault: Fault | None,
    reasons: Sequence[Reason],
    rule: RuleId = RuleId.N19,
) -> Verdict:
    everything = tuple(range(len(event.plays)))
    if fault is None:
        return ruled(event, Ruling.LEGAL, rule, *reasons, seat=carry.seat, pile=carry.pile, kept=everything)
    returned = everything if fault.ruling is Ruling.ILLEGAL else ()
    outcome = Outcome.NOT_COUNTED if fault.rule is RuleId.N38 else None
    return ruled(
        event,
        fault.ruling,
        fault.rule,
        fault.reason,
        seat=carry.seat,
        pile=carry.pile,
        returned=returned,
        outcome=outcome,
    )


def _breaks_carry(match: Match, carry: CardsCarried) -> tuple[Fault | None, tuple[Reason, ...]]:
    if carry.pile.kind is not PileKind.TABLEAU:
        return illegal(RuleId.N12, "onto_stock", card=_names(carry.cards), pile=carry.pile), ()
    fault = _breaks_block(match, carry)
    if fault is not None:
        return fault, ()
    if carry.place is CarryPlace.UNDER:
        return _breaks_slide(match, carry.pile, carry.source, carry.cards[-1])
    target = match.table.pile(carry.pile).heap
    return _breaks_work(match, target, _carried_lying(match, carry)[0], carry.source, carry.pile)


def _breaks_block(match: Match, carry: CardsCarried) -> Fault | None:
    """Rule N19: what lies on a card moves with it, and no more can move than lies there."""
    cards = _names(carry.cards)
    if carry.left:
        return illegal(RuleId.N19, "blocked_cards_pulled", cards=cards, left=_names(carry.left))
    if carry.source is None or carry.source.kind is not PileKind.TABLEAU:
        return None
    heap = match.table.pile(carry.source).heap
    if heap.count is not None and len(carry.cards) > heap.count:
        return illegal(
            RuleId.N19, "more_than_there", count=len(carry.cards), pile=carry.source, there=heap.count
        )
    at = heap.position_of(carry.cards[-1])
    if at is not None and at < len(heap.cards) - 1:
        left = _names([each.card for each in heap.cards[at + 1 :]])
        return illegal(RuleId.N19, "blocked_cards_pulled", cards=cards, left=left)
    is_part = heap.count is not None and len(carry.cards) < heap.count
    if is_part and not match.rules.partial_stack_moves:
        return illegal(RuleId.N19, "partial_stack", cards=cards)
    return None


def _breaks_slide(
    match: Match, pile: PileId, source: PileId | None, card: Card | None
) -> tuple[Fault | None, tuple[Reason, ...]]:
    """Rule N22: under a work pile while a space is empty: one rank above its base, in the other colour."""
    name = card or "a card"
    if not match.rules.slide_under:
        return illegal(RuleId.N22, "slide_off", card=name, pile=pile), ()
    if source is not None and source.kind is PileKind.STOCK:
        return illegal(RuleId.N20, "from_stock", card=name), ()
    deck = pile.seat
    others = [] if deck is None else [each for each in match.work_piles(deck) if each.pile != pile]
    has_space = any(each.heap.is_empty for each in others)
    if not has_space and others and all(each.heap.is_known for each in others):
        return illegal(RuleId.N22, "slide_no_space", card=name, pile=pile), ()
    base = match.table.pile(pile).heap.base
    meaning = None if base is None else base.meaning
    if not has_space or base is None or card is None or (meaning is None and not base.is_free_joker):
        return undecided(RuleId.N22, "slide_unread", card=name, pile=pile), ()
    fault = _breaks_filling(match, card, source)
    if fault is None and meaning is not None and not card.is_joker:
        fault = _breaks_slide_order(card, meaning, base)
    return fault, (say("slides_under", card=name, base=_name(base)),)


def _breaks_slide_order(card: Card, base: Meaning, lying: Lying) -> Fault | None:
    wanted = base.below
    if wanted is None or card.rank is not wanted.rank:
        return illegal(RuleId.N22, "slide_rank", card=card, base=_name(lying))
    if card.suit.is_red is not wanted.is_red:
        return illegal(RuleId.N22, "slide_colour", card=card, base=_name(lying))
    return None


def _take_carry(match: Match, carry: CardsCarried) -> None:
    """The cards lie where they were put."""
    cards = _carried_lying(match, carry)
    if carry.source is not None and not is_foundation(carry.source):
        lifted = carry.touch if carry.lifted is None else carry.lifted
        match.table.take_off(carry.source, carry.cards, lifted.start_us, carry.touch.start_us)
    if carry.place is CarryPlace.TOP:
        match.table.put_on(carry.pile, cards, carry.touch)
        return
    heap = match.table.pile(carry.pile).heap
    for card in reversed(cards):
        heap = heap.with_base(card)
    match.table.put_heap(carry.pile, heap)
    match.table.recount(carry.pile, len(cards), carry.touch.start_us)


def _carried_lying(match: Match, carry: CardsCarried) -> tuple[Lying, ...]:
    """The carried cards as they lay: jokers among them stay what they were fixed as."""
    heap = Heap() if carry.source is None else match.table.pile(carry.source).heap
    found: list[Lying] = []
    for card in carry.cards:
        at = heap.position_of(card)
        found.append(Lying(card) if at is None else heap.cards[at])
    return tuple(found)


def _name(lying: Lying) -> str:
    """The card, or what a joker is."""
    return str(lying.fixed or lying.card or "a card")


def _names(cards: Sequence[Card | None]) -> str:
    return " ".join("??" if card is None else str(card) for card in cards)
