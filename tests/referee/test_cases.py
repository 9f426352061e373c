"""The rule books' cases by their ids, each a position, what happened, and what the referee answers."""

from collections import Counter

import pytest
from case_files import CASES

from referee.cases import differences


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.case_id} {case.title}") for case in CASES])
def test_case(case):
    assert differences(case) == ()


def test_a_case_has_its_id_alone():
    times = Counter((case.case_id, case.game.setup.game) for case in CASES)

    assert [case_id for case_id, number in times.items() if number > 1] == []
