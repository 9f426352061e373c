"""Every rule of Nerts, and of time, has a case where it holds and one where it does not."""

import pytest
from case_files import CASES

from referee.setup import Game

RULES = [f"N{i}" for i in range(1, 49)] + [f"E{i}" for i in range(1, 11)]
HOLDS = ("LEGAL", "FIRST", "TIE", "nothing")
FAILS = ("ILLEGAL", "FLAG", "UNDECIDED", "TOO_CLOSE")


def about(rule):
    return [
        case for case in CASES if {rule, f"!{rule}"} & set(case.rules) and case.game.setup.game is Game.NERTS
    ]


def answers(case):
    """The rulings that the case expects; points that it expects hold too."""
    lines = [expectation.words for expectation in case.expectations]
    return [words[1] if words[0] == "expect" else "LEGAL" for words in lines]


@pytest.mark.parametrize("rule", RULES)
def test_a_case_where_it_holds(rule):
    found = [case for case in about(rule) if rule in case.rules and set(answers(case)) & set(HOLDS)]

    assert found != []


@pytest.mark.parametrize("rule", RULES)
def test_a_case_where_it_does_not(rule):
    found = [case for case in about(rule) if f"!{rule}" in case.rules or set(answers(case)) & set(FAILS)]

    assert found != []
