"""The shelf gives back what was put on it, however much was packed away."""

import pytest
from typed_match import step

from referee.shelf import LINES_IN_A_BLOCK, Entered, Shelf


def entered(number):
    """Looks and landings in turn, some told at a time of their own."""
    line = f"look F1 5H {number}" if number % 2 else f"land Ana 5H waste F1 {number}..{number + 16}"
    return Entered(number, step(line), None if number % 3 else number * 1000 + 7)


@pytest.mark.parametrize("count", [0, 1, LINES_IN_A_BLOCK - 1, LINES_IN_A_BLOCK, 2 * LINES_IN_A_BLOCK + 3])
def test_all_that_was_entered_comes_back_in_order(count):
    told = [entered(number) for number in range(1, count + 1)]
    shelf = Shelf()

    for item in told:
        shelf.add(item)

    assert list(shelf) == told
    assert list(shelf) == told, "and again: nothing is used up"
