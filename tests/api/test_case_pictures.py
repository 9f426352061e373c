"""A ruling that a person gave has the clip of what it answers; its case carries it, checked offline."""

import errno
import hashlib
import io
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from asking_app import Asked
from numbered_films import number_in, write_film
from scripted_match import ScriptedEyes, bare, landing, recorded_match

from api import cli
from api.case_file import MANIFEST, RECORD, check_case
from api.desk import MatchDesk
from api.evidence_keeper import EvidenceKeeper
from api.evidence_shelf import EvidenceShelf, MatchFolder, Retention, sweep
from api.feed import MatchFeed
from api.hub import Hub
from api.match_runner import MatchRunner, Outlets
from api.pace import FullSpeed
from api.record_file import RecordFile
from api.record_shelf import shown_match
from api.stopping import StopWish
from api.v1.keeping import _missing_header
from referee.codec import canonical
from referee.record import hash_of
from vision.calibration import calibrate_from_corners
from vision.evidence import EvidenceSettings
from vision.sources import open_source
from vision.table import FourCorners, Table

TICKS = 1800  # 20 ms
SETTINGS = EvidenceSettings(before_us=600_000, after_us=400_000, clip_us_at_most=3_000_000, keep_us=4_000_000)
VIEW = FourCorners((160, 48), ((0.0, 0.0), (160.0, 0.0), (160.0, 48.0), (0.0, 48.0)))
MATCH = "/api/v1/matches/friday"
BY = {"reason": "I saw it", "reviewer": "Rita"}


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "made.mp4"
    return write_film(path, "libx264", {"bf": "3", "g": "20"}, range(0, 500 * TICKS, TICKS))


@pytest.fixture
def hub(film: Path, tmp_path: Path, feed: MatchFeed) -> Hub:
    """AH and 2H, a card that may not go there (v3), one close to the end; with clips, and over."""
    script = {
        0: bare(0),
        3_000_000: landing("AH", 3_000_000),
        3_160_000: landing("2H", 3_160_000),
        6_500_000: landing("9H", 6_500_000),
        9_900_000: landing("3H", 9_900_000),
    }
    hub = Hub()
    hub.evidence = EvidenceShelf(tmp_path / "evidence")
    table = Table(
        name="kitchen", game="nerts", size_mm=(160.0, 48.0), view=VIEW, seats=(), zones=(), rules={}
    )
    desk = MatchDesk(recorded_match(), feed=feed)
    calibration = calibrate_from_corners(VIEW, table.size_mm)
    with open_source(str(film)) as source, RecordFile(tmp_path / "friday.jsonl") as record:
        keeper = EvidenceKeeper(
            hub.evidence.new_match("friday"),
            source,
            table,
            lambda: calibration,
            settings=SETTINGS,
            retention=Retention(free_bytes_at_least=0),
        )
        with keeper:
            outlets = Outlets(record=record, feed=feed, evidence=keeper)
            MatchRunner(ScriptedEyes(script), desk, outlets).run(source, FullSpeed(), StopWish())
    hub.add(feed, desk)
    return hub


@pytest.fixture
def asked(hub: Hub) -> Iterator[Asked]:
    with Asked(hub) as asked:
        yield asked


def entered(asked: Asked, what: str, **body: object) -> dict:
    """Try and confirm; what was entered."""
    tried = asked.post(f"{MATCH}/{what}", json=body)
    assert tried.status_code == 200, tried.text
    answer = asked.post(f"{MATCH}/{what}", json={**body, "confirm": tried.json()["confirm"]})
    assert answer.status_code == 201, answer.text
    return answer.json()


def reversed_twice(asked: Asked) -> str:
    """The 9 was the 3, and then a person rules it a foul all the same: the verdict that holds now."""
    entered(asked, "corrections", kind="card", verdict_id="v3", card="3H")
    now = asked.get(f"{MATCH}/verdicts").json()[2]["replaced_by"][-1]
    assert now != "v3"
    undone = {"kind": "undo", "entry": asked.get(f"{MATCH}/corrections").json()[0]["entry"]}
    entered(asked, "corrections", **undone)
    ruled = {"verdict_id": "v3", "decision": "overturned", "ruling": "LEGAL", "kept": [0], **BY}
    entered(asked, "resolutions", **ruled)
    return asked.get(f"{MATCH}/verdicts").json()[2]["replaced_by"][-1]


# --- the clip


def test_what_was_ruled_by_a_person_has_the_clip_of_what_it_answers(asked: Asked):
    now = reversed_twice(asked)

    clip = asked.get(f"{MATCH}/verdicts/{now}/clip").json()
    listed = asked.get(f"{MATCH}/clips", params={"verdict_id": now}).json()

    assert clip["clip_id"] == asked.get(f"{MATCH}/verdicts/v3/clip").json()["clip_id"] == "c2"
    assert [each["clip_id"] for each in listed] == ["c2"]


def test_what_it_answers_is_drawn_in(asked: Asked):
    now = reversed_twice(asked)
    address = f"{MATCH}/clips/c2/frames/6500000.jpg"

    drawn, of_old = (
        asked.get(address, params={"drawn": True, "verdict_id": verdict_id}).content
        for verdict_id in (now, "v3")
    )
    of_none = asked.get(address, params={"drawn": True, "verdict_id": "v99"}).content

    assert drawn == of_old != of_none


@pytest.mark.parametrize("width", [16, 480, 500, 960, 1000, 1920, 7680])
def test_a_frame_is_had_in_any_width(asked: Asked, width: int):
    answer = asked.get(f"{MATCH}/clips/c2/frames/6500000.jpg", params={"width": width})

    picture = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
    assert (answer.status_code, picture.shape[1]) == (200, min(width, 160))


@pytest.mark.parametrize("width", ["15", "7681", "-1", "wide"])
def test_a_width_that_cannot_be_meant_is_refused(asked: Asked, width: str):
    assert asked.get(f"{MATCH}/clips/c2/frames/6500000.jpg", params={"width": width}).status_code == 422


# --- the case


def saved(asked: Asked, verdict_id: str, path: Path) -> Path:
    answer = asked.get(f"{MATCH}/verdicts/{verdict_id}/case.zip")
    assert answer.status_code == 200, answer.text
    path.write_bytes(answer.content)
    return path


def test_a_case_carries_the_clip_and_the_contact(asked: Asked, tmp_path: Path, capsys):
    now = reversed_twice(asked)

    path = saved(asked, now, tmp_path / "case.zip")

    checked = check_case(path)
    assert (checked.pictures.clips, checked.pictures.frames) == (1, 1)
    with zipfile.ZipFile(path) as case:
        (name,) = (name for name in case.namelist() if name.startswith("frames/"))
        t_us = int(name.removesuffix(".png").rpartition("-")[2])
        picture = cv2.imdecode(np.frombuffer(case.read(name), np.uint8), cv2.IMREAD_COLOR)
        assert number_in(picture) == t_us // 20_000
        assert {"evidence/c2.mp4", "evidence/c2.clip.json"} <= set(case.namelist())
        assert name in case.read("sheet.html").decode()
    assert t_us == asked.get(f"{MATCH}/verdicts/v3").json()["verdict"]["plays"][0]["touch"]["end_us"]
    assert cli.run(["verify", str(path)]) == 0
    assert "1 clip is as the record names it, 1 frame is what it shows" in capsys.readouterr().out


def gone(folder: Path) -> None:
    """As when it was too old to be kept."""
    (folder / "c2.clip.json").unlink()
    (folder / "c2.mp4").unlink()


def without_pictures(folder: Path) -> None:
    (folder / "c2.mp4").unlink()


def cut_short(folder: Path) -> None:
    film = folder / "c2.mp4"
    film.write_bytes(film.read_bytes()[:-2000])


def with_other_bytes(folder: Path) -> None:
    film = folder / "c2.mp4"
    content = bytearray(film.read_bytes())
    content[len(content) // 2] ^= 0xFF
    film.write_bytes(content)


def of_another_index(folder: Path) -> None:
    index = folder / "c2.clip.json"
    index.write_bytes(index.read_bytes().replace(b'"source":"made.mp4"', b'"source":"else.mp4"'))


LOSSES = (gone, without_pictures, cut_short, with_other_bytes, of_another_index)


@pytest.mark.parametrize("lose", LOSSES)
def test_a_case_without_its_clip_says_so(asked: Asked, tmp_path: Path, capsys, lose):
    whole = asked.get(f"{MATCH}/verdicts/v3/case.zip")
    lose(tmp_path / "evidence" / "friday-1")

    answer = asked.get(f"{MATCH}/verdicts/v3/case.zip")

    assert whole.headers.get("TouchJudge-Missing-Clips") is None
    assert answer.headers["TouchJudge-Missing-Clips"] == "c2"
    path = tmp_path / "case.zip"
    path.write_bytes(answer.content)
    with zipfile.ZipFile(path) as case:
        assert sorted(case.namelist()) == [MANIFEST, RECORD, "sheet.html"]
        sheet = case.read("sheet.html").decode()
    assert "none; the record names c2, no longer kept, or damaged, when this was made" in sheet
    assert cli.run(["verify", str(path)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[-1].endswith(
        f"{path}: 1 clip that its record names is not in it (c2): no longer kept, or damaged, when it was"
        " exported, or taken out since"
    )


def test_what_was_ruled_since_lacks_the_clip_of_what_it_answers_too(asked: Asked, tmp_path: Path):
    now = reversed_twice(asked)
    gone(tmp_path / "evidence" / "friday-1")

    assert asked.get(f"{MATCH}/verdicts/{now}/case.zip").headers["TouchJudge-Missing-Clips"] == "c2"


def test_a_case_of_a_play_with_its_clip_lacks_nothing_of_other_plays(asked: Asked, tmp_path: Path):
    gone(tmp_path / "evidence" / "friday-1")

    path = saved(asked, "v1", tmp_path / "case.zip")

    assert check_case(path).missing == ()
    assert check_case(path).pictures.clips == 1


@pytest.fixture
def older_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose indexes name no hash of the file."""
    monkeypatch.setattr("vision.evidence.clips._sha256_of_media", lambda *_: None)


def test_of_a_clip_of_an_older_program_is_told_what_is_not_covered(
    older_program: None, asked: Asked, tmp_path: Path, capsys
):
    case = saved(asked, "v3", tmp_path / "case.zip")
    record = tmp_path / "friday.jsonl"

    assert cli.run(["verify", str(case)]) == 0
    assert "(aspect and colours of c2 are not covered: an older version cut it)" in capsys.readouterr().out
    assert cli.run(["verify", str(record), "--evidence", str(tmp_path / "evidence")]) == 0
    assert (
        "3 clips as named (aspect and colours of c1, c2, c3 are not covered: an older version cut them)"
        in capsys.readouterr().out
    )


def test_a_case_says_what_people_said_of_what_it_answers(asked: Asked, tmp_path: Path):
    now = reversed_twice(asked)

    with zipfile.ZipFile(saved(asked, now, tmp_path / "case.zip")) as case:
        sheet, record = case.read("sheet.html").decode(), case.read(RECORD).decode()

    assert "I saw it" in sheet
    assert '"kind":"resolution"' in record


def remade(path: Path, change, said: dict | None = None) -> Path:
    """The same case with other content, listed as if it had always been so."""
    with zipfile.ZipFile(path) as case:
        files = {name: case.read(name) for name in case.namelist() if name != MANIFEST}
        said = {**json.loads(case.read(MANIFEST)), **(said or {})}
    files = change(files)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    manifest = canonical({name: hashes if name == "files" else said[name] for name in said})
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as case:
        for name, data in {MANIFEST: manifest.encode(), **files}.items():
            case.writestr(name, data)
    path.write_bytes(made.getvalue())
    return path


def with_spot(files: dict[str, bytes]) -> dict[str, bytes]:
    """The frame with a spot on it."""
    (name,) = (name for name in files if name.startswith("frames/"))
    picture = cv2.imdecode(np.frombuffer(files[name], np.uint8), cv2.IMREAD_COLOR)
    picture[20:24, 20:24] = 255 - picture[20:24, 20:24]
    return {**files, name: cv2.imencode(".png", picture)[1].tobytes()}


def chunks_of(png: bytes) -> list[tuple[bytes, bytes]]:
    """Kind and content of each part of a PNG."""
    found, at = [], 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + size]))
        at += 12 + size
    return found


def png_of(chunks: list[tuple[bytes, bytes]]) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
        for kind, body in chunks
    )


def with_png(change):
    """The frame, its parts changed."""

    def changed(files: dict[str, bytes]) -> dict[str, bytes]:
        (name,) = (name for name in files if name.startswith("frames/"))
        chunks = chunks_of(files[name])
        assert png_of(chunks) == files[name]
        return {**files, name: png_of(change(chunks))}

    return changed


def animated(chunks: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The same picture, before which a browser shows another."""
    size = chunks[0][1][:8]
    control = bytes(4) + size + bytes(8) + (1).to_bytes(2, "big") * 2 + bytes(2)
    white = zlib.compress((b"\x00" + b"\xff" * 480) * 48)
    before = [(b"acTL", (1).to_bytes(4, "big") + bytes(4))]
    shown = [(b"fcTL", control), (b"fdAT", (1).to_bytes(4, "big") + white)]
    return [chunks[0], *before, *chunks[1:-1], *shown, chunks[-1]]


def of_another_time(files: dict[str, bytes]) -> dict[str, bytes]:
    (name,) = (name for name in files if name.startswith("frames/"))
    return {("frames/c2-6520000.png" if each == name else each): data for each, data in files.items()}


def with_changed_index(files: dict[str, bytes]) -> dict[str, bytes]:
    index = files["evidence/c2.clip.json"].replace(b'"source":"made.mp4"', b'"source":"else.mp4"')
    return {**files, "evidence/c2.clip.json": index}


def without_its_note(files: dict[str, bytes]) -> dict[str, bytes]:
    """A shorter part of the record, in which nothing is said of the clip."""
    lines = files[RECORD].splitlines(keepends=True)
    until = next(i for i, line in enumerate(lines) if b"evidence: clip" in line)
    return {**files, RECORD: b"".join(lines[:until])}


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        pytest.param(with_spot, "it is not what the clip shows at that time", id="a frame with a spot"),
        pytest.param(with_png(animated), "it is not what the clip shows", id="an animated frame"),
        pytest.param(
            with_png(lambda chunks: [chunks[0], (b"gAMA", (1000).to_bytes(4, "big")), *chunks[1:]]),
            "it is not what the clip shows",
            id="a frame of other brightness",
        ),
        pytest.param(
            with_png(lambda chunks: [*chunks[:-1], (b"tEXt", b"a\0Ana won"), chunks[-1]]),
            "it is not what the clip shows",
            id="a frame with words",
        ),
        pytest.param(
            with_png(lambda chunks: [*chunks, (b"tEXt", b"a\0Ana won")]),
            "it is not what the clip shows",
            id="words behind a frame",
        ),
        pytest.param(
            lambda files: {
                name: data + b"<script>" if name.startswith("frames/") else data
                for name, data in files.items()
            },
            "it is not what the clip shows",
            id="bytes behind a frame",
        ),
        pytest.param(
            lambda files: {**files, "evidence/c2.mp4": files["evidence/c2.mp4"] + b"<script>"},
            "not as this program writes them",
            id="bytes behind a clip",
        ),
        pytest.param(of_another_time, "it is not what the clip shows at that time", id="a frame of later"),
        pytest.param(
            lambda files: {**files, "frames/c9-6500000.png": b"x"}, "clip c9 is not in the case", id="no clip"
        ),
        pytest.param(
            lambda files: {**files, "frames/c2-6500000.png": b"x"}, "it is not what the clip", id="no picture"
        ),
        pytest.param(with_changed_index, "it is not a clip that the record names", id="another index"),
        pytest.param(without_its_note, "it is not a clip that the record names", id="named nowhere"),
        pytest.param(
            lambda files: {**files, "evidence/c2.mp4": files["evidence/c2.mp4"][:-900]},
            "c2.mp4",
            id="a damaged clip",
        ),
        pytest.param(
            lambda files: {name: data for name, data in files.items() if not name.endswith(".mp4")},
            "its pictures are missing",
            id="an index alone",
        ),
        pytest.param(
            lambda files: {name: data for name, data in files.items() if not name.endswith(".clip.json")},
            "is not a clip with an index",
            id="pictures alone",
        ),
    ],
)
def test_pictures_that_were_changed_are_found(asked: Asked, tmp_path: Path, capsys, change, wanted: str):
    path = remade(saved(asked, "v3", tmp_path / "case.zip"), change)

    status = cli.run(["verify", str(path)])

    err = capsys.readouterr().err
    assert (status, err.count("\n"), wanted in err) == (1, 1, True), err


# --- a match that lacks clips


def without_a_clip(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if not name.startswith("evidence/c2.")}


def test_a_match_that_lacks_a_clip_is_not_told_to_be_whole(asked: Asked, tmp_path: Path, home: Path, capsys):
    path = tmp_path / "out.zip"
    path.write_bytes(asked.get(f"{MATCH}/export.zip").content)
    assert cli.run(["verify", str(path)]) == 0
    remade(path, without_a_clip)
    capsys.readouterr()

    verified = cli.run(["verify", str(path)]), capsys.readouterr().err
    imported = cli.run(["import", str(path)]), capsys.readouterr().err

    assert (verified[0], verified[1].count("\n")) == (1, 1)
    assert "1 clip that its record names is not in it (c2)" in verified[1]
    assert (imported[0], "1 clip that its record names is not in it (c2)" in imported[1]) == (0, True)


def test_a_clip_of_which_the_record_says_that_it_could_not_be_kept_is_not_missed(
    asked: Asked, tmp_path: Path, capsys
):
    path = tmp_path / "out.zip"
    path.write_bytes(asked.get(f"{MATCH}/export.zip").content)

    def lost(files: dict[str, bytes]) -> dict[str, bytes]:
        """c2 could not be kept, and the record says so."""
        lines = files[RECORD].splitlines(keepends=True)
        last = json.loads(lines[-1])
        note = {"text": "evidence: clip c2 could not be kept: the disk is full"}
        body = {**last, "seq": last["seq"] + 1, "kind": "note", "payload": note, "caused_by": []}
        body = {**body, "origin": "program", "prev_hash": last["hash"]}
        del body["hash"]
        line = canonical({**body, "hash": hash_of(body)}).encode() + b"\n"
        return without_a_clip({**files, RECORD: b"".join([*lines, line])})

    remade(path, lost)

    assert cli.run(["verify", str(path)]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("name", ["nowhere", "friday.jsonl"])
def test_evidence_is_looked_for_only_in_a_folder(hub: Hub, tmp_path: Path, capsys, name: str):
    record = str(tmp_path / "friday.jsonl")

    statuses = [
        cli.run(["verify", record, "--evidence", str(tmp_path / each)]) for each in ("evidence", name)
    ]

    err = capsys.readouterr().err
    assert (statuses, err.count("\n"), "--evidence wants a folder" in err) == ([0, 2], 1, True), err


# --- a record whose end was cut off


def cut_by(count: int):
    """The record without its last lines, which are verdicts."""

    def changed(files: dict[str, bytes]) -> dict[str, bytes]:
        lines = files[RECORD].splitlines(keepends=True)
        assert all(b'"kind":"verdict"' in line for line in lines[-count:])
        return {**files, RECORD: b"".join(lines[:-count])}

    return changed


@pytest.mark.parametrize("count", [1, 2])
def test_a_review_without_the_verdict_that_follows_from_it_is_told(
    asked: Asked, tmp_path: Path, home: Path, capsys, count: int
):
    """The same from a record, a match and a case."""
    now = reversed_twice(asked)
    wholes = [tmp_path / "match.zip", saved(asked, "v3", tmp_path / "case.zip"), tmp_path / "r.jsonl"]
    wholes[0].write_bytes(asked.get(f"{MATCH}/export.zip").content)
    wholes[2].write_bytes((tmp_path / "friday.jsonl").read_bytes())
    assert now != "v3"
    assert [cli.run(["verify", str(path)]) for path in wholes] == [0, 0, 0]
    for path in wholes[:2]:
        remade(path, cut_by(count))
    cut = cut_by(count)({RECORD: wholes[2].read_bytes()})[RECORD]
    wholes[2].write_bytes(cut)
    capsys.readouterr()

    statuses = [cli.run(["verify", str(path)]) for path in wholes]
    imported = cli.run(["import", str(wholes[0])])

    err = capsys.readouterr().err
    assert (statuses, imported, err.count("\n")) == ([1, 1, 1], 1, 4), err
    assert err.count(", resolution, is missing: the end was cut off") == 4, err
    assert list(home.glob("records/*")) == []


# --- the zip itself


def written_by(make):
    """The zip, written anew by what ``make`` does to each of its files."""

    def changed(content: bytes) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as case, zipfile.ZipFile(made, "w") as target:
            for info in case.infolist():
                make(target, zipfile.ZipInfo(info.filename), case.read(info))
        return made.getvalue()

    return changed


def with_comment(target: zipfile.ZipFile, info: zipfile.ZipInfo, content: bytes) -> None:
    info.comment = b"Ana won"
    target.writestr(info, content)


def with_extra(target: zipfile.ZipFile, info: zipfile.ZipInfo, content: bytes) -> None:
    info.extra = b"AA\x07\x00Ana won"
    target.writestr(info, content)


def with_gap(target: zipfile.ZipFile, info: zipfile.ZipInfo, content: bytes) -> None:
    target.writestr(info, content)
    assert target.fp is not None
    target.fp.write(b"Ana won")
    target.start_dir = target.fp.tell()


def commented(content: bytes) -> bytes:
    made = io.BytesIO(content)
    with zipfile.ZipFile(made, "a") as case:
        case.comment = b"Ana won"
    return made.getvalue()


@pytest.mark.parametrize("what", ["verdicts/v3/case.zip", "export.zip"])
@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        pytest.param(commented, "the zip has a comment", id="a comment"),
        pytest.param(lambda zipped: b"#!/bin/sh\n" + zipped, "belongs to no file", id="bytes before it"),
        pytest.param(lambda zipped: zipped + b"Ana won", "", id="bytes behind it"),
        pytest.param(written_by(with_gap), "belongs to no file", id="bytes between its files"),
        pytest.param(written_by(with_comment), "says more of it", id="a comment on a file"),
        pytest.param(written_by(with_extra), "says more of it", id="a note on a file"),
    ],
)
def test_a_zip_that_carries_more_than_its_files_is_refused(
    asked: Asked, tmp_path: Path, home: Path, capsys, what: str, change, wanted: str
):
    path = tmp_path / "out.zip"
    path.write_bytes(change(asked.get(f"{MATCH}/{what}").content))

    statuses = [cli.run(["verify", str(path)]), cli.run(["import", str(path)])]

    err = capsys.readouterr().err
    assert (statuses, err.count("\n"), wanted in err) == ([1, 1], 2, True), err
    assert list(home.glob("records/*")) == []


# --- the sheet


def with_other_names(files: dict[str, bytes]) -> dict[str, bytes]:
    sheet = files["sheet.html"].replace(b"9H", b"3H") + b"<script>document.title = 'legal'</script>"
    return {**files, "sheet.html": sheet}


def without_the_frame(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if not name.startswith("frames/")}


@pytest.mark.parametrize(
    ("change", "said", "wanted"),
    [
        pytest.param(with_other_names, {}, "it is not the sheet that comes of the record", id="rewritten"),
        pytest.param(
            lambda files: {**files, "sheet.html": files["sheet.html"] + b" "},
            {},
            "it is not the sheet that comes of the record",
            id="a blank more",
        ),
        pytest.param(
            lambda files: {name: data for name, data in files.items() if name != "sheet.html"},
            {},
            "want sheet.html among the files",
            id="left out",
        ),
        pytest.param(
            with_other_names,
            {"program": "touchjudge 99"},
            "sheet.html was not checked: 'touchjudge 99' wrote it and this is touchjudge",
            id="said to be of another program",
        ),
        pytest.param(
            lambda files: files,
            {"program": "Ana won"},
            "program: want touchjudge and its version",
            id="by none",
        ),
        pytest.param(lambda files: files, {"verdict": "v1"}, "c2.mp4: it is no clip of v1", id="of another"),
        pytest.param(lambda files: files, {"verdict": "v99"}, "it gives no verdict 'v99'", id="of none"),
        pytest.param(lambda files: files, {"verdict": None}, "of a case, its verdict's", id="of nothing"),
        pytest.param(without_the_frame, {}, "the frame of first contact is missing", id="without a frame"),
    ],
)
def test_a_sheet_that_was_changed_is_found(
    asked: Asked, tmp_path: Path, capsys, change, said: dict, wanted: str
):
    path = remade(saved(asked, "v3", tmp_path / "case.zip"), change, said)

    status = cli.run(["verify", str(path)])

    err = capsys.readouterr().err
    assert (status, err.count("\n"), wanted in err) == (1, 1, True), err


def test_a_sheet_of_another_program_that_says_the_same_holds(asked: Asked, tmp_path: Path):
    path = remade(
        saved(asked, "v3", tmp_path / "case.zip"), lambda files: files, {"program": "touchjudge 99"}
    )

    assert cli.run(["verify", str(path)]) == 0


def test_a_case_of_an_older_form_is_not_called_verified(asked: Asked, tmp_path: Path, capsys):
    path = saved(asked, "v3", tmp_path / "case.zip")
    with zipfile.ZipFile(path) as case:
        files = {name: case.read(name) for name in case.namelist() if name != MANIFEST}
    lines = files[RECORD].splitlines(keepends=True)
    files[RECORD] = b"".join([lines[0], *lines[3:]])
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    with zipfile.ZipFile(path, "w") as case:
        case.writestr(MANIFEST, canonical({"format": 1, "kind": "case", "files": hashes}))
        for name, data in files.items():
            case.writestr(name, data)

    status = cli.run(["verify", str(path)])

    err = capsys.readouterr().err
    assert (status, "sheet.html was not checked: another version wrote this case" in err) == (1, True), err


def test_a_sheet_says_what_a_later_word_on_another_play_changed(asked: Asked, tmp_path: Path):
    """The sheet follows from all of the record: what was entered about other plays counts too."""
    now = reversed_twice(asked)

    for verdict_id in ("v1", "v3", now):
        path = saved(asked, verdict_id, tmp_path / f"{verdict_id}.zip")
        standing = asked.get(f"{MATCH}/verdicts/{verdict_id}").json()["verdict"]["standing"]
        with zipfile.ZipFile(path) as case:
            assert f"({standing})" in case.read("sheet.html").decode()
        assert cli.run(["verify", str(path)]) == 0


# --- what nobody asked for


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("README.txt", id="a text"),
        pytest.param("evidence/evil.html", id="a page among the clips"),
        pytest.param("evidence/c7.mp4", id="pictures without an index"),
        pytest.param("evidence/" + "x" * 5000, id="a name that no disk takes"),
        pytest.param("frames/more.png", id="a picture that is no frame"),
        pytest.param("frames/c2-3000000.png", id="a frame that a match does not have"),
    ],
)
@pytest.mark.parametrize("kind", ["case", "match"])
def test_files_that_nobody_asked_for_are_refused(
    asked: Asked, tmp_path: Path, home: Path, capsys, name: str, kind: str
):
    path = saved(asked, "v3", tmp_path / "out.zip")
    if kind == "match":
        path.write_bytes(asked.get(f"{MATCH}/export.zip").content)
    remade(path, lambda files: {**files, name: b"Ana won"})

    statuses = [cli.run(["verify", str(path)]), cli.run(["import", str(path)])]

    err = capsys.readouterr().err
    assert (statuses, err.count("\n")) == ([1, 1], 2), err
    assert name[:40] in err
    assert list(home.glob("records/*")) == list(home.glob("evidence/*")) == []


def test_a_match_has_no_sheet(asked: Asked, tmp_path: Path, capsys):
    path = tmp_path / "out.zip"
    path.write_bytes(asked.get(f"{MATCH}/export.zip").content)
    remade(path, lambda files: {**files, "sheet.html": b"Ana won"})

    assert cli.run(["verify", str(path)]) == 1
    assert "neither the record nor a clip asks for this file" in capsys.readouterr().err


# --- records that are only shown


def test_a_case_of_a_record_that_is_only_shown(hub: Hub, tmp_path: Path, capsys):
    """A record of the first form has no place for reviews, but its chain holds."""
    path = Path(__file__).parents[1] / "referee" / "record_format_1.jsonl"
    opened = shown_match(path, match_id="old")
    shown = Hub()
    shown.add(opened.feed, opened.desk, opened.archive)

    with Asked(shown) as asked:
        state = asked.get("/api/v1/matches/old").json()
        case = asked.get("/api/v1/matches/old/verdicts/v1/case.zip")
        whole = asked.get("/api/v1/matches/old/export.zip")
        called = asked.post("/api/v1/matches/old/calls", json={"call": "nerts"})

    assert (state["is_open"], state["why_no_case"]) == (False, "")
    assert "form 1" in state["why_only_shown"]
    for name, answer in {"case.zip": case, "whole.zip": whole}.items():
        (tmp_path / name).write_bytes(answer.content)
        assert check_case(tmp_path / name).record.is_ok
    assert cli.run(["verify", str(tmp_path / "case.zip")]) == 0
    assert "note: judged again by this program: a record of form 1" in capsys.readouterr().err
    assert (called.status_code, "form 1" in called.json()["detail"]) == (409, True)


def test_what_nobody_could_check_is_not_taken_away_and_says_so(tmp_path: Path):
    path = tmp_path / "bare.jsonl"
    path.write_text('{"kind":"cards_counted","pile":"south/reserve","count":3,"told_by":"Ana","at_us":9}\n')
    opened = shown_match(path, match_id="bare")
    hub = Hub()
    hub.add(opened.feed, opened.desk, opened.archive)

    with Asked(hub) as asked:
        state = asked.get("/api/v1/matches/bare").json()
        answers = [asked.get(f"/api/v1/matches/bare/{each}") for each in ("export.zip", "entries")]

    assert "no hashes" in state["why_no_case"]
    assert [answer.status_code for answer in answers] == [409, 409]
    assert all(state["why_no_case"] in answer.json()["detail"] for answer in answers)


# --- what waits stays


def aged(hub: Hub, *clip_ids: str) -> Path:
    """The folder of the clips, which were all written long ago."""
    assert hub.evidence is not None
    folder = hub.evidence.match("friday")
    assert folder is not None
    for clip_id in clip_ids or folder.clip_ids():
        os.utime(folder.path / f"{clip_id}.clip.json", (1e9, 1e9))
    return folder.path


def test_the_clip_of_an_open_appeal_stays(hub: Hub, asked: Asked):
    folder = MatchFolder(aged(hub))
    hub.desk("friday").hold_clips(folder.hold)
    asked.post(f"{MATCH}/appeals", json={"verdict_id": "v3", "seat": "Ben"})

    sweep(folder.path.parent, Retention())
    while_open = folder.clip_ids()
    answer = {"verdict_id": "v3", "decision": "stands", **BY}
    entered(asked, "resolutions", **answer)
    sweep(folder.path.parent, Retention())

    assert (while_open, folder.clip_ids()) == (("c2",), ())
    assert not folder.path.exists(), "nothing is left of it"


def test_what_nobody_ruled_on_stays_also_after_a_restart(hub: Hub, asked: Asked, tmp_path: Path):
    """A person said that it cannot be told: until somebody rules, its clip is the only way to tell."""
    folder = MatchFolder(aged(hub))
    open_ = {"verdict_id": "v3", "decision": "overturned", "ruling": "UNDECIDED", "kept": [], **BY}
    entered(asked, "resolutions", **open_)

    opened = shown_match(tmp_path / "friday.jsonl", match_id="friday")
    opened.desk.hold_clips(folder.hold)
    sweep(folder.path.parent, Retention())

    assert folder.clip_ids() == ("c2",)


def test_appeals_of_the_command_line_hold_clips_too(hub: Hub, tmp_path: Path, home: Path, capsys):
    folder = MatchFolder(Path(shutil.copytree(aged(hub), home / "evidence" / "friday-1")))
    record = tmp_path / "friday.jsonl"

    status = cli.run(["review", "appeal", str(record), "v3", "--player", "Ben"])

    assert status == 0, capsys.readouterr().err
    assert folder.held == {"v3"}


def test_a_file_that_says_nothing_holds_nothing(hub: Hub):
    folder = MatchFolder(aged(hub))

    for text in ("", "[]", "{", '{"verdicts": 3}', '{"format":1,"verdicts":[1]}'):
        (folder.path / "waiting.json").write_text(text)
        assert folder.held == frozenset()


# --- a whole match


@pytest.mark.parametrize("lose", LOSSES)
def test_a_match_is_exported_without_what_is_lost_and_says_so(
    hub: Hub, asked: Asked, tmp_path: Path, home: Path, capsys, lose
):
    evidence, record = tmp_path / "evidence", tmp_path / "friday.jsonl"
    clips = len(MatchFolder(evidence / "friday-1").clip_ids())
    whole = asked.get(f"{MATCH}/export.zip")
    lose(evidence / "friday-1")

    answer = asked.get(f"{MATCH}/export.zip")
    status = cli.run(["export", str(record), str(tmp_path / "out.zip"), "--evidence", str(evidence)])

    told = capsys.readouterr()
    assert whole.headers.get("TouchJudge-Missing-Clips") is None
    assert (answer.status_code, answer.headers["TouchJudge-Missing-Clips"]) == (200, "c2")
    assert (status, f", {clips - 1} clip" in told.out) == (1, True)
    lacks = "1 clip that its record names is not in it (c2): no longer kept, or damaged"
    assert told.err.splitlines() == [f"touchjudge: {tmp_path / 'out.zip'}: {lacks}"]
    (tmp_path / "web.zip").write_bytes(answer.content)
    for name in ("out.zip", "web.zip"):
        assert check_case(tmp_path / name).missing == ("c2",)
        assert check_case(tmp_path / name).pictures.clips == clips - 1
    assert cli.run(["import", str(tmp_path / "out.zip")]) == 0
    assert f"note: {lacks}, when it was exported" in capsys.readouterr().err
    assert len(list(home.rglob("*.mp4"))) == clips - 1


def test_clips_that_were_missing_come_with_a_later_export(hub: Hub, asked: Asked, tmp_path: Path, home: Path):
    (tmp_path / "whole.zip").write_bytes(asked.get(f"{MATCH}/export.zip").content)
    gone(tmp_path / "evidence" / "friday-1")
    (tmp_path / "less.zip").write_bytes(asked.get(f"{MATCH}/export.zip").content)
    assert cli.run(["import", str(tmp_path / "less.zip")]) == 0
    (kept,) = (home / "evidence").iterdir()
    cut_short_id = MatchFolder(kept).clip_ids()[0]
    (kept / f"{cut_short_id}.mp4").write_bytes(b"damaged since")

    assert cli.run(["import", str(tmp_path / "whole.zip")]) == 0

    assert list((home / "evidence").iterdir()) == [kept]
    indexes = MatchFolder(kept).indexes()
    assert "c2" in [index.clip_id for index in indexes]
    assert all(MatchFolder(kept).is_whole(index) for index in indexes)


def test_clips_for_which_there_is_no_room_say_where(
    hub: Hub, asked: Asked, tmp_path: Path, home: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "whole.zip").write_bytes(asked.get(f"{MATCH}/export.zip").content)

    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", no_space)
    status = cli.run(["import", str(tmp_path / "whole.zip")])

    where = home / "evidence" / "whole-1"
    told = capsys.readouterr().err
    assert (status, told.count("\n")) == (1, 1)
    assert f"cannot keep evidence: No space left on device: {where}/c" in told
    assert not where.exists()
    assert list((home / "records").iterdir()) == []


def test_a_match_without_its_folder_of_clips_names_them(hub: Hub, tmp_path: Path, capsys):
    record, empty = tmp_path / "friday.jsonl", tmp_path / "empty"
    empty.mkdir()

    status = cli.run(["export", str(record), str(tmp_path / "out.zip"), "--evidence", str(empty)])

    told = capsys.readouterr()
    assert (
        status,
        ", 0 clips" in told.out,
        "clips that its record names are not in it (c1, c2" in told.err,
    ) == (
        1,
        True,
        True,
    )


def test_a_folder_of_evidence_that_is_not_there_is_misuse(hub: Hub, tmp_path: Path, capsys):
    out = tmp_path / "out.zip"

    status = cli.run(
        ["export", str(tmp_path / "friday.jsonl"), str(out), "--evidence", str(tmp_path / "nope")]
    )

    assert (status, out.exists()) == (2, False)
    assert "--evidence wants a folder that is there, got" in capsys.readouterr().err


def test_a_header_stays_short_however_many_clips_are_missing():
    header = _missing_header([f"c{i}" for i in range(1, 20_001)])["TouchJudge-Missing-Clips"]

    assert header.startswith("c1, c2, ")
    assert header.endswith("c200, and 19800 more")


# --- links to elsewhere


def linked_pictures(folder: Path, elsewhere: Path) -> None:
    (folder / "c2.mp4").rename(elsewhere / "c2.mp4")
    (folder / "c2.mp4").symlink_to(elsewhere / "c2.mp4")


def linked_index(folder: Path, elsewhere: Path) -> None:
    (folder / "c2.clip.json").rename(elsewhere / "c2.clip.json")
    (folder / "c2.clip.json").symlink_to(elsewhere / "c2.clip.json")


def linked_secret(folder: Path, elsewhere: Path) -> None:
    (elsewhere / "secret").write_text("secret")
    (folder / "c2.mp4").unlink()
    (folder / "c2.mp4").symlink_to(elsewhere / "secret")


def linked_folder(folder: Path, elsewhere: Path) -> None:
    folder.rename(elsewhere / folder.name)
    folder.symlink_to(elsewhere / folder.name)


@pytest.mark.parametrize("link", [linked_pictures, linked_index, linked_secret, linked_folder])
@pytest.mark.parametrize("before", ["asked for before", "not asked for"])
def test_what_a_link_leads_to_is_neither_shown_nor_taken_away(
    hub: Hub, asked: Asked, tmp_path: Path, link, before: str
):
    assert hub.evidence is not None
    if before == "asked for before":
        assert asked.get(f"{MATCH}/clips/c2/video").status_code == 200
    (tmp_path / "elsewhere").mkdir()
    link(tmp_path / "evidence" / "friday-1", tmp_path / "elsewhere")

    answers = [asked.get(f"{MATCH}/clips/c2/{each}") for each in ("video", "index", "frames/6500000.jpg")]
    export = asked.get(f"{MATCH}/export.zip")

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    with zipfile.ZipFile(io.BytesIO(export.content)) as packed:
        assert "evidence/c2.mp4" not in packed.namelist()
    assert "c2" in export.headers["TouchJudge-Missing-Clips"].split(", ")


def test_nothing_is_removed_where_a_link_leads(hub: Hub, tmp_path: Path):
    folder = aged(hub)
    (tmp_path / "elsewhere").mkdir()
    linked_folder(folder, tmp_path / "elsewhere")

    assert sweep(tmp_path / "evidence", Retention()) == 0

    assert (tmp_path / "elsewhere" / "friday-1" / "c2.mp4").is_file()
