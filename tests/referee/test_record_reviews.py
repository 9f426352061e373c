"""Records with reviews: what is refused with which words, every byte counts, and older forms have none."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from reviewed_matches import ReviewedMatch

from referee.codec import canonical
from referee.formats import FORMATS
from referee.logs import RecordError, read_log, read_record, verify
from referee.piles import Seat
from referee.record import FORMAT, RecordChain, RecordHeader, hash_of
from referee.replay import first_difference, replay, resumed
from referee.verdicts import Ruling

SHORT = "F1: ... 4H\nland Ana 5H waste F1 983.3..1000\n"


def reviewed_lines():
    """A small record with an entry of every kind that people make."""
    match = ReviewedMatch(SHORT)
    match.enter(match.appeal("v1"))
    match.enter(match.ruled("v1", Ruling.ILLEGAL, appeal_id="a1"))
    match.enter(match.taking_back(match.entry_of("r1")))
    return match.finished()


LINES = reviewed_lines()


def rechained(lines, at, **changes):
    """``lines`` with values of line ``at`` changed and every hash from there made to fit."""
    made, prev_hash = list(lines[:at]), json.loads(lines[at])["prev_hash"]
    for i, line in enumerate(lines[at:], at):
        body = {key: value for key, value in json.loads(line).items() if key != "hash"}
        body |= (changes if i == at else {}) | {"prev_hash": prev_hash}
        prev_hash = hash_of(body)
        made.append(canonical(body | {"hash": prev_hash}) + "\n")
    return made


def payload(at, **changes):
    return json.loads(LINES[at])["payload"] | changes


def test_the_kinds_of_the_small_record():
    kinds = [json.loads(line)["kind"] for line in LINES]

    assert kinds == [
        "header",
        "pile_laid",
        "card_landed",
        "verdict",
        "appeal",
        "resolution",
        "verdict",
        "revert",
        "end",
    ]
    assert str(verify(LINES)) == "whole up to entry 8, closed"


def test_every_flipped_byte_is_found():
    whole = "".join(LINES).encode()

    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << (at % 8)
        found = verify([line + b"\n" for line in bytes(flipped).removesuffix(b"\n").split(b"\n")])
        assert not found.is_ok, f"byte {at} of {len(whole)}"
        assert found.fault is not None
        assert found.fault.line <= whole[: at + 1].count(b"\n") + 2


@pytest.mark.parametrize("at", range(len(LINES)))
def test_a_line_that_is_missing_doubled_or_moved_is_found(at):
    missing, doubled = LINES[:at] + LINES[at + 1 :], LINES[: at + 1] + LINES[at:]
    moved = [*missing, LINES[at]]

    assert at == len(LINES) - 1 or verify(missing).fault.line == at + 1
    assert verify(missing).is_ended is (at < len(LINES) - 1 and verify(missing).is_ended)
    assert verify(doubled).fault.line == at + 2
    assert at == len(LINES) - 1 or not verify(moved).is_ok


@pytest.mark.parametrize("at", range(1, len(LINES)))
def test_a_line_that_is_cut_is_said_to_be_cut(at):
    for length in (1, len(LINES[at]) // 2, len(LINES[at]) - 2):
        cut = [*LINES[:at], LINES[at][:length]]

        assert str(verify(cut)) == f"line {at + 1}: the line is cut short; whole up to entry {at - 1}"


@pytest.mark.parametrize(
    ("at", "changes", "message"),
    [
        pytest.param(
            4,
            {"payload": payload(4, verdict_id="v2")},
            "line 5: appeal.verdict_id: no verdict 'v2' stands before",
            id="an appeal against nothing",
        ),
        pytest.param(
            4,
            {"payload": payload(4, verdict_id="x" * 99)},
            f"line 5: appeal.verdict_id: no verdict '{'x' * 56}... stands before",
            id="an endless name",
        ),
        pytest.param(
            4,
            {"payload": payload(4, raised_by="moon")},
            "line 5: appeal.raised_by: want one of north",
            id="no seat",
        ),
        pytest.param(
            4, {"payload": payload(4, why=1)}, "line 5: appeal: unknown key 'why'", id="unknown key"
        ),
        pytest.param(
            4,
            {"payload": payload(4, at_us=90_000_000)},
            "line 5: t_us: 60000000 is before the appeal",
            id="early",
        ),
        pytest.param(
            5,
            {"payload": payload(5, resolution_id="a1")},
            "line 6: resolution: 'a1' was entered already",
            id="a name twice",
        ),
        pytest.param(
            5,
            {"payload": payload(5, reviewer=" ")},
            "line 6: resolution.reviewer: a person who answers",
            id="nobody",
        ),
        pytest.param(
            5,
            {"payload": payload(5, facts=[{"entry": 1, "observation": {"kind": "sneeze"}}])},
            "line 6: resolution.facts[0].observation: want an object with kind pile_seen or",
            id="no fact",
        ),
        pytest.param(
            5,
            {"payload": payload(5, decision="stands")},
            "line 6: resolution.decision: a verdict that stands",
            id="two minds",
        ),
        pytest.param(
            7,
            {"payload": payload(7, entry=3)},
            "line 8: revert.entry: 3 is no earlier observation and no review",
            id="a verdict is not taken back",
        ),
        pytest.param(
            7,
            {"payload": payload(7, entry=7)},
            "line 8: revert.entry: 7 is no earlier observation and no review",
            id="nor what comes later",
        ),
        pytest.param(
            7, {"kind": "reset"}, "line 8: kind: unknown 'reset' (want: pile_seen,", id="unknown kind"
        ),
    ],
)
def test_reviews_that_do_not_hold(at, changes, message):
    lines = rechained(LINES, at, **changes)

    assert str(verify(lines).fault).startswith(message)
    with pytest.raises(RecordError):
        read_record(lines)


@pytest.mark.parametrize(
    ("at", "changes", "message"),
    [
        pytest.param(
            5,
            {"payload": payload(5, appeal_id=None)},
            "line 6: resolution: v1 is under appeal",
            id="unnamed appeal",
        ),
        pytest.param(
            5,
            {"payload": payload(5, kept=[0], ruling="LEGAL")},
            "line 6: resolution: v1 would be ruled",
            id="idle",
        ),
        pytest.param(
            7, {"payload": payload(7, entry=4)}, "line 8: revert: a1 is answered", id="an answered appeal"
        ),
    ],
)
def test_reviews_that_could_not_have_been_entered_are_found_by_the_replay(at, changes, message):
    log = read_record(rechained(LINES, at, **changes))

    with pytest.raises(RecordError) as caught:
        replay(log)

    assert str(caught.value).startswith(message)


def after_end(make):
    """The lines of a closed record and one more, made by ``make`` on the chain."""
    match = ReviewedMatch(SHORT)
    lines = match.finished()
    return [*lines, make(match)]


def test_after_the_end_only_people_speak():
    refused = "line 6: nothing can follow the entry that ends a record"
    told = next(iter(ReviewedMatch(SHORT).match.proceedings._shelf)).observation

    assert str(verify(after_end(lambda m: m.match.chain.observation(told, at_us=m.now_us))).fault) == refused
    assert str(verify(after_end(lambda m: m.match.chain.end("again"))).fault) == refused
    assert str(verify(after_end(lambda m: m.match.chain.verdict(m.verdicts[0]))).fault) == refused
    assert verify(after_end(lambda m: m.match.chain.note("kept in the cupboard"))).is_ok
    assert verify(after_end(lambda m: m.match.chain.review(m.appeal("v1")))).is_ok


def test_a_chain_goes_on_where_a_record_stopped():
    log = read_record(LINES[:-1])
    chain = RecordChain(log.header)

    chain.continue_after(log.entries)

    assert chain.header_line == LINES[0]
    assert [*LINES[:-1], chain.end("the source ended")] == LINES
    empty = RecordChain(log.header)
    empty.continue_after(())
    assert empty.seq == 0


def test_the_chain_tells_what_a_review_follows_from():
    causes = {e.kind: e.caused_by for e in read_record(LINES).entries if e.kind in FORMATS[FORMAT].reviews}

    assert causes == {"appeal": (3,), "resolution": (3, 4), "revert": (5,)}


OLD = (Path(__file__).parent / "record_format_1.jsonl").read_text().splitlines(keepends=True)


def test_the_first_form_knows_no_reviews_and_no_later_observations():
    last = json.loads(OLD[-2])
    body = {
        **{key: value for key, value in last.items() if key != "hash"},
        "seq": last["seq"] + 1,
        "kind": "revert",
        "prev_hash": last["hash"],
        "payload": {"revert_id": "u1", "entry": 1, "reason": "x", "reviewer": "y", "at_us": 0},
    }
    line = canonical(body | {"hash": hash_of(body)}) + "\n"

    fault = str(verify([*OLD[:-1], line]).fault)

    assert fault.startswith("line 6: kind: unknown 'revert' (want: pile_seen, card_landed, card_lifted,")
    assert "pile_laid" not in fault


def test_a_record_is_taken_up_again_only_where_its_verdicts_follow():
    verdict = json.loads(LINES[3])["payload"]
    otherwise = rechained(LINES, 3, payload=verdict | {"verdict_id": "v1", "decided_us": 59_000_000})

    assert verify(otherwise).is_ok, "the chain alone does not tell"
    with pytest.raises(RecordError) as caught:
        resumed(read_record(otherwise))
    assert str(caught.value) == (
        "line 9: the verdicts are not those of its observations: v1: decided_us is written as 59000000 but"
        " replays as 1200000"
    )
    assert resumed(read_record(LINES)).chain.seq == 8


def test_an_older_form_is_held_to_its_rulings_not_to_its_words():
    log = read_log(OLD)
    verdict = next(e for e in log.entries if e.kind == "verdict")
    reworded = replace(verdict, payload=replace(verdict.payload, reason="Ana was first"))
    otherwise = replace(verdict, payload=replace(verdict.payload, ruling=Ruling.TIE, rule=None))

    def among(entry):
        return replace(log, entries=tuple(entry if e.seq == entry.seq else e for e in log.entries))

    assert (log.version, first_difference(log, replay(log))) == (1, None)
    assert first_difference(among(reworded), replay(log)) is None
    assert first_difference(among(otherwise), replay(log)) == "v1, TIE -, is not ruled so any more"


def test_a_header_holds_all_that_verdicts_depend_on():
    match = ReviewedMatch(SHORT)
    header = RecordHeader(setup=match.setup, table="kitchen", table_sha256="ab" * 32, camera="fixed view")

    written = json.loads(RecordChain(header).header_line)

    assert (written["format"], written["table_sha256"], written["camera"]) == (2, "ab" * 32, "fixed view")
    assert written["setup"]["rules"]["appeals"] == 3
    assert {"game", "seats", "rules", "timing", "clock_grade", "frame_period_us", "piles"} <= written[
        "setup"
    ].keys()
    assert {"models", "program", "source", "table"} <= written.keys()
    assert read_record([RecordChain(header).header_line]).header == header


def test_seats_that_appeal_must_play():
    lines = rechained(LINES, 4, payload=payload(4, raised_by=Seat.EAST.value))

    with pytest.raises(RecordError, match="line 5: appeal: nobody sits at east"):
        replay(read_record(lines))
