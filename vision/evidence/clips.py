"""A clip: compressed packets cut without re-encoding, with an index of times and hashes beside it."""

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av.container import InputContainer
from av.packet import Packet as AvPacket
from av.video.stream import VideoStream

from referee.codec import CodecError, Json, canonical, decode, encode, parse_json
from vision.evidence.buffer import Row
from vision.packets import Packet, digest_of, form_of, muxable, time_of, unit_length_of

CLIP_FORMAT = 1
INDEX_ENDING = ".clip.json"
"""The index of clip ``c3`` is ``c3.clip.json``."""
LARGEST_INDEX_BYTES = 16 << 20
"""Of an index: 20 s at 240 frames/s are half a megabyte."""

_BITEXACT = {"fflags": "+bitexact"}
"""Without it Matroska files carry random numbers, and all of them the writer's version."""
_CLIP_ID = re.compile(r"c[0-9]{1,9}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_AROUND_BYTES = 4096
"""What a file has around its pictures and beside each: far more than any container takes."""
_MP4_CODECS = frozenset({"h264", "hevc", "av1", "vp9", "mpeg4"})


class ClipError(Exception):
    """A clip that does not hold, or a time that is not in it; the text is for a person."""


@dataclass(frozen=True, slots=True)
class IndexedPacket:
    """One packet of a clip, in the order of decoding."""

    pts: int
    dts: int | None
    size: int
    """In bytes, as the source sent it."""
    is_key: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class Mark:
    """What a clip was cut for: a verdict, and where and when to look."""

    verdict_id: str
    pile: str | None
    """None: the verdict is about no pile."""
    seats: tuple[str, ...]
    touches: tuple[tuple[int, int], ...]
    """Of each play in the verdict's event, in microseconds: surely without touch, surely with it."""


@dataclass(frozen=True, slots=True)
class DrawnZone:
    """A pile's place in the picture, clockwise, in pixels of the upright picture."""

    pile: str
    polygon_px: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipIndex:
    """What stands beside a clip: its frames, the hash of each packet, what it was cut for."""

    clip_id: str
    media: str
    """Name of the file with the pictures, in the same folder."""
    codec: str
    size_px: tuple[int, int]
    """Width and height as coded, before turning upright."""
    time_base_num: int
    time_base_den: int
    """Seconds a tick, as a fraction."""
    moved_us: int
    """What is added to a stamp in microseconds to make the time of its frame."""
    quarters: int
    """Turns, counter-clockwise, that bring the pictures upright."""
    source: str
    start_us: int
    end_us: int
    """What was asked for; key frames make clips begin earlier."""
    packets: tuple[IndexedPacket, ...]
    marks: tuple[Mark, ...] = ()
    zones: tuple[DrawnZone, ...] = ()
    media_sha256: str | None = None
    """SHA-256 of the file with the pictures, as it is written: with what players take from it beside them, as
    aspect and colours. None: an older program cut the clip, and these are not covered."""

    def __post_init__(self) -> None:
        if not _CLIP_ID.fullmatch(self.clip_id):
            raise ValueError(f"clip_id: want c and a number, got {self.clip_id!r}")
        if self.media != media_name(self.clip_id, self.codec):
            raise ValueError(f"media: want {media_name(self.clip_id, self.codec)}, got {self.media!r}")
        if self.media_sha256 is not None and not _DIGEST.fullmatch(self.media_sha256):
            raise ValueError(f"media_sha256: want a SHA-256 in hex, got {self.media_sha256!r}")
        if self.time_base_num <= 0 or self.time_base_den <= 0:
            raise ValueError("time_base: want a fraction above 0")
        if len(self.size_px) != 2 or any(len(touch) != 2 for mark in self.marks for touch in mark.touches):
            raise ValueError("want size_px and touches in pairs")
        if any(len(zone.polygon_px) < 3 or {len(p) for p in zone.polygon_px} != {2} for zone in self.zones):
            raise ValueError("zones: want three points or more, each x and y")

    @property
    def time_base(self) -> Fraction:
        """Seconds a tick."""
        return Fraction(self.time_base_num, self.time_base_den)

    def t_us(self, pts: int) -> int:
        """The time of the frame with this stamp."""
        return time_of(pts, self.time_base, self.moved_us)

    @property
    def stamps(self) -> tuple[int, ...]:
        """The stamps of the frames that can be shown, in their order: those from the first key frame on."""
        first = next((packet.pts for packet in self.packets if packet.is_key), None)
        if first is None:
            return ()
        return tuple(sorted({packet.pts for packet in self.packets if packet.pts >= first}))

    @property
    def times_us(self) -> tuple[int, ...]:
        """The times of the frames that can be shown, in their order."""
        return tuple(self.t_us(pts) for pts in self.stamps)

    @property
    def text(self) -> str:
        """The index as it is written: canonical JSON with a line end."""
        body = _with_rows(encode(self))
        if self.media_sha256 is None:
            del body["media_sha256"]  # as older programs wrote it
        return canonical({"format": CLIP_FORMAT, "kind": "clip", **body}) + "\n"

    @property
    def sha256(self) -> str:
        """SHA-256 of the written index, in hex: what the record keeps."""
        return hashlib.sha256(self.text.encode("ascii")).hexdigest()


def media_name(clip_id: str, codec: str) -> str:
    """The name of a clip's file: MP4 where browsers may play it, else Matroska."""
    return f"{clip_id}.{'mp4' if codec in _MP4_CODECS else 'mkv'}"


def index_of(
    clip_id: str, row: Row, packets: Sequence[Packet], *, source: str, start_us: int, end_us: int
) -> ClipIndex:
    """The index of a clip that holds these packets."""
    form = row.form
    index = ClipIndex(
        clip_id=clip_id,
        media=media_name(clip_id, form.codec),
        codec=form.codec,
        size_px=form.size_px,
        time_base_num=form.time_base.numerator,
        time_base_den=form.time_base.denominator,
        moved_us=row.moved_us,
        quarters=row.quarters,
        source=source,
        start_us=start_us,
        end_us=end_us,
        packets=tuple(
            IndexedPacket(
                packet.pts,
                packet.dts,
                len(packet.data),
                packet.is_key,
                digest_of(packet.data, form.unit_length_bytes),
            )
            for packet in packets
        ),
    )
    return replace(index, media_sha256=_sha256_of_media(index, row, packets))


def _sha256_of_media(index: ClipIndex, row: Row, packets: Sequence[Packet]) -> str | None:
    """SHA-256 of the file as it will be written; None where no file can be made of these packets."""
    try:
        return hashlib.sha256(media_of(index, row, packets)).hexdigest()
    except (av.error.FFmpegError, OSError, OverflowError, ValueError):
        return None  # who writes it is told why


def write_clip(folder: Path, index: ClipIndex, row: Row, packets: Sequence[Packet]) -> None:
    """Write pictures and index into ``folder``; the index last, so that where it stands the clip is whole.

    ``OSError`` where the disk takes no more; nothing half written is left then.
    """
    media, listing = folder / index.media, folder / f"{index.clip_id}{INDEX_ENDING}"
    parts = [path.with_name(path.name + ".part") for path in (media, listing)]
    try:
        parts[0].write_bytes(media_of(index, row, packets))
        parts[1].write_text(index.text, encoding="ascii")
        parts[0].replace(media)
        parts[1].replace(listing)
    except OSError:
        for path in parts:
            path.unlink(missing_ok=True)
        raise


def media_of(index: ClipIndex, row: Row, packets: Sequence[Packet]) -> bytes:
    """The file with a clip's pictures, its first key frame at time 0; same packets, same bytes."""
    first = next((packet.pts for packet in packets if packet.is_key), packets[0].pts)
    container_format = "mp4" if index.media.endswith(".mp4") else "matroska"
    memory = io.BytesIO()
    with (
        av.open(io.BytesIO(row.form.seed)) as seed,
        av.open(memory, "w", format=container_format, options=_BITEXACT) as clip,
    ):
        target = clip.add_stream_from_template(seed.streams.video[0], opaque=True)
        target.time_base = row.form.time_base
        for packet in packets:
            clip.mux(muxable(packet, target, row.form.time_base, moved=-first))
    return memory.getvalue()


def read_index(path: Path) -> ClipIndex:
    """The index at ``path``; ``ClipError`` where it does not hold."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_INDEX_BYTES + 1)
    except OSError as error:
        raise ClipError(f"{path}: {error.strerror or error}") from None
    try:
        return parse_index(content)
    except ClipError as error:
        raise ClipError(f"{path}: {error}") from None


def parse_index(content: bytes) -> ClipIndex:
    """The index that a file holds; ``ClipError`` where it is none, or written in another way."""
    if len(content) > LARGEST_INDEX_BYTES:
        raise ClipError(f"want an index of at most {LARGEST_INDEX_BYTES} bytes")
    try:
        value = parse_json(content)
        index = _index_of_json(value)
    except ValueError as error:
        raise ClipError(f"not the index of a clip: {error}") from None
    if index.text.encode("ascii") != content:
        raise ClipError("not the index of a clip: not written in the canonical way")
    return index


def _index_of_json(value: Json) -> ClipIndex:
    if not isinstance(value, dict) or value.get("format") != CLIP_FORMAT or value.get("kind") != "clip":
        raise CodecError(f"want an object with format {CLIP_FORMAT} and kind clip")
    body = {name: part for name, part in value.items() if name not in {"format", "kind"}}
    rows = body.get("packets")
    if not isinstance(rows, list):
        raise CodecError("packets: want a list")
    body["packets"] = [_packet_object(row) for row in rows]
    return cast("ClipIndex", decode(ClipIndex, body, "clip"))


def _with_rows(body: dict[str, Json]) -> dict[str, Json]:
    """The same, each packet as a short row: ``[pts, dts, size, is_key, sha256]``."""
    packets = cast("list[dict[str, Json]]", body["packets"])
    rows: list[Json] = [[p["pts"], p["dts"], p["size"], p["is_key"], p["sha256"]] for p in packets]
    return {**body, "packets": rows}


def _packet_object(row: Json) -> Json:
    if not isinstance(row, list) or len(row) != 5:
        raise CodecError("packets: want rows of pts, dts, size, is_key and sha256")
    return dict(zip(("pts", "dts", "size", "is_key", "sha256"), row, strict=True))


def with_marks(index: ClipIndex, marks: tuple[Mark, ...], zones: tuple[DrawnZone, ...]) -> ClipIndex:
    """The same clip, with what it was cut for."""
    return replace(index, marks=marks, zones=zones)


def check_clip(index: ClipIndex, media: Path | bytes) -> None:
    """``ClipError`` where a clip is not the file that is written of the pictures and times of its index.

    A second track, another tempo, or bytes that no picture asks for change what a player shows.
    """
    try:
        content = media if isinstance(media, bytes) else _content_of(index, media)
        with av.open(io.BytesIO(content), "r") as container:
            stream = _video_of(index, container)
            found = [packet for packet in container.demux(stream) if packet.size]
            _refuse_other_pictures(index, stream, found)
            ways = _durations_in(index, container, stream, found)
            is_ours = any(_written_again(index, stream, found, way) == content for way in ways)
    except (av.error.FFmpegError, OSError) as error:
        raise ClipError(f"{index.media}: not a whole video: {error.strerror or error}") from None
    except OverflowError:
        raise ClipError(f"{index.media}: its index lists times that no video has") from None
    if not is_ours:
        raise ClipError(
            f"{index.media}: its pictures are those that are listed, but not as this program writes them: it"
            " was changed, or another version wrote it"
        )
    if index.media_sha256 not in {None, hashlib.sha256(content).hexdigest()}:
        raise ClipError(
            f"{index.media}: its pictures are those that are listed, but it has them shown in another way"
            " than when it was written: size, aspect or colours were changed"
        )


def _content_of(index: ClipIndex, media: Path) -> bytes:
    """The file; ``ClipError`` where it is larger than its pictures can make it."""
    size, most = media.stat().st_size, 2 * sum(packet.size for packet in index.packets)
    if size > most + _AROUND_BYTES * (1 + len(index.packets)):
        raise ClipError(f"{index.media}: {size} bytes are more than the pictures that are listed")
    return media.read_bytes()


def _refuse_other_pictures(
    index: ClipIndex, stream: VideoStream, found: Sequence["AvPacket[VideoStream]"]
) -> None:
    length = unit_length_of(stream.codec_context.name, stream.codec_context.extradata)
    if not found or len(found) != len(index.packets):
        raise ClipError(f"{index.media}: {len(found)} pictures (want {len(index.packets)}, as listed)")
    for number, (listed, packet) in enumerate(zip(index.packets, found, strict=True)):
        if listed.sha256 != digest_of(bytes(packet), length):
            t_us = index.t_us(listed.pts)
            raise ClipError(f"{index.media}: picture {number} (time {t_us} us) is not the one that is listed")


def _written_again(
    index: ClipIndex,
    stream: VideoStream,
    found: Sequence["AvPacket[VideoStream]"],
    durations: Sequence[int],
) -> bytes:
    """The file that is written of these pictures at the times that are listed."""
    packets = [
        Packet(data=bytes(packet), pts=row.pts, dts=row.dts, duration=duration, is_key=row.is_key)
        for row, packet, duration in zip(index.packets, found, durations, strict=True)
    ]
    form = replace(form_of(stream, packets[0]), time_base=index.time_base)
    return media_of(index, Row(form, index.moved_us), packets)


def _durations_in(
    index: ClipIndex,
    container: InputContainer,
    stream: VideoStream,
    found: Sequence["AvPacket[VideoStream]"],
) -> Iterator[list[int]]:
    """What the source can have said of how long pictures stand, in ticks.

    A picture stands until the next one, so only how long the last one does depends on it. Sources tell it of
    every picture, or the same of all, or of none; Matroska keeps nothing of it but the length of the file.
    """
    assert stream.time_base is not None, "a demuxed stream has a time base"
    told = [round((packet.duration or 0) * stream.time_base / index.time_base) for packet in found]
    yield told
    yield [told[-1]] * len(told)
    yield [*(0 for _ in told[1:]), told[-1]]
    length = round(Fraction(container.duration or 0, av.time_base) / index.time_base)
    shown = index.stamps
    yield [*(0 for _ in told[1:]), max(0, length - (shown[-1] - shown[0])) if shown else 0]


def _video_of(index: ClipIndex, container: InputContainer) -> VideoStream:
    """The only stream of a clip."""
    if len(container.streams) != 1 or len(container.streams.video) != 1:
        raise ClipError(f"{index.media}: {len(container.streams)} tracks in it (want one, of pictures)")
    stream = container.streams.video[0]
    context = stream.codec_context
    if (context.name, (context.width, context.height)) != (index.codec, index.size_px):
        size = f"{context.width} x {context.height} px"
        raise ClipError(f"{index.media}: {context.name} of {size} (want what is listed)")
    return stream
