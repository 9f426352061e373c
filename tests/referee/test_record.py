"""The record: its chain, what `verify` finds, and what is refused with which words."""

import json
import re

import pytest
from typed_match import setup, step, steps

from referee.codec import OBSERVATION_KINDS, canonical, encode, encode_observation
from referee.logs import RecordError, is_header, read_log, read_observations, read_record, verify
from referee.nerts_rules import NertsRules
from referee.record import End, Note, Origin, RecordChain, RecordedMatch, RecordHeader, hash_of
from referee.replay import first_difference, replay
from referee.verdicts import Ruling

KINDS = ", ".join(OBSERVATION_KINDS)
HEADER = RecordHeader(setup=setup(), table="kitchen", source="table.mp4", program="touchjudge 0.1.0")
TOLD = steps("""
    look F0 4H @0
    land south 5H waste F0 983-1000
    land north 5H waste F0 1183-1200
    count south/reserve 14 @5000
""")


def recorded(told=TOLD, *, is_ended=True):
    match = RecordedMatch(HEADER)
    lines = [match.header_line]
    for observation in told:
        lines += match.observe(observation).lines
    return [*lines, *match.finish("the source ended").lines] if is_ended else lines


def changed(line, **changes):
    """``line`` with other values and the right hash for them: only its meaning is wrong."""
    body = {key: value for key, value in json.loads(line).items() if key != "hash"} | changes
    return canonical(body | {"hash": hash_of(body)}) + "\n"


def without(line, key):
    body = {name: value for name, value in json.loads(line).items() if name not in {"hash", key}}
    return canonical(body | {"hash": hash_of(body)}) + "\n"


def test_entries_say_who_said_what_when_and_why():
    log = read_record(recorded())

    told = [(e.seq, e.kind, str(e.origin), e.caused_by, e.t_us) for e in log.entries]
    assert told == [
        (1, "pile_seen", "vision", (), 0),
        (2, "card_landed", "vision", (), 1_100_000),
        (3, "verdict", "referee", (2,), 1_300_000),
        (4, "card_landed", "vision", (), 1_300_000),
        (5, "verdict", "referee", (2, 4), 5_000_000),
        (6, "cards_counted", "person", (), 5_000_000),
        (7, "verdict", "referee", (6,), 5_000_000),
        (8, "end", "program", (), 5_000_000),
    ]
    assert (log.is_ended, log.is_chained, log.cut_line) == (True, True, None)
    assert log.header == HEADER
    assert [verdict.ruling for verdict in log.verdicts] == [Ruling.LEGAL, Ruling.FIRST, Ruling.FLAG]


def test_a_removed_pile_is_caused_by_the_look_at_it():
    log = read_record(recorded(steps("look F0 KS @0\nlook F0 empty @500")))

    assert [(e.kind, e.caused_by) for e in log.entries[2:3]] == [("verdict", (2,))]


def test_the_hash_is_that_of_the_line_without_it():
    line = recorded()[1]
    body = json.loads(line)
    digest = body.pop("hash")

    assert hash_of(body) == digest
    assert body["prev_hash"] == json.loads(recorded()[0])["hash"]
    assert re.fullmatch("[0-9a-f]{64}", digest)


def test_the_time_of_a_frame_is_kept_beside_the_observation():
    match = RecordedMatch(HEADER)
    lines = [
        match.header_line,
        *match.observe(TOLD[1], at_us=1_900_000).lines,
        *match.advance(2_000_001).lines,
    ]

    log = read_record(lines)

    assert [e.t_us for e in log.entries] == [1_900_000, 2_000_001]
    assert log.observations[0].at_us == 1_900_000
    assert first_difference(log, replay(log)) is None


def test_a_chain_takes_notes_and_keeps_time_running_forward():
    chain = RecordChain(HEADER)
    lines = [
        chain.header_line,
        chain.note("the camera was touched"),
        chain.observation(TOLD[1]),
        chain.note("the lamp went on", at_us=5, origin=Origin.PERSON),
        chain.verdict(replay(read_record(recorded())).verdicts[0]),
        chain.end("stopped"),
    ]

    log = read_record(lines)

    assert [e.t_us for e in log.entries] == [0, 1_100_000, 1_100_000, 1_100_000, 1_100_000]
    assert log.entries[0].payload == Note("the camera was touched")
    assert (log.entries[2].origin, log.entries[4].payload) == (Origin.PERSON, End("stopped"))


def test_a_whole_record_verifies():
    assert str(verify(recorded())) == "whole up to entry 8, closed"
    assert str(verify(recorded(is_ended=False))) == (
        "whole up to entry 6, not closed: the match was stopped, or still runs"
    )
    assert str(verify([line.encode() for line in recorded()])) == "whole up to entry 8, closed"
    assert str(verify([line.removesuffix("\n") for line in recorded()])) == "whole up to entry 8, closed"


def test_a_record_that_is_cut_says_up_to_where_it_is_whole():
    lines = recorded()
    cut = [*lines[:5], lines[5][:40]]

    assert str(verify(cut)) == "line 6: the line is cut short; whole up to entry 4"
    log = read_log(cut)
    assert (len(log.entries), log.cut_line) == (4, 6)
    assert first_difference(log, replay(log)) is None


FIRST, LOOK, LANDED = recorded()[:3]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        pytest.param([], "line 1: the file is empty", id="empty"),
        pytest.param([FIRST[:30]], "line 1: the header is cut short", id="cut header"),
        pytest.param(["[]\n"], "line 1: want a JSON object", id="no object"),
        pytest.param(["{}\n"], "line 1: missing hash", id="no hash"),
        pytest.param(
            ["hello\n"], "line 1: not JSON: Expecting value: line 1 column 1 (char 0)", id="no JSON"
        ),
        pytest.param([b"\xff\n"], "line 1: not text (want UTF-8)", id="no text"),
        pytest.param(
            [FIRST.replace("Ana", "Bob")],
            "line 1: the hash does not fit the line: it was changed",
            id="changed",
        ),
        pytest.param(
            [FIRST.replace(",", ", ", 1)],
            "line 1: the line is not written in the canonical form: it was changed",
            id="rewritten",
        ),
        pytest.param([LOOK], "line 1: want the header of a record", id="no header"),
        pytest.param([changed(FIRST, format=3)], "line 1: format: want 1 or 2, got 3", id="another format"),
        pytest.param(
            [changed(FIRST, format=True)], "line 1: format: want 1 or 2, got True", id="yes for a format"
        ),
        pytest.param(
            [changed(FIRST, kind="top")], "line 1: kind: want header, got 'top'", id="another kind of header"
        ),
        pytest.param(
            [changed(FIRST, tables=2)],
            "line 1: header: unknown key 'tables' "
            "(want: setup, table, table_sha256, source, camera, models, program)",
            id="unknown key in the header",
        ),
        pytest.param(
            [changed(FIRST, setup=json.loads(FIRST)["setup"] | {"frame_period_us": 0})],
            "line 1: header.setup: frame_period_us: want more than 0, got 0",
            id="a set-up that cannot be",
        ),
        pytest.param(
            [FIRST, LANDED],
            "line 2: prev_hash is not the hash of the line before: a line is missing or moved",
            id="missing line",
        ),
        pytest.param([FIRST, changed(LOOK, seq=2)], "line 2: seq: want 1, got 2", id="wrong number"),
        pytest.param(
            [FIRST, changed(LOOK, seq="1")], "line 2: seq: want a whole number, got '1'", id="no number"
        ),
        pytest.param([FIRST, without(LOOK, "origin")], "line 2: missing origin", id="missing key"),
        pytest.param(
            [FIRST, changed(LOOK, note="hi")],
            "line 2: unknown key 'note' (want: seq, kind, payload, origin, caused_by, t_us, prev_hash, hash)",
            id="unknown key",
        ),
        pytest.param(
            [FIRST, changed(LOOK, kind="sneeze")],
            f"line 2: kind: unknown 'sneeze' (want: {KINDS}, appeal, resolution, revert, verdict, note, end)",
            id="unknown kind",
        ),
        pytest.param(
            [FIRST, changed(LOOK, origin="moon")],
            "line 2: origin: want one of vision, referee, person, program, got 'moon'",
            id="unknown origin",
        ),
        pytest.param(
            [FIRST, changed(LOOK, caused_by=[1])],
            "line 2: caused_by: want earlier entries, got [1]",
            id="own cause",
        ),
        pytest.param(
            [FIRST, changed(LOOK, t_us=-1)],
            "line 2: t_us: -1 is before the observation could be made, 0",
            id="told before it was seen",
        ),
        pytest.param(
            [FIRST, changed(LOOK, payload=json.loads(LOOK)["payload"] | {"pile": "northwest/waste"})],
            "line 2: nobody sits at northwest (seats: south, north, east, west)",
            id="unknown seat",
        ),
        pytest.param(
            [FIRST, changed(LOOK, payload=json.loads(LOOK)["payload"] | {"confidence": 2})],
            "line 2: pile_seen.confidence: want 0 to 1, got 2.0",
            id="impossible number",
        ),
    ],
)
def test_lines_that_do_not_hold(lines, message):
    with pytest.raises(RecordError) as caught:
        read_record(lines)

    assert str(caught.value) == message
    assert str(verify(lines).fault) == message


def test_time_does_not_run_backwards_in_a_record():
    lines = recorded()
    later = changed(lines[1], t_us=9_000_000)
    earlier = changed(lines[2], prev_hash=json.loads(later)["hash"])

    assert str(verify([lines[0], later, earlier]).fault) == (
        "line 3: t_us: time runs backwards, from 9000000 to 1100000"
    )


def test_nothing_follows_the_end():
    lines = recorded(())
    after = changed(LOOK, seq=2, prev_hash=json.loads(lines[1])["hash"])

    assert str(verify([*lines, after]).fault) == "line 3: nothing can follow the entry that ends a record"


def bare(told=TOLD):
    return [canonical(encode_observation(observation)) + "\n" for observation in told]


def test_a_bare_file_of_observations_is_read_and_judged():
    log = read_log(bare())

    assert (log.is_chained, log.entries, log.cut_line) == (False, (), None)
    assert [timed.observation for timed in log.observations] == list(TOLD)
    assert [item.player for item in log.header.setup.seats] == ["north", "south"]
    assert [verdict.ruling for verdict in replay(log).verdicts] == [Ruling.LEGAL, Ruling.FIRST, Ruling.FLAG]


def test_a_bare_file_may_have_a_header_and_blank_lines():
    header = canonical({"format": 1, "setup": encode(setup(rules=NertsRules(nerts_penalty=1)))}) + "\n"

    log = read_log([header, "\n", *bare()])

    assert log.header.setup.rules.nerts_penalty == 1
    assert len(log.observations) == len(TOLD)


def test_a_header_may_leave_out_what_has_a_default():
    header = (
        '{"format":1,"kind":"header","setup":{"match_id":"m","seats":[{"seat":"south","player":"Ana"}],'
        '"frame_period_us":16667,"clock_grade":"B","rules":{"nerts_penalty":1}}}'
    )

    assert read_log([header]).header.setup.rules == NertsRules(nerts_penalty=1)


def test_a_cut_bare_file_is_read_up_to_the_cut():
    lines = bare()

    log = read_log([*lines[:2], lines[2][:50]])

    assert (len(log.observations), log.cut_line) == (2, 3)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        pytest.param([], "line 1: the file is empty", id="empty"),
        pytest.param(
            ["hello\n"], "line 1: not JSON: Expecting value: line 1 column 1 (char 0)", id="no JSON"
        ),
        pytest.param(
            ['{"kind":"sneeze"}\n'],
            f"line 1: kind: want one of {KINDS}, got 'sneeze'",
            id="unknown kind",
        ),
        pytest.param(
            ['{"format":7}\n'],
            "line 1: format: want 1 or 2, got 7",
            id="another format",
        ),
        pytest.param(
            [canonical({"format": 1, "setup": encode(setup())}), *bare(steps("look northwest/waste 4H @0"))],
            "line 2: nobody sits at northwest (seats: south, north, east, west)",
            id="unknown seat",
        ),
        pytest.param(
            bare(steps("look F0 4H @3000\nlook F0 4H @1500")),
            "line 2: time runs backwards, from 3000000 to 1500000 us",
            id="time runs backwards",
        ),
        pytest.param(
            bare(steps("look F0 4H @90000\ntouch south F0 0-20")),
            "line 2: time runs backwards, from 90000000 to 20000 us",
            id="a touch from long ago",
        ),
        pytest.param(
            [*bare(), canonical({"format": 1, "setup": encode(setup())})],
            f"line 5: kind: want one of {KINDS}, got None",
            id="a header below",
        ),
    ],
)
def test_bare_lines_that_do_not_hold(lines, message):
    with pytest.raises(RecordError) as caught:
        read_log(lines)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("hello there", id="words"),
        pytest.param("\0" * 64, id="zeros"),
        pytest.param("[" * 100_000, id="brackets"),
        pytest.param("\n\n \n", id="blank lines"),
        pytest.param("\nhello", id="words after a blank line"),
    ],
)
def test_what_is_neither_header_nor_observation_is_no_record(text):
    with pytest.raises(RecordError, match="no record: no header and no observation"):
        read_log(text.splitlines(keepends=True))


def test_the_line_that_begins_a_record_is_known_by_itself():
    header, entry = recorded()[:2]

    assert is_header(header)
    assert is_header(header.encode())
    assert not is_header(entry)
    assert not is_header(without_hash(header)), "a bare file may have a header, but no hash"
    assert not is_header(header[:-9]), "cut"
    assert not is_header(b"\xff\xfe"), "not text"
    assert not is_header("[]")


def without_hash(line):
    return canonical({key: value for key, value in json.loads(line).items() if key != "hash"}) + "\n"


def test_a_record_cut_in_its_header_is_no_record():
    line = RecordChain(RecordHeader(setup=setup())).header_line

    with pytest.raises(RecordError, match="line 1: no record"):
        read_log([line[:100]])


def test_a_bare_file_may_be_a_little_out_of_order():
    told = steps("look F0 4H @3000\nlook F0 4H @2500\ntouch south F0 0-20")

    assert len(read_observations(bare(told)).observations) == 3


def test_a_replay_under_other_rules_asks_what_if():
    log = read_record(recorded(steps("count south/reserve 3 @5000")))

    what_if = replay(log, setup=setup(rules=NertsRules(nerts_penalty=1)))

    assert (replay(log).scorecard.totals[0][1], what_if.scorecard.totals[0][1]) == (-6, -3)


def test_notes_change_nothing_in_a_replay():
    match = RecordedMatch(HEADER)
    lines = [match.header_line, *match.observe(TOLD[0]).lines, match.chain.note("the lamp went on")]
    for observation in TOLD[1:]:
        lines += match.observe(observation).lines
    log = read_record([*lines, *match.finish("the source ended").lines])

    assert [e.kind for e in log.entries].count("note") == 1
    assert [v.ruling for v in replay(log).verdicts] == [Ruling.LEGAL, Ruling.FIRST, Ruling.FLAG]
    assert first_difference(log, replay(log)) is None


def test_a_record_whose_verdicts_do_not_follow_is_found():
    log = read_record(recorded())
    other = read_record(recorded(steps("look F0 3H @0\nland south 5H waste F0 983-1000")))
    none = read_record(recorded(()))

    assert first_difference(log, replay(log)) is None
    difference = first_difference(log, replay(other)) or ""
    assert difference.startswith("v1: ruling is written as 'LEGAL' but replays as 'ILLEGAL' (kept, ")
    assert len(difference) < 200
    assert first_difference(log, replay(none)) == "3 verdicts are written but 0 replay"
    assert first_difference(none, replay(log)) == "0 verdicts are written but 3 replay"


def test_a_record_that_was_stopped_may_lack_the_last_verdicts():
    log = read_record(recorded(TOLD[:2], is_ended=False))

    assert (len(log.verdicts), len(replay(log).verdicts)) == (0, 1)
    assert first_difference(log, replay(log)) is None


def test_an_observation_that_cannot_be_meant_is_not_recorded():
    match = RecordedMatch(HEADER)

    with pytest.raises(ValueError, match="nobody sits at northwest"):
        match.observe(step("look northwest/waste 4H @0"))

    assert match.referee.now_us is None
