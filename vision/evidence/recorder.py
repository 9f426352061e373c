"""Which packets become clips: of every touch that matters some seconds before and after it."""

from dataclasses import dataclass, field

from vision.evidence.buffer import (
    PACKET_BYTES,
    EvidenceBuffer,
    EvidenceSettings,
    Row,
    packets_from,
    packets_until,
)
from vision.evidence.clips import Mark
from vision.packets import Packet, StreamForm


@dataclass(frozen=True, slots=True, eq=False)
class CutClip:
    """A clip as it was cut, not yet hashed or written."""

    clip_id: str
    row: Row
    packets: tuple[Packet, ...]
    marks: tuple[Mark, ...]
    start_us: int
    end_us: int
    """What was asked for."""


@dataclass(slots=True, eq=False)
class _Open:
    """A clip whose last seconds have not come yet."""

    row: Row
    packets: list[Packet]
    start_us: int
    end_us: int
    is_urgent: bool
    marks: list[Mark] = field(default_factory=list)
    size_bytes: int = 0

    @property
    def begins_us(self) -> int:
        """Where it really begins: at a key frame."""
        return min(self.start_us, self.row.t_us(self.packets[0]))


class ClipRecorder:
    """A tap with a ring, from which clips are cut. Same frames and same wishes, same clips.

    Not safe for several threads: the source, the wishes and ``reach`` share one.
    """

    def __init__(self, settings: EvidenceSettings) -> None:
        self.settings = settings
        self.buffer = EvidenceBuffer(settings)
        self.missed: list[Mark] = []
        """What no picture was kept of, until ``take_missed``."""
        self._open: list[_Open] = []
        self._cut: list[CutClip] = []
        self._count = 0

    # --- the tap

    def begin(self, form: StreamForm, *, moved_us: int) -> None:
        """Another stretch of packets: clips that are open end with the old one."""
        for clip in self._open:
            self._close(clip)
        self._open.clear()
        self.buffer.begin(form, moved_us=moved_us)

    def take(self, packet: Packet) -> None:
        """The next packet, for the ring and for every open clip."""
        self.buffer.take(packet)
        for clip in self._open:
            if clip.size_bytes < self.settings.keep_bytes:
                clip.packets.append(packet)
                clip.size_bytes += len(packet.data) + PACKET_BYTES

    def turn(self, quarters: int) -> None:
        """The pictures lie on their side."""
        self.buffer.turn(quarters)

    # --- the wishes

    def want(self, mark: Mark, first_us: int, last_us: int, *, is_urgent: bool = False) -> None:
        """Have a clip of what happened from ``first_us`` to ``last_us``, with some time before and after.

        Of more than fits into a clip the end is kept. What follows closely shares a clip; what is urgent has
        one of its own, so that nobody waits for others' last seconds.
        """
        settings = self.settings
        inner_us = settings.clip_us_at_most - settings.before_us - settings.after_us
        start_us = max(first_us, last_us - inner_us) - settings.before_us
        end_us = last_us + settings.after_us
        shared = None if is_urgent else self._shared(start_us, end_us)
        clip = shared or self._opened(start_us, end_us, is_urgent=is_urgent)
        if clip is None:
            self.missed.append(mark)
            return
        clip.marks.append(mark)
        clip.end_us = max(clip.end_us, end_us)

    def _shared(self, start_us: int, end_us: int) -> _Open | None:
        at_most_us = self.settings.clip_us_at_most
        for clip in self._open:
            is_short = max(clip.end_us, end_us) - clip.start_us <= at_most_us
            if not clip.is_urgent and clip.begins_us <= start_us and is_short:
                return clip
        return None

    def _opened(self, start_us: int, end_us: int, *, is_urgent: bool) -> _Open | None:
        """A new clip; None where no packet of its time is kept."""
        row = self.buffer.row
        packets = packets_from(self.buffer.packets, row, start_us) if row is not None else []
        if row is None or not packets or row.t_us(packets[0]) > end_us:
            return None
        size_bytes = sum(len(packet.data) + PACKET_BYTES for packet in packets)
        clip = _Open(row, packets, start_us, end_us, is_urgent, size_bytes=size_bytes)
        self._open.append(clip)
        return clip

    # --- the clips

    def reach(self, t_us: int) -> tuple[CutClip, ...]:
        """The frames have come to ``t_us``: the clips that are whole by now."""
        for clip in [clip for clip in self._open if t_us > clip.end_us]:
            self._open.remove(clip)
            self._close(clip)
        return self._taken()

    def finish(self) -> tuple[CutClip, ...]:
        """No more frames come: the clips that are left, as far as they go."""
        for clip in self._open:
            self._close(clip)
        self._open.clear()
        return self._taken()

    def take_missed(self) -> tuple[Mark, ...]:
        """What no picture was kept of, since the last call."""
        missed, self.missed = tuple(self.missed), []
        return missed

    def _taken(self) -> tuple[CutClip, ...]:
        cut, self._cut = tuple(self._cut), []
        return cut

    def _close(self, clip: _Open) -> None:
        # A row is told to lie on its side with its first picture, which may come after the clip was opened.
        row = self.buffer.row if self._is_present(clip) else clip.row
        packets = packets_until(clip.packets, clip.row, clip.end_us)
        if not packets or row is None:
            self.missed += clip.marks
            return
        self._count += 1
        self._cut.append(
            CutClip(f"c{self._count}", row, tuple(packets), tuple(clip.marks), clip.start_us, clip.end_us)
        )

    def _is_present(self, clip: _Open) -> bool:
        return self.buffer.row is not None and self.buffer.row.form is clip.row.form
