"""Garbage in: a named error with its line, or a verdict that cannot tell; never a trace or a silent drop."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reviewed_matches import HEADER, RACE, ReviewedMatch

from api import cli
from referee.codec import canonical, encode_observation
from referee.notation import parse_game
from referee.notation_lines import FORMS
from referee.verdicts import Ruling

MATCH = ReviewedMatch(RACE)
MATCH.enter(MATCH.appeal("v1"))
MATCH.enter(MATCH.ruled("v1", Ruling.FIRST, 1, appeal_id="a1"))
RECORD = "".join(MATCH.finished()).encode()
GAME = parse_game(HEADER + RACE)
BARE = [canonical(encode_observation(told)) + "\n" for told in GAME.observations]
TYPED = (HEADER + RACE).splitlines()
CASES = [path.read_text() for path in sorted((Path(__file__).parents[1] / "referee" / "cases").glob("*.txt"))]

modest = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NAMED = re.compile(
    r"touchjudge: .*(line \d+: |want |No such|cases differ|the file is empty|not those of its)"
)


def tried(capsys, path: Path, content: bytes, *arguments: str) -> tuple[int, str, str]:
    """What ``judge`` makes of a file: its status, and what it printed; a fault of our own fails the test."""
    path.write_bytes(content)
    capsys.readouterr()
    status = cli.run(["judge", str(path), *arguments])
    out, err = capsys.readouterr()
    told = [line for line in err.splitlines() if not line.startswith("note: ")]
    assert "fault in touchjudge" not in err, (content[:2000], err)
    assert len(told) == (status != 0), (content[:2000], err)
    assert status == 0 or NAMED.match(told[0]), (content[:2000], told)
    assert len(err) < 3000, err
    return status, out, err


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(10**15, 10**30),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from(
            ["5H", "south", "table/foundation[1]", "south/waste", "nobody/waste", "JK", "??", "\0"]
        ),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@modest
@given(st.data())
def test_a_record_with_other_bytes_in_it(tmp_path, capsys, data):
    content = bytearray(RECORD)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))

    status, _, _ = tried(capsys, tmp_path / "r.jsonl", bytes(content))

    assert (status == 0) == (bytes(content) in {RECORD, RECORD.removesuffix(b"\n")}) or not bytes(
        content
    ).endswith(b"\n")


@modest
@given(st.data())
def test_observations_with_other_values(tmp_path, capsys, data):
    lines = list(BARE)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        row = json.loads(BARE[at])
        key = data.draw(st.sampled_from([*sorted(row), "other"]))
        row[key] = data.draw(json_values)
        lines[at] = json.dumps(row) + "\n"

    tried(capsys, tmp_path / "o.jsonl", "".join(lines).encode("utf-8", "surrogatepass"))


WORDS = """
lay wait game player rules camera timing surely piles case expect score open pending match
F1 F2 P1 Ana/W1 Ana/nerts waste stock Ben Ana - ?? 5H 4H JK=5S ... empty 3 down
983.3..1000 0 -5 9e9 1000..900 at=7 frame=3 60 fps nerts spit speed south east = : # " =" true
"""
words = st.one_of(
    st.sampled_from([form.verb for form in FORMS] + WORDS.split()),
    st.text(max_size=6),
    st.integers().map(str),
)


@modest
@given(st.data())
def test_typed_games_with_other_words(tmp_path, capsys, data):
    lines = [line.split() for line in TYPED]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        place = data.draw(st.integers(0, len(lines[at])))
        new = data.draw(st.lists(words, max_size=3))
        lines[at] = lines[at][:place] + new + lines[at][place + data.draw(st.integers(0, 1)) :]
    text = "\n".join(" ".join(line) for line in lines)

    tried(capsys, tmp_path / "g.txt", text.encode("utf-8", "surrogatepass"))


@modest
@given(st.data())
def test_cases_with_other_lines(tmp_path, capsys, data):
    text = data.draw(st.sampled_from(CASES))
    head, *cases = re.split(r"(?m)^(?=case )", text)
    chosen = [data.draw(st.sampled_from(cases)) for _ in range(2)]
    lines = (head + "".join(chosen)).splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = " ".join(data.draw(st.lists(words, max_size=6)))

    tried(capsys, tmp_path / "c.txt", "\n".join(lines).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        pytest.param(b"", "line 1: the file is empty", id="empty"),
        pytest.param(b"\n\n\n", "line 3: no record: no header and no observation", id="blank lines"),
        pytest.param(b"\0" * 64, "line 1: no record: no header and no observation", id="zeros"),
        pytest.param(b"\xff\xfe{\0}\0", "line 1: not text (want UTF-8)", id="another encoding"),
        pytest.param(
            "game nerts\nplayer south Zo\xeb\n".encode("latin-1"), "not text (want UTF-8)", id="latin 1"
        ),
        pytest.param(
            b"[" * 100_000, "line 1: no record: no header and no observation", id="a deep list, cut"
        ),
        pytest.param(b"[" * 100_000 + b"\n", "line 1: not JSON: ", id="a deep list"),
        pytest.param(b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n", "line 1: not JSON: ", id="a deep object"),
        pytest.param(BARE[0].encode() + b'{"kind":"card_landed"\n', "line 2: not JSON", id="a broken line"),
        pytest.param(
            BARE[1].replace("south", "sou\\u0000th").encode(), "line 1: card_landed", id="NUL in a name"
        ),
        pytest.param(
            BARE[1].replace("1000000", "1" + "0" * 400).encode(), "line 1: ", id="a number without end"
        ),
        pytest.param(
            BARE[1].replace("1000000", "1e999").encode(), "line 1: 1e999 is a number too large", id="1e999"
        ),
        pytest.param(
            BARE[1].replace('"5H"', '"5H5H"').encode(), "line 1: card_landed.card: not a card", id="no card"
        ),
        pytest.param(
            "".join(
                [
                    BARE[3].replace("3033300,3050000", "93033300,93050000").replace("3150000", "93150000"),
                    BARE[1],
                ]
            ).encode(),
            "line 2: time runs backwards, from 93150000 to 1150000 us",
            id="time runs backwards",
        ),
        pytest.param(b"hello there\n", "line 1: not a line: 'hello'", id="words"),
        pytest.param(b"game whist\n", "line 1: game: want one of nerts, ", id="no game of ours"),
        pytest.param(
            b"player south Ana\ncount Ana/nerts 9999999 5\n",
            "line 2: count: want 0 to 432 cards",
            id="impossible",
        ),
        pytest.param(
            b"player south Ana\nland Ben 5H waste F1 5\n", "line 2: nobody is called 'Ben'", id="stranger"
        ),
        pytest.param(
            b"player south Ana\nland Ana 5H waste F1 9..5\n", "line 2: ", id="ends before it starts"
        ),
        pytest.param(
            b"player south Ana\nland Ana 5H waste F1 99999999999999999999\n",
            "line 2: not a time",
            id="far away",
        ),
        pytest.param(
            b"player south Ana\npiles F1\nland Ana 5H waste F2 5\n", "line 3: the table has no", id="no pile"
        ),
        pytest.param(b'player south "Ana\n', "line 1: a quote is not closed", id="an open quote"),
        pytest.param(b"case\n", "line 1: want case ID", id="a case without a name"),
        pytest.param(b"case X a\nwait 5\n", "line 1: case X expects nothing", id="a case without a question"),
        pytest.param(b"game nerts\n\x1b[2J\n", "line 2: want text without control", id="control characters"),
        pytest.param(
            b"player south Ana\ncase X a\nland Ana AH waste F1 5\nexpect MAYBE N25 *\n",
            "line 4: want expect RULING RULE KEY",
            id="no ruling of ours",
        ),
        pytest.param(
            b"player south Ana\ncase X a\nland Ana AH waste F1 5\nscore Ana\n",
            "line 4: want score WHO POINTS",
            id="a score without points",
        ),
        pytest.param(
            b"player south Ana\ncase X a\nland Ana AH waste F1 5\npending F1\n",
            "line 4: want pending PILE WHO",
            id="half a question",
        ),
    ],
)
def test_what_cannot_be_meant_is_named_with_its_line(tmp_path, capsys, content, wanted):
    status, _, err = tried(capsys, tmp_path / "garbage", content)

    assert (status, wanted in err) == (1, True), err


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("land - ?? - F1 983..1000", id="a card that nobody saw"),
        pytest.param("look F1 ?? 500", id="a look that shows nothing"),
        pytest.param("count Ana/nerts 40 500", id="more cards than were dealt"),
        pytest.param("lost - 0..90000", id="nothing could be seen"),
        pytest.param("carry Ana 5H,6H,7H waste F1 983..1000", id="more cards than a hand may carry"),
        pytest.param("turn Ana stock waste 9 983..1000", id="more cards than are turned"),
    ],
)
def test_what_can_hardly_be_is_ruled_on_or_said_to_be_open(tmp_path, capsys, line):
    status, out, _ = tried(capsys, tmp_path / "g.txt", f"{HEADER}F1: ... 4H\n{line}\n".encode(), "--json")

    rows = [json.loads(row) for row in out.splitlines()]
    assert status == 0
    assert rows[-1]["kind"] == "score"
    assert rows[-1]["open_items"] or [row for row in rows if row["kind"] == "verdict"]
