"""One suite for every kind of source, then what is special to each."""

import socket
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from referee.clock import ClockGrade
from vision.sources import Source, SourceError, SourceSettings, open_source
from vision.sources.live import without_password
from vision.sources.timing import StampKeeper

TIME_BASE = Fraction(1, 90_000)
EVEN_TICKS = tuple(3000 * i for i in range(12))
VARIABLE_TICKS = (0, 1500, 3000, 9000, 12_000, 27_000, 28_500, 73_500, 75_000, 76_501)
GAP_TICKS = tuple(3000 * i for i in (0, 1, 2, 3, 7, 8, 9))


def picture(number: int) -> np.ndarray:
    """A grey picture whose brightness tells its number."""
    return np.full((48, 64, 3), 20 + 10 * number, dtype=np.uint8)


def write_video(path: Path, ticks: Iterable[int], options: dict[str, str] | None = None) -> str:
    with av.open(str(path), "w", options=options or {}) as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = stream.codec_context.time_base = TIME_BASE
        for number, pts in enumerate(ticks):
            frame = av.VideoFrame.from_ndarray(picture(number), format="bgr24")
            frame.pts, frame.time_base = pts, TIME_BASE
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return str(path)


def write_images(folder: Path, ticks: Iterable[int], name: Callable[[int, int], str]) -> str:
    folder.mkdir()
    for number, pts in enumerate(ticks):
        cv2.imwrite(str(folder / name(number, round(pts * 100 / 9))), picture(number))
    return str(folder)


def write_listed(folder: Path, ticks: Iterable[int]) -> str:
    ticks = tuple(ticks)
    write_images(folder, ticks, lambda number, _: f"{number}.png")
    rows = "".join(f"{number}.png,{round(pts * 100 / 9)}\n" for number, pts in enumerate(ticks))
    (folder / "times.csv").write_text("file,t_us\n" + rows)
    return str(folder)


WRITERS = {
    "mp4": lambda folder, ticks: write_video(folder / "a.mp4", ticks),
    "mov": lambda folder, ticks: write_video(folder / "a.mov", ticks),
    "ts": lambda folder, ticks: write_video(folder / "a.ts", ticks),
    "names": lambda folder, ticks: write_images(folder / "n", ticks, lambda _, t_us: f"top-{t_us:09}us.png"),
    "listing": lambda folder, ticks: write_listed(folder / "l", ticks),
}


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Iterable[int]], str]:
    return lambda ticks: WRITERS[request.param](tmp_path, ticks)


def times_us(source: Source) -> list[int]:
    return [frame.t_us for frame in source]


@pytest.mark.parametrize(
    ("ticks", "grade"),
    [
        pytest.param(EVEN_TICKS, ClockGrade.A, id="even frames are grade A"),
        pytest.param(VARIABLE_TICKS, ClockGrade.B, id="a variable rate keeps the times that were written"),
        pytest.param(GAP_TICKS, ClockGrade.B, id="dropped frames are grade B"),
    ],
)
def test_times_are_those_that_were_written(writer, ticks, grade):
    with open_source(writer(ticks)) as source:
        got = times_us(source)

        expected = [round(t * 100 / 9) for t in ticks]
        start = got[0] - expected[0]  # A transport stream does not start at 0.
        assert [t - start for t in got] == pytest.approx(expected, abs=1)
        assert (source.clock_grade, source.frame_count) == (grade, len(ticks))


def test_pictures_come_in_order_with_their_times(writer):
    with open_source(writer(EVEN_TICKS)) as source:
        frames = list(source)

    brightness = [frame.image_bgr.mean() for frame in frames]
    assert brightness == pytest.approx([20 + 10 * i for i in range(len(EVEN_TICKS))], abs=6)
    assert [frame.index for frame in frames] == list(range(len(EVEN_TICKS)))
    assert {frame.source_id for frame in frames} == {source.source_id}


def test_the_frame_period_is_measured(writer):
    with open_source(writer(EVEN_TICKS)) as source:
        assert source.frame_period_us == pytest.approx(33_333, abs=1)


def test_images_without_times_are_grade_c(tmp_path):
    folder = write_images(tmp_path / "shots", EVEN_TICKS, lambda number, _: f"shot{number}.png")

    with open_source(folder, SourceSettings(folder_fps=50.0)) as source:
        assert times_us(source)[:3] == [0, 20_000, 40_000]
        assert source.clock_grade is ClockGrade.C
        assert "made up" in source.notices[0]


def test_images_follow_one_another_as_people_count(tmp_path):
    folder = write_images(tmp_path / "shots", EVEN_TICKS, lambda number, _: f"shot{number}.png")

    with open_source(folder) as source:
        brightness = [frame.image_bgr.mean() for frame in source]

    assert brightness == sorted(brightness)


def test_a_stream_without_stamps_is_grade_c(tmp_path):
    with open_source(write_video(tmp_path / "a.h264", EVEN_TICKS)) as source:
        got = times_us(source)

    assert source.clock_grade is ClockGrade.C
    assert len(got) == len(EVEN_TICKS)
    assert got == sorted(set(got))


def cut(path: str, share: float) -> str:
    whole = Path(path)
    short = whole.with_name("cut" + whole.suffix)
    short.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
    return str(short)


def noise_video(path: Path, options: dict[str, str] | None = None) -> str:
    """A video whose frames take up bytes, so that a cut takes some of them away."""
    noise = np.random.default_rng(3)
    with av.open(str(path), "w", options=options or {}) as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = stream.codec_context.time_base = TIME_BASE
        for number in range(60):
            image = noise.integers(0, 255, (48, 64, 3), dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = 3000 * number, TIME_BASE
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return str(path)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_a_file_cut_short_is_played_as_far_as_it_goes(tmp_path, name):
    options = {"movflags": "faststart"} if name.endswith("mp4") else {}
    path = cut(noise_video(tmp_path / name, options), 0.6)
    got = []

    with open_source(path) as source, pytest.raises(SourceError, match=r"whole up to [0-9.]+ s") as error:
        got.extend(frame.t_us for frame in source)

    assert 20 < len(got) < 60
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.97])
def test_a_fragmented_file_cut_within_a_frame_is_told(tmp_path, share):
    path = cut(noise_video(tmp_path / "a.mp4", {"movflags": "frag_keyframe+empty_moov"}), share)
    got = []

    with open_source(path) as source, pytest.raises(SourceError, match=r"cut short: whole up to [0-9.]+ s"):
        got.extend(frame.t_us for frame in source)

    assert 60 * share - 12 < len(got) < 60


def test_a_file_cut_before_its_index_is_refused(tmp_path):
    path = cut(noise_video(tmp_path / "a.mp4"), 0.6)

    with pytest.raises(SourceError, match="not a video, or cut short"):
        open_source(path)


def test_a_whole_file_ends_without_complaint(tmp_path):
    for name in ("a.mp4", "a.mkv", "a.ts", "a.avi"):
        with open_source(noise_video(tmp_path / name)) as source:
            assert len(times_us(source)) == 60


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts"])
def test_a_file_whose_times_start_late_is_whole(tmp_path, name):
    with open_source(write_video(tmp_path / name, (225_000 + tick for tick in EVEN_TICKS))) as source:
        assert len(times_us(source)) == len(EVEN_TICKS)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        pytest.param("missing.mp4", None, "no such file", id="no such file"),
        pytest.param(
            "letter.mp4", b"Dear all, this is no video.", "not a video", id="text under a video's name"
        ),
        pytest.param("empty.mp4", b"", "not a video", id="an empty file"),
        pytest.param("sound.wav", "sound", "no video stream", id="sound alone"),
    ],
)
def test_what_is_no_video_is_refused_in_one_line(tmp_path, name, content, said):
    path = tmp_path / name
    if content == "sound":
        with av.open(str(path), "w") as container:
            stream = container.add_stream("pcm_s16le", rate=8000)
            samples = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), format="s16", layout="mono")
            samples.rate = 8000
            container.mux(stream.encode(samples))
    elif content is not None:
        path.write_bytes(content)

    with pytest.raises(SourceError, match=said) as error:
        open_source(str(path))

    assert str(path) in str(error.value)
    assert "want" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.bmp", "a.webp", "a.tif"])
def test_a_picture_is_no_video(tmp_path, name):
    path = tmp_path / name
    cv2.imwrite(str(path), picture(3))

    with pytest.raises(SourceError, match=r"a picture, not a video \(want a video, or a folder of pictures"):
        open_source(str(path))


def test_a_text_is_no_video(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear all, this is no video.\n" * 50)

    with pytest.raises(SourceError, match="text, not a video"):
        open_source(str(path))


def test_a_camera_that_is_not_there_is_refused():
    with pytest.raises(SourceError, match="camera 97: not there or in use"):
        open_source("97")


def test_an_address_where_nothing_listens_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    said = r"rtsp://127\.0\.0\.1:\d+/top: no stream there: connection refused"
    with pytest.raises(SourceError, match=said):
        open_source(f"rtsp://me:secret@127.0.0.1:{port}/top", SourceSettings(timeout_s=1.0))


def test_an_address_that_never_answers_is_given_up():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(SourceError, match="no stream there"):
            open_source(f"rtsp://127.0.0.1:{silent.getsockname()[1]}/top", SourceSettings(timeout_s=0.3))


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(SourceError, match="no images in it"):
        open_source(str(tmp_path))


def test_a_broken_image_ends_the_folder_with_its_name(tmp_path):
    folder = Path(write_images(tmp_path / "shots", EVEN_TICKS, lambda number, _: f"{number:02}.png"))
    (folder / "05.png").write_bytes(b"no image")
    seen = []

    with open_source(str(folder)) as source, pytest.raises(SourceError, match=r"05\.png: not an image"):
        seen.extend(source)

    assert len(seen) == 5


@pytest.mark.parametrize(
    ("listing", "said"),
    [
        pytest.param(f"file,t_us\n0.png,{2**53 + 1}\n", "no time in microseconds", id="time too far"),
        pytest.param(f"file,t_us\n0.png,{'9' * 5000}\n", "no time in microseconds", id="time too long"),
        pytest.param(f"file,t_us\n{'a' * 200_000},0\n", "not a list of times", id="name too long"),
    ],
)
def test_a_list_of_no_times_is_refused(tmp_path, listing, said):
    folder = write_listed(tmp_path / "l", EVEN_TICKS)
    (Path(folder) / "times.csv").write_text(listing)

    with pytest.raises(SourceError, match=said) as error:
        open_source(folder)

    assert "\n" not in str(error.value)


@pytest.mark.parametrize("digits", [str(2**53 + 1), "9" * 200])
def test_a_name_with_no_time_is_refused(tmp_path, digits):
    folder = write_images(tmp_path / "shots", (0,), lambda *_: f"{digits}us.png")

    with pytest.raises(SourceError, match=r"no time in microseconds \(want at most"):
        open_source(folder)


def test_a_picture_too_large_to_decode_is_named(tmp_path):
    folder = Path(write_images(tmp_path / "shots", (0,), lambda *_: "a.bmp"))
    content = bytearray((folder / "a.bmp").read_bytes())
    content[18:26] = (100_000).to_bytes(4, "little") * 2
    (folder / "a.bmp").write_bytes(content)

    with open_source(str(folder)) as source, pytest.raises(SourceError, match=r"a\.bmp: cannot be decoded"):
        list(source)


@pytest.mark.parametrize(
    ("stamps", "taken", "grade"),
    [
        pytest.param((0, 20, 40), [0, 20, 40], "A", id="even"),
        pytest.param((0, 20, 20, 40), [0, 20, 40], "B", id="a repeated stamp is left out"),
        pytest.param((0, 40, 20, 60), [0, 40, 60], "B", id="a stamp that steps back is left out"),
        pytest.param((0, 20, 40, 120, 140), [0, 20, 40, 120, 140], "B", id="a gap is kept and counted"),
        pytest.param((5000, 5020, 0, 20), [5000, 5020, 5040, 5060], "C", id="a restart moves the times on"),
    ],
)
def test_stamps(stamps, taken, grade):
    keeper = StampKeeper()

    got = [keeper.accept(1000 * stamp) for stamp in stamps]

    assert [t for t in got if t is not None] == [1000 * t for t in taken]
    assert keeper.grade.value == grade


def test_a_password_is_never_shown():
    assert without_password("rtsp://me:secret@cam/top") == "rtsp://cam/top"
