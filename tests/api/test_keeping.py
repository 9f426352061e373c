"""What is taken away holds elsewhere; what does not hold is not taken in; health and figures are true."""

import errno
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking_app import Asked
from desk_match import DeskMatch
from forged_records import forged, ruled
from reviewed_matches import ReviewedMatch

from api import cli
from api.case_export import write_verdict_case
from api.case_file import CASE_FORMAT, MANIFEST, RECORD, ZipKind, check_case
from api.console import notes
from api.house import kept_match, opened_house
from api.hub import Hub
from api.schemas import MatchState
from referee.codec import canonical
from referee.piles import Seat
from referee.verdicts import Ruling

MATCH = "/api/v1/matches/friday"
GAME = "F1: ... 4H\nland Ana 5H waste F1 983.3..1000\nland Ben 6H waste F1 3033.3..3050\n"


@pytest.fixture
def asked(played: DeskMatch) -> Iterator[Asked]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with Asked(hub) as asked:
        yield asked


def zipped(content: dict[str, bytes], **details: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in content.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = details.get("external_attr", 0)
            file.writestr(info, data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def listed(content: dict[str, bytes], kind: str = "match") -> dict[str, bytes]:
    files = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
    said = {"program": "touchjudge", "verdict": "v1" if kind == "case" else None}
    manifest = canonical({"format": CASE_FORMAT, "kind": kind, "files": files, **said})
    return {MANIFEST: manifest.encode(), **content}


# --- cases


def test_a_case_holds_offline_and_can_be_read_without_the_program(asked: Asked, tmp_path: Path, capsys):
    asked.post(f"{MATCH}/appeals", json={"verdict_id": "v1", "seat": "Ben", "grounds": "<b>me</b> first"})
    path = tmp_path / "case.zip"

    answer = asked.get(f"{MATCH}/verdicts/v1/case.zip")

    path.write_bytes(answer.content)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    checked = check_case(path)
    assert (checked.kind, checked.record.is_ok, checked.files) == (
        ZipKind.CASE,
        True,
        (RECORD, "sheet.html"),
    )
    with zipfile.ZipFile(path) as case:
        sheet, record = case.read("sheet.html").decode(), case.read(RECORD).decode()
    assert "1033.3 - 1000 = 33.3 ms" in sheet
    assert "&lt;b&gt;me&lt;/b&gt; first" in sheet
    assert [json.loads(line)["kind"] for line in record.splitlines()] == [
        "header",
        "pile_laid",
        "card_landed",
        "card_landed",
        "verdict",
        "card_landed",
        "verdict",
        "card_landed",
        "verdict",
        "appeal",
    ]
    assert cli.run(["verify", str(path)]) == 0
    assert "2 files as listed; its record: whole" in capsys.readouterr().out


def test_a_case_of_no_verdict(asked: Asked):
    assert asked.get(f"{MATCH}/verdicts/v99/case.zip").status_code == 404


def test_the_record_is_handed_out_as_it_is(asked: Asked, tmp_path: Path):
    assert asked.get(f"{MATCH}/record.jsonl").content == (tmp_path / "friday.jsonl").read_bytes()


# --- a match from here to there


def test_a_match_goes_from_one_computer_to_another(
    played: DeskMatch, tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
):
    played.finish()
    record, out = tmp_path / "friday.jsonl", tmp_path / "friday.zip"

    assert cli.run(["export", str(record), str(out)]) == 0
    assert cli.run(["verify", str(out)]) == 0
    assert cli.run(["import", str(out)]) == 0

    kept = home / "records" / "friday.jsonl"
    assert str(kept) in capsys.readouterr().out
    assert kept.read_bytes() == record.read_bytes()


# --- a match that is here already


def finished(path: Path, game: str = GAME) -> ReviewedMatch:
    """A match that was played to its end, and its record."""
    match = ReviewedMatch(game)
    match.finished()
    path.write_text("".join(match.lines))
    return match


def exported(record: Path, out: Path) -> Path:
    out.unlink(missing_ok=True)
    assert cli.run(["export", str(record), str(out)]) == 0
    return out


def kept_in(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "records").iterdir())


@pytest.mark.parametrize("again", ["friday.zip", "another-name.zip"])
def test_a_match_that_is_there_already_is_not_taken_in_twice(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str], again: str
):
    record = tmp_path / "friday.jsonl"
    finished(record)
    first = exported(record, tmp_path / "friday.zip")
    assert cli.run(["import", str(first)]) == 0
    capsys.readouterr()

    status = cli.run(["import", str(exported(record, tmp_path / again))])

    told = capsys.readouterr()
    assert (status, str(home / "records" / "friday.jsonl") in told.out) == (0, True)
    assert "this match is there already" in told.err
    assert kept_in(home) == ["friday.jsonl"]
    with opened_house(notes()) as house:
        assert len(house.store.matches.all()) == 1


def test_an_older_export_of_what_is_there_adds_nothing(tmp_path: Path, home: Path, capsys):
    record = tmp_path / "friday.jsonl"
    match = finished(record)
    older = exported(record, tmp_path / "older.zip")
    match.enter(match.appeal("v2", Seat.SOUTH))
    record.write_text("".join(match.lines))
    cli.run(["import", str(exported(record, tmp_path / "newer.zip"))])

    assert cli.run(["import", str(older)]) == 0

    assert "this match is there already" in capsys.readouterr().err
    assert (home / "records" / "newer.jsonl").read_bytes() == record.read_bytes()
    assert kept_in(home) == ["newer.jsonl"]


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        pytest.param("all of it", "this one has more in it", id="reviewed since"),
        pytest.param("a part", "this one has more in it", id="exported while it ran"),
        pytest.param("reviewed otherwise", "this one has others in it", id="reviewed there and here"),
    ],
)
def test_the_same_match_with_other_entries_is_refused(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str], seen: str, wanted: str
):
    record = tmp_path / "friday.jsonl"
    match = finished(record)
    whole = "".join(match.lines)
    if seen == "a part":
        record.write_text("".join(whole.splitlines(keepends=True)[:3]))
    if seen == "reviewed otherwise":
        other = finished(record)
        other.enter(other.appeal("v1", Seat.NORTH))
        record.write_text("".join(other.lines))
    cli.run(["import", str(exported(record, tmp_path / "friday.zip"))])
    before = (home / "records" / "friday.jsonl").read_bytes()
    match.enter(match.appeal("v2", Seat.SOUTH))
    record.write_text("".join(match.lines))
    capsys.readouterr()

    status = cli.run(["import", str(exported(record, tmp_path / "again.zip"))])

    err = capsys.readouterr().err
    assert (status, err.count("\n"), wanted in err) == (1, 1, True), err
    assert str(home / "records" / "friday.jsonl") in err
    assert (home / "records" / "friday.jsonl").read_bytes() == before
    assert kept_in(home) == ["friday.jsonl"]


def test_another_match_from_a_file_of_the_same_name_is_kept_beside_it(tmp_path: Path, home: Path, capsys):
    for game in (GAME, GAME.replace("983.3..1000", "983.3..1016.7")):
        record = tmp_path / "friday.jsonl"
        finished(record, game)
        assert cli.run(["import", str(exported(record, tmp_path / "match.zip"))]) == 0

    assert kept_in(home) == ["match-2.jsonl", "match.jsonl"]
    assert "note: it is kept as match-2" in capsys.readouterr().err


def test_a_match_that_is_served_from_elsewhere_is_there_too(tmp_path: Path, home: Path, capsys):
    record = tmp_path / "friday.jsonl"
    match = finished(record)
    with opened_house(notes()) as house:
        house.store.matches.add(kept_match("friday", "kitchen", record, match.setup, match.lines[0]))

    assert cli.run(["import", str(exported(record, tmp_path / "friday.zip"))]) == 0

    assert str(record) in capsys.readouterr().out
    assert kept_in(home) == []


def test_what_a_killed_import_left_is_found_again(tmp_path: Path, home: Path, capsys):
    record = tmp_path / "friday.jsonl"
    finished(record)
    (home / "records").mkdir(parents=True)
    (home / "records" / "friday.jsonl").write_bytes(record.read_bytes())

    assert cli.run(["import", str(exported(record, tmp_path / "friday.zip"))]) == 0

    assert kept_in(home) == ["friday.jsonl"]
    with opened_house(notes()) as house:
        assert [each.match_id for each in house.store.matches.all()] == ["friday"]


def test_a_match_is_exported_over_the_web_while_it_runs(asked: Asked, tmp_path: Path):
    path = tmp_path / "out.zip"
    path.write_bytes(asked.get(f"{MATCH}/export.zip").content)

    assert (check_case(path).kind, check_case(path).record.is_ok) == (ZipKind.MATCH, True)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        pytest.param(lambda files: {**files, "../evil.jsonl": b"x"}, "is no name for a file", id="a way out"),
        pytest.param(lambda files: {**files, "/etc/x": b"x"}, "is no name for a file", id="from the root"),
        pytest.param(
            lambda files: {**files, "a\\..\\b": b"x"}, "is no name for a file", id="a way out, in DOS"
        ),
        pytest.param(lambda files: {**files, "zeros.mp4": bytes(300 << 20)}, "grows too much", id="a bomb"),
        pytest.param(
            lambda files: {RECORD: files[RECORD].replace(b"Ana", b"Eve", 1)},
            "the hash does not fit",
            id="another record",
        ),
    ],
)
def test_what_does_not_hold_is_not_taken_in(
    played: DeskMatch, tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str], change, wanted: str
):
    played.finish()
    files = change({RECORD: (tmp_path / "friday.jsonl").read_bytes()})
    path = tmp_path / "in.zip"
    path.write_bytes(zipped(listed(files)))

    status = cli.run(["import", str(path)])

    err = capsys.readouterr().err
    assert (status, err.count("\n"), wanted in err) == (1, 1, True), err
    assert list((home / "records").glob("*")) == []


def test_a_case_is_no_match(played: DeskMatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "case.zip"
    write_verdict_case(path, (tmp_path / "friday.jsonl").read_bytes(), "v1", None)

    assert cli.run(["import", str(path)]) == 1
    assert "it holds a case; want a match" in capsys.readouterr().err


def test_nothing_is_taken_in_that_nobody_asked_for(played: DeskMatch, tmp_path: Path, home: Path):
    played.finish()
    files = {
        RECORD: (tmp_path / "friday.jsonl").read_bytes(),
        "evidence/c1.mp4": b"pictures",
        "evidence/run.sh": b"rm",
        "else/c2.mp4": b"?",
    }
    path = tmp_path / "in.zip"
    path.write_bytes(zipped(listed(files)))

    assert cli.run(["import", str(path)]) == 1

    assert list(home.rglob("*.mp4")) == list(home.rglob("*.sh")) == list(home.rglob("*.jsonl")) == []


# --- what is taken in all the same, and told


def test_a_record_whose_verdicts_do_not_follow_is_taken_in_with_a_note(tmp_path: Path, home: Path, capsys):
    """As the server tells it, which shows it only."""
    fake = forged(ruled(tmp_path / "sound.jsonl", Ruling.FIRST, 1), tmp_path / "fake.jsonl")
    out = exported(fake, tmp_path / "fake.zip")
    capsys.readouterr()

    status = cli.run(["import", str(out)])

    kept = home / "records" / "fake.jsonl"
    wanted = f"note: {kept} is shown only: the verdicts in it are not those of its observations"
    assert (status, capsys.readouterr().err.splitlines()) == (0, [wanted])


def test_nothing_is_told_of_one_that_holds(tmp_path: Path, home: Path, capsys):
    out = exported(ruled(tmp_path / "sound.jsonl", Ruling.FIRST, 1), tmp_path / "sound.zip")
    capsys.readouterr()

    assert cli.run(["import", str(out)]) == 0

    assert capsys.readouterr().err == ""


# --- a disk that is full


def no_space(*_: object, **__: object) -> None:
    """As an open file says it: without its name."""
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_match_for_which_there_is_no_room_says_where(
    tmp_path: Path, home: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    record = tmp_path / "friday.jsonl"
    finished(record)
    out = exported(record, tmp_path / "friday.zip")
    capsys.readouterr()
    monkeypatch.setattr(Path, "write_bytes", no_space)

    status = cli.run(["import", str(out)])

    where = home / "records" / "friday.jsonl"
    told = f"touchjudge: cannot keep the record: No space left on device: {where}"
    assert (status, capsys.readouterr().err.splitlines()) == (1, [told])
    assert kept_in(home) == []


def test_an_export_for_which_there_is_no_room_says_where(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    record, out = tmp_path / "friday.jsonl", tmp_path / "friday.zip"
    finished(record)
    monkeypatch.setattr(zipfile.ZipFile, "writestr", no_space)

    status = cli.run(["export", str(record), str(out)])

    told = f"touchjudge: cannot write the case: No space left on device: {out}"
    assert (status, capsys.readouterr().err.splitlines()) == (1, [told])
    assert not out.exists(), "half a case is none"


# --- standings, health, figures


def test_standings_rank_the_players(asked: Asked, played: DeskMatch):
    played.finish()
    played.feed.end(MatchState.FINISHED)

    told = asked.get("/api/v1/standings").json()
    table = asked.get("/api/v1/standings.csv").text.splitlines()

    assert [(each["rank"], each["player"], each["total"]) for each in told["matches"][0]["ranks"]] == [
        (1, "Ana", 1),
        (1, "Ben", 1),
    ]
    assert [(each["player"], each["won"], each["points"]) for each in told["players"]] == [
        ("Ana", 1, 1),
        ("Ben", 1, 1),
    ]
    assert table[0] == "match,table,game,state,provisional,rank,seat,player,total"
    assert table[1].startswith("friday,kitchen,nerts,finished,yes,1,south,Ana,1")


def test_ready_says_what_is_missing(asked: Asked, played: DeskMatch):
    assert asked.get("/readyz").json()["is_ready"] is True

    played.feed._clock_s = lambda: 1e9
    late = asked.get("/readyz")

    assert (late.status_code, late.json()["is_ready"]) == (503, False)
    assert [check["name"] for check in late.json()["checks"] if not check["is_ok"]] == ["camera of friday"]
    played.feed.end(MatchState.FINISHED)
    assert asked.get("/readyz").status_code == 200, "a match that is over needs no camera"


def test_a_store_that_does_not_answer_is_told(asked: Asked, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(type(asked.store.database), "is_well", False)

    assert asked.get("/readyz").status_code == 503
    assert asked.get("/healthz").status_code == 200, "the server itself lives"


def test_figures_for_prometheus(asked: Asked):
    asked.post(f"{MATCH}/appeals", json={"verdict_id": "v1", "seat": "Ben"})

    lines = asked.get("/metrics").text.splitlines()

    assert 'touchjudge_verdicts_total{match="friday",ruling="FIRST",table="kitchen"} 1.0' in lines
    assert 'touchjudge_appeals_open{match="friday",table="kitchen"} 1.0' in lines
    assert 'touchjudge_writes_total{status="201"} 1.0' in lines
    assert 'touchjudge_verdict_latency_seconds_count{match="friday",table="kitchen"} 3.0' in lines
