"""Live sources: a camera that is unplugged and comes back, damaged packets, stamps that start anew."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from av.container import InputContainer
from numbered_films import number_in, write_film

from referee.clock import ClockGrade
from vision.evidence import ClipReader, EvidenceBuffer, EvidenceSettings, write_clip
from vision.evidence.clips import index_of
from vision.sources import SourceError
from vision.sources.live import LiveSource, Patience

PLAIN = {"bf": "2", "g": "15"}


class FakeTime:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> bool:
        self.now_s += seconds
        return False


class Camera:
    """Plays one file at each time that it is opened; where there is a text it is not there, and says that."""

    def __init__(self, *plays: Path | str) -> None:
        self._plays: Iterator[Path | str] = iter(plays)

    def __call__(self) -> InputContainer:
        play = next(self._plays, "gone for good")
        if isinstance(play, str):
            raise SourceError(play)
        return av.open(str(play))


def film(folder: Path, name: str, first_tick: int, first: int = 0, count: int = 30) -> Path:
    return write_film(
        folder / name, "libx264", PLAIN, range(first_tick, first_tick + 1500 * count, 1500), first
    )


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


def live(camera: Camera, time: FakeTime, told: list[str] | None = None, give_up_s: float = 5.0) -> LiveSource:
    source = LiveSource(camera, "camera 0", time)
    if told is not None:
        source.be_patient(Patience(time.wait, told.append, give_up_s=give_up_s))
    return source


def until_lost(source: LiveSource) -> list[tuple[int, int]]:
    """Number and time of every frame; the loss at the end is expected."""
    seen: list[tuple[int, int]] = []
    with pytest.raises(SourceError):
        seen.extend((number_in(frame.image_bgr), frame.t_us) for frame in source)
    return seen


def test_a_camera_that_is_lost_ends_the_source_without_patience(tmp_path, time):
    source = live(Camera(film(tmp_path, "a.mp4", 0)), time)

    frames = iter(source)
    seen = [number_in(next(frames).image_bgr) for _ in range(30)]

    assert seen == list(range(30))
    with pytest.raises(SourceError, match=r"camera 0: ended after its time 0.483 s"):
        next(frames)


def test_a_camera_whose_clock_ran_on_comes_back_with_its_own_times(tmp_path, time):
    told: list[str] = []
    away_ticks = 90_000 * 4
    camera = Camera(film(tmp_path, "a.mp4", 0), "no", "no", film(tmp_path, "b.mp4", away_ticks, first=30))
    source = live(camera, time, told, give_up_s=3.0)

    seen = until_lost(source)

    assert [number for number, _ in seen] == list(range(60))
    assert seen[30] == (30, 4_000_000)
    assert source.clock_grade is ClockGrade.B
    assert "waiting for it to come back" in told[0]
    assert told[1].startswith("camera 0: back after 3 s")
    assert any("outages of the source" in notice for notice in source.notices)


def test_a_stream_that_starts_anew_goes_on_by_the_length_of_the_outage(tmp_path, time):
    camera = Camera(film(tmp_path, "a.mp4", 0), "no", "no", film(tmp_path, "b.mp4", 0, first=30))
    source = live(camera, time, [], give_up_s=3.0)

    seen = until_lost(source)

    assert seen[29] == (29, 483_333)
    assert [t - 3_483_333 for _, t in seen[30:33]] == [0, 16_667, 33_333]
    assert source.clock_grade is ClockGrade.B


def test_a_camera_that_stays_away_ends_the_source(tmp_path, time):
    source = live(Camera(film(tmp_path, "a.mp4", 0)), time, [], give_up_s=5.0)

    with pytest.raises(SourceError, match="it did not come back"):
        list(source)

    assert time.now_s == 105.0


def test_asking_for_the_end_ends_the_waiting(tmp_path, time):
    source = LiveSource(Camera(film(tmp_path, "a.mp4", 0)), "camera 0", time)
    source.be_patient(Patience(lambda _: True, lambda _: None))

    assert len(list(source)) == 30


def test_a_damaged_packet_costs_a_frame_and_not_the_match(tmp_path, time):
    path = write_film(tmp_path / "a.mkv", "mjpeg", {}, range(0, 30 * 1500, 1500))
    content = bytearray(path.read_bytes())
    starts = [i for i in range(len(content)) if content[i : i + 3] == b"\xff\xd8\xff"]
    content[starts[10] : starts[11] - 20] = bytes(starts[11] - 20 - starts[10])
    path.write_bytes(content)

    seen = until_lost(live(Camera(path), time))

    assert [number for number, _ in seen] == [n for n in range(30) if n != 10]


def test_pictures_without_stamps_get_the_time_at_which_they_came(tmp_path):
    path = write_film(tmp_path / "a.h264", "libx264", {"bf": "0"}, range(0, 10 * 1500, 1500))
    ticking = iter(range(1000))
    source = LiveSource(Camera(path), "camera 0", lambda: float(next(ticking)))

    times = [t for _, t in until_lost(source)]

    assert len(times) == 10
    assert all(b > a for a, b in pairwise(times))
    assert source.clock_grade is ClockGrade.C
    assert any("no times" in notice for notice in source.notices)


def test_looking_ahead_loses_no_frame_and_no_packet(tmp_path, time):
    buffer = EvidenceBuffer(EvidenceSettings())
    source = live(Camera(film(tmp_path, "a.mp4", 0)), time).look_ahead()

    assert source.frame_period_us in {16_666, 16_667}
    assert source.tap_packets(buffer) is None
    seen = until_lost(source)

    assert [number for number, _ in seen] == list(range(30))
    assert len(buffer.packets) == 30
    assert buffer.packets[0].is_key


def test_a_source_without_stamps_is_known_before_the_match(tmp_path):
    path = write_film(tmp_path / "a.h264", "libx264", {"bf": "0"}, range(0, 10 * 1500, 1500))
    ticking = iter(range(1000))

    source = LiveSource(Camera(path), "camera 0", lambda: float(next(ticking))).look_ahead()

    assert source.clock_grade is ClockGrade.C
    assert "no time stamps" in (source.tap_packets(EvidenceBuffer(EvidenceSettings())) or "")


def test_a_camera_that_gives_no_pictures_is_refused(tmp_path, time):
    path = write_film(tmp_path / "a.mkv", "mjpeg", {}, range(0, 1500, 1500))
    content = bytearray(path.read_bytes())
    start = content.index(b"\xff\xd8\xff")
    content[start:] = bytes(len(content) - start)
    path.write_bytes(content)

    with pytest.raises(SourceError, match="gives no pictures"):
        live(Camera(path), time).look_ahead()


def test_the_rate_that_a_camera_announces_holds_until_it_is_measured(tmp_path, time):
    source = live(Camera(film(tmp_path, "a.mp4", 0)), time)

    assert source.frame_period_us == 16_667


def test_the_ring_holds_what_came_since_the_camera_is_back(tmp_path, time):
    buffer = EvidenceBuffer(EvidenceSettings())
    camera = Camera(film(tmp_path, "a.mp4", 0), "no", film(tmp_path, "b.mp4", 0, first=30))
    source = live(camera, time, [], give_up_s=3.0)
    source.tap_packets(buffer)
    pictures: dict[int, np.ndarray] = {}
    with pytest.raises(SourceError):
        pictures.update((frame.t_us, frame.image_bgr) for frame in source)
    assert buffer.row is not None
    index = index_of("c1", buffer.row, buffer.packets, source="camera 0", start_us=0, end_us=10_000_000)
    write_clip(tmp_path, index, buffer.row, buffer.packets)

    with ClipReader(index, tmp_path / index.media) as reader:
        frames = [reader.frame_at(t_us) for t_us in reader.times_us]

    assert [number_in(frame.image_bgr) for frame in frames] == list(range(30, 60))
    assert [frame.t_us for frame in frames] == list(pictures)[30:]
    assert all(np.array_equal(frame.image_bgr, pictures[frame.t_us]) for frame in frames)


def test_a_clock_that_steps_back_begins_a_new_stretch(tmp_path, time):
    buffer = EvidenceBuffer(EvidenceSettings())
    first, second = film(tmp_path, "a.mp4", 90_000 * 10), film(tmp_path, "b.mp4", 0, first=30)
    both = tmp_path / "both.mkv"
    _append(both, first, second)
    source = live(Camera(both), time)
    source.tap_packets(buffer)

    seen = until_lost(source)

    assert [number for number, _ in seen] == list(range(60))
    assert source.clock_grade is ClockGrade.C
    assert buffer.row is not None
    assert buffer.row.moved_us > 10_000_000


def _append(target: Path, *films: Path) -> None:
    """Put films behind each other in a stream whose stamps step back, as a looped stream's do."""
    units = b""
    for path in films:
        part = path.with_suffix(".ts")
        with av.open(str(path)) as read, av.open(str(part), "w") as written:
            stream = read.streams.video[0]
            copy = written.add_stream_from_template(stream)
            for packet in read.demux(stream):
                if packet.size:
                    packet.stream = copy
                    written.mux(packet)
        units += part.read_bytes()
    target.write_bytes(units)
