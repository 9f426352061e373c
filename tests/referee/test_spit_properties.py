"""What holds in every match of Spit, Speed and California Speed, whatever is seen and told."""

from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spit_strategies import SEATS, matches, moved_to, pile_moved, setup_of

from referee.codec import decode_observation, decode_verdict, encode, encode_observation
from referee.observations import known_us
from referee.piles import Seat
from referee.referee import Referee
from referee.setup import Game

GAMES = [Game.SPIT, Game.SPEED, Game.CALIFORNIA_SPEED]
HOUSES = {
    Game.SPIT: [{}, {"doubles": True, "match_in_layout": True, "slap": "first"}, {"scoring": "to_100_low"}],
    Game.SPEED: [{}, {"jokers": True, "doubles": True}, {"form": "half_decks", "hand": 4}],
    Game.CALIFORNIA_SPEED: [{}, {"pile_doubles": True}],
}
FEW = settings(max_examples=12)
"""Each game and house has its own examples, so a dozen each are enough to keep the suite quick."""
PLAYED = [pytest.param(game, house, id=f"{game} {house}") for game in GAMES for house in HOUSES[game]]


def judged(setup, told, *, ticks=False):
    referee = Referee(setup)
    verdicts = []
    for observation in told:
        if ticks:
            verdicts.extend(referee.advance(known_us(observation)))
        verdicts.extend(referee.observe(observation))
    verdicts.extend(referee.finish())
    return verdicts, referee


@pytest.mark.parametrize(("game", "house"), PLAYED)
@FEW
@given(told=matches, cut=st.integers(0, 24))
def test_what_was_said_of_a_prefix_is_not_taken_back_in_silence(game, house, told, cut):
    setup = setup_of(game, **house)
    whole, _ = judged(setup, told)
    referee = Referee(setup)

    early = [verdict for observation in told[:cut] for verdict in referee.observe(observation)]

    assert whole[: len(early)] == early
    assert referee.table.piles == tuple(sorted(referee.table.piles, key=lambda state: str(state.pile)))
    assert all(line.count >= 0 for line in referee.scorecard.lines)


@pytest.mark.parametrize(("game", "house"), PLAYED)
@FEW
@given(told=matches)
def test_a_replay_says_the_same_as_the_live_match(game, house, told):
    setup = setup_of(game, **house)
    again = [decode_observation(encode_observation(observation)) for observation in told]

    live, referee = judged(setup, told, ticks=True)
    replayed, other = judged(setup, again)

    assert live == replayed
    assert [decode_verdict(encode(verdict)) for verdict in live] == live
    assert referee.scorecard == other.scorecard
    assert referee.table == other.table


@pytest.mark.parametrize(("game", "house"), PLAYED)
@FEW
@given(told=matches, data=st.data())
def test_the_order_of_what_came_at_one_time_means_nothing(game, house, told, data):
    setup = setup_of(game, **house)
    shuffled = []
    for _, group in groupby(told, key=known_us):
        shuffled += data.draw(st.permutations(list(group)))

    assert judged(setup, told)[0] == judged(setup, shuffled)[0]


@pytest.mark.parametrize(("game", "house"), PLAYED)
@FEW
@given(told=matches)
def test_other_seats_play_the_same_match(game, house, told):
    seat_of = dict(zip(SEATS, (Seat.EAST, Seat.WEST), strict=True))

    here, _ = judged(setup_of(game, **house), told)
    there, _ = judged(
        setup_of(game, (Seat.EAST, Seat.WEST), **house), [moved_to(each, seat_of) for each in told]
    )

    assert [summary(verdict, seat_of) for verdict in here] == [summary(verdict, {}) for verdict in there]


def summary(verdict, seat_of):
    """A verdict without its words, with seats renamed."""
    seat = seat_of.get(verdict.seat, verdict.seat)
    pile = verdict.pile if verdict.pile is None or not seat_of else pile_moved(verdict.pile, seat_of)
    said = (verdict.ruling, verdict.rule, verdict.reason_key, verdict.outcome, verdict.basis)
    return (*said, verdict.kept, verdict.returned, seat, pile, verdict.card, verdict.touch)


@pytest.mark.parametrize(("game", "house"), PLAYED)
@FEW
@given(told=matches)
def test_every_card_that_goes_back_was_played_and_none_both_stays_and_goes(game, house, told):
    for verdict in judged(setup_of(game, **house), told)[0]:
        assert not set(verdict.kept) & set(verdict.returned)
        assert len(verdict.stands) + len(verdict.goes_back) <= len(verdict.event.plays)
        assert verdict.reason
