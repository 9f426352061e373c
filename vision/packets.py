"""Compressed pictures as the source gave them, with their time stamps: what evidence is made of."""

import hashlib
import io
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

import av
from av.packet import Packet as AvPacket
from av.stream import Stream
from av.video.stream import VideoStream

from vision.frames import ticks_to_us

UNIT_CODECS = frozenset({"h264", "hevc"})
"""Their packets are rows of units, which containers set off from each other in one of two ways."""

_START_CODE = b"\x00\x00\x01"
_SEED_FORMAT = "nut"
"""A container that takes every codec and leaves its bytes as they are."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StreamForm:
    """What must be known to read a row of compressed packets.

    seed: a container in memory with the stream's description and one packet.
    """

    codec: str
    """FFmpeg's name, e.g. ``h264``."""
    size_px: tuple[int, int]
    """Width and height, as coded: not yet turned upright."""
    time_base: Fraction
    """Seconds a tick of ``pts`` and ``dts``."""
    unit_length_bytes: int | None
    """Length of the number before each unit; 0: start codes. None: the codec has no such units."""
    seed: bytes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Packet:
    """One compressed picture. Stamps are in ticks of its form's time base."""

    data: bytes
    pts: int
    dts: int | None
    """None: the container does not say."""
    duration: int
    """0: the container does not say."""
    is_key: bool
    """Whether decoding can begin here."""


@runtime_checkable
class PacketTap(Protocol):
    """Who is handed every packet of a source, in the order in which they are decoded."""

    def begin(self, form: StreamForm, *, moved_us: int) -> None:
        """A row of packets begins that has nothing to do with those before it.

        moved_us: what is added to its stamps to make the times of its frames.
        """
        ...

    def take(self, packet: Packet) -> None:
        """The next packet."""
        ...

    def turn(self, quarters: int) -> None:
        """The pictures are to be turned by so many quarters, counter-clockwise, to stand upright."""
        ...


@runtime_checkable
class PacketSource(Protocol):
    """A source that can hand over the compressed packets of its frames."""

    def tap_packets(self, tap: PacketTap) -> str | None:
        """Hand every packet to ``tap`` from now on, before its frame comes.

        What is told: why this source has no packets that could be kept; None where it has.
        """
        ...


def packet_of(packet: "AvPacket[VideoStream]") -> Packet | None:
    """A copy of FFmpeg's packet. None: it is empty, or without a time stamp."""
    if packet.size == 0 or packet.pts is None:
        return None
    return Packet(
        data=bytes(packet),
        pts=packet.pts,
        dts=packet.dts,
        duration=packet.duration or 0,
        is_key=packet.is_keyframe,
    )


def form_of(stream: VideoStream, first: Packet) -> StreamForm:
    """The form of a stream of which ``first`` is a packet, free of the container that it comes from."""
    context, time_base = stream.codec_context, stream.time_base
    assert time_base is not None, "a demuxed stream has a time base"
    memory = io.BytesIO()
    with av.open(memory, "w", format=_SEED_FORMAT) as seed:
        target = seed.add_stream_from_template(stream, opaque=True)
        target.time_base = time_base
        seed.mux(muxable(first, target, time_base, moved=-first.pts))
    return StreamForm(
        codec=context.name,
        size_px=(context.width, context.height),
        time_base=time_base,
        unit_length_bytes=unit_length_of(context.name, context.extradata),
        seed=memory.getvalue(),
    )


def muxable(packet: Packet, stream: VideoStream, time_base: Fraction, *, moved: int) -> "AvPacket[Stream]":
    """FFmpeg's packet for an output stream, its stamps moved by so many ticks."""
    made = AvPacket(packet.data)
    made.pts = packet.pts + moved
    made.dts = None if packet.dts is None else packet.dts + moved
    made.duration = packet.duration
    made.is_keyframe = packet.is_key
    made.time_base = time_base
    made.stream = stream
    return made


def unit_length_of(codec: str, extradata: bytes | None) -> int | None:
    """Length of the number before each unit; 0: start codes. None: the codec has no units."""
    if codec not in UNIT_CODECS:
        return None
    place = 4 if codec == "h264" else 21
    if extradata is None or len(extradata) <= place or extradata[0] != 1:
        return 0
    return (extradata[place] & 3) + 1


def digest_of(data: bytes, unit_length_bytes: int | None) -> str:
    r"""SHA-256 of a packet, in hex, the same for all ways to set off its units.

    A packet without units is hashed as it is. Of one with units each is hashed after its length in four
    bytes, big end first: so a clip in an MP4 file has the hashes of the stream that a camera sent.

    >>> sent = b"\x00\x00\x00\x01\x09\xf0\x00\x00\x01\x65\x88"
    >>> kept = b"\x00\x00\x00\x02\x09\xf0\x00\x00\x00\x02\x65\x88"
    >>> digest_of(sent, 0) == digest_of(kept, 4)
    True
    """
    digest = hashlib.sha256()
    if unit_length_bytes is None:
        digest.update(data)
        return digest.hexdigest()
    units = _units_by_code(data) if unit_length_bytes == 0 else _units_by_length(data, unit_length_bytes)
    for unit in units:
        digest.update(len(unit).to_bytes(4, "big"))
        digest.update(unit)
    return digest.hexdigest()


def _units_by_code(data: bytes) -> list[bytes]:
    """Units between start codes; a unit never ends with a zero, so zeros there belong to the next code."""
    units = (part.rstrip(b"\x00") for part in data.split(_START_CODE)[1:])
    return [unit for unit in units if unit]


def _units_by_length(data: bytes, length_bytes: int) -> list[bytes]:
    units: list[bytes] = []
    at = 0
    while at + length_bytes <= len(data):
        size = int.from_bytes(data[at : at + length_bytes], "big")
        at += length_bytes
        units.append(data[at : at + size].rstrip(b"\x00"))
        at += size
    return [unit for unit in units if unit]


def time_of(pts: int, time_base: Fraction, moved_us: int) -> int:
    """The time of a stamp, in microseconds, as the frame of that packet carries it."""
    return ticks_to_us(pts, time_base) + moved_us
