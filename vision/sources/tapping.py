"""Hands the packets of a source to whoever keeps them as evidence."""

from av.packet import Packet as AvPacket
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from vision.packets import PacketTap, form_of, packet_of


class Tapper:
    """What a source tells of its packets; nothing while nobody listens."""

    def __init__(self) -> None:
        self.tap: PacketTap | None = None
        """Who listens. None: nobody."""
        self._has_begun = False
        self._moved_us = 0
        self._quarters = 0

    def take(self, raw: "AvPacket[VideoStream]", stream: VideoStream) -> None:
        """Hand on a packet before it is decoded."""
        if self.tap is None or (packet := packet_of(raw)) is None:
            return
        if not self._has_begun:
            self.tap.begin(form_of(stream, packet), moved_us=self._moved_us)
            self._has_begun = True
            self._quarters = 0
        self.tap.take(packet)

    def show(self, picture: VideoFrame) -> None:
        """Tell how a decoded picture lies."""
        quarters = round(picture.rotation / 90) % 4
        if self.tap is not None and self._has_begun and quarters != self._quarters:
            self._quarters = quarters
            self.tap.turn(quarters)

    def restart(self, moved_us: int) -> None:
        """The packets from here on have nothing to do with those before; their stamps are moved."""
        self._has_begun = False
        self._moved_us = moved_us
