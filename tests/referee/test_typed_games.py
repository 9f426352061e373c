"""Games and cases as text: what is read, what is refused with which words, what a case says of the answer."""

import pytest

from referee.cards import Card
from referee.cases import differences, parse_cases, play
from referee.clock import ClockGrade, Interval
from referee.notation import NotationError, Wait, parse_game, print_game, read_steps
from referee.notation_words import Names
from referee.piles import PileId, Seat
from referee.setup import Game

HEADER = "game nerts\nplayer south Ana\nplayer north Ben\n"


def test_a_game_as_it_is_typed():
    game = parse_game("""
        game nerts
        match friday            # a name
        player south "Ana Maria" back=blue
        player north Ben nerts=11
        player east Cy partner=south
        rules teams=true nerts_penalty=1
        camera 50 fps grade=B
        timing guard=5 w_max=-
        surely 0.9
        legible 0.7
        hears true
        piles F1 south/W1 Ben/nerts

        F1: ... 4H   # the heart pile
        land Ben 5H nerts F1 983.3-1000
        wait 5000
    """)

    setup = game.setup
    assert (setup.game, setup.match_id, setup.frame_period_us) == (Game.NERTS, "friday", 20_000)
    assert [item.player for item in setup.seats] == ["Ana Maria", "Ben", "Cy"]
    assert (setup.seats[0].back, setup.seats[2].partner_of) == ("blue", Seat.SOUTH)
    assert [item.nerts_pile for item in setup.seats] == [None, 11, None]
    assert (setup.timing.guard_us, setup.timing.w_max_us, setup.clock_grade) == (5000, None, ClockGrade.B)
    assert (setup.seat_confidence_min, setup.face_confidence_min, setup.hears) == (0.9, 0.7, True)
    assert [str(pile) for pile in setup.piles] == [
        "table/foundation[1]",
        "south/tableau[1]",
        "north/reserve",
    ]
    laid, landed = game.observations
    assert (laid.below_known, laid.cards[0].card) == (False, Card.parse("4H"))
    assert (landed.touch, landed.source) == (Interval(983_300, 1_000_000), PileId.parse("north/reserve"))
    assert game.steps[-1] == Wait(5_000_000)


def test_a_text_in_quotes_may_hold_a_hash():
    game = parse_game(HEADER + 'lost F1 900..1400 cause="sleeve # 2"')

    assert game.observations[0].cause == "sleeve # 2"


def test_a_frame_may_be_told_by_its_time():
    assert parse_game("camera frame=16.667\n").setup.frame_period_us == 16_667


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        pytest.param(
            "game chess", "game: want one of nerts, spit, speed, california_speed, got 'chess'", id="game"
        ),
        pytest.param("game", "want game NAME", id="no game"),
        pytest.param("player moon Ana", "player: want player SEAT NAME, SEAT one of ", id="seat"),
        pytest.param(
            "player south Ana hat=red",
            "player: no option 'hat=red' (want partner=, back=, nerts=)",
            id="option",
        ),
        pytest.param("player south Ana partner=moon", "'moon' is not a valid Seat", id="partner"),
        pytest.param("rules penalty", "rules: want KEY=VALUE, got 'penalty'", id="rule"),
        pytest.param("hears maybe", "hears: want true or false, got 'maybe'", id="hears"),
        pytest.param("surely yes", "not a number: 'yes'", id="number"),
        pytest.param("camera 0 fps", "camera: want more than 0 fps, got 0", id="no frames"),
        pytest.param("camera frame=0", "frame_period_us: want more than 0, got 0", id="no frame period"),
        pytest.param("player south Cy", "player: south was named before", id="seat twice"),
        pytest.param("surely 2", "want a share from 0 to 1, got 2", id="no share"),
        pytest.param("rules nert=1", "unknown rule 'nert'", id="unknown rule"),
        pytest.param("rules target=0", "rule target: want 1 to 10000 points", id="a rule's range"),
        pytest.param("F1: " + "4H " * 40_000, "want at most 100000 characters in a line", id="a long line"),
        pytest.param("timing guard=fast", "not a time: 'fast'", id="time"),
        pytest.param(
            "F1: 4H\ngame nerts", "game: want it before the first pile or observation", id="late header"
        ),
        pytest.param(
            "jump F1", "not a line: 'jump' (want a pile with a colon, or one of wait, lay, look,", id="verb"
        ),
        pytest.param("F1:", "F1: want its cards, the lowest first, or 'empty'", id="no cards"),
        pytest.param("F1: 4H 5X", "not a card: '5X'", id="card"),
        pytest.param("F1: x down", "not a whole number: 'x'", id="count"),
        pytest.param(
            "Dot/W1: 4H", "nobody is called 'Dot' (want one of: south (Ana), north (Ben))", id="nobody"
        ),
        pytest.param("W1: 4H", "whose pile is 'W1'? (want e.g. 'south/W1')", id="whose"),
        pytest.param("south/heap: 4H", "not a pile: 'south/heap' (want e.g. F1, south/W2,", id="pile"),
        pytest.param(
            "land Ana 5H waste F1", "land: want land SEAT CARD SOURCE PILE TOUCH, then settled=,", id="short"
        ),
        pytest.param(
            "land Ana 5H waste F1 5 speed=2", "land: no option 'speed=2' (want land SEAT", id="no option"
        ),
        pytest.param("land Ana 5H waste F1 5 seat=Ben", "land: no option 'seat=Ben'", id="told twice"),
        pytest.param(
            "land Ana 5H waste F1 9..5", "an interval ends before it starts: 9000 .. 5000 us", id="backwards"
        ),
        pytest.param("call sneeze Ana 5", "not one of ready, start, dealt, nerts,", id="call"),
        pytest.param("call nerts - ?", "call: missing told=", id="no time"),
        pytest.param('lost F1 900..1400 cause="open', "a quote is not closed", id="quote"),
        pytest.param('lost F1 900..1400 cause="a\\q"', "not a text: ", id="escape"),
        pytest.param("wait", "want wait UNTIL", id="wait"),
        pytest.param("wait 99999999999999999", "not a time: ", id="far away"),
        pytest.param("lay F1 4H", "lay: want lay PILE TIME: CARDS", id="lay"),
        pytest.param("lay F1: 4H", "lay: want lay PILE TIME: CARDS", id="lay without time"),
        pytest.param("lay F1 5 hat=1: 4H", "lay: no option 'hat=1'", id="lay with option"),
    ],
)
def test_lines_that_cannot_be_meant(line, cause):
    with pytest.raises(NotationError) as caught:
        parse_game(HEADER + line)

    assert caught.value.cause.startswith(cause)
    assert caught.value.line == 3 + len(line.splitlines())
    assert str(caught.value) == f"line {caught.value.line}: {caught.value.cause}"


def test_a_long_word_is_not_repeated_whole():
    with pytest.raises(NotationError) as caught:
        parse_game(HEADER + f"F1: {'4H' * 10_000}")

    assert len(str(caught.value)) < 1100
    assert "want e.g. 'AS'" in caught.value.cause


def test_rules_may_stand_before_their_game():
    assert parse_game("rules target=50\ngame nerts\n").setup.rules.as_mapping()["target"] == 50


def test_steps_are_read_into_a_match_that_is_set_up():
    names = Names(parse_game(HEADER).setup)

    with pytest.raises(NotationError, match="line 7: not a line: 'jump'"):
        read_steps([(6, "wait 5"), (7, "jump")], names)


def test_a_player_whom_two_are_called_is_named_by_the_seat():
    text = "player south Ana\nplayer north Ana\ncount Ana/nerts 3 5"

    with pytest.raises(NotationError, match="nobody is called 'Ana'"):
        parse_game(text)


@pytest.mark.parametrize(
    "line",
    [
        "land south 5H south/waste F1 983.3..1000 settled=1100",
        "call nerts south 59950..60050",
        "look table/aside empty 5",
        "lay F1 1400 by=Ana evidence=match.mp4@5,6 frame=1500: ... 4H south:5H JK=6H",
        "F1: ? down 4H",
        "labels south/W1 5H*2,none*1 0..500",
        "shown overlay F1 - 5 margin=3..4",
        "between south 5H south/waste F1=0.3,F2=0.7 983..1000 settled=1100",
    ],
)
def test_a_line_is_printed_as_it_is_typed(line):
    game = parse_game(HEADER + line)

    assert print_game(game).splitlines()[-1] == line


CASE = """
player south Ana
player north Ben
case X-1 [N26 !N27] a title
F1: ... 4H
land Ana 5H waste F1 983.3..1000
"""


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        pytest.param("expect LEGAL N26 foundation_goes_up seat=Ana keeps=Ana basis=-", (), id="it holds"),
        pytest.param("expect ILLEGAL N26 *", ("(ruling and rule)",), id="ruling"),
        pytest.param("expect LEGAL N26 opens_foundation", ("(key)",), id="key"),
        pytest.param("expect LEGAL N26 * seat=Ben pile=F2", ("(seat=south)", "(pile=F1)"), id="two things"),
        pytest.param(
            "expect LEGAL N26 * seats=Ben decided=5", ("(seats=)", "(decided=1200)"), id="seats, time"
        ),
        pytest.param("expect nothing", ("want no verdict, got LEGAL N26",), id="nothing"),
        pytest.param("expect LEGAL N26 *\nexpect LEGAL N26 *", ("want 2 verdicts, got 1",), id="how many"),
        pytest.param("score Ana 1", (), id="the score holds"),
        pytest.param("score Ana 2", ("want 2 points for Ana, got 1",), id="score"),
        pytest.param("open N40 south/nerts", (), id="open"),
        pytest.param("open N39 F1", ("want N39 F1 open, got ",), id="not open"),
        pytest.param("pending F1 Ana by=1200", (), id="pending"),
        pytest.param("pending F1 Ben by=1200", ("want it pending, got ",), id="not pending"),
    ],
)
def test_what_a_case_finds(lines, wanted):
    (case,) = parse_cases(CASE + lines)

    found = differences(case)

    assert (case.case_id, case.rules, case.title) == ("X-1", ("N26", "!N27"), "a title")
    assert len(found) == len(wanted)
    assert all(words in text for words, text in zip(wanted, found, strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("case\n", "line 1: want case ID \\[RULES\\] TITLE", id="no id"),
        pytest.param(
            "case X\nwait 5\n", "line 1: case X expects nothing: want a line with expect", id="nothing"
        ),
        pytest.param('case X\nexpect "LEGAL', "line 2: a quote is not closed", id="a quote"),
        pytest.param("case X\nscore south", "line 2: want score WHO POINTS", id="half a score"),
        pytest.param("case X\nwait 5 6\nexpect nothing", "line 2: want wait UNTIL", id="a wrong line"),
    ],
)
def test_cases_that_cannot_be_meant(text, message):
    with pytest.raises(NotationError, match=message):
        parse_cases(text)


def test_an_expectation_that_cannot_be_meant():
    (case,) = parse_cases(CASE + "expect FINE N26 *")

    with pytest.raises(NotationError, match="line 7: want expect RULING RULE KEY NAME=VALUE"):
        differences(case)


def test_an_expectation_of_nobody():
    (case,) = parse_cases(CASE + "expect LEGAL N26 * seat=Nobody")

    with pytest.raises(NotationError, match="line 7: nobody is called 'Nobody'"):
        differences(case)


def test_points_that_are_no_number():
    (case,) = parse_cases(CASE + "score Ana many")

    with pytest.raises(NotationError, match="line 7: not a whole number: 'many'"):
        differences(case)


def test_a_text_without_cases_has_none():
    assert parse_cases(HEADER) == ()


def test_a_typed_game_is_played_to_its_end():
    played = play(parse_game(HEADER + "land Ana AH waste F1 983.3..1000\nwait 5000"))

    assert [verdict.reason_key for verdict in played.verdicts] == ["opens_foundation"]
    assert played.scorecard.total(Seat.SOUTH) == 1
