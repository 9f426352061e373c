"""After the round: counts against the tally, points, and who has won (N39 to N43)."""

from referee.clock import Interval
from referee.events import CardsTold, Happened
from referee.messages import Reason, say
from referee.nerts.match import Match, Round, Standing
from referee.nerts.tally import Tally
from referee.nerts_rules import Handicap, TargetTie, WinnerRule
from referee.observations import CardsCounted
from referee.piles import PileKind, Seat
from referee.score import ScoreItem
from referee.table import Table
from referee.tellings import BacksCounted, Called, PointsTold
from referee.verdicts import Basis, Outcome, RuleId, Ruling, Verdict, ruled

CAMERA = "camera"
"""``told_by`` of a count that was made on camera, which is evidence; what a player says is not."""


def judge_count(match: Match, counted: CardsCounted) -> tuple[Verdict, ...]:
    """Take in a count of a pile; one that cannot be, or that the camera contradicts, is told (N40)."""
    state = match.table.pile(counted.pile)
    is_nerts = counted.pile.kind is PileKind.RESERVE
    most = most_cards(match, counted)
    if is_nerts and counted.count > most:
        reason = say("nerts_count_over", count=counted.count, pile=counted.pile, most=most)
        return (_told(counted, RuleId.N40, reason),)
    is_seen = state.counted is not None and state.counted_by in {"", CAMERA}
    if counted.told_by not in {"", CAMERA} and is_seen and state.counted != counted.count:
        rule = RuleId.N40 if is_nerts else RuleId.N41
        reason = say(
            "nerts_count",
            told_by=counted.told_by,
            count=counted.count,
            pile=counted.pile,
            tracked=state.counted,
            authority="recount_on_camera",
        )
        return (_told(counted, rule, reason),)
    match.table.count(counted.pile, counted.count, counted.at_us, counted.told_by)
    return ()


def most_cards(match: Match, counted: CardsCounted | BacksCounted) -> int:
    """How many can be where ``counted`` was: a deck has so many, and a Nerts pile only shrinks (N3, N6)."""
    if isinstance(counted, BacksCounted):
        return match.deck_size
    seat = counted.pile.seat
    if counted.pile.kind is PileKind.RESERVE:
        return match.rules.nerts_pile_size if seat is None else match.nerts_size(seat)
    return match.deck_size * (len(match.setup.decks) if seat is None else 1)


def judge_backs(match: Match, counted: BacksCounted) -> tuple[Verdict, ...]:
    """Rule N41: the count by backs holds; where the running tally differs, by how much is told."""
    deck = match.setup.deck_of(counted.deck)
    tracked, unowned = match.tally.tracked(deck, counted.pile)
    is_watched = match.tally.is_watched
    if counted.count > most_cards(match, counted):
        return (_backs_over(match, counted, deck),)
    match.tally.count_backs(deck, counted.pile, counted.count)
    if not is_watched or tracked <= counted.count <= tracked + unowned:
        return ()
    reason = say(
        "backs_differ",
        player=match.name(deck),
        count=counted.count,
        tracked=tracked,
        difference=f"{counted.count - tracked:+d}",
    )
    event = Happened(causes=(counted,), at=Interval(counted.at_us, counted.at_us))
    return (ruled(event, Ruling.FLAG, RuleId.N41, reason, seat=deck, pile=counted.pile),)


def _backs_over(match: Match, counted: BacksCounted, deck: Seat) -> Verdict:
    """More cards than a deck has were counted: told, and not taken."""
    reason = say("backs_over", count=counted.count, player=match.name(deck), most=match.deck_size)
    event = Happened(causes=(counted,), at=Interval(counted.at_us, counted.at_us))
    return ruled(event, Ruling.FLAG, RuleId.N41, reason, seat=deck, pile=counted.pile)


def take_points(match: Match, told: PointsTold) -> None:
    """What a deck has from the rounds before."""
    match.earlier[match.setup.deck_of(told.seat)] = Standing(told.points, told.calls)


def judge_counted(match: Match, called: Called) -> tuple[Verdict, ...]:
    """The counting is finished: every deck must add up, and the game may be won."""
    event = Happened(causes=(called,), at=called.at or Interval(called.told_us, called.told_us))
    verdicts = [v for deck in match.setup.decks if (v := _audit(match, deck, event)) is not None]
    missing = _missing(match)
    if missing:
        reason = say("count_missing", missing="; ".join(missing))
        verdicts.append(ruled(event, Ruling.UNDECIDED, RuleId.N41, reason))
    else:
        verdicts.append(_game_verdict(match, event))
        match.round.is_counted = True
    return tuple(verdicts)


def next_round(match: Match) -> None:
    """A new round begins after one was counted: points are kept, cards are dealt anew."""
    if not match.round.is_counted:
        return
    round_points = {deck: _round_points(match, deck) for deck in match.setup.decks}
    if match.rules.handicap is Handicap.BY_RESULT:
        best = max(round_points.values())
        for deck, points in round_points.items():
            change = 1 if points == best else -1 if points < 0 else 0
            match.handicaps[deck] = match.handicaps.get(deck, 0) + change
    match.earlier = {deck: _standing(match, deck) for deck in match.setup.decks}
    match.rounds_played += 1
    match.table = Table(releases_jokers=match.table.releases_jokers)
    match.tally = Tally(match.setup, match.rules)
    match.round = Round()
    match.first_hand, match.carries, match.aces = {}, {}, {}
    match.nerts_out, match.mistakes = {}, ()


def _audit(match: Match, deck: Seat, event: Happened) -> Verdict | None:
    """Rules N8 and N41: the cards of a deck add up, if all of them were counted."""
    work = match.work_piles(deck)
    piles = [match.own(kind, deck) for kind in (PileKind.RESERVE, PileKind.STOCK, PileKind.WASTE)]
    counts = [state.counted for state in (*piles, *work)]
    if not work or any(count is None for count in counts):
        return None
    total = match.tally.foundation_cards(deck) + sum(count for count in counts if count is not None)
    if total == match.deck_size:
        return None
    reason = say("sum_{count}_of_{want}", player=match.name(deck), count=total, want=match.deck_size)
    return ruled(event, Ruling.FLAG, RuleId.N41, reason, seat=deck)


def _missing(match: Match) -> list[str]:
    """What must be known for a score and is not."""
    unknowns = match.tally.scorecard(match.table, match.earlier_points).unknowns
    return [f"{item.pile}: {item.reason}" for item in unknowns]


def _standing(match: Match, deck: Seat) -> Standing:
    before = match.earlier.get(deck, Standing())
    return Standing(match.points(deck), before.calls + match.tally.called(deck))


def _round_points(match: Match, deck: Seat) -> int:
    lines = match.tally.scorecard(match.table, match.earlier_points).lines
    return sum(
        line.points for line in lines if line.seat is deck and line.item is not ScoreItem.EARLIER_ROUNDS
    )


def _game_verdict(match: Match, event: Happened) -> Verdict:
    """Rule N43: the highest total wins once the target is reached, or the rounds are played."""
    standings = {deck: _standing(match, deck) for deck in match.setup.decks}
    totals = {f"total/{deck}": standing.points for deck, standing in standings.items()}
    rules, played = match.rules, match.rounds_played + 1
    if rules.fixed_rounds and played < rules.fixed_rounds:
        reason = say("more_rounds", played=played, rounds=rules.fixed_rounds, **totals)
        return ruled(event, Ruling.LEGAL, RuleId.N43, reason, outcome=Outcome.GAME_CONTINUES)
    best = max(standing.points for standing in standings.values())
    if not rules.fixed_rounds and best < rules.target:
        reason = say("below_target", target=rules.target, **totals)
        return ruled(event, Ruling.LEGAL, RuleId.N43, reason, outcome=Outcome.GAME_CONTINUES)
    if rules.fixed_rounds and rules.winner is WinnerRule.HANDS_CALLED:
        return _won_by_calls(match, event, standings, tuple(standings), totals)
    leaders = tuple(deck for deck in match.setup.decks if standings[deck].points == best)
    if len(leaders) == 1:
        reason = say("game_win", player=match.name(leaders[0]), points=best, **totals)
        return ruled(event, Ruling.LEGAL, RuleId.N43, reason, seat=leaders[0], outcome=Outcome.GAME_WIN)
    if rules.target_tie is TargetTie.HANDS_CALLED:
        return _won_by_calls(match, event, standings, leaders, totals)
    return _tied(match, event, leaders, best, totals)


def _won_by_calls(
    match: Match,
    event: Happened,
    standings: dict[Seat, Standing],
    leaders: tuple[Seat, ...],
    totals: dict[str, int],
) -> Verdict:
    most = max(standings[deck].calls for deck in leaders)
    first = tuple(deck for deck in leaders if standings[deck].calls == most)
    points = standings[first[0]].points
    if len(first) > 1:
        return _tied(match, event, first, points, totals)
    reason = say(
        "game_win.calls",
        players=_names(match, leaders),
        player=match.name(first[0]),
        points=points,
        **totals,
    )
    return ruled(
        event,
        Ruling.LEGAL,
        RuleId.N43,
        reason,
        seat=first[0],
        outcome=Outcome.GAME_WIN,
        basis=Basis.HANDS_CALLED,
    )


def _tied(
    match: Match, event: Happened, leaders: tuple[Seat, ...], points: int, totals: dict[str, int]
) -> Verdict:
    names = _names(match, leaders)
    if match.rules.target_tie is TargetTie.SHARED:
        reason: Reason = say("game_shared", players=names, points=points, **totals)
        return ruled(event, Ruling.TIE, RuleId.N43, reason, seats=leaders, outcome=Outcome.GAME_WIN)
    reason = say("target_tie", players=names, points=points, **totals)
    return ruled(event, Ruling.TIE, RuleId.N43, reason, seats=leaders, outcome=Outcome.PLAYOFF)


def _names(match: Match, decks: tuple[Seat, ...]) -> str:
    return " and ".join(match.name(deck) for deck in decks)


def _told(counted: CardsCounted, rule: RuleId, reason: Reason) -> Verdict:
    event = CardsTold(pile=counted.pile, count=counted.count, told_by=counted.told_by, at_us=counted.at_us)
    return ruled(event, Ruling.FLAG, rule, reason, seat=counted.pile.seat, pile=counted.pile)
