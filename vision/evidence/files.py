"""Packets of a video file, for clips that are cut afterwards."""

from collections.abc import Iterator
from pathlib import Path

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from vision.evidence.buffer import Row, packets_from, packets_until
from vision.evidence.clips import ClipError, ClipIndex, index_of
from vision.frames import MICROSECONDS
from vision.packets import Packet, form_of, packet_of

FIRST_STEP_US = 2_000_000
"""So far before the wanted time the container is asked for; doubled until a key frame lies before it."""
REORDER_US = 1_000_000
"""A frame is never shown this much before one that was decoded before it: B-frames reach a few frames."""


def cut_from_file(
    path: Path, clip_id: str, *, start_us: int, end_us: int, source: str = ""
) -> tuple[ClipIndex, Row, tuple[Packet, ...]]:
    """What ``write_clip`` wants for a clip of a video file; the same packets as the ring would have kept.

    ``ClipError`` where the file cannot be read or has no frame in that time.
    """
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise ClipError(f"{path}: no video stream in it (want a video file)")
            row, packets = _packets_in(container, container.streams.video[0], start_us, end_us)
    except (av.error.FFmpegError, OSError) as error:
        raise ClipError(f"{path}: {error.strerror or error}") from None
    if not packets or row is None:
        raise ClipError(f"{path}: no frame from {start_us} to {end_us} us in it")
    name = source or path.name
    index = index_of(clip_id, row, packets, source=name, start_us=start_us, end_us=end_us)
    return index, row, tuple(packets)


def _packets_in(
    container: InputContainer, stream: VideoStream, start_us: int, end_us: int
) -> tuple[Row | None, list[Packet]]:
    step_us, before_us = FIRST_STEP_US, None
    while True:
        at_us = max(start_us - step_us, 0)
        _seek(container, stream, at_us)
        row, packets = _read_until(container, stream, end_us + REORDER_US)
        has_key = row is not None and any(p.is_key and row.t_us(p) <= start_us for p in packets)
        if row is None or has_key or at_us == before_us:
            break
        step_us, before_us = 2 * step_us, at_us
    if row is None:
        return None, []
    return row, packets_until(packets_from(packets, row, start_us), row, end_us)


def _seek(container: InputContainer, stream: VideoStream, t_us: int) -> None:
    assert stream.time_base is not None, "a demuxed stream has a time base"
    ticks = int(t_us / (stream.time_base * MICROSECONDS))
    container.seek(max(ticks, stream.start_time or 0), stream=stream, backward=True, any_frame=False)


def _read_until(
    container: InputContainer, stream: VideoStream, end_us: int
) -> tuple[Row | None, list[Packet]]:
    row: Row | None = None
    packets: list[Packet] = []
    for packet in _packets(container, stream):
        row = row or Row(form_of(stream, packet), 0)
        packets.append(packet)
        if row.t_us(packet) > end_us:
            break
    return row, packets


def _packets(container: InputContainer, stream: VideoStream) -> Iterator[Packet]:
    for raw in container.demux(stream):
        packet = packet_of(raw)
        if packet is not None:
            yield packet
