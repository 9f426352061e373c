"""Rules N25 to N29 and N12: what may go on a foundation, from where, by whom."""

from dataclasses import replace

import pytest
from typed_match import judged, said, setup, step, steps

from referee.cards import FACES, Card
from referee.nerts.checks import breaks_order, follow_ups
from referee.nerts_rules import FoundationsRule, NertsRules
from referee.piles import PileId, Seat
from referee.verdicts import RuleId, Ruling


@pytest.mark.parametrize(
    ("top", "played", "want", "reason"),
    [
        pytest.param("empty", "AH", "LEGAL N25", "AH opens a foundation", id="N25 an ace opens one"),
        pytest.param(
            "empty",
            "2H",
            "ILLEGAL N25",
            "2H may not open a foundation: only an ace does",
            id="N25 nothing else does",
        ),
        pytest.param("AH", "2H", "LEGAL N26", "2H goes on AH", id="N26 the next rank of the suit"),
        pytest.param(
            "AH",
            "2D",
            "ILLEGAL N26",
            "2D may not go on AH: a foundation goes up in one suit",
            id="N26 not another suit",
        ),
        pytest.param(
            "4H",
            "6H",
            "ILLEGAL N26",
            "6H may not go on 4H: 5H is next, one rank up",
            id="N26 not a later rank",
        ),
        pytest.param(
            "4H",
            "AS",
            "ILLEGAL N25",
            "AS may not go on 4H: an ace opens a foundation of its own",
            id="N25 an ace goes on nothing",
        ),
        pytest.param(
            "QS",
            "KS",
            "LEGAL N27",
            "KS goes on QS and completes the pile, which is set aside",
            id="N27 the king completes it",
        ),
        pytest.param(
            "KS",
            "2S",
            "ILLEGAL N27",
            "2S may not go on KS: the king completes the pile",
            id="N27 nothing goes on the king",
        ),
    ],
)
def test_what_goes_on_what(top, played, want, reason):
    outcome = judged(f"look F0 {top} @0\nland south {played} waste F0 983-1000 evidence=table.mp4@983,1000")

    (verdict,) = outcome.verdicts
    assert f"{verdict.ruling} {verdict.rule}" == want
    assert verdict.reason == reason
    assert (verdict.seat, verdict.card) == (Seat.SOUTH, Card.parse(played))
    assert verdict.touch is not None
    assert (verdict.touch.start_us, verdict.touch.end_us) == (983_000, 1_000_000)
    assert verdict.evidence[0].frames_us == (983_000, 1_000_000)


@pytest.mark.parametrize("base", [None, *FACES], ids=str)
def test_n26_at_most_one_card_follows_each_and_only_it(base):
    legal = {card for card in FACES if breaks_order(card, base) is None}

    assert legal == set(follow_ups(base))
    assert len(legal) == (4 if base is None else 0 if base.rank == 13 else 1)


@pytest.mark.parametrize(
    ("source", "want"),
    [
        pytest.param("nerts", "LEGAL N26 keeps south/5H", id="the Nerts card"),
        pytest.param("W3", "LEGAL N26 keeps south/5H", id="a work pile"),
        pytest.param("waste", "LEGAL N26 keeps south/5H", id="the waste"),
        pytest.param("-", "LEGAL N26 keeps south/5H", id="a source that was not seen is not held against it"),
        pytest.param("stock", "ILLEGAL N28 returns south/5H", id="not the stock"),
        pytest.param("F3", "ILLEGAL N28 returns south/5H", id="not another foundation"),
        pytest.param("table/aside", "ILLEGAL N28 returns south/5H", id="not the piles set aside"),
        pytest.param("north/waste", "ILLEGAL N12 returns south/5H", id="N12 not another player's waste"),
    ],
)
def test_n28_where_a_card_may_come_from(source, want):
    outcome = judged(f"look F0 4H @0\nland south 5H {source} F0 983-1000")

    assert [said(verdict) for verdict in outcome.verdicts] == [want]


def test_n28_an_unseen_source_and_an_unseen_hand_are_said():
    (verdict,) = judged("look F0 4H @0\nland - 5H - F0 983-1000").verdicts

    assert verdict.reason == ("5H goes on 4H; where it came from was not seen; whose card it is was not seen")


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        pytest.param("look south/waste 5H @0", "LEGAL N26", id="it lay on top"),
        pytest.param(
            "look south/waste down @0", "LEGAL N26", id="the top was face down: not held against it"
        ),
        pytest.param("look south/waste 9C @0", "ILLEGAL N28", id="another card lay on top"),
        pytest.param(
            "look south/waste 9C @1500", "LEGAL N26", id="what lies there afterwards does not matter"
        ),
        pytest.param(
            "look south/waste 5H @0\nlook south/waste 9C @600",
            "LEGAL N26",
            id="it was on the way when the card under it was seen",
        ),
        pytest.param(
            "look south/waste 5H @0\nlook south/waste 9C @600\nlift south ?? south/waste 900-917",
            "ILLEGAL N28",
            id="it had been covered before something left from there",
        ),
        pytest.param(
            "look south/waste 9C @0\nlift south 5H south/waste 900-917",
            "LEGAL N26",
            id="it was seen to leave from there",
        ),
        pytest.param(
            "look south/waste 9C @0\nlift south ?? south/waste 900-917",
            "ILLEGAL N28",
            id="something left from there, but another card lay on top",
        ),
    ],
)
def test_n28_only_an_exposed_card(lines, want):
    outcome = judged(f"look F0 4H @0\n{lines}\nland south 5H waste F0 983-1000")

    assert outcome.rulings == [want]


def test_n28_a_card_uncovered_by_the_play_before_is_exposed():
    outcome = judged("""
        look F0 4H @0
        look F1 7C @0
        look south/tableau[1] 8C @0
        land south 8C W1 F1 983-1000
        land south 5H W1 F0 1983-2000
    """)

    assert outcome.rulings == ["LEGAL N26", "LEGAL N26"]


def test_n29_any_player_adds_to_any_foundation():
    outcome = judged("""
        land south AH waste F0 983-1000
        land north 2H waste F0 1983-2000
        land east 3H waste F0 2983-3000
        land west 4H waste F0 3983-4000
    """)

    assert [verdict.ruling for verdict in outcome.verdicts] == [Ruling.LEGAL] * 4
    assert [points for _, points in outcome.scorecard.totals] == [1, 1, 1, 1]


def test_n12_a_hand_that_is_not_sure_is_not_told_off():
    unsure = replace(step("land south 5H north/waste F0 983-1000"), seat_confidence=0.6)

    outcome = judged([step("look F0 4H @0"), unsure])

    assert [said(verdict) for verdict in outcome.verdicts] == ["LEGAL N26 keeps south/5H"]
    assert outcome.scorecard.total(Seat.NORTH) == 1


@pytest.mark.parametrize(
    ("line", "want"),
    [
        pytest.param(
            "land south 8C W1 W2 983-1000",
            ["UNDECIDED N18"],
            id="within the own layout, onto what was not read",
        ),
        pytest.param(
            "land - 8C - north/tableau[2] 983-1000", ["UNDECIDED N18"], id="a hand that was not seen"
        ),
        pytest.param("land south 8C W1 north/waste 983-1000", ["ILLEGAL N12"], id="to another layout"),
        pytest.param("land south 8C north/waste W1 983-1000", ["ILLEGAL N12"], id="from another layout"),
        pytest.param("land south 4H F0 W1 983-1000", ["ILLEGAL N12"], id="back from the common area"),
    ],
)
def test_n12_layouts(line, want):
    assert judged(f"look F0 4H @0\n{line}").rulings == want


def test_n12_an_illegal_card_may_be_taken_back_once():
    outcome = judged("""
        look F0 4H @0
        land south 9D W1 F0 983-1000
        land south 9D F0 W1 1983-2000
        land south 9D F0 W1 2983-3000
    """)

    assert outcome.rulings == ["ILLEGAL N26", "LEGAL N12", "ILLEGAL N12"]
    assert outcome.verdicts[2].reason == "9D may not come back from table/foundation[0]: it was rightly there"


def test_a_face_that_cannot_be_read_is_undecided_and_does_not_stop_the_pile():
    outcome = judged("""
        look F0 4H @0
        land south ?? waste F0 983-1000
        look F0 5H @1100
        land north 6H waste F0 1983-2000
    """)

    assert outcome.rulings == ["UNDECIDED N26", "LEGAL N26"]
    assert outcome.verdicts[0].reason == "a card came to table/foundation[0], but its face could not be read"
    assert [unknown.rule for unknown in outcome.scorecard.unknowns if unknown.pile.seat is None] == [
        RuleId.N39
    ]


@pytest.mark.parametrize(
    ("next_card", "want", "reason"),
    [
        pytest.param(
            "6H",
            "UNDECIDED N26",
            "6H came to table/foundation[0], but which card lay on top was not certain",
            id="6H",
        ),
        pytest.param(
            "9C",
            "UNDECIDED N26",
            "9C may not go on 4H; but which card lay on top was not certain",
            id="9C",
        ),
    ],
)
def test_after_an_unread_card_the_next_is_undecided_too(next_card, want, reason):
    outcome = judged(f"""
        look F0 4H @0
        land south ?? waste F0 983-1000
        land north {next_card} waste F0 1983-2000
    """)

    assert outcome.rulings[1] == want
    assert outcome.verdicts[1].reason == reason


def test_after_two_undecided_cards_the_pile_goes_on_from_what_is_seen():
    outcome = judged("""
        look F0 4H @0
        land south ?? waste F0 983-1000
        land north 6H waste F0 1983-2000
        land north 7H waste F0 2983-3000
    """)

    assert outcome.rulings == ["UNDECIDED N26", "UNDECIDED N26", "LEGAL N26"]


def test_a_card_on_a_pile_that_was_never_read_is_undecided():
    outcome = judged("""
        look F0 down @0
        land south ?? waste F0 783-800
        land south 5H waste F0 983-1000
        land south 6H waste F0 1983-2000
    """)

    assert outcome.rulings == ["UNDECIDED N26", "UNDECIDED N26", "LEGAL N26"]
    assert outcome.verdicts[1].reason == "5H came to table/foundation[0], but what lay there was not read"


@pytest.mark.parametrize(
    ("looks", "want"),
    [
        pytest.param("look F0 5H @1500", "LEGAL N26", id="the card that was expected"),
        pytest.param("look F0 ?? @1500", "LEGAL N26", id="an unread look changes nothing"),
        pytest.param("look F0 JK @1500", "LEGAL N26", id="a joker's face says nothing"),
        pytest.param("look F0 9C @1500", "UNDECIDED N26", id="another card: a play was missed or misread"),
        pytest.param("look F0 9C @1500\nlook F0 5H @1800", "LEGAL N26", id="the doubt is settled again"),
        pytest.param("look F0 4H @500", "LEGAL N26", id="an old look that is told late"),
    ],
)
def test_looks_at_a_foundation(looks, want):
    outcome = judged(f"""
        look F0 4H @0
        land south 5H waste F0 983-1000
        {looks}
        land north 6H waste F0 2983-3000
    """)

    assert outcome.rulings[-1] == want


def test_a_first_look_is_believed():
    assert judged("look F0 QH @0\nland south KH waste F0 983-1000").rulings == ["LEGAL N27"]
    assert judged("look F0 JK @0\nland south KH waste F0 983-1000").rulings == ["UNDECIDED N26"]


def test_a_pile_that_was_not_read_is_read_by_the_next_look():
    outcome = judged("look F0 down @0\nlook F0 4H @500\nland south 5H waste F0 983-1000")

    assert outcome.rulings == ["LEGAL N26"]


def test_a_look_at_two_tied_aces_settles_nothing():
    outcome = judged("""
        land south AH waste F0 983-1000
        land north AS waste F0 983-1000
        look F0 AS @1100
        land south 2H waste F0 1983-2000
    """)

    assert outcome.rulings == ["TIE N16", "LEGAL N26"]
    assert outcome.verdicts[0].card is None


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        pytest.param("look F0 KS @0\nlook F0 empty @1000", ["LEGAL N27"], id="a complete pile is set aside"),
        pytest.param("look F0 5S @0\nlook F0 empty @1000", ["ILLEGAL N27"], id="an open one is not"),
        pytest.param("look F0 down @0\nlook F0 empty @1000", [], id="nobody knows what lay there"),
        pytest.param("look F0 empty @0\nlook F0 empty @1000", [], id="it was bare before"),
        pytest.param(
            "look F0 5S @0\nlook F0 empty @1000\nlook F0 empty @2000", ["ILLEGAL N27"], id="told once"
        ),
        pytest.param(
            "look F0 5S @0\nlook F0 empty @1000\nlook F0 5S @2000\nland south 6S waste F0 3000-3010",
            ["ILLEGAL N27", "LEGAL N26"],
            id="it is back",
        ),
        pytest.param(
            "look F0 KS @0\nlook F0 empty @1000\nland south AH waste F0 2000-2010",
            ["LEGAL N27", "LEGAL N25"],
            id="its place is free for an ace",
        ),
    ],
)
def test_n27_piles_that_go(lines, want):
    outcome = judged(lines)

    assert outcome.rulings == want
    assert all(verdict.event.plays == () for verdict in outcome.verdicts if verdict.rule is RuleId.N27)


def test_n27_an_uncertain_pile_that_goes_is_named_without_its_card():
    outcome = judged("""
        look F0 4H @0
        land south ?? waste F0 983-1000
        look F0 empty @2000
    """)

    assert outcome.verdicts[1].card is None
    assert "a card was on top" in outcome.verdicts[1].reason


@pytest.mark.parametrize(
    ("other", "want"),
    [
        pytest.param("4H", "ILLEGAL N25", id="its suit is open"),
        pytest.param("4S", "LEGAL N25", id="another suit is open"),
        pytest.param("KH", "LEGAL N25", id="its suit is complete"),
        pytest.param("empty", "LEGAL N25", id="no other pile"),
    ],
)
def test_n25_house_rule_one_foundation_of_a_suit(other, want):
    match = setup(rules=NertsRules(foundations=FoundationsRule.ONE_PER_SUIT))

    outcome = judged(f"look F1 {other} @0\nland south AH waste F0 983-1000", match)

    assert outcome.rulings == [want]


def test_n25_the_house_rule_asks_aces_only():
    match = setup(rules=NertsRules(foundations=FoundationsRule.ONE_PER_SUIT))

    outcome = judged("look F1 4H @0\nlook F0 8H @0\nland south 9H waste F0 983-1000", match)

    assert outcome.rulings == ["LEGAL N26"]


def test_a_card_put_down_surely_before_the_one_it_needs_is_illegal():
    outcome = judged("""
        look F0 4H @0
        land south 5H waste F0 1983-2000
        land north 6H waste F0 983-1000 settled=2500
    """)

    assert [said(verdict) for verdict in outcome.verdicts] == [
        "LEGAL N26 keeps south/5H",
        "ILLEGAL N26 returns north/6H",
    ]
    assert outcome.verdicts[1].reason == "6H was put down before 5H was there"


def test_the_same_landing_told_twice_is_one_play():
    line = "land south 5H waste F0 983-1000"

    outcome = judged(f"look F0 4H @0\n{line}\n{line}")

    assert outcome.rulings == ["LEGAL N26"]
    assert outcome.scorecard.total(Seat.SOUTH) == 1


def test_a_hand_that_passes_or_hides_a_pile_is_no_event():
    outcome = judged("look F0 4H @0\ntouch north F0 500-900\nlost F0 900-1400\nlook F0 4H @1500")

    assert outcome.verdicts == ()


def test_verdicts_are_numbered_by_the_referee_that_gives_them():
    lines = "land south AH waste F0 983-1000\nland south 2H waste F0 1983-2000"

    assert [verdict.verdict_id for verdict in judged(lines).verdicts] == ["v1", "v2"]
    assert [verdict.verdict_id for verdict in judged(lines).verdicts] == ["v1", "v2"]


def test_the_table_says_what_lies_where():
    outcome = judged("""
        look south/waste AH @0
        land south AH waste F0 983-1000
        land south 2D waste F0 1983-2000
        land south 7C W0 W1 2983-3000
    """)

    table = outcome.referee.table
    (foundation,) = table.foundations
    assert (foundation.top, [str(play.card) for play in foundation.to_return]) == (Card.parse("AH"), ["2D"])
    tops = {str(state.pile): state.view.top for state in table.piles if state.view is not None}
    assert tops["south/tableau[1]"] == Card.parse("7C")
    assert tops["south/waste"] is None
    assert outcome.referee.now_us == steps("land south 7C W0 W1 2983-3000")[0].settled_us


def test_a_pile_not_seen_yet_has_no_view():
    referee = judged("count south/reserve 3 @0").referee

    (state,) = referee.table.piles
    assert (state.pile, state.view, state.counted) == (PileId.parse("south/reserve"), None, 3)
