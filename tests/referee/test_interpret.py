"""Where a card came from: landings are matched with the lifts that they end."""

import pytest
from typed_match import judged, setup, step, steps

from referee.clock import TimingRules
from referee.events import CardMoved
from referee.interpret import LIFTS_KEPT, Interpreter
from referee.piles import PileId, Seat


def source_of(lines, landing="land south 5H - F0 983-1000"):
    """The source that the referee found for the last card."""
    outcome = judged(f"look F0 4H @0\n{lines}\n{landing}")
    event = outcome.verdicts[-1].event
    assert isinstance(event, CardMoved)
    return None if event.source is None else str(event.source)


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        pytest.param("lift south 5H south/waste 800-817", "south/waste", id="same card, same hand"),
        pytest.param("lift - 5H south/waste 800-817", "south/waste", id="same card, hand not seen"),
        pytest.param("lift south ?? south/waste 800-817", "south/waste", id="same hand, card not read"),
        pytest.param("lift - ?? south/waste 800-817", None, id="nothing to tell it by"),
        pytest.param("lift south 9C south/waste 800-817", None, id="another card"),
        pytest.param("lift north 5H north/waste 800-817", None, id="another hand"),
        pytest.param("lift south 5H F0 800-817", None, id="from the pile where it landed"),
        pytest.param("lift south 5H south/waste 1100-1117", None, id="after it landed"),
        pytest.param(
            "lift south 5H south/waste 700-717\nlift south 5H south/tableau[1] 800-817",
            None,
            id="two piles could be it",
        ),
        pytest.param(
            "lift south ?? south/waste 700-717\nlift south 5H south/tableau[1] 800-817",
            "south/tableau[1]",
            id="the one whose card was read",
        ),
        pytest.param(
            "lift - 5H south/waste 700-717\nlift south 5H south/tableau[1] 800-817",
            "south/tableau[1]",
            id="the one whose hand was seen",
        ),
        pytest.param("", None, id="no lift at all"),
    ],
)
def test_the_source_is_the_pile_whose_top_vanished(lines, want):
    assert source_of(lines) == want


def test_a_named_source_takes_its_own_lift_and_leaves_the_others():
    lines = "lift south ?? south/waste 700-717\nlift south 5H south/tableau[1] 800-817"

    outcome = judged(f"""
        look F0 4H @0
        look F1 4D @0
        {lines}
        land south 5H W1 F0 983-1000
        land south 5D - F1 1283-1300
    """)

    events = [verdict.event for verdict in outcome.verdicts]
    assert [str(event.source) for event in events] == ["south/tableau[1]", "south/waste"]
    assert [event.lifted.start_us for event in events] == [800_000, 700_000]
    assert [len(event.evidence) for event in events] == [2, 2]


def test_a_lift_may_be_told_after_its_landing():
    outcome = judged("""
        look F0 4H @0
        land south 5H - F0 983-1000 settled=1100
        lift south 5H south/waste 800-817
    """)

    assert str(outcome.verdicts[0].event.source) == "south/waste"


def test_a_lift_is_forgotten_after_a_while():
    assert source_of("lift south 5H south/waste 800-817", "land south 5H - F0 20000-20010") is None


def test_no_more_lifts_are_kept_than_hands_can_hold():
    interpreter = Interpreter(TimingRules(), setup().place_of)

    for i in range(3 * LIFTS_KEPT):
        interpreter.take(step(f"lift south 5H south/waste {i}-{i + 1}"), told_us=1000 * (i + 1))
        list(interpreter.news_before(1000 * (i + 1)))

    assert len(interpreter._lifts) == LIFTS_KEPT


def test_looks_are_sorted_to_before_and_after_the_cards():
    interpreter = Interpreter(TimingRules(), setup().place_of)
    told = steps("""
        look F0 4H @100
        look F0 5H @150
        land south 5H waste F0 140-148 settled=150
    """)
    for observation in told:
        interpreter.take(observation, told_us=150_000)

    (news,) = interpreter.rest()

    assert (str(news.before.top), str(news.after.top)) == ("4H", "5H")
    assert [str(move.card) for move in news.moves] == ["5H"]
    assert news.pile == PileId.parse("table/foundation[0]")
    assert list(interpreter.rest()) == []


def test_the_window_runs_from_the_first_landing_not_from_a_look_before_it():
    interpreter = Interpreter(TimingRules(), setup().place_of)
    interpreter.take(step("look F0 4H @0"), told_us=0)
    interpreter.take(step("land south 5H waste F0 80-90 settled=95"), told_us=95_000)
    interpreter.take(step("land north 5H waste F0 85-95 settled=150"), told_us=150_000)

    assert list(interpreter.news_before(195_000)) == []
    (news,) = interpreter.news_before(195_001)
    assert [move.seat for move in news.moves] == [Seat.SOUTH, Seat.NORTH]
