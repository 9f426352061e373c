"""Appeals and answers: who may ask how often, what an answer changes, and what it leaves as it was."""

from dataclasses import replace

import pytest
from reviewed_matches import HEADER, RACE, ReviewedMatch

from referee.cards import Card
from referee.logs import read_record, verify
from referee.nerts_rules import NertsFace
from referee.observations import CardLanded
from referee.piles import Seat
from referee.proceedings import Standing
from referee.replay import first_difference, replay
from referee.reviews import LONGEST_TEXT, Decision, Fact, ReviewError
from referee.verdicts import Basis, RuleId, Ruling

ANA, BEN = Seat.SOUTH, Seat.NORTH


def refusal(match, review):
    """Why ``review`` is not taken in; nothing may have been written."""
    lines, score = list(match.lines), match.match.referee.scorecard
    with pytest.raises(ReviewError) as caught:
        match.enter(review)
    assert (match.lines, match.match.referee.scorecard) == (lines, score)
    return str(caught.value)


def test_the_match_before_any_appeal():
    match = ReviewedMatch(RACE)

    assert [(v.verdict_id, str(v.ruling)) for v in match.verdicts] == [
        ("v1", "FIRST"),
        ("v2", "LEGAL"),
        ("v3", "ILLEGAL"),
    ]
    assert set(match.standings.values()) == {"standing"}
    assert (match.points(ANA), match.points(BEN)) == (1, 1)


def test_an_appeal_changes_nothing_but_how_the_verdict_stands():
    match = ReviewedMatch(RACE)

    assert match.enter(match.appeal("v1", BEN)) == ()

    assert match.standings == {"v1": "under appeal", "v2": "standing", "v3": "standing"}
    assert match.rulings["v1"].appeal.grounds == "look again"
    assert (match.points(ANA), match.points(BEN)) == (1, 1)


def test_an_appeal_that_is_upheld_moves_the_point_and_is_kept():
    match = ReviewedMatch(RACE)
    match.enter(match.appeal("v1", BEN))

    (answer,) = match.enter(match.ruled("v1", Ruling.FIRST, 1, appeal_id="a1", reason="Ben was there first"))

    assert (answer.verdict_id, answer.ruling, answer.rule) == ("v4", Ruling.FIRST, RuleId.N15)
    assert (answer.kept, answer.returned, answer.seat, answer.basis) == ((1,), (0,), BEN, Basis.REVIEW)
    assert answer.reason == "Rita looked again: Ben was there first"
    assert match.verdicts[0].kept == (0,), "the verdict that was given stays as it was"
    assert match.standings == {
        "v1": "overturned by r1",
        "v2": "standing",
        "v3": "standing",
        "v4": "standing",
    }
    assert match.rulings["v1"].now == ("v4",)
    assert (match.points(ANA), match.points(BEN)) == (0, 2)
    assert match.match.proceedings.appeals_left(BEN) == 3


def test_an_appeal_in_vain_costs_one():
    match = ReviewedMatch(RACE)
    match.enter(match.appeal("v1", BEN))

    assert match.enter(match.stands("v1", "a1")) == ()

    assert match.standings["v1"] == "confirmed by r1"
    assert [match.match.proceedings.appeals_left(seat) for seat in (ANA, BEN)] == [3, 2]
    assert (match.points(ANA), match.points(BEN)) == (1, 1)


def test_an_appeal_counts_while_it_is_open():
    match = ReviewedMatch(RACE, HEADER + "rules appeals=1\n")
    match.enter(match.appeal("v1", BEN))

    assert refusal(match, match.appeal("v3", BEN)) == "Ben has no appeal left (house rule: appeals = 1)"
    assert match.enter(match.appeal("v3", ANA)) == ()


def test_no_appeals_where_the_house_has_none():
    match = ReviewedMatch(RACE, HEADER + "rules appeals=0\n")

    assert refusal(match, match.appeal("v1")) == "Ben has no appeal left (house rule: appeals = 0)"
    assert match.enter(match.stands("v1")) == (), "a person may look unasked"


@pytest.mark.parametrize(
    ("seat", "verdict_id", "why"),
    [
        pytest.param(Seat.EAST, "v1", "nobody sits at east (seats: south, north)", id="no player"),
        pytest.param(BEN, "v9", "there is no verdict 'v9' yet (the last is v3)", id="no verdict"),
        pytest.param(
            BEN, "v01", "there is no verdict 'v01' yet (the last is v3)", id="another way to write it"
        ),
        pytest.param(BEN, "", "there is no verdict '' yet (the last is v3)", id="nothing named"),
    ],
)
def test_appeals_that_cannot_be(seat, verdict_id, why):
    match = ReviewedMatch(RACE)

    assert refusal(match, match.appeal(verdict_id, seat)) == why


def test_there_is_one_appeal_at_a_time_against_a_verdict():
    match = ReviewedMatch(RACE)
    match.enter(match.appeal("v1", BEN))

    assert refusal(match, match.appeal("v1", ANA)) == "v1 is under appeal already (a1)"


@pytest.mark.parametrize("answer", ["stands", "ruled"])
def test_there_is_one_review_for_each_act(answer):
    match = ReviewedMatch(RACE)
    match.enter(match.stands("v1") if answer == "stands" else match.ruled("v1", Ruling.FIRST, 1))

    once_more = f"v1: there is one review for each act, and this had {'r1'}"
    assert refusal(match, match.appeal("v1")) == once_more
    assert refusal(match, match.stands("v1")) == once_more
    if answer == "ruled":
        assert refusal(match, match.appeal("v4", ANA)) == once_more.replace("v1", "v4")
    assert match.enter(match.appeal("v3")) == (), "another act is another review"


def test_an_answer_to_an_appeal_names_it():
    match = ReviewedMatch(RACE)
    match.enter(match.appeal("v1"))

    assert refusal(match, match.stands("v1")) == "v1 is under appeal: the answer names a1"
    assert refusal(match, match.stands("v3", "a1")) == "no open appeal 'a1' against v3"
    assert refusal(match, match.stands("v1", "a7")) == "no open appeal 'a7' against v1"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param(
            {"reason": " "}, "reason: a person who answers says who and why; want a text", id="no reason"
        ),
        pytest.param(
            {"reviewer": ""}, "reviewer: a person who answers says who and why; want a text", id="no reviewer"
        ),
        pytest.param({"reason": "x" * 3000}, f"reason: want at most {LONGEST_TEXT} characters", id="a book"),
        pytest.param(
            {"ruling": None, "kept": ()},
            "decision: say what holds instead, by a ruling or by facts",
            id="overturned by nothing",
        ),
        pytest.param(
            {"ruling": None}, "decision: say what holds instead, by a ruling or by facts", id="cards only"
        ),
        pytest.param(
            {"decision": Decision.STANDS},
            "decision: a verdict that stands is not answered by another ruling or other facts",
            id="stands and does not",
        ),
        pytest.param(
            {"kept": (1, 0)}, "kept: want positions in order, each once, got [1, 0]", id="out of order"
        ),
        pytest.param({"kept": (2,)}, "kept: want positions below 2, got [2]", id="no such play"),
        pytest.param({"kept": (0,)}, "v1 would be ruled just the same by this", id="nothing changes"),
        pytest.param({"verdict_id": "v8"}, "there is no verdict 'v8' yet (the last is v3)", id="no verdict"),
        pytest.param(
            {"facts": (Fact(entry=None, observation=None),)},
            "facts: want an entry, an observation, or both",
            id="an empty fact",
        ),
        pytest.param(
            {"facts": (Fact(entry=2, observation=None), Fact(entry=2, observation=None))},
            "facts: an entry is named twice",
            id="two facts of one entry",
        ),
        pytest.param(
            {"facts": (Fact(entry=99, observation=None),)}, "facts: entry 99 is no observation", id="no entry"
        ),
    ],
)
def test_answers_that_cannot_be(changes, why):
    match = ReviewedMatch(RACE)

    assert refusal(match, replace(match.ruled("v1", Ruling.FIRST, 1), **changes)) == why


def test_a_name_is_used_once():
    match = ReviewedMatch(RACE)
    match.enter(match.stands("v1"))

    assert refusal(match, replace(match.stands("v3"), resolution_id="r1")) == "r1 was entered already"


def test_a_fact_stays_of_its_kind_and_of_this_match():
    match = ReviewedMatch(RACE)
    (fact,) = match.match.proceedings.correction("v3", card=Card.parse("7H"))
    look = replace(fact, entry=1)

    assert refusal(match, match.seen("v3", look)) == "facts: entry 1 is a PileLaid, and stays one"
    foreign = replace(fact, observation=replace(fact.observation, seat=Seat.EAST))
    with pytest.raises(ValueError, match="nobody sits at east"):
        match.enter(match.seen("v3", foreign))


def test_it_was_another_card_and_all_that_follows_is_ruled_again():
    match = ReviewedMatch(RACE + "land Ben 9H waste F1 5033.3..5050\n")
    assert [str(v.ruling) for v in match.verdicts] == ["FIRST", "LEGAL", "ILLEGAL", "ILLEGAL"]

    given = match.enter(match.it_was("v2", card="9S"))

    assert [(v.verdict_id, v.ruling, str(v.card)) for v in given] == [
        ("v5", Ruling.ILLEGAL, "9S"),
        ("v6", Ruling.ILLEGAL, "8C"),
        ("v7", Ruling.ILLEGAL, "9H"),
    ], "the last two have another reason: 6H is next"
    assert match.standings["v2"] == "overturned by r1"
    assert match.points(BEN) == 0


def test_what_follows_from_a_card_follows_from_its_correction():
    match = ReviewedMatch(RACE + "land Ben 8H waste F1 5033.3..5050\n")
    given = match.enter(match.it_was("v3", card="7H"))

    assert [(v.ruling, str(v.card), v.seat) for v in given] == [
        (Ruling.LEGAL, "7H", ANA),
        (Ruling.LEGAL, "8H", BEN),
    ]
    assert (match.points(ANA), match.points(BEN)) == (2, 2)


def test_the_lift_and_the_looks_are_put_right_with_the_card():
    match = ReviewedMatch("""
        F1: ... 4H
        look south/waste 8C 100
        lift Ana 8C south/waste 900..916.7
        land Ana 8C south/waste F1 983.3..1000
        look F1 8C 1500
        look F1 8C 1900
        land Ben 6H waste F1 3033.3..3050
        look F1 6H 3500
    """)

    facts = match.match.proceedings.correction("v1", card=Card.parse("5H"))

    assert [fact.entry for fact in facts] == [2, 3, 4, 6, 7], "entry 5 is the verdict"
    match.enter(match.seen("v1", *facts))
    holding = [r.verdict for r in match.rulings.values() if r.standing is Standing.STANDING]
    assert [(v.ruling, str(v.card)) for v in holding] == [(Ruling.LEGAL, "5H"), (Ruling.LEGAL, "6H")]


def test_it_was_anas():
    match = ReviewedMatch("land - AH - F1 983.3..1000\n")
    assert [unknown.rule for unknown in match.match.referee.scorecard.unknowns][:1] == [RuleId.N39]

    (given,) = match.enter(match.it_was("v1", seat=ANA))

    assert (given.seat, match.points(ANA)) == (ANA, 1)
    assert all(unknown.rule is not RuleId.N39 for unknown in match.match.referee.scorecard.unknowns)


def test_it_was_bens_though_it_came_from_anas_layout():
    match = ReviewedMatch("land Ana AH waste F1 983.3..1000\n")

    match.enter(match.it_was("v1", seat=BEN))

    assert (match.points(ANA), match.points(BEN)) == (0, 1)


def test_a_correction_is_about_a_card_that_landed():
    match = ReviewedMatch("look F1 KS 0\nlook F1 empty 500\n")

    with pytest.raises(ReviewError, match="v1 is about no play number 0"):
        match.match.proceedings.correction("v1", card=Card.parse("5H"))


def test_what_was_missed_can_be_told():
    match = ReviewedMatch("""
        F1: ... 4H
        land Ben 6H waste F1 3033.3..3050
    """)
    assert [v.ruling for v in match.verdicts] == [Ruling.ILLEGAL]
    landed = ReviewedMatch("land Ana 5H waste F1 1983.3..2000\n").match
    seen = next(iter(landed.proceedings._shelf)).observation
    assert isinstance(seen, CardLanded)

    given = match.enter(match.seen("v1", Fact(entry=None, observation=seen)))

    assert [(v.ruling, str(v.card)) for v in given] == [(Ruling.LEGAL, "5H"), (Ruling.LEGAL, "6H")]
    assert (match.points(ANA), match.points(BEN)) == (1, 1)


def test_what_did_not_happen_can_be_struck_out():
    match = ReviewedMatch(RACE)

    given = match.enter(match.seen("v1", Fact(entry=3, observation=None)))

    assert [(v.ruling, v.seat) for v in given] == [(Ruling.LEGAL, ANA)]
    assert (match.points(ANA), match.points(BEN)) == (1, 1)
    log = read_record(match.finished())
    assert log.reviews[0].facts == (Fact(entry=3, observation=None),)
    assert first_difference(log, replay(log)) is None


def test_a_card_that_is_let_stand_on_a_work_pile_does_not_count():
    match = ReviewedMatch("""
        F1: ... 7D
        Ana/W1: 9H
        land Ana 8D waste W1 983.3..1000
        land Ben 8D waste F1 3033.3..3050
    """)
    assert [(v.ruling, v.rule) for v in match.verdicts] == [
        (Ruling.ILLEGAL, RuleId.N18),
        (Ruling.LEGAL, RuleId.N26),
    ]

    given = match.enter(match.ruled("v1", Ruling.LEGAL, 0, reason="nobody minded"))

    assert [(v.ruling, v.kept) for v in given] == [(Ruling.LEGAL, (0,))], "nothing else changes"
    assert (match.points(ANA), match.points(BEN)) == (0, 1)


def test_a_card_that_is_let_stand_counts_and_is_built_on():
    match = ReviewedMatch("""
        F1: ... 4H
        land Ana 6H waste F1 983.3..1000
        land Ben 7H waste F1 3033.3..3050
    """)
    assert [v.ruling for v in match.verdicts] == [Ruling.ILLEGAL, Ruling.ILLEGAL]

    given = match.enter(match.ruled("v1", Ruling.LEGAL, 0, reason="a 5H lay between"))

    assert [(v.ruling, str(v.card)) for v in given] == [(Ruling.LEGAL, "6H"), (Ruling.LEGAL, "7H")]
    assert (match.points(ANA), match.points(BEN)) == (1, 1)


def test_a_card_that_is_refused_neither_counts_nor_is_built_on():
    match = ReviewedMatch("""
        F1: ... 4H
        land Ana 5H waste F1 983.3..1000
        look F1 5H 1500
        land Ben 6H waste F1 3033.3..3050
        land Ben 5H waste F1 5033.3..5050
    """)
    assert [v.ruling for v in match.verdicts] == [Ruling.LEGAL, Ruling.LEGAL, Ruling.ILLEGAL]

    match.enter(match.ruled("v1", Ruling.ILLEGAL, reason="both hands"))

    held = [r.verdict for r in match.rulings.values() if r.standing is Standing.STANDING]
    in_time = sorted(held, key=lambda verdict: verdict.touch.start_us)
    assert [(str(v.ruling), str(v.card)) for v in in_time] == [
        ("ILLEGAL", "5H"),
        ("ILLEGAL", "6H"),
        ("LEGAL", "5H"),
    ]
    assert (match.points(ANA), match.points(BEN)) == (0, 1)


def test_a_tie_is_given_to_one_and_an_order_to_both():
    tie = """
        F1: ... 4H
        land Ana 5H waste F1 983.3..1000
        land Ben 5H waste F1 990..1006.7
    """
    match = ReviewedMatch(tie)
    assert (match.verdicts[0].ruling, match.points(ANA), match.points(BEN)) == (Ruling.TIE, 1, 1)

    match.enter(match.ruled("v1", Ruling.FIRST, 1))
    assert (match.points(ANA), match.points(BEN)) == (0, 1)

    match = ReviewedMatch(RACE)
    match.enter(match.ruled("v1", Ruling.TIE, 0, 1))
    assert (match.points(ANA), match.points(BEN)) == (1, 2)
    assert [v.ruling for v in match.verdicts[3:]] == [Ruling.TIE], "nothing else changes"


def test_an_answer_while_the_match_goes_on():
    match = ReviewedMatch(RACE)
    match.enter(match.it_was("v3", card="7H"))
    later = ReviewedMatch("land Ben 8H waste F1 70033.3..70050\n").match.proceedings

    told = next(iter(later._shelf)).observation
    match.take(match.match.observe(told))
    given = match.take(match.match.advance(80_000_000))

    assert [(v.verdict_id, v.ruling, str(v.card)) for v in given] == [("v5", Ruling.LEGAL, "8H")]
    log = read_record(match.finished())
    assert first_difference(log, replay(log)) is None


def test_the_record_holds_it_all_and_replays():
    match = ReviewedMatch(RACE)
    match.enter(match.appeal("v1", BEN))
    match.enter(match.ruled("v1", Ruling.FIRST, 1, appeal_id="a1"))
    match.enter(match.it_was("v3", card="7H"))
    lines = match.finished()

    log = read_record(lines)
    again = replay(log)

    kinds = [(e.seq, e.kind, e.origin.value, e.caused_by) for e in log.entries[-6:]]
    assert kinds == [
        (9, "appeal", "person", (4,)),
        (10, "resolution", "person", (4, 9)),
        (11, "verdict", "referee", (2, 3, 10)),
        (12, "resolution", "person", (8,)),
        (13, "verdict", "referee", (7, 12)),
        (14, "end", "program", ()),
    ]
    assert str(verify(lines)) == "whole up to entry 14, closed"
    assert [type(review).__name__ for review in log.reviews] == ["Appeal", "Resolution", "Resolution"]
    assert first_difference(log, again) is None
    assert (again.scorecard, again.rulings) == (
        match.match.referee.scorecard,
        match.match.proceedings.rulings,
    )


def test_reviews_may_follow_the_end_of_a_match():
    match = ReviewedMatch(RACE)
    match.finished()

    given = match.enter(match.ruled("v1", Ruling.FIRST, 1))

    assert [v.verdict_id for v in given] == ["v4"]
    log = read_record(match.lines)
    assert log.is_ended
    assert first_difference(log, replay(log)) is None
    assert replay(log).scorecard.total(BEN) == 2


def test_under_other_rules_a_review_is_of_the_same_act_or_said_to_be_of_none():
    match = ReviewedMatch(RACE)
    match.enter(match.appeal("v3", ANA))
    match.enter(match.ruled("v3", Ruling.LEGAL, 0, appeal_id="a1"))
    match.enter(match.appeal("v1", BEN))
    log = read_record(match.finished())
    late = replace(match.setup, timing=replace(match.setup.timing, race_us=100))

    what_if = replay(log, setup=late)

    held = [r.verdict for r in what_if.rulings if r.standing is not Standing.OVERTURNED]
    assert (Ruling.LEGAL, "8C") in [(v.ruling, str(v.card)) for v in held]
    assert what_if.skipped == ()
    none = replay(log, setup=replace(match.setup, rules=replace(match.setup.rules, appeals=0)))
    assert [line[:16] for line in none.skipped] == [
        "entry 9, appeal:",
        "entry 10, resolu",
        "entry 12, appeal",
    ]


def test_under_other_rules_what_was_taken_back_stays_so():
    match = ReviewedMatch(RACE)
    match.enter(match.taking_back(2))
    log = read_record(match.finished())

    what_if = replay(log, setup=replace(match.setup, rules=replace(match.setup.rules, nerts_penalty=1)))

    assert what_if.skipped == ()
    assert (what_if.scorecard.total(ANA), what_if.scorecard.total(BEN)) == (0, 2)
    assert what_if.rulings[0].standing is Standing.OVERTURNED


def test_under_rules_that_say_nothing_of_an_act_its_appeal_is_left_out():
    match = ReviewedMatch("Ana/nerts: 12 down 7S\npeek Ana nerts 2000\n")
    match.enter(match.appeal("v1", ANA))
    log = read_record(match.finished())

    rules = replace(match.setup.rules, nerts_pile_face=NertsFace.ALL_UP)
    what_if = replay(log, setup=replace(match.setup, rules=rules))

    assert what_if.verdicts == ()
    assert what_if.skipped == ("entry 4, appeal: nothing is ruled on what v1 was about",)
