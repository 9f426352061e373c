"""Clips of what was ruled on: cut, named in the record, kept within bounds, served frame by frame."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from numbered_films import number_in, write_film
from scripted_match import ScriptedEyes, bare, landing, recorded_match

from api import evidence_keeper
from api.errors import CommandError, MisuseError
from api.evidence_check import check_evidence
from api.evidence_keeper import EvidenceKeeper
from api.evidence_notes import NotedClip, noted_clips, parse_clip_note
from api.evidence_shelf import EvidenceShelf, MatchFolder, Retention, sweep
from api.feed import MatchFeed
from api.hub import Hub
from api.match_runner import MatchRunner, Outlets
from api.pace import FullSpeed
from api.record_file import RecordFile
from api.server import serving
from api.stopping import StopWish
from referee.logs import read_log, verify
from referee.piles import Seat
from referee.record import Note
from referee.replay import first_difference, replay
from vision.calibration import calibrate_from_corners
from vision.evidence import ClipReader, EvidenceSettings, check_clip
from vision.sources import open_source
from vision.table import FourCorners, Table, Zone

TICKS = 1800  # 20 ms: the frames of the scripted match
SETTINGS = EvidenceSettings(before_us=600_000, after_us=400_000, clip_us_at_most=3_000_000, keep_us=4_000_000)
VIEW = FourCorners((160, 48), ((0.0, 0.0), (160.0, 0.0), (160.0, 48.0), (0.0, 48.0)))
FOUNDATION = np.array([[10, 5], [40, 5], [40, 40], [10, 40]], np.float32)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "made.mp4"
    return write_film(path, "libx264", {"bf": "3", "g": "20"}, range(0, 500 * TICKS, TICKS))


@pytest.fixture
def table() -> Table:
    zone = Zone(recorded_match().referee.table and landing("AH", 0).pile, FOUNDATION)
    return Table(
        name="kitchen", game="nerts", size_mm=(160.0, 48.0), view=VIEW, seats=(), zones=(zone,), rules={}
    )


def plays() -> ScriptedEyes:
    """AH and 2H of south one after the other, a card that may not go there, one close to the end."""
    script = {
        0: bare(0),
        3_000_000: landing("AH", 3_000_000),
        3_160_000: landing("2H", 3_160_000),
        6_500_000: landing("9H", 6_500_000, Seat.NORTH),
        9_900_000: landing("3H", 9_900_000),
    }
    return ScriptedEyes(script)


def run(
    film: Path,
    folder: Path,
    table: Table,
    *,
    feed: MatchFeed | None = None,
    retention: Retention | None = None,
    told: list[str] | None = None,
) -> tuple[Path, MatchFolder]:
    """Play the film with evidence into ``folder``; the record and the clips' folder."""
    shelf = EvidenceShelf(folder / "evidence")
    record_path = folder / "r.jsonl"
    calibration = calibrate_from_corners(VIEW, table.size_mm)
    with open_source(str(film)) as source, RecordFile(record_path) as record:
        match_folder = shelf.new_match("friday" if feed is None else feed.match_id)
        keeper = EvidenceKeeper(
            match_folder,
            source,
            table,
            lambda: calibration,
            settings=SETTINGS,
            retention=retention or Retention(free_bytes_at_least=0),
            tell=(told if told is not None else []).append,
        )
        with keeper:
            outlets = Outlets(record=record, feed=feed, evidence=keeper)
            MatchRunner(plays(), recorded_match(), outlets).run(source, FullSpeed(), StopWish())
    return record_path, match_folder


def notes_of(record: Path) -> list[str]:
    log = read_log(record.read_bytes().splitlines(keepends=True))
    return [entry.payload.text for entry in log.entries if isinstance(entry.payload, Note)]


def test_every_verdict_has_a_clip_that_shows_its_touch(film, tmp_path, table):
    _, folder = run(film, tmp_path, table)

    marks = {mark.verdict_id: (index, mark) for index in folder.indexes() for mark in index.marks}
    assert set(marks) == {"v1", "v2", "v3", "v4"}
    for index, mark in marks.values():
        (start_us, end_us), times = mark.touches[0], index.times_us
        assert times[0] <= start_us - SETTINGS.before_us
        assert times[-1] >= min(end_us + SETTINGS.after_us, 499 * 20_000)
        assert times[-1] <= end_us + SETTINGS.clip_us_at_most


def test_plays_that_follow_closely_share_a_clip_and_a_foul_has_its_own(film, tmp_path, table):
    _, folder = run(film, tmp_path, table)

    assert [[mark.verdict_id for mark in index.marks] for index in folder.indexes()] == [
        ["v1", "v2"],
        ["v3"],
        ["v4"],
    ]


def test_the_record_names_each_clip_by_the_hash_of_its_index(film, tmp_path, table):
    record, folder = run(film, tmp_path, table)

    noted = [parse_clip_note(text) for text in notes_of(record)]
    assert noted == [
        NotedClip(index.clip_id, tuple(mark.verdict_id for mark in index.marks), index.sha256)
        for index in folder.indexes()
    ]
    for index in folder.indexes():
        check_clip(index, folder.path / index.media)


def test_the_record_holds_and_replays_with_its_notes(film, tmp_path, table):
    record, _ = run(film, tmp_path, table)

    lines = record.read_bytes().splitlines(keepends=True)
    assert verify(lines).is_ok
    log = read_log(lines)
    assert first_difference(log, replay(log)) is None


def test_the_same_film_gives_the_same_record_and_the_same_clips(film, tmp_path, table):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    record, folder = run(film, tmp_path / "one", table)
    again, other = run(film, tmp_path / "two", table)

    assert again.read_bytes() == record.read_bytes()
    for index in folder.indexes():
        assert (other.path / index.media).read_bytes() == (folder.path / index.media).read_bytes()


def test_the_frames_of_a_clip_are_those_that_were_judged(film, tmp_path, table):
    _, folder = run(film, tmp_path, table)

    for index in folder.indexes():
        with ClipReader(index, folder.path / index.media) as reader:
            for t_us in index.times_us[::7]:
                assert number_in(reader.frame_at(t_us).image_bgr) == t_us // 20_000


def test_where_the_piles_lay_in_the_picture_is_kept_too(film, tmp_path, table):
    _, folder = run(film, tmp_path, table)

    zone = folder.indexes()[0].zones[0]
    assert zone.pile == "table/foundation[0]"
    assert np.allclose(zone.polygon_px, FOUNDATION, atol=0.1)


# --- the disk


def test_a_full_disk_ends_the_clips_and_not_the_match(film, tmp_path, table):
    told: list[str] = []

    record, folder = run(film, tmp_path, table, retention=Retention(free_bytes_at_least=1 << 60), told=told)

    assert folder.indexes() == ()
    log = read_log(record.read_bytes().splitlines(keepends=True))
    assert log.is_ended
    assert len(log.verdicts) == 4
    assert sum("could not be kept: the disk has less than" in text for text in notes_of(record)) == 3
    assert len(told) == 1
    assert told[0].endswith("the match goes on without")


def test_a_disk_that_fills_up_while_a_clip_is_written_leaves_nothing_half(film, tmp_path, table, monkeypatch):
    def fail(path: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", fail)

    record, folder = run(film, tmp_path, table)

    assert [path.name for path in folder.path.iterdir()] == ["match.json"]
    assert "evidence: clip c1 could not be kept: the disk is full" in notes_of(record)


def test_clips_that_are_kept_again_are_told(film, tmp_path, table, monkeypatch):
    told: list[str] = []
    free = iter([0, 1 << 62, 1 << 62])
    monkeypatch.setattr(evidence_keeper, "free_bytes", lambda _: next(free))

    record, folder = run(film, tmp_path, table, retention=Retention(free_bytes_at_least=1), told=told)

    assert folder.clip_ids() == ("c2", "c3")
    assert "evidence: clips are kept again" in notes_of(record)
    assert [text.split(":")[1].strip()[:6] for text in told] == ["clip c", "clips "]


def test_a_killed_run_is_cleared_away_and_whole_clips_stay(film, tmp_path, table):
    _, folder = run(film, tmp_path, table)
    (folder.path / "c9.mp4.part").write_bytes(b"half")
    (folder.path / "c8.mp4").write_bytes(b"without an index")
    (folder.path / "mine.txt").write_text("not ours")
    for path in folder.path.iterdir():
        os.utime(path, (1e9, 1e9))
    (folder.path / "c7.mp4.part").write_bytes(b"another table writes it")

    EvidenceShelf(tmp_path / "evidence").new_match("saturday")

    assert folder.clip_ids() == ("c1", "c2", "c3")
    names = {path.name for path in folder.path.iterdir()}
    assert names & {"c9.mp4.part", "c8.mp4", "c7.mp4.part", "mine.txt"} == {"c7.mp4.part", "mine.txt"}


def test_the_oldest_clips_go_beyond_the_size(film, tmp_path, table):
    _, folder = run(film, tmp_path, table)
    sizes = {
        i: sum((folder.path / n).stat().st_size for n in (f"{i}.mp4", f"{i}.clip.json"))
        for i in ("c1", "c2", "c3")
    }
    for age, name in enumerate(("c2", "c1", "c3")):
        os.utime(folder.path / f"{name}.clip.json", (1e9 + age, 1e9 + age))

    sweep(tmp_path / "evidence", Retention(bytes_at_most=sizes["c1"] + sizes["c3"], age_s_at_most=1e12))

    assert folder.clip_ids() == ("c1", "c3")
    assert not (folder.path / "c2.mp4").exists()


def test_clips_beyond_the_age_go_and_a_folder_left_empty_too(film, tmp_path, table):
    _, folder = run(film, tmp_path, table)
    for path in folder.path.glob("*.clip.json"):
        os.utime(path, (1e9, 1e9))

    removed = sweep(tmp_path / "evidence", Retention())

    assert removed == 3
    assert not folder.path.exists()


def test_each_match_has_a_folder_of_its_own_and_the_newest_is_found(tmp_path):
    shelf = EvidenceShelf(tmp_path / "evidence")
    first, second, other = (shelf.new_match(name) for name in ("a/../b", "a/../b", "friday"))

    assert first.path != second.path
    assert first.path.parent == tmp_path / "evidence"
    found = EvidenceShelf(tmp_path / "evidence").match("a/../b")
    assert found == second
    assert EvidenceShelf(tmp_path / "evidence").match("friday") == other
    assert EvidenceShelf(tmp_path / "evidence").match("sunday") is None


def test_a_record_finds_its_clips_under_any_name(film, tmp_path, table):
    record, folder = run(film, tmp_path, table)
    shelf = EvidenceShelf(tmp_path / "evidence")
    shelf.new_match("r")
    noted = noted_clips(read_log(record.read_bytes().splitlines(keepends=True)).entries)
    (folder.path / "c1.clip.json").unlink()

    found = shelf.bind("r", noted)

    assert found == shelf.match("r") == folder
    assert shelf.bind("other", (NotedClip("c1", ("v1",), 64 * "0"),)) is None


def entries_of(record: Path):
    return read_log(record.read_bytes().splitlines(keepends=True)).entries


def test_clips_are_checked_against_the_record(film, tmp_path, table):
    record, folder = run(film, tmp_path, table)

    whole = check_evidence(entries_of(record), tmp_path / "evidence", "r")
    (folder.path / "c2.clip.json").unlink()
    less = check_evidence(entries_of(record), tmp_path / "evidence", "r")

    assert (str(whole), str(less)) == ("3 clips as named", "2 clips as named, 1 not there (c2)")
    assert str(check_evidence(entries_of(record), tmp_path / "nowhere", "r")).startswith("0 clips")


def test_a_clip_that_was_changed_is_found_by_the_record(film, tmp_path, table):
    record, folder = run(film, tmp_path, table)
    other = (folder.path / "c3.mp4").read_bytes()
    (folder.path / "c2.mp4").write_bytes(other)

    with pytest.raises(CommandError, match=r"c2\.mp4"):
        check_evidence(entries_of(record), tmp_path / "evidence", "r")


def test_a_clip_under_another_index_is_found_by_the_record(film, tmp_path, table):
    record, folder = run(film, tmp_path, table)
    listing = folder.path / "c2.clip.json"
    listing.write_text(listing.read_text().replace('"source":"made.mp4"', '"source":"else.mp4"'))

    with pytest.raises(CommandError, match="c2 is not the clip that the record names"):
        check_evidence(entries_of(record), tmp_path / "evidence", "r")


def test_a_file_is_no_folder_for_evidence(tmp_path):
    (tmp_path / "evidence").write_text("")

    with pytest.raises(MisuseError, match="wants a folder"):
        EvidenceShelf(tmp_path / "evidence").new_match("friday")


def test_a_source_without_packets_is_told_of(tmp_path, table):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "a.png"), np.zeros((4, 4, 3), np.uint8))
    told: list[str] = []

    with open_source(str(pictures)) as source:
        folder = EvidenceShelf(tmp_path / "evidence").new_match("friday")
        with EvidenceKeeper(folder, source, table, lambda: None, tell=told.append) as keeper:
            notes = keeper.finish()

    assert told == ["no clips are cut: its pictures lie in files already; they are the evidence"]
    assert notes == ()


# --- the web


@pytest.fixture
def client(film, tmp_path, table, feed, hub: Hub) -> Iterator[httpx.Client]:
    run(film, tmp_path, table, feed=feed)
    hub.evidence = EvidenceShelf(tmp_path / "evidence")
    with serving(hub) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


CLIPS = "/api/v1/matches/friday/clips"


def test_clips_are_listed_with_what_they_were_cut_for(client):
    listed = client.get(CLIPS).json()

    assert [clip["verdict_ids"] for clip in listed] == [["v1", "v2"], ["v3"], ["v4"]]
    assert [clip["is_playable"] for clip in listed] == [True, True, True]
    assert [c["clip_id"] for c in client.get(CLIPS, params={"verdict_id": "v3"}).json()] == ["c2"]
    assert [c["clip_id"] for c in client.get(CLIPS, params={"t_us": 3_000_000}).json()] == ["c1"]


def test_the_clip_of_a_verdict_names_every_frame_and_each_can_be_had(client):
    clip = client.get("/api/v1/matches/friday/verdicts/v3/clip").json()

    assert clip["clip_id"] == "c2"
    for t_us in clip["times_us"][::9]:
        answer = client.get(f"{CLIPS}/c2/frames/{t_us}.jpg")
        picture = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
        assert number_in(picture) == t_us // 20_000
        assert answer.headers["x-frame-time-us"] == str(t_us)


def test_frames_can_be_stepped(client):
    times = client.get(f"{CLIPS}/c1").json()["times_us"]

    answer = client.get(f"{CLIPS}/c1/frames/{times[10]}.jpg", params={"step": -3})

    assert answer.headers["x-frame-time-us"] == str(times[7])
    assert answer.headers["x-frame-previous-us"] == str(times[6])
    assert answer.headers["x-frame-next-us"] == str(times[8])
    first = client.get(f"{CLIPS}/c1/frames/{times[0]}.jpg")
    assert "x-frame-previous-us" not in first.headers
    assert client.get(f"{CLIPS}/c1/frames/{times[0]}.jpg", params={"step": -1}).status_code == 404
    assert client.get(f"{CLIPS}/c1/frames/{times[0] - 1}.jpg").status_code == 404


def test_a_drawn_frame_shows_more_than_the_plain_one(client):
    address = f"{CLIPS}/c1/frames/2960000.jpg"

    plain, drawn = client.get(address), client.get(address, params={"drawn": True})
    of_none = client.get(address, params={"drawn": True, "verdict_id": "v9"})

    assert plain.content != drawn.content != of_none.content
    assert plain.headers["etag"] != drawn.headers["etag"] != of_none.headers["etag"]


def test_a_frame_that_is_held_already_is_not_sent_again(client):
    address = f"{CLIPS}/c1/frames/3000000.jpg"
    tag = client.get(address).headers["etag"]

    again = client.get(address, headers={"If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")


def test_the_video_can_be_had_whole_and_in_parts(client, tmp_path):
    whole = client.get(f"{CLIPS}/c1/video")
    part = client.get(f"{CLIPS}/c1/video", headers={"Range": "bytes=4-7"})

    assert whole.headers["content-type"] == "video/mp4"
    assert (part.status_code, part.content) == (206, b"ftyp")
    folder = EvidenceShelf(tmp_path / "evidence").match("friday")
    assert folder is not None
    index = folder.index("c1")
    assert index is not None
    check_clip(index, whole.content)
    assert client.get(f"{CLIPS}/c1/index").text == index.text


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("/clips/c99", id="a clip that is not there"),
        pytest.param("/clips/..%2f..%2fr.jsonl/video", id="a path"),
        pytest.param("/clips/match.json/video", id="another file of the folder"),
        pytest.param("/clips/c1/frames/99999999999.jpg?step=5", id="a frame after the last"),
        pytest.param("/verdicts/v99/clip", id="a verdict without clip"),
    ],
)
def test_what_is_not_there_is_not_found(client, address):
    answer = client.get(f"/api/v1/matches/friday{address}")

    assert answer.status_code == 404
    assert "detail" in answer.json()


def test_who_sees_the_match_later_sees_its_clips_later(film, tmp_path, table, feed, hub):
    _, folder = run(film, tmp_path, table)
    hub.evidence = EvidenceShelf(tmp_path / "evidence")
    shown_until = folder.indexes()[0].times_us[-1]

    with serving(hub) as address, httpx.Client(base_url=address, timeout=30) as client:
        feed.reach(shown_until - 1)
        early = client.get(CLIPS).json()
        feed.reach(shown_until)
        late = client.get(CLIPS).json()

    assert (early, [clip["clip_id"] for clip in late]) == ([], ["c1"])


def test_without_evidence_there_are_no_clips(hub):
    with serving(hub) as address, httpx.Client(base_url=address, timeout=30) as client:
        assert client.get(CLIPS).json() == []
        assert client.get(f"{CLIPS}/c1").status_code == 404
