"""What must hold of every case of every game: order, names of seats, any prefix, record and replay."""

import re
from dataclasses import replace
from itertools import groupby

import pytest
from case_files import CASES
from nerts_strategies import moved_to

from referee.cases import play
from referee.codec import canonical, encode
from referee.logs import read_log, verify
from referee.notation import Said, TypedGame, Wait, parse_game, print_game
from referee.observations import known_us
from referee.piles import Seat
from referee.record import RecordedMatch, RecordHeader
from referee.replay import first_difference, replay

EACH = pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case.case_id} {case.title}") for case in CASES]
)
TURNED = dict(zip(Seat, [*list(Seat)[3:], *list(Seat)[:3]], strict=True))


def payloads(verdicts):
    return [canonical(encode(verdict)) for verdict in verdicts]


def time_of(step):
    return (1, step.until_us) if isinstance(step, Wait) else (0, known_us(step.observation))


@EACH
def test_e8_the_order_of_one_moment_changes_nothing(case):
    groups = [list(steps) for _, steps in groupby(case.game.steps, key=time_of)]
    turned = tuple(step for steps in groups for step in reversed(steps))

    assert payloads(play(TypedGame(case.game.setup, turned)).verdicts) == payloads(play(case.game).verdicts)


@EACH
def test_e8_other_seats_are_judged_alike(case):
    game = case.game
    setup = replace(
        game.setup, seats=moved_to(game.setup.seats, TURNED), piles=moved_to(game.setup.piles, TURNED)
    )
    steps = tuple(
        step if isinstance(step, Wait) else Said(moved_to(step.observation, TURNED), step.at_us)
        for step in game.steps
    )
    longest_first = "|".join(sorted(Seat, key=len, reverse=True))
    names = re.compile(rf"(?<![a-z])({longest_first})(?![a-z])")

    straight, turned = play(game), play(TypedGame(setup, steps))

    expected = [names.sub(lambda found: TURNED[Seat(found[0])], text) for text in payloads(straight.verdicts)]
    assert payloads(turned.verdicts) == expected


@EACH
def test_any_prefix_folds(case):
    steps = case.game.steps

    for length in range(len(steps)):
        play(TypedGame(case.game.setup, steps[:length]))


@EACH
def test_a_case_survives_being_typed(case):
    assert parse_game(print_game(case.game)) == case.game


@EACH
def test_a_case_is_recorded_and_replayed(case):
    match = RecordedMatch(RecordHeader(setup=case.game.setup))
    lines = [match.header_line]
    for step in case.game.steps:
        is_wait = isinstance(step, Wait)
        lines += match.advance(step.until_us).lines if is_wait else match.observe(step.observation).lines
    lines += match.finish("the text ended").lines

    log = read_log(lines)

    assert verify(lines).is_ok
    assert payloads(log.verdicts) == payloads(play(case.game).verdicts)
    assert first_difference(log, replay(log)) is None
