"""The last seconds of a source, compressed as they came: a ring bounded in time and in bytes."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from vision.packets import Packet, StreamForm, time_of

PACKET_BYTES = 400
"""What a packet takes beside its data (objects, numbers, its place in the ring), rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How much is kept, where, and how clips are cut."""

    keep_us: int = 30_000_000
    """How far back the ring reaches: a verdict comes seconds after the touch, its clip begins before."""
    keep_bytes: int = 190_000_000
    """The ring never holds more: 1080p60 stays under 200 MB. H.264 at 8 Mbit/s needs 30 MB for 30 s;
    a webcam's MJPEG at 100 Mbit/s fills it with 15 s."""
    before_us: int = 5_000_000
    """What a clip shows before the first touch: where the card came from."""
    after_us: int = 3_000_000
    """What it shows after the last touch: the hands gone, the card at rest."""
    clip_us_at_most: int = 20_000_000
    """Plays that follow closely share a clip up to this length, so that a fast round is kept about once; what
    people may argue about has its own."""

    def __post_init__(self) -> None:
        if min(self.before_us, self.after_us) < 0 or self.keep_bytes <= 0:
            raise ValueError("evidence settings: want times of 0 or more and a ring of some bytes")
        if self.clip_us_at_most < self.before_us + self.after_us:
            raise ValueError("clip_us_at_most: want room for what a clip shows before and after a touch")
        if self.keep_us < self.before_us:
            raise ValueError("keep_us: want no less than what a clip shows before a touch")


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """What all packets of an unbroken stretch of a source have in common."""

    form: StreamForm
    moved_us: int
    """What is added to stamps to make the times of frames."""
    quarters: int = 0
    """Turns, counter-clockwise, that bring its pictures upright."""

    def t_us(self, packet: Packet) -> int:
        """The time of a packet's frame."""
        return time_of(packet.pts, self.form.time_base, self.moved_us)


class EvidenceBuffer:
    """A ring of packets: a source's tap. Not safe for several threads: source and reader share one."""

    def __init__(self, settings: EvidenceSettings) -> None:
        self._settings = settings
        self._packets: deque[Packet] = deque()
        self._bytes = 0
        self._newest_us: int | None = None
        self.row: Row | None = None
        """What the packets have in common. None: none came yet."""

    @property
    def size_bytes(self) -> int:
        """What the ring holds, with what its packets take beside their data."""
        return self._bytes

    @property
    def packets(self) -> tuple[Packet, ...]:
        """All that is kept of the present stretch, in the order in which they are decoded."""
        return tuple(self._packets)

    def begin(self, form: StreamForm, *, moved_us: int) -> None:
        """Forget what was kept: a new stretch of packets begins."""
        self.row = Row(form, moved_us)
        self._packets.clear()
        self._bytes, self._newest_us = 0, None

    def turn(self, quarters: int) -> None:
        """The pictures of this stretch lie on their side."""
        assert self.row is not None, "a picture comes after its packet"
        self.row = Row(self.row.form, self.row.moved_us, quarters)

    def take(self, packet: Packet) -> None:
        """Keep a packet; the oldest make room."""
        assert self.row is not None, "a row begins before its packets come"
        self._packets.append(packet)
        self._bytes += len(packet.data) + PACKET_BYTES
        t_us = self.row.t_us(packet)
        self._newest_us = t_us if self._newest_us is None else max(self._newest_us, t_us)
        while len(self._packets) > 1 and self._is_over(self.row, self._newest_us):
            dropped = self._packets.popleft()
            self._bytes -= len(dropped.data) + PACKET_BYTES

    def _is_over(self, row: Row, newest_us: int) -> bool:
        oldest_us = row.t_us(self._packets[0])
        return self._bytes > self._settings.keep_bytes or newest_us - oldest_us > self._settings.keep_us


def packets_from(packets: Iterable[Packet], row: Row, start_us: int) -> list[Packet]:
    """Of packets in the order of decoding those from the last key frame at or before ``start_us``.

    Where no key frame is as old, from the first one; without any, all.
    """
    kept = list(packets)
    keys = [i for i, packet in enumerate(kept) if packet.is_key]
    early = [i for i in keys if row.t_us(kept[i]) <= start_us]
    return kept[early[-1] if early else keys[0] if keys else 0 :]


def packets_until(packets: Iterable[Packet], row: Row, end_us: int) -> list[Packet]:
    """Of packets in the order of decoding those up to the last whose frame is not after ``end_us``."""
    kept = list(packets)
    while kept and row.t_us(kept[-1]) > end_us:
        kept.pop()
    return kept
