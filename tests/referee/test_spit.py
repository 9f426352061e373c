"""The rules of Spit as functions, and what the referee shows and takes in beside its verdicts."""

from dataclasses import replace

import pytest

from referee.cards import Card, Rank
from referee.cases import play, said
from referee.clock import Interval
from referee.notation import parse_game
from referee.piles import PileId, Seat
from referee.referee import Referee
from referee.spit.deal import Deal, DealFault, fault_in_deal, first_shares, short_sizes
from referee.spit.ending import Slap, SlapBasis, Standing, assign, completed, standings
from referee.spit.layout import are_neighbours, cannot_spit, spit_piles
from referee.spit_rules import LayoutRule, SpitRules

SOUTH, NORTH = Seat.SOUTH, Seat.NORTH
P1, P2 = (PileId.parse(f"table/spit[{i}]") for i in (1, 2))
HEAD = """
game spit
player south Ana
player north Ben
camera frame=16.7 grade=A
"""


def judged(text, head=HEAD):
    return play(parse_game(head + text))


def verdicts_of(text, head=HEAD):
    return [said(verdict) for verdict in judged(text, head).verdicts]


@pytest.mark.parametrize(
    ("one", "other", "wrap", "wanted"),
    [
        pytest.param("7", "8", True, True, id="one apart"),
        pytest.param("7", "9", True, False, id="two apart"),
        pytest.param("A", "K", True, True, id="around the ace"),
        pytest.param("A", "K", False, False, id="no wrap"),
        pytest.param("A", "2", False, True, id="ace and two without wrap"),
        pytest.param("K", "2", True, False, id="over the ace"),
        pytest.param("*", "A", True, False, id="a joker is nobody's neighbour"),
    ],
)
def test_neighbours(one, other, wrap, wanted):
    ranks = {rank.symbol: rank for rank in Rank}

    assert are_neighbours(ranks[one], ranks[other], wrap=wrap) is wanted
    assert are_neighbours(ranks[other], ranks[one], wrap=wrap) is wanted


@pytest.mark.parametrize(
    ("sizes", "spit", "owned", "fault"),
    [
        pytest.param((5, 4, 3, 2, 1), 11, 26, None, id="any order"),
        pytest.param((1, 2, 3, 4, 5), None, 26, None, id="spit cards not counted"),
        pytest.param((1, 2, 3, 4, 5), None, None, None, id="nothing known of what is owned"),
        pytest.param((1, 2, 3, 4, 4), 12, 26, DealFault.PILE_SIZES, id="one pile short"),
        pytest.param((1, 2, 3, 4, 5, 1), 10, 26, DealFault.MORE_PILES, id="six piles"),
        pytest.param((1, 2, 3, 4, 5), 12, 26, DealFault.SUM, id="one card too many"),
        pytest.param((1, 2, 3, 4, 5), 0, 15, None, id="exactly 15"),
        pytest.param((1, 2, 3, 3, 0), 0, 9, None, id="nine"),
        pytest.param((1, 1, 1, 1, 0), 0, 4, DealFault.NONCANONICAL, id="four in a row"),
        pytest.param((1, 2, 3, 2, 0), 0, 9, DealFault.SUM, id="one of nine is missing"),
        pytest.param((1, 2, 3, 0, 0), 3, 9, DealFault.PILE_SIZES, id="a short stock keeps none"),
    ],
)
def test_deals(sizes, spit, owned, fault):
    assert fault_in_deal(Deal(sizes, None, spit), owned, SpitRules()) is fault


def test_shares_of_a_pack():
    assert first_shares(SpitRules()) == {26}
    assert first_shares(SpitRules(players=3, piles=LayoutRule.FOUR)) == {17, 18}
    assert short_sizes(14, LayoutRule.FIVE) == (1, 2, 3, 4, 4)


@pytest.mark.parametrize(
    ("owned", "exactly_15", "piles"),
    [
        ([26, 26], "one_pile", 2),
        ([15, 37], "one_pile", 1),
        ([15, 37], "two_piles", 2),
        ([14, 38], "two_piles", 1),
        ([None, None], "one_pile", 2),
    ],
)
def test_how_many_spit_piles(owned, exactly_15, piles):
    rules = SpitRules.from_mapping({"exactly_15": exactly_15})

    assert spit_piles(owned, rules) == piles
    assert cannot_spit(None, rules) is False


@pytest.mark.parametrize(
    ("mapping", "wanted"),
    [
        pytest.param({"wraps": True}, "unknown rule 'wraps'", id="no such key"),
        pytest.param({"wrap": 1}, "want true or false", id="no yes or no"),
        pytest.param({"piles": 6}, "want one of 5, 4, 3, 4\\+11", id="no such layout"),
        pytest.param({"piles": True}, "want one of", id="not a layout"),
        pytest.param({"players": 5}, "want 2 to 4 players", id="too many players"),
        pytest.param({"players": 4, "piles": 5}, "13 cards each do not reach", id="too few cards"),
    ],
)
def test_house_rules_that_cannot_be_meant(mapping, wanted):
    with pytest.raises(ValueError, match=wanted):
        SpitRules.from_mapping(mapping)


def test_house_rules_are_read_back():
    rules = SpitRules.from_mapping({"piles": 4, "slap": "first", "doubles": True})

    assert SpitRules.from_mapping(rules.as_mapping()) == rules


def slap(seat, pile, at_ms):
    return Slap(seat, pile, Interval(at_ms * 1000, at_ms * 1000))


@pytest.mark.parametrize(
    ("slaps", "hands", "house", "wanted"),
    [
        pytest.param(["S1@0", "N2@9"], "", "both", ("S1 N2", SlapBasis.CHOICE), id="each its own"),
        pytest.param(["S1@0", "N1@90"], "NS", "both", ("N1 S2", SlapBasis.LOWER_HAND), id="hand before time"),
        pytest.param(["S1@0", "N1@90"], "N", "both", ("S1 N2", SlapBasis.TIME), id="one hand tells nothing"),
        pytest.param(["S1@0", "N1@9"], "", "both", None, id="nothing tells"),
        pytest.param(["S1@0", "N1@90"], "NS", "first", ("S1 N2", SlapBasis.TIME), id="time before hand"),
        pytest.param(["S1@0", "N1@9"], "NS", "first", ("N1 S2", SlapBasis.LOWER_HAND), id="else the hand"),
        pytest.param(["N1@0", "S1@9"], "", "winner_chooses", ("S1 N2", SlapBasis.CHOICE), id="the winner"),
        pytest.param(["S2@0", "S1@300"], "", "both", ("S2 N1", SlapBasis.CHOICE), id="the first slap binds"),
    ],
)
def test_slaps(slaps, hands, house, wanted):
    seats, piles = {"S": SOUTH, "N": NORTH}, {"1": P1, "2": P2}

    found = assign(
        [slap(seats[text[0]], piles[text[1]], int(text[3:])) for text in slaps],
        hands=[seats[letter] for letter in hands],
        seats=(SOUTH, NORTH),
        piles=(P1, P2),
        out=(SOUTH,),
        rules=SpitRules.from_mapping({"slap": house}),
        guard_us=16_667,
    )

    if wanted is None:
        assert found is None
        return
    takes, basis = wanted
    assert dict(found.takes) == {seats[text[0]]: piles[text[1]] for text in takes.split()}
    assert found.basis is basis


@pytest.mark.parametrize(
    ("totals", "house", "standing", "winner"),
    [
        pytest.param((0, 52), {}, Standing.WON, SOUTH, id="no cards left"),
        pytest.param((1, 51), {}, Standing.OPEN, None, id="one card left"),
        pytest.param((None, 52), {}, Standing.OPEN, None, id="not known"),
        pytest.param((102, 83), {"scoring": "to_100_low"}, Standing.WON, NORTH, id="the lowest"),
        pytest.param((101, 101), {"scoring": "to_100_low"}, Standing.PLAYOFF, None, id="equal"),
        pytest.param((99, 95), {"scoring": "to_100_low"}, Standing.OPEN, None, id="nobody yet"),
        pytest.param((102, None), {"scoring": "to_100_low"}, Standing.OPEN, None, id="one total missing"),
        pytest.param((50, 40), {"scoring": "to_100_low", "target": 50}, Standing.WON, NORTH, id="target"),
    ],
)
def test_standings(totals, house, standing, winner):
    found = standings(dict(zip((SOUTH, NORTH), totals, strict=True)), SpitRules.from_mapping(house))

    assert (found.standing, found.winner) == (standing, winner)


def test_the_count_that_is_missing_follows():
    assert completed({SOUTH: 14, NORTH: None}, SpitRules()) == {SOUTH: 14, NORTH: 38}
    assert completed({SOUTH: None, NORTH: None}, SpitRules()) == {SOUTH: None, NORTH: None}
    assert completed({SOUTH: 60, NORTH: None}, SpitRules()) == {SOUTH: 60, NORTH: None}


# -- through the referee's door -----------------------------------------------------------------------------


def test_what_was_not_seen_as_going_back_is_seen_lying_there():
    """A card that lost is seen on its own pile again: it no longer keeps its player from being out."""
    outcome = verdicts_of(
        """
        P1: ... 7H
        P2: ... 8D
        Ana/S1: 9C
        land Ana 9C S1 P1 1000
        look Ana/S1 9C 2000
        land Ana 9C S1 P2 4000
        """
    )

    assert outcome[-1] == "LEGAL S22 out_of_stock seat=south outcome=ROUND_END"


def test_looks_that_say_nothing_new():
    assert verdicts_of(
        """
            P1: ... 7H
            Ana/S1: 2 down 6C
            look P1 7H 500
            look P1 down 600
            look Ana/S1 6C 600
            look Ana/hand down 600
            look Ana/hand empty 700
            count Ana/S1 3 800
            count P1 20 800
            slap Ana P1 900..910 seat_confidence=1
            burn Ana S1 950
            shuffle Ana hand 960
            shuffle Ana P1 970
            turn Ana waste P1 1 980
            call nerts - 990
            declare Ana 5H 995
            lift Ana 5H P1 996
            lift - ?? P1 997
            """
    ) == ["FLAG S23 early_slap seat=south outcome=NO_PLAY"]


def test_an_old_look_does_not_undo_a_play():
    outcome = verdicts_of(
        """
        P1: ... 7H
        land Ana 6C S1 P1 1000
        look P1 7H 900 frame=1500
        land Ben 5C S1 P1 3000
        """
    )

    assert outcome == [
        "LEGAL S12 next_in_rank seat=south keeps=south",
        "LEGAL S12 next_in_rank seat=north keeps=north",
    ]


def test_after_the_piles_are_gone_a_new_round_begins():
    outcome = verdicts_of(
        """
        P1: 3 down 7H
        P2: 4 down QD
        Ana/S3: 6C
        land Ana 6C S3 P1 1000
        slap Ana P1 2000
        slap Ben P2 2100
        gather Ana P1 5000
        look P2 empty 5200
        land Ana 2H hand P1 9000
        land Ben 9H hand P2 9100
        land Ana 3C S1 P1 12000
        """
    )

    assert outcome == [
        "LEGAL S12 next_in_rank seat=south keeps=south",
        "LEGAL S22 out_of_stock seat=south outcome=ROUND_END",
        "LEGAL S24 takes_piles outcome=ASSIGN",
        "LEGAL S7 spit_together outcome=SPIT_OK",
        "LEGAL S12 next_in_rank seat=south keeps=south",
    ]


def test_after_a_block_the_piles_may_go_without_a_slap():
    outcome = verdicts_of(
        """
        P1: 3 down 7H
        Ana/S3: 6C
        call round_end - 500
        gather - P1 1000
        turn Ana hand P1 1 3000 cards=2C
        turn Ben hand P2 1 3000 cards=5C
        """
    )

    assert outcome == ["LEGAL S22 round_agreed outcome=ROUND_END", "LEGAL S7 spit_together outcome=SPIT_OK"]


def test_the_score_is_the_cards_left():
    card = judged("Ana/S1: 2 down 6C\nAna/hand: 4 down\npoints Ben 30 0\n").scorecard

    assert card.totals == ((SOUTH, 7), (NORTH, 30))
    assert not card.is_provisional
    assert [item.pile for item in judged("").scorecard.unknowns] == [
        PileId.parse("south/hand"),
        PileId.parse("north/hand"),
    ]


def test_the_table_is_what_is_known():
    piles = judged("P1: 3 down 7H\nAna/S1: 2 down 6C\nAna/S2: empty\nBen/hand: 9 down\n").referee.table.piles

    assert [(str(state.pile), state.counted) for state in piles] == [
        ("north/hand", 9),
        ("south/tableau[1]", 3),
        ("south/tableau[2]", 0),
        ("table/spit[1]", 4),
    ]
    assert piles[-1].view.top == Card.parse("7H")


def test_a_touch_is_shown_before_it_is_ruled_on():
    game = parse_game(HEAD + "P1: ... 7H\nland Ana 6C S1 P1 983.3..1000\n")
    referee = Referee(game.setup)
    for observation in game.observations:
        referee.observe(observation)

    assert [(item.pile, item.landings[0].seat) for item in referee.pending] == [(P1, SOUTH)]


@pytest.mark.parametrize(
    ("game", "other"),
    [
        pytest.param(
            "P1: 3 down 7H\nAna/S1: 9C\nland Ana 9C S1 P1 1000\n", "kept", id="told to stay after all"
        ),
        pytest.param("P1: 3 down 7H\nAna/S1: 6C\nland Ana 6C S1 P1 1000\n", "returned", id="told to go back"),
    ],
)
def test_what_a_person_rules_is_followed(game, other):
    typed = parse_game(HEAD + game)
    referee = Referee(typed.setup)
    for observation in typed.observations:
        referee.observe(observation)
    (verdict, *_) = referee.advance(5_000_000)
    answered = replace(verdict, kept=(), returned=())
    answered = replace(answered, **{other: (0,)})

    referee.answer(answered)

    counted = {str(state.pile): state.counted for state in referee.table.piles}
    assert (
        counted
        == {
            "kept": {"south/tableau[1]": 0, "table/spit[1]": 5},
            "returned": {"south/tableau[1]": 1, "table/spit[1]": 4},
        }[other]
    )


def test_an_answer_that_changes_nothing():
    typed = parse_game(HEAD + "P1: 3 down 7H\nAna/S1: empty\nAna/S2: 6C\nland Ana 6C S2 S1 1000\n")
    referee = Referee(typed.setup)
    for observation in typed.observations:
        referee.observe(observation)
    (verdict,) = referee.advance(5_000_000)

    referee.answer(verdict)

    assert {str(state.pile): state.counted for state in referee.table.piles} == {
        "south/tableau[1]": 1,
        "south/tableau[2]": 0,
        "table/spit[1]": 4,
    }


def test_players_who_are_too_many():
    head = "game {}\nplayer south Ana\nplayer north Ben\nplayer east Cy\n"

    for name, rule in (("speed", "C-Speed"), ("california_speed", "C-Cal")):
        said_of = verdicts_of("call start - 0\n", head.format(name))
        assert said_of == [f"ILLEGAL {rule} players_not_agreed outcome=DEAL_BAD"]


def test_the_tables_and_scores_of_the_sisters():
    speed = judged(
        "P1: 3 down 7H\nAna/hand: 5 down\nlook Ana/stock down 0\nlook Ben/stock empty 0\n",
        HEAD.replace("spit", "speed"),
    )
    row = judged("Ana/S1: 7H\nAna/S2: ??\nAna/hand: 5 down\n", HEAD.replace("spit", "california_speed"))

    assert {str(s.pile): s.counted for s in speed.referee.table.piles} == {
        "north/stock": 0,
        "south/hand": 5,
        "south/stock": None,
        "table/spit[1]": 4,
    }
    assert speed.scorecard.total(SOUTH) == 0
    assert speed.scorecard.is_provisional
    assert [(str(s.pile), s.counted) for s in row.referee.table.piles] == [
        ("north/hand", None),
        ("south/hand", 5),
        ("south/tableau[1]", 1),
        ("south/tableau[2]", 1),
    ]
    assert row.scorecard.total(SOUTH) == 5


def test_after_the_end_hands_that_come_to_rest_on_spit_piles_slap_them():
    outcome = verdicts_of(
        """
        P1: 3 down 7H
        P2: 2 down 8D
        touch Ben P1 100
        call round_end - 500
        touch - P1 900
        touch Ana P1 1000
        touch Ben P2 1300
        touch Ben P1 4000
        gather Ana P2 5000
        """
    )

    assert outcome == [
        "LEGAL S22 round_agreed outcome=ROUND_END",
        "LEGAL S24 takes_piles outcome=ASSIGN",
        "ILLEGAL S24 wrong_pile seat=south",
    ]


def test_a_card_that_is_seen_lying_where_it_was_turned_up_is_no_peek():
    outcome = verdicts_of(
        """
        P1: ... 7H
        Ana/S1: 2 down 6C
        land Ana 6C S1 P1 1000
        look Ana/S1 5D 2000
        faceup Ana S1 2000 cards=5D
        look Ana/S1 5D 3000
        faceup Ana S1 3000 cards=4D
        """
    )

    assert outcome[1:] == ["LEGAL S14 turned_next seat=south", "FLAG S14 peek seat=south"]


def test_a_turn_that_is_told_after_the_look_that_came_later_does_not_undo_it():
    """A card that is turned up and played in one reach: its pile is seen bare before the turn is told."""
    typed = parse_game(
        HEAD
        + """
        P1: ... 7H
        Ana/S1: 1 down
        faceup Ana S1 1000 cards=6C
        land Ana 6C S1 P1 1400
        look Ana/S1 empty 2000
        """
    )
    referee = Referee(typed.setup)

    for observation in typed.observations:
        referee.observe(observation, at_us=2_100_000)
    referee.finish()

    assert {str(state.pile): state.counted for state in referee.table.piles}["south/tableau[1]"] == 0


def test_a_round_goes_on_while_the_last_card_is_in_the_air():
    """The bare place is seen before the card that lay there is told to have landed."""
    outcome = verdicts_of(
        """
        P1: ... 7H
        Ana/S1: 6C
        Ana/S2: 5D
        land Ana 6C S1 P1 1000
        lift Ana 5D S2 1400
        look Ana/S2 empty 1600
        land Ana 5D S2 P1 2000
        """
    )

    assert outcome == [
        "LEGAL S12 next_in_rank seat=south keeps=south",
        "LEGAL S12 next_in_rank seat=south keeps=south",
        "LEGAL S22 out_of_stock seat=south outcome=ROUND_END",
    ]


def test_a_pile_that_is_gathered_is_gone_after_it_not_before():
    outcome = verdicts_of(
        """
        P1: 3 down 7H
        P2: 2 down 8D
        call round_end - 500
        slap Ana P1 1000
        slap Ben P2 1200
        gather Ben P2 3000
        look P2 empty 3000
        gather Ana P1 3500
        look P1 empty 3500
        """
    )

    assert outcome == [
        "LEGAL S22 round_agreed outcome=ROUND_END",
        "LEGAL S24 takes_piles outcome=ASSIGN",
    ]
