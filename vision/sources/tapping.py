"""Hands the packets of a source to whoever keeps them as evidence."""

from collections import deque

from av.packet import Packet as AvPacket
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from vision.packets import Packet, PacketTap, StreamForm, form_of, packet_of

HELD_AT_MOST = 600
"""Packets that wait for the first frame of a stream: ten seconds at 60 fps without a key frame."""


class Tapper:
    """What a source tells of its packets; nothing while nobody listens."""

    def __init__(self) -> None:
        self._tap: PacketTap | None = None
        self._is_holding = False
        """Packets are held for somebody who may listen later."""
        self._form: StreamForm | None = None
        self._held: deque[Packet] = deque(maxlen=HELD_AT_MOST)
        """Packets whose times are not known yet."""
        self._moved_us: int | None = None
        """What is added to stamps to make times. None: known with the first frame."""
        self._quarters = 0

    def hold(self) -> None:
        """Keep the first packets for somebody who may listen later."""
        self._is_holding = True

    def let_go(self) -> None:
        """Nobody else will listen."""
        self._is_holding = False
        if self._tap is None:
            self._held.clear()

    def listen(self, tap: PacketTap) -> None:
        """Tell ``tap`` from now on, and what was held."""
        self._tap = tap
        self._begin()

    def take(self, raw: "AvPacket[VideoStream]", stream: VideoStream) -> None:
        """A packet is about to be decoded."""
        is_wanted = self._tap is not None or self._is_holding
        if not is_wanted or (packet := packet_of(raw)) is None:
            return
        if self._form is None:
            self._form = form_of(stream, packet)
            self._begin()
        if self._moved_us is None or self._tap is None:
            self._held.append(packet)
        else:
            self._tap.take(packet)

    def settle(self, moved_us: int) -> None:
        """The times of frames are their stamps and so much; another number than before begins a new row."""
        if moved_us != self._moved_us:
            self._moved_us = moved_us
            self._begin()

    def show(self, picture: VideoFrame) -> None:
        """A picture was decoded: tell how it lies."""
        quarters = round(picture.rotation / 90) % 4
        if self._form is not None and quarters != self._quarters:
            self._quarters = quarters
            if self._tap is not None:
                self._tap.turn(quarters)

    def restart(self) -> None:
        """Another stream follows, whose times are known with its first frame."""
        self._form, self._moved_us, self._quarters = None, None, 0
        self._held.clear()

    def _begin(self) -> None:
        if self._tap is None or self._form is None or self._moved_us is None:
            return
        self._tap.begin(self._form, moved_us=self._moved_us)
        if self._quarters:
            self._tap.turn(self._quarters)
        while self._held:
            self._tap.take(self._held.popleft())
