"""The pages on rules and records say what the referee does."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from referee.cases import differences, parse_cases
from referee.logs import read_log, verify
from referee.nerts_rules import NertsRules
from referee.notation_lines import VERBS
from referee.replay import first_difference, replay
from referee.verdicts import RuleId, Ruling

DOCS = Path(__file__).parents[2] / "docs"
RECORD = (DOCS / "record.md").read_text()
RULES = "\n".join(path.read_text() for path in sorted(DOCS.glob("rules*.md")))
CASES = (DOCS / "cases.md").read_text()
EXAMPLE, BARE_EXAMPLE = re.findall(r"```json\n(.*?)```", RECORD, re.DOTALL)


def test_the_example_record_holds():
    lines = EXAMPLE.splitlines(keepends=True)
    log = read_log(lines)

    assert str(verify(lines)) == "whole up to entry 5, closed"
    assert first_difference(log, replay(log)) is None


def test_a_record_of_the_first_form_is_read_and_replays():
    lines = (Path(__file__).parent / "record_format_1.jsonl").read_text().splitlines(keepends=True)

    log = read_log(lines)

    assert str(verify(lines)) == "whole up to entry 5, closed"
    assert first_difference(log, replay(log)) is None


def test_the_example_of_a_case_holds():
    examples = re.findall(r"```\n(.*?)```", CASES, re.DOTALL)

    cases = [case for example in examples for case in parse_cases(example)]

    assert [case.case_id for case in cases] == ["N-015", "S-045"]
    assert [differences(case) for case in cases] == [(), ()]


@pytest.mark.parametrize("verb", ["wait", "lay", *VERBS])
def test_every_verb_of_the_notation_is_described(verb):
    assert re.search(rf"`{verb}[ `]", CASES)


def test_the_example_of_a_bare_file_is_judged():
    replayed = replay(read_log(BARE_EXAMPLE.splitlines(keepends=True)))

    assert [verdict.ruling for verdict in replayed.verdicts] == [Ruling.LEGAL]
    assert [points for _, points in replayed.scorecard.totals] == [-2]


@pytest.mark.parametrize("rule", RuleId)
def test_every_rule_has_its_section(rule):
    assert re.search(rf"^## {rule}: ", RULES, re.MULTILINE)


@pytest.mark.parametrize("key", [item.name for item in fields(NertsRules)])
def test_every_house_rule_is_listed(key):
    assert f"| `{key}` |" in RULES
