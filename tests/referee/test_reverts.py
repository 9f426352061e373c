"""Taking back: an entry is undone by another entry and another fold; a dry run says what would change."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reviewed_matches import RACE, ReviewedMatch

from referee.cards import Card
from referee.logs import read_record, verify
from referee.piles import Seat
from referee.proceedings import Standing
from referee.replay import Until, first_difference, replay
from referee.reviews import ReviewError, id_of
from referee.verdicts import Ruling

ANA, BEN = Seat.SOUTH, Seat.NORTH
GAME = RACE + "count Ana/nerts 4 6000\ncount Ben/nerts 2 6000\n"


def test_a_wrong_count_is_taken_back():
    match = ReviewedMatch(GAME)
    assert match.points(ANA) == 1 - 8
    entry = next(i for i, line in enumerate(match.lines) if '"south/reserve"' in line)

    assert match.match.proceedings.taken_back == frozenset()

    assert match.enter(match.taking_back(entry)) == ()

    assert match.match.proceedings.taken_back == {entry}
    assert match.points(ANA) == 1
    assert [unknown.seat for unknown in match.match.referee.scorecard.unknowns] == [ANA]


def test_a_card_that_never_came_is_taken_back_and_the_rest_is_ruled_again():
    match = ReviewedMatch(GAME)

    given = match.enter(match.taking_back(2))

    assert [(v.verdict_id, v.ruling, v.seat, str(v.card)) for v in given] == [("v4", Ruling.LEGAL, BEN, "5H")]
    assert match.standings["v1"] == "overturned by u1"
    assert match.rulings["v1"].now == ("v4",)
    assert match.points(BEN) == 2 - 4


def test_an_answer_that_is_taken_back_lets_the_verdict_stand_again():
    match = ReviewedMatch(GAME)
    match.enter(match.ruled("v1", Ruling.FIRST, 1))

    assert match.enter(match.taking_back(match.entry_of("r1"))) == (), "v1 says it already"

    assert match.standings == {
        "v1": "standing",
        "v2": "standing",
        "v3": "standing",
        "v4": "overturned by u1",
    }
    assert (match.points(ANA), match.points(BEN)) == (1 - 8, 1 - 4)
    (answer,) = match.enter(match.ruled("v1", Ruling.TIE, 0, 1))
    assert (answer.verdict_id, match.points(BEN)) == ("v5", 2 - 4)


def test_what_was_taken_back_can_be_taken_back():
    match = ReviewedMatch(GAME)
    match.enter(match.ruled("v1", Ruling.FIRST, 1))
    match.enter(match.taking_back(match.entry_of("r1")))

    assert match.enter(match.taking_back(match.entry_of("u1"))) == (), "v4 says it already"

    assert match.standings["v1"] == "overturned by u2"
    assert match.standings["v4"] == "standing"
    assert match.points(BEN) == 2 - 4


def test_an_appeal_that_is_taken_back_costs_nothing():
    match = ReviewedMatch(GAME)
    match.enter(match.appeal("v1", BEN))
    assert match.match.proceedings.appeals_left(BEN) == 2

    match.enter(match.taking_back(match.entry_of("a1")))

    assert match.match.proceedings.appeals_left(BEN) == 3
    assert match.standings["v1"] == "standing"
    assert match.enter(match.appeal("v1", ANA)) == ()


def refused(match, revert):
    lines = list(match.lines)
    with pytest.raises(ReviewError) as caught:
        match.enter(revert)
    assert match.lines == lines
    return str(caught.value)


def test_what_cannot_be_taken_back():
    match = ReviewedMatch(GAME)
    verdict = next(i for i, line in enumerate(match.lines) if '"kind":"verdict"' in line)

    only = f"entry {verdict} is no observation, appeal, resolution or revert"
    assert refused(match, match.taking_back(verdict)) == only
    for entry in (0, -1, match.newest + 1, match.newest + 9):
        assert refused(match, match.taking_back(entry)) == f"entry: want an earlier one, got {entry}"
    match.enter(match.taking_back(2))
    assert refused(match, match.taking_back(2)) == "entry 2 is taken back already"
    match.enter(match.appeal("v3"))
    match.enter(match.stands("v3", "a1"))
    answered = match.entry_of("a1")
    assert refused(match, match.taking_back(answered)) == "a1 is answered: take back r1 first"


def test_what_a_person_ruled_on_is_taken_back_only_after_the_ruling():
    match = ReviewedMatch(GAME)
    match.enter(match.ruled("v1", Ruling.FIRST, 1))

    for entry in (2, 3):
        said = f"r1 rules on entry {entry} (v1): take back r1 first"
        assert refused(match, match.taking_back(entry)) == said
    match.enter(match.taking_back(match.entry_of("r1")))
    match.enter(match.taking_back(3))
    assert match.points(ANA) == 1 - 8


def test_a_dry_run_says_what_would_change_and_changes_nothing():
    match = ReviewedMatch(GAME)
    before = (list(match.lines), match.standings, match.match.referee.scorecard)

    would = match.match.what_if(match.taking_back(2))

    changes = [(c.before and c.before.verdict_id, c.after and str(c.after.ruling)) for c in would.changes]
    assert changes == [("v1", None), (None, "LEGAL")]
    assert (would.score_before.total(BEN), would.score_after.total(BEN)) == (1 - 4, 2 - 4)
    assert (match.lines, match.standings, match.match.referee.scorecard) == before
    match.enter(match.taking_back(2))
    assert match.match.referee.scorecard == would.score_after


def test_a_dry_run_of_an_appeal_or_of_a_confirmation_changes_nothing():
    match = ReviewedMatch(GAME)

    assert match.match.what_if(match.appeal("v1")).changes == ()
    would = match.match.what_if(match.stands("v1"))

    assert (would.changes, would.score_after) == ((), would.score_before)


def test_a_dry_run_refuses_what_could_not_be_entered():
    match = ReviewedMatch(GAME)

    with pytest.raises(ReviewError, match="entry: want an earlier one"):
        match.match.what_if(match.taking_back(99))


def test_numbers_are_used_once():
    proceedings = ReviewedMatch(GAME).match.proceedings
    told = next(iter(proceedings._shelf)).observation

    with pytest.raises(ReviewError, match=re.escape("entry: want more than 10, got 9")):
        proceedings.observe(told, entry=9)
    proceedings.observe(told)
    assert [item.entry for item in proceedings._shelf][-1] == 11


few = settings(max_examples=15)
"""Each example folds its match a dozen times."""

cards = st.sampled_from([Card.parse(text) for text in ("5H", "6H", "7H", "8C")])
wishes = st.lists(
    st.one_of(
        st.tuples(st.just("appeal"), st.integers(1, 6), st.sampled_from((ANA, BEN))),
        st.tuples(st.just("stands"), st.integers(1, 6), st.just(None)),
        st.tuples(st.just("it was"), st.integers(1, 6), cards),
        st.tuples(st.just("by"), st.integers(1, 6), st.sampled_from((ANA, BEN))),
        st.tuples(st.just("legal"), st.integers(1, 6), st.just(None)),
        st.tuples(st.just("illegal"), st.integers(1, 6), st.just(None)),
        st.tuples(st.just("undo"), st.integers(1, 24), st.just(None)),
    ),
    max_size=7,
)


def wished(match, wish):
    """Enter what ``wish`` asks for, if it may be entered."""
    what, number, value = wish
    appeals = {r.appeal.verdict_id: r.appeal.appeal_id for r in match.rulings.values() if r.appeal}
    name, asked = f"v{number}", appeals.get(f"v{number}")
    try:
        match.enter(
            {
                "appeal": lambda: match.appeal(name, value),
                "stands": lambda: match.stands(name, asked),
                "it was": lambda: match.it_was(name, card=str(value)),
                "by": lambda: match.it_was(name, seat=value),
                "legal": lambda: match.ruled(name, Ruling.LEGAL, 0, appeal_id=asked),
                "illegal": lambda: match.ruled(name, Ruling.ILLEGAL, appeal_id=asked),
                "undo": lambda: match.taking_back(number),
            }[what]()
        )
    except ReviewError as error:
        assert str(error)  # noqa: PT017 - what may not be entered is refused with a reason


@few
@given(wishes, st.booleans())
def test_whatever_people_enter_the_record_replays(entered, ends_first):
    match = ReviewedMatch(GAME)
    if ends_first:
        match.finished()
    for wish in entered:
        wished(match, wish)
    lines = match.lines if ends_first else match.finished()

    log = read_record(lines)
    again = replay(log)

    assert verify(lines).is_ok
    assert first_difference(log, again) is None
    assert again.scorecard == match.match.referee.scorecard
    assert again.rulings == match.match.proceedings.rulings
    given_ids = [verdict.verdict_id for verdict in match.verdicts]
    assert given_ids == [f"v{i}" for i in range(1, len(given_ids) + 1)]


@few
@given(wishes)
def test_undoing_everything_gives_the_match_as_it_was(entered):
    match, plain = ReviewedMatch(GAME), ReviewedMatch(GAME)
    for wish in entered:
        wished(match, wish)

    for number in sorted(match.match.proceedings.reviews, reverse=True):
        if number not in {r.entry for r in match.match.proceedings.reviews.values() if hasattr(r, "entry")}:
            wished(match, ("undo", number, None))

    holding = [r.verdict.verdict_id for r in match.rulings.values() if r.standing is not Standing.OVERTURNED]
    said = {r.verdict.verdict_id: r.verdict for r in match.rulings.values()}
    if not entered_reverts(match):
        assert [said[name] for name in holding] == plain.verdicts
        assert match.match.referee.scorecard == plain.match.referee.scorecard


def entered_reverts(match):
    """Whether something besides reviews was taken back."""
    proceedings = match.match.proceedings
    return [
        r for r in proceedings.reviews.values() if hasattr(r, "entry") and r.entry not in proceedings.reviews
    ]


@few
@given(wishes, st.integers(0, 30))
def test_any_prefix_of_a_record_folds(entered, seq):
    match = ReviewedMatch(GAME)
    for wish in entered:
        wished(match, wish)
    log = read_record(match.finished())

    until = replay(log, until=Until(seq=seq))

    assert len(until.verdicts) <= len(match.verdicts)
    assert [v.reason for v in until.verdicts] == [v.reason for v in match.verdicts[: len(until.verdicts)]]
    assert {id_of(r) for r in until.proceedings.reviews.values()} <= {id_of(r) for r in log.reviews}
