"""Every command says what is wrong in one line and leaves with the status that it promises."""

import json
import subprocess
import sys
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from scripted_match import frames, recorded_match, two_plays

import models
from api import cli, sample
from api.match_runner import MatchRunner, Outlets
from api.pace import FullSpeed
from api.record_file import RecordFile
from api.stopping import StopWish
from api.table_plan import CornersInPicture, table_text
from models.classes import CLASS_ID
from models.detections import Detections
from referee.logs import verify
from vision.table_file import load_table

VIEW = CornersInPicture((320, 240), ((0.0, 0.0), (320.0, 0.0), (320.0, 240.0), (0.0, 240.0)))


class FakeDetector:
    """Sees one card in every picture."""

    def detect(self, image_bgr: np.ndarray) -> Detections:
        height, width = image_bgr.shape[:2]
        quad = [[1, 1], [width - 1, 1], [width - 1, height - 1], [1, height - 1]]
        return Detections(
            corners_px=np.array([quad], dtype=np.float32),
            class_id=np.array([CLASS_ID["9H"]], dtype=np.int16),
            confidence=np.array([0.98761], dtype=np.float32),
        )


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(table_text("kitchen", ("Ana", "Ben"), VIEW))
    return path


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Two seconds of an empty table, as a container with time stamps."""
    path = tmp_path / "clip.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        rng = np.random.default_rng(0)
        for _ in range(50):
            noise = rng.integers(60, 90, (240, 320, 3)).astype(np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(noise, format="bgr24")))
        container.mux(stream.encode())
    return path


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "r.jsonl"
    with RecordFile(path) as file:
        runner = MatchRunner(two_plays(), recorded_match(), Outlets(record=file))
        runner.run(frames(70), FullSpeed(), StopWish())
    return path


@pytest.fixture
def fake_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "load_detector", lambda *_settings: FakeDetector())


def one_error_line(capsys: pytest.CaptureFixture[str]) -> str:
    """The only line on standard error."""
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    return err


# --- misuse


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        pytest.param(["frobnicate"], "No such command 'frobnicate' (see", id="unknown command"),
        pytest.param(["watch"], "Missing argument 'SOURCE'", id="nothing to watch"),
        pytest.param(["watch", "x.mp4", "--pace", "slow"], "--pace", id="unknown pace"),
        pytest.param(["demo", "--port", "99999"], "--port", id="no such port"),
        pytest.param(["verify", "nowhere.jsonl"], "No such file or directory: nowhere.jsonl", id="no record"),
        pytest.param(["judge", "nowhere.jsonl"], "No such file or directory: nowhere.jsonl", id="no log"),
        pytest.param(["watch", "x.mp4", "--table", "no.toml"], "no.toml: no such file", id="no table file"),
        pytest.param(["bench", "--clip", "x.mp4"], "--clip and --table go together", id="half a clip"),
        pytest.param(["simulate", "match.avi"], "OUT wants a clip's name", id="not a clip's name"),
        pytest.param(["simulate", "m.mp4", "--size", "big"], "--size wants WIDTHxHEIGHT", id="no size"),
        pytest.param(["simulate", "m.mp4", "--size", "9" * 5000 + "x9"], "--size wants", id="endless size"),
        pytest.param(
            ["simulate", "m.mp4", "--story", "war"], "--story wants play, races, passes;", id="story"
        ),
        pytest.param(
            ["simulate", "m.mp4", "--game", "war"], "--game wants nerts or spit; got 'war'", id="war"
        ),
        pytest.param(["simulate", "m.mp4", "--seats", "5"], "(want 2 to 4)", id="five"),
        pytest.param(
            ["simulate", "m.mp4", "--game", "spit", "--seats", "4"], "spit for 4", id="four of Spit"
        ),
        pytest.param(["simulate", "m.mp4", "--seats", "3", "--markers"], "find no room", id="no markers"),
        pytest.param(["simulate", "m.mp4", "--gaps", "5,,9"], "--gaps wants milliseconds", id="gap missing"),
        pytest.param(["simulate", "m.mp4", "--gaps", "nan"], "--gaps wants milliseconds", id="gap of nan"),
        pytest.param(["simulate", "m.mp4", "--rolling-shutter", "40"], "want 0 to 16.666", id="slow rows"),
        pytest.param(["simulate", "m.mp4", "--lamp", "inf"], "--lamp wants a second", id="lamp of never"),
        pytest.param(["simulate", "new/", "--gaps", "-5"], "-5 ms is no gap", id="gap below 0"),
        pytest.param(["simulate", "m.mp4", "--gaps", "1e9"], "is no gap", id="gap of days"),
        pytest.param(
            ["simulate", "m.mp4", "--story", "passes", "--gaps", "5"], "nobody races", id="gaps of no race"
        ),
        pytest.param(["table", "new", "t.toml", "--players", "Ana"], "two names", id="one player"),
        pytest.param(
            ["table", "new", "t.toml", "--players", "A\x1bna,Ben"], "control characters", id="no name to show"
        ),
        pytest.param(["table", "new", "t.toml", "--players", "Ana,\u2800"], "blank", id="no name to see"),
        pytest.param(
            ["table", "new", "t.toml", "--players", "north,Ben"],
            "no other seat's",
            id="a name that is a seat",
        ),
        pytest.param(["table", "new", "t.toml", "--corners", "1,2 3"], "four 'X,Y' pairs", id="bad corners"),
        pytest.param(["table", "markers", "--size-mm", "999"], "--size-mm", id="huge markers"),
        pytest.param(["table", "markers", "m.png"], "ends in .pdf, got m.png", id="markers are a PDF"),
        pytest.param(
            ["table", "show", "t.toml", "x.mp4", "--out", "z.gif"], ".jpg or .png, got z.gif", id="no GIF"
        ),
    ],
)
def test_misuse_is_one_line_and_status_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    wanted: str,
):
    monkeypatch.chdir(tmp_path)

    status = cli.run(arguments)

    assert status == 2
    assert wanted in one_error_line(capsys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("group", ["table", "datasets", "train"])
def test_a_group_of_commands_named_alone_prints_its_help_only(group: str, capsys: pytest.CaptureFixture[str]):
    status = cli.run([group])

    captured = capsys.readouterr()
    assert (status, captured.err) == (2, "")
    assert f"touchjudge {group}" in captured.out


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        pytest.param("game =", "gmae = 1\ngame =", "gmae: unknown key", id="unknown key"),
        pytest.param(
            'game = "nerts"',
            'game = "whist"',
            "game: 'whist': want 'nerts' or 'spit'",
            id="a game that is not judged",
        ),
        pytest.param("[table]", "[rules]\ntarget_ = 3\n[table]", "target_", id="unknown rule"),
        pytest.param("[table]", "[table", "not TOML", id="not TOML"),
    ],
)
def test_a_table_file_that_does_not_hold_is_one_line_and_status_2(
    fake_detector: None,
    video: Path,
    table_file: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    wanted: str,
):
    table_file.write_text(table_file.read_text().replace(old, new, 1))

    status = cli.run(["watch", str(video), "--table", str(table_file)])

    line = one_error_line(capsys)
    assert (status, wanted in line, str(table_file) in line) == (2, True, True), line


def test_overlapping_zones_are_one_line_and_status_2(table_file: Path, capsys: pytest.CaptureFixture[str]):
    zone = (
        '[[piles]]\npile = "table/foundation[9]"\npolygon_mm = [[20, 250], [90, 250], [90, 340], [20, 340]]\n'
    )
    table_file.write_text(table_file.read_text() + zone)

    status = cli.run(["watch", "match.mp4", "--table", str(table_file)])

    assert status == 2
    assert "table/foundation[0] and table/foundation[9] overlap" in one_error_line(capsys)


def test_without_a_table_file_it_is_said_how_to_make_one(video: Path, capsys: pytest.CaptureFixture[str]):
    status = cli.run(["watch", str(video)])

    assert status == 2
    assert "touchjudge table new" in one_error_line(capsys)


# --- sources and disks that fail


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        pytest.param("missing.mp4", 2, id="a file that is not there is misuse"),
        pytest.param("/dev/video97", 1, id="a camera that is not there"),
        pytest.param("97", 1, id="a camera number that is not there"),
    ],
)
def test_a_source_that_is_not_there_is_one_line(
    fake_detector: None, table_file: Path, capsys: pytest.CaptureFixture[str], source: str, wanted: int
):
    status = cli.run(["watch", source, "--table", str(table_file)])

    assert status == wanted
    assert source in one_error_line(capsys)


def test_a_file_that_is_no_video_is_one_line_and_status_1(
    fake_detector: None, tmp_path: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "notes.mp4").write_text("this is no video\n" * 100)

    status = cli.run(["watch", str(tmp_path / "notes.mp4"), "--table", str(table_file)])

    assert status == 1
    assert "notes.mp4" in one_error_line(capsys)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_a_truncated_video_is_one_line_and_status_1(
    fake_detector: None,
    video: Path,
    tmp_path: Path,
    table_file: Path,
    capsys: pytest.CaptureFixture[str],
    kept: float,
):
    whole = video.read_bytes()
    video.write_bytes(whole[: int(len(whole) * kept)])

    status = cli.run(["watch", str(video), "--table", str(table_file), "--record", str(tmp_path / "r.jsonl")])

    assert status == 1
    assert "clip.mp4" in one_error_line(capsys)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line_and_status_1(
    fake_detector: None, video: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
):
    status = cli.run(["watch", str(video), "--table", str(table_file), "--record", "/dev/full"])

    assert status == 1
    assert "the disk is full" in one_error_line(capsys)


def test_a_fault_of_ours_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def broken(*_args: object) -> None:
        raise ZeroDivisionError("a fault\nof two lines")

    monkeypatch.setattr(models, "load_detector", broken)

    status = cli.run(["detect", str(tmp_path / "x.jpg")])

    assert status == 1
    assert (
        one_error_line(capsys) == "touchjudge: fault in touchjudge: ZeroDivisionError: a fault of two lines\n"
    )


# --- what works


def test_watching_a_video_keeps_a_record_that_verifies(
    fake_detector: None, video: Path, tmp_path: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "r.jsonl"

    watched = cli.run(["watch", str(video), "--table", str(table_file), "--record", str(path), "--json"])
    score = json.loads(capsys.readouterr().out.splitlines()[-1])
    verified = cli.run(["verify", str(path)])

    assert (watched, verified) == (0, 0)
    assert score["kind"] == "score"
    assert [player["player"] for player in score["players"]] == ["Ana", "Ben"]
    header = json.loads(path.read_text().splitlines()[0])
    assert (header["table"], header["source"], header["setup"]["clock_grade"]) == ("kitchen", "clip.mp4", "A")


def test_the_same_video_gives_the_same_record_under_any_name(
    fake_detector: None, video: Path, tmp_path: Path, table_file: Path
):
    paths = [tmp_path / "one.jsonl", tmp_path / "other.jsonl"]

    for path in paths:
        cli.run(["watch", str(video), "--table", str(table_file), "--record", str(path)])

    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_demo_can_play_once_and_leave(
    fake_detector: None,
    video: Path,
    tmp_path: Path,
    table_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(sample, "bundled_sample", lambda: sample.Sample(video, table_file))

    status = cli.run(["demo", "--once", "--pace", "fast", "--record", str(tmp_path / "r.jsonl")])

    captured = capsys.readouterr()
    assert status == 0
    assert "/live/demo\n" in captured.err, "the match and its table have one name in every address"
    assert "/overlay/demo\n" in captured.err
    assert "Ana" in captured.out
    assert verify((tmp_path / "r.jsonl").read_bytes().splitlines(keepends=True)).is_ended


def test_the_bundled_sample_is_small_and_whole():
    bundled = sample.bundled_sample()

    assert bundled.clip.stat().st_size < 4_000_000
    assert len(load_table(bundled.table).seats) == 2


def test_the_speed_is_measured_beside_plain_decoding(
    fake_detector: None, video: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
):
    status = cli.run(["bench", "--clip", str(video), "--table", str(table_file), "--json"])

    figures = json.loads(capsys.readouterr().out)
    assert (status, figures["frames"], figures["clip_seconds"]) == (0, 50, 1.96)
    assert min(figures["chain_fps"], figures["decoding_fps"]) > 0


def test_judging_a_record_gives_its_verdicts_again(record: Path, capsys: pytest.CaptureFixture[str]):
    status = cli.run(["judge", str(record), "--json"])

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert status == 0
    assert [(line["kind"], line.get("card")) for line in lines] == [
        ("verdict", "AH"),
        ("verdict", "2H"),
        ("score", None),
    ]
    assert lines[-1]["players"][0]["total"] == 2


def test_judging_under_other_rules_gives_other_points(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "house.toml").write_text("points_foundation = 5\n")

    status = cli.run(["judge", str(record), "--json", "--rules", str(tmp_path / "house.toml")])

    score = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (status, score["players"][0]["total"]) == (0, 10)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        pytest.param("points_fundation = 5\n", "unknown rule 'points_fundation'", id="unknown"),
        pytest.param("tie = " + "[" * 3000, "nested too deep", id="endless nesting"),
        pytest.param("nerts_penalty = " + "9" * 5000, "a number or date that is out of", id="endless number"),
        pytest.param("tie = 'a\xff'", "not text (want UTF-8)", id="no UTF-8"),
        pytest.param("nerts_penalty = 0x" + "f" * 5000, "a whole number within 1000000", id="huge number"),
    ],
)
def test_rules_that_do_not_hold_are_misuse(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str, wanted: str
):
    (tmp_path / "house.toml").write_text(written, encoding="latin-1")

    status = cli.run(["judge", str(record), "--rules", str(tmp_path / "house.toml")])

    assert status == 2
    assert wanted in one_error_line(capsys)


def test_a_changed_record_is_found_with_its_line(record: Path, capsys: pytest.CaptureFixture[str]):
    changed = record.read_text().replace('"card":"2H"', '"card":"3H"', 1)
    record.write_text(changed)

    status = cli.run(["verify", str(record)])

    assert status == 1
    assert "r.jsonl: line 5: the hash does not fit the line" in one_error_line(capsys)


@pytest.mark.parametrize("command", ["judge", "serve"])
def test_a_record_that_is_cut_short_is_told_of(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
):
    record.write_bytes(record.read_bytes()[:-20])
    lines = record.read_bytes().count(b"\n") + 1

    cli.run([command, str(record), *(["--host", "a..b"] if command == "serve" else [])])

    assert f"note: line {lines} of {record} is cut short and was left out" in capsys.readouterr().err


def test_detect_writes_one_json_line_an_image(
    fake_detector: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    picture = tmp_path / "nine.png"
    cv2.imwrite(str(picture), np.full((40, 30, 3), 200, dtype=np.uint8))

    status = cli.run(["detect", str(picture), "--json"])

    quad = [[1.0, 1.0], [29.0, 1.0], [29.0, 39.0], [1.0, 39.0]]
    row = json.loads(capsys.readouterr().out)
    assert status == 0
    assert row == {
        "image": str(picture),
        "width": 30,
        "height": 40,
        "cards": [{"card": "9H", "confidence": 0.9876, "quad": quad}],
    }


def test_an_image_that_cannot_be_read_does_not_stop_the_others(
    fake_detector: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    broken, good = tmp_path / "broken.jpg", tmp_path / "good.png"
    broken.write_bytes(b"no picture")
    cv2.imwrite(str(good), np.full((40, 30, 3), 200, dtype=np.uint8))

    status = cli.run(["detect", str(broken), str(tmp_path / "missing.jpg"), str(good), "--json"])

    captured = capsys.readouterr()
    assert status == 1
    assert [json.loads(line)["image"] for line in captured.out.splitlines()] == [str(good)]
    assert captured.err.splitlines() == [
        f"touchjudge: not an image (want JPEG, PNG, WebP, ...): {broken}",
        f"touchjudge: cannot read image: No such file or directory: {tmp_path / 'missing.jpg'}",
    ]


def test_annotated_pictures_go_to_the_folder(fake_detector: None, tmp_path: Path):
    picture = tmp_path / "nine.png"
    cv2.imwrite(str(picture), np.full((400, 300, 3), 200, dtype=np.uint8))

    status = cli.run(["detect", str(picture), "--draw", str(tmp_path / "drawn")])

    drawn = cv2.imread(str(tmp_path / "drawn" / "0001_nine.jpg"))
    assert status == 0
    assert drawn.shape == (400, 300, 3)
    assert (abs(drawn.astype(int) - 200) > 50).any()


def test_a_picture_too_long_to_be_drawn_is_told_of(
    fake_detector: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    picture = tmp_path / "long.png"
    cv2.imwrite(str(picture), np.full((20, 70_000, 3), 200, dtype=np.uint8))

    status = cli.run(["detect", str(picture), "--draw", str(tmp_path / "drawn")])

    assert status == 1
    assert "long.png: cannot write a picture of 70000 x 20 px" in one_error_line(capsys)


def test_a_closed_standard_output_is_no_fault(
    record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdout", None)

    assert cli.run(["verify", str(record)]) == 0
    assert capsys.readouterr().err == ""


def test_a_started_table_file_can_be_shown_over_a_video(
    video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    table, out = tmp_path / "kitchen.toml", tmp_path / "zones.jpg"
    corners = "0,0 320,0 320,240 0,240"

    made = cli.run(["table", "new", str(table), "--corners", corners, "--picture-size", "320x240"])
    shown = cli.run(["table", "show", str(table), str(video), "--out", str(out)])
    again = cli.run(["table", "new", str(table)])

    assert (made, shown, again) == (0, 0, 2)
    assert cv2.imread(str(out)).shape == (240, 320, 3)
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "starts_with"), [("zones.jpg", b"\xff\xd8\xff"), ("zones.PNG", b"\x89PNG\r\n")]
)
def test_a_picture_of_the_zones_is_what_its_name_says(
    video: Path, table_file: Path, tmp_path: Path, name: str, starts_with: bytes
):
    status = cli.run(["table", "show", str(table_file), str(video), "--out", str(tmp_path / name)])

    assert status == 0
    assert (tmp_path / name).read_bytes().startswith(starts_with)


def test_a_clip_in_a_folder_that_does_not_exist_names_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    status = cli.run(["simulate", str(tmp_path / "none" / "x.mp4")])

    assert status == 1
    assert f"cannot write x.mp4: no such folder: {tmp_path / 'none'}" in one_error_line(capsys)


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        pytest.param("192.0.2.1", "'192.0.2.1': no address of this machine", id="another machine's"),
        pytest.param("a..b", "'a..b': no such host", id="no name at all"),
        pytest.param("nowhere.invalid", "'nowhere.invalid': no such host", id="a name of nobody"),
    ],
)
def test_a_host_that_cannot_be_served_on_is_named(
    record: Path, capsys: pytest.CaptureFixture[str], host: str, wanted: str
):
    status = cli.run(["serve", str(record), "--host", host])

    assert status == 1
    assert wanted in one_error_line(capsys)


def commands() -> list[list[str]]:
    names = [command.name for command in cli.app.registered_commands]
    groups = [group.name for group in cli.app.registered_groups]
    return [[name] for name in (*names, *groups) if name]


@pytest.mark.parametrize("command", commands(), ids=lambda command: command[0])
def test_every_command_has_help_and_stands_in_the_readme(
    command: list[str], capsys: pytest.CaptureFixture[str]
):
    status = cli.run([*command, "--help"])

    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert status == 0
    assert "Usage: touchjudge" in capsys.readouterr().out
    assert f"`touchjudge {command[0]}" in readme or f"`{command[0]}`" in readme


def test_help_answers_without_loading_pixels_or_models():
    code = (
        "import sys; from api import cli; cli.run(['--help']); "
        "heavy = {'cv2', 'onnxruntime', 'av', 'fastapi', 'numpy'} & set(sys.modules); "
        "sys.exit(' '.join(sorted(heavy)) or 0)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
