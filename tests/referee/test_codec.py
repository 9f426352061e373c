"""Values as JSON: what is written, and what is refused with which words."""

import json

import pytest
from typed_match import judged, step

from referee.codec import (
    OBSERVATION_KINDS,
    CodecError,
    canonical,
    decode_observation,
    decode_verdict,
    encode,
    encode_observation,
    parse_json,
)

KINDS = ", ".join(OBSERVATION_KINDS)
EVENTS = "card_moved or contested_play or pile_removed or cards_told or happened"
LANDED = encode_observation(
    step("land south 5H waste F0 983-1000 evidence=table.mp4@983,1000 confidence=0.97 seat_confidence=0.95")
)
SEEN = encode_observation(step("look F0 4H @1"))
COUNTED = encode_observation(step("count south/reserve 3 @1"))


def test_a_landing_as_it_is_written():
    assert canonical(LANDED) == (
        '{"card":"5H","confidence":0.97,"evidence":{"frames_us":[983000,1000000],"source_id":"table.mp4"},'
        '"kind":"card_landed","pile":"table/foundation[0]","resolution_us":8333,"seat":"south",'
        '"seat_confidence":0.95,"settled_us":1100000,"source":"south/waste","touch":[983000,1000000]}'
    )


def test_a_verdict_as_it_is_written():
    (verdict,) = judged("look F0 4H @0\nland south 5D - F0 983-1000").verdicts

    written = encode(verdict)

    assert {key: value for key, value in written.items() if key != "event"} == {
        "verdict_id": "v1",
        "ruling": "ILLEGAL",
        "rule": "N26",
        "reason": "5D may not go on 4H: a foundation goes up in one suit",
        "reasons": [
            {
                "key": "foundation_sequence.suit",
                "args": [{"name": "card", "value": "5D"}, {"name": "base", "value": "4H"}],
            }
        ],
        "outcome": None,
        "basis": None,
        "touch": [983_000, 1_000_000],
        "seat": "south",
        "card": "5D",
        "pile": "table/foundation[0]",
        "kept": [],
        "returned": [0],
        "seats": [],
        "decided_us": 1_200_000,
    }
    assert written["event"]["kind"] == "card_moved"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            "land south AH waste F0 0-10 settled=50\nland north AH waste F0 0-10 settled=50",
            id="contested play",
        ),
        pytest.param("look F0 KS @0\nlook F0 empty @500", id="pile removed"),
        pytest.param("count south/reserve 14 @500", id="cards told"),
        pytest.param("lift south AH south/waste 0-5\nland south AH - F0 8-10", id="card moved"),
    ],
)
def test_each_kind_of_event_comes_back(lines):
    (verdict,) = judged(lines).verdicts

    assert decode_verdict(parse_json(canonical(encode(verdict)))) == verdict


def test_what_happened_points_at_what_shows_it():
    (verdict,) = judged("turn south stock waste 4 5 evidence=table.mp4@5").verdicts

    assert [evidence.source_id for evidence in verdict.evidence] == ["table.mp4"]
    assert judged("call timer - 5").verdicts[0].evidence == ()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param([], "observation: want a JSON object, got []", id="no object"),
        pytest.param(
            {"pile": "F0"},
            f"kind: want one of {KINDS}, got None",
            id="no kind",
        ),
        pytest.param(
            LANDED | {"kind": "verdict"},
            f"kind: want one of {KINDS}, got 'verdict'",
            id="another kind",
        ),
        pytest.param(
            COUNTED | {"colour": 1},
            "cards_counted: unknown key 'colour' (want: pile, count, told_by, at_us)",
            id="unknown key",
        ),
        pytest.param(
            {"kind": "cards_counted", "count": 1}, "cards_counted: missing pile, told_by, at_us", id="missing"
        ),
        pytest.param(
            LANDED | {"card": "1h"},
            "card_landed.card: not a card: '1h' (want e.g. 'AS', 'TH', 'JK')",
            id="no card",
        ),
        pytest.param(LANDED | {"card": 5}, "card_landed.card: want a text, got 5", id="a number for a card"),
        pytest.param(
            LANDED | {"pile": "moon/waste"},
            "card_landed.pile: not a pile: 'moon/waste' (want e.g. 'table/foundation[3]', 'south/waste')",
            id="no pile",
        ),
        pytest.param(
            LANDED | {"pile": None},
            "card_landed.pile: want a text, got None",
            id="nothing where something must be",
        ),
        pytest.param(
            LANDED | {"seat": "up"},
            "card_landed.seat: want one of north, northeast, east, southeast, south, southwest, west, "
            "northwest, got 'up'",
            id="no seat",
        ),
        pytest.param(
            LANDED | {"touch": [5]},
            "card_landed.touch: want [start_us, end_us], got [5]",
            id="half an interval",
        ),
        pytest.param(
            LANDED | {"touch": [5, 4]},
            "card_landed.touch: want [start_us, end_us], end not before start, got [5, 4]",
            id="an interval that runs back",
        ),
        pytest.param(
            LANDED | {"touch": [0.5, 1]},
            "card_landed.touch: want a whole number, got 0.5",
            id="half a microsecond",
        ),
        pytest.param(
            LANDED | {"settled_us": True},
            "card_landed.settled_us: want a whole number, got True",
            id="yes for a time",
        ),
        pytest.param(
            LANDED | {"settled_us": 2**53 + 1},
            "card_landed.settled_us: want a whole number within 2^53, got 9007199254740993",
            id="a time beyond all",
        ),
        pytest.param(
            LANDED | {"confidence": "high"}, "card_landed.confidence: want a number, got 'high'", id="a word"
        ),
        pytest.param(
            LANDED | {"confidence": True}, "card_landed.confidence: want a number, got True", id="yes"
        ),
        pytest.param(
            LANDED | {"confidence": 10**400},
            f"card_landed.confidence: want a number within 2^53, got 1{'0' * 56}...",
            id="a number too long to show",
        ),
        pytest.param(
            LANDED | {"confidence": 2}, "card_landed.confidence: want 0 to 1, got 2.0", id="more than sure"
        ),
        pytest.param(
            LANDED | {"evidence": "clip"},
            "card_landed.evidence: want an object with source_id, frames_us, got 'clip'",
            id="no evidence",
        ),
        pytest.param(
            LANDED | {"evidence": {"source_id": "a", "frames_us": 3}},
            "card_landed.evidence.frames_us: want a list, got 3",
            id="no list",
        ),
        pytest.param(
            LANDED | {"evidence": {"source_id": "a", "frames_us": [1, "b"]}},
            "card_landed.evidence.frames_us[1]: want a whole number, got 'b'",
            id="one bad item",
        ),
        pytest.param(
            SEEN | {"is_empty": 0}, "pile_seen.is_empty: want true or false, got 0", id="a number for a yes"
        ),
    ],
)
def test_what_is_refused(value, message):
    with pytest.raises(CodecError) as caught:
        decode_observation(value)

    assert str(caught.value) == message


def test_a_verdict_on_plays_that_it_does_not_have_is_refused():
    (verdict,) = judged("land south AH waste F0 983-1000").verdicts
    written = encode(verdict) | {"kept": [1]}

    with pytest.raises(CodecError, match=r"verdict\.kept: want positions below 1, got 1"):
        decode_verdict(written)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        pytest.param(
            "moved",
            f"verdict.event: want an object with kind {EVENTS}, got 'moved'",
            id="no object",
        ),
        pytest.param(
            {"kind": "pile_seen"},
            f"verdict.event: want an object with kind {EVENTS}, got {{'kind': 'pile_seen'}}",
            id="no event",
        ),
    ],
)
def test_a_verdict_without_an_event_is_refused(event, message):
    (verdict,) = judged("land south AH waste F0 983-1000").verdicts

    with pytest.raises(CodecError) as caught:
        decode_verdict(encode(verdict) | {"event": event})

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "not JSON: Expecting property name", id="cut"),
        pytest.param('{"a":1,"a":2}', "key 'a' stands twice", id="a key twice"),
        pytest.param('{"a":NaN}', "NaN is no number that can be meant", id="no number"),
        pytest.param('{"a":-1e999}', "-1e999 is a number too large", id="beyond all numbers"),
        pytest.param("[" * 100_000, "^not JSON: want it not nested so deep$", id="endless nesting"),
        pytest.param("1" * 5000, "^not JSON: want it with numbers of a usual length$", id="endless number"),
        pytest.param(b'{"a":"\xff"}', "^not JSON: want it in UTF-8$", id="no UTF-8"),
    ],
)
def test_text_that_is_no_json(text, message):
    with pytest.raises(CodecError, match=message):
        parse_json(text)


def test_half_a_surrogate_pair_is_no_text():
    with pytest.raises(CodecError, match="told_by: want a text without half surrogate pairs, got"):
        decode_observation(
            parse_json(
                '{"kind":"cards_counted","pile":"south/reserve","count":3,"told_by":"\\ud800","at_us":1}'
            )
        )


def test_whole_numbers_may_stand_for_measures():
    value = json.loads(canonical(LANDED | {"confidence": 1}))

    assert decode_observation(value).confidence == 1.0
