"""Whole games of Spit: every card is followed from the first deal to the last count."""

from random import Random

import pytest
from spit_play import SpitPlay
from spit_strategies import setup_of

from referee.piles import PileKind
from referee.referee import Referee
from referee.setup import Game
from referee.verdicts import Outcome, RuleId, Ruling


def played(seed, rounds=4):
    play = SpitPlay(Random(seed))
    play.play_rounds(rounds)
    referee = Referee(setup_of(Game.SPIT))
    verdicts = []
    for observation in play.told:
        verdicts.extend(referee.observe(observation))
        assert cards_on(referee) in {None, 52}
    verdicts.extend(referee.finish())
    return play, verdicts


def cards_on(referee):
    """All cards that the referee believes on the table. None: it does not know them all yet."""
    states = [state for state in referee.table.piles if state.pile.kind in set(PileKind)]
    seats = {state.pile.seat for state in states if state.pile.kind is PileKind.HAND}
    counts = [state.counted for state in states]
    return None if None in counts or len(seats) < 2 else sum(counts)


@pytest.mark.parametrize("seed", range(5))
def test_cards_are_conserved_through_whole_games(seed):
    play, verdicts = played(seed)

    rulings = [verdict.ruling for verdict in verdicts]
    assert rulings.count(Ruling.ILLEGAL) == play.refused
    assert sum(verdict.outcome is Outcome.LET for verdict in verdicts) == play.lets
    assert not [v.reason for v in verdicts if v.ruling in {Ruling.FLAG, Ruling.UNDECIDED, Ruling.FIRST}]
    counted = [verdict for verdict in verdicts if verdict.outcome is Outcome.COUNT]
    last = counted[-1]
    assert [last.fact(f"{seat}_owns") for seat in play.owned] == [str(len(c)) for c in play.owned.values()]


def test_a_game_is_won_by_who_has_no_cards_left():
    wins = []
    for seed in range(4):
        play, verdicts = played(seed, rounds=12)
        won = [verdict.seat for verdict in verdicts if verdict.outcome is Outcome.GAME_WIN]
        rules = {verdict.rule for verdict in verdicts if verdict.outcome is Outcome.GAME_WIN}
        if won:
            assert won == [play.winner]
            assert rules == {RuleId.S32}
            wins += won
    assert wins
