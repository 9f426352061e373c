"""Clips cut from compressed packets, and their frames by their times."""

import hashlib
import io
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from av.stream import Disposition
from numbered_films import BITS, SQUARE_PX, even_ticks, number_in, variable_ticks, write_film

from vision.evidence import (
    ClipError,
    ClipIndex,
    ClipReader,
    EvidenceBuffer,
    EvidenceSettings,
    check_clip,
    cut_from_file,
    read_index,
    write_clip,
)
from vision.evidence.buffer import Row, packets_from, packets_until
from vision.evidence.clips import index_of, media_of, parse_index
from vision.packets import Packet
from vision.sources import open_source

FILMS = {
    "mp4 with B-frames": ("a.mp4", "libx264", {"bf": "3", "g": "48"}, even_ticks),
    "mp4 of variable rate with B-frames": ("a.mp4", "libx264", {"bf": "3", "g": "40"}, variable_ticks),
    "mp4 of variable rate without": ("a.mp4", "libx264", {"bf": "0", "g": "60"}, variable_ticks),
    "mp4 with open groups": (
        "a.mp4",
        "libx264",
        {"bf": "3", "g": "30", "x264-params": "open-gop=1:scenecut=0"},
        even_ticks,
    ),
    "one key frame in all": ("a.mp4", "libx264", {"bf": "3", "g": "1000"}, variable_ticks),
    "transport stream": ("a.ts", "libx264", {"bf": "3", "g": "40"}, variable_ticks),
    "matroska rounds to milliseconds": ("a.mkv", "libx264", {"bf": "3", "g": "40"}, variable_ticks),
    "motion JPEG": ("a.mkv", "mjpeg", {}, variable_ticks),
}


@pytest.fixture(params=FILMS)
def film(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name, codec, options, ticks = FILMS[request.param]
    return write_film(tmp_path / name, codec, options, ticks())


@pytest.fixture
def plain_film(tmp_path: Path) -> Path:
    return write_film(tmp_path / "plain.mp4", "libx264", {"bf": "2", "g": "48"}, even_ticks())


def watched(path: Path, buffer: EvidenceBuffer) -> dict[int, np.ndarray]:
    """The pictures that the watcher would be given, by their times, with their packets kept."""
    with open_source(str(path)) as source:
        assert source.tap_packets(buffer) is None
        return {frame.t_us: frame.image_bgr for frame in source}


def cut(path: Path, folder: Path, start_us: int, end_us: int) -> tuple[ClipIndex, dict[int, np.ndarray]]:
    """The clip of that time from the ring, written into ``folder``, and what was watched."""
    buffer = EvidenceBuffer(EvidenceSettings())
    pictures = watched(path, buffer)
    assert buffer.row is not None
    packets = packets_until(packets_from(buffer.packets, buffer.row, start_us), buffer.row, end_us)
    index = index_of("c1", buffer.row, packets, source=path.name, start_us=start_us, end_us=end_us)
    folder.mkdir()
    write_clip(folder, index, buffer.row, packets)
    return index, pictures


def test_every_frame_of_a_clip_is_the_one_that_was_judged(film, tmp_path):
    index, pictures = cut(film, tmp_path / "clips", 1_200_000, 2_700_000)
    wanted = [t for t in pictures if 1_200_000 <= t <= 2_700_000]
    order = np.random.default_rng(1).permutation(wanted)[:40]

    with ClipReader(index, tmp_path / "clips" / index.media) as reader:
        frames = [reader.frame_at(int(t_us)) for t_us in order]

    assert [frame.t_us for frame in frames] == list(order)
    assert all(np.array_equal(frame.image_bgr, pictures[frame.t_us]) for frame in frames)
    everything = list(pictures)
    assert [number_in(frame.image_bgr) for frame in frames] == [everything.index(t) for t in order]


def test_stepping_gives_the_next_and_the_previous_picture(film, tmp_path):
    index, pictures = cut(film, tmp_path / "clips", 1_500_000, 2_500_000)
    times = [t for t in pictures if 1_500_000 <= t <= 2_500_000]
    middle = len(times) // 2

    with ClipReader(index, tmp_path / "clips" / index.media) as reader:
        here = number_in(reader.frame_at(times[middle]).image_bgr)
        later = [number_in(reader.step(times[middle], by).image_bgr) for by in (1, 2, 3)]
        earlier = [number_in(reader.step(times[middle], by).image_bgr) for by in (-1, -2, -15)]

    assert later == [here + 1, here + 2, here + 3]
    assert earlier == [here - 1, here - 2, here - 15]


def test_between_two_frames_the_earlier_one_is_shown(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)

    with ClipReader(index, tmp_path / "clips" / index.media) as reader:
        frame = reader.frame_at(1_500_010)

    assert (frame.t_us, number_in(frame.image_bgr)) == (1_500_000, 90)


def test_times_outside_the_clip_are_refused(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)

    with ClipReader(index, tmp_path / "clips" / index.media) as reader:
        with pytest.raises(ClipError, match="before the clip"):
            reader.frame_at(reader.times_us[0] - 1)
        with pytest.raises(ClipError, match="no frame further on"):
            reader.step(reader.times_us[-1], 1)
        with pytest.raises(ClipError, match="no frame further on"):
            reader.step(reader.times_us[0], -1)


def test_a_clip_holds_what_was_asked_for_and_begins_at_a_key_frame(film, tmp_path):
    index, pictures = cut(film, tmp_path / "clips", 1_200_000, 2_700_000)

    wanted = [t for t in pictures if 1_200_000 <= t <= 2_700_000]
    assert index.packets[0].is_key
    assert set(wanted) <= set(index.times_us)
    assert index.times_us[-1] >= wanted[-1]


def test_a_clip_holds_to_the_hashes_in_its_index(film, tmp_path):
    index, _ = cut(film, tmp_path / "clips", 1_200_000, 2_700_000)

    check_clip(index, tmp_path / "clips" / index.media)


def test_the_same_clip_can_be_cut_from_the_file_afterwards(film, tmp_path):
    index, _ = cut(film, tmp_path / "clips", 1_200_000, 2_700_000)

    again, row, packets = cut_from_file(film, "c1", start_us=1_200_000, end_us=2_700_000)
    (tmp_path / "again").mkdir()
    write_clip(tmp_path / "again", again, row, packets)

    assert again == index
    assert (tmp_path / "again" / index.media).read_bytes() == (tmp_path / "clips" / index.media).read_bytes()


def test_a_changed_picture_is_found(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    media = tmp_path / "clips" / index.media
    content = bytearray(media.read_bytes())
    at = content.index(b"mdat") + 4 + 8 + sum(packet.size for packet in index.packets[:5]) + 10
    content[at] ^= 1
    media.write_bytes(content)

    with pytest.raises(ClipError, match="is not the one that is listed"):
        check_clip(index, media)


def muxed_again(media: bytes, *, factor: int = 1, with_second: bytes | None = None, title: str = "") -> bytes:
    """A file of the same pictures: at another tempo, or before a second track that players prefer."""
    memory = io.BytesIO()
    with av.open(io.BytesIO(media)) as source, av.open(memory, "w", format="mp4") as target:
        target.metadata["title"] = title
        tracks = [(source, target.add_stream_from_template(source.streams.video[0], opaque=True))]
        if with_second is not None:
            other = av.open(io.BytesIO(with_second))
            tracks.append((other, target.add_stream_from_template(other.streams.video[0], opaque=True)))
            tracks[0][1].disposition = Disposition(0)
            tracks[1][1].disposition = Disposition.default
        for each, stream in tracks:
            for packet in each.demux(video=0):
                if packet.dts is not None and packet.pts is not None:
                    packet.pts, packet.dts = packet.pts * factor, packet.dts * factor
                    packet.stream = stream
                    target.mux(packet)
    return memory.getvalue()


def stretched(media: bytes) -> bytes:
    """The same file, shown twice as wide: by the matrix of its track."""
    at = media.rindex(b"tkhd") + 44
    return media[:at] + (2 << 16).to_bytes(4, "big") + media[at + 4 :]


def begun_later(media: bytes) -> bytes:
    """The same file, of which players leave out the first second."""
    at = media.rindex(b"elst") + 16
    return media[:at] + (90_000).to_bytes(4, "big") + media[at + 4 :]


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        pytest.param(lambda own, _: own + b"<script>", "not as this program writes", id="bytes behind it"),
        pytest.param(
            lambda own, _: own + b"\x00\x00\x00\x0cfree0123", "not as this program writes", id="a box more"
        ),
        pytest.param(
            lambda own, other: muxed_again(own, with_second=other), "2 tracks in it", id="a second track"
        ),
        pytest.param(
            lambda own, _: muxed_again(own, factor=2), "not as this program writes", id="half the speed"
        ),
        pytest.param(
            lambda own, _: muxed_again(own, title="Ana won"), "not as this program writes", id="a title"
        ),
        pytest.param(lambda own, _: stretched(own), "not as this program writes", id="stretched"),
        pytest.param(lambda own, _: begun_later(own), "want 74, as listed", id="begun later"),
        pytest.param(lambda own, _: own + bytes(1 << 21), "more than the pictures", id="much behind it"),
    ],
)
def test_what_changes_how_the_same_pictures_are_shown_is_found(plain_film, tmp_path, change, wanted):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    other, _ = cut(plain_film, tmp_path / "others", 2_000_000, 3_000_000)
    media = tmp_path / "clips" / index.media
    media.write_bytes(change(media.read_bytes(), (tmp_path / "others" / other.media).read_bytes()))

    with pytest.raises(ClipError, match=wanted):
        check_clip(index, media)


COLOURS = {
    "color_range": "tv",
    "color_primaries": "smpte170m",
    "colorspace": "smpte170m",
    "color_trc": "bt709",
}


def shown_as(path: Path, told: dict[str, str]) -> Path:
    """A film whose stream says of itself what ``told`` names."""
    return write_film(path, "libx264", {"bf": "2", "g": "48", **COLOURS, **told}, even_ticks())


def kept_of(path: Path) -> tuple[Row, list[Packet]]:
    """All packets of a film."""
    buffer = EvidenceBuffer(EvidenceSettings())
    watched(path, buffer)
    assert buffer.row is not None
    return buffer.row, list(buffer.packets)


def forged(index: ClipIndex, film: Path, other: Path) -> bytes:
    """The clip as this program would have written it of a stream that says of itself what ``other`` does."""
    (row, packets), (said, _) = kept_of(film), kept_of(other)
    own = media_of(index, row, packets)
    assert hashlib.sha256(own).hexdigest() == index.media_sha256
    return media_of(index, replace(row, form=said.form), packets)


SHOWN_OTHERWISE = [
    pytest.param({"x264-params": "sar=16/11"}, id="aspect"),
    pytest.param({"color_range": "pc"}, id="range of colours"),
    pytest.param({"color_primaries": "bt2020"}, id="primaries"),
    pytest.param({"colorspace": "bt709"}, id="matrix"),
    pytest.param({"color_trc": "smpte2084"}, id="curve"),
]


@pytest.mark.parametrize("told", SHOWN_OTHERWISE)
@pytest.mark.parametrize("ending", ["mp4", "mkv"])
def test_a_clip_that_says_to_be_shown_in_another_way_is_found(tmp_path, told, ending):
    film, other = shown_as(tmp_path / f"was.{ending}", {}), shown_as(tmp_path / f"now.{ending}", told)
    row, packets = kept_of(film)
    index = index_of("c1", row, packets, source=film.name, start_us=0, end_us=10_000_000)
    check_clip(index, media_of(index, row, packets))

    changed = forged(index, film, other)

    with pytest.raises(ClipError, match="shown in another way"):
        check_clip(index, changed)
    check_clip(replace(index, media_sha256=None), changed)  # what nobody could tell before


def test_an_index_of_an_older_program_holds_as_it_was_written(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    older = replace(index, media_sha256=None)

    assert "media_sha256" not in older.text
    assert parse_index(older.text.encode()) == older
    check_clip(older, tmp_path / "clips" / index.media)


def test_an_index_names_its_file_by_a_hash(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    written = (tmp_path / "clips" / index.media).read_bytes()

    assert index.media_sha256 == hashlib.sha256(written).hexdigest()
    assert parse_index(index.text.encode()) == index
    with pytest.raises(ClipError, match="want a SHA-256"):
        parse_index(index.text.replace(index.media_sha256, "x").encode())


def test_times_that_no_video_has_are_refused(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    last = replace(index.packets[-1], pts=1 << 70)

    with pytest.raises(ClipError, match="times that no video has"):
        check_clip(replace(index, packets=(*index.packets[:-1], last)), tmp_path / "clips" / index.media)


def test_a_clip_of_other_times_is_refused(plain_film, tmp_path):
    """The pictures are listed, but the index says that they were taken at half the speed."""
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    slow = [replace(packet, pts=2 * packet.pts, dts=2 * (packet.dts or 0)) for packet in index.packets]

    with pytest.raises(ClipError, match="not as this program writes"):
        check_clip(replace(index, packets=tuple(slow)), tmp_path / "clips" / index.media)


def test_a_missing_picture_is_found(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    shorter, _ = cut(plain_film, tmp_path / "shorter", 1_000_000, 1_900_000)

    with pytest.raises(ClipError, match="as listed"):
        check_clip(index, tmp_path / "shorter" / shorter.media)


def test_an_index_is_read_as_it_was_written(plain_film, tmp_path):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)

    assert read_index(tmp_path / "clips" / "c1.clip.json") == index


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b'"clip_id":"c1"', b'"clip_id":"../c1"', id="a name that leaves the folder"),
        pytest.param(b'"media":"c1.mp4"', b'"media":"/etc/passwd"', id="a file elsewhere"),
        pytest.param(b'"format":1', b'"format":2', id="another form"),
        pytest.param(b'"time_base_den":90000', b'"time_base_den":0', id="no time base"),
        pytest.param(b'"quarters":0', b'"quarters": 0', id="written in another way"),
        pytest.param(b'"size_px":[160,48]', b'"size_px":[160]', id="half a size"),
        pytest.param(b'"packets":[[', b'"packets":[[1,', id="a row too long"),
    ],
)
def test_an_index_that_does_not_hold_is_refused(plain_film, tmp_path, before, after):
    index, _ = cut(plain_film, tmp_path / "clips", 1_000_000, 2_000_000)
    content = index.text.encode()
    assert before in content

    with pytest.raises(ClipError):
        parse_index(content.replace(before, after, 1))


# --- the ring


def test_the_ring_keeps_no_more_time_than_it_should(plain_film):
    buffer = EvidenceBuffer(EvidenceSettings(keep_us=1_000_000, before_us=500_000))

    times = list(watched(plain_film, buffer))

    assert buffer.row is not None
    kept = sorted(buffer.row.t_us(packet) for packet in buffer.packets)
    assert kept == [t for t in times if times[-1] - t <= 1_000_000]


def test_the_ring_keeps_no_more_bytes_than_it_should(plain_film):
    plenty, tight = EvidenceBuffer(EvidenceSettings()), EvidenceBuffer(EvidenceSettings(keep_bytes=30_000))

    watched(plain_film, plenty)
    watched(plain_film, tight)

    assert plenty.size_bytes > 30_000
    assert 25_000 < tight.size_bytes <= 30_000
    assert tight.packets == plenty.packets[-len(tight.packets) :] or len(tight.packets) < len(plenty.packets)


def test_a_packet_larger_than_the_ring_is_kept_alone(plain_film):
    buffer = EvidenceBuffer(EvidenceSettings(keep_bytes=1))

    watched(plain_film, buffer)

    assert len(buffer.packets) == 1


def test_a_new_stretch_forgets_the_old_one(plain_film):
    buffer = EvidenceBuffer(EvidenceSettings())
    watched(plain_film, buffer)
    assert buffer.row is not None
    packet = Packet(data=b"x", pts=0, dts=0, duration=0, is_key=True)

    buffer.begin(buffer.row.form, moved_us=7)
    buffer.take(packet)

    assert buffer.packets == (packet,)
    assert buffer.row.t_us(packet) == 7


def test_without_an_old_key_frame_a_clip_begins_with_the_first_one(plain_film):
    buffer = EvidenceBuffer(EvidenceSettings(keep_us=1_000_000, before_us=0))
    watched(plain_film, buffer)
    assert buffer.row is not None

    packets = packets_from(buffer.packets, buffer.row, 0)

    assert packets[0].is_key
    assert not any(packet.is_key for packet in buffer.packets[: -len(packets)])


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"before_us": -1}, id="a negative time"),
        pytest.param({"keep_bytes": 0}, id="no room"),
        pytest.param({"clip_us_at_most": 1}, id="clips shorter than what they show"),
        pytest.param({"keep_us": 1}, id="a ring shorter than the time before a touch"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(ValueError, match="want"):
        EvidenceSettings(**wrong)


def test_a_file_that_lies_on_its_side_is_turned_in_its_clips_too(tmp_path):
    buffer = EvidenceBuffer(EvidenceSettings())
    path = write_film(tmp_path / "a.mp4", "libx264", {"bf": "2", "g": "48"}, even_ticks())
    watched(path, buffer)
    buffer.turn(1)
    assert buffer.row is not None
    index = index_of("c1", buffer.row, buffer.packets, source="a", start_us=0, end_us=10_000_000)
    write_clip(tmp_path, index, buffer.row, buffer.packets)

    with ClipReader(index, tmp_path / index.media) as reader:
        frame = reader.frame_at(0)

    assert frame.size_px == (48, SQUARE_PX * BITS)
