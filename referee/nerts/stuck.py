"""Being stuck: said by the players, never found by a timer (N17, N33, N35)."""

from referee.cards import Rank
from referee.clock import Interval
from referee.events import CardMoved, Happened
from referee.messages import say
from referee.nerts.match import Match
from referee.nerts_rules import StuckAction
from referee.piles import PileKind, Seat
from referee.tellings import Called
from referee.verdicts import Outcome, RuleId, Ruling, Verdict, ruled

_ACTIONS = {
    StuckAction.REFORM: "all turn their waste over as a new stock",
    StuckAction.BURN: "all put their top stock card to the bottom",
    StuckAction.SHUFFLE: "all shuffle their stock",
}


def take_stuck(match: Match, called: Called) -> tuple[Verdict, ...]:
    """A seat, or with no seat everyone, says to be stuck."""
    decks = set(match.setup.decks)
    told = decks if called.seat is None else {match.setup.deck_of(called.seat)}
    match.round.stuck |= told
    event = Happened(causes=(called,), at=_at(called))
    if match.round.stuck < decks:
        reason = say("stuck", player=match.name(called.seat))
        return (ruled(event, Ruling.LEGAL, RuleId.N33, reason, seat=called.seat, outcome=Outcome.STUCK),)
    match.round.stuck = set()
    if match.round.is_all_stuck and match.round.new_stocks:
        match.round.ended = event.at
        reason = say("stuck_again", by="stuck")
        return (ruled(event, Ruling.LEGAL, RuleId.N35, reason, outcome=Outcome.ROUND_END),)
    match.round.is_all_stuck = True
    reason = say("all_stuck", action=_ACTIONS[match.rules.stuck_action])
    verdict = ruled(event, Ruling.LEGAL, RuleId.N33, reason, outcome=Outcome.ALL_STUCK)
    return (verdict, *_must_call(match, event))


def take_timer(called: Called) -> tuple[Verdict, ...]:
    """Rule N33: a timer asks, it does not decide."""
    event = Happened(causes=(called,), at=_at(called))
    reason = say("timer_only_asks")
    return (ruled(event, Ruling.LEGAL, RuleId.N33, reason, outcome=Outcome.GAME_CONTINUES),)


def take_play(match: Match, play: CardMoved) -> None:
    """Whoever plays is not stuck, and then not everyone is."""
    deck = play.owner if play.seat is None else match.setup.deck_of(play.seat)
    if deck is not None:
        match.round.stuck.discard(deck)
    match.round.is_all_stuck = False
    match.round.new_stocks = set()


def watch_aces(match: Match, now_us: int) -> None:
    """Note since when each ace lies playable, where aces must be played (N17)."""
    if not match.rules.aces_forced:
        return
    seen = {}
    for deck in match.setup.decks:
        for kind in (PileKind.RESERVE, PileKind.WASTE):
            seen[match.own(kind, deck).pile] = match.own(kind, deck)
        seen |= {state.pile: state for state in match.work_piles(deck)}
    for pile, state in seen.items():
        top = None if state.heap.top is None else state.heap.top.card
        if top is None or top.rank is not Rank.ACE:
            match.aces.pop(pile, None)
        elif pile not in match.aces or match.aces[pile][0] != top:
            match.aces[pile] = (top, now_us)


def ace_due_us(match: Match) -> int | None:
    """When the next ace has lain too long. None: none does."""
    waits_us = 1000 * match.rules.aces_forced_after_ms
    return min((since_us + waits_us for _, since_us in match.aces.values() if since_us >= 0), default=None)


def rule_on_aces(match: Match, until_us: int) -> tuple[Verdict, ...]:
    """Tell each ace that has lain too long by ``until_us``, once."""
    waits_us = 1000 * match.rules.aces_forced_after_ms
    verdicts: list[Verdict] = []
    places = {pile: match.setup.place_of(pile.seat) for pile in match.aces}
    for pile in sorted(match.aces, key=lambda each: (places[each], each.kind, each.index)):
        card, since_us = match.aces[pile]
        if since_us < 0 or since_us + waits_us > until_us:
            continue
        match.aces[pile] = (card, -1)
        event = Happened(causes=(), at=Interval(since_us, since_us + waits_us))
        reason = say("ace_not_played", card=card, pile=pile, seconds=waits_us / 1e6)
        verdicts.append(ruled(event, Ruling.FLAG, RuleId.N17, reason, seat=pile.seat, pile=pile))
    return tuple(verdicts)


def _must_call(match: Match, event: Happened) -> tuple[Verdict, ...]:
    """House rule ``must_call_when_idle`` (N36): who is dry is asked to call when nobody can go on."""
    if not match.rules.must_call_when_idle:
        return ()
    dry: list[Seat] = [deck for deck in match.setup.decks if match.own(PileKind.RESERVE, deck).counted == 0]
    return tuple(
        ruled(event, Ruling.FLAG, RuleId.N36, say("must_call", player=match.name(deck)), seat=deck)
        for deck in dry
    )


def _at(called: Called) -> Interval:
    return called.at or Interval(called.told_us, called.told_us)
