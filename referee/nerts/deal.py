"""Before the first play: players, decks, the deal and the table (N2 to N10)."""

from collections.abc import Iterable

from referee.clock import Interval
from referee.events import CardMoved, Happened
from referee.messages import Reason, say
from referee.nerts.match import Match
from referee.nerts_rules import NertsFace
from referee.piles import PileId, PileKind, Seat
from referee.sightings import OverlapOf, PilesOverlapped
from referee.table import PileState
from referee.tellings import Called
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

LARGE_TABLE = 6
"""From so many players on, partnerships are played (N2)."""


def judge_start(match: Match, called: Called) -> tuple[Verdict, ...]:
    """Rules N2 and N4: who sits there, with which decks."""
    match.round.awaits_start = False
    event = _event(called)
    verdicts: list[Verdict] = []
    players = len(match.setup.seats)
    if players < 2:
        verdicts.append(
            ruled(event, Ruling.ILLEGAL, RuleId.N2, say("players_{count}_too_few", count=players))
        )
    has_partners = any(item.partner_of is not None for item in match.setup.seats)
    if players >= LARGE_TABLE and not has_partners and not match.rules.teams:
        verdicts.append(
            ruled(event, Ruling.FLAG, RuleId.N2, say("6plus_should_be_partnerships", count=players))
        )
    backs: dict[str, list[Seat]] = {}
    for item in match.setup.seats:
        if item.back and item.partner_of is None:
            backs.setdefault(item.back, []).append(item.seat)
    missing = _missing_zones(match)
    if missing:
        reason = say("zone_missing", piles=", ".join(str(pile) for pile in missing))
        verdicts.append(ruled(event, Ruling.ILLEGAL, RuleId.N10, reason, pile=missing[0]))
    for back, seats in backs.items():
        if len(seats) > 1:
            names = " and ".join(match.name(seat) for seat in seats)
            reason = say("equal_backs", players=names, back=back)
            verdicts.append(ruled(event, Ruling.ILLEGAL, RuleId.N4, reason, seats=tuple(seats)))
    return tuple(verdicts)


def _missing_zones(match: Match) -> list[PileId]:
    """Piles of the game that the table has no zone for, if its zones are told."""
    if not match.setup.piles:
        return []
    wanted: list[PileId] = []
    for deck in match.setup.decks:
        wanted += [PileId(kind, deck) for kind in (PileKind.RESERVE, PileKind.STOCK, PileKind.WASTE)]
        work = [pile for pile in match.setup.piles if pile.kind is PileKind.TABLEAU and pile.seat is deck]
        lacking = match.rules.work_piles_for(len(match.setup.decks)) - len(work)
        next_index = max((pile.index for pile in work), default=-1) + 1
        wanted += [PileId(PileKind.TABLEAU, deck, next_index + i) for i in range(lacking)]
    if not any(pile.kind is PileKind.FOUNDATION for pile in match.setup.piles):
        wanted.append(PileId(PileKind.FOUNDATION, None))
    return [pile for pile in wanted if pile not in match.setup.piles]


def judge_deal(match: Match, called: Called) -> tuple[Verdict, ...]:
    """Rules N3 and N6 to N8: the layout of the seat that has dealt, or of all."""
    decks = match.setup.decks if called.seat is None else (match.setup.deck_of(called.seat),)
    return tuple(verdict for deck in decks for verdict in _deal_of(match, deck, called))


def judge_overlap(seen: PilesOverlapped) -> tuple[Verdict, ...]:
    """Rules N7 and N10: piles that lie over each other are told, since they would be read as one."""
    names = " and ".join(str(pile) for pile in seen.piles)
    is_zones = seen.overlap is OverlapOf.ZONES
    rule, key = (RuleId.N10, "zone_overlap") if is_zones else (RuleId.N7, "work_piles_overlap")
    owners = {pile.seat for pile in seen.piles if pile.seat is not None}
    seat = next(iter(owners)) if len(owners) == 1 else None
    pile = seen.piles[0] if seen.piles else None
    event = Happened(causes=(seen,), at=seen.at)
    return (ruled(event, Ruling.FLAG, rule, say(key, piles=names), seat=seat, pile=pile),)


def early_move(match: Match, play: CardMoved) -> Verdict:
    """A card that moved between "ready" and "start" is told."""
    reason = say("early_move", player=match.name(play.seat))
    event = Happened(causes=(), at=play.touch)
    return ruled(event, Ruling.FLAG, RuleId.N6, reason, seat=play.seat, pile=play.target)


def _deal_of(match: Match, deck: Seat, called: Called) -> tuple[Verdict, ...]:
    event, pile = _event(called), PileId(PileKind.RESERVE, deck)
    is_again = deck in match.round.dealt
    match.round.dealt.add(deck)
    faults = list(_faults(match, deck))
    if is_again:
        faults.insert(0, (RuleId.N3, say("dealt_twice.nerts", player=match.name(deck))))
    if faults:
        return tuple(
            ruled(event, Ruling.ILLEGAL, rule, reason, seat=deck, pile=pile, outcome=Outcome.DEAL_BAD)
            for rule, reason in faults
        )
    unseen = _unseen(match, deck)
    if unseen is not None:
        rule, reason = unseen
        return (ruled(event, Ruling.UNDECIDED, rule, reason, seat=deck, pile=pile),)
    reason = say(
        "deal_ok",
        player=match.name(deck),
        nerts=match.own(PileKind.RESERVE, deck).counted,
        work=len(_work(match, deck)),
        stock=match.own(PileKind.STOCK, deck).counted,
    )
    return (ruled(event, Ruling.LEGAL, RuleId.N6, reason, seat=deck, pile=pile, outcome=Outcome.DEAL_OK),)


def _faults(match: Match, deck: Seat) -> Iterable[tuple[RuleId, Reason]]:
    """What surely does not lie as it should; a wrong stock is told only where no other pile explains it."""
    found = [*_nerts_faults(match, deck), *_work_faults(match, deck)]
    yield from found
    if found:
        return
    piles = _all_piles(match, deck)
    counts = [state.counted for state in piles]
    total = sum(count for count in counts if count is not None)
    is_complete = all(count is not None for count in counts)
    if (is_complete and total != match.deck_size) or total > match.deck_size:
        key = "deck_{count}_not_{want}"
        yield RuleId.N8, say(key, player=match.name(deck), count=total, want=match.deck_size)
    has_joker = any(each.card is not None and each.card.is_joker for s in piles for each in s.heap.cards)
    if has_joker and match.rules.jokers_per_deck == 0:
        yield RuleId.N3, say("foreign_joker", player=match.name(deck), want=0)


def _nerts_faults(match: Match, deck: Seat) -> Iterable[tuple[RuleId, Reason]]:
    nerts, want = match.own(PileKind.RESERVE, deck), match.nerts_size(deck)
    if nerts.counted is None:
        return
    if nerts.counted != want:
        key = "nerts_pile_{count}_not_{want}"
        yield RuleId.N6, say(key, player=match.name(deck), count=nerts.counted, want=want)
        return
    up_wanted = 1 if match.rules.nerts_pile_face is NertsFace.TOP_UP else want
    is_seen = nerts.heap.cards or (nerts.view is not None and not nerts.view.face_up)
    if is_seen and len(nerts.heap.cards) != up_wanted:
        key = "nerts_pile_up_{count}_not_{want}"
        yield RuleId.N6, say(key, player=match.name(deck), count=len(nerts.heap.cards), want=up_wanted)


def _work_faults(match: Match, deck: Seat) -> Iterable[tuple[RuleId, Reason]]:
    work, want = _work(match, deck), match.rules.work_piles_for(len(match.setup.decks))
    if work and len(work) != want:
        key = "work_piles_{count}_not_{want}"
        yield RuleId.N7, say(key, player=match.name(deck), count=len(work), want=want)
    for state in work:
        if state.counted not in {None, 1}:
            key = "work_pile_of_{count}_cards"
            yield RuleId.N7, say(key, player=match.name(deck), pile=state.pile, count=state.counted)


def _unseen(match: Match, deck: Seat) -> tuple[RuleId, Reason] | None:
    """What was not seen of the deal. None: all of it was."""
    player = match.name(deck)
    if match.own(PileKind.RESERVE, deck).counted is None:
        return RuleId.N6, say("pile_depth_not_visible", player=player)
    for state in _all_piles(match, deck):
        if state.counted is None:
            return RuleId.N8, say("stock_not_counted", player=player, pile=state.pile)
    return None


def _work(match: Match, deck: Seat) -> list[PileState]:
    """The work piles that were dealt: those that are known to hold a card."""
    return [state for state in match.work_piles(deck) if state.heap.is_known and not state.heap.is_empty]


def _all_piles(match: Match, deck: Seat) -> list[PileState]:
    others = [match.own(PileKind.RESERVE, deck), match.own(PileKind.STOCK, deck)]
    return [*others, *(_work(match, deck) or [PileState(pile=PileId(PileKind.TABLEAU, deck))])]


def _event(called: Called) -> Happened:
    at = called.at or Interval(called.told_us, called.told_us)
    return Happened(causes=(called,), at=at)
