"""Rules N15, N16 and E1 to E9: who was first, who tied, and when nobody can tell."""

import pytest
from typed_match import judged, said, setup, step

from referee.cards import Card
from referee.clock import ClockGrade, Interval, TimingRules, TouchOutcome, margin_text, order_touches
from referee.events import ContestedPlay
from referee.piles import Seat
from referee.referee import Referee

FRAME_60_US = 16_667


def order(*touches, guard_us=FRAME_60_US, w_max_us=50_000, clock_grade=ClockGrade.A):
    return order_touches(
        [Interval(*touch) for touch in touches], guard_us=guard_us, w_max_us=w_max_us, clock_grade=clock_grade
    )


@pytest.mark.parametrize(
    ("gap_us", "outcome"),
    [
        pytest.param(FRAME_60_US, TouchOutcome.FIRST, id="E2 apart by exactly the guard"),
        pytest.param(FRAME_60_US - 1, TouchOutcome.TIE, id="E2 a microsecond less"),
        pytest.param(0, TouchOutcome.TIE, id="touching"),
        pytest.param(-10_000, TouchOutcome.TIE, id="overlapping"),
    ],
)
def test_e2_an_order_needs_the_guard(gap_us, outcome):
    assert order((0, 10_000), (10_000 + gap_us, 20_000 + gap_us)).outcome is outcome


@pytest.mark.parametrize(
    ("width_us", "clock_grade", "outcome"),
    [
        pytest.param(50_000, ClockGrade.A, TouchOutcome.TIE, id="E3 as wide as may be"),
        pytest.param(50_001, ClockGrade.A, TouchOutcome.TOO_CLOSE, id="E4 wider"),
        pytest.param(50_000, ClockGrade.B, TouchOutcome.TIE, id="a clock with gaps can tell a tie"),
        pytest.param(50_000, ClockGrade.C, TouchOutcome.TOO_CLOSE, id="made-up times cannot"),
    ],
)
def test_e3_e4_a_tie_needs_narrow_intervals_and_a_real_clock(width_us, clock_grade, outcome):
    assert order((0, width_us), (0, 10_000), clock_grade=clock_grade).outcome is outcome


def test_e3_only_those_that_tie_must_be_narrow():
    decided = order((0, 10_000), (5_000, 15_000), (100_000, 400_000))

    assert (decided.outcome, decided.leaders, decided.trailers) == (TouchOutcome.TIE, (0, 1), (2,))


def test_made_up_times_can_still_give_an_order():
    assert order((0, 10), (900_000, 900_010), clock_grade=ClockGrade.C).outcome is TouchOutcome.FIRST


@pytest.mark.parametrize(
    ("frame_us", "guard_us", "w_max_us"),
    [
        pytest.param(33_333, 33_332, 66_667, id="30 frames a second"),
        pytest.param(16_667, 16_666, 50_001, id="60 frames a second"),
        pytest.param(4_167, 4_166, 50_001, id="240 frames a second"),
    ],
)
def test_defaults_follow_the_frame_period(frame_us, guard_us, w_max_us):
    rules = TimingRules()

    assert (rules.guard_for(frame_us), rules.w_max_for(frame_us)) == (guard_us, w_max_us)


def test_settings_stand_above_the_defaults():
    rules = TimingRules(guard_us=5_000, w_max_us=20_000)

    assert (rules.guard_for(33_333), rules.w_max_for(33_333)) == (5_000, 20_000)


@pytest.mark.parametrize("name", ["guard_us", "w_max_us", "collection_us", "race_us", "carry_us"])
def test_times_cannot_be_negative(name):
    with pytest.raises(ValueError, match=f"{name}: want 0 or more microseconds, got -1"):
        TimingRules(**{name: -1})


def test_an_interval_does_not_end_before_it_starts():
    with pytest.raises(ValueError, match=r"an interval ends before it starts: 5 \.\. 4 us"):
        Interval(5, 4)


@pytest.mark.parametrize(
    ("earlier", "later", "text"),
    [
        pytest.param(
            (983_300, 1_000_000), (1_033_300, 1_050_000), "33-67 ms", id="E9 as the rule book says it"
        ),
        pytest.param((0, 0), (1_500, 1_500), "1-2 ms", id="never finer than a millisecond"),
        pytest.param((0, 20_000), (10_000, 30_000), "0-30 ms", id="never below nothing"),
    ],
)
def test_e9_margins(earlier, later, text):
    assert margin_text(Interval(*earlier), Interval(*later)) == text


@pytest.mark.parametrize(
    ("north_touch", "want", "reason"),
    [
        pytest.param(
            "1033.3-1050",
            "FIRST N15 keeps south/5H returns north/5H",
            "Ana touched first with 5H; Ben was 33-67 ms later, so 5H goes back",
            id="N15 first",
        ),
        pytest.param(
            "990-1006.7",
            "TIE N16 keeps south/5H north/5H",
            "Ana and Ben touched together, a clear tie: each keeps the card there",
            id="N16 a clear tie",
        ),
        pytest.param(
            "990-1290",
            "TOO_CLOSE E4 keeps south/5H north/5H",
            "too close to call between Ana and Ben: a touch is known only to within 300 ms; "
            "each keeps the card there, and a person looks",
            id="E4 too close",
        ),
    ],
)
def test_two_come_for_one_place(north_touch, want, reason):
    outcome = judged(f"""
        look F0 4H @0
        land south 5H waste F0 983.3-1000 settled=1500
        land north 5H waste F0 {north_touch} settled=1500
    """)

    (verdict,) = outcome.verdicts
    assert said(verdict) == want
    assert verdict.reason == reason
    assert isinstance(verdict.event, ContestedPlay)
    assert len(verdict.evidence) == 2


def test_a_winner_is_named_and_a_tie_names_nobody():
    first = judged(
        "land south AH waste F0 0-10 settled=500\nland north AH waste F0 200-210 settled=500"
    ).verdicts[0]
    tie = judged("land south AH waste F0 0-10 settled=500\nland north AH waste F0 5-15 settled=500").verdicts[
        0
    ]

    assert (first.seat, first.card, first.touch) == (Seat.SOUTH, Card.parse("AH"), Interval(0, 10_000))
    assert (tie.seat, tie.card) == (None, Card.parse("AH"))


def test_made_up_frame_times_call_no_tie():
    outcome = judged(
        "look F0 4H @0\nland south 5H waste F0 983-1000\nland north 5H waste F0 983-1000",
        setup(clock_grade=ClockGrade.C),
    )

    assert [said(verdict) for verdict in outcome.verdicts] == ["TOO_CLOSE E4 keeps south/5H north/5H"]
    assert "the frame times of this source are made up" in outcome.verdicts[0].reason


def test_a_hand_that_was_not_recognised_can_win():
    outcome = judged("""
        look F0 4H @0
        land - 5H - F0 983-1000 settled=1500
        land north 5H waste F0 1183-1200 settled=1500
    """)

    assert outcome.verdicts[0].reason == (
        "a hand that was not recognised touched first with 5H; Ben was 183-217 ms later, so 5H goes back"
    )


def test_one_hand_does_not_race_itself():
    outcome = judged("""
        look F0 4H @0
        land south 5H waste F0 983-1000 settled=1500
        land south 5H W1 F0 990-1010 settled=1500
    """)

    assert outcome.rulings == ["FLAG N48", "LEGAL N26", "ILLEGAL N26"]


def test_a_card_that_may_not_be_played_does_not_race():
    outcome = judged("""
        look F0 4H @0
        land north 5H stock F0 950-960 settled=1500
        land south 5H waste F0 983-1000 settled=1500
    """)

    assert [said(verdict) for verdict in outcome.verdicts] == [
        "ILLEGAL N28 returns north/5H",
        "LEGAL N26 keeps south/5H",
    ]


def test_a_race_on_a_pile_that_was_not_certain_is_undecided():
    outcome = judged("""
        look F0 4H @0
        land south ?? waste F0 500-510
        land south 5H waste F0 983-1000 settled=1500
        land north 5H waste F0 990-1010 settled=1500
    """)

    assert outcome.rulings == ["UNDECIDED N26", "UNDECIDED N26"]
    assert len(outcome.scorecard.unknowns) == 3 + 4


@pytest.mark.parametrize(
    ("north_touch", "want", "points"),
    [
        pytest.param("1183-1200", "FIRST N15 keeps south/5H returns north/5H", (1, 0), id="later: goes back"),
        pytest.param("990-1006", "TIE N16 keeps south/5H north/5H", (1, 1), id="a tie: both keep"),
        pytest.param("700-1200", "TOO_CLOSE E4 keeps south/5H north/5H", (1, 1), id="too close: both keep"),
        pytest.param(
            "883-900", "FIRST N15 keeps north/5H returns south/5H", (0, 1), id="earlier: the point moves"
        ),
        pytest.param(
            "2183-2200", "ILLEGAL N26 returns north/5H", (1, 0), id="N26 long after: no race any more"
        ),
    ],
)
def test_a_rival_that_is_told_after_the_verdict(north_touch, want, points):
    outcome = judged(f"""
        look F0 4H @0
        land south 5H waste F0 983-1000 settled=1050
        look F0 5H @1050
        land north 5H waste F0 {north_touch} settled=2500
    """)

    assert [said(verdict) for verdict in outcome.verdicts] == ["LEGAL N26 keeps south/5H", want]
    assert (outcome.scorecard.total(Seat.SOUTH), outcome.scorecard.total(Seat.NORTH)) == points


def test_a_late_rival_under_the_next_card_still_loses_its_race():
    outcome = judged("""
        look F0 4H @0
        land south 5H waste F0 983-1000 settled=1050
        land south 6H waste F0 1283-1300 settled=1350
        land north 5H waste F0 1183-1200 settled=1600
        land east 7H waste F0 2283-2300
    """)

    assert [said(verdict) for verdict in outcome.verdicts] == [
        "LEGAL N26 keeps south/5H",
        "LEGAL N26 keeps south/6H",
        "FIRST N15 keeps south/5H returns north/5H",
        "LEGAL N26 keeps east/7H",
    ]


def test_a_late_ace_of_another_suit_raced_for_the_place():
    outcome = judged("""
        land south AH waste F0 983-1000 settled=1050
        land north AS waste F0 1183-1200 settled=1600
    """)

    assert outcome.rulings == ["LEGAL N25", "FIRST N15"]


def test_e7_the_verdict_waits_for_the_collection_window():
    referee = Referee(setup())

    assert referee.observe(step("land south AH waste F0 983-1000 settled=1000")) == ()
    assert referee.advance(1_100_000) == ()
    assert [said(verdict) for verdict in referee.advance(1_100_001)] == ["LEGAL N25 keeps south/AH"]
    assert referee.finish() == ()


def test_time_that_runs_back_closes_nothing_and_loses_nothing():
    referee = Referee(setup())

    referee.advance(5_000_000)
    referee.observe(step("land south AH waste F0 983-1000 settled=1000"))

    assert referee.advance(0) == ()
    assert referee.now_us == 5_000_000
    assert [said(verdict) for verdict in referee.finish()] == ["LEGAL N25 keeps south/AH"]
