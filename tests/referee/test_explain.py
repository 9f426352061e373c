"""What ``explain`` says of a verdict: each line where it has something to say, and none where it has not."""

from dataclasses import replace

from reviewed_matches import RACE, ReviewedMatch

from referee.explain import explain


def explained(match, verdict_id, **changes):
    """The lines about a verdict of ``match``; with ``changes`` to what is known of it."""
    return explain(replace(match.rulings[verdict_id], **changes), match.setup)


def test_a_lift_that_was_seen_is_told():
    match = ReviewedMatch("""
        F1: ... 4H
        lift Ana 5H south/waste 900..916.7
        land Ana 5H waste F1 983.3..1000
    """)

    (how_sure,) = [line for line in explained(match, "v1") if "at rest" in line]

    assert how_sure == (
        "    face 100% sure, hand 100% sure, lifted between 900 and 916.7 ms, "
        "touched between 983.3 and 1000 ms, at rest 1100 ms"
    )


def test_of_a_hand_that_was_not_recognised_no_certainty_is_told():
    match = ReviewedMatch("F1: ... 4H\nland - 5H - F1 1000\n")

    play, how_sure = explained(match, "v1")[4:6]

    assert play == "  a hand that was not recognised put 5H from a pile that was not seen on F1: stays"
    assert how_sure == "    face 100% sure, touched at 1000 ms, at rest 1100 ms"


def test_what_follows_from_a_call_is_told():
    match = ReviewedMatch("south/nerts: 5 down\ncall nerts south 1000..1010\n")

    assert explained(match, "v1")[3:6] == ("  so: CALL_INVALID", "facts:", "  call nerts south 1000..1010")
    assert "evidence: none; it was told, not seen" in explained(match, "v1")


def test_a_verdict_by_no_rule_names_none():
    match = ReviewedMatch(RACE)
    verdict = match.rulings["v2"].verdict
    assert explained(match, "v2")[2].startswith("  rule N26: ")

    lines = explained(match, "v2", verdict=replace(verdict, rule=None))

    assert lines == tuple(line for line in explained(match, "v2") if not line.startswith("  rule "))


def test_a_verdict_that_no_entry_told_names_none():
    match = ReviewedMatch(RACE)
    assert "  entries 5 of the record" in explained(match, "v2")

    lines = explained(match, "v2", entries=())

    assert lines == tuple(line for line in explained(match, "v2") if not line.startswith("  entries "))
