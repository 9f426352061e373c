"""``touchjudge judge`` and ``verify``: what they read, what they tell, and with which status they leave."""

import json
import zipfile
from pathlib import Path

import pytest
from reviewed_matches import HEADER, RACE, ReviewedMatch

from api import cli
from api.case_export import write_verdict_case
from api.case_file import MANIFEST, RECORD, CaseOf, check_case, write_case
from api.commands.judge import until_of
from api.errors import CommandError, MisuseError
from api.rules_file import preset_names
from referee.codec import canonical, encode_observation
from referee.piles import Seat
from referee.verdicts import Ruling

FIRST = "Ana touched first with 5H; Ben was 33-67 ms later, so 5H goes back"
COUNTED = "Ana: 3 cards with Ana's back were counted, the running tally has 1: +2"
GAME = HEADER + RACE + "count Ana/nerts 4 6000\nbacks Ana 3 7000\nbacks Ben 1 7000\n"


def judged(capsys, path: Path, *arguments: str) -> str:
    """What ``judge`` prints of a file that it can judge."""
    status = cli.run(["judge", str(path), *arguments])
    out, err = capsys.readouterr()
    assert status == 0, err
    return out


def rows(capsys, path: Path, *arguments: str) -> list[dict]:
    return [json.loads(line) for line in judged(capsys, path, "--json", *arguments).splitlines()]


def refused(capsys, *arguments: str) -> tuple[int, str]:
    status = cli.run(list(arguments))
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    return status, err


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.txt"
    path.write_text(GAME)
    return path


def reviewed() -> ReviewedMatch:
    match = ReviewedMatch(RACE)
    match.enter(match.appeal("v1", Seat.NORTH, "my hand was there"))
    match.enter(match.ruled("v1", Ruling.FIRST, 1, appeal_id="a1", reason="Ben's nail touches at 966"))
    match.enter(match.appeal("v3", Seat.SOUTH))
    return match


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "r.jsonl"
    path.write_text("".join(reviewed().finished()))
    return path


def test_a_typed_game_is_told_as_players_read_it(capsys, game: Path):
    told = [line.rstrip() for line in judged(capsys, game).splitlines()]

    assert told == [
        f" 0:01.000  v1   FIRST     N15  {FIRST}",
        " 0:03.050  v2   LEGAL     N26  Ben: 6H goes on 5H",
        " 0:04.050  v3   ILLEGAL   N26  Ana: 8C may not go on 6H: a foundation goes up in one suit",
        f" 0:07.000  v4   FLAG      N41  {COUNTED}",
        "player  points  for",
        "Ana          3  3 x 1 foundation cards (N39)",
        "            -8  4 x -2 Nerts cards left (N40)",
        "            -5  total",
        "Ben          1  1 x 1 foundation cards (N39)",
        "             1  total",
        "open: Ben: the cards left in this Nerts pile were not counted (N40, Ben's Nerts pile)",
        "audit: Ana has 3 cards by back, 1 by the verdicts: 2 more counted",
        "audit: Ben has 1 cards by back, 1 by the verdicts: they agree",
    ]


def test_the_lines_of_a_score_add_up_to_its_total(capsys, game: Path):
    (score,) = [row for row in rows(capsys, game) if row["kind"] == "score"]

    for player in score["players"]:
        assert player["total"] == sum(line["points"] for line in player["lines"])
        assert all(line["points"] == line["count"] * line["points_each"] for line in player["lines"])


def test_the_audit_is_told_as_json_too(capsys, game: Path):
    audits = [row for row in rows(capsys, game) if row["kind"] == "audit"]

    assert [(row["player"], row["counted"], row["tracked"], row["difference"]) for row in audits] == [
        ("Ana", 3, 1, 2),
        ("Ben", 1, 1, 0),
    ]


def test_bare_observations_are_judged(capsys, tmp_path: Path):
    match = ReviewedMatch(RACE).match.proceedings
    path = tmp_path / "o.jsonl"
    path.write_text("".join(canonical(encode_observation(item.observation)) + "\n" for item in match._shelf))

    told = [(row["verdict_id"], row["ruling"]) for row in rows(capsys, path) if row["kind"] == "verdict"]

    assert told == [("v1", "FIRST"), ("v2", "LEGAL"), ("v3", "ILLEGAL")]


def test_what_was_overturned_is_marked_and_the_last_word_scores(capsys, record: Path):
    told = judged(capsys, record).splitlines()

    assert told[0].endswith("so 5H goes back (v1 overturned by r1, see v4)")
    assert told[2].endswith("in one suit (v3 under appeal)")
    assert told[3].endswith("v4   FIRST     N15  Ben: Rita looked again: Ben's nail touches at 966")
    assert "             2  total" in [line.rstrip() for line in told]
    verdicts = [row for row in rows(capsys, record) if row["kind"] == "verdict"]
    assert [(row["standing"], row["answered_by"], row["replaced_by"]) for row in verdicts] == [
        ("overturned", "r1", ["v4"]),
        ("standing", None, []),
        ("under appeal", None, []),
        ("standing", None, []),
    ]
    assert verdicts[3]["basis"] == "review"


def test_why_tells_the_rule_the_facts_and_the_times(capsys, game: Path):
    told = judged(capsys, game, "--why", "v1").splitlines()

    assert told[0] == "v1: FIRST"
    assert f"  said: {FIRST}" in told
    assert any(line.startswith("  rule N15: Where two come to one foundation") for line in told)
    assert "  Ana put 5H from Ana's waste on foundation 1: stays" in told
    assert "  Ben put 5H from Ben's waste on foundation 1: goes back" in told
    assert "  Ben: 1033.3 - 1000 = 33.3 ms >= 16.666 ms: surely later, by 33-67 ms" in told
    assert told[-1] == "it is standing"
    (row,) = rows(capsys, game, "--why", "v1")
    assert (row["kind"], row["verdict_id"], row["lines"]) == ("why", "v1", told)


def test_why_of_what_was_appealed(capsys, record: Path):
    told = judged(capsys, record, "--why", "v1").splitlines()

    assert told[-2:] == ["it is overturned by r1; now v4", "  a1: Ben appealed: my hand was there"]
    assert "  it rests on: review" in judged(capsys, record, "--why", "v4").splitlines()


@pytest.mark.parametrize(
    ("grade", "touch", "said"),
    [
        pytest.param("A", "990..1006.7", "by the times: TIE", id="a tie"),
        pytest.param("C", "990..1006.7", "by the times: TOO_CLOSE", id="a clock that is made up"),
        pytest.param(
            "A", "900..1006.7", "Ben's touch is known to 106.7 ms > 50.001 ms (E3)", id="a wide touch"
        ),
    ],
)
def test_why_says_why_nobody_was_first(capsys, tmp_path: Path, grade: str, touch: str, said: str):
    path = tmp_path / "g.txt"
    race = f"land Ana 5H waste F1 983.3..1000\nland Ben 5H waste F1 {touch}\n"
    path.write_text(f"{HEADER}camera 60 fps grade={grade}\nF1: ... 4H\n{race}")

    told = judged(capsys, path, "--why", "v1")

    assert f"  {said}\n" in told


def test_why_of_what_is_no_play(capsys, tmp_path: Path):
    path = tmp_path / "g.txt"
    path.write_text(
        HEADER + "rules nerts_penalty=1\nlook F1 KS 0\nlook F1 empty 500\ncount Ana/nerts 40 900\n"
        "call nerts Ana 2000\n"
    )

    removed, counted, called = (judged(capsys, path, "--why", f"v{i}") for i in (1, 2, 3))

    assert "  foundation 1 lay empty from 500 ms; top before: KS\n" in removed
    assert "  house rules: nerts_penalty = 1\n" in removed
    assert " counted 40 in Ana's Nerts pile\n" in counted
    assert "evidence: none; it was told, not seen\n" in counted
    assert "  call nerts south 2000" in called


@pytest.mark.parametrize(
    ("until", "verdicts", "touched"),
    [
        pytest.param("1.2s", 0, 2, id="before the window closes"),
        pytest.param("1300ms", 1, 0, id="milliseconds"),
        pytest.param("0:03.5", 2, 0, id="minutes and seconds"),
        pytest.param("1:00", 4, 0, id="all of it"),
        pytest.param("3", 0, 2, id="an entry"),
        pytest.param("0", 0, 0, id="nothing"),
    ],
)
def test_until(capsys, game: Path, until: str, verdicts: int, touched: int):
    told = rows(capsys, game, "--until", until)

    kinds = [row["kind"] for row in told]
    assert (kinds.count("verdict"), kinds.count("pending")) == (verdicts, touched)


def test_until_shows_touches_that_are_not_ruled_on(capsys, game: Path):
    told = judged(capsys, game, "--until", "3").splitlines()

    assert told[0] == " 0:01.000  touched        Ana: 5H on foundation 1, ruled on by 0:01.250"


def test_until_of_a_record_counts_its_entries(capsys, record: Path):
    verdicts = [row for row in rows(capsys, record, "--until", "9") if row["kind"] == "verdict"]

    assert [row["standing"] for row in verdicts] == ["under appeal", "standing", "standing"]


@pytest.mark.parametrize("text", ["", "soon", "-1", "1:2:3", "1:20ms", "9" * 40, "1.2.3s"])
def test_until_wants_a_time_or_an_entry(text: str):
    with pytest.raises(MisuseError, match="--until wants a time"):
        until_of(text)


def test_other_rules_are_a_file_or_a_preset(capsys, game: Path, tmp_path: Path):
    (tmp_path / "house.toml").write_text('game = "nerts"\n[rules]\npoints_foundation = 10\n')

    score = rows(capsys, game, "--rules", str(tmp_path / "house.toml"))[-3]

    assert score["players"][0]["total"] == 30 - 8
    for preset in preset_names():
        cli.run(["judge", str(game), "--rules", preset])
        assert "fault" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        pytest.param(
            'game = "spit"\n[rules]\n', "these are rules of 'spit', but the game is nerts", id="of spit"
        ),
        pytest.param("rules = 3\n", "rules: want a table of keys", id="no table"),
        pytest.param("[rules]\ntaget = 3\n", "unknown rule 'taget'", id="unknown"),
    ],
)
def test_rules_that_are_not_of_this_game(capsys, game: Path, tmp_path: Path, written: str, wanted: str):
    (tmp_path / "house.toml").write_text(written)

    status, err = refused(capsys, "judge", str(game), "--rules", str(tmp_path / "house.toml"))

    assert (status, wanted in err) == (2, True), err


def test_rules_of_no_name(capsys, game: Path):
    status, err = refused(capsys, "judge", str(game), "--rules", "nonsense")

    assert (status, err.startswith("touchjudge: --rules wants a file")) == (2, True), err


def test_a_review_that_speaks_of_nothing_under_other_rules_is_said(capsys, record: Path, tmp_path: Path):
    (tmp_path / "house.toml").write_text("appeals = 0\n")

    status = cli.run(["judge", str(record), "--rules", str(tmp_path / "house.toml")])

    err = capsys.readouterr().err
    assert status == 0
    assert "note: not heard under these rules: entry 9, appeal: Ben has no appeal left" in err


CASE = """
case N-014 another suit
F1: ... 4H
land Ana 5D waste F1 983.3..1000
expect ILLEGAL N26 foundation_sequence seat=Ana returns=Ana

case N-900 a wrong wish
F1: ... 4H
land Ana 5H waste F1 983.3..1000
expect ILLEGAL N26 *
score Ana 2
"""


def test_cases_hold_or_differ(capsys, tmp_path: Path):
    path = tmp_path / "cases.txt"
    path.write_text(HEADER + CASE)

    status = cli.run(["judge", str(path)])

    out, err = capsys.readouterr()
    assert status == 1
    assert out.splitlines()[0] == "holds    N-014 another suit"
    assert out.splitlines()[1] == "differs  N-900 a wrong wish"
    assert "want ILLEGAL N26 *, got LEGAL N26" in out
    assert "want 2 points for Ana, got 1" in out
    assert out.splitlines()[-1] == "2 cases: 1 hold, 1 differ"
    assert err == f"touchjudge: {path}: 1 of 2 cases differ\n"


def test_cases_as_json(capsys, tmp_path: Path):
    path = tmp_path / "cases.txt"
    path.write_text(HEADER + CASE.split("case N-900", maxsplit=1)[0])

    told = rows(capsys, path)

    assert told == [
        {"kind": "case", "id": "N-014", "title": "another suit", "holds": True, "differences": []},
        {"kind": "cases", "tried": 1, "hold": 1, "differ": 0},
    ]


@pytest.mark.parametrize("option", [("--rules", "x.toml"), ("--until", "3"), ("--why", "v1")])
def test_options_of_one_game_do_not_go_with_cases(capsys, tmp_path: Path, option: tuple[str, str]):
    path = tmp_path / "cases.txt"
    path.write_text(HEADER + CASE)

    status, err = refused(capsys, "judge", str(path), *option)

    assert (status, err.startswith(f"touchjudge: {option[0]} goes with one game")) == (2, True), err


@pytest.mark.parametrize("name", ["v9", "1", "", "v1 "])
def test_why_wants_a_verdict(capsys, game: Path, name: str):
    status, err = refused(capsys, "judge", str(game), "--why", name)

    assert (status, "--why wants a verdict (v1 to v4)" in err) == (2, True)


# --- verify


def test_a_record_with_reviews_verifies(capsys, record: Path):
    assert cli.run(["verify", str(record)]) == 0
    assert capsys.readouterr().out.endswith("r.jsonl: whole up to entry 13, closed\n")


def test_a_record_that_says_what_does_not_follow(capsys, tmp_path: Path):
    match = ReviewedMatch("F1: ... 4H\nland Ana 5H waste F1 983.3..1000\n")
    match.take(match.match.finish("the source ended"))
    other = ReviewedMatch("F1: ... 3H\nland Ana 5H waste F1 983.3..1000\n", until_us=None)
    lying = [other.match.header_line, *(line for line in other.lines[1:])]
    lying.append(other.match.chain.verdict(match.verdicts[0]))
    lying.append(other.match.chain.end("the source ended"))
    path = tmp_path / "lying.jsonl"
    path.write_text("".join(lying))

    assert cli.run(["verify", str(path)]) == 0, "the chain holds"
    capsys.readouterr()
    status = cli.run(["judge", str(path)])

    told = capsys.readouterr().err
    assert (status, told.count("\n"), len(told) < 400) == (1, 1, True), told
    assert "the verdicts in the record are not those of its observations: v1: ruling is written as" in told
    assert "{" not in told, "a person reads it"


def test_a_record_of_the_first_form_is_judged(capsys):
    path = Path(__file__).parents[1] / "referee" / "record_format_1.jsonl"

    assert [row["kind"] for row in rows(capsys, path)] == ["verdict", "score"]


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A record and the sheet of its first verdict, in a zip."""
    path = tmp_path / "case.zip"
    write_verdict_case(path, "".join(reviewed().finished()).encode(), "v1", None)
    return path


def rewritten(case: Path, **changes: bytes | None) -> Path:
    """The case with members changed, added, or (with None) left out."""
    with zipfile.ZipFile(case) as old:
        members = {info.filename: old.read(info) for info in old.infolist()} | changes
    with zipfile.ZipFile(case, "w") as new:
        for name, content in members.items():
            if content is not None:
                new.writestr(name, content)
    return case


def test_a_case_is_checked_offline(capsys, case: Path):
    assert cli.run(["verify", str(case)]) == 0

    entries = len(reviewed().finished()) - 1
    assert capsys.readouterr().out == (
        f"{case}: 2 files as listed; its record: whole up to entry {entries}, closed; "
        "its sheet is what comes of the record\n"
    )


def test_the_same_case_is_the_same_bytes(tmp_path: Path):
    record = "".join(reviewed().finished()).encode()
    for name in ("a.zip", "b.zip"):
        write_verdict_case(tmp_path / name, record, "v1", None)

    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert check_case(tmp_path / "a.zip").record.is_ended


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        pytest.param(
            {"sheet.html": b"another"}, "sheet.html: its hash is not the one that is listed", id="changed"
        ),
        pytest.param({"sheet.html": None}, "'sheet.html' is listed but not in the case", id="missing"),
        pytest.param({"more.txt": b"x"}, "'more.txt' is in the case but not listed", id="added"),
        pytest.param({MANIFEST: None}, "no case: want case.json in it", id="no list"),
        pytest.param({MANIFEST: b"{"}, "case.json: not JSON", id="a broken list"),
        pytest.param({MANIFEST: b"\xff"}, "case.json: not JSON: want it in UTF-8", id="no text"),
        pytest.param({MANIFEST: b"[" * 9_000}, "case.json: not JSON: want it not nested so deep", id="deep"),
        pytest.param(
            {MANIFEST: b"9" * 5_000},
            "case.json: not JSON: want it with numbers of a usual",
            id="a long number",
        ),
        pytest.param(
            {MANIFEST: b"{}"}, "case.json: want an object with format, kind and files", id="another list"
        ),
        pytest.param(
            {MANIFEST: b'{"format":3,"kind":"case","files":{}}'},
            "case.json: want format 1 or 2",
            id="another format",
        ),
        pytest.param(
            {MANIFEST: b'{"format":1,"kind":"case","files":[]}'},
            "case.json: files: want an object",
            id="no names",
        ),
        pytest.param(
            {MANIFEST: b'{"format":1,"kind":"case","files":{"../x":"00"}}'},
            "'../x' is no name for a file of a case",
            id="a name that leaves the folder",
        ),
        pytest.param(
            {MANIFEST: b'{"format":1,"kind":"case","files":{"x":"00"}}'},
            "'x': want a SHA-256 in hex",
            id="no hash",
        ),
        pytest.param(
            {
                MANIFEST: b'{"format":1,"kind":"case","files":{}}',
                RECORD: None,
                "sheet.html": None,
            },
            "want record.jsonl among the files",
            id="no record",
        ),
    ],
)
def test_a_case_that_does_not_hold(capsys, case: Path, changes: dict[str, bytes | None], wanted: str):
    status, err = refused(capsys, "verify", str(rewritten(case, **changes)))

    assert (status, wanted in err, str(case) in err) == (1, True, True), err


def test_a_case_whose_record_is_cut_or_torn(capsys, tmp_path: Path):
    lines = reviewed().finished()
    torn = [*lines[:4], *lines[5:8]]
    write_case(tmp_path / "torn.zip", torn, {}, CaseOf("v1"))
    write_case(tmp_path / "cut.zip", [*lines[:4], lines[4][:50]], {}, CaseOf("v1"))

    assert (
        "record.jsonl: line 5: prev_hash is not the hash"
        in refused(capsys, "verify", str(tmp_path / "torn.zip"))[1]
    )
    assert (
        "record.jsonl: line 5: the line is cut short"
        in refused(capsys, "verify", str(tmp_path / "cut.zip"))[1]
    )


def test_a_zip_that_is_damaged(capsys, case: Path):
    content = bytearray(case.read_bytes())
    content[60:80] = b"\0" * 20
    case.write_bytes(bytes(content))

    status, err = refused(capsys, "verify", str(case))

    assert (status, str(case) in err) == (1, True)


def test_every_flipped_byte_of_a_case_is_found_or_harmless(case: Path):
    whole = case.read_bytes()
    sound = check_case(case)
    for at in range(0, len(whole), 17):
        flipped = bytearray(whole)
        flipped[at] ^= 0x10
        case.write_bytes(bytes(flipped))
        try:
            found = check_case(case)
        except CommandError as error:
            said = str(error)
            assert said.startswith(str(case)), at
        else:
            assert found == sound, at


def test_a_case_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(CommandError, match="cannot write the case: No such file"):
        write_case(tmp_path / "nowhere" / "case.zip", reviewed().finished(), {}, None)
    with pytest.raises(CommandError, match="no name for a file of a case"):
        write_case(tmp_path / "case.zip", reviewed().finished(), {"/etc/passwd": b""}, None)


# --- bench


def test_the_referee_is_measured_alone(capsys):
    status = cli.run(["bench", "--referee", "--plays", "2000", "--json"])

    figures = json.loads(capsys.readouterr().out)
    assert status == 0
    assert (figures["plays"], list(figures["us_per_observation_at"])) == (2000, ["1000", "2000"])
    assert 0.97 < figures["growth"] < 1.03, "an observation costs as much late in a match as early"
    assert figures["observations"] > 4000
    assert figures["observations_per_second"] > 100
    assert figures["recorded_bytes_per_10000_plays"] > 0


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        pytest.param(["--plays", "2000"], "--plays goes with --referee", id="plays of no referee"),
        pytest.param(
            ["--referee", "--clip", "x.mp4"], "no --clip and no --table", id="a clip for the referee"
        ),
        pytest.param(["--referee", "--plays", "7"], "--plays", id="too few"),
    ],
)
def test_a_measure_that_cannot_be_meant(capsys, arguments: list[str], wanted: str):
    status, err = refused(capsys, "bench", *arguments)

    assert (status, wanted in err) == (2, True), err
