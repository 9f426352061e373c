"""The rule book's cases by their ids, each a position, what happened, and what the referee answers."""

from pathlib import Path

import pytest

from referee.cases import differences, parse_cases

FILES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
CASES = [
    pytest.param(case, id=f"{case.case_id} {case.title}")
    for path in FILES
    for case in parse_cases(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    assert differences(case) == ()
