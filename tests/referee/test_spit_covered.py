"""Every rule of Spit has a case where it holds and one where it does not; every house rule is described."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from case_files import CASES

from referee.california_rules import CaliforniaRules
from referee.speed_rules import SpeedRules
from referee.spit_rules import SpitRules

RULES = [*(f"S{i}" for i in range(1, 35)), "C-Speed", "C-Cal"]
HOLDS = {"LEGAL", "FIRST", "TIE", "nothing"}
FAILS = {"ILLEGAL", "FLAG", "UNDECIDED", "TOO_CLOSE"}
PAGE = (Path(__file__).parents[2] / "docs" / "rules-spit.md").read_text()


def answers(case):
    """The rulings that the case expects."""
    return {each.words[1] for each in case.expectations if each.words[0] == "expect"}


@pytest.mark.parametrize("rule", RULES)
def test_a_case_where_it_holds(rule):
    assert [case.case_id for case in CASES if rule in case.rules and answers(case) & HOLDS] != []


@pytest.mark.parametrize("rule", RULES)
def test_a_case_where_it_does_not(rule):
    found = [
        case.case_id
        for case in CASES
        if f"!{rule}" in case.rules or (rule in case.rules and answers(case) & FAILS)
    ]

    assert found != []


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(item.name, id=f"{rules.__name__} {item.name}")
        for rules in (SpitRules, SpeedRules, CaliforniaRules)
        for item in fields(rules)
    ],
)
def test_every_house_rule_is_listed(key):
    assert re.search(rf"^\|[^|]*`{key}`[^|]*\|", PAGE, re.MULTILINE)
